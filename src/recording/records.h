/* The JSON records of measurements. `--format json` prints JSON records, a recording contains them,
 * and a replay reads them. data/records lists all kinds of records. The manual explains the records
 * in FORMATS and RECORDINGS.
 *
 * An event of a record "counters" is [NAME, ROLE, VALUE, LO, HI, STATE, …]. The list of an
 * estimated event ("scaled") ends with the share of the time in which the event was counted. In a
 * record of counters, an unavailable event has null instead of numbers, and ends with the reason.
 * If the system refused to count the event, the event's list ends with errno after the reason.
 * shared_records.h describes the records of a recording. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/counts/events.h"
#include "model/limits/explain.h"
#include "recording/fields.h"
#include "recording/record.h"
#include "recording/recording.h"

/* Version of the recording format that this program writes. The program also reads recordings of
 * older versions. */
enum { RECORDING_VERSION = 2 };

void records_sample(const struct records *records, const struct record_sample *sample);

/* Writes the counts of a sample in one or more records. The records of counts have every event of
 * the plan, even if the event is unavailable. If the processor's counters are not available, writes
 * one record with only the reason. */
void records_counters(const struct records *records, const struct event_plan *plan,
	const struct counts *counts, unsigned id);

/* The functions records_limits(), records_ports() and records_code() write the explanation of a
 * sample. An explanation has one record for each limit, one record for the ports, and one record
 * for each instruction. `port` has the names of the ports, in the order of struct limits. */
void records_limits(
	const struct records *records, const struct explanation *explanation, unsigned id);
void records_ports(const struct records *records, const struct limits *limits,
	const char *const *port, unsigned id);
void records_code(
	const struct records *records, const struct explanation *explanation, unsigned id);

/* Make the record of a sample, of the counts of a sample without the events, of a limit, of the
 * pressures on ports, and of an instruction, without writing it. If `all` is true, the record of an
 * instruction also has the fields that only recordings contain. */
struct json_t *record_sample(const struct records *records, const struct record_sample *sample);
struct json_t *record_counters(
	const struct records *records, const struct counts *counts, unsigned id);
struct json_t *record_limit(
	const struct records *records, const struct limits *limits, int index, unsigned id);
struct json_t *record_ports(const struct records *records, const struct limits *limits,
	const char *const *port, unsigned id);
struct json_t *record_insn(const struct records *records, const struct explanation *explanation,
	int index, bool all, unsigned id);

/* Makes the record of an explanation. `machine` and `uarch` are names; if a name or `setting` is
 * NULL, the record does not contain it. */
struct json_t *record_explain(const struct records *records, const struct setting *setting,
	const struct explanation *explanation, const char *machine, const char *uarch, unsigned id);

/* record_set_knob() sets the value of one knob. record_set_knobs() sets all knobs of a setting as
 * an object. The value of a knob with named values (a choice) is written as its name. */
void record_set_knob(
	struct json_t *object, const char *key, const struct knob *knob, int64_t value);
void record_set_knobs(struct json_t *object, const struct setting *setting);

struct probe_report;

/* Writes a probe's report: one record for the probe, a sample for each point, then records for
 * levels, plateaus, knees, bands, findings and notes. The first record of the probe's report gets
 * the id `id`, and each later record gets the next id. See records_reports.c. */
void records_probe(const struct records *records, const struct probe_report *probe, uint64_t seed,
	unsigned id);

struct core_map;

/* Writes the core-to-core latencies: a record "processor" for each processor, "cores" for each
 * group of pairs, and "pair" for each measured pair. Returns the id of the next record. See
 * records_cores.c. */
unsigned records_cores(const struct records *records, const struct core_map *map,
	const char *machine, uint64_t seed, unsigned id);

struct windows_report;

/* Writes the report of the windows (buffer sizes): one record for the report, and one record for
 * each kind of filler instruction. If `points` is true, the points of a filler instruction's curve
 * follow its record. See records_reports.c. */
void records_windows(const struct records *records, const struct windows_report *windows,
	bool points, uint64_t seed, unsigned id);

struct cost_report;
struct slack_report;

/* Writes the probed pressure of a loop: a record "slack" for the loop, and a record "resource" for
 * each resource of the core. `machine` is the machine's name; NULL: no name. */
void records_slack(const struct records *records, const struct slack_report *slack,
	const char *machine, unsigned id);

struct why_report;

/* Writes why a loop is slower than its limit: a record "gap" for the loop, and a record "cause" for
 * each measured pair. `machine` is the machine's name; NULL: no name. */
void records_why(const struct records *records, const struct why_report *why, const char *machine,
	unsigned id);

/* Writes what each instruction of a loop costs: a record "costs" for the loop, and a record "cost"
 * for each instruction. `machine` is the machine's name; NULL: no name. */
void records_cost(const struct records *records, const struct cost_report *cost,
	const char *machine, unsigned id);

void lines_place(const struct records *records,
	const struct recording_place
		*place); /* writes the place of a recording (machine and core) without its events */
void lines_events(const struct records *records, const struct event_plan *plan);
/* The words for enum trial_fate and enum uarch_match, in the order of the enums. In the lists of
 * words for trial_fate and uarch_match, the last entry is NULL. */
extern const char *const recording_fates[];
extern const char *const recording_matches[];
