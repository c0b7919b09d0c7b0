/* Output formats: text for people, CSV and JSON as data.
 *
 * A subcommand fills a report, begins it, writes its items and ends it; it never looks at the
 * format. Each kind of item is a subject: how it reads as text, and the records that it is as data.
 * CSV is a selection of these records: a line for each record of one name, a column for each field.
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
	/* CSV has a line for each record of that name. Columns are fields of the record, with
	 * commas between: "NAME", "NAME=FIELD", "NAME?" (a flag that is false where it is absent),
	 * or of a sample "+GROUP". */
	const char *record, *columns;
	void (*begin)(struct report *report); /* text; NULL: nothing */
	void (*text)(struct report *report, const void *item);
	void (*data)(struct report *report, const struct records *records, const void *item);
	void (*end)(struct report *report); /* text; NULL: nothing */
};

/* Every subject, with the type of its items. */
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
	void (*begin)(struct report *report);
	void (*write)(struct report *report, const struct subject *subject, const void *item);
	void (*end)(struct report *report); /* NULL: nothing */
};

/* Every format, the default one first, ended by NULL. */
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
	const struct misses_whatif *whatif; /* other caches to ask about */
	const char *const *asked;	    /* the events that were asked for by name */
	int asked_count;
	bool points;	  /* probe, text: every point, not a plot; windows: also each point */
	unsigned records; /* items of text, lines of CSV and JSON written so far */

	struct setting setting;	       /* samples: the kernel, and the knobs that are not swept */
	const struct sweep_axis *axes; /* the knobs as listed, in the order typed */
	size_t axis_count;
	const struct named_sweep *named; /* NULL: the sweep has no name */
	const struct uarch_choice *core; /* that limits are computed for; NULL: none */
	const struct event_plan *events; /* counted with each sample; NULL: nothing. A report begins
					    when counts has the first there are */
	double peak; /* 10^9 bytes a second that one core reads from memory here; 0: not measured */

	/* Of the item that is written next; NULL: none. */
	const struct explanation *explanation;
	const struct counts *counts;
	const struct blocks *blocks; /* the recommended block size */

	/* Kept from item to item. */
	bool crowded;	  /* sweep, text: a column has the throughput of all cores */
	uint64_t counted; /* CSV: the events that have a column, a bit for each; text: not 0 where
			     IPC has a column */
	bool contended, unsettled, two_modes; /* sweep, text: flags that the end explains */
};

void report_init(struct report *report, const struct cli *cli, const struct subject *subject,
	const struct machine *machine);
void report_begin(struct report *report);
void report_write(struct report *report, const struct subject *subject, const void *item);
void report_end(struct report *report);
/* A report of one item. */
void report_whole(struct report *report, const void *item);

/* A sample with everything that the report knows of it. It holds pointers into itself. */
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

/* Where cycles come from, in words: "counted", "reference clock". */
const char *format_cycles_source(enum source source);

/* ---- Items of subjects */

/* The events that can be counted here. */
struct event_survey {
	const char *pmu;   /* libpfm's name of the core's PMU; "": none */
	bool generic;	   /* the core is unknown or its file names no events: the kernel's are */
	const char *doubt; /* the error in the file that should name them; "": none */
	const char *why;   /* why there are no counters, one line; "": there are, or nobody tried */
	bool tried;	   /* they were opened on this machine */
	int lacking_count; /* roles without an event */
	const enum event_role *lacking;
};

struct event_line {
	const char *role;  /* "ports p2 p3", "l1-misses"; "" in a search */
	const char *title; /* the same for people; likewise */
	const char *name;  /* as libpfm spells it */
	const char *state; /* "known", "refused" …; "": not tried, or there are no counters */
	const char *note;  /* why it cannot be counted, or the error in its counts; "" */
	const char *help;  /* libpfm's description; "": none */
};

/* A core that characterise measured. */
struct characterised {
	const struct characterise_report *report;
	const struct uarch *measured, *shipped; /* NULL: none */
	const struct model_difference *difference;
	int difference_count;
	bool agreements; /* also show values that agree */
};

/* ---- Text that several commands write */

void explain_text(struct report *report, const void *item); /* subject_explain */

/* The limits, the expected misses and the counters of one sample. `indent`: where the text after
 * "misses" begins. */
void explain_text_sample(struct report *report, const struct sample *sample);
void misses_text(const struct report *report, const struct setting *setting, int indent);
void counts_text_sample(const struct report *report, const struct sample *sample);
void blocks_text(const struct report *report, const struct setting *setting, int indent);

/* "NAME, virtual machine, core 3 at 4.00 GHz"; ghz NAN: unknown. */
void machine_text(const struct machine *machine, double ghz, struct text *text);
