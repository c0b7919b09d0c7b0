/* Reads a core file into a struct uarch. data/uarch/README.md describes the format of core files.
 */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"

/* ---- The first lines of a core file */

static bool read_uarch(struct reader *r)
{
	char name[UARCH_NAME], title[sizeof(r->uarch->title)];

	if (!rows_name(&r->rows, "name", r->word[1], ".-", name, sizeof(name)) ||
		!reader_join(r, 2, r->words, "the title", title, sizeof(title)))
		return false;
	if (r->file > 0)
		return true;
	memcpy(r->uarch->name, name, sizeof(name));
	memcpy(r->from[0].name, name, sizeof(name));
	memcpy(r->uarch->title, title, sizeof(title));
	return true;
}

static bool read_isa(struct reader *r)
{
	static const char *const names[] = { "x86_64", "aarch64" };
	struct uarch *u = r->uarch;
	int isa = rows_choice(&r->rows, "instruction set", r->word[1], names, 2);

	if (isa < 0)
		return false;
	if (r->file == 0)
		strcpy(u->isa, names[isa]);
	else if (strcmp(u->isa, names[isa]) != 0)
		r->rows.status = rows_status(r->from[r->file - 1].origin, r->from[r->file].line,
			"from %s: its instruction set is %s, but this file's is %s",
			r->from[r->file].name, names[isa], u->isa);
	return status_is_ok(&r->rows.status);
}

/* Loads the text of the file that the current file inherits from. read_files() reads this text
 * after the current file. */
static bool read_from(struct reader *r)
{
	const char *const *names = uarch_names(r->uarch->isa);
	struct reader_file from = { .line = r->rows.line };
	struct status status;
	size_t count = 0;

	if (!rows_name(&r->rows, "name", r->word[1], ".-", from.name, sizeof(from.name)))
		return false;
	for (int i = 0; i < r->files; i++)
		if (strcmp(r->from[i].name, from.name) == 0)
			return rows_fail(
				&r->rows, "from %s: a core cannot inherit from itself", from.name);
	if (r->files == READER_FILES)
		return rows_fail(&r->rows, "from %s: more than %d cores inherit from each other",
			from.name, READER_FILES - 1);
	status = uarch_text(from.name, &from.text, from.origin);
	if (!status_is_ok(&status)) {
		while (names[count])
			count++;
		return rows_unknown(&r->rows, "core", from.name, names, count);
	}
	r->from[r->files++] = from;
	return true;
}

/* Parses a list of hexadecimal ranges, for example "00-0f,20". */
static bool read_ranges(
	struct reader *r, const char *what, char *words, struct uarch_ranges *ranges)
{
	ranges->count = 0;
	for (char *word; (word = strsep(&words, ",")) != NULL;) {
		static const char digits[] = "0123456789abcdefABCDEF";
		char *dash = strchr(word, '-'), *high = dash ? dash + 1 : word;
		size_t lows = strspn(word, digits), highs = strspn(high, digits);
		unsigned low = (unsigned)strtoul(word, NULL, 16),
			 most = (unsigned)strtoul(high, NULL, 16);

		if (ranges->count == UARCH_RANGES)
			return rows_fail(&r->rows, "more than %d ranges of %s", UARCH_RANGES, what);
		if (!lows || !highs || lows > 4 || highs > 4 || high[highs] ||
			(dash && dash != word + lows))
			return rows_fail(&r->rows,
				"%s \"%.24s\" is not written 4e,5e or 00-0f (hexadecimal)", what,
				word);
		if (low > most)
			return rows_fail(&r->rows, "%s %s runs backwards", what, word);
		ranges->range[ranges->count].low = low;
		ranges->range[ranges->count++].high = most;
	}
	return true;
}

/* Reads the name of a processor feature. An unknown feature is an error, because no processor would
 * match the line. */
static bool read_feature(struct reader *r, const char *word, char *name)
{
	size_t digits = strncmp(word, "l1i-", 4) == 0 ? strspn(word + 4, "0123456789") : 0;
	size_t count = 0;

	while (processor_features[count])
		count++;
	if (!(digits > 0 && digits < 8 && strcmp(word + 4 + digits, "k") == 0) &&
		rows_choice(&r->rows, "feature", word, processor_features, (int)count) < 0)
		return false;
	snprintf(name, 16, "%s", word);
	return true;
}

/* Reads one condition of a `match` line. */
static bool read_condition(struct reader *r, const char *name, char *word, struct uarch_id *id)
{
	static const char *const names[] = { "family", "model", "stepping", "implementer", "part",
		"with", "without", "vendor" };
	int k = rows_choice(&r->rows, "condition", name, names, 8), *count;

	if (k < 0)
		return false;
	if (k == 7)
		return rows_name(&r->rows, "vendor", word, " ", id->vendor, sizeof(id->vendor));
	if (k >= ID_NUMBERS) {
		count = &id->feature_count[k - ID_NUMBERS];
		if (*count == UARCH_FEATURES)
			return rows_fail(&r->rows, "more than %d features", UARCH_FEATURES);
		return read_feature(r, word, id->feature[k - ID_NUMBERS][(*count)++]);
	}
	if ((k == ID_FAMILY || k == ID_IMPLEMENTER) && strpbrk(word, ",-"))
		return rows_fail(&r->rows, "%s is one number", name);
	return read_ranges(r, name, word, &id->number[k]);
}

static bool read_match(struct reader *r)
{
	struct uarch *u = r->uarch;
	struct uarch_id id = { 0 };

	if (r->words < 3 || r->words % 2 == 0)
		return rows_fail(&r->rows,
			"expected pairs of words: match vendor V family F model M with FEATURE "
			"without FEATURE, or implementer I part P");
	for (int i = 1; i + 1 < r->words; i += 2)
		if (!read_condition(r, r->word[i], r->word[i + 1], &id))
			return false;
	if (!(id.vendor[0] && id.number[ID_FAMILY].count) &&
		!(id.number[ID_IMPLEMENTER].count && id.number[ID_PART].count))
		return rows_fail(&r->rows,
			"match needs a vendor and a family, or an implementer and a part");
	if (r->file > 0) /* a core does not inherit match lines */
		return true;
	u->id = memory_grow(u->id, (size_t)u->id_count, sizeof(*u->id));
	u->id[u->id_count++] = id;
	return true;
}

/* ---- Lines that state numbers */

static bool read_width(struct reader *r)
{
	if (strcmp(r->word[1], "unknown") == 0)
		return true;
	if (!r->tagged)
		return reader_unsourced(r);
	return reader_number(
		r, "width", r->word[1], 1, 64, &r->uarch->width, &r->uarch->width_spread);
}

/* Finds a fact by kind ("size") and word ("rob"). If the fact is unknown, find_fact() fails with a
 * list of the words of this kind, and returns UARCH_FACTS. */
static enum uarch_fact find_fact(struct reader *r, const char *kind, const char *word)
{
	const char *names[UARCH_FACTS];
	size_t length = strlen(kind), count = 0;

	for (int i = 0; i < UARCH_FACTS; i++) {
		const char *name = uarch_fact_words[i];

		if (strncmp(name, kind, length) != 0 || name[length] != ' ')
			continue;
		names[count++] = name + length + 1;
		if (strcmp(name + length + 1, word) == 0)
			return (enum uarch_fact)i;
	}
	rows_unknown(&r->rows, kind, word, names, count);
	return UARCH_FACTS;
}

static bool read_fact(struct reader *r)
{
	struct uarch *u = r->uarch;
	enum uarch_fact fact = find_fact(r, r->word[0], r->word[1]);
	double least, most;

	if (fact == UARCH_FACTS)
		return false;
	uarch_fact_range(fact, &least, &most);
	return reader_number(
		r, r->word[1], r->word[2], least, most, &u->fact[fact], &u->fact_spread[fact]);
}

static bool read_cache(struct reader *r)
{
	struct uarch *u = r->uarch;
	struct uarch_cache cache = {
		.bytes = UARCH_UNKNOWN, .latency = UARCH_UNKNOWN, .lines = UARCH_UNKNOWN
	};
	const struct reader_pair pairs[] = {
		{ "bytes", 1024, 1 << 30, &cache.bytes, &cache.bytes_spread, NULL },
		{ "latency", 0, 1000, &cache.latency, &cache.latency_spread, NULL },
		{ "lines", 0.001, 8, &cache.lines, &cache.lines_spread, NULL },
	};

	if (strcmp(r->word[1], "1") != 0 && strcmp(r->word[1], "2") != 0)
		return rows_fail(&r->rows, "cache \"%.24s\": expected level 1 or 2", r->word[1]);
	cache.level = r->word[1][0] - '0';
	if (reader_pairs(r, 2, pairs, 3) < 0)
		return false;
	if (!uarch_known(cache.bytes))
		return rows_fail(
			&r->rows, "the line of cache %d does not state its bytes", cache.level);
	u->cache[u->cache_count++] = cache;
	return true;
}

/* Removes an inherited fact for a line such as `unknown class div` or `unknown extra forward`. */
static bool read_unknown(struct reader *r)
{
	static const char *const kinds[] = { "class", "fuse", "cap", "size", "extra" };
	int kind = rows_choice(&r->rows, "word", r->word[1], kinds, 5);
	bool inherited = kind > 1;

	if (kind < 0 || (kind > 1 && find_fact(r, kinds[kind], r->word[2]) == UARCH_FACTS))
		return false;
	for (int i = 0; i < (kind == 1 ? FUSION_KINDS : 1); i++) {
		char key[READER_KEY];

		snprintf(key, sizeof(key), "%s %.24s%s", kinds[kind], r->word[2],
			uarch_fusion_after[i]);
		inherited |= reader_take_back(r, key);
	}
	return status_is_ok(&r->rows.status) &&
	       (inherited || !r->again ||
		       rows_fail(&r->rows, "%s \"%.24s\": the inherited core has none", kinds[kind],
			       r->word[2]));
}

/* ---- Reading a whole core file */

static const char head_form[] = "expected these first lines: uarch NAME TITLE, then isa x86_64 or "
				"isa aarch64, then from NAME if it inherits";

enum { FIRST = 1, AGAIN = 2 };

/* The kinds of lines in a core file. Lines of the first three kinds must be the first lines of a
 * file, in this order. */
static const struct {
	const char *word;
	bool (*read)(struct reader *r);
	int readings; /* the reading of the core file in which this kind of line is read: FIRST,
			 AGAIN (the second), or both. Classes and events are read in the second
			 reading, when all ports and sets are known */
	int key; /* number of words at the beginning of the line that form the key of its fact; 0:
		    read() calls reader_claims() itself, if needed */
	bool sourced;	 /* the line needs a source, because it states a fact about the processor */
	int least, most; /* smallest and largest number of words in the line */
	const char *form;
} statements[] = {
	{ "uarch", read_uarch, FIRST, 0, false, 3, UARCH_WORDS, "uarch NAME TITLE" },
	{ "isa", read_isa, FIRST, 0, false, 2, 2, "isa x86_64 or isa aarch64" },
	{ "from", read_from, FIRST, 0, false, 2, 2, "from NAME" },
	{ "match", read_match, FIRST, 0, true, 1, UARCH_WORDS, "" },
	{ "width", read_width, FIRST, 1, false, 2, 2, "width SLOTS, or width unknown" },
	{ "ports", read_ports, FIRST, 1, true, 2, UARCH_WORDS, "ports NAME ..." },
	{ "units", read_ports, FIRST | AGAIN, 1, false, 2, UARCH_WORDS, "units NAME ..." },
	{ "set", read_set, FIRST | AGAIN, 2, false, 3, UARCH_WORDS, "set NAME PORT ..." },
	{ "class", read_class, AGAIN, 2, false, 4, UARCH_WORDS,
		"class NAME latency L slots S ports TERM + TERM" },
	{ "chain", read_chain, AGAIN, 3, true, 4, 6,
		"chain PRODUCER CONSUMER LATENCY [slows CYCLES]" },
	{ "crossing", read_crossing, AGAIN, 1, true, 7, UARCH_WORDS,
		"crossing PORTS CYCLES from CLASS ... to CLASS ..." },
	{ "fuse", read_fuse, FIRST, 0, true, 2, UARCH_WORDS, "" },
	{ "unlaminate", read_unlaminate, FIRST, 1, true, 2, 7,
		"unlaminate never, or unlaminate indexed unless two-operand stores" },
	{ "size", read_fact, FIRST, 2, true, 3, 3, "size NAME NUMBER" },
	{ "cap", read_fact, FIRST, 2, true, 3, 3, "cap NAME NUMBER" },
	{ "extra", read_fact, FIRST, 2, true, 3, 3, "extra NAME NUMBER" },
	{ "cache", read_cache, FIRST, 2, true, 4, UARCH_WORDS,
		"cache LEVEL bytes B latency L lines N" },
	{ "unknown", read_unknown, FIRST | AGAIN, 0, false, 3, 3,
		"unknown class NAME; likewise cap, size, extra, fuse" },
	{ "pmu", read_pmu, FIRST, 1, false, 2, 2, "pmu NAME, or pmu none" },
	{ "event", read_event, AGAIN, 0, false, 4, UARCH_WORDS, event_form },
};

enum { STATEMENTS = sizeof(statements) / sizeof(statements[0]) };

static bool read_statement(struct reader *r)
{
	const char *names[STATEMENTS];
	char key[READER_KEY];
	int i = 0;

	for (int k = 0; k < STATEMENTS; k++)
		names[k] = statements[k].word;
	i = rows_choice(&r->rows, "word", r->words > 0 ? r->word[0] : "", names, STATEMENTS);
	if (i < 0)
		return false;
	if ((i < 3 || r->statements < 2) && i != r->statements)
		return rows_fail(&r->rows, "%s", head_form);
	r->statements++;
	if (statements[i].sourced && !r->tagged)
		return reader_unsourced(r);
	if (r->words < statements[i].least || r->words > statements[i].most)
		return rows_fail(&r->rows, "too %s words in \"%s\": expected %s",
			r->words < statements[i].least ? "few" : "many", names[i],
			statements[i].form);
	r->uarch->tags |= r->tags;
	if (!reader_join(r, 0, statements[i].key, "the statement", key, sizeof(key)))
		return false;
	if (*key && !reader_claims(r, key))
		return status_is_ok(&r->rows.status);
	return !(statements[i].readings & (r->again ? AGAIN : FIRST)) || statements[i].read(r);
}

static struct status read_file(struct reader *r, int file)
{
	r->file = file;
	reader_open(r, r->from[file].text, r->from[file].origin);
	while (reader_next(r) && read_statement(r))
		;
	if (r->statements < 2)
		rows_fail(&r->rows, "%s", head_form);
	return rows_end(&r->rows);
}

/* Reads a core's files twice: first from the core's own file to its oldest ancestor, then in
 * reverse order. */
static struct status read_files(struct reader *r)
{
	static const char *const needed[] = { "width", "ports" };
	struct uarch *u = r->uarch;
	struct status status = status_ok();

	for (int file = 0; file < r->files && status_is_ok(&status); file++)
		status = read_file(r, file);
	if (!status_is_ok(&status))
		return status;
	for (int i = 0; i < r->unit_count && u->port_count + i < UARCH_PORTS; i++)
		memcpy(u->port[u->port_count + u->unit_count++], r->unit[i], sizeof(r->unit[i]));
	r->again = true;
	for (int file = r->files - 1; file >= 0 && status_is_ok(&status); file--)
		status = read_file(r, file);
	for (int i = 0; i < 2 && status_is_ok(&status); i++)
		if (reader_file_of(r, needed[i]) < 0)
			status = status_failed(
				"%.100s: no line \"%s\"", r->from[0].origin, needed[i]);
	return status;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct uarch_class *)a)->name, ((const struct uarch_class *)b)->name);
}

/* Frees the core model if the status is a failure. */
static struct status free_bad(struct status status, struct uarch **uarch)
{
	if (!status_is_ok(&status)) {
		uarch_free(*uarch);
		*uarch = NULL;
	}
	return status;
}

struct status uarch_read(const char *text, const char *origin, struct uarch **out)
{
	struct uarch *u = memory_new(1, sizeof(*u));
	struct reader *r = memory_new(1, sizeof(*r));
	struct status status = sources_load(&u->sources);

	*out = u;
	*r = (struct reader){ .uarch = u, .files = 1 };
	r->from[0].text = memory_string(text);
	snprintf(r->from[0].origin, sizeof(r->from[0].origin), "%s", origin);
	u->width = UARCH_UNKNOWN;
	for (int i = 0; i < UARCH_FACTS; i++)
		u->fact[i] = UARCH_UNKNOWN;
	if (status_is_ok(&status))
		status = read_files(r);
	if (u->class_count > 0)
		qsort(u->class, (size_t)u->class_count, sizeof(*u->class), by_name);
	for (int i = 0; i < r->files; i++)
		free(r->from[i].text);
	reader_forget(r);
	free(r);
	return free_bad(status, out);
}

bool uarch_read_matches(const char *text, const struct uarch_sources *sources, struct uarch *uarch)
{
	struct reader r = { .uarch = uarch };
	struct status status;
	struct text lines = { 0 };
	bool good = true;

	uarch->sources = *sources;
	/* Parse only the match lines, to save time: every start of slexplore reads the match lines
	 * of all cores. */
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (strncmp(text + strspn(text, " \t"), "match", 5) != 0)
			continue;
		text_addn(&lines, text, length);
		text_add(&lines, "\n");
	}
	reader_open(&r, text_string(&lines), "");
	while (good && reader_next(&r))
		good = r.tagged && read_match(&r);
	status = rows_end(&r.rows);
	text_free(&lines);
	return good && status_is_ok(&status);
}

struct status uarch_parse(const char *text, const char *origin, struct uarch **uarch)
{
	struct status status = uarch_read(text, origin, uarch);

	if (status_is_ok(&status))
		status = uarch_bind(*uarch);
	return free_bad(status, uarch);
}

/* ---- Loading a core model by name */

static bool is_listed(const char *name)
{
	const char *const *names = uarch_names(NULL);

	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static struct status unknown_name(const char *name, const char *isa)
{
	const char *const *names = uarch_names(isa);
	size_t count = 0, length = strlen(name);

	while (names[count])
		count++;
	if (length > 6 && strcmp(name + length - 6, ".uarch") == 0)
		return status_usage("no core model \"%.80s\"; a file is named by its path: ./%.80s",
			name, name);
	return status_unknown("no core model", name, names, count, NULL);
}

struct status uarch_load(const char *name, const char *isa, struct uarch **uarch)
{
	char origin[256], *text;
	bool path = strchr(name, '/') != NULL;
	struct status status;

	*uarch = NULL;
	snprintf(origin, sizeof(origin), "%s", name);
	status = path ? data_read(name, &text) : uarch_text(name, &text, origin);
	if (!status_is_ok(&status))
		return path || is_listed(name) ? status : unknown_name(name, isa);
	status = uarch_parse(text, origin, uarch);
	free(text);
	if (!status_is_ok(&status))
		return status;
	if (!path && strcmp((*uarch)->name, name) != 0)
		status = rows_status(origin, 1, "this file is the core \"%s\", not \"%s\"",
			(*uarch)->name, name);
	else if (isa && strcmp((*uarch)->isa, isa) != 0)
		status = status_usage(
			"%.100s is a core for %s; this machine is %s", name, (*uarch)->isa, isa);
	return free_bad(status, uarch);
}
