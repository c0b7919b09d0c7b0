#include "base/job.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/text.h"

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

struct job *job_begin(void (*work)(void *context), void *context)
{
	struct job *job = memory_new(1, sizeof(*job));
	sigset_t all, before;

	job->work = work;
	job->context = context;
	atomic_init(&job->over, false);
	/* Block all signals in the new thread: another thread handles them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	job->threaded = pthread_create(&job->thread, NULL, thread_main, job) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
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
