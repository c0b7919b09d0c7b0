/* The parts of formats that tell expected misses (misses_text.c). */
#ifndef SLX_CLI_MISSES_TEXT_H
#define SLX_CLI_MISSES_TEXT_H

#include "cli/format.h"
#include "model/limits/misses.h"

/* Lines for people, a level each; what follows "misses" begins in column `indent`. */
void misses_text(const struct report *report, const struct setting *setting, int indent);

#endif
