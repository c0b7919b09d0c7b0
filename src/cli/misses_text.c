/* Expected misses of each cache level, and in caches of another size, as text for people. */
#include "cli/misses_text.h"

#include <string.h>

#include "base/units.h"
#include "model/limits/explain.h"

enum { WORDS = 160 };

/* "L1 48 KiB: every read is a miss: 1 line for each" and a newline; "the same" where it is what
 * stood before. */
static void put_level(FILE *out, const struct misses *misses, int level, const char *before)
{
	char bytes[32], words[WORDS], note[WORDS];

	units_bytes_long((int64_t)misses->level[level].bytes, bytes, sizeof(bytes));
	misses_words(misses, level, words, sizeof(words));
	misses_note(misses, level, note, sizeof(note));
	fprintf(out, "L%d %s: %s%s%s\n", level + 1, bytes,
		strcmp(words, before) == 0 ? "the same" : words, *note ? "; " : "", note);
}

void misses_text(const struct report *report, const struct setting *setting, int indent)
{
	const char *title = "misses";
	FILE *out = report->out;
	struct misses misses, then;
	bool asked = report_misses(report, setting, &misses, &then);
	char words[WORDS];

	if (!misses.known) {
		fprintf(out, "%-*sunavailable: %s\n", indent, title, misses.why);
		return;
	}
	for (int i = 0; i < MISSES_LEVELS; i++) {
		if (!(misses.level[i].bytes > 0))
			continue;
		fprintf(out, "%-*s", indent, title);
		title = "";
		put_level(out, &misses, i, "");
		if (!asked || then.level[i].bytes == misses.level[i].bytes)
			continue;
		misses_words(&misses, i, words, sizeof(words));
		fprintf(out, "%-*s  what if ", indent, "");
		put_level(out, &then, i, words);
	}
	if (*title)
		fprintf(out, "%-*sunavailable: the sizes of this machine's caches are not known\n",
			indent, title);
}
