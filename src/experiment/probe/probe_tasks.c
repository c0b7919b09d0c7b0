/* The points (tasks) that the current round of the probe measures: each is added once. */
#include <stdarg.h>
#include <stdio.h>

#include "experiment/probe/probe_state.h"
#include "kernels/knob_rows.h"

/* In the core's own caches, a point is doubtful if the relative distance of its quartiles exceeds
 * SCATTERED. */
#define SCATTERED 0.06

void probe_add_task(struct probe *probe, const struct probe_task *task)
{
	if (probe->task_count < PROBE_TASKS)
		probe->tasks[probe->task_count++] = *task;
}

bool probe_add(
	struct probe *probe, enum page_kind pages, struct probe_task task, const char *format, ...)
{
	char words[128];
	va_list arguments;
	size_t used;

	va_start(arguments, format);
	used = (size_t)vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	snprintf(words + used, sizeof(words) - used, " pages=%s", knob_pages[pages]);
	if (!setting_read(&task.setting, words))
		return false;
	setting_widen(&task.setting);
	for (int i = 0; task.curve && i < task.curve->count; i++)
		if (setting_equal(&task.curve->point[i].setting, &task.setting))
			return true;
	for (int i = 0; task.curve && i < probe->task_count; i++)
		if (probe->tasks[i].curve == task.curve &&
			setting_equal(&probe->tasks[i].setting, &task.setting))
			return true;
	if (!task.curve || task.curve->count + probe->task_count < PROBE_POINTS)
		probe_add_task(probe, &task);
	return true;
}

/* Returns whether a point of the curve must be measured again. In the core's own caches, scattered
 * trials have only one cause: interference from other processes. */
static bool doubtful(const struct sample *sample, const struct setting *setting)
{
	/* For a large working set, a point is measured again only if its sample is invalid, because
	 * another measurement takes long. A busy hyper-thread hardly slows a walk that waits for
	 * memory. */
	if (probe_is_far(setting))
		return !sample->valid;
	return !sample->valid || sample_doubt(sample) ||
	       sample->cpe_hi - sample->cpe_lo > SCATTERED * sample->cpe;
}

void probe_again(struct probe *probe, struct probe_curve *curve, bool all)
{
	for (int i = 0; i < curve->count; i++) {
		const struct probe_point *point = &curve->point[i];
		const struct cell *cell = cells_get(probe->cells, &point->setting, false);
		struct probe_task task = { .curve = curve,
			.setting = point->setting,
			.x = point->x,
			.fine = point->fine };

		if (!cell || !status_is_ok(&cell->failure))
			continue;
		if ((all && !probe_is_far(&task.setting)) ||
			(probe_task_bytes(&task) <= PROBE_CHEAP &&
				doubtful(&point->sample, &task.setting)))
			probe_add_task(probe, &task);
	}
}
