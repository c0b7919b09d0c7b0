/* The worker as batch commands use it: started, waited for, asked one thing at a time. */
#ifndef SLX_CLI_BENCH_H
#define SLX_CLI_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/cli.h"
#include "engine/engine.h"

struct worker;

struct bench {
	struct worker *worker;
	struct engine engine;
	const struct machine *machine;
	/* Called ten times a second with words of how far a request is, while it prepares or makes complete runs for longer than slow_after
	 * seconds, and with none once that is over; NULL: nobody wants to know. */
	void (*slow)(void *context, const char *words);
	void *context;
	double slow_after;      /* bench_open() sets BENCH_SLOW */
};

#define BENCH_SLOW 0.3

/* Starts the worker on cli->cpu, waits until it is ready, and catches signals. On failure nothing is left. */
struct status bench_open(struct bench *bench, const struct cli *cli);
void bench_close(struct bench *bench);

/* Submits a request and waits for its final result. After a signal the request is cancelled; its result, with
 * what was measured so far, is still waited for. Returns false when no result came, because the request had not
 * begun when it was cancelled. */
bool bench_measure(struct bench *bench, const struct request *request, struct result *result);

/* Columns that such words take at most. */
enum { BENCH_LINE = 79 };

/* Says that the worker is not bound to its core, where it is not. */
void bench_note_bound(const struct bench *bench, const struct cli *cli);

/* Says once what is not as one would wish: not bound, no huge pages although the setting is large. */
void bench_notes(const struct bench *bench, const struct cli *cli, const struct run_facts *facts);

/* Seconds of a steady clock. */
double bench_now(void);

#endif
