#include "cli/screens.h"

#include "recording/replay.h"

/* Chooses the setting at the start of a replay: the recorded setting nearest to the last setting on
 * screen, else the first one of the recording. */
static struct setting begin_at(const struct replay *replay, const struct setting *last)
{
	struct setting setting = *last;

	if (last->kernel && replay_first(replay, last->kernel, &setting)) {
		setting = *last;
		if (replay_nearest(replay, &setting, ~0u) ||
			replay_first(replay, last->kernel, &setting))
			return setting;
	}
	return *replay_entry(replay, 0).setting;
}

struct status screens_run(const struct cli *cli, const struct ui_options *first, int *exit_status)
{
	struct ui_next next = { .replay = NULL };
	struct ui_options ui = *first;
	struct status status;
	struct replay *replay;

	ui.next = &next;
	status = ui_run(&ui, exit_status);
	while (status_is_ok(&status) && next.asked) {
		replay = next.replay;
		ui = *first;
		ui.next = &next;
		ui.replay = replay;
		/* The first run of the explorer has carried out the options of the command line, so
		 * later runs do not. */
		ui.commands = NULL;
		ui.command_count = 0;
		ui.compared = NULL;
		ui.offer = false;
		ui.record = NULL;
		ui.recorded = NULL;
		if (replay) {
			ui.cpu = -1;
			ui.uarch = NULL;
			ui.event_count = 0;
			ui.seed = replay_summary(replay).place->seed;
			ui.invocation = cli->ascii ? "--ascii" : "";
			ui.setting = begin_at(replay, &next.setting);
		} else if (next.setting.kernel) {
			ui.setting = next.setting;
		}
		next = (struct ui_next){ .replay = NULL };
		status = ui_run(&ui, exit_status);
		replay_free(replay);
	}
	return status;
}
