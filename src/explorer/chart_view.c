/* Makes a chart of the panel in front: a slice, the mountain, the limits, the probe, a named sweep
 * or the windows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "explorer/actions.h"
#include "explorer/fronts.h"
#include "picture/chart_diagrams.h"
#include "picture/chart_knobs.h"
#include "picture/chart_reports.h"
#include "picture/chart_sweep.h"
#include "picture/picture.h"
#include "recording/replay.h"

/* ---- slices ---- */

/* Whether at least one point of the slice, a curve over one knob, is measured. If `bytes` is true,
 * only points of the slice whose sample has a number of bytes per cycle count as measured. */
static bool any_measured(const struct view_slice *slice, bool bytes)
{
	for (int i = 0; i < slice->count; i++)
		if (slice->point[i].valid &&
			(!bytes || isfinite(slice->point[i].sample.bytes_per_cycle)))
			return true;
	return false;
}

/* Returns the slice (curve) along the chosen knob if there is one, else the slice along the knob
 * `size`, else any slice. Returns NULL if there is no slice, which is a curve over one knob. */
static const struct view_slice *slice_of(const struct view *view)
{
	if (view->by_stride.knob >= 0 &&
		(view->knob == view->by_stride.knob || view->by_size.knob < 0))
		return &view->by_stride;
	return view->by_size.knob >= 0 ? &view->by_size : NULL;
}

/* Marks the present setting on the chart and writes its value next to the mark. */
static void call_here(struct chart *chart, const struct view *view, const struct view_slice *slice,
	enum sweeps_figure figure, bool steps)
{
	double value = sweeps_value(figure, &view->sample, &view->facts, NULL, NULL);
	char text[CHART_NAME];

	if (!isfinite(value) || (steps && slice->here < 0))
		return;
	chart_print(text, "here: %s", scale_figure(value).text);
	chart_add_call(
		chart, -1, steps ? slice->here : (double)view->setting.v[slice->knob], value, text);
}

static struct chart *make_slice(
	const struct view *view, const struct view_slice *slice, const struct chart_origin *origin)
{
	const struct kernel *kernel = view->setting.kernel;
	const struct knob *knob = &kernel->knobs[slice->knob];
	/* If the kernel moves bytes, the chart shows bytes per cycle, like the screen. */
	enum sweeps_figure figure = any_measured(slice, true) && !kernel->plot_cpe
					    ? SWEEPS_BYTES_PER_CYCLE
					    : SWEEPS_CPE;
	struct chart *chart = chart_new(CHART_LINES);
	struct chart_series *series = chart_add_series(chart, "");
	struct sample samples[VIEW_SLICE] = { 0 };
	struct chart_source source = { 0 };
	double values[VIEW_SLICE], least = INFINITY, most = -INFINITY;
	int64_t steps[VIEW_SLICE];
	enum scale_kind kind;

	for (int i = 0; i < slice->count; i++) {
		steps[i] = slice->point[i].value;
		values[i] = (double)slice->point[i].value;
		if (slice->point[i].valid)
			samples[i] = slice->point[i].sample;
	}
	kind = knob->kind == KNOB_CHOICE		   ? SCALE_STEPS
	       : knob->kind == KNOB_BYTES && values[0] > 0 ? SCALE_BYTES
							   : scale_choose(values, slice->count);
	if (kind == SCALE_STEPS)
		knob_steps(&chart->x, knob, steps, slice->count);
	chart->joined = kind != SCALE_STEPS;
	for (int i = 0; i < slice->count; i++) {
		struct chart_point point = figure_point(
			figure, &samples[i], NULL, NULL, NULL, kind == SCALE_STEPS ? i : values[i]);

		chart_add_point(series, &point);
		chart_note(&source, &samples[i]);
		if (isfinite(point.y)) {
			least = fmin(least, point.y);
			most = fmax(most, point.y);
		}
	}
	chart_fit(chart, kind, figure_scale(figure, kernel, least, most));
	chart->x.scale.whole = kind == SCALE_LINEAR;
	knob_title(knob, &chart->x);
	figure_title(&(struct named_sweep){ .kernel = kernel, .base = -1 }, figure, &chart->y);
	knob_heading(chart, &view->setting, 1u << slice->knob);
	if (knob->axis == AXIS_SIZE) {
		mark_caches(chart, &view->caches);
		mark_plateaus(chart, figure, samples);
	} else {
		call_here(chart, view, slice, figure, kind == SCALE_STEPS);
	}
	chart_cite(chart, origin, &source);
	return chart;
}

static struct chart *view_slice(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	const struct view_slice *slice = slice_of(view);

	if (!slice)
		*why = status_usage("there is no picture of %s: it has no knob for the x axis",
			view->setting.kernel->name);
	return slice && any_measured(slice, false) ? make_slice(view, slice, origin) : NULL;
}

/* ---- the mountain ---- */

static struct chart *view_mountain(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	const struct view_grid *grid = &view->grid;
	const struct kernel *kernel = view->setting.kernel;
	struct chart_source source = { .source = view->last_source };
	double least = INFINITY, most = -INFINITY;
	struct chart *chart;

	if (!grid->present)
		*why = status_usage(
			"%s has no mountain: it needs the knobs size and stride", kernel->name);
	if (!grid->present || !(grid->top > 0))
		return NULL;
	chart = chart_new(grid->relief && grid->nx > 1 && grid->ny > 1 ? CHART_RELIEF : CHART_HEAT);
	knob_steps(&chart->x, &kernel->knobs[grid->stride_knob], grid->x, grid->nx);
	knob_steps(&chart->y, &kernel->knobs[grid->size_knob], grid->y, grid->ny);
	chart_make_grid(chart);
	for (int y = 0; y < grid->ny; y++) {
		for (int x = 0; x < grid->nx; x++) {
			double value = (double)grid->gbps[y][x];

			chart->grid[y * grid->nx + x] = value;
			chart->doubtful[y * grid->nx + x] =
				grid->contended[y][x] || grid->unsettled[y][x];
			least = isfinite(value) ? fmin(least, value) : least;
			most = isfinite(value) ? fmax(most, value) : most;
		}
	}
	figure_title(&(struct named_sweep){ .kernel = kernel, .base = -1 }, SWEEPS_GBPS, &chart->z);
	chart_grid_scale(chart, least, most);
	knob_heading(chart, &view->setting, 1u << grid->stride_knob | 1u << grid->size_knob);
	mark_grid_caches(chart, &view->caches, grid->y, grid->ny);
	mark_grid_line(chart, grid->line, &view->setting, grid->stride_knob, grid->x, grid->nx);
	chart_cite(chart, origin, &source);
	return chart;
}

/* ---- the limits ---- */

static struct chart *view_limits(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	if (view->explanation)
		return chart_limits(
			view->explanation, &view->setting, &view->sample, view->gap.words, origin);
	*why = status_usage("there is no picture of the limits: %.180s",
		view->limits_note[0] ? view->limits_note : "they are not known yet");
	return NULL;
}

static struct chart *view_timeline(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	struct chart *chart = view->timeline ? chart_timeline(view->explanation, &view->setting,
						       view->timeline, origin)
					     : NULL;

	if (!chart)
		*why = status_usage(
			"there is no picture of the timeline: the machine code is not known");
	return chart;
}

static struct chart *view_graph(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	struct chart *chart = view->dataflow ? chart_graph(view->explanation, &view->setting,
						       view->dataflow, origin)
					     : NULL;

	if (!chart)
		*why = status_usage(
			"there is no picture of the graph: the machine code is not known");
	return chart;
}

static struct chart *view_pressure(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	(void)why;
	return view->slack ? chart_pressure(view->slack, origin) : NULL;
}

static struct chart *view_costs(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	(void)why;
	return view->cost ? chart_costs(view->cost, origin) : NULL;
}

static struct chart *view_probe(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	enum probe_part part = view->probe ? chart_probe_part(view->probe) : PROBE_PARTS;

	(void)why;
	return part == PROBE_PARTS ? NULL : chart_probe(view->probe, part, origin);
}

/* Makes a chart of the curve over filler instructions that is on screen. */
static struct chart *view_windows(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	(void)why;
	return view->windows && view->window ? chart_windows(view->windows, view->window, origin)
					     : NULL;
}

/* Makes a chart of the rows of the named sweep. */
static struct chart *view_sweep(
	const struct view *view, const struct chart_origin *origin, struct status *why)
{
	const struct sweep_table_report *report = view->sweep;
	struct chart_sweep *drawn = NULL;
	struct chart *chart;
	struct status status;

	if (!report)
		return NULL;
	status = chart_sweep_new(&report->row[0].setting, report->axes, report->axis_count,
		report->named, LOOK_AUTO, &drawn);
	if (!status_is_ok(&status))
		*why = status;
	for (size_t i = 0; drawn && i < report->row_count; i++) {
		const struct sweeps_row *row = &report->row[i];
		struct cell cell = {
			.setting = row->setting, .sample = row->sample, .facts = row->facts
		};

		chart_sweep_add(drawn, &cell, &row->sample_ratios);
	}
	chart = drawn && chart_sweep_count(drawn) ? chart_sweep_make(drawn, origin) : NULL;
	chart_sweep_free(drawn);
	return chart;
}

/* ---- the panels ---- */

/* A panel from which a chart can be made. make() returns NULL if the panel has no measured value;
 * for another reason, it also sets *why. */
struct row {
	const char *front, *what, *measured;
	bool runs;	/* the chart shows what was measured of the present kernel */
	unsigned shows; /* the groups of numbers (enum lesson_hidden) in the chart, which is refused
			   while a lesson's question hides one of them */
	struct chart *(*make)(
		const struct view *view, const struct chart_origin *origin, struct status *why);
};

static const struct row rows[] = {
	{ "curves", "slice", "the curve", true, HIDDEN_CPE | HIDDEN_CURVE, view_slice },
	{ "mountain", "mountain", "the mountain", true, HIDDEN_CPE | HIDDEN_CURVE, view_mountain },
	{ "probe", "probe", "the memory", false, HIDDEN_CPE | HIDDEN_CURVE | HIDDEN_CACHES,
		view_probe },
	{ "windows", "windows", "this curve", false, HIDDEN_CPE | HIDDEN_CURVE, view_windows },
	{ "sweep", "sweep", "the sweep", false, HIDDEN_CPE | HIDDEN_CURVE, view_sweep },
	{ "limits", "limits", "the limits", false, HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES,
		view_limits },
	{ "ports", "pressure", "the probed pressure", true,
		HIDDEN_CPE | HIDDEN_LIMITS | HIDDEN_BINDING, view_pressure },
	{ "code", "costs", "the cost of an instruction", true,
		HIDDEN_CPE | HIDDEN_LIMITS | HIDDEN_BINDING, view_costs },
	{ "timeline", "timeline", "the timeline", false,
		HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES, view_timeline },
	{ "graph", "graph", "the graph", false, HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES,
		view_graph },
};

static const struct row *row_of(const char *front)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].front, front) == 0)
			return &rows[i];
	return NULL;
}

/* Returns the names of the panels that have a picture: "curves, limits and graph". `of_program`:
 * only panels that show no measurement of the present kernel, because programs are not run. */
static struct words panels_words(bool of_program)
{
	struct words words = words_of("%s", "");
	const char *last = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (of_program && rows[i].runs)
			continue;
		if (last)
			words = words_of("%s%s%s", words.text, *words.text ? ", " : "", last);
		last = rows[i].front;
	}
	return words_of("%s and %s", words.text, last);
}

struct status chart_view(const struct view *view, const struct chart_origin *origin,
	struct chart **chart, const char **what)
{
	/* A small screen shows the panel that has the focus in place of the one in front. */
	const struct row *focus = row_of(view->screen.focus),
			 *row = focus ? focus : row_of(view->screen.front);
	struct status status;

	*chart = NULL;
	if (view->setting.kernel->function && (!row || row->runs))
		return status_usage("no picture of %s, because programs are not run; %s have one",
			row ? row->measured : view->screen.front, panels_words(true).text);
	if (!row)
		return status_usage("there is no picture of %s: %s have one", view->screen.front,
			panels_words(false).text);
	if (view->hidden & row->shows)
		return status_usage("there is no picture of %s: it is hidden until the question "
				    "of the lesson is answered",
			row->measured);
	*what = row->what;
	status = status_usage(
		"there is no picture of %s yet: nothing of it is measured", row->measured);
	*chart = row->make(view, origin, &status);
	return *chart ? status_ok() : status;
}

/* ---- the command ---- */

/* Removes the colour theme from the beginning of the arguments of the command `picture`, as in
 * "light FILE" or "dark". The arguments "FILE" of the command `picture` do not begin with a theme.
 */
static enum picture_theme take_theme(const char **arguments)
{
	for (int i = 0; picture_theme_names[i]; i++) {
		size_t length = strlen(picture_theme_names[i]);

		if (strncmp(*arguments, picture_theme_names[i], length) != 0 ||
			((*arguments)[length] && (*arguments)[length] != ' '))
			continue;
		*arguments += length;
		*arguments += strspn(*arguments, " ");
		return (enum picture_theme)i;
	}
	return PICTURE_LIGHT;
}

static struct status save(const struct view *view, const char *arguments, char *path, size_t size)
{
	enum picture_theme theme = take_theme(&arguments);
	struct chart_origin origin = { .machine = view->machine,
		.now = time(NULL),
		.core = view->core && !view->foreign ? view->core->title : NULL };
	const char *what = "";
	struct chart *chart;
	struct status status = status_ok();

	if (view->place) {
		origin.when = view->place->time;
		origin.program = view->place->program;
	}
	if (*arguments)
		status = picture_check(arguments);
	if (status_is_ok(&status))
		status = chart_view(view, &origin, &chart, &what);
	if (!status_is_ok(&status))
		return status;
	if (*arguments)
		snprintf(path, size, "%s", arguments);
	status = *arguments ? picture_save(chart, theme, arguments)
			    : picture_save_new(chart, theme, what, path, size);
	chart_free(chart);
	return status;
}

static struct status run_picture(
	const struct session *session, struct session *change, char *arguments)
{
	struct view *view;
	struct status status;
	char path[FILE_PATH] = "";

	/* If the panel in front is not a chart, the command saves a screenshot of the whole screen.
	 */
	if (!row_of(session->screen.front) && !*arguments) {
		if (change)
			screen_want_shot(change, true, "");
		return status_ok();
	}
	if (!change)
		return command_effect(row_of(session->screen.front), "this panel has no picture");
	view = memory_new(1, sizeof(*view));
	session_view(session, session->now, view);
	status = save(view, arguments, path, sizeof(path));
	free(view);
	if (status_is_ok(&status))
		session_notice(change, false, "picture: %.180s", path);
	return status;
}

const struct command_row commands_picture[] = {
	{ "picture", .run = run_picture, .verbatim = true },
	{ .name = NULL },
};
