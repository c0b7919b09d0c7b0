#include "cli/screen.h"

#include <unistd.h>

#include "base/text.h"

struct status screen_apply_ascii(struct cli *cli, const char *value)
{
	(void)value;
	cli->ascii = true;
	return status_ok();
}

struct status screen_apply_script(struct cli *cli, const char *value)
{
	cli->script = value;
	return status_ok();
}

/* Whether a subcommand opens the screen: one that takes a script. */
static bool opens_screen(const struct cli_command *command)
{
	return cli_takes(command, "script");
}

struct status screen_possible(const struct cli *cli)
{
	struct text batch = { 0 };
	struct status status;

	if (cli->script || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return status_ok();
	for (const struct cli_command *const *command = cli_commands; *command; command++)
		if (!opens_screen(*command))
			text_addf(&batch, "%s%s", batch.length ? ", " : "", (*command)->name);
	status = status_make(STATUS_USAGE,
		"the explorer needs a terminal as standard input and output; "
		"these work without one: %s",
		text_string(&batch));
	text_free(&batch);
	return status;
}
