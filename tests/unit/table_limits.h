/* Limits of a loop as rows of a table. */
#pragma once

#include "loop_limits.h"
#include "table.h"

/* A row's limit: its name, then cycles or a word. */
static inline void check_row_limit(struct table *table, const char *words, const char *cause)
{
	char name[32], wanted[32];
	enum limit_kind kind;
	const struct limit *limit;

	assert_int_equal(sscanf(words, "%31s %31s", name, wanted), 2);
	kind = limit_find(name);
	if (kind == LIMIT_COUNT)
		table_fail(table, "unknown limit \"%s\"", name);
	limit = find(kind);
	if (strcmp(wanted, "absent") == 0 ? limit != NULL
		: !limit		  ? true
		: strcmp(wanted, "unknown") == 0
			? limit->known
			: fabs(cycles_of(kind) - strtod(wanted, NULL)) > 1e-9)
		table_fail(table, "%s: %.9g cycles (%s), expected %s", name,
			limit ? cycles_of(kind) : 0, limit ? limit->cause : "absent", wanted);
	if (*cause)
		table_expect(table, limit->cause, cause);
}
