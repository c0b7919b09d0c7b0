/* How far work is that takes long: noted by the thread that does it, looked at by any other, at any
 * time. */
#ifndef SLX_ENGINE_PROGRESS_H
#define SLX_ENGINE_PROGRESS_H

#include <stdatomic.h>
#include <stddef.h>

enum stage {
	STAGE_NONE,    /* nothing that takes long */
	STAGE_MEMORY,  /* the system makes pages */
	STAGE_LAYING,  /* data are laid out in them */
	STAGE_RUNNING, /* complete runs, each of the whole ring */
	STAGES
};

/* A zeroed one is of nothing. One thread writes. */
struct progress {
	atomic_uint stage; /* and of complete runs, which of how many */
	atomic_uint share; /* of it, or of this run, in thousandths: run->progress of a kernel */
};

/* As it was at a moment. */
struct progress_seen {
	enum stage stage;
	double share; /* of the stage, 0…1: of all its runs */
	unsigned run,
		runs; /* STAGE_RUNNING: the run under way, from 1, of so many that are planned */
};

/* Begins a stage, or the next run of it. Stages and runs before are over. NULL: nobody asks. */
void progress_begin(struct progress *progress, enum stage stage, unsigned run, unsigned runs);
void progress_end(struct progress *progress);

struct progress_seen progress_see(struct progress *progress);

/* When a stage was first seen, for whoever says how long it will take. A zeroed one has seen none.
 */
struct outlook {
	struct progress_seen seen;
	double since, from; /* when the stage was first seen, and how far it was then */
};

/* Notes what is seen now; returns the seconds that it will take yet, NAN: too early to tell, or
 * nothing is under way. */
double outlook_note(struct outlook *outlook, const struct progress_seen *seen, double now);
double outlook_left(const struct outlook *outlook, double now);

/* "laying out 384 MiB: 43 %", "complete run 2 of 3: 43 %"; bytes: of the working set. Empty:
 * nothing is under way. */
void progress_words(const struct progress_seen *seen, double bytes, char *buffer, size_t size);
/* "some 12 s left"; empty: too early to tell. */
void progress_left_words(double left, char *buffer, size_t size);

#endif
