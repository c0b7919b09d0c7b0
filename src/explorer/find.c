/* Find: kernels, knobs, commands and events whose words hold what was typed. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "explorer/command.h"
#include "explorer/state.h"

struct search {
	const char *text;
	int rank; /* of the pass: 0 the name begins so, 1 the name holds it, 2 the help does */
	struct view_found *found;
	int count;
};

/* 0, 1 or 2 as in struct search; 3 when a word of the text is nowhere. */
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

/* shown stands before the dash; match is what ranks first ("unroll" of "combine unroll"). */
static void offer(struct search *search, const char *match, const char *shown, const char *help,
	const char *command)
{
	struct view_found *found = &search->found[search->count];
	int rank = rank_of(search->text, match, help), whole = rank_of(search->text, shown, help);

	if ((rank < whole ? rank : whole) != search->rank || search->count == VIEW_FOUND)
		return;
	snprintf(found->label, sizeof(found->label), "%s — %s", shown, help);
	text_cut_clean(found->label, sizeof(found->label));
	snprintf(found->command, sizeof(found->command), "%s", command);
	search->count++;
}

static void offer_knobs(struct search *search, const struct kernel *kernel, bool present)
{
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		char shown[56], command[64];

		snprintf(shown, sizeof(shown), "%s %s", kernel->name, knob->name);
		if (present)
			snprintf(command, sizeof(command), "knob %s", knob->name);
		else
			snprintf(command, sizeof(command), "kernel %s", shown);
		offer(search, knob->name, shown, knob->help, command);
	}
}

/* A command line that was typed in full comes first: choosing it runs it. */
static void offer_line(struct search *search)
{
	const char *arguments = "";
	const struct command_row *row = command_of(search->text, &arguments);
	struct view_found *found = &search->found[search->count];

	if (!row || (row->arguments[0] ? !*arguments
				       : *arguments || (row->flags & COMMAND_FOUND) ||
						 strcmp(row->name, "choose") == 0 ||
						 strcmp(row->name, "close") == 0))
		return;
	snprintf(found->label, sizeof(found->label), "%s — %s", search->text, row->help);
	text_cut_clean(found->label, sizeof(found->label));
	snprintf(found->command, sizeof(found->command), "%s", search->text);
	search->count++;
}

/* "event drop NAME" of those that were asked for. */
static void offer_drops(const struct session *session, struct search *search)
{
	const struct counted *counted = &session->counted;

	for (search->rank = 0; search->rank < 3; search->rank++) {
		for (int i = 0; i < counted->extra_count; i++) {
			char command[COUNTER_NAME + 16];

			snprintf(command, sizeof(command), "event drop %s", counted->extra[i]);
			offer(search, command, command, "count it no more", command);
		}
	}
}

/* Events come last: there may be thousands. Returns how many of them found no place. */
static int offer_events(const struct found_events *events, struct search *search)
{
	size_t i;

	for (i = 0; i < events->count && search->count < VIEW_FOUND; i++) {
		struct view_found *found = &search->found[search->count++];

		snprintf(found->command, sizeof(found->command), "event %s", events->offer[i].name);
		snprintf(found->label, sizeof(found->label), "%s%s%s", found->command,
			events->offer[i].help[0] ? " — " : "", events->offer[i].help);
		text_cut_clean(found->label, sizeof(found->label));
	}
	return (int)(events->all - i);
}

int session_found(const struct session *session, struct view_found found[VIEW_FOUND], int *more)
{
	char text[FIND_SIZE];
	struct search search = { .text = text, .found = found };
	const struct kernel *present = session->setting.kernel;
	int unplaced;

	/* Blanks at the ends are only on their way to the next word. */
	snprintf(text, sizeof(text), "%s", session->find + strspn(session->find, " "));
	for (size_t length = strlen(text); length > 0 && text[length - 1] == ' ';)
		text[--length] = '\0';
	offer_line(&search);
	for (search.rank = 0; search.rank < 3; search.rank++) {
		for (int i = 0; kernel_registry[i]; i++) {
			char command[64];

			if (!recorded_kernel(session, kernel_registry[i]))
				continue;
			snprintf(command, sizeof(command), "kernel %s", kernel_registry[i]->name);
			offer(&search, kernel_registry[i]->name, kernel_registry[i]->name,
				kernel_registry[i]->title, command);
		}
		offer_knobs(&search, present, true);
		for (int i = 0; kernel_registry[i]; i++)
			if (kernel_registry[i] != present &&
				recorded_kernel(session, kernel_registry[i]))
				offer_knobs(&search, kernel_registry[i], false);
		for (const struct command_row *row = command_rows(); row->name; row++)
			if (row->flags & COMMAND_FOUND)
				offer(&search, row->name, row->name, row->help, row->name);
	}
	offer_drops(session, &search);
	unplaced = offer_events(&session->counted.found, &search);
	if (more)
		*more = unplaced;
	return search.count;
}
