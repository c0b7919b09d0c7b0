/* Scales of axes and bars that stay the same from frame to frame, so that a value that halves is a
 * bar that halves. The function scale_widen() of base/scale.h decides when a scale grows. Pure. */
#pragma once

#include "explorer/view.h"

/* The scales of the last frame. The caller sets all fields to 0 before the first frame. */
struct steady {
	unsigned epoch; /* the view's epoch for which the scales were made */
	struct view_scales scales;
};

/* Fills view->scales and view->grid.top from the values of this view and of earlier views. The
 * scales start again from nothing if the user has chosen another kernel or discarded all samples. A
 * doubtful sample (of a disturbed or unfinished measurement) widens the scale of one frame only. */
void steady_hold(struct steady *steady, struct view *view);

/* Returns whether a slice (curve over one knob) shows cycles per element: the kernel requires
 * cycles, or the measured points move no bytes. Returns false if the slice shows bytes per cycle.
 */
bool slice_is_cycles(const struct view *view, const struct view_slice *slice);

/* Returns the value of a sample that the bar of a slice shows: cycles per element or bytes per
 * cycle. */
double slice_value(const struct sample *sample, bool cycles);

/* Returns whether A, the setting compared with, has a bar of its own next to the present value:
 * both are cycles of the same element. */
bool steady_has_a(const struct view *view);
