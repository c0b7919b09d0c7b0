/* Any bytes as a data file, such as the synonyms of the search: lines, words and fields stay in the
 * text, without control characters, and mistakes name a line that is there. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/rows.h"

static const char first[] =
	"# A comment\n[section]\nkernel list | chases pointers | list, linked list\n"
	"reach 3.5 |a|b|c|d\n- | none | words, of the field\n";
static const char second[] =
	"class alu latency 1 ports p0,p1 [M]\n\n\tx  y # z\nlimit \303\251 | 1e5 | \n";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(first), FUZZ_TEXT(second), { NULL, 0 } };

static void demand(bool good)
{
	if (!good)
		abort();
}

static void check_clean(const char *words)
{
	for (; *words; words++)
		demand(*words == '\t' || ((unsigned char)*words >= ' ' && *words != 0x7f));
}

/* Reads a line in one of the ways in which data files are read. */
static void read_line(struct rows *rows, int way)
{
	enum { MOST = 3 };
	char *part[MOST + 1], name[8];
	double number = 0;
	int count = 0;

	if (rows_section(rows, name, sizeof(name)))
		check_clean(name);
	check_clean(rows_word(rows));
	if (way == 0) {
		count = rows_words(rows, part, MOST);
	} else if (way == 1) {
		count = rows_fields(rows, part, MOST);
	} else if (way == 2) {
		char *word = rows_word(rows);

		if (rows_number(rows, "number", word, 1, 1000, &number))
			demand(number >= 1 && number <= 1000);
	} else if (rows_name(rows, "name", rows_rest(rows), "-", name, sizeof(name))) {
		demand(strlen(name) > 0);
		check_clean(name);
	}
	demand(count >= 0 && count <= MOST + 1);
	for (int i = 0; i < count && i < MOST; i++)
		check_clean(part[i]);
	check_clean(rows_rest(rows));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	int lines = 1;

	memcpy(text, data, size);
	text[size] = '\0';
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	for (int way = 0; way < 8; way++) {
		struct rows rows;
		struct status status;

		rows_begin(&rows, text, "FILE");
		rows.lenient = way & 4;
		rows.inline_comments = way & 1;
		while (rows_next(&rows)) {
			demand(rows.line >= 1 && rows.line <= lines);
			read_line(&rows, way & 3);
		}
		status = rows_end(&rows);
		check_clean(status.text);
	}
	free(text);
	return 0;
}
