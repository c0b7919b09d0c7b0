/* The parts of formats that tell expected misses (misses_text.c). */
#ifndef SLX_CLI_MISSES_TEXT_H
#define SLX_CLI_MISSES_TEXT_H

#include "cli/format.h"
#include "model/limits/misses.h"

/* Of the setting that is written next: as its explanation has them, else as its kernel and this
 * machine's caches say. Returns whether other caches are asked about; then has them in those. */
bool misses_report(const struct report *report, const struct setting *setting,
	struct misses *misses, struct misses *then);

/* Lines for people, a level each; what follows "misses" begins in column `indent`. */
void misses_text(const struct report *report, const struct setting *setting, int indent);

#endif
