#include "engine/counters/counting.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* Number of requests after which an event is tried again if another program held its counter. */
enum { USES_AGAIN = 64 };

/* Number of the bit in a generic event's config at which the PMU type begins. */
enum { TYPE_SHIFT = 32 };

static bool is_generic(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

bool counting_is_hardware(const struct counting *counting, int event)
{
	return counting->event[event].code.type != PERF_TYPE_SOFTWARE;
}

/* Returns the Arm architecture's number of a generic event, from the kernel's table
 * (drivers/perf/arm_pmuv3.c). The result is -1 if Arm has no number for the generic event. */
static int arm_number(uint64_t generic)
{
	static const int numbers[] = {
		[PERF_COUNT_HW_CPU_CYCLES] = 0x11,
		[PERF_COUNT_HW_INSTRUCTIONS] = 0x08,
		[PERF_COUNT_HW_CACHE_REFERENCES] = 0x04,
		[PERF_COUNT_HW_CACHE_MISSES] = 0x03,
		[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x0c,
		[PERF_COUNT_HW_BRANCH_MISSES] = 0x10,
		[PERF_COUNT_HW_BUS_CYCLES] = 0x1d,
		[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x23,
		[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x24,
	};

	return generic < sizeof(numbers) / sizeof(numbers[0]) ? numbers[generic] : -1;
}

static void refuse(struct counting *counting, int event, int error)
{
	counting->event[event].state = COUNT_REFUSED;
	counting->event[event].error = error;
}

/* ---- opening one event ---- */

/* Opens a hardware event and adds it to the group, in the form that this machine needs. Returns 0
 * or an errno. */
static int open_event(struct counting *counting, struct counter_group *group, int event)
{
	const struct counter_code *code = &counting->event[event].code;
	const struct pmu *pmu = &counting->pmu;
	struct perf_event_attr plain = { .type = code->type,
		.config = code->config,
		.config1 = code->config1,
		.config2 = code->config2 };
	uint64_t config1 = plain.config1;
	int error;

	if (plain.type == PERF_TYPE_RAW)
		plain.type = pmu->type;
	else if (is_generic(plain.type) && pmu->extended)
		plain.config |= (uint64_t)pmu->type << TYPE_SHIFT;
	if (counting_is_hardware(counting, event))
		plain.config1 |= pmu->user_read;
	error = group_add(group, plain, event);
	/* Some events cannot be read in user space: try to open the event without the bits that
	 * request it. */
	if ((error == EINVAL || error == EOPNOTSUPP) && config1 != plain.config1) {
		plain.config1 = config1;
		error = group_add(group, plain, event);
	}
	/* On Arm, kernels before 6.8 do not accept a PMU type in a generic event's config. */
	if ((error == EINVAL || error == ENOENT || error == EOPNOTSUPP) && pmu->arm &&
		pmu->extended && code->type == PERF_TYPE_HARDWARE && arm_number(code->config) >= 0)
		error = group_add(group,
			(struct perf_event_attr){ .type = pmu->type,
				.config = (uint64_t)arm_number(code->config),
				.config1 = pmu->user_read },
			event);
	return error;
}

/* ---- available counters ---- */

/* Whether this machine has no hardware counters at all. */
static bool no_counters(const struct counting *counting)
{
	return counting->pmu.name[0] == '\0' &&
	       (counting->none == ENOENT || counting->none == EOPNOTSUPP ||
		       counting->none == ENODEV);
}

static void say_why(struct counting *counting)
{
	const struct pmu *pmu = &counting->pmu;
	int error = counting->none;
	const char *why =
		!no_counters(counting)
			? error == ENOSYS ? "this kernel has no perf_event_open"
					  : "the system forbids perf_event_open (a container's "
					    "rules, or a security module)"
		: pmu->guest == 1 ? "this virtual machine has no performance counters: its host "
				    "does not pass them on"
				  : "the kernel finds no performance counters in this processor";
	bool forbidden = error == EACCES || error == EPERM;

	if (forbidden && pmu->paranoid > 2)
		snprintf(counting->why, sizeof(counting->why),
			"the kernel allows no counters: kernel.perf_event_paranoid is %d, and must "
			"be 2 or less",
			pmu->paranoid);
	else if (forbidden || error == ENOSYS || no_counters(counting))
		snprintf(counting->why, sizeof(counting->why), "%s", why);
	else
		snprintf(counting->why, sizeof(counting->why),
			"the kernel refuses to count core cycles: %s", strerror(error));
}

/* Finds out whether counters are available: opens one event for core cycles. */
static void probe(struct counting *counting)
{
	struct counter_group group = { .calls = counting->calls, .pinned = true };
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES };
	int error;

	counting->probed = true;
	pmu_find(&counting->pmu, counting->root, counting->cpu);
	if (counting->pmu.extended)
		cycles.config |= (uint64_t)counting->pmu.type << TYPE_SHIFT;
	error = group_add(&group, cycles, 0);
	group_close(&group);
	if (error == 0)
		return;
	/* The PMU exists: the PMU's own events may work although the generic event does not. */
	if (counting->pmu.name[0] != '\0' && error != EACCES && error != EPERM && error != ENOSYS)
		return;
	counting->none = error;
	say_why(counting);
}

/* ---- names ---- */

static void name_events(struct counting *counting, const struct counter_plan *plan)
{
	int error;

	if (!counting->probed)
		probe(counting);
	counting->plan = *plan;
	memset(counting->event, 0, sizeof(counting->event));
	error = no_counters(counting) ? ENODEV : counting->none;
	for (int i = 0; i < plan->count; i++) {
		struct counting_event *event = &counting->event[i];
		const char *name = plan->event[i].name, *colons = strstr(name, "::");
		struct status status;

		/* Without hardware counters only software events can work: "perf::" names, or names
		 * without "::". Without hardware counters, do not ask libpfm for the names of
		 * hardware events. */
		if (counting->none && ((colons && strncasecmp(name, "perf::", 6) != 0) ||
					      strncasecmp(colons ? colons + 2 : name,
						      "PERF_COUNT_HW", 13) == 0)) {
			refuse(counting, i, error);
			continue;
		}
		status = counters_encode(name, &event->code);
		if (!status_is_ok(&status))
			event->state = COUNT_UNNAMED;
		else if (counting->none &&
			 (counting_is_hardware(counting, i) || counting->none != ENOENT))
			refuse(counting, i, error);
	}
}

/* ---- groups ---- */

/* Fills an empty group with the plan's waiting events that the Linux kernel accepts. All other
 * events keep waiting. An event that the kernel does not accept in an empty group is marked as
 * refused. */
static void fill(struct counting *counting, struct counter_group *group, int *queue, int *waiting)
{
	int left = 0;

	for (int i = 0; i < *waiting; i++) {
		int event = queue[i], error = ENOSPC;
		bool first = group->count == 0;

		if (first || (group->count < counting->most &&
				     counting_is_hardware(counting, event) ==
					     counting_is_hardware(counting, group->event[0])))
			error = open_event(counting, group, event);
		if (error != 0 && first)
			refuse(counting, event, error);
		else if (error != 0)
			queue[left++] = event;
	}
	*waiting = left;
}

static bool try_group(struct counting *counting, struct counter_group *group)
{
	bool moved[COUNTERS_MAX];

	if (!group_try(group, moved))
		return false;
	for (int i = 0; i < group->count; i++)
		if (moved[i])
			counting->event[group->event[i]].moved = true;
	return true;
}

/* Removes events from a group until the rest of the group can be counted. The kernel accepts a
 * group that fits all counters, but the NMI watchdog or a profiler may hold some counters. Events
 * removed from a group wait for the next group of events. A single event that does not run is tried
 * again unpinned; an unpinned event shares a counter by turns. */
static void shrink(struct counting *counting, struct counter_group *group, int *queue, int *waiting)
{
	while (group->count > 0 && !try_group(counting, group)) {
		int event = group->event[group->count - 1];

		if (group->count > 1) {
			group_drop(group);
			counting->most = group->count;
			queue[(*waiting)++] = event;
			continue;
		}
		group_close(group);
		if (group->pinned) {
			group->pinned = false;
			if (open_event(counting, group, event) == 0)
				continue;
		}
		counting->event[event].state = COUNT_HELD;
	}
}

static void open_groups(struct counting *counting)
{
	int queue[COUNTERS_MAX], waiting = 0, chances = 2;

	for (int i = 0; i < counting->plan.count; i++)
		if (counting->event[i].state == COUNT_NONE)
			queue[waiting++] = i;
	while (waiting > 0) {
		struct counter_group *group = &counting->group[counting->group_count];
		int most = counting->most;

		*group = (struct counter_group){ .calls = counting->calls, .pinned = true };
		fill(counting, group, queue, &waiting);
		shrink(counting, group, queue, &waiting);
		/* An event that does not run even alone may need one special counter. An event that
		 * needs a special counter does not show how many other events can run together, so
		 * restore the maximum. Restore the maximum size of an event group twice at most:
		 * after that, other programs probably hold all counters. */
		if ((group->count == 0 || !group->pinned) && chances-- > 0)
			counting->most = most;
		if (group->count > 0)
			counting->group_count++;
	}
}

/* The cycle counter that times the trials is separate from the event groups: it runs while the
 * groups are stopped. The cycle counter that times the trials must be pinned, so that it counts
 * every cycle. */
static void open_clock(struct counting *counting)
{
	int cycles = counting->plan.cycles;
	bool moved[COUNTERS_MAX] = { false };

	counting->clock = (struct counter_group){ .calls = counting->calls, .pinned = true };
	if (cycles < 0 || cycles >= counting->plan.count ||
		counting->event[cycles].state != COUNT_NONE ||
		open_event(counting, &counting->clock, cycles) != 0)
		return;
	if (!group_try(&counting->clock, moved) || !moved[0])
		group_close(&counting->clock);
}

void counting_start_clock(struct counting *counting)
{
	struct group_reading reading;

	counting->clock_runs = counting->clock.count > 0 && group_start(&counting->clock) &&
			       group_read(&counting->clock, &reading);
}

static void open_plan(struct counting *counting)
{
	counting->open = counting->plan.id;
	counting->most = COUNTERS_MAX;
	counting->uses = 0;
	counting->first = 0;
	open_clock(counting);
	open_groups(counting);
	counting_start_clock(counting);
}

static void close_plan(struct counting *counting)
{
	for (int i = 0; i < counting->group_count; i++)
		group_close(&counting->group[i]);
	counting->group_count = 0;
	group_close(&counting->clock);
	counting->clock_runs = false;
	counting->open = 0;
}

/* ---- in a child ---- */

/* Opens the group's events again. Returns 0, or the errno of an event of the group that could not
 * be opened. */
static int open_again(struct counting *counting, struct counter_group *group)
{
	int wanted = group->count, error = 0;

	for (group->count = 0; group->count < wanted && error == 0;) {
		error = open_event(counting, group, group->event[group->count]);
		if (error == 0 && !group->page[group->count - 1])
			group->direct = false;
	}
	return error;
}

void counting_use_in_child(struct counting *counting)
{
	if (counting->open == 0)
		return;
	/* First close all descriptors of the parent's counter events, because they count against
	 * the limit of open files. */
	group_leave(&counting->clock);
	for (int i = 0; i < counting->group_count; i++)
		group_leave(&counting->group[i]);
	if (open_again(counting, &counting->clock) != 0)
		group_close(&counting->clock);
	for (int i = 0; i < counting->group_count; i++) {
		struct counter_group *group = &counting->group[i], wanted = *group;
		int error = open_again(counting, group);

		if (error == 0)
			continue;
		group_close(group);
		for (int k = 0; k < wanted.count; k++)
			refuse(counting, wanted.event[k], error);
	}
	counting_start_clock(counting);
}

/* ---- creating and freeing ---- */

struct counting *counting_new(int cpu, const char *root, const struct perf_calls *calls)
{
	struct counting *counting = memory_new(1, sizeof(*counting));

	counting->calls = calls;
	counting->cpu = cpu;
	counting->root = root;
	return counting;
}

void counting_free(struct counting *counting)
{
	if (!counting)
		return;
	close_plan(counting);
	free(counting);
}

/* ---- plans ---- */

static bool some_held(const struct counting *counting)
{
	for (int i = 0; i < counting->plan.count; i++)
		if (counting->event[i].state == COUNT_HELD)
			return true;
	/* An unpinned group shares its counter, so another program holds counters. */
	for (int i = 0; i < counting->group_count; i++)
		if (!counting->group[i].pinned)
			return true;
	return counting->plan.cycles >= 0 && counting->clock.count > 0 && !counting->clock_runs;
}

void counting_use(struct counting *counting, const struct counter_plan *plan)
{
	if (plan->id == 0)
		return;
	if (plan->id != counting->open) {
		close_plan(counting);
		name_events(counting, plan);
		open_plan(counting);
		return;
	}
	/* The program that took the clock's counter may have ended: try to start the clock again.
	 */
	if (!counting->clock_runs && counting->clock.count > 0)
		counting_start_clock(counting);
	if (!some_held(counting) || ++counting->uses < USES_AGAIN)
		return;
	close_plan(counting);
	for (int i = 0; i < counting->plan.count; i++)
		if (counting->event[i].state == COUNT_HELD)
			counting->event[i].state = COUNT_NONE;
	open_plan(counting);
}

void counting_learn(struct counting *counting, const struct counts *counts)
{
	if (counts->id == 0 || counts->id != counting->open)
		return;
	if (counts->next >= 0 && counts->next < counting->group_count)
		counting->first = counts->next;
	for (int i = 0; i < counts->count && i < counting->plan.count; i++)
		if (count_known(&counts->event[i]) && counts->event[i].hi > 0)
			counting->event[i].moved = true;
}

/* ---- the clock of trials ---- */

bool counting_cycles(const struct counting *counting)
{
	return counting->clock_runs;
}

uint64_t counting_read_cycles(struct counting *counting)
{
	uint64_t value = 0;

	if (!group_first(&counting->clock, &value))
		counting->clock_runs = false;
	return value;
}
