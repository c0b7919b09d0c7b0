/* Reports about a setting (pressure, causes of a gap, costs) come back as they were written. */
#include "recorded.h"

/* Probed pressure comes back as it was written, once; unknown values stay unknown. */
TEST(probed_pressure_is_read_as_it_was_written)
{
	struct setting setting = fold(4, 32768), other = fold(2, 32768);
	struct recording *recording = open_recording();
	struct slack_report *made = memory_new(1, sizeof(*made));
	const struct slack_report *read;
	struct replay *replay;

	*made = (struct slack_report){ .setting = setting,
		.uarch = "zen4",
		.cycles = 4,
		.cycles_lo = 3.9,
		.cycles_hi = 4.1,
		.complete = true,
		.contradiction = "zen4.uarch:7: class imul",
		.count = 3 };
	made->resource[0] = (struct slack_resource){ .name = "alu1",
		.kind = SLACK_EXACT,
		.line = "imul %r, %p, 3",
		.each = 1,
		.model = 3,
		.took = 1.01,
		.pressure = 2.5,
		.pressure_lo = 2.4,
		.pressure_hi = 2.6,
		.slack = 1.5,
		.slack_lo = 1.4,
		.slack_hi = 1.6 };
	made->resource[1] = made->resource[0];
	made->resource[1].kind = SLACK_AT_LEAST;
	made->resource[1].slack_hi = NAN;
	made->resource[2] = (struct slack_resource){ .name = "fdiv",
		.kind = SLACK_FAILED,
		.why = "no register",
		.pressure = NAN,
		.took = NAN };
	record(recording, &setting, 200, 3);
	recording_slack(recording, made);
	made->resource[0].pressure = 9;
	recording_slack(recording, made);
	made->setting = other;
	recording_slack(recording, made);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_null(replay_slack(replay, -1));
	read = replay_slack(replay, replay_find(replay, &setting));
	assert_non_null(read);
	assert_true(read->complete && !read->contended);
	assert_string_equal(read->contradiction, "zen4.uarch:7: class imul");
	check_near(read->cycles, 4, 1e-6);
	assert_int_equal(read->count, 3);
	made->resource[0].pressure = 2.5;
	for (int i = 0; i < read->count; i++) {
		json_t *a = json_object(), *b = json_object();

		fields_write(a, resource_fields, &read->resource[i], true);
		fields_write(b, resource_fields, &made->resource[i], true);
		assert_true(json_equal(a, b));
		json_decref(a);
		json_decref(b);
	}
	assert_true(isnan(read->resource[1].slack_hi));
	free(made);
	replay_free(replay);
}

/* The causes of a gap come back as they were written; the last report counts. */
TEST(causes_of_a_gap_are_read_as_they_were_written)
{
	struct setting setting = fold(4, 32768), other = fold(2, 32768);
	struct recording *recording = open_recording();
	struct why_report *made = memory_new(1, sizeof(*made));
	const struct why_report *read;
	struct replay *replay;

	*made = (struct why_report){ .setting = setting,
		.uarch = "zen4",
		.limit = 4,
		.predicted = 5,
		.binding = "latency",
		.predicted_by = "page-walks",
		.cpe = 9,
		.gap = 4,
		.rest = 1,
		.together = NAN,
		.overlap = true,
		.complete = true,
		.count = 2 };
	made->cause[0] = (struct why_cause){ .name = "page size",
		.with = "pages=huge",
		.kind = WHY_CAUSE,
		.cycles = 3,
		.cycles_lo = 2,
		.cycles_hi = 4,
		.share = 0.75 };
	made->cause[1] = (struct why_cause){
		.name = "cache sets", .kind = WHY_NOTHING, .cycles = -0.5, .share = 0
	};
	record(recording, &setting, 200, 3);
	made->cpe = 90;
	recording_why(recording, made);
	made->cpe = 9;
	recording_why(recording, made);
	made->setting = other;
	recording_why(recording, made);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_null(replay_why(replay, -1));
	read = replay_why(replay, replay_find(replay, &setting));
	assert_non_null(read);
	check_near(read->cpe, 9, 1e-6);
	assert_true(read->complete && read->overlap && !read->known);
	assert_string_equal(read->predicted_by, "page-walks");
	assert_int_equal(read->count, 2);
	assert_string_equal(read->cause[0].name, "page size");
	assert_string_equal(read->cause[0].with, "pages=huge");
	check_near(read->cause[0].share, 0.75, 1e-6);
	assert_int_equal(read->cause[1].kind, WHY_NOTHING);
	check_near(read->cause[1].cycles, -0.5, 1e-6);
	free(made);
	replay_free(replay);
}

/* Costs come back as they were written, once; unknown costs stay unknown. */
TEST(costs_are_read_as_they_were_written)
{
	struct setting setting = fold(4, 32768);
	struct recording *recording = open_recording();
	struct cost_report *made = memory_new(1, sizeof(*made));
	const struct cost_report *read;
	struct replay *replay;

	*made = (struct cost_report){ .setting = setting,
		.uarch = "zen4",
		.cpe = { 4, 3.9, 4.1 },
		.model = 4,
		.complete = true,
		.count = 2 };
	made->insn[0] = (struct cost_insn){ .text = "imul ebx, edx",
		.cost = { 1, 0.99, 1.01 },
		.twice = { 1, 0.99, 1.01 },
		.later = { -0.01, -0.02, 0.01 },
		.saved = { NAN, NAN, NAN },
		.latency = 3,
		.model = 1,
		.why_saved = "a divisor could become 0" };
	made->insn[1] = made->insn[0];
	made->insn[1].offset = 4;
	made->insn[1].contended = true;
	record(recording, &setting, 200, 3);
	recording_cost(recording, made);
	made->insn[0].latency = 9;
	recording_cost(recording, made);
	made->insn[0].latency = 3;
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_null(replay_cost(replay, -1));
	read = replay_cost(replay, replay_find(replay, &setting));
	assert_non_null(read);
	assert_true(read->complete && !read->contended);
	check_near(read->cpe.hi, 4.1, 1e-6);
	assert_int_equal(read->count, 2);
	for (int i = 0; i < read->count; i++) {
		json_t *a = json_object(), *b = json_object();

		fields_write(a, cost_fields, &read->insn[i], true);
		fields_write(b, cost_fields, &made->insn[i], true);
		assert_true(json_equal(a, b));
		json_decref(a);
		json_decref(b);
	}
	free(made);
	replay_free(replay);
}

RUN_TESTS(.set_up = set_up_all, .tear_down = tear_down_all, .each_set_up = set_up,
	.each_tear_down = tear_down)
