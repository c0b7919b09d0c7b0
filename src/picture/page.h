/* The layout of a chart on its page: the frame of the data, and each label and rule outside the
 * data. Pure: painters only draw. Coordinates are in points, from the upper left corner of the
 * page. */
#pragma once

#include "picture/chart.h"
#include "picture/labels.h"
#include "picture/metrics.h"

/* A 16:9 slide of the usual size, 13 1/3 by 7 1/2 inches. Text that must be legible from the last
 * row of a lecture hall has at least 15 points. */
#define LAYOUT_WIDTH  960.0
#define LAYOUT_HEIGHT 540.0

/* The page of a compact chart, which is part of a document, and has no title and no foot. On a
 * screen 390 pixels wide, the chart's text has about half of its size in points. */
#define COMPACT_WIDTH  640.0
#define COMPACT_HEIGHT 400.0

enum ink {
	INK_PAGE,
	INK_TEXT,
	INK_DIM,
	INK_FAINT,
	INK_GRID,
	INK_STATED,
	INK_FOUND,
	INK_HARD,
	INK_BINDING,
	INK_SOFT,
	INK_MEASURED,
	INK_ON_LIGHT,
	INK_ON_DARK, /* INK_ON_LIGHT and INK_ON_DARK: for text on light and on dark colours of the
			colour ramp */
	INK_COUNT,
	INK_SERIES = 100, /* INK_SERIES + n is the ink of series number n */
};

/* How many halves of a text's width are to the left of the text's x. */
enum layout_anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT };

/* The kind of a label. Programs that draw axes themselves, such as gnuplot, omit the labels of
 * ticks. */
enum layout_role {
	ROLE_HEAD,
	ROLE_FOOT,
	ROLE_AXIS,
	ROLE_TICK,
	ROLE_SERIES,
	ROLE_MARK,
	ROLE_FLAT,
	ROLE_CALL,
	ROLE_CELL
};

struct layout_text {
	enum layout_role role;
	double x, y; /* y of the baseline */
	double size;
	enum layout_anchor anchor;
	bool bold;
	int ink; /* enum ink */
	struct box box;
	char text[CHART_TEXT];
};

enum layout_dash { DASH_SOLID, DASH_LONG, DASH_SHORT, DASH_DOTS, DASH_MIXED, DASH_COUNT };

struct layout_rule {
	enum layout_role role; /* grid lines also have ROLE_TICK */
	double x0, y0, x1, y1;
	double width;
	int ink;
	enum layout_dash dash;
};

/* A filled rectangle: the range of an uncertain cache size, a bar, a part of the colour scale. */
struct layout_area {
	enum layout_role role;
	struct box box;
	int ink;
	bool outlined; /* hatched rather than filled */
	double share; /* 0…1: position on the colour ramp; below 0: the area has the colour of `ink`
		       */
};

struct layout {
	double width, height; /* size of the page, in points */
	struct box plot;      /* the frame of the data */
	int text_count;
	struct layout_text *text;
	int rule_count;
	struct layout_rule *rule;
	int area_count;
	struct layout_area *area;
};

struct layout *layout_new(const struct chart *chart, const struct metrics *metrics);
void layout_free(struct layout *layout);

/* layout_x() and layout_y() return the position of a data point on the page. */
double layout_x(const struct layout *layout, const struct chart *chart, double x);
double layout_y(const struct layout *layout, const struct chart *chart, double y);

/* Returns the position on the colour ramp (0 dark, 1 light) of a value of a heat map; NAN: the
 * value has no colour. */
double layout_shade(const struct chart *chart, double value);

/* Above this position on the colour ramp (0…1), the colours are light, and text on these colours is
 * dark. */
#define LAYOUT_LIGHT 0.46

/* Returns whether the chart has so many series that lines are thin and without bands, and all marks
 * are equal. */
bool layout_crowded(const struct chart *chart);

/* Series differ in dashes and marks, not only in colour. */
enum layout_mark {
	MARK_DISC,
	MARK_SQUARE,
	MARK_DIAMOND,
	MARK_UP,
	MARK_DOWN,
	MARK_CROSS,
	MARK_COUNT
};
enum layout_dash layout_dash(int series);
enum layout_mark layout_mark(const struct chart *chart, int series);
int layout_ink(const struct chart *chart, int series);

/* ---- building a page: for page*.c, and for painters with their own axes ---- */

/* Text sizes in points. */
#define SIZE_TITLE    27.0
#define SIZE_SUBTITLE 16.0
#define SIZE_AXIS     17.0
#define SIZE_TICK     16.0
#define SIZE_LABEL    17.0
#define SIZE_MARK     16.0
#define SIZE_LEAST    12.0
#define SIZE_FOOT     11.0

/* PAGE_SIDE: margin of the page in points. LINE_STEP: line spacing for a text size of 1. */
#define PAGE_SIDE 30.0
#define LINE_STEP 1.22

struct page {
	const struct chart *chart;
	const struct metrics *metrics;
	struct layout *layout;
};

/* page_text(), page_rule() and page_area() add a label, a rule or an area. An empty label is
 * omitted. */
struct layout_text *page_text(struct page *page, enum layout_role role, double x, double y,
	enum layout_anchor anchor, double size, bool bold, int ink, const char *text);
struct layout_rule *page_rule(struct page *page, enum layout_role role, double x0, double y0,
	double x1, double y1, double width, int ink);
struct layout_area *page_area(
	struct page *page, double x, double y, double width, double height, int ink);

/* Adds a label at the largest size from `most` down to `least` at which the label fits into the
 * width `room`. If no size fits, cuts the label with an ellipsis. */
void page_fit(struct page *page, enum layout_role role, double x, double y,
	enum layout_anchor anchor, double most, double least, bool bold, int ink, double room,
	const char *text);

/* Adds an axis' title above the plot, where the title can be horizontal. Returns the y coordinate
 * of the title's baseline. */
double page_title_above(struct page *page, double top, const struct chart_axis *axis);

double page_width(const struct page *page, const char *text, double size, bool bold);

/* The function page_head() adds title and subtitle, and returns the top of the free area. The
 * function page_foot() adds the text in the page's corner, and returns the bottom of the free area.
 */
double page_head(struct page *page);
double page_foot(struct page *page);

/* The functions page_across() and page_upwards() return the space that a tick label needs along an
 * axis, for scale_ticks(). Parameter `context`: the page. */
double page_across(void *context, const char *label);
double page_upwards(void *context, const char *label);

/* The function page_y_width() returns the width of the widest label of the y axis. The function
 * page_y_axis() adds the labels of the y axis, and grid lines if `grid` is true. */
double page_y_width(struct page *page, const struct chart_axis *axis, double height);
void page_y_axis(struct page *page, const struct chart_axis *axis, bool grid);
/* Returns the height that the names of an axis' steps need below their first row, where the axis
 * has this width. The plot must end higher by this. */
double page_lower_names(struct page *page, const struct chart_axis *axis, double width);
/* Adds the x axis below the plot, with its title. */
void page_x_axis(struct page *page, const struct chart_axis *axis, bool grid);

/* Each function fills the layout of one kind of chart. */
void layout_lines(struct page *page);
void layout_heat(struct page *page);
void layout_relief(struct page *page);
void layout_bars(struct page *page);
void layout_spans(struct page *page);
