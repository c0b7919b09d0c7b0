/* The inside of the probe. Each file uses only those above it:
 *
 * probe_tasks.c    the visits of a round, and the settings that they measure
 * probe_levels.c   points that need the levels found before
 * probe_curves.c   points of latency curves
 * probe_plan.c     the stages, and the time that each may take
 * probe.c          measuring, and the report */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/visits.h"

enum { PROBE_TASKS = 320, PROBE_STAGES = 16 };

/* Sizes that one look at the share of the last cache walks. */
enum { SHARE_SIZES = 5 };

/* One point that this round visits. */
struct probe_task {
	struct probe_curve *curve; /* to which the point belongs; NULL: a band or the share */
	int band, operation;	   /* of a band */
	struct setting setting;
	double x;
	bool fine;
	bool share;	 /* part of a look at the share of the last cache */
	unsigned visits; /* made in this round */
};

/* One part with one kind of pages: rounds of tasks. */
struct probe_stage {
	enum probe_part part;
	enum page_kind pages;
	/* Adds the tasks of round 0, 1, …; none: the stage is over. */
	void (*fill)(struct probe *probe, const struct probe_stage *stage, int round);
	double seconds; /* estimate */
};

struct probe {
	struct probe_report report;
	struct cells *cells;
	double scale; /* of the time that each visit is given */
	int octave;   /* points an octave of the first round */
	int rounds;   /* over each curve: the first, and closer looks */
	int stage_count, stage, round;
	struct probe_stage stages[PROBE_STAGES];
	int task_count, tasks_done; /* of this round */
	struct probe_task tasks[PROBE_TASKS];
	struct visits visits; /* while probe_measure() runs */
	double begin;
	double analysed; /* report.seconds when the report was last analysed */
	int looked;	 /* sizes of the present look at the share */
	struct curve_point look[SHARE_SIZES];
};

/* ---- probe_tasks.c ---- */

/* Adds a note to the report, unless the report has it. */
void probe_note(struct probe *probe, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The kind of pages for parts that are measured with one kind only. */
enum page_kind probe_best_pages(const struct probe *probe);

/* Seconds for a visit to a working set of that size, and the quiet trials that settle a point. */
double probe_visit_seconds(const struct probe *probe, uint64_t bytes);
enum { PROBE_QUIET = 28 };

/* Bytes up to which laying out a working set takes next to no time. */
enum { PROBE_CHEAP = 8 << 20, PROBE_PAGE = 4096 };

/* Bytes beyond which the core's own caches do not hold a working set on most machines, so that each
 * visit walks to steady state first. */
enum { PROBE_FAR = 1 << 20 };
bool probe_is_far(const struct setting *setting);

/* A kernel at its initial setting with these pages. False: there is no such kernel. */
bool probe_start(struct setting *setting, const char *kernel, enum page_kind pages);
/* One knob by name; a choice by its name. False: the kernel has none. */
bool probe_set(struct setting *setting, const char *name, int64_t value);
bool probe_choose(struct setting *setting, const char *name, const char *choice);
/* A walk of the kernel "latency". */
bool probe_latency(struct setting *setting, enum page_kind pages, int64_t size, int64_t stride,
	const char *order);
/* Whether its kernel allows the setting, within the knobs' ranges. */
bool probe_allowed(const struct setting *setting);

/* Whether the probe already takes so long that it omits optional looks. */
bool probe_late(const struct probe *probe);

void probe_add_task(struct probe *probe, const struct probe_task *task);
/* Adds a point at x of a curve, unless the curve or this round has it, or its setting is not
 * allowed. */
void probe_add_point(struct probe *probe, struct probe_curve *curve, const struct setting *setting,
	double x, bool fine);
/* Visits every point of a curve again, or (not all) the doubtful ones that are laid out quickly. */
void probe_look_again(struct probe *probe, struct probe_curve *curve, bool all);
/* Removes later tasks of this round that need at least as much memory. */
void probe_drop_larger(struct probe *probe, int task, uint64_t bytes);

/* Bytes of a task's working set, and two orders for qsort(): upward; and, after a round that ended
 * with the largest, down to PROBE_CHEAP, since shrinking a layout is as quick as growing it, then
 * the cheap tasks upward. */
uint64_t probe_task_bytes(const struct probe_task *task);
int probe_upward(const void *a, const void *b);
int probe_downward(const void *a, const void *b);

/* ---- probe_levels.c ---- */

void probe_fill_line(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_bandwidth(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_parallel(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_cores(struct probe *probe, const struct probe_stage *stage, int round);

/* Bytes of the working set of chains at once: larger than the caches, and otherwise small, since
 * each number of chains has cycles of its own to lay out. */
uint64_t probe_parallel_bytes(const struct probe *probe);

/* ---- probe_curves.c ---- */

/* Rounds over a curve: the first, the second look, and closer ones until the knees are known well.
 */
enum { PROBE_ROUNDS = 5 };

void probe_fill_latency(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_tlb(struct probe *probe, const struct probe_stage *stage, int round);
void probe_fill_share(struct probe *probe, const struct probe_stage *stage, int round);
/* The result of a visit for the share. */
void probe_take_share(
	struct probe *probe, const struct probe_task *task, const struct result *result);

/* ---- probe_plan.c ---- */

/* Fills stages, scale and octave by the options, the memory limits and the time; notes what it
 * omits. */
void probe_plan(struct probe *probe);

/* ---- probe.c ---- */

/* Computes hierarchy, bands and lines from the points. */
void probe_analyse(struct probe *probe);
