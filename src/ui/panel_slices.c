/* Draws a slice as bars with a precision of an eighth of a row, on a linear or logarithmic scale.
 * The plot has an axis, labels, and a marker at the present setting. */
#include "ui/mountain_relief.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scale.h"
#include "ui/panels.h"

enum { MARGIN = 6, WIDEST_BAR = 8 };

/* A slice is a row of bars: throughput over one knob. `first`: index of the first visible bar.
 * `shown`: number of visible bars. */
struct frame {
	int first, shown;
	int width; /* number of screen columns that all visible bars use */
	bool gaps; /* a blank between bars */
	int rows;
	struct scale scale; /* scale of the bars' heights; `high` is 0 if nothing is measured */
	bool cpe; /* the bars show CPE (cycles per element): a latency, or the kernel moves no bytes
		   */
};

/* Returns whether the bars show CPE (cycles per element): the kernel requires CPE, or the measured
 * points have no throughput.
 */
static bool is_cpe(const struct view *view, const struct view_slice *slice)
{
	bool measured = false;

	for (int i = 0; i < slice->count && !view->setting.kernel->plot_cpe; i++) {
		measured |= slice->point[i].valid;
		if (slice->point[i].valid && isfinite(slice->point[i].sample.gbps))
			return false;
	}
	return measured || view->setting.kernel->plot_cpe;
}

static double value_of(const struct view_point *point, bool cpe)
{
	return cpe ? point->sample.cpe : point->sample.gbps;
}

/* Returns letters for the sources of the bars' values: T for wall time; C (counter), R (reference
 * clock) or both for cycles. The text is empty if nothing is measured. */
static const char *source_letters(const struct view_slice *slice, bool cycles)
{
	bool counted = false, referred = false;

	for (int i = 0; i < slice->count; i++) {
		bool counter = slice->point[i].sample.cycles_from == SOURCE_COUNTER;

		counted |= slice->point[i].valid && counter;
		referred |= slice->point[i].valid && !counter;
	}
	return !counted && !referred ? ""
	       : !cycles	     ? " T"
	       : counted && referred ? " C, R"
	       : counted	     ? " C"
				     : " R";
}

struct words slice_title(const struct view *view, const struct view_slice *slice)
{
	const struct kernel *kernel = view->setting.kernel;
	const struct knob *knob = &kernel->knobs[slice->knob];
	const struct view_slice *other =
		slice == &view->by_size ? &view->by_stride : &view->by_size;
	bool cycles = is_cpe(view, slice), contended = false, unsettled = false;

	struct words here = { "" }, fixed = { "" };

	/* If the present value of the knob has no bar of its own, the marker cannot show the value
	 * exactly, so the title shows it. */
	if (slice->count > 0 && slice->place.where != AXIS_AT)
		here = words_of(
			", here %s", setting_shown(knob, view->setting.v[slice->knob]).text);
	if (other->knob >= 0 && other->knob != slice->knob)
		fixed = words_of(", %s=%s", kernel->knobs[other->knob].name,
			setting_shown(&kernel->knobs[other->knob], view->setting.v[other->knob])
				.text);
	for (int i = 0; i < slice->count; i++) {
		contended |= slice->point[i].valid && slice->point[i].sample.contended;
		unsettled |= slice->point[i].valid && slice->point[i].sample.unsettled;
	}
	return words_of("%s%s over %s%s%s%s%s",
		kernel->plot_cpe ? "cycles"
		: cycles	 ? "cycles per element"
				 : "GB/s",
		source_letters(slice, cycles), knob->name, kernel->plot_cpe ? " (log)" : "",
		here.text, fixed.text, panels_marks(contended, unsettled));
}

/* Returns the first screen column of a bar. Parameter `index`: number of the bar, counted from
 * frame->first. Bars have whole columns, and the widths of bars differ by at most one column. */
static int column_of(const struct frame *frame, int index)
{
	return MARGIN + index * frame->width / frame->shown;
}

static int bar_of(const struct frame *frame, int index)
{
	return column_of(frame, index + 1) - column_of(frame, index) - frame->gaps;
}

static void fit_frame(
	struct frame *frame, struct box at, const struct view *view, const struct view_slice *slice)
{
	int width = at.width - MARGIN - 1;
	double top = 0, least = INFINITY;

	/* If there are more values of the knob than screen columns, show only the bars around the
	 * present setting.
	 */
	*frame = (struct frame){ .shown = int_least(slice->count, width),
		.first = slice->count > width
				 ? panels_first(slice->count, width, slice->place.index)
				 : 0,
		.rows = at.height - 2,
		.cpe = is_cpe(view, slice) };
	frame->width = int_least(width, WIDEST_BAR * frame->shown);
	frame->gaps = frame->width >= 4 * frame->shown;
	if (frame->gaps)
		frame->width -= frame->width % frame->shown; /* separate bars are equally wide */
	for (int i = 0; i < slice->count; i++) {
		double value = slice->point[i].valid ? value_of(&slice->point[i], frame->cpe) : NAN;

		top = fmax(top, value);
		least = value > 0 ? fmin(least, value) : least;
	}
	frame->scale = (struct scale){ .high = top > 0 ? scale_ceiling(top) : 0 };
	if (view->setting.kernel->plot_cpe && top > 0)
		frame->scale = scale_fit(SCALE_LOG, least, top);
}

/* Draws one point: a bar if the point is measured, a dot if the point is not measured yet, nothing
 * if the kernel rejects the setting. */
static void draw_point(struct box at, const struct frame *frame, int index,
	const struct view_point *point, bool here)
{
	int x = column_of(frame, index), bar = bar_of(frame, index);
	double value = point->valid ? value_of(point, frame->cpe) : NAN;
	enum style cap = here ? STYLE_HERE : point->settled ? STYLE_BAR : STYLE_DIM;
	enum style body = here ? STYLE_HERE : point->settled ? STYLE_SHADE1 : STYLE_DIM;
	int eighths, top;

	if (!point->possible)
		return;
	if (!isfinite(value)) {
		canvas_glyph(at, x, frame->rows - 1, STYLE_DIM, GLYPH_DOT);
		return;
	}
	/* A small measured value must not look like a missing value, so each bar has at least an
	 * eighth of a row. */
	eighths = int_most((int)lround(scale_place(&frame->scale, value) * frame->rows * 8), 1);
	/* The top of a bar has a clear edge, so that plateaus and knees are visible. */
	top = int_most(frame->rows - (eighths + 7) / 8, 0);
	for (int row = top; row < frame->rows; row++)
		for (int i = 0; i < bar; i++)
			canvas_glyph(at, x + i, row, row == top ? cap : body,
				row > top ? GLYPH_BODY
					  : (enum glyph)(GLYPH_BAR1 + (eighths + 7) % 8));
	if (point->sample.contended || point->sample.unsettled)
		canvas_glyph(at, x + (bar - 1) / 2, top > 0 ? top - 1 : 0, STYLE_WARN,
			point->sample.contended ? GLYPH_TIMES : GLYPH_DRIFT);
}

/* Draws labels under the axis. Each label begins at the column of its bar. Labels that do not fit
 * are omitted. */
static void draw_labels(struct box at, const struct frame *frame, const struct view *view,
	const struct view_slice *slice, int y)
{
	const struct knob *knob = &view->setting.kernel->knobs[slice->knob];
	const struct view_point *points = &slice->point[frame->first];
	int widest = 1, step = 1;

	for (int i = 0; i < frame->shown; i++)
		widest = int_most(
			widest, canvas_columns(at, setting_value(knob, points[i].value).text));
	while (step * frame->width / frame->shown < widest + 1)
		step *= 2;
	for (int i = 0; i < frame->shown; i += step) {
		struct units_text value = setting_value(knob, points[i].value);

		if (canvas_fits(at, value.text, at.width - column_of(frame, i)))
			canvas_put(at, column_of(frame, i), y, STYLE_DIM, value.text);
	}
	if (frame->first > 0)
		canvas_glyph(at, MARGIN - 1, y, STYLE_DIM, GLYPH_ELLIPSIS);
	if (frame->first + frame->shown < slice->count)
		canvas_glyph(at, at.width - 1, y, STYLE_DIM, GLYPH_ELLIPSIS);
}

static void draw_scale(struct box at, const struct frame *frame)
{
	const struct scale *scale = &frame->scale;
	struct scale_tick ticks[SCALE_TICKS];
	int count = 0;

	if (!(scale->high > 0))
		return; /* nothing is measured: there is no scale yet */
	if (scale->kind == SCALE_LOG)
		count = scale_ticks(scale, frame->rows, NULL, NULL, ticks);
	/* Label the top of the scale, half of the top (if it is exactly on a row), and 0. */
	for (int part = 0; part <= 2 && scale->kind != SCALE_LOG; part++) {
		if (part == 1 && (frame->rows < 6 || frame->rows % 2))
			continue;
		ticks[count].value = scale->high * part / 2;
		snprintf(
			ticks[count].label, sizeof(ticks[count].label), "%.5g", ticks[count].value);
		count++;
	}
	for (int i = 0; i < count; i++)
		canvas_put_right(at, MARGIN - 1,
			frame->rows - (int)lround(scale_place(scale, ticks[i].value) * frame->rows),
			STYLE_DIM, ticks[i].label);
}

/* Marks the present setting under its bar, between two bars, or beyond an end of the axis. */
static void draw_here(struct box at, const struct frame *frame, const struct axis_place *place)
{
	int index = place->index - frame->first,
	    x = column_of(frame, index) + (bar_of(frame, index) - 1) / 2, next;
	enum glyph glyph = GLYPH_UP;

	if (place->where == AXIS_BEFORE) {
		x = MARGIN - 1;
		glyph = GLYPH_LEFT;
	} else if (place->where == AXIS_BEYOND) {
		x = MARGIN + frame->width;
		glyph = GLYPH_POINTER;
	} else if (place->where == AXIS_BETWEEN) {
		next = column_of(frame, index + 1);
		if (index + 1 < frame->shown)
			next += (bar_of(frame, index + 1) - 1) / 2;
		/* Place the marker between the two bars, not under a bar, if there is a column
		 * between the bars. */
		x += 1 + (int)lround(place->share * (next - x - 2));
	}
	canvas_glyph(at, int_least(x, at.width - 1), frame->rows, STYLE_HERE, glyph);
}

void slice_draw(struct box at, const struct view *view, const struct view_slice *slice)
{
	struct frame frame;
	int x;

	if (at.height < 3 || at.width < MARGIN + 8 || slice->count == 0)
		return;
	fit_frame(&frame, at, view, slice);
	draw_scale(at, &frame);
	for (int i = 0; i < frame.shown; i++)
		draw_point(at, &frame, i, &slice->point[frame.first + i],
			frame.first + i == slice->here);
	for (x = MARGIN; x < MARGIN + frame.width; x++)
		canvas_glyph(at, x, frame.rows, STYLE_DIM, GLYPH_HLINE);
	draw_here(at, &frame, &slice->place);
	draw_labels(at, &frame, view, slice, frame.rows + 1);
}

/* ---- the panels ---- */

/* Two panels show slices of the mountain through the present setting: one slice over size, one
 * slice over stride. If the kernel has no stride, the second slice is over the chosen knob. If only
 * one slice fits, the panel shows the slice of the chosen knob. */

/* Returns the curve (slice) that the first of the two panels shows. */
static const struct view_slice *first_slice(const struct scene *scene)
{
	const struct view *view = scene->view;

	/* A kernel without a knob `size` has only the slice over stride or over the chosen knob. */
	if (view->by_size.knob < 0 ||
		(!panels_shown(scene, "by-stride") && view->by_stride.knob >= 0 &&
			view->knob == view->by_stride.knob))
		return &view->by_stride;
	return &view->by_size;
}

static struct words first_title(const struct scene *scene)
{
	return slice_title(scene->view, first_slice(scene));
}

static void first_draw(struct box at, const struct scene *scene)
{
	slice_draw(at, scene->view, first_slice(scene));
}

static bool first_wanted(const struct view *view)
{
	return view->by_size.knob >= 0 || view->by_stride.knob >= 0;
}

static struct words second_title(const struct scene *scene)
{
	return slice_title(scene->view, &scene->view->by_stride);
}

static void second_draw(struct box at, const struct scene *scene)
{
	slice_draw(at, scene->view, &scene->view->by_stride);
}

static bool second_wanted(const struct view *view)
{
	return view->by_size.knob >= 0 && view->by_stride.knob >= 0;
}

const struct panel panel_by_size = {
	.name = "slices",
	.title_of = first_title,
	.draw = first_draw,
	.wanted = first_wanted,
	.focus = "slices",
};

const struct panel panel_by_stride = {
	.name = "by-stride",
	.title_of = second_title,
	.draw = second_draw,
	.wanted = second_wanted,
	.focus = "slices",
};
