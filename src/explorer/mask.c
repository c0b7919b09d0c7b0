#include "explorer/mask.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "explorer/view.h"
#include "lesson/lesson.h"

/* Removes the measured time of the present setting. */
static void mask_cpe(struct view *view)
{
	struct view_counters *counters = &view->counters;

	view->sample = view->quiet = (struct sample){ .valid = false };
	view->facts.others_gbps = NAN;
	view->strip_count = 0;
	view->strip_span = 0;
	view->sample_ratios.cpi = view->sample_ratios.traffic = view->sample_ratios.share = NAN;
	view->cost = NULL;
	counters->counts.count = 0;
	if (counters->plan && !counters->why[0])
		snprintf(counters->why, sizeof(counters->why), "hidden until you answer");
	counters->ipc = counters->counted = counters->check = NAN;
	counters->differ = false;
}

static void mask_slice(struct view_slice *slice)
{
	for (int i = 0; i < slice->count; i++) {
		slice->point[i].valid = slice->point[i].settled = false;
		slice->point[i].sample = (struct sample){ .valid = false };
		slice->point[i].a = NULL;
	}
}

/* Removes the curves, which contain the time of the present setting or of settings like it. */
static void mask_curves(struct view *view)
{
	struct view_grid *grid = &view->grid;

	mask_slice(&view->by_size);
	mask_slice(&view->by_stride);
	for (int y = 0; y < VIEW_GRID_Y; y++)
		for (int x = 0; x < VIEW_GRID_X; x++) {
			grid->gbps[y][x] = grid->bytes_per_cycle[y][x] = NAN;
			grid->contended[y][x] = grid->unsettled[y][x] = false;
		}
	grid->top = 0;
	view->probe = NULL;
	view->windows = NULL;
	view->window = NULL;
	view->sweep = NULL;
	view->sweeping = false;
	view->order[0] = '\0';
	view->blocks.text[0] = '\0';
}

void mask_limits(struct limits *limits)
{
	limits->limit_count = limits->port_count = 0;
	limits->binding = limits->predicted_by = -1;
	limits->bound = limits->predicted = 0;
	limits->bottleneck = 0;
	limits->chain.cycles = NAN;
	memset(limits->pressure, 0, sizeof(limits->pressure));
	memset(limits->naive, 0, sizeof(limits->naive));
}

/* Removes the limits, but not the machine code and the facts of its instructions. */
static void mask_explanation(struct view *view)
{
	view->sweep = NULL;
	view->sweeping = false;
	view->timeline = NULL;
	view->dataflow = NULL;
	view->published_limits = NULL;
	for (int i = 0; i < COUNTERS_MAX; i++)
		view->counters.modelled[i] = NAN;
	if (!view->explanation)
		return;
	view->masked = *view->explanation;
	view->explanation = &view->masked;
	mask_limits(&view->masked.limits);
}

static void mask_caches(struct view *view)
{
	memset(&view->caches, 0, sizeof(view->caches));
	memset(&view->misses, 0, sizeof(view->misses));
	snprintf(view->misses.now.why, sizeof(view->misses.now.why), "hidden");
	memset(view->grid.level, 0, sizeof(view->grid.level));
	view->grid.slope_end = -1;
}

static void mask_clock(struct view *view)
{
	struct sample *const samples[] = { &view->sample, &view->quiet, &view->a };

	view->last_ghz = NAN;
	/* If the clock frequency is hidden, so are rates per second: with the rate per cycle, they
	 * give away the clock. */
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		samples[i]->ghz = samples[i]->ns = samples[i]->gbps = samples[i]->total_gbps = NAN;
}

void mask_view(struct view *view)
{
	unsigned hidden = view->hidden;
	bool limits = hidden & (HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES);

	if (!hidden)
		return;
	/* A remark explains what the kernel does at this setting, which may be the answer. */
	view->remark = NULL;
	if (hidden & HIDDEN_CPE)
		mask_cpe(view);
	if (hidden & (HIDDEN_CPE | HIDDEN_CURVE))
		mask_curves(view);
	if (limits)
		mask_explanation(view);
	if (hidden & HIDDEN_CACHES)
		mask_caches(view);
	if (hidden & HIDDEN_CLOCK)
		mask_clock(view);
	if (limits || hidden & HIDDEN_CPE) {
		view->gap = (struct gap){ 0 };
		view->advice = (struct advice){ 0 };
		view->published = NULL;
		view->slack = NULL;
		view->why = NULL;
	}
	if (hidden & HIDDEN_A) {
		view->a = (struct sample){ .valid = false };
		view->a_limit = LIMIT_COUNT;
	}
	if (limits)
		view->a_limit = LIMIT_COUNT;
	if (hidden & (HIDDEN_CPE | HIDDEN_A | HIDDEN_RATIO))
		view->ratio = NAN;
	/* A result that fills the screen, such as that of a probe, also shows numbers, and is
	 * hidden. The page of a lesson's answers has only values that the student has seen. */
	if (!view->screen.page_answers)
		view->screen.page = NULL;
}
