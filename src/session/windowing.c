/* The windows in the explorer: while the kernel `window` is chosen its curves fill in, the one on screen first, where other kernels fill their
 * slices. */
#include <stdio.h>
#include <string.h>

#include "session/state.h"

/* Whether a setting is of the kernel that has fillers between two misses. */
static bool is_window(const struct setting *setting)
{
	return strcmp(setting->kernel->name, WINDOWS_KERNEL) == 0 && kernel_knob(setting->kernel, WINDOWS_FILLERS) >= 0 &&
		kernel_knob(setting->kernel, WINDOWS_FILLER) >= 0;
}

static int64_t filler_of(const struct setting *setting)
{
	return setting->v[kernel_knob(setting->kernel, WINDOWS_FILLER)];
}

void windowing_end(struct session *session)
{
	windows_free(session->windowing.windows);
	session->windowing.windows = NULL;
	session->windowing.generation = 0;
}

/* What is there was measured with the same knobs, but for fillers and filler. */
static bool is_of(const struct windows *windows, const struct setting *setting)
{
	struct setting was = windows_report(windows)->options.setting;
	int fillers = kernel_knob(setting->kernel, WINDOWS_FILLERS), filler = kernel_knob(setting->kernel, WINDOWS_FILLER);

	was.v[fillers] = setting->v[fillers];
	was.v[filler] = setting->v[filler];
	return setting_equal(&was, setting);
}

/* All that a recording has of it. */
static void play(struct session *session)
{
	struct windows *windows = session->windowing.windows;
	const struct windows_report *report = windows_report(windows);
	int fillers = kernel_knob(session->setting.kernel, WINDOWS_FILLERS), filler = kernel_knob(session->setting.kernel, WINDOWS_FILLER);

	for (int i = 0; i < report->count; i++) {
		struct setting setting = session->setting;
		int64_t values[KNEE_POINTS];
		int count;

		setting.v[filler] = report->row[i].choice;
		count = replay_values(session->replay, &setting, fillers, values, KNEE_POINTS);
		for (int k = 0; k < count; k++) {
			struct cell *cell;

			setting.v[fillers] = values[k];
			if (replay_find(session->replay, &setting) < 0)
				continue;
			cell = cells_get(session->cells, &setting, true);
			recorded_cell(session, cell);
			windows_give(windows, &setting, &cell->sample);
		}
	}
	windows_stop(windows, 0);
}

/* Whether it has a curve. */
static bool played(const struct windows *windows)
{
	const struct windows_report *report = windows_report(windows);

	for (int i = 0; i < report->count; i++)
		if (report->row[i].curve.count >= 4)
			return true;
	return false;
}

void windowing_renew(struct session *session)
{
	struct windowing *windowing = &session->windowing;
	const struct insight *insight = &session->insight;
	const struct uarch *uarch = insight->loaded ? insight->core.uarch : NULL;
	struct windows_options options = { .setting = session->setting, .seed = session->seed, .uarch = uarch, .foreign = insight_foreign(session) };
	struct status status;

	if (!session->machine_known || !is_window(&session->setting)) {
		if (session->body == BODY_WINDOWS)
			body_bring(session, BODY_SLICES);
		windowing->shown = false;
		return;
	}
	if (windowing->windows && !is_of(windowing->windows, &session->setting))
		windowing_end(session);
	if (!windowing->windows) {
		windowing->windows = windows_new(session->engine.machine(session->engine.context), &options, &status);
		if (!windowing->windows)
			return;
		if (session->replay)
			play(session);
	}
	/* It is what this kernel is about, unless a recording has nothing of it. */
	if (session->body == BODY_SLICES && !windowing->shown && (!session->replay || played(windowing->windows)))
		body_bring(session, BODY_WINDOWS);
	windowing->shown = true;
	windows_model(windowing->windows, uarch, options.foreign);
	windows_prefer(windowing->windows, filler_of(&session->setting));
}

bool windowing_runs(const struct session *session)
{
	const struct windowing *windowing = &session->windowing;

	return windowing->windows && !session->replay && is_window(&session->setting) && !windows_over(windowing->windows);
}

bool windowing_there(const struct session *session)
{
	return session->windowing.windows && is_window(&session->setting);
}

void windowing_lose(struct session *session)
{
	if (session->windowing.generation)
		windows_lose(session->windowing.windows);
	session->windowing.generation = 0;
}

bool windowing_submit(struct session *session, double now, struct request *request)
{
	struct windowing *windowing = &session->windowing;

	if (!windowing_runs(session) || !windows_next(windowing->windows, now, request))
		return false;
	windowing->generation = request->generation = ++session->generation;
	return true;
}

void windowing_take(struct session *session, const struct result *result, double now)
{
	struct windowing *windowing = &session->windowing;

	if (!windowing->generation || result->generation != windowing->generation)
		return;
	windowing->generation = 0;
	windows_accept(windowing->windows, now, result);
}

void windowing_view(const struct session *session, struct view *view)
{
	view->windows = session->windowing.windows ? windows_report(session->windowing.windows) : NULL;
	view->window = NULL;
	view->windowing = windowing_runs(session);
	if (view->windows)
		view->window = is_window(&session->setting) ? windows_row(view->windows, filler_of(&session->setting)) : &view->windows->row[0];
}
