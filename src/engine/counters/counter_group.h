/* Events that count together: opened as one group of the kernel's, enabled, read and disabled as
 * one. For counting's own files. */
#ifndef SLX_ENGINE_COUNTERS_COUNTER_GROUP_H
#define SLX_ENGINE_COUNTERS_COUNTER_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/counters/counters.h"
#include "engine/counters/counting_kernel.h"

struct counter_group {
	int count;		 /* events, the leader first; 0: nothing is open */
	int event[COUNTERS_MAX]; /* the caller's index of each */
	int descriptor[COUNTERS_MAX];
	struct perf_event_mmap_page *page[COUNTERS_MAX]; /* NULL: could not be mapped */
	bool pinned; /* the kernel lets nobody but other pinned ones push it out, and says so when
			they do */
	bool direct; /* all of it is read by instructions; group_try() finds out */
};

/* A reading of a whole group, by read(). */
struct group_reading {
	uint64_t enabled, running; /* nanoseconds since it was opened */
	uint64_t value[COUNTERS_MAX];
};

/* Adds an event: the group's leader if it is the first. attributes: its type, config and config1…2;
 * the rest is filled in here. 0, or the errno of the refusal. */
int group_add(const struct counting_kernel *kernel, struct counter_group *group,
	struct perf_event_attr *attributes, int event);

/* Closes the last event, or all. */
void group_drop(const struct counting_kernel *kernel, struct counter_group *group);
void group_close(const struct counting_kernel *kernel, struct counter_group *group);

/* In a child after fork(): lets go of what belongs to the parent, whose pages the child never had,
 * without a word to the kernel but close(). The events stay listed, with descriptors of -1. */
void group_leave(const struct counting_kernel *kernel, struct counter_group *group);

/* From now on it counts, or no longer. A pinned group that was pushed out is given another chance.
 */
bool group_start(const struct counting_kernel *kernel, const struct counter_group *group);
void group_stop(const struct counting_kernel *kernel, const struct counter_group *group);

/* Reads all with their times. false: refused, or pinned and pushed out. */
bool group_read(const struct counting_kernel *kernel, const struct counter_group *group,
	struct group_reading *reading);

/* Reads all in the cheapest way there is, fenced against the code before and after. false: it is
 * not counting now; the values then stand still. */
bool group_values(const struct counting_kernel *kernel, const struct counter_group *group,
	uint64_t value[COUNTERS_MAX]);

/* The first event alone, in the cheapest way, without fences. */
bool group_first(
	const struct counting_kernel *kernel, const struct counter_group *group, uint64_t *value);

/* Runs the stimulus under it. false: it never counted meanwhile. moved: which of its events rose.
 * Finds out whether it can be read directly. The group is stopped afterwards. */
bool group_try(const struct counting_kernel *kernel, struct counter_group *group,
	bool moved[COUNTERS_MAX]);

#endif
