/* slexplore explore: runs the explorer on a terminal or from a script. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/screens.h"
#include "engine/machine/machine.h"
#include "kernels/kernel.h"
#include "lesson/lesson.h"
#include "model/core/uarch.h"

/* Values of the options that only explore has. */
struct asked {
	const char *record;   /* path of the file to record to; NULL: nothing is recorded */
	const char *function; /* the function of a program to show; NULL: none */
};

static const struct cli_option options[] = {
	{ "record", "FILE", "write every sample to this file, for replay",
		OPTION_IN_OWN(struct asked, record) },
	{ "function", "NAME",
		"the function of a program to show: its name, an address such as 0x1234, or "
		"FILE:LINE",
		OPTION_IN_OWN(struct asked, function) },
	{ .name = NULL },
};

/* Adds the options for the command line that reopens the present screen. The explorer adds the
 * options that show its present state. */
static void invocation(const struct cli *cli, struct text *text)
{
	if (cli->cpu >= 0)
		text_addf(text, " --cpu %d", cli->cpu);
	if (cli->seed != CLI_SEED)
		text_addf(text, " --seed %llu", (unsigned long long)cli->seed);
	if (cli->ascii)
		text_add(text, " --ascii");
}

/* Checks that a core model of this name exists for this machine's instruction set. */
static struct status check_uarch(const char *name)
{
	struct machine machine = { .known = false };
	struct uarch *uarch = NULL;
	struct status status;

	machine_identify(&machine);
	status = uarch_load(name, machine.arch, &uarch);
	if (status_is_ok(&status))
		uarch_free(uarch);
	return status;
}

/* The commands that open a program in the explorer. */
struct opening_commands {
	struct words open, function, set;
};

/* Opens a program at the start of the explorer, with the function that the user gave. The words
 * after the program choose a loop of the function: "loop=2". */
static struct status open_program(
	struct cli *cli, struct ui_options *ui, struct opening_commands *commands)
{
	const char *function = ((const struct asked *)cli->own)->function;
	struct status status = status_ok();

	for (int i = 1; i < cli->word_count; i++)
		if (!function || cli->word_count > 2 || strncmp(cli->words[i], "loop=", 5) != 0)
			return status_usage("unexpected word \"%.60s\" after the program %.100s: "
					    "--function NAME loop=N chooses a loop",
				cli->words[i], cli->words[0]);
	if (cli->word_count == 2) {
		commands->set = words_of("set %s", cli->words[1]);
		status = screens_first(cli, ui, commands->set.text);
	}
	if (status_is_ok(&status) && function) {
		commands->function = words_of("function %s", function);
		status = screens_first(cli, ui, commands->function.text);
	}
	commands->open = words_of("open %s", cli->words[0]);
	return status_is_ok(&status) ? screens_first(cli, ui, commands->open.text) : status;
}

extern const struct cli_command command_present;

/* Reads the words of the command line: a setting, two settings to compare, a program, or for
 * `present` also the word `lesson` and a lesson. */
static struct status read_words(struct cli *cli, struct ui_options *ui, struct setting settings[2],
	struct opening_commands *commands)
{
	struct status status;
	int count = 1;

	if (cli->word_count == 0)
		return status_ok();
	if (cli->command == &command_present && strcmp(cli->words[0], "lesson") == 0) {
		if (cli->word_count == 2)
			return screens_lesson(cli, ui, cli->words[1], &commands->open);
		return cli->word_count == 1
			       ? status_usage("missing lesson: slexplore present lesson NAME; "
					      "slexplore lesson lists all")
			       : status_usage("%.100s: slexplore present lesson opens one lesson",
					 cli->words[2]);
	}
	if (!kernel_find(cli->words[0]) && lesson_exists(cli->words[0]))
		return status_usage(
			"no kernel \"%1$.60s\", but a lesson: slexplore %2$slesson %1$.60s",
			cli->words[0], cli->command == &command_present ? "present " : "");
	if (words_program(cli) ||
		(((const struct asked *)cli->own)->function && strchr(cli->words[0], '/')))
		return open_program(cli, ui, commands);
	if (((const struct asked *)cli->own)->function)
		return status_usage("--function names a function of a program, an ELF file: "
				    "slexplore ./program --function %.60s",
			((const struct asked *)cli->own)->function);
	status = words_settings(cli, settings, &count);
	if (status_is_ok(&status)) {
		ui->setting = settings[count - 1];
		ui->compared = count == 2 ? &settings[0] : NULL;
	}
	return status;
}

static int explore_run(struct cli *cli)
{
	struct ui_options ui = screens_options(cli);
	struct setting settings[2];
	struct text repeated = { 0 };
	struct opening_commands commands;
	char recorded[200] = "";
	struct status status = status_ok();
	int exit_status;

	ui.offer = cli->word_count == 0;
	ui.record = ((const struct asked *)cli->own)->record;
	if (cli->command == &command_present)
		status = screens_first(cli, &ui, "present");
	if (status_is_ok(&status))
		status = read_words(cli, &ui, settings, &commands);
	if (status_is_ok(&status) && cli->uarch)
		status = check_uarch(cli->uarch);
	if (status_is_ok(&status))
		status = cli_screen(cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	invocation(cli, &repeated);
	/* The added 1 skips the blank at the beginning of the options. */
	ui.invocation = repeated.length ? text_string(&repeated) + 1 : "";
	ui.recorded = recorded;
	status = screens_run(cli, &ui, &exit_status);
	if (*recorded)
		fprintf(cli->err, "slexplore: %s\n", recorded);
	text_free(&repeated);
	return status_is_ok(&status) ? exit_status : cli_fail(cli, status);
}

const struct cli_command command_explore = {
	.name = "explore",
	.help = "open the explorer: choose a kernel, turn its knobs, watch the cycles",
	.arguments = "[KERNEL|FILE [knob=value ...] [vs [KERNEL|FILE] [knob=value ...]] | PROGRAM]",
	.options = options,
	.own_size = sizeof(struct asked),
	.common = { "cpu", "seed", "event", "uarch", "ascii", "script", "theme", "do", "mouse",
		"no-settings" },
	.run = explore_run,
};

const struct cli_command command_present = {
	.name = "present",
	.help = "open the explorer for a class: large digits, one panel, the last key",
	.arguments = "[lesson LESSON | KERNEL|FILE [knob=value ...] [vs [KERNEL|FILE] [knob=value "
		     "...]] | PROGRAM]",
	.options = options,
	.own_size = sizeof(struct asked),
	.common = { "cpu", "seed", "event", "uarch", "ascii", "script", "theme", "do", "mouse",
		"no-settings" },
	.run = explore_run,
};
