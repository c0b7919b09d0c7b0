/* The tasks of a round, and the settings that they measure. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#include "experiment/probe/probe_state.h"

enum { LINE = 64 };

/* Seconds of a visit: in the core's own caches; beyond them, where one access takes as long as a
 * hundred there; and where the trials of one visit cover only a small part of the working set. */
#define VISIT_NEAR   0.0028
#define VISIT_MIDDLE 0.005
#define VISIT_FAR    0.008

/* In the core's own caches quartiles further apart than this are doubtful, relatively. */
#define SCATTERED 0.06

bool probe_is_far(const struct setting *setting)
{
	const struct kernel *kernel = setting->kernel;
	int stride = kernel_knob(kernel, "stride");
	double bytes = (double)kernel_footprint(kernel, setting->v);

	/* Nodes that lie pages apart use few lines. */
	if (stride >= 0 && setting->v[stride] > LINE)
		bytes *= LINE / (double)setting->v[stride];
	return bytes > PROBE_FAR;
}

double probe_visit_seconds(const struct probe *probe, uint64_t bytes)
{
	return probe->scale * (bytes <= PROBE_FAR	     ? VISIT_NEAR
				      : bytes <= PROBE_CHEAP ? VISIT_MIDDLE
							     : VISIT_FAR);
}

/* A probe must end in about three seconds, unless the user has set another time. */
#define SOON 2.0

bool probe_late(const struct probe *probe)
{
	return probe->report.options.seconds <= 0 && probe->report.seconds > SOON;
}

/* ---- names and notes ---- */

const char *const probe_part_names[] = { "latency", "tlb", "line", "bandwidth", "parallel", "cores",
	NULL };
_Static_assert(sizeof(probe_part_names) / sizeof(probe_part_names[0]) == PROBE_PARTS + 1,
	"a name for each part");

enum probe_part probe_part_find(const char *name)
{
	int part = 0;

	while (probe_part_names[part] && strcmp(probe_part_names[part], name) != 0)
		part++;
	return (enum probe_part)part;
}

void probe_note(struct probe *probe, const char *format, ...)
{
	struct probe_report *report = &probe->report;
	char words[FINDING_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	text_cut_clean(words, sizeof(words));
	for (int i = 0; i < report->note_count; i++)
		if (strcmp(report->note[i], words) == 0)
			return;
	if (report->note_count < PROBE_NOTES)
		memcpy(report->note[report->note_count++], words, sizeof(words));
}

enum page_kind probe_best_pages(const struct probe *probe)
{
	static const enum page_kind order[] = { PAGES_HUGE, PAGES_AUTO, PAGES_4K };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (probe->report.options.pages[order[i]])
			return order[i];
	return PAGES_AUTO;
}

/* ---- tasks ---- */

void probe_add_task(struct probe *probe, const struct probe_task *task)
{
	if (probe->task_count < PROBE_TASKS)
		probe->tasks[probe->task_count++] = *task;
}

uint64_t probe_task_bytes(const struct probe_task *task)
{
	return kernel_footprint(task->setting.kernel, task->setting.v);
}

int probe_upward(const void *a, const void *b)
{
	const struct probe_task *x = a, *y = b;
	uint64_t bx = probe_task_bytes(x), by = probe_task_bytes(y);

	if (bx != by)
		return bx < by ? -1 : 1;
	return x->x < y->x ? -1 : x->x > y->x;
}

int probe_downward(const void *a, const void *b)
{
	bool x_large = probe_task_bytes(a) > PROBE_CHEAP,
	     y_large = probe_task_bytes(b) > PROBE_CHEAP;

	if (x_large != y_large)
		return x_large ? -1 : 1;
	return x_large ? -probe_upward(a, b) : probe_upward(a, b);
}

void probe_drop_larger(struct probe *probe, int task, uint64_t bytes)
{
	int kept = task + 1;

	for (int i = kept; i < probe->task_count; i++)
		if (probe_task_bytes(&probe->tasks[i]) < bytes)
			probe->tasks[kept++] = probe->tasks[i];
	probe->task_count = kept < probe->task_count ? kept : probe->task_count;
}

/* ---- settings ---- */

bool probe_set(struct setting *setting, const char *name, int64_t value)
{
	int knob = kernel_knob(setting->kernel, name);

	if (knob >= 0)
		setting->v[knob] = value;
	return knob >= 0;
}

bool probe_choose(struct setting *setting, const char *name, const char *choice)
{
	int knob = kernel_knob(setting->kernel, name);
	const char *const *choices = knob >= 0 ? setting->kernel->knobs[knob].choices : NULL;

	for (int i = 0; choices && choices[i]; i++)
		if (strcmp(choices[i], choice) == 0) {
			setting->v[knob] = i;
			return true;
		}
	return false;
}

bool probe_start(struct setting *setting, const char *kernel, enum page_kind pages)
{
	int knob;

	setting->kernel = kernel_find(kernel);
	if (!setting->kernel)
		return false;
	setting_init(setting, setting->kernel);
	knob = kernel_asking(setting->kernel, ASKS_PAGES);
	if (knob >= 0)
		setting->v[knob] = pages;
	return true;
}

bool probe_latency(struct setting *setting, enum page_kind pages, int64_t size, int64_t stride,
	const char *order)
{
	return probe_start(setting, "latency", pages) && probe_set(setting, "size", size) &&
	       probe_set(setting, "stride", stride) && probe_choose(setting, "order", order);
}

bool probe_allowed(const struct setting *setting)
{
	const struct kernel *kernel = setting->kernel;
	struct status status;

	for (int i = 0; i < kernel->knob_count; i++)
		if (kernel->knobs[i].kind != KNOB_CHOICE &&
			(setting->v[i] < kernel->knobs[i].min ||
				setting->v[i] > kernel->knobs[i].max))
			return false;
	status = kernel_check(kernel, setting->v);
	return status_is_ok(&status);
}

void probe_add_point(struct probe *probe, struct probe_curve *curve, const struct setting *setting,
	double x, bool fine)
{
	struct probe_task task = { .curve = curve, .setting = *setting, .x = x, .fine = fine };

	for (int i = 0; i < curve->count; i++)
		if (setting_equal(&curve->point[i].setting, setting))
			return;
	for (int i = 0; i < probe->task_count; i++)
		if (probe->tasks[i].curve == curve &&
			setting_equal(&probe->tasks[i].setting, setting))
			return;
	if (curve->count + probe->task_count < PROBE_POINTS && probe_allowed(setting))
		probe_add_task(probe, &task);
}

/* Whether a point needs another look. In the core's own caches only disturbances scatter. */
static bool doubtful(const struct sample *sample, const struct setting *setting)
{
	/* A busy sibling hardly slows a walk that waits for memory, and another look takes long. */
	if (probe_is_far(setting))
		return !sample->valid;
	if (!sample->valid || sample_doubt(sample))
		return true;
	return sample->cpe_hi - sample->cpe_lo > SCATTERED * sample->cpe;
}

void probe_look_again(struct probe *probe, struct probe_curve *curve, bool all)
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
