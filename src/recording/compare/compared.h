/* What `slexplore compare` reads: the measured values of many files, machines and runs.
 *
 * A quantity is something that several machines measure: the cycles per element of one setting, the
 * latency of a cache level. Lines are read one by one, so that the memory grows with the measured
 * values, not with the files. The input is untrusted. Every line is counted in one group of enum
 * line_group, so that no line is lost in silence. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/intern.h"
#include "base/status.h"

enum line_group {
	LINES_OTHER,	  /* text of other programs, such as messages of srun */
	LINES_CUT,	  /* incomplete records */
	LINES_UNFINISHED, /* long records whose further lines are missing */
	LINES_UNKNOWN,	  /* records of a kind that this program does not know */
	LINES_HOMELESS,	  /* records without a host, after no first line of a recording */
	LINES_REPEATED,	  /* records that were read before */
	LINES_DESCRIBING, /* records without compared values, such as notes and instructions */
	LINES_USED,	  /* records with compared values */
	LINE_GROUPS
};

struct compared_quantity {
	char *subject;		  /* "combine acc=2", "level L2"; allocated */
	const char *field, *unit; /* "cpe", "cycles/element" */
	/* The quantity depends on caches and memory that other cores use too, or on the core's
	 * clock, so it differs more from run to run. */
	bool shared;
	bool of_curve; /* a point of a probe's curve, which is uncertain in a single run */
};

/* A place where values come from: one host in one file. Its facts may explain a difference. */
struct compared_source {
	int file, host, side;
	int model;		       /* number of the processor's name in compared.models */
	unsigned runs;		       /* number of reports, or of series of samples */
	unsigned samples, contended;   /* number of samples, and of contended samples */
	double quiet, load;	       /* sum of the shares of quiet trials; highest load average */
	unsigned huge, small;	       /* number of samples that wanted huge pages, and of those
					  that got smaller ones */
	uint64_t l3_bytes;	       /* stated size of L3; 0: unknown */
	char uarch[32], microcode[24]; /* "": unknown */

	/* State of the reader. */
	uint64_t report;  /* hash of the first line of the current report; 0: no report */
	int64_t id;	  /* id of the last sample that belongs to no probe */
	double ghz;	  /* sum of the core clocks of the run's samples */
	double run_quiet; /* sum of their shares of quiet trials */
	unsigned clocks, run_contended; /* number of the run's samples with a clock, and of the
					   contended ones of them */
	bool one_kind;			/* the current probe measures one kind of pages */
	int64_t point; /* id of the last point of a probe, and its quartiles relative to it */
	double point_lo, point_hi;
	bool point_contended;
	char setting[160]; /* the setting of the last record "slack" */
	int64_t trials_id; /* id of the setting whose trials were read, and the trials */
	uint32_t trials_first, trials_count;
};

struct compared_value {
	int quantity, source;
	bool contended;
	double value, lo, hi;		     /* lo and hi are the quartiles; NAN: unknown */
	uint32_t trials_first, trials_count; /* place of the trials in compared.trials */
};

struct compared {
	struct intern files, hosts, models, quantities, sources, kinds, seen;
	struct compared_quantity *quantity;
	struct compared_source *source;
	struct compared_value *value;
	size_t value_count;
	float *trials; /* cycles per element of the quiet trials of recordings */
	uint32_t trial_count;
	uint64_t lines, group[LINE_GROUPS];
	uint64_t cut;	 /* number of records that begin, but are not complete */
	uint64_t beside; /* number of lines with other text next to a record */
	/* The first line that could not be used: its file, number and group. */
	int first_file;
	uint64_t first_line;
	enum line_group first_group;
};

void compared_free(struct compared *compared);

/* Reads a file or stream; "-" is standard input. `side` is kept in the sources. Returns
 * STATUS_USAGE if the file cannot be opened, STATUS_FAILED after a read error. */
struct status compared_read(struct compared *compared, const char *path, int side);

/* Reads an open file or stream. `name` is its name in messages. */
struct status compared_read_stream(
	struct compared *compared, const char *name, FILE *file, int side);

/* Ends the reading: completes the last run of each source. Call it once, after all files. */
void compared_finish(struct compared *compared);

/* Adds a value. NAN for lo and hi: unknown. Values that are not positive are not added. */
void compared_add(
	struct compared *compared, int source, int quantity, const struct compared_value *value);

/* Returns the number of a quantity, which is added if it is new. */
int compared_quantity(struct compared *compared, const struct compared_quantity *quantity);

/* Returns the number of the source for a host in a file of a side, which is added if it is new. */
int compared_source(struct compared *compared, int file, int side, const char *host);
