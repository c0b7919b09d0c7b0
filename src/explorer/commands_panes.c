/* Commands for the panels that keys act on: the focused pane, scrolling, the mountain. Each panel
 * of the screen that the arrow keys can act on has a row in panes[]. */

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/actions.h"
#include "explorer/fronts.h"

/* One row of the table panes[], which describes one panel. In the table panes[], the last row has a
 * NULL name. */
struct pane {
	const char *name; /* name of the panel, and argument of `view` or `focus` */
	/* Returns whether the panel has contents now; NULL: the panel always has contents. */
	bool (*there)(const struct session *session);
	/* Finds the setting to which an arrow key goes in a panel. target() returns false if the
	 * arrow key goes to no setting. If target is NULL, the arrow keys in this panel do not
	 * choose another setting. */
	bool (*target)(const struct session *session, int dx, int dy, struct setting *setting);
	/* For a pane without target(), moves up (dy = -1) or down (dy = +1). roll() follows the
	 * rules of command_row.run. If target and roll are NULL, the arrow keys change knobs. */
	struct status (*roll)(const struct session *session, struct session *change, int dy);
	/* Like roll(), moves left (dx = -1) or right (dx = +1). If slide is NULL, the pane does not
	 * move sideways. */
	struct status (*slide)(const struct session *session, struct session *change, int dx);
	/* `walked` is true for panels in which the arrow keys move a cursor: the mountain and the
	 * diagrams. `focus NAME` is an error while there() returns false. */
	bool walked;
};

static void act_present(struct session *session)
{
	screen_present(session, !session->screen.present);
}

/* ---- for a presenter ---- */

/* The last row of the screen to which the presenter's mark (arrows next to a row) can move. */
enum { MARK_MOST = 200 };

static struct status run_mark(
	const struct session *session, struct session *change, char *arguments)
{
	int by = 0;

	if (*arguments && strcmp(arguments, "off") != 0 && !action_steps(arguments, &by))
		return status_usage(
			"mark \"%.40s\": +N or -N rows, or off to remove the mark", arguments);
	if (!change)
		return command_effect(by || session->screen.mark, "no row is marked");
	screen_mark(change, by, MARK_MOST);
	return status_ok();
}

static void act_blank(struct session *session)
{
	screen_blank(session, !session->screen.blank);
}

/* ---- scrolled panes ---- */

/* The largest number of lines that one scroll command scrolls. */
enum { SCROLL_MOST = LOOP_MOST };

/* Scrolls the text of a panel by `by` lines. `first` is the first line on screen, and `lines` is
 * the number of all lines. `scroll` sets the new first line on screen. */
static struct status scroll_lines(struct session *change, int first, int by, int lines,
	void (*scroll)(struct session *session, int first))
{
	int to = first + by;

	if (!change)
		return command_effect(by && to >= 0 && to < lines,
			by < 0 ? "this is the first line" : "this is the last line");
	to = to > lines - 1 ? lines - 1 : to;
	scroll(change, to < 0 ? 0 : to);
	return status_ok();
}

/* Parses "+N" or "-N". Returns 0 for any text other than a signed number of lines. */
static int parse_lines(const char *text)
{
	int by;

	return action_steps(text, &by) && abs(by) <= SCROLL_MOST ? by : 0;
}

static struct status scroll_code(const struct session *session, struct session *change, int by)
{
	return scroll_lines(change, session->insight.code_first, by, insight_code_lines(session),
		insight_scroll);
}

/* ---- diagrams ---- */

static bool timeline_in_front(const struct session *session)
{
	return diagrams_in_front(session, "timeline");
}

static bool graph_in_front(const struct session *session)
{
	return diagrams_in_front(session, "graph");
}

static struct status roll_diagram(const struct session *session, struct session *change, int by)
{
	return scroll_lines(
		change, session->diagrams.row, by, diagrams_rows(session), diagrams_move);
}

/* The largest number of columns that the arrow keys scroll a diagram, and the columns that one
 * arrow key scrolls. */
enum { SLIDE_MOST = 4096, SLIDE_BY = 8 };

static struct status slide_diagram(const struct session *session, struct session *change, int dx)
{
	return scroll_lines(
		change, session->diagrams.shift, dx * SLIDE_BY, SLIDE_MOST, diagrams_slide);
}

static struct status run_code(
	const struct session *session, struct session *change, char *arguments)
{
	int by = parse_lines(arguments);

	if (!by)
		return status_usage("code takes +N or -N, the number of lines to scroll");
	if (timeline_in_front(session) || graph_in_front(session))
		return roll_diagram(session, change, by);
	if (!insight_shown(session))
		return status_usage("there is no code to scroll");
	return scroll_code(session, change, by);
}

static struct status scroll_counters(const struct session *session, struct session *change, int by)
{
	return scroll_lines(
		change, session->counted.first, by, counted_lines(session), counted_scroll);
}

static struct status run_counters_scroll(
	const struct session *session, struct session *change, char *arguments)
{
	int by = parse_lines(arguments);

	if (!counted_there(session))
		return status_usage("no hardware events are counted here");
	return by ? scroll_counters(session, change, by)
		  : status_usage("counters scroll needs +N or -N, the number of lines");
}

/* ---- the arrow keys in each pane: whether a move has an effect, and the move ---- */

static struct status nothing_further(void)
{
	return status_usage("nothing further that way");
}

/* In the panel of slices, the right arrow goes to a larger size, if the kernel has a knob `size`.
 * In the panel of slices, the up arrow goes to a larger value of the second slice's knob, usually
 * the stride. */
static bool slices_target(const struct session *session, int dx, int dy, struct setting *setting)
{
	const struct plan *plan = &session->plan;

	return plan_neighbour(session,
		dx && plan->by_size.knob >= 0 ? &plan->by_size : &plan->by_stride, dx ? dx : -dy,
		setting);
}

/* In the table of a named sweep, the up and down arrows go to the setting of the row above or
 * below. From a setting that is not in the named sweep's table, the arrow keys go to the first row.
 */
static bool sweep_target(const struct session *session, int dx, int dy, struct setting *setting)
{
	const struct sweep_table_report *report = session_sweep(session);
	const struct sweeps_row *here =
		sweeps_row_find(report->row, report->row_count, &session->setting);
	int64_t row = here ? here - report->row + dy : 0;

	if (dx || row < 0 || row >= (int64_t)report->row_count)
		return false;
	*setting = report->row[row].setting;
	return true;
}

static bool sweep_there(const struct session *session)
{
	return front_there(session, "sweep");
}

static bool mountain_there(const struct session *session)
{
	return front_there(session, "mountain");
}

static bool counters_counted(const struct session *session)
{
	return session->counted.counts.count > 0;
}

/* The panels in panes[] are in the order in which the command `focus next` gives them the arrow
 * keys. */
static const struct pane panes[] = {
	{ "kernels", NULL, NULL, action_kernel_by },
	{ "knobs" },
	{ "curves", NULL, slices_target },
	{ "code", insight_ready, NULL, scroll_code },
	{ "counters", counters_counted, NULL, scroll_counters },
	{ "mountain", mountain_there, plan_walk, .walked = true },
	{ "sweep", sweep_there, sweep_target },
	{ "timeline", timeline_in_front, NULL, roll_diagram, slide_diagram, .walked = true },
	{ "graph", graph_in_front, NULL, roll_diagram, slide_diagram, .walked = true },
	{ NULL },
};

enum { PANES = sizeof(panes) / sizeof(panes[0]) - 1 };

static const struct pane *pane_named(const char *name)
{
	for (const struct pane *pane = panes; pane->name; pane++)
		if (strcmp(pane->name, name) == 0)
			return pane;
	return NULL;
}

static bool pane_there(const struct session *session, const struct pane *pane)
{
	return !pane->there || pane->there(session);
}

static struct status unknown_pane(const char *given)
{
	struct text text = { 0 };
	struct status status;

	for (const struct pane *pane = panes; pane->name; pane++)
		text_addf(&text, "%s%s", pane[1].name ? ", " : " or ", pane->name);
	status = status_usage("focus \"%.40s\": next, previous%s", given, text_string(&text));
	text_free(&text);
	return status;
}

static const struct pane *pane_focused(const struct session *session)
{
	return pane_named(session->screen.focus);
}

static void focus(struct session *session, const struct pane *pane)
{
	screen_focus(session, pane->name);
	entry_drop(session);
}

static struct status run_focus_by(
	const struct session *session, struct session *change, char *given)
{
	int pane = (int)(pane_focused(session) - panes);

	do
		pane = (pane + PANES + command_direction(given)) % PANES;
	while (!pane_there(session, &panes[pane]));
	if (change)
		focus(change, &panes[pane]);
	return status_ok();
}

static struct status run_focus(
	const struct session *session, struct session *change, char *arguments)
{
	const struct pane *pane = pane_named(arguments);

	if (!pane)
		return unknown_pane(arguments);
	if (pane->walked && !pane_there(session, pane))
		return status_usage(pane->slide ? "focus %s: the diagram of %s is not in front"
						: "focus %s: nothing to show for %s",
			pane->name, session->setting.kernel->name);
	if (!change)
		return command_effect(
			pane != pane_focused(session), "the arrows already act on this panel");
	focus(change, pane);
	return status_ok();
}

struct status action_enter(const struct session *session, struct session *change)
{
	const struct pane *pane = pane_focused(session);
	const struct kernel *kernel = session->setting.kernel;
	const struct knob *knob = kernel->knob_count > 0 ? &kernel->knobs[session->knob] : NULL;

	if (pane == pane_named("kernels") && knob) {
		if (change)
			focus(change, pane_named("knobs"));
		return status_ok();
	}
	if (pane->roll || pane->target || !knob)
		return status_usage(
			"Enter does nothing here: arrows move, Tab goes to the next panel");
	if (knob->kind == KNOB_CHOICE)
		return status_usage(
			"%s: type the number of a value, or turn it with + and -", knob->name);
	return status_usage("%s: type a value, such as %s, and then Enter; or turn it with + and -",
		knob->name, setting_shown(knob, session->setting.v[session->knob]).text);
}

/* ---- the arrow keys ---- */

/* The largest number of lines that the help and other long overlays can scroll. */
enum { OVERLAY_MOST = 1000 };

static struct status move_in_overlay(
	const struct session *session, struct session *change, int dx, int dy)
{
	const struct screen *screen = &session->screen;
	bool find = screen->overlay == OVERLAY_FIND;
	int to = dy + (find ? screen->found_selected : screen->scroll);

	if (dx || to < 0 || to > (find ? screen->found_count - 1 : OVERLAY_MOST))
		return nothing_further();
	if (change)
		overlay_move(change, dy);
	return status_ok();
}

static struct status move_in_pane(
	const struct session *session, struct session *change, int dx, int dy)
{
	const struct pane *pane = pane_focused(session);
	struct setting setting;
	struct status status = status_ok();

	if (pane->target) {
		if (!pane->target(session, dx, dy, &setting))
			return nothing_further();
		if (change)
			session_go(change, &setting);
		return status;
	}
	if (!pane->roll)
		return dy ? action_knob_by(session, change, dy) : action_step(session, change, dx);
	if (dx && pane->slide) {
		status = pane->slide(session, NULL, dx);
		return status_is_ok(&status) ? pane->slide(session, change, dx) : nothing_further();
	}
	if (dy)
		status = pane->roll(session, NULL, dy);
	return dy && status_is_ok(&status) ? pane->roll(session, change, dy) : nothing_further();
}

static struct status run_move(const struct session *session, struct session *change, char *given)
{
	int dx = (*given == 'r') - (*given == 'l'), dy = (*given == 'd') - (*given == 'u');

	if (session->screen.overlay != OVERLAY_NONE)
		return move_in_overlay(session, change, dx, dy);
	/* If the user typed an incomplete value for a knob, an arrow key discards the value. If the
	 * typed value of the knob were not discarded, it would reappear when the arrow keys act on
	 * another panel. */
	if (change)
		entry_drop(change);
	return move_in_pane(session, change, dx, dy);
}

/* ---- the mountain ---- */

static bool mountain_in_front(const struct session *session)
{
	return front_there(session, "mountain") &&
	       (screen_in_front(session, "mountain") || screen_focused(session, "mountain"));
}

static void act_relief(struct session *session)
{
	session->relief = !session->relief;
}

static struct status run_whatif(
	const struct session *session, struct session *change, char *arguments)
{
	struct misses_whatif whatif = session->whatif;
	struct status status;
	struct misses misses;

	if (!change && !*arguments) {
		view_misses(session, &misses);
		return command_effect(mountain_in_front(session) && misses.known,
			"the caches of this machine are not known, or no mountain is in front");
	}
	status = misses_whatif_parse(*arguments ? arguments : whatif.asked ? "off" : "2x", &whatif);
	if (!change || !status_is_ok(&status))
		return status;
	change->whatif = whatif;
	/* The panel describes misses while the arrow keys act on it, because it then has the whole
	 * screen. */
	if (whatif.asked)
		session_notice(change, false, "misses are also shown for %s%s",
			misses_whatif_words(&whatif).text,
			mountain_in_front(session) && screen_focused(session, "mountain")
				? ""
				: ", next to the mountain (key m)");
	else
		session_notice(change, false, "misses are shown for the caches of this machine");
	return status;
}

/* ---- the table ---- */

const struct command_row commands_panes[] = {
	{ "focus", .run = run_focus },
	{ "focus next", .run = run_focus_by, .given = "+1" },
	{ "focus previous", .run = run_focus_by, .given = "-1" },
	{ "move left", .run = run_move, .given = "left" },
	{ "move right", .run = run_move, .given = "right" },
	{ "move up", .run = run_move, .given = "up" },
	{ "move down", .run = run_move, .given = "down" },
	{ "present", act_present },
	{ "mark", .run = run_mark },
	{ "blank", act_blank },
	{ "code", .run = run_code },
	{ "counters scroll", .run = run_counters_scroll },
	{ "relief", act_relief, .refusal = mountain_refusal, .useful = mountain_in_front,
		.useless = "the relief belongs to the mountain: bring it to the front (key m)" },
	{ "whatif", .run = run_whatif },
	{ .name = NULL },
};
