/* A report that a test writes to memory. */
#pragma once

#include "json_lines.h"

#include "cli/format.h"

static struct machine machine;
static struct cli written_cli;
static struct report report;
static char *written; /* after end() */
static size_t written_size;

/* A report of a machine with a name; begin() once the test has set more of it. */
static inline void prepare(const char *format, const struct subject *subject)
{
	free(written);
	written = NULL;
	written_cli.format = format_find(format);
	written_cli.seed = 1;
	written_cli.out = open_memstream(&written, &written_size);
	assert_non_null(written_cli.format);
	assert_non_null(written_cli.out);
	if (!machine.name[0])
		snprintf(machine.name, sizeof(machine.name), "Test CPU, model 1");
	report_init(&report, &written_cli, subject, &machine);
	snprintf(report.host, sizeof(report.host), "node7");
}

static inline const char *end(void)
{
	report_end(&report);
	assert_int_equal(fclose(report.out), 0);
	return written;
}

/* A report of one item. */
static inline const char *write_whole(
	const char *format, const struct subject *subject, const void *item)
{
	prepare(format, subject);
	report_begin(&report);
	report_write(&report, subject, item);
	return end();
}

static inline void write_sample(
	const struct setting *setting, const struct sample *sample, const struct run_facts *facts)
{
	struct report_row row;

	report_row(&report, setting, sample, facts, &row);
	report_write(&report, report.subject, &row.what);
}

/* The record at an index, with the fields of its "more" lines. */
static inline json_t *record_at(int index)
{
	json_t *whole = NULL;

	for (const char *line = written; *line; line += strcspn(line, "\n") + 1) {
		json_t *object = parse(line);

		assert_int_equal(line[strcspn(line, "\n")], '\n');
		if (strcmp(string_at(object, "record"), "more") != 0)
			index--;
		if (index == -1 && !whole)
			whole = json_incref(object);
		else if (index == -1)
			record_join(whole, object);
		json_decref(object);
	}
	assert_non_null(whole);
	return whole;
}
