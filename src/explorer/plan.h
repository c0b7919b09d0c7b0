/* The plan lists the cells (settings) to measure around the present setting, for the slices
 * (curves) and the mountain. Only plan.c writes the plan. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "explorer/view.h"

struct session;

enum { PLANNED_MAX = 2 * VIEW_SLICE + VIEW_GRID_X * VIEW_GRID_Y };
enum {
	CELL_QUIET = 40
}; /* number of quiet trials that one measurement of a setting around the present one asks for */

/* A cell: a setting to measure, with its trials. `cell` is NULL until the first measurement of the
 * setting. */
struct planned {
	struct setting setting;
	struct cell *cell;
};

/* The values of one knob along which a slice (a curve on screen) is drawn. planned[] of a slice
 * holds an index into plan.planned for each value of the knob. An index -1 in planned[]: the kernel
 * refuses the combination of this value with the other knobs. */
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

/* The array planned[] of the plan is in the order of measurements, and contains each setting once.
 */
struct plan {
	struct plan_slice by_size, by_stride;
	struct plan_grid grid;
	int count;
	struct planned planned[PLANNED_MAX];
};

void plan_build(struct session *session);
/* Builds the plan if the second slice runs along the chosen knob, and another knob was chosen. */
void plan_follow_knob(struct session *session);
/* Builds the plan with plan_build(). If the session has too many cells (settings with trials),
 * plan_renew() first removes all cells. */
void plan_renew(struct session *session);
/* Removes every cell (measured setting); call plan_build() after plan_forget(). */
void plan_forget(struct session *session);
void plan_stop(struct session *
		session); /* empties the plan of settings to measure, until the next plan_build() */

/* Returns the index in planned[] of the setting to measure next; -1: all settings have enough
 * trials. */
int plan_next(const struct plan *plan);
/* Among the settings that need no more trials but whose every measurement was contended or too
 * scattered, returns the index of the one measured least often. Returns -1 if no setting with
 * enough trials was contended or too scattered at every measurement. */
int plan_doubtful(const struct plan *plan);

/* Adds a measured result to the cell of its setting. `current` is true if the result is for the
 * present setting. Returns the cell (setting with trials) if this result gave it enough trials,
 * else NULL. After the sample of the returned setting was written to the recording, the caller
 * frees its trials with cell_compact(). */
struct cell *plan_take(struct session *session, const struct setting *setting,
	const struct result *result, bool current);

/* plan_neighbour() finds the next possible point of a slice (curve over one knob), and plan_walk()
 * the next possible point of the mountain. plan_neighbour() and plan_walk() start at the present
 * setting. The directions right and down are +1; left and up are -1. plan_neighbour() and
 * plan_walk() return false if there is no possible point in the given direction. */
bool plan_neighbour(const struct session *session, const struct plan_slice *slice, int direction,
	struct setting *setting);
bool plan_walk(const struct session *session, int dx, int dy, struct setting *setting);

void plan_view(const struct session *session, struct view *view);
