#include "explorer/turns.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/job.h"
#include "base/text.h"

enum state {
	TURN_NEW,  /* the long measurement's thread has not begun */
	TURN_RUNS, /* the thread of the long measurement runs; the explorer's thread waits only in
		      this state */
	TURN_ASKS, /* `request` holds the long measurement's next request to the engine */
	TURN_COMPUTES, /* both threads run: the measurement computes in its own thread */
	TURN_COMPUTED, /* the computation is complete; the long measurement waits for its turn to
			  run */
	TURN_OVER,
};

struct turns {
	struct campaign campaign;
	pthread_t thread; /* the measurement's thread; valid if `threaded` is true */
	bool threaded;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum state state; /* which of the two threads may run now: the thread of the long
			     measurement or the explorer's thread; protected by `lock` */

	/* Only the thread that may run now (long measurement or explorer) may read and write the
	 * following fields. A thread passes the turn to the other thread while it holds the lock,
	 * so the other thread sees all values written before. */
	struct request request;
	struct result *result; /* the long measurement's buffer for the result of its request */
	bool out;	       /* true: turns_next() has returned the request to its caller */
	/* Flags that the long measurement (campaign) reads when its thread continues, and `stopped`
	 * also while it computes. */
	bool lost, freed;
	atomic_bool stopped;
	double now;
};

/* ---- the measurement's thread ---- */

/* Lets the explorer's thread run, because the measurement's thread must wait. Unless the long
 * measurement is over, waits until the state is TURN_RUNS. */
static void pass(struct turns *turns, enum state state)
{
	pthread_mutex_lock(&turns->lock);
	turns->state = state;
	pthread_cond_broadcast(&turns->changed);
	while (state != TURN_OVER && turns->state != TURN_RUNS)
		pthread_cond_wait(&turns->changed, &turns->lock);
	pthread_mutex_unlock(&turns->lock);
}

static void turns_submit(void *context, const struct request *request, struct result *result)
{
	struct turns *turns = context;

	turns->request = *request;
	turns->result = result;
	turns->out = turns->lost = false;
}

static bool turns_await(void *context)
{
	struct turns *turns = context;

	pass(turns, TURN_ASKS);
	return !turns->lost;
}

static bool turns_stopped(void *context)
{
	return ((struct turns *)context)->stopped;
}

static double turns_now(void *context)
{
	return ((struct turns *)context)->now;
}

static bool turns_work(void *context, void (*work)(void *argument), void *argument)
{
	struct turns *turns = context;

	if (turns->freed)
		return false;
	pthread_mutex_lock(&turns->lock);
	turns->state = TURN_COMPUTES;
	pthread_cond_broadcast(&turns->changed);
	pthread_mutex_unlock(&turns->lock);
	work(argument);
	pass(turns, TURN_COMPUTED);
	return !turns->freed;
}

static void *thread_main(void *argument)
{
	struct turns *turns = argument;
	const struct measurer measurer = { .context = turns,
		.ahead = 1,
		.submit = turns_submit,
		.await = turns_await,
		.stopped = turns_stopped,
		.now = turns_now,
		.compute = turns_work };

	turns->campaign.kind->measure(turns->campaign.self, &measurer);
	pass(turns, TURN_OVER);
	return NULL;
}

/* ---- the explorer's thread ---- */

static enum state state_of(const struct turns *turns)
{
	struct turns *shared = (struct turns *)turns;
	enum state state;

	pthread_mutex_lock(&shared->lock);
	state = turns->state;
	pthread_mutex_unlock(&shared->lock);
	return state;
}

static void begin(struct turns *turns)
{
	turns->threaded = job_thread(&turns->thread, thread_main, turns) == 0;
	if (!turns->threaded)
		turns->state = TURN_OVER;
}

/* Lets the long measurement's thread run until it asks for a request, computes or ends. */
static void let_run(struct turns *turns)
{
	pthread_mutex_lock(&turns->lock);
	if (turns->state == TURN_NEW) {
		turns->state = TURN_RUNS;
		begin(turns);
	} else {
		turns->state = TURN_RUNS;
		pthread_cond_broadcast(&turns->changed);
	}
	while (turns->state == TURN_RUNS)
		pthread_cond_wait(&turns->changed, &turns->lock);
	pthread_mutex_unlock(&turns->lock);
}

struct turns *turns_new(const struct campaign *campaign)
{
	struct turns *turns = memory_new(1, sizeof(*turns));

	turns->campaign = *campaign;
	pthread_mutex_init(&turns->lock, NULL);
	pthread_cond_init(&turns->changed, NULL);
	return turns;
}

void turns_free(struct turns *turns)
{
	enum state state;

	if (!turns)
		return;
	turns_stop(turns);
	pthread_mutex_lock(&turns->lock);
	while (turns->state == TURN_COMPUTES)
		pthread_cond_wait(&turns->changed, &turns->lock);
	state = turns->state;
	pthread_mutex_unlock(&turns->lock);
	turns->freed = turns->lost = true;
	while (state != TURN_NEW && state != TURN_OVER) {
		let_run(turns);
		state = state_of(turns);
	}
	if (turns->threaded)
		pthread_join(turns->thread, NULL);
	pthread_cond_destroy(&turns->changed);
	pthread_mutex_destroy(&turns->lock);
	free(turns);
}

bool turns_next(struct turns *turns, double now, struct request *request)
{
	enum state state = state_of(turns);

	if (state == TURN_COMPUTES || state == TURN_OVER)
		return false;
	if (state == TURN_ASKS && turns->out && !turns->lost)
		return false;
	if (state != TURN_ASKS || turns->lost) {
		turns->now = now;
		let_run(turns);
	}
	if (state_of(turns) != TURN_ASKS)
		return false;
	*request = turns->request;
	turns->out = true;
	return true;
}

void turns_accept(struct turns *turns, double now, const struct result *result)
{
	if (state_of(turns) != TURN_ASKS || !turns->out || turns->lost || !result->final)
		return;
	*turns->result = *result;
	turns->result->at = now;
	turns->now = now;
	let_run(turns);
}

void turns_lose(struct turns *turns)
{
	if (state_of(turns) == TURN_ASKS)
		turns->lost = true;
}

void turns_stop(struct turns *turns)
{
	pthread_mutex_lock(&turns->lock);
	turns->stopped = true;
	pthread_mutex_unlock(&turns->lock);
	turns_lose(turns);
}

bool turns_compute(const struct turns *turns)
{
	enum state state = state_of(turns);

	return state == TURN_COMPUTES || state == TURN_COMPUTED;
}

bool turns_over(const struct turns *turns)
{
	return state_of(turns) == TURN_OVER;
}
