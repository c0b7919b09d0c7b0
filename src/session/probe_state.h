/* The probe's inside, shared by probe.c (the loop around requests), probe_plan.c (what a probe measures, and what it costs),
 * probe_stages.c (the points of each part) and probe_analysis.c (what they say). */
#ifndef SLX_SESSION_PROBE_STATE_H
#define SLX_SESSION_PROBE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/cells.h"
#include "session/probe.h"

enum { PROBE_TASKS = 320, PROBE_STAGES = 16 };

/* One visit that is wanted. */
struct probe_task {
	struct probe_curve *curve;      /* where its point belongs; NULL: a band */
	int band, operation;            /* of a band */
	struct setting setting;
	double x;
	bool fine;
	unsigned visits;                /* made in this round */
};

/* One part with one kind of pages: rounds of tasks. */
struct probe_stage {
	enum probe_part part;
	enum page_kind pages;
	/* Adds the tasks of a round, 0, 1, …; none: the stage is over. */
	void (*fill)(struct probe *probe, const struct probe_stage *stage, int round);
	double seconds;                 /* that it is thought to take */
};

struct probe {
	struct probe_report report;
	struct cells *cells;
	double scale;                   /* of the time that each visit is given */
	int octave;                     /* points an octave of the first pass */
	int rounds;                     /* over each curve: the first, and closer looks */
	int stage_count, stage, round;
	struct probe_stage stages[PROBE_STAGES];
	int task_count, task;
	struct probe_task tasks[PROBE_TASKS];
	bool begun, stopped;
	double begin;                   /* when the first request was asked for */
	double analysed;                /* when the report was last analysed */
	bool waiting;                   /* for the result of tasks[task] */
	unsigned visits;                /* made so far */
	uint64_t largest;               /* bytes that were laid out so far, for what growing costs */
};

/* ---- probe_plan.c ---- */

/* Fills stages, scale and octave by the options, the machine's means and the time there is; notes what was left out. */
void probe_plan(struct probe *probe);

/* Adds a note to the report; one that is there already is not added again. */
void probe_note(struct probe *probe, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The kind of pages that parts use which need one kind only. */
enum page_kind probe_best_pages(const struct probe *probe);

/* ---- probe_stages.c ---- */

void probe_fill_latency(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_tlb(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_line(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_bandwidth(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_parallel(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_cores(struct probe *probe, const struct probe_stage *stage, int round);

/* Rounds over a curve: the first, the second look, and closer ones until knees are known as well as they can be. */
enum { PROBE_ROUNDS = 5 };

/* How long a visit to a working set of that size may take, and how many quiet trials make a point settled. */
double probe_visit_seconds(const struct probe *probe, uint64_t bytes);
enum { PROBE_QUIET = 28 };

/* The working set of chains at once. */
uint64_t probe_parallel_bytes(const struct probe *probe);

/* The first task of this round that a part's failure leaves without sense, for what could not be measured: drops the tasks that need as
 * much memory as a failed one. */
void probe_drop_larger(struct probe *probe, uint64_t bytes);

/* ---- probe_analysis.c ---- */

/* Makes hierarchy, bands and lines anew from the points. */
void probe_analyse(struct probe *probe);

/* Puts a task's cell into its curve or band. */
void probe_keep(struct probe *probe, const struct probe_task *task, const struct cell *cell);

#endif
