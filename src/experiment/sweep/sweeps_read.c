/* The rows of data/sweeps, which says how they are written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "experiment/sweep/sweeps.h"

struct reader {
	struct sweeps *sweeps;
	struct named_sweep *sweep; /* the row that lines belong to; NULL: none yet */
	const char *origin;
	int line;
	bool lenient; /* rows of kernels that are not there are passed over, */
	bool passing; /* as this one is */
};

static struct status wrong(const struct reader *reader, const char *what, const char *word)
{
	return status_make(STATUS_FAILED, "%.80s:%d: %s%s%.60s%s", reader->origin, reader->line,
		what, *word ? " \"" : "", word, *word ? "\"" : "");
}

/* What a part of the program says of a word there. */
static struct status wrong_because(const struct reader *reader, const struct status *status)
{
	return status_make(
		STATUS_FAILED, "%.80s:%d: %.150s", reader->origin, reader->line, status->text);
}

static bool figure_of(const char *word, enum sweeps_figure *figure)
{
	for (int i = 0; i < SWEEPS_FIGURES; i++)
		if (strcmp(word, sweeps_figure_name((enum sweeps_figure)i)) == 0) {
			*figure = (enum sweeps_figure)i;
			return true;
		}
	return false;
}

static struct status read_name(struct reader *reader, char *rest)
{
	struct sweeps *sweeps = reader->sweeps;
	struct named_sweep *sweep;

	if (!*rest || strlen(rest) >= sizeof(sweep->name) ||
		strspn(rest, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(rest))
		return wrong(reader,
			"a name is of small letters, digits and dashes, at most 31 of them:", rest);
	if (kernel_find(rest))
		return wrong(reader, "a kernel has that name:", rest);
	if (sweeps_find(sweeps, rest))
		return wrong(reader, "that name is given twice:", rest);
	sweeps->sweep =
		memory_resize(sweeps->sweep, (size_t)sweeps->count + 1, sizeof(*sweeps->sweep));
	sweep = reader->sweep = &sweeps->sweep[sweeps->count++];
	*sweep = (struct named_sweep){ .x = -1, .base = -1 };
	snprintf(sweep->name, sizeof(sweep->name), "%s", rest);
	return status_ok();
}

/* Whole, or not at all. */
static struct status keep(const struct reader *reader, const char *words, char *kept, size_t size)
{
	if (strlen(words) >= size)
		return status_make(STATUS_FAILED,
			"%.80s:%d: %zu characters at most are wanted, not %zu: \"%.40s…\"",
			reader->origin, reader->line, size - 1, strlen(words), words);
	memcpy(kept, words, strlen(words) + 1);
	return status_ok();
}

static struct status read_title(struct reader *reader, char *rest)
{
	return keep(reader, rest, reader->sweep->title, sizeof(reader->sweep->title));
}

static struct status read_source(struct reader *reader, char *rest)
{
	return keep(reader, rest, reader->sweep->source, sizeof(reader->sweep->source));
}

static struct status read_note(struct reader *reader, char *rest)
{
	return keep(reader, rest, reader->sweep->note, sizeof(reader->sweep->note));
}

static struct status read_usual(struct reader *reader, char *rest)
{
	reader->sweep->usual = true;
	return *rest ? wrong(reader, "nothing follows \"usual\", not", rest) : status_ok();
}

static struct status read_kernel(struct reader *reader, char *rest)
{
	struct named_sweep *sweep = reader->sweep;
	char *more, *word = strtok_r(rest, " \t", &more);
	unsigned given = 0;

	if (sweep->kernel)
		return wrong(reader, "a second kernel:", word ? word : "");
	sweep->kernel = word ? kernel_find(word) : NULL;
	if (!sweep->kernel && word && reader->lenient) {
		reader->passing = true;
		reader->sweep = NULL;
		reader->sweeps->count--;
		return status_ok();
	}
	if (!sweep->kernel)
		return wrong(reader, "no kernel", word ? word : "");
	while ((word = strtok_r(NULL, " \t", &more))) {
		struct status status = sweeps_override(sweep, word, &given);

		if (!status_is_ok(&status))
			return wrong_because(reader, &status);
	}
	return status_ok();
}

/* The knob of that name; lines about knobs come after the one that names the kernel. */
static struct status find_knob(const struct reader *reader, const char *name, int *knob)
{
	struct status status;

	if (!reader->sweep->kernel)
		return wrong(reader, "the line with the kernel comes before that with", name);
	status = setting_find_knob(reader->sweep->kernel, name, knob);
	return status_is_ok(&status) ? status : wrong_because(reader, &status);
}

static struct status read_log(const struct reader *reader, const char *word, bool *log)
{
	*log = word && strcmp(word, "log") == 0;
	return word && !*log ? wrong(reader, "\"log\" or nothing may follow here, not", word)
			     : status_ok();
}

static struct status read_x(struct reader *reader, char *rest)
{
	char *more, *word = strtok_r(rest, " \t", &more);
	struct status status = find_knob(reader, word ? word : "", &reader->sweep->x);

	return status_is_ok(&status)
		       ? read_log(reader, strtok_r(NULL, " \t", &more), &reader->sweep->log_x)
		       : status;
}

static struct status read_y(struct reader *reader, char *rest)
{
	char *more, *word = strtok_r(rest, " \t", &more);

	if (!word || !figure_of(word, &reader->sweep->figure))
		return wrong(reader, "no such figure:", word ? word : "");
	return read_log(reader, strtok_r(NULL, " \t", &more), &reader->sweep->log_y);
}

static struct status read_lines(struct reader *reader, char *rest)
{
	struct named_sweep *sweep = reader->sweep;
	char *more;

	for (char *word = strtok_r(rest, " \t", &more); word; word = strtok_r(NULL, " \t", &more)) {
		struct status status;

		if (sweep->line_count == SWEEPS_LINES)
			return wrong(reader, "too many knobs make lines:", word);
		status = find_knob(reader, word, &sweep->line[sweep->line_count]);
		if (!status_is_ok(&status))
			return status;
		sweep->line_count++;
	}
	return status_ok();
}

/* One "knob=value". */
static struct status read_value(
	const struct reader *reader, const char *word, int *knob, struct setting *setting)
{
	struct status status;
	char name[64];

	if (!strchr(word, '='))
		return wrong(reader, "knob=value is wanted, not", word);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	status = find_knob(reader, name, knob);
	if (!status_is_ok(&status))
		return status;
	status = setting_assign(setting, word, MEMORY_LIMITS_UNKNOWN);
	return status_is_ok(&status) ? status : wrong_because(reader, &status);
}

static struct status read_baseline(struct reader *reader, char *rest)
{
	struct named_sweep *sweep = reader->sweep;
	struct setting setting;
	struct status status;

	if (!sweep->kernel)
		return wrong(reader, "the line with the kernel comes before that with", rest);
	setting_init(&setting, sweep->kernel);
	status = read_value(reader, rest, &sweep->base, &setting);
	if (status_is_ok(&status))
		sweep->base_value = setting.v[sweep->base];
	return status;
}

static struct status read_published(struct reader *reader, char *rest)
{
	struct named_sweep *sweep = reader->sweep;
	struct sweeps_published *published = &sweep->published[sweep->published_count];
	char *bar = strchr(rest, '|'), *more, *word, *end = NULL;
	struct status status;

	if (!sweep->kernel)
		return wrong(reader, "the line with the kernel comes before that with", rest);
	if (sweep->published_count == SWEEPS_PUBLISHED)
		return wrong(reader, "too many published figures", "");
	memset(published, 0, sizeof(*published));
	setting_init(&published->setting, sweep->kernel);
	if (bar) {
		*bar++ = '\0';
		status = keep(reader, bar + strspn(bar, " \t"), published->words,
			sizeof(published->words));
		if (!status_is_ok(&status))
			return status;
	}
	word = strtok_r(rest, " \t", &more);
	if (!word || !figure_of(word, &published->figure))
		return wrong(reader, "no such figure:", word ? word : "");
	word = strtok_r(NULL, " \t", &more);
	published->over = word && strcmp(word, "over") == 0;
	if (published->over)
		word = strtok_r(NULL, " \t", &more);
	published->value = word ? strtod(word, &end) : 0;
	if (!word || *end || !(published->value > 0) || !isfinite(published->value))
		return wrong(reader, "a number is wanted, not", word ? word : "");
	while ((word = strtok_r(NULL, " \t", &more))) {
		int knob;

		status = read_value(reader, word, &knob, &published->setting);
		if (!status_is_ok(&status))
			return status;
		published->named[knob] = true;
	}
	sweep->published_count++;
	return status_ok();
}

static const struct {
	const char *word;
	struct status (*read)(struct reader *reader, char *rest);
} lines[] = {
	{ "sweep", read_name },
	{ "title", read_title },
	{ "kernel", read_kernel },
	{ "x", read_x },
	{ "lines", read_lines },
	{ "y", read_y },
	{ "baseline", read_baseline },
	{ "source", read_source },
	{ "note", read_note },
	{ "usual", read_usual },
	{ "published", read_published },
};

static struct status read_line(struct reader *reader, char *line)
{
	size_t length = strcspn(line, " \t");
	char *rest = line + length + strspn(line + length, " \t");

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (strlen(lines[i].word) != length || strncmp(lines[i].word, line, length) != 0)
			continue;
		if (i == 0)
			reader->passing = false;
		if (reader->passing)
			return status_ok();
		if (!reader->sweep && i > 0)
			return wrong(reader, "a row begins with \"sweep NAME\", not with",
				lines[i].word);
		return lines[i].read(reader, rest);
	}
	line[length] = '\0';
	return wrong(reader, "no such line:", line);
}

/* What a row must have; the reader stands behind its last line. */
static struct status finish(const struct reader *reader)
{
	const struct named_sweep *sweep = reader->sweep;

	if (sweep && (!sweep->kernel || sweep->x < 0 || !*sweep->title))
		return wrong(reader,
			"a row needs a title, a kernel and x: this has not all:", sweep->name);
	if (sweep && sweep->figure == SWEEPS_SPEEDUP && sweep->base < 0)
		return wrong(
			reader, "a speedup needs a baseline, and there is none in", sweep->name);
	return status_ok();
}

struct status sweeps_read(const char *text, const char *origin, bool lenient, struct sweeps *sweeps)
{
	struct reader reader = { .sweeps = sweeps, .origin = origin, .lenient = lenient };
	struct status status = status_ok();

	*sweeps = (struct sweeps){ 0 };
	while (*text && status_is_ok(&status)) {
		size_t length = strcspn(text, "\n"), used = length;
		char *line = memory_new(length + 1, 1), *at = line + strspn(text, " \t");

		memcpy(line, text, length);
		while (used > 0 && strchr(" \t\r", line[used - 1]))
			line[--used] = '\0';
		reader.line++;
		if (at < line + used && *at != '#') {
			if (strncmp(at, "sweep", 5) == 0)
				status = finish(&reader);
			if (status_is_ok(&status))
				status = read_line(&reader, at);
		}
		free(line);
		text += length + (text[length] == '\n');
	}
	if (status_is_ok(&status))
		status = finish(&reader);
	if (!status_is_ok(&status))
		sweeps_free(sweeps);
	return status;
}

struct status sweeps_load(struct sweeps *sweeps)
{
	char origin[256], *text;
	struct status status = data_load("sweeps", &text, origin);

	*sweeps = (struct sweeps){ 0 };
	if (!status_is_ok(&status))
		return status;
	/* A program with other kernels has other sweeps. */
	status = sweeps_read(text, origin, strncmp(origin, "built-in", 8) == 0, sweeps);
	free(text);
	return status;
}
