/* What stands in the body of the screen, and how far its code is scrolled: the commands for it. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "explorer/actions.h"
#include "explorer/state.h"

/* The furthest that code scrolls. */
enum { CODE_MOST = LOOP_MOST };

const char *const body_names[] = { "slices", "ladder", "ports", "counters", "code", "source",
	"mountain", "probe", "windows", "strip", NULL };
_Static_assert(sizeof(body_names) / sizeof(body_names[0]) == BODY_COUNT + 1, "a name for each");

/* Whether there is anything to bring to the front. */
static bool body_there(const struct session *session, enum body body)
{
	switch (body) {
	case BODY_LADDER:
		return insight_ready(session) || session->insight.reading ||
		       session->insight.note[0];
	case BODY_PORTS:
	case BODY_CODE:
		return insight_ready(session) || session->insight.reading;
	case BODY_COUNTERS:
		return counted_there(session);
	case BODY_SOURCE:
		return session->insight.listing != NULL;
	case BODY_MOUNTAIN:
		return session->plan.grid.present;
	case BODY_PROBE:
		return probing_report(session) != NULL;
	case BODY_WINDOWS:
		return windowing_there(session);
	default:
		return true;
	}
}

static int body_find(const char *name)
{
	for (int i = 0; body_names[i]; i++)
		if (strcmp(body_names[i], name) == 0)
			return i;
	return -1;
}

static struct status bring(struct session *session, enum body body)
{
	if (body == BODY_COUNTERS && session->body != BODY_COUNTERS)
		session->counted.before = session->body;
	session->body = body;
	/* Arrows act on what can be seen. */
	if ((session->focus == FOCUS_CODE && body != BODY_CODE) ||
		(session->focus == FOCUS_SLICES && body != BODY_SLICES) ||
		(session->focus == FOCUS_COUNTERS && body != BODY_COUNTERS) ||
		session->focus == FOCUS_MOUNTAIN)
		session->focus = FOCUS_KNOBS;
	/* It is there to be walked on. */
	if (body == BODY_MOUNTAIN) {
		session->focus = FOCUS_MOUNTAIN;
		session->entry[0] = '\0';
	}
	return status_ok();
}

void body_bring(struct session *session, enum body body)
{
	bring(session, body);
}

struct status action_view(struct session *session, const char *arguments, double now)
{
	int body = body_find(arguments);

	(void)now;
	if (body < 0)
		return status_make(STATUS_USAGE,
			"view \"%.40s\": next, slices, ladder, ports, counters, code, source, "
			"mountain, probe, "
			"windows or strip",
			arguments);
	if (body == BODY_PROBE && !body_there(session, BODY_PROBE))
		return status_make(STATUS_USAGE,
			"view probe: none was asked for; the command \"probe\" begins one");
	if (!body_there(session, (enum body)body))
		return status_make(STATUS_USAGE, "view %s: there is none of %s", arguments,
			session->setting.kernel->name);
	return bring(session, (enum body)body);
}

bool action_view_works(const struct session *session, const char *arguments)
{
	int body = body_find(arguments);

	return body >= 0 && body != (int)session->body && body_there(session, (enum body)body);
}

static enum body body_after(const struct session *session)
{
	int body = session->body;

	do
		body = (body + 1) % BODY_COUNT;
	while (!body_there(session, (enum body)body));
	return (enum body)body;
}

struct status action_view_next(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	return bring(session, body_after(session));
}

bool action_view_next_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return body_after(session) != session->body;
}

/* ---- counters ---- */

void body_counters(struct session *session)
{
	bring(session, BODY_COUNTERS);
}

struct status action_counters(struct session *session, const char *arguments, double now)
{
	enum body before = session->counted.before;

	(void)arguments, (void)now;
	if (!counted_there(session))
		return status_make(STATUS_USAGE, "nothing is counted here");
	if (session->body != BODY_COUNTERS)
		return bring(session, BODY_COUNTERS);
	return bring(session,
		body_there(session, before) && before != BODY_COUNTERS ? before : BODY_SLICES);
}

bool action_counters_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return counted_there(session);
}

/* "+N" or "-N"; 0: neither. */
static int parse_lines(const char *text)
{
	int64_t number;

	if ((*text != '+' && *text != '-') || !units_parse(text + 1, false, &number) ||
		number > CODE_MOST)
		return 0;
	return *text == '-' ? -(int)number : (int)number;
}

bool action_code_works(const struct session *session, const char *arguments)
{
	int lines = parse_lines(arguments), first = session->insight.code_first + lines;

	return lines && insight_ready(session) && first >= 0 &&
	       first < session->insight.explanation->loop.insn_count;
}

struct status action_code(struct session *session, const char *arguments, double now)
{
	int lines = parse_lines(arguments), last;
	struct insight *insight = &session->insight;

	(void)now;
	if (!lines)
		return status_make(STATUS_USAGE, "code takes +N or -N lines");
	if (!insight_ready(session))
		return status_make(STATUS_USAGE, "there is no code to scroll");
	last = insight->explanation->loop.insn_count - 1;
	insight->code_first += lines;
	if (insight->code_first > last)
		insight->code_first = last;
	if (insight->code_first < 0)
		insight->code_first = 0;
	return status_ok();
}

bool action_counters_by_works(const struct session *session, const char *arguments)
{
	int lines = parse_lines(arguments), first = session->counted.first + lines;

	return lines && counted_there(session) && first >= 0 &&
	       first < session->counted.plan->counters.count;
}

struct status action_counters_by(struct session *session, const char *arguments, double now)
{
	int lines = parse_lines(arguments), last;
	struct counted *counted = &session->counted;

	(void)now;
	if (!lines)
		return status_make(STATUS_USAGE, "counters scroll takes +N or -N lines");
	if (!counted_there(session))
		return status_make(STATUS_USAGE, "nothing is counted here");
	last = counted->plan->counters.count - 1;
	counted->first += lines;
	counted->first = counted->first > last ? last : counted->first < 0 ? 0 : counted->first;
	return status_ok();
}
