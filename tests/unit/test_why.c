/* The causes of a gap, measured on a simulated machine whose costs are known: shares, noise,
 * overlap, and nothing named where there is no gap. */
#include "fake_measurer.h"

#include <unistd.h>

#include "base/random.h"
#include "engine/own/own.h"
#include "experiment/why/why.h"
#include "kernels/knob_rows.h"

/* Cycles per load that each property of the setting costs. */
struct machine_made {
	double always, small_pages, crowded, random;
	bool both;    /* small pages and crowded sets cost cycles only where both are there */
	double noise; /* largest deviation of a measurement */
	/* Percent of the measurements next to another process, which then take twice as long. */
	unsigned disturbed;
	bool often_slower; /* two of three measurements take half as long again, and look quiet */
	bool other_quiet;  /* the other core is not disturbed */
	double each;	   /* seconds that a measurement takes */
	double now;
	struct random numbers;
	int requests, fails_without_crowd;
};

static struct result answer(void *context, const struct request *request)
{
	struct machine_made *made = context;
	const struct kernel *kernel = request->kernel;
	struct result result = {
		.final = true, .kernel = kernel, .facts.cycles_from = SOURCE_REFERENCE
	};
	bool small = request->v[kernel_knob(kernel, "pages")] == PAGES_4K,
	     crowded = request->v[kernel_knob(kernel, "stride")] % 4096 == 0,
	     random = request->v[kernel_knob(kernel, "order")] == 0, disturbed;
	double pages = small ? made->small_pages : 0, sets = crowded ? made->crowded : 0,
	       cycles = made->always + (random ? made->random : 0) +
			(made->both && !(small && crowded) ? 0 : pages + sets);

	if (made->often_slower && made->requests % 3)
		cycles *= 1.5;
	cycles += made->noise * (2 * (double)(random_next(&made->numbers) >> 40) * 0x1p-24 - 1);
	disturbed = random_below(&made->numbers, 100) < made->disturbed &&
		    !(request->elsewhere && made->other_quiet);
	for (int i = 0; i < 40; i++)
		result.trials.trial[result.trials.count++] =
			(struct trial){ .cpe = (1 + disturbed) * cycles * (1 + (i % 5 - 2) * 1e-3),
				.ghz = 4,
				.watch = 1,
				.turns = 1,
				.fate = disturbed ? TRIAL_CONTENDED : TRIAL_QUIET };
	if (made->fails_without_crowd && !crowded)
		result.status = status_failed("no memory");
	made->now += made->each;
	made->requests++;
	return result;
}

/* The kernel latency on 4 KiB pages, with crowded sets and in random order. */
static const char setting_words[] = "latency size=64k stride=4096 order=random pages=4k";

static double predict(void *context, const struct setting *setting)
{
	(void)setting;
	return *(const double *)context;
}

/* Measures the setting on the made-up machine, by a core model with the given limits. `in_order`:
 * the prediction for other orders; NAN: none. */
static struct why *measured(const char *words, struct machine_made *made, double limit,
	double predicted, double in_order)
{
	static struct uarch uarch = { .name = "made", .title = "Made" };
	struct explanation *explanation = explanation_new();
	struct fake_measurer fake = { .answer = answer, .context = made, .now = &made->now };
	const struct measurer measurer = fake_measurer(&fake, 1);
	struct setting setting;
	struct why *why;

	assert_true(setting_read(&setting, words));
	made->each = made->each > 0 ? made->each : 0.005;
	explanation->status = status_ok();
	explanation->limits.uarch = &uarch;
	explanation->limits.limit_count = 2;
	explanation->misses.caches.level[1].bytes = 1 << 20;
	explanation->limits.limit[0] =
		(struct limit){ .kind = LIMIT_MEMORY_LATENCY, .known = true, .cpe = predicted };
	explanation->limits.limit[1] =
		(struct limit){ .kind = LIMIT_LATENCY, .hard = true, .known = true, .cpe = limit };
	explanation->limits.binding = 1;
	explanation->limits.bound = limit;
	explanation->limits.predicted = predicted;
	explanation->limits.predicted_by = predicted > limit ? 0 : 1;
	why = why_new(&(struct why_question){ .setting = &setting,
		.explanation = explanation,
		.seed = 1,
		.predict = predict,
		.context = &in_order });
	why_measure(why, &measurer);
	explanation->limits.uarch = NULL;
	explanation_free(explanation);
	return why;
}

static const struct why_cause *named(const struct why *why, const char *name)
{
	const struct why_report *report = why_report(why);

	for (int i = 0; i < report->count; i++)
		if (strcmp(report->cause[i].name, name) == 0)
			return &report->cause[i];
	fail_msg("no pair %s", name);
	return NULL;
}

static int causes(const struct why *why)
{
	int count = 0;

	for (int i = 0; i < why_report(why)->count; i++)
		count += why_report(why)->cause[i].kind == WHY_CAUSE;
	return count;
}

static char *printed(const struct why *why)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	why_print(out, why_report(why));
	fclose(out);
	return text;
}

TEST(shares_are_what_each_change_removes)
{
	struct machine_made made = { .always = 5, .small_pages = 6, .crowded = 3, .noise = 0.02 };
	struct why *why = measured(setting_words, &made, 4, 4, NAN);
	const struct why_report *report = why_report(why);

	check_ok(report->status);
	assert_true(report->complete && !report->overlap && !report->known);
	check_near(report->cpe, 14, 0.05);
	check_near(report->gap, 10, 0.05);
	assert_int_equal(causes(why), 2);
	assert_string_equal(report->cause[0].name, "page size");
	assert_string_equal(report->cause[0].with, "pages=huge");
	check_near(report->cause[0].share, 0.6, 0.01);
	assert_true(report->cause[0].share_lo < 0.6 && report->cause[0].share_hi > 0.6);
	assert_string_equal(report->cause[1].name, "cache sets");
	check_near(report->cause[1].share, 0.3, 0.01);
	check_near(report->rest, 1, 0.05);
	assert_int_equal(named(why, "order of access")->kind, WHY_NOTHING);
	why_free(why);
}

TEST(faster_than_the_limit_is_not_as_predicted)
{
	struct machine_made made = { .always = 3.3 };
	struct why *why = measured(setting_words, &made, 4, 4, NAN);
	char *text = printed(why);

	assert_true(why_report(why)->below && why_report(why)->gap == 0);
	check_contains(text, "0.700 (18 %) below the limit");
	check_contains(text, "wrong here");
	free(text);
	why_free(why);
	/* A little below it is at the limit. */
	made = (struct machine_made){ .always = 3.9 };
	why = measured(setting_words, &made, 4, 4, NAN);
	assert_true(!why_report(why)->below && why_report(why)->gap == 0);
	why_free(why);
}

TEST(shares_that_overlap_are_said_to_overlap)
{
	struct machine_made made = {
		.always = 5, .small_pages = 2, .crowded = 4, .both = true, .noise = 0.02
	};
	struct why *why = measured(setting_words, &made, 4, 4, NAN);
	const struct why_report *report = why_report(why);

	/* Each change alone removes all that both cost. */
	check_near(report->gap, 7, 0.05);
	assert_int_equal(causes(why), 2);
	check_near(report->cause[0].cycles, 6, 0.05);
	check_near(report->cause[1].cycles, 6, 0.05);
	assert_true(report->overlap);
	check_near(report->together, 6, 0.05);
	check_near(report->rest, 1, 0.05);
	check_contains(why_words(report).text, "unexplained 14 % (overlapping)");
	why_free(why);
}

TEST(noise_names_nothing)
{
	for (int seed = 0; seed < CHECK_REPEATS(40, 4); seed++) {
		struct machine_made made = {
			.always = 8, .noise = 2, .numbers = { (uint64_t)seed }
		};
		struct why *why = measured(setting_words, &made, 4, 4, NAN);

		assert_int_equal(causes(why), 0);
		assert_true(why_report(why)->gap > 0 && why_report(why)->complete);
		why_free(why);
	}
}

TEST(a_cause_is_found_in_noise)
{
	for (int seed = 0; seed < CHECK_REPEATS(20, 4); seed++) {
		struct machine_made made = {
			.always = 8, .small_pages = 3, .noise = 2, .numbers = { (uint64_t)seed }
		};
		struct why *why = measured(setting_words, &made, 4, 4, NAN);

		assert_int_equal(causes(why), 1);
		assert_string_equal(why_report(why)->cause[0].name, "page size");
		why_free(why);
	}
}

TEST(other_processes_are_no_cause_and_hide_none)
{
	for (int seed = 0; seed < CHECK_REPEATS(40, 4); seed++)
		for (int cost = 0; cost < 2; cost++)
			for (unsigned disturbed = 30; disturbed <= 90; disturbed += 30) {
				struct machine_made made = { .always = 4,
					.small_pages = 3 * cost,
					.disturbed = disturbed,
					.numbers = { (uint64_t)seed } };
				struct why *why = measured(setting_words, &made, 4, 4, NAN);

				/* Few undisturbed measurements may hide a cause. The other core is
				 * as busy as this one. */
				if (causes(why) > cost || (disturbed < 90 && causes(why) < cost))
					fail_msg("seed %d, %u %% disturbed: %d causes", seed,
						disturbed, causes(why));
				why_free(why);
			}
}

TEST(a_loop_that_is_often_slower_without_a_change_is_contended)
{
	struct machine_made made = { .always = 6, .often_slower = true };
	struct why *why = measured(setting_words, &made, 4, 4, NAN);

	assert_true(why_report(why)->contended);
	why_free(why);
}

TEST(another_core_is_compared_only_if_this_one_is_busy)
{
	struct machine_made made = { .always = 4, .disturbed = 100, .other_quiet = true };
	struct why *why = measured(setting_words, &made, 4, 4, NAN);
	char *text;

	assert_true(why_report(why)->contended);
	assert_int_equal(causes(why), 0);
	assert_int_equal(named(why, "busy core")->kind, WHY_DISTURBED);
	check_near(named(why, "busy core")->cycles, 4, 0.01);
	text = printed(why);
	check_contains(text, "There, the loop takes 4.000 cycles");
	free(text);
	why_free(why);
	made = (struct machine_made){ .always = 8, .other_quiet = true };
	why = measured(setting_words, &made, 4, 4, NAN);
	for (int i = 0; i < why_report(why)->count; i++)
		assert_string_not_equal(why_report(why)->cause[i].name, "busy core");
	why_free(why);
}

TEST(without_a_gap_nothing_is_compared)
{
	struct machine_made made = { .always = 1, .small_pages = 3.1 };
	struct why *why = measured(setting_words, &made, 4, 4, NAN);

	assert_true(why_report(why)->complete && why_report(why)->gap == 0);
	assert_int_equal(causes(why), 0);
	assert_true(made.requests < 6);
	why_free(why);
}

TEST(as_predicted_only_places_are_compared)
{
	struct machine_made made = { .always = 4, .crowded = 8, .random = 8 };
	struct why *why = measured(setting_words, &made, 4, 20, 4);
	const struct why_report *report = why_report(why);

	assert_true(report->known);
	check_near(report->gap, 16, 0.01);
	assert_int_equal(causes(why), 1);
	assert_string_equal(report->cause[0].name, "cache sets");
	check_near(report->cause[0].share, 0.5, 0.01);
	assert_int_equal(named(why, "order of access")->kind, WHY_WAITS);
	/* Nothing of a predicted gap is unexplained. */
	assert_string_equal(why_words(report).text, "cache sets 50 %, as predicted 50 %");
	why_free(why);
}

TEST(a_gap_begins_at_the_limit_with_another_place)
{
	struct machine_made made = { .always = 4, .crowded = 8 };
	struct why *why = measured(setting_words, &made, 12, 12, 4);
	const struct why_report *report = why_report(why);
	char *text;

	/* The loop runs at its binding limit, which comes from the crowded sets. */
	check_near(report->moved, 4, 1e-9);
	check_near(report->gap, 8, 0.01);
	assert_string_equal(report->cause[0].name, "cache sets");
	assert_int_equal(report->cause[0].kind, WHY_CAUSE);
	check_near(report->cause[0].share, 1, 0.01);
	text = printed(why);
	check_contains(text, report->moved_with);
	free(text);
	why_free(why);
}

TEST(a_share_of_other_data_leaves_out_predicted_cycles)
{
	struct machine_made made = { .always = 4, .small_pages = 9, .random = 15 };
	struct why *why = measured(setting_words, &made, 4, 14, 4);

	/* The order costs 15 cycles; the model predicts 10 of them. The gap has 14. */
	check_near(named(why, "order of access")->cycles, 15, 0.05);
	check_near(named(why, "order of access")->share, 5 / 14.0, 0.01);
	assert_string_equal(why_report(why)->cause[0].name, "page size");
	why_free(why);
}

/* The model predicts 0.232 of the 0.30 to 0.37 cycles that the branches cost. Whether they are a
 * cause does not depend on which of these values a run has as its median. */
TEST(a_cause_that_the_model_counts_in_part_is_named_in_each_run)
{
	const struct why_report report = {
		.predicted = 0.732, .limit = 0.604, .cpe = 1.01, .gap = 0.278
	};
	static const double low[] = { 0.71, 0.715, 0.71, 0.66, 0.72, 0.71, 0.72, 0.64 },
			    high[] = { 0.66, 0.65, 0.64, 0.70, 0.66, 0.65, 0.64, 0.7 },
			    base[] = { 1.01, 1.0, 1.02, 1.01, 1.0, 1.01, 1.02, 1.01 };

	for (int run = 0; run < 2; run++) {
		struct why_cause cause = { .work = true, .model = 0.5 };

		why_judge(&cause, &report, base, 8, run ? high : low, 8);
		assert_int_equal(cause.kind, WHY_CAUSE);
	}
}

TEST(work_that_the_model_counts_is_no_cause)
{
	struct machine_made made = { .always = 4, .random = 10 };
	struct why *why = measured(setting_words, &made, 4, 12, 4);

	assert_int_equal(causes(why), 0);
	assert_int_equal(named(why, "order of access")->kind, WHY_COUNTED);
	why_free(why);
	/* The model predicts that the order costs nothing. */
	made = (struct machine_made){ .always = 4, .random = 10 };
	why = measured(setting_words, &made, 4, 12, 12);
	assert_int_equal(named(why, "order of access")->kind, WHY_CAUSE);
	why_free(why);
}

/* The limit of 13 cycles counts 9 cycles of the crowded sets. So these are 9 of the 10 cycles of
 * the gap, and do not explain the cycle that the loop takes longer than the limit. */
TEST(cycles_of_the_limit_explain_no_cycles_above_it)
{
	struct machine_made made = { .always = 5, .crowded = 9 };
	struct why *why = measured(setting_words, &made, 13, 13, 4);
	const struct why_report *report = why_report(why);

	assert_false(report->known);
	check_near(why_begin(report), 4, 1e-9);
	check_near(report->gap, 10, 0.05);
	assert_int_equal(causes(why), 1);
	assert_string_equal(report->cause[0].name, "cache sets");
	check_near(report->cause[0].share, 0.9, 0.01);
	check_near(report->rest, 1, 0.05);
	why_free(why);
}

/* A loop that takes 4.9 % or 5.1 % longer than its limit has the same gap but for this difference.
 */
TEST(the_beginning_of_a_gap_does_not_jump)
{
	for (int percent = 0; percent <= 12; percent++) {
		double above = 12 * percent * 1e-2;
		struct machine_made made = { .always = 4 + above, .crowded = 8 };
		struct why *why = measured(setting_words, &made, 12, 12, 4);
		const struct why_report *report = why_report(why);

		assert_int_equal(report->known, percent <= 100 * WHY_GAP);
		check_near(report->gap, 8 + above, 0.05);
		assert_int_equal(report->cause[0].kind, WHY_CAUSE);
		assert_string_equal(report->cause[0].name, "cache sets");
		check_near(report->cause[0].share, 8 / (8 + above), 0.01);
		check_near(report->rest, above, 0.05);
		why_free(why);
	}
}

TEST(a_place_comes_before_an_order_that_contains_it)
{
	struct machine_made made = { .always = 4, .crowded = 9, .random = 10 };
	struct why *why = measured(setting_words, &made, 4, 4, NAN);

	assert_int_equal(causes(why), 2);
	assert_string_equal(why_report(why)->cause[0].name, "cache sets");
	why_free(why);
}

TEST(a_change_that_fails_says_why)
{
	struct machine_made made = {
		.always = 4, .small_pages = 4, .crowded = 4, .fails_without_crowd = 1
	};
	struct why *why = measured(setting_words, &made, 4, 4, NAN);

	assert_int_equal(causes(why), 1);
	assert_int_equal(named(why, "cache sets")->kind, WHY_FAILED);
	assert_string_equal(named(why, "cache sets")->why, "no memory");
	why_free(why);
}

TEST(slow_measurements_end_in_two_seconds)
{
	struct machine_made made = { .always = 4, .small_pages = 4, .noise = 3, .each = 0.3 };
	struct why *why = measured(setting_words, &made, 4, 4, NAN);

	assert_true(made.now < 2);
	assert_true(why_report(why)->complete);
	why_free(why);
}

TEST(pairs_fit_the_setting)
{
	static const struct {
		const char *words, *name, *with;
	} rows[] = {
		{ "matmul n=1024", "cache sets", "pad=8" },
		{ "matmul n=1024", "order of access", "order=ikj" },
		{ "matmul n=1000", "cache sets", NULL },
		{ "matmul n=1024 pages=4k", "page size", "pages=huge" },
		{ "matmul n=1024", "page size", NULL },
		{ "stores offset=60", "data alignment", "offset=0" },
		{ "stores", "data alignment", NULL },
		{ "alignment offset=60", "code alignment", "offset=0" },
		{ "alignment", "code alignment", "offset=32" },
		{ "sum-arrays alias=4", "4 KiB aliasing", "alias=2052" },
		{ "mispredict random=50", "unlearnt branches", "random=0" },
		{ "list-length order=random", "order of access", "order=sequential" },
		{ "mountain stride=64", "cache sets", "stride=63" },
		{ "mountain stride=8", "cache sets", NULL },
		{ "latency streams=1", "other cores", "streams=0" },
		{ "latency cores=2", "other cores", "cores=1" },
		{ "sharing cores=2", "shared line", "padding=64" },
		{ "sharing cores=2", "other cores", NULL },
		{ "sharing cores=2 padding=64", "shared line", NULL },
		{ "sharing cores=2 padding=64", "other cores", "cores=1" },
		{ "sharing", "shared line", NULL },
		{ "atomic cores=2", "shared line", "lines=own" },
		{ "atomic cores=2", "other cores", NULL },
	};
	struct explanation *explanation = explanation_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct why_cause cause[WHY_PAIRS];
		struct why_side side[WHY_PAIRS];
		struct setting setting;
		const char *with = NULL;
		int count;

		assert_true(setting_read(&setting, rows[i].words));
		count = pairs_find(&setting, explanation, cause, side);
		for (int k = 0; k < count; k++) {
			if (strcmp(cause[k].name, rows[i].name) == 0)
				with = cause[k].with;
			assert_true(*pairs_meaning(cause[k].name) && *pairs_remedy(cause[k].name));
		}
		if (rows[i].with)
			assert_string_equal(with, rows[i].with);
		else
			assert_null(with);
	}
	explanation_free(explanation);
}

/* Opens an own loop over random data; skips where there is no compiler. */
static const struct kernel *open_random(void)
{
	const char path[] = "why-random.c";
	const struct kernel *kernel = NULL;
	struct text said = { 0 };
	FILE *file = fopen(path, "w");
	struct status status;

	assert_non_null(file);
	fputs("/* slexplore: a=u8[n]:random(4) */\n"
	      "long loop(long n, unsigned char *a) { long s = 0; for (long i = 0; i < n; i++) s += "
	      "a[i]; return s; }\n",
		file);
	fclose(file);
	status = own_open(path, NULL, &said, &kernel);
	unlink(path);
	text_free(&said);
	if (!status_is_ok(&status))
		skip();
	return kernel;
}

/* Returns the only cause for which the data of an own loop are sorted. */
static const char *sorted_for(const struct setting *setting, const struct explanation *explanation)
{
	static struct why_cause cause[WHY_PAIRS];
	struct why_side side[WHY_PAIRS];
	const char *name = "";

	for (int k = pairs_find(setting, explanation, cause, side) - 1; k >= 0; k--)
		if (side[k].own.ordered) {
			assert_string_equal(name, "");
			name = cause[k].name;
			assert_true(*pairs_meaning(name) && *pairs_remedy(name));
		}
	return name;
}

TEST(sorted_data_show_what_random_data_cost)
{
	struct explanation *explanation = explanation_new();
	struct limits *limits = &explanation->limits;
	struct setting setting = { .kernel = open_random() };

	for (int i = 0; i < setting.kernel->knob_count; i++)
		setting.v[i] = setting.kernel->knobs[i].initial;
	explanation->loop.fresh = -1;
	assert_string_equal(sorted_for(&setting, explanation), "order of values");
	limits->limit[limits->limit_count++] = (struct limit){ .kind = LIMIT_FORWARDING };
	assert_string_equal(sorted_for(&setting, explanation), "store forwarding");
	limits->beyond[0] = 0.1;
	assert_string_equal(sorted_for(&setting, explanation), "order of access");
	explanation->loop.fresh = 0.67;
	assert_string_equal(sorted_for(&setting, explanation), "unlearnt jumps");
	explanation->loop.varies = true;
	assert_string_equal(sorted_for(&setting, explanation), "unlearnt branches");
	limits->limit_count = 0;
	explanation_free(explanation);
}

TEST(merged_sides_have_all_changes)
{
	struct explanation *explanation = explanation_new();
	struct why_cause cause[WHY_PAIRS];
	struct why_side side[WHY_PAIRS], all;
	struct setting setting;
	struct request request = { 0 };
	int count;

	assert_true(setting_read(&setting, setting_words));
	count = pairs_find(&setting, explanation, cause, side);
	all = (struct why_side){ .setting = setting };
	for (int i = 0; i < count; i++)
		pairs_merge(&setting, &side[i], &all);
	all.code_shift = 7;
	pairs_ask(&all, &request);
	assert_ptr_equal(request.kernel, setting.kernel);
	assert_int_equal(request.v[kernel_knob(setting.kernel, "pages")], PAGES_HUGE);
	assert_int_equal(request.v[kernel_knob(setting.kernel, "stride")], 4160);
	assert_int_equal(request.change.what, 7);
	assert_non_null(request.change.write);
	explanation_free(explanation);
}

/* ---- Words */

TEST(text_names_causes_and_what_helps)
{
	struct machine_made made = { .always = 5, .small_pages = 6, .crowded = 3 };
	struct why *why = measured(setting_words, &made, 4, 4, NAN);
	char *text = printed(why), *rest;

	check_parts(text, "latency size=64k", "gap        10", "(250 %)",
		"page size           60 %", "pages=huge", "cache sets          30 %", "stride=4160",
		"unexplained         10 %", "page size: With pages of 4 KiB",
		"no effect: order of access (order=backward)");
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		assert_true(strlen(line) <= 80);
	assert_string_equal(why_words(why_report(why)).text,
		"page size 60 %, cache sets 30 %, unexplained 10 %");
	free(text);
	why_free(why);
	made = (struct machine_made){ .always = 4 };
	why = measured("latency size=64k stride=64 order=backward", &made, 4, 4, NAN);
	text = printed(why);
	check_contains(text, "none: at most 5 %");
	free(text);
	why_free(why);
}

RUN_TESTS()
