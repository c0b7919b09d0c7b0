/* Counted events on the panel of ports: counts an iteration, their bars, and the list of the events
 * that belong to no port. Used by panel_ports.c only. */
#pragma once

#include "ui/panels.h"

enum { PORT_EVENTS_FIGURE = 7 }; /* width of a count in columns */

/* Events that belong to no port, in the panel's order: first events of micro-ops, then events of
 * stalled cycles (nonzero counts first). */
struct port_events {
	int count, work; /* count: number of all events; work: number of events of micro-ops */
	int event[COUNTERS_MAX];
};

/* Returns whether events are or will be counted: the plan has events, and hardware counters are
 * available. */
bool port_events_wanted(const struct view *view);

/* Returns whether the ports of the displayed core are or will be counted. Returns false if the
 * events of all ports are unavailable. */
bool port_events_of_ports(const struct view *view);

/* Returns an event's count per iteration; NAN: the count is unknown. */
double port_events_counted(const struct view *view, int event);

/* Draws a bar of length width × value / scale. The bar of a value above 0 has at least one cell. */
void port_events_bar(struct box at, int x, int y, int width, double value, double scale,
	enum style style, enum glyph glyph);

/* Finds the events that belong to no port. If the micro-ops of ports are counted, finds no events.
 */
void port_events_find(const struct view *view, struct port_events *events);

/* Returns the number of rows that all events and their headings need; 0: there are no events. */
int port_events_rows(const struct port_events *events);

void port_events_draw(struct box at, const struct port_events *events, const struct view *view);
