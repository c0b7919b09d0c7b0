/* The bench of batch commands, on an engine that a test slows down; and campaigns on it. */
#include "fakes.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "cli/bench.h"
#include "cli/work.h"

/* An engine that is slow to lay data out, as far as the test lets it. */
struct slow_engine {
	struct request request;
	struct result results[2];
	int count, taken;
	bool held;	      /* nothing is answered before slow() was called */
	unsigned calls, over; /* with words, and with none */
	char words[BENCH_LINE];
	struct progress_seen seen;
};

static void slow_submit(void *context, const struct request *request)
{
	struct slow_engine *engine = context;

	engine->request = *request;
	engine->taken = 0;
	for (int i = 0; i < engine->count; i++) {
		engine->results[i] = fake_result(request, 40, 1.5);
		engine->results[i].final = i + 1 == engine->count;
	}
}

static bool slow_take(void *context, struct result *result)
{
	struct slow_engine *engine = context;

	if ((engine->held && !engine->calls) || engine->taken == engine->count)
		return false;
	*result = engine->results[engine->taken++];
	return true;
}

static void slow_cancel(void *context)
{
}

static void note(void *context, const char *words)
{
	struct slow_engine *engine = context;

	engine->calls += *words != '\0';
	if (*words)
		snprintf(engine->words, sizeof(engine->words), "%s", words);
	else
		engine->over++;
}

static struct progress_seen slow_progress(void *context)
{
	return ((struct slow_engine *)context)->seen;
}

static struct bench bench_on(struct slow_engine *engine, double slow_after)
{
	return (struct bench){
		.engine = { .context = engine,
			.submit = slow_submit,
			.cancel = slow_cancel,
			.take = slow_take,
			.descriptor = -1,
			.progress = slow_progress },
		.slow = note,
		.context = engine,
		.slow_after = slow_after,
	};
}

/* The same for campaigns: nobody is told of progress. */
static struct bench work_on(struct slow_engine *engine)
{
	static struct machine machine = { .bound = true };
	struct bench bench = bench_on(engine, BENCH_SLOW);

	bench.machine = &machine;
	bench.slow = NULL;
	bench.engine.progress = NULL;
	return bench;
}

static struct request a_request(void)
{
	struct request request = {
		.generation = 1, .kernel = &kernel_fold, .budget = { .seconds = 1 }
	};
	struct setting setting;

	setting_init(&setting, &kernel_fold);
	memcpy(request.v, setting.v, sizeof(request.v));
	request.v[FOLD_SIZE] = 3ll << 30;
	return request;
}

TEST(tells_what_is_prepared_and_takes_it_away_again)
{
	struct slow_engine engine = {
		.count = 1, .held = true, .seen = { .stage = STAGE_LAYING, .share = 0.43 }
	};
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.calls, 1);
	assert_int_equal(engine.over, 1);
	assert_string_equal(engine.words, "laying out 3 GiB: 43 %");
	free(result);
}

TEST(says_nothing_of_what_is_quick)
{
	struct slow_engine engine = { .count = 2 };
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.calls + engine.over, 0);
	/* Complete runs would be one more for an early answer that nobody needs. */
	assert_int_equal(engine.request.budget.provisional, 0);
	free(result);
}

TEST(of_code_that_is_not_ours_an_early_answer_tells)
{
	static struct kernel own;
	struct slow_engine engine = { .count = 1, .held = true };
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	own = kernel_fold;
	own.isolated = true;
	request.kernel = &own;
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.request.budget.provisional, 1);
	assert_string_equal(engine.words, "preparing 3 GiB ...");
	engine = (struct slow_engine){ .count = 2 };
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.calls, 0);
	engine = (struct slow_engine){ .count = 1 };
	bench.slow = NULL;
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.request.budget.provisional, 0);
	free(result);
}

TEST(a_caller_can_look_whether_the_answer_is_there)
{
	struct slow_engine engine = { .count = 2, .held = true };
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	bench_submit(&bench, &request, result);
	assert_false(bench_answered(&bench));
	assert_int_equal(engine.request.generation, 1);
	/* An early answer alone is not the end. */
	engine.held = false;
	engine.count = 1;
	engine.results[0].final = false;
	assert_false(bench_answered(&bench));
	engine.count = 2;
	assert_true(bench_answered(&bench));
	assert_true(bench_answered(&bench));
	assert_true(bench_await(&bench));
	assert_true(result->final);
	assert_int_equal(engine.calls, 0);
	/* The answer to an earlier request is none to this one. */
	request.generation = 2;
	engine.taken = engine.count = 0;
	bench_submit(&bench, &request, result);
	engine.count = 1;
	assert_false(bench_answered(&bench));
	assert_int_equal(engine.taken, 1);
	free(result);
}

TEST(one_request_may_follow_another)
{
	struct slow_engine engine = { 0 };
	struct bench bench = bench_on(&engine, 0);
	struct request first = a_request(), second = a_request();
	struct result *result = malloc(2 * sizeof(*result));

	second.generation = 2;
	assert_false(bench_await(&bench));
	bench_submit(&bench, &first, &result[0]);
	assert_false(engine.request.follows);
	bench_submit(&bench, &second, &result[1]);
	assert_true(engine.request.follows);
	engine.results[0] = fake_result(&first, 40, 1.5);
	engine.results[1] = fake_result(&second, 40, 1.5);
	engine.count = 2;
	for (int i = 0; i < 2; i++) {
		assert_true(bench_await(&bench));
		assert_int_equal(result[i].generation, i + 1);
		assert_int_equal(engine.taken, i + 1);
	}
	assert_false(bench_await(&bench));
	assert_false(bench_answered(&bench));
	/* Nothing is under way: the next one follows none. */
	engine.count = 0;
	bench_submit(&bench, &first, &result[0]);
	assert_false(engine.request.follows);
	free(result);
}

/* ---- Campaigns */

/* So many requests, of which each answer counts. */
struct counting {
	int wanted, asked, accepted;
	uint64_t generation;
	int signal_at; /* a signal comes with this answer; 0: none does */
};

static void counting_measure(void *self, const struct measurer *measurer)
{
	const struct request request = { .kernel = &kernel_fold, .budget = { .seconds = 1 } };
	struct counting *counting = self;
	struct result *result = malloc(sizeof(*result));

	while (!measurer_stopped(measurer) && counting->asked < counting->wanted) {
		counting->asked++;
		assert_true(measurer_measure(measurer, &request, result));
		assert_true(result->generation > counting->generation);
		counting->generation = result->generation;
		if (++counting->accepted == counting->signal_at)
			raise(SIGTERM);
	}
	free(result);
}

static void counting_state(const void *self, struct campaign_state *state)
{
	const struct counting *counting = self;

	state->done = counting->wanted ? (double)counting->accepted / counting->wanted : 1;
	state->doing = "this and that";
	state->any = counting->accepted > 0;
}

static const struct campaign_kind campaign_counting = { .measure = counting_measure,
	.state = counting_state };

/* What stands in a file that was written from its beginning. */
static const char *all_of(FILE *file)
{
	static char text[4096];

	fflush(file);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	return text;
}

/* A terminal to write to, and what arrives at its other side. */
struct terminal {
	int master;
	FILE *err;
};

static struct terminal terminal_open(void)
{
	struct terminal terminal = { .master = posix_openpt(O_RDWR | O_NOCTTY) };

	assert_true(terminal.master >= 0);
	assert_int_equal(grantpt(terminal.master), 0);
	assert_int_equal(unlockpt(terminal.master), 0);
	terminal.err = fopen(ptsname(terminal.master), "r+");
	assert_non_null(terminal.err);
	setvbuf(terminal.err, NULL, _IONBF, 0);
	return terminal;
}

/* All that came so far: it comes in pieces, so that a mark is written behind it. */
static const char *arrived(const struct terminal *terminal)
{
	static char text[4096];
	size_t used = 0;
	char *mark = NULL;

	fputs("#", terminal->err);
	while (!mark) {
		ssize_t count = read(terminal->master, text + used, sizeof(text) - 1 - used);

		assert_true(count > 0);
		used += (size_t)count;
		text[used] = '\0';
		mark = strchr(text, '#');
	}
	*mark = '\0';
	return text;
}

static void terminal_close(struct terminal *terminal)
{
	fclose(terminal->err);
	close(terminal->master);
}

TEST(every_request_is_measured_and_the_line_is_gone_in_the_end)
{
	struct terminal terminal = terminal_open();
	struct slow_engine engine = { .count = 1 };
	struct bench bench = work_on(&engine);
	struct cli cli = { .out = stdout, .err = terminal.err };
	struct counting counting = { .wanted = 3 };
	const struct campaign campaign = { &campaign_counting, &counting };
	const char *text, *end;

	assert_true(work_carry_out(&cli, &bench, &campaign));
	assert_int_equal(counting.accepted, 3);
	/* The line that the bench would write into lives no longer. */
	assert_null(bench.slow);
	text = arrived(&terminal);
	assert_non_null(strstr(text, "this and that"));
	assert_non_null(strstr(text, "  0 % "));
	end = text + strlen(text) - 1;
	assert_int_equal(*end, '\r');
	while (end > text && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	assert_true(text + strlen(text) - end > BENCH_LINE);
	assert_int_equal(work_conclude(&cli, &bench, &campaign, "told"), CLI_DONE);
	terminal_close(&terminal);
}

TEST(without_a_terminal_or_asked_to_be_quiet_there_is_no_line)
{
	struct terminal terminal = terminal_open();
	struct slow_engine engine = { .count = 1 };
	struct bench bench = work_on(&engine);
	struct cli quiet = { .out = stdout, .err = terminal.err, .quiet = true };
	struct cli piped = { .out = stdout, .err = tmpfile() };
	struct counting one = { .wanted = 3 }, other = { .wanted = 3 };

	assert_true(work_carry_out(&piped, &bench, &(struct campaign){ &campaign_counting, &one }));
	assert_true(
		work_carry_out(&quiet, &bench, &(struct campaign){ &campaign_counting, &other }));
	assert_int_equal(one.accepted + other.accepted, 6);
	assert_string_equal(all_of(piped.err), "");
	assert_string_equal(arrived(&terminal), "");
	fclose(piped.err);
	terminal_close(&terminal);
}

TEST(the_line_never_wraps)
{
	struct terminal terminal = terminal_open();
	struct slow_engine engine = { .count = 1 };
	struct bench bench = work_on(&engine);
	struct cli cli = { .out = stdout, .err = terminal.err };
	struct progress_line line;

	progress_line_begin(&line, &cli, &bench);
	assert_true(progress_line_due(&line));
	/* And once is enough for now. */
	line.next = INFINITY;
	assert_false(progress_line_due(&line));
	progress_line_show(&line, "%0200d", 1);
	assert_int_equal(strlen(arrived(&terminal)), BENCH_LINE);
	terminal_close(&terminal);
}

TEST(nothing_measured_is_a_failure_that_says_why)
{
	struct slow_engine engine = { .count = 1 };
	struct bench bench = work_on(&engine);
	struct cli cli = { .out = stdout, .err = tmpfile() };
	struct counting counting = { .wanted = 0 };
	const struct campaign campaign = { &campaign_counting, &counting };

	assert_false(work_carry_out(&cli, &bench, &campaign));
	assert_int_equal(work_conclude(&cli, &bench, &campaign, "told"), CLI_UNMEASURED);
	assert_non_null(strstr(all_of(cli.err), "nothing could be measured: no undisturbed trial"));
	fclose(cli.err);
}

/* A terminal that Ctrl-S has stopped blocks output. A full pipe blocks as such a terminal does. */
TEST(a_signal_ends_blocked_output)
{
	pid_t child = fork();
	int how;

	if (child == 0) {
		int full[2];

		interrupt_seconds = 1;
		interrupt_catch();
		raise(SIGTERM);
		for (bool made = pipe(full) == 0; made && write(full[1], "slexplore", 9) > 0;)
			;
		_exit(0);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGTERM);
}

/* Comes last: a signal stays. */
TEST(a_signal_ends_it_between_two_requests)
{
	struct slow_engine engine = { .count = 1 };
	struct bench bench = work_on(&engine);
	struct cli cli = { .out = stdout, .err = tmpfile() };
	struct counting counting = { .wanted = 100, .signal_at = 2 }, none = { .wanted = 100 };
	const struct campaign campaign = { &campaign_counting, &counting },
			      other = { &campaign_counting, &none };
	struct result *result = malloc(sizeof(*result));

	interrupt_catch();
	assert_true(work_carry_out(&cli, &bench, &campaign));
	assert_int_equal(counting.asked, 2);
	assert_int_equal(work_conclude(&cli, &bench, &campaign, "the results so far are printed"),
		128 + SIGTERM);
	assert_non_null(strstr(all_of(cli.err), "interrupted: the results so far are printed"));
	assert_false(work_carry_out(&cli, &bench, &other));
	assert_int_equal(none.asked, 0);
	/* A request after the signal is not even submitted, so nothing is waited for. */
	engine.request.kernel = NULL;
	assert_false(bench_measure(
		&bench, &(struct request){ .kernel = kernel_find("combine") }, result));
	assert_null(engine.request.kernel);
	free(result);
	work_conclude(&cli, &bench, &other, "the results so far are printed");
	assert_non_null(strstr(all_of(cli.err), "interrupted: nothing was measured yet"));
	fclose(cli.err);
	alarm(0);
}

RUN_TESTS()
