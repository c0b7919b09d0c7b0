/* Commands that change the setting: kernel, knobs, typed values. */
#include "explorer/actions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/own/own.h"

/* The most characters of a typed value; more than any value has. */
enum { ENTRY_LONGEST = 20 };

/* ---- kernels ---- */

static void choose_kernel(struct session *session, const struct kernel *kernel)
{
	int index = session_kernel_index(session, kernel);

	if (kernel != session->setting.kernel)
		session_go(session, &session->kernels[index].setting);
}

/* Parses "NAME [KNOB]". */
static struct status parse_kernel(const char *arguments, const struct kernel **kernel, int *knob)
{
	size_t length = strcspn(arguments, " ");
	struct status status;
	char name[64];

	*knob = -1;
	if (!*arguments)
		return status_usage("kernel takes the name of one (slexplore list shows all)");
	snprintf(name, sizeof(name), "%.*s", length > 63 ? 63 : (int)length, arguments);
	status = setting_find_kernel(name, kernel);
	if (!status_is_ok(&status) || !arguments[length])
		return status;
	return setting_find_knob(*kernel, arguments + length + 1, knob);
}

/* Whether the arguments name an own loop: "PATH [cflags=FLAGS]". */
static bool is_own(const char *arguments)
{
	char path[256];

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(arguments, " "), arguments);
	return own_is_path(path);
}

static struct status open_own(struct session *session, const char *arguments)
{
	size_t length = strcspn(arguments, " ");
	const char *rest = arguments + length + (arguments[length] == ' ');
	struct status status;
	char *path;

	if (*rest && strncmp(rest, "cflags=", 7) != 0)
		return status_usage(
			"\"%.60s\": after the file of an own loop comes cflags=…, or nothing",
			rest);
	path = memory_string(arguments);
	path[length] = '\0';
	status = session_own_open(session, path, *rest ? rest + 7 : NULL);
	free(path);
	return status;
}

static struct status run_kernel(struct session *session, const char *arguments)
{
	const struct kernel *kernel;
	struct status status;
	int knob;

	if (is_own(arguments) && session->replay)
		return status_usage(
			"a recording has no own loops: start without replay to measure one");
	if (is_own(arguments))
		return open_own(session, arguments);
	status = parse_kernel(arguments, &kernel, &knob);
	if (status_is_ok(&status) && !playback_kernel(session, kernel))
		status = playback_none(session, kernel);
	if (!status_is_ok(&status))
		return status;
	choose_kernel(session, kernel);
	if (knob >= 0) {
		session_choose_knob(session, knob);
		screen_focus(session, "knobs");
	}
	return status_ok();
}

static bool works_kernel(const struct session *session, const char *arguments)
{
	const struct kernel *kernel;
	struct status status;
	int knob;

	if (is_own(arguments))
		return !session->replay;
	status = parse_kernel(arguments, &kernel, &knob);
	return status_is_ok(&status) && playback_kernel(session, kernel) &&
	       (kernel != session->setting.kernel || (knob >= 0 && knob != session->knob));
}

/* The next kernel in a direction; a replay has only the recorded kernels. NULL: no next kernel. */
static const struct kernel *kernel_beside(const struct session *session, int direction)
{
	int index = session_kernel_index(session, session->setting.kernel) + direction;

	for (; index >= 0 && index < session->kernel_count + session->own.open; index += direction)
		if (playback_kernel(session, session->kernels[index].setting.kernel))
			return session->kernels[index].setting.kernel;
	return NULL;
}

bool action_kernel_by_works(const struct session *session, int direction)
{
	return kernel_beside(session, direction);
}

struct status action_kernel_by(struct session *session, int direction)
{
	if (!action_kernel_by_works(session, direction))
		return status_usage("this is the %s kernel", direction > 0 ? "last" : "first");
	choose_kernel(session, kernel_beside(session, direction));
	return status_ok();
}

/* ---- values ---- */

/* The memory limits for the check of values; unknown in a replay. */
static struct memory_limits limit_of(const struct session *session)
{
	return session->replay ? MEMORY_LIMITS_UNKNOWN : session->memory_limits;
}

/* Reports which other knobs changed. asked: one bit for each knob that the user changed. */
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

/* After `knob` was changed, lets the kernel fit the other knobs. It must not change the knobs in
 * `asked`, one bit each. */
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

/* Parses the arguments of `set`. wanted: the setting before other knobs were fitted. */
static struct status parse_set(const struct session *session, const char *arguments,
	struct setting *setting, struct setting *wanted, unsigned *asked)
{
	int last = 0;

	*setting = session->setting;
	*asked = 0;
	if (!*arguments)
		return status_usage("set takes KNOB=VALUE, as in %s=VALUE",
			setting->kernel->knob_count ? setting->kernel->knobs[0].name : "size");
	for (const char *at = arguments; *at;) {
		size_t length = strcspn(at, " "), equals = strcspn(at, "=");
		char word[128], name[128];
		struct status status;

		if (length >= sizeof(word))
			return status_usage("\"%.40s…\" is too long: set takes KNOB=VALUE", at);
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		status = setting_assign(setting, word, limit_of(session));
		if (!status_is_ok(&status))
			return status;
		snprintf(name, sizeof(name), "%.*s", (int)equals, at);
		last = kernel_knob(setting->kernel, name);
		*asked |= 1u << last;
		at += length + (at[length] == ' ');
	}
	*wanted = *setting;
	return fit_and_check(session, setting, last, *asked);
}

static struct status run_set(struct session *session, const char *arguments)
{
	struct setting before = session->setting, setting, wanted;
	unsigned asked;
	struct status status = parse_set(session, arguments, &setting, &wanted, &asked);

	if (!status_is_ok(&status))
		return status;
	session_go(session, &setting);
	notice_followers(session, &before, asked);
	playback_tell(session, &wanted, asked);
	return status;
}

static bool works_set(const struct session *session, const char *arguments)
{
	struct setting setting, wanted;
	unsigned asked;
	struct status status = parse_set(session, arguments, &setting, &wanted, &asked);

	return status_is_ok(&status) && !setting_equal(&setting, &session->setting);
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

/* Moves the chosen knob of a setting by steps. Returns whether the setting changed. */
static bool step(const struct session *session, struct setting *setting, int steps)
{
	if (session->replay)
		return steps && replay_step(session->replay, setting, session->knob, steps);
	return setting_step(setting, session->knob, steps, session->memory_limits);
}

struct status action_step(struct session *session, int steps)
{
	struct setting before = session->setting, setting = before;
	const struct knob *knob = &before.kernel->knobs[session->knob];

	if (!step(session, &setting, steps)) {
		if (session->replay)
			return playback_end(session, session->knob);
		return status_usage("%s=%s goes no further: %s", knob->name,
			setting_shown(knob, before.v[session->knob]).text,
			setting_range(knob, session->memory_limits).text);
	}
	session_go(session, &setting);
	notice_followers(session, &before, 1u << session->knob);
	return status_ok();
}

bool action_step_works(const struct session *session, int steps)
{
	struct setting setting = session->setting;

	return session->knob < setting.kernel->knob_count && step(session, &setting, steps);
}

static struct status run_knob(struct session *session, const char *arguments)
{
	struct status status;
	int steps, knob;

	if (session->setting.kernel->knob_count == 0)
		return status_usage("%s has no knobs", session->setting.kernel->name);
	if (action_steps(arguments, &steps))
		return action_step(session, steps);
	if (!*arguments || strchr("+-0123456789", *arguments))
		return status_usage(
			"knob takes +N or -N to step the chosen knob, next, previous, or a name");
	status = setting_find_knob(session->setting.kernel, arguments, &knob);
	if (!status_is_ok(&status))
		return status;
	session_choose_knob(session, knob);
	screen_focus(session, "knobs");
	return status;
}

static bool works_knob(const struct session *session, const char *arguments)
{
	int steps, knob;

	if (action_steps(arguments, &steps))
		return action_step_works(session, steps);
	knob = kernel_knob(session->setting.kernel, arguments);
	return knob >= 0 && (knob != session->knob || !screen_focused(session, "knobs"));
}

bool action_knob_by_works(const struct session *session, int direction)
{
	int knob = session->knob + direction;

	return knob >= 0 && knob < session->setting.kernel->knob_count;
}

struct status action_knob_by(struct session *session, int direction)
{
	if (!action_knob_by_works(session, direction))
		return status_usage("this is the %s knob", direction > 0 ? "last" : "first");
	session_choose_knob(session, session->knob + direction);
	return status_ok();
}

/* ---- typing a value ---- */

static int choice_count(const struct knob *knob)
{
	int count = 0;

	while (knob->choices[count])
		count++;
	return count;
}

/* Whether the user may type this character in a value of the chosen knob. A choice allows the
 * numbers of its values. Other knobs allow printable characters: the value is checked when it is
 * complete. */
static bool digit_fits(const struct session *session, const char *digit)
{
	const struct knob *knob = &session->setting.kernel->knobs[session->knob];

	if (session->setting.kernel->knob_count == 0 || *digit < ' ' || *digit > '~' || digit[1])
		return false;
	if (knob->kind == KNOB_CHOICE)
		return *digit >= '1' && *digit <= '9' && *digit - '1' < choice_count(knob);
	return session->screen.entry_refused || strlen(session->screen.entry) < ENTRY_LONGEST;
}

static bool works_digit(const struct session *session, const char *arguments)
{
	const struct kernel *kernel = session->setting.kernel;

	return digit_fits(session, arguments) &&
	       (kernel->knobs[session->knob].kind != KNOB_CHOICE ||
		       *arguments - '1' != session->setting.v[session->knob]);
}

/* Moves the chosen knob to a value. Other knobs may follow. */
static struct status move_knob_to(struct session *session, int64_t value)
{
	struct setting before = session->setting, setting = before, wanted;
	unsigned asked = 1u << session->knob;
	struct status status;

	setting.v[session->knob] = value;
	wanted = setting;
	status = fit_and_check(session, &setting, session->knob, asked);
	if (!status_is_ok(&status))
		return status;
	session_go(session, &setting);
	notice_followers(session, &before, asked);
	playback_tell(session, &wanted, asked);
	return status;
}

static void say_range(struct session *session)
{
	const struct knob *knob = &session->setting.kernel->knobs[session->knob];

	if (session->replay) {
		playback_say_range(session, session->knob);
		return;
	}
	session_notice(session, false, "%s: %s", knob->name,
		setting_range(knob, session->memory_limits).text);
}

static struct status digit_refused(const struct session *session, const char *digit)
{
	const struct kernel *kernel = session->setting.kernel;
	const struct knob *knob = &kernel->knobs[session->knob];
	struct text choices = { 0 };
	struct status status;

	if (kernel->knob_count == 0)
		return status_usage("%s has no knobs", kernel->name);
	if (knob->kind != KNOB_CHOICE && digit[0] && !digit[1] &&
		strlen(session->screen.entry) >= ENTRY_LONGEST)
		return status_usage(
			"a value of %s has at most %d characters", knob->name, ENTRY_LONGEST);
	if (knob->kind != KNOB_CHOICE)
		return status_usage(
			"\"%.20s\" is not one character of a value of %s", digit, knob->name);
	for (int i = 0; knob->choices[i]; i++)
		text_addf(&choices, "%s%d %s", i ? ", " : "", i + 1, knob->choices[i]);
	status = status_usage(
		"%s has no choice \"%.20s\": %s", knob->name, digit, text_string(&choices));
	text_free(&choices);
	return status;
}

static struct status run_digit(struct session *session, const char *arguments)
{
	const struct kernel *kernel = session->setting.kernel;

	if (!digit_fits(session, arguments))
		return digit_refused(session, arguments);
	/* The number of a choice selects it at once. */
	if (kernel->knobs[session->knob].kind == KNOB_CHOICE)
		return move_knob_to(session, *arguments - '1');
	entry_add(session, *arguments);
	say_range(session);
	return status_ok();
}

static bool entry_there(const struct session *session)
{
	return session->screen.entry[0];
}

static struct status accept_refusal(const struct session *session)
{
	return entry_there(session) ? status_ok() : status_usage("no value is being typed");
}

static struct status act_accept(struct session *session)
{
	struct status status;
	int64_t value;

	status = setting_parse_value(&session->setting.kernel->knobs[session->knob],
		session->screen.entry, limit_of(session), &value);
	if (status_is_ok(&status))
		status = move_knob_to(session, value);
	if (status_is_ok(&status))
		entry_drop(session);
	else
		entry_refuse(session);
	return status;
}

static struct status act_drop(struct session *session)
{
	entry_drop(session);
	return status_ok();
}

static struct status act_erase(struct session *session)
{
	entry_erase(session);
	if (session->screen.entry[0])
		say_range(session);
	return status_ok();
}

/* ---- the table ---- */

static int direction_of(const char *given)
{
	return *given == '-' ? -1 : 1;
}

static struct status run_kernel_by(struct session *session, const char *given)
{
	return action_kernel_by(session, direction_of(given));
}

static bool works_kernel_by(const struct session *session, const char *given)
{
	return action_kernel_by_works(session, direction_of(given));
}

static struct status run_knob_by(struct session *session, const char *given)
{
	return action_knob_by(session, direction_of(given));
}

static bool works_knob_by(const struct session *session, const char *given)
{
	return action_knob_by_works(session, direction_of(given));
}

const struct command_row commands_setting[] = {
	{ "kernel", "NAME [KNOB]", "choose a kernel, and the knob to turn", .run = run_kernel,
		.works = works_kernel },
	{ "kernel next", "", "the next kernel", .run = run_kernel_by, .works = works_kernel_by,
		.given = "+1", .flags = COMMAND_FOUND },
	{ "kernel previous", "", "the previous kernel", .run = run_kernel_by,
		.works = works_kernel_by, .given = "-1", .flags = COMMAND_FOUND },
	{ "set", "KNOB=VALUE …", "set knobs", .run = run_set, .works = works_set },
	{ "knob", "+N|-N|NAME", "step the chosen knob, or choose another", .run = run_knob,
		.works = works_knob },
	{ "knob next", "", "the next knob", .run = run_knob_by, .works = works_knob_by,
		.given = "+1" },
	{ "knob previous", "", "the previous knob", .run = run_knob_by, .works = works_knob_by,
		.given = "-1" },
	{ "digit", "CHARACTER",
		"a character of a value for the chosen knob, as in 32k; or a choice's number",
		.run = run_digit, .works = works_digit, .flags = COMMAND_VERBATIM },
	{ "entry accept", "", "take the typed value", act_accept, .refusal = accept_refusal },
	{ "entry drop", "", "forget the typed value", act_drop, .useful = entry_there },
	{ "entry erase", "", "erase the last character typed", act_erase, .useful = entry_there },
	{ .name = NULL },
};
