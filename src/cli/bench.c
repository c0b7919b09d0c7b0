#include "cli/bench.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/steady.h"
#include "base/units.h"
#include "cli/interrupt.h"
#include "engine/worker.h"

/* Below this small pages do not show: the first-level TLB of today's cores holds 64 entries and more of 4 KiB. */
enum { PAGES_MATTER = 256 << 10 };

/* How long a cancelled request may take to answer. One that had not begun never does. */
#define CANCEL_SECONDS 1.0

/* Seconds from one word of how far it is to the next. */
#define SLOW_EVERY 0.1

double bench_now(void)
{
	return steady_seconds();
}

struct status bench_open(struct bench *bench, const struct cli *cli)
{
	const struct worker_options options = { .cpu = cli->cpu, .bind_caller = true };
	struct status status;

	interrupt_catch();
	*bench = (struct bench){ .slow_after = BENCH_SLOW };
	bench->worker = worker_start(&options, &status);
	if (!bench->worker)
		return status;
	status = worker_wait_ready(bench->worker);
	if (!status_is_ok(&status)) {
		bench_close(bench);
		return status;
	}
	bench->engine = worker_engine(bench->worker);
	bench->machine = bench->engine.machine(bench->engine.context);
	return status;
}

void bench_close(struct bench *bench)
{
	if (bench->worker)
		worker_stop(bench->worker);
	bench->worker = NULL;
}

/* What there is to say of a request under way; empty: nothing. Code that is not ours tells nothing of itself before its first answer. */
static void slow_words(const struct bench *bench, const struct request *request, bool answered, struct outlook *outlook, char *words, size_t size)
{
	const struct engine *engine = &bench->engine;
	double bytes = request->kernel->footprint ? (double)request->kernel->footprint(request->v) : 0;
	struct progress_seen seen;
	char held[32], left[40];
	size_t used;

	*words = '\0';
	if (request->kernel->isolated) {
		units_bytes_long((int64_t)bytes, held, sizeof(held));
		if (!answered)
			snprintf(words, size, "preparing %s ...", held);
	} else if (engine->progress) {
		seen = engine->progress(engine->context);
		progress_left_words(outlook_note(outlook, &seen, bench_now()), left, sizeof(left));
		progress_words(&seen, bytes, words, size);
		used = strlen(words);
		if (*words && *left)
			snprintf(words + used, size - used, ", %s", left);
	}
}

static bool await(struct bench *bench, const struct request *request, struct result *result, bool *told)
{
	const struct engine *engine = &bench->engine;
	double deadline = 0;      /* set once cancelled */
	double slow = bench->slow ? bench_now() + bench->slow_after : INFINITY;
	struct request asked = *request;
	struct outlook outlook = { 0 };
	bool answered = false;

	/* An early answer says that the data are ready, where nothing else does. */
	if (bench->slow && request->kernel->isolated && asked.budget.provisional == 0)
		asked.budget.provisional = 1;
	engine->submit(engine->context, &asked);
	for (;;) {
		struct pollfd wait[] = {
			{ .fd = engine->descriptor(engine->context), .events = POLLIN },
			{ .fd = deadline > 0 ? -1 : interrupt_descriptor(), .events = POLLIN },
		};
		char words[BENCH_LINE];

		while (engine->take(engine->context, result)) {
			if (result->generation != request->generation)
				continue;
			if (result->final)
				return true;
			answered = true;
		}
		if (bench_now() >= slow && deadline == 0) {
			slow_words(bench, request, answered, &outlook, words, sizeof(words));
			slow = bench_now() + SLOW_EVERY;
			if (*words || *told)
				bench->slow(bench->context, words);
			*told = *words;
		}
		if (interrupt_signal() && deadline == 0) {
			engine->cancel(engine->context);
			deadline = bench_now() + CANCEL_SECONDS;
			continue;
		}
		if (deadline > 0 && bench_now() >= deadline)
			return false;
		/* A signal that comes outside poll() is in its pipe; without a pipe the limit finds it. */
		poll(wait, 2, 100);
	}
}

bool bench_measure(struct bench *bench, const struct request *request, struct result *result)
{
	bool told = false, answered = await(bench, request, result, &told);

	if (told)
		bench->slow(bench->context, "");
	return answered;
}

void bench_note_bound(const struct bench *bench, const struct cli *cli)
{
	const struct machine *machine = bench->machine;

	if (!machine->bound)
		cli_note(cli, "not bound to a core: %s", *machine->bind_note ? machine->bind_note : "refused");
}

void bench_notes(const struct bench *bench, const struct cli *cli, const struct run_facts *facts)
{
	const struct machine *machine = bench->machine;

	bench_note_bound(bench, cli);
	/* What was asked for by name is told with the figure. */
	if (facts->footprint < PAGES_MATTER || facts->asked != PAGES_AUTO)
		return;
	if (!machine->huge_pages)
		cli_note(cli, "no huge pages: %s", *machine->huge_note ? machine->huge_note : "refused");
	else if (strcmp(facts->pages, "4k") == 0)
		cli_note(cli, "no huge pages: they may be had here, and yet the working set got 4k pages");
}
