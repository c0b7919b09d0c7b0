/* Progress of long work. The working thread writes it; any thread reads it at any time. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>

enum stage {
	STAGE_NONE,    /* nothing that takes long */
	STAGE_MEMORY,  /* the system makes pages */
	STAGE_LAYING,  /* data are laid out in them */
	STAGE_RUNNING, /* complete runs, each of the whole ring */
	STAGES
};

/* Zeroed: no work. One thread writes. */
struct progress {
	atomic_uint stage; /* and of complete runs, which of how many */
	atomic_uint share; /* of the stage or the run, in thousandths (run->progress of a kernel) */
};

/* A snapshot. */
struct progress_seen {
	enum stage stage;
	double share; /* of the stage, 0…1: of all its runs */
	unsigned run,
		runs; /* STAGE_RUNNING: the run under way, from 1, of so many that are planned */
};

/* Begins a stage, or its next run; earlier ones are over. NULL: nobody asks. */
void progress_begin(struct progress *progress, enum stage stage, unsigned run, unsigned runs);
void progress_end(struct progress *progress);

struct progress_seen progress_see(struct progress *progress);

/* For estimating the remaining time. Zeroed: no stage seen yet. */
struct outlook {
	struct progress_seen seen;
	double since, from; /* when the stage was first seen, and how far it was then */
};

/* Takes a snapshot. Both return the remaining seconds; NAN: too early to estimate, or no work. */
double outlook_note(struct outlook *outlook, const struct progress_seen *seen, double now);
double outlook_left(const struct outlook *outlook, double now);

/* "laying out 384 MiB: 43 %", "complete run 2 of 3: 43 %"; bytes: of the working set. Empty:
 * nothing is under way. */
void progress_words(const struct progress_seen *seen, double bytes, char *buffer, size_t size);
/* "about 12 s left"; empty: too early to estimate. */
void progress_left_words(double left, char *buffer, size_t size);
