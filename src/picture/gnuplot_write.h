/* What the parts of picture_gnuplot.c share: a script and its data that grow. */
#ifndef SLX_PICTURE_GNUPLOT_WRITE_H
#define SLX_PICTURE_GNUPLOT_WRITE_H

#include <stdbool.h>

#include "base/text.h"
#include "picture/chart.h"
#include "picture/layout.h"
#include "picture/palette.h"

/* Names of steps along an axis at most; along a side of a landscape. */
enum { GNUPLOT_NAMES_MOST = 64, GNUPLOT_RELIEF_NAMES = 7 };

struct gnuplot_writing {
	const struct chart *chart;
	const struct layout *layout;
	enum picture_theme theme;
	struct text *script, *data;
};

/* A string without any meaning inside; a number, NaN where there is none; an ink's colour. */
void gnuplot_quoted(struct text *text, const char *string);
void gnuplot_number(struct text *text, double value);
struct colour gnuplot_ink_colour(const struct gnuplot_writing *writing, int ink);
void gnuplot_ink(const struct gnuplot_writing *writing, int ink);

/* A place on the page as gnuplot's "screen" has it. */
double gnuplot_screen_x(double x);
double gnuplot_screen_y(double y);
const char *gnuplot_dash_type(enum layout_dash dash);

/* The words of the layout that are none of an axis; in_plot: also those that stand in and around
 * the plot. Rules and areas likewise. */
void gnuplot_words(const struct gnuplot_writing *writing, bool in_plot);
void gnuplot_rules(const struct gnuplot_writing *writing);
void gnuplot_margins(const struct gnuplot_writing *writing);

/* "x", "y", "cb" or "z", with the ticks that the layout has; `room` is its length. names_most: of
 * steps. */
void gnuplot_axis(const struct gnuplot_writing *writing, const char *name,
	const struct chart_axis *axis, double room, bool across, bool reversed, int names_most);
void gnuplot_frame(const struct gnuplot_writing *writing, const char *borders);
void gnuplot_grid(const struct gnuplot_writing *writing, const char *of);
void gnuplot_palette(const struct gnuplot_writing *writing);

/* One for each kind of chart (gnuplot_lines.c, gnuplot_grid.c). */
void gnuplot_write_lines(const struct gnuplot_writing *writing);
void gnuplot_write_bars(const struct gnuplot_writing *writing);
void gnuplot_write_heat(const struct gnuplot_writing *writing);
void gnuplot_write_relief(const struct gnuplot_writing *writing);

#endif
