/* Commands that change the setting: kernel, knobs, typed values. */
#include "explorer/actions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/own/own.h"

/* The largest number of characters of a value that the user types for a knob. Every valid value of
 * a knob is shorter than this number of characters. */
enum { ENTRY_LONGEST = 20, FLAGS_LONGEST = 60 };

/* ---- kernels ---- */

static void choose_kernel(struct session *session, const struct kernel *kernel)
{
	int index = session_kernel_index(session, kernel);

	if (kernel != session->setting.kernel)
		session_go(session, &session->kernels[index].setting);
}

/* Opens an own loop, which is a function in the user's file. `rest` is the text after the path,
 * "cflags=FLAGS", or NULL if there is none. */
static struct status open_own(struct session *session, const char *path, const char *rest)
{
	if (rest && strncmp(rest, "cflags=", 7) != 0)
		return status_usage(
			"\"%.60s\": after the file of an own loop only cflags=… may follow", rest);
	return session_own_open(session, path, rest ? rest + 7 : NULL);
}

struct status action_kernel_by(const struct session *session, struct session *change, int direction)
{
	int index = session_kernel_index(session, session->setting.kernel) + direction;

	/* In a replay, kernels that were not recorded are skipped. */
	for (; index >= 0 && index < session->kernel_count + 2; index += direction) {
		const struct kernel *kernel = session->kernels[index].setting.kernel;

		if (!kernel || !playback_kernel(session, kernel))
			continue;
		if (change)
			choose_kernel(change, kernel);
		return status_ok();
	}
	return status_usage("this is the %s kernel", direction > 0 ? "last" : "first");
}

/* ---- functions of a program ---- */

/* Returns to the function that was shown last, or from a function to the kernel before it. */
static struct status toggle_function(const struct session *session, struct session *change)
{
	const struct kernel *last = session->kernels[session->kernel_count + 1].setting.kernel;
	int from = session->programs.from;

	if (session->setting.kernel->function && from >= 0 && session->kernels[from].setting.kernel)
		last = session->kernels[from].setting.kernel;
	else if (session->setting.kernel->function)
		return action_kernel_by(session, change, -1);
	if (!last)
		return status_usage("no function was shown yet: / finds one by its name");
	if (change)
		choose_kernel(change, last);
	return status_ok();
}

static struct status run_function(
	const struct session *session, struct session *change, char *arguments)
{
	if (!program_opened(session))
		return status_usage("no program is open: open ./program opens one");
	if (!*arguments)
		return toggle_function(session, change);
	return change ? function_ask(change, arguments) : status_ok();
}

static struct status run_function_by(
	const struct session *session, struct session *change, char *given)
{
	const struct opened_program *file = program_opened(session);
	int direction = command_direction(given), present, wanted;

	if (!file)
		return status_usage("no program is open: open ./program opens one");
	present = program_present(session);
	wanted = present + (present >= 0 || direction > 0 ? direction : 0);
	if (wanted < 0 || (size_t)wanted >= file->list.count)
		return status_usage(
			"this is the %s function with loops", direction > 0 ? "last" : "first");
	return change ? function_ask(change,
				words_of("%#" PRIx64, file->list.function[wanted].function.address)
					.text)
		      : status_ok();
}

/* ---- values ---- */

/* Returns the limits of memory and processors with which the values of a setting are checked. In a
 * replay, the memory limits are unknown. */
static struct memory_limits limit_of(const struct session *session)
{
	return session->replay ? MEMORY_LIMITS_UNKNOWN : session->memory_limits;
}

/* Shows a notice that lists the knobs that changed without the user's request. `asked` has one bit
 * for each knob that the user changed. */
static void notice_followers(struct session *session, const struct setting *before, unsigned asked)
{
	const struct setting *after = &session->setting;
	struct text text = { 0 };

	for (int i = 0; i < after->kernel->knob_count; i++) {
		const struct knob *knob = &after->kernel->knobs[i];
		if (asked >> i & 1 || before->v[i] == after->v[i])
			continue;
		text_addf(&text, text.length ? ", %s to %s" : "%s followed to %s", knob->name,
			setting_shown(knob, after->v[i]).text);
	}
	if (text.length)
		session_notice(session, false, "%s", text_string(&text));
	text_free(&text);
}

/* After `knob` was changed, lets the kernel fit the other knobs to the new value. `asked` has one
 * bit for each knob that must not change. */
static struct status fit_and_check(
	const struct session *session, struct setting *setting, int knob, unsigned asked)
{
	const struct setting wanted = *setting;
	struct status status, fitted;

	if (session->replay)
		return playback_fit(session, setting, asked);
	status = setting_check(setting, session->memory_limits);
	if (status_is_ok(&status))
		return status;
	kernel_fit(setting->kernel, setting->v, knob);
	for (int i = 0; i < setting->kernel->knob_count; i++)
		if (asked >> i & 1 && setting->v[i] != wanted.v[i])
			return status;
	fitted = setting_check(setting, session->memory_limits);
	return status_is_ok(&fitted) ? fitted : status;
}

/* Makes `wanted` the present setting; `knob` is the knob that was changed last. The kernel may fit
 * other knobs to the new value. */
static struct status go(const struct session *session, struct session *change,
	const struct setting *wanted, int knob, unsigned asked)
{
	struct setting before = session->setting, setting = *wanted;
	struct status status = fit_and_check(session, &setting, knob, asked);

	if (!status_is_ok(&status))
		return status;
	if (!change)
		return command_effect(
			!setting_equal(&setting, &before), "the knob already has this value");
	session_go(change, &setting);
	notice_followers(change, before.kernel == wanted->kernel ? &before : wanted, asked);
	playback_tell(change, wanted, asked);
	return status;
}

/* Makes a setting the present one, with the values of `words`: "KNOB=VALUE …". */
static struct status go_to(
	const struct session *session, struct session *change, struct setting wanted, char *words)
{
	unsigned asked = 0;
	int last = 0;

	for (char *word; (word = strsep(&words, " "));) {
		const char *value;
		struct status status = setting_assign(&wanted, word, limit_of(session));

		if (status_is_ok(&status))
			status = setting_split(wanted.kernel, word, &last, &value);
		if (!status_is_ok(&status))
			return status;
		asked |= 1u << last;
	}
	return go(session, change, &wanted, last, asked);
}

static struct status run_set(const struct session *session, struct session *change, char *arguments)
{
	const struct setting *present = &session->setting;

	if (!*arguments)
		return status_usage("set needs KNOB=VALUE, for example %s=VALUE",
			present->kernel->knob_count ? present->kernel->knobs[0].name : "size");
	return go_to(session, change, *present, arguments);
}

/* Returns the setting that a kernel had last. */
static struct setting last_of(const struct session *session, const struct kernel *kernel)
{
	return kernel == session->setting.kernel
		       ? session->setting
		       : session->kernels[session_kernel_index(session, kernel)].setting;
}

static struct status run_kernel(
	const struct session *session, struct session *change, char *arguments)
{
	const char *name = strsep(&arguments, " ");
	const struct kernel *kernel;
	struct status status;
	int knob = -1;
	bool sets;

	if (!*name)
		return status_usage("kernel needs a name: slexplore list shows all kernels");
	if (own_is_path(name) && session->replay)
		return status_usage("a recording has no own loops: start slexplore without replay "
				    "to measure one");
	if (own_is_path(name))
		return change ? open_own(change, name, arguments) : status_ok();
	status = setting_find_kernel(name, &kernel);
	sets = arguments && strchr(arguments, '=');
	if (status_is_ok(&status) && arguments && !sets)
		status = setting_find_knob(kernel, arguments, &knob);
	if (status_is_ok(&status) && !playback_kernel(session, kernel))
		status = playback_none(session, kernel);
	if (!status_is_ok(&status))
		return status;
	if (sets)
		return go_to(session, change, last_of(session, kernel), arguments);
	if (!change)
		return command_effect(
			kernel != session->setting.kernel || (knob >= 0 && knob != session->knob),
			"this kernel is already chosen");
	choose_kernel(change, kernel);
	if (knob >= 0) {
		session_choose_knob(change, knob);
		screen_focus(change, "knobs");
	}
	return status_ok();
}

bool action_steps(const char *text, int *steps)
{
	int64_t number;

	if ((*text != '+' && *text != '-') || !units_parse(text + 1, false, &number))
		return false;
	number = number > 1000000 ? 1000000 : number;
	*steps = *text == '-' ? -(int)number : (int)number;
	return true;
}

/* Changes the chosen knob of `setting` to the value `steps` values further. Returns whether the
 * setting changed. */
static bool step(const struct session *session, struct setting *setting, int steps)
{
	if (session->replay)
		return steps && replay_step(session->replay, setting, session->knob, steps);
	return setting_step(setting, session->knob, steps, session->memory_limits);
}

struct status action_step(const struct session *session, struct session *change, int steps)
{
	struct setting before = session->setting, setting = before;
	const struct knob *knob = &before.kernel->knobs[session->knob];

	if (session->knob >= before.kernel->knob_count)
		return status_usage("%s has no knobs", before.kernel->name);
	if (!step(session, &setting, steps)) {
		if (session->replay)
			return status_usage(
				"no further: %s", playback_range(session, session->knob).text);
		setting.v[session->knob] += steps > 0 ? 1 : -1;
		if (knob->kind == KNOB_CHOICE && setting.v[session->knob] >= 0 &&
			setting.v[session->knob] <= setting_max(knob, session->memory_limits)) {
			/* The next choice exists, and the kernel says why it cannot be chosen. */
			struct status why = setting_check(&setting, session->memory_limits);

			if (!status_is_ok(&why))
				return why;
		}
		setting = before;
		if (before.kernel->function && knob->max == 1)
			return status_usage("this function has one loop");
		return status_usage("%s=%s goes no further: %s", knob->name,
			setting_shown(knob, before.v[session->knob]).text,
			setting_range(knob, session->memory_limits).text);
	}
	if (!change)
		return status_ok();
	session_go(change, &setting);
	notice_followers(change, &before, 1u << session->knob);
	return status_ok();
}

static struct status run_knob(
	const struct session *session, struct session *change, char *arguments)
{
	struct status status;
	int steps, knob;
	char *by = strchr(arguments, ' ');

	if (session->setting.kernel->knob_count == 0)
		return status_usage("%s has no knobs", session->setting.kernel->name);
	if (action_steps(arguments, &steps))
		return action_step(session, change, steps);
	if (by)
		*by++ = '\0';
	if (by && !action_steps(by, &steps))
		return status_usage("knob %.20s %.20s: expected +N or -N steps", arguments, by);
	if (!*arguments || strchr("+-0123456789", *arguments))
		return status_usage("knob needs +N or -N (steps of the chosen knob), next, "
				    "previous, or a name");
	status = setting_find_knob(session->setting.kernel, arguments, &knob);
	if (!status_is_ok(&status))
		return status;
	if (!change)
		return command_effect(knob != session->knob || !screen_focused(session, "knobs"),
			"this knob is already chosen");
	session_choose_knob(change, knob);
	screen_focus(change, "knobs");
	return by ? action_step(session, change, steps) : status;
}

struct status action_knob_by(const struct session *session, struct session *change, int direction)
{
	int knob = session->knob + direction;

	if (knob < 0 || knob >= session->setting.kernel->knob_count)
		return status_usage("this is the %s knob", direction > 0 ? "last" : "first");
	if (change)
		session_choose_knob(change, knob);
	return status_ok();
}

/* ---- typing a value ---- */

/* Whether the user types the number of a value, not the value: the values have names, and not all
 * names are numbers. After a minus sign, compiler flags are typed as they are. */
static bool is_numbered(const struct session *session)
{
	const struct knob *knob = &session->setting.kernel->knobs[session->knob];

	if (setting_takes_flags(knob) && session->screen.entry[0])
		return false;
	for (int i = 0; knob->kind == KNOB_CHOICE && knob->choices[i]; i++)
		if (strspn(knob->choices[i], "0123456789") != strlen(knob->choices[i]))
			return true;
	return false;
}

/* Returns an error if the user may not type this character in a value of the chosen knob. For a
 * knob with named values (choices), the user types the number of the value. Other knobs allow every
 * printable character, because the value is checked when it is complete. */
static struct status check_digit(const struct session *session, const char *digit)
{
	const struct kernel *kernel = session->setting.kernel;
	const struct knob *knob = &kernel->knobs[session->knob];
	size_t longest = setting_takes_flags(knob) ? FLAGS_LONGEST : ENTRY_LONGEST;
	struct text choices = { 0 };
	struct status status = status_ok();
	int count = 0;

	if (kernel->knob_count == 0)
		return status_usage("%s has no knobs", kernel->name);
	if (setting_takes_flags(knob) && *digit == '-' && !digit[1] && !session->screen.entry[0])
		return status;
	if (!is_numbered(session) && (*digit < ' ' || *digit > '~' || digit[1]))
		return status_usage(
			"\"%.20s\" cannot be typed into a value of %s", digit, knob->name);
	if (!is_numbered(session))
		return session->screen.entry_refused || strlen(session->screen.entry) < longest
			       ? status
			       : status_usage("a value of %s has at most %zu characters",
					 knob->name, longest);
	for (; count <= setting_max(knob, limit_of(session)); count++)
		text_addf(&choices, "%s%d %s", count ? ", " : "", count + 1, knob->choices[count]);
	if (*digit < '1' || *digit > '9' || *digit - '0' > count || digit[1])
		status = status_usage(
			"%s has no choice \"%.20s\": %s", knob->name, digit, text_string(&choices));
	text_free(&choices);
	return status;
}

/* Sets the chosen knob to a value. */
static struct status move_knob_to(
	const struct session *session, struct session *change, int64_t value)
{
	struct setting wanted = session->setting;

	wanted.v[session->knob] = value;
	return go(session, change, &wanted, session->knob, 1u << session->knob);
}

static void say_range(struct session *session)
{
	const struct knob *knob = &session->setting.kernel->knobs[session->knob];

	if (session->replay)
		session_notice(session, false, "%s", playback_range(session, session->knob).text);
	else
		session_notice(session, false, "%s: %s", knob->name,
			setting_range(knob, session->memory_limits).text);
}

static struct status run_digit(
	const struct session *session, struct session *change, char *arguments)
{
	const struct kernel *kernel = session->setting.kernel;
	bool minus = strcmp(arguments, "-") == 0 && !session->screen.entry[0],
	     flags = kernel->knob_count > 0 && setting_takes_flags(&kernel->knobs[session->knob]);
	struct status status;

	/* Only compiler flags begin with a minus sign. */
	if (minus && !flags && kernel->knob_count > 0)
		return action_step(session, change, -1);
	status = check_digit(session, arguments);
	if (!status_is_ok(&status))
		return status;
	/* A typed number selects a named value of a knob at once. */
	if (!minus && is_numbered(session))
		return move_knob_to(session, change, *arguments - '1');
	if (!change)
		return status;
	entry_add(change, *arguments);
	say_range(change);
	return status;
}

static bool entry_there(const struct session *session)
{
	return session->screen.entry[0];
}

static struct status run_accept(
	const struct session *session, struct session *change, char *arguments)
{
	const struct kernel *kernel = session->setting.kernel;
	struct status status;
	int64_t value;

	(void)arguments;
	if (!entry_there(session))
		return status_usage("no value is being typed");
	if (!change)
		return status_ok();
	status = setting_parse_value(&session->setting.kernel->knobs[session->knob],
		session->screen.entry, limit_of(session), &value);
	if (status_is_ok(&status))
		status = move_knob_to(session, change, value);
	else if (kernel->own && setting_takes_flags(&kernel->knobs[session->knob]))
		status = session_own_flags(change, session->screen.entry);
	if (status_is_ok(&status))
		entry_drop(change);
	else
		entry_refuse(change);
	return status;
}

static void act_erase(struct session *session)
{
	entry_erase(session);
	if (session->screen.entry[0])
		say_range(session);
}

/* ---- the table ---- */

static struct status run_kernel_by(
	const struct session *session, struct session *change, char *given)
{
	return action_kernel_by(session, change, command_direction(given));
}

static struct status run_knob_by(const struct session *session, struct session *change, char *given)
{
	return action_knob_by(session, change, command_direction(given));
}

const struct command_row commands_setting[] = {
	{ "kernel", .run = run_kernel },
	{ "kernel next", .run = run_kernel_by, .given = "+1" },
	{ "kernel previous", .run = run_kernel_by, .given = "-1" },
	{ "function", .run = run_function },
	{ "function next", .run = run_function_by, .given = "+1" },
	{ "function previous", .run = run_function_by, .given = "-1" },
	{ "set", .run = run_set },
	{ "knob", .run = run_knob },
	{ "knob next", .run = run_knob_by, .given = "+1" },
	{ "knob previous", .run = run_knob_by, .given = "-1" },
	{ "digit", .run = run_digit, .verbatim = true },
	{ "entry accept", .run = run_accept },
	{ "entry drop", entry_drop, .useful = entry_there, .useless = "no value is being typed" },
	{ "entry erase", act_erase, .useful = entry_there, .useless = "no value is being typed" },
	{ .name = NULL },
};
