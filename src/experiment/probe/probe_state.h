/* Declarations for the files of the probe. Each line uses only the functions of lines above
 * it:
 *
 * - probe_plan.c: plans the stages and the time limit of each stage, and counts the visits of a
 *   round
 * - probe_tasks.c: adds points to the list of a round
 * - probe_share.c: chooses the points for the share of the last cache
 * - probe_points.c: chooses the points that each stage measures
 * - probe_transfer.c: measures the core-to-core latencies
 * - probe.c: measures the points, and fills the report */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"

enum { PROBE_TASKS = 320, PROBE_STAGES = 16 };

/* Number of working-set sizes in one measurement of this process's share of the last cache. */
enum { SHARE_SIZES = 5 };

/* One point (task) that the current round of the probe measures. */
struct probe_task {
	struct probe_curve *curve; /* the curve to which the measured point belongs; NULL: the task
				      measures a bandwidth or the share of the last cache */
	int band, operation; /* if the task measures a bandwidth: index of the measured level's
				band, and the operation (read, write, copy) */
	struct setting setting;
	double x;
	bool fine;
	bool share;	 /* the task is part of one measurement of the share of the last cache */
	unsigned visits; /* number of measurements of the task's point in this round */
};

/* A stage of the probe measures one part, such as latency, with one kind of pages. Each stage of
 * the probe consists of rounds, and each round of tasks: points to measure. */
struct probe_stage {
	enum probe_part part;
	enum page_kind pages;
	bool share;	/* true if the stage is one measurement of the share of the last cache */
	double seconds; /* estimated seconds of the stage */
};

struct probe {
	struct probe_report report;
	struct cells *cells;
	double tlb_stated[DTLBS]; /* see struct hierarchy_input */
	double scale; /* factor by which the probe multiplies the seconds of each measurement */
	int octave;   /* number of points of a curve per doubling of the size in the first round */
	int rounds;   /* number of rounds of measurements for each curve: the first round, and
			 refinements */
	int stage_count, stage, round;
	struct probe_stage stages[PROBE_STAGES];
	int task_count, tasks_done; /* tasks (points to measure) of this round: their number, and
				       the number done */
	struct probe_task tasks[PROBE_TASKS];
	struct visits visits; /* state of the scheduler of short measurements (visits) while
				 probe_measure() runs */
	double begin;
	double analysed; /* value of report.seconds when the report was last analysed */
	int looked; /* number of sizes measured so far for the current value of the share of the
		       last cache */
	struct curve_point look[SHARE_SIZES];
};

/* ---- probe_plan.c ---- */

/* Fills the probe's stages, scale and octave from the options, the memory limits and the time
 * limit. Adds a note to the report for each omitted part. */
void probe_plan(struct probe *probe);

/* Returns the kind of pages for parts of the probe that use only one kind. */
enum page_kind probe_best_pages(const struct probe *probe);

/* Returns the seconds of one measurement with a working set of `bytes` bytes. After PROBE_QUIET
 * quiet trials, a point of the probe needs no further measurement. */
double probe_visit_seconds(const struct probe *probe, uint64_t bytes);
enum { PROBE_QUIET = 28 };

/* Largest number of rounds over a curve: the first round, a repeat, and refinements until the knees
 * are precise. */
enum { PROBE_ROUNDS = 5 };

/* PROBE_CHEAP: the time to lay out a working set of at most PROBE_CHEAP bytes is negligible.
 * PROBE_PAGE: bytes of a small page. */
enum { PROBE_CHEAP = 8 << 20, PROBE_PAGE = 4096 };

/* On most machines, a working set of more than PROBE_FAR bytes does not fit the core's own caches.
 * A measurement with a larger working set first walks through it until the caches are in steady
 * state. */
enum { PROBE_FAR = 1 << 20 };
bool probe_is_far(const struct setting *setting);

/* Returns whether the probe has so little time left that it omits optional measurements. */
bool probe_late(const struct probe *probe);

/* Returns the bytes of the working set for parallel chains. The working set is larger than the
 * caches, but not much larger, because each number of chains needs a new layout. */
uint64_t probe_parallel_bytes(const struct probe *probe);

/* Returns the bytes of the working set of a task, a point to measure. */
uint64_t probe_task_bytes(const struct probe_task *task);

/* Returns the probe's progress, from 0 to 1. */
double probe_share_done(const struct probe *probe);

/* ---- probe_tasks.c ---- */

/* Adds a point of a curve (a kernel's setting) to measure in this round of the probe, if there is
 * room for the point. */
void probe_add_task(struct probe *probe, const struct probe_task *task);

/* Adds the setting that `format` gives to the points to measure in this round. Adds no point to
 * measure if the curve or this round already has the setting, or if the setting is not allowed.
 * Returns whether the setting is allowed. */
__attribute__((format(printf, 4, 5))) bool probe_add(
	struct probe *probe, enum page_kind pages, struct probe_task task, const char *format, ...);

/* Adds points of a curve to the list of points to measure again. If `all` is true, every point up
 * to PROBE_FAR bytes is measured again. Doubtful points of up to PROBE_CHEAP bytes are always
 * measured again. */
void probe_again(struct probe *probe, struct probe_curve *curve, bool all);

/* ---- probe_share.c ---- */

/* Adds the points of one round of a stage that measures which share of the last-level cache this
 * process can use. */
void probe_fill_share(struct probe *probe, const struct probe_stage *stage, int round);

/* Adds the result of one measurement to the current value of the share of the last cache. */
void probe_take_share(
	struct probe *probe, const struct probe_task *task, const struct result *result);

/* ---- probe_points.c ---- */

/* Adds the points to measure in one round (0, 1, …) of a stage of the probe. If no point to measure
 * was added for a round, the stage of the probe is over. */
void probe_fill(struct probe *probe, const struct probe_stage *stage, int round);

/* ---- probe_transfer.c ---- */

/* PAIR_SECONDS: seconds of one visit of a pair of processors. PAIR_THREADS: seconds to start and
 * end the two threads of a visit. PAIR_VISITS: largest number of visits of a pair. */
#define PAIR_SECONDS 0.003
#define PAIR_THREADS 0.0003
enum { PAIR_VISITS = 24 };

/* Measures the core-to-core latencies, for the time of the stage. Returns false if the measurer
 * stopped. */
bool probe_transfer_run(struct probe *probe, const struct probe_stage *stage);

/* ---- probe.c ---- */

/* Computes the report's memory hierarchy from the measured points. */
void probe_analyse(struct probe *probe);
