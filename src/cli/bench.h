/* The bench runs the worker for batch commands. A request can be submitted while another one is
 * under way. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/cli.h"
#include "engine/engine.h"
#include "experiment/measurer.h"
#include "experiment/setting/setting.h"

struct worker;

/* The most requests under way: the worker measures one request while the next one waits. */
enum { BENCH_VISITS = 2 };

/* A request under way: from bench_submit() until bench_await() returns its result. */
struct bench_visit {
	struct request request;
	struct result *result; /* the caller's */
	struct outlook outlook;
	double slow;	 /* monotonic_seconds() time of the next call of bench->slow */
	double deadline; /* latest time of the answer to a cancelled request; 0: not cancelled */
	bool early;	 /* an early answer arrived */
	bool over;	 /* the final answer arrived */
	bool shown;	 /* the last call of bench->slow showed words */
};

struct bench {
	struct worker *worker;
	struct engine engine;
	const struct machine *machine;
	/* Called ten times a second with words about the progress of a slow request: one that
	 * prepares or makes complete runs for longer than slow_after seconds. Called with an empty
	 * string when the slow phase ends. NULL: no progress is shown. */
	void (*slow)(void *context, const char *words);
	void *context;
	double slow_after; /* bench_open() sets BENCH_SLOW */
	/* Called after each submitted request, while the worker measures, so that the caller can
	 * show progress. NULL: no progress is shown. */
	void (*submitted)(void *context);
	void *submitted_context;
	bool ended;	     /* the measurer stops, like after a signal */
	uint64_t generation; /* of the last request */
	struct bench_visit visit[BENCH_VISITS];
	int oldest, under_way; /* of the visits */
};

#define BENCH_SLOW 0.3

/* Starts the worker on cli->cpu, waits until it is ready, and catches signals. On failure,
 * everything is freed. */
struct status bench_open(struct bench *bench, const struct cli *cli);
void bench_close(struct bench *bench);

/* Returns a measurer that uses the bench's worker. ahead: the number of requests under way at a
 * time. The measurer stops after a signal. */
struct measurer bench_measurer(struct bench *bench, int ahead);

/* These three functions serve the measurer, too: `bench` is a struct bench.
 *
 * Submits a request. It begins after the requests under way; at most BENCH_VISITS requests, this
 * one included, can be under way. The bench sets the request's generation. *result receives the
 * answers, and must stay valid until bench_await() has returned its result. */
void bench_submit(void *bench, const struct request *request, struct result *result);

/* Whether the final result of the oldest request under way has arrived: then bench_await() returns
 * at once. This function never waits. */
bool bench_answered(void *bench);

/* Waits for the final result of the oldest request under way. After a signal it cancels all
 * requests, and still waits for this result, which contains the trials so far. Returns false if
 * there is no result: the request was cancelled before it began, or no request is under way. */
bool bench_await(void *bench);

/* Makes a request for a setting with the seed of --seed. Its time limit is --time-budget, or
 * `seconds` without that option. quiet: this number of quiet trials is enough. */
struct request bench_request(
	const struct cli *cli, const struct setting *setting, double seconds, unsigned quiet);

/* Submits a request and waits for its result. No other request may be under way. */
bool bench_measure(struct bench *bench, const struct request *request, struct result *result);

/* The most columns of the progress line. */
enum { BENCH_LINE = 79 };

/* Prints a note if the worker is not bound to its core. */
void bench_note_bound(const struct bench *bench, const struct cli *cli);

/* Prints notes about conditions that make the result less reliable: the worker is not bound, or a
 * large working set has no huge pages. */
void bench_notes(const struct bench *bench, const struct cli *cli, const struct run_facts *facts);

/* Catches SIGINT, SIGTERM and SIGHUP from now on. A second signal with the same number ends the
 * program at once. */
void interrupt_catch(void);

/* Returns the received signal, or 0. */
int interrupt_signal(void);

struct progress_line {
	const struct cli *cli;
	bool wanted; /* on a terminal, without --quiet */
	bool shown;
	double next; /* time of the next change */
};

/* Starts a progress line. The line also shows the bench's words about a slow request. The bench
 * keeps the line's address.
 * */
void progress_line_begin(struct progress_line *line, const struct cli *cli, struct bench *bench);

/* Whether the line is due for new words. Returns true once per interval. */
bool progress_line_due(struct progress_line *line);
void progress_line_show(struct progress_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_line_clear(struct progress_line *line);
