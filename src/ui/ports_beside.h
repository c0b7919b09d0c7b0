/* What the ports panel shows of a core that counts no ports: micro-ops dispatched, cycles in which
 * nothing went on. */
#ifndef SLX_UI_PORTS_BESIDE_H
#define SLX_UI_PORTS_BESIDE_H

#include "explorer/view.h"
#include "ui/canvas.h"

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
