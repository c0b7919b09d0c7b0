/* Reads the named sweeps from the rows of data/sweeps, and applies a user's changes to a named
 * sweep. */
#include "experiment/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "experiment/setting/setting.h"

void sweeps_clear(struct named_sweep *sweep)
{
	for (int i = 0; i < sweep->word_count; i++)
		free(sweep->word[i]);
	sweep->word_count = 0;
}

void sweeps_copy(const struct named_sweep *sweep, struct named_sweep *copy)
{
	*copy = *sweep;
	for (int i = 0; i < sweep->word_count; i++)
		copy->word[i] = memory_string(sweep->word[i]);
}

void sweeps_free(struct sweeps *sweeps)
{
	for (int i = 0; i < sweeps->count; i++)
		sweeps_clear(&sweeps->sweep[i]);
	free(sweeps->sweep);
	*sweeps = (struct sweeps){ 0 };
}

const struct named_sweep *sweeps_find(const struct sweeps *sweeps, const char *name)
{
	for (int i = 0; i < sweeps->count; i++)
		if (strcmp(sweeps->sweep[i].name, name) == 0)
			return &sweeps->sweep[i];
	return NULL;
}

/* Returns the index of the word "knob=values" that gives a knob's values, or -1. */
static int word_of(const struct named_sweep *sweep, int knob)
{
	const char *name = sweep->kernel->knobs[knob].name;

	for (int i = 0; i < sweep->word_count; i++)
		if (strncmp(sweep->word[i], name, strlen(name)) == 0 &&
			sweep->word[i][strlen(name)] == '=')
			return i;
	return -1;
}

struct status sweeps_override(struct named_sweep *sweep, const char *word, unsigned *given)
{
	const char *values;
	int knob, at;
	struct status status = setting_split(sweep->kernel, word, &knob, &values);

	if (!status_is_ok(&status))
		return status;
	if (*given >> knob & 1)
		return setting_twice(&sweep->kernel->knobs[knob]);
	*given |= 1u << knob;
	at = word_of(sweep, knob);
	if (at < 0)
		at = sweep->word_count++;
	else
		free(sweep->word[at]);
	sweep->word[at] = memory_string(word);
	return status;
}

const struct named_sweep *sweeps_usual(
	const struct sweeps *sweeps, const struct kernel *kernel, char *const *words, int count)
{
	const struct named_sweep *sweep = sweeps->sweep, *end = sweep + sweeps->count;

	while (sweep < end && (sweep->kernel != kernel || !sweep->usual))
		sweep++;
	if (sweep == end)
		return NULL;
	for (int i = 0; i < count; i++) {
		const char *values;
		int knob;
		struct status status = setting_split(kernel, words[i], &knob, &values);

		if (status_is_ok(&status) && word_of(sweep, knob) >= 0)
			return NULL;
	}
	return sweep;
}

/* Returns the word "knob=values" of a knob, with the value of index `first` at the start:
 * "form=naive,blocked". */
static char *word_from(const struct knob *knob, const int64_t *values, size_t count, size_t first)
{
	struct text text = { 0 };

	text_addf(&text, "%s=%s", knob->name, setting_value(knob, values[first]).text);
	for (size_t i = 0; i < count; i++)
		if (i != first)
			text_addf(&text, ",%s", setting_value(knob, values[i]).text);
	return text.bytes;
}

bool sweeps_settle(struct named_sweep *sweep)
{
	int at = sweep->base < 0 ? -1 : word_of(sweep, sweep->base);
	const struct knob *knob = sweep->base < 0 ? NULL : &sweep->kernel->knobs[sweep->base];
	struct status status;
	int64_t *values;
	size_t count, base = 0;
	char *word;

	if (at < 0)
		return !knob || knob->initial == sweep->base_value;
	word = sweep->word[at];
	memmove(sweep->word + 1, sweep->word, (size_t)at * sizeof(*sweep->word));
	sweep->word[0] = word;
	status = axis_parse_list(
		knob, strchr(word, '=') + 1, MEMORY_LIMITS_UNKNOWN, &values, &count);
	if (!status_is_ok(&status))
		return true; /* sweep_assign() reports the failure */
	while (base < count && values[base] != sweep->base_value)
		base++;
	if (base > 0 && base < count) {
		sweep->word[0] = word_from(knob, values, count, base);
		free(word);
	}
	free(values);
	return base < count;
}

void sweeps_advise(struct named_sweep *sweep, int64_t advised)
{
	for (int i = 0; i < sweep->word_count; i++) {
		char *word = sweep->word[i], *more;
		struct text text = { 0 };
		bool placed = advised <= 0;

		if (!strstr(strchr(word, '='), "advised"))
			continue;
		for (char *item = strtok_r(strchr(word, '=') + 1, ",", &more); item;
			item = strtok_r(NULL, ",", &more)) {
			char *end;
			long long value = strtoll(item, &end, 10);

			if (strcmp(item, "advised") == 0)
				continue;
			if (!placed && !*end && value >= advised) {
				placed = true;
				if (value > advised)
					text_addf(&text, ",%lld", (long long)advised);
			}
			text_addf(&text, ",%s", item);
		}
		if (!placed)
			text_addf(&text, ",%lld", (long long)advised);
		sweep->word[i] = NULL;
		if (asprintf(&sweep->word[i], "%.*s=%s", (int)strcspn(word, "="), word,
			    text_string(&text) + (text.length > 0)) < 0)
			abort();
		free(word);
		text_free(&text);
	}
}

bool sweeps_advises(const struct named_sweep *sweep)
{
	for (int i = 0; i < sweep->word_count; i++)
		if (strstr(sweep->word[i], "advised"))
			return true;
	return false;
}

struct status sweeps_assign(const struct named_sweep *named, struct sweep *sweep)
{
	struct named_sweep plain;
	struct status status = status_ok();

	sweeps_copy(named, &plain);
	sweeps_advise(&plain, 0);
	for (int i = 0; i < plain.word_count && status_is_ok(&status); i++)
		status = sweep_assign(sweep, plain.word[i]);
	sweeps_clear(&plain);
	return status;
}

/* ---- reading data/sweeps ---- */

struct reader {
	struct rows rows;
	struct sweeps *sweeps;
	struct named_sweep *sweep; /* the named sweep to which the current lines belong; NULL before
				      the first sweep */
	bool lenient;		   /* true: named sweeps of unknown kernels are skipped */
	bool skipping;		   /* true: the named sweep that is being read is skipped */
};

static bool read_figure(struct reader *reader, enum sweeps_figure *figure)
{
	int found = rows_choice(&reader->rows, "measure", rows_word(&reader->rows),
		sweeps_figure_names, SWEEPS_FIGURES);

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

static bool read_usual(struct reader *reader)
{
	const char *more = rows_rest(&reader->rows);

	reader->sweep->usual = true;
	return !*more || rows_fail(&reader->rows,
				 "\"%s\" after the word usual: expected the end of the line", more);
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

static bool find_knob(struct reader *reader, const char *name, int *knob)
{
	struct status status = setting_find_knob(reader->sweep->kernel, name, knob);

	return rows_check(&reader->rows, &status);
}

static bool read_log(struct reader *reader, bool *log)
{
	const char *word = rows_word(&reader->rows);

	*log = strcmp(word, "log") == 0;
	return *log || !*word ||
	       rows_fail(&reader->rows, "\"%s\": expected log, for a logarithmic axis, or nothing",
		       word);
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

static bool read_also(struct reader *reader)
{
	const char *word;

	while (*(word = rows_word(&reader->rows))) {
		int found = rows_choice(
			&reader->rows, "measure", word, sweeps_figure_names, SWEEPS_FIGURES);

		if (found < 0)
			return false;
		reader->sweep->also |= 1u << found;
	}
	return true;
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

/* Reads one word "knob=value". */
static bool read_value(struct reader *reader, const char *word, int *knob, struct setting *setting)
{
	const char *value;
	struct status status = setting_split(setting->kernel, word, knob, &value);

	if (status_is_ok(&status))
		status = setting_assign(setting, word, MEMORY_LIMITS_UNKNOWN);
	return rows_check(&reader->rows, &status);
}

static bool read_baseline(struct reader *reader)
{
	struct named_sweep *sweep = reader->sweep;
	struct setting setting;

	setting_init(&setting, sweep->kernel);
	if (!read_value(reader, rows_rest(&reader->rows), &sweep->base, &setting))
		return false;
	sweep->base_value = setting.v[sweep->base];
	return true;
}

/* Reads a line with a published value: "MEASURE [over] NUMBER [knob=value ...] [| TEXT]" */
static bool read_published(struct reader *reader)
{
	struct named_sweep *sweep = reader->sweep;
	struct rows *rows = &reader->rows;
	struct sweeps_published *published = &sweep->published[sweep->published_count];
	char *words = strchr(rows->at, '|'), *word;

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

/* Reads the words "knob=value" of one side of a claim, up to the word that ends the side, which is
 * returned; NULL: a word is wrong. */
static const char *read_side(struct reader *reader, struct sweeps_conditions *side)
{
	const char *word;

	while (strchr(word = rows_word(&reader->rows), '=') && !strchr("<=>", word[0])) {
		struct sweeps_condition *condition = &side->condition[side->count];
		struct setting setting;

		if (side->count == SWEEPS_CONDITIONS) {
			rows_fail(&reader->rows, "\"%s\": expected at most %d knobs", word,
				SWEEPS_CONDITIONS);
			return NULL;
		}
		setting_init(&setting, reader->sweep->kernel);
		if (!read_value(reader, word, &condition->knob, &setting))
			return NULL;
		condition->value = setting.v[condition->knob];
		side->count++;
	}
	if (side->count == 0)
		rows_fail(&reader->rows, "\"%s\" in a claim: expected KNOB=VALUE", word);
	return side->count ? word : NULL;
}

/* Reads the words "at", "from" and "to" that say for which places a claim is made. */
static bool read_places(struct reader *reader, const char *word, struct sweeps_conditions *at)
{
	static const char *const names[] = { "at", "from", "to" };

	while (word && *word) {
		int relation = rows_choice(&reader->rows, "word", word, names, 3), from = at->count;

		if (relation < 0)
			return false;
		word = read_side(reader, at);
		for (int i = from; i < at->count; i++)
			at->condition[i].relation = (unsigned)relation;
	}
	return word;
}

/* Reads a claim: "MEASURE A (<|=|>) [NUMBER] B [at|from|to PLACES ...] | TEXT". In the format, A, B
 * and PLACES stand for words such as size=64k. */
static bool read_claim(struct reader *reader)
{
	struct named_sweep *sweep = reader->sweep;
	struct sweeps_claim *claim = &sweep->claim[sweep->claim_count];
	struct rows *rows = &reader->rows;
	char *words = strchr(rows->at, '|'), *number;
	const char *relation;

	if (sweep->claim_count == SWEEPS_CLAIMS)
		return rows_fail(rows, "more than %d claims", SWEEPS_CLAIMS);
	if (!words)
		return rows_fail(rows, "the claim does not end with its text: expected \"| TEXT\"");
	*words++ = '\0';
	*claim = (struct sweeps_claim){ .factor = 1 };
	if (!rows_copy(rows, "the claim", words + strspn(words, " \t"), claim->words,
		    sizeof(claim->words)) ||
		!read_figure(reader, &claim->figure) || !(relation = read_side(reader, &claim->a)))
		return false;
	if (strlen(relation) != 1 || !strchr("<=>", *relation))
		return rows_fail(rows, "\"%s\" in a claim: expected <, = or >", relation);
	claim->relation = *relation == '<'   ? SWEEPS_LESS
			  : *relation == '=' ? SWEEPS_ABOUT
					     : SWEEPS_OVER;
	number = rows->at + strspn(rows->at, " \t");
	if (*number >= '0' && *number <= '9' &&
		!rows_number(rows, "the factor", rows_word(rows), 1e-6, 1e6, &claim->factor))
		return false;
	if (!read_places(reader, read_side(reader, &claim->b), &claim->at))
		return false;
	sweep->claim_count++;
	return true;
}

#define FIELD(name) offsetof(struct named_sweep, name), sizeof(((struct named_sweep *)NULL)->name)

/* The words that can begin a line of data/sweeps: each has a text to copy, or a function that reads
 * the line. */
static const struct word {
	const char *word, *what;
	size_t at, size;
	bool (*read)(struct reader *reader);
	bool of_kernel; /* true: in data/sweeps, the line with the kernel must come before this line
			 */
} words[] = {
	{ "sweep", .read = read_sweep },
	{ "title", "the title", FIELD(title) },
	{ "source", "the source", FIELD(source) },
	{ "note", "the note", FIELD(note) },
	{ "kernel", .read = read_kernel },
	{ "x", .read = read_x, .of_kernel = true },
	{ "lines", .read = read_lines, .of_kernel = true },
	{ "y", .read = read_y },
	{ "also", .read = read_also },
	{ "baseline", .read = read_baseline, .of_kernel = true },
	{ "usual", .read = read_usual },
	{ "published", .read = read_published, .of_kernel = true },
	{ "claim", .read = read_claim, .of_kernel = true },
};
enum { WORDS = sizeof(words) / sizeof(*words) };

/* Checks that the last named sweep that was read is complete. */
static bool check_sweep(struct reader *reader)
{
	const struct named_sweep *sweep = reader->sweep;

	if (sweep && (!sweep->kernel || sweep->x < 0 || !*sweep->title))
		return rows_fail(&reader->rows, "the named sweep \"%s\" has no %s line",
			sweep->name,
			!sweep->kernel ? "kernel"
			: sweep->x < 0 ? "x"
				       : "title");
	if (sweep && sweep->figure == SWEEPS_SPEEDUP && sweep->base < 0)
		return rows_fail(&reader->rows, "sweep \"%s\" shows a speedup but has no baseline",
			sweep->name);
	return true;
}

static bool read_line(struct reader *reader)
{
	const char *names[WORDS];
	const struct word *word;
	int found;

	for (int i = 0; i < WORDS; i++)
		names[i] = words[i].word;
	found = rows_choice(&reader->rows, "word", rows_word(&reader->rows), names, WORDS);
	if (found < 0)
		return false;
	word = &words[found];
	if (found == 0) {
		reader->skipping = false;
		return check_sweep(reader) && read_sweep(reader);
	}
	if (reader->skipping)
		return true;
	if (!reader->sweep)
		return rows_fail(&reader->rows,
			"\"%s\" before the first sweep: expected the line \"sweep NAME\" first",
			word->word);
	if (word->of_kernel && !reader->sweep->kernel)
		return rows_fail(&reader->rows,
			"\"%s\" before the kernel: expected the line \"kernel NAME\" first",
			word->word);
	return word->read ? word->read(reader)
			  : rows_copy(&reader->rows, word->what, rows_rest(&reader->rows),
				    (char *)reader->sweep + word->at, word->size);
}

/* Reads all rows of the text with named sweeps that rows_begin() or rows_load() opened. */
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
	/* The built-in text may name kernels that this program does not have. */
	reader.lenient = strncmp(reader.rows.origin, "built-in", 8) == 0;
	return read_all(&reader);
}
