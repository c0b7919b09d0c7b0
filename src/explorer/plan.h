/* The measured cells, and which of them are wanted around the present setting: slices and mountain.
 * Only plan.c writes the plan. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "explorer/view.h"

struct session;

enum { PLANNED_MAX = 2 * VIEW_SLICE + VIEW_GRID_X * VIEW_GRID_Y };
enum { CELL_QUIET = 40 }; /* quiet trials that a visit of a cell asks for */

/* A wanted measurement; cell is NULL until its first visit. */
struct planned {
	struct setting setting;
	struct cell *cell;
};

/* Values along one knob; planned is an index into the plan, -1 where the kernel refuses the
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

/* planned[] is in the order of visits, each setting once. */
struct plan {
	struct plan_slice by_size, by_stride;
	struct plan_grid grid;
	int count;
	struct planned planned[PLANNED_MAX];
};

void plan_build(struct session *session);
/* plan_build(), which first empties a table of too many cells. */
void plan_renew(struct session *session);
/* Removes every cell; plan_build() must follow. */
void plan_forget(struct session *session);
void plan_stop(struct session *session); /* no cell is wanted until plan_build() */

/* Index in planned[] of the cell to visit next; -1: every one has settled. */
int plan_next(const struct plan *plan);
/* Of the settled cells that were contended at every visit, the one with the fewest visits; -1. */
int plan_doubtful(const struct plan *plan);

/* Gives a result to the cell of its setting. current: it is of the present setting. Returns the
 * cell if it had not settled before: whoever records it calls cell_compact() then. NULL: it had. */
struct cell *plan_take(struct session *session, const struct setting *setting,
	const struct result *result, bool current);

/* The present setting moved to the next possible point of a slice, or of the mountain: right (+1)
 * or left (-1), down or up. Returns false when there is none. */
bool plan_neighbour(const struct session *session, const struct plan_slice *slice, int direction,
	struct setting *setting);
bool plan_walk(const struct session *session, int dx, int dy, struct setting *setting);

void plan_view(const struct session *session, struct view *view);
