/* Reads the lines of core files: words, sources in brackets, numbers with a spread. uarch_line.c
 * also records which file states each fact. */
#include "model/core/uarch_inside.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct status sources_load(struct uarch_sources *sources)
{
	struct rows rows;

	memset(sources, 0, sizeof(*sources));
	rows_load(&rows, "uarch/sources");
	rows.inline_comments = true;
	while (rows_next(&rows)) {
		int n = sources->count;

		if (n == UARCH_SOURCES)
			rows_fail(&rows, "more than %d sources", UARCH_SOURCES);
		else if (rows_name(&rows, "source", rows_word(&rows), "", sources->tag[n],
				 sizeof(sources->tag[n])) &&
			 rows_copy(&rows, "the text of the source", rows_rest(&rows),
				 sources->text[n], sizeof(sources->text[n])))
			sources->count++;
		for (int i = 0; i < n && sources->count > n; i++)
			if (strcmp(sources->tag[i], sources->tag[n]) == 0)
				rows_fail(&rows, "source \"%s\" is listed twice", sources->tag[n]);
	}
	return rows_end(&rows);
}

/* Removes the marks of the sources, for example "[M,TD]", from the end of a line of a core file,
 * and records the sources in the reader. */
static bool read_tags(struct reader *r)
{
	const struct uarch_sources *sources = &r->uarch->sources;
	char *word = r->words > 0 ? r->word[r->words - 1] : NULL;
	size_t length = word ? strlen(word) : 0;

	r->tagged = r->measured = false;
	r->tags = 0;
	if (!length || (word[0] != '[' && word[length - 1] != ']'))
		return true;
	if (word[0] != '[' || length < 3 || word[length - 1] != ']')
		return rows_fail(&r->rows,
			"\"%.24s\": expected tags of sources without blanks, such as [M] or "
			"[Ltd,TD]",
			word);
	word[length - 1] = '\0';
	word++;
	for (char *tag; (tag = strsep(&word, ",")) != NULL;) {
		int i = 0;

		while (i < sources->count && strcmp(sources->tag[i], tag) != 0)
			i++;
		if (i == sources->count)
			return rows_fail(&r->rows,
				"source \"%.24s\" is not a tag in the file uarch/sources", tag);
		r->measured |= strcmp(tag, "measured") == 0;
		r->tags |= UINT32_C(1) << i;
	}
	r->tagged = true;
	r->words--;
	return true;
}

bool reader_next(struct reader *r)
{
	if (!rows_next(&r->rows))
		return false;
	r->words = rows_words(&r->rows, r->word, UARCH_WORDS);
	if (r->words > UARCH_WORDS)
		return rows_fail(&r->rows, "more than %d words in a line", UARCH_WORDS);
	return read_tags(r);
}

void reader_open(struct reader *r, const char *text, const char *origin)
{
	rows_begin(&r->rows, text, origin);
	r->rows.inline_comments = true;
	r->statements = 0;
}

void reader_where(const struct reader *r, char *where, size_t size)
{
	const char *origin = r->from[r->file].origin;
	size_t length = strlen(origin), kept = size - 12;

	snprintf(where, size, "%s:%d", length > kept ? origin + length - kept : origin,
		r->rows.line);
}

bool reader_unsourced(struct reader *r)
{
	return rows_fail(&r->rows, "this line names no source of its numbers: end it with "
				   "a tag such as [measured]");
}

bool reader_join(struct reader *r, int from, int to, const char *what, char *buffer, size_t size)
{
	char *end = buffer;

	for (int i = from; i < to; i++) {
		size_t length = strlen(r->word[i]);

		if ((size_t)(end - buffer) + (i > from) + length >= size)
			return rows_fail(&r->rows, "%s is longer than %zu bytes", what, size - 1);
		if (i > from)
			*end++ = ' ';
		memcpy(end, r->word[i], length);
		end += length;
	}
	*end = '\0';
	return true;
}

bool reader_number(struct reader *r, const char *what, char *word, double least, double most,
	double *value, double *spread)
{
	static const char sign[] = "±";
	char *at = strstr(word, sign);
	double plus = 0;

	if (at && !r->measured)
		return rows_fail(&r->rows,
			"%s \"%.24s\": only a [measured] number can have a spread", what, word);
	if (at) {
		*at = '\0';
		at += strlen(sign);
		if (!rows_decimal(at, strlen(at), &plus))
			return rows_fail(&r->rows,
				"%s: the spread \"%.24s\" is not a decimal number", what, at);
	}
	if (spread)
		*spread = plus;
	return rows_number(&r->rows, what, word, least, most, value);
}

int reader_pairs(struct reader *r, int at, const struct reader_pair *pairs, int count)
{
	const char *names[8];

	for (int k = 0; k < count; k++)
		names[k] = pairs[k].name;
	for (; at < r->words; at += 2) {
		char *number = at + 1 < r->words ? r->word[at + 1] : NULL;
		int k = rows_choice(&r->rows, "word", r->word[at], names, count);

		if (k >= 0 && !pairs[k].value)
			break;
		if (k >= 0 && !number)
			rows_fail(&r->rows, "\"%s\" without a number", names[k]);
		if (k < 0 || !number)
			return -1;
		if (pairs[k].unknown && strcmp(number, "unknown") == 0)
			*pairs[k].unknown = true;
		else if (!reader_number(r, names[k], number, pairs[k].least, pairs[k].most,
				 pairs[k].value, pairs[k].spread))
			return -1;
	}
	return at;
}

/* ---- the file that states each fact */

/* The place where a fact is stated: the youngest core file that states the fact, and the line in
 * that file. The core's own file is younger than the files that it inherits from. */
struct stated {
	char key[READER_KEY]; /* key of a fact: the first words of its line, "class fadd" or "size
				 rob" */
	int file, line;
	bool taken_back; /* true: a line "unknown" in the core file removes the fact */
	bool inherited;	 /* a core file from which this core inherits also states the fact */
};

/* Compares two keys. A struct stated begins with its key, so a pointer to it can be used as a
 * string. */
static int by_key(const void *a, const void *b)
{
	return strcmp(a, b);
}

static struct stated *find_stated(const struct reader *r, const char *key)
{
	struct stated *const *found = tfind(key, (void *const *)&r->stated, by_key);

	return found ? *found : NULL;
}

bool reader_claims(struct reader *r, const char *key)
{
	struct stated *stated = find_stated(r, key);

	if (r->again)
		return stated->file == r->file && stated->line == r->rows.line;
	if (stated && stated->file == r->file)
		return rows_fail(&r->rows, "line %d already states %s", stated->line, key);
	if (stated) {
		stated->inherited = true;
		return false;
	}
	stated = memory_new(1, sizeof(*stated));
	*stated = (struct stated){ .file = r->file, .line = r->rows.line };
	snprintf(stated->key, sizeof(stated->key), "%s", key);
	return tsearch(stated, &r->stated, by_key) || rows_fail(&r->rows, "no memory");
}

int reader_file_of(const struct reader *r, const char *key)
{
	const struct stated *stated = find_stated(r, key);

	return stated && !stated->taken_back ? stated->file : -1;
}

bool reader_take_back(struct reader *r, const char *key)
{
	struct stated *stated;

	if (!reader_claims(r, key))
		return true;
	stated = find_stated(r, key);
	stated->taken_back = true;
	return stated->inherited;
}

void reader_forget(struct reader *r)
{
	tdestroy(r->stated, free);
}
