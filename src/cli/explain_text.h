/* The parts of the text format that tell limits (explain_text.c). */
#ifndef SLX_CLI_EXPLAIN_TEXT_H
#define SLX_CLI_EXPLAIN_TEXT_H

#include "cli/format.h"

void explain_text(struct report *report, const struct setting *setting,
	const struct explanation *explanation);
/* The lines of one sample that say what limits it; report->explanation may be NULL. */
void explain_text_sample(struct report *report, const struct sample *sample);

#endif
