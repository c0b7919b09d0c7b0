/* The input of `slexplore compare`: measured values from many files, machines and runs.
 *
 * A quantity is something that several machines measure, such as the cycles per element of one
 * setting. Input is read line by line, so memory grows with the number of measured values, not with
 * the length of the files. The input is untrusted. Each input line is counted in one group of enum
 * line_group, so that the report accounts for lines that were not used. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/intern.h"
#include "base/status.h"
#include "engine/measure/trials.h"

/* The smallest share of quiet trials, or of huge pages, in a comparison. Smaller shares are raised
 * to this value. */
#define COMPARED_SHARE_LEAST 0.02

enum line_group {
	LINES_OTHER,	  /* text of other programs, such as messages of srun */
	LINES_CUT,	  /* incomplete records */
	LINES_UNFINISHED, /* long records that are split over several lines, some of which are
			     missing */
	LINES_UNKNOWN,	  /* records of a kind that this program does not know */
	LINES_HOMELESS, /* records that name no host, and that follow no first line of a recording,
			   which would name the host */
	LINES_REPEATED, /* records that were read before */
	LINES_DESCRIBING, /* records without compared values, such as notes and instructions */
	LINES_USED,	  /* records with compared values */
	LINE_GROUPS
};

/* How certain a quantity is in a single run. */
enum compared_kind {
	COMPARED_CERTAIN,
	COMPARED_ONCE, /* each run measures it once, and many others of its kind: some are wrong */
	COMPARED_UNCERTAIN, /* a condition of the measurement, such as the share of quiet trials */
	COMPARED_POINT,	    /* a point of a probe's curve: uncertain, and not named in lists */
};

struct compared_quantity {
	char *subject;		  /* "combine acc=2", "level L2"; allocated */
	const char *field, *unit; /* "cpe", "cycles/element" */
	/* The quantity depends on caches and memory that other cores use too, or on the core's
	 * clock, so it differs more from run to run. */
	bool shared;
	enum compared_kind kind;
	char sources[4]; /* the letters of the sources of its values (enum source), "R" or "CR"; "":
			    unknown */
};

/* A source of measured values: one host in one file. The source's microcode, L3 size and load may
 * explain why its values differ. */
struct compared_source {
	int file, host, side;
	int model;	   /* index of the processor's name in compared.models */
	unsigned runs;	   /* number of runs of the program: of reports, or of series of samples */
	size_t run_values; /* number of values in all sources when the current run began */
	unsigned probes;   /* number of probes among the runs */
	unsigned samples, contended; /* number of samples, and of contended samples */
	double load;		     /* the highest load average */
	/* Sum of the shares of quiet (undisturbed) trials, and number of the samples that state
	 * this share. In a recording, a sample that was to be replaced does not state it. */
	double quiet;
	unsigned watched;
	/* Sums over the samples that state on_cpu and runnable (struct run_facts), whose number is
	 * `shares`. off_cpu: of 1 / on_cpu, because the elapsed time of a sample grows by this
	 * factor. */
	double off_cpu, runnable;
	unsigned shares;
	unsigned huge, small; /* number of samples that asked for huge pages, and number of these
				 samples that got smaller pages */
	uint64_t l3_bytes; /* size of L3 that the machine states (not a measured size), in bytes; 0:
			      unknown */
	/* The largest factor by which the latency of a probe falls from one working set to a larger
	 * one, beyond the quartiles of both. Latency grows with the working set, so a factor well
	 * above 1 shows that L3 or memory was not the same during the probe. 0: no probe */
	double drop;
	char uarch[32], microcode[24]; /* "": unknown */
	enum source cycles_from;       /* the clock of its last sample; SOURCE_NONE: unknown */

	/* State of the reader. */
	uint64_t report; /* hash of the first line of the report that is being read; 0: no report */
	int64_t id; /* id of the last sample that was read, except samples of probes; a smaller id
		       begins a new run */
	double ghz; /* sum of the core clocks in GHz of the samples in the current run, for their
		       mean */
	/* The same as quiet and watched, for the samples of the current run. */
	double run_quiet;
	unsigned run_watched;
	unsigned clocks, run_contended; /* number of samples in the current run that state a clock
					   frequency, and how many of them are contended */
	/* The same as off_cpu, runnable and shares, for the samples of the current run. */
	double run_off_cpu, run_runnable;
	unsigned run_shares;
	unsigned run_wanted; /* number of samples in the current run that asked for huge pages */
	double run_huge; /* number of these samples that got huge pages; mixed pages count half */
	int64_t point;	 /* id of the last sample of a probe */
	double point_lo, point_hi; /* factors from the bandwidth of this sample to its quartiles */
	bool point_contended;
	/* The latency curve of a probe so far: its pages, its largest working set in bytes, and the
	 * highest lower quartile of its points in ns. */
	char curve_pages[8];
	double curve_bytes, curve_most;
	char setting[160]; /* the setting of the last record "slack", to which the following records
			      "resource" belong */
	int64_t trials_id; /* id of the setting whose trials were read last; trials_first and
			      trials_count: where compared.trials holds them */
	uint32_t trials_first, trials_count;
};

struct compared_value {
	int quantity, source;
	bool contended;
	bool replaces; /* the value replaces the last value of its quantity and source in the run */
	double value, lo, hi;		     /* lo and hi are the quartiles; NAN: unknown */
	uint32_t trials_first, trials_count; /* index of the value's first trial in compared.trials,
						and number of its trials */
};

struct kept;

struct compared {
	struct kept *kept; /* receives each complete record; NULL: records are not kept */
	struct intern files, hosts, models, quantities, sources, kinds, seen;
	struct compared_quantity *quantity;
	struct compared_source *source;
	struct compared_value *value;
	size_t value_count;
	float *trials; /* cycles per element of all quiet (undisturbed) trials in the recordings */
	uint32_t trial_count;
	uint64_t lines, group[LINE_GROUPS];
	uint64_t cut;	 /* number of JSON records that begin in a line, but are cut off */
	uint64_t beside; /* number of lines in which other text stands before or after a record */
	/* The first input line that could not be used: index of its file, line number, and the
	 * reason (group). */
	int first_file;
	uint64_t first_line;
	enum line_group first_group;
};

void compared_free(struct compared *compared);

/* Reads a file or stream; "-" is standard input. All sources in the file get the side `side`: 0 for
 * A, 1 for B. Returns STATUS_USAGE if the file cannot be opened, STATUS_FAILED after a read error.
 */
struct status compared_read(struct compared *compared, const char *path, int side);

/* Reads an open file or stream. `name` is the stream's name in messages. */
struct status compared_read_stream(
	struct compared *compared, const char *name, FILE *file, int side);

/* Returns the estimated number of busy processors, with this one, from the means of on_cpu and
 * runnable (struct run_facts). Of the runnable threads, those that wait for this processor do not
 * count: a thread that gets a half of its processor shares it with one other thread. */
double compared_busy(double on_cpu, double runnable);

/* Call after all files are read: adds the mean clock of the last run of each source (host in a
 * file). Call compared_finish() only once. */
void compared_finish(struct compared *compared);

/* Adds a value. value->lo and value->hi are quartiles; NAN: unknown. A measured value that
 * is not between COMPARED_LEAST and COMPARED_MOST is ignored: ratios of other values may be no
 * numbers. */
#define COMPARED_LEAST 1e-12
#define COMPARED_MOST  1e24
void compared_add(
	struct compared *compared, int source, int quantity, const struct compared_value *value);

/* Returns the number of files that have records. *first receives the index of the first of these
 * files, and *without that of the first file without records; -1: there is none. */
int compared_files(const struct compared *compared, int *first, int *without);

/* Returns the index of a quantity in compared.quantity; adds a new quantity. */
int compared_quantity(struct compared *compared, const struct compared_quantity *quantity);

/* Returns the index in compared.source of a host in a file on side A or B; adds a new source. */
int compared_source(struct compared *compared, int file, int side, const char *host);
