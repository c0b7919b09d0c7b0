#include "base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/fatal.h"

/* The variables `received` and `ends` are global because signals belong to the process. The pipe
 * `ends` wakes poll(), no matter which thread receives the signal. */
static volatile sig_atomic_t received;
static int ends[2] = { -1, -1 };

unsigned interrupt_seconds = 5;

static void note_overtime(int number)
{
	fatal_signal(received ? received : number);
}

static void note_signal(int number)
{
	int saved = errno;

	/* A second signal ends the program at once. */
	if (received)
		fatal_signal(number);
	received = number;
	alarm(interrupt_seconds);
	if (ends[1] >= 0 && write(ends[1], "", 1) < 0) {
		/* write() has failed because the pipe is full. A full pipe wakes poll(), too. */
	}
	errno = saved;
}

void interrupt_catch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESTART };

	/* If the pipe cannot be created, the program notices a signal only after the timeout of
	 * poll(). */
	if (ends[0] < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		ends[0] = ends[1] = -1;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction present;

		/* If the parent process ignores a signal, as nohup does, the signal stays
		 * ignored. */
		if (sigaction(signals[i], NULL, &present) == 0 && present.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = note_overtime }, NULL);
}

int interrupt_descriptor(void)
{
	return ends[0];
}

int interrupt_signal(void)
{
	return received;
}

int interrupt_exit(int exit_status)
{
	return received ? 128 + received : exit_status;
}
