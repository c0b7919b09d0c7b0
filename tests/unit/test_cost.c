/* Costs of instructions: made-up cores are measured, and the model's own costs. */
#include "fake_measurer.h"
#include "laid.h"

#include "experiment/changed.h"
#include "experiment/cost/cost.h"

/* ---- From differences to costs */

TEST(the_cost_is_the_larger_of_work_and_wait)
{
	struct cost_insn insn = { .twice = { 0.2, 0.1, 0.3 },
		.later = { 0.25, 0.24, 0.26 },
		.wait = { NAN, NAN, NAN },
		.latency = 4 };

	cost_estimate(&insn, 2);
	check_near(insn.cost.value, 1, 1e-9);
	check_near(insn.cost.lo, 0.96, 1e-9);
	/* A delay by the whole latency costs less than expected. */
	insn.wait = (struct cost_value){ 0.6, 0.5, 0.7 };
	cost_estimate(&insn, 2);
	check_near(insn.cost.value, 0.6, 1e-9);
	/* The delay by a cycle is lost in noise: that by the whole latency counts. */
	insn.later = (struct cost_value){ -0.1, -0.5, 0.3 };
	cost_estimate(&insn, 2);
	check_near(insn.cost.value, 0.6, 1e-9);
	insn.wait = (struct cost_value){ NAN, NAN, NAN };
	insn.later = (struct cost_value){ 0.25, 0.24, 0.26 };
	insn.latency = 0.5;
	cost_estimate(&insn, 2);
	check_near(insn.cost.value, 0.2, 1e-9);
	insn.twice = (struct cost_value){ NAN, NAN, NAN };
	cost_estimate(&insn, 2);
	check_near(insn.cost.value, 0.125, 1e-9);
	insn.latency = NAN;
	cost_estimate(&insn, 2);
	assert_true(isnan(insn.cost.value));
	/* A wait that the measurement error can explain. */
	insn = (struct cost_insn){ .twice = { 0.13, 0.10, 0.16 },
		.later = { 0.04, 0.02, 0.06 },
		.wait = { NAN, NAN, NAN },
		.latency = 4 };
	cost_estimate(&insn, 2);
	check_near(insn.cost.value, 0.13, 1e-9);
	check_near(insn.cost.lo, 0.10, 1e-9);
	/* But the instruction may cost as much as that wait. */
	check_near(insn.cost.hi, 0.24, 1e-9);
	/* A chain costs at most all cycles of the loop. */
	insn.later = (struct cost_value){ 1, 0.9, 1.1 };
	cost_estimate(&insn, 2);
	check_near(insn.cost.value, 2, 1e-9);
}

/* A square root on Zen 3, whose unit hides a short delay. */
TEST(a_cost_that_a_unit_hides_is_what_the_removal_saves)
{
	struct cost_insn insn = { .twice = { 0.04, 0, 0.08 },
		.later = { 0.35, 0.3, 0.4 },
		.wait = { 7.1, 7, 7.2 },
		.saved = { 20.04, 20, 20.1 },
		.latency = 20,
		.model = 20 };

	cost_estimate(&insn, 23);
	check_near(insn.cost.value, 20.04, 1e-9);
	/* The model says something else, or the instruction takes a small part of the loop. */
	insn.model = 14;
	cost_estimate(&insn, 23);
	check_near(insn.cost.value, 7.1, 1e-9);
	insn.model = 20;
	cost_estimate(&insn, 60);
	check_near(insn.cost.value, 7.1, 1e-9);
}

TEST(a_cost_below_minus_the_loops_cycles_is_no_cost)
{
	static struct cost_report report;

	report = (struct cost_report){ .count = 3, .cpe = { 2, 2, 2 } };
	report.insn[0].cost = report.insn[0].twice = (struct cost_value){ -2.5, -2.6, -2.4 };
	report.insn[1].cost = report.insn[1].twice = (struct cost_value){ -1.5, -1.6, -1.4 };
	report.insn[2].cost = report.insn[2].twice = (struct cost_value){ NAN, NAN, NAN };
	cost_discard(&report);
	assert_true(isnan(report.insn[0].cost.value) && isnan(report.insn[0].twice.value));
	check_contains(cost_missing(&report), "more cycles than it takes");
	check_near(report.insn[1].cost.value, -1.5, 1e-9);
	assert_string_equal(report.insn[1].why_twice, "");
	assert_string_equal(report.insn[2].why_twice, "");
}

/* The division of a loop writes two registers, so nothing of it can be measured. */
TEST(an_instruction_that_cannot_be_changed_has_no_cost_but_a_jump_needs_none)
{
	static struct cost_report report;

	report = (struct cost_report){ .count = 2, .cpe = { 6, 6, 6 } };
	for (int i = 0; i < 2; i++)
		report.insn[i] = (struct cost_insn){ .cost = { NAN, NAN, NAN },
			.why_twice = COST_JUMPS,
			.why_later = COST_JUMPS,
			.why_saved = COST_JUMPS };
	assert_null(cost_missing(&report));
	for (size_t i = 0; i < 3; i++)
		strcpy((char *[]){ report.insn[0].why_twice, report.insn[0].why_later,
			       report.insn[0].why_saved }[i],
			"the instruction writes several registers");
	check_contains(cost_missing(&report), "several registers");
}

TEST(costs_that_explain_less_than_the_loop_are_known)
{
	static struct cost_report report;

	report = (struct cost_report){ .count = 2, .cpe = { 2, 2, 2 } };
	report.insn[0].cost = (struct cost_value){ 1, 0.9, 1.1 };
	report.insn[1].cost = (struct cost_value){ 0.5, 0.4, 0.6 };
	assert_true(cost_at_least(&report) && !cost_at_most(&report));
	/* The error may explain it. */
	report.insn[1].cost = (struct cost_value){ 0.5, 0.1, 0.9 };
	assert_false(cost_at_least(&report));
	report.insn[1].cost = (struct cost_value){ 0.95, 0.94, 0.96 };
	assert_false(cost_at_least(&report));
}

#if defined(__x86_64__)

/* ---- A made-up core */

struct made {
	const struct explanation *explanation;
	double width, chain; /* slots per cycle; cycles of the chain in an iteration */
	double step;	     /* slots in which the front end moves; 0: one */
	/* cycles of an added instruction that delays a result; cycles that the first one adds,
	 * because the core forwards the result to it late */
	double each, late;
	double now;
	bool contended;
	bool joins;    /* nops take no slot, except in place of every second instruction */
	double slower; /* time of two of three measurements, as a part of the others'; 0: 1 */
	int requests;
	bool predicted; /* the chain takes the predicted cycles of the loop */
};

/* The cycles per element of the loop with a change: its slots pass at a rate, and each instruction
 * of the chain delays the next iteration. */
static double cycles_of(const struct made *made, const struct request *request)
{
	const struct loop *loop = &made->explanation->loop;
	uint64_t offset;
	int delay;
	enum cost_change kind = cost_change_of(&request->change, &offset, &delay);
	bool delays = kind >= COST_HELD && kind < COST_WITHOUT;
	double slots = made->explanation->limits.slots, chain = made->chain;

	slots += kind == COST_NOPS && !made->joins ? (double)offset * loop->turns : 0;
	slots += delays || (kind == COST_SLOTS && (!made->joins || offset % 2))
			 ? delay * loop->turns
			 : 0;
	for (int i = 0; i < loop->insn_count; i++) {
		struct cost_insn row = { .offset = 0 };

		if (loop->insn[i].address - loop->insn[0].address != offset)
			continue;
		cost_refuse(&loop->insn[i], &row);
		if (kind == COST_SLOTS || kind == COST_TWICE)
			slots += row.moves * loop->turns;
		slots += kind == COST_TWICE ? made->explanation->limits.insn[i].slots * loop->turns
					    : 0;
		if (kind == COST_LATER || kind == COST_LATER_LONG)
			chain += made->explanation->limits.insn[i].carried
					 ? delay * made->each + made->late
					 : 0;
		assert_true(request->change.computes_other == (kind == COST_WITHOUT));
	}
	if (made->step > 0)
		slots = made->step * ceil(slots / made->step / loop->turns) * loop->turns;
	return fmax(slots / made->width, chain) / loop->elements;
}

static struct result answer(void *context, const struct request *request)
{
	struct made *made = context;
	struct result result = { .final = true, .facts.cycles_from = SOURCE_REFERENCE };
	double cpe = cycles_of(made, request) *
		     (made->slower > 0 && made->requests++ % 3 ? made->slower : 1);
	uint64_t offset;
	int delay;

	if (cost_change_of(&request->change, &offset, &delay) == COST_WITHOUT)
		result.status = status_failed("the loop would access other addresses");
	for (int i = 0; i < 40; i++)
		result.trials.trial[result.trials.count++] =
			(struct trial){ .cpe = cpe * (1 + (i % 5 - 2) * 1e-4),
				.ghz = 4,
				.watch = 1,
				.turns = 1,
				.fate = made->contended ? TRIAL_CONTENDED : TRIAL_QUIET };
	made->now += 0.003;
	return result;
}

/* Measures a setting on a made-up core, with the core model `uarch_name`. */
static struct cost *measured_on(const char *uarch_name, struct made made, const char *words)
{
	struct explanation *explanation = explanation_new();
	struct fake_measurer fake = { .answer = answer, .context = &made, .now = &made.now };
	const struct measurer measurer = fake_measurer(&fake, 1);
	struct setting setting = laid_setting(words);
	struct uarch *uarch;
	struct cost *cost;

	made.explanation = explanation;
	check_ok(uarch_load(uarch_name, "x86_64", &uarch));
	explain(
		&(struct explain_question){
			.kernel = setting.kernel, .v = setting.v, .seed = 1, .uarch = uarch },
		explanation);
	check_ok(explanation->status);
	if (made.predicted)
		made.chain = explanation->limits.predicted * explanation->loop.elements;
	cost = cost_new(&setting, explanation, 1, 0);
	cost_measure(cost, &measurer);
	explanation_free(explanation);
	uarch_free(uarch);
	return cost;
}

/* Measures a setting on a core of that width, whose chain takes that many cycles an iteration. */
static struct cost *measured(const char *words, double width, double chain, bool contended)
{
	return measured_on("zen4",
		(struct made){ .width = width, .chain = chain, .each = 1, .contended = contended },
		words);
}

/* Only the closing branch, which is half of a fused pair, has no cost of its own. */
TEST(costs_of_a_loop_that_the_width_limits_add_up_to_its_cycles)
{
	static const char *const settings[] = { "sum-halves unroll=4", "mul-by", "k-loads" };

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		struct cost *cost = measured(settings[i], 2, 0, false);
		const struct cost_report *report = cost_report(cost);

		assert_true(report->complete && !report->contended);
		check_near(cost_sum(report) / report->cpe.value, 1, 0.01);
		for (int k = 0; k + 1 < report->count; k++) {
			const struct cost_insn *row = &report->insn[k];

			assert_true(
				row->cost.lo <= row->cost.value && row->cost.value <= row->cost.hi);
			assert_true(row->cost.value > 0 && !row->contended);
			check_contains(row->why_saved, "other addresses");
		}
		check_contains(report->insn[report->count - 1].why_twice, "a jump");
		cost_free(cost);
	}
}

/* The end of a chain is predicted in some measurements, and not in others. */
TEST(a_loop_with_two_speeds_has_no_costs)
{
	struct cost *cost = measured_on("zen4",
		(struct made){ .width = 2, .each = 1, .slower = 1.4 }, "mul-chain restart=16");

	assert_int_equal(cost_report(cost)->status.code, STATUS_FAILED);
	check_contains(cost_report(cost)->status.text, "two speeds");
	cost_free(cost);
	cost = measured_on("zen4", (struct made){ .width = 2, .each = 1, .slower = 1.03 },
		"mul-chain restart=16");
	check_ok(cost_report(cost)->status);
	cost_free(cost);
}

TEST(two_speeds_are_those_of_several_measurements)
{
	check_ok(changed_steady((const double[]){ 1, 1.5, 1.5, 1.5, 1.6 }, 5));
	check_ok(changed_steady((const double[]){ 1, 1, 1.05, 1.6, 1.6 }, 5));
	check_ok(changed_steady((const double[]){ 1, 1.5 }, 2));
	assert_int_equal(
		changed_steady((const double[]){ 1, 1.01, 1.2, 1.2, 1.2 }, 5).code, STATUS_FAILED);
	check_contains(changed_steady((const double[]){ 1, 1.01, 1.2, 1.2, 1.2 }, 5).text,
		"two speeds, 1.000 and 1.200");
}

/* One more instruction costs nothing, or a whole step. */
TEST(steps_of_the_front_end_are_shared_by_all_instructions)
{
	static const char *const settings[] = { "sum-halves unroll=4", "sum-halves unroll=8" };

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		struct cost *cost = measured_on(
			"zen4", (struct made){ .width = 6, .step = 6, .each = 1 }, settings[i]);
		const struct cost_report *report = cost_report(cost);
		double iteration = report->insn[0].slots > 0 ? 1 / (6 * report->slot.value) : 0;

		/* A slot costs a sixth of a cycle. */
		assert_true(report->slot.value > 0);
		check_near(iteration, nearbyint(iteration), 0.01);
		for (int k = 0; k + 1 < report->count; k++)
			check_near(report->insn[k].cost.value, report->slot.value, 1e-3);
		cost_free(cost);
	}
}

TEST(a_slot_costs_only_where_the_front_end_limits)
{
	const struct cost_value none = { 0, 0, 0 }, one = { 1, 1, 1 }, six = { 6, 6, 6 },
				eight = { 8, 8, 8 };
	struct cost_front front = { .width = 8, .slots = 32, .iteration = 1 };

	check_near(cost_slot(&front, one, eight, six, 4).value, 0.125, 1e-9);
	check_near(cost_slot(&front, none, eight, six, 4).value, 0.125, 1e-9);
	check_near(cost_slot(&front, none, one, six, 4).value, 0, 1e-9);
	/* A chain takes as many cycles as the loop, and the width is nearly used up. */
	front.rest = 4;
	check_near(cost_slot(&front, none, eight, six, 4).value, 0, 1e-9);
	/* Two elements in an iteration. */
	front = (struct cost_front){ .width = 8, .slots = 32, .iteration = 2 };
	check_near(cost_slot(&front, (struct cost_value){ 0.5, 0.5, 0.5 }, eight,
			   (struct cost_value){ 3, 3, 3 }, 4)
			   .value,
		0.0625, 1e-9);
}

/* Zen 4 puts some nops into the slot of the instruction before. */
TEST(costs_add_up_where_nops_show_no_slot)
{
	static const char *const settings[] = { "sum-halves unroll=4", "mul-by", "k-loads" };

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		struct cost *cost = measured_on(
			"zen4", (struct made){ .width = 2, .each = 1, .joins = true }, settings[i]);

		check_near(cost_sum(cost_report(cost)) / cost_report(cost)->cpe.value, 1, 0.01);
		cost_free(cost);
	}
}

TEST(nops_fill_whole_cycles)
{
	for (int slots = 1; slots < 40; slots++)
		for (int width = 2; width <= 8; width++) {
			int begin = cost_padding(COST_BEGIN, width, slots),
			    end = cost_padding(COST_END, width, slots);

			assert_true((slots + begin) % width == 0 && (end - begin) % width == 0);
			assert_true(begin >= width && begin < 2 * width && end > 6 * width);
		}
}

/* Checks that the costs add up to the cycles of the loop, and are those of the model. */
static void check_chain_costs(const struct cost_report *report)
{
	check_near(cost_sum(report) / report->cpe.value, 1, 0.01);
	for (int k = 0; k < report->count; k++)
		if (isfinite(report->insn[k].cost.value))
			check_near(report->insn[k].cost.value, report->insn[k].model, 0.01);
}

TEST(in_a_loop_that_a_chain_limits_only_the_chain_costs)
{
	static const struct {
		const char *setting;
		double chain;
	} rows[] = { { "combine op=add type=f64 unroll=4 acc=1", 12 },
		{ "combine op=mul type=i64 unroll=1 acc=1", 3 }, { "list-length", 4 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cost *cost = measured(rows[i].setting, 6, rows[i].chain, false);

		check_chain_costs(cost_report(cost));
		cost_free(cost);
	}
}

/* A load of the second cache takes longer than its latency in the first. */
TEST(a_chained_load_costs_its_latency_in_the_cache_of_its_data)
{
	struct cost *cost =
		measured_on("zen4", (struct made){ .width = 6, .each = 1, .predicted = true },
			"latency size=256k chains=1");

	assert_true(cost_report(cost)->cpe.value > 8);
	check_chain_costs(cost_report(cost));
	cost_free(cost);
}

/* On Zen 5, an added vector operation takes 2 cycles, and the core forwards the result of a
 * floating-point addition a cycle early, but only to another addition. So does Golden Cove, where
 * an added vector operation takes a cycle longer behind an addition, on two of its three ports. */
TEST(the_delay_of_the_added_instruction_is_not_part_of_the_cost)
{
	static const struct {
		const char *uarch, *setting;
		double width, each, chain, late;
	} rows[] = { { "zen5", "combine op=mul type=f64 unroll=1 acc=1", 8, 2, 3, 0 },
		{ "zen5", "combine op=add type=f64 unroll=2 acc=1", 8, 2, 4, 1 },
		{ "golden-cove", "combine op=add type=f64 unroll=4 acc=1", 6, 1, 8, 1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cost *cost = measured_on(rows[i].uarch,
			(struct made){ .width = rows[i].width,
				.chain = rows[i].chain,
				.each = rows[i].each,
				.late = rows[i].late },
			rows[i].setting);

		check_chain_costs(cost_report(cost));
		cost_free(cost);
	}
}

/* The limit names one of the three chains, but all are as slow, and as dear. */
TEST(equal_chains_cost_the_same)
{
	struct cost *cost =
		measured_on("zen5", (struct made){ .width = 8, .chain = 4, .each = 2, .late = 1 },
			"combine op=add type=f32 unroll=6 acc=3");
	const struct cost_report *report = cost_report(cost);
	int additions = 0;

	for (int k = 0; k < report->count; k++)
		if (report->insn[k].model > 0.1) {
			additions++;
			check_near(report->insn[k].model, 2.0 / 6, 0.01);
			check_near(report->insn[k].latency, 2, 1e-9);
			check_near(report->insn[k].delay, 3, 1e-9);
		}
	assert_int_equal(additions, 6);
	cost_free(cost);
}

TEST(a_cost_below_0_is_explained)
{
	struct cost_report report = { .count = 2, .cpe = { 0.87, 0.86, 0.88 } };

	report.insn[0].cost = (struct cost_value){ -0.18, -0.19, -0.16 };
	report.insn[1].cost = (struct cost_value){ 0, -0.03, 0.35 };
	assert_true(cost_below(&report));
	report.insn[0].cost = (struct cost_value){ -0.002, -0.03, -0.001 };
	assert_false(cost_below(&report));
}

TEST(a_contended_core_is_reported)
{
	struct cost *cost = measured("mul-by", 2, 0, true);

	assert_true(cost_report(cost)->contended && cost_report(cost)->complete);
	assert_true(cost_report(cost)->insn[0].contended);
	cost_free(cost);
}

/* The measurement ends after some questions whether it has stopped. */
struct patient {
	int asked, most, computed;
};

static bool patient_stopped(void *context)
{
	struct patient *patient = context;

	return ++patient->asked > patient->most;
}

static bool patient_compute(void *context, void (*work)(void *argument), void *argument)
{
	((struct patient *)context)->computed++;
	work(argument);
	return true;
}

static double patient_now(void *context)
{
	(void)context;
	return 0;
}

/* The model's costs of a long loop take half a second. So the explorer's thread, which calls
 * cost_new(), must not compute them, and a change of the setting must end the computation. */
TEST(the_models_costs_are_computed_apart_and_end_when_stopped)
{
	struct setting setting = laid_setting("mul-by");
	struct explanation *explanation = explanation_new();
	int known = 0;
	struct patient patient = { .most = 4 };
	const struct measurer measurer = { .context = &patient,
		.ahead = 1,
		.stopped = patient_stopped,
		.compute = patient_compute,
		.now = patient_now };
	struct uarch *uarch;
	struct cost *cost;

	check_ok(uarch_load("zen4", "x86_64", &uarch));
	explain(
		&(struct explain_question){
			.kernel = setting.kernel, .v = setting.v, .seed = 1, .uarch = uarch },
		explanation);
	cost = cost_new(&setting, explanation, 1, 0);
	explanation_free(explanation);
	for (int i = 0; i < cost_report(cost)->count; i++)
		assert_true(isnan(cost_report(cost)->insn[i].model));
	cost_measure(cost, &measurer);
	assert_int_equal(patient.computed, 1);
	assert_true(patient.asked <= patient.most + 2);
	for (int i = 0; i < cost_report(cost)->count; i++)
		known += isfinite(cost_report(cost)->insn[i].model);
	assert_int_equal(known, 0);
	assert_false(cost_report(cost)->complete);
	cost_free(cost);
	uarch_free(uarch);
}

TEST(what_cannot_be_measured_says_why)
{
	struct setting setting = laid_setting("mul-by");
	struct cost *cost = cost_new(&setting, NULL, 1, 0);

	check_contains(cost_report(cost)->status.text, "core model");
	cost_free(cost);
}

#endif

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
