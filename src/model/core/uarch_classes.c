/* Reads ports, units and sets of ports, classes with their micro-ops, chains, and fusion. */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- ports and sets */

/* Whether the first `length` bytes of `word` are exactly this name. */
static bool is_name(const char *name, const char *word, size_t length)
{
	return strncmp(name, word, length) == 0 && !name[length];
}

static int find_port(const struct uarch *u, const char *name, size_t length)
{
	for (int i = 0; i < uarch_port_count(u); i++)
		if (is_name(u->port[i], name, length))
			return i;
	return -1;
}

/* Checks the number and names of units. check_units() runs in the second reading of the core file,
 * when all ports are known. */
static bool check_units(struct reader *r)
{
	struct uarch *u = r->uarch;

	if (u->port_count + r->unit_count > UARCH_PORTS)
		return rows_fail(&r->rows,
			"%d ports and %d units are too many: at most %d together", u->port_count,
			r->unit_count, UARCH_PORTS);
	for (int i = 0; i < r->unit_count; i++)
		if (find_port(u, r->unit[i], strlen(r->unit[i])) < u->port_count)
			return rows_fail(
				&r->rows, "unit \"%s\": a port already has this name", r->unit[i]);
	return true;
}

bool read_ports(struct reader *r)
{
	bool units = r->word[0][0] == 'u';
	char(*list)[12] = units ? r->unit : r->uarch->port;
	int *count = units ? &r->unit_count : &r->uarch->port_count;

	if (r->again)
		return check_units(r);
	if (r->words - 1 > UARCH_PORTS)
		return rows_fail(&r->rows, "%d %s are too many: at most %d ports and units",
			r->words - 1, r->word[0], UARCH_PORTS);
	for (int i = 1; i < r->words; i++) {
		char *name = list[*count];

		if (!rows_name(&r->rows, units ? "unit" : "port", r->word[i], "-", name,
			    sizeof(list[0])))
			return false;
		if (strcmp(name, "none") == 0 || strcmp(name, "unknown") == 0)
			return rows_fail(&r->rows, "no port can have the name \"%s\"", name);
		for (int k = 0; k < *count; k++)
			if (strcmp(list[k], name) == 0)
				return rows_fail(&r->rows, "\"%s\" is listed twice", name);
		(*count)++;
	}
	return true;
}

/* Adds the bits for a named port, unit or set of ports to *ports. The name may be that of a port, a
 * unit, or a set of ports. */
static bool add_ports(
	const struct reader *r, const char *name, size_t length, int deep, uint32_t *ports)
{
	int port = find_port(r->uarch, name, length);

	if (port >= 0) {
		*ports |= UINT32_C(1) << port;
		return true;
	}
	for (int i = 0; i < r->set_count && deep < READER_SETS; i++) {
		if (!is_name(r->set[i].name, name, length))
			continue;
		for (const char *at = r->set[i].members, *end; *at; at = end + (*end == ' ')) {
			end = strchrnul(at, ' ');
			if (!add_ports(r, at, (size_t)(end - at), deep + 1, ports))
				return false;
		}
		return true;
	}
	return false;
}

bool reader_ports(struct reader *r, const char *names, size_t length, uint32_t *ports)
{
	*ports = 0;
	for (const char *at = names, *end; at <= names + length; at = end + 1) {
		end = memchr(at, ',', (size_t)(names + length - at));
		end = end ? end : names + length;
		if (!add_ports(r, at, (size_t)(end - at), 0, ports))
			return rows_fail(&r->rows, "%s %.24s: unknown port \"%.*s\"", r->word[0],
				r->word[1], end - at < 24 ? (int)(end - at) : 24, at);
	}
	return true;
}

bool read_set(struct reader *r)
{
	const char *name = r->word[1];
	uint32_t ports = 0;
	struct reader_set *set = &r->set[r->set_count];

	if (!r->again && r->set_count++ == READER_SETS)
		return rows_fail(&r->rows, "more than %d sets", READER_SETS);
	if (!r->again)
		return rows_name(&r->rows, "set", name, "-", set->name, sizeof(set->name)) &&
		       reader_join(r, 2, r->words, "the list of ports", set->members,
			       sizeof(set->members));
	if (find_port(r->uarch, name, strlen(name)) >= 0)
		return rows_fail(&r->rows, "set \"%s\": a port already has this name", name);
	return add_ports(r, name, strlen(name), 0, &ports) ||
	       rows_fail(&r->rows, "set \"%s\" contains an unknown port, or itself", name);
}

/* ---- classes */

/* Reads the name of an instruction class: NAME or NAME.WIDTH. */
static bool read_class_name(struct reader *r, const char *word, char name[UARCH_NAME])
{
	const char *dot = strchr(word, '.');

	if (!rows_name(&r->rows, "class", word, ".-", name, UARCH_NAME))
		return false;
	if (dot == word)
		return rows_fail(&r->rows, "class \"%s\" needs a name before its width", word);
	return !dot ||
	       rows_choice(&r->rows, "width", dot, uarch_width_suffix + 1, UARCH_WIDTHS - 1) >= 0;
}

/* Reads one kind of micro-ops, for example "2*p0,p1:3". Adds the rename slots of the micro-ops that
 * were read to *slots. */
static bool read_term(struct reader *r, struct uarch_class *class, char *word, double *slots)
{
	struct uarch_term *term = &class->term[class->term_count];
	char *times = strchr(word, '*'), *name = times ? times + 1 : word,
	     *colon = strchrnul(name, ':');
	uint32_t units = ~UINT32_C(0) << r->uarch->port_count;
	double count = 1, cycles = 1;

	if (class->term_count == UARCH_TERMS)
		return rows_fail(&r->rows, "more than %d kinds of micro-ops", UARCH_TERMS);
	if (!*word)
		return rows_fail(&r->rows, "a micro-op is missing next to a \"+\"");
	if (times &&
		(!rows_decimal(word, (size_t)(times - word), &count) || count <= 0 || count > 256))
		return rows_fail(
			&r->rows, "\"%.40s\": expected a count above 0 and at most 256", word);
	if (*colon && (!rows_decimal(colon + 1, strlen(colon + 1), &cycles) || cycles <= 0 ||
			      cycles > 1000))
		return rows_fail(
			&r->rows, "\"%.40s\": expected cycles above 0 and at most 1000", word);
	if (!reader_ports(r, name, (size_t)(colon - name), &term->ports))
		return false;
	if ((term->ports & units) && (term->ports & ~units))
		return rows_fail(&r->rows,
			"class %s: one kind of micro-ops cannot have both ports and units",
			class->name);
	term->count = (float)count;
	term->cycles = (float)cycles;
	class->term_count++;
	if (!(term->ports & units) && !uarch_class_is_memory(class->name))
		*slots += count;
	return true;
}

/* Reads kinds of micro-ops joined by "+". If the line of a class does not state its rename slots,
 * read_terms() computes the slots from the number of micro-ops. */
static bool read_terms(struct reader *r, struct uarch_class *class, char *words)
{
	bool none = strcmp(words, "none") == 0 || strcmp(words, "unknown") == 0;
	double slots = 0;

	for (char *word; !none && (word = strsep(&words, "+"));) {
		char *end = word + strlen(word);

		/* reader_join() has put exactly one blank between the words of the text. */
		if (end > word && end[-1] == ' ')
			end[-1] = '\0';
		word += *word == ' ';
		if (!read_term(r, class, word, &slots))
			return false;
	}
	if (!uarch_known(class->slots))
		class->slots = slots < 1 ? 1 : slots;
	return true;
}

bool read_class(struct reader *r)
{
	struct uarch *u = r->uarch;
	struct uarch_class class = { .latency = UARCH_UNKNOWN,
		.accumulate = UARCH_UNKNOWN,
		.each = UARCH_UNKNOWN,
		.slots = UARCH_UNKNOWN,
		.tags = r->tags };
	const struct reader_pair pairs[] = {
		{ "latency", 0, 1000, &class.latency, &class.latency_spread, NULL },
		{ "accumulate", 0, 1000, &class.accumulate, &class.accumulate_spread,
			&class.accumulate_unknown },
		{ "late", 0, 1000, &class.late, NULL, NULL },
		{ "each", 0, 1000, &class.each, &class.each_spread, NULL },
		{ "slots", 0, 1000, &class.slots, NULL, NULL },
		{ "ports", 0, 0, NULL, NULL, NULL },
	};
	char terms[UARCH_LIST];
	int at;

	if (!read_class_name(r, r->word[1], class.name))
		return false;
	at = reader_pairs(r, 2, pairs, 6);
	if (at < 0)
		return false;
	if (at + 1 >= r->words)
		return rows_fail(&r->rows,
			"class %s does not state its ports: expected ports TERM + TERM, ports "
			"none, or ports unknown",
			class.name);
	class.executes = strcmp(r->word[at + 1], "unknown") != 0;
	/* A line `class` with unknown ports and no numbers needs no source. */
	if ((class.executes || r->words > 4) && !r->tagged)
		return reader_unsourced(r);
	if (!reader_join(r, at + 1, r->words, "the list of micro-ops", terms, sizeof(terms)) ||
		!read_terms(r, &class, terms))
		return false;
	reader_where(r, class.where, sizeof(class.where));
	u->class = memory_grow(u->class, (size_t)u->class_count, sizeof(*u->class));
	u->class[u->class_count++] = class;
	return true;
}

/* Whether the core has an instruction class with this name, of any width. */
static bool has_class(const struct reader *r, const char *name)
{
	for (int width = 0; width < UARCH_WIDTHS; width++) {
		char key[READER_KEY];

		snprintf(key, sizeof(key), "class %.24s%s", name, uarch_width_suffix[width]);
		if (reader_file_of(r, key) >= 0)
			return true;
	}
	return false;
}

bool read_chain(struct reader *r)
{
	struct uarch *u = r->uarch;
	struct uarch_chain chain = { .tags = r->tags };

	if (!read_class_name(r, r->word[1], chain.producer) ||
		!read_class_name(r, r->word[2], chain.consumer) ||
		!reader_number(r, "latency", r->word[3], 0, 1000, &chain.latency, &chain.spread))
		return false;
	if (r->words > 4 &&
		(strcmp(r->word[4], "slows") != 0 || r->words != 6 ||
			!reader_number(r, "slows", r->word[5], 0, 1000, &chain.slows, NULL)))
		return rows_fail(&r->rows, "a chain is PRODUCER CONSUMER LATENCY [slows CYCLES]");
	for (int i = 1; i <= 2; i++)
		if (!has_class(r, r->word[i]))
			return rows_fail(&r->rows, "chain: no class \"%s\"", r->word[i]);
	u->chain = memory_grow(u->chain, (size_t)u->chain_count, sizeof(*u->chain));
	u->chain[u->chain_count++] = chain;
	return true;
}

/* Reads names of classes from the word `at` to the word `stop`; NULL: to the end of the line.
 * Returns the index after the last name; -1: a name is not a class, or there is none. */
static int read_crossing_classes(struct reader *r, int at, const char *stop, char **names)
{
	struct text list = { 0 };
	int first = at;

	for (; at < r->words && !(stop && strcmp(r->word[at], stop) == 0); at++) {
		if (!has_class(r, r->word[at])) {
			text_free(&list);
			rows_fail(&r->rows, "crossing: no class \"%s\"", r->word[at]);
			return -1;
		}
		text_addf(&list, " %s ", r->word[at]);
	}
	if (at == first || (stop && at == r->words)) {
		text_free(&list);
		rows_fail(&r->rows, "crossing: expected PORTS CYCLES from CLASS ... to CLASS ...");
		return -1;
	}
	free(*names);
	*names = memory_string(text_string(&list));
	text_free(&list);
	return at + 1;
}

bool read_crossing(struct reader *r)
{
	struct uarch *u = r->uarch;
	int at;

	u->crossing_ports = 0;
	if (!reader_ports(r, r->word[1], strlen(r->word[1]), &u->crossing_ports) ||
		!reader_number(r, "cycles", r->word[2], 0, 1000, &u->crossing, NULL))
		return false;
	if (strcmp(r->word[3], "from") != 0)
		return rows_fail(
			&r->rows, "crossing: expected PORTS CYCLES from CLASS ... to CLASS ...");
	at = read_crossing_classes(r, 4, "to", &u->crossing_from);
	return at > 0 && read_crossing_classes(r, at, NULL, &u->crossing_to) > 0;
}

/* ---- fusion and un-lamination */

const char *const uarch_fusion_after[FUSION_KINDS] = { "", " after copy", " after load",
	" after any" };

static bool add_fusion(struct reader *r, const char *word, struct uarch_fusion *fusion)
{
	struct uarch *u = r->uarch;
	char key[READER_KEY];

	if (!rows_name(&r->rows, "mnemonic", word, ".", fusion->mnemonic, sizeof(fusion->mnemonic)))
		return false;
	snprintf(key, sizeof(key), "fuse %s%s", word, uarch_fusion_after[fusion->kind]);
	if (!reader_claims(r, key))
		return status_is_ok(&r->rows.status);
	u->fusion = memory_grow(u->fusion, (size_t)u->fusion_count, sizeof(*u->fusion));
	u->fusion[u->fusion_count++] = *fusion;
	return true;
}

/* Reads the words of the line from the index `at` to the word `stop`, and sets a bit for each word.
 * If `stop` is NULL, reads to the end of the line. Returns the index after the last word; -1: a
 * word is not one of the `names`. */
static int read_bits(struct reader *r, int at, const char *stop, const char *what,
	const char *const *names, int count, unsigned *bits)
{
	for (; at < r->words && !(stop && strcmp(r->word[at], stop) == 0); at++) {
		int k = rows_choice(&r->rows, what, r->word[at], names, count);

		if (k < 0)
			return -1;
		*bits |= 1u << k;
	}
	return at;
}

/* Reads the branch conditions of a `fuse` line from the word `at`, for example "e ne unless memory
 * store". */
static bool read_conditions(struct reader *r, int at, struct uarch_fusion *fusion)
{
	const char *const *names = uarch_conditions(r->uarch->isa);
	int count = 0;

	while (names[count])
		count++;
	if (strcmp(r->word[at], "all") == 0) {
		fusion->conditions = ~0u;
		at++;
	}
	at = read_bits(r, at, "unless", "condition", names, count, &fusion->conditions);
	if (at + 1 == r->words)
		return rows_fail(&r->rows, "\"unless\" without a reason");
	return at >= 0 && read_bits(r, at + 1, NULL, "exception", uarch_exceptions, EXCEPTIONS,
				  &fusion->unless) >= 0;
}

bool read_fuse(struct reader *r)
{
	static const char *const kinds[] = { "copy", "load", "any" };
	struct uarch_fusion fusion = { .kind = FUSION_BRANCH };
	int end = 1, kind = -1;

	while (end < r->words && strcmp(r->word[end], "with") != 0 &&
		strcmp(r->word[end], "after") != 0)
		end++;
	if (end == 1 || end + 1 >= r->words)
		return rows_fail(&r->rows,
			"\"fuse\" needs instructions and conditions: fuse cmp test with all, fuse "
			"cmp with e ne unless memory-immediate, or fuse add sub after copy");
	if (r->word[end][0] == 'a') {
		kind = rows_choice(&r->rows, "word", r->word[end + 1], kinds, 3);
		fusion.kind = (enum fusion_kind)(FUSION_COPY + kind);
	}
	if (r->word[end][0] == 'a' ? kind < 0 : !read_conditions(r, end + 1, &fusion))
		return false;
	for (int i = 1; i < end; i++)
		if (!add_fusion(r, r->word[i], &fusion))
			return false;
	return true;
}

bool read_unlaminate(struct reader *r)
{
	static const char *const forms[] = { "never", "indexed", "decoded" };
	static const char *const exceptions[] = { "two-operand", "stores", "vectors", "modify" };
	struct uarch *u = r->uarch;
	unsigned bits = 0;
	int form = rows_choice(&r->rows, "form", r->word[1], forms, 3);

	if (form < 0)
		return false;
	u->laminate = (enum uarch_lamination)(LAMINATE_NEVER + form);
	if (r->words > 2 && (form == 0 || strcmp(r->word[2], "unless") != 0 || r->words == 3))
		return rows_fail(&r->rows,
			"unlaminate: expected never, decoded, or indexed unless two-operand "
			"stores vectors modify");
	if (read_bits(r, 3, NULL, "exception", exceptions, 4, &bits) < 0)
		return false;
	u->laminated = (enum uarch_laminated)(u->laminated | bits);
	return true;
}
