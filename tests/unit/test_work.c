#include "fakes.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/format.h"
#include "cli/work.h"

/* An engine that answers at once. */
struct prompt_engine {
	struct request request;
	bool waiting;
};

static void prompt_submit(void *context, const struct request *request)
{
	struct prompt_engine *engine = context;

	engine->request = *request;
	engine->waiting = true;
}

static bool prompt_take(void *context, struct result *result)
{
	struct prompt_engine *engine = context;

	if (!engine->waiting)
		return false;
	engine->waiting = false;
	*result = fake_result(&engine->request, 40, 1.5);
	return true;
}

static int prompt_descriptor(void *context)
{
	(void)context;
	return -1;
}

static void prompt_cancel(void *context)
{
	(void)context;
}

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

static struct machine machine = { .bound = true };

static struct bench bench_on(struct prompt_engine *engine)
{
	return (struct bench){ .engine = { .context = engine,
				       .submit = prompt_submit,
				       .cancel = prompt_cancel,
				       .take = prompt_take,
				       .descriptor = prompt_descriptor },
		.machine = &machine,
		.slow_after = BENCH_SLOW };
}

TEST(every_request_is_measured_and_the_line_is_gone_in_the_end)
{
	struct terminal terminal = terminal_open();
	struct prompt_engine engine = { 0 };
	struct bench bench = bench_on(&engine);
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
	struct prompt_engine engine = { 0 };
	struct bench bench = bench_on(&engine);
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
	struct prompt_engine engine = { 0 };
	struct bench bench = bench_on(&engine);
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
	struct prompt_engine engine = { 0 };
	struct bench bench = bench_on(&engine);
	struct cli cli = { .out = stdout, .err = tmpfile() };
	struct counting counting = { .wanted = 0 };
	const struct campaign campaign = { &campaign_counting, &counting };

	assert_false(work_carry_out(&cli, &bench, &campaign));
	assert_int_equal(work_conclude(&cli, &bench, &campaign, "told"), CLI_UNMEASURED);
	assert_non_null(strstr(all_of(cli.err), "nothing could be measured: no undisturbed trial"));
	fclose(cli.err);
}

/* Comes last: a signal stays. */
TEST(a_signal_ends_it_between_two_requests)
{
	struct prompt_engine engine = { 0 };
	struct bench bench = bench_on(&engine);
	struct cli cli = { .out = stdout, .err = tmpfile() };
	struct counting counting = { .wanted = 100, .signal_at = 2 }, none = { .wanted = 100 };
	const struct campaign campaign = { &campaign_counting, &counting },
			      other = { &campaign_counting, &none };

	interrupt_catch();
	assert_true(work_carry_out(&cli, &bench, &campaign));
	assert_int_equal(counting.asked, 2);
	assert_int_equal(
		work_conclude(&cli, &bench, &campaign, "what was measured so far is printed"),
		128 + SIGTERM);
	assert_non_null(
		strstr(all_of(cli.err), "interrupted: what was measured so far is printed"));
	assert_false(work_carry_out(&cli, &bench, &other));
	assert_int_equal(none.asked, 0);
	work_conclude(&cli, &bench, &other, "what was measured so far is printed");
	assert_non_null(strstr(all_of(cli.err), "interrupted: nothing was measured yet"));
	fclose(cli.err);
}

RUN_TESTS()
