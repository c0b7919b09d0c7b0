/* Inside measured_write.c: lines of a core's file that are rules, `fuse` and `unlaminate`, from
 * slots that were measured. */
#ifndef SLX_MODEL_MEASURED_MEASURED_RULES_H
#define SLX_MODEL_MEASURED_MEASURED_RULES_H

#include <stdbool.h>

#include "base/text.h"
#include "model/measured/measured.h"

/* Whether a fact's words are about such a rule. */
bool rules_about(const char *word);

void rules_write(const struct measured *measured, struct text *text);

#endif
