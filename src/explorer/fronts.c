/* The panel in front (the first panel below the knobs): its commands, the sets of panels (presets),
 * and the panel that best explains the chosen kernel. Each panel that the command `view NAME` can
 * bring to the front has a row in fronts[]. */
#include "explorer/fronts.h"

#include <string.h>

#include "base/text.h"
#include "explorer/actions.h"

struct front {
	const char *name; /* name of the panel, and argument of `view` */
	/* Returns whether the panel has contents now; NULL: the panel always has contents. */
	bool (*there)(const struct session *session);
	/* The mountain and the diagrams, on which the arrow keys move, get the focus when they come
	 * to the front. */
	bool walked;
};

/* ---- which panels have contents ---- */

static bool curves_there(const struct session *session)
{
	return session->plan.by_size.knob >= 0 || session->plan.by_stride.knob >= 0;
}

/* The panel `limits` also has contents if there are no limits: it then shows the
 * reason. */
static bool limits_there(const struct session *session)
{
	return session->insight.loaded || session->insight.note[0];
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
	return session_probe(session) != NULL;
}

static bool sweep_there(const struct session *session)
{
	return session_sweep(session) != NULL;
}

/* The panels in fronts[] are in the order in which the command `view next` brings them to the
 * front. */
static const struct front fronts[] = {
	{ "curves", curves_there },
	{ "limits", limits_there },
	{ "ports", code_there },
	{ "counters", counted_there },
	{ "code", code_there },
	{ "source", source_there },
	{ "timeline", diagrams_there, .walked = true },
	{ "graph", diagrams_there, .walked = true },
	{ "mountain", mountain_there, .walked = true },
	{ "probe", probe_there },
	{ "windows", windows_there },
	{ "sweep", sweep_there },
	{ "trials" },
};

enum { FRONTS = sizeof(fronts) / sizeof(fronts[0]) };

static const struct front *front_named(const char *name)
{
	for (int i = 0; i < FRONTS; i++)
		if (strcmp(fronts[i].name, name) == 0)
			return &fronts[i];
	return NULL;
}

static bool is_there(const struct session *session, const struct front *front)
{
	return !front->there || front->there(session);
}

const char *front_name_at(int index)
{
	return index < FRONTS ? fronts[index].name : NULL;
}

bool front_there(const struct session *session, const char *name)
{
	const struct front *front = front_named(name);

	return front && is_there(session, front);
}

bool front_walked(const char *name)
{
	const struct front *front = front_named(name);

	return front && front->walked;
}

/* ---- the user's choice ---- */

/* Brings a panel to the front. */
static void bring(struct session *session, const struct front *front)
{
	if (!screen_in_front(session, front->name))
		diagrams_begin(session);
	if (front->walked && !front_walked(session->screen.front))
		screen_cover(session);
	screen_bring(session, front->name);
	if (front->walked) {
		screen_focus(session, front->name);
		entry_drop(session);
	}
}

/* Brings a panel that the user asked for to the front, where it stays until the user chooses
 * another kernel. */
static void choose(struct session *session, const struct front *front)
{
	bring(session, front);
	screen_chosen(session, front->name);
}

static struct status unknown_front(const char *given)
{
	struct text text = { 0 };
	struct status status;

	for (int i = 0; i < FRONTS; i++)
		text_addf(&text, "%s%s", i < FRONTS - 1 ? ", " : " or ", fronts[i].name);
	status = status_usage("view \"%.40s\": next, auto%s", given, text_string(&text));
	text_free(&text);
	return status;
}

static struct status run_view(
	const struct session *session, struct session *change, char *arguments)
{
	const struct front *front = front_named(arguments);

	if (!front)
		return unknown_front(arguments);
	if (!is_there(session, front) && front->there == probe_there)
		return status_usage(
			"view probe: no probe was run; the command \"probe\" starts one");
	if (!is_there(session, front) && front->there == sweep_there)
		return status_usage("view sweep: no sweep was run; \"sweep NAME\" starts one");
	if (!is_there(session, front))
		return status_usage("view %s: nothing to show for %s", arguments,
			session->setting.kernel->name);
	if (!change)
		return command_effect(
			!screen_in_front(session, front->name), "this panel is already in front");
	choose(change, front);
	return status_ok();
}

/* Whether the panel shows only why it has no contents: the commands `view next` and `view previous`
 * skip it. */
static bool says_only_why(const struct session *session, const struct front *front)
{
	return (front->there == counted_there && session->counted.why[0]) ||
	       (front->there == limits_there && !code_there(session));
}

/* Returns the panel that the user looks at: a focused panel is on screen even if another panel is
 * in front. */
static const struct front *looked_at(const struct session *session)
{
	const struct front *focused = front_named(session->screen.focus);

	return focused ? focused : front_named(session->screen.front);
}

/* Returns the panel after (direction 1) or before (direction -1) the panel that the user looks at.
 */
static const struct front *front_by(const struct session *session, int direction)
{
	int index = (int)(looked_at(session) - fronts);

	do
		index = (index + FRONTS + direction) % FRONTS;
	while (!is_there(session, &fronts[index]) || says_only_why(session, &fronts[index]));
	return &fronts[index];
}

static struct status run_view_by(const struct session *session, struct session *change, char *given)
{
	const struct front *front = front_by(session, command_direction(given));

	if (front == looked_at(session))
		return status_usage("no other panel has something to show");
	if (change)
		choose(change, front);
	return status_ok();
}

/* Returns the first panel in `panels` that has something to show; NULL: no panel has. */
static const struct front *first_there(const struct session *session, const char *const *panels)
{
	for (int i = 0; i < SCREEN_ORDER && panels[i]; i++)
		if (front_there(session, panels[i]))
			return front_named(panels[i]);
	return NULL;
}

/* Returns the panel that shows the limits of one kind of resource best. */
static const char *panel_of_limit(enum limit_kind limit)
{
	static const char *const panels[] = {
		[RESOURCE_PIPELINE] = "limits",
		[RESOURCE_PORTS] = "ports",
		[RESOURCE_CHAIN] = "limits",
		[RESOURCE_MEMORY] = "curves",
	};

	return limit == LIMIT_COUNT ? "curves" : panels[limit_rows[limit].resource];
}

/* Returns the panel that best explains the speed of the chosen kernel; NULL: the choice depends on
 * limits that are not known yet. */
static const struct front *answer(const struct session *session)
{
	const struct insight *insight = &session->insight;
	const struct front *first = first_there(session, session->screen.order);
	const char *name = session->setting.kernel->answer;

	if (first)
		return first;
	if (!session->machine_known || (!name && !insight_ready(session) && insight->reading))
		return NULL;
	/* If the limits are for another core, no measured value can be explained, so the panel of
	 * limits comes to the front.
	 */
	if (!name && insight_foreign(session))
		name = "limits";
	if (!name)
		name = panel_of_limit(insight_binding(session));
	return front_named(front_there(session, name) ? name : "curves");
}

/* Brings the panel that best explains the chosen kernel to the front, as if it came by itself. */
static void show_answer(struct session *session)
{
	const struct front *front = answer(session);

	screen_bring(session, front ? front->name : fronts[0].name);
	screen_answer(session, front ? session->setting.kernel : NULL);
}

/* Leaves a panel on which the arrow keys act. The panel that the kernel brings itself stays in
 * front, and the arrow keys act on the knobs again. Any other panel goes, and the panel before it
 * comes. */
void fronts_leave(struct session *session)
{
	const char *own = session->setting.kernel->answer, *under = session->screen.under;

	if (own && screen_in_front(session, own))
		screen_focus(session, "knobs");
	else if (under && front_there(session, under))
		choose(session, front_named(under));
	else
		show_answer(session);
}

/* Brings a panel to the front; if the panel is in front and the arrow keys already act on it,
 * leaves it. */
static void toggle(struct session *session, const char *name)
{
	if (screen_in_front(session, name) && screen_focused(session, name))
		fronts_leave(session);
	else
		choose(session, front_named(name));
}

bool fronts_walking(const struct session *session)
{
	const char *front = session->screen.front;

	return front_walked(front) && screen_in_front(session, front) &&
	       screen_focused(session, front);
}

static struct status counters_refusal(const struct session *session)
{
	return command_unless(counted_there(session), "no hardware events are counted here");
}

static void act_counters(struct session *session)
{
	const struct front *before = front_named(session->screen.before);

	if (!screen_in_front(session, "counters"))
		choose(session, front_named("counters"));
	else
		choose(session, is_there(session, before) ? before : fronts);
}

static struct status diagrams_refusal(const struct session *session)
{
	return command_unless(diagrams_there(session),
		session->replay ? "a recording has the code only as text: no timeline, no graph"
				: "the machine code of this setting is not decoded");
}

static void act_timeline(struct session *session)
{
	toggle(session, "timeline");
}

static void act_graph(struct session *session)
{
	toggle(session, "graph");
}

struct status mountain_refusal(const struct session *session)
{
	if (mountain_there(session))
		return status_ok();
	if (session->replay)
		return status_usage("this recording has no mountain of %s: that takes several "
				    "sizes and strides",
			session->setting.kernel->name);
	return status_usage("%s has no mountain: it needs the knobs size and stride",
		session->setting.kernel->name);
}

static void act_mountain(struct session *session)
{
	toggle(session, "mountain");
}

/* ---- sets of panels ---- */

/* A preset: a set of panels that comes to the screen together, the most important panel first. */
static const struct preset {
	const char *name;
	const char *panels[SCREEN_ORDER]; /* panels of the preset; empty: the panels that the user
					     last brought to the front */
} presets[] = {
	{ "ilp", { "limits", "ports", "code" } },
	{ "memory", { "curves", "mountain", "by-stride", "counters" } },
	{ "code", { "code", "source", "ports" } },
	{ "own", { NULL } },
};

enum { PRESETS = sizeof(presets) / sizeof(presets[0]) };

/* Returns the panels of a preset; a NULL name ends the panels early. */
static const char *const *panels_of(const struct session *session, int preset)
{
	return presets[preset].panels[0] ? presets[preset].panels : session->screen.own;
}

/* Whether a panel of a set has something to show. The panel of counters that cannot be read shows
 * only the reason, and has no place next to others. */
static bool has_content(const struct session *session, const char *panel)
{
	return front_there(session, panel) &&
	       !(strcmp(panel, "counters") == 0 && session->counted.why[0]);
}

/* Returns the names of the panels in `panels` that have something to show: "curves, mountain". */
static struct words shown_words(const struct session *session, const char *const *panels)
{
	struct words words = { "" };

	for (int i = 0; i < SCREEN_ORDER && panels[i]; i++)
		if (has_content(session, panels[i]))
			words = words_of("%s%s%s", words.text, *words.text ? ", " : "", panels[i]);
	return words;
}

/* Returns the index of the preset on screen; -1: no preset. */
static int preset_now(const struct session *session)
{
	for (int i = 0; i < PRESETS; i++)
		if (strcmp(presets[i].name, session->screen.preset) == 0)
			return i;
	return -1;
}

static struct status show_preset(const struct session *session, struct session *change, int preset)
{
	const char *const *panels = panels_of(session, preset);
	const struct front *first = first_there(session, panels);
	int last = PRESETS;

	if (!first)
		return status_usage("preset %s: no panel of it has something to show for %s%s",
			presets[preset].name, session->setting.kernel->name,
			panels == session->screen.own ? ": bring panels to the front with v" : "");
	if (!change)
		return status_ok();
	screen_order(change, presets[preset].name, panels);
	bring(change, first);
	/* The user's own set is empty until the user brings a panel to the front. */
	while (!first_there(session, panels_of(session, last - 1)))
		last--;
	session_notice(change, false, "set of panels %d of %d, %s: %s", preset + 1, last,
		presets[preset].name, shown_words(session, panels).text);
	return status_ok();
}

static struct status run_preset(
	const struct session *session, struct session *change, char *arguments)
{
	for (int i = 0; i < PRESETS; i++)
		if (strcmp(arguments, presets[i].name) == 0 ||
			strcmp(arguments, words_of("%d", i + 1).text) == 0)
			return show_preset(session, change, i);
	return status_usage("preset \"%.40s\": ilp (1), memory (2), code (3), own (4), next or "
			    "previous",
		arguments);
}

static struct status run_preset_by(
	const struct session *session, struct session *change, char *given)
{
	int direction = command_direction(given), preset = preset_now(session);

	preset = preset < 0 ? (direction > 0 ? -1 : 0) : preset;
	for (int i = 0; i < PRESETS; i++) {
		preset = (preset + PRESETS + direction) % PRESETS;
		if (first_there(session, panels_of(session, preset)))
			break;
	}
	return show_preset(session, change, preset);
}

/* ---- the panel that answers the kernel ---- */

void fronts_follow(struct session *session)
{
	const struct screen *screen = &session->screen;
	bool dead = !front_there(session, screen->front),
	     answered = screen->answered == session->setting.kernel;

	if (!dead && (answered || screen->kept || !answer(session)))
		return;
	/* The arrow keys continue to act on the same part of the screen, so that a user who goes
	 * through the kernels does not end in the mountain. */
	show_answer(session);
}

static void act_view_keep(struct session *session)
{
	screen_keep(session);
	session_notice(session, false,
		"this panel stays in front for other kernels too; view auto ends that");
}

static bool view_keep_useful(const struct session *session)
{
	return !session->screen.kept;
}

static void act_view_auto(struct session *session)
{
	screen_order(session, "", NULL);
	screen_answer(session, NULL);
	fronts_follow(session);
	session_notice(session, false,
		"from now on, each kernel brings its own panel; v chooses another panel");
}

/* ---- the table ---- */

const struct command_row commands_fronts[] = {
	{ "view", .run = run_view },
	{ "view next", .run = run_view_by, .given = "+1" },
	{ "view previous", .run = run_view_by, .given = "-1" },
	{ "view keep", act_view_keep, .useful = view_keep_useful,
		.useless = "the panel in front already stays for other kernels" },
	{ "view auto", act_view_auto },
	{ "preset", .run = run_preset },
	{ "preset next", .run = run_preset_by, .given = "+1" },
	{ "preset previous", .run = run_preset_by, .given = "-1" },
	{ "timeline", act_timeline, .refusal = diagrams_refusal },
	{ "graph", act_graph, .refusal = diagrams_refusal },
	{ "counters", act_counters, .refusal = counters_refusal },
	{ "mountain", act_mountain, .refusal = mountain_refusal },
	{ .name = NULL },
};
