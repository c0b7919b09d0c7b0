/* One core's file → struct uarch. The format: data/uarch/README.md.
 *
 * Sets and classes are kept as they are written until the end, so that a core that inherits may name ports and sets anew
 * and what it inherits follows. */
#include "model/uarch_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

enum { DEPTH = 8, TERMS_TEXT = 120, SETS = 48, MOST_CLASSES = 1024, MOST_LINES = 256 };

struct port_set {
	char name[12], members[TERMS_TEXT];
	int file, line;
};

struct class_text {
	struct uarch_class facts;
	bool has_slots;
	char terms[TERMS_TEXT];
	int file, line;
};

/* A file and those that it inherits from, on the way into one struct uarch. */
struct builder {
	struct uarch *uarch;
	int depth, files;
	char name[DEPTH][UARCH_NAME];      /* from the file asked for to the one that is read */
	char origin[2 * DEPTH][256];       /* of each file in turn; one that inherits is there twice */
	int named[2], named_line[2];       /* where `ports` and `units` stand: file and line */
	char ports[UARCH_PORTS][12], units[UARCH_PORTS][12];
	int port_count, unit_count;
	int set_count, class_count, class_room;
	struct port_set set[SETS];
	struct class_text *class;
	int width_file, width_line, laminate_file, laminate_line;
	int cap_file[CAP_COUNT], size_file[SIZE_COUNT], extra_file[EXTRA_COUNT], cache_file[3];
	int cap_line[CAP_COUNT], size_line[SIZE_COUNT], extra_line[EXTRA_COUNT], cache_line[3];
};

/* One file on the way. */
struct reader {
	struct builder *to;
	struct uarch_lines lines;
	int file, statements;
	bool inherits;
};

static const char *const cap_names[CAP_COUNT] = {
	[CAP_LOADS] = "loads", [CAP_LOADS_VECTOR] = "loads-vector", [CAP_LOADS_512] = "loads-512",
	[CAP_STORES] = "stores", [CAP_STORES_VECTOR] = "stores-vector", [CAP_STORES_512] = "stores-512",
	[CAP_MEMORY] = "memory", [CAP_COMPLEX] = "complex", [CAP_TAKEN] = "taken",
};
_Static_assert(CAP_TAKEN == CAP_COUNT - 1, "a cap without a name");

static const char *const size_names[SIZE_COUNT] = {
	[SIZE_ROB] = "rob", [SIZE_SCHEDULER] = "scheduler", [SIZE_LOAD_QUEUE] = "load-queue",
	[SIZE_STORE_QUEUE] = "store-queue", [SIZE_REGISTERS] = "registers", [SIZE_VECTORS] = "vectors",
	[SIZE_BRANCHES] = "branches", [SIZE_OPCACHE] = "opcache", [SIZE_TLB1] = "tlb1", [SIZE_TLB2] = "tlb2",
};
_Static_assert(SIZE_TLB2 == SIZE_COUNT - 1, "a size without a name");

static const char *const extra_names[EXTRA_COUNT] = {
	[EXTRA_SCALED_INDEX] = "scaled-index", [EXTRA_INDEX] = "index", [EXTRA_SIGN] = "sign",
	[EXTRA_FORWARD] = "forward", [EXTRA_FORWARD_RENAMED] = "forward-renamed",
	[EXTRA_FORWARD_VECTOR] = "forward-vector", [EXTRA_FORWARD_512] = "forward-512",
	[EXTRA_FORWARD_FAILS] = "forward-fails", [EXTRA_MISPREDICT] = "mispredict", [EXTRA_TLB2] = "tlb2",
	[EXTRA_ALU_SATURATION] = "alu-saturation", [EXTRA_FETCH_BYTES] = "fetch-bytes", [EXTRA_DECODE] = "decode",
	[EXTRA_OPCACHE_OPS] = "opcache-ops", [EXTRA_LINE_OPS] = "line-ops", [EXTRA_MISSES] = "misses",
	[EXTRA_SPLIT_LOAD] = "split-load", [EXTRA_SPLIT_STORE] = "split-store",
};
_Static_assert(EXTRA_SPLIT_STORE == EXTRA_COUNT - 1, "an extra without a name");

/* The index of a word in a list, or -1 and a failure that calls it `what`. */
static int find_word(struct reader *r, const char *what, const char *word, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], word) == 0)
			return i;
	lines_unknown(&r->lines, what, word, names, (size_t)count);
	return -1;
}

static bool need_words(struct reader *r, int least, int most, const char *form)
{
	if (r->lines.words >= least && r->lines.words <= most)
		return true;
	return lines_fail(&r->lines, "%s words in \"%.12s\": %s", r->lines.words < least ? "too few" : "too many",
		r->lines.word[0], form);
}

static bool said_already(struct reader *r, const char *what, int line)
{
	return lines_fail(&r->lines, "%s stands in line %d already", what, line);
}

/* Marks a fact of the file as said here; false when this very file said it before. */
static bool say(struct reader *r, const char *what, int *file, int *line)
{
	if (*file == r->file)
		return said_already(r, what, *line);
	*file = r->file;
	*line = r->lines.line;
	return true;
}

static bool read_uarch(struct reader *r)
{
	struct uarch *u = r->to->uarch;

	if (r->statements > 0)
		return lines_fail(&r->lines, "\"uarch\" stands in the first line only");
	if (r->lines.words < 3)
		return lines_fail(&r->lines, "too few words: uarch NAME TITLE");
	return lines_name(&r->lines, r->lines.word[1], "name", ".-", u->name, sizeof(u->name)) &&
		lines_join(&r->lines, 2, "the title", u->title, sizeof(u->title));
}

static bool read_isa(struct reader *r)
{
	static const char *const names[] = { "x86_64", "aarch64" };
	struct uarch *u = r->to->uarch;
	int isa;

	if (r->statements != 1)
		return lines_fail(&r->lines, "\"isa\" stands in the second line only");
	if (!need_words(r, 2, 2, "isa x86_64 or isa aarch64"))
		return false;
	isa = find_word(r, "instruction set", r->lines.word[1], names, 2);
	if (isa >= 0)
		snprintf(u->isa, sizeof(u->isa), "%s", names[isa]);
	return isa >= 0;
}

static bool read_file(struct builder *to, const char *text, const char *origin, struct status *status);

static bool read_from(struct reader *r)
{
	struct builder *to = r->to;
	struct uarch *u = to->uarch;
	char name[UARCH_NAME], title[sizeof(u->title)], isa[sizeof(u->isa)], parent[UARCH_NAME], file[48];
	char origin[256], *text;
	struct status status;

	if (r->statements != 2)
		return lines_fail(&r->lines, "\"from\" stands directly after \"isa\" only");
	if (!need_words(r, 2, 2, "from NAME") ||
		!lines_name(&r->lines, r->lines.word[1], "name", ".-", parent, sizeof(parent)))
		return false;
	snprintf(to->name[to->depth - 1], UARCH_NAME, "%s", u->name);
	for (int i = 0; i < to->depth; i++)
		if (strcmp(to->name[i], parent) == 0)
			return lines_fail(&r->lines, "from %s: a core cannot inherit from itself", parent);
	if (to->depth == DEPTH)
		return lines_fail(&r->lines, "from %s: more than %d cores inherit from each other", parent, DEPTH - 1);
	snprintf(file, sizeof(file), "uarch/%s.uarch", parent);
	status = data_load(file, &text, origin);
	if (!status_is_ok(&status)) {
		const char *const *names = uarch_names(u->isa);
		size_t count = 0;

		while (names[count])
			count++;
		return lines_unknown(&r->lines, "core", parent, names, count);
	}
	memcpy(name, u->name, sizeof(name));
	memcpy(title, u->title, sizeof(title));
	memcpy(isa, u->isa, sizeof(isa));
	to->depth++;
	if (!read_file(to, text, origin, &status))
		r->lines.status = status;
	else if (strcmp(isa, u->isa) != 0)
		lines_fail(&r->lines, "from %s: its instruction set is %s, not %s", parent, u->isa, isa);
	to->depth--;
	free(text);
	memcpy(u->name, name, sizeof(name));
	memcpy(u->title, title, sizeof(title));
	memcpy(u->isa, isa, sizeof(isa));
	u->id_count = 0;
	r->file = to->files++;
	snprintf(to->origin[r->file], sizeof(to->origin[0]), "%s", r->lines.origin);
	return status_is_ok(&r->lines.status);
}

/* ---- match */

/* "00-0f,20" → ranges. */
static bool read_ranges(struct reader *r, const char *what, char *word, struct uarch_range *range, int *count)
{
	char *next = word;

	for (*count = 0; next; (*count)++) {
		char *at = next, *end;

		next = strchr(at, ',');
		if (next)
			*next++ = '\0';
		if (*count == UARCH_RANGES)
			return lines_fail(&r->lines, "more than %d ranges of %s", UARCH_RANGES, what);
		for (int side = 0; side < 2; side++) {
			size_t digits = strspn(at, "0123456789abcdefABCDEF");
			unsigned value = (unsigned)strtoul(at, &end, 16);

			if (digits == 0 || digits > 4 || (at[digits] && !(side == 0 && at[digits] == '-')))
				return lines_fail(&r->lines, "%s \"%.24s\" is not written 4e,5e or 00-0f (hexadecimal)",
					what, at);
			if (side == 0)
				range[*count].low = value;
			range[*count].high = value;
			if (!at[digits])
				break;
			at += digits + 1;
		}
		if (range[*count].low > range[*count].high)
			return lines_fail(&r->lines, "%s %x-%x runs backwards", what, range[*count].low, range[*count].high);
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

static bool read_match(struct reader *r)
{
	static const char *const names[] = { "vendor", "family", "model", "stepping", "implementer", "part", "with",
		"without" };
	struct uarch *u = r->to->uarch;
	struct uarch_id id = { 0 };

	if (u->id_count == MOST_LINES)
		return lines_fail(&r->lines, "more than %d lines \"match\"", MOST_LINES);
	if (r->lines.words < 3 || r->lines.words % 2 == 0)
		return lines_fail(&r->lines, "\"match\" takes pairs of words: vendor V family F model M with FEATURE "
			"without FEATURE, or implementer I part P");
	for (int i = 1; i + 1 < r->lines.words; i += 2) {
		char *word = r->lines.word[i + 1];
		bool good = true;

		switch (find_word(r, "condition", r->lines.word[i], names, 8)) {
		case 0:
			good = lines_name(&r->lines, word, "vendor", " ", id.vendor, sizeof(id.vendor));
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
				return lines_fail(&r->lines, "more than %d features", UARCH_FEATURES);
			good = lines_name(&r->lines, word, "feature", ".-_", (with ? id.with : id.without)[*count], 16);
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
		return lines_fail(&r->lines, "\"match\" names a vendor and a family, or an implementer and a part");
	u->id = memory_resize(u->id, (size_t)u->id_count + 1, sizeof(*u->id));
	u->id[u->id_count++] = id;
	return true;
}

/* ---- ports and sets */

static bool read_width(struct reader *r)
{
	if (!need_words(r, 2, 2, "width SLOTS, or width unknown") ||
		!say(r, "width", &r->to->width_file, &r->to->width_line))
		return false;
	if (strcmp(r->lines.word[1], "unknown") == 0) {
		r->to->uarch->width = UARCH_UNKNOWN;
		return true;
	}
	if (!r->lines.tagged)
		return lines_fail(&r->lines, "this line has no source: end it with [TAG]");
	return lines_number(&r->lines, r->lines.word[1], "width", 1, 64, &r->to->uarch->width);
}

static bool read_names(struct reader *r)
{
	struct builder *to = r->to;
	bool units = r->lines.word[0][0] == 'u';
	char (*list)[12] = units ? to->units : to->ports;
	int *count = units ? &to->unit_count : &to->port_count;

	if (r->lines.words < 2)
		return lines_fail(&r->lines, "\"%s\" names none", r->lines.word[0]);
	if (!say(r, r->lines.word[0], &to->named[units], &to->named_line[units]))
		return false;
	if (r->lines.words - 1 > UARCH_PORTS)
		return lines_fail(&r->lines, "%d %s are too many: %d ports and units at most", r->lines.words - 1,
			r->lines.word[0], UARCH_PORTS);
	*count = 0;
	for (int i = 1; i < r->lines.words; i++) {
		if (!lines_name(&r->lines, r->lines.word[i], units ? "unit" : "port", "-", list[*count], 12))
			return false;
		if (strcmp(list[*count], "none") == 0 || strcmp(list[*count], "unknown") == 0)
			return lines_fail(&r->lines, "no port can be called \"%s\"", list[*count]);
		for (int k = 0; k < *count; k++)
			if (strcmp(list[k], list[*count]) == 0)
				return lines_fail(&r->lines, "\"%s\" stands here twice", list[k]);
		(*count)++;
	}
	return true;
}

static bool read_set(struct reader *r)
{
	struct builder *to = r->to;
	char name[12];
	struct port_set *set = NULL;

	if (r->lines.words < 3)
		return lines_fail(&r->lines, "too few words: set NAME PORT ...");
	if (!lines_name(&r->lines, r->lines.word[1], "set", "-", name, sizeof(name)))
		return false;
	for (int i = 0; i < to->set_count && !set; i++)
		if (strcmp(to->set[i].name, name) == 0)
			set = &to->set[i];
	if (set && set->file == r->file)
		return said_already(r, "this set", set->line);
	if (!set && to->set_count == SETS)
		return lines_fail(&r->lines, "more than %d sets", SETS);
	if (!set)
		set = &to->set[to->set_count++];
	memcpy(set->name, name, sizeof(name));
	set->file = r->file;
	set->line = r->lines.line;
	return lines_join(&r->lines, 2, "the list of ports", set->members, sizeof(set->members));
}

/* ---- classes */

/* NAME or NAME.WIDTH. */
static bool read_class_name(struct reader *r, const char *word, char *name)
{
	static const char *const widths[] = { "8", "16", "32", "64", "128", "256", "512" };
	const char *dot = strchr(word, '.');

	if (!lines_name(&r->lines, word, "class", ".-", name, UARCH_NAME))
		return false;
	if (!dot)
		return true;
	if (dot == word)
		return lines_fail(&r->lines, "class \"%s\" has no name", word);
	return find_word(r, "width", dot + 1, widths, 7) >= 0;
}

static struct class_text *find_class(struct builder *to, const char *name)
{
	for (int i = 0; i < to->class_count; i++)
		if (strcmp(to->class[i].facts.name, name) == 0)
			return &to->class[i];
	return NULL;
}

static bool read_class_words(struct reader *r, struct class_text *class)
{
	int i = 2;

	class->facts.latency = class->facts.accumulate = UARCH_UNKNOWN;
	class->facts.tags = r->lines.tags;
	for (; i < r->lines.words && strcmp(r->lines.word[i], "ports") != 0; i += 2) {
		const char *word = r->lines.word[i];
		double *value = strcmp(word, "latency") == 0 ? &class->facts.latency :
			strcmp(word, "accumulate") == 0 ? &class->facts.accumulate :
			strcmp(word, "slots") == 0 ? &class->facts.slots : NULL;

		if (!value) {
			static const char *const names[] = { "latency", "accumulate", "slots", "ports" };

			return lines_unknown(&r->lines, "word", word, names, 4);
		}
		if (i + 1 >= r->lines.words)
			return lines_fail(&r->lines, "\"%s\" without a number", word);
		if (value == &class->facts.slots)
			class->has_slots = true;
		if (value == &class->facts.accumulate && strcmp(r->lines.word[i + 1], "unknown") == 0) {
			class->facts.accumulate_unknown = true;
			continue;
		}
		if (!lines_number(&r->lines, r->lines.word[i + 1], word, 0, 1000, value))
			return false;
	}
	if (i + 1 >= r->lines.words)
		return lines_fail(&r->lines, "class %s does not say its ports: ports TERM + TERM, ports none, or ports unknown",
			class->facts.name);
	class->facts.executes = strcmp(r->lines.word[i + 1], "unknown") != 0;
	if (i == 2 && class->facts.executes && !r->lines.tagged)
		return lines_fail(&r->lines, "this line has no source: end it with [TAG]");
	return lines_join(&r->lines, i + 1, "the list of micro-ops", class->terms, sizeof(class->terms));
}

static bool read_class(struct reader *r)
{
	struct builder *to = r->to;
	struct class_text class = { .file = r->file, .line = r->lines.line }, *old;

	if (r->lines.words < 4)
		return lines_fail(&r->lines, "too few words: class NAME latency L slots S ports TERM + TERM");
	if (!read_class_name(r, r->lines.word[1], class.facts.name))
		return false;
	old = find_class(to, class.facts.name);
	if (old && old->file == r->file)
		return said_already(r, "this class", old->line);
	if (!read_class_words(r, &class))
		return false;
	/* That something is unknown needs no source. */
	if ((class.facts.executes || r->lines.words > 4) && !r->lines.tagged)
		return lines_fail(&r->lines, "this line has no source: end it with [TAG]");
	if (old) {
		*old = class;
		return true;
	}
	if (to->class_count == MOST_CLASSES)
		return lines_fail(&r->lines, "more than %d classes", MOST_CLASSES);
	if (to->class_count == to->class_room) {
		to->class_room = to->class_room ? to->class_room * 2 : 128;
		to->class = memory_resize(to->class, (size_t)to->class_room, sizeof(*to->class));
	}
	to->class[to->class_count++] = class;
	return true;
}

static bool read_chain(struct reader *r)
{
	struct uarch *u = r->to->uarch;
	struct uarch_chain chain = { .tags = r->lines.tags, .file = r->file, .line = r->lines.line };

	if (!need_words(r, 4, 4, "chain PRODUCER CONSUMER LATENCY") ||
		!read_class_name(r, r->lines.word[1], chain.producer) ||
		!read_class_name(r, r->lines.word[2], chain.consumer) ||
		!lines_number(&r->lines, r->lines.word[3], "latency", 0, 1000, &chain.latency))
		return false;
	for (int i = 0; i < u->chain_count; i++)
		if (strcmp(u->chain[i].producer, chain.producer) == 0 &&
			strcmp(u->chain[i].consumer, chain.consumer) == 0) {
			if (u->chain[i].file == r->file)
				return said_already(r, "this chain", u->chain[i].line);
			u->chain[i] = chain;
			return true;
		}
	if (u->chain_count == MOST_LINES)
		return lines_fail(&r->lines, "more than %d chains", MOST_LINES);
	u->chain = memory_resize(u->chain, (size_t)u->chain_count + 1, sizeof(*u->chain));
	u->chain[u->chain_count++] = chain;
	return true;
}

/* ---- fusion and un-lamination */

static const char *const conditions_x86[] = { "o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l",
	"ge", "le", "g" };
static const char *const conditions_arm64[] = { "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt",
	"gt", "le", "al" };

static bool add_fusion(struct reader *r, const struct uarch_fusion *fusion)
{
	struct uarch *u = r->to->uarch;

	for (int i = 0; i < u->fusion_count; i++)
		if (strcmp(u->fusion[i].mnemonic, fusion->mnemonic) == 0) {
			if (u->fusion[i].file == r->file)
				return lines_fail(&r->lines, "fuse %s stands in line %d already", fusion->mnemonic,
					u->fusion[i].line);
			u->fusion[i] = *fusion;
			return true;
		}
	if (u->fusion_count == MOST_LINES)
		return lines_fail(&r->lines, "more than %d instructions fuse", MOST_LINES);
	u->fusion = memory_resize(u->fusion, (size_t)u->fusion_count + 1, sizeof(*u->fusion));
	u->fusion[u->fusion_count++] = *fusion;
	return true;
}

static bool read_conditions(struct reader *r, int from, int to, struct uarch_fusion *fusion)
{
	bool x86 = strcmp(r->to->uarch->isa, "x86_64") == 0;
	const char *const *names = x86 ? conditions_x86 : conditions_arm64;

	if (from == to)
		return lines_fail(&r->lines, "\"fuse\" names no conditions: with all, or with e ne ...");
	if (to == from + 1 && strcmp(r->lines.word[from], "all") == 0) {
		fusion->all = true;
		return true;
	}
	for (int i = from; i < to; i++) {
		int k = find_word(r, "condition", r->lines.word[i], names, x86 ? 16 : 15);

		if (k < 0)
			return false;
		if (fusion->condition_count == 16)
			return lines_fail(&r->lines, "more than 16 conditions");
		snprintf(fusion->condition[fusion->condition_count++], 4, "%s", names[k]);
	}
	return true;
}

static bool read_fuse(struct reader *r)
{
	static const char *const exceptions[] = { "memory", "memory-immediate", "relative", "store", "immediate" };
	struct uarch_fusion fusion = { .file = r->file, .line = r->lines.line };
	int with = 1, unless;

	while (with < r->lines.words && strcmp(r->lines.word[with], "with") != 0)
		with++;
	for (unless = with; unless < r->lines.words && strcmp(r->lines.word[unless], "unless") != 0; )
		unless++;
	if (with == 1 || with == r->lines.words)
		return lines_fail(&r->lines, "\"fuse\" is written: fuse cmp test with e ne unless memory-immediate");
	if (!read_conditions(r, with + 1, unless, &fusion))
		return false;
	if (unless + 1 == r->lines.words)
		return lines_fail(&r->lines, "\"unless\" without a reason");
	for (int i = unless + 1; i < r->lines.words; i++) {
		int k = find_word(r, "exception", r->lines.word[i], exceptions, 5);

		if (k < 0)
			return false;
		fusion.unless |= 1u << k;
	}
	for (int i = 1; i < with; i++)
		if (!lines_name(&r->lines, r->lines.word[i], "mnemonic", ".", fusion.mnemonic, sizeof(fusion.mnemonic)) ||
			!add_fusion(r, &fusion))
			return false;
	return true;
}

static bool read_unlaminate(struct reader *r)
{
	static const char *const forms[] = { "indexed", "never" }, *const exceptions[] = { "two-operand", "stores" };
	struct uarch *u = r->to->uarch;
	int form;

	if (!need_words(r, 2, 5, "unlaminate never, or unlaminate indexed unless two-operand stores") ||
		!say(r, "unlaminate", &r->to->laminate_file, &r->to->laminate_line))
		return false;
	form = find_word(r, "form", r->lines.word[1], forms, 2);
	if (form < 0)
		return false;
	u->laminate = form == 0 ? LAMINATE_INDEXED : LAMINATE_NEVER;
	u->laminate_two_operand = u->laminate_stores = false;
	if (r->lines.words == 2)
		return true;
	if (form == 1 || strcmp(r->lines.word[2], "unless") != 0 || r->lines.words == 3)
		return lines_fail(&r->lines, "\"unlaminate\" is written: never, or indexed unless two-operand stores");
	for (int i = 3; i < r->lines.words; i++)
		switch (find_word(r, "exception", r->lines.word[i], exceptions, 2)) {
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

static bool read_cap(struct reader *r)
{
	int i;

	if (!need_words(r, 3, 3, "cap NAME NUMBER"))
		return false;
	i = find_word(r, "cap", r->lines.word[1], cap_names, CAP_COUNT);
	return i >= 0 && say(r, "this cap", &r->to->cap_file[i], &r->to->cap_line[i]) &&
		lines_number(&r->lines, r->lines.word[2], r->lines.word[1], 0.01, 64, &r->to->uarch->cap[i]);
}

static bool read_size(struct reader *r)
{
	int i;

	if (!need_words(r, 3, 3, "size NAME NUMBER"))
		return false;
	i = find_word(r, "size", r->lines.word[1], size_names, SIZE_COUNT);
	return i >= 0 && say(r, "this size", &r->to->size_file[i], &r->to->size_line[i]) &&
		lines_number(&r->lines, r->lines.word[2], r->lines.word[1], 1, 1000000, &r->to->uarch->size[i]);
}

static bool read_extra(struct reader *r)
{
	int i;

	if (!need_words(r, 3, 3, "extra NAME NUMBER"))
		return false;
	i = find_word(r, "extra", r->lines.word[1], extra_names, EXTRA_COUNT);
	return i >= 0 && say(r, "this extra", &r->to->extra_file[i], &r->to->extra_line[i]) &&
		lines_number(&r->lines, r->lines.word[2], r->lines.word[1], 0, 1000, &r->to->uarch->extra[i]);
}

static bool read_cache(struct reader *r)
{
	static const char *const names[] = { "bytes", "latency", "lines" };
	struct uarch *u = r->to->uarch;
	struct uarch_cache cache = { .bytes = UARCH_UNKNOWN, .latency = UARCH_UNKNOWN, .lines = UARCH_UNKNOWN };
	double level;
	int at;

	if (r->lines.words < 4 || r->lines.words % 2)
		return lines_fail(&r->lines, "\"cache\" is written: cache LEVEL bytes B latency L lines N");
	if (!lines_number(&r->lines, r->lines.word[1], "cache", 1, 2, &level))
		return false;
	cache.level = (int)level;
	if (level != cache.level)
		return lines_fail(&r->lines, "cache \"%.24s\": the level is 1 or 2", r->lines.word[1]);
	if (!say(r, "this cache", &r->to->cache_file[cache.level], &r->to->cache_line[cache.level]))
		return false;
	for (int i = 2; i + 1 < r->lines.words; i += 2) {
		static const double least[] = { 1024, 0, 0.001 }, most[] = { 1 << 30, 1000, 8 };
		double *const value[] = { &cache.bytes, &cache.latency, &cache.lines };
		int k = find_word(r, "word", r->lines.word[i], names, 3);

		if (k < 0 || !lines_number(&r->lines, r->lines.word[i + 1], names[k], least[k], most[k], value[k]))
			return false;
	}
	if (!uarch_known(cache.bytes))
		return lines_fail(&r->lines, "cache %d does not say its bytes", cache.level);
	for (at = 0; at < u->cache_count && u->cache[at].level != cache.level; )
		at++;
	if (at == u->cache_count)
		u->cache_count++;
	u->cache[at] = cache;
	return true;
}

/* Takes back what was inherited: `unknown class div`, `unknown extra forward`. */
static bool read_unknown(struct reader *r)
{
	static const char *const kinds[] = { "class", "cap", "size", "extra", "fuse" };
	struct builder *to = r->to;
	struct uarch *u = to->uarch;
	const char *name = r->lines.word[2];
	struct class_text *class;
	int i;

	if (!need_words(r, 3, 3, "unknown class NAME; likewise cap, size, extra, fuse"))
		return false;
	switch (find_word(r, "word", r->lines.word[1], kinds, 5)) {
	case 0:
		class = find_class(to, name);
		if (!class)
			return lines_fail(&r->lines, "class \"%.24s\" is not inherited", name);
		*class = to->class[--to->class_count];
		return true;
	case 1:
		i = find_word(r, "cap", name, cap_names, CAP_COUNT);
		if (i >= 0)
			u->cap[i] = UARCH_UNKNOWN;
		return i >= 0;
	case 2:
		i = find_word(r, "size", name, size_names, SIZE_COUNT);
		if (i >= 0)
			u->size[i] = UARCH_UNKNOWN;
		return i >= 0;
	case 3:
		i = find_word(r, "extra", name, extra_names, EXTRA_COUNT);
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

/* ---- a file */

static const struct {
	const char *word;
	bool sourced;      /* it states something about the processor */
	bool (*read)(struct reader *r);
} statements[] = {
	{ "uarch", false, read_uarch }, { "isa", false, read_isa }, { "from", false, read_from },
	{ "match", true, read_match }, { "width", false, read_width }, { "ports", true, read_names },
	{ "units", false, read_names }, { "set", false, read_set }, { "class", false, read_class },
	{ "chain", true, read_chain }, { "fuse", true, read_fuse }, { "unlaminate", true, read_unlaminate },
	{ "cap", true, read_cap }, { "size", true, read_size }, { "extra", true, read_extra },
	{ "cache", true, read_cache }, { "unknown", false, read_unknown },
};

enum { STATEMENTS = sizeof(statements) / sizeof(statements[0]) };

static bool read_statement(struct reader *r)
{
	const char *word = r->lines.words > 0 ? r->lines.word[0] : "";
	const char *names[STATEMENTS];

	for (int i = 0; i < STATEMENTS; i++) {
		names[i] = statements[i].word;
		if (strcmp(word, statements[i].word) != 0)
			continue;
		if (r->statements == 0 && statements[i].read != read_uarch)
			return lines_fail(&r->lines, "the first line is: uarch NAME TITLE");
		if (r->statements == 1 && statements[i].read != read_isa)
			return lines_fail(&r->lines, "the second line is: isa x86_64, or isa aarch64");
		if (statements[i].sourced && !r->lines.tagged)
			return lines_fail(&r->lines, "this line has no source: end it with [TAG]");
		r->to->uarch->tags |= r->lines.tags;
		if (!statements[i].read(r))
			return false;
		r->statements++;
		return true;
	}
	return lines_unknown(&r->lines, "word", word, names, STATEMENTS);
}

static bool read_file(struct builder *to, const char *text, const char *origin, struct status *status)
{
	struct reader r = { .to = to, .file = to->files };

	snprintf(to->origin[to->files++], sizeof(to->origin[0]), "%s", origin);
	lines_begin(&r.lines, text, origin, &to->uarch->sources);
	while (lines_next(&r.lines) && read_statement(&r))
		;
	if (r.statements < 2)
		lines_fail(&r.lines, "the file begins with: uarch NAME TITLE, and isa x86_64 or isa aarch64");
	*status = r.lines.status;
	lines_end(&r.lines);
	return status_is_ok(status);
}

/* ---- the end: names become ports */

static bool find_ports(struct builder *to, const char *name, size_t length, int deep, uint32_t *ports)
{
	struct uarch *u = to->uarch;

	for (int i = 0; i < u->port_count + u->unit_count; i++)
		if (strlen(u->port[i]) == length && memcmp(u->port[i], name, length) == 0) {
			*ports |= UINT32_C(1) << i;
			return true;
		}
	for (int i = 0; i < to->set_count && deep < SETS; i++) {
		const char *at = to->set[i].members;

		if (strlen(to->set[i].name) != length || memcmp(to->set[i].name, name, length) != 0)
			continue;
		for (; *at; at += strspn(at, " ")) {
			size_t member = strcspn(at, " ");

			if (!find_ports(to, at, member, deep + 1, ports))
				return false;
			at += member;
		}
		return true;
	}
	return false;
}

static struct status resolve_term(struct builder *to, struct class_text *class, const char *at, size_t length)
{
	const char *origin = to->origin[class->file], *times = memchr(at, '*', length), *colon, *name;
	struct uarch_term *term = &class->facts.term[class->facts.term_count];
	double count = 1, cycles = 1;
	uint32_t units;

	if (class->facts.term_count == UARCH_TERMS)
		return lines_status(origin, class->line, "more than %d kinds of micro-ops", UARCH_TERMS);
	if (length == 0)
		return lines_status(origin, class->line, "a \"+\" with nothing beside it");
	name = times ? times + 1 : at;
	colon = memchr(name, ':', length - (size_t)(name - at));
	if (times && (!lines_decimal(at, (size_t)(times - at), &count) || count <= 0 || count > 256))
		return lines_status(origin, class->line, "\"%.*s\": a count is a number from above 0 to 256",
			(int)(length < 40 ? length : 40), at);
	if (colon && (!lines_decimal(colon + 1, length - (size_t)(colon + 1 - at), &cycles) || cycles <= 0 || cycles > 1000))
		return lines_status(origin, class->line, "\"%.*s\": cycles are a number from above 0 to 1000",
			(int)(length < 40 ? length : 40), at);
	length = (colon ? (size_t)(colon - at) : length) - (size_t)(name - at);
	term->ports = 0;
	for (size_t from = 0, to_end; from <= length; from = to_end + 1) {
		const char *comma = memchr(name + from, ',', length - from);

		to_end = comma ? (size_t)(comma - name) : length;
		if (!find_ports(to, name + from, to_end - from, 0, &term->ports))
			return lines_status(origin, class->line, "class %s: unknown port \"%.*s\"", class->facts.name,
				(int)(to_end - from < 24 ? to_end - from : 24), name + from);
	}
	units = ~UINT32_C(0) << to->uarch->port_count;
	if ((term->ports & units) && (term->ports & ~units))
		return lines_status(origin, class->line, "class %s: ports and units in one term", class->facts.name);
	term->count = (float)count;
	term->cycles = (float)cycles;
	if (!class->has_slots && !(term->ports & units) && !uarch_role_is_memory(class->facts.name))
		class->facts.slots += count;
	class->facts.term_count++;
	return status_ok();
}

static struct status resolve_class(struct builder *to, struct class_text *class)
{
	const char *at = class->terms;
	struct status status = status_ok();

	if (strcmp(at, "none") != 0 && strcmp(at, "unknown") != 0)
		for (bool more = true; more && status_is_ok(&status); ) {
			size_t length = strcspn(at, "+"), used = length;
			const char *next = at + length;

			more = *next == '+';
			for (; used > 0 && *at == ' '; used--)
				at++;
			while (used > 0 && at[used - 1] == ' ')
				used--;
			status = resolve_term(to, class, at, used);
			at = next + 1;
		}
	if (!class->has_slots && class->facts.slots < 1)
		class->facts.slots = 1;
	return status;
}

static bool has_class(const struct builder *to, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < to->class_count; i++)
		if (strncmp(to->class[i].facts.name, name, length) == 0 &&
			(to->class[i].facts.name[length] == '\0' || to->class[i].facts.name[length] == '.'))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct uarch_class *)a)->name, ((const struct uarch_class *)b)->name);
}

static struct status check_sets(struct builder *to)
{
	for (int i = 0; i < to->set_count; i++) {
		const struct port_set *set = &to->set[i];
		const char *origin = to->origin[set->file];
		uint32_t ports = 0;

		for (int k = 0; k < to->uarch->port_count + to->uarch->unit_count; k++)
			if (strcmp(to->uarch->port[k], set->name) == 0)
				return lines_status(origin, set->line, "set \"%s\": a port has this name", set->name);
		if (!find_ports(to, set->name, strlen(set->name), 0, &ports))
			return lines_status(origin, set->line, "set \"%s\" holds an unknown port, or itself: %.64s", set->name,
				set->members);
	}
	return status_ok();
}

static struct status finish(struct builder *to, const char *origin)
{
	struct uarch *u = to->uarch;
	struct status status;

	if (to->width_file < 0)
		return status_make(STATUS_FAILED, "%.100s: no line \"width\"", origin);
	if (to->port_count == 0)
		return status_make(STATUS_FAILED, "%.100s: no line \"ports\"", origin);
	if (to->port_count + to->unit_count > UARCH_PORTS)
		return lines_status(to->origin[to->named[1]], to->named_line[1],
			"%d ports and %d units are too many: %d together at most", to->port_count, to->unit_count, UARCH_PORTS);
	memcpy(u->port, to->ports, sizeof(u->port[0]) * (size_t)to->port_count);
	memcpy(u->port + to->port_count, to->units, sizeof(u->port[0]) * (size_t)to->unit_count);
	u->port_count = to->port_count;
	u->unit_count = to->unit_count;
	for (int i = 0; i < to->unit_count; i++)
		for (int k = 0; k < to->port_count; k++)
			if (strcmp(to->units[i], to->ports[k]) == 0)
				return lines_status(to->origin[to->named[1]], to->named_line[1],
					"unit \"%s\": a port has this name", to->units[i]);
	status = check_sets(to);
	u->class = memory_new((size_t)to->class_count, sizeof(*u->class));
	for (int i = 0; i < to->class_count && status_is_ok(&status); i++) {
		status = resolve_class(to, &to->class[i]);
		u->class[u->class_count++] = to->class[i].facts;
	}
	qsort(u->class, (size_t)u->class_count, sizeof(*u->class), by_name);
	for (int i = 0; i < u->chain_count && status_is_ok(&status); i++) {
		const struct uarch_chain *chain = &u->chain[i];
		const char *missing = !has_class(to, chain->producer) ? chain->producer :
			!has_class(to, chain->consumer) ? chain->consumer : NULL;

		if (missing)
			status = lines_status(to->origin[chain->file], chain->line, "chain: no class \"%s\"", missing);
	}
	return status;
}

struct status uarch_read(const char *text, const char *origin, struct uarch **out)
{
	struct builder *to = memory_new(1, sizeof(*to));
	struct uarch *u = memory_new(1, sizeof(*u));
	struct status status;

	*out = NULL;
	to->uarch = u;
	to->depth = 1;
	to->width_file = to->laminate_file = to->named[0] = to->named[1] = -1;
	u->width = UARCH_UNKNOWN;
	for (int i = 0; i < CAP_COUNT; i++) {
		u->cap[i] = UARCH_UNKNOWN;
		to->cap_file[i] = -1;
	}
	for (int i = 0; i < SIZE_COUNT; i++) {
		u->size[i] = UARCH_UNKNOWN;
		to->size_file[i] = -1;
	}
	for (int i = 0; i < EXTRA_COUNT; i++) {
		u->extra[i] = UARCH_UNKNOWN;
		to->extra_file[i] = -1;
	}
	for (int i = 0; i < 3; i++)
		to->cache_file[i] = -1;
	status = sources_load(&u->sources);
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
