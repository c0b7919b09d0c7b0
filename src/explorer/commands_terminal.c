/* Commands that the terminal part of the program (src/ui) carries out. */
#include "explorer/actions.h"

static struct status run_mouse(
	const struct session *session, struct session *change, char *arguments)
{
	return saved_command(session, change, "mouse", arguments);
}

static struct status run_theme(
	const struct session *session, struct session *change, char *arguments)
{
	return saved_command(session, change, "theme", arguments);
}

static void act_theme_next(struct session *session)
{
	saved_command(
		session, session, "theme", theme_names[(session_theme(session) + 1) % THEME_COUNT]);
}

/* ---- the table ---- */

const struct command_row commands_terminal[] = {
	{ "mouse", .run = run_mouse },
	{ "theme", .run = run_theme },
	{ "theme next", act_theme_next },
	{ .name = NULL },
};
