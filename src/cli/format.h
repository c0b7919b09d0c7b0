/* Output formats: text for people, CSV and JSON as data.
 *
 * A subcommand fills a report, begins it, writes its items and ends it. The subcommand's code does
 * not depend on the format. Each kind of item has a subject, which writes the item as text or as
 * records. CSV prints the records of one name: one line for each record, one column for each field.
 *
 * To add a kind of item: write its text and its records next to each other and end with a `const
 * struct subject`; list its records in recording/records.c and in the manual. */
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
struct report;
struct uarch;
struct uarch_choice;

struct subject {
	/* CSV has a line for each record of this name. Columns are fields of the record, separated
	 * by commas: "NAME", "NAME=FIELD", "NAME?" (a flag; false if the field is absent). A sample
	 * can also have "+GROUP", a group of columns. */
	const char *record, *columns;
	void (*begin)(struct report *report); /* text; NULL: nothing */
	void (*text)(struct report *report, const void *item);
	void (*data)(struct report *report, const struct records *records, const void *item);
	void (*end)(struct report *report); /* text; NULL: nothing */
};

/* All subjects. The comment is the type of a subject's items. */
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

struct format {
	const char *name;
	void (*begin)(struct report *report); /* NULL: nothing */
	struct records records;		      /* where records go; without functions: text */
};

/* All formats, ended by NULL. The first is the default. */
extern const struct format *const formats[];

const struct format *format_find(const char *name); /* or NULL */

/* The data that all items of one output share. report_init() sets the options of the command line.
 */
struct report {
	FILE *out;
	const struct format *format;
	const struct subject *subject;
	char host[64];
	const struct machine *machine; /* NULL: nothing is measured */
	uint64_t seed;
	const struct misses_whatif *whatif; /* other caches to predict misses for */
	const char *const *asked;	    /* the events requested by name */
	int asked_count;
	bool points; /* probe, text: print all points instead of a plot; windows: also print all
			points */
	unsigned records; /* items of text, lines of CSV and JSON written so far */

	struct setting
		setting; /* samples: the kernel, and the values of knobs that are not swept */
	const struct sweep_axis *axes; /* the knobs as listed, in the order typed */
	size_t axis_count;
	const struct named_sweep *named; /* NULL: the sweep has no name */
	const struct uarch_choice *core; /* the core for which limits are computed; NULL: none */
	const struct event_plan *events; /* events counted with each sample; NULL: none. Set
					    `counts` to the first counts before the report begins */
	double peak; /* memory bandwidth of one core of this machine, reading, in GB/s; 0: not
			measured */

	/* Data of the next item; NULL: none. */
	const struct explanation *explanation;
	const struct counts *counts;
	const struct blocks *blocks; /* the recommended block size */

	/* State of the report between items. */
	bool crowded;	  /* sweep, text: there is a column for the throughput of all cores */
	uint64_t counted; /* CSV: the events that have a column, one bit each; text: not 0 if there
			     is a column for IPC */
	bool contended, unsettled, two_modes; /* sweep, text: flags to explain below the table */
};

void report_init(struct report *report, const struct cli *cli, const struct subject *subject,
	const struct machine *machine);
void report_begin(struct report *report);
void report_write(struct report *report, const struct subject *subject, const void *item);
void report_end(struct report *report);
/* Writes a whole report with one item. */
void report_whole(struct report *report, const void *item);

/* A sample with all data that the report has for it. The struct has pointers into itself: do not
 * copy it. */
struct report_row {
	struct record_sample what;
	struct sample_ratios sample_ratios;
	struct misses misses, whatif_misses;
};

void report_row(const struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts, struct report_row *row);

/* Returns the name of the core model; NULL: no model. */
const char *report_core(const struct report *report);

/* Finds the expected misses of the next setting: from its explanation, else from its kernel and
 * this machine's caches. If misses of other caches are requested, fills `then` and returns true. */
bool report_misses(const struct report *report, const struct setting *setting,
	struct misses *misses, struct misses *then);

/* Returns the source of cycles in words: "counted", "reference clock". */
const char *format_cycles_source(enum source source);

/* ---- Items of subjects */

/* A summary of the events that can be counted here. */
struct event_survey {
	const char *pmu; /* libpfm's name of the core's PMU; "": none */
	bool generic;	 /* the core is unknown or its file names no events: the events of the Linux
			    kernel are used */
	const char *doubt; /* the error in the core's file of events; "": no error */
	const char *why; /* why there are no counters, one line; "": counters are available or were
			    not tried */
	bool tried;	 /* the program tried to open the events on this machine */
	int lacking_count; /* roles without an event */
	const enum event_role *lacking;
};

struct event_line {
	const char *role;  /* "ports p2 p3", "l1-misses"; "" in a search */
	const char *title; /* the role in words; "" in a search */
	const char *name;  /* libpfm's name of the event */
	const char *state; /* "known", "refused" …; "": not tried, or no counters are available */
	const char
		*note; /* why the event cannot be counted, or the error in its counts; "": none */
	const char *help; /* libpfm's description; "": none */
};

/* The result of characterise for a core. */
struct characterised {
	const struct characterise_report *report;
	const struct uarch *measured, *shipped; /* NULL: none */
	const struct model_difference *difference;
	int difference_count;
	bool agreements; /* also show values that agree */
};

/* ---- Text that several commands write */

void explain_text(struct report *report, const void *item); /* subject_explain */

/* Print the limits, the expected misses and the counters of one sample. `indent`: the column at
 * which the text after "misses" begins. */
void explain_text_sample(struct report *report, const struct sample *sample);
void misses_text(const struct report *report, const struct setting *setting, int indent);
void counts_text_sample(const struct report *report, const struct sample *sample);
void blocks_text(const struct report *report, const struct setting *setting, int indent);

/* "NAME, virtual machine, core 3 at 4.00 GHz"; ghz NAN: unknown. */
void machine_text(const struct machine *machine, double ghz, struct text *text);
