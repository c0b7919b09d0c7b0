/* The present setting among the other ways of doing the same that are measured already: where their
 * order is not the published one, and why. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/sweep/sweeps_order.h"
#include "explorer/state.h"

/* Values of the knob that makes the ways. */
enum { WAYS_MOST = 16 };

/* What limits another way, if that is known without asking. */
static const struct explanation *known_of(
	const struct session *session, const struct setting *setting, const struct view *view)
{
	if (setting_equal(setting, &session->setting))
		return view->explanation;
	return session->insight.explain_cache
		       ? explain_cache_find(session->insight.explain_cache, setting)
		       : NULL;
}

/* A way as it was measured; false: it was not. */
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

void ordered_view(const struct session *session, struct view *view)
{
	const struct kernel *kernel = session->setting.kernel;
	struct sweeps_row rows[WAYS_MOST];

	view->order[0] = '\0';
	for (int i = 0; i < session->sweeps.count; i++) {
		const struct named_sweep *sweep = &session->sweeps.sweep[i];
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
