/* What stands beside the cycles of an element: the instructions that it takes, and what it has
 * memory bring, against the most that memory gives. Pure. */
#ifndef SLX_MODEL_COUNTS_SAMPLE_RATIOS_H
#define SLX_MODEL_COUNTS_SAMPLE_RATIOS_H

#include <stddef.h>

#include "engine/measure/trials.h"
#include "model/counts/events.h"
#include "model/limits/explain.h"

/* Bytes of a line, as kernels count them. */
#define SAMPLE_RATIOS_LINE 64.0

struct sample_ratios {
	double instructions;	       /* per element; NAN: unknown */
	enum source instructions_from; /* counted, stepped, or of the model: read in the innermost
					  loop */
	double cpi;		       /* cycles an instruction; NAN */
	double lines;		       /* that memory brings, per element; NAN */
	enum source lines_from;	       /* counted, or of the model: at least so many */
	double traffic;		       /* 10^9 bytes a second of those lines; NAN */
	double peak;  /* 10^9 bytes a second that one core reads from memory here; NAN: not measured
		       */
	double share; /* traffic ÷ peak; NAN */
};

/* explanation, plan and counts may be NULL; peak: 0 where it is not known. A sample that is not
 * valid leaves what does not depend on it. */
void sample_ratios_find(const struct sample *sample, const struct explanation *explanation,
	const struct event_plan *plan, const struct counts *counts, double peak,
	struct sample_ratios *sample_ratios);

/* All unknown. */
void sample_ratios_none(struct sample_ratios *sample_ratios);

/* "counted", "stepped", "read": where the instructions come from. */
const char *sample_ratios_source(enum source source);

/* "3.21 GB/s from memory, 28 % of the 11.4 GB/s that one core reads here"; empty: nothing comes
 * from memory, or nobody knows. brief: "3.21 GB/s from memory, 28 % of peak". */
void sample_ratios_traffic_words(
	const struct sample_ratios *sample_ratios, bool brief, char *buffer, size_t size);

#endif
