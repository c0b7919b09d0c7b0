/* The probe's inside, shared by probe.c (the loop around requests), probe_plan.c (what a probe
 * measures, and what it costs), probe_tasks.c (single visits), probe_stages.c and probe_levels.c
 * (the points of each part), and probe_analysis.c (what they say). */
#ifndef SLX_EXPERIMENT_PROBE_PROBE_STATE_H
#define SLX_EXPERIMENT_PROBE_PROBE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/visits.h"

enum { PROBE_TASKS = 320, PROBE_STAGES = 16 };

/* One visit that is wanted. */
struct probe_task {
	struct probe_curve *curve; /* where its point belongs; NULL: a band */
	int band, operation;	   /* of a band */
	struct setting setting;
	double x;
	bool fine;
	bool share;	 /* of what this process has of the last cache: no point of a curve */
	unsigned visits; /* made in this round */
};

/* Sizes looked at for one figure of the share. */
enum { SHARE_SIZES = 5 };

/* One part with one kind of pages: rounds of tasks. */
struct probe_stage {
	enum probe_part part;
	enum page_kind pages;
	/* Adds the tasks of a round, 0, 1, …; none: the stage is over. */
	void (*fill)(struct probe *probe, const struct probe_stage *stage, int round);
	double seconds; /* that it is thought to take */
};

struct probe {
	struct probe_report report;
	struct cells *cells;
	double scale; /* of the time that each visit is given */
	int octave;   /* points an octave of the first pass */
	int rounds;   /* over each curve: the first, and closer looks */
	int stage_count, stage, round;
	struct probe_stage stages[PROBE_STAGES];
	int task_count, tasks_done; /* of this round */
	struct probe_task tasks[PROBE_TASKS];
	struct visits visits; /* while probe_measure() measures */
	double begin;
	double analysed; /* report.seconds when the report was last analysed */
	int looked;	 /* sizes of the present look at the share */
	struct curve_point look[SHARE_SIZES];
};

/* ---- probe_plan.c ---- */

/* Fills stages, scale and octave by the options, the machine's means and the time there is; notes
 * what was left out. */
void probe_plan(struct probe *probe);

/* Adds a note to the report; one that is there already is not added again. */
void probe_note(struct probe *probe, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The kind of pages that parts use which need one kind only. */
enum page_kind probe_best_pages(const struct probe *probe);

/* ---- probe_tasks.c ---- */

/* How long a visit to a working set of that size may take, and how many quiet trials make a point
 * settled. */
double probe_visit_seconds(const struct probe *probe, uint64_t bytes);
enum { PROBE_QUIET = 28 };

/* Working sets up to so many bytes are laid out anew in no time. */
enum { PROBE_CHEAP = 8 << 20, PROBE_PAGE = 4096 };

/* Beyond so many bytes, which the core's own caches do not hold on most machines, each visit walks
 * to steady state first. */
enum { PROBE_FAR = 1 << 20 };
bool probe_is_far(const struct setting *setting);

/* A kernel at its initial setting with these pages. False: there is no such kernel. */
bool probe_start(struct setting *setting, const char *kernel, enum page_kind pages);
/* One knob by name; a choice by its name. False: the kernel has none. */
bool probe_set(struct setting *setting, const char *name, int64_t value);
bool probe_choose(struct setting *setting, const char *name, const char *choice);
/* Whether its kernel allows the setting, within the knobs' ranges. */
bool probe_allowed(const struct setting *setting);

/* Whether this takes so long, on a busy machine, that only what was not looked at yet is. */
bool probe_late(const struct probe *probe);

void probe_add_task(struct probe *probe, const struct probe_task *task);
/* Adds a point at x of a curve, unless it is there already or wanted in this round, or its setting
 * is not allowed. */
void probe_add_point(struct probe *probe, struct probe_curve *curve, const struct setting *setting,
	double x, bool fine);
/* Visits again every point of a curve, or (not all) what is in doubt and laid out quickly. */
void probe_look_again(struct probe *probe, struct probe_curve *curve, bool all);
/* Drops what is left of this round and needs as much memory. */
void probe_drop_larger(struct probe *probe, int task, uint64_t bytes);

/* Bytes of a task's working set; and two orders for qsort(): small ones first; and, after a round
 * that ended with the largest, from there down, since taking back what was laid out last is as
 * quick as laying it out was, and then the cheap ones upward. */
uint64_t probe_task_bytes(const struct probe_task *task);
int probe_upward(const void *a, const void *b);
int probe_downward(const void *a, const void *b);

/* ---- probe_stages.c ---- */

/* Rounds over a curve: the first, the second look, and closer ones until knees are known as well as
 * they can be. */
enum { PROBE_ROUNDS = 5 };

void probe_fill_latency(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_tlb(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_line(struct probe *probe, const struct probe_stage *stage, int round);

/* ---- probe_share.c ---- */

void probe_fill_share(struct probe *probe, const struct probe_stage *stage, int round);
/* Takes the result of a visit for the share. */
void probe_take_share(
	struct probe *probe, const struct probe_task *task, const struct result *result);

/* ---- probe_levels.c ---- */

void probe_fill_bandwidth(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_parallel(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_cores(struct probe *probe, const struct probe_stage *stage, int round);

/* Well inside a level of so many bytes, of which the one before holds `before` (0: it is the
 * first). */
uint64_t probe_inside(double before, double bytes);

/* The working set of chains at once: beyond the caches that were found, or else that the system
 * states, and yet no larger than it must be, since each number of chains has cycles of its own,
 * which have to be laid out. */
uint64_t probe_parallel_bytes(const struct probe *probe);

/* ---- probe_analysis.c ---- */

/* Makes hierarchy, bands and lines anew from the points. */
void probe_analyse(struct probe *probe);

/* Puts a task's cell into its curve or band. */
void probe_keep(struct probe *probe, const struct probe_task *task, const struct cell *cell);

#endif
