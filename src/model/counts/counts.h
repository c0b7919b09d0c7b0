/* Counts of an event plan, by the roles of its events, and the ratios of a sample. Pure. */
#pragma once

#include <stddef.h>

#include "engine/measure/trials.h"
#include "model/counts/events.h"

/* Whether these counts belong to this plan and have a known value. Both may be NULL. */
bool counts_any(const struct event_plan *plan, const struct counts *counts);

/* The count per element of a role that has one event; NAN: not in the plan, or not counted. Both
 * may be NULL. */
double counts_of(const struct event_plan *plan, const struct counts *counts, enum event_role role);

/* Replaces counts by newer ones. Counts of the same plan stay where the newer had no time: a slow
 * loop is counted in parts. */
void counts_renew(struct counts *counts, const struct counts *newer);

/* Instructions per cycle, both counted; NAN. */
double counts_ipc(const struct event_plan *plan, const struct counts *counts);

/* Whether counted and decoded instructions per element differ by more than 1 %, so that one is
 * wrong; 10 % for a path that varies (struct loop), because it was stepped over a sample of the
 * data. False for NAN. */
bool counts_instructions_differ(double counted, double decoded, bool varies);

/* Instructions per element of the code, read or stepped; NAN: unknown. explanation may be NULL. */
double counts_decoded(const struct explanation *explanation);

/* Whether counted or decoded instructions must be wrong: they differ, and the count is no estimate.
 */
bool counts_instructions_doubtful(const struct event_plan *plan, const struct counts *counts,
	const struct explanation *explanation);

/* Whether cycles by the reference chain differ from counted cycles by more than 2 %: `check` is
 * their ratio. False for NAN. */
bool counts_clocks_differ(double check);

/* The word of a state in files: "known", "scaled", … */
const char *counts_state(enum count_state state);
/* False: unknown word. */
bool counts_state_find(const char *word, enum count_state *state);

/* The role as core files spell it: "l1-misses", "ports p2 p3", "stalled back end", "extra". */
void counts_role(const struct uarch_event *meaning, char *buffer, size_t size);

/* ---- Ratios of a sample: instructions and memory lines per element, and memory traffic against
 * the peak */

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
	struct sample_ratios *ratios);

/* Sets all ratios to unknown. */
void sample_ratios_none(struct sample_ratios *ratios);

/* "counted", "stepped", "read": where the instructions come from. */
const char *sample_ratios_source(enum source source);

/* "3.21 GB/s from memory, 28 % of the 11.4 GB/s that one core reads here"; empty: no traffic, or
 * unknown. brief: "3.21 GB/s from memory, 28 % of peak". */
void sample_ratios_traffic_words(
	const struct sample_ratios *ratios, bool brief, char *buffer, size_t size);
