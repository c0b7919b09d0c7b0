/* From the names of a plan to groups of open events. passes.c reads them. */
#include "engine/counters/counting.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* After so many requests, events whose counters others held are tried again. */
enum { USES_AGAIN = 64 };

/* Where a generic event's config names the PMU. */
enum { TYPE_SHIFT = 32 };

static bool is_generic(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

bool counting_is_hardware(const struct counter_code *code)
{
	return code->type != PERF_TYPE_SOFTWARE;
}

/* The architecture's number of a generic event, as the kernel's own table has it
 * (drivers/perf/arm_pmuv3.c); -1: none. */
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

/* ---- opening one event ---- */

/* Opens an event as the group's next, in the form that this machine wants. 0 or an errno. */
static int open_event(struct counting *counting, struct counter_group *group, int event)
{
	const struct counter_code *code = &counting->event[event].code;
	const struct pmu *pmu = &counting->pmu;
	struct perf_event_attr plain = { .type = code->type,
		.config = code->config,
		.config1 = code->config1,
		.config2 = code->config2 };
	struct perf_event_attr attributes;
	int error;

	if (plain.type == PERF_TYPE_RAW)
		plain.type = pmu->type;
	else if (is_generic(plain.type) && pmu->extended)
		plain.config |= (uint64_t)pmu->type << TYPE_SHIFT;
	attributes = plain;
	if (counting_is_hardware(code))
		attributes.config1 |= pmu->user_read;
	error = group_add(counting->calls, group, &attributes, event);
	/* Not every event can be read in user space. */
	if ((error == EINVAL || error == EOPNOTSUPP) && attributes.config1 != plain.config1) {
		attributes = plain;
		error = group_add(counting->calls, group, &attributes, event);
	}
	/* Kernels before 6.8 know of no PMU in the config of generic events on Arm. */
	if ((error == EINVAL || error == ENOENT || error == EOPNOTSUPP) && pmu->arm &&
		pmu->extended && code->type == PERF_TYPE_HARDWARE &&
		arm_number(code->config) >= 0) {
		attributes = (struct perf_event_attr){ .type = pmu->type,
			.config = (uint64_t)arm_number(code->config),
			.config1 = pmu->user_read };
		error = group_add(counting->calls, group, &attributes, event);
	}
	return error;
}

/* ---- what there is at all ---- */

/* No event is to blame: there is nothing to count with. */
static bool no_counters(const struct counting *counting)
{
	return counting->pmu.name[0] == '\0' &&
	       (counting->none == ENOENT || counting->none == EOPNOTSUPP ||
		       counting->none == ENODEV);
}

static void say_why(struct counting *counting)
{
	const struct pmu *pmu = &counting->pmu;
	char *why = counting->why;
	const size_t size = sizeof(counting->why);

	switch (counting->none) {
	case EACCES:
	case EPERM:
		if (pmu->paranoid > 2)
			snprintf(why, size,
				"the kernel allows no counters: kernel.perf_event_paranoid is %d, "
				"and must be 2 or less",
				pmu->paranoid);
		else
			snprintf(why, size,
				"the system forbids perf_event_open (a container's rules, or a "
				"security module)");
		break;
	case ENOSYS: snprintf(why, size, "this kernel has no perf_event_open"); break;
	default:
		if (!no_counters(counting))
			snprintf(why, size, "the kernel refuses to count core cycles: %s",
				strerror(counting->none));
		else if (pmu->guest == 1)
			snprintf(why, size,
				"this virtual machine has no performance counters: its host does "
				"not pass them on");
		else
			snprintf(why, size,
				"the kernel finds no performance counters in this processor");
	}
}

/* One attempt tells whether there is anything to be had. */
static void probe(struct counting *counting)
{
	struct counter_group group = { .pinned = true };
	struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES };
	int error;

	counting->probed = true;
	pmu_find(&counting->pmu, counting->root, counting->cpu);
	if (counting->pmu.extended)
		cycles.config |= (uint64_t)counting->pmu.type << TYPE_SHIFT;
	error = group_add(counting->calls, &group, &cycles, 0);
	group_close(counting->calls, &group);
	if (error == 0)
		return;
	/* Where there is a PMU its own events may do what the generic one does not. */
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

		/* Without counters only what the kernel counts itself is worth asking libpfm about:
		 * "perf::" something, or a name alone. */
		if (counting->none && ((colons && strncasecmp(name, "perf::", 6) != 0) ||
					      strncasecmp(colons ? colons + 2 : name,
						      "PERF_COUNT_HW", 13) == 0)) {
			event->state = COUNT_REFUSED;
			event->error = error;
			continue;
		}
		status = counters_code(name, &event->code);
		if (!status_is_ok(&status)) {
			event->state = COUNT_UNNAMED;
		} else if (counting->none &&
			   (counting_is_hardware(&event->code) || counting->none != ENOENT)) {
			event->state = COUNT_REFUSED;
			event->error = error;
		}
	}
}

/* ---- groups ---- */

/* Takes into an empty group all that the kernel lets in of those waiting; those stay that do not
 * fit. Who is not even let in as the first is refused. */
static void fill(struct counting *counting, struct counter_group *group, int *queue, int *waiting)
{
	int left = 0;

	for (int i = 0; i < *waiting; i++) {
		int event = queue[i], error;
		bool hardware = counting_is_hardware(&counting->event[event].code);

		if (group->count > 0 &&
			(group->count >= counting->most ||
				hardware != counting_is_hardware(
						    &counting->event[group->event[0]].code))) {
			queue[left++] = event;
			continue;
		}
		error = open_event(counting, group, event);
		if (error == 0)
			continue;
		if (group->count > 0) {
			queue[left++] = event;
			continue;
		}
		counting->event[event].state = COUNT_REFUSED;
		counting->event[event].error = error;
	}
	*waiting = left;
}

static bool try_group(struct counting *counting, struct counter_group *group)
{
	bool moved[COUNTERS_MAX];

	if (!group_try(counting->calls, group, moved))
		return false;
	for (int i = 0; i < group->count; i++)
		if (moved[i])
			counting->event[group->event[i]].moved = true;
	return true;
}

/* Makes it smaller until it runs: the kernel lets in what would fit empty counters, but the NMI
 * watchdog or a profiler may hold some. What had to leave waits for the next group. A single event
 * that never runs is tried as one that others may push aside for a while. */
static void shrink(struct counting *counting, struct counter_group *group, int *queue, int *waiting)
{
	while (group->count > 0 && !try_group(counting, group)) {
		int event = group->event[group->count - 1];

		if (group->count > 1) {
			group_drop(counting->calls, group);
			counting->most = group->count;
			queue[(*waiting)++] = event;
			continue;
		}
		group_close(counting->calls, group);
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

		*group = (struct counter_group){ .pinned = true };
		fill(counting, group, queue, &waiting);
		shrink(counting, group, queue, &waiting);
		/* One that does not run even alone (on the only counter for it, say) tells nothing
		 * of how many others run together; several such do: others hold them all. */
		if ((group->count == 0 || !group->pinned) && chances-- > 0)
			counting->most = most;
		if (group->count > 0)
			counting->group_count++;
	}
}

/* The clock of trials is open apart from the groups: it runs while they do not. Only a pinned one,
 * whose every cycle is counted, will do. */
static void open_clock(struct counting *counting)
{
	int cycles = counting->plan.cycles;
	bool moved[COUNTERS_MAX] = { false };

	counting->clock = (struct counter_group){ .pinned = true };
	if (cycles < 0 || cycles >= counting->plan.count ||
		counting->event[cycles].state != COUNT_NONE)
		return;
	if (open_event(counting, &counting->clock, cycles) != 0)
		return;
	if (!group_try(counting->calls, &counting->clock, moved) || !moved[0])
		group_close(counting->calls, &counting->clock);
}

void counting_start_clock(struct counting *counting)
{
	struct group_reading reading;

	counting->clock_runs = counting->clock.count > 0 &&
			       group_start(counting->calls, &counting->clock) &&
			       group_read(counting->calls, &counting->clock, &reading);
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
		group_close(counting->calls, &counting->group[i]);
	counting->group_count = 0;
	group_close(counting->calls, &counting->clock);
	counting->clock_runs = false;
	counting->open = 0;
}

/* ---- in a child ---- */

/* Opens the group's events anew; whether all could be. */
static bool open_again(struct counting *counting, struct counter_group *group, int *error)
{
	struct counter_group before = *group;

	*group = (struct counter_group){ .pinned = before.pinned, .direct = before.direct };
	for (int i = 0; i < before.count; i++) {
		*error = open_event(counting, group, before.event[i]);
		if (*error == 0 && (!group->direct || group->page[i]))
			continue;
		if (*error == 0)
			group->direct = false;
		else
			return false;
	}
	return true;
}

void counting_use_in_child(struct counting *counting)
{
	int error;

	if (counting->open == 0)
		return;
	/* All of the parent's first: its descriptors take up room. */
	group_leave(counting->calls, &counting->clock);
	for (int i = 0; i < counting->group_count; i++)
		group_leave(counting->calls, &counting->group[i]);
	if (!open_again(counting, &counting->clock, &error))
		group_close(counting->calls, &counting->clock);
	for (int i = 0; i < counting->group_count; i++) {
		struct counter_group *group = &counting->group[i];
		struct counter_group wanted = *group;

		if (open_again(counting, group, &error))
			continue;
		group_close(counting->calls, group);
		for (int k = 0; k < wanted.count; k++) {
			counting->event[wanted.event[k]].state = COUNT_REFUSED;
			counting->event[wanted.event[k]].error = error;
		}
	}
	counting_start_clock(counting);
}
/* ---- plans */

struct counting *counting_new_with(int cpu, const char *root, const struct perf_calls *calls)
{
	struct counting *counting = memory_new(1, sizeof(*counting));

	counting->calls = calls;
	counting->cpu = cpu;
	counting->root = root;
	return counting;
}

struct counting *counting_new(int cpu, const char *root)
{
	return counting_new_with(cpu, root, &perf_calls_linux);
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
	/* Such a one ran by turns only. */
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
	/* What pushed the clock out may be gone, and what held counters back. */
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

	if (!group_first(counting->calls, &counting->clock, &value))
		counting->clock_runs = false;
	return value;
}
