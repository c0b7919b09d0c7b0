#include "explorer/reopen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/actions.h"
#include "explorer/fronts.h"

/* ---- commands at the start ---- */

/* Whether a command for the session's start that has no effect now will never have one: the present
 * setting is measured and its limits are known. */
static bool settled(const struct session *session)
{
	return session->machine_known && (session->live.failed || session->live.answered) &&
	       !insight_thinks(session) &&
	       !(session->insight.reading && insight_due(session) < INFINITY);
}

bool opening_advance(struct session *session)
{
	struct opening *opening = &session->opening;
	bool changed = false;

	while (opening->next < opening->count && !session_compiles(session) &&
		!program_reads(session)) {
		const char *command = opening->command[opening->next];

		opening->waiting = !session_command_works(session, command) && !settled(session);
		if (opening->waiting)
			return changed;
		opening->running = true;
		/* If a command for the session's start fails, its error message stays on screen. */
		session_command(session, command, session->now);
		opening->running = false;
		opening->next++;
		changed = true;
	}
	return changed;
}

/* ---- the command line ---- */

/* Calls add() for each command that asks for the misses in other caches, as the user did. */
static void each_whatif(const struct misses_whatif *whatif,
	void (*add)(struct text *text, const char *command), struct text *text)
{
	for (int i = 0; whatif->asked && i < CACHE_LEVELS; i++)
		if (whatif->bytes[i] > 0)
			add(text, words_of("whatif L%d %.0f", i + 1, whatif->bytes[i]).text);
		else
			add(text, words_of("whatif L%d %gx", i + 1, whatif->factor[i]).text);
}

/* Calls add() for each command that leads from the initial screen, with the present setting, to the
 * present screen. `beside` is the path of the recording that is A; NULL: no recording is A. */
static void each_command(const struct session *session, const char *beside,
	void (*add)(struct text *text, const char *command), struct text *text)
{
	const struct screen *screen = &session->screen;
	struct text setting = { 0 };
	const char *focus = "knobs";

	/* The user's own preset is not kept: its panels are those that the user chose in this
	 * session. */
	if (screen->preset[0] && strcmp(screen->preset, "own") != 0)
		add(text, words_of("preset %s", screen->preset).text);
	/* The command line does not name a panel that came to the front by itself, because that
	 * panel will do so again. */
	/* A table of a sweep and a probe are measured again. */
	if (strcmp(screen->front, "sweep") == 0 && session->swept[0]) {
		add(text, words_of("sweep %s", session->swept).text);
		/* The sweep begins at its first row. */
		setting_format(&session->setting, &setting);
		add(text, words_of("kernel %s", text_string(&setting)).text);
		text_clear(&setting);
		focus = "sweep";
	} else if (strcmp(screen->front, "probe") == 0 && !session->replay) {
		add(text, "probe");
	} else if (screen->chosen && !screen->by_itself) {
		add(text, words_of("view %s", screen->front).text);
		focus = front_walked(screen->front) ? screen->front : focus;
	}
	if (screen->kept)
		add(text, "view keep");
	if (session->knob > 0)
		add(text, words_of("knob %s", session->setting.kernel->knobs[session->knob].name)
				  .text);
	if (strcmp(screen->focus, focus) != 0)
		add(text, words_of("focus %s", screen->focus).text);
	if (session->relief)
		add(text, "relief");
	each_whatif(&session->whatif, add, text);
	if (screen->present)
		add(text, "present");
	if (session->pinned.there && !session->pinned.setting.kernel->own) {
		setting_format(&session->pinned.setting, &setting);
		add(text, words_of("pin setting %s", text_string(&setting)).text);
	}
	if (beside)
		add(text, words_of("beside %s", beside).text);
	text_free(&setting);
}

/* Returns the path of the recording that is A; NULL: no recording is A. */
static const char *beside_path(const struct session *session)
{
	return session->beside.replay ? replay_summary(session->beside.replay).path : NULL;
}

static void add_line(struct text *text, const char *command)
{
	text_addf(text, "%s\n", command);
}

/* Adds a word of a command line, in quotes if a shell requires them. */
static void add_quoted(struct text *text, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "_-+=./:,@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		text_add(text, word);
		return;
	}
	text_add(text, "'");
	for (; *word; word++)
		if (*word == '\'')
			text_add(text, "'\\''");
		else
			text_addn(text, word, 1);
	text_add(text, "'");
}

static void add_option(struct text *text, const char *command)
{
	text_add(text, " --do ");
	add_quoted(text, command);
}

/* Whether A is a setting of an own loop whose file still has this version. */
static bool own_is_a(const struct session *session)
{
	const struct kernel *a = session->pinned.there ? session->pinned.setting.kernel : NULL,
			    *b = session->setting.kernel;

	return a && a->own && !session->pinned.outdated &&
	       (a == b || strcmp(a->name, b->name) != 0);
}

/* Adds the program of the function on screen, the function, and its loop unless it is the first. */
static void add_function(const struct session *session, struct text *text)
{
	const struct function_loops *found = session->setting.kernel->function;
	struct text word = { 0 };

	text_add_clean(&word, program_path_of(session, found), VIEW_TEXT / 2);
	add_quoted(text, text_string(&word));
	if (session->setting.v[0] > 1)
		text_addf(text, " loop=%d", (int)session->setting.v[0]);
	text_clear(&word);
	program_add_function(session, found, &word);
	text_add(text, " --function ");
	add_quoted(text, text_string(&word));
	text_free(&word);
}

/* Writes the command line that opens the present screen again. */
static void write_line(const struct session *session, struct text *text)
{
	struct text path = { 0 };

	if (session->replay) {
		text_add(text, "slexplore replay ");
		text_add_clean(&path, replay_summary(session->replay).path, VIEW_TEXT / 2);
		add_quoted(text, text_string(&path));
		text_add(text, " ");
	} else {
		text_add(text, "slexplore explore ");
	}
	if (own_is_a(session)) {
		setting_format(&session->pinned.setting, text);
		text_add(text, " vs ");
	}
	if (session->setting.kernel->function)
		add_function(session, text);
	else
		setting_format(&session->setting, text);
	if (session->invocation[0])
		text_addf(text, " %s", session->invocation);
	if (session->insight.wanted[0] && !session->replay)
		text_addf(text, " --uarch %s", session->insight.wanted);
	counted_format(session, text);
	each_command(session, beside_path(session), add_option, text);
	text_free(&path);
}

static void act_yank(struct session *session)
{
	struct text text = { 0 };

	write_line(session, &text);
	overlay_text(session, "", text_string(&text));
	if (session->pinned.there && session->pinned.setting.kernel->own && !own_is_a(session))
		session_notice(session, true,
			"A is missing from the command line: no file has the version before of %s",
			basename(session->pinned.setting.kernel->name));
	else if (session->insight.adopted && !session->insight.wanted[0])
		session_notice(session, true,
			"the measured core model is in no file yet: characterise save keeps it");
	text_free(&text);
}

static void act_print(struct session *session)
{
	session->printing = !session->printing;
	session_notice(session, false,
		session->printing
			? "the command line of the last screen is printed when the explorer ends"
			: "the command line is not printed when the explorer ends");
}

bool session_printed(const struct session *session, struct text *line)
{
	if (session->printing)
		write_line(session, line);
	return session->printing;
}

/* ---- A and B ---- */

/* Opens the recording that is A at the present setting. The present recording becomes A. */
static struct status swap_recordings(const struct session *session, struct session *change)
{
	struct status status = open_ask(session, change, beside_path(session));

	if (change && status_is_ok(&status))
		each_command(session, replay_summary(session->replay).path, add_line,
			&change->opened.commands);
	return status;
}

/* Exchanges A and the present sample, or the two recordings. */
static struct status run_swap(
	const struct session *session, struct session *change, char *arguments)
{
	struct setting back = session->pinned.setting;

	(void)arguments;
	if (session->replay && session->beside.replay) {
		if (change)
			change->opened.swaps = true;
		return swap_recordings(session, change);
	}
	if (session->beside.replay)
		return status_usage("A, the values to compare with, is a recording: the command "
				    "open shows it");
	if (!session->pinned.there)
		return status_usage("there is no pinned result A to swap with: pin (key p) keeps "
				    "this result as A");
	if (!session->live.sample.valid)
		return status_usage("there is no sample to pin yet");
	if (change) {
		session_pin(change);
		session_go(change, &back);
	}
	return status_ok();
}

/* If the two recordings were exchanged before this session, and no other change is left to undo,
 * exchanges them again. */
static void act_undo(struct session *session)
{
	struct status status;

	if (!session->opened.swapped || !undo_only_a(session)) {
		undo_back(session);
		return;
	}
	status = swap_recordings(session, session);
	if (!status_is_ok(&status))
		session_notice(session, true, "%s", status.text);
}

static struct status undo_refusal(const struct session *session)
{
	return command_unless(undo_there(session),
		"nothing to undo: U undoes changes of kernel, knobs, core model and A");
}

/* ---- the last setting ---- */

/* In the saved settings, " | " separates the commands that open the last setting. */
static void add_bar(struct text *text, const char *command)
{
	/* A command that names the file of another recording is not saved, because the file may not
	 * exist at the next start. */
	if (opening_harmless(command))
		text_addf(text, " | %s", command);
}

void session_remember(struct session *session)
{
	const struct setting *setting = &session->setting;
	struct text text = { 0 };
	const char *before = " | set ";
	struct setting initial;

	/* If the user did not change the setting in this session, the last setting of an earlier
	 * session remains saved. */
	if (session->turned && !session->replay && !setting->kernel->own &&
		!setting->kernel->function) {
		setting_init(&initial, setting->kernel);
		text_addf(&text, "kernel %s", setting->kernel->name);
		for (int i = 0; i < setting->kernel->knob_count; i++) {
			const struct knob *knob = &setting->kernel->knobs[i];

			if (setting->v[i] == initial.v[i])
				continue;
			text_addf(&text, "%s%s=%s", before, knob->name,
				setting_value(knob, setting->v[i]).text);
			before = " ";
		}
		each_command(session, beside_path(session), add_bar, &text);
		if (text.length < SAVED_SIZE)
			saved_set(session, "last", text_string(&text));
		text_free(&text);
	}
	/* The screen is closed, so a failure to save is not reported. */
	saved_write(session);
}

/* Splits the saved commands. If `add` is true, the saved commands are run; else the function
 * returns the words of the last setting, or an empty text if none is saved. */
static struct words last_commands(struct session *session, bool add)
{
	char *all = memory_string(session_saved(session, "last")), *rest = all, *command;
	struct words words = { "" };
	bool good = true;

	while ((command = strsep(&rest, "|"))) {
		size_t length;

		command += strspn(command, " ");
		for (length = strlen(command); length > 0 && command[length - 1] == ' ';)
			command[--length] = '\0';
		good = good && opening_harmless(command);
		if (good && add)
			opening_add(session, command);
		else if (strncmp(command, "kernel ", 7) == 0)
			words = words_of("%s", command + 7);
		else if (strncmp(command, "set ", 4) == 0)
			words = words_of("%.200s %.300s", words.text, command + 4);
	}
	free(all);
	return good ? words : (struct words){ "" };
}

void reopen_offer(struct session *session)
{
	struct words words = last_commands(session, false);

	if (words.text[0])
		session_notice(session, false, "o opens the setting of last time: %s", words.text);
}

static struct status last_refusal(const struct session *session)
{
	return command_unless(
		session_saved(session, "last")[0] && !session->replay, "no last setting is saved");
}

static void act_last(struct session *session)
{
	if (!last_commands(session, false).text[0]) {
		session_notice(session, true,
			"the saved setting last is not opened: \"%.100s\" does more than choose a "
			"kernel of this program, knobs, panels and A",
			session_saved(session, "last"));
		return;
	}
	last_commands(session, true);
}

/* ---- the table ---- */

const struct command_row commands_reopen[] = {
	{ "last", act_last, .refusal = last_refusal },
	{ "pin swap", .run = run_swap },
	{ "undo", act_undo, .refusal = undo_refusal, .reverts = true },
	{ "yank", act_yank },
	{ "yank print", act_print },
	{ .name = NULL },
};
