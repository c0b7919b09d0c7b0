/* Counts of an event plan by the roles of its events, and the ratios of a sample. Pure. */
#pragma once

#include <stddef.h>

#include "engine/measure/trials.h"
#include "model/counts/events.h"

/* Whether these counts belong to this plan and at least one value is known. Both may be NULL. */
bool counts_any(const struct event_plan *plan, const struct counts *counts);

/* The count per element of a role that has one event. NAN: the role is not in the plan, or was not
 * counted. Both pointers may be NULL. */
double counts_of(const struct event_plan *plan, const struct counts *counts, enum event_role role);

/* Replaces counts by newer counts. An old count of the same plan stays if the newer run had no time
 * for it: a slow loop is counted in parts. */
void counts_renew(struct counts *counts, const struct counts *newer);

/* Counted instructions per counted cycle. NAN: unknown. */
double counts_ipc(const struct event_plan *plan, const struct counts *counts);

/* Whether counted and decoded instructions per element differ by more than 1 %, so that one of them
 * is wrong. For a path that varies (struct loop), the bound is 10 %, because only a sample of the
 * data was stepped. False for NAN. */
bool counts_instructions_differ(double counted, double decoded, bool varies);

/* Instructions per element in the code, from reading or stepping it. NAN: unknown. explanation may
 * be NULL. */
double counts_decoded(const struct explanation *explanation);

/* Whether counted or decoded instructions must be wrong: they differ, and the count is not an
 * estimate. */
bool counts_instructions_doubtful(const struct event_plan *plan, const struct counts *counts,
	const struct explanation *explanation);

/* Whether the reference chain and the counter disagree about cycles by more than 2 %. check: the
 * ratio of both. False for NAN. */
bool counts_clocks_differ(double check);

/* The word for a state in files: "known", "scaled", … */
const char *counts_state(enum count_state state);
/* Finds the state of a word. Returns false if the word is unknown. */
bool counts_state_find(const char *word, enum count_state *state);

/* The role as in core files: "l1-misses", "ports p2 p3", "stalled back end", "extra". */
void counts_role(const struct uarch_event *meaning, char *buffer, size_t size);

/* ---- Ratios of a sample: instructions and memory lines per element, and memory traffic against
 * the peak */

/* Bytes of a cache line in kernels. */
#define SAMPLE_RATIOS_LINE 64.0

struct sample_ratios {
	double instructions;	       /* per element; NAN: unknown */
	enum source instructions_from; /* counted, stepped, or read in the innermost loop */
	double cpi;		       /* cycles per instruction; NAN: unknown */
	double lines;		       /* lines from memory per element; NAN: unknown */
	enum source lines_from;	       /* counted, or from the model (a lower bound) */
	double traffic; /* memory traffic of these lines in GB/s (10^9 bytes a second); NAN: unknown
			 */
	double peak;	/* GB/s that one core can read from memory; NAN: not measured */
	double share;	/* traffic ÷ peak; NAN: unknown */
};

/* Finds the ratios of a sample. explanation, plan and counts may be NULL; peak: 0 if unknown. If
 * the sample is not valid, cpi, traffic and share stay unknown. */
void sample_ratios_find(const struct sample *sample, const struct explanation *explanation,
	const struct event_plan *plan, const struct counts *counts, double peak,
	struct sample_ratios *ratios);

/* Sets all ratios to unknown. */
void sample_ratios_none(struct sample_ratios *ratios);

/* The source of the instructions: "counted", "stepped", "read". */
const char *sample_ratios_source(enum source source);

/* The traffic as text: "3.21 GB/s from memory, 28 % of the 11.4 GB/s that one core reads here".
 * Empty: no traffic, or unknown. brief: "3.21 GB/s from memory, 28 % of peak". */
void sample_ratios_traffic_words(
	const struct sample_ratios *ratios, bool brief, char *buffer, size_t size);
