#include "engine/counters/counter_group.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/clock/clock.h"

uint64_t group_extend(uint64_t offset, uint64_t counter, unsigned width)
{
	unsigned spare = width > 0 && width < 64 ? 64 - width : 0;

	/* The counter is a signed number: the kernel starts it below zero, so the counter overflows
	 * only after half of its range. */
	return offset + (uint64_t)((int64_t)(counter << spare) >> spare);
}

int group_add(struct counter_group *group, struct perf_event_attr attributes, int event)
{
	bool leader = group->count == 0;
	int descriptor;

	attributes.size = sizeof(attributes);
	/* Only the first event of a group (the leader) is disabled at first: all events start and
	 * stop with the leader. */
	attributes.disabled = leader;
	attributes.pinned = leader && group->pinned;
	attributes.exclude_kernel = 1;
	attributes.exclude_hv = 1;
	attributes.exclude_guest = 1; /* some drivers accept no event without exclude_guest */
	attributes.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	descriptor = group->calls->open(&attributes, leader ? -1 : group->descriptor[0]);
	if (descriptor < 0)
		return -descriptor;
	group->event[group->count] = event;
	group->descriptor[group->count] = descriptor;
	group->page[group->count] = group->calls->map(descriptor);
	group->count++;
	return 0;
}

void group_drop(struct counter_group *group)
{
	int last = --group->count;

	if (group->page[last])
		group->calls->unmap(group->page[last]);
	if (group->descriptor[last] >= 0)
		group->calls->close(group->descriptor[last]);
	group->page[last] = NULL;
}

void group_close(struct counter_group *group)
{
	while (group->count > 0)
		group_drop(group);
}

void group_leave(struct counter_group *group)
{
	for (int i = 0; i < group->count; i++) {
		if (group->descriptor[i] >= 0)
			group->calls->close(group->descriptor[i]);
		group->descriptor[i] = -1;
		group->page[i] = NULL;
	}
}

bool group_start(const struct counter_group *group)
{
	return group->calls->control(group->descriptor[0], PERF_EVENT_IOC_ENABLE);
}

void group_stop(const struct counter_group *group)
{
	group->calls->control(group->descriptor[0], PERF_EVENT_IOC_DISABLE);
}

bool group_read(const struct counter_group *group, struct group_reading *reading)
{
	uint64_t buffer[3 + COUNTERS_MAX];
	size_t values = (size_t)group->count * sizeof(uint64_t),
	       size = 3 * sizeof(uint64_t) + values;

	if (group->calls->read(group->descriptor[0], buffer, size) != (long)size ||
		buffer[0] != (uint64_t)group->count)
		return false;
	reading->enabled = buffer[1];
	reading->running = buffer[2];
	memcpy(reading->value, buffer + 3, values);
	return true;
}

/* Reads one event's counter with the help of the page that the kernel maps for it. The kernel
 * changes the page only on the processor that runs this thread, so a compiler barrier is enough. */
static inline uint64_t page_read(const struct counter_group *group, int event, bool *counting)
{
	const volatile struct perf_event_mmap_page *page = group->page[event];
	const struct perf_calls *calls = group->calls;
	uint64_t value;
	uint32_t sequence, index;

	do {
		sequence = page->lock;
		atomic_signal_fence(memory_order_seq_cst);
		index = page->index;
		value = page->offset;
		/* If the index in an event's mapped page is 0, the event has no counter now, and
		 * `offset` is its value. */
		if (index)
			value = group_extend(value, calls->counter(index - 1), page->pmc_width);
		atomic_signal_fence(memory_order_seq_cst);
	} while (page->lock != sequence);
	*counting = index != 0;
	return value;
}

bool group_values(const struct counter_group *group, uint64_t value[COUNTERS_MAX])
{
	struct group_reading reading;
	bool counting, all = true;

	clock_fence();
	if (!group->direct) {
		if (!group_read(group, &reading))
			return false;
		memcpy(value, reading.value, (size_t)group->count * sizeof(*value));
	}
	for (int i = 0; group->direct && i < group->count; i++) {
		value[i] = page_read(group, i, &counting);
		all = all && counting;
	}
	clock_fence();
	return all;
}

bool group_first(const struct counter_group *group, uint64_t *value)
{
	struct group_reading reading;
	bool counting = true;

	if (group->direct) {
		*value = page_read(group, 0, &counting);
		return counting;
	}
	if (!group_read(group, &reading))
		return false;
	*value = reading.value[0];
	return true;
}

/* Whether the counter instruction reads the same values as read(2). The group must be counting. */
static bool reads_directly(const struct counter_group *group)
{
	struct group_reading middle;
	uint64_t before[COUNTERS_MAX], after[COUNTERS_MAX];
	bool counting = true;

	for (int i = 0; i < group->count; i++) {
		const volatile struct perf_event_mmap_page *page = group->page[i];

		if (!page || !page->cap_user_rdpmc || page->index == 0)
			return false;
		before[i] = page_read(group, i, &counting);
	}
	if (!group_read(group, &middle))
		return false;
	for (int i = 0; i < group->count; i++) {
		after[i] = page_read(group, i, &counting);
		if (!counting || middle.value[i] - before[i] > after[i] - before[i])
			return false;
	}
	return true;
}

bool group_try(struct counter_group *group, bool moved[COUNTERS_MAX])
{
	struct group_reading before, after;
	bool ran;

	group->direct = false;
	ran = group_start(group) && group_read(group, &before);
	if (ran) {
		group->calls->stimulate();
		group->direct = reads_directly(group);
		ran = group_read(group, &after) && after.running > before.running;
	}
	group_stop(group);
	for (int i = 0; i < group->count; i++)
		moved[i] = ran && after.value[i] != before.value[i];
	return ran;
}

/* ---- instructions */

#if defined(__x86_64__)

/* Reads the counter with this index (the index in the event's page minus one). */
static inline uint64_t processor_counter(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

/* Evicts a cache line from all caches. processor_flushed() waits until the evictions are complete.
 */
static inline void processor_flush(const void *line)
{
	__asm__ volatile("clflush %0" ::"m"(*(const volatile char *)line) : "memory");
}

static inline void processor_flushed(void)
{
	__asm__ volatile("mfence" ::: "memory");
}

#else

#define CASE(n)                                                               \
	case n:                                                               \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
		break
#define CASES(n0, n1, n2, n3, n4) \
	CASE(n0);                 \
	CASE(n1);                 \
	CASE(n2);                 \
	CASE(n3);                 \
	CASE(n4)

/* Reads the counter with this index (the index in the event's page minus one); 31 is the cycle
 * counter. The instruction that reads a counter encodes the counter's register, so each counter
 * needs its own instruction. */
static inline uint64_t processor_counter(uint32_t index)
{
	uint64_t value = 0;

	__asm__ volatile("isb" ::: "memory");
	switch (index) {
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
		CASES(0, 1, 2, 3, 4);
		CASES(5, 6, 7, 8, 9);
		CASES(10, 11, 12, 13, 14);
		CASES(15, 16, 17, 18, 19);
		CASES(20, 21, 22, 23, 24);
		CASES(25, 26, 27, 28, 29);
		CASE(30);
	}
	return value;
}

/* Evicts a cache line from all caches. Linux allows cache eviction in user space.
 * processor_flushed() waits until the evictions are complete. */
static inline void processor_flush(const void *line)
{
	__asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
}

static inline void processor_flushed(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

#endif

/* ---- the stimulus: a workload that raises most events. An event that stays at zero during the
 * test workload (stimulus) probably does not work */

/* Each run of the test workload for counters (stimulus) touches new pages, so every first access
 * misses all TLB levels. Pages of an earlier run of the test workload could still be in the
 * last-level TLB. */
enum { PAGE = 4096, PAGES = 384, LINE = 64, LINES = 2048, BURST = 1024, BRANCHES = 6000 };

struct stimulus {
	unsigned char *memory;
	uint64_t state; /* state of the random number generator */
	volatile uint64_t result;
	volatile double real;
};

static uint64_t next(struct stimulus *stimulus)
{
	uint64_t x = stimulus->state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return stimulus->state = x;
}

static void touch_pages(struct stimulus *stimulus)
{
	volatile unsigned char *memory = stimulus->memory;

	madvise(stimulus->memory, (size_t)PAGES * PAGE, MADV_DONTNEED);
	for (size_t i = 0; i < PAGES; i++) {
		if (i % 2)
			memory[i * PAGE] = (unsigned char)i; /* the store misses the TLB */
		else
			(void)memory[i * PAGE]; /* the load misses the TLB, like the store */
	}
}

static void miss_lines(struct stimulus *stimulus)
{
	volatile unsigned char *memory = stimulus->memory;

	for (size_t i = 0; i < LINES; i++)
		processor_flush(stimulus->memory + i * LINE);
	processor_flushed();
	for (size_t i = 0; i < LINES; i++) {
		/* No prefetcher predicts this order of lines. 1,021 is odd, so every line is
		 * visited once. */
		size_t at = i * 1021 % LINES * LINE;

		if (i % 4 == 0)
			memory[at] = (unsigned char)i;
		else
			stimulus->result += memory[at];
	}
}

/* The test workload runs only loads, then only stores, of lines that are in no cache. The test
 * workload has more loads and more stores than the load and store queues hold. */
static void fill_queues(struct stimulus *stimulus)
{
	volatile unsigned char *memory = stimulus->memory;

	for (int store = 0; store < 2; store++) {
		for (size_t i = 0; i < BURST; i++)
			processor_flush(stimulus->memory + i * LINE);
		processor_flushed();
		for (size_t at = 0; at < (size_t)BURST * LINE; at += 8 * (size_t)LINE) {
			for (size_t k = 0; !store && k < 8; k++)
				(void)memory[at + k * LINE];
			for (size_t k = 0; store && k < 8; k++)
				memory[at + k * LINE] = 1;
		}
	}
}

static void mispredict(struct stimulus *stimulus)
{
	uint64_t odd = 0, even = 0;

	for (int i = 0; i < BRANCHES; i++) {
		/* Without these compiler barriers, a compiler would use conditional moves instead
		 * of branches. */
		if (next(stimulus) >> 33 & 1) {
			odd++;
			__asm__ volatile("" : "+r"(odd)::"memory");
		} else {
			even += 3;
			__asm__ volatile("" : "+r"(even)::"memory");
		}
	}
	stimulus->result += odd + even;
}

static void compute(struct stimulus *stimulus)
{
	uint64_t a = next(stimulus) | 1, b = 3, sum = 0;
	double x = 1.5, y = 0;
	float f = 1.25f;

	for (int i = 1; i < 2000; i++) {
		a *= 6364136223846793005u;
		b += a >> 60;
		sum += a / (b | 1);
		x = x * 1.0000001 + 1e-9;
		y += 1 / x;
		f = f * 0.999f + 0.5f;
	}
	stimulus->result += sum;
	stimulus->real += x + y + (double)f;
}

typedef float floats __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(16)));

/* Runs vector arithmetic: some cores count vector arithmetic with separate events. */
static void compute_wide(struct stimulus *stimulus)
{
	floats x = { 1.5f, 2.5f, 3.5f, 4.5f };
	integers a = { 1, 2, 3, 4 };

	for (int i = 0; i < 500; i++) {
		x = x * 0.999f + 0.5f;
		a = (a + i) ^ (a << 1);
		/* Without this compiler barrier, a compiler could remove the loop of vector
		 * arithmetic. */
		__asm__ volatile("" : "+m"(x), "+m"(a));
	}
	stimulus->real += (double)x[0];
	stimulus->result += (uint64_t)(uint32_t)a[0];
}

/* ---- system calls */

static int linux_open(const struct perf_event_attr *attributes, int leader)
{
	long descriptor = syscall(SYS_perf_event_open, attributes, 0, -1, leader,
		(unsigned long)PERF_FLAG_FD_CLOEXEC);

	return descriptor < 0 ? -errno : (int)descriptor;
}

static bool linux_control(int descriptor, unsigned long request)
{
	return ioctl(descriptor, request, 0) == 0;
}

static struct perf_event_mmap_page *linux_map(int descriptor)
{
	void *page =
		mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, descriptor, 0);

	return page == MAP_FAILED ? NULL : page;
}

static void linux_unmap(struct perf_event_mmap_page *page)
{
	munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}

static void linux_stimulate(void)
{
	/* Each run of the test workload continues the random sequence: branch predictors would
	 * learn a repeated sequence. The state of the random number generator must not be 0. */
	static _Thread_local uint64_t state = 88172645463325252u;
	struct stimulus stimulus = { .state = state };

	stimulus.memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stimulus.memory == MAP_FAILED)
		return;
	/* Use small pages for the test workload: each page then needs its own TLB entry. */
	madvise(stimulus.memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
	touch_pages(&stimulus);
	miss_lines(&stimulus);
	fill_queues(&stimulus);
	mispredict(&stimulus);
	compute(&stimulus);
	compute_wide(&stimulus);
	munmap(stimulus.memory, (size_t)PAGES * PAGE);
	state = stimulus.state;
}

const struct perf_calls perf_calls_linux = {
	.open = linux_open,
	.close = close,
	.control = linux_control,
	.read = read,
	.map = linux_map,
	.unmap = linux_unmap,
	.counter = processor_counter,
	.stimulate = linux_stimulate,
};
