/* Measures buffer sizes in the explorer: the windows campaign, with a curve for each kind of filler
 * instruction. While the kernel `window` is chosen, the session measures the kernel's curves,
 * beginning with the curve on screen. For other kernels, the session measures the points of the
 * slices: curves over one knob. */
#include <stdio.h>
#include <string.h>

#include "experiment/windows/windows.h"
#include "explorer/state.h"

/* Whether the setting belongs to the kernel `window`, which executes filler instructions between
 * two cache misses. */
static bool is_window(const struct setting *setting)
{
	return strcmp(setting->kernel->name, WINDOWS_KERNEL) == 0 &&
	       kernel_knob(setting->kernel, WINDOWS_FILLERS) >= 0 &&
	       kernel_knob(setting->kernel, WINDOWS_FILLER) >= 0;
}

static int64_t filler_of(const struct setting *setting)
{
	return setting->v[kernel_knob(setting->kernel, WINDOWS_FILLER)];
}

static struct windows *windows_of(const struct session *session)
{
	return session->campaigns[CAMPAIGN_WINDOWS].campaign.self;
}

/* Whether the setting of the report on buffer sizes is equal to `setting`, except for the knobs
 * `fillers` and `filler`. */
static bool is_of(const struct windows *windows, const struct setting *setting)
{
	struct setting was = windows_report(windows)->options.setting;
	int fillers = kernel_knob(setting->kernel, WINDOWS_FILLERS),
	    filler = kernel_knob(setting->kernel, WINDOWS_FILLER);

	was.v[fillers] = setting->v[fillers];
	was.v[filler] = setting->v[filler];
	return setting_equal(&was, setting);
}

/* Adds all curve points of the replayed recording to the report on buffer sizes. */
static void play(struct session *session)
{
	struct windows *windows = windows_of(session);
	const struct windows_report *report = windows_report(windows);
	int fillers = kernel_knob(session->setting.kernel, WINDOWS_FILLERS),
	    filler = kernel_knob(session->setting.kernel, WINDOWS_FILLER);

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
			playback_cell(session, cell);
			windows_give(windows, &setting, &cell->sample);
		}
	}
	windows_close(windows);
}

/* Whether the replayed recording has at least one curve over filler instructions. */
static bool played(const struct windows *windows)
{
	const struct windows_report *report = windows_report(windows);

	for (int i = 0; i < report->count; i++)
		if (report->row[i].curve.count >= 4)
			return true;
	return false;
}

static bool is_wanted(const struct session *session)
{
	return !session->replay && is_window(&session->setting) &&
	       !windows_over(windows_of(session));
}

/* While a recording is being written, adds a measured point of a curve to the recording. A point of
 * a curve is recorded like a cell, a setting that was measured once. */
static void answered(
	struct session *session, const struct setting *setting, const struct result *result)
{
	struct cell *cell;

	if (!session->recording || result->trials.count == 0)
		return;
	cell = cells_get(session->cells, setting, true);
	if (cell->settled)
		return;
	cell->at = session->now;
	cell_visit(cell, result, CELL_QUIET, 1, 1);
	record_cell(session, cell, true);
	cell_compact(cell);
}

static const struct campaign_row row = {
	.kind = &campaign_windows, .wanted = is_wanted, .answered = answered
};

void curves_renew(struct session *session)
{
	const struct insight *insight = &session->insight;
	const struct uarch *uarch = insight->loaded ? insight->core.uarch : NULL;
	struct windows_options options = { .setting = session->setting,
		.seed = session->seed,
		.uarch = uarch,
		.foreign = insight_foreign(session) };
	struct status status;

	if (!session->machine_known || !is_window(&session->setting))
		return;
	if (!windows_of(session) || !is_of(windows_of(session), &session->setting)) {
		struct windows *windows = windows_new(session_machine(session), &options, &status);

		campaign_end(session, CAMPAIGN_WINDOWS);
		if (!windows)
			return;
		campaign_begin(session, CAMPAIGN_WINDOWS, &row, windows);
		if (session->replay)
			play(session);
	}
	windows_model(windows_of(session), uarch, options.foreign);
	windows_prefer(windows_of(session), filler_of(&session->setting));
	campaign_choose_again(session, CAMPAIGN_WINDOWS);
}

bool windows_there(const struct session *session)
{
	return windows_of(session) && is_window(&session->setting) &&
	       (!session->replay || played(windows_of(session)));
}

void curves_view(const struct session *session, struct view *view)
{
	view->windows = windows_of(session) ? windows_report(windows_of(session)) : NULL;
	view->window = NULL;
	view->windowing = campaign_runs(session, CAMPAIGN_WINDOWS);
	if (view->windows)
		view->window = is_window(&session->setting)
				       ? windows_row(view->windows, filler_of(&session->setting))
				       : &view->windows->row[0];
}
