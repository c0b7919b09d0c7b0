/* State shared with the worker's thread: `lock` guards pending, pending_count, running, stop,
 * ready, target.opened, and the list of answers. `cancel` and `machine.known` are atomic. All other
 * fields of struct worker belong to the worker's thread after it has started. The worker's lock is
 * not held while a trial runs. */
#include "engine/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/job.h"
#include "base/monotonic.h"
#include "engine/worker/target.h"

/* Seconds without a request after which the worker gives its memory back: a user who has frozen the
 * screen may look at it for long, and other programs need the memory. */
enum { REST_SECONDS = 60 };

/* Seconds in which a stopped worker must end. A call of a slow kernel, such as a large matrix
 * product, may take much longer; nobody waits for its result any more. */
enum { END_SECONDS = 2 };
/* Seconds in which a worker that is not ready yet must end. hwloc may read the topology for longer,
 * and nothing was measured yet. */
#define OPEN_SECONDS 0.1

/* Largest number of processors in a stored affinity mask. */
enum { PROCESSORS_MOST = 8192 };

struct answer {
	STAILQ_ENTRY(answer) next;
	struct result result;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake; /* signals a new request, a stop, or (to waiting callers) that the
				worker is ready */
	int pipe[2];
	struct worker_options options;
	int caller_thread, caller_cpu; /* caller_thread is 0: the calling thread is not moved */
	/* The processors that the calling thread could use before it was moved; NULL: unknown. */
	cpu_set_t *caller_set;
	size_t caller_set_bytes;

	bool stop, running, ready, over; /* over: the worker's thread needs nothing any more */
	struct request pending[REQUESTS_WAITING]; /* waiting requests, in the order in which they
						     will start */
	int pending_count;
	STAILQ_HEAD(, answer) answers;
	struct answer *spare; /* allocated in advance for an answer when memory runs out; NULL:
				 already in the list of answers */
	atomic_bool cancel;
	struct target target;
};

static void worker_wake_user(struct worker *worker)
{
	/* A full pipe to the worker's user is readable already, so no wake-up is lost. */
	(void)TEMP_FAILURE_RETRY(write(worker->pipe[1], "!", 1));
}

static void worker_answer(void *context, const struct result *result)
{
	struct worker *worker = context;
	struct answer *answer = malloc(sizeof(*answer));

	pthread_mutex_lock(&worker->lock);
	if (!answer) {
		answer = worker->spare;
		worker->spare = NULL;
	}
	if (answer)
		STAILQ_INSERT_TAIL(&worker->answers, answer, next);
	else /* if memory has run out, this answer replaces the last answer that the user interface
		has not taken yet */
		for (answer = STAILQ_FIRST(&worker->answers); STAILQ_NEXT(answer, next);)
			answer = STAILQ_NEXT(answer, next);
	answer->result = *result;
	answer->result.at = monotonic_seconds();
	pthread_mutex_unlock(&worker->lock);
	worker_wake_user(worker);
}

/* Waits until another thread wakes this thread, or the time is `until`. The caller holds the lock.
 * Returns whether the time has come. */
static bool wait_until(struct worker *worker, double until)
{
	struct timespec time = { .tv_sec = (time_t)until, .tv_nsec = (long)(fmod(until, 1) * 1e9) };

	return pthread_cond_clockwait(&worker->wake, &worker->lock, CLOCK_MONOTONIC, &time) ==
	       ETIMEDOUT;
}

/* Waits for a request. The caller holds the lock. Returns whether the worker waited for
 * REST_SECONDS without a request. */
static bool worker_waits(struct worker *worker)
{
	double seconds = worker->options.rest_after > 0 ? worker->options.rest_after : REST_SECONDS;

	return wait_until(worker, monotonic_seconds() + seconds);
}

static void *worker_main(void *context)
{
	struct worker *worker = context;
	struct target *target = &worker->target;
	struct status opened =
		target_open(target, worker->options.cpu, worker->caller_cpu, worker->caller_thread);
	struct request request;
	bool rests = false; /* the worker has given the memory of working sets back, and no request
			       came since */

	if (worker->options.alone && status_is_ok(&opened)) {
		const struct clock_alone alone = worker->options.alone(&target->machine);

		clock_expect(&target->clock, &alone);
	}

	pthread_mutex_lock(&worker->lock);
	target->opened = opened;
	worker->ready = true;
	atomic_store(&target->machine.known, status_is_ok(&opened));
	pthread_cond_broadcast(&worker->wake);
	worker_wake_user(worker);
	while (!worker->stop) {
		if (worker->pending_count == 0) {
			if (rests)
				pthread_cond_wait(&worker->wake, &worker->lock);
			else if ((rests = worker_waits(worker))) {
				pthread_mutex_unlock(&worker->lock);
				target_rest(target);
				pthread_mutex_lock(&worker->lock);
			}
			continue;
		}
		rests = false;
		request = worker->pending[0];
		worker->pending_count--;
		memmove(worker->pending, worker->pending + 1,
			sizeof(request) * (size_t)worker->pending_count);
		worker->running = true;
		atomic_store(&worker->cancel, false);
		pthread_mutex_unlock(&worker->lock);
		target_measure(target, &request, &worker->cancel, worker_answer, worker);
		pthread_mutex_lock(&worker->lock);
		worker->running = false;
	}
	worker->over = true;
	pthread_cond_broadcast(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

/* Stores the processors that the calling thread may use, for caller_restore(). */
static void caller_note(struct worker *worker)
{
	if (!worker->caller_thread)
		return;
	worker->caller_set = CPU_ALLOC(PROCESSORS_MOST);
	worker->caller_set_bytes = CPU_ALLOC_SIZE(PROCESSORS_MOST);
	if (worker->caller_set && sched_getaffinity(worker->caller_thread, worker->caller_set_bytes,
					  worker->caller_set) != 0) {
		CPU_FREE(worker->caller_set);
		worker->caller_set = NULL;
	}
}

/* Allows the calling thread its former processors again, so that the next worker can use them. */
static void caller_restore(struct worker *worker)
{
	if (!worker->caller_set)
		return;
	(void)sched_setaffinity(
		worker->caller_thread, worker->caller_set_bytes, worker->caller_set);
	CPU_FREE(worker->caller_set);
	worker->caller_set = NULL;
}

static void worker_release(struct worker *worker)
{
	struct answer *answer;

	target_close(&worker->target);
	caller_restore(worker);
	while ((answer = STAILQ_FIRST(&worker->answers))) {
		STAILQ_REMOVE_HEAD(&worker->answers, next);
		free(answer);
	}
	free(worker->spare);
	if (worker->pipe[0] >= 0) {
		close(worker->pipe[0]);
		close(worker->pipe[1]);
	}
	pthread_cond_destroy(&worker->wake);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
}

struct worker *worker_start(const struct worker_options *options, struct status *status)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	int error;

	if (worker)
		worker->spare = malloc(sizeof(*worker->spare));
	if (!worker || !worker->spare) {
		free(worker);
		*status = status_failed("no memory for the worker");
		return NULL;
	}
	counters_begin(); /* counters_begin() must run before a second thread starts */
	worker->options = *options;
	worker->caller_thread = options->bind_caller ? (int)gettid() : 0;
	worker->caller_cpu = sched_getcpu();
	caller_note(worker);
	worker->target.machine.cpu = -1;
	STAILQ_INIT(&worker->answers);
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->wake, NULL);
	if (pipe2(worker->pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
		*status = status_failed("no pipe for the worker: %s", strerror(errno));
		worker->pipe[0] = -1;
		worker_release(worker);
		return NULL;
	}
	/* A handler of a signal on the measured core would disturb trials. */
	error = job_thread(&worker->thread, worker_main, worker);
	if (error) {
		*status = status_failed("no thread for the worker: %s", strerror(error));
		worker_release(worker);
		return NULL;
	}
	*status = status_ok();
	return worker;
}

struct status worker_wait_ready(struct worker *worker)
{
	struct status status;

	pthread_mutex_lock(&worker->lock);
	while (!worker->ready)
		pthread_cond_wait(&worker->wake, &worker->lock);
	status = worker->target.opened;
	pthread_mutex_unlock(&worker->lock);
	return status;
}

bool worker_stop(struct worker *worker)
{
	double seconds = worker->options.end_after > 0 ? worker->options.end_after : END_SECONDS,
	       now = monotonic_seconds();
	bool over;

	pthread_mutex_lock(&worker->lock);
	worker->stop = true;
	atomic_store(&worker->cancel, true);
	pthread_cond_broadcast(&worker->wake);
	while (!worker->over &&
		!wait_until(worker, now + (worker->ready ? seconds : fmin(seconds, OPEN_SECONDS))))
		;
	over = worker->over;
	pthread_mutex_unlock(&worker->lock);
	if (!over) {
		caller_restore(worker);
		return false;
	}
	pthread_join(worker->thread, NULL);
	worker_release(worker);
	return true;
}

/* Removes the waiting requests, and cancels the running request. The caller holds the lock. */
static void drop_requests(struct worker *worker)
{
	worker->pending_count = 0;
	if (worker->running)
		atomic_store(&worker->cancel, true);
}

static void worker_submit(void *context, const struct request *request)
{
	struct worker *worker = context;

	pthread_mutex_lock(&worker->lock);
	if (!request->follows)
		drop_requests(worker);
	if (worker->pending_count == REQUESTS_WAITING)
		worker->pending_count--;
	worker->pending[worker->pending_count++] = *request;
	pthread_cond_broadcast(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
}

static void worker_cancel(void *context)
{
	struct worker *worker = context;

	pthread_mutex_lock(&worker->lock);
	drop_requests(worker);
	pthread_mutex_unlock(&worker->lock);
}

static bool worker_take(void *context, struct result *result)
{
	struct worker *worker = context;
	struct answer *answer;
	char drain[64];

	pthread_mutex_lock(&worker->lock);
	answer = STAILQ_FIRST(&worker->answers);
	if (answer)
		STAILQ_REMOVE_HEAD(&worker->answers, next);
	/* Drain the pipe of answers only when the queue is empty: otherwise a reader that takes one
	 * answer at a time would not wake for the next answer. */
	if (STAILQ_EMPTY(&worker->answers))
		while (read(worker->pipe[0], drain, sizeof(drain)) > 0)
			;
	if (answer) {
		*result = answer->result;
		if (worker->spare)
			free(answer);
		else
			worker->spare = answer;
	}
	pthread_mutex_unlock(&worker->lock);
	return answer != NULL;
}

static struct progress_seen worker_progress(void *context)
{
	return progress_see(&((struct worker *)context)->target.progress);
}

struct engine worker_engine(struct worker *worker)
{
	return (struct engine){
		.context = worker,
		.submit = worker_submit,
		.cancel = worker_cancel,
		.take = worker_take,
		.descriptor = worker->pipe[0],
		.machine = &worker->target.machine,
		.progress = worker_progress,
		.offers = counters_search,
		.encodes = counters_encode,
		.changes = true,
	};
}
