/* Draws the setting in brief, for a screen that is too small for panels, and for presenter mode:
 * the kernel, the chosen knob, the measured value in digits as large as fit, the limit, the state.
 * In the brief panel, the arrow keys change kernel and knobs as on a larger screen. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explorer/fronts.h"
#include "lesson/lesson.h"
#include "ui/panels.h"
#include "ui/shapes.h"

/* If the screen has fewer rows or columns, the panel shows only the measured value, and the key
 * that quits. */
enum { ROWS_FROM = 3, COLUMNS_FROM = 20 };

/* Smallest heights at which the brief panel has a row for the binding limit, for all knobs, and for
 * a message. */
enum { LIMIT_FROM = 4, SETTING_FROM = 9, NOTICE_FROM = 10 };

/* The smallest number of columns to which a kernel's name is cut. */
enum { NAME_LEAST = 4 };

/* ---- one row ---- */

/* Returns whether the screen has panels, and so a row of keys. */
static bool has_keys(struct box at)
{
	return at.canvas->width >= LAYOUT_MIN_WIDTH && at.canvas->height >= LAYOUT_MIN_HEIGHT;
}

/* Draws the measured cycles per element in the longest form that fits. A value that is too long is
 * rounded, never cut. */
static void draw_value(struct box at, const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *kernel = view->setting.kernel->name, *state = panels_state(view);
	struct units_text cpe = units_value(sample->cpe);
	struct words value = words_of("CPE %s %c%s%s", cpe.text, (char)sample->cycles_from,
			     state[0] ? ", " : "", state),
		     named = words_of("%.48s  %s%s", kernel, value.text,
			     view->frozen      ? ", frozen"
			     : view->recording ? ", recording"
					       : "");

	if (has_keys(at))
		panels_fit(at, 0, STYLE_FIGURE, "%s\n%s\n%s%s", named.text, value.text, cpe.text,
			state[0] ? "?" : "");
	else
		panels_fit(at, 0, STYLE_FIGURE,
			"%1$s  q quits  (panels need %2$dx%3$d)\n%1$s  q quits\n%4$s  q "
			"quits\n%5$s%6$s  "
			"q\n%5$s\n%7$.2f\n%7$.1f\n%7$.0f",
			named.text, LAYOUT_MIN_WIDTH, LAYOUT_MIN_HEIGHT, value.text, cpe.text,
			state[0] ? "?" : "", sample->cpe);
}

/* Returns "at least " if the predicted value lacks a cost of the loop; else "". */
static const char *at_least(const struct view *view)
{
	return view->explanation ? limits_at_least(&view->explanation->limits) : "";
}

/* Returns the predicted cycles of a program's loop, which is never measured. */
static struct units_text predicted_value(const struct view *view)
{
	const struct limits *limits = view->explanation ? &view->explanation->limits : NULL;

	return limits && limits->predicted_by >= 0 ? units_value(limits->predicted)
						   : (struct units_text){ "?" };
}

/* Draws one row with the value, or with the reason why there is no value. */
static void draw_short(struct box at, const struct view *view)
{
	struct ahead ahead = panels_ahead(view);

	if (view->sample.valid)
		draw_value(at, view);
	else if (view->hidden & HIDDEN_CPE)
		panels_fit(at, 0, STYLE_FIGURE, "CPE ?  hidden until you answer\nCPE ?\n?");
	else if (view->setting.kernel->function)
		panels_fit(at, 0, STYLE_FIGURE,
			"%1$s  predicted %3$s%2$s M  q quits\npredicted %3$s%2$s M  q quits\n"
			"%3$s%2$s M  q\n%3$s%2$s\n%2$s",
			view->setting.kernel->name, predicted_value(view).text, at_least(view));
	else if (view->failure[0])
		panels_fit(at, 0, STYLE_BAD,
			"not measured: %s  q quits\nnot measured  q quits\nfailed  q\n-",
			view->failure);
	else if (ahead.text[0])
		panels_fit(at, 0, STYLE_DIM, "%s\nmeasuring…  q quits\n…  q\n…", ahead.text);
	else if (view->frozen)
		panels_fit(at, 0, STYLE_DIM, "frozen, not measured  q quits\nfrozen  q\n-");
	else
		panels_fit(at, 0, STYLE_DIM, "%s…  q quits\n…  q\n…",
			view->characterising ? "characterising"
			: view->sweeping     ? "sweep"
			: view->probing	     ? "probing"
					     : "measuring");
}

/* ---- several rows ---- */

/* Draws the measured cycles per element with quartiles and source letter, in the longest form that
 * fits. If `digits` is true, large digits already show the cycles, so the row omits them. */
static void draw_spread(struct box at, int y, const struct view *view, bool digits)
{
	const struct sample *sample = &view->sample;
	const char *source = panels_source(sample->cycles_from);
	enum style style = panels_state(view)[0] ? STYLE_WARN : STYLE_FIGURE;
	struct units_text cpe = units_value(sample->cpe), low = units_value(sample->cpe_lo),
			  high = units_value(sample->cpe_hi);
	bool few = sample->trials < PANELS_QUARTILES_FROM;
	struct words spread =
		few ? (struct words){ "" } : words_of("%s … %s  ", low.text, high.text);
	const char *quartiles = few ? "" : "quartiles ", *element = view->setting.kernel->element;
	const char *state = panels_state(view);

	/* A message may cover the row of the state. */
	if (view->screen.notice[0] && state[0]) {
		if (digits)
			panels_fit(at, y, STYLE_WARN, "%1$s%2$s, %3$s\n%1$s%2$.1s, %3$s\n%3$s\n?",
				spread.text, source, state);
		else
			panels_fit(at, y, STYLE_WARN,
				"CPE %1$s  %2$s%3$s, %4$s\nCPE %1$s %3$.1s, %4$s\n%1$s ?", cpe.text,
				spread.text, source, state);
		return;
	}
	if (digits)
		panels_fit(at, y, STYLE_TEXT,
			"cycles per %1$s  %2$s%3$s%4$s\nCPE  %2$s%3$s%4$s\nCPE  %3$s%4$.1s\n"
			"%3$s%4$.1s\n%4$.1s",
			element, quartiles, spread.text, source);
	else
		panels_fit(at, y, style,
			"CPE %1$s  %2$s%3$s%4$s\nCPE %1$s  %3$s%4$.1s\nCPE %1$s  %4$.1s\n%1$s",
			cpe.text, quartiles, spread.text, source);
}

/* Draws the reason why the setting has no measured value. If `digits` is true, large digits show
 * the predicted value of a program's loop. */
static void draw_absence(struct box at, int y, const struct view *view, bool digits)
{
	struct ahead ahead = panels_ahead(view);

	if (view->setting.kernel->function && digits)
		panels_fit(at, y, STYLE_WARN,
			*at_least(view)
				? "cycles per iteration at least, predicted, not measured\n"
				  "predicted: at least this"
				: "cycles per iteration, predicted, not measured\npredicted, not "
				  "measured\npredicted");
	else if (view->setting.kernel->function)
		panels_fit(at, y, STYLE_FIGURE,
			"%2$s%1$s M predicted, not measured\n%2$s%1$s predicted",
			predicted_value(view).text, at_least(view));
	else if (ahead.text[0])
		canvas_put(at, 0, y, STYLE_DIM, ahead.text);
	else
		canvas_text(at, 0, y, view->failure[0] ? STYLE_BAD : STYLE_DIM,
			view->failure[0]	    ? "not measured"
			: view->hidden & HIDDEN_CPE ? "hidden until you answer"
			: view->frozen		    ? "frozen before the first sample"
			: view->characterising	    ? "measured after the core"
			: view->sweeping	    ? "measured after the sweep"
			: view->probing		    ? "measured after the probe"
						    : "measuring…");
}

/* Returns the state of the measurement in words: "contended, recording; quiet: 0.498", "frozen",
 * "live". */
static struct words state_words(const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *state = panels_state(view);
	struct words progress = panels_progress(view);
	const char *word = view->frozen			    ? "frozen"
			   : view->setting.kernel->function ? "predicted"
			   : view->failure[0]		    ? "stopped"
			   : progress.text[0]		    ? progress.text
			   : view->probing		    ? "probing"
			   : state[0] || !sample->valid	    ? ""
			   : view->replay		    ? "replay"
							    : "live";
	bool quiet = sample->valid && sample->contended && view->quiet.valid;

	return words_of("%s%s%s%s%s%s", word,
		(view->frozen || view->probing) && state[0] ? ", " : "", state,
		view->recording ? ", recording" : "", quiet ? "; quiet: " : "",
		quiet ? units_value(view->quiet.cpe).text : "");
}

/* Draws the kernel and the chosen knob. The kernel or the knob has a pointer: whichever the arrow
 * keys change. If both do not fit, the kernel's name is cut, because the knob's value changes. */
static void draw_head(struct box at, const struct view *view)
{
	const struct kernel *kernel = view->setting.kernel;
	bool focused = panels_named(view->screen.focus, "kernels");
	int x = 2 * focused, room = at.width;

	if (focused)
		canvas_glyph(at, 0, 0, STYLE_FOCUS, GLYPH_POINTER);
	else if (kernel->knob_count > 0)
		room = int_most(at.width - 1 - panels_knob_width(at, view), NAME_LEAST);
	x += canvas_put(box_part(at, 0, 0, room, 1), x, 0, focused ? STYLE_FOCUS : STYLE_TITLE,
		     kernel->own ? basename(kernel->name) : kernel->name) +
	     1;
	if (kernel->knob_count > 0)
		panels_knob(box_part(at, x, 0, at.width - x, 1), view);
}

/* Draws the value in large digits, from row y on, in at most `height` rows. Returns the number of
 * rows that the large digits use. */
static int draw_digits(struct box at, int y, int height, const struct view *view)
{
	bool hidden = view->hidden & HIDDEN_CPE, predicted = view->setting.kernel->function;
	struct units_text value = predicted ? predicted_value(view) : units_value(view->sample.cpe);
	enum style style = panels_state(view)[0] ? STYLE_WARN : STYLE_FIGURE;
	int rows;

	if (hidden)
		snprintf(value.text, sizeof(value.text), "?");
	rows = hidden || predicted || view->sample.valid ? digits_fit(value.text, at.width, height)
							 : 0;

	if (rows)
		digits_draw(at, 0, y, rows, style, value.text);
	return rows;
}

/* Returns the user's word for the panel in front, whose name in commands may be another. */
static const char *front_word(const struct view *view)
{
	const char *front = view->screen.front;

	if (view->lesson.title && !view->lesson.aside)
		return "lesson";
	return front ? front : "";
}

/* Draws the state of the measurement, or the answer that the student types if no other row has room
 * for it. On a small screen, also draws the name of the panel that a
 * larger screen would show. On a screen without a row of keys, also draws the key that quits. */
static void draw_state(struct box at, const struct view *view, bool small)
{
	enum style style = panels_state(view)[0] ? STYLE_WARN : STYLE_TEXT;
	struct words state = state_words(view);

	if (small && at.canvas->height <= LIMIT_FROM) {
		canvas_right(at, at.width, 0, STYLE_DIM, "q quits");
		at.width -= 9;
	}
	if (view->screen.guessing && at.canvas->height < NOTICE_FROM) {
		panels_fit(at, 0, STYLE_SELECTED, "%1$s\nAnswer: %2$s_\n%2$s_",
			panels_prompt(view).text, view->screen.guess);
		return;
	}
	panels_fit(at, 0, style, small ? "%1$s%4$s(panel %5$s needs %2$dx%3$d)\n%1$s" : "%1$s",
		state.text, LAYOUT_MIN_WIDTH, LAYOUT_MIN_HEIGHT, state.text[0] ? "  " : "",
		front_word(view));
}

/* Draws the row of keys that have an effect now. */
static void draw_keys(struct box at, const struct scene *scene)
{
	if (scene->keys && scene->works)
		panel_key_bar.draw(at, scene);
	else
		canvas_text(at, 0, 0, STYLE_DIM, "q quits");
}

/* Draws the message, the answer that the student types, or the key that shows the covered text of a
 * lesson, below the first row of the box. If the message does not fit below the first row, it
 * replaces the state of the measurement in the first row, too. */
static void draw_notice(struct box at, const struct view *view)
{
	bool said = view->screen.notice[0], prompts = view->screen.guessing && !said,
	     covered = view->lesson.aside && !said && !prompts;
	struct words prompt =
		prompts ? panels_prompt(view) : words_of("%s", covered ? PANELS_LESSON_KEY : "");
	const char *notice = said ? view->screen.notice : prompt.text;
	struct box below = box_part(at, 0, 1, at.width, at.height - 1);
	bool fits = canvas_rows(below, notice) <= below.height;

	if (!fits)
		canvas_fill(at, STYLE_TEXT);
	canvas_wrap(fits ? below : at, 0,
		prompts			  ? STYLE_SELECTED
		: covered		  ? STYLE_KEY
		: view->screen.notice_bad ? STYLE_BAD
					  : STYLE_TEXT,
		notice);
}

/* Draws A, the result compared with, and the ratio:
 * "A 3.000  acc=1  B/A 0.250  B is 4.00× faster". If not all of it fits, the ratio has priority,
 * then the value of A. */
static void draw_a(struct box at, const struct view *view)
{
	bool doubtful = sample_doubt(&view->a) || sample_doubt(&view->sample);
	struct words ratio = panels_ratio(view), value, named;
	size_t first = strcspn(ratio.text, "\n");
	int room, x = 0;

	if (!view->pinned) {
		panels_fit(at, 0, STYLE_A, "A    not in %s\nA    not in the other recording",
			view->a_recording);
		return;
	}
	value = words_of("A %s  ", view->hidden & HIDDEN_A ? "?" : units_cycles(view->a.cpe).text);
	named = words_of("%s%s  ", value.text, panels_a(view).text);
	room = at.width - canvas_columns(at, words_of("%.*s", (int)first, ratio.text).text);
	if (canvas_fits(at, named.text, room))
		x = canvas_put(at, 0, 0, STYLE_A, named.text);
	else if (canvas_fits(at, value.text, room))
		x = canvas_put(at, 0, 0, STYLE_A, value.text);
	panels_fit_words(
		box_part(at, x, 0, at.width - x, 1), 0, doubtful ? STYLE_WARN : STYLE_B, ratio);
}

/* Draws the rows from the setting to the state of the measurement, and on a small screen a message
 * and the keys. Large digits get the rows that the other lines leave free. */
static void draw_rows(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	bool small = !view->screen.present || at.y + at.height == at.canvas->height;
	struct words limit = panels_limit(view), setting = panels_setting(&view->setting, NULL);
	bool wide = canvas_columns(at, limit.text) <= at.width;
	int notice = small && at.height >= NOTICE_FROM ? 1 + (at.height >= 2 * NOTICE_FROM) : 0,
	    a = (view->pinned || view->a_recording) && at.height >= SETTING_FROM, y = 1,
	    end = at.height, state, rows;

	draw_head(at, view);
	/* Large digits have priority over the knobs, of which the chosen one is in the first row.
	 */
	if (at.height >= SETTING_FROM + 2 * a) {
		panels_cut(at, 1, setting.text, sizeof(setting.text));
		canvas_put(at, 0, y++, STYLE_DIM, setting.text);
	}
	/* From the last row upwards, the rows are: keys, message, state, A, limit. */
	if (small && at.height > LIMIT_FROM)
		draw_keys(box_part(at, 0, --end, at.width, 1), scene);
	end -= notice + 1;
	state = end;
	draw_state(box_part(at, 0, end, at.width, 1), view, small);
	if (notice)
		draw_notice(box_part(at, 0, end, at.width, 1 + notice), view);
	if (a)
		draw_a(box_part(at, 0, --end, at.width, 1), view);
	if (view->failure[0] && !view->setting.kernel->function) {
		canvas_wrap(box_part(at, 0, y + 1, at.width, end - y - 1), 0, STYLE_TEXT,
			view->failure);
	} else if (at.height >= LIMIT_FROM && limit.text[0]) {
		canvas_put(at, 0, --end, STYLE_TEXT,
			wide ? limit.text : panels_limit_short(view).text);
	}
	/* A screen without rows for messages shows them over the state and the limit. */
	if (small && !notice && view->screen.notice[0])
		draw_notice(box_part(at, 0, end, at.width, state - end + 1), view);
	rows = draw_digits(at, y, end - y - 1, view);
	if (view->sample.valid)
		draw_spread(at, rows ? end - 1 : y, view, rows > 0);
	else
		draw_absence(at, rows ? end - 1 : y, view, rows > 0);
}

/* ---- the panel ---- */

/* Draws the REPLAY stamp, which has priority over all other text. The stamp has its own row; on a
 * screen of one row, the stamp is at the start of the row. Returns the part of the box that the
 * REPLAY stamp leaves free. */
static struct box draw_stamp(struct box at, const struct view *view)
{
	int used;

	if (at.height > 1) {
		panels_fit(at, 0, STYLE_SELECTED, "%s\nREPLAY", panels_replay(view).text);
		return box_part(at, 0, 1, at.width, at.height - 1);
	}
	used = canvas_text(at, 0, 0, STYLE_SELECTED, "REPLAY") + 1;
	return box_part(at, used, 0, at.width - used, 1);
}

static void draw(struct box at, const struct scene *scene)
{
	canvas_region(at, "", "knob +1", "knob -1");
	if (scene->view->replay)
		at = draw_stamp(at, scene->view);
	if (at.height >= ROWS_FROM && at.width >= COLUMNS_FROM) {
		draw_rows(at, scene);
		return;
	}
	draw_short(at, scene->view);
	/* The measured value may fill the first row, so the key that quits is shown in the second
	 * row. */
	if (at.height > 1)
		panels_fit(at, 1, STYLE_TEXT, "q quits\nq");
}

const struct panel panel_line = { .name = "line", .draw = draw };
