#include "explorer/saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/rows.h"
#include "base/text.h"
#include "explorer/actions.h"
#include "explorer/session.h"

static const char *const on_off[] = { "on", "off", NULL };

const char *const theme_names[THEME_COUNT + 1] = { "auto", "dark", "light", "presenter",
	"high-contrast", NULL };

/* The saved settings. */
static const struct row {
	const char *name;
	const char *const *values; /* the allowed values of the saved setting; NULL: any text */
	bool several; /* the file "settings" may have several lines with this name, such as "key" */
} rows[] = {
	{ "mouse", on_off },
	{ "theme", theme_names },
	{ "last" },
	{ "key", .several = true },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

_Static_assert((int)ROWS <= (int)SAVED_MOST, "struct saved has a value for each row");

static const char file_name[] = "settings";

static int row_named(const char *name)
{
	for (int i = 0; i < ROWS; i++)
		if (strcmp(rows[i].name, name) == 0)
			return i;
	return -1;
}

static int count_of(const char *const *values)
{
	int count = 0;

	while (values[count])
		count++;
	return count;
}

/* ---- the file ---- */

/* Reads the value of a saved setting from the present line of the file. */
static void read_value(struct rows *line, struct saved *saved, int row)
{
	char value[SAVED_SIZE];
	struct text text = { 0 };

	if (!rows_copy(line, rows[row].name, rows_rest(line), value, sizeof(value)))
		return;
	if (rows[row].values && rows_choice(line, words_of("value of %s", rows[row].name).text,
					value, rows[row].values, count_of(rows[row].values)) < 0)
		return;
	/* For a saved setting with several lines, each line keeps its line number in the file,
	 * which error messages show. */
	if (rows[row].several) {
		const char *before = saved->value[row] ? saved->value[row] : "";
		int lines = 1;

		for (const char *end = before; (end = strchr(end, '\n')); end++)
			lines++;
		text_add(&text, before);
		for (; lines < line->line; lines++)
			text_add(&text, "\n");
	}
	text_add(&text, value);
	free(saved->value[row]);
	saved->value[row] = text.bytes;
}

static struct status read_file(struct saved *saved)
{
	struct text path = { 0 };
	struct rows line;
	char *text;
	struct status status = data_own_read(file_name, &text, &path);

	if (text) {
		rows_begin(&line, text, text_string(&path));
		line.lenient = true;
		while (rows_next(&line)) {
			const char *names[ROWS];
			int row;

			for (int i = 0; i < ROWS; i++)
				names[i] = rows[i].name;
			row = rows_choice(&line, "setting", rows_word(&line), names, ROWS);
			if (row >= 0)
				read_value(&line, saved, row);
		}
		status = rows_end(&line);
	}
	free(text);
	text_free(&path);
	return status;
}

void saved_begin(struct session *session, bool kept)
{
	struct status status = status_ok();

	session->saved.kept = kept;
	if (kept)
		status = read_file(&session->saved);
	if (!status_is_ok(&status))
		session_notice(session, true, "%s", status.text);
}

void saved_end(struct session *session)
{
	for (int i = 0; i < ROWS; i++)
		free(session->saved.value[i]);
}

static bool any_changed(const struct saved *saved)
{
	for (int i = 0; i < ROWS; i++)
		if (saved->changed[i])
			return true;
	return false;
}

/* Returns the index of the changed setting that a line of the old file contains; -1: the line stays
 * as it is. */
static int changed_in(const struct saved *saved, const char *line)
{
	const char *name = line + strspn(line, " \t");

	for (int i = 0; i < ROWS; i++)
		if (saved->changed[i] && strncmp(name, rows[i].name, strlen(rows[i].name)) == 0 &&
			strchr(" \t\r\n", name[strlen(rows[i].name)]))
			return i;
	return -1;
}

/* Copies the old text of the file without the lines of changed settings, then adds these settings.
 * Other running copies of the program may have changed the file of saved settings since this
 * session read it. */
static void rewrite(const struct saved *saved, const char *old, struct text *text)
{
	for (const char *line = old; *line;) {
		size_t length = strcspn(line, "\n");

		if (changed_in(saved, line) < 0)
			text_addf(text, "%.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	for (int i = 0; i < ROWS; i++)
		if (saved->changed[i] && saved->value[i])
			text_addf(text, "%s %s\n", rows[i].name, saved->value[i]);
}

struct status saved_write(struct session *session)
{
	struct saved *saved = &session->saved;
	struct text path = { 0 }, text = { 0 };
	struct status status = status_ok();
	char *old = NULL;

	if (!saved->kept || !any_changed(saved))
		return status;
	status = data_own_read(file_name, &old, &path);
	if (status_is_ok(&status)) {
		rewrite(saved,
			old ? old
			    : "# Settings of slexplore. The explorer changes these lines, and "
			      "keeps comments.\n",
			&text);
		text_clear(&path);
		status = data_own_save(file_name, text_string(&text), &path, NULL);
	}
	if (status_is_ok(&status))
		memset(saved->changed, 0, sizeof(saved->changed));
	free(old);
	text_free(&path);
	text_free(&text);
	return status;
}

/* ---- values ---- */

const char *session_saved(const struct session *session, const char *name)
{
	int row = row_named(name);

	return row >= 0 && session->saved.value[row] ? session->saved.value[row] : "";
}

void session_choose(struct session *session, const char *name, const char *value)
{
	struct saved *saved = &session->saved;
	int row = row_named(name);

	if (row < 0)
		return;
	free(saved->value[row]);
	saved->value[row] = memory_string(value);
}

void saved_set(struct session *session, const char *name, const char *value)
{
	if (strcmp(session_saved(session, name), value) == 0)
		return;
	session_choose(session, name, value);
	session->saved.changed[row_named(name)] = true;
}

struct status saved_command(
	const struct session *session, struct session *change, const char *name, const char *value)
{
	const char *const *values = rows[row_named(name)].values;
	struct status status;
	bool same;

	for (int i = 0; values[i]; i++) {
		if (strcmp(values[i], value) != 0)
			continue;
		same = strcmp(session_saved(session, name), value) == 0;
		if (!change)
			return command_unless(!same, "this setting already has this value");
		saved_set(change, name, value);
		status = saved_write(change);
		if (status_is_ok(&status))
			session_notice(change, false, "%s %s%s%s", name, value,
				same		     ? " is set already"
				: change->saved.kept ? ", saved for the next sessions"
						     : "",
				strcmp(name, "theme") == 0 && change->screen.present
					? "; presenter mode keeps its own colours"
					: "");
		else
			session_notice(change, true, "%s %s for this session only: %s", name, value,
				status.text);
		return status_ok();
	}
	return status_unknown(words_of("unknown value of %s", name).text, value, values,
		(size_t)count_of(values), NULL);
}

/* ---- themes ---- */

struct status theme_find(const char *name, enum theme *theme)
{
	for (int i = 0; i < THEME_COUNT; i++)
		if (strcmp(name, theme_names[i]) == 0 ||
			(i == THEME_CONTRAST && strcmp(name, "contrast") == 0)) {
			*theme = (enum theme)i;
			return status_ok();
		}
	return status_usage("unknown theme \"%.30s\": use auto, dark, light, presenter or "
			    "high-contrast",
		name);
}

enum theme session_theme(const struct session *session)
{
	const char *name = session_saved(session, "theme");
	enum theme theme = THEME_AUTO;

	if (*name)
		theme_find(name, &theme);
	return theme;
}
