#include "engine/counters/counting.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/stats.h"
#include "base/text.h"
#include "engine/clock/clock.h"
#include "engine/measure/measure.h"

/* After so many requests, events whose counters others held are tried again. */
enum { USES_AGAIN = 64 };

/* Where a generic event's config names the PMU. */
enum { TYPE_SHIFT = 32 };

static bool is_generic(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

static bool is_hardware(const struct counting *counting, int event)
{
	return counting->event[event].code.type != PERF_TYPE_SOFTWARE;
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

static void refuse(struct counting *counting, int event, int error)
{
	counting->event[event].state = COUNT_REFUSED;
	counting->event[event].error = error;
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
	uint64_t config1 = plain.config1;
	int error;

	if (plain.type == PERF_TYPE_RAW)
		plain.type = pmu->type;
	else if (is_generic(plain.type) && pmu->extended)
		plain.config |= (uint64_t)pmu->type << TYPE_SHIFT;
	if (is_hardware(counting, event))
		plain.config1 |= pmu->user_read;
	error = group_add(group, plain, event);
	/* Not every event can be read in user space. */
	if ((error == EINVAL || error == EOPNOTSUPP) && config1 != plain.config1) {
		plain.config1 = config1;
		error = group_add(group, plain, event);
	}
	/* Kernels before 6.8 know of no PMU in the config of generic events on Arm. */
	if ((error == EINVAL || error == ENOENT || error == EOPNOTSUPP) && pmu->arm &&
		pmu->extended && code->type == PERF_TYPE_HARDWARE && arm_number(code->config) >= 0)
		error = group_add(group,
			(struct perf_event_attr){ .type = pmu->type,
				.config = (uint64_t)arm_number(code->config),
				.config1 = pmu->user_read },
			event);
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
	int error = counting->none;
	const char *why = no_counters(counting) && pmu->guest == 1
				  ? "this virtual machine has no performance counters: its host "
				    "does not pass them on"
			  : no_counters(counting)
				  ? "the kernel finds no performance counters in this processor"
			  : error == ENOSYS ? "this kernel has no perf_event_open"
					    : "the system forbids perf_event_open (a container's "
					      "rules, or a security module)";
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

/* One attempt finds out whether counters are available. */
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
			refuse(counting, i, error);
			continue;
		}
		status = counters_encode(name, &event->code);
		if (!status_is_ok(&status))
			event->state = COUNT_UNNAMED;
		else if (counting->none && (is_hardware(counting, i) || counting->none != ENOENT))
			refuse(counting, i, error);
	}
}

/* ---- groups ---- */

/* Takes into an empty group all that the kernel lets in of those waiting; those stay that do not
 * fit. Who is not even let in as the first is refused. */
static void fill(struct counting *counting, struct counter_group *group, int *queue, int *waiting)
{
	int left = 0;

	for (int i = 0; i < *waiting; i++) {
		int event = queue[i], error = ENOSPC;
		bool first = group->count == 0;

		if (first || (group->count < counting->most &&
				     is_hardware(counting, event) ==
					     is_hardware(counting, group->event[0])))
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

/* Makes it smaller until it runs: the kernel lets in what would fit empty counters, but the NMI
 * watchdog or a profiler may hold some. What had to leave waits for the next group. A single event
 * that never runs is tried as one that others may push aside for a while. */
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

	counting->clock = (struct counter_group){ .calls = counting->calls, .pinned = true };
	if (cycles < 0 || cycles >= counting->plan.count ||
		counting->event[cycles].state != COUNT_NONE)
		return;
	if (open_event(counting, &counting->clock, cycles) != 0)
		return;
	if (!group_try(&counting->clock, moved) || !moved[0])
		group_close(&counting->clock);
}

static void start_clock(struct counting *counting)
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
	start_clock(counting);
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

/* Opens the group's events again; returns whether all could be opened. */
static bool open_again(struct counting *counting, struct counter_group *group, int *error)
{
	int wanted = group->count;

	*error = 0;
	for (group->count = 0; group->count < wanted && *error == 0;) {
		*error = open_event(counting, group, group->event[group->count]);
		if (*error == 0 && !group->page[group->count - 1])
			group->direct = false;
	}
	return *error == 0;
}

void counting_use_in_child(struct counting *counting)
{
	int error;

	if (counting->open == 0)
		return;
	/* All of the parent's first: its descriptors take up room. */
	group_leave(&counting->clock);
	for (int i = 0; i < counting->group_count; i++)
		group_leave(&counting->group[i]);
	if (!open_again(counting, &counting->clock, &error))
		group_close(&counting->clock);
	for (int i = 0; i < counting->group_count; i++) {
		struct counter_group *group = &counting->group[i];
		struct counter_group wanted = *group;

		if (open_again(counting, group, &error))
			continue;
		group_close(group);
		for (int k = 0; k < wanted.count; k++)
			refuse(counting, wanted.event[k], error);
	}
	start_clock(counting);
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
		start_clock(counting);
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

/* ---- passes: each group is counted over the same steady loop ---- */

/* The most passes over a group. */
enum { PASSES_MOST = 32 };

/* Seconds. A round of passes, one for each group, is not begun later than this; and where one pass
 * takes long, as of a loop that runs for seconds, what is left of the first round waits for the
 * next request, which begins there. */
static const double rounds_until = 0.15, round_until = 2;

/* Less than this share of the time is a turn with others. */
static const double whole_time = 0.995;

/* What the passes of one group gave. */
struct passes {
	unsigned tried, made;
	uint64_t enabled, running;
	double slope[COUNTERS_MAX][PASSES_MOST]; /* per element; by the group's order */
};

/* What rises over one region. One function for both lengths, never inlined: what reading takes is
 * then the same to the instruction, and cancels. */
static __attribute__((noinline)) bool count_region(const struct counter_group *group,
	struct measure *measure, uint64_t elements, uint64_t rise[COUNTERS_MAX])
{
	uint64_t begin[COUNTERS_MAX], end[COUNTERS_MAX];
	bool good = group_values(group, begin);

	measure_region(measure, elements);
	good = group_values(group, end) && good;
	/* Differences are right even where a counter passes the end of 64 bits. */
	for (int i = 0; i < group->count; i++)
		rise[i] = end[i] - begin[i];
	return good;
}

/* One pass of one group. */
static void pass(struct counting *counting, const struct counter_group *group,
	struct measure *measure, struct passes *passes)
{
	const struct stretch *stretch = &measure->count;
	double elements = (double)stretch->calls * (double)(stretch->whole - stretch->half);
	uint64_t less[COUNTERS_MAX], more[COUNTERS_MAX];
	struct group_reading before, after;
	double share = 1;
	bool good;

	passes->tried++;
	good = group_start(group) && group_read(group, &before);
	if (good) {
		if (measure->rewind)
			measure_region(measure, stretch->half);
		good = count_region(group, measure, stretch->half, less);
		good = count_region(group, measure, stretch->whole, more) && good;
		good = group_read(group, &after) && good;
	}
	group_stop(group);
	if (!good)
		return;
	if (after.enabled > before.enabled)
		share = (double)(after.running - before.running) /
			(double)(after.enabled - before.enabled);
	passes->enabled += after.enabled - before.enabled;
	passes->running += after.running - before.running;
	if (share <= 0)
		return;
	for (int i = 0; i < group->count; i++) {
		passes->slope[i][passes->made] =
			((double)more[i] - (double)less[i]) / elements / share;
		if (less[i] > 0 || more[i] > 0)
			counting->event[group->event[i]].moved = true;
	}
	passes->made++;
}

static void summarise(const struct counting *counting, const struct counter_group *group,
	struct passes *passes, struct counts *counts)
{
	double share = passes->enabled > 0 ? (double)passes->running / (double)passes->enabled : 1;

	for (int i = 0; i < group->count; i++) {
		int index = group->event[i];
		struct count *count = &counts->event[index];
		double *slope = passes->slope[i];

		count->passes = passes->made;
		count->share = (float)share;
		if (passes->made == 0) {
			if (passes->tried > 0)
				count->state = COUNT_HELD;
			continue;
		}
		stats_sort(slope, passes->made);
		/* Below zero lies nothing that can be counted: noise about zero. */
		count->value = fmax(0, stats_quantile(slope, passes->made, 0.5));
		count->lo = fmax(0, stats_quantile(slope, passes->made, 0.25));
		count->hi = fmax(0, stats_quantile(slope, passes->made, 0.75));
		if (!counting->event[index].moved ||
			(counting->plan.event[index].must && count->value <= 0))
			count->state = COUNT_SILENT;
		else
			count->state = share < whole_time ? COUNT_SCALED : COUNT_KNOWN;
	}
}

/* Where nothing is known: one line that says why. */
static void say_nothing_known(const struct counting *counting, struct counts *counts)
{
	char words[120];

	for (int i = 0; i < counts->count; i++)
		if (count_known(&counts->event[i]) || counts->event[i].state == COUNT_NONE)
			return;
	if (counting->none) {
		snprintf(counts->why, sizeof(counts->why), "%s", counting->why);
		counts->count = 0;
	} else if (counts->count > 0) {
		count_words(&counts->event[0], words, sizeof(words));
		snprintf(counts->why, sizeof(counts->why),
			"none of these events can be counted: %s", words);
	}
}

void counting_measure(struct counting *counting, struct measure *measure, unsigned passes,
	const atomic_bool *cancel, struct counts *counts)
{
	struct passes *made;
	int hardware = 0;
	double begin = clock_seconds();

	*counts = (struct counts){ .id = counting->open };
	if (counting->open == 0)
		return;
	counts->count = counting->plan.count;
	counts->groups = counting->group_count;
	snprintf(counts->pmu, sizeof(counts->pmu), "%s", counting->pmu.name);
	for (int i = 0; i < counts->count; i++) {
		counts->event[i].state = counting->event[i].state;
		counts->event[i].error = counting->event[i].error;
	}
	made = memory_new((size_t)counting->group_count, sizeof(*made));
	if (counting->group_count > 0 && counting->clock.count > 0)
		group_stop(&counting->clock);
	for (unsigned round = 0; round < passes && round < PASSES_MOST &&
				 (round == 0 || clock_seconds() - begin <= rounds_until);
		round++) {
		for (int i = 0; i < counting->group_count && !atomic_load(cancel); i++) {
			int group = (counting->first + i) % counting->group_count;

			if (clock_seconds() - begin > round_until) {
				counting->first = group;
				break;
			}
			pass(counting, &counting->group[group], measure, &made[group]);
		}
	}
	for (int i = 0; i < counting->group_count; i++) {
		const struct counter_group *group = &counting->group[i];

		summarise(counting, group, &made[i], counts);
		/* What the kernel counts itself is in no register. */
		if (is_hardware(counting, group->event[0])) {
			counts->direct = group->direct && (counts->direct || hardware == 0);
			hardware++;
		}
	}
	counts->next = counting->first;
	free(made);
	if (counting->group_count > 0)
		start_clock(counting);
	say_nothing_known(counting, counts);
}
