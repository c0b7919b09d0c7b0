/* Probed pressure of a simulated core: which resources look busy, and which line of the core model
 * is wrong. */
#include "fake_measurer.h"

#include "experiment/slack/fillers.h"
#include "experiment/slack/slack.h"
#include "model/limits/ports.h"

#if defined(__x86_64__)

/* A simulated core that behaves as `truth` says. */
struct simulated {
	const struct slack_report *truth;
	double base; /* cycles of an iteration without fillers */
	bool whole;  /* a taken branch ends the last cycle of rename in an iteration */
	/* cycles of an iteration of the loop itself, not of its copy; 0: as its copy */
	double itself;
	double now;
	int requests;
	int bases; /* measurements of the loop without fillers */
};

static const struct slack_filler *filler_of(const struct slack_report *truth, unsigned number)
{
	for (int i = 0; i < truth->count; i++)
		for (int k = 0; k < truth->resource[i].option_count; k++)
			if (truth->resource[i].option[k].number == filler_only(number))
				return &truth->resource[i].option[k];
	fail_msg("no filler %u", number);
	return NULL;
}

/* The time of one iteration: the largest pressure of any set of ports. */
static double cycles_of(const struct simulated *simulated, unsigned filler, double count)
{
	const struct slack_report *truth = simulated->truth;
	struct slack_filler mixture;
	const struct slack_filler *option;
	double cycles = simulated->base;
	unsigned number[2];

	option = filler_numbers(filler, number) > 1 || count > 0 ? filler_of(truth, number[0])
								 : NULL;
	if (filler_numbers(filler, number) > 1) {
		mixture = fillers_mixture(option, filler_of(truth, number[1]), filler >> 16);
		option = &mixture;
	}
	/* The ports of each resource, of the fillers, and of two fillers together. */
	for (int i = 0; i < truth->count + 2 * UARCH_TERMS + 1 && option; i++) {
		uint32_t ports = i < truth->count ? truth->resource[i].ports
				 : i < truth->count + 2 * UARCH_TERMS
					 ? fillers_term(truth, option, i - truth->count)
					 : fillers_term(truth, option, 0) |
						   fillers_term(truth, option, UARCH_TERMS);

		if (ports)
			cycles = fmax(cycles, fillers_model(truth, ports) +
						      count * fillers_each(truth, option, ports));
	}
	for (int i = 0; i < truth->count; i++) {
		const struct slack_resource *resource = &truth->resource[i];
		double each = 0;

		for (int k = 0; k < resource->option_count && option; k++)
			if (resource->option[k].number == option->number)
				each = option->each;
		if (!resource->ports)
			cycles = fmax(cycles, resource->model + count * each);
	}
	count = (truth->slots + count) / truth->width;
	return fmax(cycles, simulated->whole ? ceil(count - 1e-9) : count);
}

/* Another program slows the loop without fillers in all measurements but every fourth, and no trial
 * shows it. */
static bool often_slower;

/* Another process disturbs each measurement, or each measurement of two fillers together. */
static bool all_disturbed, pairs_disturbed;

static struct result answer(void *context, const struct request *request)
{
	struct simulated *simulated = context;
	unsigned number[2];
	const struct code_change copy =
		fillers_change(simulated->truth->resource[0].option[0].number, 0);
	const struct code_change *change = request->change.write ? &request->change : &copy;
	bool disturbed = all_disturbed ||
			 (pairs_disturbed && filler_numbers((unsigned)change->what, number) > 1);
	struct result result = { .final = true, .facts.cycles_from = SOURCE_REFERENCE };
	double cycles = cycles_of(simulated, change->what, change->count);

	if (!request->change.write && simulated->itself > 0)
		cycles = simulated->itself;
	if (often_slower && change->count == 0 && simulated->now > 0.05 &&
		simulated->bases++ % 4 != 3)
		cycles *= 1.4;
	for (int i = 0; i < 40; i++)
		result.trials.trial[result.trials.count++] =
			(struct trial){ .cpe = (1 + disturbed) * cycles * (1 + (i % 5 - 2) * 1e-3) /
					       simulated->truth->elements,
				.ghz = 4,
				.watch = 1,
				.turns = 1,
				.fate = disturbed ? TRIAL_CONTENDED : TRIAL_QUIET };
	simulated->now += 0.003;
	simulated->requests++;
	return result;
}

/* The model of a core in which the port sets of some classes are others, and the explanation of a
 * setting by it. */
static struct slack *slack_within(double seconds, const char *words, const char *core,
	const char *changes, struct uarch **uarch)
{
	struct explanation *explanation = explanation_new();
	struct setting setting;
	struct slack *slack;
	char text[600];

	snprintf(text, sizeof(text), "uarch made Made\nisa x86_64\nfrom %s\n%s\n", core, changes);
	check_ok(uarch_parse(text, "made.uarch", uarch));
	assert_true(setting_read(&setting, words));
	explain(
		&(struct explain_question){
			.kernel = setting.kernel, .v = setting.v, .seed = 1, .uarch = *uarch },
		explanation);
	check_ok(explanation->status);
	slack = slack_new(&setting, explanation, 1, seconds);
	explanation_free(explanation);
	return slack;
}

static struct slack *slack_of(
	const char *words, const char *core, const char *changes, struct uarch **uarch)
{
	return slack_within(0, words, core, changes, uarch);
}

static void measure_on(struct slack *slack, struct simulated *simulated)
{
	struct fake_measurer fake = {
		.answer = answer, .context = simulated, .now = &simulated->now
	};
	const struct measurer measurer = fake_measurer(&fake, 1);

	slack_measure(slack, &measurer);
}

/* Measures a setting on a core that behaves as `core` plus `truth`, with the core model `core` plus
 * `model`. */
static struct slack *measured_core(
	const char *core, const char *words, const char *truth, const char *model, bool whole)
{
	struct uarch *uarchs[2];
	struct slack *real = slack_of(words, core, truth, &uarchs[0]),
		     *slack = slack_of(words, core, model, &uarchs[1]);
	struct simulated simulated = { .truth = slack_report(real), .base = 5, .whole = whole };

	measure_on(slack, &simulated);
	slack_free(real);
	uarch_free(uarchs[0]);
	uarch_free(uarchs[1]);
	return slack;
}

static struct slack *measured_on(
	const char *words, const char *truth, const char *model, bool whole)
{
	return measured_core("zen4", words, truth, model, whole);
}

static struct slack *measured(const char *words, const char *truth, const char *model)
{
	return measured_on(words, truth, model, false);
}

static const struct slack_resource *resource_of(const struct slack *slack, const char *name)
{
	const struct slack_report *report = slack_report(slack);

	for (int i = 0; i < report->count; i++)
		if (strcmp(report->resource[i].name, name) == 0)
			return &report->resource[i];
	fail_msg("no resource %s", name);
	return NULL;
}

TEST(a_core_that_is_as_its_model_is_measured_exactly)
{
	static const char *const settings[] = { "mul-by", "sum-halves unroll=4",
		"combine op=mul type=f64 unroll=8 acc=4", "k-loads", "mountain", "stores" };

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		struct slack *slack = measured(settings[i], "", "");
		const struct slack_report *report = slack_report(slack);

		int exact = 0;

		assert_true(report->complete && report->count >= 12);
		assert_string_equal(report->contradiction, "");
		for (int k = 0; k < report->count; k++) {
			const struct slack_resource *resource = &report->resource[k];

			if (resource->kind != SLACK_EXACT && resource->kind != SLACK_AT_LEAST)
				fail_msg("%s: %s is %s", settings[i], resource->name,
					slack_kinds[resource->kind]);
			exact += resource->kind == SLACK_EXACT;
			check_near(resource->pressure, resource->model, 0.05);
			assert_false(slack_differs(resource, resource->model));
		}
		assert_true(exact >= report->count - 4);
		slack_free(slack);
	}
}

/* A request of the simulated core takes 3 ms. */
TEST(no_resource_begins_after_the_time_limit)
{
	struct uarch *uarch;
	struct slack *slack = slack_within(0.05, "mul-by", "zen4", "", &uarch);
	struct simulated simulated = { .truth = slack_report(slack), .base = 5 };

	measure_on(slack, &simulated);
	assert_false(slack_report(slack)->complete);
	assert_true(slack_report(slack)->resource[0].kind != SLACK_WAITS);
	assert_true(slack_report(slack)->seconds < 0.05 + 20 * 0.003);
	slack_free(slack);
	uarch_free(uarch);
}

/* The loop's own cycles are measured in each pass, the fewest count, and a loop that is often
 * slower is contended. */
TEST(a_loop_that_is_often_slower_is_contended)
{
	struct uarch *uarch;
	struct slack *slack = slack_of("mul-by", "zen4", "", &uarch);
	struct simulated simulated = { .truth = slack_report(slack), .base = 5 };

	often_slower = true;
	measure_on(slack, &simulated);
	often_slower = false;
	check_near(slack_report(slack)->cycles, 5, 0.01);
	assert_true(slack_report(slack)->contended);
	slack_free(slack);
	uarch_free(uarch);
}

/* A complete measurement that other processes disturbed is repeated where it is doubtful. */
TEST(a_second_measurement_mends_what_was_disturbed)
{
	struct uarch *uarch;
	struct slack *slack = slack_of("mul-by", "zen4", "", &uarch);
	struct simulated simulated = { .truth = slack_report(slack), .base = 5 };
	int requests;

	all_disturbed = true;
	measure_on(slack, &simulated);
	all_disturbed = false;
	assert_true(slack_report(slack)->complete && slack_report(slack)->contended);
	measure_on(slack, &simulated);
	assert_false(slack_report(slack)->contended);
	check_near(slack_report(slack)->cycles, 5, 0.01);
	check_near(resource_of(slack, "alu1")->pressure, 4, 0.05);
	/* Then nothing is doubtful, and nothing is measured again. */
	requests = simulated.requests;
	measure_on(slack, &simulated);
	assert_int_equal(simulated.requests, requests);
	slack_free(slack);
	uarch_free(uarch);
}

/* A core that renames six micro-ops a cycle needs three cycles for 13 micro-ops, as for 18. */
TEST(the_rename_width_is_exact_where_a_jump_ends_a_cycle)
{
	struct slack *slack = measured_on("mul-by", "", "", true);
	const struct slack_report *report = slack_report(slack);

	assert_int_equal(resource_of(slack, "width")->kind, SLACK_EXACT);
	check_near(resource_of(slack, "width")->pressure, report->slots / report->width, 0.06);
	slack_free(slack);
}

/* Zen 4 multiplies on one port, so four multiplications keep it busy for four cycles of five. */
TEST(a_resource_has_the_name_of_its_limit)
{
	assert_string_equal(slack_shown("v-loads"), limit_rows[LIMIT_VECTOR_LOADS].name);
	assert_string_equal(slack_shown("loads"), limit_rows[LIMIT_LOADS].name);
}

TEST(slack_is_what_the_loop_leaves_free)
{
	struct slack *slack = measured("mul-by", "", "");

	check_near(resource_of(slack, "alu1")->pressure, 4, 0.05);
	check_near(resource_of(slack, "alu1")->slack, 1, 0.1);
	check_near(slack_report(slack)->cycles, 5, 0.01);
	slack_free(slack);
}

/* One line of the model is wrong: it is named, with ports that fit. */
TEST(a_wrong_line_of_the_core_model_is_named)
{
	static const struct {
		const char *setting, *line, *says;
	} planted[] = {
		{ "mul-by", "class imul latency 3 ports alu2 [M]", "class imul" },
		{ "mul-by", "class imul latency 3 ports alu1,alu2 [M]", "class imul" },
		{ "mul-by", "class imul latency 3 ports alu0 [M]", "class imul" },
		{ "combine op=mul type=f64 unroll=8 acc=4",
			"class fmul latency 3 ports fp2,fp3 [M]", "class fmul" },
		{ "combine op=mul type=f64 unroll=8 acc=4", "class fmul latency 3 ports fp [M]",
			"class fmul" },
		{ "combine op=add type=f64 unroll=8 acc=4",
			"class fadd latency 3 ports fp0,fp1 [M]", "class fadd" },
		{ "combine op=add type=f32 unroll=8 acc=8", "class fadd latency 3 ports fp2 [M]",
			"class fadd" },
		{ "sum-halves unroll=4", "class shift latency 1 ports alu [M]", "class shift" },
		{ "sum-halves unroll=4", "class shift latency 1 ports alu0,alu3 [M]",
			"class shift" },
		{ "sum-halves unroll=4", "class shift latency 1 ports alu1 [M]", "class shift" },
		/* Another class could be wrong instead: a mixture of two fillers decides. */
		{ "combine op=add type=f64 unroll=8 acc=8", "class fmul latency 3 ports fadd [M]",
			"class fmul" },
	};

	for (size_t i = 0; i < sizeof(planted) / sizeof(*planted); i++) {
		struct slack *slack = measured(planted[i].setting, "", planted[i].line);
		const char *says = slack_report(slack)->contradiction;

		if (!strstr(says, planted[i].says) || !strstr(says, "made.uarch:4"))
			fail_msg("%s, %s: \"%s\"", planted[i].setting, planted[i].line, says);
		slack_free(slack);
	}
}

/* On Zen 5, only multiplications have their three ports. So the loop and added multiplications
 * agree about any three ports. Added shifts, which share two ports with multiplications, show the
 * difference. */
TEST(the_line_of_a_class_is_tested_with_another_class)
{
	struct slack *right = measured_core("zen5", "mul-by", "", "", false),
		     *wrong = measured_core("zen5", "mul-by", "",
			     "class imul latency 3 ports alu3,alu4,alu5 [M]", false);
	const struct slack_report *report = slack_report(right);
	int tests = 0;

	for (int i = 0; i < report->pair_count; i++) {
		const struct slack_pair *pair = &report->pair[i];

		check_near(pair->took, pair->each, 0.001);
		if (strcmp(pair->filler[0].class, "imul") != 0 ||
			strcmp(pair->filler[1].class, "imul") == 0)
			continue;
		check_near(pair->each, 0.25, 0.001);
		tests++;
	}
	assert_int_equal(tests, 1);
	assert_string_equal(report->contradiction, "");
	check_contains(slack_report(wrong)->contradiction, "made.uarch:4: class imul");
	slack_free(right);
	slack_free(wrong);
}

TEST(a_disturbed_pair_makes_no_line_look_wrong)
{
	struct slack *slack;

	pairs_disturbed = true;
	slack = measured_core("zen5", "mul-by", "", "", false);
	pairs_disturbed = false;
	assert_true(slack_report(slack)->pair_count > 0);
	for (int i = 0; i < slack_report(slack)->pair_count; i++)
		assert_true(isnan(slack_report(slack)->pair[i].took));
	assert_string_equal(slack_report(slack)->contradiction, "");
	slack_free(slack);
}

/* Too many ports for a class: other classes measure the same ports as before, so only the time of
 * the class's own added instructions shows it. */
TEST(too_many_ports_of_a_class_are_found_by_its_own_filler)
{
	struct slack *slack =
		measured_core("zen5", "mul-by", "", "class imul latency 3 ports alu [M]", false);

	check_contains(slack_report(slack)->contradiction, "made.uarch:4: class imul");
	slack_free(slack);
}

/* Other ports for jumps or for multiplications explain the pressure, as measured on Zen 5. How long
 * multiplications take alone decides. */
TEST(the_time_of_a_classs_own_filler_decides_between_lines)
{
	enum { ALL = 0x3f, MIDDLE = 0x0e };
	static struct slack_report report = { .width = 8,
		.port_count = 6,
		.class_count = 4,
		.class = { { .name = "taken",
				   .where = "made:1",
				   .count = 1,
				   .terms = 1,
				   .term = { { .ports = MIDDLE, .count = 1, .cycles = 1 } } },
			{ .name = "imul",
				.where = "made:2",
				.count = 4,
				.terms = 1,
				.term = { { .ports = ALL, .count = 1, .cycles = 1 } } },
			{ .name = "shift",
				.where = "made:3",
				.terms = 1,
				.term = { { .ports = MIDDLE, .count = 1, .cycles = 1 } } },
			{ .name = "lea",
				.where = "made:4",
				.count = 2,
				.terms = 1,
				.term = { { .ports = ALL, .count = 1, .cycles = 1 } } } },
		.count = 2,
		.resource = { { .ports = ALL,
				      .kind = SLACK_AT_LEAST,
				      .pressure = 1.8,
				      .pressure_lo = 0.6,
				      .pressure_hi = 1.9,
				      .each = 1 / 6.0,
				      .took = 1 / 6.0,
				      .option_count = 2,
				      .option = { { .class = "lea",
							  .number = 1,
							  .mixes = true,
							  .each = 1 / 6.0 },
					      { .class = "imul",
						      .number = 2,
						      .mixes = true,
						      .each = 1 / 6.0 } } },
			{ .ports = MIDDLE,
				.kind = SLACK_EXACT,
				.pressure = 1.2,
				.pressure_lo = 1.1,
				.pressure_hi = 1.3,
				.each = 1 / 3.0,
				.took = 1 / 3.0,
				.option_count = 1,
				.option = { { .class = "shift",
					.number = 3,
					.mixes = true,
					.each = 1 / 3.0 } } } } };
	struct slack_pair *pair = &report.pair[0];

	slack_judge(&report);
	assert_null(strstr(report.contradiction, "class imul has"));
	assert_true(slack_find_pair(&report, pair));
	assert_string_equal(pair->filler[0].class, "imul");
	assert_string_equal(pair->filler[1].class, "imul");
	pair->took = 1 / 3.0;
	report.pair_count = 1;
	slack_judge(&report);
	check_contains(report.contradiction, "made:2: class imul has");
}

/* The time of some loops depends on the place of their code. */
TEST(a_loop_whose_copy_is_not_as_fast_is_refused)
{
	struct uarch *uarch;
	struct slack *slack = slack_of("mul-by", "zen4", "", &uarch);
	struct simulated simulated = { .truth = slack_report(slack), .base = 5, .itself = 5.3 };

	measure_on(slack, &simulated);
	check_ok(slack_report(slack)->status);
	slack_free(slack);
	uarch_free(uarch);

	slack = slack_of("mul-by", "zen4", "", &uarch);
	simulated = (struct simulated){ .truth = slack_report(slack), .base = 5, .itself = 8 };
	measure_on(slack, &simulated);
	assert_int_equal(slack_report(slack)->status.code, STATUS_FAILED);
	check_contains(slack_report(slack)->status.text, "a copy of its code");
	assert_false(slack_report(slack)->complete);
	slack_free(slack);
	uarch_free(uarch);
}

TEST(what_cannot_be_measured_says_why)
{
	struct setting setting;
	struct slack *slack;

	assert_true(setting_read(&setting, "mul-by"));
	slack = slack_new(&setting, NULL, 1, 0);
	assert_int_equal(slack_report(slack)->status.code, STATUS_FAILED);
	check_contains(slack_report(slack)->status.text, "core model");
	slack_free(slack);
}

#endif

RUN_TESTS()
