/* Rows and texts of a test, from the file tests/data/NAME. A line [SECTION] begins a section;
 * base/rows.h describes rows. */
#pragma once

#include "check.h"

#include "base/data.h"
#include "base/rows.h"

/* The text of a section, which the caller frees; *line receives the number of the line before. */
static inline char *table_text(const char *name, const char *section, int *line)
{
	const char *tree = getenv("top_srcdir"), *begin, *end;
	char path[300], head[64], *whole, *text;

	snprintf(path, sizeof(path), "%s/tests/data/%s", tree ? tree : ".", name);
	check_ok(data_read(path, &whole));
	snprintf(head, sizeof(head), "\n[%s]\n", section);
	begin = strstr(whole, head);
	if (!begin)
		fail_msg("%s has no section [%s]", path, section);
	begin += strlen(head);
	end = strstr(begin - 1, "\n[");
	text = end ? strndup(begin, (size_t)(end - begin) + 1) : strdup(begin);
	if (line)
		for (*line = 0, end = whole; end < begin; end++)
			*line += *end == '\n';
	free(whole);
	return text;
}

/* The rows of a section: table_open(), then table_next() until it returns false. */
struct table {
	struct rows rows;
	char *text, *field[12];
};

static inline void table_open(struct table *table, const char *name, const char *section)
{
	int line;

	table->text = table_text(name, section, &line);
	rows_begin(&table->rows, table->text, name);
	table->rows.line = line;
}

/* Fails the test with the file and line of the current row. */
#define table_fail(table, ...)                                        \
	do {                                                          \
		rows_fail(&(table)->rows, __VA_ARGS__);               \
		fail_msg("tests/data/%s", (table)->rows.status.text); \
	} while (0)

static inline void table_close(struct table *table)
{
	check_ok(rows_end(&table->rows));
	free(table->text);
}

/* The next row, in table->field: it must have `count` fields between bars. False after the last
 * row, and the table is closed. */
static inline bool table_next(struct table *table, int count)
{
	if (!rows_next(&table->rows)) {
		table_close(table);
		return false;
	}
	if (rows_fields(&table->rows, table->field, count) != count)
		table_fail(table, "expected %d fields between bars", count);
	return true;
}

/* Reads `count` numbers with blanks between them from a field: decimal, hexadecimal, nan or inf. */
static inline void table_numbers(struct table *table, int field, double value[], int count)
{
	char *at = table->field[field], *end;

	for (int i = 0; i < count; i++, at = end) {
		value[i] = strtod(at, &end);
		if (end == at)
			table_fail(table, "field %d needs %d numbers", field + 1, count);
	}
	if (at[strspn(at, " ")])
		table_fail(table, "field %d has more than %d numbers", field + 1, count);
}

static inline double table_number(struct table *table, int field)
{
	double value;

	table_numbers(table, field, &value, 1);
	return value;
}

/* The place of a field among names. */
static inline int table_choice(struct table *table, int field, const char *const *names, int count)
{
	int choice = rows_choice(&table->rows, "word", table->field[field], names, count);

	if (choice < 0)
		fail_msg("tests/data/%s", table->rows.status.text);
	return choice;
}

static inline bool table_yes(struct table *table, int field)
{
	return table_choice(table, field, (const char *const[]){ "no", "yes" }, 2) == 1;
}

/* Fails with the row's line unless the two texts are equal. */
static inline void table_expect(struct table *table, const char *is, const char *expected)
{
	if (strcmp(is, expected) != 0)
		table_fail(table, "is \"%s\", expected \"%s\"", is, expected);
}

/* Replaces \n, \t, \\ and \xHH in a field, in place. */
static inline char *table_unescape(char *field)
{
	char *to = field;
	unsigned byte;

	for (const char *from = field; *from; to++) {
		*to = *from++;
		if (*to != '\\')
			continue;
		if (sscanf(from, "x%2x", &byte) == 1) {
			*to = (char)byte;
			from += 3;
		} else {
			*to = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from;
			from++;
		}
	}
	*to = '\0';
	return field;
}
