/* Every kernel's machine code, as this compiler made it, explained on every core of this
 * instruction set: nothing is timed. */
#include "check.h"

#include "base/random.h"
#include "model/limits/explain.h"

static struct machine machine;
static struct explanation *explanation;
static int explained;

static int set_up(void **state)
{
	machine_identify(&machine);
	explanation = explanation_new();
	return 0;
}

static int tear_down(void **state)
{
	explanation_free(explanation);
	return 0;
}

static void initial(const struct kernel *kernel, int64_t *v)
{
	memset(v, 0, KNOBS_MAX * sizeof(*v));
	for (int i = 0; i < kernel->knob_count; i++)
		v[i] = kernel->knobs[i].initial;
}

static bool allowed(const struct kernel *kernel, const int64_t *v)
{
	struct status status = kernel_check(kernel, v);

	return status_is_ok(&status);
}

/* False where this machine does not let a child be stepped (an emulator, a container), or the code
 * is not the kernel's own: nothing can be said then. */
static bool explain_on(const struct uarch *uarch, const struct kernel *kernel, const int64_t *v)
{
	/* The reasons of kernels whose code has no limits of its own: a library's function, or a
	 * loop that waits for other cores. */
	static const char *const unread[] = { "the C library does the work",
		"only waits for the lock", "until no other core has changed the line" };
	const struct explain_question question = {
		.kernel = kernel, .v = v, .seed = 1, .uarch = uarch, .machine = &machine
	};

	explain(&question, explanation);
	if (kernel->stepped && explanation->status.code == STATUS_FAILED &&
		strstr(explanation->status.text, "stepping is not "))
		return false;
#ifdef __SANITIZE_ADDRESS__
	/* What calls the loop is watched there, and takes so many steps more that the longest turns
	 * are too long. */
	if (kernel->stepped && explanation->status.code == STATUS_FAILED &&
		strstr(explanation->status.text, "takes more than 4096 steps"))
		return false;
#endif
	for (size_t i = 0; i < sizeof(unread) / sizeof(*unread); i++)
		if (explanation->status.code == STATUS_FAILED &&
			strstr(explanation->status.text, unread[i]))
			return false;
	if (kernel->code_bytes && explanation->status.code == STATUS_FAILED &&
		strstr(explanation->status.text, "more than 32768 instructions"))
		return false;
	if (!status_is_ok(&explanation->status))
		fail_msg("%s on %s: %s", kernel->name, uarch->name, explanation->status.text);
	explained++;
	return true;
}

/* No source is known for the cost of locked instructions on these cores. */
static bool lacks_locked(const struct uarch *uarch, const struct kernel *kernel)
{
	return strcmp(kernel->name, "atomic") == 0 &&
	       (strcmp(uarch->name, "ivy-bridge") == 0 || strcmp(uarch->name, "sandy-bridge") == 0);
}

static void check_explanation(const struct uarch *uarch, const struct kernel *kernel)
{
	const struct limits *limits = &explanation->limits;

	assert_ptr_equal(explanation->kernel, kernel);
	assert_true(explanation->loop.insn_count > 0 && explanation->loop.path_count > 0);
	if (limits->unknown && !lacks_locked(uarch, kernel))
		fail_msg("%s on %s: unknown: %s", kernel->name, uarch->name, limits->unknown_names);
	if (limits->binding < 0)
		fail_msg("%s on %s: nothing binds", kernel->name, uarch->name);
	assert_true(limits->limit[limits->binding].hard && limits->limit[limits->binding].known);
	assert_true(limits->bound > 0 && isfinite(limits->bound));
	assert_true(limits->predicted >= limits->bound && isfinite(limits->predicted));
	assert_true(limits->elements > 0 && limits->turns > 0);
	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].known && limits->limit[i].hard)
			assert_true(limits->limit[i].cpe <= limits->bound + 1e-9);
}

/* Checks the limits of a kernel on a core. Single-stepping takes long: once a kernel is
 * stepped, only the limits of its loop are computed for the other cores. */
static void check_on(const struct uarch *uarch, const struct kernel *kernel, const int64_t *v)
{
	bool again = explanation->kernel == kernel && status_is_ok(&explanation->status);

	if (again && kernel->stepped)
		limits_compute(&explanation->loop, uarch, &(struct limits_place){ 0 },
			&explanation->limits);
	else if (!explain_on(uarch, kernel, v))
		return;
	check_explanation(uarch, kernel);
}

TEST(every_kernel_has_limits_on_every_core)
{
	struct uarch *uarch[64];
	int count = 0;

	for (const char *const *name = uarch_names(machine.arch); *name; name++) {
		assert_true(count < 64);
		check_ok(uarch_load(*name, machine.arch, &uarch[count++]));
	}
	for (int k = 0; kernel_registry[k]; k++) {
		const struct kernel *kernel = kernel_registry[k];
		int64_t v[KNOBS_MAX];

		initial(kernel, v);
		if (!allowed(kernel, v)) {
			print_message("%s at its defaults needs what this processor lacks\n",
				kernel->name);
			continue;
		}
		for (int i = 0; i < count; i++)
			check_on(uarch[i], kernel, v);
	}
	while (count > 0)
		uarch_free(uarch[--count]);
	assert_true(explained > 0);
}

static int64_t random_value(const struct knob *knob, struct random *random)
{
	int64_t count = 0, multiple = knob->multiple > 1 ? knob->multiple : 1;
	int64_t max = knob->max < 1 << 16 ? knob->max : 1 << 16;

	if (knob->kind != KNOB_CHOICE)
		return max < knob->min ? knob->min
				       : (knob->min + (int64_t)random_below(random,
							      (uint64_t)(max - knob->min) + 1)) /
						 multiple * multiple;
	while (knob->choices[count])
		count++;
	return (int64_t)random_below(random, (uint64_t)count);
}

/* Whatever form a knob chooses: its loop is found, and all of it is known to the core that knows
 * most. */
TEST(every_form_of_a_kernel_can_be_read)
{
	static const char *const best[] = { "zen5", "redwood-cove", "neoverse-v2" };
	struct random random = { 11 };
	struct uarch *uarch = NULL;

	for (size_t i = 0; i < sizeof(best) / sizeof(best[0]) && !uarch; i++)
		uarch_load(best[i], machine.arch, &uarch);
	assert_non_null(uarch);
	for (int k = 0; kernel_registry[k]; k++) {
		const struct kernel *kernel = kernel_registry[k];

		for (int round = 0;
			round < (kernel->stepped ? CHECK_REPEATS(2, 1) : CHECK_REPEATS(60, 10));
			round++) {
			int64_t v[KNOBS_MAX];

			initial(kernel, v);
			for (int i = 0; i < kernel->knob_count; i++)
				v[i] = random_value(&kernel->knobs[i], &random);
			if (!allowed(kernel, v) || !explain_on(uarch, kernel, v))
				continue;
			check_explanation(uarch, kernel);
		}
	}
	uarch_free(uarch);
}

/* A loop that calls the C library is no loop of the kernel's. */
TEST(what_the_library_does_is_not_explained)
{
	const struct kernel *kernel = kernel_find("bandwidth");
	struct uarch *uarch;
	int64_t v[KNOBS_MAX];
	int op = kernel_knob(kernel, "op");

	check_ok(uarch_load(uarch_names(machine.arch)[0], machine.arch, &uarch));
	initial(kernel, v);
	assert_true(explain_on(uarch, kernel, v));
	assert_non_null(explain_binding(explanation));
	for (v[op] = 0; kernel->knobs[op].choices[v[op]]; v[op]++) {
		const char *name = kernel->knobs[op].choices[v[op]];
		bool library = name[0] == 'b'; /* bzero, bcopy */

		assert_int_equal(explain_on(uarch, kernel, v), !library);
		assert_true(explain_binding(explanation) == NULL ? library : !library);
	}
	uarch_free(uarch);
}

/* The size of the data is in the limits, not in the code. */
TEST(a_working_set_that_spills_has_other_limits)
{
	const struct kernel *kernel = kernel_find("list-length");
	int size = kernel_knob(kernel, "size"), order = kernel_knob(kernel, "order");
	struct uarch *uarch;
	int64_t v[KNOBS_MAX];
	double small;

	check_ok(uarch_load(uarch_names(machine.arch)[0], machine.arch, &uarch));
	initial(kernel, v);
	if (order >= 0)
		v[order] = 1;
	assert_true(explain_on(uarch, kernel, v));
	small = explanation->limits.bound;
	v[size] = 512 << 10;
	assert_true(explain_on(uarch, kernel, v));
	assert_true(explanation->limits.bound >= small);
	assert_int_equal(explanation->v[size], 512 << 10);
	uarch_free(uarch);
}

#if defined(__x86_64__)
/* A core may pass a sum to the next addition before other instructions get it. */
TEST(an_operation_whose_result_comes_sooner_to_the_chain_is_named)
{
	static const struct {
		const char *uarch;
		int64_t op;
		bool sooner;
	} rows[] = { { "zen5", 0, true }, { "zen5", 1, false }, { "zen4", 0, false } };
	const struct kernel *kernel = kernel_find("combine");
	int64_t v[KNOBS_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch *uarch;
		struct words words;

		check_ok(uarch_load(rows[i].uarch, "x86_64", &uarch));
		initial(kernel, v);
		v[kernel_knob(kernel, "op")] = rows[i].op;
		assert_true(explain_on(uarch, kernel, v));
		words = limit_sooner(&explanation->limits, &explanation->loop);
		assert_int_equal(*words.text != '\0', rows[i].sooner);
		if (rows[i].sooner)
			check_parts(words.text, "addsd", " 3 ", " 2 ");
		uarch_free(uarch);
	}
}
#endif

TEST(the_same_question_has_the_same_answer)
{
	const struct kernel *kernel = kernel_registry[0];
	struct uarch *uarch;
	int64_t v[KNOBS_MAX];
	double bound, predicted;
	int count;

	check_ok(uarch_load(uarch_names(machine.arch)[0], machine.arch, &uarch));
	initial(kernel, v);
	explain_on(uarch, kernel, v);
	bound = explanation->limits.bound;
	predicted = explanation->limits.predicted;
	count = explanation->limits.limit_count;
	for (int k = 0; kernel_registry[k]; k++) {
		int64_t other[KNOBS_MAX];

		initial(kernel_registry[k], other);
		if (!kernel_registry[k]->stepped && allowed(kernel_registry[k], other))
			explain_on(uarch, kernel_registry[k], other);
	}
	explain_on(uarch, kernel, v);
	check_near(explanation->limits.bound, bound, 0);
	check_near(explanation->limits.predicted, predicted, 0);
	assert_int_equal(explanation->limits.limit_count, count);
	uarch_free(uarch);
}

/* Searches that all end at the first step differ in nothing, and what makes their keys makes four
 * at a time: so many have a whole number of instructions. */
TEST(searches_have_the_code_of_whole_fours)
{
	const struct kernel *kernel = kernel_find("hash-lookup");
	struct uarch *uarch;
	int64_t v[KNOBS_MAX];
	double four;

	check_ok(uarch_load(uarch_names(machine.arch)[0], machine.arch, &uarch));
	initial(kernel, v);
	v[kernel_knob(kernel, "load")] = 5;
	if (explain_on(uarch, kernel, v)) {
		four = 4 * explanation->loop.insns_per_element;
		assert_true(four > 40);
		check_near(four, round(four), 1e-6);
	}
	uarch_free(uarch);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
