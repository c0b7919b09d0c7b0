/* Draws rows of text. The first row shows the program, stamps of a replay and a recording, the
 * machine, the clock, and the measurement's state. The last two rows show the last message and the
 * keys. This file also draws a screen that is too small for panels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/characterise/characterise.h"
#include "experiment/probe/probe.h"
#include "experiment/sweep/sweep_table.h"
#include "ui/panels.h"

/* Appends a separator and some words to a row of the screen, if both fit before column `end`. */
#define item(at, x, end, style, ...) put_item(at, x, end, style, words_of(__VA_ARGS__).text)
static int put_item(struct box at, int x, int end, enum style style, const char *text)
{
	if (x + 3 + canvas_columns(at, text) > end)
		return x;
	x += canvas_text(at, x, 0, STYLE_DIM, " · ");
	return x + canvas_put(at, x, 0, style, text);
}

/* Columns reserved for the state of the measurement, so that no other item moves when the state
 * changes. */
enum { STATE = 16 };

static int draw_state(struct box at, const struct view *view)
{
	const char *doubt = view->sample.valid && !view->sample.provisional
				    ? sample_doubt(&view->sample)
				    : NULL;
	bool full = view->cells_settled >= view->cells_wanted;
	struct words state = words_of(view->replay ? "replay" : "live");

	if (view->frozen)
		state = words_of("frozen");
	else if (view->failure[0])
		state = words_of("stopped");
	else if (view->characterising)
		state = words_of("core %.0f %%", floor(100 * view->characterising->done));
	else if (view->sweeping)
		state = words_of("sweep %.0f %%", floor(100 * view->sweep->done));
	else if (view->probing && view->probe)
		state = words_of("probing %.0f %%", floor(100 * view->probe->done));
	else if (!view->sample.valid)
		state = words_of("measuring");
	else if (doubt && full)
		state = words_of("%s", doubt);
	else if (!full)
		state = words_of("%s %u/%u", doubt ? doubt : "slices", view->cells_settled,
			view->cells_wanted);
	at.width--;
	canvas_put_right(
		at, at.width, 0, view->frozen || doubt ? STYLE_WARN : STYLE_GOOD, state.text);
	return at.width - int_most(canvas_columns(at, state.text), STATE);
}

/* Draws the stamps of a replay and of a recording that is being written. */
static int draw_stamps(struct box at, int x, int end, const struct view *view)
{
	struct box stamp = box_part(at, x + 1, 0, int_most((end - x) / 2, 10), 1);

	if (view->replay)
		x += 1 + canvas_put(stamp, 0, 0, STYLE_SELECTED, panels_replay(view).text);
	return view->recording ? item(at, x, end, STYLE_BAD, "● recording") : x;
}

static void draw_header(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct machine *machine = view->machine;
	int end = draw_state(at, view) - 2;
	struct box left = box_part(at, 0, 0, end, 1);
	bool now = view->sample.valid && isfinite(view->sample.ghz);
	struct words name;
	int x = 1, used;

	x += canvas_text(at, x, 0, STYLE_TITLE, "slexplore");
	x = draw_stamps(at, x, end, view);
	if (!machine || !machine->known) {
		item(at, x, end, STYLE_DIM, "detecting this machine");
		return;
	}
	/* The clock frequency and the words after it have priority over a long machine name. */
	used = 9 + 11 + (machine->bound ? 0 : 12) + (machine->virtualised ? 14 : 0);
	name = words_of("%s", machine->name);
	if (x + 3 + canvas_columns(at, name.text) > end - used)
		name.text[strcspn(name.text, ",")] = '\0';
	left.width = end - used + 14 > x + 12 ? end - used + 14 : end;
	x += canvas_text(left, x, 0, STYLE_DIM, " · ");
	x += canvas_put(left, x, 0, STYLE_TEXT, name.text);
	if (machine->cpu >= 0)
		x = item(at, x, end, STYLE_TEXT, "cpu %d", machine->cpu);
	if (!machine->bound)
		x = item(at, x, end, STYLE_WARN, "not bound");
	/* Until the present setting is measured, show the last known clock frequency. */
	if (now || isfinite(view->last_ghz))
		x = item(at, x, end, now ? STYLE_TEXT : STYLE_DIM, "%.2f GHz",
			now ? view->sample.ghz : view->last_ghz);
	else
		x = item(at, x, end, STYLE_DIM, "-.-- GHz");
	if (machine->virtualised)
		x = item(at, x, end, STYLE_TEXT, "virtualised");
	if ((view->sample.valid ? view->sample.cycles_from : view->last_source) == SOURCE_REFERENCE)
		item(at, x, end, STYLE_DIM, "clock: %s", machine->clock_name);
}

const struct panel panel_header = { .name = "header", .draw = draw_header };

/* ---- the last message ---- */

/* The notice row shows the last message. If there is no message, the row shows the progress of a
 * characterisation, refused features of this machine, or the first key to press. A replay does not
 * show the features that the recorded machine refused. */

static struct words refusals(const struct machine *machine)
{
	const char *bound = machine->bound ? "" : machine->bind_note,
		   *huge = machine->huge_pages ? "" : machine->huge_note;

	return words_of("%s%s%s", bound, *bound && *huge ? "; " : "", huge);
}

/* Draws a message in the notice row. A long message also uses the row above, unless an overlay ends
 * in that row. */
static void draw_notice(
	struct box at, const struct view *view, enum style style, const char *notice)
{
	struct box words = box_part(at, 1, -1, at.width - 2, 2);

	if (canvas_fits(at, notice, words.width) || view->screen.overlay != OVERLAY_NONE) {
		canvas_put(at, 1, 0, style, notice);
		return;
	}
	canvas_fill(box_part(at, 0, -1, at.width, 2), STYLE_TEXT);
	canvas_wrap(words, 0, style, notice);
}

static void draw_message(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct characterise_report *core = view->characterising;
	struct words words = { "" };

	if (view->screen.notice[0]) {
		draw_notice(at, view, view->screen.notice_bad ? STYLE_BAD : STYLE_TEXT,
			view->screen.notice);
	} else if (core) {
		words = words_of("characterising this core, %.0f %%%s%s; Esc ends it",
			floor(100 * core->done), core->doing[0] ? ": " : "", core->doing);
		draw_notice(at, view, STYLE_TEXT, words.text);
	} else if (view->machine && view->machine->known) {
		if (!view->replay)
			words = refusals(view->machine);
		canvas_put(at, 1, 0, STYLE_DIM,
			words.text[0] || !view->hint ? words.text : view->hint);
	}
}

const struct panel panel_notice = { .name = "notice", .draw = draw_message };

/* ---- the keys ---- */

/* The key bar shows the keys that have a word in data/keys and work now. */

/* Returns the word that the key bar shows for a key. In "freeze/go on", the second word applies
 * while the screen is frozen. */
static struct words word_of(const struct key_row *row, bool frozen)
{
	const char *slash = strchr(row->word, '/');
	const char *word = slash && frozen ? slash + 1 : row->word;

	return words_of("%.*s", (int)strcspn(word, "/"), word);
}

/* Draws the keys and words that fit without being cut, and returns the next free column. If
 * `only_measure` is true, draws nothing, and returns the column after all words. */
static int draw_words(struct box at, const struct scene *scene, bool only_measure)
{
	enum context context = keys_context(&scene->view->screen);
	int x = 1;

	for (int i = 0; i < scene->keys->count; i++) {
		const struct key_row *row = &scene->keys->row[i];
		struct words word;
		int key, columns;

		/* Most lines of data/keys are for another state of the screen (an open overlay, for
		 * example), or their command would do nothing. */
		if (row->context != context || !scene->works[i] || !row->word[0])
			continue;
		word = word_of(row, scene->view->frozen);
		key = canvas_columns(at, row->key) + 1;
		columns = key + canvas_columns(at, word.text);
		if (!only_measure && x + columns > at.width)
			return x;
		if (!only_measure) {
			canvas_put(at, x, 0, STYLE_KEY, row->key);
			canvas_put(at, x + key, 0, STYLE_TEXT, word.text);
			canvas_clicked(box_part(at, x, 0, columns, 1), "%s", row->command);
		}
		x += columns + 2;
	}
	return x;
}

static void draw_keys(struct box at, const struct scene *scene)
{
	/* If not all keys and words fit, the end of the key bar shows "…", and "?" if the key ?
	 * opens the help. */
	const char *more = keys_context(&scene->view->screen) == CONTEXT_MAIN ? "?…" : "…";
	struct box words = at;
	bool all = draw_words(at, scene, true) - 2 <= at.width;
	int x;

	if (!all)
		words.width -= canvas_columns(at, more) + 2;
	x = draw_words(words, scene, false);
	if (!all)
		canvas_put(at, x, 0, STYLE_KEY, more);
}

const struct panel panel_key_bar = { .name = "keys", .draw = draw_keys };

/* ---- a screen too small for panels ---- */

/* A small screen with enough rows shows the setting, the value, the state and the key that quits. A
 * screen of one row shows the value, and the key that quits if it fits. */

/* A screen with fewer columns than ROWS_FROM shows the value only in its first row. */
enum { ROWS_FROM = 20 };

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

	panels_fit(at, 0, STYLE_FIGURE,
		"%1$s  q quits  (panels from %2$dx%3$d)\n%1$s  q quits\n%4$s  q quits\n%5$s%6$s  "
		"q\n%5$s\n%7$.2f\n%7$.1f\n%7$.0f",
		named.text, LAYOUT_MIN_WIDTH, LAYOUT_MIN_HEIGHT, value.text, cpe.text,
		state[0] ? "?" : "", sample->cpe);
}

/* Draws one row with the value, or with the reason why there is no value. */
static void draw_short(struct box at, const struct view *view)
{
	struct ahead ahead = panels_ahead(view);

	if (view->sample.valid)
		draw_value(at, view);
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
			view->characterising ? "this core"
			: view->sweeping     ? "sweep"
			: view->probing	     ? "probing"
					     : "measuring");
}

/* Draws a row with the value, and with its spread and source if they fit. */
static void draw_value_row(struct box at, int y, const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *source = panels_source(sample->cycles_from);
	enum style style = panels_state(view)[0] ? STYLE_WARN : STYLE_FIGURE;
	struct units_text cpe = units_value(sample->cpe), low = units_value(sample->cpe_lo),
			  high = units_value(sample->cpe_hi);

	panels_fit(at, y, style,
		sample->trials < PANELS_QUARTILES_FROM
			? "CPE %1$s  %2$s\nCPE %1$s  %2$.1s\n%1$s"
			: "CPE %1$s  quartiles %3$s … %4$s  %2$s\n"
			  "CPE %1$s  %3$s … %4$s  %2$.1s\nCPE %1$s  %2$.1s\n%1$s",
		cpe.text, source, low.text, high.text);
}

/* Returns the state of the measurement in words: "contended, recording; quiet: 0.498", "frozen",
 * "live". */
static struct words state_words(const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *state = panels_state(view);
	const char *word = view->frozen			? "frozen"
			   : view->failure[0]		? "stopped"
			   : view->characterising	? "this core"
			   : view->sweeping		? "sweep"
			   : view->probing		? "probing"
			   : state[0] || !sample->valid ? ""
			   : view->replay		? "replay"
							: "live";
	bool quiet = sample->valid && sample->contended && view->quiet.valid;

	return words_of("%s%s%s%s%s%s", word,
		(view->frozen || view->probing) && state[0] ? ", " : "", state,
		view->recording ? ", recording" : "", quiet ? "; quiet: " : "",
		quiet ? units_value(view->quiet.cpe).text : "");
}

/* Draws several rows: the setting, the value, the state, the last message and the key that quits.
 * If the screen has only two rows, the state is next to the value. */
static void draw_rows(struct box at, const struct view *view)
{
	struct words words = panels_setting(&view->setting, NULL), state = state_words(view);
	struct ahead ahead = panels_ahead(view);
	int last = at.height - 1;

	if (view->screen.entry[0])
		words = words_of("%s %s=%s_", view->setting.kernel->name,
			view->setting.kernel->knobs[view->knob].name, view->screen.entry);
	panels_cut(at, 1, words.text, sizeof(words.text));
	canvas_put(at, 0, 0, view->screen.entry[0] ? STYLE_FIGURE : STYLE_TITLE, words.text);
	if (at.height == 2) {
		draw_short(box_part(at, 0, 1, at.width, 1), view);
		return;
	}
	if (view->sample.valid)
		draw_value_row(at, 1, view);
	else if (ahead.text[0])
		canvas_put(at, 0, 1, STYLE_DIM, ahead.text);
	else
		canvas_text(at, 0, 1, view->failure[0] ? STYLE_BAD : STYLE_DIM,
			view->failure[0]       ? "not measured"
			: view->frozen	       ? "frozen before the first sample"
			: view->characterising ? "measured after the core"
			: view->sweeping       ? "measured after the sweep"
			: view->probing	       ? "measured after the probe"
					       : "measuring…");
	if (at.height == 3) {
		struct box room = box_part(at, 0, 0, at.width - 9, at.height);

		panels_cut(room, 1, state.text, sizeof(state.text));
		canvas_put(room, 0, 2, STYLE_TEXT, state.text);
		canvas_right(at, at.width, 2, STYLE_DIM, "q quits");
		return;
	}
	panels_fit(at, last, STYLE_DIM, "q quits  (panels from %dx%d)\nq quits", LAYOUT_MIN_WIDTH,
		LAYOUT_MIN_HEIGHT);
	at.height = last;
	if (view->failure[0]) {
		canvas_wrap(at, 2, STYLE_TEXT, view->failure);
		return;
	}
	canvas_put(at, 0, 2, panels_state(view)[0] ? STYLE_WARN : STYLE_TEXT, state.text);
	canvas_wrap(at, 3, view->screen.notice_bad ? STYLE_BAD : STYLE_TEXT, view->screen.notice);
}

/* Draws the REPLAY stamp, which has priority over all other text. The stamp has its own row; on a
 * screen of one row, the stamp is at the start of the row. Returns the part of the box that the
 * stamp leaves free. */
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

static void draw_line(struct box at, const struct scene *scene)
{
	if (scene->view->replay)
		at = draw_stamp(at, scene->view);
	if (at.height > 1 && at.width >= ROWS_FROM) {
		draw_rows(at, scene->view);
		return;
	}
	draw_short(at, scene->view);
	/* The value may fill the first row, so the key that quits is in the second row. */
	if (at.height > 1)
		panels_fit(at, 1, STYLE_TEXT, "q quits\nq");
}

const struct panel panel_line = { .name = "line", .draw = draw_line };
