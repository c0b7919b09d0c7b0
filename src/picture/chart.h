/* A chart as data: axes, lines with quartiles, a grid, bars, labels. Three modules make charts:
 * chart_sweep.h, chart_reports.h and explorer/chart_view.h. The module page.h places every label. A
 * chart is drawn with cairo by pen.c, or written as a gnuplot script by picture_gnuplot.c. A new
 * kind of chart needs a value in enum chart_kind and data in struct chart. A new kind of chart also
 * needs a row in the tables of page_layout.c, pen.c and picture_gnuplot.c. */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "base/scale.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "model/memory/cache_sizes.h"

enum chart_kind {
	CHART_LINES,  /* series over x */
	CHART_HEAT,   /* a grid of values as a heat map */
	CHART_RELIEF, /* the grid as a relief */
	CHART_BARS,   /* horizontal bars, one below the other */
	CHART_SPANS,  /* rows of spans over x, with links between rows: a timeline */
};

enum {
	CHART_TEXT = 200,
	CHART_NAME = 48,
	CHART_SERIES = 20,
	CHART_FLATS = 16,
	CHART_MARKS = 16,
	CHART_CALLS = 16,
	CHART_BAR_COUNT = 32
};

struct chart_axis {
	char title[CHART_TEXT]; /* title of the axis: "working set"; the title includes the unit if
				   the tick labels have no unit: "cycles per load" */
	struct scale scale;
	int count; /* for a scale of SCALE_STEPS: number of steps, and the name of each step */
	char (*name)[CHART_NAME];
};

/* A median with its quartiles. */
struct chart_point {
	double x, y, lo, hi;   /* lo and hi are the quartiles of y (NAN: unknown); y is NAN in a gap
				  of the line */
	double other, other_y; /* lower and upper value of a point whose trials form two separate
				  groups (modes); NAN: one group */
	bool doubtful; /* the value is contended, not settled, or provisional: the point is drawn
			  hollow */
};

struct chart_series {
	char name[CHART_NAME]; /* name of the series; empty if the chart has only this series */
	bool loose; /* the points of this series are published values: no line joins the points, and
		       they have no colour of their own */
	int count;
	struct chart_point *point; /* ascending by x */
};

/* A flat part of a series with its label: "L1d: 5.0 cycles". */
struct chart_flat {
	double from, to, y;
	char text[CHART_NAME];
};

/* A mark is a labelled place on an axis, such as the size of a cache: "L1d 48 KiB". A chart of
 * lines has marks on the x axis. A grid has marks on the y axis, or on the x axis if `across` is
 * set. */
struct chart_mark {
	double at;
	double lo, hi; /* range of the mark's place on the axis; if lo and hi equal `at`, the place
			  is exact */
	bool stated;   /* the mark's place was reported by the system; false: the place was measured
			*/
	bool across;   /* in a grid, the mark (the size of a cache, for example) is between two
			  columns, not between two rows */
	bool pages; /* the mark is the number of bytes that the pages of a TLB cover, not the size
		       of a cache */
	char text[CHART_NAME];
};

/* A label on one point: "highest: 47.3 GB/s". In a grid, x and y are indices of steps on the axes.
 */
struct chart_call {
	int series; /* index of the series (curve) whose colour the label has; -1: the label has no
		       series */
	double x, y;
	char text[CHART_NAME];
};

enum chart_bar_kind { BAR_HARD, BAR_BINDING, BAR_SOFT, BAR_UNKNOWN, BAR_MEASURED };

struct chart_bar {
	enum chart_bar_kind kind;
	char name[CHART_NAME], cause[CHART_TEXT], value_words[CHART_NAME];
	double value, lo, hi; /* NAN: unknown */
};

/* A part of an instruction's row in a timeline, from one cycle to another. */
enum chart_span_kind {
	SPAN_WAITS,    /* the instruction of the row waits: a thin line */
	SPAN_WORKS,    /* the instruction of the row executes */
	SPAN_CHAIN,    /* the instruction of the row executes, on the slowest dependency chain */
	SPAN_FINISHED, /* the instruction of the row is done: a thin, light line */
};

struct chart_span {
	int row;
	enum chart_span_kind kind;
	double from, to;
	char text[8]; /* a short word in this part of the row; may be empty */
};

/* A line from the end of one instruction's bar to the start of the bar of an instruction that needs
 * its result. */
struct chart_link {
	int from, to; /* rows, from < to */
	double out, in;
	bool chain; /* part of the slowest chain */
	bool slack; /* the instruction that needs the result waits for another, later input */
};

struct chart {
	enum chart_kind kind;
	bool compact; /* a small page; its title and foot are in the document around it */
	char title[CHART_TEXT], subtitle[CHART_TEXT];
	char after[CHART_TEXT];	 /* the authors of the experiment; may be empty */
	char remark[CHART_TEXT]; /* a sentence that explains the chart; may be empty */
	char machine[CHART_TEXT], made[CHART_TEXT];  /* text in the page's corner: the machine; the
							time of the measurement and the program */
	char source[CHART_TEXT], legend[CHART_TEXT]; /* the source of the chart's numbers; the
							meaning of the chart's marks */
	struct chart_axis x, y;			     /* bars have only x */
	struct chart_axis z;			     /* scale of a grid's values */
	bool joined;  /* lines connect the points of a series, because the values on the x axis have
			 an order */
	bool ordered; /* each series is the curve for one value of a knob, and shades of one colour
		       * show the order of these values
		       */
	int series_count;
	struct chart_series series[CHART_SERIES];
	double *grid; /* the values of a grid: y.count rows of x.count values; NAN: not measured */
	bool *doubtful; /* for each value of the grid: whether the value is doubtful */
	double *spread; /* for each value of the grid: half the distance between its quartiles, as a
			   share of the value; NAN: unknown */
	int flat_count, mark_count, call_count, bar_count;
	struct chart_flat flat[CHART_FLATS];
	struct chart_mark mark[CHART_MARKS];
	struct chart_call call[CHART_CALLS];
	struct chart_bar bar[CHART_BAR_COUNT];
	/* Spans and links of rows; y.name has the name of each row, the first row on top. */
	int span_count, link_count;
	struct chart_span *span;
	struct chart_link *link;
};

/* Formats into an array of char of at most CHART_TEXT bytes; longer text is cut. The text is made
 * safe as by text_add_clean(), because a line of a gnuplot script is a command. */
#define chart_print(array, ...) chart_format((array), sizeof(array), __VA_ARGS__)
void chart_format(char *buffer, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

struct chart *chart_new(enum chart_kind kind);
void chart_free(struct chart *chart); /* NULL: does nothing */

/* Adds a series without points; a long name is cut. Returns NULL if the chart already has
 * CHART_SERIES series. */
struct chart_series *chart_add_series(struct chart *chart, const char *name);
void chart_add_point(struct chart_series *series, const struct chart_point *point);

/* Whether a series has points with quartiles, points whose trials form two groups (modes), or
 * doubtful points. */
struct chart_shows {
	bool quartiles, modes, doubtful;
};
struct chart_shows chart_series_shows(const struct chart_series *series);
/* Whether a value of the chart's grid is contended or not settled. */
bool chart_grid_doubtful(const struct chart *chart);

/* chart_add_flat() adds a flat part, chart_add_mark() a mark, and chart_add_call() a label to the
 * chart. Additions beyond the chart's maximum are ignored. */
void chart_add_flat(struct chart *chart, double from, double to, double y, const char *text);
void chart_add_mark(struct chart *chart, const struct chart_mark *mark);
void chart_add_call(struct chart *chart, int series, double x, double y, const char *text);

void chart_add_span(struct chart *chart, const struct chart_span *span);
void chart_add_link(struct chart *chart, const struct chart_link *link);

/* Gives an axis named steps. */
void chart_name_axis(struct chart_axis *axis, const char *const *names, int count);

/* Allocates the chart's grid of x.count × y.count values, and sets each value to NAN (not
 * measured). */
void chart_make_grid(struct chart *chart);

/* Fits the y scale to all points with their quartiles. Fits the x scale to the points, unless the x
 * axis has steps. */
void chart_fit(struct chart *chart, enum scale_kind x, enum scale_kind y);

/* Fits the z scale to the measured values of the grid, and labels the highest value. The label of
 * the highest value ends with its unit if z.title is shorter than 8 bytes. */
void chart_grid_scale(struct chart *chart, double least, double most);

/* Returns the position of a value on a grid's axis, in steps. Between two steps with positive
 * values the axis is logarithmic, otherwise linear. The position is at most half a step beyond the
 * ends of the axis. */
double chart_step(const double *values, int count, double value);

/* ---- the corner ---- */

struct chart_origin {
	const struct machine *machine;
	const struct cache_sizes *caches; /* NULL: the sizes that the machine states */
	const char *core;		  /* title of the machine's core model; NULL: no model */
	const char *when;    /* time of a recording, as written in the recording; NULL: use `now` */
	const char *program; /* version of slexplore that measured the data; NULL: the running
				version */
	time_t now;
};

/* The function chart_note() collects the clock source and the numbers of trials over all valid
 * samples of a chart. The function chart_cite() writes the source, the numbers of trials, the
 * chart's origin, and the meaning of its marks into the chart. */
struct chart_source {
	enum source source;
	unsigned least, most; /* trials */
};

void chart_note(struct chart_source *source, const struct sample *sample);
void chart_cite(
	struct chart *chart, const struct chart_origin *origin, const struct chart_source *source);
