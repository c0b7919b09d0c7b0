/* One core's file → struct uarch. The format: data/uarch/README.md.
 *
 * Sets and classes are kept as they are written until the end (uarch_resolve.c), so that a core
 * that inherits may name ports and sets anew and what it inherits follows. */
#include "model/core/uarch_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

int reader_find(
	struct reader *r, const char *what, const char *word, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], word) == 0)
			return i;
	lines_unknown(&r->lines, what, word, names, (size_t)count);
	return -1;
}

bool reader_words(struct reader *r, int least, int most, const char *form)
{
	if (r->lines.words >= least && r->lines.words <= most)
		return true;
	return lines_fail(&r->lines, "%s words in \"%.12s\": %s",
		r->lines.words < least ? "too few" : "too many", r->lines.word[0], form);
}

bool reader_said(struct reader *r, const char *what, int line)
{
	return lines_fail(&r->lines, "%s stands in line %d already", what, line);
}

bool reader_say(struct reader *r, const char *what, struct build_place *place)
{
	if (place->file == r->file)
		return reader_said(r, what, place->line);
	*place = (struct build_place){ .file = r->file, .line = r->lines.line };
	return true;
}

bool reader_unsourced(struct reader *r)
{
	return lines_fail(&r->lines, "this line has no source: end it with [TAG]");
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
	if (!reader_words(r, 2, 2, "isa x86_64 or isa aarch64"))
		return false;
	isa = reader_find(r, "instruction set", r->lines.word[1], names, 2);
	if (isa >= 0)
		snprintf(u->isa, sizeof(u->isa), "%s", names[isa]);
	return isa >= 0;
}

static bool read_file(
	struct build *to, const char *text, const char *origin, struct status *status);

static bool read_from(struct reader *r)
{
	struct build *to = r->to;
	struct uarch *u = to->uarch;
	char name[UARCH_NAME], title[sizeof(u->title)], isa[sizeof(u->isa)], parent[UARCH_NAME],
		file[48];
	char origin[256], *text;
	struct status status;

	if (r->statements != 2)
		return lines_fail(&r->lines, "\"from\" stands directly after \"isa\" only");
	if (!reader_words(r, 2, 2, "from NAME") ||
		!lines_name(&r->lines, r->lines.word[1], "name", ".-", parent, sizeof(parent)))
		return false;
	snprintf(to->name[to->depth - 1], UARCH_NAME, "%s", u->name);
	for (int i = 0; i < to->depth; i++)
		if (strcmp(to->name[i], parent) == 0)
			return lines_fail(
				&r->lines, "from %s: a core cannot inherit from itself", parent);
	if (to->depth == BUILD_DEPTH)
		return lines_fail(&r->lines, "from %s: more than %d cores inherit from each other",
			parent, BUILD_DEPTH - 1);
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
		lines_fail(&r->lines, "from %s: its instruction set is %s, not %s", parent, u->isa,
			isa);
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
/* ---- ports and sets */

static bool read_width(struct reader *r)
{
	if (!reader_words(r, 2, 2, "width SLOTS, or width unknown") ||
		!reader_say(r, "width", &r->to->width_said))
		return false;
	if (strcmp(r->lines.word[1], "unknown") == 0) {
		r->to->uarch->width = UARCH_UNKNOWN;
		return true;
	}
	if (!r->lines.tagged)
		return reader_unsourced(r);
	if (!lines_number(&r->lines, r->lines.word[1], "width", 1, 64, &r->to->uarch->width))
		return false;
	r->to->uarch->width_spread = r->lines.spread;
	return true;
}

static bool read_names(struct reader *r)
{
	struct build *to = r->to;
	bool units = r->lines.word[0][0] == 'u';
	char(*list)[12] = units ? to->units : to->ports;
	int *count = units ? &to->unit_count : &to->port_count;

	if (r->lines.words < 2)
		return lines_fail(&r->lines, "\"%s\" names none", r->lines.word[0]);
	if (!reader_say(r, r->lines.word[0], units ? &to->units_said : &to->ports_said))
		return false;
	if (r->lines.words - 1 > UARCH_PORTS)
		return lines_fail(&r->lines, "%d %s are too many: %d ports and units at most",
			r->lines.words - 1, r->lines.word[0], UARCH_PORTS);
	*count = 0;
	for (int i = 1; i < r->lines.words; i++) {
		if (!lines_name(&r->lines, r->lines.word[i], units ? "unit" : "port", "-",
			    list[*count], 12))
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
	struct build *to = r->to;
	char name[12];
	struct build_set *set = NULL;

	if (r->lines.words < 3)
		return lines_fail(&r->lines, "too few words: set NAME PORT ...");
	if (!lines_name(&r->lines, r->lines.word[1], "set", "-", name, sizeof(name)))
		return false;
	for (int i = 0; i < to->set_count && !set; i++)
		if (strcmp(to->set[i].name, name) == 0)
			set = &to->set[i];
	if (set && set->file == r->file)
		return reader_said(r, "this set", set->line);
	if (!set && to->set_count == BUILD_SETS)
		return lines_fail(&r->lines, "more than %d sets", BUILD_SETS);
	if (!set)
		set = &to->set[to->set_count++];
	memcpy(set->name, name, sizeof(name));
	set->file = r->file;
	set->line = r->lines.line;
	return lines_join(&r->lines, 2, "the list of ports", set->members, sizeof(set->members));
}
/* ---- classes */

bool reader_class_name(struct reader *r, const char *word, char *name)
{
	static const char *const widths[] = { "8", "16", "32", "64", "128", "256", "512" };
	const char *dot = strchr(word, '.');

	if (!lines_name(&r->lines, word, "class", ".-", name, UARCH_NAME))
		return false;
	if (!dot)
		return true;
	if (dot == word)
		return lines_fail(&r->lines, "class \"%s\" has no name", word);
	return reader_find(r, "width", dot + 1, widths, 7) >= 0;
}

struct build_class *build_find_class(struct build *to, const char *name)
{
	for (int i = 0; i < to->class_count; i++)
		if (strcmp(to->class[i].facts.name, name) == 0)
			return &to->class[i];
	return NULL;
}

static bool read_class_words(struct reader *r, struct build_class *class)
{
	int i = 2;

	class->facts.latency = class->facts.accumulate = class->facts.each = UARCH_UNKNOWN;
	class->facts.tags = r->lines.tags;
	for (; i < r->lines.words && strcmp(r->lines.word[i], "ports") != 0; i += 2) {
		const char *word = r->lines.word[i];
		double *value = strcmp(word, "latency") == 0	  ? &class->facts.latency
				: strcmp(word, "accumulate") == 0 ? &class->facts.accumulate
				: strcmp(word, "each") == 0	  ? &class->facts.each
				: strcmp(word, "slots") == 0	  ? &class->facts.slots
								  : NULL;

		if (!value) {
			static const char *const names[] = { "latency", "accumulate", "each",
				"slots", "ports" };

			return lines_unknown(&r->lines, "word", word, names, 5);
		}
		if (i + 1 >= r->lines.words)
			return lines_fail(&r->lines, "\"%s\" without a number", word);
		if (value == &class->facts.slots)
			class->has_slots = true;
		if (value == &class->facts.accumulate &&
			strcmp(r->lines.word[i + 1], "unknown") == 0) {
			class->facts.accumulate_unknown = true;
			continue;
		}
		if (!lines_number(&r->lines, r->lines.word[i + 1], word, 0, 1000, value))
			return false;
		if (value == &class->facts.latency)
			class->facts.latency_spread = r->lines.spread;
		if (value == &class->facts.accumulate)
			class->facts.accumulate_spread = r->lines.spread;
		if (value == &class->facts.each)
			class->facts.each_spread = r->lines.spread;
	}
	if (i + 1 >= r->lines.words)
		return lines_fail(&r->lines,
			"class %s does not say its ports: ports TERM + TERM, ports none, or ports "
			"unknown",
			class->facts.name);
	class->facts.executes = strcmp(r->lines.word[i + 1], "unknown") != 0;
	if (i == 2 && class->facts.executes && !r->lines.tagged)
		return reader_unsourced(r);
	return lines_join(
		&r->lines, i + 1, "the list of micro-ops", class->terms, sizeof(class->terms));
}

static bool read_class(struct reader *r)
{
	struct build *to = r->to;
	struct build_class class = { .file = r->file, .line = r->lines.line }, *old;

	if (r->lines.words < 4)
		return lines_fail(
			&r->lines, "too few words: class NAME latency L slots S ports TERM + TERM");
	if (!reader_class_name(r, r->lines.word[1], class.facts.name))
		return false;
	old = build_find_class(to, class.facts.name);
	if (old && old->file == r->file)
		return reader_said(r, "this class", old->line);
	if (!read_class_words(r, &class))
		return false;
	/* That something is unknown needs no source. */
	if ((class.facts.executes || r->lines.words > 4) && !r->lines.tagged)
		return reader_unsourced(r);
	if (old) {
		*old = class;
		return true;
	}
	if (to->class_count == BUILD_CLASSES)
		return lines_fail(&r->lines, "more than %d classes", BUILD_CLASSES);
	if (to->class_count == to->class_room) {
		to->class_room = to->class_room ? to->class_room * 2 : 128;
		to->class = memory_resize(to->class, (size_t)to->class_room, sizeof(*to->class));
	}
	to->class[to->class_count++] = class;
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
	{ "ports", true, read_names },
	{ "units", false, read_names },
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
	const char *word = r->lines.words > 0 ? r->lines.word[0] : "";
	const char *names[STATEMENTS];

	for (int i = 0; i < STATEMENTS; i++) {
		names[i] = statements[i].word;
		if (strcmp(word, statements[i].word) != 0)
			continue;
		if (r->statements == 0 && statements[i].read != read_uarch)
			return lines_fail(&r->lines, "the first line is: uarch NAME TITLE");
		if (r->statements == 1 && statements[i].read != read_isa)
			return lines_fail(
				&r->lines, "the second line is: isa x86_64, or isa aarch64");
		if (statements[i].sourced && !r->lines.tagged)
			return reader_unsourced(r);
		r->to->uarch->tags |= r->lines.tags;
		if (!statements[i].read(r))
			return false;
		r->statements++;
		return true;
	}
	return lines_unknown(&r->lines, "word", word, names, STATEMENTS);
}

static bool read_file(struct build *to, const char *text, const char *origin, struct status *status)
{
	struct reader r = { .to = to, .file = to->files };

	snprintf(to->origin[to->files++], sizeof(to->origin[0]), "%s", origin);
	lines_begin(&r.lines, text, origin, &to->uarch->sources);
	while (lines_next(&r.lines) && read_statement(&r))
		;
	if (r.statements < 2)
		lines_fail(&r.lines,
			"the file begins with: uarch NAME TITLE, and isa x86_64 or isa aarch64");
	*status = r.lines.status;
	lines_end(&r.lines);
	return status_is_ok(status);
}
struct status uarch_read(const char *text, const char *origin, struct uarch **out)
{
	struct build *to = memory_new(1, sizeof(*to));
	struct uarch *u = memory_new(1, sizeof(*u));
	struct status status;

	*out = NULL;
	to->uarch = u;
	to->depth = 1;
	to->ports_said.file = to->units_said.file = to->width_said.file = to->laminate_said.file =
		-1;
	to->pmu_said.file = -1;
	u->width = UARCH_UNKNOWN;
	for (int i = 0; i < UARCH_FACTS; i++) {
		u->fact[i] = UARCH_UNKNOWN;
		to->fact_said[i].file = -1;
	}
	for (int i = 0; i < 3; i++)
		to->cache_said[i].file = -1;
	status = sources_load(&u->sources);
	if (status_is_ok(&status) && read_file(to, text, origin, &status))
		status = build_finish(to, origin);
	free(to->class);
	free(to);
	if (status_is_ok(&status))
		*out = u;
	else
		uarch_free(u);
	return status;
}
