#include "check.h"

#include <errno.h>

#include "cli/check.h"
#include "model/counts/events.h"

static struct machine machine;
static struct event_plan plan;

/* Everything is named, and counts. */
static void count_all(struct examination *x)
{
	memset(&plan, 0, sizeof(plan));
	plan.counters.id = 1;
	for (int role = 0; role < ROLE_EXTRA; role++)
		plan.meaning[plan.counters.count++].role = (enum event_role)role;
	x->events = &plan;
	x->counts = (struct counts){
		.id = 1, .count = plan.counters.count, .groups = 3, .direct = true
	};
	for (int i = 0; i < x->counts.count; i++)
		x->counts.event[i] = (struct count){ .state = COUNT_KNOWN, .value = 1 };
}

/* Nothing can be opened. */
static void count_none(struct examination *x, int error)
{
	x->counter_error = error;
	x->counts = (struct counts){ .id = 1, .why = "as the test wants it" };
	x->sample.cycles_from = SOURCE_REFERENCE;
	x->sample.check = NAN;
}

/* A quiet machine with nothing to complain about. */
static struct examination good(void)
{
	struct examination x = {
		.pmu = { .name = "cpu",
			.paranoid = 1,
			.rdpmc = 1,
			.user_access = -1,
			.nmi_watchdog = 0,
			.counters = 8,
			.fixed = 4,
			.width = 48 },
		.environment = { .paranoid = 1,
			.clocksource = "tsc",
			.governor = "performance",
			.frequency_driver = "acpi-cpufreq",
			.turbo = 1,
			.smt = 0,
			.siblings = "3",
			.hypervisor = 0,
			.online = "0-7",
			.allowed = "0-7",
			.isolated = "3",
			.quota = NAN,
			.load = 0.1,
			.thp = "madvise",
			.huge_reserved = 0,
			.huge_free = 0,
			.memory_total = 1ll << 34,
			.memory_available = 1ll << 33,
			.memory_limit = -1,
			.locked_limit = 8 << 20 },
		.before = { .known = true, .busy = 100, .idle = 1000 },
		.after = { .known = true, .busy = 130, .idle = 1000 },
		.machine = &machine,
		.sample = { .valid = true,
			.ghz = 4.0,
			.quiet = 0.99,
			.trials = 200,
			.cpe = 1,
			.cycles_from = SOURCE_COUNTER,
			.check = 1.003 },
		.pages = "huge",
		.terminal = { .database = true,
			.input = true,
			.output = true,
			.term = "xterm",
			.described = true,
			.addressable = true,
			.colours = 256,
			.utf8 = true,
			.charset = "UTF-8" },
	};

	count_all(&x);
	memset(&machine, 0, sizeof(machine));
	machine.processors = 8;
	machine.cpu = 3;
	machine.bound = machine.apart = machine.watched = machine.huge_pages = true;
	machine.memory_limit = 4ull << 30;
	machine.tick_hz = 4.0e9;
	machine.tick_step = 1;
	set_words(machine.clock_name, "imul chain");
	return x;
}

static struct check make(const struct examination *x, const char *name)
{
	for (size_t i = 0; i < check_count(); i++) {
		struct check check = check_make(i, x);

		if (strcmp(check.name, name) == 0)
			return check;
	}
	fail_msg("no check \"%s\"", name);
	return (struct check){ 0 };
}

enum { ANY = -1 };

/* A check with that state whose finding and advice have these words; NULL: any. */
static struct check expect(const struct examination *x, const char *name, int state,
	const char *finding, const char *advice)
{
	struct check check = make(x, name);

	if (state != ANY)
		assert_int_equal(check.state, state);
	check_contains(check.finding, finding ? finding : "");
	check_contains(check.advice, advice ? advice : "");
	return check;
}

TEST(finds_nothing_wrong_with_a_good_machine)
{
	struct examination x = good();

	for (size_t i = 0; i < check_count(); i++) {
		struct check check = check_make(i, &x);

		if (check.state != CHECK_OK)
			fail_msg("%s: %s", check.name, check.finding);
		assert_true(strlen(check.finding) > 0);
		assert_null(strstr(check.finding, "nan"));
	}
}

/* Whatever is unknown, every check says something and none shows a figure that was not read. */
TEST(stands_an_unknown_machine)
{
	struct examination x = { .counter_error = ENOENT,
		.machine = &machine,
		.failure = "no trials",
		.pmu = { .paranoid = -9,
			.rdpmc = -1,
			.user_access = -1,
			.nmi_watchdog = -1,
			.guest = -1 },
		.environment = { .paranoid = -9,
			.turbo = -1,
			.smt = -1,
			.hypervisor = -1,
			.quota = NAN,
			.load = NAN,
			.huge_reserved = -1,
			.huge_free = -1,
			.memory_total = -1,
			.memory_available = -1,
			.memory_limit = -1,
			.locked_limit = -1 } };

	memset(&machine, 0, sizeof(machine));
	machine.cpu = -1;
	for (size_t i = 0; i < check_count(); i++) {
		struct check check = check_make(i, &x);

		assert_int_not_equal(check.state, CHECK_OK);
		assert_true(strlen(check.finding) > 0);
		assert_null(strstr(check.finding, "nan"));
		assert_null(strstr(check.finding, "inf"));
		assert_null(strstr(check.finding, "-1"));
	}
}

TEST(names_are_words_and_differ)
{
	struct examination x = good();

	for (size_t i = 0; i < check_count(); i++) {
		struct check a = check_make(i, &x);

		assert_int_equal(strspn(a.name, "abcdefghijklmnopqrstuvwxyz-"), strlen(a.name));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(a.name, check_make(j, &x).name);
	}
}

TEST(compares_the_clock_with_the_counter)
{
	struct examination x = good();
	struct check check;

	machine.tick_hz = 2.5e9;
	check = expect(&x, "clock", CHECK_NOTE, NULL, NULL);
	check_parts(check.finding, "4.000 GHz", "1.60 core cycles a tick");
	check_contains(check.advice, "imul chain");
	check_near(check.value, 4.0, 1e-9);
	x.sample.valid = false;
	set_words(x.failure, "memory was refused");
	expect(&x, "clock", CHECK_BAD, "memory was refused", NULL);
}

TEST(tells_why_there_are_no_counters)
{
	struct examination x = good();

	count_none(&x, ENOENT);
	expect(&x, "counters", ANY, "no driver for this processor", NULL);
	x.environment.hypervisor = 1;
	expect(&x, "counters", ANY, "gives this virtual machine no", "-cpu host,pmu=on");
	set_words(x.environment.hypervisor_name, "KVM (Amazon EC2)");
	expect(&x, "counters", ANY, NULL, "metal instance");
	set_words(x.environment.hypervisor_name, "VMware");
	expect(&x, "counters", ANY, NULL, "vPMC");
	count_none(&x, EACCES);
	x.pmu.paranoid = 3;
	expect(&x, "counters", CHECK_NOTE, "not allow this user to use them", "line paranoid");
	x.pmu.paranoid = 1;
	expect(&x, "counters", ANY, NULL, "seccomp");
	count_none(&x, ENOSYS);
	expect(&x, "counters", ANY, "no perf_event_open", NULL);
	count_none(&x, EBUSY);
	expect(&x, "counters", ANY, NULL, "line watchdog");
	count_none(&x, EMFILE);
	check_contains(make(&x, "counters").finding, strerror(EMFILE));
	count_none(&x, 0);
	expect(&x, "counters", ANY, "as the test wants it", NULL);
	expect(&x, "counters", CHECK_NOTE, NULL, NULL);
	/* What depends on them says so, and judges nothing. */
	expect(&x, "reading", ANY, "no counters to read", NULL);
	expect(&x, "events", CHECK_NOTE, NULL, NULL);
}

TEST(counters_that_do_not_count_are_told)
{
	struct examination x = good();
	struct check check;

	check = make(&x, "counters");
	check_parts(check.finding,
		"17 of 17 events count, in 3 passes over a loop; cycles come from a counter",
		"0.3% more cycles");
	check_near(check.value, 17, 0);
	x.sample.check = 0.95;
	expect(&x, "counters", CHECK_NOTE, "5.0% fewer", "clocks is wrong");
	x.counts.event[5].state = COUNT_HELD;
	expect(&x, "events", CHECK_NOTE, "1 of them unavailable", "slexplore events");
	for (int i = 0; i < x.counts.count; i++)
		x.counts.event[i].state = COUNT_SILENT;
	expect(&x, "counters", CHECK_BAD, "none of them counts", NULL);
}

TEST(names_what_no_event_tells)
{
	struct examination x = good();
	struct check check;

	plan.counters.count = x.counts.count = 2; /* cycles and instructions */
	check = expect(&x, "events", CHECK_OK, NULL, NULL);
	check_parts(check.finding, "2 events are named for this core; nothing is named for ",
		"L3 misses");
	plan.generic = true;
	expect(&x, "events", CHECK_NOTE, "for every processor, but none for this core",
		"slexplore events WORD");
	set_words(plan.why, "mine.uarch:3: what is that?");
	expect(&x, "events", CHECK_BAD, NULL, "mine.uarch:3");
	plan.counters.count = 0;
	expect(&x, "events", ANY, "unknown: mine.uarch:3", NULL);
}

TEST(says_how_counters_are_read)
{
	struct examination x = good();
	struct check check;

	expect(&x, "reading", ANY, "without a system call", NULL);
	x.counts.direct = false;
	check = expect(&x, "reading", CHECK_NOTE, NULL, NULL);
	assert_string_equal(check.advice, "");
	x.pmu.rdpmc = 0;
	expect(&x, "reading", ANY, NULL, "echo 1 > /sys/bus/event_source/devices/cpu/rdpmc");
	x.pmu.rdpmc = -1;
	x.pmu.arm = true;
	expect(&x, "reading", ANY, NULL, "Linux 5.17");
	x.pmu.user_access = 0;
	expect(&x, "reading", ANY, NULL, "sysctl kernel.perf_user_access=1");
}

TEST(knows_who_else_has_a_hand_in_counters)
{
	struct examination x = good();

	expect(&x, "pmu", ANY,
		"8 counters for any event and 4 for one fixed event each, of 48 bits", NULL);
	set_words(x.pmu.name, "cpu_core");
	set_words(x.pmu.serves, "0-7");
	set_words(x.pmu.others, "cpu_atom 8-15");
	expect(&x, "pmu", CHECK_NOTE, "cpu_atom 8-15", "--cpu");
	x.pmu.nmi_watchdog = 1;
	expect(&x, "watchdog", CHECK_NOTE, NULL, "kernel.nmi_watchdog=0");
	x.pmu.paranoid = 3;
	expect(&x, "paranoid", CHECK_NOTE, "perf_event_paranoid is 3: users may count nothing",
		"As root: sysctl kernel.perf_event_paranoid=2");
	x.root = true;
	expect(&x, "paranoid", CHECK_OK, NULL, NULL);
}

TEST(measures_steal_by_differences)
{
	struct examination x = good();
	struct check check;

	x.before = (struct cpu_times){ .known = true, .busy = 1000, .idle = 8990, .steal = 10 };
	x.after = (struct cpu_times){ .known = true, .busy = 1060, .idle = 8990, .steal = 50 };
	check = expect(&x, "steal", CHECK_BAD, "40% during this check", NULL);
	check_near(check.value, 5000.0 / 10100, 1e-9);
	x.after = x.before; /* no tick went by */
	check = expect(&x, "steal", CHECK_OK, NULL, NULL);
	assert_null(strstr(check.finding, "during"));
}

TEST(sees_what_shares_the_core)
{
	struct examination x = good();

	set_words(x.environment.siblings, "3,11");
	expect(&x, "smt", ANY, "3,11", NULL);
	x.sample.contended = true;
	x.sample.quiet = 0.03;
	expect(&x, "quiet", CHECK_BAD, NULL, NULL);
	machine.watched = false;
	expect(&x, "quiet", ANY, "cannot see", NULL);
	machine.bound = false;
	set_words(machine.bind_note, "a filter refuses it");
	expect(&x, "binding", ANY, "a filter refuses it", NULL);
	expect(&x, "binding", CHECK_BAD, NULL, NULL);
}

TEST(knows_limits_of_containers)
{
	struct examination x = good();
	struct check check;

	x.environment.quota = 1.5;
	check = expect(&x, "cores", CHECK_NOTE, NULL, NULL);
	check_parts(check.finding, "8 of 8 processors", "the time of 1.5");
	x.environment.quota = NAN;
	set_words(x.environment.allowed, "5");
	expect(&x, "cores", ANY, "1 of 8 processors are allowed (5)", NULL);
	x.environment.memory_limit = 1 << 30;
	expect(&x, "memory", ANY, "limit is 1 GiB", NULL);
	machine.memory_limit = 100 << 20;
	set_words(machine.memory_note, "the control group allows 256 MiB");
	expect(&x, "memory", CHECK_NOTE,
		"working sets up to 100 MiB; the control group allows 256 MiB", "raise that limit");
}

TEST(tells_small_pages)
{
	struct examination x = good();

	set_words(x.pages, "4k");
	expect(&x, "huge-pages", CHECK_NOTE, "the system granted none", NULL);
	machine.huge_pages = false;
	set_words(machine.huge_note, "disabled for this process");
	expect(&x, "huge-pages", CHECK_NOTE, "disabled for this process", "PR_SET_THP_DISABLE");
	set_words(x.environment.thp, "never");
	expect(&x, "huge-pages", ANY, NULL, "echo madvise");
}

/* Checks stand in an order: what points to another check must not say where it is. */
TEST(points_to_checks_by_name)
{
	struct examination x = good();

	x.environment.hypervisor = 1;
	x.environment.siblings[0] = '\0';
	expect(&x, "smt", ANY, NULL, "line quiet");
	assert_null(strstr(make(&x, "smt").advice, "below"));
	make(&x, "quiet");
}

TEST(says_why_the_explorer_cannot_open)
{
	struct terminal_facts facts = good().terminal;

	check_ok(terminal_usable(&facts));
	facts.addressable = false;
	check_contains(
		terminal_usable(&facts).text, "with a movable cursor, which TERM=xterm is not");
	facts.described = false;
	check_contains(
		terminal_usable(&facts).text, "no terminal description for TERM=xterm here (try");
	facts.database = false;
	check_usage(terminal_usable(&facts), "no terminal description for TERM=xterm here (install "
					     "ncurses-base, or set TERMINFO)");
	facts.term[0] = '\0';
	check_contains(terminal_usable(&facts).text, "TERM is not set");
	facts.output = false;
	check_contains(terminal_usable(&facts).text, "standard output");
	facts.input = false;
	check_contains(terminal_usable(&facts).text, "standard input is not one");
}

TEST(judges_the_terminal)
{
	struct examination x = good();

	x.terminal.utf8 = false;
	set_words(x.terminal.charset, "ANSI_X3.4-1968");
	expect(&x, "terminal", ANY, NULL, "ASCII");
	x.terminal.described = false;
	set_words(x.terminal.term, "strange");
	expect(&x, "terminal", ANY, "TERM=strange is not in", "ncurses-term");
	set_words(x.terminal.term, "a\033[31m");
	expect(&x, "terminal", ANY, "TERM=a?[31m is not in", NULL);
	x.terminal.database = false;
	expect(&x, "terminal", ANY, NULL, "ncurses-base");
	x.terminal.term[0] = '\0';
	expect(&x, "terminal", ANY, "not set", NULL);
}

RUN_TESTS()
