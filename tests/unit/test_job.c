/* Threads: which signals they take. */
#include "check.h"

#include <signal.h>

#include "base/job.h"

static sigset_t blocked;

static void look(void *unused)
{
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
}

/* A blocked fault would end the program before the terminal is restored. */
TEST(a_thread_takes_only_the_signals_of_its_faults)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP },
			 others[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGALRM };

	job_end(job_begin(look, NULL));
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		assert_int_equal(sigismember(&blocked, faults[i]), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(sigismember(&blocked, others[i]), 1);
}

RUN_TESTS()
