/* The plan: the cells to measure around the present setting, for the slices and the mountain. Only
 * plan.c writes the plan. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "explorer/view.h"

struct session;

enum { PLANNED_MAX = 2 * VIEW_SLICE + VIEW_GRID_X * VIEW_GRID_Y };
enum { CELL_QUIET = 40 }; /* quiet trials that one visit of a cell requests */

/* A cell to measure. `cell` is NULL until the first visit. */
struct planned {
	struct setting setting;
	struct cell *cell;
};

/* Values along one knob. planned[] holds indexes into the plan; -1: the kernel refuses the
 * combination. */
struct plan_slice {
	int knob, count, here;
	int64_t value[VIEW_SLICE];
	int planned[VIEW_SLICE];
};

struct plan_grid {
	bool present;
	int size_knob, stride_knob;
	int nx, ny, here_x, here_y;
	int64_t x[VIEW_GRID_X], y[VIEW_GRID_Y];
	int planned[VIEW_GRID_Y][VIEW_GRID_X];
};

/* planned[] is in the order of visits. It contains each setting once. */
struct plan {
	struct plan_slice by_size, by_stride;
	struct plan_grid grid;
	int count;
	struct planned planned[PLANNED_MAX];
};

void plan_build(struct session *session);
/* Like plan_build(), but first removes all cells if there are too many. */
void plan_renew(struct session *session);
/* Removes every cell; plan_build() must follow. */
void plan_forget(struct session *session);
void plan_stop(struct session *session); /* empties the plan, until the next plan_build() */

/* Index in planned[] of the cell to visit next; -1: all cells have settled. */
int plan_next(const struct plan *plan);
/* Index of the settled cell with the fewest visits, among those that were contended or unsettled at
 * every visit; -1: none. */
int plan_doubtful(const struct plan *plan);

/* Adds a result to the cell of its setting. current: the result is for the present setting. Returns
 * the cell if it had not settled before, else NULL. After recording the cell, the caller calls
 * cell_compact(). */
struct cell *plan_take(struct session *session, const struct setting *setting,
	const struct result *result, bool current);

/* Finds the next possible point of a slice or of the mountain, from the present setting. Right and
 * down are +1, left and up are -1. Returns false if there is no such point. */
bool plan_neighbour(const struct session *session, const struct plan_slice *slice, int direction,
	struct setting *setting);
bool plan_walk(const struct session *session, int dx, int dy, struct setting *setting);

void plan_view(const struct session *session, struct view *view);
