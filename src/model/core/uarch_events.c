/* Reads the lines `pmu` and `event`: the counter events of a core, by role. */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- Roles of events */

#define ROLE_FACTS(identifier, name, title, must, many) { name, title, must, many },
const struct event_role_facts event_roles[ROLE_COUNT] = { EVENT_ROLES(ROLE_FACTS) };
#undef ROLE_FACTS

enum event_role role_find(const char *name)
{
	int role = 0;

	while (role < ROLE_COUNT && strcmp(event_roles[role].name, name) != 0)
		role++;
	return (enum event_role)role;
}

struct event_title events_title(const struct uarch_event *meaning, const struct uarch *uarch)
{
	struct event_title result = { "" };
	struct text title = { 0 };

	for (int i = 0; meaning->role == ROLE_PORTS && i < UARCH_PORTS; i++) {
		if (!(meaning->ports >> i & 1))
			continue;
		text_add(&title, title.length ? " " : "");
		if (uarch && i < uarch_port_count(uarch))
			text_add(&title, uarch->port[i]);
		else
			text_addf(&title, "port %d", i);
	}
	if (meaning->role != ROLE_PORTS)
		text_addf(&title, "%s%s%s",
			meaning->role == ROLE_EXTRA ? meaning->name
						    : event_roles[meaning->role].title,
			meaning->words[0] ? ": " : "", meaning->words);
	snprintf(result.text, sizeof(result.text), "%s",
		meaning->title[0] ? meaning->title : text_string(&title));
	text_free(&title);
	return result;
}

/* ---- The lines `pmu` and `event` */

const char event_form[] =
	"event ROLE = NAME, event ports P,P = NAME, or event stalled WORDS = NAME";

bool read_pmu(struct reader *r)
{
	if (strcmp(r->word[1], "none") == 0)
		return true;
	if (!r->tagged)
		return reader_unsourced(r);
	return rows_name(&r->rows, "pmu", r->word[1], "_", r->uarch->pmu, sizeof(r->uarch->pmu));
}

/* Reads the words between the role and the "=" of an `event` line: the ports, or the name of what
 * the event counts. `none` is true if the line ends with "none", which removes an inherited event.
 */
static bool read_of(struct reader *r, bool none, struct uarch_event *event)
{
	const struct event_role_facts *role = &event_roles[event->role];
	int words = r->words - 4;

	if (!role->many && words > 0)
		return rows_fail(&r->rows, "a core has only one event %s: expected event %s = NAME",
			role->name, role->name);
	if (role->many && words == 0 && !none)
		return rows_fail(
			&r->rows, "event %s needs words: expected %s", role->name, event_form);
	if (event->role != ROLE_PORTS)
		return reader_join(r, 2, r->words - 2, "the name of the event", event->words,
			sizeof(event->words));
	if (words > 1)
		return rows_fail(&r->rows,
			"expected ports joined by commas, without blanks: event ports P,P = NAME");
	return words == 0 || (reader_ports(r, r->word[2], strlen(r->word[2]), &event->ports) &&
				     (!(event->ports >> r->uarch->port_count) ||
					     rows_fail(&r->rows,
						     "event ports %.40s: expected ports, because a "
						     "unit has no events",
						     r->word[2])));
}

static bool same_event(const struct uarch_event *a, const struct uarch_event *b)
{
	return a->role == b->role && a->ports == b->ports && strcmp(a->words, b->words) == 0;
}

/* Removes inherited events for a line `event … = none`: one event, or all events of the role. */
static bool take_back(struct reader *r, const struct uarch_event *event)
{
	struct uarch *u = r->uarch;
	bool all = r->words == 4; /* a line `event ROLE = none` without words after the role removes
				     all events of the role */
	int kept = 0, count = u->event_count;

	for (int i = 0; i < count; i++) {
		if (u->event[i].role == event->role && (all || same_event(&u->event[i], event)) &&
			r->event_place[i].file != r->file)
			continue;
		r->event_place[kept] = r->event_place[i];
		u->event[kept++] = u->event[i];
	}
	u->event_count = kept;
	return kept < count || rows_fail(&r->rows, "event %s%s%.40s is not inherited", r->word[1],
				       r->words > 4 ? " " : "", r->words > 4 ? r->word[2] : "");
}

/* Builds the full name of an event: PMU::NAME. */
static bool name_event(struct reader *r, const char *word, struct uarch_event *event)
{
	const char *pmu = r->uarch->pmu;

	if (!rows_name(&r->rows, "event", word, "_:.=-", event->name, sizeof(event->name)))
		return false;
	if (strstr(word, "::"))
		return true;
	if (!*pmu)
		return rows_fail(&r->rows,
			"event %.60s has no PMU: write PMU::%.40s, or a line \"pmu\"", word, word);
	return snprintf(event->name, sizeof(event->name), "%s::%s", pmu, word) <
		       (int)sizeof(event->name) ||
	       rows_fail(&r->rows, "event %.40s is longer than %zu bytes with its PMU", word,
		       sizeof(event->name) - 1);
}

static bool add_event(struct reader *r, struct uarch_event *event)
{
	struct uarch *u = r->uarch;
	int at = 0;

	while (at < u->event_count && !same_event(&u->event[at], event))
		at++;
	if (at < u->event_count && r->event_place[at].file == r->file)
		return rows_fail(&r->rows, "event %.24s is already in line %d", r->word[1],
			r->event_place[at].line);
	if (at == READER_EVENTS)
		return rows_fail(&r->rows, "more than %d events", READER_EVENTS);
	if (at == u->event_count)
		u->event = memory_resize(u->event, (size_t)++u->event_count, sizeof(*u->event));
	memcpy(event->core, u->name, sizeof(event->core));
	memcpy(event->title, events_title(event, u).text, sizeof(event->title));
	r->event_place[at] = (struct event_place){ r->file, r->rows.line };
	u->event[at] = *event;
	return true;
}

bool read_event(struct reader *r)
{
	struct uarch_event event = { .tags = r->tags };
	const char *names[ROLE_EXTRA], *name = r->words > 0 ? r->word[r->words - 1] : "";
	bool none = strcmp(name, "none") == 0;
	int role, pmu;

	if (r->words < 4 || strcmp(r->word[r->words - 2], "=") != 0)
		return rows_fail(&r->rows, "expected %s", event_form);
	for (int i = 0; i < ROLE_EXTRA; i++)
		names[i] = event_roles[i].name;
	role = rows_choice(&r->rows, "role", r->word[1], names, ROLE_EXTRA);
	if (role < 0)
		return false;
	event.role = (enum event_role)role;
	/* A line `event … = none` of a core file needs no mark of a source, because it states no
	 * fact. */
	if (!none && !r->tagged)
		return reader_unsourced(r);
	/* A core with `pmu none` inherits only events that name their PMU. */
	pmu = reader_file_of(r, "pmu");
	if (!*r->uarch->pmu && pmu >= 0 && pmu < r->file && !strstr(name, "::"))
		return true;
	if (!read_of(r, none, &event))
		return false;
	if (none)
		return take_back(r, &event);
	return name_event(r, name, &event) && add_event(r, &event);
}

struct status events_parse(
	const char *text, const char *origin, struct uarch_event *event, int most, int *count)
{
	static const char *const names[] = { "event" };
	struct uarch *u = memory_new(1, sizeof(*u));
	struct reader *r = memory_new(1, sizeof(*r));
	struct status status = sources_load(&u->sources);

	r->uarch = u;
	reader_open(r, text, origin);
	r->rows.status = status;
	while (reader_next(r) &&
		rows_choice(&r->rows, "word", r->words > 0 ? r->word[0] : "", names, 1) >= 0 &&
		read_event(r))
		;
	status = rows_end(&r->rows);
	for (*count = 0; status_is_ok(&status) && *count < u->event_count && *count < most;
		(*count)++)
		event[*count] = u->event[*count];
	uarch_free(u);
	free(r);
	return status;
}
