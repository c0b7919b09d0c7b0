/* Fills the view, the data of one frame, from the session's state. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "experiment/sweep/sweep.h"
#include "explorer/state.h"
#include "model/counts/counts.h"

/* ---- measurement ---- */

static void fill_measuring(const struct session *session, double now, struct view *view)
{
	const struct live *live = &session->live;

	view->measuring = requests_live(session);
	if (!live->sample.valid && !live->failed && !session->frozen && !session_apart(session) &&
		now > live->changed_at)
		view->waiting = now - live->changed_at;
	view->ahead = session->requests.outlook.seen;
	view->ahead_left = outlook_left(&session->requests.outlook, now);
	view->frozen = session->frozen;
	view->pinned = session->pinned.there && session->pinned.sample.valid;
	view->ratio = NAN;
	view->a_setting = session->pinned.setting;
	view->a_outdated = session->pinned.outdated;
	view->a = session->pinned.sample;
	view->a_limit = session->pinned.limit;
	if (session->beside.replay) {
		const struct sample *sample = beside_sample(session, &session->setting);

		view->pinned = sample && sample->valid;
		view->a_recording = replay_summary(session->beside.replay).name;
		view->a_setting = session->setting;
		view->a_outdated = false;
		view->a = sample ? *sample : (struct sample){ .valid = false };
		view->a_limit = LIMIT_COUNT;
	}
	if (!view->pinned)
		return;
	view->a_comparable = !*setting_incomparable(&view->a_setting, &session->setting).text;
	if (view->a_comparable && live->sample.valid && view->a.cpe > 0)
		view->ratio = live->sample.cpe / view->a.cpe;
}

/* Fills view->remark with the kernel's remark. If the kernel has no remark or the user has chosen
 * the block knob, fills the recommended block size instead. */
static void fill_remark(const struct session *session, struct view *view)
{
	const struct kernel *kernel = session->setting.kernel;
	struct blocks_measured measured;
	struct blocks blocks;
	const struct blocks_question question = { .setting = &session->setting,
		.caches = insight_caches(session),
		.explanation = view->explanation,
		.measured = &session->memory.facts };

	view->remark = kernel->remark ? kernel->remark(session->setting.v)
		       : kernel->function
			       ? function_loops_remark(kernel->function, session->setting.v)
			       : NULL;
	view->blocks.text[0] = '\0';
	if (!blocks_find(&question, &blocks))
		return;
	blocks_look(&blocks, &session->setting, session->cells, session->memory_limits, &measured);
	view->blocks = blocks_words(&blocks, &session->setting, &measured);
	if (!view->remark || session->knob == blocks.block.knob)
		view->remark = view->blocks.text;
}

/* ---- the mountain ---- */

void view_misses(const struct session *session, struct misses *misses)
{
	const struct explanation *explanation =
		insight_ready(session) ? session->insight.explanation : NULL;

	if (explanation && (explanation->misses.known || explanation->misses.why[0])) {
		*misses = explanation->misses;
	} else {
		struct cache_sizes caches = insight_caches(session);

		misses_of(session->setting.kernel, session->setting.v, &caches, misses);
	}
}

static void fill_levels(
	const struct session *session, const struct cache_sizes *caches, struct view_grid *grid)
{
	struct setting setting = session->setting;
	struct kernel_walk walk;

	for (int y = 0; y < grid->ny; y++) {
		double bytes;

		setting.v[grid->size_knob] = grid->y[y];
		bytes = (double)kernel_footprint(setting.kernel, setting.v);
		grid->level[y] = cache_level_in_order(caches, &session->memory.facts, bytes);
	}
	grid->slope_end = -1;
	grid->line = caches->line;
	for (int x = 0; x < grid->nx && grid->line > 0 && grid->slope_end < 0; x++) {
		setting.v[grid->stride_knob] = grid->x[x];
		if (kernel_describe(setting.kernel, setting.v, &walk) && walk.step >= grid->line)
			grid->slope_end = x;
	}
}

static void fill_misses(const struct session *session, struct view *view)
{
	static const enum event_role roles[CACHE_LEVELS] = { ROLE_L1_MISSES, ROLE_L2_MISSES,
		ROLE_L3_MISSES };
	struct view_misses *misses = &view->misses;

	view_misses(session, &misses->now);
	misses->whatif = session->whatif;
	if (misses->now.known)
		misses_if(&misses->now, &misses->whatif, &misses->then);
	for (int i = 0; i < CACHE_LEVELS; i++)
		misses->counted[i] =
			counts_of(session->counted.plan, &session->counted.counts, roles[i]);
	view->grid.relief = session->relief;
	if (view->grid.present)
		fill_levels(session, &view->caches, &view->grid);
}

/* ---- equivalent variants ---- */

/* The largest number of values of the knob that selects the kernel's variant. */
enum { WAYS_MOST = 16 };

/* Returns the explanation (limits) of a kernel's variant if it was already computed, else NULL. */
static const struct explanation *known_of(
	const struct session *session, const struct setting *setting, const struct view *view)
{
	if (setting_equal(setting, &session->setting))
		return view->explanation;
	return session->insight.explain_cache
		       ? explain_cache_find(session->insight.explain_cache, setting)
		       : NULL;
}

/* Fills a row of the panel that compares the variants of a kernel. Returns false if the variant of
 * the kernel was not measured. */
static bool row_of(const struct session *session, const struct setting *setting,
	const struct view *view, struct sweeps_row *row)
{
	const struct cell *cell = cells_get(session->cells, setting, false);
	bool present = setting_equal(setting, &session->setting) && view->sample.valid;
	const struct explanation *explanation = known_of(session, setting, view);

	if (!present && (!cell || !cell->sample.valid))
		return false;
	*row = (struct sweeps_row){ .setting = *setting,
		.sample = present ? view->sample : cell->sample,
		.facts = present ? view->facts : cell->facts };
	sample_ratios_find(&row->sample, explanation, session->counted.plan,
		present ? &view->counters.counts : cell->counts, session->memory.peak,
		&row->sample_ratios);
	sweeps_row_limit(row, explanation);
	return true;
}

static void fill_order(const struct session *session, struct view *view)
{
	const struct kernel *kernel = session->setting.kernel;
	const struct sweeps *sweeps;
	struct sweeps_row rows[WAYS_MOST];

	view->order[0] = '\0';
	if (!session->machine_known)
		return;
	sweeps = session_sweeps(session);
	for (int i = 0; i < sweeps->count; i++) {
		const struct named_sweep *sweep = &sweeps->sweep[i];
		struct setting setting = session->setting;
		struct text lines = { 0 };
		size_t count = 0;

		if (sweep->kernel != kernel || sweep->base < 0 ||
			kernel->knobs[sweep->base].kind != KNOB_CHOICE)
			continue;
		for (int64_t value = 0;
			kernel->knobs[sweep->base].choices[value] && count < WAYS_MOST; value++) {
			setting.v[sweep->base] = value;
			count += row_of(session, &setting, view, &rows[count]);
		}
		sweeps_order(sweep, rows, count, &lines);
		snprintf(view->order, sizeof(view->order), "%.*s",
			(int)strcspn(text_string(&lines), "\n"), text_string(&lines));
		text_free(&lines);
		if (view->order[0])
			return;
	}
}

/* ---- the complete view ---- */

const struct screen *session_screen(const struct session *session)
{
	return &session->screen;
}

/* Copies the state of the screen. The array of search results is half of the view in size, so only
 * its first found_count entries are copied. */
static void copy_screen(struct screen *to, const struct screen *from)
{
	memcpy(to, from, offsetof(struct screen, found));
	memcpy(to->found, from->found, (size_t)from->found_count * sizeof(from->found[0]));
}

/* The kernel's hint, without its way to a knob once the cursor is there: "Down to acc, then +:
 * watch the cycles fall" becomes "+: watch the cycles fall". */
static const char *hint_from(const struct kernel *kernel, int knob)
{
	struct words way = words_of("Down to %s, then ", kernel->knobs[knob].name);

	return kernel->hint && strncmp(kernel->hint, way.text, strlen(way.text)) == 0
		       ? kernel->hint + strlen(way.text)
		       : kernel->hint;
}

void session_view(const struct session *session, double now, struct view *view)
{
	const struct kernel *kernel = session->setting.kernel, *function;
	struct setting initial;

	memset(view, 0, offsetof(struct view, screen));
	view->replay = session->replay ? replay_summary(session->replay).name : NULL;
	view->place = session->replay ? replay_summary(session->replay).place : NULL;
	view->recording = session->recording;
	memcpy(view->recorded, session->playback.knob, sizeof(view->recorded));
	for (int i = 0; i < session->kernel_count && i < VIEW_KERNELS; i++)
		view->kernel_absent[i] = !playback_kernel(session, kernel_registry[i]);
	view->machine = session_machine(session);
	view->setting = session->setting;
	view->memory_limits = session->memory_limits;
	view->epoch = session->epoch;
	view->kernel_index = session_kernel_index(session, kernel);
	/* If A and the present setting are two different loops of the user, the list of kernels
	 * shows only the present one. */
	view->own = kernel->own ? kernel->name
		    : session->own.open
			    ? session->kernels[session->kernel_count].setting.kernel->name
			    : NULL;
	function = session->kernels[session->kernel_count + 1].setting.kernel;
	view->function = kernel->function ? kernel->name : function ? function->name : NULL;
	view->knob = session->knob;
	setting_init(&initial, kernel);
	if (!session->turned && setting_equal(&session->setting, &initial))
		view->hint = hint_from(kernel, session->knob);
	if (session->replay)
		view->hint = session->turned ? NULL : session->playback.hint;
	view->turned = session->turned;
	live_view(&session->live, now, view);
	fill_measuring(session, now, view);
	view->probe = session_probe(session);
	view->characterising = session_core(session);
	view->probing = session_apart(session);
	view->sweep = session_sweep(session);
	view->sweeping = campaign_runs(session, CAMPAIGN_SWEEP);
	curves_view(session, view);
	changed_view(session, view);
	why_view(session, view);
	insight_view(session, view);
	view->caches = insight_own_caches(session);
	diagrams_view(session, view);
	fill_remark(session, view);
	counted_view(session, view);
	fill_order(session, view);
	sample_ratios_find(&view->sample, view->explanation, view->counters.plan,
		&view->counters.counts, session->memory.peak, &view->sample_ratios);
	plan_view(session, view);
	fill_misses(session, view);
	copy_screen(&view->screen, &session->screen);
	view->measured = view->sample.valid;
	view->measured_well = view->sample.valid && !view->sample.provisional;
	classroom_view(session, view);
}
