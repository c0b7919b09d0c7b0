/* What panels say of counts, in common. */
#ifndef SLX_UI_SHOWN_COUNTS_H
#define SLX_UI_SHOWN_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "explorer/view.h"

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

#endif
