/* The output formats: text for people, CSV and JSON for programs.
 *
 * A subcommand calls report_init(), report_begin(), report_write() for each item, and report_end().
 * The subcommand's code does not depend on the output format. Each kind of printed item, such as a
 * sample or a core, has a struct subject, whose functions write the item as text or as records. The
 * CSV format prints the records of one name: one line for each record, one column for each field.
 *
 * To add a kind of item, write in one file its text function, its data function and its `const
 * struct subject`. List the item's records in recording/records.c and in the manual. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/cli.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "experiment/setting/setting.h"
#include "experiment/sweep/sweep.h"
#include "recording/records.h"

struct blocks;
struct model_difference;
struct named_sweep;
struct published;
struct report;
struct uarch;
struct uarch_choice;

struct subject {
	/* The CSV output has a line for each record named `record`. `columns` lists fields of that
	 * record, separated by commas, as "NAME" or "NAME=FIELD". "NAME?" is a flag, which is false
	 * if the field is absent. "+GROUP" is a group of columns of a sample. */
	const char *record, *columns;
	/* Writes text before the first printed item; NULL: no such text. */
	void (*begin)(struct report *report);
	void (*text)(struct report *report, const void *item);
	void (*data)(struct report *report, const struct records *records, const void *item);
	/* Writes text after the last printed item; NULL: no such text. */
	void (*end)(struct report *report);
};

/* The struct subject of each kind of printed item, such as samples of a run. The comment next to
 * each name is the C type of these items. */
extern const struct subject subject_run, subject_sweep;	     /* struct record_sample */
extern const struct subject subject_kernel;		     /* struct kernel */
extern const struct subject subject_named;		     /* struct named_sweep */
extern const struct subject subject_check;		     /* struct check */
extern const struct subject subject_explain;		     /* struct setting */
extern const struct subject subject_survey;		     /* struct event_survey */
extern const struct subject subject_events, subject_found;   /* struct event_line */
extern const struct subject subject_probe;		     /* struct probe_report */
extern const struct subject subject_windows, subject_points; /* struct windows_report */
extern const struct subject subject_core;		     /* struct characterised */
extern const struct subject subject_why;		     /* struct why_report */
extern const struct subject subject_slack;		     /* struct slack_report */
extern const struct subject subject_cost;		     /* struct cost_report */

struct format {
	const char *name;
	void (*begin)(struct report *report); /* writes the start of the output, or NULL */
	/* The functions that write records. A format without functions for records writes text. */
	struct records records;
};

/* All formats; the last element is NULL. The first format is the default. */
extern const struct format *const formats[];

/* Returns the format of this name; NULL: the name is unknown. */
const struct format *format_find(const char *name);

/* The data that all printed items of one output share. report_init() fills the fields that come
 * from the command line. */
struct report {
	FILE *out;
	const struct format *format;
	const struct subject *subject;
	char host[64];
	const struct machine *machine; /* the measured machine; NULL: nothing is measured */
	uint64_t seed;
	const struct misses_whatif *whatif; /* caches, given by the user, to predict misses for */
	const char *const *asked;	    /* names of the events that the user requested */
	int asked_count;
	/* probe: print all points as text, in place of a plot; windows: also print all points. */
	bool points;
	/* Number of items (samples, for example) written so far as text, or number of lines written
	 * so far as CSV or JSON. */
	unsigned records;

	/* For reports of samples: the kernel, and the values of the knobs that are not
	 * swept. */
	struct setting setting;
	const struct sweep_axis *axes; /* the swept knobs, in the order of the command line */
	size_t axis_count;
	const struct named_sweep
		*named; /* the named sweep of the report; NULL: the sweep has no name */
	/* The core for which limits are computed; NULL: no limits are computed. */
	const struct uarch_choice *core;
	/* Events counted with each sample; NULL: no events are counted. Before report_begin(), set
	 * `counts` to the counts of the first sample. */
	const struct event_plan *events;
	/* Memory bandwidth that one core of this machine reaches when it reads, in GB/s; 0: the
	 * bandwidth was not measured. */
	double peak;

	/* Data of the item to print next. The pointer `explanation`, `counts` or `blocks` is NULL
	 * if this item has no such data. */
	const struct explanation *explanation;
	const struct counts *counts;
	const struct blocks *blocks; /* the recommended block size */
	/* The block size recommended for the caches of `whatif`. */
	const struct blocks *whatif_blocks;

	/* Fields that the output functions keep from one printed item to the next. */
	/* Text of a sweep: the table has a column for the throughput of all cores. */
	bool crowded;
	/* For CSV, one bit for each event that has a column. For text, the value is not 0 if the
	 * table has a column for IPC. */
	uint64_t counted;
	/* Text of a sweep: the flags that must be explained below the table. */
	bool contended, unsettled, bent, learnt, varies, two_modes;
	/* true: report_begin() was called. Only reports whose items may all fail use this flag. */
	bool begun;
};

void report_init(struct report *report, const struct cli *cli, const struct subject *subject,
	const struct machine *machine);
void report_begin(struct report *report);
void report_write(struct report *report, const struct subject *subject, const void *item);
void report_end(struct report *report);
/* Writes a complete report that has only one item. */
void report_whole(struct report *report, const void *item);

/* A sample with all data that the report has about the sample. Do not copy the struct, because it
 * has pointers into itself. */
struct report_row {
	struct record_sample what;
	struct sample_ratios sample_ratios;
	struct misses misses, whatif_misses;
};

void report_row(const struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts, struct report_row *row);

/* Returns the name of the report's core model; NULL: the report has no core model. */
const char *report_core(const struct report *report);

/* Finds the expected misses of the next setting. The expected misses come from the setting's
 * explanation, else from its kernel and this machine's caches. If the user named other caches
 * (--whatif), fills *then with the misses in those caches and returns true. */
bool report_misses(const struct report *report, const struct setting *setting,
	struct misses *misses, struct misses *then);

/* ---- Items that subjects write */

/* A summary of the events that can be counted here. */
struct event_survey {
	/* libpfm's name of the core's PMU; "": libpfm has no name for it. */
	const char *pmu;
	/* The core is unknown or its file names no events, so the generic events of the Linux
	 * kernel are used. */
	bool generic;
	/* The error in the file that names the core's events; "": no error. */
	const char *doubt;
	/* One line that says why counters are not available; "": counters are available, or the
	 * program did not try to open them. */
	const char *why;
	bool tried;	   /* the program tried to open the events on this machine */
	int lacking_count; /* number of event roles for which the core has no event */
	const enum event_role *lacking;
};

struct event_line {
	const char *role; /* name of the event's role: "ports p2 p3", "l1-misses"; "" in a search */
	const char *title; /* description of the role; "" in a search */
	const char *name;  /* libpfm's name of the event */
	/* State of the event: "known", "refused" … "": the event was not tried, or no counters are
	 * available. */
	const char *state;
	/* Why the event cannot be counted, or why its counts are wrong; "": no problem. */
	const char *note;
	const char *help; /* libpfm's description of the event; "": libpfm has no description */
};

/* ---- Text that several subcommands write */

void explain_text(struct report *report, const void *item); /* subject_explain */

/* Parts of explain_text(): the core and how it was chosen; the binding limit, the prediction and
 * the remedy; the limits, ports and code. `published` may be NULL.
 * `kernel` is NULL for a loop of a program. */
void explain_text_core(const struct report *report, const struct limits *limits);
void explain_text_binding(
	FILE *out, const struct kernel *kernel, const struct explanation *explanation);
void explain_text_loop(
	FILE *out, const struct explanation *explanation, const struct published *published);

/* The five functions explain_text_sample() to blocks_text() print the limits, the published cycles,
 * the expected misses, the event counts and the recommended block size of one sample. `indent` is
 * the column at which the text after the line's label begins. */
void explain_text_sample(struct report *report, const struct sample *sample);
void published_text_sample(
	const struct report *report, const struct setting *setting, const struct sample *sample);
void misses_text(const struct report *report, const struct setting *setting, int indent);
void counts_text_sample(const struct report *report, const struct sample *sample);
void blocks_text(const struct report *report, const struct setting *setting, int indent);
