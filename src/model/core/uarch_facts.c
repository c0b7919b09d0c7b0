/* Lines of a core's file that say something of it as a whole: who it is, what fuses, what there is
 * at most. */
#include "model/core/uarch_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fact_words[UARCH_FACTS] = {
	[SIZE_ROB] = "size rob",
	[SIZE_SCHEDULER] = "size scheduler",
	[SIZE_LOAD_QUEUE] = "size load-queue",
	[SIZE_STORE_QUEUE] = "size store-queue",
	[SIZE_REGISTERS] = "size registers",
	[SIZE_VECTORS] = "size vectors",
	[SIZE_BRANCHES] = "size branches",
	[SIZE_OPCACHE] = "size opcache",
	[SIZE_TLB1] = "size tlb1",
	[SIZE_TLB2] = "size tlb2",
	[SIZE_CALLS] = "size calls",
	[SIZE_LOAD_SCHEDULER] = "size load-scheduler",
	[SIZE_VECTOR_SCHEDULER] = "size vector-scheduler",
	[CAP_LOADS] = "cap loads",
	[CAP_LOADS_VECTOR] = "cap loads-vector",
	[CAP_LOADS_512] = "cap loads-512",
	[CAP_STORES] = "cap stores",
	[CAP_STORES_VECTOR] = "cap stores-vector",
	[CAP_STORES_512] = "cap stores-512",
	[CAP_MEMORY] = "cap memory",
	[CAP_COMPLEX] = "cap complex",
	[CAP_TAKEN] = "cap taken",
	[CAP_LOADS_BANK] = "cap loads-bank",
	[CAP_STORE_LINES] = "cap store-lines",
	[EXTRA_SCALED_INDEX] = "extra scaled-index",
	[EXTRA_INDEX] = "extra index",
	[EXTRA_SIGN] = "extra sign",
	[EXTRA_FORWARD] = "extra forward",
	[EXTRA_FORWARD_RENAMED] = "extra forward-renamed",
	[EXTRA_FORWARD_VECTOR] = "extra forward-vector",
	[EXTRA_FORWARD_512] = "extra forward-512",
	[EXTRA_FORWARD_FAILS] = "extra forward-fails",
	[EXTRA_MISPREDICT] = "extra mispredict",
	[EXTRA_TLB2] = "extra tlb2",
	[EXTRA_ALU_SATURATION] = "extra alu-saturation",
	[EXTRA_FETCH_BYTES] = "extra fetch-bytes",
	[EXTRA_DECODE] = "extra decode",
	[EXTRA_MATERIALISES] = "extra materialises",
	[EXTRA_BINDS_PORTS] = "extra binds-ports",
	[EXTRA_OPCACHE_OPS] = "extra opcache-ops",
	[EXTRA_LINE_OPS] = "extra line-ops",
	[EXTRA_MISSES] = "extra misses",
	[EXTRA_SPLIT_LOAD] = "extra split-load",
	[EXTRA_SPLIT_STORE] = "extra split-store",
};
_Static_assert(EXTRA_SPLIT_STORE == UARCH_FACTS - 1, "a fact without words");

/* The first word of a fact, and what a number of this kind may be. */
static const struct fact_kind {
	const char *word;
	enum uarch_fact first, end;
	double least, most;
} fact_kinds[] = {
	{ "size", SIZE_ROB, SIZE_COUNT, 1, 1000000 },
	{ "cap", CAP_LOADS, EXTRA_SCALED_INDEX, 0.01, 64 },
	{ "extra", EXTRA_SCALED_INDEX, UARCH_FACTS, 0, 1000 },
};
enum { FACT_KINDS = sizeof(fact_kinds) / sizeof(fact_kinds[0]) };

const char *uarch_fact_name(enum uarch_fact fact)
{
	return fact_words[fact];
}

enum uarch_fact uarch_fact_find(const char *words)
{
	int fact = 0;

	while (fact < UARCH_FACTS && strcmp(fact_words[fact], words) != 0)
		fact++;
	return (enum uarch_fact)fact;
}

static const struct fact_kind *kind_of(enum uarch_fact fact)
{
	const struct fact_kind *kind = fact_kinds;

	while (fact >= kind->end)
		kind++;
	return kind;
}

bool uarch_fact_allows(enum uarch_fact fact, double value)
{
	const struct fact_kind *kind = kind_of(fact);

	return value >= kind->least && value <= kind->most;
}

/* ---- match */

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
			return lines_fail(
				&r->lines, "more than %d ranges of %s", UARCH_RANGES, what);
		for (int side = 0; side < 2; side++) {
			size_t digits = strspn(at, "0123456789abcdefABCDEF");
			unsigned value = (unsigned)strtoul(at, &end, 16);

			if (digits == 0 || digits > 4 ||
				(at[digits] && !(side == 0 && at[digits] == '-')))
				return lines_fail(&r->lines,
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
			return lines_fail(&r->lines, "%s %x-%x runs backwards", what,
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
		return lines_fail(&r->lines, "%s is one number", what);
	*value = range[0].low;
	return true;
}

/* A word that no processor ever says would make a line that never fits. */
static bool read_feature(struct reader *r, const char *word, char *name)
{
	size_t digits = strncmp(word, "l1i-", 4) == 0 ? strspn(word + 4, "0123456789") : 0;
	size_t count = 0;

	while (processor_features[count] && strcmp(processor_features[count], word) != 0)
		count++;
	if (!processor_features[count] &&
		!(digits > 0 && digits < 8 && strcmp(word + 4 + digits, "k") == 0))
		return lines_unknown(&r->lines, "feature", word, processor_features, count);
	snprintf(name, 16, "%s", word);
	return true;
}

bool read_match(struct reader *r)
{
	static const char *const names[] = { "vendor", "family", "model", "stepping", "implementer",
		"part", "with", "without" };
	struct uarch *u = r->to->uarch;
	struct uarch_id id = { 0 };

	if (u->id_count == BUILD_LINES)
		return lines_fail(&r->lines, "more than %d lines \"match\"", BUILD_LINES);
	if (r->lines.words < 3 || r->lines.words % 2 == 0)
		return lines_fail(&r->lines,
			"\"match\" takes pairs of words: vendor V family F model M with FEATURE "
			"without FEATURE, or implementer I part P");
	for (int i = 1; i + 1 < r->lines.words; i += 2) {
		char *word = r->lines.word[i + 1];
		bool good = true;

		switch (reader_find(r, "condition", r->lines.word[i], names, 8)) {
		case 0:
			good = lines_name(
				&r->lines, word, "vendor", " ", id.vendor, sizeof(id.vendor));
			break;
		case 1:
			good = read_hex(r, "family", word, &id.family);
			id.has_family = true;
			break;
		case 2:
			good = read_ranges(r, "model", word, id.model, &id.model_count);
			break;
		case 3:
			good = read_ranges(r, "stepping", word, id.stepping, &id.stepping_count);
			break;
		case 4:
			good = read_hex(r, "implementer", word, &id.implementer);
			break;
		case 5:
			good = read_ranges(r, "part", word, id.part, &id.part_count);
			id.has_part = true;
			break;
		case 6:
		case 7: {
			bool with = strcmp(r->lines.word[i], "with") == 0;
			int *count = with ? &id.with_count : &id.without_count;

			if (*count == UARCH_FEATURES)
				return lines_fail(
					&r->lines, "more than %d features", UARCH_FEATURES);
			good = read_feature(r, word, (with ? id.with : id.without)[*count]);
			(*count)++;
			break;
		}
		default:
			return false;
		}
		if (!good)
			return false;
	}
	if (!(id.vendor[0] && id.has_family) && !(id.implementer && id.has_part))
		return lines_fail(&r->lines,
			"\"match\" names a vendor and a family, or an implementer and a part");
	u->id = memory_resize(u->id, (size_t)u->id_count + 1, sizeof(*u->id));
	u->id[u->id_count++] = id;
	return true;
}
/* ---- chains */

bool read_chain(struct reader *r)
{
	struct uarch *u = r->to->uarch;
	struct uarch_chain chain = {
		.tags = r->lines.tags, .file = r->file, .line = r->lines.line
	};

	if (!reader_words(r, 4, 4, "chain PRODUCER CONSUMER LATENCY") ||
		!reader_class_name(r, r->lines.word[1], chain.producer) ||
		!reader_class_name(r, r->lines.word[2], chain.consumer) ||
		!lines_number(&r->lines, r->lines.word[3], "latency", 0, 1000, &chain.latency))
		return false;
	chain.spread = r->lines.spread;
	for (int i = 0; i < u->chain_count; i++)
		if (strcmp(u->chain[i].producer, chain.producer) == 0 &&
			strcmp(u->chain[i].consumer, chain.consumer) == 0) {
			if (u->chain[i].file == r->file)
				return reader_said(r, "this chain", u->chain[i].line);
			u->chain[i] = chain;
			return true;
		}
	if (u->chain_count == BUILD_LINES)
		return lines_fail(&r->lines, "more than %d chains", BUILD_LINES);
	u->chain = memory_resize(u->chain, (size_t)u->chain_count + 1, sizeof(*u->chain));
	u->chain[u->chain_count++] = chain;
	return true;
}
/* ---- fusion and un-lamination */

static const char *const conditions_x86[] = { "o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns",
	"p", "np", "l", "ge", "le", "g" };
static const char *const conditions_arm64[] = { "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
	"hi", "ls", "ge", "lt", "gt", "le", "al" };

static bool add_fusion(struct reader *r, const struct uarch_fusion *fusion)
{
	struct uarch *u = r->to->uarch;

	for (int i = 0; i < u->fusion_count; i++)
		if (u->fusion[i].kind == fusion->kind &&
			strcmp(u->fusion[i].mnemonic, fusion->mnemonic) == 0) {
			if (u->fusion[i].file == r->file)
				return lines_fail(&r->lines, "fuse %s stands in line %d already",
					fusion->mnemonic, u->fusion[i].line);
			u->fusion[i] = *fusion;
			return true;
		}
	if (u->fusion_count == BUILD_LINES)
		return lines_fail(&r->lines, "more than %d instructions fuse", BUILD_LINES);
	u->fusion = memory_resize(u->fusion, (size_t)u->fusion_count + 1, sizeof(*u->fusion));
	u->fusion[u->fusion_count++] = *fusion;
	return true;
}

static bool read_conditions(struct reader *r, int from, int to, struct uarch_fusion *fusion)
{
	bool x86 = strcmp(r->to->uarch->isa, "x86_64") == 0;
	const char *const *names = x86 ? conditions_x86 : conditions_arm64;

	if (from == to)
		return lines_fail(
			&r->lines, "\"fuse\" names no conditions: with all, or with e ne ...");
	if (to == from + 1 && strcmp(r->lines.word[from], "all") == 0) {
		fusion->all = true;
		return true;
	}
	for (int i = from; i < to; i++) {
		int k = reader_find(r, "condition", r->lines.word[i], names, x86 ? 16 : 15);

		if (k < 0)
			return false;
		if (fusion->condition_count == 16)
			return lines_fail(&r->lines, "more than 16 conditions");
		snprintf(fusion->condition[fusion->condition_count++], 4, "%s", names[k]);
	}
	return true;
}

/* MNEMONICS after copy, or after load. */
static bool read_fuse_behind(struct reader *r)
{
	static const char *const what[] = { "copy", "load" };
	struct uarch_fusion fusion = { .file = r->file, .line = r->lines.line };
	int after = r->lines.words - 2, k;

	if (after < 2)
		return lines_fail(
			&r->lines, "\"fuse\" names no instructions: fuse add sub after copy");
	k = reader_find(r, "word", r->lines.word[after + 1], what, 2);
	if (k < 0)
		return false;
	fusion.kind = k == 0 ? FUSION_COPY : FUSION_LOAD;
	for (int i = 1; i < after; i++)
		if (!lines_name(&r->lines, r->lines.word[i], "mnemonic", ".", fusion.mnemonic,
			    sizeof(fusion.mnemonic)) ||
			!add_fusion(r, &fusion))
			return false;
	return true;
}

bool read_fuse(struct reader *r)
{
	static const char *const exceptions[] = { "memory", "memory-immediate", "relative", "store",
		"immediate" };
	struct uarch_fusion fusion = { .file = r->file, .line = r->lines.line };
	int with = 1, unless;

	if (r->lines.words > 2 && strcmp(r->lines.word[r->lines.words - 2], "after") == 0)
		return read_fuse_behind(r);
	while (with < r->lines.words && strcmp(r->lines.word[with], "with") != 0)
		with++;
	for (unless = with;
		unless < r->lines.words && strcmp(r->lines.word[unless], "unless") != 0;)
		unless++;
	if (with == 1 || with == r->lines.words)
		return lines_fail(&r->lines,
			"\"fuse\" is written: fuse cmp test with e ne unless memory-immediate");
	if (!read_conditions(r, with + 1, unless, &fusion))
		return false;
	if (unless + 1 == r->lines.words)
		return lines_fail(&r->lines, "\"unless\" without a reason");
	for (int i = unless + 1; i < r->lines.words; i++) {
		int k = reader_find(r, "exception", r->lines.word[i], exceptions, 5);

		if (k < 0)
			return false;
		fusion.unless |= 1u << k;
	}
	for (int i = 1; i < with; i++)
		if (!lines_name(&r->lines, r->lines.word[i], "mnemonic", ".", fusion.mnemonic,
			    sizeof(fusion.mnemonic)) ||
			!add_fusion(r, &fusion))
			return false;
	return true;
}

bool read_unlaminate(struct reader *r)
{
	static const char *const forms[] = { "indexed", "never" }, *const exceptions[] = {
		"two-operand", "stores"
	};
	struct uarch *u = r->to->uarch;
	int form;

	if (!reader_words(
		    r, 2, 5, "unlaminate never, or unlaminate indexed unless two-operand stores") ||
		!reader_say(r, "unlaminate", &r->to->laminate_said))
		return false;
	form = reader_find(r, "form", r->lines.word[1], forms, 2);
	if (form < 0)
		return false;
	u->laminate = form == 0 ? LAMINATE_INDEXED : LAMINATE_NEVER;
	u->laminate_two_operand = u->laminate_stores = false;
	if (r->lines.words == 2)
		return true;
	if (form == 1 || strcmp(r->lines.word[2], "unless") != 0 || r->lines.words == 3)
		return lines_fail(&r->lines,
			"\"unlaminate\" is written: never, or indexed unless two-operand stores");
	for (int i = 3; i < r->lines.words; i++)
		switch (reader_find(r, "exception", r->lines.word[i], exceptions, 2)) {
		case 0:
			u->laminate_two_operand = true;
			break;
		case 1:
			u->laminate_stores = true;
			break;
		default:
			return false;
		}
	return true;
}

/* ---- numbers with a name */

/* The fact that a kind and a word name; -1, and a failure that lists the words of this kind. */
static int find_fact(struct reader *r, const struct fact_kind *kind, const char *word)
{
	const char *names[UARCH_FACTS];
	int count = (int)kind->end - (int)kind->first, at;

	for (int i = 0; i < count; i++)
		names[i] = fact_words[(int)kind->first + i] + strlen(kind->word) + 1;
	at = reader_find(r, kind->word, word, names, count);
	return at < 0 ? -1 : (int)kind->first + at;
}

bool read_fact(struct reader *r)
{
	const struct fact_kind *kind = fact_kinds;
	char form[24], what[16];
	int fact;

	while (strcmp(kind->word, r->lines.word[0]) != 0)
		kind++;
	snprintf(form, sizeof(form), "%s NAME NUMBER", kind->word);
	snprintf(what, sizeof(what), "this %s", kind->word);
	if (!reader_words(r, 3, 3, form))
		return false;
	fact = find_fact(r, kind, r->lines.word[1]);
	if (fact < 0 || !reader_say(r, what, &r->to->fact_said[fact]) ||
		!lines_number(&r->lines, r->lines.word[2], r->lines.word[1], kind->least,
			kind->most, &r->to->uarch->fact[fact]))
		return false;
	r->to->uarch->fact_spread[fact] = r->lines.spread;
	return true;
}

bool read_cache(struct reader *r)
{
	static const char *const names[] = { "bytes", "latency", "lines" };
	struct uarch *u = r->to->uarch;
	struct uarch_cache cache = {
		.bytes = UARCH_UNKNOWN, .latency = UARCH_UNKNOWN, .lines = UARCH_UNKNOWN
	};
	double level;
	int at;

	if (r->lines.words < 4 || r->lines.words % 2)
		return lines_fail(
			&r->lines, "\"cache\" is written: cache LEVEL bytes B latency L lines N");
	if (!lines_number(&r->lines, r->lines.word[1], "cache", 1, 2, &level))
		return false;
	cache.level = (int)level;
	if (level != cache.level)
		return lines_fail(
			&r->lines, "cache \"%.24s\": the level is 1 or 2", r->lines.word[1]);
	if (!reader_say(r, "this cache", &r->to->cache_said[cache.level]))
		return false;
	for (int i = 2; i + 1 < r->lines.words; i += 2) {
		static const double least[] = { 1024, 0, 0.001 }, most[] = { 1 << 30, 1000, 8 };
		double *const value[] = { &cache.bytes, &cache.latency, &cache.lines };
		double *const spread[] = { &cache.bytes_spread, &cache.latency_spread,
			&cache.lines_spread };
		int k = reader_find(r, "word", r->lines.word[i], names, 3);

		if (k < 0 || !lines_number(&r->lines, r->lines.word[i + 1], names[k], least[k],
				     most[k], value[k]))
			return false;
		*spread[k] = r->lines.spread;
	}
	if (!uarch_known(cache.bytes))
		return lines_fail(&r->lines, "cache %d does not say its bytes", cache.level);
	for (at = 0; at < u->cache_count && u->cache[at].level != cache.level;)
		at++;
	if (at == u->cache_count)
		u->cache_count++;
	u->cache[at] = cache;
	return true;
}

/* Takes back what was inherited: `unknown class div`, `unknown extra forward`. */
bool read_unknown(struct reader *r)
{
	static const char *const kinds[] = { "class", "fuse", "cap", "size", "extra" };
	struct build *to = r->to;
	struct uarch *u = to->uarch;
	const char *name = r->lines.word[2];
	struct build_class *class;
	int i;

	if (!reader_words(r, 3, 3, "unknown class NAME; likewise cap, size, extra, fuse"))
		return false;
	switch (reader_find(r, "word", r->lines.word[1], kinds, 5)) {
	case -1:
		return false;
	case 0:
		class = build_find_class(to, name);
		if (!class)
			return lines_fail(&r->lines, "class \"%.24s\" is not inherited", name);
		*class = to->class[--to->class_count];
		return true;
	case 1:
		for (i = 0; i < u->fusion_count; i++)
			if (strcmp(u->fusion[i].mnemonic, name) == 0) {
				u->fusion[i] = u->fusion[--u->fusion_count];
				return true;
			}
		return lines_fail(&r->lines, "fuse \"%.24s\" is not inherited", name);
	default:
		i = 0;
		while (strcmp(fact_kinds[i].word, r->lines.word[1]) != 0)
			i++;
		i = find_fact(r, &fact_kinds[i], name);
		if (i >= 0)
			u->fact[i] = UARCH_UNKNOWN;
		return i >= 0;
	}
}
