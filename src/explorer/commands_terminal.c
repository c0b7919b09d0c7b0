/* Commands that the terminal part of the program (src/ui) carries out. */
#include <stdio.h>
#include <string.h>

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

static struct status run_screenshot(
	const struct session *session, struct session *change, char *arguments)
{
	(void)session;
	if (strlen(arguments) >= VIEW_SHOT)
		return status_usage("screenshot to: the name of the file is too long");
	if (change)
		screen_want_shot(change, true, arguments);
	return status_ok();
}

static struct status run_screenshot_to(
	const struct session *session, struct session *change, char *arguments)
{
	if (!*arguments)
		return status_usage("screenshot to needs a file name that ends in .svg");
	return run_screenshot(session, change, arguments);
}

bool session_shot(struct session *session, char *name, size_t size)
{
	if (!session->screen.shot_wanted)
		return false;
	snprintf(name, size, "%s", session->screen.shot);
	screen_want_shot(session, false, "");
	return true;
}

/* ---- the table ---- */

const struct command_row commands_terminal[] = {
	{ "mouse", .run = run_mouse },
	{ "theme", .run = run_theme },
	{ "theme next", act_theme_next },
	{ "screenshot", .run = run_screenshot },
	{ "screenshot to", .run = run_screenshot_to, .verbatim = true },
	{ .name = NULL },
};
