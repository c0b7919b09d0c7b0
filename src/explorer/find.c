/* The find overlay: kernels, knobs, named sweeps, commands, panels, own loops and events, by their
 * names, by the field's words (data/synonyms) and by their descriptions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "explorer/actions.h"
#include "explorer/find_results.h"
#include "explorer/fronts.h"

/* The find overlay searches events only if the text has FIND_FROM letters, because shorter texts
 * match too many events. The find overlay (search for commands and events) shows the best of the
 * first FIND_AMONG matching events. */
enum { FIND_FROM = 2, FIND_AMONG = 512 };

/* The words of a knob's choices, such as "prefetch" for the knob remedy. */
static struct words choices_of(const struct knob *knob)
{
	struct text text = { 0 };
	struct words words;

	for (int i = 0; knob->kind == KNOB_CHOICE && knob->choices[i]; i++)
		text_addf(&text, "%s ", knob->choices[i]);
	words = words_of("%s", text_string(&text));
	text_free(&text);
	return words;
}

/* Returns the name of a kernel for the list of results. If a command has the same name, as
 * `mountain` has, the name says that the result is the kernel. */
static struct words shown_kernel(const char *name)
{
	const char *rest;

	return words_of("%s%s", command_of(name, &rest) ? "kernel " : "", name);
}

static void offer_knobs(struct search *search, const struct kernel *kernel)
{
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		struct words shown = words_of("%s %s", kernel->name, knob->name);
		bool present = kernel == search->session->setting.kernel;

		find_offer(search, knob->name, shown.text, knob->help, choices_of(knob).text,
			words_of("%s %s", present ? "knob" : "kernel",
				present ? knob->name : shown.text)
				.text);
	}
}

static void offer_kernels(struct search *search)
{
	const struct kernel *present = search->session->setting.kernel;

	for (int i = 0; kernel_registry[i]; i++)
		find_offer(search, kernel_registry[i]->name,
			shown_kernel(kernel_registry[i]->name).text, kernel_registry[i]->title, "",
			words_of("kernel %s", kernel_registry[i]->name).text);
	offer_knobs(search, present);
	for (int i = 0; kernel_registry[i]; i++)
		if (kernel_registry[i] != present)
			offer_knobs(search, kernel_registry[i]);
}

static void offer_sweeps(struct search *search)
{
	const struct sweeps *sweeps = session_sweeps(search->session);

	for (int i = 0; i < sweeps->count; i++) {
		const struct named_sweep *sweep = &sweeps->sweep[i];
		struct words command = words_of("sweep %s", sweep->name);

		find_offer(search, sweep->name, command.text, sweep->title, "", command.text);
	}
}

static void offer_commands(struct search *search)
{
	for (const struct command_row *row = command_rows(); row->name; row++)
		if (row->found)
			find_offer(search, row->name, row->name, row->help, "", row->name);
}

/* Adds each panel that the command `view` brings to the front, while that command is typed. Panels
 * that data/synonyms describes were added before. */
static void offer_panels(struct search *search)
{
	const char *title;

	for (int i = 0; strncmp(search->text, "view", 4) == 0 && (title = front_name_at(i)); i++) {
		struct words command = words_of("view %s", title);

		find_offer(search, command.text, command.text, "bring this panel to the front", "",
			command.text);
	}
}

/* Adds the core models whose names match the last word of the typed text, as in "model zen4". */
static void offer_cores(struct search *search)
{
	const struct session *session = search->session;
	const char *last = strrchr(search->text, ' ');
	const char *isa = session->machine_known ? session_machine(session)->arch : NULL;

	for (const char *const *name = uarch_names(isa); *name; name++)
		if (find_rank(last ? last + 1 : search->text, *name) <= RANK_WORD)
			find_offer(search, *name, words_of("uarch %s", *name).text,
				"predict limits for this core model", "",
				words_of("uarch %s", *name).text);
}

/* Adds the limits, by their names: the panel of limits shows them. Words of the field and names of
 * kernels come first. */
static void offer_limits(struct search *search)
{
	for (int kind = 0; kind < LIMIT_COUNT; kind++) {
		const char *name = limit_rows[kind].name;
		enum rank rank = find_rank(search->text, name);

		if (rank == RANK_NAME || rank == RANK_BEGINS)
			find_add(search, rank == RANK_NAME ? RANK_SYNONYM_BEGINS : RANK_WORD,
				words_of("limit %s", name).text,
				limit_remedy((enum limit_kind)kind), "view limits",
				find_absence(search->session, "view limits").text);
	}
}

/* Adds the results whose words in data/synonyms match the typed text. A line of data/synonyms about
 * a kernel or a sweep that this program does not have is skipped. */
static void offer_synonyms(struct search *search)
{
	const struct synonyms *synonyms = find_synonyms();

	for (size_t i = 0; i < synonyms->count; i++) {
		const struct synonym *row = &synonyms->row[i];
		enum rank rank = find_rank_synonym(search->text, row),
			  named = find_rank(search->text, row->command);
		bool kernel = strncmp(row->command, "kernel ", 7) == 0;
		struct words name = words_of("%.*s", (int)strcspn(row->command + 7 * kernel, " "),
			row->command + 7 * kernel);

		/* The names of kernels were compared with the typed text before. */
		if (!kernel && named < rank && named < RANK_CONTAINS)
			rank = named;
		if (rank == RANK_NONE || (kernel && !kernel_find(name.text)))
			continue;
		if (strcmp(row->command, "-") == 0)
			find_add(search, rank, row->words, "", "", row->help);
		else
			find_add(search, rank,
				kernel ? shown_kernel(row->command + 7).text : row->command,
				row->help, row->command,
				find_absence(search->session, row->command).text);
	}
}

/* Adds the lessons, by their names and titles. */
static void offer_lessons(struct search *search)
{
	int count;
	struct lesson **lessons = lessons_all(&count);

	for (int i = 0; i < count; i++) {
		struct words command = words_of("lesson %s", lessons[i]->name);

		/* Search results for a word such as "limits" list the panel of that name before the
		 * lesson. */
		find_offer(search, command.text, command.text,
			words_of("%s, %d min", lessons[i]->title ? lessons[i]->title : "",
				lessons[i]->minutes)
				.text,
			"learn course teach", command.text);
		lesson_free(lessons[i]);
	}
	free(lessons);
}

/* ---- commands that the user types in full ---- */

/* Whether a typed command is complete. In the help of a command, optional arguments are in
 * brackets. */
static bool is_complete(const struct command_row *row, const char *arguments)
{
	static const char *const own[] = { "find", "choose", "close", NULL };

	/* Without arguments, commands of the search itself would change nothing but the search. */
	for (int i = 0; own[i] && !*arguments; i++)
		if (strcmp(row->name, own[i]) == 0)
			return false;
	if (row->arguments[0])
		return *arguments || row->arguments[0] == '[';
	return !*arguments && !row->found;
}

/* Adds the typed text if it is a command. Returns whether the command can be run. */
static bool offer_line(struct search *search)
{
	const char *arguments = "";
	const struct command_row *row = command_of(search->text, &arguments);
	struct words name = words_of("%.*s", (int)strcspn(search->text, " "), search->text);
	struct words line = words_of("%s", search->text);
	bool refused;

	/* Values of knobs, without a command. */
	if (!row && strcspn(search->text, "=") < strcspn(search->text, " ")) {
		line = words_of("set %s", search->text);
		row = command_of(line.text, &arguments);
	}
	/* A kernel and its setting, as on the command line. `mountain` is a kernel, and also a
	 * command without arguments. */
	if ((!row || !row->arguments[0]) && strchr(search->text, '=') && kernel_find(name.text)) {
		find_add(search, RANK_LINE, search->text, "choose this kernel and this setting",
			words_of("kernel %s", search->text).text, "");
		return true;
	}
	if (!row || !is_complete(row, arguments))
		return false;
	/* A command that would be refused, such as "sweep list", comes after results with its
	 * words.
	 */
	refused = *find_absence(search->session, line.text).text;
	find_add(search, refused ? RANK_HELP : RANK_LINE, line.text, row->help, line.text, "");
	return !refused;
}

/* ---- events ---- */

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

/* Adds a result "event drop NAME" for each event that the user named. */
static void offer_drops(struct search *search)
{
	const struct counted *counted = &search->session->counted;

	for (int i = 0; i < counted->extra_count; i++) {
		struct words command = words_of("event drop %s", counted->extra[i]);

		find_offer(
			search, command.text, command.text, "stop counting it", "", command.text);
	}
}

/* Adds counter events to the list, after all other results, because there may be thousands. Events
 * with all words of the text in their names come first. Returns the number of matching events that
 * did not fit in the list of the find overlay. */
static int add_events(
	const struct session *session, const char *words, struct view_found *found, int *count)
{
	const struct engine *engine = &session->engine;
	struct counter_offer *offers;
	char pmu[COUNTER_NAME];
	size_t all, among, offered = 0;

	words += strspn(words, " ");
	if (strncmp(words, "event ", 6) == 0)
		words += 6 + strspn(words + 6, " ");
	if (strlen(words) < FIND_FROM || !engine->offers || !counted_there(session))
		return 0;
	pmu_of(session->counted.plan, pmu, sizeof(pmu));
	offers = memory_new(FIND_AMONG, sizeof(*offers));
	all = engine->offers(words, pmu[0] ? pmu : NULL, offers, FIND_AMONG);
	among = all < FIND_AMONG ? all : FIND_AMONG;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < among && *count < VIEW_FOUND; i++) {
			struct words name = words_of("event %s", offers[i].name);

			if (find_contains(words, offers[i].name, "") != (pass == 0))
				continue;
			/* The list has events that cannot be counted here, but the user cannot
			 * choose them. */
			find_fill(&found[*count], name.text, offers[i].help,
				session->counted.why[0] ? "" : name.text, session->counted.why);
			++*count;
			offered++;
		}
	}
	free(offers);
	return (int)(all - offered);
}

/* ---- the search ---- */

/* Returns how likely it is that the user means a result: 0 is the most likely. */
static int certainty(enum rank rank)
{
	return rank == RANK_LINE					? 0
	       : rank == RANK_HELP					? 3
	       : rank == RANK_CONTAINS || rank == RANK_SYNONYM_CONTAINS ? 2
									: 1;
}

static int compare(const void *a, const void *b)
{
	const struct result_found *one = a, *other = b;

	/* Even a panel or command that is not available now is listed before results that contain
	 * the typed text only within a word, or only in their description. */
	if (certainty(one->rank) != certainty(other->rank))
		return certainty(one->rank) - certainty(other->rank);
	if (one->absent != other->absent)
		return one->absent - other->absent;
	if (one->rank != other->rank)
		return one->rank < other->rank ? -1 : 1;
	return one->order < other->order ? -1 : 1;
}

/* Adds everything but commands that the user types in full. */
static void offer_all(struct search *search)
{
	find_offer_functions(search);
	offer_kernels(search);
	offer_sweeps(search);
	offer_commands(search);
	offer_drops(search);
	if (strlen(search->text) >= FIND_FROM) {
		offer_lessons(search);
		find_offer_own(search);
		find_offer_programs(search);
		find_offer_recordings(search);
		offer_cores(search);
		offer_synonyms(search);
		offer_panels(search);
		offer_limits(search);
	}
}

/* Whether a word, up to the next blank, belongs to any question, such as "what" in "what is IPC".
 */
static bool is_common(const char *word)
{
	static const char *const common[] = { "what", "which", "why", "when", "where", "how", "is",
		"are", "do", "does", "mean", "means", "the", "a", "an", "of", "in", "to", "can",
		"i", NULL };
	size_t length = strcspn(word, " ");

	for (int i = 0; common[i]; i++)
		if (strlen(common[i]) == length && strncasecmp(common[i], word, length) == 0)
			return true;
	return false;
}

/* Returns the longest word of a text, without words that any question may have. */
static struct words longest_word(const char *text)
{
	const char *longest = "";

	for (const char *word = text; *word; word += strcspn(word, " ")) {
		word += strspn(word, " ");
		if (!is_common(word) && strcspn(word, " ?") > strcspn(longest, " ?"))
			longest = word;
	}
	longest = *longest ? longest : text;
	return words_of("%.*s", (int)strcspn(longest, " ?"), longest);
}

/* Whether the find overlay shows the results for these words. Words that are too long are cut, so
 * that each further key of a long text leaves the same words. */
static bool is_found(const struct session *session, const char *words)
{
	char cut[FIND_SIZE];

	snprintf(cut, sizeof(cut), "%.*s", FIND_SIZE - 1, words);
	text_cut_clean(cut, sizeof(cut));
	return session->screen.overlay == OVERLAY_FIND && strcmp(cut, session->screen.find) == 0;
}

/* Opens the find overlay, which lists the results for the typed text; results that can be opened
 * here come first. */
static void find_text(struct session *session, const char *arguments)
{
	char text[FIND_SIZE];
	struct view_found found[VIEW_FOUND] = { 0 };
	struct search search = { .session = session, .text = text };
	struct words longest;
	int count = 0, more;
	bool runs;
	size_t line;

	/* The search ignores blanks at both ends of the text, because the user may be about to type
	 * the next word. */
	snprintf(text, sizeof(text), "%s", arguments + strspn(arguments, " "));
	text_cut_clean(text, sizeof(text));
	for (size_t length = strlen(text); length > 0 && text[length - 1] == ' ';)
		text[--length] = '\0';
	/* The key / opens the search, which may be open already: /dot finds dot, unless it is a
	 * path. */
	if (text[0] == '/' && text[1] && !strchr(text + 1, '/') && access(text, F_OK) != 0)
		memmove(text, text + 1, strlen(text));
	runs = offer_line(&search);
	line = search.count;
	offer_all(&search);
	/* If no entry has all words of the typed text, and the text is no command that can be run,
	 * the search shows entries with its longest word. A command that would be refused comes
	 * before them, so that Enter says what is wrong with it. */
	if (!runs && search.count == line && strchr(text, ' ')) {
		if (line)
			search.result[0].rank = RANK_LINE;
		longest = longest_word(text);
		search.text = longest.text;
		offer_all(&search);
	}
	if (search.count)
		qsort(search.result, search.count, sizeof(*search.result), compare);
	for (size_t i = 0; i < search.count && count < VIEW_FOUND; i++)
		found[count++] = search.result[i].found;
	free(search.result);
	more = (int)search.count - count + search.more;
	if (more == 0)
		more = add_events(session, search.text, found, &count);
	/* The reason why results cannot be opened here is shown only at the first of them. */
	for (int i = 1; i < count; i++)
		if (found[i].why[0] && strcmp(found[i].why, found[i - 1].why) == 0)
			find_cut_reason(&found[i]);
	find_open(session, arguments, found, count, more);
	if (!status_is_ok(&find_synonyms()->status))
		session_notice(session, true, "%s", find_synonyms()->status.text);
}

/* ---- the commands ---- */

static struct status run_find(
	const struct session *session, struct session *change, char *arguments)
{
	if (!change)
		return command_effect(session->screen.overlay != OVERLAY_FIND ||
					      strcmp(session->screen.find, arguments) != 0,
			"the search text is empty: Esc closes the search");
	if (strlen(arguments) < FIND_SIZE || !is_found(change, arguments))
		find_text(change, arguments);
	if (strlen(arguments) >= FIND_SIZE)
		session_notice(change, true, "a search has at most %d bytes", FIND_SIZE - 1);
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
		return status_usage("choose %.20s: the find list has the entries 1 to %d",
			arguments, session->screen.found_count);
	if (*arguments && change)
		overlay_move(change, entry - session->screen.found_selected);
	if (session->screen.found_count == 0)
		return status_usage("nothing is called \"%s\"", session->screen.find);
	if (!*find_command(session))
		return status_usage(
			"%s", session->screen.found[session->screen.found_selected].why);
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

const struct command_row commands_find[] = {
	{ "find", .run = run_find, .verbatim = true },
	{ "choose", .run = run_choose },
	{ .name = NULL },
};
