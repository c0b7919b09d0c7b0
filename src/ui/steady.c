#include "ui/steady.h"

#include <math.h>

#include "experiment/setting/cells.h"

bool slice_is_cycles(const struct view *view, const struct view_slice *slice)
{
	bool measured = false;

	for (int i = 0; i < slice->count && !view->setting.kernel->plot_cpe; i++) {
		measured |= slice->point[i].valid;
		if (slice->point[i].valid && isfinite(slice->point[i].sample.bytes_per_cycle))
			return false;
	}
	return measured || view->setting.kernel->plot_cpe || view->setting.kernel->own;
}

double slice_value(const struct sample *sample, bool cycles)
{
	return cycles ? sample->cpe : sample->bytes_per_cycle;
}

bool steady_has_a(const struct view *view)
{
	return view->pinned && view->a.valid && isfinite(view->a.cpe) && view->a_comparable;
}

/* Widens the scale of one frame so that it includes a value. If the sample is not doubtful, also
 * widens the scale of the frames after it. */
static void widen(
	struct scale *kept, struct scale *shown, const struct sample *sample, double value)
{
	if (!sample_doubt(sample))
		scale_widen(kept, value, value);
	scale_widen(shown, value, value);
}

static void hold_limits(struct scale *kept, struct scale *shown, const struct view *view)
{
	const struct limits *limits = view->explanation ? &view->explanation->limits : NULL;

	for (int i = 0; limits && i < limits->limit_count; i++)
		if (limits->limit[i].known)
			scale_widen(kept, limits->limit[i].cpe, limits->limit[i].cpe);
	if (steady_has_a(view))
		scale_widen(kept, view->a.cpe, view->a.cpe);
	*shown = *kept;
	if (view->sample.valid)
		widen(kept, shown, &view->sample, view->sample.cpe);
}

static void hold_ports(struct scale *kept, const struct view *view)
{
	const struct limits *limits = view->explanation ? &view->explanation->limits : NULL;

	for (int i = 0; limits && i < limits->port_count; i++) {
		double longest = fmax(limits->pressure[i], limits->naive[i]);

		scale_widen(kept, longest, longest);
	}
}

static void hold_slice(struct view_scales *kept, struct view_scales *shown, const struct view *view,
	const struct view_slice *slice)
{
	bool cycles = slice_is_cycles(view, slice);
	struct scale *scale = cycles ? &kept->cycles : &kept->bytes,
		     *frame = cycles ? &shown->cycles : &shown->bytes;

	for (int i = 0; slice->knob >= 0 && i < slice->count; i++) {
		const struct view_point *point = &slice->point[i];

		if (point->valid)
			widen(scale, frame, &point->sample, slice_value(&point->sample, cycles));
		if (point->a)
			widen(scale, frame, point->a, slice_value(point->a, cycles));
	}
	if (slice->knob >= 0 && slice->place.where == AXIS_BETWEEN && view->sample.valid)
		widen(scale, frame, &view->sample, slice_value(&view->sample, cycles));
}

void steady_hold(struct steady *steady, struct view *view)
{
	struct view_scales *kept = &steady->scales, *shown = &view->scales;

	if (steady->epoch != view->epoch)
		*steady = (struct steady){ .epoch = view->epoch };
	kept->cycles.kind = view->setting.kernel->plot_cpe ? SCALE_LOG : SCALE_LINEAR;
	hold_ports(&kept->ports, view);
	*shown = *kept;
	hold_limits(&kept->limits, &shown->limits, view);
	hold_slice(kept, shown, view, &view->by_size);
	hold_slice(kept, shown, view, &view->by_stride);
	if (view->grid.present)
		kept->top = fmax(kept->top, (double)view->grid.top);
	if (view->grid.top > 0)
		view->grid.top = (float)kept->top;
	shown->top = kept->top;
}
