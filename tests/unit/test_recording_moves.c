/* What replay finds: the neighbours of a setting, explanations, and names. */
#include "recorded.h"

static void add_plain(
	struct recording *recording, int64_t unroll, int64_t acc, int64_t size, int64_t stride)
{
	struct setting setting = fold(unroll, size);
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, NULL, NULL };

	setting.v[FOLD_ACC] = acc;
	setting.v[FOLD_STRIDE] = stride;
	make_trials(&made, 40, 3);
	assert_true(recording_add(recording, &entry));
}

TEST(test_moves)
{
	struct recording *recording = open_recording();
	struct setting setting, expected;
	struct replay *replay;
	int64_t values[8];
	char range[64], ends[32];

	for (int64_t size = 4096; size <= 65536; size *= 2)
		add_plain(recording, 1, 1, size, 1);
	add_plain(recording, 2, 2, 32768, 1);
	add_plain(recording, 4, 4, 32768, 1);
	add_plain(recording, 4, 2, 4096, 1);
	replay = play(recording);

	/* Along what is there; the end is the end. */
	setting = fold(1, 16384);
	assert_true(replay_step(replay, &setting, FOLD_SIZE, 1));
	assert_int_equal(setting.v[FOLD_SIZE], 32768);
	assert_true(replay_step(replay, &setting, FOLD_SIZE, -9));
	assert_int_equal(setting.v[FOLD_SIZE], 4096);
	assert_false(replay_step(replay, &setting, FOLD_SIZE, -1));
	assert_false(replay_step(replay, &setting, FOLD_OP, 1));
	/* Another knob has to follow: as few as can be. */
	setting = fold(1, 32768);
	assert_true(replay_step(replay, &setting, FOLD_ACC, 1));
	expected = fold(2, 32768);
	expected.v[FOLD_ACC] = 2;
	assert_true(setting_equal(&setting, &expected));
	assert_true(replay_step(replay, &setting, FOLD_ACC, 1));
	expected = fold(4, 32768);
	expected.v[FOLD_ACC] = 4;
	assert_true(setting_equal(&setting, &expected));

	setting = fold(1, 16384);
	assert_int_equal(replay_values(replay, &setting, FOLD_SIZE, values, 8), 5);
	assert_int_equal(values[0], 4096);
	assert_int_equal(values[4], 65536);
	assert_int_equal(replay_values(replay, &setting, FOLD_SIZE, values, 3), 3);
	assert_int_equal(values[0], 4096);
	assert_int_equal(values[1], 16384);
	assert_int_equal(values[2], 65536);
	setting.v[FOLD_SIZE] = 32768;
	assert_int_equal(replay_values(replay, &setting, FOLD_SIZE, values, 3), 3);
	assert_true(values[0] == 32768 || values[1] == 32768 || values[2] == 32768);
	assert_int_equal(replay_values(replay, &setting, FOLD_STRIDE, values, 8), 1);

	setting = fold(1, 40000);
	assert_true(replay_nearest(replay, &setting, 1u << FOLD_SIZE));
	assert_int_equal(setting.v[FOLD_SIZE], 32768);
	assert_int_equal(setting.v[FOLD_UNROLL], 1);
	setting = fold(1, 32768);
	setting.v[FOLD_OP] = 0;
	assert_false(replay_nearest(replay, &setting, 1u << FOLD_OP));
	setting_init(&setting, &kernel_walk);
	assert_false(replay_nearest(replay, &setting, 0));
	assert_false(replay_first(replay, &kernel_walk, &setting));
	assert_true(replay_first(replay, &kernel_fold, &setting));
	replay_range(replay, &setting, FOLD_SIZE, range, sizeof(range), ends, sizeof(ends));
	assert_string_equal(range, "4k, 8k, 16k, 32k, 64k");
	assert_string_equal(ends, "4k…64k");
	replay_range(replay, &setting, FOLD_OP, range, sizeof(range), ends, sizeof(ends));
	assert_string_equal(range, "mul");
	assert_string_equal(ends, "mul");
	replay_free(replay);
}

/* In the recording of a session, the points of its curves have no limits. */
TEST(a_replay_begins_where_there_are_limits)
{
	struct setting setting = fold(2, 32768), begun;
	struct recording *recording = open_recording();
	struct replay *replay;

	add_plain(recording, 1, 1, 4096, 1);
	record(recording, &setting, 40, 3);
	replay = play(recording);
	begun = replay_begin(replay);
	assert_true(setting_equal(&begun, &setting));
	assert_true(replay_first(replay, &kernel_fold, &begun));
	assert_true(setting_equal(&begun, &setting));
	replay_free(replay);
}

/* A user who began at 32k and went down to 4k sees 32k first. */
TEST(a_replay_begins_where_the_user_began)
{
	struct setting first = fold(2, 32768), lower = fold(1, 4096), begun;
	struct recording *recording;
	struct replay *replay;

	place.visited = true;
	recording = open_recording();
	place.visited = false;
	record(recording, &first, 40, 3);
	record(recording, &lower, 40, 3);
	replay = play(recording);
	begun = replay_begin(replay);
	assert_true(setting_equal(&begun, &first));
	replay_free(replay);
}

TEST(test_nothing_to_explain)
{
	struct setting setting = fold(1, 32768), other = fold(2, 32768);
	struct recording *recording = open_recording();
	struct explain_question question = { .kernel = setting.kernel, .v = setting.v };
	struct explainer explainer;
	struct replay *replay;

	record(recording, &setting, 40, 3);
	add_plain(recording, 2, 1, 32768, 1);
	make_explanation(&other, 3);
	explanation->status = status_failed("ptrace is forbidden here");
	recording_explain(recording, &other, explanation, NULL, NULL);
	replay = play(recording);
	explainer = replay_explainer(replay);
	question.v = other.v;
	explainer.explain(explainer.context, &question, explanation);
	assert_string_equal(explanation->status.text, "ptrace is forbidden here");
	other = fold(3, 32768);
	question.v = other.v;
	explainer.explain(explainer.context, &question, explanation);
	assert_string_equal(explanation->status.text, "no limits were recorded for this setting");
	replay_free(replay);
}

TEST(test_names)
{
	char name[96];

	set_words(machine.host, "../ode 7");
	recording_name(&machine, name, sizeof(name));
	assert_memory_equal(name, "slexplore-..-ode-7-", 19);
	assert_string_equal(name + strlen(name) - 6, ".jsonl");
}

RUN_TESTS(.set_up = set_up_all, .tear_down = tear_down_all, .each_set_up = set_up,
	.each_tear_down = tear_down)
