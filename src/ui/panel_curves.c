/* Draws a slice as bars with a precision of an eighth of a row, on a linear or logarithmic scale.
 * The plot has an axis, labels, and a marker at the present setting. */
#include "ui/mountain_relief.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scale.h"
#include "lesson/lesson.h"
#include "model/limits/misses.h"
#include "ui/panels.h"
#include "ui/steady.h"

/* MARGIN: number of screen columns to the left of the bars. WIDEST_BAR: largest width of a bar.
 * LEAST_NAME: the names of choices below the bars are cut if each bar has at least this number of
 * columns, else omitted. */
enum { MARGIN = 6, WIDEST_BAR = 8, LEAST_NAME = 6 };

/* A slice is a row of bars: bytes per cycle, or cycles, over one knob. `first`: index of the first
 * visible bar. `shown`: number of visible bars. */
struct frame {
	int first, shown;
	int width; /* number of screen columns that all visible bars use */
	bool gaps; /* a blank between bars */
	int rows;
	struct scale scale; /* scale of the bars' heights; `high` is 0 if nothing is measured */
	bool cpe; /* the bars show CPE (cycles per element): a latency, or the kernel moves no bytes
		   */
	int column[VIEW_SLICE + 1]; /* first screen column of each visible bar, and of the first
				       column after the last bar */
};

/* Returns letters for the sources of the bars' cycles: C (counter), R (reference clock) or both.
 * The text is empty if no point of the slice is measured. */
static const char *source_letters(const struct view_slice *slice)
{
	bool counted = false, referred = false;

	for (int i = 0; i < slice->count; i++) {
		bool counter = slice->point[i].sample.cycles_from == SOURCE_COUNTER;

		counted |= slice->point[i].valid && counter;
		referred |= slice->point[i].valid && !counter;
	}
	return counted && referred ? " C, R" : counted ? " C" : referred ? " R" : "";
}

struct words slice_title(const struct view *view, const struct view_slice *slice)
{
	const struct kernel *kernel = view->setting.kernel;
	const struct knob *knob = &kernel->knobs[slice->knob];
	const struct view_slice *other =
		slice == &view->by_size ? &view->by_stride : &view->by_size;
	bool cycles = slice_is_cycles(view, slice), a = false, contended = false, unsettled = false,
	     provisional = false;
	const struct scale *scale = cycles ? &view->scales.cycles : &view->scales.bytes;

	struct words here = { "" }, fixed = { "" }, unit, what;
	const char *marks;

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
		a |= slice->point[i].a != NULL;
		contended |= slice->point[i].valid && slice->point[i].sample.contended;
		unsettled |= slice->point[i].valid && slice->point[i].sample.unsettled;
		provisional |= slice->point[i].valid && !slice->point[i].settled;
	}
	/* Bars of provisional values are grey. */
	marks = provisional ? "  (grey: provisional)" : "";
	if (!cycles && !kernel->plot_cpe)
		unit = words_of("bytes per cycle");
	else
		unit = words_of("cycles per %s", kernel->element);
	what = words_of("%s over %s%s", source_letters(slice), knob->name, here.text);
	/* The panel of knobs also shows the other knob. */
	/* The words for a logarithmic scale stay longest: the axis does not begin at 0. */
	return words_of("%1$s%8$s%2$s%3$s%4$s%5$s%9$s\n%1$s%8$s%2$s%4$s%5$s%9$s\n"
			"%1$s%8$s%2$s%4$s%6$s%9$s\n%1$s%8$s%2$s%4$s%6$s\n%7$s%8$s%2$s%4$s%6$s\n"
			"%7$s%2$s%4$s%6$s",
		unit.text, what.text, fixed.text, a ? "  ━ A" : "",
		panels_marks(contended, unsettled), panels_marks_short(contended, unsettled),
		cycles || kernel->plot_cpe ? "cycles" : unit.text,
		scale->kind == SCALE_LOG ? " (log scale)" : "", marks);
}

static int bar_of(const struct frame *frame, int index)
{
	return int_least(frame->column[index + 1] - frame->column[index], WIDEST_BAR) - frame->gaps;
}

/* Places the bars at equal distances. The widths of bars differ by at most one column. */
static void place_equally(struct frame *frame)
{
	for (int i = 0; i <= frame->shown; i++)
		frame->column[i] = MARGIN + i * frame->width / frame->shown;
}

/* Places the bars of a knob on a logarithmic axis: values that differ by the same factor are at the
 * same distance. The value 0 has its own column before the axis. Returns false if two bars would
 * share a column. */
static bool place_by_factors(struct frame *frame, const struct view_slice *slice)
{
	int last = slice->count - 1, zero = last > 0 && slice->point[0].value == 0,
	    left = MARGIN + zero * (frame->width / int_most(frame->shown, 1));
	double closest = INFINITY;
	struct scale axis = { .kind = SCALE_LOG2, .low = (double)slice->point[zero].value };

	if (frame->shown < slice->count || last < 1 + zero || slice->point[zero].value <= 0)
		return false;
	for (int i = zero; i < last; i++)
		closest = fmin(
			closest, (double)slice->point[i + 1].value / (double)slice->point[i].value);
	/* After the last bar, the logarithmic axis continues by the smallest factor between two
	 * neighbouring sizes. */
	axis.high = (double)slice->point[last].value * closest;
	frame->column[0] = MARGIN;
	for (int i = zero; i <= last; i++) {
		double place = scale_place(&axis, (double)slice->point[i].value);

		frame->column[i] = left + (int)lround(place * (MARGIN + frame->width - left));
		if (i > 0 && frame->column[i] == frame->column[i - 1])
			return false;
	}
	frame->column[last + 1] = MARGIN + frame->width;
	return frame->column[last + 1] > frame->column[last];
}

/* Whether the values of a knob differ by factors: they are sizes, or numbers in a wide range. */
static bool has_factors(const struct knob *knob, const struct view_slice *slice)
{
	int zero = slice->count > 1 && slice->point[0].value == 0;

	return knob->kind == KNOB_BYTES ||
	       (knob->kind == KNOB_COUNT && slice->count > 1 &&
		       slice->point[slice->count - 1].value / AXIS_WIDE > slice->point[zero].value);
}

/* Returns the width in columns of the widest label under the axis. */
static int widest_label(struct box at, const struct frame *frame, const struct view *view,
	const struct view_slice *slice)
{
	const struct knob *knob = &view->setting.kernel->knobs[slice->knob];
	int widest = 1;

	for (int i = 0; i < frame->shown; i++)
		widest = int_most(widest,
			canvas_columns(at,
				setting_shown(knob, slice->point[frame->first + i].value).text));
	return widest;
}

static void fit_frame(
	struct frame *frame, struct box at, const struct view *view, const struct view_slice *slice)
{
	const struct knob *knob = &view->setting.kernel->knobs[slice->knob];
	int width = at.width - MARGIN - 1, slot;

	/* If there are more values of the knob than screen columns, show only the bars around the
	 * present setting.
	 */
	*frame = (struct frame){ .shown = int_least(slice->count, width),
		.first = slice->count > width
				 ? panels_first(slice->count, width, slice->place.index)
				 : 0,
		.rows = at.height - 2,
		.cpe = slice_is_cycles(view, slice) };
	frame->scale = frame->cpe ? view->scales.cycles : view->scales.bytes;
	/* The bars for the choices of a knob are as far apart as the widest name of a choice, if
	 * there is room. */
	slot = int_most(knob->kind == KNOB_CHOICE ? widest_label(at, frame, view, slice) + 1 : 0,
		WIDEST_BAR);
	frame->width = int_least(width, slot * frame->shown);
	frame->gaps = frame->width >= 4 * frame->shown;
	if (has_factors(knob, slice) && place_by_factors(frame, slice))
		return;
	if (frame->gaps)
		frame->width -= frame->width % frame->shown; /* separate bars are equally wide */
	place_equally(frame);
}

/* Draws the value of A, the setting compared with, as a line across the bar. */
static void draw_a(struct box at, const struct frame *frame, int index, const struct sample *a)
{
	double place = scale_place(&frame->scale, slice_value(a, frame->cpe));
	int row;

	if (!(place >= 0))
		return;
	row = frame->rows - 1 - (int)floor(fmin(place, 1) * frame->rows - 1e-9);
	for (int i = 0; i < bar_of(frame, index); i++)
		canvas_glyph(at, frame->column[index] + i, int_most(row, 0), STYLE_A, GLYPH_LEVEL);
}

/* Draws one point in `bar` columns from column x: a bar if the point is measured, a dot if the
 * point is not measured yet, nothing if the kernel rejects the setting. */
static void draw_point(struct box at, const struct frame *frame, int x, int bar,
	const struct view_point *point, bool here)
{
	double value = point->valid ? slice_value(&point->sample, frame->cpe) : NAN;
	enum style cap = here ? STYLE_HERE : point->settled ? STYLE_BAR : STYLE_DIM;
	enum style body = here ? STYLE_HERE : point->settled ? STYLE_BODY : STYLE_DIM;
	bool filled = at.canvas->solid && (here || point->settled);
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
	eighths = int_least(eighths, frame->rows * 8);
	/* The top of a bar has a clear edge, so that plateaus and knees are visible. */
	top = int_most(frame->rows - (eighths + 7) / 8, 0);
	for (int row = top; row < frame->rows; row++)
		for (int i = 0; i < bar; i++)
			canvas_glyph(at, x + i, row, row == top ? cap : body,
				row > top ? filled ? GLYPH_BAR8 : GLYPH_BODY
					  : (enum glyph)(GLYPH_BAR1 + (eighths + 7) % 8));
	if (point->sample.contended || point->sample.unsettled)
		canvas_glyph(at, x + (bar - 1) / 2, top > 0 ? top - 1 : 0, STYLE_WARN,
			point->sample.contended ? GLYPH_TIMES : GLYPH_DRIFT);
}

/* Draws the sample of the present setting as a bar above its mark, if the present value of the knob
 * is between two points. Without this bar, the bar of another value would be above the mark. */
static void draw_between(struct box at, const struct frame *frame, const struct view *view, int x)
{
	const struct view_point point = { .possible = true,
		.valid = view->sample.valid,
		.settled = !view->sample.provisional,
		.sample = view->sample };

	if (!view->sample.valid)
		return;
	for (int row = 0; row < frame->rows; row++)
		canvas_put(at, x, row, STYLE_TEXT, " ");
	draw_point(at, frame, x, 1, &point, true);
}

/* Draws labels under the axis. Each label begins at the column of its bar. Labels without room are
 * omitted. */
static void draw_labels(struct box at, const struct frame *frame, const struct view *view,
	const struct view_slice *slice, int y)
{
	const struct knob *knob = &view->setting.kernel->knobs[slice->knob];
	const struct view_point *points = &slice->point[frame->first];
	int widest = widest_label(at, frame, view, slice), step = 1;
	/* If the choices' names below the bars do not fit, they are first cut, and omitted only if
	 * the bars are too close. */
	bool cut = knob->kind == KNOB_CHOICE && frame->width >= LEAST_NAME * frame->shown;

	while (!cut && step * frame->width / frame->shown < widest + 1)
		step *= 2;
	for (int i = 0, free_from = 0; i < frame->shown; i += step) {
		struct words value = setting_shown(knob, points[i].value);
		int x = frame->column[i], next = frame->column[i + 1];

		if (cut)
			canvas_put(box_part(at, x, 0, next - x - 1, at.height), 0, y, STYLE_DIM,
				value.text);
		else if (x >= free_from && canvas_fits(at, value.text, at.width - x))
			free_from = x + canvas_put(at, x, y, STYLE_DIM, value.text) + 1;
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
		return; /* no point of the slice is measured: the axis has no scale yet */
	if (scale->kind == SCALE_LOG)
		count = scale_ticks(scale, frame->rows, NULL, NULL, ticks);
	/* Label three heights of the vertical scale: its top, half of the top (if exactly on a
	 * row), and 0. */
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

/* Returns the column of the mark of the present setting: under its bar, between two bars, or beyond
 * an end of the axis. */
static int here_column(const struct frame *frame, const struct axis_place *place)
{
	int index = place->index - frame->first,
	    x = frame->column[index] + (bar_of(frame, index) - 1) / 2, next;

	if (place->where == AXIS_BEFORE)
		return MARGIN - 1;
	if (place->where == AXIS_BEYOND)
		return MARGIN + frame->width;
	if (place->where == AXIS_BETWEEN) {
		next = frame->column[index + 1];
		if (index + 1 < frame->shown)
			next += (bar_of(frame, index + 1) - 1) / 2;
		/* If the present value is between two bars, place its marker in a column between
		 * the bars, if there is one. */
		x += 1 + (int)lround(place->share * (next - x - 2));
	}
	return x;
}

/* Returns the bytes of a cache that the data of a setting need. Accesses that leave out lines need
 * fewer bytes than the data have; accesses that use only some of a cache's sets need more. */
static double bytes_held(const struct view *view, const struct setting *setting, int level)
{
	const struct kernel *kernel = setting->kernel;
	double line = view->caches.line > 0 ? view->caches.line : 64, held = 0;
	struct kernel_walk walk;

	if (kernel_describe(kernel, setting->v, &walk) && walk.reaches == 0)
		held = walk.range > 0 ? walk.range
				      : misses_held(misses_working_set(kernel, setting->v, &walk),
						walk.step, line, false);
	return held > 0 ? held * (level == 0 ? misses_walk_crowd(&walk, line) : 1)
			: (double)kernel_footprint(kernel, setting->v);
}

/* Returns the index of the first visible size whose data does not fit in a cache. A size counts as
 * fitting a cache up to 1/16 above the cache's size, because sizes found from latency curves are
 * not more precise. Returns 0 if the cache holds no visible size, and frame->shown if the cache
 * holds all visible sizes. */
static int beyond_cache(const struct frame *frame, const struct view *view,
	const struct view_slice *slice, int level)
{
	struct setting setting = view->setting;
	int index = 0;

	for (; index < frame->shown; index++) {
		setting.v[slice->knob] = slice->point[frame->first + index].value;
		if (bytes_held(view, &setting, level) >
			view->caches.level[level].bytes * (1 + 1.0 / 16))
			break;
	}
	return index;
}

/* Marks the end of each cache: a line between the last size that the cache holds and the next size,
 * with the cache's name to its left, on the axis. The cache's name does not use the column `here`,
 * which has the mark of the present setting. */
static void draw_caches(struct box at, const struct frame *frame, const struct view *view,
	const struct view_slice *slice, int here)
{
	int free_from = MARGIN;

	for (int level = 0; level < CACHE_LEVELS; level++) {
		const struct cache_size *size = &view->caches.level[level];
		int index = size->bytes > 0 ? beyond_cache(frame, view, slice, level) : 0, x, from;
		struct words name;

		if (index == 0 || index == frame->shown)
			continue;
		/* If the next size is far away, as in a recording with few sizes, the line is next
		 * to the bar of the last size that the cache holds. */
		x = int_least(frame->column[index] - 1,
			frame->column[index - 1] + bar_of(frame, index - 1));
		for (int row = 0; row < frame->rows; row++)
			canvas_glyph(at, x, row, STYLE_DIM, GLYPH_EDGE);
		canvas_glyph(at, x, frame->rows, STYLE_DIM, GLYPH_TEE_UP);
		/* Before the share of L3 that a process has is measured, only the size of all of L3
		 * is known. */
		if (level == CACHE_LEVELS - 1)
			name = words_of(
				"L3 %s", size->source == CACHE_MEASURED ? "share" : "at most");
		else
			name = words_of("L%d", level + 1);
		from = x - canvas_columns(at, name.text);
		if (from < free_from || (here >= from && here < x)) {
			name = words_of("L%d", level + 1);
			from = here == x - 1 || here == x - 2 ? here - 2 : x - 2;
		}
		if (from >= free_from)
			canvas_put(at, from, frame->rows, STYLE_TEXT, name.text);
		free_from = x + 1;
	}
}

void slice_draw(struct box at, const struct view *view, const struct view_slice *slice)
{
	const struct knob *knob;
	struct frame frame;
	int x, here;

	if (at.height < 3 || at.width < MARGIN + 8 || slice->count == 0)
		return;
	knob = &view->setting.kernel->knobs[slice->knob];
	fit_frame(&frame, at, view, slice);
	here = here_column(&frame, &slice->place);
	draw_scale(at, &frame);
	for (x = MARGIN; x < MARGIN + frame.width; x++)
		canvas_glyph(at, x, frame.rows, STYLE_DIM, GLYPH_HLINE);
	if (view->setting.kernel->knobs[slice->knob].axis == AXIS_SIZE)
		draw_caches(at, &frame, view, slice, here);
	for (int i = 0; i < frame.shown; i++) {
		const struct view_point *point = &slice->point[frame.first + i];

		if (point->possible)
			canvas_clicked(box_part(at, frame.column[i], 0,
					       frame.column[i + 1] - frame.column[i], at.height),
				"set %s=%s", knob->name, setting_value(knob, point->value).text);
		draw_point(at, &frame, frame.column[i], bar_of(&frame, i), point,
			frame.first + i == slice->here);
		if (point->a && frame.scale.high > 0)
			draw_a(at, &frame, i, point->a);
	}
	if (slice->place.where == AXIS_BETWEEN)
		draw_between(at, &frame, view, int_least(here, at.width - 1));
	canvas_glyph(at, int_least(here, at.width - 1), frame.rows, STYLE_HERE,
		slice->place.where == AXIS_BEFORE   ? GLYPH_LEFT
		: slice->place.where == AXIS_BEYOND ? GLYPH_POINTER
						    : GLYPH_UP);
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
	.name = "curves",
	.title_of = first_title,
	.draw = first_draw,
	.wanted = first_wanted,
	.focus = "curves",
	.hides = HIDDEN_CPE | HIDDEN_CURVE,
};

const struct panel panel_by_stride = {
	.name = "by-stride",
	.title_of = second_title,
	.draw = second_draw,
	.wanted = second_wanted,
	.focus = "curves",
	.hides = HIDDEN_CPE | HIDDEN_CURVE,
};
