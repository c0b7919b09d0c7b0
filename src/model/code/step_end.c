/* When and why single-stepping of a child process ends early: its time is over, the system refuses,
 * or a signal ends the child. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "engine/machine/environment.h"
#include "model/code/step_inside.h"

/* Adds the seconds that a thread ran, and the seconds that it waited for a processor, to `share`.
 * Returns false if the Linux kernel does not report the times of a thread. */
static bool add_share(const char *schedstat, struct step_share *share)
{
	FILE *file = fopen(schedstat, "re");
	unsigned long long ran, waited;
	bool there = file && fscanf(file, "%llu %llu", &ran, &waited) == 2;

	if (file)
		fclose(file);
	if (!there)
		return false;
	share->ran += (double)ran * 1e-9;
	share->waited += (double)waited * 1e-9;
	return true;
}

#define OWN_SCHEDSTAT "/proc/thread-self/schedstat"

void step_add_own_share(struct step_share *share)
{
	(void)add_share(OWN_SCHEDSTAT, share);
}

bool step_late(double elapsed, const struct step_share *share, double seconds)
{
	if (elapsed < seconds)
		return false;
	return share->ran >= seconds || elapsed >= seconds * STEP_LATEST ||
	       share->ran + share->waited < elapsed * STEP_IDLE;
}

bool step_is_late(const struct tracer *tracer)
{
	double elapsed = monotonic_seconds() - tracer->begin;
	struct step_share share = { -tracer->before.ran, -tracer->before.waited };
	char path[48];

	if (tracer->plan->latest > 0 && monotonic_seconds() >= tracer->plan->latest)
		return true;
	if (elapsed < tracer->plan->seconds)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tracer->child);
	if (!add_share(path, &share) || !add_share(OWN_SCHEDSTAT, &share))
		return true;
	return step_late(elapsed, &share, tracer->plan->seconds);
}

/* Nothing else uses this signal, and its default action is to do nothing. */
enum { WATCH_SIGNAL = SIGURG };

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void interrupt(int number)
{
	(void)number;
}

static struct timespec time_of(double seconds)
{
	return (struct timespec){ (time_t)seconds,
		(long)((seconds - (double)(time_t)seconds) * 1e9) + 1 };
}

void step_watch_begin(struct step_watch *watch, const struct step_plan *plan)
{
	/* Without SA_RESTART, the signal interrupts system calls. */
	const struct sigaction action = { .sa_handler = interrupt };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WATCH_SIGNAL };
	/* A signal just before a call of waitpid() interrupts nothing, so further signals follow
	 * soon. The first one comes early, because the user may stop the command. */
	double next = fmin(plan->seconds, 2) / 8, first = next;
	sigset_t mine;

	if (plan->latest > 0 && plan->latest - monotonic_seconds() < first)
		first = fmax(plan->latest - monotonic_seconds(), 0);
	sigaction(WATCH_SIGNAL, &action, NULL);
	sigemptyset(&mine);
	sigaddset(&mine, WATCH_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &mine, &watch->before);
	event.sigev_notify_thread_id = gettid();
	/* Without the timer, the timer of the child process suffices for most code. */
	watch->there = timer_create(CLOCK_MONOTONIC, &event, &watch->timer) == 0;
	if (watch->there)
		timer_settime(watch->timer, 0,
			&(struct itimerspec){
				.it_value = time_of(first), .it_interval = time_of(next) },
			NULL);
}

void step_watch_end(const struct step_watch *watch)
{
	if (watch->there)
		timer_delete(watch->timer);
	pthread_sigmask(SIG_SETMASK, &watch->before, NULL);
}

struct status step_refused(int error)
{
	int64_t scope = system_number("", "/proc/sys/kernel/yama/ptrace_scope", 0);
	char seccomp[8];

	if (scope >= 3)
		return status_failed("stepping is not allowed here: "
				     "kernel.yama.ptrace_scope is %d, which forbids ptrace",
			(int)scope);
	if (system_value("", "/proc/self/status", "Seccomp", seccomp, sizeof(seccomp)) &&
		strcmp(seccomp, "0") != 0)
		return status_failed("stepping is not allowed here: a seccomp filter, "
				     "as containers have, refuses ptrace");
	return status_failed(
		"stepping is not possible here: ptrace is refused%s%s (an emulator, perhaps)",
		error ? ": " : "", error ? strerror(error) : "");
}

void step_describe_place(pid_t child, uint64_t address, char *buffer, size_t size)
{
	char path[64], line[512];
	FILE *file;

	snprintf(buffer, size, "0x%" PRIx64, address);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)child);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		uint64_t begin, end, offset;
		int at = 0;
		char *name;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &begin, &end,
			    &offset, &at) < 3 ||
			!at || address < begin || address >= end)
			continue;
		line[strcspn(line, "\n")] = '\0';
		name = strrchr(line + at, '/') ? strrchr(line + at, '/') + 1 : line + at;
		if (*name)
			snprintf(buffer, size, "%.80s+0x%" PRIx64, name, address - begin + offset);
		break;
	}
	if (file)
		fclose(file);
}

bool step_passes(int number)
{
	return number == SIGWINCH || number == SIGCHLD || number == SIGCONT || number == SIGURG ||
	       number == SIGINT || number == SIGQUIT || number == SIGTSTP || number == SIGHUP ||
	       number == SIGTERM || number == SIGPIPE;
}
