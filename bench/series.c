#include "bench/series.h"

#include <math.h>
#include <stdio.h>

#include "base/stats.h"

void series_add(struct series *series, double value)
{
	if (isnan(value))
		series->lost++;
	else if (series->count < SERIES_MAX)
		series->value[series->count++] = value;
}

void series_head(const char *part)
{
	printf("\n%-46s %4s %8s %8s %8s %-6s %-17s %s\n", part, "n", "min", "median", "max", "unit",
		"bar", "within");
}

void series_row(const char *label, struct series *series, double scale, const char *unit,
	double bar, bool each)
{
	size_t within = 0, all = series->count + series->lost;
	double middle;
	char bar_text[32] = "-", share[32] = "-";
	bool met;

	for (size_t i = 0; i < series->count; i++) {
		series->value[i] *= scale;
		within += series->value[i] < bar;
	}
	middle = stats_median(series->value, series->count); /* sorts */
	/* More than half within is what a median below the bar means, with the lost ones as
	 * infinite. */
	met = each ? within == all : 2 * within > all;
	if (!isnan(bar)) {
		snprintf(bar_text, sizeof(bar_text), "%s < %g %s", each ? "each" : "median", bar,
			unit);
		snprintf(share, sizeof(share), "%zu/%zu", within, all);
	}
	printf("%-46s %4zu %8.3f %8.3f %8.3f %-6s %-17s %-8s%s", label, series->count,
		series->count ? series->value[0] : NAN, middle,
		series->count ? series->value[series->count - 1] : NAN, unit, bar_text, share,
		isnan(bar)	 ? ""
		: all > 0 && met ? "met"
				 : "missed");
	if (series->lost)
		printf("  (%zu never came)", series->lost);
	printf("\n");
	fflush(stdout);
}
