/* The line of progress on the error stream: there ten times a second while somebody may read it,
 * and gone before anything else is written. */
#ifndef SLX_CLI_PROGRESS_LINE_H
#define SLX_CLI_PROGRESS_LINE_H

#include <stdbool.h>

#include "cli/bench.h"

struct progress_line {
	const struct cli *cli;
	bool wanted; /* on a terminal, without --quiet */
	bool shown;
	double next; /* when it may change again */
};

/* bench: whose words about a request that takes long stand in the line, too. It keeps the line's
 * address. */
void progress_line_begin(struct progress_line *line, const struct cli *cli, struct bench *bench);

/* Whether it is time for other words; true once for each time. Finding the words may take a moment.
 */
bool progress_line_due(struct progress_line *line);
void progress_line_show(struct progress_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_line_clear(struct progress_line *line);

#endif
