#include "experiment/published.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/units.h"

enum { FIELDS = 6 };

/* Whether a setting has the kernel and all knob values that `words` lists: "KERNEL [KNOB=VALUE
 * …]". */
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

/* Reads the rows of data/published until a row of the setting. If `uarch` is not NULL, the row must
 * also be for that core. */
static bool find(const struct setting *setting, const char *uarch, struct published *published)
{
	struct rows rows;
	bool found = false;

	rows_load(&rows, "published");
	rows.lenient = true;
	while (!found && rows_next(&rows)) {
		char *field[FIELDS];
		int fields = rows_fields(&rows, field, FIELDS);

		*published = (struct published){ 0 };
		if (fields < FIELDS - 1)
			rows_fail(&rows,
				"expected: SETTING | CORE | CYCLES | PORTS | SOURCE [| REMARK]");
		else if ((!uarch || strcmp(field[1], uarch) == 0) && fits(field[0], setting))
			found = rows_number(
				&rows, "the cycles", field[2], 0.001, 1e9, &published->cycles);
		if (found) {
			snprintf(published->core, sizeof(published->core), "%s", field[1]);
			snprintf(published->ports, sizeof(published->ports), "%s", field[3]);
			snprintf(published->source, sizeof(published->source), "%s", field[4]);
			if (fields == FIELDS)
				snprintf(published->remark, sizeof(published->remark), "%s",
					field[5]);
		}
	}
	rows_end(&rows);
	return found;
}

bool published_find(const struct setting *setting, const char *uarch, struct published *published)
{
	if (uarch && find(setting, uarch, published))
		return true;
	if (!find(setting, NULL, published))
		return false;
	published->ports[0] = published->remark[0] = '\0';
	return true;
}

void published_words(const struct published *published, const struct setting *setting,
	double elements, struct text *words)
{
	text_addf(words, "%g cycles an iteration", published->cycles);
	if (elements > 1)
		text_addf(words, ", %s per %s", units_value(published->cycles / elements).text,
			setting->kernel->element);
	text_addf(words, " on %s (%s)", published->core, published->source);
}

double published_port(const struct published *published, const char *port)
{
	size_t length = strlen(port);

	for (const char *at = published->ports; (at = strstr(at, port)); at++)
		if ((at == published->ports || at[-1] == ' ') && at[length] == '=')
			return strtod(at + length + 1, NULL);
	return -1;
}
