/* Output formats: how samples, kernels and findings are written.
 *
 * To add one: write src/cli/format_NAME.c that ends in one `const struct format format_NAME`, and
 * add its row to the table in format.c. A subcommand fills a report, calls begin(), one record
 * function for each thing, and end(); it never looks at which format it is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "experiment/setting/setting.h"
#include "experiment/sweep/sweep.h"
#include "kernels/kernel.h"
#include "model/counts/sample_ratios.h"
#include "recording/records.h"

struct check;
struct uarch_choice;
struct explanation;
struct event_plan;
struct counts;
struct misses_whatif;
struct probe_report;
struct windows_report;
struct uarch;
struct characterise_report;
struct model_difference;
struct measured_ports;
struct named_sweep;
struct blocks;

/* JSON: no line is longer, its newline included, so that launchers of many nodes keep lines whole.
 */
enum { FORMAT_LINE_MAX = RECORD_MOST };

/* What can be counted here, before the first event is written. Part of a report. */
struct event_survey {
	const char *words; /* searched for; NULL: the core's own events are listed */
	const char *pmu;   /* libpfm's name of the core's PMU; "": none */
	bool generic; /* the core is unknown, or its file names no events: those of the kernel */
	const char *doubt; /* what is wrong with the file that should name them; "": nothing */
	const char *why;   /* why there are no counters, one line; "": there are, or nobody tried */
	bool tried;	   /* they were opened on this machine */
	int lacking_count; /* roles that no event is there for */
	const enum event_role *lacking;
};

struct event_line {
	const char *role;  /* "ports p2 p3", "l1-misses"; "" in a search */
	const char *title; /* the same for people; likewise */
	const char *name;  /* as libpfm spells it */
	const char
		*state; /* "known", "refused" …; "": not tried, or there are no counters at all */
	const char *note; /* why it cannot be counted, or what is wrong with what is; "" */
	const char *help; /* libpfm's description; "": it has none */
};

/* A core that characterise measured. */
struct characterised {
	const struct characterise_report *report;
	const struct uarch *measured, *shipped; /* NULL: there is none */
	const struct model_difference *difference;
	int difference_count;
	bool agreements; /* those that agree are wanted, too */
};

/* The ports of a class by what was measured: "p0,p1 + 2*p3"; "none"; empty: not known. */
void characterise_ports(const struct measured_ports *ports, int op, struct text *text);

enum report_kind {
	REPORT_RUN,
	REPORT_SWEEP,
	REPORT_KERNELS,
	REPORT_CHECKS,
	REPORT_EXPLAIN,
	REPORT_EVENTS,
	REPORT_PROBE,
	REPORT_WINDOWS,
	REPORT_CORE
};

/* What all records of one output share. */
struct report {
	FILE *out;
	enum report_kind kind;
	char host[64];
	const struct machine *machine; /* NULL: nothing is measured */
	struct setting setting;	       /* samples: the kernel, and the knobs that are not swept */
	const struct sweep_axis *axes; /* REPORT_SWEEP: the knobs as listed, in the order typed */
	size_t axis_count;
	const struct named_sweep *named; /* REPORT_SWEEP: that the sweep is; NULL: it has no name */
	double speedup; /* of the setting that is written next, over the baseline; NAN: there is
			   none */
	uint64_t seed;
	const struct uarch_choice *core;       /* that limits are computed for; NULL: none */
	const struct explanation *explanation; /* of the setting that is written next; NULL: none */
	const struct event_plan *events; /* what is counted beside; NULL: nothing. begin() comes
					    when counts has the first there are */
	const struct counts *counts;	 /* of the setting that is written next; NULL: none */
	double peak; /* 10^9 bytes a second that one core reads from memory here; 0: not measured */
	const struct blocks
		*blocks; /* how large its blocks should be; NULL: it has none, or nobody asked */
	const char *const *asked; /* the events that were asked for by name */
	int asked_count;
	const struct misses_whatif *whatif; /* other caches to ask about; NULL: none */
	bool counts_wanted; /* events were asked for by name: say also what is unavailable */
	unsigned records;   /* written so far; counted by report_sample() and the others */
	bool crowded;	    /* text: whether a column says what all cores move together */
	uint64_t counted;   /* csv: the events that have a column, a bit for each; text: not 0 where
			       there is one of IPC */
	const struct event_survey *survey; /* REPORT_EVENTS: of what is listed; else NULL */
	bool points; /* REPORT_PROBE, text: every point instead of a plot; REPORT_WINDOWS: the
			curves' points besides */
	bool contended, unsettled,
		two_modes; /* whether a row of text carries that flag, which end() explains */
};

struct format {
	const char *name;
	void (*begin)(struct report *report);
	void (*sample)(struct report *report, const struct setting *setting,
		const struct sample *sample, const struct run_facts *facts);
	void (*kernel)(struct report *report, const struct kernel *kernel);
	void (*named)(struct report *report, const struct named_sweep *sweep);
	void (*check)(struct report *report, const struct check *check);
	void (*explain)(struct report *report, const struct setting *setting,
		const struct explanation *explanation);
	void (*event)(struct report *report, const struct event_line *event);
	void (*probe)(struct report *report, const struct probe_report *probe);
	void (*windows)(struct report *report, const struct windows_report *windows);
	void (*core)(struct report *report, const struct characterised *characterised);
	void (*end)(struct report *report);
};

/* Every format, the default one first, ended by NULL. */
extern const struct format *const formats[];

const struct format *format_find(const char *name); /* or NULL */

/* A report with its stream, kind, and the host's name. */
void report_init(struct report *report, FILE *out, enum report_kind kind);

/* A sample with everything that the report knows of it: what the table of fields reads. */
struct report_row {
	struct record_sample what;
	struct sample_ratios sample_ratios;
	struct misses misses, whatif_misses;
};

void report_row(const struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts, struct report_row *row);

/* The name of the core model; NULL: none. */
const char *report_core(const struct report *report);

/* The expected misses of the next setting: as its explanation has them, else as its kernel and this
 * machine's caches give them. Returns whether other caches are asked about, and fills `then`. */
bool report_misses(const struct report *report, const struct setting *setting,
	struct misses *misses, struct misses *then);

/* "a knob's default" as typed, and its range in words, for lists of kernels; the range's buffer is
 * enough for any kernel. */
void format_knob(const struct knob *knob, char initial[48], char range[160]);

/* Where cycles come from, in words beside a figure: "counted", "reference clock". */
const char *format_cycles_source(enum source source);

/* One CSV field with its quotes where it needs them (RFC 4180). */
void format_csv_field(struct text *text, const char *string);
