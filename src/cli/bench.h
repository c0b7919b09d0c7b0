/* The worker for batch commands: started, waited for, and asked; a request may follow another. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/cli.h"
#include "engine/engine.h"
#include "experiment/measurer.h"
#include "experiment/setting/setting.h"

struct worker;

/* Requests under way at a time: while the worker measures one, the next waits there. */
enum { BENCH_VISITS = 2 };

/* A request under way, from bench_submit() until bench_await() returned its result. */
struct bench_visit {
	struct request request;
	struct result *result; /* the caller's */
	struct outlook outlook;
	double slow;	 /* when bench->slow is called next, by bench_now() */
	double deadline; /* for the answer to a cancelled request; 0: not cancelled */
	bool early;	 /* an early answer came */
	bool over;	 /* the final answer came */
	bool shown;	 /* bench->slow showed words last */
};

struct bench {
	struct worker *worker;
	struct engine engine;
	const struct machine *machine;
	/* Called ten times a second with words on the progress of a request, while it prepares or
	 * makes complete runs for longer than slow_after seconds, and with an empty string when
	 * that is over; NULL: nobody shows them. */
	void (*slow)(void *context, const char *words);
	void *context;
	double slow_after; /* bench_open() sets BENCH_SLOW */
	/* Called by the bench's measurer while the worker measures: time to show progress. NULL:
	 * nobody shows it. */
	void (*submitted)(void *context);
	void *submitted_context;
	bool ended;	     /* the measurer stops as if a signal had come */
	uint64_t generation; /* of the last request */
	struct bench_visit visit[BENCH_VISITS];
	int oldest, under_way; /* of the visits */
};

#define BENCH_SLOW 0.3

/* Starts the worker on cli->cpu, waits until it is ready, and catches signals. On failure it
 * frees everything. */
struct status bench_open(struct bench *bench, const struct cli *cli);
void bench_close(struct bench *bench);

/* The worker as long measurements use it, with so many requests under way; stops when a signal
 * comes.
 */
struct measurer bench_measurer(struct bench *bench, int ahead);

/* Submits a request, which begins after the requests under way: at most BENCH_VISITS with it.
 * The bench sets its generation.
 * *result receives the answers, and must stay in place until bench_await() returned for it. */
void bench_submit(struct bench *bench, const struct request *request, struct result *result);

/* Whether the final result of the oldest request under way is there, so that bench_await()
 * returns at once. Never waits. */
bool bench_answered(struct bench *bench);

/* Waits for the final result of the oldest request under way. After a signal it cancels all of
 * them, and still waits for this result, which has the trials so far. Returns false when
 * no result came: the request had not begun when it was cancelled, or none is under way. */
bool bench_await(struct bench *bench);

/* A request for a setting, with --seed and within --time-budget, or so many seconds; quiet: enough
 * quiet trials. */
struct request bench_request(
	const struct cli *cli, const struct setting *setting, double seconds, unsigned quiet);

/* Submits, and waits. Nothing else may be under way. */
bool bench_measure(struct bench *bench, const struct request *request, struct result *result);

/* Columns of the words, at most. */
enum { BENCH_LINE = 79 };

/* Notes that the worker is not bound to its core, if it is not. */
void bench_note_bound(const struct bench *bench, const struct cli *cli);

/* Notes the conditions that weaken the result: not bound, no huge pages although the setting is
 * large. */
void bench_notes(const struct bench *bench, const struct cli *cli, const struct run_facts *facts);

/* Seconds of a steady clock. */
double bench_now(void);

/* Catches SIGINT, SIGTERM and SIGHUP from now on; a second one of a kind ends the program at once.
 */
void interrupt_catch(void);

/* The signal that came, or 0. */
int interrupt_signal(void);

/* Becomes readable when a signal has come. */
int interrupt_descriptor(void);

struct progress_line {
	const struct cli *cli;
	bool wanted; /* on a terminal, without --quiet */
	bool shown;
	double next; /* when it may change again */
};

/* The line also shows the bench's words about a slow request. The bench keeps the line's address.
 * */
void progress_line_begin(struct progress_line *line, const struct cli *cli, struct bench *bench);

/* Whether it is time for new words; true once for each time. */
bool progress_line_due(struct progress_line *line);
void progress_line_show(struct progress_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_line_clear(struct progress_line *line);
