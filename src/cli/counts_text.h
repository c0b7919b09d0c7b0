/* What was counted, as text for people. */
#ifndef SLX_CLI_COUNTS_TEXT_H
#define SLX_CLI_COUNTS_TEXT_H

#include "cli/format.h"

/* The lines of one sample about its counters. None where there are no counters. */
void counts_text_sample(const struct report *report, const struct sample *sample);

#endif
