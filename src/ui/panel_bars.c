/* Draws rows of text. The first row shows the program, stamps of a replay and a recording, the
 * machine, the clock, and the measurement's state. The last two rows show the last message and the
 * keys. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/characterise/characterise.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/setting.h"
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

struct words panels_progress(const struct view *view)
{
	return view->characterising
		       ? words_of("characterising %.0f %%", floor(100 * view->characterising->done))
	       : view->sweeping ? words_of("sweep %.0f %%", floor(100 * view->sweep->done))
	       : view->probing && view->probe
		       ? words_of("probing %.0f %%", floor(100 * view->probe->done))
		       : words_of("%s", "");
}

static int draw_state(struct box at, const struct view *view)
{
	const char *doubt = view->sample.valid && !view->sample.provisional
				    ? sample_doubt(&view->sample)
				    : NULL;
	bool full = view->cells_settled >= view->cells_wanted;
	struct words state = words_of(view->replay ? "replay" : "live"),
		     progress = panels_progress(view);

	if (view->frozen)
		state = words_of("frozen");
	else if (view->setting.kernel->function)
		state = words_of("predicted");
	else if (view->failure[0])
		state = words_of("stopped");
	else if (progress.text[0])
		state = progress;
	else if (view->hidden && view->measured)
		state = words_of("question");
	else if (!view->sample.valid)
		state = words_of("measuring");
	else if (doubt)
		state = words_of("%s", doubt);
	else if (!full)
		state = words_of("curves %u %%", 100 * view->cells_settled / view->cells_wanted);
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
 * characterisation, a remark that the panel of knobs has no room for, refused features of this
 * machine, or the first key to press. A replay does not show the features that the recorded machine
 * refused. */

static struct words refusals(const struct machine *machine)
{
	const char *bound = machine->bound ? "" : machine->bind_note,
		   *huge = machine->huge_pages ? "" : machine->huge_note;

	return words_of("%s%s%s", bound, *bound && *huge ? "; " : "", huge);
}

/* Draws a message in the notice row. A long message also uses the row above, unless an overlay ends
 * in that row. If it is still too long, it ends after a clause. */
static void draw_notice(
	struct box at, const struct view *view, enum style style, const char *notice)
{
	int rows = view->screen.overlay == OVERLAY_NONE ? 2 : 1;
	struct box box = box_part(at, 1, 1 - rows, at.width - 2, rows);
	struct words words = words_of("%s", notice);

	if (canvas_fits(at, notice, box.width)) {
		canvas_put(at, 1, 0, style, notice);
		return;
	}
	panels_cut_clauses(box, rows, words.text, sizeof(words.text));
	canvas_fill(box_part(at, 0, 1 - rows, at.width, rows), STYLE_TEXT);
	canvas_wrap(box, 0, style, words.text);
}

/* Returns whether the panel of knobs cannot show the kernel's whole remark on the setting, or is
 * not on screen. */
static bool remark_cut(struct box at, const struct scene *scene)
{
	const struct box *knobs = scene->layout ? layout_find(scene->layout, "knobs") : NULL;

	if (!knobs)
		return scene->view->remark != NULL;
	return panels_remark_cut(box_part(canvas_box(at.canvas), knobs->x, knobs->y + 1,
					 knobs->width, knobs->height - 1),
		scene->view);
}

/* Returns the keys that most users want first, until they have turned a knob: the caches of the
 * machine, a lesson, and the first keys for the chosen kernel. The key bar below has the search and
 * the help. */
static struct words first_keys(const struct view *view)
{
	const char *probe = view->replay || view->probe ? "" : "P caches  ";

	/* The hint names arrow keys for the knobs. */
	if (!view->hint || !panels_named(view->screen.focus, "knobs"))
		return words_of("%sL lessons", probe);
	return words_of("%sL lessons  %s\n%s", probe, view->hint, view->hint);
}

/* Whether the panel of the measured value shows the whole reason why there is no value. */
static bool failure_fits(struct box at, const struct scene *scene)
{
	const struct box *figure = scene->layout ? layout_find(scene->layout, "figure") : NULL;

	return figure && canvas_rows(box_part(canvas_box(at.canvas), figure->x, figure->y + 1,
					     figure->width, figure->height - 1),
				 words_of("not measured: %s", scene->view->failure).text) <
				 figure->height - 1;
}

static void draw_message(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct characterise_report *core = view->characterising;
	struct words words = { "" };

	if (view->screen.notice_bad && view->screen.overlay == OVERLAY_FIND) {
		return; /* below the list of results */
	} else if (view->failure[0] && strcmp(view->screen.notice, view->failure) == 0 &&
		   view->screen.overlay == OVERLAY_NONE && failure_fits(at, scene)) {
		return; /* in the panel of the measured value */
	} else if (view->screen.notice[0]) {
		draw_notice(at, view, view->screen.notice_bad ? STYLE_BAD : STYLE_TEXT,
			view->screen.notice);
	} else if (core) {
		words = words_of("characterising this core, %.0f %%%s%s; Esc ends it",
			floor(100 * core->done), core->doing[0] ? ": " : "", core->doing);
		draw_notice(at, view, STYLE_TEXT, words.text);
	} else if (view->screen.overlay == OVERLAY_PAGE) {
		return;
	} else if (view->lesson.aside) {
		panels_fit(box_part(at, 1, 0, at.width - 2, 1), 0, STYLE_KEY,
			"lesson, step %1$d of %2$d: L shows its text again\n" PANELS_LESSON_KEY,
			view->lesson.step + 1, view->lesson.steps);
		return;
	} else if (remark_cut(at, scene)) {
		words = words_of("%s", view->remark);
		panels_cut_clauses(
			box_part(at, 1, 0, at.width - 2, 1), 1, words.text, sizeof(words.text));
		canvas_put(at, 1, 0, STYLE_WARN, words.text);
	} else if (view->machine && view->machine->known && !view->lesson.title) {
		if (!view->replay)
			words = refusals(view->machine);
		if (words.text[0])
			canvas_put(at, 1, 0, STYLE_DIM, words.text);
		else if (view->hint || !view->turned)
			panels_fit_words(box_part(at, 1, 0, at.width - 2, 1), 0, STYLE_DIM,
				first_keys(view));
	}
}

const struct panel panel_notice = { .name = "notice", .draw = draw_message };

/* ---- the keys ---- */

/* The key bar, the last row, shows the keys that have a word in data/keys and whose commands would
 * now have an effect. */

/* Returns the index of the word that applies to a key now. The key Enter has four words: for the
 * open question of a lesson, for a step without an open question, for the last step, and for no
 * lesson. The key - has a third word for a knob of compiler flags. Another key has a second word
 * for a frozen screen. */
static int word_index(const struct key_row *row, const struct view *view)
{
	const struct kernel *kernel = view->setting.kernel;

	if (strcmp(row->command, "digit -") == 0 && kernel->knob_count > 0 &&
		setting_takes_flags(&kernel->knobs[view->knob]))
		return 2;
	if (strcmp(row->command, "enter") != 0)
		return view->frozen;
	if (!view->lesson.title)
		return 3;
	return view->lesson.asks ? 0 : 1 + (view->lesson.step + 1 == view->lesson.steps);
}

struct words panels_key_word(const struct key_row *row, const struct view *view)
{
	const char *word = row->word;

	for (int i = word_index(row, view); i > 0 && strchr(word, '/'); i--)
		word = strchr(word, '/') + 1;
	return words_of("%.*s", (int)strcspn(word, "/"), word);
}

/* Draws the keys and words that fit without being cut, and returns the next free column. If
 * `only_measure` is true, only computes the column after the last word, and draws nothing. */
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
		word = panels_key_word(row, scene->view);
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

/* Draws the last key that the user pressed, and its meaning. Returns the next free column. */
static int draw_pressed(struct box at, const struct pressed *pressed)
{
	int x = 2 + canvas_text(at, 1, 0, STYLE_SELECTED, " %s ", pressed->key);
	char note[sizeof(pressed->note)];

	memcpy(note, pressed->note, sizeof(note));
	panels_cut_clauses(box_part(at, x, 0, at.width - x, 1), 1, note, sizeof(note));
	return x + canvas_put(at, x, 0, STYLE_TITLE, note);
}

static void draw_keys(struct box at, const struct scene *scene)
{
	/* If not all keys and words fit, the end of the key bar shows "…", and "?" if the key ?
	 * opens the help. */
	const char *more = keys_context(&scene->view->screen) == CONTEXT_MAIN ? "?…" : "…";
	struct box words;
	bool all;
	int x;

	/* In presenter mode, the last key pressed is more important to the audience than the list
	 * of keys that work. */
	if (scene->view->screen.present && scene->pressed && scene->pressed->key[0]) {
		x = draw_pressed(at, scene->pressed) + 2;
		at = box_part(at, x, 0, at.width - x, 1);
	}
	words = at;
	all = draw_words(at, scene, true) - 2 <= at.width;

	if (!all)
		words.width -= canvas_columns(at, more) + 2;
	x = draw_words(words, scene, false);
	if (!all)
		canvas_put(at, x, 0, STYLE_KEY, more);
}

const struct panel panel_key_bar = { .name = "keys", .draw = draw_keys };
