#include "cli/screens.h"

#include <string.h>

#include "lesson/lesson.h"
#include "recording/replay.h"

/* The most commands with which the explorer opens the next recording. */
enum { OPENING_MOST = 16 };

/* Chooses the setting at the start of a replay: the recorded setting nearest to the last setting on
 * screen, else the one to begin with. */
static struct setting begin_at(const struct replay *replay, const struct setting *last)
{
	struct setting setting = *last;

	if (last->kernel && replay_first(replay, last->kernel, &setting)) {
		setting = *last;
		if (replay_nearest(replay, &setting, ~0u) ||
			replay_first(replay, last->kernel, &setting))
			return setting;
	}
	return replay_begin(replay);
}

struct ui_options screens_options(const struct cli *cli)
{
	struct ui_options ui = { .cpu = cli->cpu,
		.seed = cli->seed,
		.ascii = cli->ascii,
		.mouse = cli->mouse,
		.commands = cli->commands,
		.command_count = cli->command_count,
		.saved = !cli->no_settings,
		.theme = cli->screen_theme,
		.script = cli->script,
		.uarch = cli->uarch,
		.events = cli->events,
		.event_count = cli->event_count,
		.out = cli->out,
		.invocation = cli->ascii ? "--ascii" : "" };

	setting_init(&ui.setting, kernel_registry[0]);
	return ui;
}

struct status screens_first(struct cli *cli, struct ui_options *ui, const char *command)
{
	const int most = sizeof(cli->commands) / sizeof(cli->commands[0]);

	if (cli->command_count == most)
		return status_usage("the option --do may be given at most %d times here", most - 1);
	memmove(&cli->commands[1], cli->commands,
		(size_t)cli->command_count * sizeof(cli->commands[0]));
	cli->commands[0] = command;
	ui->command_count = ++cli->command_count;
	return status_ok();
}

/* Checks that a lesson can be opened, and finds the setting of its first step; the setting
 * stays if the first step has none. */
static struct status look_into(const char *word, struct setting *first)
{
	struct lesson_mistakes mistakes = { 0 };
	struct lesson *lesson;
	struct status status = lesson_open(word, &lesson, &mistakes);

	if (status_is_ok(&status) && mistakes.count)
		status = status_usage("%.100s:%d:%d: %.160s; --check lists all mistakes",
			lesson->origin, mistakes.mistake->line, mistakes.mistake->column,
			mistakes.mistake->words);
	else if (status_is_ok(&status) && lesson->step_count && lesson->step[0].setting.kernel)
		*first = lesson->step[0].setting;
	lesson_mistakes_free(&mistakes);
	lesson_free(lesson);
	return status;
}

struct status screens_lesson(
	struct cli *cli, struct ui_options *ui, const char *word, struct words *command)
{
	struct status status = look_into(word, &ui->setting);

	*command = words_of("lesson %s", word);
	return status_is_ok(&status) ? screens_first(cli, ui, command->text) : status;
}

void screens_begin_replay(struct ui_options *ui, const struct setting *last)
{
	ui->cpu = -1;
	ui->uarch = NULL;
	ui->event_count = 0;
	ui->seed = replay_summary(ui->replay).place->seed;
	ui->setting = begin_at(ui->replay, last);
}

/* Sets the commands for the start of the explorer to the lines of the text, which must outlive
 * them.
 */
static void begin_with(struct ui_options *ui, struct text *lines, const char **command, int most)
{
	char *rest = lines->bytes;

	ui->commands = command;
	ui->command_count = 0;
	for (char *line; rest && (line = strsep(&rest, "\n"));)
		if (*line && ui->command_count < most)
			command[ui->command_count++] = line;
}

struct status screens_run(const struct cli *cli, const struct ui_options *first, int *exit_status)
{
	struct ui_next next = { .replay = NULL };
	struct ui_options ui = *first;
	struct status status;
	struct replay *replay;
	struct text lines = { 0 };
	const char *command[OPENING_MOST];

	ui.next = &next;
	status = ui_run(&ui, exit_status);
	while (status_is_ok(&status) && next.asked) {
		replay = next.replay;
		ui = *first;
		ui.next = &next;
		ui.replay = replay;
		/* The first run of the explorer has carried out the options of the command line, so
		 * later runs do not. */
		text_free(&lines);
		lines = next.commands;
		begin_with(&ui, &lines, command, OPENING_MOST);
		ui.swapped = next.swapped;
		ui.compared = NULL;
		ui.offer = false;
		ui.record = NULL;
		ui.recorded = NULL;
		if (replay) {
			screens_begin_replay(&ui, &next.setting);
			ui.invocation = cli->ascii ? "--ascii" : "";
		} else if (next.setting.kernel) {
			ui.setting = next.setting;
		}
		next = (struct ui_next){ .replay = NULL };
		status = ui_run(&ui, exit_status);
		replay_free(replay);
	}
	text_free(&lines);
	text_free(&next.commands);
	return status;
}
