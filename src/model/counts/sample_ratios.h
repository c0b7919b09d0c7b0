/* Ratios of a sample: instructions and memory lines per element, and memory traffic against the
 * peak. Pure. */
#pragma once

#include <stddef.h>

#include "engine/measure/trials.h"
#include "model/counts/events.h"
#include "model/limits/explain.h"

/* Bytes of a line, as kernels count them. */
#define SAMPLE_RATIOS_LINE 64.0

struct sample_ratios {
	double instructions;	       /* per element; NAN: unknown */
	enum source instructions_from; /* counted, stepped, or from the model: read in the innermost
					  loop */
	double cpi;		       /* cycles an instruction; NAN */
	double lines;		       /* lines from memory per element; NAN */
	enum source lines_from;	       /* counted, or from the model (a lower bound) */
	double traffic;		       /* 10^9 bytes a second of those lines; NAN */
	double peak;  /* 10^9 bytes a second that one core reads from memory; NAN: not measured */
	double share; /* traffic ÷ peak; NAN */
};

/* explanation, plan and counts may be NULL; peak: 0 if unknown. A sample that is not valid leaves
 * its own ratios unknown. */
void sample_ratios_find(const struct sample *sample, const struct explanation *explanation,
	const struct event_plan *plan, const struct counts *counts, double peak,
	struct sample_ratios *sample_ratios);

/* Sets all ratios to unknown. */
void sample_ratios_none(struct sample_ratios *sample_ratios);

/* "counted", "stepped", "read": where the instructions come from. */
const char *sample_ratios_source(enum source source);

/* "3.21 GB/s from memory, 28 % of the 11.4 GB/s that one core reads here"; empty: no traffic, or
 * unknown. brief: "3.21 GB/s from memory, 28 % of peak". */
void sample_ratios_traffic_words(
	const struct sample_ratios *sample_ratios, bool brief, char *buffer, size_t size);
