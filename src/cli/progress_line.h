/* The progress line on the error stream: updated ten times a second on a terminal, and cleared
 * before other output. */
#pragma once

#include <stdbool.h>

#include "cli/bench.h"

struct progress_line {
	const struct cli *cli;
	bool wanted; /* on a terminal, without --quiet */
	bool shown;
	double next; /* when it may change again */
};

/* The line also shows the bench's words about a slow request. The bench keeps the line's address.
 * */
void progress_line_begin(struct progress_line *line, const struct cli *cli, struct bench *bench);

/* Whether it is time for new words; true once for each time. */
bool progress_line_due(struct progress_line *line);
void progress_line_show(struct progress_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_line_clear(struct progress_line *line);
