/* Inside recording.c: what a recording holds beside the records of --format json
 * (recording/records.h), as lines.
 *
 * - recording: "format", "program", "time", "arch", "machine", "seed": the first line; again where
 * a later run went on
 * - machine: what struct machine knows
 * - core: "name", "title", "match", "ports", "units"; or "note": why there are no limits
 * - events: "count", "cycles", …: what was to be counted; then, one each,
 * - event: "index", "name", "role", "ports", "words", "must"
 * - trials: "trials": [[CPE, GHZ, WATCH, TURNS, AT, FATE, CHECK], …]: some of a sample's raw trials
 * - facts: what struct run_facts knows, and "forgotten" trials by fate
 * - modelled: "events": [VALUE, …]: what the model says that each event counts
 *
 * Of a setting trials, counters and facts come first and its sample last: one that is there is
 * whole. Of an explanation limits, ports, insn and modelled come first, and explain last. */
#pragma once

#include "recording/recording.h"
#include "recording/records.h"

void lines_place(const struct records *records,
	const struct recording_place *place); /* but for its events */
void lines_events(const struct records *records, const struct event_plan *plan);
void lines_trials(const struct records *records, const struct trials *trials, unsigned id);
void lines_facts(const struct records *records, const struct run_facts *facts,
	const struct trials *trials, unsigned id);

/* modelled: of each of the plan's events, NAN where the model says nothing; events NULL: none. */
void lines_explanation(const struct records *records, const struct setting *setting,
	const struct explanation *explanation, const struct core *core,
	const struct event_plan *events, const double *modelled, unsigned id);

/* The words that stand for a fate and for how a core was recognised, in the order of their enums,
 * ended by NULL. */
extern const char *const recording_fates[];
extern const char *const recording_matches[];
