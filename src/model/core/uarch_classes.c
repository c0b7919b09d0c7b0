/* Ports, units and sets of ports, and classes with their micro-ops. */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- ports and sets */

bool read_ports(struct reader *r)
{
	struct build *to = r->to;
	bool units = r->word[0][0] == 'u';
	char(*list)[12] = units ? to->units : to->ports;
	int *count = units ? &to->unit_count : &to->port_count;

	if (r->words < 2)
		return rows_fail(&r->rows, "\"%s\" names nothing", r->word[0]);
	if (!reader_state(r, r->word[0], units ? &to->units_place : &to->ports_place))
		return false;
	if (r->words - 1 > UARCH_PORTS)
		return rows_fail(&r->rows, "%d %s are too many: %d ports and units at most",
			r->words - 1, r->word[0], UARCH_PORTS);
	*count = 0;
	for (int i = 1; i < r->words; i++) {
		if (!rows_name(
			    &r->rows, units ? "unit" : "port", r->word[i], "-", list[*count], 12))
			return false;
		if (strcmp(list[*count], "none") == 0 || strcmp(list[*count], "unknown") == 0)
			return rows_fail(
				&r->rows, "no port can have the name \"%s\"", list[*count]);
		for (int k = 0; k < *count; k++)
			if (strcmp(list[k], list[*count]) == 0)
				return rows_fail(&r->rows, "\"%s\" is listed twice", list[k]);
		(*count)++;
	}
	return true;
}

bool read_set(struct reader *r)
{
	struct build *to = r->to;
	char name[12];
	int at = 0;

	if (!reader_words(r, 3, UARCH_WORDS, "set NAME PORT ...") ||
		!rows_name(&r->rows, "set", r->word[1], "-", name, sizeof(name)))
		return false;
	while (at < to->set_count && strcmp(to->set[at].name, name) != 0)
		at++;
	if (at == BUILD_SETS)
		return rows_fail(&r->rows, "more than %d sets", BUILD_SETS);
	if (!reader_state(r, "this set", &to->set[at].place))
		return false;
	to->set_count += at == to->set_count;
	memcpy(to->set[at].name, name, sizeof(name));
	return reader_join(
		r, 2, "the list of ports", to->set[at].members, sizeof(to->set[at].members));
}
/* ---- classes */

static struct build_class *find_class(struct build *to, const char *name)
{
	for (int i = 0; i < to->class_count; i++)
		if (strcmp(to->class[i].facts.name, name) == 0)
			return &to->class[i];
	return NULL;
}

/* One number of a class line, at words `at` and at + 1. */
static bool read_class_number(struct reader *r, struct build_class *class, int at)
{
	static const char *const names[] = { "latency", "accumulate", "each", "slots", "ports" };
	struct uarch_class *facts = &class->facts;
	double slots_spread;
	double *const value[] = { &facts->latency, &facts->accumulate, &facts->each,
		&facts->slots };
	double *const spread[] = { &facts->latency_spread, &facts->accumulate_spread,
		&facts->each_spread, &slots_spread };
	int kind = rows_choice(&r->rows, "word", r->word[at], names, 5);

	if (kind < 0)
		return false;
	if (at + 1 >= r->words)
		return rows_fail(&r->rows, "\"%s\" without a number", names[kind]);
	if (value[kind] == &facts->slots)
		class->has_slots = true;
	if (value[kind] == &facts->accumulate && strcmp(r->word[at + 1], "unknown") == 0) {
		facts->accumulate_unknown = true;
		return true;
	}
	if (!reader_number(r, names[kind], r->word[at + 1], 0, 1000, value[kind]))
		return false;
	*spread[kind] = r->spread;
	return true;
}

static bool read_class_words(struct reader *r, struct build_class *class)
{
	int i = 2;

	class->facts.latency = class->facts.accumulate = class->facts.each = UARCH_UNKNOWN;
	class->facts.tags = r->tags;
	for (; i < r->words && strcmp(r->word[i], "ports") != 0; i += 2)
		if (!read_class_number(r, class, i))
			return false;
	if (i + 1 >= r->words)
		return rows_fail(&r->rows,
			"class %s does not state its ports: expected ports TERM + TERM, ports "
			"none, or ports unknown",
			class->facts.name);
	class->facts.executes = strcmp(r->word[i + 1], "unknown") != 0;
	/* An unknown class needs no source. */
	if ((class->facts.executes || r->words > 4) && !r->tagged)
		return reader_unsourced(r);
	return reader_join(r, i + 1, "the list of micro-ops", class->terms, sizeof(class->terms));
}

bool read_class(struct reader *r)
{
	struct build *to = r->to;
	struct build_class class = { 0 }, *old;

	if (!reader_words(r, 4, UARCH_WORDS, "class NAME latency L slots S ports TERM + TERM") ||
		!reader_class_name(r, r->word[1], class.facts.name))
		return false;
	old = find_class(to, class.facts.name);
	if (old)
		class.place = old->place;
	if (!reader_state(r, "this class", &class.place) || !read_class_words(r, &class))
		return false;
	if (old) {
		*old = class;
		return true;
	}
	if (to->class_count == BUILD_CLASSES)
		return rows_fail(&r->rows, "more than %d classes", BUILD_CLASSES);
	if (to->class_count == to->class_room) {
		to->class_room = to->class_room ? to->class_room * 2 : 128;
		to->class = memory_resize(to->class, (size_t)to->class_room, sizeof(*to->class));
	}
	to->class[to->class_count++] = class;
	return true;
}

bool forget_class(struct reader *r, const char *name)
{
	struct build_class *class = find_class(r->to, name);

	if (!class)
		return rows_fail(&r->rows, "class \"%.24s\" is not inherited", name);
	*class = r->to->class[--r->to->class_count];
	return true;
}
/* ---- names become ports */

static bool find_port(struct build *to, const char *name, size_t length, int deep, uint32_t *ports)
{
	struct uarch *u = to->uarch;

	for (int i = 0; i < u->port_count + u->unit_count; i++)
		if (strlen(u->port[i]) == length && memcmp(u->port[i], name, length) == 0) {
			*ports |= UINT32_C(1) << i;
			return true;
		}
	for (int i = 0; i < to->set_count && deep < BUILD_SETS; i++) {
		const char *at = to->set[i].members;

		if (strlen(to->set[i].name) != length || memcmp(to->set[i].name, name, length) != 0)
			continue;
		for (; *at; at += strspn(at, " ")) {
			size_t member = strcspn(at, " ");

			if (!find_port(to, at, member, deep + 1, ports))
				return false;
			at += member;
		}
		return true;
	}
	return false;
}

bool find_ports(struct build *to, const char *names, size_t length, uint32_t *ports,
	const char **bad, size_t *bad_length)
{
	*ports = 0;
	for (size_t from = 0, end; from <= length; from = end + 1) {
		const char *comma = memchr(names + from, ',', length - from);

		end = comma ? (size_t)(comma - names) : length;
		if (!find_port(to, names + from, end - from, 0, ports)) {
			*bad = names + from;
			*bad_length = end - from;
			return false;
		}
	}
	return true;
}

static struct status resolve_term(
	struct build *to, struct build_class *class, const char *at, size_t length)
{
	const char *origin = to->origin[class->place.file], *times = memchr(at, '*', length),
		   *colon, *name;
	struct uarch_term *term = &class->facts.term[class->facts.term_count];
	double count = 1, cycles = 1;
	const char *bad;
	size_t bad_length;
	uint32_t units;

	if (class->facts.term_count == UARCH_TERMS)
		return rows_status(
			origin, class->place.line, "more than %d kinds of micro-ops", UARCH_TERMS);
	if (length == 0)
		return rows_status(origin, class->place.line, "no micro-op next to a \"+\"");
	name = times ? times + 1 : at;
	colon = memchr(name, ':', length - (size_t)(name - at));
	if (times && (!rows_decimal(at, (size_t)(times - at), &count) || count <= 0 || count > 256))
		return rows_status(origin, class->place.line,
			"\"%.*s\": a count is a number from above 0 to 256",
			(int)(length < 40 ? length : 40), at);
	if (colon && (!rows_decimal(colon + 1, length - (size_t)(colon + 1 - at), &cycles) ||
			     cycles <= 0 || cycles > 1000))
		return rows_status(origin, class->place.line,
			"\"%.*s\": cycles are a number from above 0 to 1000",
			(int)(length < 40 ? length : 40), at);
	length = (colon ? (size_t)(colon - at) : length) - (size_t)(name - at);
	if (!find_ports(to, name, length, &term->ports, &bad, &bad_length))
		return rows_status(origin, class->place.line, "class %s: unknown port \"%.*s\"",
			class->facts.name, (int)(bad_length < 24 ? bad_length : 24), bad);
	units = ~UINT32_C(0) << to->uarch->port_count;
	if ((term->ports & units) && (term->ports & ~units))
		return rows_status(origin, class->place.line,
			"class %s: ports and units in one term", class->facts.name);
	term->count = (float)count;
	term->cycles = (float)cycles;
	if (!class->has_slots && !(term->ports & units) &&
		!uarch_class_is_memory(class->facts.name))
		class->facts.slots += count;
	class->facts.term_count++;
	return status_ok();
}

static struct status resolve_class(struct build *to, struct build_class *class)
{
	const char *at = class->terms;
	struct status status = status_ok();

	if (strcmp(at, "none") != 0 && strcmp(at, "unknown") != 0)
		for (bool more = true; more && status_is_ok(&status);) {
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

static bool has_class(const struct build *to, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < to->class_count; i++)
		if (strncmp(to->class[i].facts.name, name, length) == 0 &&
			(to->class[i].facts.name[length] == '\0' ||
				to->class[i].facts.name[length] == '.'))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct uarch_class *)a)->name, ((const struct uarch_class *)b)->name);
}

static struct status check_sets(struct build *to)
{
	for (int i = 0; i < to->set_count; i++) {
		const struct build_set *set = &to->set[i];
		const char *origin = to->origin[set->place.file];
		uint32_t ports = 0;

		for (int k = 0; k < to->uarch->port_count + to->uarch->unit_count; k++)
			if (strcmp(to->uarch->port[k], set->name) == 0)
				return rows_status(origin, set->place.line,
					"set \"%s\": a port has this name", set->name);
		if (!find_port(to, set->name, strlen(set->name), 0, &ports))
			return rows_status(origin, set->place.line,
				"set \"%s\" holds an unknown port, or itself: %.64s", set->name,
				set->members);
	}
	return status_ok();
}

static struct status check_chains(const struct build *to)
{
	for (int i = 0; i < to->uarch->chain_count; i++) {
		const struct uarch_chain *chain = &to->uarch->chain[i];
		const char *missing = !has_class(to, chain->producer)	? chain->producer
				      : !has_class(to, chain->consumer) ? chain->consumer
									: NULL;

		if (missing)
			return rows_status(to->origin[chain->place.file], chain->place.line,
				"chain: no class \"%s\"", missing);
	}
	return status_ok();
}

struct status finish_classes(struct build *to)
{
	struct uarch *u = to->uarch;
	const char *units_origin = to->origin[to->units_place.file];
	struct status status;

	if (to->port_count + to->unit_count > UARCH_PORTS)
		return rows_status(units_origin, to->units_place.line,
			"%d ports and %d units are too many: %d together at most", to->port_count,
			to->unit_count, UARCH_PORTS);
	memcpy(u->port, to->ports, sizeof(u->port[0]) * (size_t)to->port_count);
	memcpy(u->port + to->port_count, to->units, sizeof(u->port[0]) * (size_t)to->unit_count);
	u->port_count = to->port_count;
	u->unit_count = to->unit_count;
	for (int i = 0; i < to->unit_count; i++)
		for (int k = 0; k < to->port_count; k++)
			if (strcmp(to->units[i], to->ports[k]) == 0)
				return rows_status(units_origin, to->units_place.line,
					"unit \"%s\": a port has this name", to->units[i]);
	status = check_sets(to);
	u->class = memory_new((size_t)to->class_count, sizeof(*u->class));
	for (int i = 0; i < to->class_count && status_is_ok(&status); i++) {
		status = resolve_class(to, &to->class[i]);
		u->class[u->class_count++] = to->class[i].facts;
	}
	qsort(u->class, (size_t)u->class_count, sizeof(*u->class), by_name);
	return status_is_ok(&status) ? check_chains(to) : status;
}
