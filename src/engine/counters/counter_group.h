/* Events that count together: the kernel opens, enables, reads and disables them as one group. For
 * the files of counting alone. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/counters/counters.h"

struct perf_event_mmap_page;

/* The system calls and instructions that counting uses; tests bring a table of their own. */
struct perf_calls {
	void *context;
	/* perf_event_open(2) for the calling thread, on any processor; leader -1: none. Returns the
	 * descriptor, or -errno. */
	int (*open)(void *context, const struct perf_event_attr *attributes, int leader);
	void (*close)(void *context, int descriptor);
	/* ioctl(2) PERF_EVENT_IOC_ENABLE or _DISABLE on a leader; false: refused. */
	bool (*control)(void *context, int descriptor, unsigned long request);
	/* read(2): bytes, 0 for a pinned event that lost its counter, or -errno. */
	long (*read)(void *context, int descriptor, void *buffer, size_t size);
	/* The event's page; NULL: refused. */
	struct perf_event_mmap_page *(*map)(void *context, int descriptor);
	void (*unmap)(void *context, struct perf_event_mmap_page *page);
	/* The processor's counter of that index (the page's index less one). */
	uint64_t (*counter)(void *context, uint32_t index);
	/* Runs a workload of 1 to 2 ms that raises most events. */
	void (*stimulate)(void *context);
};

/* Those of Linux and this processor: perf_calls.c. */
extern const struct perf_calls perf_calls_linux;

struct counter_group {
	const struct perf_calls *calls;
	int count;		 /* events, the leader first; 0: nothing is open */
	int event[COUNTERS_MAX]; /* the caller's index of each */
	int descriptor[COUNTERS_MAX];
	struct perf_event_mmap_page *page[COUNTERS_MAX]; /* NULL: could not be mapped */
	bool pinned; /* only other pinned groups can take its counters; a read then fails */
	bool direct; /* instructions read every event; set by group_try() */
};

/* The values of a group, read by read(2). */
struct group_reading {
	uint64_t enabled, running; /* nanoseconds since it was opened */
	uint64_t value[COUNTERS_MAX];
};

/* Adds an event; the first one is the leader. attributes: type, config, config1 and config2; the
 * function sets the other fields. Returns 0, or the errno of the refusal. */
int group_add(struct counter_group *group, struct perf_event_attr attributes, int event);

/* Closes the last event; all events. */
void group_drop(struct counter_group *group);
void group_close(struct counter_group *group);

/* In a child after fork(): closes the parent's descriptors and forgets its pages, which the child
 * does not have. The events stay listed, with descriptors of -1. */
void group_leave(struct counter_group *group);

/* Starts and stops counting. Starting gives a pinned group that lost its counters another chance.
 */
bool group_start(const struct counter_group *group);
void group_stop(const struct counter_group *group);

/* Reads all values with their times. False: refused, or the pinned group lost its counters. */
bool group_read(const struct counter_group *group, struct group_reading *reading);

/* Reads all values in the cheapest way, with fences before and after. False: the group does not
 * count now. */
bool group_values(const struct counter_group *group, uint64_t value[COUNTERS_MAX]);

/* Reads the first event alone, in the cheapest way, without fences. */
bool group_first(const struct counter_group *group, uint64_t *value);

/* Runs the stimulus while the group counts. Returns whether it counted. moved: which of its events
 * rose. Finds out whether instructions can read it, and stops it. */
bool group_try(struct counter_group *group, bool moved[COUNTERS_MAX]);

/* A counter of `width` bits (1 to 64) with the value `counter`, added to what the kernel has
 * already taken from it. Counters count up through the sign bit of their width. Pure. */
uint64_t group_extend(uint64_t offset, uint64_t counter, unsigned width);
