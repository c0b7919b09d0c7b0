#include "base/job.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/text.h"

/* Bytes of a thread's stack. */
enum { STACK_BYTES = 8 << 20 };

struct job {
	void (*work)(void *context);
	void *context;
	pthread_t thread;
	bool threaded;
	atomic_bool over; /* set when the work is done */
};

static void *thread_main(void *argument)
{
	struct job *job = argument;

	job->work(job->context);
	atomic_store(&job->over, true);
	return NULL;
}

int job_thread(pthread_t *thread, void *(*main)(void *context), void *context)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
	pthread_attr_t attributes;
	sigset_t others, before;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	/* The size does not depend on the limit on the main thread's stack (ulimit -s). */
	pthread_attr_setstacksize(&attributes, STACK_BYTES);

	sigfillset(&others);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&others, faults[i]);
	pthread_sigmask(SIG_SETMASK, &others, &before);
	error = pthread_create(thread, &attributes, main, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

struct job *job_begin(void (*work)(void *context), void *context)
{
	struct job *job = memory_new(1, sizeof(*job));

	job->work = work;
	job->context = context;
	atomic_init(&job->over, false);
	job->threaded = job_thread(&job->thread, thread_main, job) == 0;
	if (!job->threaded)
		thread_main(job);
	return job;
}

bool job_over(const struct job *job)
{
	return atomic_load(&job->over);
}

void job_end(struct job *job)
{
	if (!job)
		return;
	if (job->threaded)
		pthread_join(job->thread, NULL);
	free(job);
}
