/* Lines `pmu` and `event`: the roles of a core's counter events. */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- roles */

static const struct {
	const char *name, *title;
	bool must; /* every program raises it */
	bool many; /* a core may have several */
} rows[ROLE_COUNT] = {
	[ROLE_CYCLES] = { "cycles", "cycles", true, false },
	[ROLE_INSTRUCTIONS] = { "instructions", "instructions", true, false },
	[ROLE_UOPS] = { "uops", "micro-ops", true, false },
	[ROLE_UOPS_RETIRED] = { "uops-retired", "micro-ops retired", true, false },
	[ROLE_UOPS_EXECUTED] = { "uops-executed", "micro-ops executed", true, false },
	[ROLE_PORTS] = { "ports", "ports", false, true },
	[ROLE_DISPATCHED] = { "dispatched", "dispatched", false, true },
	[ROLE_LOADS] = { "loads", "loads", false, false },
	[ROLE_STORES] = { "stores", "stores", false, false },
	[ROLE_BRANCHES] = { "branches", "branches", false, false },
	[ROLE_MISPREDICTIONS] = { "mispredictions", "mispredictions", false, false },
	[ROLE_L1_MISSES] = { "l1-misses", "L1 misses", false, false },
	[ROLE_L2_MISSES] = { "l2-misses", "L2 misses", false, false },
	[ROLE_L3_MISSES] = { "l3-misses", "L3 misses", false, false },
	[ROLE_DTLB_MISSES] = { "dtlb-misses", "TLB misses", false, false },
	[ROLE_DTLB_WALKS] = { "dtlb-walks", "page walks", false, false },
	[ROLE_STALLED] = { "stalled", "stalled", false, true },
	[ROLE_EXTRA] = { "extra", "extra", false, true },
};

const char *role_name(enum event_role role)
{
	return rows[role].name;
}
const char *role_title(enum event_role role)
{
	return rows[role].title;
}
bool role_must(enum event_role role)
{
	return rows[role].must;
}
bool role_single(enum event_role role)
{
	return !rows[role].many;
}

enum event_role role_find(const char *name)
{
	int role = 0;

	while (role < ROLE_COUNT && strcmp(rows[role].name, name) != 0)
		role++;
	return (enum event_role)role;
}

int uarch_event_count(const struct uarch *uarch)
{
	return uarch->event_count;
}

const struct uarch_event *uarch_event(const struct uarch *uarch, int index)
{
	return &uarch->event[index];
}

const char *uarch_pmu(const struct uarch *uarch)
{
	return uarch->pmu;
}

static void port_names(uint32_t ports, const struct uarch *uarch, char *buffer, size_t size)
{
	for (int i = 0; i < UARCH_PORTS; i++) {
		size_t used = strlen(buffer);
		const char *blank = used ? " " : "";

		if (!(ports >> i & 1))
			continue;
		if (uarch && i < uarch_port_count(uarch))
			snprintf(buffer + used, size - used, "%s%s", blank, uarch_port(uarch, i));
		else
			snprintf(buffer + used, size - used, "%sport %d", blank, i);
	}
}

void events_title(
	const struct uarch_event *meaning, const struct uarch *uarch, char *buffer, size_t size)
{
	buffer[0] = '\0';
	if (meaning->title[0])
		snprintf(buffer, size, "%s", meaning->title);
	else if (meaning->role == ROLE_PORTS)
		port_names(meaning->ports, uarch, buffer, size);
	else if (meaning->role == ROLE_EXTRA)
		snprintf(buffer, size, "%s", meaning->name);
	else if (meaning->words[0])
		snprintf(buffer, size, "%s: %s", role_title(meaning->role), meaning->words);
	else
		snprintf(buffer, size, "%s", role_title(meaning->role));
}

/* ---- lines */

static const char event_form[] =
	"event ROLE = NAME, event ports P,P = NAME, or event stalled WORDS = NAME";

bool read_pmu(struct reader *r)
{
	struct uarch *u = r->to->uarch;

	if (!reader_words(r, 2, 2, "pmu NAME, or pmu none") ||
		!reader_state(r, "pmu", &r->to->pmu_place))
		return false;
	if (strcmp(r->word[1], "none") == 0) {
		u->pmu[0] = '\0';
		return true;
	}
	if (!r->tagged)
		return reader_unsourced(r);
	return rows_name(&r->rows, "pmu", r->word[1], "_", u->pmu, sizeof(u->pmu));
}

/* The words between the role and the "=": ports, or what is counted. */
static bool read_of(struct reader *r, struct build_event *event)
{
	const char *role = role_name(event->role);
	bool ports = event->role == ROLE_PORTS, joined;
	int words = r->words - 4;

	if (role_single(event->role) && words > 0)
		return rows_fail(
			&r->rows, "a core has one event %s: expected event %s = NAME", role, role);
	if (!role_single(event->role) && words == 0 && strcmp(event->name, "none") != 0)
		return rows_fail(&r->rows, "event %s needs words: expected %s", role, event_form);
	if (ports && words > 1)
		return rows_fail(&r->rows,
			"ports are joined by commas, without blanks: event ports P,P = NAME");
	r->words -= 2;
	joined = reader_join(r, 2, ports ? "the list of ports" : "what is counted", event->of,
		ports ? sizeof(event->of) : EVENT_WORDS);
	r->words += 2;
	return joined;
}

bool read_event(struct reader *r)
{
	struct build *to = r->to;
	struct build_event event = { .tags = r->tags, .place = { r->file, r->rows.line } };
	const char *names[ROLE_EXTRA], *name = r->words > 0 ? r->word[r->words - 1] : "";
	int role;

	if (r->words < 4 || strcmp(r->word[r->words - 2], "=") != 0)
		return rows_fail(&r->rows, "expected %s", event_form);
	for (int i = 0; i < ROLE_EXTRA; i++)
		names[i] = role_name((enum event_role)i);
	role = rows_choice(&r->rows, "role", r->word[1], names, ROLE_EXTRA);
	if (role < 0 ||
		!rows_name(&r->rows, "event", name, "_:.=-", event.name, sizeof(event.name)))
		return false;
	event.role = (enum event_role)role;
	/* "none" needs no source. */
	if (strcmp(event.name, "none") != 0 && !r->tagged)
		return reader_unsourced(r);
	if (!read_of(r, &event))
		return false;
	if (to->event_count == BUILD_EVENTS)
		return rows_fail(&r->rows, "more than %d events", BUILD_EVENTS);
	to->event[to->event_count++] = event;
	return true;
}

/* ---- names become ports and events of a PMU */

static bool same_event(const struct uarch_event *a, const struct uarch_event *b)
{
	return a->role == b->role && a->ports == b->ports && strcmp(a->words, b->words) == 0;
}

static struct status resolve_ports(
	struct build *to, const struct build_event *from, struct uarch_event *event)
{
	const char *bad, *origin = to->origin[from->place.file];
	size_t length;

	if (!find_ports(to, from->of, strlen(from->of), &event->ports, &bad, &length))
		return rows_status(origin, from->place.line, "event ports: unknown port \"%.*s\"",
			(int)(length < 24 ? length : 24), bad);
	if (event->ports >> to->uarch->port_count)
		return rows_status(origin, from->place.line,
			"event ports %.40s: a unit has no events", from->of);
	return status_ok();
}

/* The event's name with its PMU. */
static struct status resolve_name(
	struct build *to, const struct build_event *from, struct uarch_event *event)
{
	const char *pmu = strstr(from->name, "::") ? "" : to->uarch->pmu,
		   *origin = to->origin[from->place.file];

	if (!*pmu && !strstr(from->name, "::"))
		return rows_status(origin, from->place.line,
			"event %.60s has no PMU: write PMU::%.40s, or a line \"pmu\"", from->name,
			from->name);
	if (strlen(pmu) + strlen(from->name) + 3 > sizeof(event->name))
		return rows_status(origin, from->place.line,
			"event %.40s is longer than %zu bytes with its PMU", from->name,
			sizeof(event->name) - 1);
	snprintf(event->name, sizeof(event->name), "%s%s%s", pmu, *pmu ? "::" : "", from->name);
	return status_ok();
}

/* Removes the inherited events that a line "… = none" means: one event, or all of its role. Returns
 * their number. place: of each event so far. */
static int take_back(struct build *to, const struct build_event *from,
	const struct uarch_event *event, struct uarch_place *place)
{
	struct uarch *u = to->uarch;
	int kept = 0, all = u->event_count;

	for (int i = 0; i < all; i++) {
		bool meant = from->of[0] || role_single(from->role)
				     ? same_event(&u->event[i], event)
				     : u->event[i].role == from->role;

		if (meant && place[i].file != from->place.file)
			continue;
		place[kept] = place[i];
		u->event[kept++] = u->event[i];
	}
	u->event_count = kept;
	return all - kept;
}

static struct status add_event(
	struct build *to, const struct build_event *from, struct uarch_place *place)
{
	struct uarch *u = to->uarch;
	struct uarch_event event = { .role = from->role, .tags = from->tags };
	const char *origin = to->origin[from->place.file];
	struct status status = status_ok();
	int at = 0;

	memcpy(event.core, u->name, sizeof(event.core));
	if (from->role == ROLE_PORTS && from->of[0])
		status = resolve_ports(to, from, &event);
	else
		snprintf(event.words, sizeof(event.words), "%.*s", EVENT_WORDS - 1, from->of);
	if (!status_is_ok(&status))
		return status;
	if (strcmp(from->name, "none") == 0) {
		if (take_back(to, from, &event, place) == 0)
			return rows_status(origin, from->place.line,
				"event %s%s%.40s is not inherited", role_name(from->role),
				from->of[0] ? " " : "", from->of);
		return status;
	}
	status = resolve_name(to, from, &event);
	if (!status_is_ok(&status))
		return status;
	while (at < u->event_count && !same_event(&u->event[at], &event))
		at++;
	if (at < u->event_count && place[at].file == from->place.file)
		return rows_status(origin, from->place.line,
			"event %s%s%.40s is already in line %d", role_name(from->role),
			from->of[0] ? " " : "", from->of, place[at].line);
	events_title(&event, u, event.title, sizeof(event.title));
	place[at] = from->place;
	u->event[at] = event;
	u->event_count += at == u->event_count;
	return status;
}

struct status finish_events(struct build *to)
{
	struct uarch *u = to->uarch;
	struct uarch_place place[BUILD_EVENTS];
	struct status status = status_ok();

	u->event = memory_new((size_t)to->event_count + 1, sizeof(*u->event));
	for (int i = 0; i < to->event_count && status_is_ok(&status); i++) {
		const struct build_event *event = &to->event[i];

		/* A core without a PMU inherits only events that name their PMU. */
		if (!*u->pmu && to->pmu_place.file > event->place.file &&
			!strstr(event->name, "::"))
			continue;
		status = add_event(to, event, place);
	}
	return status;
}

struct status events_parse(
	const char *text, const char *origin, struct uarch_event *event, int most, int *count)
{
	struct build *to = memory_new(1, sizeof(*to));
	struct uarch *u = memory_new(1, sizeof(*u));
	struct reader r = { .to = to, .file = 1, .sources = &u->sources };
	struct status status = sources_load(&u->sources), read;

	*count = 0;
	to->uarch = u;
	snprintf(to->origin[1], sizeof(to->origin[1]), "%s", origin);
	rows_begin(&r.rows, text, origin);
	r.rows.inline_comments = true;
	while (status_is_ok(&status) && reader_next(&r)) {
		static const char *const names[] = { "event" };

		if (rows_choice(&r.rows, "word", r.words > 0 ? r.word[0] : "", names, 1) < 0 ||
			!read_event(&r))
			break;
	}
	read = rows_end(&r.rows);
	if (status_is_ok(&status))
		status = read;
	if (status_is_ok(&status))
		status = finish_events(to);
	for (int i = 0; status_is_ok(&status) && i < u->event_count && *count < most; i++)
		event[(*count)++] = u->event[i];
	free(u->event);
	free(u);
	free(to);
	return status;
}
