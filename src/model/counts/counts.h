/* Finds counts of an event plan by the role of the event, and computes ratios of a sample. The
 * functions do no input or output and keep no state. */
#pragma once

#include <stddef.h>

#include "engine/measure/trials.h"
#include "model/counts/events.h"

/* Whether the counts belong to the event plan and at least one count is known. Both pointers may be
 * NULL. */
bool counts_any(const struct event_plan *plan, const struct counts *counts);

/* The count per data element of the event with a role, such as L1 misses, for roles that have only
 * one event. The result is NAN if no event of the plan has the role, or the event was not counted.
 * `plan` and `counts` may be NULL. */
double counts_of(const struct event_plan *plan, const struct counts *counts, enum event_role role);

/* Replaces counts by newer counts. A slow loop's events are counted in parts: if the newer run had
 * no time for an event, the old count of the same plan stays. */
void counts_renew(struct counts *counts, const struct counts *newer);

/* Counted instructions per counted cycle. NAN: the count of instructions or of cycles is unknown.
 */
double counts_ipc(const struct event_plan *plan, const struct counts *counts);

/* Whether counted and decoded instructions per element differ by more than 1 %, so one of the two
 * numbers is wrong. For a path that varies (struct loop), the bound is 10 %, because stepping saw
 * only a sample of the data. Returns false if the counted or the decoded number of instructions is
 * NAN. */
bool counts_instructions_differ(double counted, double decoded, bool varies);

/* Instructions per element, from reading or stepping the code. NAN: unknown. `explanation` may be
 * NULL. */
double counts_decoded(const struct explanation *explanation);

/* Whether counted or decoded instructions must be wrong, because they differ and the count is not
 * an estimate. */
bool counts_instructions_doubtful(const struct event_plan *plan, const struct counts *counts,
	const struct explanation *explanation);

/* Whether the cycles from the reference chain (a chain of dependent instructions) and from the
 * cycle counter differ by more than 2 %. `check` is the ratio of the two numbers of cycles; a
 * `check` of NAN gives false. */
bool counts_clocks_differ(double check);

/* The word that files use for the state of a count: "known", "scaled", … */
const char *counts_state(enum count_state state);
/* Finds the state of a count that a word in a file names. Returns false if the word is not the name
 * of a count's state. */
bool counts_state_find(const char *word, enum count_state *state);

/* Writes the role of an event as core files do: "l1-misses", "ports p2 p3", "stalled back end",
 * "extra". */
void counts_role(const struct uarch_event *meaning, char *buffer, size_t size);

/* ---- Ratios of a sample: instructions and memory lines per element, and memory traffic against
 * the peak */

/* Bytes of a cache line; the kernels use the same number. */
#define SAMPLE_RATIOS_LINE 64.0

struct sample_ratios {
	double instructions;	       /* instructions per element; NAN: unknown */
	enum source instructions_from; /* how the number `instructions` was found: counted, stepped,
					  or read in the innermost loop */
	double cpi;		       /* cycles per instruction; NAN: unknown */
	double lines;		/* cache lines per element that come from memory; NAN: unknown */
	enum source lines_from; /* source of `lines`: counted, or predicted by the model (a lower
				   bound) */
	double traffic; /* memory traffic of `lines` in GB/s (10^9 bytes a second); NAN: unknown */
	double peak;	/* GB/s that one core can read from memory; NAN: not measured */
	double share;	/* memory traffic as a part of `peak`: traffic ÷ peak; NAN: unknown */
};

/* Finds the ratios of a sample. `explanation`, `plan` and `counts` may be NULL; a `peak` of 0 means
 * unknown. If the sample is not valid, `cpi`, `traffic` and `share` stay unknown. */
void sample_ratios_find(const struct sample *sample, const struct explanation *explanation,
	const struct event_plan *plan, const struct counts *counts, double peak,
	struct sample_ratios *ratios);

/* Computes `cpi`, `traffic` and `share` again for a newer sample of the same setting. */
void sample_ratios_renew(const struct sample *sample, struct sample_ratios *ratios);

/* Sets all ratios to unknown. */
void sample_ratios_none(struct sample_ratios *ratios);

/* The word for the source of the instructions: "counted", "stepped", "read". */
const char *sample_ratios_source(enum source source);

/* Writes the memory traffic as text: "3.21 GB/s from memory, 28 % of the 11.4 GB/s that one core
 * reads here". The text about memory traffic is empty if there is no traffic, or if it is unknown.
 * If `brief` is true, the text is shorter: "3.21 GB/s from memory, 28 % of peak". */
void sample_ratios_traffic_words(
	const struct sample_ratios *ratios, bool brief, char *buffer, size_t size);
