/* The JSON records of measurements: what --format json prints, what a recording holds, and what a
 * replay reads. record_kinds lists them all; the manual's FORMATS and RECORDINGS explain them.
 *
 * An event of a record "counters" is [NAME, ROLE, VALUE, LO, HI, STATE, …]: an estimate ("scaled")
 * ends with the share of the time for which it was counted; an unavailable event has null in place
 * of numbers, and ends with the reason and, if refused, errno. A trial is [CPE, GHZ, WATCH, TURNS,
 * AT, FATE, CHECK, WHERE]. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/counts/events.h"
#include "model/limits/explain.h"
#include "recording/fields.h"
#include "recording/record.h"
#include "recording/recording.h"

/* Version of the recording format that this program writes; it reads this and older ones. */
enum { RECORDING_VERSION = 1 };

/* A kind of record. */
struct record_kind {
	const char *name;
	const char *fields; /* besides v, record, id, host, more: with blanks between; those of
			       sample_fields are not repeated. NULL: of recordings alone */
};

/* Ended by a NULL name. */
extern const struct record_kind record_kinds[];

void records_sample(const struct records *records, const struct record_sample *sample);

/* The counts of a sample, in as many records as they need: every event of the plan, also
 * the unavailable ones. One with the reason alone where there are no counters. */
void records_counters(const struct records *records, const struct event_plan *plan,
	const struct counts *counts, unsigned id);

/* The explanation of a sample: a record for each limit, one of the ports, and one for each
 * instruction. port: the names of the ports, as in struct limits. */
void records_limits(
	const struct records *records, const struct explanation *explanation, unsigned id);
void records_ports(const struct records *records, const struct limits *limits,
	const char *const *port, unsigned id);
/* all: with the fields of recordings, and equal instructions in a row as one record. */
void records_code(const struct records *records, const struct explanation *explanation, bool all,
	unsigned id);

/* The record of an explanation; machine and uarch: names, NULL: absent. */
struct json_t *record_explain(const struct records *records, const struct setting *setting,
	const struct explanation *explanation, const char *machine, const char *uarch, unsigned id);

/* Sets the value of a knob, a choice by its name; and the knobs of a setting, as an object. */
void record_set_knob(
	struct json_t *object, const char *key, const struct knob *knob, int64_t value);
void record_set_knobs(struct json_t *object, const struct setting *setting);

struct probe_report;

/* A probe's report: one record of the whole, a sample for each point, then what they say: levels,
 * plateaus, knees, bands, findings, notes. ids go on from `id`, the first one's. records_reports.c.
 */
void records_probe(const struct records *records, const struct probe_report *probe, uint64_t seed,
	unsigned id);

struct windows_report;

/* Windows: one record of the whole, one for each filler, each followed by its points where they are
 * asked for. records_reports.c. */
void records_windows(const struct records *records, const struct windows_report *windows,
	bool points, uint64_t seed, unsigned id);

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

/* The words for a trial's fate and for how a core was recognised, in the order of their enums,
 * ended by NULL. */
extern const char *const recording_fates[];
extern const char *const recording_matches[];
