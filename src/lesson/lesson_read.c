/* Reads a lesson's file. After a mistake in the lesson's file, the reader continues, so that it
 * reports every mistake. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "lesson/lesson_judge.h"
#include "lesson/lesson_reader.h"

enum { STEPS_MOST = 100, TITLE_MOST = 60, WORDS_MOST = 16, MINUTES_MOST = 240 };

/* ---- statements before the first step ---- */

static void read_title(struct lesson_reader *reader)
{
	char *title = line_rest(reader, "the title of the lesson in words");

	if (title && strlen(title) > TITLE_MOST)
		line_wrong(reader, line_column(reader, reader->at),
			"the title has %zu bytes: write at most %d", strlen(title), TITLE_MOST);
	free(reader->lesson->title);
	reader->lesson->title = title;
}

static void read_source(struct lesson_reader *reader)
{
	free(reader->lesson->source);
	reader->lesson->source =
		line_rest(reader, "the source of the lesson: author, book, chapter");
}

static void read_minutes(struct lesson_reader *reader)
{
	struct lesson_word word = line_word(reader);
	double minutes = 0;

	/* After a wrong value in the statement `minutes`, the lesson must not also be reported as
	 * one without `minutes`. */
	reader->lesson->minutes = -1;
	if (!rows_decimal(word.text, strlen(word.text), &minutes) || minutes < 1 ||
		minutes > MINUTES_MOST || minutes != (int)minutes)
		line_wrong(reader, word.column,
			"minutes \"%s\": expected a whole number from 1 to %d", word.text,
			MINUTES_MOST);
	else
		reader->lesson->minutes = (int)minutes;
	line_nothing_more(reader);
}

/* Adds the remaining words of the statement, such as names of lessons, to a list. */
static void add_words(struct lesson_reader *reader, struct lesson_command **list, int *count,
	const char *expected,
	void (*check)(struct lesson_reader *reader, const struct lesson_word *word))
{
	for (int i = 0;; i++) {
		struct lesson_word word = line_word(reader);

		if (!word.text[0]) {
			if (i == 0)
				line_wrong(reader, word.column, "expected %s", expected);
			return;
		}
		if (*count >= WORDS_MOST) {
			line_wrong(reader, word.column, "more than %d words here", WORDS_MOST);
			return;
		}
		if (check)
			check(reader, &word);
		*list = memory_grow(*list, (size_t)*count, sizeof(**list));
		(*list)[(*count)++] = (struct lesson_command){ memory_string(word.text),
			{ reader->number, word.column } };
	}
}

static void read_after(struct lesson_reader *reader)
{
	add_words(reader, &reader->lesson->after, &reader->lesson->after_count,
		"the names of lessons to take before", NULL);
}

/* ---- statements of a step ---- */

/* Reads a setting word by word, so that a mistake has the column of its word. After a mistake in
 * the words of a setting, setting->kernel stays NULL. */
static void read_setting(
	struct lesson_reader *reader, struct setting *setting, struct lesson_place *place)
{
	struct lesson_word word;
	const struct kernel *kernel;
	struct status status;
	unsigned given = 0;
	bool good = true;

	*place = line_place(reader);
	word = line_word(reader);
	memset(setting, 0, sizeof(*setting));
	if (!word.text[0]) {
		line_wrong(reader, word.column,
			"expected a kernel and its knobs: combine op=mul acc=4");
		return;
	}
	status = setting_find_kernel(word.text, &kernel);
	if (!status_is_ok(&status)) {
		line_wrong(reader, word.column, "%s", status.text);
		return;
	}
	setting_init(setting, kernel);
	for (word = line_word(reader); word.text[0]; word = line_word(reader)) {
		int knob = -1;
		const char *value;
		size_t name;

		status = setting_split(kernel, word.text, &knob, &value);
		name = status_is_ok(&status) ? (size_t)(value - word.text) : 0;
		if (status_is_ok(&status) && (given & 1u << knob)) {
			status = setting_twice(&kernel->knobs[knob]);
			name = 0;
		} else if (status_is_ok(&status)) {
			status = setting_parse_value(&kernel->knobs[knob], value,
				MEMORY_LIMITS_UNKNOWN, &setting->v[knob]);
			given |= 1u << knob;
		}
		if (!status_is_ok(&status)) {
			line_wrong(reader, word.column + (int)name, "%s", status.text);
			good = false;
		}
	}
	status = good ? setting_check(setting, MEMORY_LIMITS_UNKNOWN) : status_ok();
	if (!status_is_ok(&status))
		line_wrong_at(reader, *place, "%s", status.text);
	if (!good || !status_is_ok(&status))
		setting->kernel = NULL;
}

static void read_step_setting(struct lesson_reader *reader)
{
	read_setting(reader, &reader->step->setting, &reader->step->setting_place);
}

static void read_pin(struct lesson_reader *reader)
{
	read_setting(reader, &reader->step->pinned, &reader->step->pinned_place);
}

static void read_panel(struct lesson_reader *reader)
{
	struct lesson_word word = line_word(reader);
	size_t count = 0;

	reader->step->panel_place = (struct lesson_place){ reader->number, word.column };
	while (lesson_panels[count] && strcmp(lesson_panels[count], word.text) != 0)
		count++;
	if (lesson_panels[count]) {
		free(reader->step->panel);
		reader->step->panel = memory_string(word.text);
	} else {
		line_wrong(reader, word.column, "%s",
			status_unknown("unknown panel", word.text, lesson_panels, count, NULL)
				.text);
	}
	line_nothing_more(reader);
}

/* Checks that a line begins with a command of the explorer (data/commands). */
static bool is_command(const char *line)
{
	struct rows rows;
	bool found = false;

	rows_load(&rows, "commands");
	while (!found && rows_next(&rows)) {
		char *row = rows_rest(&rows), *end = strstr(row, " <");
		size_t length;

		if (strncmp(row, "+ ", 2) == 0)
			row += 2;
		length = end ? (size_t)(end - row) : 0;
		found = length > 0 && strncmp(row, line, length) == 0 &&
			(line[length] == '\0' || line[length] == ' ');
	}
	rows_end(&rows);
	return found;
}

static void read_do(struct lesson_reader *reader)
{
	struct lesson_step *step = reader->step;
	struct lesson_place place = line_place(reader);
	char *words = line_rest(reader, "a command of the explorer, such as: view code");

	if (!words)
		return;
	if (!is_command(words))
		line_wrong(reader, place.column,
			"no command \"%.60s\": the keys ? and / list the explorer's commands",
			words);
	if (step->command_count >= WORDS_MOST) {
		line_wrong(reader, place.column, "more than %d commands in one step", WORDS_MOST);
		free(words);
		return;
	}
	step->command =
		memory_grow(step->command, (size_t)step->command_count, sizeof(*step->command));
	step->command[step->command_count++] = (struct lesson_command){ words, place };
}

static void check_need(struct lesson_reader *reader, const struct lesson_word *word)
{
	const char *names[64];
	size_t count = lesson_need_names(names, 64);

	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], word->text) == 0)
			return;
	line_wrong(reader, word->column, "%s",
		status_unknown("unknown property", word->text, names, count, NULL).text);
}

static void read_needs(struct lesson_reader *reader)
{
	add_words(reader, &reader->step->need, &reader->step->need_count,
		"what the machine must have: avx2, l3, limits …", check_need);
}

static void read_unless(struct lesson_reader *reader)
{
	add_words(reader, &reader->step->unless, &reader->step->unless_count,
		"what the machine must not have: emulated, virtual …", check_need);
}

static void read_else(struct lesson_reader *reader)
{
	reader->otherwise = (struct lesson_place){ reader->number, 1 };
	line_text(reader, &reader->step->otherwise);
}

static void read_hint(struct lesson_reader *reader)
{
	line_text(reader, &reader->step->hint);
}

static void read_explain(struct lesson_reader *reader)
{
	line_text(reader, &reader->step->explain);
}

/* Reads the names of groups of numbers to hide or to show. */
static void read_groups(
	struct lesson_reader *reader, unsigned *groups, const char *expected, const char *unknown)
{
	struct lesson_word word = line_word(reader);

	if (!word.text[0])
		line_wrong(reader, word.column, "expected %s", expected);
	for (; word.text[0]; word = line_word(reader)) {
		int bit = 0;

		while (lesson_hidden_names[bit] && strcmp(lesson_hidden_names[bit], word.text) != 0)
			bit++;
		if (lesson_hidden_names[bit])
			*groups |= 1u << bit;
		else
			line_wrong(reader, word.column, "%s",
				status_unknown(
					unknown, word.text, lesson_hidden_names, (size_t)bit, NULL)
					.text);
	}
}

static void read_hide(struct lesson_reader *reader)
{
	reader->hide = (struct lesson_place){ reader->number, 1 };
	read_groups(reader, &reader->step->hidden, "what to hide: limits, clock, caches …",
		"cannot hide");
}

static void read_show(struct lesson_reader *reader)
{
	reader->show = (struct lesson_place){ reader->number, 1 };
	read_groups(reader, &reader->step->shown, "what to show: limits, binding …", "cannot show");
}

static void end_step(struct lesson_reader *reader)
{
	struct lesson_step *step = reader->step;

	if (!step)
		return;
	if (step->setting_place.line == 0 && reader->lesson->step_count > 1) {
		step->setting = step[-1].setting;
		step->setting_place = step[-1].setting_place;
	}
	if (!step->text.words)
		line_wrong_at(reader, step->place, "the step has no text: add indented lines");
	if (step->need_count + step->unless_count > 0 && !step->otherwise.words &&
		!reader->misspelt)
		line_wrong_at(reader, step->place,
			"the step does not suit every machine: say with else TEXT what to show "
			"there");
	if (step->need_count + step->unless_count == 0 && reader->otherwise.line)
		line_wrong_at(
			reader, reader->otherwise, "else without needs or unless has no effect");
	check_step(reader);
}

static void read_step(struct lesson_reader *reader)
{
	struct lesson *lesson = reader->lesson;
	struct lesson_place place = { reader->number, 1 };
	char *title;

	end_step(reader);
	reader->step = NULL;
	reader->target = NULL;
	if (lesson->step_count == STEPS_MOST) {
		line_wrong(reader, 1, "more than %d steps", STEPS_MOST);
		return;
	}
	title = line_rest(reader, "the title of the step in words");
	if (title && strlen(title) > TITLE_MOST)
		line_wrong(reader, line_column(reader, reader->at),
			"the title has %zu bytes: write at most %d", strlen(title), TITLE_MOST);
	lesson->step =
		memory_resize(lesson->step, (size_t)lesson->step_count + 1, sizeof(*lesson->step));
	reader->step = &lesson->step[lesson->step_count++];
	*reader->step =
		(struct lesson_step){ .title = title ? title : memory_string(""), .place = place };
	reader->seen = 0;
	reader->hide = reader->show = reader->otherwise = (struct lesson_place){ 0 };
	reader->unknown = reader->misspelt = reader->without_a = false;
	reader->at += strlen(reader->at);
	line_text(reader, &reader->step->text);
}

/* ---- the file ---- */

static const struct statement {
	const char *name;
	void (*read)(struct lesson_reader *reader);
	bool of_step; /* true: the statement is allowed only in a step, not before the first step */
	bool several; /* true: the same statement may occur several times */
} statements[] = {
	{ "title", read_title },
	{ "minutes", read_minutes },
	{ "after", read_after },
	{ "source", read_source },
	{ "step", read_step, .several = true },
	{ "setting", read_step_setting, true },
	{ "pin", read_pin, true },
	{ "panel", read_panel, true },
	{ "do", read_do, true, true },
	{ "needs", read_needs, true, true },
	{ "unless", read_unless, true, true },
	{ "else", read_else, true },
	{ "hide", read_hide, true, true },
	{ "show", read_show, true, true },
	{ "hint", read_hint, true },
	{ "ask", read_ask, true },
	{ "option", read_option, true, true },
	{ "explain", read_explain, true },
};

enum { STATEMENTS = sizeof(statements) / sizeof(*statements) };

static void read_statement(struct lesson_reader *reader)
{
	struct lesson_word word = line_word(reader);
	const char *names[STATEMENTS];

	for (unsigned i = 0; i < STATEMENTS; i++) {
		const struct statement *statement = &statements[i];

		names[i] = statement->name;
		if (strcmp(statement->name, word.text) != 0)
			continue;
		if (statement->of_step && !reader->step)
			line_wrong(reader, 1, "%s belongs to a step: write step TITLE before it",
				word.text);
		else if (!statement->of_step && statement->read != read_step && reader->step)
			line_wrong(reader, 1, "%s belongs before the first step", word.text);
		else if (!statement->several && (reader->seen & 1u << i))
			line_wrong(reader, 1, "a second %s: %s has only one", word.text,
				statement->of_step ? "a step" : "a lesson");
		else {
			reader->seen |= 1u << i;
			statement->read(reader);
			return;
		}
		/* Indented lines after a statement in the wrong place continue no text, and are
		 * ignored. */
		reader->target = NULL;
		return;
	}
	reader->target = NULL;
	reader->misspelt = true;
	line_wrong(reader, 1, "%s (a line of text begins with a blank)",
		status_unknown("unknown statement", word.text, names, STATEMENTS,
			"see LESSONS in the manual")
			.text);
}

/* Copies a line without the blanks at its end. Reports characters that a terminal must not get. */
static void take_line(struct lesson_reader *reader, const char *line, size_t length)
{
	while (length > 0 && strchr(" \t\r", line[length - 1]))
		length--;
	if (length + 1 > reader->capacity) {
		reader->capacity = length + 256;
		reader->line = memory_resize(reader->line, reader->capacity, 1);
	}
	memcpy(reader->line, line, length);
	reader->line[length] = '\0';
	for (size_t i = 0, bytes; i < length; i += bytes) {
		bool plain = (line[i] >= ' ' && line[i] <= '~') || line[i] == '\t';

		bytes = plain ? 1 : text_character(reader->line + i);
		if (bytes > 0)
			continue;
		line_wrong(reader, line_column(reader, reader->line + i),
			"byte 0x%02x is no text: expected UTF-8 without control characters",
			(unsigned)(unsigned char)line[i]);
		reader->line[i] = '?';
		bytes = 1;
	}
	reader->at = reader->line;
}

struct lesson *lesson_read(
	const char *text, const char *name, const char *origin, struct lesson_mistakes *mistakes)
{
	struct lesson *lesson = memory_new(1, sizeof(*lesson));
	struct lesson_reader reader = { .lesson = lesson, .mistakes = mistakes };

	lesson->name = memory_string(name);
	lesson->origin = memory_string(origin);
	while (*text) {
		size_t length = strcspn(text, "\n");

		reader.number++;
		take_line(&reader, text, length);
		text += length + (text[length] == '\n');
		if (!*reader.line)
			reader.paragraph = true;
		else if (*reader.line == ' ' || *reader.line == '\t')
			line_indented(&reader);
		else if (*reader.line != '#')
			read_statement(&reader);
	}
	end_step(&reader);
	if (!lesson->title)
		lesson_mistake(mistakes, 1, 1, "the lesson has no title: add title WORDS");
	if (lesson->minutes == 0)
		lesson_mistake(mistakes, 1, 1, "the lesson has no length: add minutes NUMBER");
	if (lesson->step_count == 0)
		lesson_mistake(mistakes, reader.number > 0 ? reader.number : 1, 1,
			"the lesson has no step: add step TITLE");
	free(reader.line);
	lesson_mistakes_sort(mistakes);
	return lesson;
}
