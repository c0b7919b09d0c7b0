/* The frame, the axes and the words stand where layout.h has them; gnuplot draws axes and data from
 * the numbers. */
#include "picture/picture_gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "picture/gnuplot_write.h"
#include "picture/layout_build.h"

/* A string as gnuplot takes it, without any meaning inside. */
void gnuplot_quoted(struct text *text, const char *string)
{
	text_add(text, "'");
	for (; *string; string++) {
		if (*string == '\'')
			text_add(text, "''");
		else
			text_addn(text, string, 1);
	}
	text_add(text, "'");
}

void gnuplot_number(struct text *text, double value)
{
	if (isfinite(value))
		text_addf(text, "%.9g", value);
	else
		text_add(text, "NaN");
}

static void gnuplot_colour(struct text *text, struct colour colour)
{
	text_addf(text, "'#%02x%02x%02x'", (unsigned)lround(colour.red * 255),
		(unsigned)lround(colour.green * 255), (unsigned)lround(colour.blue * 255));
}

struct colour gnuplot_ink_colour(const struct gnuplot_writing *writing, int ink)
{
	const struct chart *chart = writing->chart;

	if (ink >= INK_SERIES && chart->ordered && chart->series_count > 1)
		return palette_ordered(writing->theme, ink - INK_SERIES, chart->series_count);
	return palette_ink(writing->theme, ink);
}

void gnuplot_ink(const struct gnuplot_writing *writing, int ink)
{
	gnuplot_colour(writing->script, gnuplot_ink_colour(writing, ink));
}

double gnuplot_screen_x(double x)
{
	return x / LAYOUT_WIDTH;
}

double gnuplot_screen_y(double y)
{
	return 1 - y / LAYOUT_HEIGHT;
}

/* ---- what all have ---- */

static void add_begin(const struct gnuplot_writing *writing, const char *name)
{
	struct text *script = writing->script;

	text_addf(script,
		"# %s\n# Made by %s. `gnuplot %s.gp` writes %s.svg beside this file;\n"
		"# gnuplot -e \"kind='png'\" or \"kind='pdf'\" before its name writes those.\n",
		writing->chart->title, PACKAGE_STRING, name, name);
	text_addf(script,
		"if (!exists(\"kind\")) kind = 'svg'\nhere = strlen(ARG0) > %zu ? "
		"ARG0[1:strlen(ARG0) - %zu] : ''\ndata = here.",
		strlen(name) + 3, strlen(name) + 3);
	gnuplot_quoted(script, name);
	text_add(script, ".'.dat'\n");
	/* The terminals spell fonts, and place what is below the axis, each in a way of its own;
	 * that of SVG knows nothing bold. */
	text_add(script,
		"face = kind eq 'svg' ? 'sans-serif' : 'sans'\n"
		"bold = kind eq 'svg' ? '' : ':Bold'\nlift = kind eq 'svg' ? 0.55 : 0.4\n");
	text_add(script, "if (kind eq 'png') {\n"
			 "\tset terminal pngcairo size 1920,1080 fontscale 1.5 linewidth 2 "
			 "pointscale 2 font 'sans,16' background ");
	gnuplot_ink(writing, INK_PAGE);
	text_add(script, "\n} else { if (kind eq 'pdf') {\n"
			 "\tset terminal pdfcairo size 13.333in,7.5in fontscale 0.75 font "
			 "'sans,16' background ");
	gnuplot_ink(writing, INK_PAGE);
	text_add(script, "\n} else {\n\tset terminal svg size 960,540 dynamic font 'sans-serif,16' "
			 "background ");
	gnuplot_ink(writing, INK_PAGE);
	text_add(script, "\n} }\nset output here.");
	gnuplot_quoted(script, name);
	text_add(script, ".'.'.kind\nset encoding utf8\nunset key\nset tics scale 0.7,0.4\n");
}

void gnuplot_words(const struct gnuplot_writing *writing, bool in_plot)
{
	const struct layout *layout = writing->layout;

	for (int i = 0; i < layout->text_count; i++) {
		const struct layout_text *text = &layout->text[i];
		static const char *const anchors[] = { "left", "center", "right" };

		if (text->role == ROLE_CELL ||
			(text->role == ROLE_TICK && writing->chart->kind != CHART_BARS))
			continue;
		if (!in_plot && text->role != ROLE_HEAD && text->role != ROLE_FOOT)
			continue;
		/* Of bars, names are below no axis. */
		if (text->role == ROLE_TICK && text->y > layout->plot.y + layout->plot.height)
			continue;
		text_add(writing->script, "set label ");
		gnuplot_quoted(writing->script, text->text);
		text_addf(writing->script,
			" at screen %.4f,%.4f %s font face.%s',%.3g' noenhanced front textcolor "
			"rgb ",
			gnuplot_screen_x(text->x),
			gnuplot_screen_y(text->box.y + text->box.height / 2), anchors[text->anchor],
			text->bold ? "bold." : "", text->size);
		gnuplot_ink(writing, text->ink);
		text_add(writing->script, "\n");
	}
}

const char *gnuplot_dash_type(enum layout_dash dash)
{
	static const char *const types[DASH_COUNT] = {
		[DASH_SOLID] = "solid",
		[DASH_LONG] = "(11,5)",
		[DASH_SHORT] = "(5,4)",
		[DASH_DOTS] = "(1.6,3.6)",
		[DASH_MIXED] = "(11,4,2,4)",
	};

	return types[dash];
}

/* Rules and areas that are no part of an axis. */
void gnuplot_rules(const struct gnuplot_writing *writing)
{
	const struct layout *layout = writing->layout;

	for (int i = 0; i < layout->area_count; i++) {
		const struct box *box = &layout->area[i].box;

		if (layout->area[i].role == ROLE_TICK || writing->chart->kind == CHART_BARS)
			continue;
		text_addf(writing->script,
			"set object rectangle from screen %.4f,%.4f to screen %.4f,%.4f behind "
			"fillstyle solid "
			"noborder fillcolor rgb ",
			gnuplot_screen_x(box->x), gnuplot_screen_y(box->y),
			gnuplot_screen_x(box->x + box->width),
			gnuplot_screen_y(box->y + box->height));
		gnuplot_ink(writing, layout->area[i].ink);
		text_add(writing->script, "\n");
	}
	for (int i = 0; i < layout->rule_count; i++) {
		const struct layout_rule *rule = &layout->rule[i];

		if (rule->role == ROLE_TICK)
			continue;
		text_addf(writing->script,
			"set arrow from screen %.4f,%.4f to screen %.4f,%.4f nohead %s linewidth "
			"%.3g dashtype %s "
			"linecolor rgb ",
			gnuplot_screen_x(rule->x0), gnuplot_screen_y(rule->y0),
			gnuplot_screen_x(rule->x1), gnuplot_screen_y(rule->y1),
			writing->chart->kind == CHART_LINES ? "back" : "front", rule->width,
			gnuplot_dash_type(rule->dash));
		gnuplot_ink(writing, rule->ink);
		text_add(writing->script, "\n");
	}
}

void gnuplot_margins(const struct gnuplot_writing *writing)
{
	const struct box *plot = &writing->layout->plot;

	text_addf(writing->script,
		"set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen "
		"%.4f\n"
		"set bmargin at screen %.4f\n",
		gnuplot_screen_x(plot->x), gnuplot_screen_x(plot->x + plot->width),
		gnuplot_screen_y(plot->y), gnuplot_screen_y(plot->y + plot->height));
}

static bool is_log(const struct scale *scale)
{
	return scale->kind == SCALE_LOG || scale->kind == SCALE_LOG2 || scale->kind == SCALE_BYTES;
}

/* "x", "y", "cb" or "z", with the ticks that the layout would have. */
void gnuplot_axis(const struct gnuplot_writing *writing, const char *name,
	const struct chart_axis *axis, double room, bool across, bool reversed, int names_most)
{
	struct page page = { writing->chart, &metrics_plain, NULL };
	struct tick ticks[TICKS_MAX];
	int count = scale_ticks(
		    &axis->scale, room, across ? page_across : page_upwards, &page, ticks),
	    written = 0;
	struct text *script = writing->script;

	if (is_log(&axis->scale))
		text_addf(script, "set logscale %s %d\n", name,
			axis->scale.kind == SCALE_LOG ? 10 : 2);
	text_addf(script, "set %srange [", name);
	gnuplot_number(script, reversed ? axis->scale.high : axis->scale.low);
	text_add(script, ":");
	gnuplot_number(script, reversed ? axis->scale.low : axis->scale.high);
	text_addf(script, "]\nset %stics out nomirror%s font ',%.3g' textcolor rgb ", name,
		across ? " offset 0,lift" : "", SIZE_TICK);
	gnuplot_ink(writing, INK_TEXT);
	text_add(script, " (");
	for (int i = 0; i < count; i++) {
		text_add(script, written++ ? ", " : "");
		gnuplot_quoted(script, ticks[i].label);
		text_addf(script, " %.9g%s", ticks[i].value, ticks[i].minor ? " 1" : "");
	}
	for (int i = 0; axis->scale.kind == SCALE_STEPS && i < axis->count;
		i += 1 + (axis->count - 1) / names_most) {
		text_add(script, written++ ? ", " : "");
		gnuplot_quoted(script, axis->name[i]);
		text_addf(script, " %d", i);
	}
	text_add(script, ")\n");
}

void gnuplot_frame(const struct gnuplot_writing *writing, const char *borders)
{
	text_addf(writing->script, "set border %s linewidth 1.4 linecolor rgb ", borders);
	gnuplot_ink(writing, INK_DIM);
	text_add(writing->script, "\n");
}

void gnuplot_grid(const struct gnuplot_writing *writing, const char *of)
{
	text_addf(writing->script, "set grid %s linetype 1 linewidth 0.8 linecolor rgb ", of);
	gnuplot_ink(writing, INK_GRID);
	text_add(writing->script, "\n");
}

void gnuplot_palette(const struct gnuplot_writing *writing)
{
	text_add(writing->script, "set palette defined (");
	for (int i = 0; i <= 7; i++) {
		text_addf(writing->script, "%s%d ", i ? ", " : "", i);
		gnuplot_colour(writing->script, palette_ramp(i / 7.0));
	}
	text_add(writing->script, ")\n");
}

void picture_gnuplot(const struct chart *chart, enum picture_theme theme, const char *name,
	struct text *script, struct text *data)
{
	static void (*const kinds[])(const struct gnuplot_writing *writing) = {
		[CHART_LINES] = gnuplot_write_lines,
		[CHART_HEAT] = gnuplot_write_heat,
		[CHART_RELIEF] = gnuplot_write_relief,
		[CHART_BARS] = gnuplot_write_bars,
	};
	struct layout *layout = layout_new(chart, &metrics_plain);
	struct gnuplot_writing writing = { chart, layout, theme, script, data };

	add_begin(&writing, name);
	text_addf(data, "# %s\n# %s\n# %s; %s\n# %s\n", chart->title, chart->subtitle,
		chart->machine, chart->made, chart->source);
	kinds[chart->kind](&writing);
	layout_free(layout);
}
