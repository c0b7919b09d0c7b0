/* A grid from above and as a landscape, for gnuplot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture/gnuplot_write.h"
#include "picture/layout_build.h"

static void add_grid_data(const struct gnuplot_writing *writing, double figure_size)
{
	const struct chart *chart = writing->chart;
	struct text *data = writing->data;

	text_addf(data,
		"# column, row, %s, 1 if in doubt, colour of a figure on it; column and row by "
		"name\n",
		chart->z.title);
	for (int y = 0; y < chart->y.count; y++) {
		for (int x = 0; x < chart->x.count; x++) {
			int cell = y * chart->x.count + x;
			double value = chart->grid[cell];
			char figure[24] = "";

			if (figure_size > 0 && isfinite(value))
				scale_figure(value, figure, sizeof(figure));
			text_addf(data, "%d %d ", x, y);
			gnuplot_number(data, value);
			text_addf(data, " %d %d \"%s\" \"%s\" \"%s\"\n", chart->doubtful[cell],
				layout_shade(chart, value) > LAYOUT_LIGHT ? 0x101014 : 0xffffff,
				figure, chart->x.name[x], chart->y.name[y]);
		}
		text_add(data, "\n");
	}
}

void gnuplot_write_heat(const struct gnuplot_writing *writing)
{
	const struct chart *chart = writing->chart;
	const struct box *plot = &writing->layout->plot;
	const struct layout_area *ramp = NULL;
	double figure_size = 0;

	for (int i = 0; i < writing->layout->text_count; i++)
		if (writing->layout->text[i].role == ROLE_CELL)
			figure_size = writing->layout->text[i].size;
	for (int i = 0; i < writing->layout->area_count; i++)
		if (writing->layout->area[i].role == ROLE_TICK)
			ramp = &writing->layout->area[i];
	gnuplot_words(writing, true);
	gnuplot_rules(writing);
	gnuplot_margins(writing);
	gnuplot_palette(writing);
	gnuplot_frame(writing, "0");
	gnuplot_axis(writing, "x", &chart->x, plot->width, true, false, GNUPLOT_NAMES_MOST);
	gnuplot_axis(writing, "y", &chart->y, plot->height, false, true, GNUPLOT_NAMES_MOST);
	gnuplot_axis(writing, "cb", &chart->z, plot->height, false, false, GNUPLOT_NAMES_MOST);
	if (ramp)
		text_addf(writing->script,
			"set colorbox user origin screen %.4f,%.4f size screen %.4f,%.4f "
			"noborder\n",
			gnuplot_screen_x(ramp->box.x), gnuplot_screen_y(plot->y + plot->height),
			ramp->box.width / LAYOUT_WIDTH, plot->height / LAYOUT_HEIGHT);
	add_grid_data(writing, figure_size);
	text_add(writing->script, "plot data using 1:2:3 with image pixels");
	if (figure_size > 0)
		text_addf(writing->script,
			", data using 1:2:6:5 with labels font ',%.3g' textcolor rgb variable",
			figure_size);
	text_add(writing->script, "\n");
}

/* A title without what is in brackets. */
static void add_short(struct text *script, const char *title)
{
	const char *bracket = strstr(title, " (");
	char name[CHART_TEXT];

	snprintf(name, sizeof(name), "%.*s",
		bracket ? (int)(bracket - title) : (int)sizeof(name) - 1, title);
	gnuplot_quoted(script, name);
	text_add(script, " noenhanced");
}

void gnuplot_write_relief(const struct gnuplot_writing *writing)
{
	const struct chart *chart = writing->chart;

	gnuplot_words(writing, false);
	gnuplot_palette(writing);
	/* All edges but those in front of the land. */
	gnuplot_frame(writing, "895");
	gnuplot_axis(writing, "x", &chart->x, 300, true, false, GNUPLOT_RELIEF_NAMES);
	gnuplot_axis(writing, "y", &chart->y, 300, true, false, GNUPLOT_RELIEF_NAMES);
	gnuplot_axis(writing, "z", &chart->z, 200, false, false, GNUPLOT_NAMES_MOST);
	text_add(writing->script, "set cbrange [");
	gnuplot_number(writing->script, chart->z.scale.low);
	text_add(writing->script, ":");
	gnuplot_number(writing->script, chart->z.scale.high);
	text_addf(writing->script,
		"]\nunset colorbox\nset xrange [0:%d]\nset yrange [0:%d]\nset origin 0.02,0.05\n"
		"set size 0.96,0.88\nset view 66, 135, 1.08, 1.1\n"
		"set xtics offset 0.6,-0.7\nset ytics offset -0.6,-0.7\nset xlabel ",
		chart->x.count - 1, chart->y.count - 1);
	add_short(writing->script, chart->x.title);
	text_add(writing->script, " offset 0,-1\nset ylabel ");
	add_short(writing->script, chart->y.title);
	text_add(writing->script, " offset 0,-1\nset zlabel ");
	add_short(writing->script, chart->z.title);
	text_add(writing->script,
		" rotate\nset pm3d depthorder border linewidth 0.7 linecolor rgb '#404040'\n");
	for (int i = 0; i < chart->mark_count; i++) {
		const struct chart_mark *mark = &chart->mark[i];
		double x = mark->across ? mark->at : 0, y = mark->across ? 0 : mark->at;

		if (!(mark->at >= 0) ||
			mark->at > (mark->across ? chart->x.count : chart->y.count) - 1)
			continue;
		text_add(writing->script, "set label ");
		gnuplot_quoted(writing->script, mark->text);
		text_addf(writing->script,
			" at first %.4f,%.4f, graph 1.06 %s font ',%.3g' noenhanced textcolor rgb ",
			x, y, mark->across ? "right" : "left", SIZE_MARK);
		gnuplot_ink(writing, INK_STATED);
		text_addf(writing->script,
			"\nset arrow from first %.4f,%.4f, graph 0 to first %.4f,%.4f, graph 1 "
			"nohead back "
			"dashtype (5,4) linecolor rgb ",
			x, y, x, y);
		gnuplot_ink(writing, INK_STATED);
		text_add(writing->script, "\n");
	}
	text_add(writing->script, "set xyplane 0\n");
	add_grid_data(writing, 0);
	text_add(writing->script, "splot data using 1:2:3 with pm3d\n");
}
