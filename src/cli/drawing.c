#include "cli/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/messages.h"
#include "model/core/uarch.h"
#include "picture/picture.h"

struct status drawing_apply_picture(struct cli *cli, const char *value)
{
	cli->picture = value;
	return picture_named(value);
}

struct status drawing_apply_gnuplot(struct cli *cli, const char *value)
{
	if (!*value || value[strlen(value) - 1] == '/')
		return status_usage(
			"--gnuplot %.100s is no beginning of file names: use --gnuplot curve, for "
			"example",
			value);
	cli->gnuplot = value;
	return status_ok();
}

struct status drawing_apply_theme(struct cli *cli, const char *value)
{
	return picture_find_theme(value, &cli->theme);
}

bool drawing_wanted(const struct cli *cli)
{
	return cli->picture || cli->gnuplot;
}

/* PREFIX.gp; freed by the caller. */
static char *script_path(const struct cli *cli)
{
	struct text path = { 0 };
	size_t length = strlen(cli->gnuplot);

	text_add(&path, cli->gnuplot);
	if (length < 4 || strcmp(cli->gnuplot + length - 3, ".gp") != 0)
		text_add(&path, ".gp");
	return path.bytes;
}

struct status drawing_check(const struct cli *cli)
{
	struct status status = status_ok();
	char *script;

	if (cli->picture)
		status = picture_check(cli->picture);
	if (status_is_ok(&status) && cli->gnuplot) {
		script = script_path(cli);
		status = picture_check(script);
		free(script);
	}
	return status;
}

struct chart_origin drawing_origin(const struct machine *machine, const struct uarch_choice *choice)
{
	return (struct chart_origin){ .machine = machine,
		.now = time(NULL),
		.core = choice && choice->uarch && !choice->foreign ? uarch_title(choice->uarch)
								    : NULL };
}

int drawing_save(const struct cli *cli, struct chart *chart, int exit_status)
{
	char *script = cli->gnuplot ? script_path(cli) : NULL;
	const char *paths[] = { cli->picture, script };

	if (!chart)
		cli_note(cli, "nothing was measured that could be drawn: there is no picture");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && chart; i++) {
		struct status status =
			paths[i] ? picture_save(chart, cli->theme, paths[i]) : status_ok();

		if (status_is_ok(&status))
			continue;
		cli_fail(cli, &status);
		exit_status = exit_status == CLI_DONE ? CLI_UNMEASURED : exit_status;
	}
	chart_free(chart);
	free(script);
	return exit_status;
}
