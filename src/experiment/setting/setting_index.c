#include "experiment/setting/setting_index.h"

#include <stdlib.h>
#include <string.h>

/* Open addressing, at most half full. */
enum { SLOTS_INITIAL = 64 };

static uint64_t hash(const struct setting *setting)
{
	uint64_t hash = (uint64_t)(uintptr_t)setting->kernel;

	for (int i = 0; i < setting->kernel->knob_count; i++) {
		hash = (hash ^ (uint64_t)setting->v[i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	return hash;
}

static int *find_slot(const struct setting_index *index, const struct setting *setting)
{
	uint64_t at = hash(setting);

	for (;; at++) {
		int *slot = &index->slot[at & (uint64_t)(index->slot_count - 1)];

		if (!*slot || setting_equal(&index->setting[*slot - 1], setting))
			return slot;
	}
}

int setting_index_find(const struct setting_index *index, const struct setting *setting)
{
	return index->slot_count ? *find_slot(index, setting) - 1 : -1;
}

static void grow(struct setting_index *index)
{
	free(index->slot);
	index->slot_count = index->slot_count ? 2 * index->slot_count : SLOTS_INITIAL;
	index->slot = memory_new((size_t)index->slot_count, sizeof(*index->slot));
	for (int i = 0; i < index->count; i++)
		*find_slot(index, &index->setting[i]) = i + 1;
}

int setting_index_add(struct setting_index *index, const struct setting *setting)
{
	int found = setting_index_find(index, setting);

	if (found >= 0)
		return found;
	if (2 * (index->count + 1) > index->slot_count)
		grow(index);
	if (index->count == index->room) {
		index->room = index->room ? 2 * index->room : SLOTS_INITIAL;
		index->setting =
			memory_resize(index->setting, (size_t)index->room, sizeof(*index->setting));
	}
	index->setting[index->count] = *setting;
	*find_slot(index, setting) = index->count + 1;
	return index->count++;
}

void setting_index_free(struct setting_index *index)
{
	free(index->setting);
	free(index->slot);
	memset(index, 0, sizeof(*index));
}
