/* The first row: the program, whether what is shown was recorded, the machine, its clock, and
 * whether anything is being measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/characterise/characterise.h"
#include "experiment/probe/probe.h"
#include "ui/panels.h"

/* Appends an item after a separator when all of it still fits before `end`. */
static int item(struct canvas *canvas, struct rectangle at, int x, int end, enum style style,
	const char *text)
{
	if (x + 3 + canvas_columns(canvas, text) > end)
		return x;
	x += canvas_text(canvas, at, x, 0, STYLE_DIM, " · ");
	return x + canvas_text(canvas, at, x, 0, style, text);
}

/* Columns kept for the state, so that nothing else moves when it changes. */
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

/* What must not be overlooked: that nothing here is measured now, or that it is written down. */
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

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
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
		item(canvas, at, x, end, STYLE_DIM, "looking at this machine");
		return;
	}
	/* The clock and what qualifies every figure come before a long name. */
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
	/* Until this setting has been measured, the clock last seen. */
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

const struct panel panel_header = { .name = "header", .draw = draw, .focus = FOCUS_COUNT };
