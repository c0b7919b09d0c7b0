/* Stepping: loops of known instructions, and what ends a child early. Where ptrace is refused the
 * message has to say so, and the rest is skipped. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "model/code/step.h"

enum { MOST = 512 };

static int64_t numbers[MOST];

/* Six (five) instructions an element, and one more for each fourth. */
static void run_branchy(void *context, uint64_t count)
{
	int64_t *at = numbers, value, hits = 0;

#if defined(__x86_64__)
	__asm__ volatile(
		"1:	mov	(%[at]), %[value]\n"
		"	add	$8, %[at]\n"
		"	test	$3, %b[count]\n"
		"	jne	2f\n"
		"	add	$1, %[hits]\n"
		"2:	sub	$1, %[count]\n"
		"	jne	1b\n"
		: [at] "+&r"(at), [value] "=&r"(value), [hits] "+&r"(hits), [count] "+&r"(count)
		:
		: "cc", "memory");
#else
	__asm__ volatile(
		"1:	ldr	%[value], [%[at]], #8\n"
		"	tst	%[count], #3\n"
		"	b.ne	2f\n"
		"	add	%[hits], %[hits], #1\n"
		"2:	subs	%[count], %[count], #1\n"
		"	b.ne	1b\n"
		: [at] "+&r"(at), [value] "=&r"(value), [hits] "+&r"(hits), [count] "+&r"(count)
		:
		: "cc", "memory");
#endif
}

#if defined(__x86_64__)
enum { EACH = 6 };
#else
enum { EACH = 5 };
#endif

static void run_crash(void *context, uint64_t count)
{
	volatile char *memory = context;

	*memory = 1;
}

static void run_endless(void *context, uint64_t count)
{
	volatile uint64_t turns = count;

	for (;;)
		turns++;
}

static void run_exit(void *context, uint64_t count)
{
	if (count)
		_exit(3);
}

static void run_nothing(void *context, uint64_t count)
{
}

static int prepare_badly(void *context)
{
	*(volatile int *)context = 7; /* in the child's memory alone */
	return 2;
}

static struct step_plan plan_for(step_run *run, void *context)
{
	return (struct step_plan){ .run = run,
		.context = context,
		.shorter = 16,
		.longer = 144,
		.most_steps = 5000,
		.seconds = 20 };
}

/* Where nothing can be stepped: said clearly, and no test. */
static bool refused(const struct status *status)
{
	if (status->code != STATUS_FAILED || !strstr(status->text, "stepping is not "))
		return false;
	print_message("skipped: %s\n", status->text);
	return true;
}

static struct loop loop;

static int setup(void **state)
{
	loop_init(&loop, LOOP_INSNS, LOOP_PATH);
	return 0;
}

static int teardown(void **state)
{
	loop_free(&loop);
	return 0;
}

static void check_fails(const struct step_plan *plan, const char *part)
{
	struct status status = step_loop(plan, &loop);

	if (refused(&status))
		skip();
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, part);
	assert_int_equal(loop.path_count, 0);
}

TEST(test_branchy)
{
	struct step_plan plan = plan_for(run_branchy, NULL);
	struct status status = step_loop(&plan, &loop);
	uint64_t before = 0;
	int loads = 0, taken = 0;

	if (refused(&status))
		skip();
	check_ok(status);
	/* 128 elements more, a fourth of them with one instruction more: what leads to the loop
	 * cancels. */
	check_near(loop.insns_per_element, EACH + 0.25, 1e-9);
	assert_int_equal(loop.insn_count, EACH + 1);
	assert_true(loop.stepped);
	assert_int_equal(loop.unknown, 0);
	assert_in_range(loop.turns, 100, 143);
	check_near(loop.elements, loop.turns, 1);
	for (int i = 0; i < loop.path_count; i++) {
		const struct insn *insn = &loop.insn[loop.path[i].insn];

		taken += loop.path[i].taken && insn->flow == FLOW_BRANCH;
		if (!insn->memory_count)
			continue;
		assert_int_equal(insn->memory_count, 1);
		assert_in_range(
			loop.path[i].address[0], (uintptr_t)numbers, (uintptr_t)&numbers[143]);
		if (loads++)
			assert_int_equal(loop.path[i].address[0], before + 8);
		before = loop.path[i].address[0];
	}
	assert_int_equal(loads, loop.turns);
	/* The loop's own branch each time, the one inside for three of four. */
	check_near(taken, loop.turns * 1.75, 1.5);
}

TEST(test_crash)
{
	struct step_plan plan = plan_for(
		run_crash, mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

	check_fails(&plan, "SIGSEGV");
	munmap(plan.context, 4096);
}

static void run_stop(void *context, uint64_t count)
{
	raise(SIGSTOP);
}

TEST(a_loop_that_stops_itself_is_named)
{
	struct step_plan plan = plan_for(run_stop, NULL);

	check_fails(&plan, "stopped itself (SIGSTOP)");
}

TEST(test_limits)
{
	struct step_plan plan = plan_for(run_endless, NULL);

	/* However quickly it is stepped. */
	plan.most_steps = 1000000000;
	plan.seconds = 0.1;
	check_fails(&plan, "longer than 0.1 s");
	plan = plan_for(run_branchy, NULL);
	plan.most_steps = 300;
	check_fails(&plan, "stepping 144 elements did not end within 300 instructions");
}

static atomic_int stopping;

static void stop_child(void)
{
	if (stopping)
		raise(stopping);
}

/* Ctrl-Z stops a child that has not asked to be traced yet, and a SIGCONT may reach the parent
 * alone. */
TEST(a_child_that_is_stopped_before_it_is_traced_continues)
{
	static const int stops[] = { SIGSTOP, SIGTSTP, SIGTTIN };
	struct step_plan plan = plan_for(run_branchy, NULL);

	pthread_atfork(NULL, NULL, stop_child);
	alarm(120); /* the parent would wait for ever */
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		struct status status;

		stopping = stops[i];
		status = step_loop(&plan, &loop);
		stopping = 0;
		if (refused(&status))
			break;
		check_ok(status);
		check_near(loop.insns_per_element, EACH + 0.25, 1e-9);
	}
	alarm(0);
}

/* Others take time from both on a busy machine: that ends it only where they take nearly all. */
TEST(test_late)
{
	static const struct {
		double elapsed, ran, waited;
		bool late;
	} times[] = {
		{ 1.9, 1.9, 0, false },
		{ 2.1, 2, 0, true },
		/* Busy, and busier, and nothing but busy; a host that says nothing of what it gives
		   to others. */
		{ 6, 1, 5, false },
		{ 6, 2.1, 3.9, true },
		{ 7.9, 0.5, 7.4, false },
		{ 8, 0.5, 7.5, true },
		{ 6, 1, 0, false },
		/* The code sleeps. */
		{ 1.9, 0, 0, false },
		{ 2, 0.01, 0.1, true },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		assert_int_equal(step_late(times[i].elapsed,
					 &(struct step_share){ times[i].ran, times[i].waited }, 2),
			times[i].late);
}

static void run_asleep(void *context, uint64_t count)
{
	for (;;)
		pause();
}

TEST(test_asleep)
{
	struct step_plan plan = plan_for(run_asleep, NULL);

	plan.seconds = 0.1;
	check_fails(&plan, "longer than 0.1 s");
}

/* Code that blocks all signals is not woken by its own timer. */
static void run_deaf(void *context, uint64_t count)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (;;)
		pause();
}

TEST(test_deaf)
{
	struct step_plan plan = plan_for(run_deaf, NULL);

	plan.seconds = 0.1;
	plan.cold = true;
	check_fails(&plan, "longer than 0.1 s");
}

/* Several steppings share a time limit, which ends also the last one. */
TEST(test_latest)
{
	struct step_plan plan = plan_for(run_asleep, NULL);

	plan.seconds = 3000;
	plan.latest = monotonic_seconds() + 0.05;
	plan.cold = true;
	check_fails(&plan, "longer than 3e+03 s");
}

TEST(test_ends)
{
	struct step_plan plan = plan_for(run_exit, NULL);
	const struct status failure = status_failed("failed with 2");
	int mine = 1;

	check_fails(&plan, "exit status 3");
	plan = plan_for(run_nothing, NULL);
	check_fails(&plan, "does the code use its count");
	plan = plan_for(run_branchy, &mine);
	plan.prepare = prepare_badly;
	plan.failure = &failure;
	check_fails(&plan, "failed with 2");
	assert_int_equal(mine, 1);
}

/* Not a test: what a step costs here, for people who wonder. */
TEST(test_time)
{
	struct step_plan plan = plan_for(run_branchy, NULL);
	struct timespec begin, end;
	struct status status;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	status = step_loop(&plan, &loop);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (refused(&status))
		skip();
	print_message("%.1f us a step\n", ((double)(end.tv_sec - begin.tv_sec) * 1e6 +
						  (double)(end.tv_nsec - begin.tv_nsec) * 1e-3) /
						  (160 * (EACH + 0.25)));
}

RUN_TESTS(.each_set_up = setup, .each_tear_down = teardown)
