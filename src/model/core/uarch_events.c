/* Lines `pmu` and `event` of a core's file: which events of its counters say what. */
#include "model/core/uarch_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char event_form[] =
	"event ROLE = NAME, event ports P,P = NAME, or event stalled WORDS = NAME";

bool read_pmu(struct reader *r)
{
	struct uarch *u = r->to->uarch;

	if (!reader_words(r, 2, 2, "pmu NAME, or pmu none") ||
		!reader_say(r, "pmu", &r->to->pmu_said))
		return false;
	if (strcmp(r->lines.word[1], "none") == 0) {
		u->pmu[0] = '\0';
		return true;
	}
	if (!r->lines.tagged)
		return reader_unsourced(r);
	return lines_name(&r->lines, r->lines.word[1], "pmu", "_", u->pmu, sizeof(u->pmu));
}

/* What stands between the role and the "=". */
static bool read_of(struct reader *r, struct build_event *event)
{
	int words = r->lines.words - 4;
	bool joined;

	if (role_single(event->role) && words > 0)
		return lines_fail(&r->lines,
			"event %s is one: nothing stands between it and the \"=\"",
			role_name(event->role));
	if (!role_single(event->role) && words == 0 && strcmp(event->name, "none") != 0)
		return lines_fail(&r->lines, "event %s does not say which: %s",
			role_name(event->role), event_form);
	if (event->role == ROLE_PORTS && words > 1)
		return lines_fail(&r->lines,
			"ports are joined by commas, without blanks: event ports P,P = NAME");
	r->lines.words -= 2;
	joined = lines_join(&r->lines, 2,
		event->role == ROLE_PORTS ? "the list of ports" : "what is counted", event->of,
		event->role == ROLE_PORTS ? sizeof(event->of) : EVENT_WORDS);
	r->lines.words += 2;
	return joined;
}

bool read_event(struct reader *r)
{
	struct build *to = r->to;
	struct build_event event = {
		.tags = r->lines.tags, .file = r->file, .line = r->lines.line
	};
	const char *names[ROLE_EXTRA];
	int role;

	if (r->lines.words < 4 || strcmp(r->lines.word[r->lines.words - 2], "=") != 0)
		return lines_fail(&r->lines, "\"event\" is written: %s", event_form);
	for (int i = 0; i < ROLE_EXTRA; i++)
		names[i] = role_name((enum event_role)i);
	role = reader_find(r, "role", r->lines.word[1], names, ROLE_EXTRA);
	if (role < 0)
		return false;
	event.role = (enum event_role)role;
	if (!lines_name(&r->lines, r->lines.word[r->lines.words - 1], "event", "_:.=-", event.name,
		    sizeof(event.name)))
		return false;
	/* That there is none needs no source. */
	if (strcmp(event.name, "none") != 0 && !r->lines.tagged)
		return reader_unsourced(r);
	if (!read_of(r, &event))
		return false;
	if (to->event_count == BUILD_EVENTS)
		return lines_fail(&r->lines, "more than %d events", BUILD_EVENTS);
	to->event[to->event_count++] = event;
	return true;
}

/* ---- The end */

static bool same_event(const struct uarch_event *a, const struct uarch_event *b)
{
	return a->role == b->role && a->ports == b->ports && strcmp(a->words, b->words) == 0;
}

static struct status resolve_ports(
	struct build *to, const struct build_event *from, struct uarch_event *event)
{
	const char *origin = to->origin[from->file], *bad;
	size_t length;

	if (!build_ports(to, from->of, strlen(from->of), &event->ports, &bad, &length))
		return lines_status(origin, from->line, "event ports: unknown port \"%.*s\"",
			(int)(length < 24 ? length : 24), bad);
	if (event->ports >> to->uarch->port_count)
		return lines_status(origin, from->line,
			"event ports %.40s: units have no events of micro-ops", from->of);
	return status_ok();
}

/* With its PMU before it. */
static struct status resolve_name(
	struct build *to, const struct build_event *from, struct uarch_event *event)
{
	const char *pmu = strstr(from->name, "::") ? "" : to->uarch->pmu,
		   *origin = to->origin[from->file];

	if (!*pmu && !strstr(from->name, "::"))
		return lines_status(origin, from->line,
			"event %.60s: of which PMU? Write PMU::%.40s, or a line \"pmu\"",
			from->name, from->name);
	if (strlen(pmu) + strlen(from->name) + 3 > sizeof(event->name))
		return lines_status(origin, from->line,
			"event %.40s is longer than %zu bytes with its PMU", from->name,
			sizeof(event->name) - 1);
	snprintf(event->name, sizeof(event->name), "%s%s%s", pmu, *pmu ? "::" : "", from->name);
	return status_ok();
}

/* Takes out the inherited events that a line "… = none" means: one, or all of its role. Returns how
 * many. place: where each event so far stands. */
static int take_back(struct build *to, const struct build_event *from,
	const struct uarch_event *event, struct build_place *place)
{
	struct uarch *u = to->uarch;
	int kept = 0, all = u->event_count;

	for (int i = 0; i < all; i++) {
		bool meant = from->of[0] || role_single(from->role)
				     ? same_event(&u->event[i], event)
				     : u->event[i].role == from->role;

		if (meant && place[i].file != from->file)
			continue;
		place[kept] = place[i];
		u->event[kept++] = u->event[i];
	}
	u->event_count = kept;
	return all - kept;
}

static struct status add_event(
	struct build *to, const struct build_event *from, struct build_place *place)
{
	struct uarch *u = to->uarch;
	struct uarch_event event = { .role = from->role, .tags = from->tags };
	const char *origin = to->origin[from->file];
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
			return lines_status(origin, from->line, "event %s%s%.40s is not inherited",
				role_name(from->role), from->of[0] ? " " : "", from->of);
		return status;
	}
	status = resolve_name(to, from, &event);
	if (!status_is_ok(&status))
		return status;
	while (at < u->event_count && !same_event(&u->event[at], &event))
		at++;
	if (at < u->event_count && place[at].file == from->file)
		return lines_status(origin, from->line, "event %s%s%.40s stands in line %d already",
			role_name(from->role), from->of[0] ? " " : "", from->of, place[at].line);
	events_title(&event, u, event.title, sizeof(event.title));
	place[at] = (struct build_place){ .file = from->file, .line = from->line };
	u->event[at] = event;
	u->event_count += at == u->event_count;
	return status;
}

struct status build_events(struct build *to)
{
	struct uarch *u = to->uarch;
	struct build_place place[BUILD_EVENTS];
	struct status status = status_ok();

	u->event = memory_new((size_t)to->event_count + 1, sizeof(*u->event));
	for (int i = 0; i < to->event_count && status_is_ok(&status); i++) {
		const struct build_event *event = &to->event[i];

		/* A core whose counters have no PMU inherits what names its own. */
		if (!*u->pmu && to->pmu_said.file > event->file && !strstr(event->name, "::"))
			continue;
		status = add_event(to, event, place);
	}
	return status;
}

/* ---- data/events */

struct status events_parse(
	const char *text, const char *origin, struct uarch_event *event, int most, int *count)
{
	struct build *to = memory_new(1, sizeof(*to));
	struct uarch *u = memory_new(1, sizeof(*u));
	struct reader r = { .to = to };
	struct status status = sources_load(&u->sources);

	*count = 0;
	to->uarch = u;
	to->pmu_said.file = -1;
	snprintf(to->origin[0], sizeof(to->origin[0]), "%s", origin);
	lines_begin(&r.lines, text, origin, &u->sources);
	while (status_is_ok(&status) && lines_next(&r.lines)) {
		static const char *const names[] = { "event" };

		if (reader_find(&r, "word", r.lines.words > 0 ? r.lines.word[0] : "", names, 1) <
				0 ||
			!read_event(&r))
			break;
	}
	if (status_is_ok(&status))
		status = r.lines.status;
	lines_end(&r.lines);
	if (status_is_ok(&status))
		status = build_events(to);
	for (int i = 0; status_is_ok(&status) && i < u->event_count && *count < most; i++)
		event[(*count)++] = u->event[i];
	free(u->event);
	free(u);
	free(to);
	return status;
}
