/* The bench is the connection of subcommands without a screen to the worker thread, which measures.
 * A measurement request can be submitted while the worker measures another request. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/cli.h"
#include "engine/engine.h"
#include "experiment/measurer.h"
#include "experiment/setting/setting.h"

struct worker;

/* The largest number of measurement requests without a final result: the worker measures one
 * request while the next request waits. */
enum { BENCH_VISITS = 2 };

/* A measurement request under way: from bench_submit() until bench_await() returns its result. */
struct bench_visit {
	struct request request;
	struct result *result; /* receives the provisional and final results of the request; owned
				  by the caller */
	struct outlook outlook;
	double slow; /* time, by the clock of monotonic_seconds(), of the next call of the callback
			bench->slow */
	/* If the request was cancelled: the time until which bench_await() waits for its result; 0:
	 * the request was not cancelled. */
	double deadline;
	bool early; /* at least one result of the request, provisional or final, has arrived */
	bool over;  /* the final result of the request has arrived */
	bool shown; /* the last call of bench->slow showed words about the progress of the request
		     */
};

struct bench {
	struct worker *worker;
	struct engine engine;
	const struct machine *machine;
	/* The bench calls slow() ten times a second with words about the progress of a slow
	 * request. A request is slow if its preparation or its complete runs take longer than
	 * slow_after seconds. When a request is no longer slow, the bench calls slow() with an
	 * empty string. If `slow` is NULL, no progress is shown. */
	void (*slow)(void *context, const char *words);
	void *context;
	double slow_after; /* seconds until a measurement request counts as slow; bench_open() sets
			    * it to BENCH_SLOW
			    */
	/* The bench calls submitted() after each submitted request, and the caller can then show
	 * progress. If the callback `submitted` is NULL, it is not called. */
	void (*submitted)(void *context);
	void *submitted_context;
	bool ended; /* the caller has ended the measurement: no further request is measured, as
		       after a signal */
	uint64_t generation; /* generation of the last request */
	struct bench_visit visit[BENCH_VISITS];
	/* visit[oldest] is the oldest request under way; `under_way` is the number of requests
	 * under way. */
	int oldest, under_way;
	bool unwoken; /* the worker cannot wake this thread: waits must be short */
};

#define BENCH_SLOW 0.3

/* Starts the worker on cli->cpu, waits until the worker is ready, and catches signals. If
 * bench_open() fails, it frees everything that it allocated. */
struct status bench_open(struct bench *bench, const struct cli *cli);
void bench_close(struct bench *bench);

/* Returns a measurer (the functions that submit requests and wait for results) that uses the
 * bench's worker. `ahead` is the largest number of requests under way at one time. The measurer
 * stops after a signal. */
struct measurer bench_measurer(struct bench *bench, int ahead);

/* The measurer also calls bench_submit(), bench_answered() and bench_await(), with a pointer to a
 * struct bench as `bench`.
 *
 * Submits a request, which begins after the requests under way. At most BENCH_VISITS requests,
 * including the new request, can be under way. The bench gives each request a number, its
 * generation. *result receives the results of the request, and must stay valid until bench_await()
 * has returned the final result. */
void bench_submit(void *bench, const struct request *request, struct result *result);

/* Whether the final result of the oldest request under way has arrived. If the final result has
 * arrived, bench_await() returns at once. bench_answered() never waits. */
bool bench_answered(void *bench);

/* Waits for the final result of the oldest request under way. After a signal, bench_await() cancels
 * all requests, and still waits for the final result, which contains the trials so far. Returns
 * false if there is no result, because the request was cancelled before it began, or no request is
 * under way. */
bool bench_await(void *bench);

/* Makes a request for a setting with the seed of --seed. The request's time limit is --time-budget,
 * or `seconds` without that option. The measurement ends early after `quiet` trials without
 * interference. */
struct request bench_request(
	const struct cli *cli, const struct setting *setting, double seconds, unsigned quiet);

/* Submits a request and waits for its result. No other request may be under way. */
bool bench_measure(struct bench *bench, const struct request *request, struct result *result);

/* The largest number of columns of the progress line. */
enum { BENCH_LINE = 79 };

/* Prints a note if the worker's thread is not bound to its core. */
void bench_note_bound(const struct bench *bench, const struct cli *cli);

/* Prints notes about conditions that make the result less reliable. For example, the worker is not
 * bound to its core, or a large working set has no huge pages. */
void bench_notes(const struct bench *bench, const struct cli *cli, const struct run_facts *facts);

struct progress_line {
	const struct cli *cli;
	/* The progress line is shown: the messages go to a terminal, and --quiet was not given. */
	bool wanted;
	bool shown;
	double next; /* earliest time at which the words of the progress line may change again */
};

/* Starts a progress line. The progress line also shows the bench's words about the progress of a
 * slow request. The bench keeps a pointer to `line`, which must stay valid while the bench is open.
 */
void progress_line_begin(struct progress_line *line, const struct cli *cli, struct bench *bench);

/* Whether the words of the progress line may change now. progress_line_due() returns true at most
 * once per interval. */
bool progress_line_due(struct progress_line *line);
void progress_line_show(struct progress_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_line_clear(struct progress_line *line);
