#include "explorer/find_words.h"

#include <string.h>
#include <strings.h>

#include "base/rows.h"
#include "base/text.h"

bool find_contains(const char *text, const char *name, const char *help)
{
	for (size_t length; *text; text += length + (text[length] == ' ')) {
		struct words word = words_of("%.*s", (int)(length = strcspn(text, " ")), text);

		if (!strcasestr(name, word.text) && !strcasestr(help, word.text))
			return false;
	}
	return true;
}

/* Whether a later word of the name (after a blank, '-' or '_') begins with the typed text. */
static bool begins_word(const char *text, const char *name)
{
	size_t length = strlen(text);

	for (const char *at = name; (at = strcasestr(at, text)); at += length)
		if (at > name && strchr(" -_", at[-1]))
			return true;
	return false;
}

enum rank find_rank(const char *text, const char *name)
{
	if (strncasecmp(name, text, strlen(text)) == 0)
		return *text && !name[strlen(text)] ? RANK_NAME : RANK_BEGINS;
	if (begins_word(text, name))
		return RANK_WORD;
	return find_contains(text, name, "") ? RANK_CONTAINS : RANK_NONE;
}

/* ---- the field's words ---- */

static struct synonyms synonyms;

/* Copies phrases separated by commas, each ended by a NUL, with an empty phrase at the end. */
static char *split_phrases(const char *from)
{
	char *words = memory_new(strlen(from) + 2, 1), *to = words;

	while (*from) {
		size_t length = strcspn(from, ",");

		memcpy(to, from, length);
		to += length + 1;
		from += length;
		from += strspn(from, ", ");
	}
	return words;
}

const struct synonyms *find_synonyms(void)
{
	struct rows rows;
	char *field[3];

	if (synonyms.read)
		return &synonyms;
	synonyms.read = true;
	rows_load(&rows, "synonyms");
	while (rows_next(&rows)) {
		if (rows_fields(&rows, field, 3) != 3) {
			rows_fail(&rows, "expected: COMMAND | DESCRIPTION | WORDS, WORDS …");
			continue;
		}
		synonyms.row = memory_grow(synonyms.row, synonyms.count, sizeof(*synonyms.row));
		synonyms.row[synonyms.count++] = (struct synonym){ memory_string(field[0]),
			memory_string(field[1]), split_phrases(field[2]) };
	}
	synonyms.status = rows_end(&rows);
	return &synonyms;
}

enum rank find_rank_synonym(const char *text, const struct synonym *row)
{
	enum rank best = RANK_NONE;

	for (const char *phrase = row->words; *phrase; phrase += strlen(phrase) + 1) {
		enum rank rank = find_rank(text, phrase);

		rank = rank == RANK_NAME     ? RANK_SYNONYM
		       : rank == RANK_BEGINS ? RANK_SYNONYM_BEGINS
		       : rank != RANK_NONE   ? RANK_SYNONYM_CONTAINS
					     : RANK_NONE;
		best = rank < best ? rank : best;
	}
	return best;
}
