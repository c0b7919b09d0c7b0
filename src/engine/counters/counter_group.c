#include "engine/counters/counter_group.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <string.h>

#include "engine/clock/clock.h"

uint64_t group_extend(uint64_t offset, uint64_t counter, unsigned width)
{
	unsigned spare = width > 0 && width < 64 ? 64 - width : 0;

	/* Signed: the kernel starts a counter below zero, so that half of its range passes before
	 * it overflows. */
	return offset + (uint64_t)((int64_t)(counter << spare) >> spare);
}

int group_add(const struct perf_calls *calls, struct counter_group *group,
	struct perf_event_attr *attributes, int event)
{
	bool leader = group->count == 0;
	int descriptor;

	attributes->size = sizeof(*attributes);
	/* The other events start and stop with their leader. */
	attributes->disabled = leader;
	attributes->pinned = leader && group->pinned;
	attributes->exclude_kernel = 1;
	attributes->exclude_hv = 1;
	attributes->exclude_guest = 1; /* some drivers accept nothing else */
	attributes->read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	descriptor = calls->open(calls->context, attributes, leader ? -1 : group->descriptor[0]);
	if (descriptor < 0)
		return -descriptor;
	group->event[group->count] = event;
	group->descriptor[group->count] = descriptor;
	group->page[group->count] = calls->map(calls->context, descriptor);
	group->count++;
	return 0;
}

void group_drop(const struct perf_calls *calls, struct counter_group *group)
{
	int last = --group->count;

	if (group->page[last])
		calls->unmap(calls->context, group->page[last]);
	if (group->descriptor[last] >= 0)
		calls->close(calls->context, group->descriptor[last]);
	group->page[last] = NULL;
}

void group_close(const struct perf_calls *calls, struct counter_group *group)
{
	while (group->count > 0)
		group_drop(calls, group);
}

void group_leave(const struct perf_calls *calls, struct counter_group *group)
{
	for (int i = 0; i < group->count; i++) {
		if (group->descriptor[i] >= 0)
			calls->close(calls->context, group->descriptor[i]);
		group->descriptor[i] = -1;
		group->page[i] = NULL;
	}
}

bool group_start(const struct perf_calls *calls, const struct counter_group *group)
{
	return calls->control(calls->context, group->descriptor[0], PERF_EVENT_IOC_ENABLE);
}

void group_stop(const struct perf_calls *calls, const struct counter_group *group)
{
	calls->control(calls->context, group->descriptor[0], PERF_EVENT_IOC_DISABLE);
}

bool group_read(const struct perf_calls *calls, const struct counter_group *group,
	struct group_reading *reading)
{
	uint64_t buffer[3 + COUNTERS_MAX];
	size_t values = (size_t)group->count * sizeof(uint64_t),
	       size = 3 * sizeof(uint64_t) + values;

	if (calls->read(calls->context, group->descriptor[0], buffer, size) != (long)size ||
		buffer[0] != (uint64_t)group->count)
		return false;
	reading->enabled = buffer[1];
	reading->running = buffer[2];
	memcpy(reading->value, buffer + 3, values);
	return true;
}

/* The kernel changes a page only on the processor that runs this thread: a compiler barrier is
 * enough.
 */
static inline uint64_t page_read(const struct perf_calls *calls,
	const volatile struct perf_event_mmap_page *page, bool *counting)
{
	uint64_t value;
	uint32_t sequence, index;

	do {
		sequence = page->lock;
		atomic_signal_fence(memory_order_seq_cst);
		index = page->index;
		value = page->offset;
		/* Without an index the event has no counter now, and offset is its value. */
		if (index)
			value = group_extend(
				value, calls->counter(calls->context, index - 1), page->pmc_width);
		atomic_signal_fence(memory_order_seq_cst);
	} while (page->lock != sequence);
	*counting = index != 0;
	return value;
}

bool group_values(const struct perf_calls *calls, const struct counter_group *group,
	uint64_t value[COUNTERS_MAX])
{
	struct group_reading reading;
	bool counting = true, all = true;

	clock_fence();
	if (group->direct) {
		for (int i = 0; i < group->count; i++) {
			value[i] = page_read(calls, group->page[i], &counting);
			all = all && counting;
		}
		clock_fence();
		return all;
	}
	if (!group_read(calls, group, &reading))
		return false;
	memcpy(value, reading.value, (size_t)group->count * sizeof(*value));
	clock_fence();
	return true;
}

bool group_first(const struct perf_calls *calls, const struct counter_group *group, uint64_t *value)
{
	struct group_reading reading;
	bool counting = true;

	if (group->direct) {
		*value = page_read(calls, group->page[0], &counting);
		return counting;
	}
	if (!group_read(calls, group, &reading))
		return false;
	*value = reading.value[0];
	return true;
}

/* Whether instructions read the same values as read(2), of a group that counts. */
static bool reads_directly(const struct perf_calls *calls, const struct counter_group *group)
{
	struct group_reading middle;
	uint64_t before[COUNTERS_MAX], after[COUNTERS_MAX];
	bool counting = true;

	for (int i = 0; i < group->count; i++) {
		const volatile struct perf_event_mmap_page *page = group->page[i];

		if (!page || !page->cap_user_rdpmc || page->index == 0)
			return false;
		before[i] = page_read(calls, group->page[i], &counting);
	}
	if (!group_read(calls, group, &middle))
		return false;
	for (int i = 0; i < group->count; i++) {
		after[i] = page_read(calls, group->page[i], &counting);
		if (!counting || middle.value[i] - before[i] > after[i] - before[i])
			return false;
	}
	return true;
}

bool group_try(
	const struct perf_calls *calls, struct counter_group *group, bool moved[COUNTERS_MAX])
{
	struct group_reading before, after;
	bool ran;

	group->direct = false;
	ran = group_start(calls, group) && group_read(calls, group, &before);
	if (ran) {
		calls->stimulate(calls->context);
		group->direct = reads_directly(calls, group);
		ran = group_read(calls, group, &after) && after.running > before.running;
	}
	group_stop(calls, group);
	for (int i = 0; i < group->count; i++)
		moved[i] = ran && after.value[i] != before.value[i];
	return ran;
}
