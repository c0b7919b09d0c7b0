/* Every kernel computes what it says at every setting that its knobs allow. */
#include "laid.h"

#include "base/random.h"
#include "base/units.h"
#include "experiment/listing.h"
#include "kernels/features.h"

static void run_at(
	const struct kernel *kernel, const int64_t *v, uint64_t prepared, struct kernel_run *run)
{
	*run = laid_run(kernel, v);
	run->layout.prepared = prepared;
	check_ok(laid_prepare(run));
	assert_true(run->ring > 0);
	assert_true(run->granule > 0);
	assert_int_equal(run->ring % run->granule, 0);
	assert_non_null(run->code.start);
	assert_true(run->layout.laid_out <= MEMORY);
}

static void initial(const struct kernel *kernel, int64_t *v)
{
	int size = kernel_axis(kernel, AXIS_SIZE);

	laid_initial(kernel, v);
	if (size >= 0 && v[size] > MEMORY)
		v[size] = 16384;
}

/* A test of every kernel at its initial setting v. It returns false for a kernel that it skips, and
 * fails if it skips all kernels. */
#define EACH_KERNEL(name)                                               \
	static bool name##_of(const struct kernel *kernel, int64_t *v); \
	TEST(name)                                                      \
	{                                                               \
		assert_true(each_kernel(name##_of) > 0);                \
	}                                                               \
	static bool name##_of(const struct kernel *kernel, int64_t *v)

static int each_kernel(bool (*test)(const struct kernel *kernel, int64_t *v))
{
	int count = 0;

	for (int k = 0; kernel_registry[k]; k++) {
		int64_t v[KNOBS_MAX];

		initial(kernel_registry[k], v);
		count += test(kernel_registry[k], v);
	}
	return count;
}

static int64_t top(const struct knob *knob)
{
	int64_t count = 0;

	if (knob->kind != KNOB_CHOICE)
		return knob->max < MEMORY ? knob->max : MEMORY;
	while (knob->choices[count])
		count++;
	return count - 1;
}

static int64_t random_value(const struct knob *knob, struct random *random)
{
	int64_t low = knob->kind == KNOB_CHOICE ? 0 : knob->min, high = top(knob);
	int64_t multiple = knob->multiple > 1 ? knob->multiple : 1;

	/* Both ends often: what is right in between need not be right there. */
	if (random_below(random, 4) == 0)
		return random_below(random, 2) ? low : low + (high - low) / multiple * multiple;
	/* Sizes over their whole logarithmic range. */
	if (knob->kind == KNOB_BYTES)
		high = low + ((high - low) >> random_below(random, 16));
	return low +
	       (int64_t)random_below(random, (uint64_t)(high - low + 1)) / multiple * multiple;
}

EACH_KERNEL(tables_are_complete)
{
	assert_ptr_equal(kernel_find(kernel->name), kernel);
	assert_true(strlen(kernel->title) > 0 && strlen(kernel->look_for) > 40);
	assert_true(strlen(kernel->document) > 0 && strlen(kernel->element) > 0);
	assert_in_range(kernel->knob_count, 1, KNOBS_MAX);
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];

		assert_int_equal(kernel_knob(kernel, knob->name), i);
		assert_true(strlen(knob->help) > 0 && strlen(knob->help) < 70);
		if (knob->kind == KNOB_CHOICE)
			for (int64_t k = 0; k <= top(knob); k++)
				assert_true(strlen(knob->choices[k]) < sizeof(struct units_text));
		else
			assert_true(knob->min <= knob->initial && knob->initial <= knob->max);
	}
	check_ok(kernel_check(kernel, v));
	assert_true(kernel->expected || kernel->verify);
	return true;
}

TEST(several_elements_are_named_in_the_plural)
{
	static const char *const words[][2] = { { "value fetched", "values fetched" },
		{ "array element read", "array elements read" }, { "lookup", "lookups" },
		{ "element of k loads", "elements of k loads" },
		{ "element or pair", "elements or pairs" }, { "access", "accesses" },
		{ "branch", "branches" }, { "body", "bodies" }, { "multiply-add", "multiply-adds" },
		{ "outcome", "outcomes" } };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct kernel kernel = { .element = words[i][0] };

		assert_string_equal(kernel_elements(&kernel).text, words[i][1]);
	}
}

/* Four operations of bandwidth have a stride. The others say so once it is changed. */
TEST(bandwidth_says_where_stride_has_no_effect)
{
	static const char *const strided[] = { "rd", "wr", "rdwr", "cp" }, *const dense[] = { "frd",
		"fwr", "fcp", "bzero", "bcopy" };

	for (size_t i = 0; i < sizeof(strided) / sizeof(*strided); i++) {
		struct setting setting =
			laid_setting(words_of("bandwidth op=%s stride=8", strided[i]).text);

		assert_null(strstr(setting.kernel->remark(setting.v), "no effect"));
	}
	for (size_t i = 0; i < sizeof(dense) / sizeof(*dense); i++) {
		struct setting setting =
			laid_setting(words_of("bandwidth op=%s stride=8", dense[i]).text);

		check_contains(setting.kernel->remark(setting.v), "stride has no effect");
	}
}
TEST(unknown_names_are_not_found)
{
	assert_null(kernel_find("no such kernel"));
	assert_int_equal(kernel_knob(kernel_registry[0], "no such knob"), -1);
}

/* Whoever shows a kernel's code looks for its function in what is embedded. */
static void check_function_is_shown(const struct kernel *kernel, const char *function)
{
	struct listing *listing = listing_find(kernel, function);
	bool code = false;

	if (!listing)
		fail_msg("%s is not in the source of %s", function, kernel->name);
	/* The marked lines (or the function, if its loop is written in assembly) have a statement
	 * or an instruction, and not only the name of a macro. */
	for (int i = listing->loop_first < 0 ? listing->first : listing->loop_first;
		i <= listing->last; i++)
		code |= strpbrk(listing->line[i], ";\"") != NULL;
	if (!code)
		fail_msg("no loop of %s is in the source of %s", function, kernel->name);
	listing_free(listing);
}

/* Any allowed setting verifies, laid out from nothing or over what the setting before left, and
 * leaves alone what lies behind its memory. */
EACH_KERNEL(random_settings_compute_right)
{
	static struct random random = { 42 };
	uint64_t prepared = 0, layout = 0;
	const char *shown = NULL;

	for (int round = 0; round < CHECK_REPEATS(60, 8); round++) {
		unsigned char behind[64];
		struct kernel_run run;
		uint64_t end;

		for (int i = 0; i < kernel->knob_count; i++)
			v[i] = random_value(&kernel->knobs[i], &random);
		if (kernel_check(kernel, v).code != STATUS_OK)
			continue;
		if (kernel_footprint(kernel, v) > MEMORY)
			continue;
		if (kernel_layout(kernel, v) != layout)
			prepared = 0;
		layout = kernel_layout(kernel, v);
		memset(behind, 0x33, sizeof(behind));
		end = kernel_footprint(kernel, v);
		if (end > prepared && end + sizeof(behind) <= MEMORY)
			memcpy(memory + end, behind, sizeof(behind));
		else
			end = MEMORY - sizeof(behind), memcpy(behind, memory + end, sizeof(behind));
		run_at(kernel, v, prepared, &run);
		prepared = run.layout.laid_out;
		check_ok(kernel_verify(&run));
		if (kernel_footprint(kernel, v) <= end)
			assert_memory_equal(memory + end, behind, sizeof(behind));
		assert_true(
			run.walk.lines >= 0 && run.walk.splits >= 0 && run.walk.mispredicts >= 0);
		if (run.code.name && run.code.name != shown)
			check_function_is_shown(kernel, run.code.name);
		shown = run.code.name;
	}
	return true;
}

TEST(every_combine_loop_computes_right)
{
	enum { OP, TYPE, UNROLL, ACC, SHAPE, SIZE, STRIDE };
	struct setting setting = laid_setting("combine size=6000");
	int64_t *v = setting.v;
	int loops = 0;

	for (v[TYPE] = 0; v[TYPE] < 4; v[TYPE]++)
		for (v[OP] = 0; v[OP] < 2; v[OP]++)
			for (v[STRIDE] = 1; v[STRIDE] <= 7; v[STRIDE] += 3)
				for (v[UNROLL] = 1; v[UNROLL] <= 16; v[UNROLL]++)
					for (v[ACC] = 1; v[ACC] <= v[UNROLL]; v[ACC]++)
						for (v[SHAPE] = 0; v[SHAPE] < (v[ACC] == 1 ? 2 : 1);
							v[SHAPE]++) {
							struct kernel_run run;

							run_at(setting.kernel, v, 0, &run);
							check_ok(kernel_verify(&run));
							loops++;
						}
	assert_int_equal(loops, 4 * 2 * 3 * (136 + 16));
}

/* A wrong sum is noticed: verify() is no formality. */
EACH_KERNEL(verify_can_fail)
{
	struct kernel_run run;

	if (kernel_axis(kernel, AXIS_SIZE) < 0)
		return false; /* reads no memory */
	if (kernel_knob(kernel, "op") >= 0)
		v[kernel_knob(kernel, "op")] = 0;
	if (strcmp(kernel->name, "stores") == 0)
		v[kernel_knob(kernel, "form")] = 1; /* plain stores read nothing */
	run_at(kernel, v, 0, &run);
	if (strcmp(kernel->name, "list-length") == 0)
		*(void **)(void *)memory = memory;
	else if (strcmp(kernel->name, "combine") == 0)
		memory[7] ^= 0x80; /* the sign of a double */
	else if (strcmp(kernel->name, "scatter-stores") == 0)
		for (int i = 0; i < 256; i += 4)
			memory[i] ^= 0x80; /* indices that stay within the array */
	else
		for (int i = 0; i < 4096; i++) /* some kernels ignore some elements */
			memory[i] ^= 0x80;
	if (kernel_verify(&run).code != STATUS_FAILED)
		fail_msg("%s did not notice", kernel->name);
	return true;
}

TEST(calls_continue_where_the_last_one_stopped)
{
	struct kernel_run run = laid("list-length");
	const struct kernel *list = run.kernel;
	uint64_t half = run.ring / 2;

	list->call(&run, half);
	assert_int_equal(run.position, half);
	list->call(&run, run.ring - half);
	assert_int_equal(run.position, 0);
	list->call(&run, run.ring * 3 + half);
	assert_int_equal(run.position, half);
	assert_int_equal(run.result, run.ring * 3 + half);
	kernel_rewind(&run);
	assert_int_equal(run.position, 0);
}

/* A short working set in the middle of a longer one's data is as good as one at its beginning, and
 * both know which they are. */
EACH_KERNEL(movable_sets_begin_anywhere)
{
	const uint64_t base = 2 << 20;
	int size = kernel_axis(kernel, AXIS_SIZE);
	struct kernel_run run;

	if (!kernel->movable)
		return false;
	assert_true(kernel->layout_nests);
	v[size] = MEMORY;
	run_at(kernel, v, 0, &run);
	v[size] = 64 << 10;
	run_at(kernel, v, MEMORY, &run);
	check_ok(kernel_verify(&run));
	run.memory += base;
	run.layout.base = base;
	check_ok(kernel_verify(&run));
	run.layout.base = 0;
	assert_int_equal(kernel_verify(&run).code, STATUS_FAILED);
	return true;
}

/* Half-way round is where half a pass ends. */
EACH_KERNEL(begins_at_a_share_of_the_ring)
{
	struct kernel_run run;
	uint64_t walked;

	/* These leave no result, or only a count: tests/unit/test_nodes.c and lists_end check where
	 * they are. */
	if (!kernel->begin_at || strcmp(kernel->name, "latency") == 0 ||
		strcmp(kernel->name, "bandwidth") == 0 || strcmp(kernel->name, "list-length") == 0)
		return false;
	if (kernel->shrink)
		kernel->shrink(v);
	run_at(kernel, v, 0, &run);
	kernel_rewind(&run);
	kernel->call(&run, run.ring / run.granule / 2 * run.granule);
	kernel->call(&run, run.granule);
	walked = run.result;
	kernel->begin_at(&run, 0.5);
	kernel->call(&run, run.granule);
	assert_int_equal(run.result, walked);
	kernel->begin_at(&run, 0);
	kernel->call(&run, run.granule);
	assert_int_not_equal(run.result, walked);
	/* No further than the ring goes. */
	kernel->begin_at(&run, 1);
	kernel->call(&run, run.granule);
	return true;
}

/* A call cuts the list, and joins it again: from any node on, the list is as it was laid out, every
 * node is on it once, and the last one ends it. */
static void check_list(const char *text)
{
	struct setting setting = laid_setting(text);
	int64_t *size = &setting.v[kernel_knob(setting.kernel, "size")],
		spacing = setting.v[kernel_knob(setting.kernel, "spacing")];
	struct kernel_run run = { 0 };
	uint64_t layout = 0;

	for (*size = 64 * spacing; *size >= 16 * spacing;
		*size = *size * 2 / 3 / spacing * spacing) {
		uint64_t nodes = 0, first = 0;

		run_at(setting.kernel, setting.v,
			layout == kernel_layout(setting.kernel, setting.v) ? run.layout.laid_out
									   : 0,
			&run);
		layout = kernel_layout(setting.kernel, setting.v);
		check_ok(kernel_verify(&run));
		setting.kernel->begin_at(&run, 0.5);
		assert_int_equal(run.position, run.ring / 2);
		for (uint64_t i = 0; i < run.ring; i++) {
			setting.kernel->begin_at(&run, 0);
			setting.kernel->call(&run, i + 1);
			assert_int_equal(run.result, i + 1);
		}
		/* The first node is the one that no node points to. */
		for (uint64_t i = 0; i < run.ring; i++)
			first ^= i;
		for (uint64_t i = 0; i < run.ring; i++) {
			unsigned char *next = *(unsigned char **)(void *)(memory + i * spacing);

			first ^= next ? (uint64_t)(next - memory) / spacing : 0;
			nodes += next == NULL;
		}
		assert_int_equal(nodes, 1);
		nodes = 0;
		for (unsigned char *node = memory + first * spacing; node && nodes <= run.ring;
			node = *(unsigned char **)(void *)node)
			nodes++;
		assert_int_equal(nodes, run.ring);
	}
}

TEST(lists_end)
{
	check_list("list-length");
	check_list("list-length spacing=64 order=random");
	check_list("list-length spacing=256 order=random");
}

/* All passes move the same numbers, wherever a call ends; a partial pass leaves them for the next
 * sort. */
TEST(sorts_of_any_digits_sort)
{
	static const char *const settings[] = { "radix-sort size=4k bits=1", "radix-sort size=4k",
		"radix-sort size=12k bits=11", "radix-sort size=4k bits=16", "radix-sort size=256k",
		"radix-sort size=12k step=count", "radix-sort size=64k step=count" };

	for (int i = 0; i < 7; i++) {
		struct kernel_run run = laid(settings[i]);

		/* A part of a sort takes another time than the rest, so trials make whole sorts. */
		assert_int_equal(run.period, run.ring);
		for (uint64_t part = 1; part < run.ring; part = part * 3 + 1) {
			run.kernel->call(&run, part);
			kernel_rewind(&run);
			run.kernel->call(&run, run.ring + part);
			assert_int_equal(run.position, part % run.ring);
			kernel_rewind(&run);
			check_ok(kernel_verify(&run));
		}
	}
}

EACH_KERNEL(cancelled_preparation_can_be_taken_up)
{
	atomic_bool cancel = true;
	struct kernel_run run = {
		.kernel = kernel, .memory = memory, .seed = 7, .work.cancel = &cancel
	};

	if (kernel_axis(kernel, AXIS_SIZE) < 0)
		return false;
	v[kernel_knob(kernel, "size")] = MEMORY;
	/* Some need more than what size says. */
	while (kernel_footprint(kernel, v) > MEMORY)
		v[kernel_knob(kernel, "size")] -= MEMORY / 64;
	memcpy(run.v, v, sizeof(run.v));
	assert_int_equal(code_buffer_prepare(&laid_room, &run).code, STATUS_CANCELLED);
	run_at(kernel, v, run.layout.laid_out, &run);
	check_ok(kernel_verify(&run));
	return true;
}

/* The rights of the pages at `address`, as the system writes them: "r-xp"; empty: it does not say.
 */
static void rights_at(const void *address, char rights[8])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	rights[0] = '\0';
	while (maps && !rights[0] && fgets(line, sizeof(line), maps)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 ||
			(uintptr_t)address < from || (uintptr_t)address >= to)
			rights[0] = '\0';
	}
	if (maps)
		fclose(maps);
}

/* Code that kernels make can be run, and no more written, once it is there. */
EACH_KERNEL(code_that_is_made_is_not_writable)
{
	struct kernel_run run;
	char rights[8];

	if (!kernel->code_bytes || kernel_footprint(kernel, v) > MEMORY)
		return false;
	/* Again, too, where there is code already. */
	for (int times = 0; times < 2; times++) {
		run_at(kernel, v, 0, &run);
		assert_true(code_buffer_left(&laid_room, run.code.start) > 0 &&
			    code_buffer_left(&laid_room, run.code.start) <= laid_room.bytes);
		rights_at(run.code.start, rights);
		if (rights[0])
			assert_memory_equal(rights, "r-x", 3);
	}
	assert_int_equal(code_buffer_left(&laid_room, memory), 0);
	return true;
}

/* Whatever knob a user turns, the others follow to something allowed. */
EACH_KERNEL(fit_makes_any_move_allowed)
{
	static struct random random = { 3 };

	if (!kernel->check)
		return false;
	for (int move = 0; move < 20000; move++) {
		int knob = (int)random_below(&random, (uint64_t)kernel->knob_count);
		int64_t wanted = random_value(&kernel->knobs[knob], &random), before[KNOBS_MAX];
		struct status status;

		memcpy(before, v, sizeof(before));
		v[knob] = wanted;
		kernel_fit(kernel, v, knob);
		status = kernel_check(kernel, v);
		/* No knob gives a processor instructions, or forms of them, that it does
		 * not have. */
		if (status.code == STATUS_FAILED) {
			check_contains(status.text, "this processor");
			memcpy(v, before, sizeof(before));
			continue;
		}
		check_ok(status);
		assert_int_equal(v[knob], wanted);
		for (int i = 0; i < kernel->knob_count; i++)
			if (kernel->knobs[i].kind != KNOB_CHOICE)
				assert_true(v[i] >= kernel->knobs[i].min &&
					    v[i] <= kernel->knobs[i].max);
	}
	return true;
}

/* Counted one by one: a load crosses when its last byte lies in another line than its first. */
TEST(splits_are_those_of_the_layout)
{
	const struct kernel *loads = kernel_find("split-loads");
	int width = kernel_knob(loads, "width"), order = kernel_knob(loads, "order"),
	    offset = kernel_knob(loads, "offset");
	struct kernel_run run;
	int64_t v[KNOBS_MAX];

	initial(loads, v);
	for (v[width] = 0; v[width] < 6; v[width]++) {
		int64_t bytes = 2 << v[width];
		int crossing = 0;
		struct status status;

		v[order] = 0;
		v[offset] = 0;
		status = kernel_check(loads, v);
		if (!status_is_ok(&status)) /* wider than the registers of this processor */
			continue;
		for (; v[offset] < 64; v[offset]++) {
			bool crosses = (v[offset] + bytes - 1) / 64 > 0;

			crossing += crosses;
			run_at(loads, v, 0, &run);
			check_near(run.walk.splits, crosses, 0);
		}
		v[order] = 1;
		v[offset] = 0;
		run_at(loads, v, 0, &run);
		check_near(run.walk.splits, crossing / 64.0, 1e-12);
	}
}

/* Half a pass over few places may take longer than a whole one: trials are of whole passes there. A
 * long pass would take a trial too long. */
TEST(small_scattered_stores_are_timed_by_passes)
{
	struct kernel_run run = laid("scatter-stores");

	assert_true(run.ring > 0 && run.period == run.ring && run.passes);
	run = laid("scatter-stores size=1m");
	assert_int_equal(run.period, 0);
}

/* A call's products are of so many elements each: longer ones than the call's make no difference to
 * what it computes. */
TEST(products_begin_anew)
{
	static const struct {
		const char *setting;
		double restart;
		bool same;
	} rows[] = {
		{ "mul-chain", 0, true }, { "mul-chain restart=65", 65, true },
		{ "mul-chain restart=32", 32, false },
		{ "mul-chain restart=32 acc=3", 33, false }, /* whole iterations */
	};
	uint64_t one = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kernel_run run = laid(rows[i].setting);

		check_near(run.walk.restart, rows[i].restart, 0);
		run.kernel->call(&run, 63 / run.granule * run.granule + run.granule);
		one = i == 0 ? run.result : one;
		assert_int_equal(run.result == one, rows[i].same);
	}
}

TEST(missing_instructions_are_named)
{
	bool x86 = features_have(FEATURE_X86_64);
	struct status status = features_need(x86 ? FEATURE_NEON : FEATURE_AVX2, "form=some");

	assert_true(x86 != features_have(FEATURE_NEON));
	assert_int_equal(status.code, STATUS_FAILED);
	check_parts(status.text, "form=some", x86 ? "NEON" : "AVX2");
	check_ok(features_need(x86 ? FEATURE_X86_64 : FEATURE_NEON, "form=some"));
}

TEST(combine_refuses_what_cannot_be)
{
	laid_refuses("combine unroll=2 acc=3", "acc=3 unroll=3");
	laid_refuses("combine unroll=4 acc=3 shape=reassociated", "shape=reassociated");
	laid_refuses("combine unroll=4 size=64 stride=8", "256");
}

TEST(a_value_off_the_multiple_of_its_knob_is_refused_as_the_parser_refuses_it)
{
	int refused = 0;

	for (int k = 0; kernel_registry[k]; k++)
		for (int i = 0; i < kernel_registry[k]->knob_count; i++) {
			const struct knob *knob = &kernel_registry[k]->knobs[i];
			struct setting setting;
			struct status status, parsed;
			int64_t value;

			if (setting_unit(knob) == 1)
				continue;
			setting_init(&setting, kernel_registry[k]);
			setting.v[i]++;
			status = kernel_check(setting.kernel, setting.v);
			parsed = setting_parse_value(knob,
				words_of("%lld", (long long)setting.v[i]).text,
				MEMORY_LIMITS_UNKNOWN, &value);
			assert_int_equal(status.code, STATUS_USAGE);
			assert_string_equal(status.text, parsed.text);
			refused++;
		}
	assert_true(refused > 0);
}

static const struct kernel_run *walked_run;
static int walks_outside;

/* A list's loop that counts nothing, as after a change that measures costs. */
static uint64_t counts_nothing(const unsigned char *node)
{
	walks_outside +=
		node < walked_run->memory ||
		node >= walked_run->memory + kernel_footprint(walked_run->kernel, walked_run->v);
	return 0;
}

TEST(a_list_is_walked_from_its_nodes_whatever_its_loop_returns)
{
	struct kernel_run run;
	struct setting setting;

	assert_true(setting_read(&setting, "list-length size=4k spacing=256"));
	laid_at(setting.kernel, setting.v, &run);
	walked_run = &run;
	walks_outside = 0;
	run.code.start = (const void *)counts_nothing;
	setting.kernel->call(&run, 4 * run.ring);
	assert_int_equal(walks_outside, 0);
}

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
