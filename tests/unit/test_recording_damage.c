/* Cut, damaged and foreign recordings are told, and what is whole in them is used. */
#include "table.h"

#include "recorded.h"

/* Cut off anywhere: what is there of it can be read, each setting wholly or not at all. */
static bool near_an_end(const char *text, size_t size, size_t at)
{
	size_t from = at < 3 ? 0 : at - 3, to = at + 16 < size ? at + 16 : size;

	return memchr(text + from, '\n', to - from) != NULL;
}

TEST(test_cut_anywhere)
{
	struct setting first = fold(1, 32768), second = fold(2, 65536);
	struct recording *recording = open_recording();
	char *text, *whole;
	size_t size, second_at, first_at;
	int before = -1;

	record(recording, &first, 40, 3);
	record(recording, &second, 40, 2);
	recording_close(recording);
	text = read_text(&size);
	whole = memory_string(text);
	first_at = (size_t)(strstr(whole, "\"record\":\"sample\"") - whole);
	second_at = (size_t)(strstr(whole + first_at + 1, "\"record\":\"sample\"") - whole);
	first_at += strcspn(whole + first_at, "\n");
	second_at += strcspn(whole + second_at, "\n");
	/* Everywhere about the ends of lines, and all over the lines between. */
	for (size_t cut = 0; cut < size;
		cut += near_an_end(whole, size, cut) ? 1 : CHECK_REPEATS(13, 67)) {
		int expected = (cut >= first_at) + (cut >= second_at);
		struct replay *replay = NULL;
		struct status status;

		write_text(whole, cut);
		status = replay_open(path, &replay);
		assert_true(status_is_ok(&status) == (expected > 0));
		if (replay) {
			assert_int_equal(replay_summary(replay).count, expected);
			assert_int_equal(replay_entry(replay, 0).trials, 40);
			assert_true(replay_find(replay, &first) == 0);
		} else {
			assert_int_equal(status.code, STATUS_USAGE);
		}
		assert_true(expected >= before);
		before = expected;
		replay_free(replay);
	}
	free(whole);
}

TEST(test_what_is_no_recording)
{
	struct recording *recording;
	static const char zeros[5000];

	check_refused("No such file");
	write_text("", 0);
	check_refused("is empty");
	write_text("hello\n", 6);
	check_refused("not a recording of slexplore");
	write_text(zeros, sizeof(zeros));
	check_refused("not a recording of slexplore");
	write_text("{\"v\":1,\"record\":\"sample\",\"id\":1}\n", 34);
	check_refused("not a recording of slexplore");
	write_text("[1,2]\n", 6);
	check_refused("not a recording of slexplore");
	unlink(path);
	recording = open_recording();
	recording_close(recording);
	check_refused("one.jsonl: none of the recorded settings can be shown");
	replace("\n", "\nNaN\n");
	check_refused("shown: line 2: ");
	replace("\"format\":2,\"program\":\"", "\"format\":3,\"program\":\"9.");
	check_refused("made by slexplore 9.");
	check_refused("format 3: this slexplore reads formats up to 2");
}

/* Records two settings, changes one line of the file, and reads it. */
static struct replay *changed(
	const struct setting *first, const struct setting *second, const char *from, const char *to)
{
	struct recording *recording;

	unlink(path);
	recording = open_recording();
	record(recording, first, 12, 3);
	record(recording, second, 12, 2);
	recording_close(recording);
	replace(from, to);
	return open_replay();
}

/* One line of a good recording changed: the rest of it is used, and the line is named. */
TEST(test_damaged_lines)
{
	struct setting first = fold(1, 32768), second = fold(2, 65536);
	struct table table;

	table_open(&table, "recording", "damaged lines");
	while (table_next(&table, 3)) {
		struct replay *replay =
			changed(&first, &second, table.field[0], table_unescape(table.field[1]));

		check_contains(replay_summary(replay).notes, "; this damaged line is left out");
		check_contains(replay_summary(replay).notes, table.field[2]);
		assert_true(replay_find(replay, &second) >= 0);
		replay_free(replay);
	}
}

TEST(test_long_lines)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct text filler = { 0 };
	struct replay *replay;

	record(recording, &setting, 40, 3);
	recording_close(recording);
	text_add(&filler, "\"record\":\"machine\",\"x\":\"");
	for (int i = 0; i < 100000; i++)
		text_add(&filler, "yyyyyyyyyyyyyyyyyyyy");
	text_add(&filler, "\"");
	replace("\"record\":\"machine\"", text_string(&filler));
	text_free(&filler);
	replay = open_replay();
	assert_string_equal(replay_summary(replay).notes,
		"one.jsonl:2: longer than 1000 bytes; this damaged line is left out\n");
	assert_int_equal(replay_summary(replay).count, 1);
	replay_free(replay);
}

TEST(test_settings_that_are_not_here)
{
	static const struct {
		const char *from, *to, *words;
	} cases[] = {
		{ "\"kernel\":\"fold\"", "\"kernel\":\"\\u001b[31mgone\"",
			"there is no kernel \"?[31mgone\"" },
		{ "\"op\":\"mul\"", "\"op\":\"xor\"", "fold has no such op=xor" },
		{ "\"unroll\":2", "\"unroll\":99",
			"fold: unroll=99: use a whole number from 1 to 16" },
		{ "\"unroll\":2", "\"unroll\":1e3", "fold has no such unroll" },
		{ "\"unroll\":2", "\"unroll\":2,\"wings\":2",
			"the recorded fold has a knob that this slexplore's does not" },
		{ "\"unroll\":2,", "", "fold has no such unroll" },
		{ "\"acc\":1", "\"acc\":5", "fold: acc=5 needs unroll=5 or more" },
	};
	struct setting first = fold(1, 32768), second = fold(2, 65536);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct replay *replay = changed(&second, &first, cases[i].from, cases[i].to);

		check_contains(replay_summary(replay).notes, "; this setting is left out");
		check_contains(replay_summary(replay).notes, cases[i].words);
		assert_int_equal(replay_summary(replay).count, 1);
		assert_int_equal(replay_find(replay, &first), 0);
		replay_free(replay);
	}
}

/* What this processor lacks, or the memory of this machine, is no obstacle. */
TEST(test_what_cannot_run_here)
{
	struct recording *recording = open_recording();
	struct setting setting = { .kernel = &kernel_wide, .v = { 1, (int64_t)1 << 45 } };
	struct replay *replay;
	struct engine engine;

	record(recording, &setting, 40, 3);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	engine = replay_engine(replay);
	assert_true(engine.holds(engine.context, setting.kernel, setting.v));
	replay_free(replay);
}

RUN_TESTS(.set_up = set_up_all, .tear_down = tear_down_all, .each_set_up = set_up,
	.each_tear_down = tear_down)
