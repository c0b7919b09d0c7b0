#include "windows_fakes.h"

#include "fakes.h"

#include "base/random.h"
#include "experiment/windows/windows.h"

#define PLAY windows
#define PLAY_FIELDS                                          \
	unsigned of_kind[FILL_KINDS];                        \
	int most;  /* points that the first curve has had */ \
	bool anew; /* the search has begun again */
#include "campaign_play.h"

static struct result quiet_answer(const struct request *request)
{
	return fake_result(request, 9, window_cycles(request->v));
}

static void play_prepare(struct play *new)
{
	atomic_store(&new->machine.known, true);
	new->takes = -0.002;
	setting_init(&new->options.setting, &kernel_window);
}

static void play_check(const struct request *request)
{
	assert_true(request->budget.quiet_wanted > 0);
	assert_ptr_equal(request->kernel, &kernel_window);
	assert_true(play->report->done < 1);
	assert_true(play->report->now >= 0);
	assert_false(windows_over(play->campaign));
	play->of_kind[request->v[WINDOW_FILLER]]++;
}

/* Measures the nops alone. */
static const struct windows_row *run_nops(struct result (*answer)(const struct request *request))
{
	play->options.fillers = 1u << FILL_NOP;
	run_answered(answer);
	return &play->report->row[0];
}

TEST(every_filler_gets_its_knee)
{
	const struct windows_report *report;

	run();
	report = play->report;
	assert_true(report->complete);
	assert_true(windows_over(play->campaign));
	check_near(report->done, 1, 0);
	check_near(report->seconds, play->now, 1e-9);
	assert_int_equal(report->now, -1);
	assert_string_equal(report->doing, "");
	assert_int_equal(report->count, FILL_KINDS);
	for (int i = 0; i < FILL_KINDS; i++) {
		const struct windows_row *row = &report->row[i];

		assert_string_equal(row->filler, fake_fillers[i]);
		assert_int_equal(row->state, i == FILL_VECTOR ? WINDOWS_FAILED : WINDOWS_DONE);
		assert_int_equal(row->requests, play->of_kind[i]);
		if (i == FILL_VECTOR) {
			check_contains(row->why, "lacks");
			continue;
		}
		assert_int_equal(row->knee.kind, i == FILL_ADD	   ? KNEE_SOFT
						 : i == FILL_OTHER ? KNEE_NONE
								   : KNEE_SHARP);
		if (i != FILL_OTHER)
			check_near(row->knee.x, window_knees[i], i == FILL_ADD ? 3 : 0);
		assert_true(row->curve.count <= (i == FILL_ADD ? 44 : 24));
		check_near(row->knee.before, 600, 90);
		/* Such that it can be looked at. */
		assert_int_equal(row->setting.v[WINDOW_FILLER], i);
		if (i != FILL_OTHER)
			assert_int_equal(row->setting.v[WINDOW_FILLERS], (int64_t)row->knee.x);
		assert_false(row->contended);
		check_near(row->ghz, 4, 0);
	}
	assert_true(report->row[FILL_NOP].fact &&
		    strcmp(report->row[FILL_NOP].fact->buffer, "rob") == 0);
	assert_null(report->row[FILL_OTHER].fact);
	assert_true(isnan(report->row[FILL_NOP].entries));
	assert_string_equal(report->core, "");
}

TEST(the_core_model_stands_beside)
{
	struct uarch *uarch;

	check_ok(uarch_load("golden-cove", "x86_64", &uarch));
	play->options.uarch = uarch;
	play->options.fillers = 1u << FILL_NOP | 1u << FILL_LOAD | 1u << FILL_OTHER;
	run();
	assert_int_equal(play->report->count, 3);
	assert_string_equal(play->report->core, uarch->title);
	check_near(windows_row(play->report, FILL_NOP)->entries, 512, 0);
	check_near(windows_row(play->report, FILL_LOAD)->entries, 192, 0);
	assert_true(isnan(windows_row(play->report, FILL_OTHER)->entries));
	assert_null(windows_row(play->report, FILL_ADD));
	uarch_free(uarch);
}

/* An addition takes a register for its result and one for its flags: the fewer fill first. */
TEST(additions_fill_the_flags_registers_where_these_are_fewer)
{
	static const struct {
		const char *core, *buffer;
		double entries;
	} rows[] = { { "golden-cove", "registers", 248 }, { "zen3", "flags", 122 } };

	for (int i = 0; i < 2; i++) {
		struct uarch *uarch;

		check_ok(uarch_load(rows[i].core, "x86_64", &uarch));
		play->options.fillers = 1u << FILL_ADD;
		begin();
		windows_model(play->campaign, uarch, false);
		assert_string_equal(play->report->row[0].fact->buffer, rows[i].buffer);
		check_near(play->report->row[0].entries, rows[i].entries, 0);
		uarch_free(uarch);
		if (i > 0)
			continue;
		turns_free(play->turns);
		windows_free(play->campaign);
	}
}

TEST(other_knobs_are_passed_on)
{
	play->options.setting.v[WINDOW_REMEDY] = 1;
	play->options.setting.v[WINDOW_SIZE] = 32 << 20;
	play->options.fillers = 1u << FILL_NOP;
	run();
	assert_int_equal(play->report->row[0].knee.kind, KNEE_NONE);
	assert_int_equal(play->report->row[0].setting.v[WINDOW_REMEDY], 1);
	assert_int_equal(play->report->row[0].setting.v[WINDOW_SIZE], 32 << 20);
}

/* Loads that hit L2 are over before a buffer is full: a rise of the curve would have another cause.
 */
TEST(nodes_that_stay_in_the_second_cache_have_no_knees)
{
	play->machine.cache_count = 1;
	play->machine.cache[0] = (struct machine_cache){ .level = 2, .bytes = 2 << 20 };
	play->options.setting.v[WINDOW_SIZE] = 256 << 10;
	run();
	assert_int_equal(play->requests, 0);
	for (int i = 0; i < play->report->count; i++)
		assert_int_equal(play->report->row[i].state, WINDOWS_FAILED);
	check_parts(play->report->row[FILL_NOP].why, "256 KiB of nodes stay in L2 (2 MiB)",
		"raise size");
}

/* Every second visit while something shares the core: twice as slow. */
static struct result contended_answer(const struct request *request)
{
	struct result result = quiet_answer(request);

	return play->requests % 2 ? fake_disturb(result, TRIAL_CONTENDED, 2) : result;
}

TEST(contended_points_are_asked_for_again)
{
	play->answer = contended_answer;
	play->options.fillers = 1u << FILL_NOP | 1u << FILL_STORE;
	run();
	check_near(windows_row(play->report, FILL_NOP)->knee.x, 506, 0);
	check_near(windows_row(play->report, FILL_STORE)->knee.x, 110, 0);
	assert_true(windows_row(play->report, FILL_NOP)->requests >
		    windows_row(play->report, FILL_NOP)->curve.count);
	assert_false(windows_row(play->report, FILL_NOP)->contended);
}

/* Every second visit something uses the memory: a third slower, and nothing on the core tells. */
static struct result disturbed_answer(const struct request *request)
{
	struct result result = quiet_answer(request);

	for (unsigned i = 0; i < result.trials.count && play->requests % 2; i++)
		result.trials.trial[i].cpe *= i < 4 ? 1 : 1.5;
	return result;
}

TEST(points_that_scatter_are_looked_at_twice)
{
	const struct windows_row *row;

	row = run_nops(disturbed_answer);
	check_near(row->knee.x, 506, 0);
	assert_int_equal(row->knee.kind, KNEE_SHARP);
	assert_true(row->requests > row->curve.count);
	/* The faster visit is what counts. */
	for (int i = 0; i < row->curve.count; i++)
		if (row->curve.point[i].x < 500)
			assert_true(row->curve.point[i].y < 600 * 1.2);
}

static struct result always_contended(const struct request *request)
{
	return fake_disturb(quiet_answer(request), TRIAL_CONTENDED, 1);
}

TEST(a_core_that_is_never_quiet_is_said_to_be)
{
	run_nops(always_contended);
	assert_int_equal(play->report->row[0].state, WINDOWS_DONE);
	assert_true(play->report->row[0].contended);
	check_near(play->report->row[0].knee.x, 506, 0);
}

static struct result failing_answer(const struct request *request)
{
	struct result result = quiet_answer(request);

	if (request->v[WINDOW_FILLER] == FILL_ADD) {
		result.trials.count = 0;
		result.status = status_failed("no memory for code");
	}
	if (request->v[WINDOW_FILLER] == FILL_LOAD)
		result.trials.count = 0;
	return result;
}

TEST(a_filler_that_fails_leaves_the_others)
{
	run_answered(failing_answer);
	assert_true(play->report->complete);
	assert_int_equal(play->report->row[FILL_ADD].state, WINDOWS_FAILED);
	assert_string_equal(play->report->row[FILL_ADD].why, "no memory for code");
	assert_string_equal(
		windows_why(play->report), "filler=vector needs what this processor lacks");
	/* One that comes to nothing is asked for until that takes too long. */
	assert_int_equal(play->report->row[FILL_LOAD].state, WINDOWS_FAILED);
	check_contains(play->report->row[FILL_LOAD].why, "was disturbed");
	check_near(play->report->row[FILL_LOAD].seconds, 2, 0.01);
	assert_int_equal(play->report->row[FILL_LOAD].curve.count, 0);
	check_near(play->report->row[FILL_STORE].knee.x, 110, 0);
}

/* A busy core: of a point's first forty visits every trial meets a switch. */
static struct result switched_answer(const struct request *request)
{
	struct result result = quiet_answer(request);

	return play->requests % 41 ? fake_disturb(result, TRIAL_SWITCHED, 1) : result;
}

TEST(a_point_without_a_trial_is_asked_for_again)
{
	const struct windows_row *row;

	row = run_nops(switched_answer);
	assert_int_equal(row->state, WINDOWS_DONE);
	check_near(row->knee.x, 506, 0);
	/* What is looked at again does not insist. */
	assert_true(row->checks > 0);
	assert_int_equal(row->requests, 41 * row->curve.count + row->checks);
}

/* Another thread has half of the reorder buffer, and nothing else is felt of it: in the first tenth
 * of a second, or all the time. */
static double halved_until;

static struct result halved_answer(const struct request *request)
{
	int64_t v[KNOBS_MAX];

	memcpy(v, request->v, sizeof(v));
	if (v[WINDOW_FILLER] == FILL_NOP && play->now < halved_until && v[WINDOW_FILLERS] > 253)
		v[WINDOW_FILLERS] += 253;
	return fake_result(request, 9, window_cycles(v));
}

TEST(a_knee_that_was_another_threads_is_looked_for_anew)
{
	for (int i = 0; i < 2; i++) {
		play_again();
		halved_until = i ? 1000 : 0.1;
		play->answer = halved_answer;
		run();
		assert_true(play->report->complete);
		assert_int_equal(play->report->row[FILL_NOP].knee.kind, KNEE_SHARP);
		check_near(play->report->row[FILL_NOP].knee.x, i ? 253 : 506, 1);
		check_near(play->report->row[FILL_STORE].knee.x, 110, 0);
	}
}

/* Stopped while it is looked for anew, the row tells of no knee. */
TEST(a_knee_that_was_another_threads_is_not_told)
{
	unsigned checked;

	halved_until = 1000;
	run_nops(halved_answer);
	checked = play->requests;
	/* The same, but the other thread has left before the look back, which was the last request:
	 * stopped right after that. */
	play_again();
	play->answer = halved_answer;
	play->options.fillers = 1u << FILL_NOP;
	halved_until = 0.002 * (checked - 1) - 0.001;
	play->stop_after = checked;
	run();
	assert_int_equal(play->report->row[0].checks, 1);
	assert_int_equal(play->report->row[0].curve.count, 0);
	assert_int_equal(play->report->row[0].knee.kind, KNEE_UNKNOWN);
}

/* A visit that takes so long that the next would be too late. */
static struct result slow_answer(const struct request *request)
{
	play->now += 10;
	return switched_answer(request);
}

TEST(slow_visits_are_made_three_times)
{
	run_nops(slow_answer);
	assert_int_equal(play->requests, 3);
	assert_int_equal(play->report->row[0].state, WINDOWS_FAILED);
	assert_string_equal(
		windows_why(play->report), "every trial in 3 measurements was disturbed");
}

/* The visits before one that fails belong to no point. */
static struct result breaking_answer(const struct request *request)
{
	struct result result = always_contended(request);

	if (play->requests == 2) {
		result.trials.count = 0;
		result.status = status_failed("no memory for code");
	}
	return result;
}

TEST(what_failed_keeps_no_point)
{
	run_nops(breaking_answer);
	assert_int_equal(play->report->row[0].state, WINDOWS_FAILED);
	assert_int_equal(play->report->row[0].curve.count, 0);
}

/* Points that jump about: looked for twice, then called unclear. */
static struct result wild_answer(const struct request *request)
{
	struct random random = { play->requests };

	return fake_result(request, 9, 500 + (double)random_below(&random, 2000));
}

TEST(what_stays_unclear_is_looked_for_twice)
{
	run_nops(wild_answer);
	assert_int_equal(play->report->row[0].state, WINDOWS_DONE);
	assert_int_equal(play->report->row[0].knee.kind, KNEE_UNCLEAR);
	assert_true(play->report->row[0].requests > play->report->row[0].curve.count);
}

/* While it is looked for the first time, beside others who share the core; the second time the core
 * is quiet. */
static struct result wild_at_first(const struct request *request)
{
	struct random random = { (uint64_t)request->v[WINDOW_FILLERS] + 1 };

	play->most = play->report->row[0].curve.count > play->most
			     ? play->report->row[0].curve.count
			     : play->most;
	play->anew |= play->report->row[0].curve.count < play->most;
	if (play->anew)
		return quiet_answer(request);
	return fake_disturb(fake_result(request, 9, 500 + (double)random_below(&random, 2000)),
		TRIAL_CONTENDED, 1);
}

TEST(points_that_are_gone_say_nothing_of_the_rest)
{
	run_nops(wild_at_first);
	assert_true(play->anew);
	assert_int_equal(play->report->row[0].knee.kind, KNEE_SHARP);
	assert_false(play->report->row[0].contended);
}

TEST(what_is_cancelled_is_asked_for_again)
{
	struct request first, again;
	struct result result;

	begin();
	assert_true(turns_next(play->turns, 0, &first));
	result = fake_result(&first, 3, 100);
	result.status = status_make(STATUS_CANCELLED, "stopped");
	turns_accept(play->turns, 0.1, &result);
	assert_true(turns_next(play->turns, 0.1, &again));
	assert_memory_equal(first.v, again.v, sizeof(first.v));
	turns_lose(play->turns);
	assert_true(turns_next(play->turns, 0.1, &again));
	assert_memory_equal(first.v, again.v, sizeof(first.v));
	/* An early answer counts for nothing. */
	result = fake_result(&first, 9, 100);
	result.final = false;
	turns_accept(play->turns, 0.2, &result);
	assert_int_equal(play->report->row[0].curve.count, 0);
	turn();
}

TEST(it_can_be_stopped_and_has_its_time)
{
	play->stop_after = 30;
	run();
	assert_int_equal(play->requests, 30);
	assert_false(play->report->complete);
	assert_true(windows_over(play->campaign));
	assert_int_equal(play->report->row[FILL_NOP].state, WINDOWS_DONE);
	assert_int_equal(play->report->row[FILL_STORE].state, WINDOWS_WAITS);
	assert_int_equal(play->report->now, -1);
	play_again();
	play->options.seconds = 0.05;
	run();
	assert_true(play->now >= 0.05 && play->now < 0.06);
	assert_false(play->report->complete);
	check_contains(play->report->notes.note[0], "0.05 s");
}

/* The point under way when it ends, by time or by whoever stops it. */
TEST(the_last_point_is_kept)
{
	for (int stopped = 0; stopped < 2; stopped++) {
		const struct windows_row *row;

		play_again();
		play->answer = always_contended;
		play->options.fillers = 1u << FILL_NOP;
		if (stopped)
			play->stop_after = 2;
		else
			play->options.seconds = 0.003;
		run();
		row = &play->report->row[0];
		assert_int_equal(play->requests, 2);
		assert_int_equal(row->curve.count, 1);
		assert_true(row->contended);
		assert_int_equal(row->setting.v[WINDOW_FILLERS], (int64_t)row->curve.point[0].x);
		assert_false(play->report->complete);
		assert_int_equal(row->state, WINDOWS_GOES_ON);
	}
}

TEST(time_that_was_too_short_is_told)
{
	play->answer = switched_answer;
	play->options.seconds = 0.01;
	play->options.fillers = 1u << FILL_NOP | 1u << FILL_VECTOR;
	run();
	assert_int_equal(play->requests, 5);
	assert_int_equal(windows_row(play->report, FILL_NOP)->curve.count, 0);
	assert_string_equal(windows_why(play->report),
		"the time of 0.01 s was too short to measure everything");
}

/* What somebody looks at comes first, and what was begun goes on where it was. */
TEST(the_preferred_row_comes_first)
{
	struct request request;
	struct result result;
	int points;

	begin();
	for (int i = 0; i < 5; i++) {
		assert_true(turns_next(play->turns, play->now, &request));
		result = quiet_answer(&request);
		turns_accept(play->turns, play->now, &result);
	}
	points = play->report->row[FILL_NOP].curve.count;
	assert_int_equal(points, 5);
	windows_prefer(play->campaign, FILL_STORE);
	turns_lose(play->turns);
	for (int i = 0; i < 3; i++) {
		assert_true(turns_next(play->turns, play->now, &request));
		assert_int_equal(request.v[WINDOW_FILLER], FILL_STORE);
		result = quiet_answer(&request);
		turns_accept(play->turns, play->now, &result);
	}
	windows_prefer(play->campaign, FILL_NOP);
	turns_lose(play->turns);
	assert_true(turns_next(play->turns, play->now, &request));
	assert_int_equal(request.v[WINDOW_FILLER], FILL_NOP);
	assert_true(
		request.v[WINDOW_FILLERS] > play->report->row[FILL_NOP].curve.point[points - 1].x);
	turns_lose(play->turns);
	turn();
	assert_true(play->report->complete);
	check_near(play->report->row[FILL_STORE].knee.x, 110, 0);
	check_near(play->report->row[FILL_NOP].knee.x, 506, 0);
}

/* A knee at the place of the knee of nops is that of the reorder buffer. */
TEST(a_reorder_buffer_that_is_full_first_is_named)
{
	static struct windows_report report = { .count = 2 };
	char words[BUFFERS_WORDS];

	report.row[0] = (struct windows_row){ .filler = "nop",
		.fact = &window_fillers[window_kind("nop")],
		.entries = 448,
		.knee = { .kind = KNEE_SHARP, .x = 441, .lo = 440, .hi = 442 } };
	report.row[1] = report.row[0];
	report.row[1].filler = "load";
	report.row[1].fact = &window_fillers[window_kind("load")];
	report.row[1].entries = 204;
	report.row[1].knee.x = 439;
	windows_difference(&report, &report.row[1], words);
	check_contains(words, "reorder buffer was full first");
	windows_difference(&report, &report.row[0], words);
	assert_null(strstr(words, "first"));
	assert_true(windows_exceeds(&report.row[1]));
	assert_false(windows_exceeds(&report.row[0]));
	report.row[1].curve.count = 2;
	report.row[1].curve.point[1].x = 300;
	assert_float_equal(windows_last(&report.row[1]), 300, 0);
	assert_float_equal(windows_last(&report.row[0]), 0, 0);
	report.row[1].knee.x = 190;
	windows_difference(&report, &report.row[1], words);
	assert_null(strstr(words, "first"));
	/* A thread on the same core uses half of the entries: the core file is not to blame. */
	report.row[1].contended = true;
	windows_difference(&report, &report.row[1], words);
	check_contains(words, "another thread shared the core");
	assert_null(strstr(words, "core file"));
}

TEST(fillers_are_named)
{
	static const char *const some[] = { "load", "nop" }, *const wrong[] = { "nop", "loads" },
				 *const strange[] = { "xyzzyxyzzy" };
	uint64_t fillers;

	check_ok(windows_read_fillers(&kernel_window, some, 2, &fillers));
	assert_true(fillers == (1u << FILL_LOAD | 1u << FILL_NOP));
	check_usage(windows_read_fillers(&kernel_window, wrong, 2, &fillers),
		"unknown filler \"loads\"; did you mean load?");
	check_usage(windows_read_fillers(&kernel_window, strange, 1, &fillers),
		"unknown filler \"xyzzyxyzzy\"; \"slexplore list window\" has them");
}

TEST(other_kernels_are_refused)
{
	struct status status;

	setting_init(&play->options.setting, &kernel_fold);
	assert_null(windows_new(&play->machine, &play->options, &status));
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, "fold");
}

RUN_TESTS(.each_set_up = set_up, .each_tear_down = tear_down)
