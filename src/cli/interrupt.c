#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* One set for the process, as its signals are. The pipe wakes poll() whichever thread the signal
 * hit. */
static volatile sig_atomic_t received;
static int ends[2] = { -1, -1 };

static void note_signal(int number)
{
	int saved = errno;

	received = number;
	if (ends[1] >= 0 && write(ends[1], "", 1) < 0) {
		/* Full: it is readable already. */
	}
	errno = saved;
}

void interrupt_catch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = note_signal,
		.sa_flags = SA_RESTART | SA_RESETHAND };

	/* Without a pipe a signal is noticed a little later, after the request under way. */
	if (ends[0] < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		ends[0] = ends[1] = -1;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction present;

		/* What the parent made us ignore (nohup) stays ignored. */
		if (sigaction(signals[i], NULL, &present) == 0 && present.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

int interrupt_signal(void)
{
	return received;
}

int interrupt_descriptor(void)
{
	return ends[0];
}
