/* The worker as batch commands use it: started, waited for, asked one thing at a time. */
#ifndef SLX_CLI_BENCH_H
#define SLX_CLI_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/cli.h"
#include "engine/engine.h"

struct worker;

/* The request under way, from bench_submit() until bench_await() returns. */
struct bench_visit {
	struct request request;
	struct result *result;   /* the caller's */
	struct outlook outlook;
	double slow;             /* when bench->slow is called next, by bench_now() */
	double deadline;         /* for the answer to a cancelled request; 0: not cancelled */
	bool early;              /* an early answer came */
	bool over;               /* the final answer came */
	bool shown;              /* bench->slow showed words last */
};

struct bench {
	struct worker *worker;
	struct engine engine;
	const struct machine *machine;
	/* Called ten times a second with words of how far a request is, while it prepares or makes complete runs for longer than slow_after
	 * seconds, and with none once that is over; NULL: nobody wants to know. */
	void (*slow)(void *context, const char *words);
	void *context;
	double slow_after;      /* bench_open() sets BENCH_SLOW */
	struct bench_visit visit;
};

#define BENCH_SLOW 0.3

/* Starts the worker on cli->cpu, waits until it is ready, and catches signals. On failure nothing is left. */
struct status bench_open(struct bench *bench, const struct cli *cli);
void bench_close(struct bench *bench);

/* Submits a request. *result receives the answers, and must stay in place until bench_await()
 * returns. One request at a time: the one before must have been awaited. */
void bench_submit(struct bench *bench, const struct request *request, struct result *result);

/* Whether the final result is there, so that bench_await() returns at once. Never waits. */
bool bench_answered(struct bench *bench);

/* Waits for the final result. After a signal it cancels the request, and still waits for the
 * result, which holds what was measured so far. Returns false when no result came, because the
 * request had not begun when it was cancelled. */
bool bench_await(struct bench *bench);

/* Both: submits, and waits. */
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
