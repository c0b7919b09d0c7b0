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
	snprintf(machine.clock_name, sizeof(machine.clock_name), "imul chain");
	return x;
}

static struct check make(const struct examination *x, const char *name)
{
	struct check check;

	for (size_t i = 0; i < check_count(); i++) {
		check_make(i, x, &check);
		if (strcmp(check.name, name) == 0)
			return check;
	}
	fail_msg("no check \"%s\"", name);
	return check;
}

TEST(finds_nothing_wrong_with_a_good_machine)
{
	struct examination x = good();

	for (size_t i = 0; i < check_count(); i++) {
		struct check check;

		check_make(i, &x, &check);
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
		struct check check;

		check_make(i, &x, &check);
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
		struct check a, b;

		check_make(i, &x, &a);
		assert_int_equal(strspn(a.name, "abcdefghijklmnopqrstuvwxyz-"), strlen(a.name));
		for (size_t j = 0; j < i; j++) {
			check_make(j, &x, &b);
			assert_string_not_equal(a.name, b.name);
		}
	}
}

TEST(compares_the_clock_with_the_counter)
{
	struct examination x = good();
	struct check check;

	machine.tick_hz = 2.5e9;
	check = make(&x, "clock");
	assert_int_equal(check.state, CHECK_NOTE);
	check_parts(check.finding, "4.000 GHz", "1.60 core cycles a tick");
	check_contains(check.advice, "imul chain");
	check_near(check.value, 4.0, 1e-9);
	x.sample.valid = false;
	snprintf(x.failure, sizeof(x.failure), "memory was refused");
	check = make(&x, "clock");
	assert_int_equal(check.state, CHECK_BAD);
	check_contains(check.finding, "memory was refused");
}

TEST(tells_why_there_are_no_counters)
{
	struct examination x = good();
	struct check check;

	count_none(&x, ENOENT);
	check_contains(make(&x, "counters").finding, "no driver for this processor");
	x.environment.hypervisor = 1;
	check_contains(make(&x, "counters").finding, "given to this guest");
	check_contains(make(&x, "counters").advice, "-cpu host,pmu=on");
	snprintf(x.environment.hypervisor_name, sizeof(x.environment.hypervisor_name),
		"KVM (Amazon EC2)");
	check_contains(make(&x, "counters").advice, "metal instance");
	snprintf(x.environment.hypervisor_name, sizeof(x.environment.hypervisor_name), "VMware");
	check_contains(make(&x, "counters").advice, "vPMC");
	count_none(&x, EACCES);
	x.pmu.paranoid = 3;
	check = make(&x, "counters");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.finding, "not allow them to this user");
	check_contains(check.advice, "See paranoid.");
	x.pmu.paranoid = 1;
	check_contains(make(&x, "counters").advice, "seccomp");
	count_none(&x, ENOSYS);
	check_contains(make(&x, "counters").finding, "no perf_event_open");
	count_none(&x, EBUSY);
	check_contains(make(&x, "counters").advice, "see watchdog");
	count_none(&x, EMFILE);
	check_contains(make(&x, "counters").finding, strerror(EMFILE));
	count_none(&x, 0);
	check_contains(make(&x, "counters").finding, "as the test wants it");
	assert_int_equal(make(&x, "counters").state, CHECK_NOTE);
	/* What depends on them says so, and judges nothing. */
	check_contains(make(&x, "reading").finding, "there are none");
	assert_int_equal(make(&x, "events").state, CHECK_NOTE);
}

TEST(counters_that_do_not_count_are_told)
{
	struct examination x = good();
	struct check check;

	check = make(&x, "counters");
	check_parts(check.finding,
		"17 of 17 events count, in 3 passes over a loop; cycles come from a counter",
		"0.3% more of them");
	check_near(check.value, 17, 0);
	x.sample.check = 0.95;
	check = make(&x, "counters");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.finding, "5.0% fewer");
	check_contains(check.advice, "clocks is wrong");
	x.counts.event[5].state = COUNT_HELD;
	check = make(&x, "events");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.finding, "1 of them unavailable");
	check_contains(check.advice, "slexplore events");
	for (int i = 0; i < x.counts.count; i++)
		x.counts.event[i].state = COUNT_SILENT;
	check = make(&x, "counters");
	assert_int_equal(check.state, CHECK_BAD);
	check_contains(check.finding, "none of them counts");
}

TEST(names_what_no_event_tells)
{
	struct examination x = good();
	struct check check;

	plan.counters.count = x.counts.count = 2; /* cycles and instructions */
	check = make(&x, "events");
	assert_int_equal(check.state, CHECK_OK);
	check_parts(check.finding, "2 events are named for this core; nothing is named for ",
		"L3 misses");
	plan.generic = true;
	check = make(&x, "events");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.finding, "for every processor, none for this core");
	check_contains(check.advice, "slexplore events WORD");
	snprintf(plan.why, sizeof(plan.why), "mine.uarch:3: what is that?");
	check = make(&x, "events");
	assert_int_equal(check.state, CHECK_BAD);
	check_contains(check.advice, "mine.uarch:3");
	plan.counters.count = 0;
	check_contains(make(&x, "events").finding, "unknown: mine.uarch:3");
}

TEST(says_how_counters_are_read)
{
	struct examination x = good();
	struct check check;

	check_contains(make(&x, "reading").finding, "without a system call");
	x.counts.direct = false;
	check = make(&x, "reading");
	assert_int_equal(check.state, CHECK_NOTE);
	assert_string_equal(check.advice, "");
	x.pmu.rdpmc = 0;
	check_contains(
		make(&x, "reading").advice, "echo 1 > /sys/bus/event_source/devices/cpu/rdpmc");
	x.pmu.rdpmc = -1;
	x.pmu.arm = true;
	check_contains(make(&x, "reading").advice, "Linux 5.17");
	x.pmu.user_access = 0;
	check_contains(make(&x, "reading").advice, "sysctl kernel.perf_user_access=1");
}

TEST(knows_who_else_has_a_hand_in_counters)
{
	struct examination x = good();
	struct check check;

	check_contains(
		make(&x, "pmu").finding, "8 counters for any event, 4 for one each, of 48 bits");
	snprintf(x.pmu.name, sizeof(x.pmu.name), "cpu_core");
	snprintf(x.pmu.serves, sizeof(x.pmu.serves), "0-7");
	snprintf(x.pmu.others, sizeof(x.pmu.others), "cpu_atom 8-15");
	check = make(&x, "pmu");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.finding, "cpu_atom 8-15");
	check_contains(check.advice, "--cpu");
	x.pmu.nmi_watchdog = 1;
	check = make(&x, "watchdog");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.advice, "kernel.nmi_watchdog=0");
	x.pmu.paranoid = 3;
	check = make(&x, "paranoid");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.finding, "perf_event_paranoid is 3: users may count nothing");
	check_contains(check.advice, "As root: sysctl kernel.perf_event_paranoid=2");
	x.root = true;
	assert_int_equal(make(&x, "paranoid").state, CHECK_OK);
}

TEST(measures_steal_by_differences)
{
	struct examination x = good();
	struct check check;

	x.before = (struct cpu_times){ .known = true, .busy = 1000, .idle = 8990, .steal = 10 };
	x.after = (struct cpu_times){ .known = true, .busy = 1060, .idle = 8990, .steal = 50 };
	check = make(&x, "steal");
	assert_int_equal(check.state, CHECK_BAD);
	check_contains(check.finding, "40% during this check");
	check_near(check.value, 5000.0 / 10100, 1e-9);
	x.after = x.before; /* no tick went by */
	check = make(&x, "steal");
	assert_int_equal(check.state, CHECK_OK);
	assert_null(strstr(check.finding, "during"));
}

TEST(sees_what_shares_the_core)
{
	struct examination x = good();

	snprintf(x.environment.siblings, sizeof(x.environment.siblings), "3,11");
	check_contains(make(&x, "smt").finding, "3,11");
	x.sample.contended = true;
	x.sample.quiet = 0.03;
	assert_int_equal(make(&x, "quiet").state, CHECK_BAD);
	machine.watched = false;
	check_contains(make(&x, "quiet").finding, "unseen");
	machine.bound = false;
	snprintf(machine.bind_note, sizeof(machine.bind_note), "a filter refuses it");
	check_contains(make(&x, "binding").finding, "a filter refuses it");
	assert_int_equal(make(&x, "binding").state, CHECK_BAD);
}

TEST(knows_limits_of_containers)
{
	struct examination x = good();
	struct check check;

	x.environment.quota = 1.5;
	check = make(&x, "cores");
	assert_int_equal(check.state, CHECK_NOTE);
	check_parts(check.finding, "8 of 8 processors", "the time of 1.5");
	x.environment.quota = NAN;
	snprintf(x.environment.allowed, sizeof(x.environment.allowed), "5");
	check_contains(make(&x, "cores").finding, "1 of 8 processors are allowed (5)");
	x.environment.memory_limit = 1 << 30;
	check_contains(make(&x, "memory").finding, "limit is 1 GiB");
	machine.memory_limit = 100 << 20;
	snprintf(machine.memory_note, sizeof(machine.memory_note),
		"the control group allows 256 MiB");
	check = make(&x, "memory");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(
		check.finding, "working sets up to 100 MiB; the control group allows 256 MiB");
	check_contains(check.advice, "raise that limit");
}

TEST(tells_small_pages)
{
	struct examination x = good();
	struct check check;

	snprintf(x.pages, sizeof(x.pages), "4k");
	check = make(&x, "huge-pages");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.finding, "none were got");
	machine.huge_pages = false;
	snprintf(machine.huge_note, sizeof(machine.huge_note), "disabled for this process");
	check = make(&x, "huge-pages");
	assert_int_equal(check.state, CHECK_NOTE);
	check_contains(check.finding, "disabled for this process");
	check_contains(check.advice, "PR_SET_THP_DISABLE");
	snprintf(x.environment.thp, sizeof(x.environment.thp), "never");
	check_contains(make(&x, "huge-pages").advice, "echo madvise");
}

/* Checks stand in an order: what points to another check must not say where it is. */
TEST(points_to_checks_by_name)
{
	struct examination x = good();

	x.environment.hypervisor = 1;
	x.environment.siblings[0] = '\0';
	check_contains(make(&x, "smt").advice, "see quiet");
	assert_null(strstr(make(&x, "smt").advice, "below"));
	make(&x, "quiet");
}

TEST(says_why_the_explorer_cannot_open)
{
	struct terminal_facts facts = good().terminal;

	check_ok(terminal_usable(&facts));
	facts.addressable = false;
	check_contains(
		terminal_usable(&facts).text, "whose cursor can be moved, and TERM=xterm is none");
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
	snprintf(x.terminal.charset, sizeof(x.terminal.charset), "ANSI_X3.4-1968");
	check_contains(make(&x, "terminal").advice, "ASCII");
	x.terminal.described = false;
	snprintf(x.terminal.term, sizeof(x.terminal.term), "strange");
	check_contains(make(&x, "terminal").finding, "TERM=strange is not known");
	check_contains(make(&x, "terminal").advice, "ncurses-term");
	x.terminal.database = false;
	check_contains(make(&x, "terminal").advice, "ncurses-base");
	x.terminal.term[0] = '\0';
	check_contains(make(&x, "terminal").finding, "not set");
}

RUN_TESTS()
