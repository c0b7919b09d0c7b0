#include "ui/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"

static const int caught[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT,
	/* fatal signals: */ SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGXCPU,
	SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGIO, SIGPWR, SIGSTKFLT };

enum { CAUGHT = sizeof(caught) / sizeof(caught[0]), FIRST_FATAL = 7 };

/* The variables of the signal handlers are global, because signal handlers have no other context.
 */
static int ends[2] = { -1, -1 };
static struct sigaction before[CAUGHT];
static bool is_caught[CAUGHT];

/* The signal that asked the program to end; 0: none. */
static volatile sig_atomic_t ending;
static int ending_taken; /* the value of `ending` that signals_take() has returned; 0: none */

/* After a signal such as SIGTERM, the event loop must end the program within this number of
 * seconds; then SIGALRM ends it. A write to a stalled terminal, for example over ssh, may block the
 * event loop. */
enum { ENDING_SECONDS = 3 };

static bool asks_to_end(int number)
{
	return number == SIGTERM || number == SIGHUP || number == SIGINT || number == SIGQUIT;
}

static void tell(int number)
{
	int error = errno;
	unsigned char byte = (unsigned char)number;
	ssize_t written = write(ends[1], &byte, 1);

	/* Ignore errors of write(), because a full pipe already wakes the event loop. */
	(void)written;
	if (asks_to_end(number)) {
		ending = number;
		alarm(ENDING_SECONDS);
	}
	errno = error;
}

static void die(int number)
{
	/* If the alarm ends the program, it dies of the signal that asked for the end. */
	fatal_signal(number == SIGALRM && ending ? ending : number);
}

struct status signals_catch(void (*rescue)(void))
{
	struct sigaction telling = { .sa_handler = tell, .sa_flags = SA_RESTART },
			 dying = { .sa_handler = die };

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return status_failed(
			"cannot create the pipe that wakes the event loop: %s", strerror(errno));
	fatal_rescue(rescue);
	for (int i = 0; i < CAUGHT; i++) {
		sigaction(caught[i], NULL, &before[i]);
		is_caught[i] =
			i < FIRST_FATAL || fatal_handles(&before[i]) ||
			(!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_DFL);
		if (is_caught[i])
			sigaction(caught[i], i < FIRST_FATAL ? &telling : &dying, NULL);
	}
	return status_ok();
}

void signals_release(void)
{
	if (ends[0] < 0)
		return;
	alarm(0);
	fatal_rescue(NULL);
	for (int i = 0; i < CAUGHT; i++)
		if (is_caught[i])
			sigaction(caught[i], &before[i], NULL);
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

	if (read(ends[0], &byte, 1) == 1)
		return byte;
	/* If the pipe could not be written or read, the byte of a signal is lost. So `ending` is
	 * returned here, once. */
	if (ending_taken)
		return 0;
	ending_taken = ending;
	return ending;
}

void signals_stop(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL }, mine;

	sigaction(SIGTSTP, &action, &mine);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &mine, NULL);
}
