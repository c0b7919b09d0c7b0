/* Probed pressure: what points on a made-up curve say, how a simulated core is measured, and which
 * line of a wrong core model is named. */
#include "fake_measurer.h"

#include "experiment/slack/fillers.h"
#include "experiment/slack/slack.h"
#include "model/limits/ports.h"

/* ---- Points */

static void check_estimate(const struct slack_point *point, double each, enum slack_kind kind,
	double pressure, double slack)
{
	struct slack_report report = {
		.cycles = 4, .cycles_lo = 4, .cycles_hi = 4, .width = 6, .slots = 10
	};
	struct slack_resource resource = { .ports = 2, .each = each };
	int count = 2;

	while (count < 3 && point[count].fillers > 0)
		count++;
	slack_estimate(&resource, &report, point, count);
	assert_int_equal(resource.kind, kind);
	if (kind == SLACK_FAILED)
		return;
	check_near(resource.pressure, pressure, 0.01);
	check_near(resource.slack, slack, 0.05);
	assert_true(resource.pressure_lo <= resource.pressure &&
		    resource.pressure <= resource.pressure_hi);
}

TEST(points_beyond_the_knee_give_pressure_and_slack)
{
	/* 3 + n cycles: three of four cycles are busy, and one filler is free. */
	check_estimate(
		(struct slack_point[]){ { 16, 19, 18.9, 19.1 }, { 26, 29, 28.9, 29.1 }, { 0 } }, 1,
		SLACK_EXACT, 3, 1);
	/* 1 + n / 2 cycles: two ports. */
	check_estimate((struct slack_point[]){ { 32, 17, 17, 17 }, { 52, 27, 27, 27 }, { 0 } }, 0.5,
		SLACK_EXACT, 1, 6);
	/* Pressure on a divider that the core model does not state may be a delay elsewhere. */
	check_estimate((struct slack_point[]){ { 4, 22, 22, 22 }, { 7, 37, 37, 37 }, { 0 } }, 4.5,
		SLACK_AMBIGUOUS, 2, 0.4);
	/* A divider is a little slower than stated: its own time counts. */
	check_estimate((struct slack_point[]){ { 4, 20, 20, 20 }, { 7, 35, 35, 35 }, { 0 } }, 4.5,
		SLACK_EXACT, 0, 0.8);
	/* The fillers go to two ports and not to one. */
	check_estimate((struct slack_point[]){ { 16, 9, 9, 9 }, { 26, 14, 14, 14 }, { 0 } }, 1,
		SLACK_AMBIGUOUS, 1, 6);
	/* Fillers that cost nothing did not run. */
	check_estimate((struct slack_point[]){ { 16, 4, 4, 4 }, { 26, 4, 4, 4 }, { 0 } }, 1,
		SLACK_FAILED, 0, 0);
	/* The point with the lowest pressure counts: 1.5, not 2.5. */
	check_estimate((struct slack_point[]){ { 6, 4.5, 4.5, 4.5 }, { 20, 11.5, 11.5, 11.5 },
			       { 40, 22.5, 22.5, 22.5 } },
		0.5, SLACK_EXACT, 1.5, 5);
	/* Only the last two points have fillers that take the stated time. */
	check_estimate(
		(struct slack_point[]){ { 8, 8, 8, 8 }, { 20, 12, 12, 12 }, { 40, 22, 22, 22 } },
		0.5, SLACK_EXACT, 2, 4);
	/* Only the first and the last point agree with the stated time: the middle one is delayed.
	 */
	check_estimate((struct slack_point[]){ { 16, 8.6, 8.6, 8.6 }, { 32, 18, 18, 18 },
			       { 80, 40.2, 40.2, 40.2 } },
		0.5, SLACK_EXACT, 0.2, 7.6);
	/* Six ports and six slots a cycle: the width is full as early as the ports. */
	check_estimate((struct slack_point[]){ { 96, 18, 18, 18 }, { 156, 28, 28, 28 }, { 0 } },
		1 / 6.0, SLACK_AT_LEAST, 2, 12);
}

/* Each operation of the loop needs a part of the rate, so a lower pressure is a wrong measurement.
 */
TEST(pressure_on_a_rate_is_at_least_that_of_the_loops_operations)
{
	const struct slack_report report = {
		.cycles = 4, .cycles_lo = 4, .cycles_hi = 4, .width = 8, .slots = 11
	};
	const struct slack_point wrong[] = { { 69, 9.4, 9.4, 9.4 }, { 133, 17.4, 17.4, 17.4 } },
				 right[] = { { 69, 10, 10, 10 }, { 133, 18, 18, 18 } };
	struct slack_resource resource = { .name = "width", .each = 0.125, .count = 11 };

	slack_estimate(&resource, &report, wrong, 2);
	assert_int_equal(resource.kind, SLACK_AMBIGUOUS);
	slack_estimate(&resource, &report, right, 2);
	assert_int_equal(resource.kind, SLACK_EXACT);
}

/* ---- Resources compared with each other */

static void check_bound(double part, double whole, enum slack_kind kind, double least)
{
	struct slack_report report = { .cycles = 4,
		.cycles_lo = 4,
		.cycles_hi = 4,
		.count = 2,
		.resource = { { .ports = 15,
				      .kind = SLACK_EXACT,
				      .each = 0.25,
				      .pressure = whole,
				      .pressure_lo = whole,
				      .pressure_hi = whole },
			{ .ports = 2,
				.kind = SLACK_EXACT,
				.each = 1,
				.pressure = part,
				.pressure_lo = part,
				.pressure_hi = part } } };
	const struct slack_resource *result = &report.resource[0];

	slack_bound(&report);
	assert_int_equal(result->kind, kind);
	check_near(result->pressure_lo, least, 0.01);
	assert_int_equal(report.resource[1].kind, SLACK_EXACT);
}

TEST(pressure_on_ports_is_an_upper_bound_next_to_operations_of_some_of_the_ports)
{
	/* One cycle of one port is a quarter cycle of four ports: the rest is doubtful. */
	check_bound(1, 1.5, SLACK_AT_LEAST, 0.25);
	/* No operation needs the one port, so the four ports are busy with their own operations. */
	check_bound(0, 1.5, SLACK_EXACT, 1.5);
	/* The operations of the one port explain all pressure but a little. */
	check_bound(4, 1.2, SLACK_EXACT, 1.2);
}

/* A loop without stores, slowed by an effect that the model does not know. */
TEST(nothing_looks_busy_that_the_loop_does_not_use)
{
	for (int far = 0; far < 2; far++) {
		struct slack_report report = { .cycles = 100,
			.cycles_lo = 100,
			.cycles_hi = 100,
			.predicted = far ? 30 : 90,
			.class_count = 1,
			.class = { { .name = "jump",
				.count = 16,
				.terms = 1,
				.term = { { .ports = 4, .count = 1, .cycles = 1 } } } },
			.count = 3,
			.resource = { { .name = "stores",
					      .kind = SLACK_EXACT,
					      .each = 0.5,
					      .pressure = 100,
					      .pressure_lo = 100,
					      .pressure_hi = 100 },
				{ .ports = 3,
					.kind = SLACK_EXACT,
					.each = 0.5,
					.pressure = 60,
					.pressure_lo = 60,
					.pressure_hi = 60 },
				{ .ports = 4,
					.kind = SLACK_EXACT,
					.each = 1,
					.pressure = 16,
					.pressure_lo = 16,
					.pressure_hi = 16 } } };

		for (int i = 0; i < report.count; i++)
			report.resource[i].option[0].each = report.resource[i].each;
		slack_bound(&report);
		assert_int_equal(report.resource[0].kind == SLACK_AMBIGUOUS, far);
		assert_int_equal(report.resource[1].kind == SLACK_AMBIGUOUS, far);
		assert_int_equal(report.resource[2].kind, SLACK_EXACT);
	}
}

static void check_loads(double pressure, enum slack_kind kind)
{
	struct slack_report report = { .cycles = 1,
		.cycles_lo = 1,
		.cycles_hi = 1,
		.count = 1,
		.resource = { { .name = "loads",
			.kind = SLACK_EXACT,
			.each = 0.25,
			.count = 2,
			.pressure = pressure,
			.pressure_lo = pressure,
			.pressure_hi = pressure } } };

	slack_bound(&report);
	assert_int_equal(report.resource[0].kind, kind);
	check_near(report.resource[0].pressure_lo, kind == SLACK_EXACT ? pressure : 0.5, 0.01);
}

/* Two loads keep four slots for loads busy for half a cycle. */
TEST(pressure_on_a_rate_is_exact_only_near_that_of_the_loops_operations)
{
	check_loads(0.6, SLACK_EXACT);
	check_loads(0.7, SLACK_AT_LEAST);
	check_loads(0.74, SLACK_AT_LEAST);
}

/* The eight cycles of work on fp0 to fp3 are all on fp2 and fp3. So no work belongs to the set of
 * fp1 and fp2, although the added instructions found fp2 busy. */
TEST(work_of_one_set_of_ports_is_no_work_of_another)
{
	static const struct {
		uint32_t ports;
		double pressure;
	} rows[] = { { 15, 2 }, { 12, 4 }, { 6, 1.5 } };
	struct slack_report report = { .cycles = 4, .cycles_lo = 4, .cycles_hi = 4, .count = 3 };

	for (int i = 0; i < 3; i++)
		report.resource[i] = (struct slack_resource){ .ports = rows[i].ports,
			.kind = SLACK_EXACT,
			.each = 0.5,
			.pressure = rows[i].pressure,
			.pressure_lo = rows[i].pressure,
			.pressure_hi = rows[i].pressure };
	slack_bound(&report);
	check_near(report.resource[1].pressure, 4, 0.01);
	check_near(report.resource[2].pressure, 0, 0.05);
	assert_int_equal(report.resource[2].kind, SLACK_EXACT);
}

/* Four multiplications fill one of four ports, and a branch may use another: added operations on
 * all four ports wait behind the multiplications. That a crossing set is busy too explains nothing
 * of it.
 */
TEST(pressure_next_to_a_full_port_is_doubtful_beside_a_crossing_set_too)
{
	static const struct {
		uint32_t ports;
		double each, pressure;
	} rows[] = { { 15, 0.25, 3.3 }, { 2, 1, 4 }, { 17, 0.5, 0.5 } };
	struct slack_report report = { .cycles = 4, .cycles_lo = 4, .cycles_hi = 4, .count = 3 };

	for (int i = 0; i < 3; i++)
		report.resource[i] = (struct slack_resource){ .ports = rows[i].ports,
			.kind = SLACK_EXACT,
			.each = rows[i].each,
			.pressure = rows[i].pressure,
			.pressure_lo = rows[i].pressure,
			.pressure_hi = rows[i].pressure };
	slack_bound(&report);
	assert_int_equal(report.resource[0].kind, SLACK_AT_LEAST);
	check_near(report.resource[0].pressure_lo, 1, 0.01);
	assert_int_equal(report.resource[1].kind, SLACK_EXACT);
}

#if defined(__x86_64__)

/* ---- A simulated core that behaves as `truth` says */

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
