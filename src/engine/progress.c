#include "engine/progress.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/units.h"

/* The stage, the run's number and the number of runs share one atomic variable, so that a reader
 * gets values of the same time. */
enum { RUN_BITS = 14, RUN_MOST = (1 << RUN_BITS) - 1, STAGE_BITS = 4 };

/* An estimate of the remaining time requires that the finished share has grown by GROWN_LEAST,
 * during at least SEEN_LEAST seconds. */
#define GROWN_LEAST 0.02
#define SEEN_LEAST  0.2

static unsigned pack(enum stage stage, unsigned run, unsigned runs)
{
	run = run > RUN_MOST ? RUN_MOST : run;
	runs = runs > RUN_MOST ? RUN_MOST : runs;
	return (unsigned)stage | run << STAGE_BITS | runs << (STAGE_BITS + RUN_BITS);
}

void progress_begin(struct progress *progress, enum stage stage, unsigned run, unsigned runs)
{
	if (!progress)
		return;
	atomic_store_explicit(&progress->share, 0, memory_order_relaxed);
	atomic_store_explicit(&progress->stage, pack(stage, run, runs), memory_order_release);
}

void progress_end(struct progress *progress)
{
	progress_begin(progress, STAGE_NONE, 0, 0);
}

struct progress_seen progress_see(struct progress *progress)
{
	unsigned stage = atomic_load_explicit(&progress->stage, memory_order_acquire), share, again;
	struct progress_seen seen;

	/* If the stage of work changed while the finished share was read, read again: the share
	 * belongs to the new stage. */
	for (;;) {
		share = atomic_load_explicit(&progress->share, memory_order_acquire);
		again = atomic_load_explicit(&progress->stage, memory_order_acquire);
		if (again == stage)
			break;
		stage = again;
	}
	seen = (struct progress_seen){ .stage = (enum stage)(stage & ((1 << STAGE_BITS) - 1)),
		.share = fmin(share / 1000.0, 1),
		.run = stage >> STAGE_BITS & RUN_MOST,
		.runs = stage >> (STAGE_BITS + RUN_BITS) };
	if (seen.stage == STAGE_RUNNING && seen.run > 0 && seen.runs >= seen.run)
		seen.share = (seen.run - 1 + seen.share) / seen.runs;
	return seen;
}

double outlook_left(const struct outlook *outlook, double now)
{
	double grown = outlook->seen.share - outlook->from, took = now - outlook->since;

	if (outlook->seen.stage == STAGE_NONE || grown < GROWN_LEAST || took < SEEN_LEAST)
		return NAN;
	return (1 - outlook->seen.share) / grown * took;
}

double outlook_note(struct outlook *outlook, const struct progress_seen *seen, double now)
{
	/* After the first run, more runs may be planned, because the duration of a run is known;
	 * the finished share then falls. If the finished share of the work falls, the estimate of
	 * the remaining time starts again. */
	if (seen->stage != outlook->seen.stage || seen->share < outlook->seen.share) {
		outlook->since = now;
		outlook->from = seen->share;
	}
	outlook->seen = *seen;
	return outlook_left(outlook, now);
}

void progress_left_words(double left, char *buffer, size_t size)
{
	*buffer = '\0';
	if (isfinite(left) && left < 99.5)
		snprintf(buffer, size, "about %.0f s left", fmax(ceil(left), 1));
	else if (isfinite(left))
		snprintf(buffer, size, "about %.0f min left", ceil(left / 60));
}

void progress_words(const struct progress_seen *seen, double bytes, char *buffer, size_t size)
{
	double percent = floor(100 * seen->share);
	struct units_text held = units_size_long((int64_t)bytes);

	*buffer = '\0';
	if (seen->stage == STAGE_COMPILING)
		snprintf(buffer, size, "compiling for these values of the knobs");
	else if (seen->stage == STAGE_MEMORY)
		snprintf(buffer, size, "taking %s of memory: %.0f %%", held.text, percent);
	else if (seen->stage == STAGE_LAYING)
		snprintf(buffer, size, "laying out %s: %.0f %%", held.text, percent);
	else if (seen->stage == STAGE_RUNNING && seen->runs > 1)
		snprintf(buffer, size, "complete run %u of %u: %.0f %%", seen->run, seen->runs,
			percent);
	else if (seen->stage == STAGE_RUNNING)
		snprintf(buffer, size, "complete run: %.0f %%", percent);
}
