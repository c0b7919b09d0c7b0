/* Every kernel computes what it says at every setting that its knobs allow. */
#include "laid.h"

#include "base/random.h"
#include "base/units.h"
#include "experiment/listing.h"

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
		laid_over(kernel, v, prepared, &run);
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
	laid_over(kernel, v, 0, &run);
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
	laid_over(kernel, v, 0, &run);
	v[size] = 64 << 10;
	laid_over(kernel, v, MEMORY, &run);
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
	laid_over(kernel, v, 0, &run);
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
	laid_over(kernel, v, run.layout.laid_out, &run);
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
		laid_over(kernel, v, 0, &run);
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

/* The same stores at other places are the same work; branches that go another way are not, so
 * advice about taken branches does not begin with taking fewer. */
TEST(places_are_form_and_ways_of_branches_are_work)
{
	const struct kernel *stores = kernel_find("stores"), *branches = kernel_find("branches");

	assert_int_equal(stores->knobs[kernel_knob(stores, "offset")].role, KNOB_FORM);
	assert_int_equal(branches->knobs[kernel_knob(branches, "way")].role, KNOB_WORK);
}

/* A hint names a way to a knob that the keys go, and a knob that the kernel has. */
TEST(hints_lead_to_knobs)
{
	for (int i = 0; kernel_registry[i]; i++) {
		const struct kernel *kernel = kernel_registry[i];
		const char *way = kernel->hint ? strstr(kernel->hint, "Down to ") : NULL;
		char name[32];

		if (!kernel->hint)
			continue;
		assert_null(strstr(kernel->hint, "Right"));
		if (!way || sscanf(way, "Down to %31[^ ,]", name) != 1)
			continue;
		if (kernel_knob(kernel, name) < 0)
			fail_msg("%s: the hint names no knob: %s", kernel->name, name);
	}
}

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
