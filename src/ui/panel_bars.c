/* The first row: program, REPLAY and recording stamps, machine, clock, and the state of the
 * measurement. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/characterise/characterise.h"
#include "experiment/probe/probe.h"
#include "ui/panels.h"

/* Appends an item and a separator before it, if both fit before `end`. */
static int item(struct canvas *canvas, struct rectangle at, int x, int end, enum style style,
	const char *text)
{
	if (x + 3 + canvas_columns(canvas, text) > end)
		return x;
	x += canvas_text(canvas, at, x, 0, STYLE_DIM, " · ");
	return x + canvas_text(canvas, at, x, 0, style, text);
}

/* Columns reserved for the state, so that no other item moves when it changes. */
enum { STATE = 16 };

static int draw_state(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	const char *doubt = view->sample.valid && !view->sample.provisional
				    ? sample_doubt(&view->sample)
				    : NULL;
	bool full = view->cells_settled >= view->cells_wanted;
	enum style style = view->frozen || doubt ? STYLE_WARN : STYLE_GOOD;
	char state[48];

	snprintf(state, sizeof(state), "%s", view->replay ? "replay" : "live");
	if (view->frozen)
		snprintf(state, sizeof(state), "frozen");
	else if (view->failure[0])
		snprintf(state, sizeof(state), "stopped");
	else if (view->characterising)
		snprintf(state, sizeof(state), "core %.0f %%",
			floor(100 * view->characterising->done));
	else if (view->probing && view->probe)
		snprintf(state, sizeof(state), "probing %.0f %%", floor(100 * view->probe->done));
	else if (!view->sample.valid)
		snprintf(state, sizeof(state), "measuring");
	else if (doubt && full)
		snprintf(state, sizeof(state), "%s", doubt);
	else if (!full)
		snprintf(state, sizeof(state), "%s %u/%u", doubt ? doubt : "slices",
			view->cells_settled, view->cells_wanted);
	at.width--;
	canvas_text_right(canvas, at, at.width, 0, style, state);
	return at.width -
	       (canvas_columns(canvas, state) > STATE ? canvas_columns(canvas, state) : STATE);
}

/* Stamps: this is a replay, or a recording is being written. */
static int draw_stamps(
	struct canvas *canvas, struct rectangle at, int x, int end, const struct view *view)
{
	struct rectangle stamp = { at.x + x + 1, at.y, (end - x) / 2 > 10 ? (end - x) / 2 : 10, 1 };
	char words[160];

	if (view->replay) {
		panels_replay(view, words, sizeof(words));
		x += 1 + canvas_text(canvas, stamp, 0, 0, STYLE_SELECTED, words);
	}
	return view->recording ? item(canvas, at, x, end, STYLE_BAD, "● recording") : x;
}

static void draw_header(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct machine *machine = view->machine;
	int end = draw_state(canvas, at, view) - 2;
	struct rectangle left = { at.x, at.y, end, 1 };
	char text[128], ghz[32];
	int x = 1, used;
	bool now;

	x += canvas_text(canvas, at, x, 0, STYLE_TITLE, "slexplore");
	x = draw_stamps(canvas, at, x, end, view);
	if (!machine || !machine->known) {
		item(canvas, at, x, end, STYLE_DIM, "detecting this machine");
		return;
	}
	/* The clock and its qualifiers have priority over a long machine name. */
	used = 9 + 11 + (machine->bound ? 0 : 12) + (machine->virtualised ? 14 : 0);
	snprintf(text, sizeof(text), "%s", machine->name);
	if (x + 3 + canvas_columns(canvas, text) > end - used)
		text[strcspn(text, ",")] = '\0';
	left.width = end - used + 14 > x + 12 ? end - used + 14 : end;
	x += canvas_text(canvas, left, x, 0, STYLE_DIM, " · ");
	x += canvas_text(canvas, left, x, 0, STYLE_TEXT, text);
	if (machine->cpu >= 0) {
		snprintf(text, sizeof(text), "cpu %d", machine->cpu);
		x = item(canvas, at, x, end, STYLE_TEXT, text);
	}
	if (!machine->bound)
		x = item(canvas, at, x, end, STYLE_WARN, "not bound");
	/* Until this setting is measured, show the last known clock. */
	now = view->sample.valid && isfinite(view->sample.ghz);
	snprintf(ghz, sizeof(ghz), "-.-- GHz");
	if (now || isfinite(view->last_ghz))
		snprintf(ghz, sizeof(ghz), "%.2f GHz", now ? view->sample.ghz : view->last_ghz);
	x = item(canvas, at, x, end, now ? STYLE_TEXT : STYLE_DIM, ghz);
	if (machine->virtualised)
		x = item(canvas, at, x, end, STYLE_TEXT, "virtualised");
	if ((view->sample.valid ? view->sample.cycles_from : view->last_source) ==
		SOURCE_REFERENCE) {
		snprintf(text, sizeof(text), "clock: %s", machine->clock_name);
		item(canvas, at, x, end, STYLE_DIM, text);
	}
}

const struct panel panel_header = { .name = "header", .draw = draw_header };

/* ---- the last message ---- */

/* The last message; without one, the progress of a characterisation, what this machine refused, or
 * the first key to press. A replay does not show what the recording machine refused. */

static void refusals(const struct machine *machine, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	if (!machine->bound)
		used = (size_t)snprintf(buffer, size, "%s", machine->bind_note);
	if (!machine->huge_pages && used < size)
		snprintf(buffer + used, size - used, "%s%s", used ? "; " : "", machine->huge_note);
}

/* A message that is too long also uses the row above, unless an overlay ends there. */
static void draw_notice(struct canvas *canvas, struct rectangle at, const struct view *view,
	enum style style, const char *notice)
{
	struct rectangle words = { at.x + 1, at.y - 1, at.width - 2, 2 };

	if (canvas_columns(canvas, notice) <= words.width || view->overlay != OVERLAY_NONE) {
		canvas_text(canvas, at, 1, 0, style, notice);
		return;
	}
	canvas_fill(canvas, (struct rectangle){ at.x, at.y - 1, at.width, 2 }, STYLE_TEXT);
	canvas_wrap(canvas, words, 0, style, notice);
}

static void draw_message(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	char refused[320], doing[200];

	if (view->notice[0]) {
		draw_notice(
			canvas, at, view, view->notice_bad ? STYLE_BAD : STYLE_TEXT, view->notice);
	} else if (view->characterising) {
		snprintf(doing, sizeof(doing), "characterising this core, %.0f %%%s%s; Esc ends it",
			floor(100 * view->characterising->done),
			view->characterising->doing[0] ? ": " : "", view->characterising->doing);
		draw_notice(canvas, at, view, STYLE_TEXT, doing);
	} else if (view->machine && view->machine->known) {
		refused[0] = '\0';
		if (!view->replay)
			refusals(view->machine, refused, sizeof(refused));
		canvas_text(canvas, at, 1, 0, STYLE_DIM,
			refused[0] || !view->hint ? refused : view->hint);
	}
}

const struct panel panel_notice = { .name = "notice", .draw = draw_message };

/* ---- the keys ---- */

/* The keys that work now, from the rows of data/keys that have a word. */

/* The present word of a row; "" if it has none here or its command would do nothing. */
static void word_of(const struct scene *scene, int index, char *word, size_t size)
{
	const struct key_row *row = &scene->keys->row[index];
	const char *slash = strchr(row->word, '/');

	word[0] = '\0';
	if (row->context != keys_context(scene->view) || !scene->works[index])
		return;
	/* "freeze/go on": the second word applies while frozen. */
	if (slash && scene->view->frozen)
		snprintf(word, size, "%s", slash + 1);
	else
		snprintf(word, size, "%.*s", (int)strcspn(row->word, "/"), row->word);
}

/* Draws the words that fit whole and returns the next column. only_measure: draws nothing and
 * measures all words. */
static int draw_words(
	struct canvas *canvas, struct rectangle at, const struct scene *scene, bool only_measure)
{
	int x = 1;

	for (int i = 0; i < scene->keys->count; i++) {
		const struct key_row *row = &scene->keys->row[i];
		char word[sizeof(row->word)];
		int columns;

		word_of(scene, i, word, sizeof(word));
		if (!word[0])
			continue;
		columns = canvas_columns(canvas, row->key) + 1 + canvas_columns(canvas, word);
		if (!only_measure) {
			if (x + columns > at.width)
				return x;
			canvas_text(canvas, at, x, 0, STYLE_KEY, row->key);
			canvas_text(canvas, at, x + canvas_columns(canvas, row->key) + 1, 0,
				STYLE_TEXT, word);
		}
		x += columns + 2;
	}
	return x;
}

static void draw_keys(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	/* If not all words fit, the end of the row shows how to see the others. */
	const char *more = keys_context(scene->view) == CONTEXT_MAIN ? "?…" : "…";
	struct rectangle words = at;
	int x;

	if (draw_words(canvas, at, scene, true) - 2 <= at.width) {
		draw_words(canvas, at, scene, false);
		return;
	}
	words.width -= canvas_columns(canvas, more) + 2;
	x = draw_words(canvas, words, scene, false);
	canvas_text(canvas, at, x, 0, STYLE_KEY, more);
}

const struct panel panel_key_bar = { .name = "keys", .draw = draw_keys };
