/* Events of the counters as text for people. */
#ifndef SLX_CLI_EVENT_TEXT_H
#define SLX_CLI_EVENT_TEXT_H

#include "cli/event.h"
#include "cli/format.h"

void event_text_begin(struct report *report);
void event_text(struct report *report, const struct event_line *event);
void event_text_end(struct report *report);

#endif
