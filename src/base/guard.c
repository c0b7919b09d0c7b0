#include "base/guard.h"

#include <string.h>
#include <unistd.h>

#include "base/fatal.h"

static const int crashes[GUARDED] = { SIGSEGV, SIGBUS, SIGFPE, SIGABRT };

static const char *volatile guarded;

static void say(const char *words)
{
	(void)!write(STDERR_FILENO, words, strlen(words));
}

static void on_crash(int number)
{
	(void)number;
	say("slexplore: ");
	say(guarded);
	say(" crashed; perhaps memory ran out\n");
	fatal_remove();
	_exit(1);
}

void guard_begin(struct guard *guard, const char *what)
{
	const struct sigaction ours = { .sa_handler = on_crash };

	guarded = what;
	for (int i = 0; i < GUARDED; i++)
		if (sigaction(crashes[i], NULL, &guard->before[i]) == 0 &&
			guard->before[i].sa_handler == SIG_DFL)
			sigaction(crashes[i], &ours, NULL);
}

void guard_end(const struct guard *guard)
{
	for (int i = 0; i < GUARDED; i++)
		if (guard->before[i].sa_handler == SIG_DFL)
			sigaction(crashes[i], &guard->before[i], NULL);
}
