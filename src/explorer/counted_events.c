/* Events asked for by name: the commands for them, and looking for them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "explorer/panes.h"

/* Of fewer letters there are too many events; so many are looked at for the best ones. */
enum { FIND_FROM = 2, FIND_AMONG = 512 };

/* The PMU of this core's own events: "skl" of "skl::UOPS_ISSUED:ANY"; empty: it has none. */
static void pmu_of(const struct event_plan *plan, char *pmu, size_t size)
{
	pmu[0] = '\0';
	for (int i = 0; i < plan->counters.count && !pmu[0]; i++) {
		const char *name = plan->counters.event[i].name, *colons = strstr(name, "::");

		if (colons && strncmp(name, "perf", 4) != 0)
			snprintf(pmu, size, "%.*s", (int)(colons - name), name);
	}
}

/* Whether a name holds every word: then what it counts is mostly what is looked for. */
static bool named(const char *name, const char *words)
{
	char word[FIND_SIZE];
	int used;

	for (; sscanf(words, " %95s%n", word, &used) == 1; words += used)
		if (!strcasestr(name, word))
			return false;
	return true;
}

/* Keeps those whose names hold the words, then the others, each in their order. */
static void keep_best(struct found_events *found, const struct counter_offer *offers, size_t count,
	const char *words)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count && found->count < VIEW_FOUND; i++)
			if (named(offers[i].name, words) == (pass == 0))
				found->offer[found->count++] = offers[i];
}

void counted_find(struct session *session, const char *words)
{
	struct found_events *found = &session->counted.found;
	const struct engine *engine = &session->engine;
	struct counter_offer *offers;
	char pmu[COUNTER_NAME];

	found->count = found->all = 0;
	words += strspn(words, " ");
	if (strncmp(words, "event ", 6) == 0)
		words += 6 + strspn(words + 6, " ");
	if (strlen(words) < FIND_FROM || !engine->offers || !counted_there(session))
		return;
	pmu_of(session->counted.plan, pmu, sizeof(pmu));
	offers = memory_new(FIND_AMONG, sizeof(*offers));
	found->all =
		engine->offers(engine->context, words, pmu[0] ? pmu : NULL, offers, FIND_AMONG);
	keep_best(found, offers, found->all < FIND_AMONG ? found->all : FIND_AMONG, words);
	free(offers);
}

/* ---- commands ---- */

static int extra_index(const struct counted *counted, const char *name)
{
	for (int i = 0; i < counted->extra_count; i++)
		if (strcasecmp(counted->extra[i], name) == 0)
			return i;
	return -1;
}

/* Whether an event of that name can be counted besides those that are. */
static struct status check(const struct session *session, const char *name)
{
	const struct counted *counted = &session->counted;
	const struct engine *engine = &session->engine;

	if (!*name)
		return status_make(STATUS_USAGE,
			"event takes a name as libpfm spells it; find (/) looks for one");
	if (!counted->plan)
		return status_make(STATUS_USAGE, session->machine_known
							 ? "nothing is counted here"
							 : "this machine is not known yet");
	if (!engine->encodes)
		return status_make(STATUS_USAGE,
			"event %.60s: a replay counts nothing; it has what was counted "
			"when it was recorded",
			name);
	if (counted->extra_count == EXTRA_EVENTS || counted->plan->counters.count == COUNTERS_MAX)
		return status_make(STATUS_USAGE,
			"event %.60s: no room, %d are counted already; event drop makes some", name,
			counted->plan->counters.count);
	return engine->encodes(engine->context, name);
}

static void notice_frozen(struct session *session, const char *name)
{
	if (session->frozen)
		session_notice(session, false, "%.80s is counted once measuring goes on", name);
}

struct status action_event(struct session *session, const char *arguments, double now)
{
	struct counted *counted = &session->counted;
	struct status status;

	if (counted_index(counted->plan, arguments) < 0) {
		status = check(session, arguments);
		if (!status_is_ok(&status))
			return status;
		counted->extra[counted->extra_count++] = memory_string(arguments);
		counted_plan(session);
		session->live.due = now;
		notice_frozen(session, arguments);
	} else {
		session_notice(session, false, "%.80s is counted already", arguments);
	}
	counted->first = 0; /* those that were asked for stand first */
	panes_bring(session, "counters");
	return status_ok();
}

bool action_event_works(const struct session *session, const char *arguments)
{
	struct status status;

	if (counted_index(session->counted.plan, arguments) >= 0)
		return !panes_in_front(session, "counters");
	status = check(session, arguments);
	return status_is_ok(&status);
}

static void drop(struct counted *counted, int index)
{
	free(counted->extra[index]);
	counted->extra_count--;
	memmove(&counted->extra[index], &counted->extra[index + 1],
		(size_t)(counted->extra_count - index) * sizeof(counted->extra[0]));
}

static struct status no_extra(const struct counted *counted, const char *name)
{
	char near[96];

	if (counted->extra_count == 0)
		return status_make(STATUS_USAGE, "no event was asked for by name");
	if (counted_index(counted->plan, name) >= 0)
		return status_make(STATUS_USAGE,
			"%.60s is one of this core's own events; only those asked for by name are "
			"dropped",
			name);
	near[0] = '\0';
	nearest_names(name, (const char *const *)counted->extra, (size_t)counted->extra_count, near,
		sizeof(near));
	return status_make(STATUS_USAGE, "%.60s was not asked for%s%s%s", name,
		near[0] ? "; did you mean " : "", near, near[0] ? "?" : "");
}

struct status action_event_drop(struct session *session, const char *arguments, double now)
{
	struct counted *counted = &session->counted;
	int index = extra_index(counted, arguments);

	(void)now;
	if (*arguments ? index < 0 : counted->extra_count == 0)
		return no_extra(counted, arguments);
	if (*arguments)
		drop(counted, index);
	while (!*arguments && counted->extra_count)
		drop(counted, counted->extra_count - 1);
	if (counted->plan)
		counted_plan(session);
	return status_ok();
}

bool action_event_drop_works(const struct session *session, const char *arguments)
{
	return *arguments ? extra_index(&session->counted, arguments) >= 0
			  : session->counted.extra_count > 0;
}
