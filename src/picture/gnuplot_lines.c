/* Series over x, and bars, for gnuplot. */
#include <math.h>
#include <stdio.h>

#include "picture/gnuplot_write.h"

static bool any_point(
	const struct chart_series *series, bool (*is)(const struct chart_point *point))
{
	for (int i = 0; i < series->count; i++)
		if (is(&series->point[i]))
			return true;
	return false;
}

static bool has_quartiles(const struct chart_point *point)
{
	return isfinite(point->lo) && isfinite(point->hi);
}

static bool has_modes(const struct chart_point *point)
{
	return isfinite(point->other) && isfinite(point->other_y);
}

static bool is_doubtful(const struct chart_point *point)
{
	return point->doubtful;
}

static void add_points(const struct gnuplot_writing *writing, const struct chart_series *series)
{
	const char *name = series->name[0] ? series->name : writing->chart->y.title;

	text_addf(writing->data,
		"# %s\n# x, median, lower and upper quartile, lower and upper mode if there are "
		"two, "
		"1 if in doubt, 2 if two modes\n",
		name);
	for (int i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->point[i];
		const double values[] = { point->x, point->y, point->lo, point->hi, point->other,
			point->other_y };

		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			gnuplot_number(writing->data, values[k]);
			text_add(writing->data, " ");
		}
		text_addf(writing->data, "%d\n", has_modes(point) ? 2 : point->doubtful);
	}
	/* Two empty lines part what `index` counts; a series without points must not be one with
	 * the next. */
	text_add(writing->data, series->count ? "\n\n" : "NaN NaN NaN NaN NaN NaN 0\n\n\n");
}

static void add_part(
	const struct gnuplot_writing *writing, bool *first, int index, const char *what, int ink)
{
	text_addf(writing->script, "%s data index %d %s linecolor rgb ",
		*first ? "plot" : ", \\\n    ", index, what);
	gnuplot_ink(writing, ink);
	*first = false;
}

static void add_series(const struct gnuplot_writing *writing, int index, bool *first)
{
	/* gnuplot's marks in the order of enum layout_mark: full, and hollow. */
	static const int full[MARK_COUNT] = { 7, 5, 13, 9, 11, 1 },
			 hollow[MARK_COUNT] = { 6, 4, 12, 8, 10, 1 };
	const struct chart *chart = writing->chart;
	const struct chart_series *series = &chart->series[index];
	bool crowded = layout_crowded(chart);
	int mark = layout_mark(chart, index), ink = layout_ink(chart, index);
	double size = series->count > 90 ? 0.5 : series->count > 40 || crowded ? 0.6 : 0.9;
	char what[160];

	if (!chart->joined && chart->y.scale.low == 0)
		add_part(writing, first, index, "using 1:2 with impulses linewidth 4", ink);
	if (chart->joined && !crowded && any_point(series, has_quartiles))
		add_part(writing, first, index,
			"using 1:3:4 with filledcurves fillstyle transparent solid 0.25 noborder",
			ink);
	if (any_point(series, has_quartiles))
		add_part(writing, first, index,
			"using 1:2:3:4 with yerrorbars pointtype 0 linewidth 1.3", ink);
	if (chart->joined && !series->loose) {
		snprintf(what, sizeof(what), "using 1:2 with lines linewidth %.3g dashtype %s",
			crowded ? 1.8 : 2.6,
			chart->ordered ? "solid" : gnuplot_dash_type(layout_dash(index)));
		add_part(writing, first, index, what, ink);
	}
	snprintf(what, sizeof(what),
		"using 1:($7 == 2 ? NaN : $2) with points pointtype %d pointsize %.3g linewidth 2",
		full[mark], size);
	add_part(writing, first, index, what, ink);
	if (any_point(series, is_doubtful)) {
		snprintf(what, sizeof(what),
			"using 1:($7 == 1 ? $2 : NaN) with points pointtype %d pointsize %.3g",
			full[mark], size * 0.6);
		add_part(writing, first, index, what, INK_PAGE);
		snprintf(what, sizeof(what),
			"using 1:($7 == 1 ? $2 : NaN) with points pointtype %d pointsize %.3g "
			"linewidth 2",
			hollow[mark], size);
		add_part(writing, first, index, what, ink);
	}
	if (any_point(series, has_modes)) {
		snprintf(what, sizeof(what),
			"using 1:5:(0):($6 - $5) with vectors nohead linewidth 1.3");
		add_part(writing, first, index, what, ink);
		for (int column = 5; column <= 6; column++) {
			snprintf(what, sizeof(what),
				"using 1:%d with points pointtype %d pointsize %.3g", column,
				full[mark], size);
			add_part(writing, first, index, what, ink);
		}
	}
}

void gnuplot_write_lines(const struct gnuplot_writing *writing)
{
	const struct chart *chart = writing->chart;
	const struct box *plot = &writing->layout->plot;
	bool first = true;

	gnuplot_words(writing, true);
	gnuplot_rules(writing);
	gnuplot_margins(writing);
	gnuplot_frame(writing, "1");
	gnuplot_axis(writing, "x", &chart->x, plot->width, true, false, GNUPLOT_NAMES_MOST);
	gnuplot_axis(writing, "y", &chart->y, plot->height, false, false, GNUPLOT_NAMES_MOST);
	gnuplot_grid(writing, "ytics");
	for (int i = 0; i < chart->series_count; i++) {
		add_points(writing, &chart->series[i]);
		add_series(writing, i, &first);
	}
	text_add(writing->script, first ? "plot NaN\n" : "\n");
}

/* ---- bars ---- */

void gnuplot_write_bars(const struct gnuplot_writing *writing)
{
	const struct chart *chart = writing->chart;
	const struct layout *layout = writing->layout;
	const struct box *plot = &layout->plot;
	int bar = 0;

	gnuplot_words(writing, true);
	gnuplot_rules(writing);
	gnuplot_margins(writing);
	gnuplot_frame(writing, "3");
	gnuplot_axis(writing, "x", &chart->x, plot->width, true, false, GNUPLOT_NAMES_MOST);
	text_add(writing->script, "set yrange [0:1]\nunset ytics\n");
	gnuplot_grid(writing, "xtics");
	text_add(writing->data, "# value, lower and upper quartile, lower and upper edge of the "
				"bar, its colour, name, cause\n");
	for (int i = 0; i < layout->area_count && bar < chart->bar_count; i++, bar++) {
		const struct box *box = &layout->area[i].box;
		struct colour colour = gnuplot_ink_colour(writing, layout->area[i].ink);
		const struct chart_bar *row;

		while (bar < chart->bar_count - 1 && !isfinite(chart->bar[bar].value))
			bar++;
		row = &chart->bar[bar];
		gnuplot_number(writing->data, row->value);
		text_add(writing->data, " ");
		gnuplot_number(writing->data, row->lo);
		text_add(writing->data, " ");
		gnuplot_number(writing->data, row->hi);
		text_addf(writing->data, " %.4f %.4f %ld \"%s\" \"%s\"\n",
			1 - (box->y + box->height - plot->y) / plot->height,
			1 - (box->y - plot->y) / plot->height,
			lround(colour.red * 255) << 16 | lround(colour.green * 255) << 8 |
				lround(colour.blue * 255),
			row->name, row->cause);
	}
	text_add(writing->script, layout->area_count
					  ? "plot data using (0):4:(0):1:4:5:6 with boxxyerror "
					    "fillstyle solid noborder linecolor rgb variable\n"
					  : "plot NaN\n");
}
