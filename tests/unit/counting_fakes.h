/* A kernel and a processor with counters, made up for tests: what runs is told to it (fake_run()),
 * and every count follows. Include in one source file of a test. */
#pragma once

#include "check.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "engine/counters/counter_group.h"

enum { PMU_EVENTS = 64, PMU_OPEN = 512, PMU_BASE = 100 };

/* An event that the processor knows. */
struct pmu_event {
	uint32_t type;
	uint64_t config;
	double each;	   /* counts per element */
	uint64_t call;	   /* and per call */
	uint64_t stimulus; /* and under the stimulus */
	int error;	   /* refused with this */
	bool bound; /* to one counter, which others hold: it opens, and no group with it ever runs
		     */
};

struct pmu_open {
	bool used;
	struct perf_event_attr attributes;
	int leader; /* its own number: it is one */
	bool enabled, pushed_out;
	uint64_t slot; /* of the counter it stands on, from 0 */
	uint64_t value, on, running;
	struct perf_event_mmap_page page;
};

struct pmu_fake {
	int counters;  /* programmable ones */
	int held;      /* of them, by others */
	bool turns;    /* others let go every other time: what is not pinned then runs */
	bool readable; /* by an instruction */
	bool unmappable;
	uint64_t start; /* where counters begin */
	unsigned width;
	uint64_t wanted_config1; /* bits that user-space reading is asked for with; refused on
				    events that cannot */
	bool (*reads_in_user)(const struct pmu_event *event);
	struct pmu_event event[PMU_EVENTS];
	int events;

	struct pmu_open open[PMU_OPEN];
	int next;
	unsigned opens, closes, reads, maps, unmaps, enabled_most;
	uint64_t now, moments;
	bool by_turns; /* whose turn it is */
};

static inline void pmu_add(struct pmu_fake *fake, uint32_t type, uint64_t config, double each,
	uint64_t call, uint64_t stimulus)
{
	assert_true(fake->events < PMU_EVENTS);
	fake->event[fake->events++] = (struct pmu_event){
		.type = type, .config = config, .each = each, .call = call, .stimulus = stimulus
	};
}

static inline struct pmu_event *pmu_event(struct pmu_fake *fake, uint32_t type, uint64_t config)
{
	for (int i = 0; i < fake->events; i++)
		if (fake->event[i].type == type && fake->event[i].config == config)
			return &fake->event[i];
	return NULL;
}

static inline struct pmu_open *pmu_at(struct pmu_fake *fake, int descriptor)
{
	assert_in_range(descriptor, PMU_BASE, PMU_BASE + PMU_OPEN - 1);
	assert_true(fake->open[descriptor - PMU_BASE].used);
	return &fake->open[descriptor - PMU_BASE];
}

/* Hardware events of a group. */
static inline int pmu_members(const struct pmu_fake *fake, int leader)
{
	int count = 0;

	for (int i = 0; i < PMU_OPEN; i++)
		count += fake->open[i].used && fake->open[i].leader == leader &&
			 fake->open[i].attributes.type != PERF_TYPE_SOFTWARE;
	return count;
}

static inline unsigned pmu_open_count(const struct pmu_fake *fake)
{
	unsigned count = 0;

	for (int i = 0; i < PMU_OPEN; i++)
		count += fake->open[i].used;
	return count;
}

static inline bool pmu_fits(struct pmu_fake *fake, int leader)
{
	for (int i = 0; i < PMU_OPEN; i++)
		if (fake->open[i].used && fake->open[i].leader == leader &&
			pmu_event(fake, fake->open[i].attributes.type,
				fake->open[i].attributes.config)
				->bound)
			return false;
	return pmu_members(fake, leader) <= fake->counters - fake->held;
}

static inline bool pmu_runs(struct pmu_fake *fake, int leader)
{
	const struct pmu_open *first = &fake->open[leader];

	if (!first->enabled || first->pushed_out)
		return false;
	if (pmu_fits(fake, leader))
		return true;
	return fake->turns && !first->attributes.pinned && fake->by_turns;
}

/* What the kernel keeps in an event's page. */
static inline void pmu_publish(struct pmu_fake *fake, struct pmu_open *open)
{
	bool counts = fake->readable && open->attributes.type != PERF_TYPE_SOFTWARE &&
		      pmu_runs(fake, open->leader) &&
		      (open->attributes.config1 & fake->wanted_config1) == fake->wanted_config1;
	uint64_t raw = open->value & (UINT64_MAX >> (64 - fake->width));

	open->page.lock += 2;
	open->page.cap_user_rdpmc = counts;
	open->page.index = counts ? (uint32_t)open->slot + 1 : 0;
	open->page.pmc_width = (uint16_t)fake->width;
	open->page.offset =
		(int64_t)(counts ? open->value - group_extend(0, raw, fake->width) : open->value);
}

static inline void pmu_advance(
	struct pmu_fake *fake, double elements, unsigned calls, bool stimulus)
{
	unsigned enabled = 0;

	fake->now += 1000;
	fake->by_turns = fake->moments++ % 2;
	for (int i = 0; i < PMU_OPEN; i++) {
		struct pmu_open *open = &fake->open[i];
		struct pmu_open *leader = &fake->open[open->leader];
		const struct pmu_event *event;

		if (!open->used || !leader->enabled)
			continue;
		enabled += open->leader == i;
		if (leader->pushed_out)
			continue;
		open->on += 1000;
		if (!pmu_runs(fake, open->leader))
			continue;
		open->running += 1000;
		event = pmu_event(fake, open->attributes.type, open->attributes.config);
		open->value += (uint64_t)(event->each * elements) + event->call * calls +
			       (stimulus ? event->stimulus : 0);
		pmu_publish(fake, open);
	}
	if (enabled > fake->enabled_most)
		fake->enabled_most = enabled;
}

/* The PMU that the calls below work on: the last one given to pmu_kernel(). */
static struct pmu_fake *pmu_now;

static inline int pmu_fake_open(const struct perf_event_attr *attributes, int leader)
{
	struct pmu_fake *fake = pmu_now;
	const struct pmu_event *event = pmu_event(fake, attributes->type, attributes->config);
	int at = fake->next; /* never one that was used before: members come after their leader */

	fake->opens++;
	assert_int_equal(attributes->size, sizeof(*attributes));
	assert_true(attributes->exclude_kernel && attributes->exclude_hv && !attributes->inherit);
	if (leader >= 0)
		assert_false(
			attributes->pinned || attributes->disabled); /* the real one refuses that */
	if (!event)
		return -ENOENT;
	if (event->error)
		return -event->error;
	if (attributes->config1 & fake->wanted_config1 && fake->reads_in_user &&
		!fake->reads_in_user(event))
		return -EOPNOTSUPP;
	if (leader >= 0 && attributes->type != PERF_TYPE_SOFTWARE &&
		pmu_members(fake, leader - PMU_BASE) >= fake->counters)
		return -EINVAL;
	assert_true(fake->next < PMU_OPEN);
	fake->next++;
	fake->open[at] = (struct pmu_open){ .used = true,
		.attributes = *attributes,
		.leader = leader >= 0 ? leader - PMU_BASE : at,
		.slot = (uint64_t)at,
		.value = fake->start,
		.enabled = !attributes->disabled };
	pmu_publish(fake, &fake->open[at]);
	return PMU_BASE + at;
}

static inline int pmu_fake_close(int descriptor)
{
	struct pmu_fake *fake = pmu_now;

	pmu_at(fake, descriptor)->used = false;
	fake->closes++;
	return 0;
}

static inline bool pmu_fake_control(int descriptor, unsigned long request)
{
	struct pmu_fake *fake = pmu_now;
	struct pmu_open *leader = pmu_at(fake, descriptor);

	assert_int_equal(leader->leader, descriptor - PMU_BASE);
	leader->enabled = request == PERF_EVENT_IOC_ENABLE;
	leader->pushed_out = leader->enabled && leader->attributes.pinned &&
			     !pmu_runs(fake, leader->leader) && !pmu_fits(fake, leader->leader);
	for (int i = 0; i < PMU_OPEN; i++)
		if (fake->open[i].used && fake->open[i].leader == leader->leader)
			pmu_publish(fake, &fake->open[i]);
	return true;
}

static inline ssize_t pmu_fake_read(int descriptor, void *buffer, size_t size)
{
	struct pmu_fake *fake = pmu_now;
	const struct pmu_open *leader = pmu_at(fake, descriptor);
	uint64_t *out = buffer;
	size_t count = 0;

	fake->reads++;
	if (leader->pushed_out)
		return 0;
	out[1] = leader->on;
	out[2] = leader->running;
	for (int i = 0; i < PMU_OPEN; i++) {
		if (!fake->open[i].used || fake->open[i].leader != leader->leader)
			continue;
		assert_true((3 + count + 1) * sizeof(*out) <= size);
		out[3 + count++] = fake->open[i].value;
	}
	out[0] = count;
	return (long)((3 + count) * sizeof(*out));
}

static inline struct perf_event_mmap_page *pmu_fake_map(int descriptor)
{
	struct pmu_fake *fake = pmu_now;

	if (fake->unmappable)
		return NULL;
	fake->maps++;
	return &pmu_at(fake, descriptor)->page;
}

static inline void pmu_fake_unmap(struct perf_event_mmap_page *page)
{
	pmu_now->unmaps++;
}

static inline uint64_t pmu_fake_counter(uint32_t index)
{
	const struct pmu_fake *fake = pmu_now;

	assert_true(index < PMU_OPEN && fake->open[index].used);
	/* What lies beyond its width may be anything. */
	return fake->open[index].value & (UINT64_MAX >> (64 - fake->width));
}

static inline void pmu_fake_stimulate(void)
{
	/* Twice: so that what takes turns has had one. */
	pmu_advance(pmu_now, 0, 0, true);
	pmu_advance(pmu_now, 0, 0, false);
}

static inline struct perf_calls pmu_kernel(struct pmu_fake *fake)
{
	pmu_now = fake;
	return (struct perf_calls){ .open = pmu_fake_open,
		.close = pmu_fake_close,
		.control = pmu_fake_control,
		.read = pmu_fake_read,
		.map = pmu_fake_map,
		.unmap = pmu_fake_unmap,
		.counter = pmu_fake_counter,
		.stimulate = pmu_fake_stimulate };
}

/* Four counters of 48 bits that begin just below where they overflow; cycles and instructions. */
static inline void pmu_init(struct pmu_fake *fake)
{
	*fake = (struct pmu_fake){
		.counters = 4, .width = 48, .start = (UINT64_C(1) << 48) - 5000
	};
	pmu_add(fake, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 3, 40, 5000);
	pmu_add(fake, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 5.5, 20, 9000);
}

/* Elements that were walked in one call. */
static inline void fake_run(struct pmu_fake *fake, uint64_t elements)
{
	pmu_advance(fake, (double)elements, 1, false);
}
