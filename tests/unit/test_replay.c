/* The explorer writes a recording, and the explorer plays it: the same figures, and nothing
 * measured. */
#include "fakes.h"

#include <unistd.h>

#include "explorer/session.h"
#include "recording/recording.h"
#include "recording/replay.h"

static struct fake_engine fake;
static struct view view, before;
static const uint64_t LIMIT = UINT64_C(8) << 30;
static char directory[] = "/tmp/slexplore-test-XXXXXX", path[64];

static int set_up_all(void **state)
{
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/played.jsonl", directory);
	return 0;
}

static int tear_down_all(void **state)
{
	return rmdir(directory);
}

static int tear_down(void **state)
{
	unlink(path);
	return 0;
}

static const struct view *look(const struct session *session)
{
	session_view(session, 1, &view);
	return &view;
}

static double figure_of(const struct request *request)
{
	return 1 + (double)(request->v[0] % 1000003) / 1e6 + (double)request->v[1];
}

/* Answers everything that is asked for. */
static double answer_all(struct session *session, double now)
{
	for (int i = 0; i < 5000 && !session_idle(session); i++) {
		double next;

		session_advance(session, now);
		if (fake.pending) {
			fake_answer(&fake, 60, figure_of(&fake.request));
			now += 0.004;
			continue;
		}
		next = session_next(session, now);
		now += next > 0 ? next : 0.0001;
	}
	assert_true(session_idle(session));
	session_advance(session, now);
	return now;
}

static struct session *measure(const struct kernel *kernel, const char *record)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .seed = 5, .record = record };

	set_words(fake.machine.host, "node7");
	setting_init(&options.setting, kernel);
	return session_new(&engine, &options);
}

static bool swapped;

static struct session *play(struct replay **replay, struct explainer *explainer)
{
	struct session_options options = { .opens = true, .swapped = swapped };
	struct engine engine;
	struct session *session;

	check_ok(replay_open(path, replay));
	assert_string_equal(replay_summary(*replay).notes, "");
	engine = replay_engine(*replay);
	*explainer = replay_explainer(*replay);
	options.replay = *replay;
	options.explainer = explainer;
	options.setting = *replay_entry(*replay, 0).setting;
	options.seed = replay_summary(*replay).place->seed;
	session = session_new(&engine, &options);
	session_advance(session, 1);
	session_advance(session, 1);
	return session;
}

static void run(struct session *session, const char *line)
{
	check_ok(session_command(session, line, 1));
	session_advance(session, 1);
	look(session);
}

static void refused(struct session *session, const char *line, const char *part)
{
	struct status status = session_command(session, line, 1);

	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, part);
	assert_string_equal(look(session)->screen.notice, status.text);
}

/* Walks list-walking along its slices, and folds a little, both recorded. */
static void make_recording(void)
{
	struct session *session = measure(&kernel_walk, path);
	double now = answer_all(session, 1);

	assert_true(look(session)->recording);
	before = view;
	check_ok(session_command(session, "kernel fold", now));
	check_ok(session_command(session, "freeze", now));
	session_advance(session, now);
	/* What is cancelled or provisional is not written; a first figure is. */
	check_ok(session_command(session, "freeze", now));
	while (!fake.pending || fake.request.background)
		session_advance(session, now += 0.01);
	fake_answer(&fake, 100, 5);
	session_advance(session, now);
	session_free(session);
}

TEST_WITH(the_same_figures, NULL, tear_down)
{
	struct explainer explainer;
	struct replay *replay;
	struct session *session;
	int compared = 0;

	make_recording();
	session = play(&replay, &explainer);
	look(session);
	assert_string_equal(view.replay, "played.jsonl");
	assert_false(view.recording);
	assert_string_equal(view.machine->host, "node7");
	assert_int_equal(view.memory_limits.memory, LIMIT);
	assert_true(setting_equal(&view.setting, &before.setting));
	check_near(view.sample.cpe, before.sample.cpe, 1e-4);
	assert_true(view.sample.valid && !view.sample.provisional && !view.sample.contended);
	assert_int_equal(view.strip_count, 60);
	assert_int_equal(view.by_size.count, before.by_size.count);
	for (int i = 0; i < view.by_size.count; i++) {
		assert_int_equal(view.by_size.point[i].value, before.by_size.point[i].value);
		assert_true(view.by_size.point[i].valid);
		check_near(
			view.by_size.point[i].sample.cpe, before.by_size.point[i].sample.cpe, 1e-4);
		compared++;
	}
	assert_true(compared > 10);
	session_free(session);
	replay_free(replay);
}

TEST_WITH(nothing_is_measured, NULL, tear_down)
{
	struct explainer explainer;
	struct replay *replay;
	struct session *session;

	make_recording();
	session = play(&replay, &explainer);
	assert_true(session_idle(session));
	assert_true(session_next(session, 1) < 0);
	assert_false(session_advance(session, 100));
	assert_false(session_advance(session, 200));
	assert_true(session_next(session, 200) < 0);
	refused(session, "again",
		"a replay measures nothing: its samples are those of played.jsonl");
	refused(session, "freeze", "a replay measures nothing");
	refused(session, "record", "a replay measures nothing");
	refused(session, "record to x.jsonl", "a replay measures nothing");
	refused(session, "uarch zen4",
		"a replay shows the limits that were recorded, and none were");
	refused(session, "uarch nearest", "a replay shows the limits that were recorded");
	refused(session, "kernel ./mine.c", "own loops");
	assert_false(session_command_works(session, "again"));
	assert_false(session_command_works(session, "freeze"));
	assert_false(session_command_works(session, "record"));
	assert_false(session_command_works(session, "uarch zen4"));
	/* Messages go away by themselves, and then nothing more happens. */
	session_advance(session, 300);
	assert_true(session_next(session, 300) < 0);
	session_free(session);
	replay_free(replay);
}

TEST_WITH(knobs_move_among_what_was_recorded, NULL, tear_down)
{
	struct explainer explainer;
	struct replay *replay;
	struct session *session;
	int64_t size;

	make_recording();
	session = play(&replay, &explainer);
	run(session, "knob size");
	size = view.setting.v[WALK_SIZE];
	run(session, "knob +1");
	assert_true(view.setting.v[WALK_SIZE] > size && view.sample.valid);
	assert_true(replay_find(replay, &view.setting) >= 0);
	run(session, "knob -4");
	run(session, "focus curves");
	run(session, "move right");
	assert_true(replay_find(replay, &view.setting) >= 0);
	/* The nearest, said so; one that is there, without a word. */
	run(session, "set size=33008");
	assert_int_equal(view.setting.v[WALK_SIZE], 32768);
	check_contains(view.screen.notice, "was not recorded: the nearest recorded value is 32k");
	run(session, "set size=64k");
	assert_string_equal(view.screen.notice, "");
	run(session, "knob size");
	run(session, "digit 3");
	check_contains(view.screen.notice, "size was recorded at 1k, ");
	run(session, "digit 3");
	run(session, "digit k");
	run(session, "entry accept");
	assert_int_equal(view.setting.v[WALK_SIZE], 32768);
	/* More than that machine had, or this one: no matter. */
	run(session, "set size=900g");
	assert_true(view.sample.valid);
	refused(session, "set order=reverse",
		"order=reverse was not recorded: order was recorded at sequential");
	run(session, "knob order");
	refused(session, "knob +1", "no further: order was recorded at sequential");
	session_free(session);
	replay_free(replay);
}

TEST_WITH(kernels_that_were_recorded, NULL, tear_down)
{
	struct explainer explainer;
	struct replay *replay;
	struct session *session;

	make_recording();
	session = play(&replay, &explainer);
	look(session);
	assert_false(view.kernel_absent[0]);
	assert_false(view.kernel_absent[1]);
	assert_true(view.kernel_absent[2]);
	assert_false(session_command_works(session, "kernel next"));
	refused(session, "kernel next", "this is the last kernel");
	refused(session, "event perf::FAULTS",
		"a replay cannot count; it shows the recorded counts");
	refused(session, "kernel odd",
		"no setting of odd was recorded; there are recorded settings of fold, walk-list");
	run(session, "kernel previous");
	assert_ptr_equal(view.setting.kernel, &kernel_fold);
	check_near(view.sample.cpe, 5, 0.01);
	/* Of fold, one setting was recorded: no slice is over the size. */
	assert_int_equal(view.by_size.knob, -1);
	run(session, "find odd");
	/* What was not recorded is listed, with the reason. */
	assert_string_equal(view.screen.found[0].command, "kernel odd");
	check_contains(view.screen.found[0].why, "no setting of odd was recorded");
	run(session, "close");
	run(session, "yank");
	check_parts(view.screen.text, "slexplore replay ", "played.jsonl fold op=");
	session_free(session);
	replay_free(replay);
}

TEST_WITH(a_recording_is_compared_with_each_setting, NULL, tear_down)
{
	struct explainer explainer;
	struct replay *replay;
	struct session *session;
	struct words beside = words_of("beside %s", path);
	int lines = 0;

	make_recording();
	session = play(&replay, &explainer);
	check_contains(look(session)->hint, ": recorded with several values");
	refused(session, "beside", "beside needs the file of a recording");
	refused(session, "beside /no/such/file", "/no/such/file");
	assert_false(look(session)->pinned);
	run(session, beside.text);
	/* The same recording: each value is that of the recording, here and along the slice. */
	assert_true(view.pinned && view.a_comparable);
	assert_string_equal(view.a_recording, "played.jsonl");
	check_near(view.ratio, 1, 1e-9);
	for (int i = 0; i < view.by_size.count; i++) {
		assert_non_null(view.by_size.point[i].a);
		check_near(view.by_size.point[i].a->cpe, view.by_size.point[i].sample.cpe, 1e-9);
		lines++;
	}
	assert_true(lines > 10);
	run(session, "kernel fold");
	check_near(view.a.cpe, 5, 0.01);
	refused(session, "pin", "A, the values to compare with, is a recording");
	run(session, "yank");
	check_contains(view.screen.text, beside.text);
	run(session, "close");
	run(session, "pin drop");
	assert_false(view.pinned);
	assert_null(view.a_recording);
	run(session, "undo");
	assert_true(view.pinned);
	session_free(session);
	replay_free(replay);
}

TEST_WITH(undo_exchanges_two_recordings_again, NULL, tear_down)
{
	struct explainer explainer;
	struct replay *replay, *next;
	struct session *session;
	struct setting setting;
	struct words beside = words_of("beside %s", path);

	make_recording();
	session = play(&replay, &explainer);
	run(session, beside.text);
	run(session, "pin swap");
	assert_true(session_opened(session, &next, &setting) && session_swaps(session));
	replay_free(next);
	session_free(session);
	replay_free(replay);
	swapped = true;
	session = play(&replay, &explainer);
	swapped = false;
	run(session, beside.text);
	run(session, "kernel fold");
	run(session, "undo");
	assert_false(session_quit(session));
	run(session, "undo");
	assert_true(session_opened(session, &next, &setting) && next && !session_swaps(session));
	replay_free(next);
	session_free(session);
	replay_free(replay);
}

TEST_WITH(open_ends_the_session_with_what_comes_next, NULL, tear_down)
{
	struct explainer explainer;
	struct replay *replay, *next;
	struct session *session;
	struct setting setting;

	make_recording();
	session = play(&replay, &explainer);
	refused(session, "open /no/such/file", "/no/such/file");
	assert_false(session_quit(session) || session_opened(session, &next, &setting));
	run(session, words_of("open %s", path).text);
	assert_true(session_quit(session));
	assert_true(session_opened(session, &next, &setting));
	assert_int_equal(replay_summary(next).count, replay_summary(replay).count);
	assert_ptr_equal(setting.kernel, view.setting.kernel);
	replay_free(next);
	session_free(session);
	replay_free(replay);
	session = play(&replay, &explainer);
	run(session, "open");
	assert_true(session_opened(session, &next, &setting));
	assert_null(next);
	session_free(session);
	replay_free(replay);
}

TEST(what_goes_wrong_ends_a_recording)
{
	struct session *session = measure(&kernel_walk, "/dev/full");

	session_advance(session, 1);
	check_contains(look(session)->screen.notice,
		"not recording: /dev/full: No space left on device; nothing was recorded");
	assert_false(view.recording);
	session_free(session);
}

RUN_TESTS(.set_up = set_up_all, .tear_down = tear_down_all)
