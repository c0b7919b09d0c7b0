/* Writes gnuplot scripts. page.h places the frame, the axes and the text; gnuplot draws axes and
 * data from the numbers. */
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "picture/page.h"

/* The maximum number of step names along an axis, and along a side of a relief. */
enum { NAMES_MOST = 64, RELIEF_NAMES = 7 };

struct writing {
	const struct chart *chart;
	const struct layout *layout;
	enum picture_theme theme;
	struct text *script, *data;
};

/* Makes a gnuplot string in single quotes, where no character is special. */
static struct words quoted(const char *string)
{
	struct words words;
	size_t used = 0;

	words.text[used++] = '\'';
	for (; *string && used < sizeof(words.text) - 3; string++) {
		if (*string == '\'')
			words.text[used++] = '\'';
		words.text[used++] = *string;
	}
	memcpy(words.text + used, "'", 2);
	return words;
}

static struct words number(double value)
{
	return isfinite(value) ? words_of("%.9g", value) : words_of("NaN");
}

static unsigned rgb_of(struct colour colour)
{
	return (unsigned)(lround(colour.red * 255) << 16 | lround(colour.green * 255) << 8 |
			  lround(colour.blue * 255));
}

static struct words colour_words(struct colour colour)
{
	return words_of("'#%06x'", rgb_of(colour));
}

static struct words ink_words(const struct writing *writing, int ink)
{
	return colour_words(palette_chart_ink(writing->theme, writing->chart, ink));
}

static double screen_x(double x)
{
	return x / LAYOUT_WIDTH;
}

static double screen_y(double y)
{
	return 1 - y / LAYOUT_HEIGHT;
}

/* ---- parts of every script ---- */

/* The output formats (terminals) of gnuplot differ in font names and in the position of labels
 * below the axis. The SVG output of gnuplot has no bold font. */
static void add_begin(const struct writing *writing, const char *name)
{
	text_addf(writing->script,
		"# %1$s\n# Made by %2$s. `gnuplot %3$s.gp` writes %3$s.svg next to this file;\n"
		"# gnuplot -e \"kind='png'\" or \"kind='pdf'\" before its name writes those.\n"
		"if (!exists(\"kind\")) kind = 'svg'\n"
		"here = strlen(ARG0) > %4$zu ? ARG0[1:strlen(ARG0) - %4$zu] : ''\n"
		"data = here.%5$s.'.dat'\n"
		"face = kind eq 'svg' ? 'sans-serif' : 'sans'\n"
		"bold = kind eq 'svg' ? '' : ':Bold'\nlift = kind eq 'svg' ? 0.55 : 0.4\n"
		"if (kind eq 'png') {\n"
		"\tset terminal pngcairo size 1920,1080 fontscale 1.5 linewidth 2 pointscale 2 "
		"font 'sans,16' background %6$s\n} else { if (kind eq 'pdf') {\n"
		"\tset terminal pdfcairo size 13.333in,7.5in fontscale 0.75 font 'sans,16' "
		"background %6$s\n} else {\n"
		"\tset terminal svg size 960,540 dynamic font 'sans-serif,16' background %6$s\n"
		"} }\nset output here.%5$s.'.'.kind\nset encoding utf8\nunset key\n"
		"set tics scale 0.7,0.4\n",
		writing->chart->title, PACKAGE_STRING, name, strlen(name) + 3, quoted(name).text,
		ink_words(writing, INK_PAGE).text);
}

/* Whether the data of a chart are areas of its layout, and names of rows are next to them. */
static bool has_areas(const struct chart *chart)
{
	return chart->kind == CHART_BARS || chart->kind == CHART_SPANS;
}

static void add_words(const struct writing *writing, bool in_plot)
{
	static const char *const anchors[] = { "left", "center", "right" };
	const struct layout *layout = writing->layout;
	double bottom = layout->plot.y + layout->plot.height;

	for (int i = 0; i < layout->text_count; i++) {
		const struct layout_text *text = &layout->text[i];
		bool tick = text->role == ROLE_TICK, below = text->y > bottom;

		/* gnuplot itself adds the tick labels below the x axis. The script adds the names
		 * of bars next to their bars. */
		if (text->role == ROLE_CELL || (tick && (below || !has_areas(writing->chart))) ||
			(!in_plot && text->role != ROLE_HEAD && text->role != ROLE_FOOT))
			continue;
		text_addf(writing->script,
			"set label %s at screen %.4f,%.4f %s font face.%s',%.3g' noenhanced front "
			"textcolor rgb %s\n",
			quoted(text->text).text, screen_x(text->x),
			screen_y(text->box.y + text->box.height / 2), anchors[text->anchor],
			text->bold ? "bold." : "", text->size, ink_words(writing, text->ink).text);
	}
}

static const char *const dash_types[DASH_COUNT] = {
	[DASH_SOLID] = "solid",
	[DASH_LONG] = "(11,5)",
	[DASH_SHORT] = "(5,4)",
	[DASH_DOTS] = "(1.6,3.6)",
	[DASH_MIXED] = "(11,4,2,4)",
};

/* Adds the lines and filled rectangles of the page that are not part of an axis. */
static void add_rules(const struct writing *writing)
{
	const struct layout *layout = writing->layout;

	for (int i = 0; i < layout->area_count; i++) {
		const struct box *box = &layout->area[i].box;

		if (layout->area[i].role == ROLE_TICK || has_areas(writing->chart))
			continue;
		text_addf(writing->script,
			"set object rectangle from screen %.4f,%.4f to screen %.4f,%.4f behind "
			"fillstyle solid noborder fillcolor rgb %s\n",
			screen_x(box->x), screen_y(box->y), screen_x(box->x + box->width),
			screen_y(box->y + box->height),
			ink_words(writing, layout->area[i].ink).text);
	}
	for (int i = 0; i < layout->rule_count; i++) {
		const struct layout_rule *rule = &layout->rule[i];

		if (rule->role == ROLE_TICK)
			continue;
		text_addf(writing->script,
			"set arrow from screen %.4f,%.4f to screen %.4f,%.4f nohead %s linewidth "
			"%.3g dashtype %s linecolor rgb %s\n",
			screen_x(rule->x0), screen_y(rule->y0), screen_x(rule->x1),
			screen_y(rule->y1), writing->chart->kind == CHART_LINES ? "back" : "front",
			rule->width, dash_types[rule->dash], ink_words(writing, rule->ink).text);
	}
}

static void add_frame(const struct writing *writing, const char *borders)
{
	text_addf(writing->script, "set border %s linewidth 1.4 linecolor rgb %s\n", borders,
		ink_words(writing, INK_DIM).text);
}

static void add_grid_lines(const struct writing *writing, const char *of)
{
	text_addf(writing->script, "set grid %s linetype 1 linewidth 0.8 linecolor rgb %s\n", of,
		ink_words(writing, INK_GRID).text);
}

static bool is_log(const struct scale *scale)
{
	return scale->kind == SCALE_LOG || scale->kind == SCALE_LOG2 || scale->kind == SCALE_BYTES;
}

/* Adds the axis `name` ("x", "y", "cb" or "z") with the ticks of the layout. */
static void add_axis(const struct writing *writing, const char *name, const struct chart_axis *axis,
	double room, bool across, bool reversed, int names_most)
{
	struct page page = { writing->chart, &metrics_plain, NULL };
	struct scale_tick ticks[SCALE_TICKS];
	int count =
		scale_ticks(&axis->scale, room, across ? page_across : page_upwards, &page, ticks);
	struct text *script = writing->script;
	const char *comma = "";

	if (is_log(&axis->scale))
		text_addf(script, "set logscale %s %d\n", name,
			axis->scale.kind == SCALE_LOG ? 10 : 2);
	text_addf(script,
		"set %srange [%s:%s]\nset %stics out nomirror%s font ',%.3g' textcolor rgb %s (",
		name, number(reversed ? axis->scale.high : axis->scale.low).text,
		number(reversed ? axis->scale.low : axis->scale.high).text, name,
		across ? " offset 0,lift" : "", SIZE_TICK, ink_words(writing, INK_TEXT).text);
	for (int i = 0; i < count; i++, comma = ", ")
		text_addf(script, "%s%s %.9g%s", comma, quoted(ticks[i].label).text, ticks[i].value,
			ticks[i].minor ? " 1" : "");
	for (int i = 0; axis->scale.kind == SCALE_STEPS && i < axis->count;
		i += 1 + (axis->count - 1) / names_most, comma = ", ")
		text_addf(script, "%s%s %d", comma, quoted(axis->name[i]).text, i);
	text_add(script, ")\n");
}

static void add_palette(const struct writing *writing)
{
	text_add(writing->script, "set palette defined (");
	for (int i = 0; i <= 7; i++)
		text_addf(writing->script, "%s%d %s", i ? ", " : "", i,
			colour_words(palette_ramp(i / 7.0)).text);
	text_add(writing->script, ")\n");
}

/* Adds the labels and rules of the layout, the position of the plot, and its borders. */
static void add_plot(const struct writing *writing, const char *borders)
{
	const struct box *plot = &writing->layout->plot;

	add_words(writing, true);
	add_rules(writing);
	text_addf(writing->script,
		"set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
		"set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
		screen_x(plot->x), screen_x(plot->x + plot->width), screen_y(plot->y),
		screen_y(plot->y + plot->height));
	if (writing->chart->kind == CHART_HEAT)
		add_palette(writing);
	add_frame(writing, borders);
}

/* ---- series over x ---- */

static void add_points(const struct writing *writing, const struct chart_series *series)
{
	const char *name = series->name[0] ? series->name : writing->chart->y.title;

	text_addf(writing->data,
		"# %s\n# x, median, lower and upper quartile, lower and upper mode if there are "
		"two, 1 if in doubt, 2 if two modes\n",
		name);
	for (int i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->point[i];

		text_addf(writing->data, "%s %s %s %s %s %s %d\n", number(point->x).text,
			number(point->y).text, number(point->lo).text, number(point->hi).text,
			number(point->other).text, number(point->other_y).text,
			isfinite(point->other) && isfinite(point->other_y) ? 2 : point->doubtful);
	}
	/* Two empty lines separate data sets, which gnuplot selects with `index`. In the data file,
	 * a series without points needs a line with NaN values. */
	text_add(writing->data, series->count ? "\n\n" : "NaN NaN NaN NaN NaN NaN 0\n\n\n");
}

static void add_part_words(
	const struct writing *writing, bool *first, int index, int ink, const char *how)
{
	text_addf(writing->script, "%s data index %d %s linecolor rgb %s",
		*first ? "plot" : ", \\\n    ", index, how, ink_words(writing, ink).text);
	*first = false;
}

/* The same with a format. */
#define add_part(writing, first, index, ink, ...) \
	add_part_words(writing, first, index, ink, words_of(__VA_ARGS__).text)

static void add_series(const struct writing *writing, int index, bool *first)
{
	/* gnuplot's numbers of filled and hollow point types, in the order of enum layout_mark. */
	static const int full[MARK_COUNT] = { 7, 5, 13, 9, 11, 1 },
			 hollow[MARK_COUNT] = { 6, 4, 12, 8, 10, 1 };
	const struct chart *chart = writing->chart;
	const struct chart_series *series = &chart->series[index];
	const struct chart_shows shows = chart_series_shows(series);
	bool crowded = layout_crowded(chart);
	int mark = layout_mark(chart, index), ink = layout_ink(chart, index);
	double size = series->count > 90 ? 0.5 : series->count > 40 || crowded ? 0.6 : 0.9;

	if (!chart->joined && chart->y.scale.low == 0)
		add_part(writing, first, index, ink, "using 1:2 with impulses linewidth 4");
	if (chart->joined && !crowded && shows.quartiles)
		add_part(writing, first, index, ink,
			"using 1:3:4 with filledcurves fillstyle transparent solid 0.25 noborder");
	if (shows.quartiles)
		add_part(writing, first, index, ink,
			"using 1:2:3:4 with yerrorbars pointtype 0 linewidth 1.3");
	if (chart->joined && !series->loose)
		add_part(writing, first, index, ink,
			"using 1:2 with lines linewidth %.3g dashtype %s", crowded ? 1.8 : 2.6,
			chart->ordered ? "solid" : dash_types[layout_dash(index)]);
	add_part(writing, first, index, ink,
		"using 1:($7 == 2 ? NaN : $2) with points pointtype %d pointsize %.3g linewidth 2",
		full[mark], size);
	if (shows.doubtful) {
		add_part(writing, first, index, INK_PAGE,
			"using 1:($7 == 1 ? $2 : NaN) with points pointtype %d pointsize %.3g",
			full[mark], size * 0.6);
		add_part(writing, first, index, ink,
			"using 1:($7 == 1 ? $2 : NaN) with points pointtype %d pointsize %.3g "
			"linewidth 2",
			hollow[mark], size);
	}
	if (!shows.modes)
		return;
	add_part(writing, first, index, ink,
		"using 1:5:(0):($6 - $5) with vectors nohead linewidth 1.3");
	for (int column = 5; column <= 6; column++)
		add_part(writing, first, index, ink,
			"using 1:%d with points pointtype %d pointsize %.3g", column, full[mark],
			size);
}

static void write_lines(const struct writing *writing)
{
	const struct chart *chart = writing->chart;
	const struct box *plot = &writing->layout->plot;
	bool first = true;

	add_plot(writing, "1");
	add_axis(writing, "x", &chart->x, plot->width, true, false, NAMES_MOST);
	add_axis(writing, "y", &chart->y, plot->height, false, false, NAMES_MOST);
	add_grid_lines(writing, "ytics");
	for (int i = 0; i < chart->series_count; i++) {
		add_points(writing, &chart->series[i]);
		add_series(writing, i, &first);
	}
	text_add(writing->script, first ? "plot NaN\n" : "\n");
}

/* ---- bars ---- */

static void write_bars(const struct writing *writing)
{
	const struct chart *chart = writing->chart;
	const struct layout *layout = writing->layout;
	const struct box *plot = &layout->plot;
	int bar = 0;

	add_plot(writing, "3");
	add_axis(writing, "x", &chart->x, plot->width, true, false, NAMES_MOST);
	text_add(writing->script, "set yrange [0:1]\nunset ytics\n");
	add_grid_lines(writing, "xtics");
	text_add(writing->data, "# value, lower and upper quartile, lower and upper edge of the "
				"bar, its colour, name, cause\n");
	for (int i = 0; i < layout->area_count && bar < chart->bar_count; i++, bar++) {
		const struct box *box = &layout->area[i].box;
		const struct chart_bar *row;

		while (bar < chart->bar_count - 1 && !isfinite(chart->bar[bar].value))
			bar++;
		row = &chart->bar[bar];
		text_addf(writing->data, "%s %s %s %.4f %.4f %u \"%s\" \"%s\"\n",
			number(row->value).text, number(row->lo).text, number(row->hi).text,
			1 - (box->y + box->height - plot->y) / plot->height,
			1 - (box->y - plot->y) / plot->height,
			rgb_of(palette_chart_ink(writing->theme, chart, layout->area[i].ink)),
			row->name, row->cause);
	}
	text_add(writing->script, layout->area_count
					  ? "plot data using (0):4:(0):1:4:5:6 with boxxyerror "
					    "fillstyle solid noborder linecolor rgb variable\n"
					  : "plot NaN\n");
}

/* ---- spans ---- */

static void write_spans(const struct writing *writing)
{
	const struct chart *chart = writing->chart;
	const struct layout *layout = writing->layout;
	const struct box *plot = &layout->plot;

	add_plot(writing, "3");
	add_axis(writing, "x", &chart->x, plot->width, true, false, NAMES_MOST);
	text_add(writing->script, "set yrange [0:1]\nunset ytics\n");
	add_grid_lines(writing, "xtics");
	text_add(writing->data,
		"# begin, end, lower and upper edge of the span, its colour, name of "
		"its row\n");
	/* The page layout has a rectangle for each span (a part of an instruction's row) that is
	 * drawn. */
	for (int i = 0; i < layout->area_count; i++) {
		const struct box *box = &layout->area[i].box;
		const struct chart_span *span = &chart->span[i];

		text_addf(writing->data, "%s %s %.4f %.4f %u \"%s\"\n", number(span->from).text,
			number(span->to).text, 1 - (box->y + box->height - plot->y) / plot->height,
			1 - (box->y - plot->y) / plot->height,
			rgb_of(palette_chart_ink(writing->theme, chart, layout->area[i].ink)),
			chart->y.name[span->row]);
	}
	text_add(writing->script, layout->area_count
					  ? "plot data using 1:3:1:2:3:4:5 with boxxyerror "
					    "fillstyle solid noborder linecolor rgb variable\n"
					  : "plot NaN\n");
}

/* ---- grids ---- */

static void add_grid_data(const struct writing *writing, double figure_size)
{
	const struct chart *chart = writing->chart;
	struct text *data = writing->data;

	text_addf(data,
		"# column, row, %s, 1 if in doubt, colour of a figure on it; column and row by "
		"name\n",
		chart->z.title);
	for (int cell = 0; cell < chart->x.count * chart->y.count; cell++) {
		int x = cell % chart->x.count, y = cell / chart->x.count;
		double value = chart->grid[cell];
		bool shown = figure_size > 0 && isfinite(value);

		text_addf(data, "%d %d %s %d %d \"%s\" \"%s\" \"%s\"\n%s", x, y, number(value).text,
			chart->doubtful[cell],
			layout_shade(chart, value) > LAYOUT_LIGHT ? 0x101014 : 0xffffff,
			shown ? scale_figure(value).text : "", chart->x.name[x], chart->y.name[y],
			x == chart->x.count - 1 ? "\n" : "");
	}
}

static void write_heat(const struct writing *writing)
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
	add_plot(writing, "0");
	add_axis(writing, "x", &chart->x, plot->width, true, false, NAMES_MOST);
	add_axis(writing, "y", &chart->y, plot->height, false, true, NAMES_MOST);
	add_axis(writing, "cb", &chart->z, plot->height, false, false, NAMES_MOST);
	if (ramp)
		text_addf(writing->script,
			"set colorbox user origin screen %.4f,%.4f size screen %.4f,%.4f "
			"noborder\n",
			screen_x(ramp->box.x), screen_y(plot->y + plot->height),
			ramp->box.width / LAYOUT_WIDTH, plot->height / LAYOUT_HEIGHT);
	add_grid_data(writing, figure_size);
	text_add(writing->script, "plot data using 1:2:3 with image pixels");
	if (chart_grid_doubtful(chart))
		text_addf(writing->script,
			", data using ($1-0.4):($4>0?$2+0.4:1/0) with points pointtype 5 "
			"pointsize 0.8 linecolor rgb %s",
			ink_words(writing, INK_PAGE).text);
	if (figure_size > 0)
		text_addf(writing->script,
			", data using 1:2:6:5 with labels font ',%.3g' textcolor rgb variable",
			figure_size);
	text_add(writing->script, "\n");
}

/* Returns an axis title without its text in brackets. */
static struct words short_title(const char *title)
{
	const char *bracket = strstr(title, " (");
	int length = (int)(bracket ? (size_t)(bracket - title) : strlen(title));

	return quoted(words_of("%.*s", length, title).text);
}

static void write_relief(const struct writing *writing)
{
	const struct chart *chart = writing->chart;
	struct text *script = writing->script;
	const struct words stated = ink_words(writing, INK_STATED);

	add_words(writing, false);
	add_palette(writing);
	/* Draw all edges of the frame except the edges in front of the relief. */
	add_frame(writing, "895");
	add_axis(writing, "x", &chart->x, 300, true, false, RELIEF_NAMES);
	add_axis(writing, "y", &chart->y, 300, true, false, RELIEF_NAMES);
	add_axis(writing, "z", &chart->z, 200, false, false, NAMES_MOST);
	text_addf(script,
		"set cbrange [%s:%s]\nunset colorbox\nset xrange [0:%d]\nset yrange [0:%d]\n"
		"set origin 0.02,0.05\nset size 0.96,0.88\nset view 66, 135, 1.08, 1.1\n"
		"set xtics offset 0.6,-0.7\nset ytics offset -0.6,-0.7\n"
		"set xlabel %s noenhanced offset 0,-1\nset ylabel %s noenhanced offset 0,-1\n"
		"set zlabel %s noenhanced rotate\n"
		"set pm3d depthorder border linewidth 0.7 linecolor rgb '#404040'\n",
		number(chart->z.scale.low).text, number(chart->z.scale.high).text,
		chart->x.count - 1, chart->y.count - 1, short_title(chart->x.title).text,
		short_title(chart->y.title).text, short_title(chart->z.title).text);
	for (int i = 0; i < chart->mark_count; i++) {
		const struct chart_mark *mark = &chart->mark[i];
		double x = mark->across ? mark->at : 0, y = mark->across ? 0 : mark->at;

		if (!(mark->at >= 0) ||
			mark->at > (mark->across ? chart->x.count : chart->y.count) - 1)
			continue;
		text_addf(script,
			"set label %s at first %.4f,%.4f, graph 1.06 %s font ',%.3g' noenhanced "
			"textcolor rgb %s\n"
			"set arrow from first %.4f,%.4f, graph 0 to first %.4f,%.4f, graph 1 "
			"nohead back dashtype (5,4) linecolor rgb %s\n",
			quoted(mark->text).text, x, y, mark->across ? "right" : "left", SIZE_MARK,
			stated.text, x, y, x, y, stated.text);
	}
	text_add(script, "set xyplane 0\n");
	add_grid_data(writing, 0);
	text_add(script, "splot data using 1:2:3 with pm3d");
	if (chart_grid_doubtful(chart))
		text_addf(script,
			", data using 1:2:($4>0?$3:1/0) with points pointtype 6 pointsize 0.8 "
			"linecolor rgb %s",
			ink_words(writing, INK_TEXT).text);
	text_add(script, "\n");
}

void picture_gnuplot(const struct chart *chart, enum picture_theme theme, const char *name,
	struct text *script, struct text *data)
{
	static void (*const kinds[])(const struct writing *writing) = {
		[CHART_LINES] = write_lines,
		[CHART_HEAT] = write_heat,
		[CHART_RELIEF] = write_relief,
		[CHART_BARS] = write_bars,
		[CHART_SPANS] = write_spans,
	};
	struct layout *layout = layout_new(chart, &metrics_plain);
	struct writing writing = { chart, layout, theme, script, data };

	add_begin(&writing, name);
	text_addf(data, "# %s\n# %s\n# %s; %s\n# %s\n", chart->title, chart->subtitle,
		chart->machine, chart->made, chart->source);
	kinds[chart->kind](&writing);
	layout_free(layout);
}
