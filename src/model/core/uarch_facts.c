/* Lines of a core's file that say something of it as a whole: who it is, what fuses, what there is
 * at most. */
#include "model/core/uarch_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const uarch_cap_names[CAP_COUNT] = {
	[CAP_LOADS] = "loads",
	[CAP_LOADS_VECTOR] = "loads-vector",
	[CAP_LOADS_512] = "loads-512",
	[CAP_STORES] = "stores",
	[CAP_STORES_VECTOR] = "stores-vector",
	[CAP_STORES_512] = "stores-512",
	[CAP_MEMORY] = "memory",
	[CAP_COMPLEX] = "complex",
	[CAP_TAKEN] = "taken",
	[CAP_LOADS_BANK] = "loads-bank",
	[CAP_STORE_LINES] = "store-lines",
};
_Static_assert(CAP_STORE_LINES == CAP_COUNT - 1, "a cap without a name");

const char *const uarch_size_names[SIZE_COUNT] = {
	[SIZE_ROB] = "rob",
	[SIZE_SCHEDULER] = "scheduler",
	[SIZE_LOAD_QUEUE] = "load-queue",
	[SIZE_STORE_QUEUE] = "store-queue",
	[SIZE_REGISTERS] = "registers",
	[SIZE_VECTORS] = "vectors",
	[SIZE_BRANCHES] = "branches",
	[SIZE_OPCACHE] = "opcache",
	[SIZE_TLB1] = "tlb1",
	[SIZE_TLB2] = "tlb2",
	[SIZE_CALLS] = "calls",
	[SIZE_LOAD_SCHEDULER] = "load-scheduler",
	[SIZE_VECTOR_SCHEDULER] = "vector-scheduler",
};
_Static_assert(SIZE_VECTOR_SCHEDULER == SIZE_COUNT - 1, "a size without a name");

enum uarch_size uarch_size_find(const char *word)
{
	int size = 0;

	while (size < SIZE_COUNT && strcmp(uarch_size_names[size], word) != 0)
		size++;
	return (enum uarch_size)size;
}

const char *const uarch_extra_names[EXTRA_COUNT] = {
	[EXTRA_SCALED_INDEX] = "scaled-index",
	[EXTRA_INDEX] = "index",
	[EXTRA_SIGN] = "sign",
	[EXTRA_FORWARD] = "forward",
	[EXTRA_FORWARD_RENAMED] = "forward-renamed",
	[EXTRA_FORWARD_VECTOR] = "forward-vector",
	[EXTRA_FORWARD_512] = "forward-512",
	[EXTRA_FORWARD_FAILS] = "forward-fails",
	[EXTRA_MISPREDICT] = "mispredict",
	[EXTRA_TLB2] = "tlb2",
	[EXTRA_ALU_SATURATION] = "alu-saturation",
	[EXTRA_FETCH_BYTES] = "fetch-bytes",
	[EXTRA_DECODE] = "decode",
	[EXTRA_MATERIALISES] = "materialises",
	[EXTRA_BINDS_PORTS] = "binds-ports",
	[EXTRA_OPCACHE_OPS] = "opcache-ops",
	[EXTRA_LINE_OPS] = "line-ops",
	[EXTRA_MISSES] = "misses",
	[EXTRA_SPLIT_LOAD] = "split-load",
	[EXTRA_SPLIT_STORE] = "split-store",
};
_Static_assert(EXTRA_SPLIT_STORE == EXTRA_COUNT - 1, "an extra without a name");

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

bool read_cap(struct reader *r)
{
	int i;

	if (!reader_words(r, 3, 3, "cap NAME NUMBER"))
		return false;
	i = reader_find(r, "cap", r->lines.word[1], uarch_cap_names, CAP_COUNT);
	if (i < 0 || !reader_say(r, "this cap", &r->to->cap_said[i]) ||
		!lines_number(&r->lines, r->lines.word[2], r->lines.word[1], 0.01, 64,
			&r->to->uarch->cap[i]))
		return false;
	r->to->uarch->cap_spread[i] = r->lines.spread;
	return true;
}

bool read_size(struct reader *r)
{
	int i;

	if (!reader_words(r, 3, 3, "size NAME NUMBER"))
		return false;
	i = reader_find(r, "size", r->lines.word[1], uarch_size_names, SIZE_COUNT);
	if (i < 0 || !reader_say(r, "this size", &r->to->size_said[i]) ||
		!lines_number(&r->lines, r->lines.word[2], r->lines.word[1], 1, 1000000,
			&r->to->uarch->size[i]))
		return false;
	r->to->uarch->size_spread[i] = r->lines.spread;
	return true;
}

bool read_extra(struct reader *r)
{
	int i;

	if (!reader_words(r, 3, 3, "extra NAME NUMBER"))
		return false;
	i = reader_find(r, "extra", r->lines.word[1], uarch_extra_names, EXTRA_COUNT);
	if (i < 0 || !reader_say(r, "this extra", &r->to->extra_said[i]) ||
		!lines_number(&r->lines, r->lines.word[2], r->lines.word[1], 0, 1000,
			&r->to->uarch->extra[i]))
		return false;
	r->to->uarch->extra_spread[i] = r->lines.spread;
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
	static const char *const kinds[] = { "class", "cap", "size", "extra", "fuse" };
	struct build *to = r->to;
	struct uarch *u = to->uarch;
	const char *name = r->lines.word[2];
	struct build_class *class;
	int i;

	if (!reader_words(r, 3, 3, "unknown class NAME; likewise cap, size, extra, fuse"))
		return false;
	switch (reader_find(r, "word", r->lines.word[1], kinds, 5)) {
	case 0:
		class = build_find_class(to, name);
		if (!class)
			return lines_fail(&r->lines, "class \"%.24s\" is not inherited", name);
		*class = to->class[--to->class_count];
		return true;
	case 1:
		i = reader_find(r, "cap", name, uarch_cap_names, CAP_COUNT);
		if (i >= 0)
			u->cap[i] = UARCH_UNKNOWN;
		return i >= 0;
	case 2:
		i = reader_find(r, "size", name, uarch_size_names, SIZE_COUNT);
		if (i >= 0)
			u->size[i] = UARCH_UNKNOWN;
		return i >= 0;
	case 3:
		i = reader_find(r, "extra", name, uarch_extra_names, EXTRA_COUNT);
		if (i >= 0)
			u->extra[i] = UARCH_UNKNOWN;
		return i >= 0;
	case 4:
		for (i = 0; i < u->fusion_count; i++)
			if (strcmp(u->fusion[i].mnemonic, name) == 0) {
				u->fusion[i] = u->fusion[--u->fusion_count];
				return true;
			}
		return lines_fail(&r->lines, "fuse \"%.24s\" is not inherited", name);
	default:
		return false;
	}
}
