/* The inside of the probe. Each file uses only those above it:
 *
 * probe_plan.c     the stages, the time that each may take, and the visits of a round
 * probe_points.c   the points that each stage measures
 * probe.c          measuring, and the report */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"

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
	bool share;	/* a look at the share of the last cache */
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

/* ---- probe_plan.c ---- */

/* Fills stages, scale and octave by the options, the memory limits and the time; notes what it
 * omits. */
void probe_plan(struct probe *probe);

/* The kind of pages for parts that use one kind. */
enum page_kind probe_best_pages(const struct probe *probe);

/* Seconds for a visit to a working set of that size, and the quiet trials that settle a point. */
double probe_visit_seconds(const struct probe *probe, uint64_t bytes);
enum { PROBE_QUIET = 28 };

/* Rounds over a curve: the first, the second look, and closer looks until the knees are precise.
 */
enum { PROBE_ROUNDS = 5 };

/* Bytes up to which the time to lay out a working set is negligible. */
enum { PROBE_CHEAP = 8 << 20, PROBE_PAGE = 4096 };

/* Bytes beyond which the core's own caches do not hold a working set on most machines, so that each
 * visit walks to steady state first. */
enum { PROBE_FAR = 1 << 20 };
bool probe_is_far(const struct setting *setting);

/* Whether the probe already takes so long that it omits optional looks. */
bool probe_late(const struct probe *probe);

/* Bytes of the working set of chains at once: larger than the caches, and otherwise small, since
 * each number of chains has cycles of its own to lay out. */
uint64_t probe_parallel_bytes(const struct probe *probe);

/* Bytes of a task's working set. */
uint64_t probe_task_bytes(const struct probe_task *task);

/* ---- probe_points.c ---- */

/* Adds the tasks of a stage's round 0, 1, …; none: the stage is over. */
void probe_fill(struct probe *probe, const struct probe_stage *stage, int round);

/* Adds the result of a visit for the share. */
void probe_take_share(
	struct probe *probe, const struct probe_task *task, const struct result *result);

/* ---- probe.c ---- */

/* Computes hierarchy, bands and lines from the points. */
void probe_analyse(struct probe *probe);
