/* Progress of long work. The working thread writes it; any thread reads it at any time. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>

enum stage {
	STAGE_NONE,    /* no long work */
	STAGE_MEMORY,  /* the system allocates pages */
	STAGE_LAYING,  /* data are laid out in these pages */
	STAGE_RUNNING, /* complete runs: each goes over the whole ring */
	STAGES
};

/* Zeroed: no work. Only one thread writes it. */
struct progress {
	atomic_uint stage; /* the stage; for complete runs also the run's number and the number of
			      runs */
	atomic_uint share; /* finished share of the stage or run, in thousandths (run->progress of a
			      kernel) */
};

/* A snapshot. */
struct progress_seen {
	enum stage stage;
	double share; /* finished share of the stage with all its runs, 0…1 */
	unsigned run,
		runs; /* STAGE_RUNNING: number of the current run, from 1, and of planned runs */
};

/* Begins a stage, or its next run; this ends the previous one. NULL: progress is not reported. */
void progress_begin(struct progress *progress, enum stage stage, unsigned run, unsigned runs);
void progress_end(struct progress *progress);

struct progress_seen progress_see(struct progress *progress);

/* Estimates the remaining time. Zeroed: no stage seen yet. */
struct outlook {
	struct progress_seen seen;
	double since, from; /* when the stage was first seen, and its share at that time */
};

/* outlook_note() takes a snapshot. Both return the remaining seconds; NAN: too early to estimate,
 * or no work. */
double outlook_note(struct outlook *outlook, const struct progress_seen *seen, double now);
double outlook_left(const struct outlook *outlook, double now);

/* "laying out 384 MiB: 43 %", "complete run 2 of 3: 43 %"; bytes: of the working set. Empty: no
 * long work is running. */
void progress_words(const struct progress_seen *seen, double bytes, char *buffer, size_t size);
/* "about 12 s left"; empty: too early to estimate. */
void progress_left_words(double left, char *buffer, size_t size);
