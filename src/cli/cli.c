/* One invocation from its arguments to its exit status. */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/messages.h"
#include "config.h"

#include "base/text.h"

#ifdef HAVE_CONFIG_H
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(not configured)"
#endif

/* Whether a subcommand opens the screen: one that takes a script. */
static bool opens_screen(const struct cli_command *command)
{
	return cli_takes(command, "script");
}

struct status cli_screen(const struct cli *cli)
{
	struct text batch = { 0 };
	struct status status;

	if (cli->script || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return status_ok();
	for (const struct cli_command *const *command = cli_commands; *command; command++)
		if (!opens_screen(*command))
			text_addf(&batch, "%s%s", batch.length ? ", " : "", (*command)->name);
	status = status_usage("the explorer needs a terminal as standard input and output; "
			      "these work without one: %s",
		text_string(&batch));
	text_free(&batch);
	return status;
}

int cli_main(int argc, char **argv, FILE *out, FILE *err)
{
	struct cli cli = { .out = out, .err = err };
	struct status status = cli_parse(&cli, argc, argv);
	int exit_status = CLI_DONE;

	if (!status_is_ok(&status)) {
		exit_status = cli_fail(&cli, &status);
	} else if (cli.help) {
		cli_help(&cli, cli.command != NULL);
	} else if (cli.version) {
		fprintf(out, "slexplore %s\n", PACKAGE_VERSION);
	} else {
		if (!cli.command)
			cli.command = cli_commands[0];
		exit_status = cli.command->run(&cli);
	}
	free(cli.words);
	free(cli.own);
	return cli_finish(&cli, exit_status);
}

/* The table of subcommands. */

extern const struct cli_command command_explore, command_list, command_run, command_sweep,
	command_explain, command_probe, command_windows, command_characterise, command_record,
	command_replay, command_events, command_doctor;

const struct cli_command *const cli_commands[] = {
	&command_explore,
	&command_list,
	&command_run,
	&command_sweep,
	&command_explain,
	&command_probe,
	&command_windows,
	&command_characterise,
	&command_record,
	&command_replay,
	&command_events,
	&command_doctor,
	NULL,
};
