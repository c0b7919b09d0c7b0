/* Chooses the cells (settings) to measure around the present setting, and the order of their
 * measurements. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/setting/setting.h"
#include "experiment/windows/windows.h"
#include "explorer/state.h"

/* Largest number of cells (settings with trials) that the session keeps. If the session has more
 * cells (settings with trials) than CELLS_MOST, it removes all cells. Each cell (setting with
 * trials) needs about 15 KB until its value is precise. */
enum { CELLS_MOST = 6000 };
/* A cell (setting) needs no more trials when its median is known to within CELL_PRECISION
 * (relative), or after CELL_VISITS measurements. */
static const double CELL_PRECISION = 0.01;
enum { CELL_VISITS = 5 };

static uint64_t last_cache(const struct session *session)
{
	return session->machine_known ? machine_last_cache(session_machine(session)) : 0;
}

/* Largest working set, in bytes, for which settings around an own loop's present setting are
 * measured. Each measurement of an own loop prepares the data again, which takes too long for a
 * larger working set. */
enum { ISOLATED_MOST = 64 << 20 };

/* Adds a setting to the list of settings to measure, unless one of its first `look` entries already
 * has the same setting. Returns the index of the setting in the list of settings to measure, or -1
 * if the kernel or the machine refuses the setting. */
static int plan_place(struct session *session, const struct setting *setting, int look)
{
	struct plan *plan = &session->plan;
	struct status status;

	for (int i = 0; i < look; i++)
		if (setting_equal(&plan->planned[i].setting, setting))
			return i;
	if (setting->kernel->isolated &&
		kernel_footprint(setting->kernel, setting->v) > ISOLATED_MOST)
		return -1;
	status = playback_allows(session, setting);
	if (!status_is_ok(&status))
		return -1;
	plan->planned[plan->count] = (struct planned){
		.setting = *setting,
		.cell = cells_get(session->cells, setting, session->replay),
	};
	if (session->replay)
		playback_cell(session, plan->planned[plan->count].cell);
	return plan->count++;
}

/* Adds the points of a slice (curve over one knob) to the plan, and fills the slice's planned[].
 * Of a slice (curve over one knob), the point nearest to the present setting is measured first. */
static void slice_place(struct session *session, struct plan_slice *slice)
{
	struct setting setting = session->setting;
	int64_t present = setting.v[slice->knob];
	int look = session->plan.count;
	int near = axis_nearest(slice->value, slice->count, present);

	slice->here = slice->value[near] == present ? near : -1;
	for (int away = 0; away < slice->count; away++) {
		for (int side = -1; side <= (away ? 1 : -1); side += 2) {
			int point = near + side * away;

			if (point < 0 || point >= slice->count)
				continue;
			setting.v[slice->knob] = slice->value[point];
			slice->planned[point] = plan_place(session, &setting, look);
		}
	}
}

static void grid_place(struct session *session, struct plan_grid *grid)
{
	struct setting setting = session->setting;
	const int64_t size = setting.v[grid->size_knob], stride = setting.v[grid->stride_knob];
	int slices = session->plan.count;

	grid->here_x = axis_nearest(grid->x, grid->nx, setting.v[grid->stride_knob]);
	grid->here_y = axis_nearest(grid->y, grid->ny, setting.v[grid->size_knob]);
	for (int away = 0; away < grid->nx + grid->ny; away++) {
		for (int y = 0; y < grid->ny; y++) {
			int rest = away - abs(y - grid->here_y);

			for (int side = -1; rest >= 0 && side <= (rest ? 1 : -1); side += 2) {
				int x = grid->here_x + side * rest;

				if (x < 0 || x >= grid->nx)
					continue;
				setting.v[grid->size_knob] = grid->y[y];
				setting.v[grid->stride_knob] = grid->x[x];
				/* A point of a slice has the present size or the present stride. */
				grid->planned[y][x] = plan_place(session, &setting,
					grid->y[y] == size || grid->x[x] == stride ? slices : 0);
			}
		}
	}
}

static int slice_values(const struct session *session, int knob, int64_t *values)
{
	const struct kernel *kernel = session->setting.kernel;

	if (session->replay)
		return replay_values(session->replay, &session->setting, knob, values, VIEW_SLICE);
	if (knob == kernel_axis(kernel, AXIS_SIZE))
		return axis_sizes(kernel, knob, false, last_cache(session), session->memory_limits,
			values, VIEW_SLICE);
	return axis_values(&kernel->knobs[knob], session->memory_limits, values, VIEW_SLICE);
}

/* Builds the slice, a curve along `knob`; if `knob` is -1, the slice is empty. */
static void build_slice(struct session *session, struct plan_slice *slice, int knob)
{
	slice->knob = knob;
	slice->here = -1;
	slice->count = knob >= 0 ? slice_values(session, knob, slice->value) : 0;
	if (slice->count > 0)
		slice_place(session, slice);
}

static void build_grid(struct session *session, struct plan_grid *grid, int size, int stride)
{
	const struct kernel *kernel = session->setting.kernel;

	grid->present = size >= 0 && stride >= 0;
	grid->size_knob = size;
	grid->stride_knob = stride;
	grid->nx = grid->ny = 0;
	if (!grid->present)
		return;
	if (session->replay) {
		grid->ny = replay_values(
			session->replay, &session->setting, size, grid->y, VIEW_GRID_Y);
		grid->nx = replay_values(
			session->replay, &session->setting, stride, grid->x, VIEW_GRID_X);
		/* A mountain (grid of sizes and strides) with only one row or one column would
		 * repeat a slice, so it is not shown. */
		grid->present = grid->ny > 1 && grid->nx > 1;
	} else {
		grid->ny = axis_sizes(kernel, size, true, last_cache(session),
			session->memory_limits, grid->y, VIEW_GRID_Y);
		grid->nx = axis_grid_strides(
			&kernel->knobs[stride], session->memory_limits, grid->x, VIEW_GRID_X);
	}
	if (grid->present)
		grid_place(session, grid);
	else
		grid->nx = grid->ny = 0;
}

/* Returns how many values of a knob a slice can show. */
static int values_of(const struct session *session, int knob)
{
	int64_t values[VIEW_SLICE];

	return slice_values(session, knob, values);
}

/* Returns the knob of the axis, or -1 if the played recording has only one value of it: a slice
 * over this knob would be a single bar. */
static int axis_knob(const struct session *session, enum knob_axis axis)
{
	int knob = kernel_axis(session->setting.kernel, axis);

	return knob >= 0 && session->replay && values_of(session, knob) < 2 ? -1 : knob;
}

/* Returns the first knob with several recorded values if the recording has only one value of
 * `knob`. */
static int recorded_knob(const struct session *session, int knob)
{
	if (!session->replay || values_of(session, knob) > 1)
		return knob;
	for (int i = 0; i < session->setting.kernel->knob_count; i++)
		if (values_of(session, i) > 1)
			return i;
	return knob;
}

/* Returns the knob of the second slice (curve on screen): the stride if the kernel has one, else
 * the chosen knob; -1: there is no second slice. */
static int second_knob(const struct session *session, int size, int stride)
{
	const struct kernel *kernel = session->setting.kernel;
	int knob = stride >= 0 ? stride : session->knob;

	/* The loops of a program's function are not measured. */
	if (knob >= kernel->knob_count || kernel->function)
		return -1;
	knob = recorded_knob(session, knob);
	if (knob == size)
		return -1;
	/* The windows campaign (measurement of buffer sizes), not the plan, chooses the points
	 * along the knob `fillers`. */
	return windows_there(session) && strcmp(kernel->knobs[knob].name, WINDOWS_FILLERS) == 0
		       ? -1
		       : knob;
}

void plan_build(struct session *session)
{
	int size = axis_knob(session, AXIS_SIZE), stride = axis_knob(session, AXIS_STRIDE);
	struct plan *plan = &session->plan;

	playback_renew(session);
	plan->count = 0;
	build_slice(session, &plan->by_size, size);
	build_slice(session, &plan->by_stride, second_knob(session, size, stride));
	build_grid(session, &plan->grid, size, stride);
}

void plan_follow_knob(struct session *session)
{
	if (session->plan.by_stride.knob != second_knob(session, axis_knob(session, AXIS_SIZE),
						    axis_knob(session, AXIS_STRIDE)))
		plan_build(session);
}

void plan_forget(struct session *session)
{
	cells_clear(session->cells);
	/* The plan of settings to measure is emptied, because it has pointers to the removed cells.
	 */
	session->plan.count = 0;
}

void plan_renew(struct session *session)
{
	if (cells_count(session->cells) > CELLS_MOST)
		plan_forget(session);
	plan_build(session);
}

void plan_stop(struct session *session)
{
	session->plan.count = 0;
}

/* Stores the cell (trials of a setting) in the entry of the plan that has the cell's setting. */
static void attach(struct plan *plan, struct cell *cell)
{
	for (int i = 0; i < plan->count; i++) {
		if (!setting_equal(&plan->planned[i].setting, &cell->setting))
			continue;
		plan->planned[i].cell = cell;
		return;
	}
}

/* Improves the sample of a cell, a setting that needs no more trials. A good sample from the live
 * measurement replaces the cell's sample, because the live sample is newer and has more trials. The
 * sample of a new measurement of a cell replaces only a doubtful sample, and only if the new sample
 * is good. */
static void improve(
	struct session *session, struct cell *cell, const struct result *result, bool current)
{
	const struct live *live = &session->live;
	struct sample again;

	cell_count(cell, result);
	if (current && live_is_good(&live->sample)) {
		cell->sample = live->sample;
		cell->at = session->now;
		cell->facts = live->facts;
		cell->failure = status_ok();
	} else if (cell->sample.contended || cell->sample.unsettled) {
		sample_summarise(&result->trials, &result->facts, &again);
		if (again.valid && !again.contended && !again.unsettled) {
			cell->sample = again;
			cell->at = session->now;
		}
		cell->visits++;
	}
}

struct cell *plan_take(struct session *session, const struct setting *setting,
	const struct result *result, bool current)
{
	size_t count = cells_count(session->cells);
	struct cell *cell;

	if (!result->final ||
		(result->status.code == STATUS_CANCELLED && result->trials.count == 0))
		return NULL;
	cell = cells_get(session->cells, setting, true);
	if (cells_count(session->cells) != count)
		attach(&session->plan, cell);
	if (cell->settled) {
		improve(session, cell, result, current);
		return NULL;
	}
	if (result->trials.count)
		cell->at = session->now;
	cell_visit(cell, result, CELL_QUIET, CELL_PRECISION, CELL_VISITS);
	return cell;
}

/* Returns the index of the first setting in the plan with the fewest measurements. If `doubtful` is
 * false, only settings that need more trials count; otherwise, only settled settings with a
 * doubtful sample count. Returns -1 if the plan has no setting of the wanted kind. */
static int least_visited(const struct plan *plan, bool doubtful)
{
	unsigned fewest = UINT_MAX;
	int next = -1;

	for (int i = 0; i < plan->count; i++) {
		const struct cell *cell = plan->planned[i].cell;
		unsigned visits = cell ? cell->visits : 0;

		if (doubtful != (cell && cell->settled))
			continue;
		if (doubtful && (!cell->sample.valid ||
					!(cell->sample.contended || cell->sample.unsettled)))
			continue;
		if (visits == 0)
			return i;
		if (visits < fewest) {
			next = i;
			fewest = visits;
		}
	}
	return next;
}

int plan_next(const struct plan *plan)
{
	return least_visited(plan, false);
}

int plan_doubtful(const struct plan *plan)
{
	return least_visited(plan, true);
}

/* Returns the index, in an ascending array, of the value next to `value` in a direction. `value`
 * may lie between two values of the array or beyond them. Returns -1 if the array has no next value
 * in that direction. */
static int value_beside(const int64_t *values, int count, int64_t value, int direction)
{
	struct axis_place place = axis_find(values, count, value);

	switch (place.where) {
	case AXIS_AT: place.index += direction; break;
	case AXIS_BETWEEN: place.index += direction > 0; break;
	case AXIS_BEFORE: place.index = direction > 0 ? 0 : -1; break;
	case AXIS_BEYOND: place.index = direction < 0 ? count - 1 : count; break;
	}
	return place.index < count ? place.index : -1;
}

/* Finds the setting with the next possible value of a knob. `planned` has an index into the plan
 * for each value, or -1 if the value is not possible. If `planned` is NULL, walk() checks the
 * setting itself. */
static bool walk(const struct session *session, int knob, const int64_t *values, int count,
	const int *planned, int direction, struct setting *setting)
{
	if (count == 0)
		return false;
	*setting = session->setting;
	for (int i = value_beside(values, count, session->setting.v[knob], direction);
		i >= 0 && i < count; i += direction) {
		struct status status;

		setting->v[knob] = values[i];
		status = planned ? status_ok() : playback_allows(session, setting);
		if (status_is_ok(&status) && (!planned || planned[i] >= 0))
			return true;
	}
	return false;
}

bool plan_neighbour(const struct session *session, const struct plan_slice *slice, int direction,
	struct setting *setting)
{
	return slice->knob >= 0 && walk(session, slice->knob, slice->value, slice->count,
					   slice->planned, direction, setting);
}

bool plan_walk(const struct session *session, int dx, int dy, struct setting *setting)
{
	const struct plan_grid *grid = &session->plan.grid;

	return grid->present &&
	       walk(session, dx ? grid->stride_knob : grid->size_knob, dx ? grid->x : grid->y,
		       dx ? grid->nx : grid->ny, NULL, dx + dy, setting);
}

/* ---- the view ---- */

/* Finds the sample of A, the setting compared with, at one value of a knob. Returns NULL if the
 * setting of A at this value was not measured, or if that setting is `planned` itself. If a
 * recording is A, returns its sample of the setting `planned`. */
static const struct sample *a_sample(
	const struct session *session, int knob, int64_t value, const struct planned *planned)
{
	const struct sample *sample = &session->pinned.sample;
	struct setting setting;
	const struct cell *cell;

	if (session->beside.replay) {
		setting = session->setting;
		setting.v[knob] = value;
		return beside_sample(session, &setting);
	}
	if (!session->pinned.there || session->pinned.setting.kernel != session->setting.kernel)
		return NULL;
	setting = session->pinned.setting;
	setting.v[knob] = value;
	if (planned && setting_equal(&setting, &planned->setting))
		return NULL;
	cell = cells_get(session->cells, &setting, false);
	if (!setting_equal(&setting, &session->pinned.setting))
		sample = cell && cell->sample.valid ? &cell->sample : NULL;
	return sample;
}

static void view_slice(
	const struct session *session, const struct plan_slice *slice, struct view_slice *view)
{
	const struct plan *plan = &session->plan;
	int64_t present = slice->knob >= 0 ? session->setting.v[slice->knob] : 0;

	view->knob = slice->knob;
	view->count = slice->count;
	view->here = slice->here;
	if (slice->count > 0)
		view->place = axis_find(slice->value, slice->count, present);
	for (int i = 0; i < slice->count; i++) {
		const struct planned *planned =
			slice->planned[i] >= 0 ? &plan->planned[slice->planned[i]] : NULL;
		struct view_point *point = &view->point[i];

		*point = (struct view_point){ .value = slice->value[i],
			.possible = planned != NULL,
			.a = a_sample(session, slice->knob, slice->value[i], planned) };
		if (!planned || !planned->cell)
			continue;
		point->valid = planned->cell->sample.valid;
		point->settled = planned->cell->settled;
		point->sample = planned->cell->sample;
	}
}

static void view_grid(const struct session *session, struct view_grid *view)
{
	const struct plan *plan = &session->plan;
	const struct plan_grid *grid = &plan->grid;

	view->present = grid->present;
	view->size_knob = grid->size_knob;
	view->stride_knob = grid->stride_knob;
	view->nx = grid->nx;
	view->ny = grid->ny;
	view->here_x = grid->here_x;
	view->here_y = grid->here_y;
	if (grid->nx > 0 && grid->ny > 0) {
		view->place_x = axis_find(grid->x, grid->nx, session->setting.v[grid->stride_knob]);
		view->place_y = axis_find(grid->y, grid->ny, session->setting.v[grid->size_knob]);
	}
	view->top = 0;
	memcpy(view->x, grid->x, sizeof(view->x));
	memcpy(view->y, grid->y, sizeof(view->y));
	for (int y = 0; y < grid->ny; y++) {
		for (int x = 0; x < grid->nx; x++) {
			const struct cell *cell = grid->planned[y][x] >= 0
							  ? plan->planned[grid->planned[y][x]].cell
							  : NULL;

			view->gbps[y][x] = view->bytes_per_cycle[y][x] = NAN;
			if (!cell || !cell->sample.valid)
				continue;
			view->gbps[y][x] = (float)cell->sample.gbps;
			view->bytes_per_cycle[y][x] = (float)cell->sample.bytes_per_cycle;
			view->contended[y][x] = cell->sample.contended;
			view->unsettled[y][x] = cell->sample.unsettled;
			if (view->gbps[y][x] > view->top)
				view->top = view->gbps[y][x];
		}
	}
}

void plan_view(const struct session *session, struct view *view)
{
	const struct plan *plan = &session->plan;

	view_slice(session, &plan->by_size, &view->by_size);
	view_slice(session, &plan->by_stride, &view->by_stride);
	view_grid(session, &view->grid);
	view->cells_wanted = (unsigned)plan->count;
	for (int i = 0; i < plan->count; i++)
		view->cells_settled += plan->planned[i].cell && plan->planned[i].cell->settled;
}
