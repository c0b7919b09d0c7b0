#include "recording/compare/compared.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void compared_free(struct compared *compared)
{
	for (int i = 0; i < compared->quantities.count; i++)
		free(compared->quantity[i].subject);
	free(compared->quantity);
	free(compared->source);
	free(compared->value);
	free(compared->trials);
	intern_free(&compared->files);
	intern_free(&compared->hosts);
	intern_free(&compared->models);
	intern_free(&compared->quantities);
	intern_free(&compared->sources);
	intern_free(&compared->kinds);
	intern_free(&compared->seen);
}

int compared_quantity(struct compared *compared, const struct compared_quantity *quantity)
{
	int before = compared->quantities.count, number;
	struct text key = { 0 };

	text_addf(&key, "%s\t%s", quantity->subject, quantity->field);
	number = intern_add(&compared->quantities, text_string(&key));
	text_free(&key);
	if (number == before) {
		compared->quantity = memory_grow(
			compared->quantity, (size_t)number, sizeof(*compared->quantity));
		compared->quantity[number] = *quantity;
		compared->quantity[number].subject = memory_string(quantity->subject);
	}
	return number;
}

int compared_source(struct compared *compared, int file, int side, const char *host)
{
	int before = compared->sources.count, number;
	char key[160];

	snprintf(key, sizeof(key), "%d\t%d\t%s", file, side, host);
	number = intern_add(&compared->sources, key);
	if (number == before) {
		compared->source =
			memory_grow(compared->source, (size_t)number, sizeof(*compared->source));
		compared->source[number] = (struct compared_source){ .file = file,
			.host = intern_add(&compared->hosts, host),
			.side = side,
			.model = -1,
			.id = INT64_MAX,
			.point = -1,
			.trials_id = -1 };
	}
	return number;
}

/* Returns the value that a value replaces, or NULL. A sample of a recording replaces an earlier one
 * of the setting if it has all its trials and further ones. */
static struct compared_value *find_replaced(
	struct compared *compared, int source, int quantity, const struct compared_value *value)
{
	size_t i = compared->value_count;

	while (value->replaces && i-- > compared->source[source].run_values)
		if (compared->value[i].source == source && compared->value[i].quantity == quantity)
			return &compared->value[i];
	return NULL;
}

/* Adds the trials of the replaced value to those of the new value, which are the last ones. */
static void join_trials(
	struct compared *compared, const struct compared_value *old, struct compared_value *new)
{
	if (!new->trials_count || new->trials_first + new->trials_count != compared->trial_count)
		return;
	for (uint32_t i = 0; i < old->trials_count; i++) {
		compared->trials = memory_grow(
			compared->trials, compared->trial_count, sizeof(*compared->trials));
		compared->trials[compared->trial_count++] = compared->trials[old->trials_first + i];
		new->trials_count++;
	}
}

/* Returns the letter of the source of a value; 0: unknown. Sizes and shares of ports are found from
 * cycles. */
static char letter_of(
	const struct compared_source *source, const struct compared_quantity *quantity)
{
	const char *unit = quantity->unit;

	if (strncmp(unit, "ns", 2) == 0 || strcmp(unit, "GB/s") == 0)
		return SOURCE_TIME;
	return strcmp(unit, "share") == 0 || strcmp(unit, "processors") == 0
		       ? '\0'
		       : (char)source->cycles_from;
}

static void note_source(char *letters, size_t size, char letter)
{
	size_t length = strlen(letters);

	if (letter && !strchr(letters, letter) && length + 1 < size)
		letters[length] = letter;
}

void compared_add(
	struct compared *compared, int source, int quantity, const struct compared_value *value)
{
	struct compared_value *new, added = *value;

	if (!(value->value >= COMPARED_LEAST && value->value <= COMPARED_MOST))
		return;
	new = find_replaced(compared, source, quantity, value);
	if (new) {
		join_trials(compared, new, &added);
	} else {
		compared->value = memory_grow(
			compared->value, compared->value_count, sizeof(*compared->value));
		new = &compared->value[compared->value_count++];
	}
	note_source(compared->quantity[quantity].sources,
		sizeof(compared->quantity[quantity].sources),
		letter_of(&compared->source[source], &compared->quantity[quantity]));
	*new = added;
	new->quantity = quantity;
	new->source = source;
	if (!(new->lo > 0 && new->lo <= new->value &&new->hi >= new->value &&isfinite(new->hi)))
		new->lo = new->hi = NAN;
}

int compared_files(const struct compared *compared, int *first, int *without)
{
	int files = compared->files.count, count = 0;
	bool *has = memory_new((size_t)files + 1, sizeof(*has));

	*first = *without = -1;
	for (int i = 0; i < compared->sources.count; i++)
		has[compared->source[i].file] = true;
	for (int i = files - 1; i >= 0; i--) {
		count += has[i];
		*(has[i] ? first : without) = i;
	}
	free(has);
	return count;
}
