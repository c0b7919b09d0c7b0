/* The handler writes to a pipe. */
#include "ui/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int told[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT };
static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

enum { TOLD = sizeof(told) / sizeof(told[0]), FATAL = sizeof(fatal) / sizeof(fatal[0]) };

/* Handlers have no other context. */
static int ends[2] = { -1, -1 };
static struct sigaction before_told[TOLD], before_fatal[FATAL];
static bool caught_fatal[FATAL];
static void (*rescue_first)(void);

static void tell(int number)
{
	int error = errno;
	unsigned char byte = (unsigned char)number;
	ssize_t written = write(ends[1], &byte, 1);

	/* A full pipe already wakes the loop. */
	(void)written;
	errno = error;
}

static void die(int number)
{
	rescue_first();
	/* SA_RESETHAND restored the default action: this ends the program, and dumps core if that
	 * is enabled. */
	raise(number);
}

struct status signals_catch(void (*rescue)(void))
{
	struct sigaction action = { .sa_handler = tell, .sa_flags = SA_RESTART };

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return status_failed("no pipe for signals: %s", strerror(errno));
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < TOLD; i++)
		sigaction(told[i], &action, &before_told[i]);
	rescue_first = rescue;
	action.sa_handler = die;
	action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
	for (int i = 0; i < FATAL; i++) {
		sigaction(fatal[i], NULL, &before_fatal[i]);
		caught_fatal[i] = !(before_fatal[i].sa_flags & SA_SIGINFO) &&
				  before_fatal[i].sa_handler == SIG_DFL;
		if (caught_fatal[i])
			sigaction(fatal[i], &action, NULL);
	}
	return status_ok();
}

void signals_release(void)
{
	if (ends[0] < 0)
		return;
	for (int i = 0; i < TOLD; i++)
		sigaction(told[i], &before_told[i], NULL);
	for (int i = 0; i < FATAL; i++)
		if (caught_fatal[i])
			sigaction(fatal[i], &before_fatal[i], NULL);
	close(ends[0]);
	close(ends[1]);
	ends[0] = ends[1] = -1;
}

int signals_descriptor(void)
{
	return ends[0];
}

int signals_take(void)
{
	unsigned char byte;

	return read(ends[0], &byte, 1) == 1 ? byte : 0;
}

void signals_stop(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, mine;

	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, &mine);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &mine, NULL);
}
