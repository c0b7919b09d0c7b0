#include "base/guard.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT };

/* The library that this thread is in; NULL: none. */
static _Thread_local const char *volatile guarded;

static void say(const char *words)
{
	(void)!write(STDERR_FILENO, words, strlen(words));
}

void guard_report(void)
{
	if (!guarded)
		return;
	say("slexplore: ");
	say(guarded);
	say(" crashed; perhaps memory ran out\n");
	fatal_remove();
	_exit(1);
}

static void on_crash(int number)
{
	guard_report();
	/* SA_RESETHAND has restored the default action. */
	raise(number);
}

bool guard_handles(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == on_crash;
}

void guard_begin(const char *what)
{
	const struct sigaction ours = { .sa_handler = on_crash,
		.sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };

	guarded = what;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
		struct sigaction present;

		if (sigaction(crashes[i], NULL, &present) == 0 &&
			!(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_DFL)
			sigaction(crashes[i], &ours, NULL);
	}
}

void guard_end(void)
{
	guarded = NULL;
}
