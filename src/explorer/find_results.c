#include "explorer/find_results.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "explorer/command.h"

struct words find_absence(const struct session *session, const char *command)
{
	struct status status = session_command_check(session, command);

	return words_of(
		"%s", status_is_ok(&status) || status.code == STATUS_IDLE ? "" : status.text);
}

/* Stands before the reason why a result cannot be opened here. */
static const char absent[] = " — not here: ";

void find_fill(struct view_found *found, const char *shown, const char *help, const char *command,
	const char *why)
{
	const char *dash = *why ? absent : *help ? " — " : "";

	snprintf(found->label, sizeof(found->label), "%s%s%s", shown, dash, *why ? why : help);
	text_cut_clean(found->label, sizeof(found->label));
	snprintf(found->command, sizeof(found->command), "%s", command);
	snprintf(found->why, sizeof(found->why), "%s", why);
	text_cut_clean(found->why, sizeof(found->why));
}

void find_cut_reason(struct view_found *found)
{
	char *reason = strstr(found->label, absent);

	if (reason)
		*reason = '\0';
}

void find_append(struct search *search, enum rank rank, const char *shown, const char *help,
	const char *command, const char *why)
{
	struct result_found *result;

	search->result = memory_grow(search->result, search->count, sizeof(*search->result));
	result = &search->result[search->count];
	*result = (struct result_found){ .rank = rank, .absent = *why, .order = search->order++ };
	search->count++;
	find_fill(&result->found, shown, help, command, why);
}

void find_add(struct search *search, enum rank rank, const char *shown, const char *help,
	const char *command, const char *why)
{
	for (size_t i = 0; i < search->count && *command; i++) {
		if (strcmp(search->result[i].found.command, command) != 0)
			continue;
		/* If two results have the same command, the better rank and the first description
		 * remain. */
		if (rank < search->result[i].rank) {
			search->result[i].rank = rank;
			search->result[i].order = search->order++;
		}
		return;
	}
	find_append(search, rank, shown, help, command, why);
}

void find_offer(struct search *search, const char *name, const char *shown, const char *help,
	const char *more, const char *command)
{
	enum rank rank = find_rank(search->text, name), whole = find_rank(search->text, shown);

	rank = whole < rank ? whole : rank;
	if (rank == RANK_NONE &&
		find_contains(search->text, shown, words_of("%s %s", help, more).text))
		rank = RANK_HELP;
	if (rank != RANK_NONE)
		find_add(search, rank, shown, help, command,
			find_absence(search->session, command).text);
}
