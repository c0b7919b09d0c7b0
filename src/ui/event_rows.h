/* Counted events, as the counters panel and the ports panel show them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "explorer/view.h"
#include "ui/canvas.h"

/* Whether an event is unavailable: it has no count and will get none. */
bool shown_unavailable(const struct view *view, int event);

/* Whether ports of the core on screen are or will be counted. False if all of them are unavailable.
 */
bool shown_ports(const struct view *view);

/* "~" before an estimated count, else "". event: index in the plan. */
const char *shown_mark(const struct view *view, int event);

/* Why an event has no count: "counting…", "unavailable: stays at zero …". "" if it has one. */
void shown_absence(const struct view *view, int event, char *buffer, size_t size);

/* ---- rows of events that belong to no port, for the ports panel ---- */

/* Columns of a number. */
enum { PORTS_FIGURE = 7 };

/* Events that belong to no port, in the order shown: micro-ops, then stalled cycles with the
 * nonzero ones first. */
struct beside {
	int count, work; /* micro-ops among them */
	int event[COUNTERS_MAX];
};

/* Finds no events where ports are counted. */
void beside_find(const struct view *view, struct beside *beside);
/* Rows that all of them need; 0: there are none. */
int beside_rows(const struct beside *beside);
void beside_draw(struct canvas *canvas, struct rectangle at, const struct beside *beside,
	const struct view *view);

/* The count of an iteration; NAN: unknown. */
double ports_counted(const struct view *view, int event);
/* A bar of `share` of the width. A share above 0 has at least one cell. */
void ports_bar(struct canvas *canvas, struct rectangle at, int x, int y, int width, double share,
	enum style style, enum glyph glyph);
