#include "cli/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/output.h"
#include "base/units.h"
#include "engine/worker/worker.h"
#include "model/core/uarch.h"

/* Working sets of fewer bytes are not slower with 4 KiB pages than with huge pages. The
 * first-level TLB of today's cores holds at least 64 entries of 4 KiB pages. */
enum { PAGES_MATTER = 256 << 10 };

/* Seconds to wait for the worker's result of a cancelled measurement request. The worker sends no
 * result for a request that was cancelled before it began. */
#define CANCEL_SECONDS 1.0

/* Seconds between two updates of the words that show the progress of a slow measurement. */
#define SLOW_EVERY 0.1

/* ---- the worker ---- */

struct status bench_open(struct bench *bench, const struct cli *cli)
{
	const struct worker_options options = {
		.cpu = cli->cpu, .alone = uarch_alone, .bind_caller = true
	};
	struct status status;

	*bench = (struct bench){ .slow_after = BENCH_SLOW };
	bench->worker = worker_start(&options, &status);
	if (!bench->worker)
		return status;
	/* Reading a large topology takes seconds. A signal that comes before its end is not caught,
	 * so it ends the program at once: nothing was measured yet. */
	status = worker_wait_ready(bench->worker);
	interrupt_catch();
	if (!status_is_ok(&status)) {
		bench_close(bench);
		return status;
	}
	bench->engine = worker_engine(bench->worker);
	bench->machine = bench->engine.machine;
	return status;
}

void bench_close(struct bench *bench)
{
	/* A worker whose kernel does not return is left until the program ends. */
	if (bench->worker)
		(void)worker_stop(bench->worker);
	bench->worker = NULL;
}

/* Writes words about the progress of a measurement request, or an empty string. A user's own loop,
 * which runs in a child process, reports no progress before its first result. */
static void slow_words(const struct bench *bench, const struct request *request, bool answered,
	struct outlook *outlook, char *words, size_t size)
{
	const struct engine *engine = &bench->engine;
	double bytes = (double)kernel_footprint(request->kernel, request->v);
	struct progress_seen seen;
	char left[40];
	size_t used;

	*words = '\0';
	if (request->kernel->isolated) {
		if (!answered)
			snprintf(words, size, "preparing %s ...",
				units_size_long((int64_t)bytes).text);
	} else if (engine->progress) {
		seen = engine->progress(engine->context);
		progress_left_words(
			outlook_note(outlook, &seen, monotonic_seconds()), left, sizeof(left));
		progress_words(&seen, bytes, words, size);
		used = strlen(words);
		if (*words && *left)
			snprintf(words + used, size - used, ", %s", left);
	}
}

static struct bench_visit *oldest(struct bench *bench)
{
	return &bench->visit[bench->oldest];
}

static double first_words(const struct bench *bench)
{
	return bench->slow ? monotonic_seconds() + bench->slow_after : INFINITY;
}

void bench_submit(void *context, const struct request *request, struct result *result)
{
	struct bench *bench = context;
	const struct engine *engine = &bench->engine;
	struct bench_visit *visit =
		&bench->visit[(bench->oldest + bench->under_way) % BENCH_VISITS];

	*visit = (struct bench_visit){
		.request = *request,
		.result = result,
		.slow = first_words(bench),
	};
	visit->request.generation = ++bench->generation;
	visit->request.follows = bench->under_way++ > 0;
	/* For a user's own loop, which runs in a child process, the bench requests a provisional
	 * result, because only a result shows that the data of the loop are ready. */
	if (bench->slow && request->kernel->isolated && request->budget.provisional == 0)
		visit->request.budget.provisional = 1;
	/* After a signal, nothing is submitted, so there is nothing to wait for. */
	if (interrupt_signal())
		visit->deadline = monotonic_seconds();
	else
		engine->submit(engine->context, &visit->request);
	if (bench->submitted)
		bench->submitted(bench->submitted_context);
}

bool bench_answered(void *context)
{
	struct bench *bench = context;
	const struct engine *engine = &bench->engine;
	struct bench_visit *visit = oldest(bench);

	if (bench->under_way == 0)
		return false;
	while (!visit->over && engine->take(engine->context, visit->result)) {
		if (visit->result->generation != visit->request.generation)
			continue;
		visit->early = true;
		visit->over = visit->result->final;
	}
	return visit->over;
}

/* Shows the progress of a slow request if the next update is due. */
static void show_slow(struct bench *bench)
{
	struct bench_visit *visit = oldest(bench);
	char words[BENCH_LINE];

	if (monotonic_seconds() < visit->slow || visit->deadline > 0)
		return;
	slow_words(bench, &visit->request, visit->early, &visit->outlook, words, sizeof(words));
	visit->slow = monotonic_seconds() + SLOW_EVERY;
	if (*words || visit->shown)
		bench->slow(bench->context, words);
	visit->shown = *words;
}

static bool await(struct bench *bench)
{
	const struct engine *engine = &bench->engine;
	struct bench_visit *visit = oldest(bench);
	bool timed_out = false;

	for (;;) {
		int signals = visit->deadline > 0 ? -1 : interrupt_descriptor();
		struct pollfd wait[] = {
			{ .fd = engine->descriptor, .events = POLLIN },
			{ .fd = signals, .events = POLLIN },
		};

		if (bench_answered(bench)) {
			/* An answer without a wake-up: the worker's pipe cannot be written. */
			bench->unwoken |= timed_out;
			return true;
		}
		show_slow(bench);
		if (interrupt_signal() && visit->deadline == 0) {
			engine->cancel(engine->context);
			visit->deadline = monotonic_seconds() + CANCEL_SECONDS;
			continue;
		}
		if (visit->deadline > 0 && monotonic_seconds() >= visit->deadline)
			return false;
		/* A signal that arrives outside poll() makes the pipe readable. Without a pipe,
		 * poll() ends after its timeout, and the loop notices the signal. */
		timed_out = poll(wait, 2, bench->unwoken ? 2 : 100) == 0;
	}
}

bool bench_await(void *context)
{
	struct bench *bench = context;
	struct bench_visit *visit = oldest(bench);
	bool answered;

	if (bench->under_way == 0)
		return false;
	answered = await(bench);
	if (visit->shown)
		bench->slow(bench->context, "");
	/* A measurement request that was cancelled before it began has no result. */
	bench->under_way = visit->deadline > 0 ? 0 : bench->under_way - 1;
	bench->oldest = (bench->oldest + 1) % BENCH_VISITS;
	oldest(bench)->slow = first_words(bench);
	return answered;
}

struct request bench_request(
	const struct cli *cli, const struct setting *setting, double seconds, unsigned quiet)
{
	struct request request = { .kernel = setting->kernel,
		.seed = cli->seed,
		.budget = { .seconds = cli->time_budget > 0 ? cli->time_budget : seconds,
			.quiet_wanted = quiet } };

	memcpy(request.v, setting->v, sizeof(request.v));
	return request;
}

bool bench_measure(struct bench *bench, const struct request *request, struct result *result)
{
	bench_submit(bench, request, result);
	return bench_await(bench);
}

/* ---- the bench as a measurer ---- */

static bool bench_stopped(void *context)
{
	return interrupt_signal() || ((const struct bench *)context)->ended;
}

static double measurer_time(void *context)
{
	(void)context;
	return monotonic_seconds();
}

/* Runs work on the calling thread, without a measurement request. Calls submitted() first, so that
 * the caller can show its progress. */
static bool bench_compute(void *context, void (*work)(void *argument), void *argument)
{
	struct bench *bench = context;

	if (bench->submitted)
		bench->submitted(bench->submitted_context);
	work(argument);
	return true;
}

struct measurer bench_measurer(struct bench *bench, int ahead)
{
	return (struct measurer){ .context = bench,
		.ahead = ahead,
		.submit = bench_submit,
		.await = bench_await,
		.answered = bench_answered,
		.stopped = bench_stopped,
		.now = measurer_time,
		.compute = bench_compute };
}

/* ---- notes ---- */

void bench_note_bound(const struct bench *bench, const struct cli *cli)
{
	const struct machine *machine = bench->machine;

	if (!machine->bound)
		cli_note(cli, "the measuring thread could not be bound to one core: %s",
			*machine->bind_note ? machine->bind_note : "refused");
}

void bench_notes(const struct bench *bench, const struct cli *cli, const struct run_facts *facts)
{
	const struct machine *machine = bench->machine;

	bench_note_bound(bench, cli);
	/* If the user chose the kind of pages, the result reports the pages, and no note is
	 * needed. */
	if (facts->footprint < PAGES_MATTER || facts->asked != PAGES_AUTO)
		return;
	if (!machine->huge_pages)
		cli_note(cli, "no huge pages: %s",
			*machine->huge_note ? machine->huge_note : "refused");
	else if (strcmp(facts->pages, "4k") == 0)
		cli_note(cli, "huge pages are available here, but this working set got 4k pages");
}

/* ---- The progress line */

/* Seconds between two changes of the progress line. */
#define EVERY 0.1

void progress_line_clear(struct progress_line *line)
{
	if (line->shown)
		output_erase_line(line->cli->err, BENCH_LINE);
	line->shown = false;
}

/* Replaces the text of the progress line on the terminal. */
static void put(void *context, const char *words)
{
	struct progress_line *line = context;

	progress_line_clear(line);
	fputs(words, line->cli->err);
	fflush(line->cli->err);
	line->shown = *words;
}

void progress_line_begin(struct progress_line *line, const struct cli *cli, struct bench *bench)
{
	*line = (struct progress_line){ .cli = cli,
		.wanted = !cli->quiet && isatty(output_descriptor(cli->err)) };
	if (!line->wanted)
		return;
	bench->slow = put;
	bench->context = line;
}

bool progress_line_due(struct progress_line *line)
{
	double now = monotonic_seconds();

	if (!line->wanted || now < line->next)
		return false;
	line->next = now + EVERY;
	return true;
}

void progress_line_show(struct progress_line *line, const char *format, ...)
{
	char words[BENCH_LINE + 1];
	va_list arguments;

	if (!line->wanted)
		return;
	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	put(line, words);
}
