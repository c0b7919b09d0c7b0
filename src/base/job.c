#include "base/job.h"

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

int job_thread(pthread_t *thread, void *(*main)(void *context), void *context)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
	sigset_t others, before;
	int error;

	sigfillset(&others);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&others, faults[i]);
	pthread_sigmask(SIG_SETMASK, &others, &before);
	error = pthread_create(thread, NULL, main, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
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
