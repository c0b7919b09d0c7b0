/* Bars in eighths of a row, an axis with labels, and a marker at the present setting. */
#include "ui/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

enum { MARGIN = 6, WIDEST_BAR = 8 };

/* Which points stand where: `first` is the first one shown. */
struct frame {
	int first, shown;
	int width;        /* columns that they share */
	bool gaps;        /* a blank between bars */
	int rows;
	double top;       /* the value of a full bar */
	bool cpe;         /* bars are CPE: the kernel moves no bytes */
};

/* Whether the values are CPE: some point is measured, and none has a throughput. */
static bool is_cpe(const struct view_slice *slice)
{
	bool measured = false;

	for (int i = 0; i < slice->count; i++) {
		if (!slice->point[i].valid)
			continue;
		if (isfinite(slice->point[i].sample.gbps))
			return false;
		measured = true;
	}
	return measured;
}

static double value_of(const struct view_point *point, bool cpe)
{
	return cpe ? point->sample.cpe : point->sample.gbps;
}

double plot_ceiling(double value)
{
	static const double steps[] = { 1, 1.5, 2, 3, 4, 5, 6, 8, 10 };
	double power;

	if (!(value > 0) || !isfinite(value))
		return 1;
	power = pow(10, floor(log10(value)));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (value <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

void plot_title(const struct view *view, const struct view_slice *slice, char *buffer, size_t size)
{
	const struct kernel *kernel = view->setting.kernel;
	const struct view_slice *other = slice == &view->by_size ? &view->by_stride : &view->by_size;
	size_t used = (size_t)snprintf(buffer, size, "%s over %s",
		is_cpe(slice) ? "cycles per element" : "GB/s", kernel->knobs[slice->knob].name);

	if (other->knob >= 0 && other->knob != slice->knob && used < size) {
		char value[64];

		setting_format_value(&kernel->knobs[other->knob], view->setting.v[other->knob], value, sizeof(value));
		used += (size_t)snprintf(buffer + used, size - used, ", %s=%s", kernel->knobs[other->knob].name, value);
	}
	for (int i = 0; i < slice->count; i++) {
		if (slice->point[i].valid && slice->point[i].sample.contended && used < size) {
			snprintf(buffer + used, size - used, "  (▒ contended)");
			break;
		}
	}
}

/* The column where a point begins (index from `first` on), and the columns of its bar: whole columns, as equal as
 * they can be. */
static int column_of(const struct frame *frame, int index)
{
	return MARGIN + index * frame->width / frame->shown;
}

static int bar_of(const struct frame *frame, int index)
{
	return column_of(frame, index + 1) - column_of(frame, index) - frame->gaps;
}

/* The point of the present setting, or the one before it. */
static int near_here(const struct view *view, const struct view_slice *slice)
{
	int near = 0;

	for (int i = 0; i < slice->count; i++)
		if (slice->point[i].value <= view->setting.v[slice->knob])
			near = i;
	return near;
}

static void fit_frame(struct frame *frame, struct rectangle at, const struct view *view,
	const struct view_slice *slice)
{
	int width = at.width - MARGIN - 1;
	double top = 0;

	frame->first = 0;
	frame->shown = slice->count;
	frame->rows = at.height - 2;
	if (slice->count > width) {
		/* More points than columns: those around the present one. */
		frame->shown = width;
		frame->first = near_here(view, slice) - width / 2;
		if (frame->first > slice->count - width)
			frame->first = slice->count - width;
		if (frame->first < 0)
			frame->first = 0;
	}
	frame->width = width < WIDEST_BAR * frame->shown ? width : WIDEST_BAR * frame->shown;
	frame->gaps = frame->width >= 4 * frame->shown;
	if (frame->gaps)
		frame->width -= frame->width % frame->shown;      /* separate bars are equally wide */
	frame->cpe = is_cpe(slice);
	for (int i = 0; i < slice->count; i++)
		if (slice->point[i].valid && value_of(&slice->point[i], frame->cpe) > top)
			top = value_of(&slice->point[i], frame->cpe);
	frame->top = top > 0 ? plot_ceiling(top) : 0;
}

/* One point: its bar, a dot where it is not measured yet, nothing where it cannot be. */
static void draw_point(struct canvas *canvas, struct rectangle at, const struct frame *frame, int index,
	const struct view_point *point, bool here)
{
	int x = column_of(frame, index), bar = bar_of(frame, index);
	double value = point->valid ? value_of(point, frame->cpe) : NAN;
	enum style style = here ? STYLE_HERE : point->settled ? STYLE_BAR : STYLE_DIM;
	int eighths;

	if (!point->possible)
		return;
	if (!isfinite(value)) {
		canvas_glyph(canvas, at, x, frame->rows - 1, STYLE_DIM, GLYPH_DOT);
		return;
	}
	eighths = (int)lround(value / frame->top * frame->rows * 8);
	if (eighths < 1)
		eighths = 1;      /* measured, if small: not to be taken for nothing */
	for (int row = frame->rows - 1; row >= 0 && eighths > 0; row--, eighths -= 8) {
		enum glyph glyph = eighths >= 8 ? GLYPH_BAR8 : (enum glyph)(GLYPH_BAR1 + eighths - 1);

		if (point->sample.contended && eighths >= 8)
			glyph = GLYPH_SHADE2;
		for (int i = 0; i < bar; i++)
			canvas_glyph(canvas, at, x + i, row, style, glyph);
	}
}

/* Values under the axis, each from the column of its bar on, as many as have room. */
static void draw_labels(struct canvas *canvas, struct rectangle at, const struct frame *frame,
	const struct view *view, const struct view_slice *slice, int y)
{
	const struct knob *knob = &view->setting.kernel->knobs[slice->knob];
	char value[64];
	int widest = 1, step = 1;

	for (int i = 0; i < frame->shown; i++) {
		setting_format_value(knob, slice->point[frame->first + i].value, value, sizeof(value));
		if (canvas_columns(canvas, value) > widest)
			widest = canvas_columns(canvas, value);
	}
	while (step * frame->width / frame->shown < widest + 1)
		step *= 2;
	for (int i = 0; i < frame->shown; i += step) {
		int x = column_of(frame, i);

		setting_format_value(knob, slice->point[frame->first + i].value, value, sizeof(value));
		if (x + canvas_columns(canvas, value) <= at.width)
			canvas_text(canvas, at, x, y, STYLE_DIM, value);
	}
	if (frame->first > 0)
		canvas_glyph(canvas, at, MARGIN - 1, y, STYLE_DIM, GLYPH_ELLIPSIS);
	if (frame->first + frame->shown < slice->count)
		canvas_glyph(canvas, at, at.width - 1, y, STYLE_DIM, GLYPH_ELLIPSIS);
}

static void draw_scale(struct canvas *canvas, struct rectangle at, const struct frame *frame)
{
	char label[24];

	if (!(frame->top > 0))
		return;      /* nothing is measured: there is no scale yet */
	snprintf(label, sizeof(label), "%.4g", frame->top);
	canvas_text_right(canvas, at, MARGIN - 1, 0, STYLE_DIM, label);
	if (frame->rows >= 6 && frame->rows % 2 == 0) {
		snprintf(label, sizeof(label), "%.4g", frame->top / 2);
		canvas_text_right(canvas, at, MARGIN - 1, frame->rows / 2, STYLE_DIM, label);
	}
	canvas_text_right(canvas, at, MARGIN - 1, frame->rows, STYLE_DIM, "0");
}

void plot_draw(struct canvas *canvas, struct rectangle at, const struct view *view,
	const struct view_slice *slice)
{
	struct frame frame;
	int near = near_here(view, slice), x;

	if (at.height < 3 || at.width < MARGIN + 8 || slice->count == 0)
		return;
	fit_frame(&frame, at, view, slice);
	draw_scale(canvas, at, &frame);
	for (int i = 0; i < frame.shown; i++)
		draw_point(canvas, at, &frame, i, &slice->point[frame.first + i], frame.first + i == slice->here);
	for (x = MARGIN; x < MARGIN + frame.width; x++)
		canvas_glyph(canvas, at, x, frame.rows, STYLE_DIM, GLYPH_HLINE);
	/* Between two points the marker stands at the end of the lower one. */
	x = column_of(&frame, near - frame.first);
	x += slice->here >= 0 ? (bar_of(&frame, near - frame.first) - 1) / 2 : bar_of(&frame, near - frame.first);
	if (x > at.width - 1)
		x = at.width - 1;
	canvas_glyph(canvas, at, x, frame.rows, STYLE_HERE, GLYPH_UP);
	draw_labels(canvas, at, &frame, view, slice, frame.rows + 1);
}
