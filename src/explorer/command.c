/* The explorer's command language: how a line is run, the tables of commands, the search for
 * commands (find), and the commands for overlays. */
#include "explorer/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/data.h"
#include "base/rows.h"
#include "base/text.h"
#include "explorer/actions.h"
#include "explorer/fronts.h"

/* Number of rows for which the table of all commands has memory. The table of commands has room for
 * all commands and the last row with a NULL name. */
enum { ROWS_MOST = 128 };

/* ---- the language ---- */

/* Returns a copy of the typed line with single blanks between words and without blanks at its ends.
 * The caller frees the copy. */
static char *tidy(const char *line)
{
	char *copy = memory_string(line), *end = copy;

	for (const char *c = line; *c; c++) {
		if (!strchr(" \t\r\n", *c))
			*end++ = *c;
		else if (end > copy && end[-1] != ' ')
			*end++ = ' ';
	}
	end -= end > copy && end[-1] == ' ';
	*end = '\0';
	return copy;
}

static bool begins_with_words(const char *line, const char *name, size_t length)
{
	return strncmp(line, name, length) == 0 && (line[length] == '\0' || line[length] == ' ');
}

const struct command_row *command_of(const char *line, const char **arguments)
{
	const struct command_row *best = NULL;
	size_t longest = 0;

	for (const struct command_row *row = command_rows(); row->name; row++) {
		size_t length;

		/* The comparison of first characters alone excludes most commands: a fast check,
		 * because the key bar looks up many commands. */
		if (row->name[0] != line[0])
			continue;
		length = strlen(row->name);
		if (length <= longest || !begins_with_words(line, row->name, length))
			continue;
		/* In the typed line "kernel next", the command is "kernel next". In "kernel next
		 * door", the command is "kernel", and "next door" is the name of a kernel. */
		if (!row->arguments[0] && line[length] && best && best->arguments[0])
			continue;
		best = row;
		longest = length;
	}
	if (best)
		*arguments = line + longest + (line[longest] == ' ');
	return best;
}

/* Returns the argument of a verbatim command: the unchanged rest of the line after the command's
 * name and one blank. The caller frees the argument. */
static char *verbatim(const char *line, const struct command_row *row)
{
	char *arguments;

	line += strspn(line, " \t") + strlen(row->name);
	arguments = memory_string(line + (*line == ' '));
	arguments[strcspn(arguments, "\r\n")] = '\0';
	return arguments;
}

/* Returns the error for an unknown command. The message lists commands with the same first word or
 * with similar words. */
static struct status unknown_command(const char *line)
{
	const char *names[ROWS_MOST];
	size_t length = strcspn(line, " "), count = 0;
	struct text alike = { 0 };
	struct near_names near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", length > 63 ? 63 : (int)length, line);
	for (const struct command_row *row = command_rows(); row->name; row++) {
		if (strchr(row->name, ' ') && begins_with_words(row->name, word, strlen(word)))
			text_addf(&alike, "%s%s", alike.length ? ", " : "", row->name);
		names[count++] = row->name;
	}
	if (alike.length) {
		struct status status = status_usage(
			"unknown command \"%.40s\"; there are %s", line, text_string(&alike));

		text_free(&alike);
		return status;
	}
	near = nearest_names(strchr(line, ' ') ? line : word, names, count);
	if (!near.text[0])
		near = nearest_names(word, names, count);
	if (near.text[0])
		return status_usage("unknown command \"%.40s\"; did you mean %s?", line, near.text);
	return status_usage("unknown command \"%.40s\"; help shows all", line);
}

void session_say(struct session *session, const char *text)
{
	session_notice(session, true, "%s", text);
}

/* Returns the arguments for the run() of a command. The caller frees the arguments. */
static char *arguments_of(const struct command_row *row, const char *line, const char *rest)
{
	if (row->given)
		return memory_string(row->given);
	return row->verbatim ? verbatim(line, row) : memory_string(rest);
}

/* Returns an error with the reason if a command cannot run now. `rest` is the text after the
 * command's name. */
static struct status refusal_of(
	const struct session *session, const struct command_row *row, const char *rest)
{
	if (!row->arguments[0] && *rest)
		return status_usage("%s takes no argument, but has \"%.40s\"", row->name, rest);
	if (row->shows & classroom_hidden(session))
		return status_usage(
			"%s: hidden until the question of the lesson is answered", row->name);
	return row->refusal ? row->refusal(session) : status_ok();
}

/* Runs a command. If `change` is NULL, only checks whether the explorer's command can run and would
 * have an effect. */
static struct status run_row(const struct session *session, struct session *change,
	const struct command_row *row, const char *line, const char *rest)
{
	struct status status = refusal_of(session, row, rest);
	char *arguments;

	if (!status_is_ok(&status))
		return status;
	if (row->act && !change)
		return command_effect(!row->useful || row->useful(session), row->useless);
	if (row->act) {
		row->act(change);
		return status;
	}
	arguments = arguments_of(row, line, rest);
	status = row->run(session, change, arguments);
	free(arguments);
	return status;
}

struct status session_command(struct session *session, const char *line, double now)
{
	char *tidied = tidy(line);
	const char *rest = "";
	const struct command_row *row = command_of(tidied, &rest);
	struct status status = status_ok();

	session->now = now;
	if (*tidied) {
		const struct choices before = undo_look(session);

		opening_stop(session);
		live_wake(&session->live, now);
		/* The last notice (message on screen) is removed first, because the command may
		 * show its own notice. */
		notice_clear(session);
		status = row ? run_row(session, session, row, line, rest) : unknown_command(tidied);
		if (!status_is_ok(&status))
			session_notice(session, true, "%s", status.text);
		else if (!row->reverts)
			undo_note(session, &before);
		/* The message on screen (notice) that the setting cannot be measured has no time
		 * limit. */
		if (!session->live.failed ||
			strcmp(session->screen.notice, session->live.failure) != 0)
			notice_limit(session);
		fronts_follow(session);
	}
	free(tidied);
	return status;
}

struct status session_command_exists(const char *line)
{
	char *tidied = tidy(line);
	const char *rest = "";
	struct status status = command_of(tidied, &rest) ? status_ok() : unknown_command(tidied);

	free(tidied);
	return status;
}

struct status session_command_check(const struct session *session, const char *line)
{
	char *tidied = tidy(line);
	const char *rest = "";
	const struct command_row *row = command_of(tidied, &rest);
	struct status status =
		row ? run_row(session, NULL, row, line, rest) : unknown_command(tidied);

	free(tidied);
	return status;
}

bool session_command_works(const struct session *session, const char *line)
{
	struct status status = session_command_check(session, line);

	return status_is_ok(&status);
}

void session_press(struct session *session, const char *line, double now)
{
	struct status check = session_command_check(session, line);

	session_command(session, line, now);
	if (status_is_ok(&check) || session->screen.notice[0])
		return;
	session_notice(session, false, "%s", check.text);
	notice_limit(session);
}

bool session_quit(const struct session *session)
{
	return session->quit || session->opened.asked;
}

/* ---- overlays ---- */

static bool help_useful(const struct session *session)
{
	return session->screen.overlay != OVERLAY_HELP;
}

static void act_help(struct session *session)
{
	overlay_open(session, OVERLAY_HELP);
}

static bool close_useful(const struct session *session)
{
	return session->screen.overlay != OVERLAY_NONE || session->screen.entry[0] ||
	       session_prepares(session) || fronts_walking(session) || program_reads(session) ||
	       campaign_runs(session, CAMPAIGN_CORE) || campaign_runs(session, CAMPAIGN_PROBE) ||
	       campaign_runs(session, CAMPAIGN_SWEEP);
}

static void act_close(struct session *session)
{
	if (session->screen.overlay != OVERLAY_NONE)
		overlay_open(session, OVERLAY_NONE);
	else if (session->screen.entry[0])
		entry_drop(session);
	else if (campaign_runs(session, CAMPAIGN_CORE))
		campaign_halt(session, CAMPAIGN_CORE);
	else if (campaign_runs(session, CAMPAIGN_PROBE))
		campaign_halt(session, CAMPAIGN_PROBE);
	else if (campaign_runs(session, CAMPAIGN_SWEEP))
		campaign_halt(session, CAMPAIGN_SWEEP);
	else if (program_reads(session))
		program_stop(session);
	else if (session_prepares(session))
		session_stop(session);
	else if (fronts_walking(session))
		fronts_leave(session);
}

static void act_quit(struct session *session)
{
	session->quit = true;
}

/* ---- the tables ---- */

static const struct command_row commands_general[] = {
	{ "help", act_help, .useful = help_useful, .useless = "the help is already open" },
	{ "close", act_close, .useful = close_useful,
		.useless = "nothing to close or cancel: q quits, E closes a lesson" },
	{ "quit", act_quit },
	{ .name = NULL },
};

/* Reads the help of the commands from the built-in file data/commands. */
static void read_help(struct command_row *table)
{
	struct rows rows;

	rows_begin(&rows, data_built_in("commands"), "commands");
	while (rows_next(&rows)) {
		char *name = rows_rest(&rows), *save;
		bool found = *name == '+';

		name = strtok_r(name + 2 * found, "<", &save);
		name[strlen(name) - 1] = '\0';
		for (struct command_row *row = table; row->name; row++) {
			if (strcmp(row->name, name) != 0)
				continue;
			row->arguments =
				memory_string(*save == '>' ? "" : strtok_r(NULL, ">", &save));
			row->help = memory_string(save + strspn(save, "> "));
			row->found = found;
		}
	}
	rows_end(&rows);
}

const struct command_row *command_rows(void)
{
	/* The groups of commands in this table are in the order of the help screen. */
	static const struct command_row *const groups[] = { commands_setting, commands_panes,
		commands_fronts, commands_measuring, commands_campaigns, commands_why,
		commands_picture, commands_terminal, commands_reopen, commands_find,
		commands_lesson, commands_general };
	static struct command_row rows[ROWS_MOST];
	size_t count = 0;

	if (rows[0].name)
		return rows;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct command_row *row = groups[i]; row->name; row++)
			if (count + 1 < ROWS_MOST)
				rows[count++] = *row;
	read_help(rows);
	return rows;
}
