/* Output that the reader takes slowly. */
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"

static int told[2]; /* a pipe with a byte for each signal that the child has handled */

static void tell(int number)
{
	(void)number;
	(void)!write(told[1], "", 1);
}

/* Single-stepping sends signals to its thread, whose handler interrupts system calls. */
TEST(a_signal_does_not_shorten_the_output)
{
	enum { LINES = 4000, LENGTH = 50, SIGNALS = 50 };
	const struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
	char bytes[4096];
	size_t total = 0;
	int ends[2], how;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(told), 0);
	child = fork();
	if (child == 0) {
		FILE *results;

		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		sigaction(SIGALRM, &(struct sigaction){ .sa_handler = tell }, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
		results = output_stream(OUTPUT_RESULTS);
		for (int i = 0; i < LINES; i++)
			fprintf(results, "%*s\n", LENGTH - 1, "line");
		_exit(fflush(results) == 0 && !ferror(results) ? 0 : 1);
	}
	close(ends[1]);
	close(told[1]);
	/* The pipe of the results is full after the first signals, and stays so. */
	for (ssize_t got = 0; got >= 0 && total < SIGNALS; total += (size_t)got)
		if ((got = read(told[0], bytes, SIGNALS - total)) == 0)
			break;
	assert_int_equal(total, SIGNALS);
	total = 0;
	for (ssize_t got; (got = read(ends[0], bytes, sizeof(bytes))) > 0;)
		total += (size_t)got;
	close(ends[0]);
	close(told[0]);
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
	assert_int_equal(total, LINES * LENGTH);
}

RUN_TESTS()
