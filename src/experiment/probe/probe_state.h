/* Declarations for the files of the probe. Each file uses only the files above it:
 *
 * - probe_plan.c: the stages, the time limit of each stage, and the visits of a round
 * - probe_points.c: the points that each stage measures
 * - probe.c: measures, and fills the report */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"

enum { PROBE_TASKS = 320, PROBE_STAGES = 16 };

/* Working-set sizes in one measurement of this process's share of the last cache. */
enum { SHARE_SIZES = 5 };

/* One point that this round visits. */
struct probe_task {
	struct probe_curve *curve; /* the point's curve; NULL: a band or the share */
	int band, operation;	   /* of a band */
	struct setting setting;
	double x;
	bool fine;
	bool share;	 /* part of one measurement of the share of the last cache */
	unsigned visits; /* made in this round */
};

/* A stage measures one part with one kind of pages, in rounds of tasks. */
struct probe_stage {
	enum probe_part part;
	enum page_kind pages;
	bool share;	/* one measurement of the share of the last cache */
	double seconds; /* estimate */
};

struct probe {
	struct probe_report report;
	struct cells *cells;
	double scale; /* factor for the seconds of each visit */
	int octave;   /* points per octave in the first round */
	int rounds;   /* rounds over each curve: the first, and refinements */
	int stage_count, stage, round;
	struct probe_stage stages[PROBE_STAGES];
	int task_count, tasks_done; /* of this round */
	struct probe_task tasks[PROBE_TASKS];
	struct visits visits; /* while probe_measure() runs */
	double begin;
	double analysed; /* report.seconds when the report was last analysed */
	int looked;	 /* sizes measured so far for the current value of the share */
	struct curve_point look[SHARE_SIZES];
};

/* ---- probe_plan.c ---- */

/* Fills stages, scale and octave from the options, the memory limits and the time. Adds a note for
 * each omitted part. */
void probe_plan(struct probe *probe);

/* The kind of pages for parts that use only one kind. */
enum page_kind probe_best_pages(const struct probe *probe);

/* Returns the seconds of a visit to a working set of that size. PROBE_QUIET quiet trials settle a
 * point. */
double probe_visit_seconds(const struct probe *probe, uint64_t bytes);
enum { PROBE_QUIET = 28 };

/* The most rounds over a curve: the first round, a repeat, and refinements until the knees are
 * precise. */
enum { PROBE_ROUNDS = 5 };

/* PROBE_CHEAP: up to this many bytes, the time to lay out a working set is negligible. */
enum { PROBE_CHEAP = 8 << 20, PROBE_PAGE = 4096 };

/* On most machines, the core's own caches do not hold a working set larger than this. Each visit
 * then walks to steady state first. */
enum { PROBE_FAR = 1 << 20 };
bool probe_is_far(const struct setting *setting);

/* Whether the probe is so late that it omits optional measurements. */
bool probe_late(const struct probe *probe);

/* Bytes of the working set for parallel chains. It is larger than the caches, but small, because
 * each number of chains needs its own layout. */
uint64_t probe_parallel_bytes(const struct probe *probe);

/* Bytes of a task's working set. */
uint64_t probe_task_bytes(const struct probe_task *task);

/* ---- probe_points.c ---- */

/* Adds the tasks of one round (0, 1, …) of a stage. If it adds no task, the stage is over. */
void probe_fill(struct probe *probe, const struct probe_stage *stage, int round);

/* Adds a visit's result to the current measurement of the share. */
void probe_take_share(
	struct probe *probe, const struct probe_task *task, const struct result *result);

/* ---- probe.c ---- */

/* Computes hierarchy, bands and lines from the points. */
void probe_analyse(struct probe *probe);
