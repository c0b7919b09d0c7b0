/* Counted events, as the counters panel and the ports panel both show them. */
#ifndef SLX_UI_EVENT_ROWS_H
#define SLX_UI_EVENT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "explorer/view.h"
#include "ui/canvas.h"

/* Whether anything of the plan was or is about to be counted: there is a plan, and no reason why
 * there are no counters. */
bool shown_counting(const struct view *view);

/* Whether an event cannot be counted: it has no count, and will have none. */
bool shown_unavailable(const struct view *view, int event);

/* Whether ports of the core on screen are counted, or about to be: those that are unavailable all
 * together are not. */
bool shown_ports(const struct view *view);

/* The mark before a count: "~" before an estimate, else "". event: its place in the plan. */
const char *shown_mark(const struct view *view, int event);

/* Why an event has no count: "counting…", "unavailable: stays at zero …". "" when it has one. */
void shown_absence(const struct view *view, int event, char *buffer, size_t size);

/* ---- rows of events that belong to no port, for the ports panel ---- */

/* Columns of a figure. */
enum { PORTS_FIGURE = 7 };

/* Events that are counted, in the order that they are shown: micro-ops, then cycles in which
 * nothing went on, those that were seen first. */
struct beside {
	int count, work; /* of them micro-ops */
	int event[COUNTERS_MAX];
};

/* None where ports are counted. */
void beside_find(const struct view *view, struct beside *beside);
/* Rows that all of it takes; none: 0. */
int beside_rows(const struct beside *beside);
void beside_draw(struct canvas *canvas, struct rectangle at, const struct beside *beside,
	const struct view *view);

/* A count per element, per iteration; NAN: it is not known. */
double ports_counted(const struct view *view, int event);
/* A bar of that share of a width, never nothing for something. */
void ports_bar(struct canvas *canvas, struct rectangle at, int x, int y, int width, double share,
	enum style style, enum glyph glyph);

#endif
