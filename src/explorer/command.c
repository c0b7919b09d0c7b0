#include "explorer/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/actions.h"
#include "explorer/panes.h"
#include "explorer/state.h"

/* Rows that only fix an argument of an action. */
#define ACTION_BY(name, call)                                               \
	static struct status run_##name(                                    \
		struct session *session, const char *arguments, double now) \
	{                                                                   \
		(void)arguments;                                            \
		return call;                                                \
	}
#define WORKS_BY(name, call)                                                           \
	static bool works_##name(const struct session *session, const char *arguments) \
	{                                                                              \
		(void)arguments;                                                       \
		return call;                                                           \
	}

ACTION_BY(kernel_next, action_kernel_by(session, +1, now))
WORKS_BY(kernel_next, action_kernel_by_works(session, +1))
ACTION_BY(kernel_previous, action_kernel_by(session, -1, now))
WORKS_BY(kernel_previous, action_kernel_by_works(session, -1))
ACTION_BY(knob_next, action_knob_by(session, +1, now))
WORKS_BY(knob_next, action_knob_by_works(session, +1))
ACTION_BY(knob_previous, action_knob_by(session, -1, now))
WORKS_BY(knob_previous, action_knob_by_works(session, -1))
ACTION_BY(move_left, action_move(session, -1, 0, now))
WORKS_BY(move_left, action_move_works(session, -1, 0))
ACTION_BY(move_right, action_move(session, +1, 0, now))
WORKS_BY(move_right, action_move_works(session, +1, 0))
ACTION_BY(move_up, action_move(session, 0, -1, now))
WORKS_BY(move_up, action_move_works(session, 0, -1))
ACTION_BY(move_down, action_move(session, 0, +1, now))
WORKS_BY(move_down, action_move_works(session, 0, +1))

WORKS_BY(entry, session->entry[0] != '\0')

static struct status run_entry_drop(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	session->entry[0] = '\0';
	return status_ok();
}

static struct status run_entry_erase(struct session *session, const char *arguments, double now)
{
	size_t length = strlen(session->entry);

	(void)arguments, (void)now;
	if (length)
		session->entry[length - 1] = '\0';
	session->entry_refused = false;
	if (session->entry[0])
		action_say_range(session);
	return status_ok();
}

ACTION_BY(focus_next, ((void)now, action_focus_by(session, +1)))
ACTION_BY(focus_previous, ((void)now, action_focus_by(session, -1)))

/* ---- pin ---- */

WORKS_BY(pin, session->live.sample.valid)
WORKS_BY(pin_swap, session->pinned && session->live.sample.valid)
WORKS_BY(pin_drop, session->pinned)

static struct status run_pin(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	if (!session->live.sample.valid)
		return status_make(STATUS_USAGE, "there is no figure to pin yet");
	session_pin(session);
	return status_ok();
}

static struct status run_pin_swap(struct session *session, const char *arguments, double now)
{
	struct setting back = session->a_setting;
	struct status status;

	if (!session->pinned)
		return status_make(
			STATUS_USAGE, "nothing is pinned; pin keeps the present figure as A");
	status = run_pin(session, arguments, now);
	if (status_is_ok(&status))
		session_go(session, &back, now);
	return status;
}

static struct status run_pin_drop(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	if (!session->pinned)
		return status_make(STATUS_USAGE, "nothing is pinned");
	session->pinned = false;
	return status_ok();
}

/* ---- measuring ---- */

static struct status run_freeze(struct session *session, const char *arguments, double now)
{
	(void)arguments;
	if (session->replay)
		return recorded_refuse(session);
	session_freeze(session, !session->frozen, now);
	return status_ok();
}

static struct status run_again(struct session *session, const char *arguments, double now)
{
	(void)arguments;
	if (session->replay)
		return recorded_refuse(session);
	session_forget(session, now);
	return status_ok();
}

WORKS_BY(measuring, !session->replay)

/* ---- overlays ---- */

static struct status overlay_open(struct session *session, enum overlay overlay)
{
	session->overlay = overlay;
	session->scroll = 0;
	return status_ok();
}

static struct status run_find(struct session *session, const char *arguments, double now)
{
	(void)now;
	snprintf(session->find, sizeof(session->find), "%s", arguments);
	text_cut_clean(session->find, sizeof(session->find));
	counted_find(session, session->find);
	session->found_selected = 0;
	return overlay_open(session, OVERLAY_FIND);
}

static bool works_find(const struct session *session, const char *arguments)
{
	return session->overlay != OVERLAY_FIND || strcmp(session->find, arguments) != 0;
}

/* What find would run now, or an empty string. */
static struct view_found found_chosen(const struct session *session)
{
	struct view_found found[VIEW_FOUND] = { 0 };
	int count = session->overlay == OVERLAY_FIND ? session_found(session, found, NULL) : 0;

	return session->found_selected < count ? found[session->found_selected]
					       : (struct view_found){ 0 };
}

WORKS_BY(find_choose, found_chosen(session).command[0] != '\0')

static struct status run_find_choose(struct session *session, const char *arguments, double now)
{
	struct view_found chosen = found_chosen(session);
	struct status status;

	(void)arguments;
	if (session->overlay != OVERLAY_FIND)
		return status_make(STATUS_USAGE, "find is not open; find TEXT opens it");
	if (!chosen.command[0])
		return status_make(STATUS_USAGE, "nothing is called \"%s\"", session->find);
	/* Closed first: what was chosen may open another. */
	session->overlay = OVERLAY_NONE;
	status = session_command(session, chosen.command, now);
	if (!status_is_ok(&status))
		session->overlay = OVERLAY_FIND;
	return status;
}

ACTION_BY(help, ((void)now, overlay_open(session, OVERLAY_HELP)))
WORKS_BY(help, session->overlay != OVERLAY_HELP)
WORKS_BY(close, session->overlay != OVERLAY_NONE || session->entry[0] != '\0' ||
			session_prepares(session) || campaign_runs(session, CAMPAIGN_CORE) ||
			campaign_runs(session, CAMPAIGN_PROBE))

static struct status run_close(struct session *session, const char *arguments, double now)
{
	(void)arguments;
	if (session->overlay != OVERLAY_NONE)
		session->overlay = OVERLAY_NONE;
	else if (session->entry[0])
		session->entry[0] = '\0';
	else if (campaign_runs(session, CAMPAIGN_CORE))
		campaign_halt(session, CAMPAIGN_CORE, now);
	else if (campaign_runs(session, CAMPAIGN_PROBE))
		campaign_halt(session, CAMPAIGN_PROBE, now);
	else if (session_prepares(session))
		session_stop(session);
	return status_ok();
}

static struct status run_yank(struct session *session, const char *arguments, double now)
{
	struct text text = { 0 };

	(void)arguments, (void)now;
	if (session->replay) {
		text_add(&text, "slexplore replay ");
		text_add_clean(&text, replay_path(session->replay), VIEW_TEXT / 2);
		text_add(&text, " ");
	} else {
		text_add(&text, "slexplore explore ");
	}
	setting_format(&session->setting, &text);
	if (session->invocation[0])
		text_addf(&text, " %s", session->invocation);
	if (session->insight.wanted[0] && !session->replay)
		text_addf(&text, " --uarch %s", session->insight.wanted);
	counted_format(session, &text);
	snprintf(session->text, sizeof(session->text), "%s", text_string(&text));
	session->text_title[0] = '\0';
	text_free(&text);
	return overlay_open(session, OVERLAY_TEXT);
}

static struct status run_quit(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	session->quit = true;
	return status_ok();
}

/* ---- the table ---- */

static const struct command_row rows[] = {
	{ "kernel", "NAME [KNOB]", "choose a kernel, and the knob to turn", action_kernel,
		action_kernel_works, 0 },
	{ "kernel next", "", "the next kernel", run_kernel_next, works_kernel_next, COMMAND_FOUND },
	{ "kernel previous", "", "the kernel before", run_kernel_previous, works_kernel_previous,
		COMMAND_FOUND },
	{ "set", "KNOB=VALUE …", "set knobs", action_set, action_set_works, 0 },
	{ "knob", "+N|-N|NAME", "step the chosen knob, or choose another", action_knob,
		action_knob_works, 0 },
	{ "knob next", "", "the next knob", run_knob_next, works_knob_next, 0 },
	{ "knob previous", "", "the knob before", run_knob_previous, works_knob_previous, 0 },
	{ "digit", "CHARACTER",
		"a character of a value for the chosen knob, as in 32k; or a choice's number",
		action_digit, action_digit_works, COMMAND_VERBATIM },
	{ "entry accept", "", "take the typed value", action_accept, works_entry, 0 },
	{ "entry drop", "", "forget the typed value", run_entry_drop, works_entry, 0 },
	{ "entry erase", "", "erase the last character typed", run_entry_erase, works_entry, 0 },
	{ "focus", "kernels|knobs|slices|code|…", "what the arrows act on", action_focus,
		action_focus_works, 0 },
	{ "focus next", "", "give the arrows to the next pane", run_focus_next, NULL, 0 },
	{ "focus previous", "", "give the arrows to the pane before", run_focus_previous, NULL, 0 },
	{ "move left", "",
		"a smaller value, a smaller size on the slices, a smaller stride on the mountain",
		run_move_left, works_move_left, 0 },
	{ "move right", "",
		"a larger value, a larger size on the slices, a larger stride on the mountain",
		run_move_right, works_move_right, 0 },
	{ "move up", "",
		"the entry above, a larger stride on the slices, a smaller size on the mountain",
		run_move_up, works_move_up, 0 },
	{ "move down", "",
		"the entry below, a smaller stride on the slices, a larger size on the mountain",
		run_move_down, works_move_down, 0 },
	{ "remedy", "", "turn the knob that lowers the predicted CPE most", action_remedy,
		action_remedy_works, COMMAND_FOUND },
	{ "view", "slices|ladder|ports|code|…", "what comes first below the knobs", action_view,
		action_view_works, 0 },
	{ "view next", "", "bring the next one to the front: limits, ports, code, …",
		action_view_next, action_view_next_works, COMMAND_FOUND },
	{ "code", "+N|-N", "scroll the code by lines", action_code, action_code_works, 0 },
	{ "counters", "", "what was counted to the front, or away again", action_counters,
		action_counters_works, COMMAND_FOUND },
	{ "counters scroll", "+N|-N", "scroll the counters by lines", action_counters_by,
		action_counters_by_works, 0 },
	{ "mountain", "", "the mountain to the front, to be walked with the arrows, or away again",
		action_mountain, action_mountain_works, COMMAND_FOUND },
	{ "relief", "", "the mountain as a relief, or as shaded cells again", action_relief,
		action_relief_works, COMMAND_FOUND },
	{ "whatif", "[2x|64k|L2 4m|off]",
		"misses in other caches; alone, in caches twice as large, or no more",
		action_whatif, action_whatif_works, 0 },
	{ "event", "NAME", "count one more event, by libpfm's name", action_event,
		action_event_works, 0 },
	{ "event drop", "[NAME]", "count it no more; without a name none that was asked for",
		action_event_drop, action_event_drop_works, 0 },
	{ "uarch", "[NAME]", "predict for another core; without a name for this one", action_uarch,
		action_uarch_works, 0 },
	{ "uarch nearest", "", "this core has no model: take the nearest one", action_uarch_nearest,
		action_uarch_nearest_works, COMMAND_FOUND },
	{ "pin", "", "keep the present figure as A and compare with it", run_pin, works_pin,
		COMMAND_FOUND },
	{ "pin swap", "", "go to A, and make the present figure A", run_pin_swap, works_pin_swap,
		COMMAND_FOUND },
	{ "pin drop", "", "forget A", run_pin_drop, works_pin_drop, COMMAND_FOUND },
	{ "freeze", "", "stop measuring, or go on", run_freeze, works_measuring, COMMAND_FOUND },
	{ "again", "", "forget every figure and measure anew", run_again, works_measuring,
		COMMAND_FOUND },
	{ "record", "", "write what is measured to a file, to be replayed; again to end that",
		action_record, action_record_works, COMMAND_FOUND },
	{ "record to", "FILE", "write it to this file", action_record_to, action_record_works, 0 },
	{ "probe", "", "the memory hierarchy of this machine, in seconds", action_probe,
		action_probe_works, COMMAND_FOUND },
	{ "probe only", "PART …", "parts of it: latency, tlb, line, bandwidth, parallel, cores",
		action_probe_only, action_probe_works, 0 },
	{ "probe stop", "", "end it with what is measured", action_probe_stop,
		action_probe_stop_works, 0 },
	{ "characterise", "",
		"measure this core itself: its limits then, without a model of others",
		action_characterise, action_characterise_works, COMMAND_FOUND },
	{ "characterise stop", "", "end it with what is measured", action_characterise_stop,
		action_characterise_stop_works, 0 },
	{ "characterise save", "", "keep what was measured of this core as its model",
		action_characterise_save, action_characterise_save_works, 0 },
	{ "picture", "[light|dark] [FILE]",
		"a picture of what is in front: FILE.svg, .png, .pdf, or .gp for gnuplot; without "
		"a name a "
		"new file here",
		action_picture, action_picture_works, COMMAND_VERBATIM },
	{ "find", "[TEXT]", "look for a kernel, a knob, a command or an event, or write a command",
		run_find, works_find, COMMAND_VERBATIM },
	{ "choose", "", "take what find has marked", run_find_choose, works_find_choose, 0 },
	{ "help", "", "keys and commands", run_help, works_help, COMMAND_FOUND },
	{ "close", "",
		"close what lies over the panels, drop the typed value, end a preparation that "
		"takes long, a probe, or this core's measuring itself",
		run_close, works_close, 0 },
	{ "yank", "", "the command line that reopens this state", run_yank, NULL, COMMAND_FOUND },
	{ "quit", "", "end", run_quit, NULL, COMMAND_FOUND },
	{ NULL, NULL, NULL, NULL, NULL, 0 },
};

const struct command_row *command_rows(void)
{
	return rows;
}

/* ---- the language ---- */

/* The line with single blanks between words and none around; the caller frees it. */
static char *tidy(const char *line)
{
	struct text text = { 0 };
	char *tidied;

	for (const char *c = line; *c; c++) {
		bool blank = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';

		if (!blank)
			text_addn(&text, c, 1);
		else if (text.length && text.bytes[text.length - 1] != ' ')
			text_add(&text, " ");
	}
	if (text.length && text.bytes[text.length - 1] == ' ')
		text.bytes[--text.length] = '\0';
	tidied = memory_string(text_string(&text));
	text_free(&text);
	return tidied;
}

static bool begins_with_words(const char *line, const char *name, size_t length)
{
	return strncmp(line, name, length) == 0 && (line[length] == '\0' || line[length] == ' ');
}

/* The row with the longest name that the line begins with; arguments is what follows. */
const struct command_row *command_of(const char *line, const char **arguments)
{
	const struct command_row *best = NULL;
	size_t longest = 0;

	for (const struct command_row *row = rows; row->name; row++) {
		size_t length = strlen(row->name);

		if (length <= longest || !begins_with_words(line, row->name, length))
			continue;
		/* "kernel next" is the command; "kernel next door" names one. */
		if (!row->arguments[0] && line[length] && best && best->arguments[0])
			continue;
		best = row;
		longest = length;
	}
	if (best)
		*arguments = line + longest + (line[longest] == ' ');
	return best;
}

/* What a verbatim command takes: the line as it was written, after its name and one blank. */
static char *verbatim(const char *line, const struct command_row *row)
{
	char *arguments;

	line += strspn(line, " \t") + strlen(row->name);
	arguments = memory_string(line + (*line == ' '));
	arguments[strcspn(arguments, "\r\n")] = '\0';
	return arguments;
}

/* Why no row fits: names the commands that begin with the same word, or the nearest words. */
static struct status unknown_command(const char *line)
{
	const char *names[sizeof(rows) / sizeof(rows[0])];
	size_t length = strcspn(line, " "), count = 0;
	struct text alike = { 0 };
	char word[64], near[96] = "";

	snprintf(word, sizeof(word), "%.*s", length > 63 ? 63 : (int)length, line);
	for (const struct command_row *row = rows; row->name; row++) {
		if (strchr(row->name, ' ') && begins_with_words(row->name, word, strlen(word)))
			text_addf(&alike, "%s%s", alike.length ? ", " : "", row->name);
		names[count++] = row->name;
	}
	if (alike.length) {
		struct status status = status_make(STATUS_USAGE,
			"unknown command \"%.40s\"; there are %s", line, text_string(&alike));

		text_free(&alike);
		return status;
	}
	nearest_names(strchr(line, ' ') ? line : word, names, count, near, sizeof(near));
	if (!*near)
		nearest_names(word, names, count, near, sizeof(near));
	if (*near)
		return status_make(
			STATUS_USAGE, "unknown command \"%.40s\"; did you mean %s?", line, near);
	return status_make(STATUS_USAGE, "unknown command \"%.40s\"; help shows all", line);
}

/* A message goes away when there was time to read it: 15 characters a second. While a value is
 * typed it stays. */
static void notice_limit(struct session *session, double now)
{
	if (session->notice[0] && !session->entry[0])
		session->notice_until = now + 3 + (double)strlen(session->notice) / 15;
}

void session_say(struct session *session, const char *text)
{
	session_notice(session, true, "%s", text);
}

struct status session_command(struct session *session, const char *line, double now)
{
	char *tidied = tidy(line), *whole = NULL;
	const char *arguments = "";
	const struct command_row *row = command_of(tidied, &arguments);
	struct status status = status_ok();

	if (row && row->flags & COMMAND_VERBATIM)
		arguments = whole = verbatim(line, row);
	/* A success clears the last notice, unless it brings its own. */
	if (*tidied) {
		live_wake(&session->live, now);
		session->notice[0] = '\0';
		session->notice_bad = false;
		if (!row)
			status = unknown_command(tidied);
		else if (!row->arguments[0] && *arguments)
			status = status_make(STATUS_USAGE,
				"%s takes no argument, and \"%.40s\" is one", row->name, arguments);
		else
			status = row->run(session, arguments, now);
		if (!status_is_ok(&status))
			session_notice(session, true, "%s", status.text);
		/* That the setting cannot be measured stays on screen. */
		if (!session->live.failed || strcmp(session->notice, session->live.failure) != 0)
			notice_limit(session, now);
	}
	free(whole);
	free(tidied);
	return status;
}

bool session_command_works(const struct session *session, const char *line)
{
	char *tidied = tidy(line), *whole = NULL;
	const char *arguments = "";
	const struct command_row *row = command_of(tidied, &arguments);
	bool works;

	if (row && row->flags & COMMAND_VERBATIM)
		arguments = whole = verbatim(line, row);
	works = row && (row->arguments[0] || !*arguments) &&
		(!row->works || row->works(session, arguments));
	free(whole);
	free(tidied);
	return works;
}
