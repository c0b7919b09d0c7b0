/* The explorer's command language: how a line is run, the tables of commands, the search for
 * commands (find), and the commands for overlays. */
#include "explorer/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/data.h"
#include "base/rows.h"
#include "base/text.h"
#include "base/units.h"
#include "explorer/actions.h"
#include "explorer/fronts.h"

/* Size of the table of all commands. The table of commands has room for all commands and the last
 * row with a NULL name. */
enum { ROWS_MOST = 128 };

/* ---- the language ---- */

/* Returns a copy of the typed line with single blanks between words and without blanks at its ends.
 * The caller frees the copy. */
static char *tidy(const char *line)
{
	char *copy = memory_string(line), *end = copy;

	for (const char *c = line; *c; c++) {
		if (!strchr(" \t\r\n", *c))
			*end++ = *c;
		else if (end > copy && end[-1] != ' ')
			*end++ = ' ';
	}
	end -= end > copy && end[-1] == ' ';
	*end = '\0';
	return copy;
}

static bool begins_with_words(const char *line, const char *name, size_t length)
{
	return strncmp(line, name, length) == 0 && (line[length] == '\0' || line[length] == ' ');
}

/* Returns the command with the longest name that begins the line; NULL: no command. *arguments
 * receives the text after the name. */
static const struct command_row *command_of(const char *line, const char **arguments)
{
	const struct command_row *best = NULL;
	size_t longest = 0;

	for (const struct command_row *row = command_rows(); row->name; row++) {
		size_t length;

		/* This comparison alone excludes most commands, for each row of the key bar. */
		if (row->name[0] != line[0])
			continue;
		length = strlen(row->name);
		if (length <= longest || !begins_with_words(line, row->name, length))
			continue;
		/* In the typed line "kernel next", the command is "kernel next". In "kernel next
		 * door", the command is "kernel", and "next door" is the name of a kernel. */
		if (!row->arguments[0] && line[length] && best && best->arguments[0])
			continue;
		best = row;
		longest = length;
	}
	if (best)
		*arguments = line + longest + (line[longest] == ' ');
	return best;
}

/* Returns the argument of a verbatim command: the unchanged rest of the line after the command's
 * name and one blank. The caller frees the argument. */
static char *verbatim(const char *line, const struct command_row *row)
{
	char *arguments;

	line += strspn(line, " \t") + strlen(row->name);
	arguments = memory_string(line + (*line == ' '));
	arguments[strcspn(arguments, "\r\n")] = '\0';
	return arguments;
}

/* Returns the error for an unknown command. The message lists commands with the same first word or
 * with similar words. */
static struct status unknown_command(const char *line)
{
	const char *names[ROWS_MOST];
	size_t length = strcspn(line, " "), count = 0;
	struct text alike = { 0 };
	struct near_names near;
	char word[64];

	snprintf(word, sizeof(word), "%.*s", length > 63 ? 63 : (int)length, line);
	for (const struct command_row *row = command_rows(); row->name; row++) {
		if (strchr(row->name, ' ') && begins_with_words(row->name, word, strlen(word)))
			text_addf(&alike, "%s%s", alike.length ? ", " : "", row->name);
		names[count++] = row->name;
	}
	if (alike.length) {
		struct status status = status_usage(
			"unknown command \"%.40s\"; there are %s", line, text_string(&alike));

		text_free(&alike);
		return status;
	}
	near = nearest_names(strchr(line, ' ') ? line : word, names, count);
	if (!near.text[0])
		near = nearest_names(word, names, count);
	if (near.text[0])
		return status_usage("unknown command \"%.40s\"; did you mean %s?", line, near.text);
	return status_usage("unknown command \"%.40s\"; help shows all", line);
}

void session_say(struct session *session, const char *text)
{
	session_notice(session, true, "%s", text);
}

/* Returns the arguments for the run() of a command. The caller frees the arguments. */
static char *arguments_of(const struct command_row *row, const char *line, const char *rest)
{
	if (row->given)
		return memory_string(row->given);
	return row->verbatim ? verbatim(line, row) : memory_string(rest);
}

/* Returns an error with the reason if a command cannot run now. `rest` is the text after the
 * command's name. */
static struct status refusal_of(
	const struct session *session, const struct command_row *row, const char *rest)
{
	if (!row->arguments[0] && *rest)
		return status_usage("%s takes no argument, but has \"%.40s\"", row->name, rest);
	return row->refusal ? row->refusal(session) : status_ok();
}

/* Runs a command. If `change` is NULL, only checks whether the explorer's command can run and would
 * have an effect. */
static struct status run_row(const struct session *session, struct session *change,
	const struct command_row *row, const char *line, const char *rest)
{
	struct status status = refusal_of(session, row, rest);
	char *arguments;

	if (!status_is_ok(&status))
		return status;
	if (row->act && !change)
		return command_unless(!row->useful || row->useful(session), row->useless);
	if (row->act) {
		row->act(change);
		return status;
	}
	arguments = arguments_of(row, line, rest);
	status = row->run(session, change, arguments);
	free(arguments);
	return status;
}

struct status session_command(struct session *session, const char *line, double now)
{
	char *tidied = tidy(line);
	const char *rest = "";
	const struct command_row *row = command_of(tidied, &rest);
	struct status status = status_ok();

	session->now = now;
	if (*tidied) {
		const struct choices before = undo_look(session);

		opening_stop(session);
		live_wake(&session->live, now);
		/* The last notice (message on screen) is removed first, because the command may
		 * show its own notice. */
		notice_clear(session);
		status = row ? run_row(session, session, row, line, rest) : unknown_command(tidied);
		if (!status_is_ok(&status))
			session_notice(session, true, "%s", status.text);
		else if (!row->reverts)
			undo_note(session, &before);
		/* The message on screen (notice) that the setting cannot be measured has no time
		 * limit. */
		if (!session->live.failed ||
			strcmp(session->screen.notice, session->live.failure) != 0)
			notice_limit(session);
		fronts_follow(session);
	}
	free(tidied);
	return status;
}

/* Returns an error with the reason if the command line cannot run, or would change nothing now. */
static struct status check_line(const struct session *session, const char *line)
{
	char *tidied = tidy(line);
	const char *rest = "";
	const struct command_row *row = command_of(tidied, &rest);
	struct status status =
		row ? run_row(session, NULL, row, line, rest) : unknown_command(tidied);

	free(tidied);
	return status;
}

bool session_command_works(const struct session *session, const char *line)
{
	struct status status = check_line(session, line);

	return status_is_ok(&status);
}

void session_press(struct session *session, const char *line, double now)
{
	struct status check = check_line(session, line);

	session_command(session, line, now);
	if (status_is_ok(&check) || session->screen.notice[0])
		return;
	session_notice(session, false, "%s", check.text);
	notice_limit(session);
}

bool session_quit(const struct session *session)
{
	return session->quit;
}

/* ---- find: kernels, knobs, named sweeps, commands and events ---- */

/* The find overlay searches events only if the text has FIND_FROM letters, because shorter texts
 * match too many events. The find overlay (search for commands and events) shows the best of the
 * first FIND_AMONG matching events. */
enum { FIND_FROM = 2, FIND_AMONG = 512 };

/* Fills `pmu` with the name of the PMU that has this core's own events: "skl" for
 * "skl::UOPS_ISSUED:ANY". `pmu` is empty if no PMU is known. */
static void pmu_of(const struct event_plan *plan, char *pmu, size_t size)
{
	pmu[0] = '\0';
	for (int i = 0; i < plan->counters.count && !pmu[0]; i++) {
		const char *name = plan->counters.event[i].name, *colons = strstr(name, "::");

		if (colons && strncmp(name, "perf", 4) != 0)
			snprintf(pmu, size, "%.*s", (int)(colons - name), name);
	}
}

/* Whether an event's name contains every word of `words`. An event with all words in its name is
 * usually the best match. */
static bool named(const char *name, const char *words)
{
	char word[FIND_SIZE];
	int used;

	for (; sscanf(words, " %95s%n", word, &used) == 1; words += used)
		if (!strcasestr(name, word))
			return false;
	return true;
}

struct search {
	const char *text;
	/* Rank of the search results that the present pass adds: 0 if the name begins with the
	 * text, 1 if the name contains the text, 2 if the help contains the text. */
	int rank;
	struct view_found *found;
	int count;
};

/* Returns the rank of a search result: 0, 1 or 2 as in struct search. Rank 3 means that a word of
 * the text was not found. */
static int rank_of(const char *text, const char *name, const char *help)
{
	bool in_name = true;

	if (strncasecmp(name, text, strlen(text)) == 0)
		return 0;
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, " ");
		char word[32];

		snprintf(word, sizeof(word), "%.*s", length > 31 ? 31 : (int)length, at);
		if (!strcasestr(name, word)) {
			in_name = false;
			if (!strcasestr(help, word))
				return 3;
		}
		at += length + (at[length] == ' ');
	}
	return in_name ? 1 : 2;
}

/* Adds a search result with the label "SHOWN — HELP". The search result runs `command` when the
 * user chooses it. */
static void add(struct search *search, const char *shown, const char *help, const char *command)
{
	struct view_found *found = &search->found[search->count++];

	snprintf(found->label, sizeof(found->label), "%s%s%s", shown, *help ? " — " : "", help);
	text_cut_clean(found->label, sizeof(found->label));
	snprintf(found->command, sizeof(found->command), "%s", command);
}

/* Adds a search result if its rank equals the rank of the present pass. `shown` is the part of the
 * label before the dash. The search ranks two names of a command, `match` ("unroll") and `shown`
 * ("combine unroll"), and uses the better rank. */
static void offer(struct search *search, const char *match, const char *shown, const char *help,
	const char *command)
{
	int rank = rank_of(search->text, match, help), whole = rank_of(search->text, shown, help);

	if ((rank < whole ? rank : whole) == search->rank && search->count < VIEW_FOUND)
		add(search, shown, help, command);
}

static void offer_knobs(struct search *search, const struct kernel *kernel, bool present)
{
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		struct words shown = words_of("%s %s", kernel->name, knob->name);

		offer(search, knob->name, shown.text, knob->help,
			words_of("%s %s", present ? "knob" : "kernel",
				present ? knob->name : shown.text)
				.text);
	}
}

/* If the user typed a complete command line, adds an entry for it before all other entries. The
 * search result runs the typed command line. */
static void offer_line(struct search *search)
{
	const char *arguments = "";
	const struct command_row *row = command_of(search->text, &arguments);

	if (!row ||
		(row->arguments[0] ? !*arguments
				   : *arguments || row->found || strcmp(row->name, "choose") == 0 ||
					     strcmp(row->name, "close") == 0))
		return;
	add(search, search->text, row->help, search->text);
}

/* Adds a search result "event drop NAME" for each event that the user named. */
static void offer_drops(const struct session *session, struct search *search)
{
	const struct counted *counted = &session->counted;

	for (search->rank = 0; search->rank < 3; search->rank++) {
		for (int i = 0; i < counted->extra_count; i++) {
			struct words command = words_of("event drop %s", counted->extra[i]);

			offer(search, command.text, command.text, "stop counting it", command.text);
		}
	}
}

/* Adds search results for counter events last, because there may be thousands of events. Counter
 * events with all words of the search text in their names come first. Returns the number of events
 * that did not fit in the list. */
static int offer_events(const struct session *session, const char *words, struct search *search)
{
	const struct engine *engine = &session->engine;
	struct counter_offer *offers;
	char pmu[COUNTER_NAME];
	size_t all, count, offered = 0;

	words += strspn(words, " ");
	if (strncmp(words, "event ", 6) == 0)
		words += 6 + strspn(words + 6, " ");
	if (strlen(words) < FIND_FROM || !engine->offers || !counted_there(session))
		return 0;
	pmu_of(session->counted.plan, pmu, sizeof(pmu));
	offers = memory_new(FIND_AMONG, sizeof(*offers));
	all = engine->offers(words, pmu[0] ? pmu : NULL, offers, FIND_AMONG);
	count = all < FIND_AMONG ? all : FIND_AMONG;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count && search->count < VIEW_FOUND; i++) {
			if (named(offers[i].name, words) != (pass == 0))
				continue;
			add(search, words_of("event %s", offers[i].name).text, offers[i].help,
				words_of("event %s", offers[i].name).text);
			offered++;
		}
	}
	free(offers);
	return (int)(all - offered);
}

static void offer_kernels(const struct session *session, struct search *search)
{
	for (int i = 0; kernel_registry[i]; i++) {
		const struct kernel *kernel = kernel_registry[i];

		if (playback_kernel(session, kernel))
			offer(search, kernel->name, kernel->name, kernel->title,
				words_of("kernel %s", kernel->name).text);
	}
}

static void offer_sweeps(const struct session *session, struct search *search)
{
	for (int i = 0; i < session->sweeps.count && !session->replay; i++) {
		const struct named_sweep *sweep = &session->sweeps.sweep[i];
		struct words command = words_of("sweep %s", sweep->name);

		offer(search, sweep->name, command.text, sweep->title, command.text);
	}
}

/* Searches kernels, knobs, named sweeps, commands and events, and fills the list. Returns the
 * number of events that did not fit in the list. */
static int search_all(const struct session *session, struct search *search, const char *words)
{
	const struct kernel *present = session->setting.kernel;

	offer_line(search);
	for (search->rank = 0; search->rank < 3; search->rank++) {
		offer_kernels(session, search);
		offer_knobs(search, present, true);
		for (int i = 0; kernel_registry[i]; i++)
			if (kernel_registry[i] != present &&
				playback_kernel(session, kernel_registry[i]))
				offer_knobs(search, kernel_registry[i], false);
		offer_sweeps(session, search);
		for (const struct command_row *row = command_rows(); row->name; row++)
			if (row->found)
				offer(search, row->name, row->name, row->help, row->name);
	}
	offer_drops(session, search);
	return offer_events(session, words, search);
}

/* Opens the find overlay, which lists commands, knobs and events, with the entries that match. */
static void find_text(struct session *session, const char *arguments)
{
	char text[FIND_SIZE];
	struct view_found found[VIEW_FOUND] = { 0 };
	struct search search = { .text = text, .found = found };
	int more;

	/* The search for commands ignores blanks at both ends of the text, because the user may be
	 * about to type the next word. */
	snprintf(text, sizeof(text), "%s", arguments + strspn(arguments, " "));
	text_cut_clean(text, sizeof(text));
	for (size_t length = strlen(text); length > 0 && text[length - 1] == ' ';)
		text[--length] = '\0';
	more = search_all(session, &search, text);
	find_open(session, arguments, found, search.count, more);
}

static struct status run_find(
	const struct session *session, struct session *change, char *arguments)
{
	if (!change)
		return command_unless(session->screen.overlay != OVERLAY_FIND ||
					      strcmp(session->screen.find, arguments) != 0,
			"the search text is empty: Esc closes the search");
	find_text(change, arguments);
	return status_ok();
}

/* Reads the number of an entry of the find overlay, from 1; *entry receives its index. */
static bool find_entry(const struct session *session, const char *number, int *entry)
{
	int64_t value;

	if (!units_parse(number, false, &value) || value < 1 || value > session->screen.found_count)
		return false;
	*entry = (int)value - 1;
	return true;
}

static struct status run_choose(
	const struct session *session, struct session *change, char *arguments)
{
	char command[sizeof(session->screen.found[0].command)];
	struct status status;
	int entry;

	if (session->screen.overlay != OVERLAY_FIND)
		return status_usage("find is not open; find TEXT opens it");
	if (*arguments && !find_entry(session, arguments, &entry))
		return status_usage("choose %.20s: find has the entries 1 to %d", arguments,
			session->screen.found_count);
	if (*arguments && change)
		overlay_move(change, entry - session->screen.found_selected);
	if (!*find_command(session))
		return status_usage("nothing is called \"%s\"", session->screen.find);
	if (!change)
		return status_ok();
	snprintf(command, sizeof(command), "%s", find_command(session));
	/* The find overlay closes first, because the chosen command may open another overlay. */
	overlay_open(change, OVERLAY_NONE);
	status = session_command(change, command, session->now);
	if (!status_is_ok(&status))
		overlay_open(change, OVERLAY_FIND);
	return status;
}

/* ---- overlays ---- */

static bool help_useful(const struct session *session)
{
	return session->screen.overlay != OVERLAY_HELP;
}

static void act_help(struct session *session)
{
	overlay_open(session, OVERLAY_HELP);
}

static bool close_useful(const struct session *session)
{
	return session->screen.overlay != OVERLAY_NONE || session->screen.entry[0] ||
	       session_prepares(session) || campaign_runs(session, CAMPAIGN_CORE) ||
	       campaign_runs(session, CAMPAIGN_PROBE) || campaign_runs(session, CAMPAIGN_SWEEP);
}

static void act_close(struct session *session)
{
	if (session->screen.overlay != OVERLAY_NONE)
		overlay_open(session, OVERLAY_NONE);
	else if (session->screen.entry[0])
		entry_drop(session);
	else if (campaign_runs(session, CAMPAIGN_CORE))
		campaign_halt(session, CAMPAIGN_CORE);
	else if (campaign_runs(session, CAMPAIGN_PROBE))
		campaign_halt(session, CAMPAIGN_PROBE);
	else if (campaign_runs(session, CAMPAIGN_SWEEP))
		campaign_halt(session, CAMPAIGN_SWEEP);
	else if (session_prepares(session))
		session_stop(session);
}

static void act_quit(struct session *session)
{
	session->quit = true;
}

/* ---- the tables ---- */

static const struct command_row commands_general[] = {
	{ "find", .run = run_find, .verbatim = true },
	{ "choose", .run = run_choose },
	{ "help", act_help, .useful = help_useful, .useless = "the help is already open" },
	{ "close", act_close, .useful = close_useful,
		.useless = "nothing is open, and no long measurement runs" },
	{ "quit", act_quit },
	{ .name = NULL },
};

/* Reads the help of the commands from the built-in file data/commands. */
static void read_help(struct command_row *table)
{
	struct rows rows;

	rows_begin(&rows, data_built_in("commands"), "commands");
	while (rows_next(&rows)) {
		char *name = rows_rest(&rows), *save;
		bool found = *name == '+';

		name = strtok_r(name + 2 * found, "<", &save);
		name[strlen(name) - 1] = '\0';
		for (struct command_row *row = table; row->name; row++) {
			if (strcmp(row->name, name) != 0)
				continue;
			row->arguments =
				memory_string(*save == '>' ? "" : strtok_r(NULL, ">", &save));
			row->help = memory_string(save + strspn(save, "> "));
			row->found = found;
		}
	}
	rows_end(&rows);
}

const struct command_row *command_rows(void)
{
	/* The groups of commands are listed in the order of the help screen. */
	static const struct command_row *const groups[] = { commands_setting, commands_panes,
		commands_fronts, commands_measuring, commands_campaigns, commands_picture,
		commands_terminal, commands_reopen, commands_general };
	static struct command_row rows[ROWS_MOST];
	size_t count = 0;

	if (rows[0].name)
		return rows;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct command_row *row = groups[i]; row->name; row++)
			if (count + 1 < ROWS_MOST)
				rows[count++] = *row;
	read_help(rows);
	return rows;
}
