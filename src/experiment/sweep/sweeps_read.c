/* Reads data/sweeps; the head of that file describes its lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "experiment/sweep/sweeps.h"

struct reader {
	struct rows rows;
	struct sweeps *sweeps;
	struct named_sweep *sweep; /* the sweep that lines belong to; NULL before the first */
	bool lenient;		   /* sweeps of unknown kernels are skipped, */
	bool skipping;		   /* as this one is */
};

static bool read_figure(struct reader *reader, enum sweeps_figure *figure)
{
	const char *names[SWEEPS_FIGURES];
	int found;

	for (int i = 0; i < SWEEPS_FIGURES; i++)
		names[i] = sweeps_figure_name((enum sweeps_figure)i);
	found = rows_choice(
		&reader->rows, "measure", rows_word(&reader->rows), names, SWEEPS_FIGURES);
	if (found >= 0)
		*figure = (enum sweeps_figure)found;
	return found >= 0;
}

static bool read_sweep(struct reader *reader)
{
	struct sweeps *sweeps = reader->sweeps;
	const char *name = rows_rest(&reader->rows);
	struct named_sweep *sweep;

	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name))
		return rows_fail(&reader->rows,
			"sweep \"%s\": expected lower-case letters, digits and dashes", name);
	if (kernel_find(name))
		return rows_fail(&reader->rows, "sweep \"%s\": a kernel has that name", name);
	if (sweeps_find(sweeps, name))
		return rows_fail(&reader->rows, "sweep \"%s\": another sweep has that name", name);
	sweeps->sweep =
		memory_resize(sweeps->sweep, (size_t)sweeps->count + 1, sizeof(*sweeps->sweep));
	sweep = reader->sweep = &sweeps->sweep[sweeps->count++];
	*sweep = (struct named_sweep){ .x = -1, .base = -1 };
	return rows_copy(&reader->rows, "the name", name, sweep->name, sizeof(sweep->name));
}

static bool read_title(struct reader *reader)
{
	return rows_copy(&reader->rows, "the title", rows_rest(&reader->rows), reader->sweep->title,
		sizeof(reader->sweep->title));
}

static bool read_source(struct reader *reader)
{
	return rows_copy(&reader->rows, "the source", rows_rest(&reader->rows),
		reader->sweep->source, sizeof(reader->sweep->source));
}

static bool read_note(struct reader *reader)
{
	return rows_copy(&reader->rows, "the note", rows_rest(&reader->rows), reader->sweep->note,
		sizeof(reader->sweep->note));
}

static bool read_usual(struct reader *reader)
{
	const char *more = rows_rest(&reader->rows);

	reader->sweep->usual = true;
	return !*more || rows_fail(&reader->rows, "\"%s\" after usual: expected nothing", more);
}

static bool read_kernel(struct reader *reader)
{
	struct named_sweep *sweep = reader->sweep;
	const char *word = rows_word(&reader->rows);
	unsigned given = 0;

	if (sweep->kernel)
		return rows_fail(&reader->rows, "a second kernel: \"%s\"", word);
	sweep->kernel = kernel_find(word);
	if (!sweep->kernel && reader->lenient) {
		reader->skipping = true;
		reader->sweep = NULL;
		reader->sweeps->count--;
		return true;
	}
	if (!sweep->kernel)
		return rows_fail(&reader->rows, "unknown kernel \"%s\"", word);
	while (*(word = rows_word(&reader->rows))) {
		struct status status = sweeps_override(sweep, word, &given);

		if (!rows_check(&reader->rows, &status))
			return false;
	}
	return true;
}

/* The knob of that name. The line of the kernel comes before the lines that name knobs. */
static bool find_knob(struct reader *reader, const char *name, int *knob)
{
	struct status status;

	if (!reader->sweep->kernel)
		return rows_fail(
			&reader->rows, "\"%s\" before the kernel: expected kernel NAME", name);
	status = setting_find_knob(reader->sweep->kernel, name, knob);
	return rows_check(&reader->rows, &status);
}

static bool read_log(struct reader *reader, bool *log)
{
	const char *word = rows_word(&reader->rows);

	*log = strcmp(word, "log") == 0;
	return *log || !*word || rows_fail(&reader->rows, "\"%s\": expected log or nothing", word);
}

static bool read_x(struct reader *reader)
{
	return find_knob(reader, rows_word(&reader->rows), &reader->sweep->x) &&
	       read_log(reader, &reader->sweep->log_x);
}

static bool read_y(struct reader *reader)
{
	return read_figure(reader, &reader->sweep->figure) &&
	       read_log(reader, &reader->sweep->log_y);
}

static bool read_lines(struct reader *reader)
{
	struct named_sweep *sweep = reader->sweep;
	const char *word;

	while (*(word = rows_word(&reader->rows))) {
		if (sweep->line_count == SWEEPS_LINES)
			return rows_fail(&reader->rows, "\"%s\": expected at most %d knobs", word,
				SWEEPS_LINES);
		if (!find_knob(reader, word, &sweep->line[sweep->line_count]))
			return false;
		sweep->line_count++;
	}
	return true;
}

/* One "knob=value". */
static bool read_value(struct reader *reader, const char *word, int *knob, struct setting *setting)
{
	struct status status;
	char name[64];

	if (!strchr(word, '='))
		return rows_fail(&reader->rows, "\"%s\": expected knob=value", word);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	if (!find_knob(reader, name, knob))
		return false;
	status = setting_assign(setting, word, MEMORY_LIMITS_UNKNOWN);
	return rows_check(&reader->rows, &status);
}

static bool read_baseline(struct reader *reader)
{
	struct named_sweep *sweep = reader->sweep;
	struct setting setting = { 0 };

	if (sweep->kernel)
		setting_init(&setting, sweep->kernel);
	if (!read_value(reader, rows_rest(&reader->rows), &sweep->base, &setting))
		return false;
	sweep->base_value = setting.v[sweep->base];
	return true;
}

/* "MEASURE [over] NUMBER [knob=value ...] [| TEXT]" */
static bool read_published(struct reader *reader)
{
	struct named_sweep *sweep = reader->sweep;
	struct rows *rows = &reader->rows;
	struct sweeps_published *published = &sweep->published[sweep->published_count];
	char *words = strchr(rows->at, '|'), *word;

	if (!sweep->kernel)
		return rows_fail(rows, "published before the kernel: expected kernel NAME");
	if (sweep->published_count == SWEEPS_PUBLISHED)
		return rows_fail(rows, "more than %d published values", SWEEPS_PUBLISHED);
	*published = (struct sweeps_published){ 0 };
	setting_init(&published->setting, sweep->kernel);
	if (words) {
		*words++ = '\0';
		if (!rows_copy(rows, "the text", words + strspn(words, " \t"), published->words,
			    sizeof(published->words)))
			return false;
	}
	if (!read_figure(reader, &published->figure))
		return false;
	word = rows_word(rows);
	published->over = strcmp(word, "over") == 0;
	if (published->over)
		word = rows_word(rows);
	if (!rows_number(rows, "the value", word, 1e-6, 1e12, &published->value))
		return false;
	while (*(word = rows_word(rows))) {
		int knob;

		if (!read_value(reader, word, &knob, &published->setting))
			return false;
		published->named[knob] = true;
	}
	sweep->published_count++;
	return true;
}

static const char *const words[] = { "sweep", "title", "kernel", "x", "lines", "y", "baseline",
	"source", "note", "usual", "published" };
static bool (*const readers[])(struct reader *reader) = { read_sweep, read_title, read_kernel,
	read_x, read_lines, read_y, read_baseline, read_source, read_note, read_usual,
	read_published };
enum { WORDS = sizeof(words) / sizeof(*words) };
_Static_assert(sizeof(readers) / sizeof(*readers) == WORDS, "each word has its reader");

/* Checks that the last sweep is complete. */
static bool check_sweep(struct reader *reader)
{
	const struct named_sweep *sweep = reader->sweep;

	if (sweep && (!sweep->kernel || sweep->x < 0 || !*sweep->title))
		return rows_fail(&reader->rows, "sweep \"%s\" has no %s", sweep->name,
			!sweep->kernel ? "kernel"
			: sweep->x < 0 ? "x"
				       : "title");
	if (sweep && sweep->figure == SWEEPS_SPEEDUP && sweep->base < 0)
		return rows_fail(&reader->rows, "sweep \"%s\" shows a speedup, and has no baseline",
			sweep->name);
	return true;
}

static bool read_line(struct reader *reader)
{
	int word = rows_choice(&reader->rows, "word", rows_word(&reader->rows), words, WORDS);

	if (word < 0)
		return false;
	if (word == 0) {
		reader->skipping = false;
		return check_sweep(reader) && read_sweep(reader);
	}
	if (reader->skipping)
		return true;
	if (!reader->sweep)
		return rows_fail(&reader->rows,
			"\"%s\" before the first sweep: expected sweep NAME", words[word]);
	return readers[word](reader);
}

/* Reads what begin() began. */
static struct status read_all(struct reader *reader)
{
	struct status status;

	*reader->sweeps = (struct sweeps){ 0 };
	while (rows_next(&reader->rows))
		read_line(reader);
	check_sweep(reader);
	status = rows_end(&reader->rows);
	if (!status_is_ok(&status))
		sweeps_free(reader->sweeps);
	return status;
}

struct status sweeps_read(const char *text, const char *origin, bool lenient, struct sweeps *sweeps)
{
	struct reader reader = { .sweeps = sweeps, .lenient = lenient };

	rows_begin(&reader.rows, text, origin);
	return read_all(&reader);
}

struct status sweeps_load(struct sweeps *sweeps)
{
	struct reader reader = { .sweeps = sweeps };

	rows_load(&reader.rows, "sweeps");
	/* A program with other kernels has other sweeps. */
	reader.lenient = strncmp(reader.rows.origin, "built-in", 8) == 0;
	return read_all(&reader);
}
