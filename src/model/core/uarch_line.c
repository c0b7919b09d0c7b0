/* Lines of core files: words, sources in brackets, numbers with a spread. */
#include "model/core/uarch_inside.h"

#include <string.h>

struct status sources_load(struct uarch_sources *sources)
{
	struct rows rows;

	memset(sources, 0, sizeof(*sources));
	rows_load(&rows, "uarch/sources");
	rows.inline_comments = true;
	while (rows_next(&rows)) {
		int n = sources->count;

		if (n == UARCH_SOURCES) {
			rows_fail(&rows, "more than %d sources", UARCH_SOURCES);
			break;
		}
		if (!rows_name(&rows, "source", rows_word(&rows), "", sources->tag[n],
			    sizeof(sources->tag[n])) ||
			!rows_copy(&rows, "the text of the source", rows_rest(&rows),
				sources->text[n], sizeof(sources->text[n])))
			break;
		for (int i = 0; i < n; i++)
			if (strcmp(sources->tag[i], sources->tag[n]) == 0)
				rows_fail(&rows, "source \"%s\" is listed twice", sources->tag[n]);
		sources->count++;
	}
	return rows_end(&rows);
}

static bool read_tag(struct reader *r, const char *tag)
{
	for (int i = 0; i < r->sources->count; i++)
		if (strcmp(r->sources->tag[i], tag) == 0) {
			r->measured |= strcmp(tag, "measured") == 0;
			r->tags |= UINT32_C(1) << i;
			return true;
		}
	return rows_fail(&r->rows, "source \"%.24s\" is not in uarch/sources", tag);
}

/* Takes "[M,TD]" off the end. */
static bool read_tags(struct reader *r)
{
	char *word = r->words > 0 ? r->word[r->words - 1] : NULL;
	size_t length = word ? strlen(word) : 0;

	r->tagged = r->measured = false;
	r->tags = 0;
	if (!length || (word[0] != '[' && word[length - 1] != ']'))
		return true;
	if (word[0] != '[' || length < 3 || word[length - 1] != ']')
		return rows_fail(&r->rows,
			"\"%.24s\": expected sources as [M] or [Ltd,TD], without blanks", word);
	word[length - 1] = '\0';
	word++;
	for (char *comma; (comma = strchr(word, ',')) != NULL; word = comma + 1) {
		*comma = '\0';
		if (!read_tag(r, word))
			return false;
	}
	if (!read_tag(r, word))
		return false;
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

bool reader_words(struct reader *r, int least, int most, const char *form)
{
	if (r->words >= least && r->words <= most)
		return true;
	return rows_fail(&r->rows, "too %s words in \"%.12s\": expected %s",
		r->words < least ? "few" : "many", r->word[0], form);
}

bool reader_state(struct reader *r, const char *what, struct uarch_place *place)
{
	if (place->file == r->file)
		return rows_fail(&r->rows, "line %d already states %s", place->line, what);
	*place = (struct uarch_place){ r->file, r->rows.line };
	return true;
}

bool reader_unsourced(struct reader *r)
{
	return rows_fail(&r->rows, "this line has no source: end it with [TAG]");
}

bool reader_join(struct reader *r, int from, const char *what, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = from; i < r->words; i++) {
		size_t length = strlen(r->word[i]);

		if (used + length + 2 > size)
			return rows_fail(&r->rows, "%s is longer than %zu bytes", what, size - 1);
		if (used)
			buffer[used++] = ' ';
		memcpy(buffer + used, r->word[i], length + 1);
		used += length;
	}
	return true;
}

bool reader_number(struct reader *r, const char *what, const char *word, double least, double most,
	double *value)
{
	static const char sign[] = "±";
	char *spread = strstr(word, sign);

	r->spread = 0;
	if (!spread)
		return rows_number(&r->rows, what, word, least, most, value);
	if (!r->measured)
		return rows_fail(&r->rows, "%s \"%.24s\": only a [measured] number has a spread",
			what, word);
	*spread = '\0';
	spread += strlen(sign);
	if (!rows_decimal(spread, strlen(spread), &r->spread))
		return rows_fail(
			&r->rows, "%s: the spread \"%.24s\" is not a decimal number", what, spread);
	return rows_number(&r->rows, what, word, least, most, value);
}

bool reader_class_name(struct reader *r, const char *word, char name[UARCH_NAME])
{
	static const char *const widths[] = { "8", "16", "32", "64", "128", "256", "512" };
	const char *dot = strchr(word, '.');

	if (!rows_name(&r->rows, "class", word, ".-", name, UARCH_NAME))
		return false;
	if (dot == word)
		return rows_fail(&r->rows, "class \"%s\" has no name before the width", word);
	return !dot || rows_choice(&r->rows, "width", dot + 1, widths, 7) >= 0;
}
