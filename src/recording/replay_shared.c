/* The records of a recording that other records name by their number (shared_records.h). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "recording/replay_records.h"

/* NUMBER_MOST: the largest number of a shared record. BYTES_EACH: approximate bytes of memory for
 * each value of a record. */
enum { NUMBER_MOST = 1 << 21, BYTES_EACH = 64 };

static const char *const names[] = { "facts", "counters", "limits", "ports", "kind", "insn",
	"modelled", "explanation" };

bool reading_is_shared(const struct reading *reading, const char *name)
{
	for (size_t i = 0; reading->format > 1 && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Returns the approximate memory of a value, bytes. */
static size_t memory_of(const json_t *value)
{
	size_t bytes = BYTES_EACH + json_string_length(value), i;
	const char *key;
	json_t *part;

	json_array_foreach(value, i, part) bytes += memory_of(part);
	json_object_foreach((json_t *)(uintptr_t)value, key, part) bytes +=
		memory_of(part) + strlen(key);
	return bytes;
}

const char *reading_share(struct reading *reading, const json_t *object, unsigned number)
{
	size_t bytes = memory_of(object);

	if (number > NUMBER_MOST ||
		reading->replay->memory + reading->shared_bytes + bytes > REPLAY_MEMORY)
		return "more shared records than this program keeps";
	while (number >= reading->shared_count) {
		reading->shared = memory_grow(
			reading->shared, reading->shared_count, sizeof(*reading->shared));
		reading->shared[reading->shared_count++] = (struct reading_shared){ NULL, NULL };
	}
	if (reading->shared[number].object)
		return "the number of the record occurs twice";
	reading->shared[number].object = json_incref((json_t *)(uintptr_t)object);
	reading->shared_bytes += bytes;
	return NULL;
}

const json_t *reading_shared(const struct reading *reading, const json_t *number, const char *name)
{
	json_int_t index = json_is_integer(number) ? json_integer_value(number) : -1;
	const char *word;
	const json_t *object;

	if (index < 0 || index >= (json_int_t)reading->shared_count)
		return NULL;
	object = reading->shared[index].object;
	word = json_string_value(json_object_get(object, "record"));
	return word && strcmp(word, name) == 0 ? object : NULL;
}

void reading_note_id(struct reading *reading, unsigned id, int index)
{
	size_t count = reading->sampled_count;

	/* A recording has its samples in the order of their ids. */
	if (count && reading->sampled[count - 1].id >= id)
		return;
	reading->sampled = memory_grow(reading->sampled, count, sizeof(*reading->sampled));
	reading->sampled[reading->sampled_count++] = (struct reading_sampled){ id, index };
}

static int by_id(const void *a, const void *b)
{
	unsigned x = ((const struct reading_sampled *)a)->id,
		 y = ((const struct reading_sampled *)b)->id;

	return (x > y) - (x < y);
}

int reading_find_id(const struct reading *reading, unsigned id)
{
	const struct reading_sampled key = { id, 0 },
				     *found = reading->sampled_count
						      ? bsearch(&key, reading->sampled,
								reading->sampled_count, sizeof(key),
								by_id)
						      : NULL;

	return found ? found->index : -1;
}

void reading_end_run(struct reading *reading)
{
	for (unsigned i = 0; i < reading->shared_count; i++) {
		json_decref(reading->shared[i].object);
		explained_free(reading->shared[i].explained);
	}
	reading->shared_count = 0;
	reading->shared_bytes = 0;
	reading->sampled_count = 0;
	reading->run++;
}
