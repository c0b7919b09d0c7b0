/* The records of a recording that other records name by their number, and the records of a setting
 * that name them.
 *
 * Records that several settings have in common are written once in a run of the program: "facts",
 * "counters", "limits", "ports", "kind", "insn", "modelled" and "explanation". The id of a shared
 * record is its number, from 1 in each run. A record "sample" names its facts and counters, a
 * record "explain" its explanation, and a record "explanation" its limits, ports, instructions and
 * modelled events. An instruction names its kind, which has all its fields except the text. A
 * shared record is written before the first record that names it. */
#pragma once

#include "base/intern.h"
#include "recording/records.h"

/* The shared records that were written. Begins zeroed; ends with shared_free(). */
struct shared_records {
	struct intern written;
};

void shared_free(struct shared_records *shared);

/* Writes a sample with its trials and shared records. `counts` of the sample may be NULL. The
 * sample and the facts of `what` must be set. `replaces` is the id of the setting's earlier sample
 * whose trials also belong to this sample; 0: there is none. `first` is true if a later sample will
 * replace this one, which then has few fields. */
void shared_sample(struct shared_records *shared, const struct records *records,
	const struct record_sample *what, const struct trials *trials, unsigned replaces,
	bool first);

/* Writes the explanation of the setting whose sample has the id. `modelled` has the model's value
 * of each event of the plan; NAN: no value. If `events` is NULL, there are no events. */
void shared_explanation(struct shared_records *shared, const struct records *records,
	const struct explanation *explanation, const struct core *core,
	const struct event_plan *events, const double *modelled, unsigned id);
