/* What the session knows of the screen: which panel is in front, which pane the arrows act on, and
 * how far the scrolled ones are. A panel that `view NAME` brings to the front has a row in
 * `fronts`; one that arrows act on has a row in `panes`. Names are those of the panels. */
#include "explorer/panes.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "explorer/actions.h"

enum { SCROLL_MOST = LOOP_MOST };

/* ---- in front ---- */

static bool ladder_there(const struct session *session)
{
	return insight_ready(session) || session->insight.reading || session->insight.note[0];
}

static bool code_there(const struct session *session)
{
	return insight_ready(session) || session->insight.reading;
}

static bool source_there(const struct session *session)
{
	return session->insight.listing != NULL;
}

static bool mountain_there(const struct session *session)
{
	return session->plan.grid.present;
}

static bool probe_there(const struct session *session)
{
	return probing_report(session) != NULL;
}

/* In the order of `view next`. */
static const struct front fronts[] = {
	{ "slices", NULL, .pictured = true },
	{ "ladder", ladder_there, .pictured = true },
	{ "ports", code_there },
	{ "counters", counted_there },
	{ "code", code_there },
	{ "source", source_there },
	{ "mountain", mountain_there, .pictured = true, .walked = true },
	{ "probe", probe_there, .pictured = true },
	{ "windows", windowing_there, .pictured = true },
	{ "strip", NULL },
};

enum { FRONTS = sizeof(fronts) / sizeof(fronts[0]) };

static const struct front *front_named(const char *name)
{
	for (int i = 0; i < FRONTS; i++)
		if (strcmp(fronts[i].name, name) == 0)
			return &fronts[i];
	return NULL;
}

static bool front_there(const struct session *session, const struct front *front)
{
	return !front->there || front->there(session);
}

bool panes_in_front(const struct session *session, const char *name)
{
	return strcmp(session->front->name, name) == 0;
}

static void bring(struct session *session, const struct front *front)
{
	if (strcmp(front->name, "counters") == 0 && session->front != front)
		session->counted.before = session->front;
	session->front = front;
	/* Arrows act on what can be seen. */
	if (front_named(session->focus->name) && strcmp(session->focus->name, front->name) != 0)
		panes_focus(session, "knobs");
	if (front->walked) {
		panes_focus(session, front->name);
		session->entry[0] = '\0';
	}
}

void panes_bring(struct session *session, const char *name)
{
	bring(session, front_named(name));
}

/* "view "x": next, slices, … or strip": `names` has `count` rows that begin with a name. */
static struct status unknown_name(const char *command, const char *argument, const char *others,
	const void *names, int count, size_t size)
{
	struct text text = { 0 };
	struct status status;

	for (int i = 0; i < count; i++)
		text_addf(&text, "%s%s", i + 1 == count ? " or " : ", ",
			*(const char *const *)((const char *)names + (size_t)i * size));
	status = status_make(
		STATUS_USAGE, "%s \"%.40s\": %s%s", command, argument, others, text_string(&text));
	text_free(&text);
	return status;
}

struct status action_view(struct session *session, const char *arguments, double now)
{
	const struct front *front = front_named(arguments);

	(void)now;
	if (!front)
		return unknown_name("view", arguments, "next", fronts, FRONTS, sizeof(fronts[0]));
	if (!front_there(session, front) && front->there == probe_there)
		return status_make(STATUS_USAGE,
			"view probe: there is none; the command \"probe\" begins one");
	if (!front_there(session, front))
		return status_make(STATUS_USAGE, "view %s: there is none of %s", arguments,
			session->setting.kernel->name);
	bring(session, front);
	return status_ok();
}

bool action_view_works(const struct session *session, const char *arguments)
{
	const struct front *front = front_named(arguments);

	return front && front != session->front && front_there(session, front);
}

static const struct front *front_after(const struct session *session)
{
	const struct front *front = session->front;

	do
		front = front + 1 == fronts + FRONTS ? fronts : front + 1;
	while (!front_there(session, front));
	return front;
}

struct status action_view_next(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	bring(session, front_after(session));
	return status_ok();
}

bool action_view_next_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return front_after(session) != session->front;
}

struct status action_counters(struct session *session, const char *arguments, double now)
{
	const struct front *before = session->counted.before;

	(void)arguments, (void)now;
	if (!counted_there(session))
		return status_make(STATUS_USAGE, "nothing is counted here");
	if (!panes_in_front(session, "counters"))
		panes_bring(session, "counters");
	else
		bring(session, before && front_there(session, before) ? before : fronts);
	return status_ok();
}

bool action_counters_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return counted_there(session);
}

/* ---- scrolled panes ---- */

static int code_lines(const struct session *session)
{
	return insight_ready(session) ? session->insight.explanation->loop.insn_count : 0;
}

static int counter_lines(const struct session *session)
{
	return counted_there(session) ? session->counted.plan->counters.count : 0;
}

static bool scrolls(int first, int by, int lines)
{
	return by && first + by >= 0 && first + by < lines;
}

static void scroll(int *first, int by, int lines)
{
	*first += by;
	if (*first > lines - 1)
		*first = lines - 1;
	if (*first < 0)
		*first = 0;
}

/* "+N" or "-N"; 0: neither. */
static int parse_lines(const char *text)
{
	int64_t number;

	if ((*text != '+' && *text != '-') || !units_parse(text + 1, false, &number) ||
		number > SCROLL_MOST)
		return 0;
	return *text == '-' ? -(int)number : (int)number;
}

bool action_code_works(const struct session *session, const char *arguments)
{
	return scrolls(session->insight.code_first, parse_lines(arguments), code_lines(session));
}

struct status action_code(struct session *session, const char *arguments, double now)
{
	int by = parse_lines(arguments);

	(void)now;
	if (!by)
		return status_make(STATUS_USAGE, "code takes +N or -N lines");
	if (!insight_ready(session))
		return status_make(STATUS_USAGE, "there is no code to scroll");
	scroll(&session->insight.code_first, by, code_lines(session));
	return status_ok();
}

bool action_counters_by_works(const struct session *session, const char *arguments)
{
	return scrolls(session->counted.first, parse_lines(arguments), counter_lines(session));
}

struct status action_counters_by(struct session *session, const char *arguments, double now)
{
	int by = parse_lines(arguments);

	(void)now;
	if (!by)
		return status_make(STATUS_USAGE, "counters scroll takes +N or -N lines");
	if (!counted_there(session))
		return status_make(STATUS_USAGE, "nothing is counted here");
	scroll(&session->counted.first, by, counter_lines(session));
	return status_ok();
}

/* ---- what the arrows do in each pane: whether they would move, and the move ---- */

static struct status nothing_further(void)
{
	return status_make(STATUS_USAGE, "nothing further that way");
}

static bool kernels_move_works(const struct session *session, int dx, int dy)
{
	(void)dx;
	return dy && action_kernel_by_works(session, dy);
}

static struct status kernels_move(struct session *session, int dx, int dy, double now)
{
	return kernels_move_works(session, dx, dy) ? action_kernel_by(session, dy, now)
						   : nothing_further();
}

static bool knobs_move_works(const struct session *session, int dx, int dy)
{
	return dy ? action_knob_by_works(session, dy)
		  : action_knob_works(session, dx > 0 ? "+1" : "-1");
}

static struct status knobs_move(struct session *session, int dx, int dy, double now)
{
	return dy ? action_knob_by(session, dy, now)
		  : action_knob(session, dx > 0 ? "+1" : "-1", now);
}

/* Right is a larger size, up a larger stride. */
static bool slices_target(const struct session *session, int dx, int dy, struct setting *setting)
{
	const struct plan *plan = &session->plan;

	return plan_neighbour(session,
		dx && plan->by_size.knob >= 0 ? &plan->by_size : &plan->by_stride, dx ? dx : -dy,
		setting);
}

static bool slices_move_works(const struct session *session, int dx, int dy)
{
	struct setting setting;

	return slices_target(session, dx, dy, &setting);
}

static struct status slices_move(struct session *session, int dx, int dy, double now)
{
	struct setting setting;

	if (!slices_target(session, dx, dy, &setting))
		return nothing_further();
	session_go(session, &setting, now);
	return status_ok();
}

static bool mountain_move_works(const struct session *session, int dx, int dy)
{
	struct setting setting;

	return plan_walk(session, dx, dy, &setting);
}

static struct status mountain_move(struct session *session, int dx, int dy, double now)
{
	struct setting setting;

	if (!plan_walk(session, dx, dy, &setting))
		return nothing_further();
	session_go(session, &setting, now);
	return status_ok();
}

static bool code_move_works(const struct session *session, int dx, int dy)
{
	(void)dx;
	return scrolls(session->insight.code_first, dy, code_lines(session));
}

static struct status code_move(struct session *session, int dx, int dy, double now)
{
	(void)now;
	if (!code_move_works(session, dx, dy))
		return nothing_further();
	scroll(&session->insight.code_first, dy, code_lines(session));
	return status_ok();
}

static bool counters_move_works(const struct session *session, int dx, int dy)
{
	(void)dx;
	return scrolls(session->counted.first, dy, counter_lines(session));
}

static struct status counters_move(struct session *session, int dx, int dy, double now)
{
	(void)now;
	if (!counters_move_works(session, dx, dy))
		return nothing_further();
	scroll(&session->counted.first, dy, counter_lines(session));
	return status_ok();
}

static bool counters_counted(const struct session *session)
{
	return session->live.counts.count > 0;
}

/* In the order of `focus next`. */
static const struct pane panes[] = {
	{ "kernels", NULL, kernels_move_works, kernels_move },
	{ "knobs", NULL, knobs_move_works, knobs_move },
	{ "slices", NULL, slices_move_works, slices_move },
	{ "code", insight_ready, code_move_works, code_move },
	{ "counters", counters_counted, counters_move_works, counters_move },
	{ "mountain", mountain_there, mountain_move_works, mountain_move, .refused = true },
};

enum { PANES = sizeof(panes) / sizeof(panes[0]) };

static const struct pane *pane_named(const char *name)
{
	for (int i = 0; i < PANES; i++)
		if (strcmp(panes[i].name, name) == 0)
			return &panes[i];
	return NULL;
}

static bool pane_there(const struct session *session, const struct pane *pane)
{
	return !pane->there || pane->there(session);
}

void panes_begin(struct session *session)
{
	session->front = fronts;
	panes_focus(session, "knobs");
}

bool panes_focused(const struct session *session, const char *name)
{
	return strcmp(session->focus->name, name) == 0;
}

void panes_focus(struct session *session, const char *name)
{
	session->focus = pane_named(name);
}

struct status action_focus_by(struct session *session, int direction)
{
	int pane = (int)(session->focus - panes);

	do
		pane = (pane + PANES + direction) % PANES;
	while (!pane_there(session, &panes[pane]));
	session->focus = &panes[pane];
	session->entry[0] = '\0';
	return status_ok();
}

struct status action_focus(struct session *session, const char *arguments, double now)
{
	const struct pane *pane = pane_named(arguments);

	(void)now;
	if (!pane)
		return unknown_name(
			"focus", arguments, "next, previous", panes, PANES, sizeof(panes[0]));
	if (pane->refused && !pane_there(session, pane))
		return status_make(STATUS_USAGE, "focus %s: there is none of %s", pane->name,
			session->setting.kernel->name);
	session->focus = pane;
	session->entry[0] = '\0';
	return status_ok();
}

bool action_focus_works(const struct session *session, const char *arguments)
{
	const struct pane *pane = pane_named(arguments);

	return pane && pane != session->focus && (!pane->refused || pane_there(session, pane));
}

/* ---- the arrows ---- */

/* The furthest that help and other long overlays scroll, in lines. */
enum { OVERLAY_MOST = 200 };

static bool overlay_move_works(const struct session *session, int dx, int dy)
{
	struct view_found found[VIEW_FOUND];

	if (dx)
		return false;
	if (session->overlay == OVERLAY_FIND) {
		int selected = session->found_selected + dy;

		return selected >= 0 && selected < session_found(session, found, NULL);
	}
	return session->scroll + dy >= 0 && session->scroll + dy <= OVERLAY_MOST;
}

bool action_move_works(const struct session *session, int dx, int dy)
{
	return session->overlay != OVERLAY_NONE ? overlay_move_works(session, dx, dy)
						: session->focus->move_works(session, dx, dy);
}

struct status action_move(struct session *session, int dx, int dy, double now)
{
	if (session->overlay == OVERLAY_NONE) {
		/* A value left half typed would reappear on another pane. */
		session->entry[0] = '\0';
		return session->focus->move(session, dx, dy, now);
	}
	if (!overlay_move_works(session, dx, dy))
		return nothing_further();
	if (session->overlay == OVERLAY_FIND)
		session->found_selected += dy;
	else
		session->scroll += dy;
	return status_ok();
}
