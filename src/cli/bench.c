#include "cli/bench.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "cli/interrupt.h"
#include "engine/worker.h"

/* Below this small pages do not show: the first-level TLB of today's cores holds 64 entries and more of 4 KiB. */
enum { PAGES_MATTER = 256 << 10 };

/* How long a cancelled request may take to answer. One that had not begun never does. */
#define CANCEL_SECONDS 1.0

double bench_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
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

void bench_preparing(const struct cli *cli, uint64_t bytes)
{
	char size[32];

	units_bytes_long((int64_t)bytes, size, sizeof(size));
	fprintf(cli->err, "preparing %s ...", size);
}

bool bench_measure(struct bench *bench, const struct request *request, struct result *result)
{
	const struct engine *engine = &bench->engine;
	double deadline = 0;      /* set once cancelled */
	double slow = bench->slow ? bench_now() + bench->slow_after : INFINITY;
	struct request asked = *request;

	/* An early answer says that the data are ready, however long measuring then takes. */
	if (bench->slow && asked.budget.provisional == 0)
		asked.budget.provisional = 1;
	engine->submit(engine->context, &asked);
	for (;;) {
		struct pollfd wait[] = {
			{ .fd = engine->descriptor(engine->context), .events = POLLIN },
			{ .fd = deadline > 0 ? -1 : interrupt_descriptor(), .events = POLLIN },
		};

		while (engine->take(engine->context, result)) {
			if (result->generation != request->generation)
				continue;
			if (result->final)
				return true;
			slow = INFINITY;
		}
		if (bench_now() >= slow && deadline == 0) {
			const struct kernel *kernel = request->kernel;

			bench->slow(bench->context, kernel->footprint ? kernel->footprint(request->v) : 0);
			slow = INFINITY;
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

void bench_notes(const struct bench *bench, const struct cli *cli, const struct run_facts *facts)
{
	const struct machine *machine = bench->machine;

	if (!machine->bound)
		cli_note(cli, "not bound to a core: %s", *machine->bind_note ? machine->bind_note : "refused");
	/* What was asked for by name is told with the figure. */
	if (facts->footprint < PAGES_MATTER || facts->asked != PAGES_AUTO)
		return;
	if (!machine->huge_pages)
		cli_note(cli, "no huge pages: %s", *machine->huge_note ? machine->huge_note : "refused");
	else if (strcmp(facts->pages, "4k") == 0)
		cli_note(cli, "no huge pages: they may be had here, and yet the working set got 4k pages");
}
