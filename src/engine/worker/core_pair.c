#include "engine/worker/core_pair.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/job.h"
#include "engine/clock/clock.h"
#include "engine/worker/load_threads.h"

/* A span is a number of trials between two readings of a thread's run time. Another thread on the
 * core spoils only the trials of one span. */
enum { SPAN_TRIALS = 8, SPANS = PAIR_TRIALS / SPAN_TRIALS };
_Static_assert(SPANS *SPAN_TRIALS == PAIR_TRIALS, "a visit has whole spans");

/* MEMORY: bytes of memory for one visit. PLACE: bytes from one possible place of a line to the
 * next. Prefetchers fetch pairs of lines, so a place is larger than two lines. */
enum { MEMORY = 64 << 10, PLACE = 256 };

/* The timer's thread reads the clock, and writes one number after another into its line. The echo's
 * thread writes each of these numbers into its own line. */
enum { TIMER, ECHO, SIDES };

/* The timer's thread writes STOP into its line to end the echo's thread. */
enum { STOP = -1 };

struct pair {
	const struct topology *topology;
	int cpu[SIDES];
	unsigned visit;
	double seconds;
	atomic_int bound; /* number of threads that are bound to their processors */
	atomic_bool failed;
	struct status status[SIDES];
	unsigned char *memory; /* memory that contains both lines */
	atomic_bool touched;   /* the timer's thread has touched the memory */
	int spans;	       /* number of complete spans of trials */
	bool disturbed[SIDES][SPANS];
	double ns[PAIR_TRIALS];
};

/* Binds the thread of a side, and waits until both threads are bound. Returns false if a thread
 * could not be created or bound. */
static bool meet(struct pair *pair, int side)
{
	pair->status[side] = topology_bind(pair->topology, pair->cpu[side]);
	if (!status_is_ok(&pair->status[side]))
		atomic_store(&pair->failed, true);
	atomic_fetch_add(&pair->bound, 1);
	while (atomic_load(&pair->bound) < SIDES && !atomic_load(&pair->failed))
		sched_yield();
	return !atomic_load(&pair->failed);
}

/* Returns the line of a side. Successive visits use different places of the memory. */
static atomic_int *line_of(const struct pair *pair, int side)
{
	unsigned places = MEMORY / PLACE,
		 at = pair->visit * 37 + (side == ECHO ? places / 2 + 5 : 0);

	return (atomic_int *)(void *)(pair->memory + at % places * PLACE);
}

static bool disturbed_since(const struct clock_thread *before)
{
	struct clock_thread now = clock_thread();
	const struct span span = { .at = now.at - before->at,
		.on = now.on - before->on,
		.switches = now.switches - before->switches };

	return span_disturbed(&span);
}

/* ---- the echo's thread ---- */

/* Answers `trips` numbers from *next on, and advances *next. Returns false if the timer's thread
 * has written STOP. */
static bool answer(const atomic_int *ball, atomic_int *back, int *next, int trips)
{
	for (int i = 0; i < trips; i++, ++*next) {
		int seen;

		while ((seen = atomic_load_explicit(ball, memory_order_acquire)) != *next)
			if (seen == STOP)
				return false;
		atomic_store_explicit(back, *next, memory_order_release);
	}
	return true;
}

static void *echo_main(void *context)
{
	struct pair *pair = context;
	int next = 1;

	if (!meet(pair, ECHO))
		return NULL;
	while (!atomic_load(&pair->touched))
		sched_yield();
	for (int span = 0;; span++) {
		struct clock_thread before = clock_thread();

		if (!answer(line_of(pair, TIMER), line_of(pair, ECHO), &next,
			    1 + SPAN_TRIALS * PAIR_TRIPS))
			return NULL;
		pair->disturbed[ECHO][span % SPANS] = disturbed_since(&before);
	}
}

/* ---- the timer's thread ---- */

static void make_trips(atomic_int *ball, const atomic_int *back, int *next, int trips)
{
	for (int i = 0; i < trips; i++, ++*next) {
		atomic_store_explicit(ball, *next, memory_order_release);
		while (atomic_load_explicit(back, memory_order_acquire) != *next)
			;
	}
}

/* Returns the shortest time, in seconds, between two readings of the clock without work between
 * them. */
static double empty_seconds(void)
{
	double least = INFINITY;

	for (int i = 0; i < 8; i++) {
		double begin = clock_seconds();

		least = fmin(least, clock_seconds() - begin);
	}
	return least;
}

static void make_trials(struct pair *pair)
{
	atomic_int *ball = line_of(pair, TIMER), *back = line_of(pair, ECHO);
	double empty = empty_seconds(), until = clock_seconds() + pair->seconds;
	int next = 1;

	while (pair->spans < SPANS && (pair->spans == 0 || clock_seconds() < until)) {
		struct clock_thread before = clock_thread();

		/* The first trip of a span is not timed, because the echo's thread may still read
		 * its run time. */
		make_trips(ball, back, &next, 1);
		for (int i = 0; i < SPAN_TRIALS; i++) {
			double begin = clock_seconds();

			make_trips(ball, back, &next, PAIR_TRIPS);
			pair->ns[pair->spans * SPAN_TRIALS + i] =
				(clock_seconds() - begin - empty) / (2 * PAIR_TRIPS) * 1e9;
		}
		pair->disturbed[TIMER][pair->spans++] = disturbed_since(&before);
	}
	/* The echo's thread answers this trip after the end of its last span, so the span is
	 * complete. */
	make_trips(ball, back, &next, 1);
	atomic_store(ball, STOP);
}

static void *timer_main(void *context)
{
	struct pair *pair = context;

	if (!meet(pair, TIMER))
		return NULL;
	/* The first write puts the lines into memory near the timer's processor. */
	memset(pair->memory, 0, MEMORY);
	atomic_store(&pair->touched, true);
	make_trials(pair);
	return NULL;
}

/* ---- */

static void collect(const struct pair *pair, struct pair_trials *trials)
{
	for (int i = 0; i < pair->spans * SPAN_TRIALS; i++) {
		int span = i / SPAN_TRIALS;

		if (pair->disturbed[TIMER][span] || pair->disturbed[ECHO][span])
			trials->rejected++;
		else
			trials->ns[trials->count++] = pair->ns[i];
	}
}

struct status core_pair_visit(const struct topology *topology, int a, int b, unsigned visit,
	double seconds, struct pair_trials *trials)
{
	struct pair pair = {
		.topology = topology, .cpu = { a, b }, .visit = visit, .seconds = seconds
	};
	void *(*const mains[SIDES])(void *) = { timer_main, echo_main };
	pthread_t thread[SIDES];
	int error = 0, started = 0;

	*trials = (struct pair_trials){ 0 };
	pair.memory =
		mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pair.memory == MAP_FAILED)
		return status_failed("no memory for two cache lines: %s", strerror(errno));
	for (; started < SIDES && error == 0; started += error == 0)
		error = job_thread(&thread[started], mains[started], &pair);
	if (error)
		atomic_store(&pair.failed, true);
	while (started > 0)
		pthread_join(thread[--started], NULL);
	munmap(pair.memory, MEMORY);
	if (error)
		return status_failed("no thread for another core: %s", strerror(error));
	for (int side = 0; side < SIDES; side++)
		if (!status_is_ok(&pair.status[side]))
			return pair.status[side];
	collect(&pair, trials);
	return status_ok();
}
