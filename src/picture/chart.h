/* A chart as data: axes, lines with quartiles, a grid, bars, labels. Three modules make charts:
 * chart_sweep.h, chart_reports.h and explorer/chart_view.h. page.h places every label. pen.c draws
 * the chart with cairo; picture_gnuplot.c writes it as a gnuplot script.
 *
 * To add a kind of chart, add its value to enum chart_kind and its data to struct chart. Then add
 * its row in page_layout.c, pen.c and picture_gnuplot.c. */
#pragma once

#include <stdbool.h>
#include <time.h>

#include "base/scale.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"

enum chart_kind {
	CHART_LINES,  /* series over x */
	CHART_HEAT,   /* the grid as a heat map */
	CHART_RELIEF, /* the grid as a relief */
	CHART_BARS,   /* horizontal bars, one below the other */
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
	char title[CHART_TEXT]; /* "working set"; includes the unit if tick labels have none:
				   "cycles per load" */
	struct scale scale;
	int count; /* SCALE_STEPS: number of steps, and the name of each */
	char (*name)[CHART_NAME];
};

/* A median with its quartiles. */
struct chart_point {
	double x, y, lo, hi; /* y NAN: not measured, a gap in the line; lo, hi NAN: no quartiles */
	double other, other_y; /* lower and upper of two modes; NAN: one mode */
	bool doubtful;	       /* contended, not settled, or provisional: drawn hollow */
};

struct chart_series {
	char name[CHART_NAME]; /* empty: the chart has only this series */
	bool loose; /* published points, drawn next to the measured ones: not joined, without a
		       colour */
	int count;
	struct chart_point *point; /* ascending by x */
};

/* A flat part of a series with its label: "L1d: 5.0 cycles". */
struct chart_flat {
	double from, to, y;
	char text[CHART_NAME];
};

/* A labelled place on an axis: "L1d 48 KiB". The axis is x for lines; for a grid it is y, or x if
 * `across` is set. */
struct chart_mark {
	double at;
	double lo, hi; /* range of the place; both equal to `at`: the place is exact */
	bool stated;   /* reported by the system; otherwise measured */
	bool across;   /* grids: the mark is between columns, not rows */
	bool pages;    /* the mark is the reach of a TLB, not the size of a cache */
	char text[CHART_NAME];
};

/* A label on one point: "highest: 47.3 GB/s". In a grid x and y are step indices. */
struct chart_call {
	int series; /* the series that gives the label its colour; -1: none */
	double x, y;
	char text[CHART_NAME];
};

enum chart_bar_kind { BAR_HARD, BAR_BINDING, BAR_SOFT, BAR_UNKNOWN, BAR_MEASURED };

struct chart_bar {
	enum chart_bar_kind kind;
	char name[CHART_NAME], cause[CHART_TEXT], value_words[CHART_NAME];
	double value, lo, hi; /* NAN: unknown */
};

struct chart {
	enum chart_kind kind;
	char title[CHART_TEXT], subtitle[CHART_TEXT];
	char after[CHART_TEXT];	 /* the authors of the experiment; may be empty */
	char remark[CHART_TEXT]; /* a sentence that explains the chart; may be empty */
	char machine[CHART_TEXT], made[CHART_TEXT]; /* in the corner: machine, time, program */
	char source[CHART_TEXT],
		legend[CHART_TEXT]; /* the source of the numbers; the meaning of the marks */
	struct chart_axis x, y;	    /* bars have only x */
	struct chart_axis z;	    /* scale of a grid's values */
	bool joined;		    /* lines connect the points, because x has an order */
	bool ordered; /* the series follow the values of a knob: shades of one colour show the order
		       */
	int series_count;
	struct chart_series series[CHART_SERIES];
	double *grid;	/* y.count rows of x.count values; NAN: not measured */
	bool *doubtful; /* for each value of the grid: the value is doubtful */
	int flat_count, mark_count, call_count, bar_count;
	struct chart_flat flat[CHART_FLATS];
	struct chart_mark mark[CHART_MARKS];
	struct chart_call call[CHART_CALLS];
	struct chart_bar bar[CHART_BAR_COUNT];
};

/* Formats into an array of char; longer text is cut. */
#define chart_print(array, ...) snprintf((array), sizeof(array), __VA_ARGS__)

struct chart *chart_new(enum chart_kind kind);
void chart_free(struct chart *chart); /* NULL: does nothing */

/* Adds a series without points; a long name is cut. NULL: the chart has CHART_SERIES already. */
struct chart_series *chart_add_series(struct chart *chart, const char *name);
void chart_add_point(struct chart_series *series, const struct chart_point *point);

/* The marks that occur in a series. */
struct chart_shows {
	bool quartiles, modes, doubtful;
};
struct chart_shows chart_series_shows(const struct chart_series *series);

/* Each adds one item. Items beyond the maximum are ignored. */
void chart_add_flat(struct chart *chart, double from, double to, double y, const char *text);
void chart_add_mark(struct chart *chart, const struct chart_mark *mark);
void chart_add_call(struct chart *chart, int series, double x, double y, const char *text);

/* Gives an axis named steps. */
void chart_name_axis(struct chart_axis *axis, const char *const *names, int count);

/* Allocates the grid of x.count × y.count values, all not measured. */
void chart_make_grid(struct chart *chart);

/* Fits the y scale to all points with their quartiles. Fits the x scale to the points, unless it
 * has steps. */
void chart_fit(struct chart *chart, enum scale_kind x, enum scale_kind y);

/* Fits the z scale to the measured values of the grid, and labels the highest value. z.title is a
 * short unit, or words that cannot follow a number. */
void chart_grid_scale(struct chart *chart, double least, double most);

/* The position of a value on a grid's axis, in steps. Between two positive steps the scale is
 * logarithmic, else linear. The position is at most half a step beyond the ends. */
double chart_step(const double *values, int count, double value);

/* ---- the corner ---- */

struct chart_origin {
	const struct machine *machine;
	const char *core;    /* title of its core model; NULL: none */
	const char *when;    /* time of a recording, as written in it; NULL: now */
	const char *program; /* the version that measured it; NULL: this version */
	time_t now;
};

/* Collects the clock source and the numbers of trials over all samples of a chart. Ignores invalid
 * samples. chart_cite() then writes them into the chart, with their origin and the meaning of the
 * chart's marks. */
struct chart_source {
	enum source source;
	unsigned least, most; /* trials */
};

void chart_note(struct chart_source *source, const struct sample *sample);
void chart_cite(
	struct chart *chart, const struct chart_origin *origin, const struct chart_source *source);
