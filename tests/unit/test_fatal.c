/* The end of the program after a failure in a thread. */
#include "check.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/job.h"

static struct {
	atomic_int rescued_in;		  /* the thread in which rescue() ran */
	atomic_long turns, turns_rescued; /* turns of the main thread: now, and at the rescue */
	atomic_bool stopped;		  /* the main thread made no turn after the rescue */
} * seen;

static void rescue(void)
{
	atomic_store(&seen->rescued_in, gettid());
	atomic_store(&seen->turns_rescued, atomic_load(&seen->turns));
}

static void look(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	atomic_store(
		&seen->stopped, atomic_load(&seen->turns) == atomic_load(&seen->turns_rescued));
}

static void crash(void *unused)
{
	raise(SIGTRAP);
}

static void give_up(void *unused)
{
	fatal("a test");
}

/* Maps `seen`, which a child shares. */
static void see(void)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(seen, MAP_FAILED);
}

/* Runs `work` in a thread of a child process whose main thread uses the terminal. Returns the wait
 * status of the child process. */
static int end_in_thread(void (*work)(void *context), pid_t *child)
{
	int how;

	see();
	*child = fork();
	if (*child == 0) {
		close(STDERR_FILENO);
		fatal_catch();
		fatal_remover(look);
		fatal_rescue(rescue);
		job_begin(work, NULL);
		for (;;)
			atomic_fetch_add(&seen->turns, 1);
	}
	assert_int_equal(waitpid(*child, &how, 0), *child);
	return how;
}

/* The main thread may be changing the terminal's modes. So it restores the terminal itself, and
 * changes nothing afterwards. */
static void loop_for_ever(void *unused)
{
	alarm(60); /* a signal ends the main thread, which is not guarded: the test then fails */
	fatal_guard("a library,");
	for (;;)
		atomic_fetch_add(&seen->turns, 1);
}

/* Without memory, hwloc loops for ever. */
TEST(a_library_that_does_not_end_is_ended)
{
	pid_t child;
	int how;

	fatal_guard_seconds = 0.05;
	how = end_in_thread(loop_for_ever, &child);
	assert_true(WIFEXITED(how));
	assert_int_equal(WEXITSTATUS(how), 1);
	munmap(seen, sizeof(*seen));
}

/* A signal from outside that arrives while the program is in a library is no failure of the
 * library.
 */
TEST(a_signal_in_a_library_ends_the_program_as_elsewhere)
{
	static const int numbers[] = { SIGTERM, SIGXCPU, SIGSEGV };

	for (int i = 0; i < 3; i++) {
		pid_t child = fork();
		int how;

		if (child == 0) {
			close(STDERR_FILENO);
			signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
			fatal_catch();
			fatal_guard("a library,");
			raise(numbers[i]);
		}
		assert_int_equal(waitpid(child, &how, 0), child);
		if (i < 2)
			assert_true(WIFSIGNALED(how) && WTERMSIG(how) == numbers[i]);
		else
			assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 1);
	}
}

/* Another thread may be writing a file. */
TEST(a_failure_without_a_terminal_removes_temporary_files)
{
	pid_t child;
	int how;

	see();
	child = fork();
	if (child == 0) {
		close(STDERR_FILENO);
		fatal_catch();
		fatal_remover(rescue);
		give_up(NULL);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 1);
	assert_int_equal(atomic_load(&seen->rescued_in), child);
	munmap(seen, sizeof(*seen));
}

TEST(the_thread_of_the_terminal_restores_it_and_stops)
{
	void (*const works[])(void *) = { crash, give_up };

	for (int i = 0; i < 2; i++) {
		pid_t child;
		int how = end_in_thread(works[i], &child);

		assert_true(i == 0 ? WIFSIGNALED(how) && WTERMSIG(how) == SIGTRAP
				   : WIFEXITED(how) && WEXITSTATUS(how) == 1);
		assert_int_equal(atomic_load(&seen->rescued_in), child);
		assert_true(atomic_load(&seen->stopped));
	}
}

/* Restores in two steps, between which a second signal arrives. */
static void rescue_in_steps(void)
{
	if (atomic_fetch_add(&seen->turns, 1) > 0)
		return;
	raise(SIGALRM);
	atomic_store(&seen->stopped, true);
}

TEST(a_second_signal_does_not_interrupt_the_restoring)
{
	static const int numbers[] = { SIGUSR1, SIGTERM };

	for (int i = 0; i < 2; i++) {
		pid_t child;
		int how;

		see();
		child = fork();
		if (child == 0) {
			fatal_catch();
			fatal_rescue(rescue_in_steps);
			raise(numbers[i]);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &how, 0), child);
		assert_true(WIFSIGNALED(how));
		assert_true(atomic_load(&seen->stopped));
		munmap(seen, sizeof(*seen));
	}
}

/* Real-time signals are queued, so the second one arrives while the handler of the first begins. */
TEST(two_queued_signals_restore_the_terminal)
{
	pid_t child;
	int how;

	/* An emulator of another instruction set has other real-time signals for itself. */
	if (!CHECK_PATIENT)
		skip();
	see();
	child = fork();
	if (child == 0) {
		sigset_t last;

		fatal_catch();
		fatal_rescue(rescue);
		sigemptyset(&last);
		sigaddset(&last, SIGRTMAX);
		sigprocmask(SIG_BLOCK, &last, NULL);
		raise(SIGRTMAX);
		raise(SIGRTMAX);
		sigprocmask(SIG_UNBLOCK, &last, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGRTMAX);
	assert_int_equal(atomic_load(&seen->rescued_in), child);
	munmap(seen, sizeof(*seen));
}

/* Without memory, ncurses calls exit() while it opens the screen. */
TEST(a_library_that_ends_the_program_leaves_the_terminal_restored)
{
	pid_t child;
	int how;

	see();
	child = fork();
	if (child == 0) {
		fatal_catch();
		fatal_rescue(rescue);
		exit(1);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 1);
	assert_int_equal(atomic_load(&seen->rescued_in), child);
	munmap(seen, sizeof(*seen));
}

/* The program uses two real-time signals itself. From another process, each of them ends it. */
TEST(each_real_time_signal_from_outside_restores_the_terminal_and_ends)
{
	const int numbers[] = { SIGRTMIN, SIGRTMIN + 1, SIGRTMIN + 2, SIGRTMAX };

	/* An emulator of another instruction set has other real-time signals for itself. */
	if (!CHECK_PATIENT)
		skip();
	for (int i = 0; i < 4; i++) {
		pid_t child;
		int how;

		see();
		child = fork();
		if (child == 0) {
			fatal_catch();
			fatal_rescue(rescue);
			alarm(60); /* without the signal's effect, the test fails */
			for (;;)
				atomic_fetch_add(&seen->turns, 1);
		}
		while (!atomic_load(&seen->turns))
			sched_yield();
		kill(child, numbers[i]);
		assert_int_equal(waitpid(child, &how, 0), child);
		assert_true(WIFSIGNALED(how) && WTERMSIG(how) == numbers[i]);
		assert_int_equal(atomic_load(&seen->rescued_in), child);
		munmap(seen, sizeof(*seen));
	}
}

RUN_TESTS()
