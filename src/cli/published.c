#include "cli/published.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

enum { FIELDS = 5 };

/* Whether "KERNEL [KNOB=VALUE …]" says something of the setting that is so. */
static bool fits(char *words, const struct setting *setting)
{
	char *rest, *word = strtok_r(words, " ", &rest);

	if (!word || strcmp(word, setting->kernel->name) != 0)
		return false;
	while ((word = strtok_r(NULL, " ", &rest))) {
		struct setting wanted = *setting;
		struct status status = setting_assign(&wanted, word, MEMORY_LIMITS_UNKNOWN);

		if (!status_is_ok(&status) || !setting_equal(&wanted, setting))
			return false;
	}
	return true;
}

bool published_find(const struct setting *setting, const char *uarch, struct published *published)
{
	char *text, *line, *rest;
	struct status status = data_load("published", &text, NULL);
	bool found = false;

	if (!status_is_ok(&status))
		return false;
	for (line = strtok_r(text, "\n", &rest); line && !found;
		line = strtok_r(NULL, "\n", &rest)) {
		char *field[FIELDS], *end;

		if (*line == '#' || data_fields(line, field, FIELDS) != FIELDS ||
			strcmp(field[1], uarch) != 0 || !fits(field[0], setting))
			continue;
		*published = (struct published){ .cycles = strtod(field[2], &end) };
		snprintf(published->ports, sizeof(published->ports), "%s", field[3]);
		snprintf(published->source, sizeof(published->source), "%s", field[4]);
		found = end != field[2] && *end == '\0' && published->cycles > 0;
	}
	free(text);
	return found;
}

double published_port(const struct published *published, const char *port)
{
	size_t length = strlen(port);

	for (const char *at = published->ports; (at = strstr(at, port)); at++)
		if ((at == published->ports || at[-1] == ' ') && at[length] == '=')
			return strtod(at + length + 1, NULL);
	return -1;
}
