/* Reads a core file into a struct uarch. The format: data/uarch/README.md. */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"

/* ---- the head of a file */

static bool read_uarch(struct reader *r)
{
	struct uarch *u = r->to->uarch;

	if (r->statements > 0)
		return rows_fail(&r->rows, "\"uarch\" is allowed in the first line only");
	return reader_words(r, 3, UARCH_WORDS, "uarch NAME TITLE") &&
	       rows_name(&r->rows, "name", r->word[1], ".-", u->name, sizeof(u->name)) &&
	       reader_join(r, 2, "the title", u->title, sizeof(u->title));
}

static bool read_isa(struct reader *r)
{
	static const char *const names[] = { "x86_64", "aarch64" };
	struct uarch *u = r->to->uarch;
	int isa;

	if (r->statements != 1)
		return rows_fail(&r->rows, "\"isa\" is allowed in the second line only");
	if (!reader_words(r, 2, 2, "isa x86_64 or isa aarch64"))
		return false;
	isa = rows_choice(&r->rows, "instruction set", r->word[1], names, 2);
	if (isa >= 0)
		snprintf(u->isa, sizeof(u->isa), "%s", names[isa]);
	return isa >= 0;
}

/* The number of a file: what it states from here on replaces what earlier files state. */
static int begin_file(struct build *to, const char *origin)
{
	to->files++;
	snprintf(to->origin[to->files], sizeof(to->origin[0]), "%s", origin);
	return to->files;
}

static bool read_file(
	struct build *to, const char *text, const char *origin, struct status *status);

static bool read_from(struct reader *r)
{
	struct build *to = r->to;
	struct uarch *u = to->uarch;
	struct uarch child = *u;
	char parent[UARCH_NAME], file[48], origin[256], *text;
	struct status status;

	if (r->statements != 2)
		return rows_fail(&r->rows, "\"from\" is allowed directly after \"isa\" only");
	if (!reader_words(r, 2, 2, "from NAME") ||
		!rows_name(&r->rows, "name", r->word[1], ".-", parent, sizeof(parent)))
		return false;
	memcpy(to->name[to->depth - 1], u->name, UARCH_NAME);
	for (int i = 0; i < to->depth; i++)
		if (strcmp(to->name[i], parent) == 0)
			return rows_fail(
				&r->rows, "from %s: a core cannot inherit from itself", parent);
	if (to->depth == BUILD_DEPTH)
		return rows_fail(&r->rows, "from %s: more than %d cores inherit from each other",
			parent, BUILD_DEPTH - 1);
	snprintf(file, sizeof(file), "uarch/%s.uarch", parent);
	status = data_load(file, &text, origin);
	if (!status_is_ok(&status)) {
		const char *const *names = uarch_names(u->isa);
		size_t count = 0;

		while (names[count])
			count++;
		return rows_unknown(&r->rows, "core", parent, names, count);
	}
	to->depth++;
	if (!read_file(to, text, origin, &status))
		r->rows.status = status;
	else if (strcmp(child.isa, u->isa) != 0)
		rows_fail(&r->rows, "from %s: its instruction set is %s, not %s", parent, u->isa,
			child.isa);
	to->depth--;
	free(text);
	memcpy(u->name, child.name, sizeof(u->name));
	memcpy(u->title, child.title, sizeof(u->title));
	memcpy(u->isa, child.isa, sizeof(u->isa));
	u->id_count = 0;
	r->file = begin_file(to, r->rows.origin);
	return status_is_ok(&r->rows.status);
}

/* ---- numbers and rules */

static bool read_width(struct reader *r)
{
	if (!reader_words(r, 2, 2, "width SLOTS, or width unknown") ||
		!reader_state(r, "width", &r->to->width_place))
		return false;
	if (strcmp(r->word[1], "unknown") == 0) {
		r->to->uarch->width = UARCH_UNKNOWN;
		return true;
	}
	if (!r->tagged)
		return reader_unsourced(r);
	if (!reader_number(r, "width", r->word[1], 1, 64, &r->to->uarch->width))
		return false;
	r->to->uarch->width_spread = r->spread;
	return true;
}

/* "00-0f,20" → ranges. */
static bool read_ranges(
	struct reader *r, const char *what, char *word, struct uarch_range *range, int *count)
{
	char *next = word;

	for (*count = 0; next; (*count)++) {
		char *at = next, *end;

		next = strchr(at, ',');
		if (next)
			*next++ = '\0';
		if (*count == UARCH_RANGES)
			return rows_fail(&r->rows, "more than %d ranges of %s", UARCH_RANGES, what);
		for (int side = 0; side < 2; side++) {
			size_t digits = strspn(at, "0123456789abcdefABCDEF");
			unsigned value = (unsigned)strtoul(at, &end, 16);

			if (digits == 0 || digits > 4 ||
				(at[digits] && !(side == 0 && at[digits] == '-')))
				return rows_fail(&r->rows,
					"%s \"%.24s\" is not written 4e,5e or 00-0f (hexadecimal)",
					what, at);
			if (side == 0)
				range[*count].low = value;
			range[*count].high = value;
			if (!at[digits])
				break;
			at += digits + 1;
		}
		if (range[*count].low > range[*count].high)
			return rows_fail(&r->rows, "%s %x-%x runs backwards", what,
				range[*count].low, range[*count].high);
	}
	return true;
}

static bool read_hex(struct reader *r, const char *what, char *word, unsigned *value)
{
	struct uarch_range range[UARCH_RANGES];
	int count;

	if (!read_ranges(r, what, word, range, &count))
		return false;
	if (count != 1 || range[0].low != range[0].high)
		return rows_fail(&r->rows, "%s is one number", what);
	*value = range[0].low;
	return true;
}

/* An unknown feature would make a line that no processor matches. */
static bool read_feature(struct reader *r, const char *word, char *name)
{
	size_t digits = strncmp(word, "l1i-", 4) == 0 ? strspn(word + 4, "0123456789") : 0;
	size_t count = 0;

	while (processor_features[count] && strcmp(processor_features[count], word) != 0)
		count++;
	if (!processor_features[count] &&
		!(digits > 0 && digits < 8 && strcmp(word + 4 + digits, "k") == 0))
		return rows_unknown(&r->rows, "feature", word, processor_features, count);
	snprintf(name, 16, "%s", word);
	return true;
}

static bool read_match(struct reader *r)
{
	static const char *const names[] = { "vendor", "family", "model", "stepping", "implementer",
		"part", "with", "without" };
	struct uarch *u = r->to->uarch;
	struct uarch_id id = { 0 };

	if (u->id_count == BUILD_LINES)
		return rows_fail(&r->rows, "more than %d lines \"match\"", BUILD_LINES);
	if (r->words < 3 || r->words % 2 == 0)
		return rows_fail(&r->rows,
			"expected pairs of words: match vendor V family F model M with FEATURE "
			"without FEATURE, or implementer I part P");
	for (int i = 1; i + 1 < r->words; i += 2) {
		char *word = r->word[i + 1];
		bool good = true;

		switch (rows_choice(&r->rows, "condition", r->word[i], names, 8)) {
		case 0:
			good = rows_name(
				&r->rows, "vendor", word, " ", id.vendor, sizeof(id.vendor));
			break;
		case 1:
			good = read_hex(r, "family", word, &id.family);
			id.has_family = true;
			break;
		case 2: good = read_ranges(r, "model", word, id.model, &id.model_count); break;
		case 3:
			good = read_ranges(r, "stepping", word, id.stepping, &id.stepping_count);
			break;
		case 4: good = read_hex(r, "implementer", word, &id.implementer); break;
		case 5:
			good = read_ranges(r, "part", word, id.part, &id.part_count);
			id.has_part = true;
			break;
		case 6:
		case 7: {
			bool with = strcmp(r->word[i], "with") == 0;
			int *count = with ? &id.with_count : &id.without_count;

			if (*count == UARCH_FEATURES)
				return rows_fail(&r->rows, "more than %d features", UARCH_FEATURES);
			good = read_feature(r, word, (with ? id.with : id.without)[*count]);
			(*count)++;
			break;
		}
		default: return false;
		}
		if (!good)
			return false;
	}
	if (!(id.vendor[0] && id.has_family) && !(id.implementer && id.has_part))
		return rows_fail(&r->rows,
			"\"match\" needs a vendor and a family, or an implementer and a part");
	u->id = memory_resize(u->id, (size_t)u->id_count + 1, sizeof(*u->id));
	u->id[u->id_count++] = id;
	return true;
}
static bool read_chain(struct reader *r)
{
	struct uarch *u = r->to->uarch;
	struct uarch_chain chain = { .tags = r->tags };
	int at = 0;

	if (!reader_words(r, 4, 4, "chain PRODUCER CONSUMER LATENCY") ||
		!reader_class_name(r, r->word[1], chain.producer) ||
		!reader_class_name(r, r->word[2], chain.consumer) ||
		!reader_number(r, "latency", r->word[3], 0, 1000, &chain.latency))
		return false;
	chain.spread = r->spread;
	while (at < u->chain_count && (strcmp(u->chain[at].producer, chain.producer) != 0 ||
					      strcmp(u->chain[at].consumer, chain.consumer) != 0))
		at++;
	if (at == BUILD_LINES)
		return rows_fail(&r->rows, "more than %d chains", BUILD_LINES);
	if (at == u->chain_count) {
		u->chain = memory_resize(u->chain, (size_t)at + 1, sizeof(*u->chain));
		u->chain[u->chain_count++].place = (struct uarch_place){ 0 };
	}
	chain.place = u->chain[at].place;
	if (!reader_state(r, "this chain", &chain.place))
		return false;
	u->chain[at] = chain;
	return true;
}

/* The fact of a kind ("size") and a word ("rob"); UARCH_FACTS, and a failure that lists the words
 * of this kind. */
static enum uarch_fact find_fact(struct reader *r, const char *kind, const char *word)
{
	const char *names[UARCH_FACTS];
	size_t length = strlen(kind), count = 0;

	for (int i = 0; i < UARCH_FACTS; i++) {
		const char *name = uarch_fact_name((enum uarch_fact)i);

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
	struct uarch *u = r->to->uarch;
	enum uarch_fact fact;
	double least, most;

	if (!reader_words(r, 3, 3, "three words: cap, size or extra, NAME NUMBER"))
		return false;
	fact = find_fact(r, r->word[0], r->word[1]);
	if (fact == UARCH_FACTS)
		return false;
	uarch_fact_range(fact, &least, &most);
	if (!reader_state(r, uarch_fact_name(fact), &r->to->fact_place[fact]) ||
		!reader_number(r, r->word[1], r->word[2], least, most, &u->fact[fact]))
		return false;
	u->fact_spread[fact] = r->spread;
	return true;
}

static bool read_cache(struct reader *r)
{
	static const char *const names[] = { "bytes", "latency", "lines" };
	static const double least[] = { 1024, 0, 0.001 }, most[] = { 1 << 30, 1000, 8 };
	struct uarch *u = r->to->uarch;
	struct uarch_cache cache = {
		.bytes = UARCH_UNKNOWN, .latency = UARCH_UNKNOWN, .lines = UARCH_UNKNOWN
	};
	double level;
	int at;

	if (r->words < 4 || r->words % 2)
		return rows_fail(&r->rows, "expected cache LEVEL bytes B latency L lines N");
	if (!reader_number(r, "cache", r->word[1], 1, 2, &level))
		return false;
	cache.level = (int)level;
	if (level != cache.level)
		return rows_fail(&r->rows, "cache \"%.24s\": expected level 1 or 2", r->word[1]);
	if (!reader_state(r, "this cache", &r->to->cache_place[cache.level]))
		return false;
	for (int i = 2; i + 1 < r->words; i += 2) {
		double *const value[] = { &cache.bytes, &cache.latency, &cache.lines };
		double *const spread[] = { &cache.bytes_spread, &cache.latency_spread,
			&cache.lines_spread };
		int k = rows_choice(&r->rows, "word", r->word[i], names, 3);

		if (k < 0 ||
			!reader_number(r, names[k], r->word[i + 1], least[k], most[k], value[k]))
			return false;
		*spread[k] = r->spread;
	}
	if (!uarch_known(cache.bytes))
		return rows_fail(&r->rows, "cache %d has no bytes", cache.level);
	for (at = 0; at < u->cache_count && u->cache[at].level != cache.level;)
		at++;
	u->cache_count += at == u->cache_count;
	u->cache[at] = cache;
	return true;
}

/* Takes back an inherited line: `unknown class div`, `unknown extra forward`. */
static bool read_unknown(struct reader *r)
{
	static const char *const kinds[] = { "class", "fuse", "cap", "size", "extra" };
	struct uarch *u = r->to->uarch;
	const char *name = r->word[2];
	enum uarch_fact fact;
	int kind;

	if (!reader_words(r, 3, 3, "unknown class NAME; likewise cap, size, extra, fuse"))
		return false;
	kind = rows_choice(&r->rows, "word", r->word[1], kinds, 5);
	if (kind < 0)
		return false;
	if (kind == 0)
		return forget_class(r, name);
	if (kind == 1) {
		for (int i = 0; i < u->fusion_count; i++)
			if (strcmp(u->fusion[i].mnemonic, name) == 0) {
				u->fusion[i] = u->fusion[--u->fusion_count];
				return true;
			}
		return rows_fail(&r->rows, "fuse \"%.24s\" is not inherited", name);
	}
	fact = find_fact(r, kinds[kind], name);
	if (fact == UARCH_FACTS)
		return false;
	u->fact[fact] = UARCH_UNKNOWN;
	return true;
}

/* ---- a file */

static const struct {
	const char *word;
	bool sourced; /* it states something about the processor */
	bool (*read)(struct reader *r);
} statements[] = {
	{ "uarch", false, read_uarch },
	{ "isa", false, read_isa },
	{ "from", false, read_from },
	{ "match", true, read_match },
	{ "width", false, read_width },
	{ "ports", true, read_ports },
	{ "units", false, read_ports },
	{ "set", false, read_set },
	{ "class", false, read_class },
	{ "chain", true, read_chain },
	{ "fuse", true, read_fuse },
	{ "unlaminate", true, read_unlaminate },
	{ "size", true, read_fact },
	{ "cap", true, read_fact },
	{ "extra", true, read_fact },
	{ "cache", true, read_cache },
	{ "unknown", false, read_unknown },
	{ "pmu", false, read_pmu },
	{ "event", false, read_event },
};

enum { STATEMENTS = sizeof(statements) / sizeof(statements[0]) };

static bool read_statement(struct reader *r)
{
	const char *word = r->words > 0 ? r->word[0] : "";
	const char *names[STATEMENTS];

	for (int i = 0; i < STATEMENTS; i++) {
		names[i] = statements[i].word;
		if (strcmp(word, statements[i].word) != 0)
			continue;
		if (r->statements == 0 && statements[i].read != read_uarch)
			return rows_fail(&r->rows, "expected as the first line: uarch NAME TITLE");
		if (r->statements == 1 && statements[i].read != read_isa)
			return rows_fail(&r->rows,
				"expected as the second line: isa x86_64, or isa aarch64");
		if (statements[i].sourced && !r->tagged)
			return reader_unsourced(r);
		r->to->uarch->tags |= r->tags;
		if (!statements[i].read(r))
			return false;
		r->statements++;
		return true;
	}
	return rows_unknown(&r->rows, "word", word, names, STATEMENTS);
}

static bool read_file(struct build *to, const char *text, const char *origin, struct status *status)
{
	struct reader r = { .to = to, .sources = &to->uarch->sources };

	r.file = begin_file(to, origin);
	rows_begin(&r.rows, text, origin);
	r.rows.inline_comments = true;
	while (reader_next(&r) && read_statement(&r))
		;
	if (r.statements < 2)
		rows_fail(&r.rows, "expected as the first lines: uarch NAME TITLE, and isa x86_64 "
				   "or isa aarch64");
	*status = rows_end(&r.rows);
	return status_is_ok(status);
}

static struct status finish(struct build *to, const char *origin)
{
	struct status status;

	if (!to->width_place.file)
		return status_failed("%.100s: no line \"width\"", origin);
	if (to->port_count == 0)
		return status_failed("%.100s: no line \"ports\"", origin);
	status = finish_classes(to);
	return status_is_ok(&status) ? finish_events(to) : status;
}

struct status uarch_read(const char *text, const char *origin, struct uarch **out)
{
	struct build *to = memory_new(1, sizeof(*to));
	struct uarch *u = memory_new(1, sizeof(*u));
	struct status status = sources_load(&u->sources);

	*out = NULL;
	to->uarch = u;
	to->depth = 1;
	u->width = UARCH_UNKNOWN;
	for (int i = 0; i < UARCH_FACTS; i++)
		u->fact[i] = UARCH_UNKNOWN;
	if (status_is_ok(&status) && read_file(to, text, origin, &status))
		status = finish(to, origin);
	free(to->class);
	free(to);
	if (status_is_ok(&status))
		*out = u;
	else
		uarch_free(u);
	return status;
}

struct status uarch_parse(const char *text, const char *origin, struct uarch **uarch)
{
	struct status status = uarch_read(text, origin, uarch);

	if (status_is_ok(&status))
		status = uarch_bind(*uarch);
	if (!status_is_ok(&status)) {
		uarch_free(*uarch);
		*uarch = NULL;
	}
	return status;
}

/* ---- loading by name */

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
	char start[33], near[184] = ""; /* short enough to show the list in a status */
	size_t count = 0;

	while (names[count])
		count++;
	snprintf(start, sizeof(start), "%.32s", name);
	nearest_names(start, names, count, near, sizeof(near));
	if (!*near)
		for (size_t i = 0; names[i] && strlen(near) + strlen(names[i]) + 8 < sizeof(near);
			i++) {
			strcat(near, i ? ", " : "one of ");
			strcat(near, names[i]);
		}
	return status_usage("no core model \"%.40s\"%s%s", name, *near ? "; " : "", near);
}

struct status uarch_load(const char *name, const char *isa, struct uarch **uarch)
{
	char file[48], origin[256], *text;
	bool path = strchr(name, '/') != NULL;
	struct status status;

	*uarch = NULL;
	snprintf(origin, sizeof(origin), "%s", name);
	if (path) {
		status = data_read(name, &text);
		if (!status_is_ok(&status))
			return status;
	} else {
		if (strlen(name) == 0 || strlen(name) >= UARCH_NAME)
			return unknown_name(name, isa);
		snprintf(file, sizeof(file), "uarch/%s.uarch", name);
		status = data_load(file, &text, origin);
		if (!status_is_ok(&status))
			return is_listed(name) ? status : unknown_name(name, isa);
	}
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
	if (!status_is_ok(&status)) {
		uarch_free(*uarch);
		*uarch = NULL;
	}
	return status;
}
