/* Fills the picture that a frame is drawn from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/sweep/blocks.h"
#include "explorer/panes.h"

static void fill_slice(
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
			.possible = planned != NULL };
		if (!planned || !planned->cell)
			continue;
		point->valid = planned->cell->sample.valid;
		point->settled = planned->cell->settled;
		point->sample = planned->cell->sample;
	}
}

static void fill_grid(const struct session *session, struct view_grid *view)
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

static void fill_strip(const struct live *live, struct view *view)
{
	double first = 0, last = 0;

	view->strip_count = live->tick_count;
	for (int i = 0; i < live->tick_count; i++) {
		const struct tick *tick = &live->ticks[(live->tick_first + i) % VIEW_STRIP];

		view->strip[i] = (struct view_tick){ tick->cpe, tick->fate };
		if (i == 0)
			first = tick->at;
		last = tick->at;
	}
	view->strip_span = last > first ? last - first : 0;
}

static void fill_live(const struct session *session, double now, struct view *view)
{
	const struct live *live = &session->live;

	view->sample = live->sample;
	view->facts = live->facts;
	view->quiet = live->quiet;
	if (live->quiet.valid && now > live->quiet_at)
		view->quiet_age = now - live->quiet_at;
	view->last_ghz = session->ghz;
	view->last_source = session->ghz_from;
	view->measuring = session->outstanding && session->outstanding_live;
	if (!live->sample.valid && !live->failed && !session->frozen && !session_apart(session) &&
		now > live->changed_at)
		view->waiting = now - live->changed_at;
	view->ahead = session->outlook.seen;
	view->ahead_left = outlook_left(&session->outlook, now);
	snprintf(view->failure, sizeof(view->failure), "%s", live->failure);
	view->frozen = session->frozen;
	view->pinned = session->pinned;
	view->ratio = NAN;
	if (session->pinned) {
		view->a_setting = session->a_setting;
		view->a = session->a;
		view->a_limit = session->a_limit;
		if (live->sample.valid && session->a.cpe > 0)
			view->ratio = live->sample.cpe / session->a.cpe;
	}
	fill_strip(live, view);
}

/* What the kernel remarks; while the knob of its blocks is the chosen one, and where it remarks
 * nothing, how large these should be. */
static void fill_remark(const struct session *session, struct view *view)
{
	const struct kernel *kernel = session->setting.kernel;
	struct blocks_measured measured;
	struct blocks blocks;
	const struct blocks_question question = { .setting = &session->setting,
		.machine = session->machine_known ? view->machine : NULL,
		.explanation = view->explanation,
		.l3 = session->memory.l3,
		.memory = session->memory.memory };

	view->remark = kernel->remark ? kernel->remark(session->setting.v) : NULL;
	view->blocks[0] = '\0';
	if (!blocks_find(&question, &blocks))
		return;
	blocks_look(&blocks, &session->setting, session->cells, session->memory_limits, &measured);
	blocks_words(&blocks, &session->setting, &measured, view->blocks, sizeof(view->blocks));
	if (!view->remark || session->knob == blocks.block.knob)
		view->remark = view->blocks;
}

void session_view(const struct session *session, double now, struct view *view)
{
	const struct kernel *kernel = session->setting.kernel;
	struct setting initial;

	memset(view, 0, sizeof(*view));
	view->replay = session->replay ? replay_name(session->replay) : NULL;
	view->place = session->replay ? replay_place(session->replay) : NULL;
	view->recording = session->recording;
	memcpy(view->recorded, session->recorded, sizeof(view->recorded));
	for (int i = 0; i < session->kernel_count && i < VIEW_KERNELS; i++)
		view->kernel_absent[i] = !recorded_kernel(session, kernel_registry[i]);
	view->machine = session->engine.machine(session->engine.context);
	view->setting = session->setting;
	view->memory_limits = session->memory_limits;
	view->kernel_index = session_kernel_index(session, kernel);
	view->own = session->own_open ? session->kernels[session->kernel_count].setting.kernel->name
				      : NULL;
	view->focus = session->focus->name;
	view->front = session->front->name;
	view->knob = session->knob;
	snprintf(view->entry, sizeof(view->entry), "%s", session->entry);
	view->entry_refused = session->entry[0] && session->entry_refused;
	setting_init(&initial, kernel);
	if (!session->turned && setting_equal(&session->setting, &initial))
		view->hint = kernel->hint;
	fill_live(session, now, view);
	probing_view(session, view);
	view->characterising = characterising_view(session);
	view->probing = session_apart(session);
	windowing_view(session, view);
	insight_view(session, view);
	fill_remark(session, view);
	counted_view(session, view);
	ordered_view(session, view);
	sample_ratios_find(&view->sample, view->explanation, view->counters.plan,
		&view->counters.counts, session->memory.peak, &view->sample_ratios);
	fill_slice(session, &session->plan.by_size, &view->by_size);
	fill_slice(session, &session->plan.by_stride, &view->by_stride);
	fill_grid(session, &view->grid);
	walk_view(session, view);
	plan_progress(&session->plan, &view->cells_wanted, &view->cells_settled);
	view->overlay = session->overlay;
	view->scroll = session->scroll;
	snprintf(view->find, sizeof(view->find), "%s", session->find);
	if (session->overlay == OVERLAY_FIND)
		view->found_count = session_found(session, view->found, &view->found_more);
	view->found_selected =
		session->found_selected < view->found_count ? session->found_selected : 0;
	snprintf(view->text, sizeof(view->text), "%s", session->text);
	snprintf(view->text_title, sizeof(view->text_title), "%s", session->text_title);
	snprintf(view->notice, sizeof(view->notice), "%s", session->notice);
	view->notice_bad = session->notice_bad;
}
