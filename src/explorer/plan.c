/* Which cells are wanted around the present setting, and in which order they are visited. */
#include <stdlib.h>
#include <string.h>

#include "experiment/setting/axis.h"
#include "explorer/state.h"

static uint64_t last_cache(const struct session *session)
{
	return session->machine_known
		       ? machine_last_cache(session->engine.machine(session->engine.context))
		       : 0;
}

/* An own loop's data are laid out anew at each visit: in the background nothing is visited that
 * takes more memory. */
enum { ISOLATED_MOST = 64 << 20 };

/* The place in the plan of a setting, or -1 when the kernel or the machine refuses it. The first
 * `look` entries may already hold it. */
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
	status = session_allows(session, setting);
	if (!status_is_ok(&status))
		return -1;
	plan->planned[plan->count] = (struct planned){
		.setting = *setting,
		.cell = cells_get(session->cells, setting, session->replay),
	};
	if (session->replay)
		recorded_cell(session, plan->planned[plan->count].cell);
	return plan->count++;
}

/* Fills planned[] of a slice whose values are there, nearest to the present setting first. */
static void slice_place(struct session *session, struct plan_slice *slice)
{
	struct setting setting = session->setting;
	int64_t present = setting.v[slice->knob];
	int near, look = session->plan.count;

	if (slice->count == 0)
		return;
	near = axis_nearest(slice->value, slice->count, present);
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
	int look = session->plan.count;

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
				grid->planned[y][x] = plan_place(session, &setting, look);
			}
		}
	}
}

void plan_build(struct session *session)
{
	const struct kernel *kernel = session->setting.kernel;
	int size = kernel_axis(kernel, AXIS_SIZE), stride = kernel_axis(kernel, AXIS_STRIDE);
	struct plan *plan = &session->plan;
	struct plan_grid *grid = &plan->grid;

	recorded_renew(session);
	plan->count = 0;
	plan->by_size.knob = size;
	plan->by_size.count = 0;
	plan->by_size.here = -1;
	if (size >= 0) {
		plan->by_size.count =
			session->replay
				? replay_values(session->replay, &session->setting, size,
					  plan->by_size.value, VIEW_SLICE)
				: axis_sizes(kernel, size, last_cache(session),
					  session->memory_limits, plan->by_size.value, VIEW_SLICE);
		slice_place(session, &plan->by_size);
	}
	plan->by_stride.knob = stride >= 0 ? stride
			       : session->knob != size && session->knob < kernel->knob_count
				       ? session->knob
				       : -1;
	/* That one has its own places to look at. */
	if (plan->by_stride.knob >= 0 && windowing_there(session) &&
		strcmp(kernel->knobs[plan->by_stride.knob].name, WINDOWS_FILLERS) == 0)
		plan->by_stride.knob = -1;
	plan->by_stride.count = 0;
	plan->by_stride.here = -1;
	if (plan->by_stride.knob >= 0) {
		plan->by_stride.count =
			session->replay
				? replay_values(session->replay, &session->setting,
					  plan->by_stride.knob, plan->by_stride.value, VIEW_SLICE)
				: axis_values(&kernel->knobs[plan->by_stride.knob],
					  session->memory_limits, plan->by_stride.value,
					  VIEW_SLICE);
		slice_place(session, &plan->by_stride);
	}
	grid->present = size >= 0 && stride >= 0;
	grid->size_knob = size;
	grid->stride_knob = stride;
	grid->nx = grid->ny = 0;
	if (grid->present && session->replay) {
		grid->ny = replay_values(
			session->replay, &session->setting, size, grid->y, VIEW_GRID_Y);
		grid->nx = replay_values(
			session->replay, &session->setting, stride, grid->x, VIEW_GRID_X);
		/* One line of it is a slice. */
		grid->present = grid->ny > 1 && grid->nx > 1;
		if (grid->present)
			grid_place(session, grid);
		else
			grid->nx = grid->ny = 0;
	} else if (grid->present) {
		grid->ny = axis_grid_sizes(kernel, size, last_cache(session),
			session->memory_limits, grid->y, VIEW_GRID_Y);
		grid->nx = axis_grid_strides(
			&kernel->knobs[stride], session->memory_limits, grid->x, VIEW_GRID_X);
		grid_place(session, grid);
	}
}

void plan_attach(struct plan *plan, struct cell *cell)
{
	for (int i = 0; i < plan->count; i++) {
		if (!setting_equal(&plan->planned[i].setting, &cell->setting))
			continue;
		plan->planned[i].cell = cell;
		return;
	}
}

/* In rounds: the one with the fewest visits, and of those the first. */
int plan_next(const struct plan *plan)
{
	unsigned fewest = 0;
	int next = -1;

	for (int i = 0; i < plan->count; i++) {
		const struct cell *cell = plan->planned[i].cell;
		unsigned visits = cell ? cell->visits : 0;

		if (cell && cell->settled)
			continue;
		if (visits == 0)
			return i;
		if (next < 0 || visits < fewest) {
			next = i;
			fewest = visits;
		}
	}
	return next;
}

/* Of the settled cells that were contended throughout, the one looked at least often. */
int plan_doubtful(const struct plan *plan)
{
	int next = -1;

	for (int i = 0; i < plan->count; i++) {
		const struct cell *cell = plan->planned[i].cell;

		if (cell && cell->settled && cell->sample.valid &&
			(cell->sample.contended || cell->sample.unsettled) &&
			(next < 0 || cell->visits < plan->planned[next].cell->visits))
			next = i;
	}
	return next;
}

void plan_progress(const struct plan *plan, unsigned *wanted, unsigned *settled)
{
	*wanted = (unsigned)plan->count;
	*settled = 0;
	for (int i = 0; i < plan->count; i++)
		*settled += plan->planned[i].cell && plan->planned[i].cell->settled;
}

bool plan_neighbour(const struct session *session, const struct plan_slice *slice, int direction,
	struct setting *setting)
{
	int64_t present;

	if (slice->knob < 0)
		return false;
	present = session->setting.v[slice->knob];
	for (int i = direction > 0 ? 0 : slice->count - 1; i >= 0 && i < slice->count;
		i += direction) {
		if (direction > 0 ? slice->value[i] <= present : slice->value[i] >= present)
			continue;
		if (slice->planned[i] < 0)
			continue;
		*setting = session->setting;
		setting->v[slice->knob] = slice->value[i];
		return true;
	}
	return false;
}

/* The next of these values that way from a value, from which it may be some way off; -1: there is
 * none. */
static int value_beside(const int64_t *values, int count, int64_t value, int direction)
{
	struct axis_place place = axis_find(values, count, value);

	switch (place.where) {
	case AXIS_AT:
		place.index += direction;
		break;
	case AXIS_BETWEEN:
		place.index += direction > 0;
		break;
	case AXIS_BEFORE:
		place.index = direction > 0 ? 0 : -1;
		break;
	case AXIS_BEYOND:
		place.index = direction < 0 ? count - 1 : count;
		break;
	}
	return place.index < count ? place.index : -1;
}

bool plan_walk(const struct session *session, int dx, int dy, struct setting *setting)
{
	const struct plan_grid *grid = &session->plan.grid;
	const int64_t *values = dx ? grid->x : grid->y;
	int count = dx ? grid->nx : grid->ny, knob = dx ? grid->stride_knob : grid->size_knob;
	int64_t present;

	if (!grid->present || count == 0)
		return false;
	present = session->setting.v[knob];
	for (int i = value_beside(values, count, present, dx + dy); i >= 0 && i < count;
		i += dx + dy) {
		struct status status;

		*setting = session->setting;
		setting->v[knob] = values[i];
		status = session_allows(session, setting);
		if (status_is_ok(&status))
			return true;
	}
	return false;
}
