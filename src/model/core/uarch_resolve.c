/* The end of reading a core: names of ports and sets become ports, and what is missing is told. */
#include "model/core/uarch_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool find_ports(struct build *to, const char *name, size_t length, int deep, uint32_t *ports)
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

			if (!find_ports(to, at, member, deep + 1, ports))
				return false;
			at += member;
		}
		return true;
	}
	return false;
}

bool build_ports(struct build *to, const char *names, size_t length, uint32_t *ports,
	const char **bad, size_t *bad_length)
{
	*ports = 0;
	for (size_t from = 0, end; from <= length; from = end + 1) {
		const char *comma = memchr(names + from, ',', length - from);

		end = comma ? (size_t)(comma - names) : length;
		if (!find_ports(to, names + from, end - from, 0, ports)) {
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
	const char *origin = to->origin[class->file], *times = memchr(at, '*', length), *colon,
		   *name;
	struct uarch_term *term = &class->facts.term[class->facts.term_count];
	double count = 1, cycles = 1;
	const char *bad;
	size_t bad_length;
	uint32_t units;

	if (class->facts.term_count == UARCH_TERMS)
		return lines_status(
			origin, class->line, "more than %d kinds of micro-ops", UARCH_TERMS);
	if (length == 0)
		return lines_status(origin, class->line, "a \"+\" with nothing beside it");
	name = times ? times + 1 : at;
	colon = memchr(name, ':', length - (size_t)(name - at));
	if (times &&
		(!lines_decimal(at, (size_t)(times - at), &count) || count <= 0 || count > 256))
		return lines_status(origin, class->line,
			"\"%.*s\": a count is a number from above 0 to 256",
			(int)(length < 40 ? length : 40), at);
	if (colon && (!lines_decimal(colon + 1, length - (size_t)(colon + 1 - at), &cycles) ||
			     cycles <= 0 || cycles > 1000))
		return lines_status(origin, class->line,
			"\"%.*s\": cycles are a number from above 0 to 1000",
			(int)(length < 40 ? length : 40), at);
	length = (colon ? (size_t)(colon - at) : length) - (size_t)(name - at);
	if (!build_ports(to, name, length, &term->ports, &bad, &bad_length))
		return lines_status(origin, class->line, "class %s: unknown port \"%.*s\"",
			class->facts.name, (int)(bad_length < 24 ? bad_length : 24), bad);
	units = ~UINT32_C(0) << to->uarch->port_count;
	if ((term->ports & units) && (term->ports & ~units))
		return lines_status(origin, class->line, "class %s: ports and units in one term",
			class->facts.name);
	term->count = (float)count;
	term->cycles = (float)cycles;
	if (!class->has_slots && !(term->ports & units) &&
		!uarch_reserved_is_memory(class->facts.name))
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
		const char *origin = to->origin[set->file];
		uint32_t ports = 0;

		for (int k = 0; k < to->uarch->port_count + to->uarch->unit_count; k++)
			if (strcmp(to->uarch->port[k], set->name) == 0)
				return lines_status(origin, set->line,
					"set \"%s\": a port has this name", set->name);
		if (!find_ports(to, set->name, strlen(set->name), 0, &ports))
			return lines_status(origin, set->line,
				"set \"%s\" holds an unknown port, or itself: %.64s", set->name,
				set->members);
	}
	return status_ok();
}

struct status build_finish(struct build *to, const char *origin)
{
	struct uarch *u = to->uarch;
	struct status status;

	if (to->width_said.file < 0)
		return status_make(STATUS_FAILED, "%.100s: no line \"width\"", origin);
	if (to->port_count == 0)
		return status_make(STATUS_FAILED, "%.100s: no line \"ports\"", origin);
	if (to->port_count + to->unit_count > UARCH_PORTS)
		return lines_status(to->origin[to->units_said.file], to->units_said.line,
			"%d ports and %d units are too many: %d together at most", to->port_count,
			to->unit_count, UARCH_PORTS);
	memcpy(u->port, to->ports, sizeof(u->port[0]) * (size_t)to->port_count);
	memcpy(u->port + to->port_count, to->units, sizeof(u->port[0]) * (size_t)to->unit_count);
	u->port_count = to->port_count;
	u->unit_count = to->unit_count;
	for (int i = 0; i < to->unit_count; i++)
		for (int k = 0; k < to->port_count; k++)
			if (strcmp(to->units[i], to->ports[k]) == 0)
				return lines_status(to->origin[to->units_said.file],
					to->units_said.line, "unit \"%s\": a port has this name",
					to->units[i]);
	status = check_sets(to);
	u->class = memory_new((size_t)to->class_count, sizeof(*u->class));
	for (int i = 0; i < to->class_count && status_is_ok(&status); i++) {
		status = resolve_class(to, &to->class[i]);
		u->class[u->class_count++] = to->class[i].facts;
	}
	qsort(u->class, (size_t)u->class_count, sizeof(*u->class), by_name);
	for (int i = 0; i < u->chain_count && status_is_ok(&status); i++) {
		const struct uarch_chain *chain = &u->chain[i];
		const char *missing = !has_class(to, chain->producer)	? chain->producer
				      : !has_class(to, chain->consumer) ? chain->consumer
									: NULL;

		if (missing)
			status = lines_status(to->origin[chain->file], chain->line,
				"chain: no class \"%s\"", missing);
	}
	return status_is_ok(&status) ? build_events(to) : status;
}
