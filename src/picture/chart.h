/* What a picture shows, as data: axes, lines with their quartiles, a grid, bars, words beside them.
 * Makers (chart_sweep.h, chart_view.h, chart_ladder.h, chart_probe.h, chart_windows.h) fill one,
 * layout.h finds a place for every word, and painters draw it: with cairo (cairo.c), for gnuplot
 * (gnuplot.c). Nothing here measures or draws.
 *
 * To add a kind of chart: its value in enum chart_kind and what it shows in struct chart; its row
 * in layout.c, in draw.c and in gnuplot.c. */
#ifndef SLX_PICTURE_CHART_H
#define SLX_PICTURE_CHART_H

#include <stdbool.h>
#include <time.h>

#include "base/scale.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"

enum chart_kind {
	CHART_LINES,  /* series over x */
	CHART_HEAT,   /* the grid from above */
	CHART_RELIEF, /* the grid as a landscape */
	CHART_BARS,   /* bars that lie, one below the other */
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
	char title[CHART_TEXT]; /* "working set", with its unit where labels do not have one:
				   "cycles per load" */
	struct scale scale;
	int count; /* SCALE_STEPS: its values, and the name of each */
	char (*name)[CHART_NAME];
};

/* A median with its quartiles. */
struct chart_point {
	double x, y, lo,
		hi; /* y NAN: not measured, the line has a gap; lo, hi NAN: without quartiles */
	double other, other_y; /* of two modes the lower and the upper one; NAN: it has one */
	bool doubtful;	       /* contended, not settled, or provisional: drawn hollow */
};

struct chart_series {
	char name[CHART_NAME]; /* empty: the only one, which needs none */
	bool loose; /* somebody else's points, beside the measured ones: not joined, and of no
		       colour */
	int count, room;
	struct chart_point *point; /* ascending by x */
};

/* A flat part of a series, with words on it: "L1d: 5.0 cycles". */
struct chart_flat {
	double from, to, y;
	char text[CHART_NAME];
};

/* A place on an axis (of lines on x, of a grid on y unless it lies across) with words: "L1d 48
 * KiB". */
struct chart_mark {
	double at;
	double lo, hi; /* it lies somewhere in this range; both equal to `at`: right there */
	bool stated;   /* the system says so; otherwise it was measured */
	bool across;   /* of a grid: it lies between columns, not rows */
	bool pages;    /* how far a TLB reaches, which is no cache */
	char text[CHART_NAME];
};

/* Words on one point of a chart: "highest: 47.3 GB/s". In a grid x and y are indices of its steps.
 */
struct chart_call {
	int series; /* whose colour the words have; -1: no one's */
	double x, y;
	char text[CHART_NAME];
};

enum chart_bar_kind { BAR_HARD, BAR_BINDING, BAR_SOFT, BAR_UNKNOWN, BAR_MEASURED };

struct chart_bar {
	enum chart_bar_kind kind;
	char name[CHART_NAME], cause[CHART_TEXT], value_words[CHART_NAME];
	double value, lo, hi; /* NAN where unknown */
};

struct chart {
	enum chart_kind kind;
	char title[CHART_TEXT], subtitle[CHART_TEXT];
	char after[CHART_TEXT];	 /* whose experiment it is; may be empty */
	char remark[CHART_TEXT]; /* what is to be seen, in a sentence; may be empty */
	char machine[CHART_TEXT],
		made[CHART_TEXT]; /* in the corner: which machine; when, and by what */
	char source[CHART_TEXT],
		legend[CHART_TEXT]; /* where the numbers come from; what the marks mean */
	struct chart_axis x, y;	    /* of bars x alone */
	struct chart_axis z;	    /* of a grid: its values */
	bool joined;		    /* lines join the points: x has an order */
	bool ordered; /* the series are in the order of a knob: shades of one scale tell them better
			 than many colours */
	int series_count;
	struct chart_series series[CHART_SERIES];
	double *grid;	/* y.count rows of x.count values; NAN: not measured */
	bool *doubtful; /* likewise */
	int flat_count, mark_count, call_count, bar_count;
	struct chart_flat flat[CHART_FLATS];
	struct chart_mark mark[CHART_MARKS];
	struct chart_call call[CHART_CALLS];
	struct chart_bar bar[CHART_BAR_COUNT];
};

struct chart *chart_new(enum chart_kind kind);
void chart_free(struct chart *chart); /* NULL: nothing */

/* A further series, which has no point yet; the name is cut where it must be. NULL when there are
 * CHART_SERIES. */
struct chart_series *chart_add_series(struct chart *chart, const char *name);
void chart_add_point(struct chart_series *series, const struct chart_point *point);

/* Further ones of their kind; beyond the room for them they are left out. */
void chart_add_flat(struct chart *chart, double from, double to, double y, const char *text);
void chart_add_mark(struct chart *chart, const struct chart_mark *mark);
void chart_add_call(struct chart *chart, int series, double x, double y, const char *text);

/* Steps with names for an axis. */
void chart_name_axis(struct chart_axis *axis, const char *const *names, int count);

/* Room for the grid: x.count × y.count, nothing measured. */
void chart_make_grid(struct chart *chart);

/* Fits the y scale to every point with its quartiles, and the x scale to their places unless it has
 * steps. */
void chart_fit(struct chart *chart, enum scale_kind x, enum scale_kind y);

/* The scale of a grid's values, which are there, and its highest one called by its figure (z.title
 * is a short unit, or words that do not stand behind a figure). */
void chart_grid_scale(struct chart *chart, double least, double most);

/* The place of a value among a grid's steps, on a logarithmic scale between two of them, and half a
 * step beyond the ends at the furthest. */
double chart_step(const double *values, int count, double value);

/* ---- what stands in the corner ---- */

struct chart_origin {
	const struct machine *machine;
	const char *core;    /* title of its core model; NULL: none */
	const char *when;    /* of a recording, as it was written; NULL: now */
	const char *program; /* the version that measured it; NULL: this one */
	time_t now;
};

void chart_sign(struct chart *chart, const struct chart_origin *origin);

/* Where cycles come from, and how many trials the medians are of. Takes one sample after the other;
 * those that are not valid count for nothing. Then chart_cite() writes it, and what the marks of
 * this chart mean. */
struct chart_source {
	enum source source;
	unsigned least, most; /* trials */
};

void chart_note(struct chart_source *source, const struct sample *sample);
void chart_cite(
	struct chart *chart, const struct machine *machine, const struct chart_source *source);

#endif
