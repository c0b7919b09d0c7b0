/* Runs one invocation of the program, from its arguments to its exit status. */
#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "base/output.h"
#include "base/text.h"
#include "config.h"
#include "picture/picture.h"
#include "recording/record.h"

bool cli_opens_screen(const struct cli_command *command)
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
		if (!cli_opens_screen(*command))
			text_addf(&batch, "%s%s", batch.length ? ", " : "", (*command)->name);
	status = status_usage("the explorer needs a terminal as standard input and output; "
			      "these subcommands work without a terminal: %s",
		text_string(&batch));
	text_free(&batch);
	return status;
}

int cli_main(int argc, char **argv, FILE *out, FILE *err)
{
	struct cli cli = { .out = out, .err = err };
	struct status status;
	int exit_status = CLI_DONE;

	records_begin();
	status = cli_parse(&cli, argc, argv);
	if (!status_is_ok(&status)) {
		exit_status = cli_fail(&cli, status);
	} else if (cli.help) {
		cli_help(&cli, cli.command != NULL);
	} else if (cli.version) {
		fprintf(out, "slexplore %s\n", PACKAGE_VERSION);
	} else {
		if (!cli.command)
			cli.command = cli_commands[0];
		status = data_reachable();
		if (!status_is_ok(&status))
			cli_note(&cli, "%s", status.text);
		status = status_ok();
		/* A picture's path that cannot be written is reported before any measurement. */
		if (cli.picture)
			status = picture_check(cli.picture);
		if (status_is_ok(&status) && cli.gnuplot)
			status = picture_check(cli.gnuplot);
		exit_status =
			status_is_ok(&status) ? cli.command->run(&cli) : cli_fail(&cli, status);
	}
	free(cli.words);
	free(cli.gnuplot);
	free(cli.own);
	return cli_finish(&cli, exit_status);
}

/* The table of subcommands. */

extern const struct cli_command command_explore, command_present, command_list, command_run,
	command_sweep, command_explain, command_probe, command_windows, command_characterise,
	command_record, command_replay, command_compare, command_report, command_lesson,
	command_events, command_doctor, command_complete;

const struct cli_command *const cli_commands[] = {
	&command_explore,
	&command_present,
	&command_list,
	&command_run,
	&command_sweep,
	&command_explain,
	&command_probe,
	&command_windows,
	&command_characterise,
	&command_record,
	&command_replay,
	&command_compare,
	&command_report,
	&command_lesson,
	&command_events,
	&command_doctor,
	&command_complete,
	NULL,
};

/* ---- Messages */

int cli_fail(const struct cli *cli, struct status status)
{
	fprintf(cli->err, "slexplore: %s\n", status.text);
	return status.code == STATUS_USAGE ? CLI_USAGE : CLI_UNMEASURED;
}

void cli_note(const struct cli *cli, const char *format, ...)
{
	va_list arguments;

	if (cli->quiet)
		return;
	fputs("slexplore: note: ", cli->err);
	va_start(arguments, format);
	vfprintf(cli->err, format, arguments);
	va_end(arguments);
	fputc('\n', cli->err);
}

/* Whether the reader of a pipe or socket has closed it. poll(2) reports a closed pipe or socket. */
static bool reader_left(FILE *out)
{
	struct pollfd pipe = { .fd = output_descriptor(out), .events = POLLOUT };

	return pipe.fd >= 0 && poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLERR);
}

int cli_finish(const struct cli *cli, int exit_status)
{
	errno = 0;
	if (fflush(cli->out) == 0 && !ferror(cli->out))
		return exit_status;
	/* If an earlier write failed, the flush may succeed, and errno no longer holds the error.
	 * If the reader closed the pipe, as head does, no message is printed; only the exit status
	 * shows the failure. */
	if (errno != EPIPE && !reader_left(cli->out))
		fprintf(cli->err, "slexplore: standard output: %s\n",
			errno ? strerror(errno) : "part of the output could not be written");
	return exit_status == CLI_DONE ? CLI_UNMEASURED : exit_status;
}
