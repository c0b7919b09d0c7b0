/* The layout's inside, shared by layout*.c alone: a page that grows word by word. */
#ifndef SLX_PICTURE_LAYOUT_BUILD_H
#define SLX_PICTURE_LAYOUT_BUILD_H

#include "picture/layout.h"

/* Sizes of words, points. */
#define SIZE_TITLE    27.0
#define SIZE_SUBTITLE 16.0
#define SIZE_AXIS     17.0
#define SIZE_TICK     16.0
#define SIZE_LABEL    17.0
#define SIZE_MARK     16.0
#define SIZE_LEAST    12.0
#define SIZE_FOOT     11.0

/* Margins of the page; of lines of text, the distance from one to the next for a size of 1. */
#define PAGE_SIDE 30.0
#define LINE_STEP 1.22

struct page {
	const struct chart *chart;
	const struct metrics *metrics;
	struct layout *layout;
};

/* A further word, and a rule, and an area. Words that are empty are left out. */
struct layout_text *page_text(struct page *page, enum layout_role role, double x, double y,
	enum layout_anchor anchor, double size, bool bold, int ink, const char *text);
struct layout_rule *page_rule(struct page *page, enum layout_role role, double x0, double y0,
	double x1, double y1, double width, int ink);
struct layout_area *page_area(
	struct page *page, double x, double y, double width, double height, int ink);

double page_width(const struct page *page, const char *text, double size, bool bold);

/* Title and subtitle: returns where the rest may begin. Corner: returns where it has to end. */
double page_head(struct page *page);
double page_foot(struct page *page);

/* What ticks take along an axis: for scale_ticks(). context: the page. */
double page_across(void *context, const char *label);
double page_upwards(void *context, const char *label);

/* The y axis of the plot: its grid and labels. Returns how wide the widest label is. */
double page_y_width(struct page *page, const struct chart_axis *axis, double height);
void page_y_axis(struct page *page, const struct chart_axis *axis, bool grid);
/* The x axis below the plot, with its title. */
void page_x_axis(struct page *page, const struct chart_axis *axis, bool grid);

/* One for each kind. */
void layout_lines(struct page *page);
void layout_heat(struct page *page);
void layout_relief(struct page *page);
void layout_bars(struct page *page);

#endif
