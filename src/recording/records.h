/* The JSON records of measurements: what --format json prints, what a recording holds, and what a
 * replay reads back. One place for the names of fields.
 *
 * A record is one object on one line of at most RECORD_MOST bytes, its newline included. What would
 * be longer goes into further records with the sample's id:
 *
 * - sample: one setting's figure (as the manual's FORMATS has
 * it)
 * - counters: "id", "events": [[NAME, ROLE, VALUE, LO, HI, STATE], …]: some of a sample's counts.
 * ROLE as in a core's file; an estimate ("scaled") ends with the share of the time for which it was
 * counted, one that is unavailable has null in place of figures, and ends with the reason in words
 * and, if refused, errno
 * - trials: "id", "trials": [[CPE, GHZ, WATCH, TURNS, AT, FATE, CHECK], …]: some of its raw
 * trials; recordings alone
 * - limits, ports, insn: what explains it
 * - probe, level, plateau, knee, band, finding, note: of a probe, beside its samples
 * - windows, window, point: of windows
 *
 * A recording begins with a record "recording": format version, machine, core model, and what else
 * replay needs of the place. */
#ifndef SLX_RECORDING_RECORDS_H
#define SLX_RECORDING_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/measure/trials.h"
#include "experiment/setting/setting.h"
#include "model/counts/events.h"
#include "model/counts/sample_ratios.h"
#include "model/limits/explain.h"

enum { RECORD_MOST = 1000 };

/* Version of the recording format that this program writes; it reads this and older ones. */
enum { RECORDING_VERSION = 1 };

/* Where records go. */
struct records {
	void *context;
	/* Takes one line, its newline included; kept no longer than the call. */
	void (*line)(void *context, const char *line, size_t length);
	const char *host; /* in every record; NULL: in none */
};

/* One setting's figure, and what it was measured with. */
struct record_sample {
	unsigned id;
	const char *machine; /* its name; NULL: not said */
	const struct setting *setting;
	const struct sample *sample;
	const struct run_facts *facts;
	uint64_t seed;
	const char *uarch;		       /* the core that limits are of; NULL: none */
	const struct explanation *explanation; /* NULL: none */
	const struct event_plan *events;       /* NULL: nothing was to be counted */
	const struct counts *counts;	       /* NULL: nothing was */
	const struct misses *misses,
		*then; /* expected ones, and those in other caches; NULL: not asked */
	const struct sample_ratios
		*sample_ratios; /* what else is known of it; NULL: only what was counted */
	const char *part;	/* of a probe, that it is a point of; NULL: of none */
	double x;		/* where on that part's curve */
	const char *sweep;	/* the named sweep that it is of; NULL: none */
	double speedup;		/* over that sweep's baseline; NAN, or sweep NULL: none */
};

void records_sample(const struct records *records, const struct record_sample *sample);

/* What was counted beside a sample, in as many records as it takes: every event of the plan, also
 * the unavailable ones. One with the reason alone where there are no counters. */
void records_counters(const struct records *records, const struct event_plan *plan,
	const struct counts *counts, unsigned id);

/* What explains a sample: a record for each limit, one of the ports, and one for each instruction.
 * port: the names of the ports, as in struct limits. */
void records_limits(const struct records *records, const struct limits *limits, unsigned id);
void records_ports(const struct records *records, const struct limits *limits,
	const char *const *port, unsigned id);
void records_code(
	const struct records *records, const struct explanation *explanation, unsigned id);

struct probe_report;

/* A probe's report: one record of the whole, a sample for each point, then what they say: levels,
 * plateaus, knees, bands, findings, notes. ids go on from `id`, the first one's. records_probe.c.
 */
void records_probe(const struct records *records, const struct probe_report *probe, uint64_t seed,
	unsigned id);

struct windows_report;

/* Windows: one record of the whole, one for each filler, each followed by its points where they are
 * asked for. records_windows.c. */
void records_windows(const struct records *records, const struct windows_report *windows,
	bool points, uint64_t seed, unsigned id);

#endif
