#include "cli/progress_line.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* How often it changes, seconds. */
#define EVERY 0.1

void progress_line_clear(struct progress_line *line)
{
	if (line->shown)
		fprintf(line->cli->err, "\r%*s\r", BENCH_LINE, "");
	line->shown = false;
}

static void put(struct progress_line *line, const char *words)
{
	progress_line_clear(line);
	fputs(words, line->cli->err);
	fflush(line->cli->err);
	line->shown = *words;
}

/* Replaces the line while a request takes long. */
static void slow(void *context, const char *words)
{
	put(context, words);
}

void progress_line_begin(struct progress_line *line, const struct cli *cli, struct bench *bench)
{
	*line = (struct progress_line){ .cli = cli,
		.wanted = !cli->quiet && isatty(fileno(cli->err)) };
	if (!line->wanted)
		return;
	bench->slow = slow;
	bench->context = line;
}

bool progress_line_due(struct progress_line *line)
{
	double now = bench_now();

	if (!line->wanted || now < line->next)
		return false;
	line->next = now + EVERY;
	return true;
}

void progress_line_show(struct progress_line *line, const char *format, ...)
{
	char words[BENCH_LINE + 1];
	va_list arguments;

	if (!line->wanted)
		return;
	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	put(line, words);
}
