/* Which knob is turned, by an explainer made up for it. */
#include "check.h"

#include <math.h>

#include "experiment/advice/advice.h"
#include "kernels/knob_rows.h"

enum { FORM, SIZE, TYPE, ACC, UNROLL, WIDTH, KNOBS };

static const char *const types[] = { "slow", "fast", NULL };

static const struct knob knobs[KNOBS] = {
	[FORM] = KNOB_ROW_CHOICE("form", "", types, .role = KNOB_FORM),
	[SIZE] = KNOB_ROW_BYTES(
		"size", "", 64, KNOB_MAX_MEMORY, 65536, .axis = AXIS_SIZE, .factor = 2),
	[TYPE] = KNOB_ROW_CHOICE("type", "", types),
	[ACC] = KNOB_ROW_COUNT("acc", "", 1, 8, 1, .role = KNOB_FORM),
	[UNROLL] = KNOB_ROW_COUNT("unroll", "", 1, 64, 1, .role = KNOB_FORM),
	[WIDTH] = KNOB_ROW_COUNT("width", "", 1, 2, 2, .role = KNOB_DATA),
};

static struct status check(const int64_t *v)
{
	return v[ACC] > v[UNROLL] ? status_usage("acc=%d is too many", (int)v[ACC]) : status_ok();
}

/* The fast form is one of the second type alone. */
static bool form_wants_type;

static void fit(int64_t *v, int changed)
{
	if (form_wants_type && changed == FORM && v[FORM])
		v[TYPE] = 1;
	if (v[ACC] > v[UNROLL])
		v[changed == ACC ? UNROLL : ACC] = v[changed == ACC ? ACC : UNROLL];
}

static uint64_t footprint(const int64_t *v)
{
	return (uint64_t)v[SIZE];
}

/* Mean number of further loads of a search; each accumulator is a chain of loads. */
static double further;

static void describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->chains = (double)v[ACC];
	walk->further = further;
	walk->mispredicts = 0.5;
}

static const struct kernel kernel = { .name = "made-up",
	.describe = describe,
	.knobs = knobs,
	.knob_count = KNOBS,
	.check = check,
	.fit = fit,
	.footprint = footprint };
static const struct kernel stepped = { .name = "stepped",
	.knobs = knobs,
	.knob_count = KNOBS,
	.check = check,
	.fit = fit,
	.footprint = footprint,
	.stepped = true };
/* No knob of it adds accumulators. */
static const struct knob one_knob[] = { KNOB_ROW_CHOICE("form", "", types, .role = KNOB_FORM) };
static const struct kernel one_chain = { .name = "one-chain", .knobs = one_knob, .knob_count = 1 };

/* Accesses whose place in a cache line is a knob; the safe form needs narrow elements. */
enum { PLACE, BYTES, SAFE };
static const struct knob places[] = {
	[PLACE] = KNOB_ROW_COUNT("place", "", 0, 63, 0, .role = KNOB_FORM),
	[BYTES] = KNOB_ROW_COUNT("bytes", "", 1, 2, 2, .role = KNOB_DATA),
	[SAFE] = KNOB_ROW_CHOICE("safe", "", types),
};

static void fit_bytes(int64_t *v, int changed)
{
	if (changed == SAFE && v[SAFE])
		v[BYTES] = 1;
}

static const struct kernel placed = {
	.name = "placed", .knobs = places, .knob_count = 3, .fit = fit_bytes
};
const struct kernel *const kernel_registry[] = { &kernel, &stepped, &one_chain, &placed, NULL };

/* What the explainer answers: CPE by the knobs. */
static double (*cpe_of)(const int64_t *v);
static int asked;
static bool unknown_when_fast, incomplete_when_fast, incomplete_when_slow;
static enum limit_kind answered = LIMIT_LATENCY;

static void answer(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	struct limits *limits = &explanation->limits;

	asked++;
	limits_clear(limits);
	limits->binding = limits->predicted_by = 0;
	limits_reserve(limits, 1);
	explanation->status = status_ok();
	limits->limit_count = 1;
	limits->limit[0] = (struct limit){
		.kind = answered, .known = true, .hard = true, .cpe = cpe_of(question->v)
	};
	limits->bound = limits->predicted = limits->limit[0].cpe;
	limits->unknown = unknown_when_fast && question->v[FORM];
	limits->incomplete = question->v[FORM] ? incomplete_when_fast : incomplete_when_slow;
}

static const struct explainer explainer = { .explain = answer };

static struct explanation *explanation, *scratch;
static struct explain_question question;
static struct setting setting;
static struct advice_question whole;
static struct advice advice;

static int set_up(void **state)
{
	explanation = explanation_new();
	scratch = explanation_new();
	answered = LIMIT_LATENCY;
	whole = (struct advice_question){ .setting = &setting,
		.explanation = explanation,
		.explainer = &explainer,
		.ask = &question,
		.memory_limits = { .memory = 1 << 30 },
		.scratch = scratch };
	return 0;
}

static int tear_down(void **state)
{
	explanation_free(explanation);
	explanation_free(scratch);
	return 0;
}

/* Explains the kernel at its initial setting. */
static void begin(double (*cpe)(const int64_t *v), const struct kernel *of)
{
	setting_init(&setting, of);
	question = (struct explain_question){ .seed = 1, .kernel = of, .v = setting.v };
	cpe_of = cpe;
	answer(NULL, &question, explanation);
	asked = 0;
}

static struct advice ask(double (*cpe)(const int64_t *v), const struct kernel *of)
{
	begin(cpe, of);
	assert_true(advice_find(&whole, &advice));
	return advice;
}

/* Accumulators help up to four. */
static double by_acc(const int64_t *v)
{
	return fmax(3.0 / (double)v[ACC], 0.75);
}

TEST(the_best_change_of_form_is_the_smallest_that_gains_as_much)
{
	ask(by_acc, &kernel);
	assert_int_equal(advice.kind, ADVICE_KNOB);
	assert_int_equal(advice.knob, ACC);
	assert_int_equal(advice.setting.v[ACC], 4);
	assert_int_equal(advice.setting.v[UNROLL], 4);
	check_near(advice.to, 0.75, 1e-9);
	check_near(advice.from, 3, 1e-9);
	assert_string_equal(
		advice.words, "acc=4 (and unroll=4) shortens the chain: 0.750 predicted");
	assert_string_equal(advice.set, "acc=4 unroll=4");
	assert_string_equal(advice.brief, "acc=4, …");
}

/* While one short search waits for its end, the core already executes the next one. */
TEST(more_searches_at_once_are_not_advised)
{
	further = 1;
	begin(by_acc, &kernel);
	assert_false(advice_find(&whole, &advice) && advice.kind == ADVICE_KNOB &&
		     advice.setting.v[ACC] > 1);
	further = 0;
	ask(by_acc, &kernel);
	assert_int_equal(advice.knob, ACC);
}

/* Another type would gain more than any form. */
static double by_type(const int64_t *v)
{
	return v[TYPE] ? 0.1 : v[FORM] ? 2.6 : 3;
}

TEST(another_form_comes_before_other_work)
{
	ask(by_type, &kernel);
	assert_int_equal(advice.knob, FORM);
	check_near(advice.to, 2.6, 1e-9);
}

/* Narrow elements have fewer bytes, so their cycles do not compare. */
static double by_width(const int64_t *v)
{
	return (double)v[WIDTH];
}

TEST(other_bytes_of_an_element_are_not_advised)
{
	ask(by_width, &kernel);
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
}

static void begin_placed(double (*cpe)(const int64_t *v), int64_t place)
{
	begin(cpe, &placed);
	setting.v[PLACE] = place;
	answer(NULL, &question, explanation);
	assert_true(advice_find(&whole, &advice));
}

/* Only places at which nothing crosses the end of a line are fast. */
static double by_place(const int64_t *v)
{
	return v[PLACE] % 32 ? 3 : 2;
}

TEST(a_number_may_become_0_which_halves_never_reach)
{
	begin_placed(by_place, 60);
	assert_int_equal(advice.kind, ADVICE_KNOB);
	assert_string_equal(advice.set, "place=0");
}

static double by_room(const int64_t *v)
{
	return v[PLACE] > 56 ? 3 : 2;
}

TEST(of_equally_good_numbers_0_is_advised)
{
	begin_placed(by_room, 60);
	assert_string_equal(advice.set, "place=0");
}

static double by_33(const int64_t *v)
{
	return v[PLACE] == 33 ? 1 : 3;
}

static double by_safe(const int64_t *v)
{
	return (double)v[BYTES];
}

TEST(a_change_that_brings_narrower_elements_is_not_advised)
{
	begin_placed(by_safe, 0);
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
}

TEST(a_chain_at_other_limits_is_not_to_be_broken_alone)
{
	begin(by_width, &kernel);
	limits_reserve(&explanation->limits, 2);
	explanation->limits.limit[1] = explanation->limits.limit[0];
	explanation->limits.limit[1].kind = LIMIT_PORTS;
	explanation->limits.limit_count = 2;
	assert_true(advice_find(&whole, &advice));
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
	check_contains(advice.words, "latency, ports");
	assert_true(advice.about == (UINT64_C(1) << LIMIT_LATENCY | UINT64_C(1) << LIMIT_PORTS));
}

/* More accumulators do not help a chain whose values are stored and loaded again. */
TEST(a_chain_through_memory_has_its_own_advice)
{
	begin(by_width, &kernel);
	explanation->limits.chain.through_memory = true;
	assert_true(advice_find(&whole, &advice));
	explanation->limits.chain.through_memory = false;
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
	check_contains(advice.words, "register");
}

/* What the test has measured: form 2 takes longer than its prediction. */
static double measured_form(const void *context, const struct setting *of)
{
	(void)context;
	return of->v[ACC] > 1 || of->v[TYPE] ? (double)NAN : of->v[FORM] == 1 ? 2.0 : 3.5;
}

static double by_two_forms(const int64_t *v)
{
	return v[FORM] == 1 ? 2.6 : 2;
}

TEST(a_measured_setting_is_judged_by_its_measurement)
{
	/* At form 0, predicted 2, which takes 3.5: nothing is predicted to gain. */
	ask(by_two_forms, &kernel);
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
	whole.measured = measured_form;
	ask(by_two_forms, &kernel);
	assert_int_equal(advice.kind, ADVICE_KNOB);
	assert_int_equal(advice.knob, FORM);
	assert_int_equal(advice.setting.v[FORM], 1);
	check_near(advice.to, 2, 1e-9);
	check_near(advice.from, 3.5, 1e-9);
	check_contains(advice.words, ": 2.000 measured");
}

static double measured_type(const void *context, const struct setting *of)
{
	(void)context;
	return of->v[TYPE] ? 0.5 : 3.5;
}

/* Other work may take less time for reasons that have nothing to do with the limits. */
TEST(a_measured_gain_of_other_work_is_no_advice)
{
	whole.measured = measured_type;
	ask(by_two_forms, &kernel);
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
}

static bool only_one_acc(const void *context, const struct setting *of)
{
	(void)context;
	return of->v[ACC] == 1;
}

TEST(a_knob_whose_values_are_not_ready_is_named)
{
	ask(by_acc, &kernel);
	assert_int_equal(advice.unready, -1);
	whole.ready = only_one_acc;
	ask(by_acc, &kernel);
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
	assert_int_equal(advice.unready, ACC);
}

static double by_little(const int64_t *v)
{
	return v[TYPE] ? 1 : v[FORM] ? 2.9 : 3;
}

TEST(a_form_that_gains_little_gives_way)
{
	ask(by_little, &kernel);
	assert_int_equal(advice.knob, TYPE);
	check_near(advice.to, 1, 1e-9);
}

static double by_size(const int64_t *v)
{
	return v[SIZE] <= 16384 ? 1 : 4;
}

TEST(a_smaller_working_set_is_tried_and_a_larger_never)
{
	ask(by_size, &kernel);
	assert_int_equal(advice.knob, SIZE);
	assert_int_equal(advice.setting.v[SIZE], 16384);
}

static double by_nothing(const int64_t *v)
{
	return v[FORM] ? 2.95 : 3;
}

TEST(where_no_knob_helps_a_sentence_does)
{
	ask(by_nothing, &kernel);
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
	assert_string_equal(advice.words, limit_remedy(LIMIT_LATENCY));
	assert_string_equal(advice.brief, "");
	assert_in_range(asked, 10, ADVICE_ASKS);
}

/* A prediction that is hardly above the binding limit does not hide what binds. */
TEST(a_soft_limit_just_above_the_binding_one_gets_no_advice)
{
	struct limits *limits = &explanation->limits;

	begin(by_nothing, &kernel);
	limits_reserve(limits, 2);
	limits->limit[1] = limits->limit[0];
	limits->limit[1].kind = LIMIT_SCHEDULING;
	limits->limit[1].hard = false;
	limits->limit_count = 2;
	limits->predicted_by = 1;
	limits->limit[1].cpe = limits->predicted = limits->bound * 1.05;
	assert_int_equal(advice_about(limits), LIMIT_LATENCY);
	limits->limit[1].cpe = limits->predicted = limits->bound * 3;
	assert_int_equal(advice_about(limits), LIMIT_SCHEDULING);
}

TEST(a_stepped_kernel_is_asked_less)
{
	ask(by_nothing, &stepped);
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
	assert_in_range(asked, 10, ADVICE_ASKS_SLOW);
}

TEST(advice_can_be_found_one_setting_at_a_time)
{
	int turns = 0, before;

	whole.explain_cache = explain_cache_new();
	whole.fresh = 1;
	begin(by_acc, &stepped);
	while (!advice_find(&whole, &advice)) {
		turns++;
		assert_int_equal(asked, turns);
		assert_int_equal(advice.kind, ADVICE_NONE);
	}
	assert_int_equal(advice.knob, ACC);
	assert_int_equal(advice.setting.v[ACC], 4);
	/* The predictions are kept. */
	before = asked;
	assert_true(advice_find(&whole, &advice));
	assert_int_equal(asked, before);
	explain_cache_clear(whole.explain_cache);
	assert_false(advice_find(&whole, &advice));
	explain_cache_free(whole.explain_cache);
}

TEST(a_chain_of_pointers_is_not_told_to_use_accumulators)
{
	begin(by_nothing, &kernel);
	explanation->loop.insn_count = 1;
	explanation->loop.insn[0] =
		(struct insn){ .memory_count = 1, .memory[0].load = true, .write_count = 1 };
	explanation->limits.insn[0].carried = true;
	assert_true(advice_find(&whole, &advice));
	check_contains(advice.words, "each load waits for the address");
	/* An operation that loads one operand adds to what it had. */
	explanation->loop.insn[0].read_count = 1;
	assert_true(advice_find(&whole, &advice));
	assert_string_equal(advice.words, limit_remedy(LIMIT_LATENCY));
}

TEST(a_chain_that_only_counts_is_to_be_unrolled)
{
	struct insn *step = &explanation->loop.insn[0];

	begin(by_nothing, &kernel);
	explanation->loop.insn_count = 1;
	*step = (struct insn){ .mnemonic = "add",
		.read_count = 1,
		.reads = { 3 },
		.write_count = 2,
		.writes = { REG_FLAGS, 3 } };
	explanation->limits.insn[0].carried = true;
	assert_true(advice_find(&whole, &advice));
	check_contains(advice.words, "Unroll: ");
	/* A sum of a register and memory (add rax, [rdx]) adds elements up. */
	step->memory_count = 1;
	step->memory[0].load = true;
	assert_true(advice_find(&whole, &advice));
	assert_string_equal(advice.words, limit_remedy(LIMIT_LATENCY));
	step->memory_count = 0;
	/* A sum of two registers, or of two steps, is a chain to be broken. */
	step->read_count = 2;
	assert_true(advice_find(&whole, &advice));
	assert_string_equal(advice.words, limit_remedy(LIMIT_LATENCY));
	step->read_count = 1;
	explanation->loop.insn_count = 2;
	explanation->loop.insn[1] = *step;
	explanation->limits.insn[1].carried = true;
	assert_true(advice_find(&whole, &advice));
	assert_string_equal(advice.words, limit_remedy(LIMIT_LATENCY));
}

/* While a line moves from core to core, no form of the code helps. */
TEST(a_shared_line_comes_first)
{
	begin(by_acc, &kernel);
	explanation->place.shared_line = true;
	assert_true(advice_find(&whole, &advice));
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
	assert_string_equal(advice.words, limit_remedy(LIMIT_MOVING));
	explanation->place.shared_line = false;
}

static bool shares_slow(const int64_t *v)
{
	return v[SAFE] == 0;
}

/* The knob that ends the sharing is named, though the cost of the sharing is not predicted. */
TEST(a_knob_that_gives_each_core_its_line_is_named)
{
	struct kernel sharing = placed;
	struct knob forms[3];

	memcpy(forms, places, sizeof(forms));
	forms[SAFE].role = forms[BYTES].role = KNOB_FORM;
	sharing.knobs = forms;
	sharing.shares_line = shares_slow;
	begin(by_place, &sharing);
	explanation->place.shared_line = true;
	assert_true(advice_find(&whole, &advice));
	explanation->place.shared_line = false;
	assert_int_equal(advice.kind, ADVICE_KNOB);
	assert_int_equal(advice.knob, SAFE);
	check_contains(advice.words, "moves no line: 2.000 predicted");
	assert_true(isnan(advice.from));
}

/* A recommended size is tried even if doubling and halving do not reach it. */
TEST(a_recommended_value_is_tried_too)
{
	whole.also_knob = PLACE;
	whole.also = 33;
	begin_placed(by_33, 60);
	assert_string_equal(advice.set, "place=33");
	whole.also = 0;
	begin_placed(by_33, 60);
	assert_int_equal(advice.kind, ADVICE_SENTENCE);
}

/* A read is not made faster by writing instead. */
TEST(another_form_that_is_other_work_is_not_advised)
{
	form_wants_type = true;
	ask(by_type, &kernel);
	form_wants_type = false;
	assert_int_equal(advice.knob, TYPE);
	assert_string_equal(advice.brief, "type=fast");
	assert_int_equal(ask(by_type, &kernel).knob, FORM);
}

/* Page walks stand above what binds; a smaller size gets below both, and much further below the
 * second. */
TEST(a_change_is_said_to_ease_what_it_gains_most_of)
{
	struct limits *limits = &explanation->limits;

	answered = LIMIT_MEMORY_LATENCY;
	begin(by_acc, &kernel);
	limits_reserve(limits, 2);
	limits->limit_count = 2;
	limits->limit[1] = (struct limit){ .kind = LIMIT_PAGE_WALKS, .known = true, .cpe = 3.5 };
	limits->predicted = 3.5;
	limits->predicted_by = 1;
	assert_true(advice_find(&whole, &advice));
	assert_string_equal(
		advice.words, "acc=4 (and unroll=4) overlaps its loads: 0.750 predicted");
	limits->predicted = limits->limit[1].cpe = 30;
	assert_true(advice_find(&whole, &advice));
	assert_string_equal(
		advice.words, "acc=4 (and unroll=4) walks fewer pages: 0.750 predicted");
}

/* The same chains with less data wait for a nearer level. */
TEST(less_data_is_said_to_wait_for_a_nearer_level)
{
	answered = LIMIT_MEMORY_LATENCY;
	ask(by_size, &kernel);
	check_contains(advice.words, "size=16k waits for a nearer level: ");
}

TEST(every_limit_has_words_for_what_eases_it)
{
	for (int kind = 0; kind < LIMIT_COUNT; kind++) {
		answered = (enum limit_kind)kind;
		assert_int_equal(ask(by_acc, &kernel).kind, ADVICE_KNOB);
		assert_null(strstr(advice.words, "null"));
		ask(by_nothing, &kernel);
		assert_string_equal(advice.words, limit_remedy(kind));
	}
}

TEST(accumulators_are_advised_only_where_a_knob_or_the_users_code_can_have_them)
{
	struct kernel own = one_chain;

	own.isolated = true;
	check_contains(advice_sentence(&one_chain, explanation, LIMIT_LATENCY).text, "No knob");
	assert_string_equal(advice_sentence(&kernel, explanation, LIMIT_LATENCY).text,
		limit_remedy(LIMIT_LATENCY));
	assert_string_equal(advice_sentence(&own, explanation, LIMIT_LATENCY).text,
		limit_remedy(LIMIT_LATENCY));
	assert_string_equal(advice_sentence(NULL, explanation, LIMIT_LATENCY).text,
		limit_remedy(LIMIT_LATENCY));
	assert_string_equal(advice_sentence(&one_chain, explanation, LIMIT_PORTS).text,
		limit_remedy(LIMIT_PORTS));
}

TEST(what_is_not_known_is_not_advised)
{
	unknown_when_fast = true;
	assert_int_equal(ask(by_type, &kernel).knob, TYPE);
	unknown_when_fast = false;
}

/* Until memory is measured, a prediction may be far too low. */
TEST(what_is_not_predicted_completely_is_not_advised)
{
	assert_false(ask(by_type, &kernel).partial);
	incomplete_when_fast = true;
	assert_int_equal(ask(by_type, &kernel).knob, TYPE);
	incomplete_when_slow = true;
	assert_int_equal(ask(by_type, &kernel).kind, ADVICE_SENTENCE);
	assert_true(ask(by_type, &kernel).partial);
	incomplete_when_fast = incomplete_when_slow = false;
}

RUN_TESTS(.each_set_up = set_up, .each_tear_down = tear_down)
