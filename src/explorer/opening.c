#include "explorer/opening.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/state.h"

void opening_add(struct session *session, const char *command)
{
	struct opening *opening = &session->opening;

	opening->command =
		memory_grow(opening->command, (size_t)opening->count, sizeof(*opening->command));
	opening->command[opening->count++] = memory_string(command);
	opening->waiting = false;
}

void opening_end(struct session *session)
{
	struct opening *opening = &session->opening;

	for (int i = 0; i < opening->count; i++)
		free(opening->command[i]);
	free(opening->command);
	*opening = (struct opening){ .count = 0 };
}

void opening_stop(struct session *session)
{
	if (!session->opening.running)
		opening_end(session);
}

bool opening_due(const struct session *session)
{
	return session->opening.next < session->opening.count && !session->opening.waiting &&
	       !session_compiles(session) && !program_reads(session);
}

bool opening_harmless(const char *command)
{
	static const char *const verbs[] = { "kernel ", "set ", "view ", "knob ", "focus ",
		"preset ", "relief", "pin setting ", "code ", "whatif " };

	/* A saved command with the path of a user's source file would compile that file, so only
	 * names of kernels are allowed. */
	if (strncmp(command, "kernel ", 7) == 0)
		return kernel_find(command + 7) != NULL;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strncmp(command, verbs[i], strlen(verbs[i])) == 0)
			return !strpbrk(command, "/");
	return false;
}
