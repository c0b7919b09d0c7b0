/* The events of the core files: libpfm encodes each, the plans of them, and the counts that the
 * model predicts. test_uarch_parse.c tests how they are written. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "assembly.h"
#include "engine/counters/counters.h"
#include "engine/machine/machine.h"
#include "model/counts/events.h"
#include "model/limits/explain.h"
#include "table.h"

#if defined(__x86_64__)
#define ISA "x86_64"
#else
#define ISA "aarch64"
#endif

static struct event_plan shared_plan, *const plan = &shared_plan;

static struct uarch *load(const char *name)
{
	struct uarch *uarch;

	check_ok(uarch_load(name, NULL, &uarch));
	return uarch;
}

/* ---- roles */

TEST(every_role_has_a_name_of_its_own)
{
	for (int role = 0; role < ROLE_COUNT; role++) {
		assert_non_null(event_roles[role].name);
		assert_non_null(event_roles[role].title);
		assert_int_equal(role_find(event_roles[role].name), role);
	}
	assert_int_equal(role_find("l4-misses"), ROLE_COUNT);
	assert_true(event_roles[ROLE_CYCLES].must && !event_roles[ROLE_MISPREDICTIONS].must);
	assert_true(!event_roles[ROLE_LOADS].many && event_roles[ROLE_PORTS].many);
}

/* ---- names */

/* A build of libpfm knows only the PMUs of its own instruction set. */
TEST(every_event_encodes)
{
	struct counter_code code;
	int events = 0;

	for (const char *const *names = uarch_names(ISA); *names; names++) {
		struct uarch *uarch = load(*names);

		for (int i = 0; i < uarch->event_count; i++, events++) {
			const struct uarch_event *event = &uarch->event[i];
			struct status status = counters_encode(event->name, &code);

			if (!status_is_ok(&status))
				fail_msg("%s, %s: %s", *names, event->title, status.text);
		}
		uarch_free(uarch);
	}
	assert_true(events > 50);
	events_plan(NULL, NULL, 0, plan);
	for (int i = 0; i < plan->counters.count; i++)
		check_ok(counters_encode(plan->counters.event[i].name, &code));
	print_message(
		"%d events of the core models encode with libpfm %s\n", events, counters_version());
}

/* Two events with the same code would waste a counter. */
TEST(no_core_counts_the_same_twice)
{
	for (const char *const *names = uarch_names(ISA); *names; names++) {
		struct uarch *uarch = load(*names);
		struct counter_code code[COUNTERS_MAX];

		assert_true(uarch->event_count <= COUNTERS_MAX - 8);
		for (int i = 0; i < uarch->event_count; i++) {
			check_ok(counters_encode(uarch->event[i].name, &code[i]));
			for (int k = 0; k < i; k++)
				if (code[k].type == code[i].type &&
					code[k].config == code[i].config)
					fail_msg("%s: %s and %s are the same", *names,
						uarch->event[k].name, uarch->event[i].name);
		}
		uarch_free(uarch);
	}
}

static const struct uarch_event *find_event(const struct uarch *uarch, const char *title)
{
	for (int i = 0; i < uarch->event_count; i++)
		if (strcmp(uarch->event[i].title, title) == 0)
			return &uarch->event[i];
	return NULL;
}

/* From the vendors' tables, not from libpfm. */
TEST(known_codes_come_out)
{
	struct table table;

	table_open(&table, "events", "codes");
	while (table_next(&table, 4)) {
		struct uarch *uarch = load(table.field[1]);
		const struct uarch_event *event = find_event(uarch, table.field[2]);
		struct counter_code code;

		if (!event)
			table_fail(&table, "this core has no such event");
		if (event && strcmp(table.field[0], ISA) == 0) {
			check_ok(counters_encode(event->name, &code));
			if (code.config != strtoull(table.field[3], NULL, 16))
				table_fail(&table, "%#llx", (unsigned long long)code.config);
		}
		uarch_free(uarch);
	}
}

/* ---- roles of each core */

static void add_lacking(struct text *text)
{
	enum event_role roles[ROLE_COUNT];
	int count = events_lacking(plan, roles);

	for (int i = 0; i < count; i++)
		text_addf(text, "%s%s", i ? " " : "", event_roles[roles[i]].name);
}

static int of_role(enum event_role role)
{
	int count = 0;

	for (int i = 0; i < plan->counters.count; i++)
		count += plan->meaning[i].role == role;
	return count;
}

/* The roles without an event, and the number of events, of each core: a lost event fails here. */
TEST(missing_roles_of_each_core_are_known)
{
	const char *const *names = uarch_names(NULL);
	struct table table;

	print_message("roles that a core has no event for:\n");
	table_open(&table, "events", "roles");
	for (; table_next(&table, 3); names++) {
		struct uarch *uarch = load(*names);
		struct text lacking = { 0 };
		double count[4];

		table_expect(&table, *names, table.field[0]);
		table_numbers(&table, 1, count, 4);
		events_plan(uarch, NULL, 0, plan);
		add_lacking(&lacking);
		print_message(
			"  %-13s %s\n", *names, lacking.length ? text_string(&lacking) : "none");
		table_expect(&table, text_string(&lacking), table.field[2]);
		check_near(plan->counters.count, count[0], 0);
		check_near(of_role(ROLE_PORTS), count[1], 0);
		check_near(of_role(ROLE_DISPATCHED), count[2], 0);
		check_near(of_role(ROLE_STALLED), count[3], 0);
		text_free(&lacking);
		uarch_free(uarch);
	}
	assert_null(*names);
}

/* Each port of Intel's cores is in exactly one event. */
TEST(every_port_of_intels_cores_is_counted_once)
{
	static const char *const cores[] = { "skylake", "skylake-sp", "cascade-lake", "icelake-sp",
		"icelake", "tiger-lake", "golden-cove", "raptor-lake", "redwood-cove" };

	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
		struct uarch *uarch = load(cores[i]);
		uint32_t seen = 0, all = 0;

		for (int k = 0; k < uarch_port_count(uarch); k++)
			if (k < uarch->port_count)
				all |= UINT32_C(1) << k;
		for (int k = 0; k < uarch->event_count; k++) {
			assert_int_equal(seen & uarch->event[k].ports, 0);
			seen |= uarch->event[k].ports;
		}
		if (seen != all)
			fail_msg("%s: ports %x of %x are counted", cores[i], seen, all);
		uarch_free(uarch);
	}
}

/* ---- plans */

TEST(plans_begin_with_cycles_and_name_nothing_twice)
{
	for (const char *const *names = uarch_names(NULL); *names; names++) {
		struct uarch *uarch = load(*names);

		events_plan(uarch, NULL, 0, plan);
		assert_false(plan->generic);
		assert_int_equal(plan->left_out, 0);
		assert_string_equal(plan->why, "");
		assert_int_equal(plan->counters.id, 0);
		assert_int_equal(plan->counters.cycles, 0);
		assert_int_equal(plan->meaning[0].role, ROLE_CYCLES);
		assert_int_equal(plan->meaning[1].role, ROLE_INSTRUCTIONS);
		assert_int_equal(plan->counters.count, uarch->event_count);
		for (int i = 0; i < plan->counters.count; i++) {
			assert_string_equal(plan->counters.event[i].name, plan->meaning[i].name);
			assert_int_equal(plan->counters.event[i].must,
				event_roles[plan->meaning[i].role].must);
			assert_true(plan->meaning[i].title[0] != '\0');
			assert_true(i == 0 || plan->meaning[i].role >= plan->meaning[i - 1].role);
			for (int k = 0; k < i; k++)
				assert_string_not_equal(
					plan->counters.event[i].name, plan->counters.event[k].name);
		}
		uarch_free(uarch);
	}
}

TEST(extra_events_come_last_and_once)
{
	static const char *const extra[] = { "perf::PERF_COUNT_SW_PAGE_FAULTS",
		"skl::uops_issued:any", "skl::LSD:UOPS", "perf::PERF_COUNT_SW_PAGE_FAULTS" };
	struct uarch *uarch = load("skylake");
	int own = uarch->event_count;

	events_plan(uarch, extra, 4, plan);
	assert_int_equal(plan->counters.count, own + 2);
	assert_int_equal(plan->meaning[own].role, ROLE_EXTRA);
	assert_string_equal(plan->counters.event[own].name, "perf::PERF_COUNT_SW_PAGE_FAULTS");
	assert_string_equal(plan->meaning[own].title, "perf::PERF_COUNT_SW_PAGE_FAULTS");
	assert_string_equal(plan->counters.event[own + 1].name, "skl::LSD:UOPS");
	assert_false(plan->counters.event[own].must);
	assert_int_equal(plan->left_out, 0);
	uarch_free(uarch);
}

/* Named events replace the last of the core's own events. */
TEST(too_many_extra_events_leave_some_out)
{
	enum { MANY = 60 };
	static char names[MANY][32], longest[COUNTER_NAME + 1];
	const char *extra[MANY];
	struct uarch *uarch = load("skylake");

	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "perf_raw::r%04x", i);
		extra[i] = names[i];
	}
	events_plan(uarch, extra, 15, plan);
	assert_int_equal(plan->counters.count, COUNTERS_MAX);
	assert_int_equal(of_role(ROLE_EXTRA), 15);
	assert_int_equal(plan->left_out, uarch->event_count + 15 - COUNTERS_MAX);
	assert_int_equal(plan->meaning[0].role, ROLE_CYCLES);
	assert_int_equal(of_role(ROLE_L3_MISSES), 1);
	assert_int_equal(of_role(ROLE_STALLED), 3);

	events_plan(uarch, extra, MANY, plan);
	assert_int_equal(plan->counters.count, COUNTERS_MAX);
	assert_int_equal(of_role(ROLE_EXTRA), COUNTERS_MAX / 2);
	assert_int_equal(plan->left_out, uarch->event_count + MANY - COUNTERS_MAX);

	memset(longest, 'x', COUNTER_NAME);
	extra[0] = longest;
	events_plan(NULL, extra, 1, plan);
	assert_int_equal(plan->left_out, 1);
	assert_int_equal(of_role(ROLE_EXTRA), 0);
	uarch_free(uarch);
}

TEST(a_core_without_events_has_the_kernels)
{
	struct text lacking = { 0 };
	struct uarch *uarch;

	events_plan(NULL, NULL, 0, plan);
	assert_true(plan->generic);
	assert_int_equal(plan->counters.count, 11);
	assert_int_equal(plan->counters.cycles, 0);
	assert_string_equal(plan->counters.event[1].name, "perf::PERF_COUNT_HW_INSTRUCTIONS");
	add_lacking(&lacking);
	assert_string_equal(text_string(&lacking),
		"uops uops-retired uops-executed ports l2-misses dtlb-walks");
	text_free(&lacking);

	check_ok(uarch_parse("uarch x X\nisa x86_64\nwidth 4 [M]\nports p0 [M]\n", "x", &uarch));
	events_plan(uarch, NULL, 0, plan);
	assert_true(plan->generic);
	assert_int_equal(plan->counters.count, 11);
	uarch_free(uarch);

	check_ok(uarch_parse(
		"uarch x X\nisa x86_64\nwidth 4 [M]\nports p0 [M]\nevent uops = a::B [M]\n", "x",
		&uarch));
	events_plan(uarch, NULL, 0, plan);
	assert_false(plan->generic);
	assert_int_equal(plan->counters.count, 1);
	assert_int_equal(plan->counters.cycles, -1);
	uarch_free(uarch);
}

TEST(the_running_core_names_its_events)
{
	struct machine machine = { .arch = "x86_64",
		.processor = { .vendor = "GenuineIntel", .family = 6, .model = 0x8f } };

	events_plan_here(&machine, NULL, 0, plan);
	assert_false(plan->generic);
	assert_string_equal(plan->counters.event[0].name, "spr::UNHALTED_CORE_CYCLES");
	assert_string_equal(plan->meaning[0].core, "golden-cove");

	/* A core with a similar model number is another core. */
	machine.processor.model = 0x99;
	events_plan_here(&machine, NULL, 0, plan);
	assert_true(plan->generic);
	assert_string_equal(plan->why, "");

	strcpy(machine.arch, "aarch64");
	machine.processor = (struct processor){ .implementer = 0x41, .part = 0xd40 };
	events_plan_here(&machine, NULL, 0, plan);
	assert_string_equal(plan->counters.event[0].name, "arm_v1::CPU_CYCLES");
}

static void write_file(const char *directory, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* The user's files replace the built-in files; a mistake in one is reported, and counting
 * continues. */
TEST(files_of_the_user_are_used_or_reported)
{
	char directory[] = "/tmp/slexplore-events-XXXXXX", path[128];
	struct machine machine = { .arch = "x86_64",
		.processor = { .vendor = "GenuineIntel", .family = 6, .model = 0x8f } };

	assert_non_null(mkdtemp(directory));
	setenv("SLEXPLORE_DATA", directory, 1);
	write_file(directory, "events", "event uops = a::B [LK]\n");
	events_plan(NULL, NULL, 0, plan);
	assert_int_equal(plan->counters.count, 1);
	write_file(directory, "events", "event oops = a::B [LK]\n");
	events_plan(NULL, NULL, 0, plan);
	assert_int_equal(plan->counters.count, 11);
	check_contains(plan->why, "/events:1: unknown role \"oops\"");

	snprintf(path, sizeof(path), "%s/uarch", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	write_file(directory, "uarch/golden-cove.uarch",
		"uarch golden-cove Mine\nisa x86_64\nmatch vendor GenuineIntel family 6 model 8f "
		"[M]\nevent oops = a::B [LK]\n");
	events_plan_here(&machine, NULL, 0, plan);
	assert_true(plan->generic);
	assert_int_equal(plan->counters.count, 11);
	check_contains(plan->why, "uarch/golden-cove.uarch:4: unknown role \"oops\"");

	unsetenv("SLEXPLORE_DATA");
	snprintf(path, sizeof(path), "%s/uarch/golden-cove.uarch", directory);
	unlink(path);
	snprintf(path, sizeof(path), "%s/uarch", directory);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/events", directory);
	unlink(path);
	rmdir(directory);
}

/* ---- predictions of the model */

static struct explanation explanation;

static void explain_source(const struct uarch *uarch, const char *source, double elements,
	const struct limits_place *place)
{
	explanation.status = status_ok();
	assembly_loop(source, &explanation.loop);
	explanation.loop.elements = elements;
	explanation.loop.insns_per_element = explanation.loop.path_count / elements;
	limits_compute(&explanation.loop, uarch, place, &explanation.limits);
}

static void explain_end(void)
{
	loop_free(&explanation.loop);
}

static double modelled(const struct uarch *uarch, const char *title)
{
	const struct uarch_event *event = find_event(uarch, title);

	if (!event)
		fail_msg("%s has no event \"%s\"", uarch->name, title);
	return events_modelled(event, &explanation);
}

/* Two elements: two loads, one of them folded, a store, a multiplication. */
#define PAIR                                                                                \
	"mov eax, dword [rdi+rcx*4]; imul eax, dword [rdi+rcx*4+4]; mov dword [rsi], eax; " \
	"add rsi, 4; add rcx, 2; cmp rcx, rdx; jne top"
#define WALK   "mov rax, qword [rdi]; add rdi, 16; dec rcx; jne top"
#define CACHES .caches.level = { { .bytes = 32768 }, { .bytes = 1 << 20 } }

/* The counts that the model predicts for a loop; NAN: unknown. */
static const struct {
	const char *uarch, *source;
	double elements;
	struct limits_place place;
	struct {
		const char *title;
		double value;
	} count[13];
	const char *core; /* of the events; NULL: the model's own */
	int accesses;	  /* of the first instruction; 0: one */
} predicted[] = {
	/* cmp and jne are one micro-op, and so are the multiplication and its load: 6 in all.
	 * Executed: 2 loads, store address and data, multiplication, two additions, the fused
	 * branch: 8 in all. */
	{ "skylake", PAIR, 2, { CACHES },
		{ { "instructions", 3.5 }, { "micro-ops", 3 }, { "micro-ops retired", 3 },
			{ "loads", 1 }, { "stores", 0.5 }, { "branches", 0.5 },
			{ "mispredictions", 0 }, { "p4", 0.5 }, { "micro-ops executed", 4 },
			{ "cycles", NAN }, { "L3 misses", NAN }, { "stalled: front end", NAN } } },
	/* The ports and micro-ops of another core differ; the rest is the same. */
	{ "skylake", PAIR, 2, { CACHES }, { { "p0", NAN }, { "micro-ops", NAN }, { "loads", 1 } },
		.core = "icelake-sp" },
	{ "skylake", PAIR, 2, { CACHES }, { { "instructions", 3.5 } }, .core = "zen3" },
	{ "icelake-sp", PAIR, 2, { CACHES },
		{ { "p2 p3", 1 }, { "p4 p9", 0.5 }, { "p7 p8", 0.5 } } },
	/* A micro-op that is split at rename is issued as two. */
	{ "skylake", "vaddpd ymm0, ymm1, ymmword [rdi+rcx*8]; add rcx, 4; cmp rcx, rdx; jne top", 1,
		{ CACHES }, { { "micro-ops", 4 } } },
	/* Some cores count each access of a gather, others the gather. */
	{ "skylake", "vpgatherdd ymm0, ymmword [rdi+ymm1*4], ymm2; dec rcx; jne top", 8, { CACHES },
		{ { "loads", NAN }, { "stores", 0 } }, .accesses = 8 },
	/* An instruction that no table has. */
	{ "skylake", "mystery rax, rbx; mov rax, qword [rdi]; dec rcx; jne top", 1, { CACHES },
		{ { "micro-ops", NAN }, { "p0", NAN }, { "instructions", 4 }, { "loads", 1 } } },
	/* A walk over 64 KiB finds nothing in the first cache, and all in the second. */
	{ "skylake", WALK, 1,
		{ CACHES, .working_set = 65536, .walk = { .lines = 0.25, .mispredicts = 0.5 } },
		{ { "L1 misses", 0.25 }, { "L2 misses", 0 }, { "mispredictions", 0.5 } } },
	{ "skylake", WALK, 1,
		{ CACHES, .working_set = 16384, .walk = { .lines = 0.25, .mispredicts = 0.5 } },
		{ { "L1 misses", 0 } } },
	/* Lines and mispredictions of own loops are unknown. */
	{ "skylake", WALK, 1, { CACHES, .working_set = 65536, .walk.mispredicts = -1 },
		{ { "L1 misses", NAN }, { "mispredictions", NAN } } },
};

TEST(the_model_predicts_counts)
{
	for (size_t i = 0; i < sizeof(predicted) / sizeof(predicted[0]); i++) {
		struct uarch *uarch = load(predicted[i].uarch),
			     *core = load(
				     predicted[i].core ? predicted[i].core : predicted[i].uarch);

		explain_source(
			uarch, predicted[i].source, predicted[i].elements, &predicted[i].place);
		if (predicted[i].accesses)
			explanation.loop.insn[0].memory[0].accesses =
				(uint8_t)predicted[i].accesses;
		for (int k = 0; predicted[i].count[k].title; k++) {
			double value = modelled(core, predicted[i].count[k].title),
			       expected = predicted[i].count[k].value;

			if (isnan(value) != isnan(expected) || fabs(value - expected) > 1e-6)
				fail_msg("row %zu, %s: %g, not %g", i, predicted[i].count[k].title,
					value, expected);
		}
		explain_end();
		uarch_free(uarch);
		uarch_free(core);
	}
}

TEST(ports_of_one_kind_share_their_work)
{
	struct uarch *uarch = load("skylake");

	explain_source(uarch, PAIR, 2, &predicted[0].place);
	check_near(
		modelled(uarch, "p2") + modelled(uarch, "p3") + modelled(uarch, "p7"), 1.5, 1e-6);
	assert_string_equal(explanation.limits.unknown_names, "");
	explain_end();
	uarch_free(uarch);
}

TEST(without_an_explanation_nothing_is_predicted)
{
	struct uarch *uarch = load("skylake");

	assert_true(isnan(events_modelled(find_event(uarch, "loads"), NULL)));
	explanation.status = status_failed("no");
	assert_true(isnan(modelled(uarch, "loads")));
	uarch_free(uarch);
}

static int set_up(void **state)
{
	unsetenv("SLEXPLORE_DATA");
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return 0;
}

static int tear_down(void **state)
{
	limits_free(&explanation.limits);
	return 0;
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
