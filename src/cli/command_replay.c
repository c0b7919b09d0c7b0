/* slexplore replay: opens the explorer on a recording. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/screens.h"
#include "engine/own/own.h"
#include "recording/recording.h"
#include "recording/replay.h"

/* If the second word is the file of another recording, with or without "vs" before it, removes
 * these words, and lets the explorer compare with that recording. `command` receives the command of
 * the explorer. */
static struct status take_other(struct cli *cli, char *command, size_t size)
{
	const int most = sizeof(cli->commands) / sizeof(cli->commands[0]);
	const int taken = cli->word_count > 2 && strcmp(cli->words[1], "vs") == 0 ? 2 : 1;
	const char *path = cli->word_count > 1 ? cli->words[taken] : "";

	if (!recording_is_name(path))
		return status_ok();
	if (access(path, R_OK) != 0)
		return status_unopened(path, errno);
	if (cli->command_count == most)
		return status_usage(
			"%.100s: the option --do may be given at most %d times", path, most - 1);
	snprintf(command, size, "beside %s", path);
	cli->commands[cli->command_count++] = command;
	memmove(&cli->words[1], &cli->words[1 + taken],
		(size_t)(cli->word_count - 1 - taken) * sizeof(cli->words[0]));
	cli->word_count -= taken;
	return status_ok();
}

/* Chooses the setting at the start of the replay: the recorded setting nearest to the setting that
 * the user requested. */
static struct status choose_setting(
	const struct cli *cli, const struct replay *replay, struct setting *setting)
{
	struct setting wanted;
	unsigned asked = 0;
	struct status status;

	*setting = replay_begin(replay);
	if (cli->word_count < 2)
		return status_ok();
	if (own_is_path(cli->words[1]))
		return status_usage("%.100s: recordings have no own loops; slexplore %.100s "
				    "measures this loop",
			cli->words[1], cli->words[1]);
	status = setting_find_kernel(cli->words[1], &setting->kernel);
	if (!status_is_ok(&status))
		return status;
	if (!replay_first(replay, setting->kernel, setting))
		return status_usage("the recording %.100s has no setting of %s",
			replay_summary(replay).name, setting->kernel->name);
	for (int i = 2; i < cli->word_count; i++) {
		const char *value;
		int knob;

		status = setting_assign(setting, cli->words[i], MEMORY_LIMITS_UNKNOWN);
		if (status_is_ok(&status))
			status = setting_split(setting->kernel, cli->words[i], &knob, &value);
		if (!status_is_ok(&status))
			return status;
		asked |= 1u << knob;
	}
	wanted = *setting;
	if (!replay_nearest(replay, setting, asked))
		return status_usage("the recording %.100s has no setting of %s with the requested "
				    "values of its knobs",
			replay_summary(replay).name, setting->kernel->name);
	for (int i = 0; i < wanted.kernel->knob_count; i++) {
		const struct knob *knob = &wanted.kernel->knobs[i];

		if (!(asked >> i & 1) || wanted.v[i] == setting->v[i])
			continue;
		cli_note(cli, "%s=%s was not recorded: the nearest recorded value is %s",
			knob->name, setting_value(knob, wanted.v[i]).text,
			setting_value(knob, setting->v[i]).text);
	}
	return status_ok();
}

static void print_notes(const struct cli *cli, const struct replay *replay)
{
	char *notes = memory_string(replay_summary(replay).notes), *save, *line;

	for (line = strtok_r(notes, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		cli_note(cli, "%s", line);
	free(notes);
}

static int replay_run(struct cli *cli)
{
	char beside[4200];
	struct status other = take_other(cli, beside, sizeof(beside));
	struct ui_options ui = screens_options(cli);
	struct status status = other;
	int exit_status = CLI_DONE;

	if (cli->word_count == 0)
		status = status_usage("missing recording: slexplore replay FILE, where slexplore "
				      "record wrote FILE");
	if (status_is_ok(&status))
		status = cli_screen(cli);
	if (status_is_ok(&status))
		status = replay_open(cli->words[0], &ui.replay);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	print_notes(cli, ui.replay);
	ui.seed = replay_summary(ui.replay).place->seed;
	status = choose_setting(cli, ui.replay, &ui.setting);
	if (status_is_ok(&status))
		status = screens_run(cli, &ui, &exit_status);
	replay_free(ui.replay);
	return status_is_ok(&status) ? exit_status : cli_fail(cli, status);
}

const struct cli_command command_replay = {
	.name = "replay",
	.help = "show a recording in the explorer, without measuring",
	.arguments = "FILE [[vs] OTHER.jsonl] [KERNEL [knob=value ...]]",
	.common = { "quiet", "ascii", "script", "theme", "do", "mouse", "no-settings" },
	.run = replay_run,
};
