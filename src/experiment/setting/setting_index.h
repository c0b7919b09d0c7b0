/* A list of different settings, each found by its values: for tables of many thousands. */
#ifndef SLX_EXPERIMENT_SETTING_SETTING_INDEX_H
#define SLX_EXPERIMENT_SETTING_SETTING_INDEX_H

#include "experiment/setting/setting.h"

/* Zero-initialise to start; setting_index_free() to end. */
struct setting_index {
	int count, room;
	struct setting *setting; /* in the order in which they were added */
	int slot_count;		 /* a power of two, or 0 */
	int *slot;		 /* index + 1; 0: free */
};

/* The number of a setting, or -1. */
int setting_index_find(const struct setting_index *index, const struct setting *setting);

/* The number that it has or is given. */
int setting_index_add(struct setting_index *index, const struct setting *setting);

void setting_index_free(struct setting_index *index);

#endif
