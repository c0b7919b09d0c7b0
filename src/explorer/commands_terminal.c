/* Commands that the terminal part of the program (src/ui) carries out. */
#include "explorer/actions.h"

static struct status run_mouse(
	const struct session *session, struct session *change, char *arguments)
{
	return saved_command(session, change, "mouse", arguments);
}

/* ---- the table ---- */

const struct command_row commands_terminal[] = {
	{ "mouse", .run = run_mouse },
	{ .name = NULL },
};
