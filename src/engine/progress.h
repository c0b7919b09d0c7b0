/* Progress of long work. The thread that does long work writes its progress; any thread reads the
 * progress at any time. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>

enum stage {
	STAGE_NONE,	 /* no long work is running */
	STAGE_COMPILING, /* the compiler makes an own loop for new values of its knobs */
	STAGE_MEMORY,	 /* the system allocates pages */
	STAGE_LAYING,	 /* stage: the kernel's data are laid out in the allocated pages */
	STAGE_RUNNING,	 /* stage: complete runs of a kernel; each run goes over its whole data (the
			    ring) */
	STAGES
};

/* A zeroed struct progress means that no work runs. Only one thread writes a struct progress. */
struct progress {
	atomic_uint stage; /* the enum stage; for complete runs, the value also holds the run's
			      number and the number of runs */
	atomic_uint share; /* finished share of the stage or run of the work, in thousandths
			      (run->progress of a kernel) */
};

/* A snapshot. */
struct progress_seen {
	enum stage stage;
	double share;	    /* finished share of the stage of work with all its runs, 0…1 */
	unsigned run, runs; /* STAGE_RUNNING: number of the current run, from 1, and number of
			       planned runs */
};

/* Begins a stage of the work or the next run of a stage, and ends the previous one. If `progress`
 * is NULL, no progress of the work is reported. */
void progress_begin(struct progress *progress, enum stage stage, unsigned run, unsigned runs);
void progress_end(struct progress *progress);

struct progress_seen progress_see(struct progress *progress);

/* Estimates the remaining time. A zeroed struct outlook has seen no stage of the work yet. */
struct outlook {
	struct progress_seen seen;
	double since, from; /* time when the stage was first seen, and the stage's finished share at
			       that time */
};

/* outlook_note() takes a snapshot of the progress. outlook_note() and outlook_left() return the
 * remaining seconds; NAN: it is too early to estimate, or no work runs. */
double outlook_note(struct outlook *outlook, const struct progress_seen *seen, double now);
double outlook_left(const struct outlook *outlook, double now);

/* Writes the progress in words: "laying out 384 MiB: 43 %", "complete run 2 of 3: 43 %". The
 * parameter `bytes` is the size of the working set. The text about the progress is empty if no long
 * work is running. */
void progress_words(const struct progress_seen *seen, double bytes, char *buffer, size_t size);
/* Writes the remaining time in words: "about 12 s left". The text about the remaining time is empty
 * if it is too early to estimate. */
void progress_left_words(double left, char *buffer, size_t size);
