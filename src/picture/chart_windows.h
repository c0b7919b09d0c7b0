/* The windows of a core as a picture: cycles over the number of fillers between two misses, with
 * the knee of each curve and what the core's model says of the buffer. */
#ifndef SLX_PICTURE_CHART_WINDOWS_H
#define SLX_PICTURE_CHART_WINDOWS_H

#include "experiment/windows/windows.h"
#include "picture/chart.h"

/* The chart of one row alone, or of all that have points (row NULL): the caller's. NULL: nothing is
 * measured of it. */
struct chart *chart_windows(const struct windows_report *report, const struct windows_row *row,
	const struct chart_origin *origin);

#endif
