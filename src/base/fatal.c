#include "base/fatal.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void (*rescue_first)(void);
static void (*removers[4])(void);
static pid_t rescued; /* the process that called fatal_rescue(); 0: none */
static pid_t rescuer; /* the thread that called fatal_rescue() */
static atomic_bool restore_asked, restored;

/* Milliseconds in which the thread of fatal_rescue() must call its function, before another thread
 * calls it. */
enum { RESTORE_MS = 1000 };
#define RESTORE_SIGNAL SIGRTMIN
static atomic_flag begun = ATOMIC_FLAG_INIT;

/* The handler of RESTORE_SIGNAL, in the thread of fatal_rescue(). The thread stops here, so that it
 * does not change the terminal after it was restored. If another process sends this signal, it ends
 * the program. */
static void restore_and_stop(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != SI_TKILL || info->si_pid != getpid()) {
		fatal_signal(number);
		return;
	}
	if (rescue_first)
		rescue_first();
	atomic_store(&restored, true);
	for (;;)
		pause();
}

void fatal_rescue(void (*rescue)(void))
{
	struct sigaction stopping = { .sa_sigaction = restore_and_stop, .sa_flags = SA_SIGINFO };

	sigfillset(&stopping.sa_mask);
	rescue_first = rescue;
	rescued = getpid();
	rescuer = gettid();
	if (rescue)
		sigaction(RESTORE_SIGNAL, &stopping, NULL);
}

void fatal_remover(void (*remover)(void))
{
	for (size_t i = 0; i < sizeof(removers) / sizeof(removers[0]); i++) {
		if (!removers[i])
			removers[i] = remover;
		if (removers[i] == remover)
			return;
	}
}

void fatal_remove(void)
{
	for (size_t i = 0; i < sizeof(removers) / sizeof(removers[0]); i++)
		if (removers[i])
			removers[i]();
}

/* A second signal must not end the program before the terminal is restored. */
void fatal_restore(void)
{
	sigset_t all, usual;

	if (rescued != getpid() || !rescue_first)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &usual);
	if (gettid() != rescuer) {
		if (!atomic_exchange(&restore_asked, true))
			syscall(SYS_tgkill, rescued, rescuer, RESTORE_SIGNAL);
		for (int i = 0; !atomic_load(&restored) && i < RESTORE_MS; i++)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	if (!atomic_load(&restored))
		rescue_first();
	pthread_sigmask(SIG_SETMASK, &usual, NULL);
}

/* ---- signals */

/* The library that this thread is in; NULL: none. */
static _Thread_local const char *volatile guarded;
static bool handles_overtime; /* fatal_catch() was called */

/* The timer of the guard of this thread, on its processor time; -1: none. Without memory, hwloc 2.9
 * asks for the processors of the thread for ever, so a guard has an end. */
static _Thread_local int overtime = -1;
#define OVERTIME_SIGNAL (SIGRTMIN + 1)
double fatal_guard_seconds = 3;

/* The system calls allocate no memory; the functions of the C library may. */
static void begin_overtime(double seconds)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = OVERTIME_SIGNAL };
	const struct itimerspec limit = {
		.it_value = { .tv_sec = (time_t)seconds,
			.tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds)) }
	};
	sigset_t set;

	event._sigev_un._tid = gettid();
	if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &overtime) != 0) {
		overtime = -1;
		return;
	}
	sigemptyset(&set);
	sigaddset(&set, OVERTIME_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	syscall(SYS_timer_settime, overtime, 0, &limit, NULL);
}

void fatal_guard_for(const char *what, double seconds)
{
	if (overtime >= 0)
		syscall(SYS_timer_delete, overtime);
	overtime = -1;
	guarded = what;
	if (what && handles_overtime)
		begin_overtime(seconds);
}

void fatal_guard(const char *what)
{
	fatal_guard_for(what, fatal_guard_seconds);
}

/* The descriptor for messages. */
static atomic_int messages = STDERR_FILENO;

void fatal_messages(int descriptor)
{
	atomic_store(&messages, descriptor);
}

static void say(const char *words)
{
	(void)!write(atomic_load(&messages), words, strlen(words));
}

static void report(const char *happened)
{
	if (!guarded)
		return;
	fatal_restore();
	say("slexplore: ");
	say(guarded);
	say(happened);
	say(getenv("HWLOC_SYNTHETIC") ? "; perhaps HWLOC_SYNTHETIC describes too large a machine\n"
				      : "; perhaps memory ran out\n");
	fatal_remove();
	_exit(1);
}

/* Whether a signal says that the program itself failed. Other signals come from outside, and may
 * arrive while the program is in a library. */
static bool is_crash(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGABRT || number == SIGSYS || number == SIGTRAP;
}

void fatal_report(int number)
{
	if (is_crash(number))
		report(" crashed");
}

static void on_overtime(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == SI_TIMER)
		report(" does not end");
	else
		fatal_signal(number);
}

/* Whether a signal ends the program, and whether everything is restored and removed. */
static atomic_flag signalled = ATOMIC_FLAG_INIT;
static atomic_bool cleaned;
static _Thread_local volatile bool cleaning; /* this thread restores and removes */

/* A second signal must not end the program before the terminal is restored. In this thread it stays
 * blocked; another thread waits. RESTORE_SIGNAL is not blocked, because another thread may need
 * this one. */
void fatal_signal(int number)
{
	sigset_t others, own;

	if (cleaning)
		return;
	sigfillset(&others);
	sigdelset(&others, RESTORE_SIGNAL);
	pthread_sigmask(SIG_BLOCK, &others, NULL);
	if (!atomic_flag_test_and_set(&signalled)) {
		cleaning = true;
		fatal_report(number);
		fatal_restore();
		fatal_remove();
		atomic_store(&cleaned, true);
	}
	for (int i = 0; !atomic_load(&cleaned) && i < RESTORE_MS; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	signal(number, SIG_DFL);
	raise(number);
	sigemptyset(&own);
	sigaddset(&own, number);
	pthread_sigmask(SIG_UNBLOCK, &own, NULL);
}

bool fatal_handles(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == fatal_signal;
}

/* Catches a fatal signal, unless it has a handler, or is ignored. */
static void catch_signal(int number)
{
	const struct sigaction ours = { .sa_handler = fatal_signal };
	struct sigaction present;

	if (sigaction(number, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) &&
		present.sa_handler == SIG_DFL)
		sigaction(number, &ours, NULL);
}

/* fatal() in one thread ends the program while another thread writes a file. Without memory,
 * ncurses calls exit() while it opens the screen. */
static void end_in_order(void)
{
	fatal_restore();
	fatal_remove();
}

void fatal_catch(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP,
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1,
		SIGUSR2, SIGIO, SIGPWR, SIGSTKFLT };
	const struct sigaction overtime_ends = { .sa_sigaction = on_overtime,
		.sa_flags = SA_SIGINFO };

	handles_overtime = sigaction(OVERTIME_SIGNAL, &overtime_ends, NULL) == 0;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		catch_signal(signals[i]);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		catch_signal(number);
	atexit(end_in_order);
}

void fatal(const char *format, ...)
{
	char line[500];
	va_list arguments;

	if (rescued && getpid() != rescued)
		_exit(1);
	/* If two threads fail at once, the second waits for the end of the program. */
	while (atomic_flag_test_and_set(&begun))
		pause();
	fatal_restore();
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	say("slexplore: ");
	say(line);
	say("\n");
	/* exit() would wait for ever for a lock that the stopped thread holds. */
	if (!atomic_load(&restored))
		exit(1);
	fatal_remove();
	_exit(1);
}
