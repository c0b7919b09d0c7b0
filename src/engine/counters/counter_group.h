/* A group of hardware events that count together: the kernel opens, enables, reads and disables
 * them as one group. Only the files in src/engine/counters use counter groups. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/counters/counters.h"

struct perf_event_mmap_page;

/* The functions, as pointers, for the system calls and instructions that counting uses. Tests pass
 * their own table. */
struct perf_calls {
	/* Calls perf_event_open(2) for the calling thread, on any processor. If `leader` is -1, the
	 * opened event becomes the first event (leader) of a group. Returns the descriptor, or
	 * -errno. */
	int (*open)(const struct perf_event_attr *attributes, int leader);
	int (*close)(int descriptor);
	/* Calls ioctl(2) with PERF_EVENT_IOC_ENABLE or PERF_EVENT_IOC_DISABLE on the leader of a
	 * group. False: refused. */
	bool (*control)(int descriptor, unsigned long request);
	/* Calls read(2). Reads a group's values; returns the number of bytes read, 0 for a pinned
	 * event that lost its counter, or -1 after an error. */
	ssize_t (*read)(int descriptor, void *buffer, size_t size);
	/* Maps the event's page. NULL: refused. */
	struct perf_event_mmap_page *(*map)(int descriptor);
	void (*unmap)(struct perf_event_mmap_page *page);
	/* Reads the processor's counter with this index (the index in the event's page minus one).
	 */
	uint64_t (*counter)(uint32_t index);
	/* Runs a workload of 1 to 2 ms that raises the counts of most events. */
	void (*stimulate)(void);
};

/* The real system calls of Linux and the real instructions of this processor. */
extern const struct perf_calls perf_calls_linux;

struct counter_group {
	const struct perf_calls *calls;
	int count; /* number of open events, of which the first is the leader; 0: no event is open
		    */
	int event[COUNTERS_MAX]; /* index of each event in the caller's list of events */
	int descriptor[COUNTERS_MAX];
	/* mapped page of each event; NULL: mapping failed */
	struct perf_event_mmap_page *page[COUNTERS_MAX];
	bool pinned; /* true: only another pinned group can take this group's counters; reads of
			this group then fail */
	bool direct; /* true: an instruction reads each event, without a system call; set by
			group_try() */
};

/* The values of a group, as read by read(2). */
struct group_reading {
	uint64_t enabled, running; /* time in which the group was enabled, and time in which it was
				      counting, since it was opened; nanoseconds */
	uint64_t value[COUNTERS_MAX];
};

/* Adds an event. The first event of a group is its leader. The caller sets type, config, config1
 * and config2 of `attributes`; the function sets the other fields. Returns 0, or the errno if the
 * kernel refuses the event that was to be added to the group. */
int group_add(struct counter_group *group, struct perf_event_attr attributes, int event);

/* group_drop() closes the group's last event; group_close() closes all events of the group. */
void group_drop(struct counter_group *group);
void group_close(struct counter_group *group);

/* In a child process after fork(): closes the event descriptors of the parent and clears the page
 * pointers, because the child does not inherit the pages. In the child process, the events stay in
 * the group with descriptor -1. */
void group_leave(struct counter_group *group);

/* Start and stop counting. A pinned group that lost its counters may get counters again at the next
 * start. */
bool group_start(const struct counter_group *group);
void group_stop(const struct counter_group *group);

/* Reads the values of all events of a group, and the times for which the group was enabled and
 * counting. Returns false if the system refuses to read the group, or if a pinned group has lost
 * its counters. */
bool group_read(const struct counter_group *group, struct group_reading *reading);

/* Reads all values of a group in the fastest available way, with fences before and after. Returns
 * false if the group is not counting now. */
bool group_values(const struct counter_group *group, uint64_t value[COUNTERS_MAX]);

/* Reads only the first event of a group, in the fastest available way, without fences. Returns
 * false if the group is not counting now. */
bool group_first(const struct counter_group *group, uint64_t *value);

/* Runs the test workload (stimulus) while the group counts, then stops the group. Returns whether
 * the group of events counted. moved[i] becomes true if the value of event i rose. group_try() also
 * sets group->direct. */
bool group_try(struct counter_group *group, bool moved[COUNTERS_MAX]);

/* The event's value: the kernel's `offset` plus the hardware counter. The counter is a signed
 * number of `width` bits (1 to 64). Pure. */
uint64_t group_extend(uint64_t offset, uint64_t counter, unsigned width);
