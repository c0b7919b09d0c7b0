/* What the explorer has in front as a picture: a slice, the mountain, the ladder of limits. */
#pragma once

#include "explorer/view.h"
#include "picture/chart.h"

/* The chart, the caller's, and a word for its file's name: "mountain". STATUS_USAGE, and *chart
 * NULL: the panel in front has no picture, or nothing of it is measured yet. */
struct status chart_view(const struct view *view, const struct chart_origin *origin,
	struct chart **chart, const char **what);
