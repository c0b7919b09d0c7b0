/* The system calls and instructions of counting, and the stimulus: a workload that raises most
 * events, so that an event that stays at zero is seen not to work. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/counters/counter_group.h"

#if defined(__x86_64__)
#include "engine/counters/perf_calls_x86.h"
#else
#include "engine/counters/perf_calls_arm64.h"
#endif

/* ---- the stimulus */

/* Each run touches fresh pages: no TLB knows them, although they are fewer than the last TLB holds.
 */
enum { PAGE = 4096, PAGES = 384, LINE = 64, LINES = 2048, BURST = 1024, BRANCHES = 6000 };

struct stimulus {
	unsigned char *memory;
	uint64_t state; /* of the random numbers */
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
			memory[i * PAGE] = (unsigned char)i; /* a store misses … */
		else
			(void)memory[i * PAGE]; /* … and a load */
	}
}

static void miss_lines(struct stimulus *stimulus)
{
	volatile unsigned char *memory = stimulus->memory;

	for (size_t i = 0; i < LINES; i++)
		processor_flush(stimulus->memory + i * LINE);
	processor_flushed();
	for (size_t i = 0; i < LINES; i++) {
		/* No prefetcher follows this order: 1,021 is prime, and so odd. */
		size_t at = i * 1021 % LINES * LINE;

		if (i % 4 == 0)
			memory[at] = (unsigned char)i;
		else
			stimulus->result += memory[at];
	}
}

/* Loads alone, then stores alone, of lines in no cache: more than the queues hold. */
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
		/* Without the barriers a compiler would select instead of branching. */
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

/* Vector arithmetic: on some cores another event counts it. */
static void compute_wide(struct stimulus *stimulus)
{
	floats x = { 1.5f, 2.5f, 3.5f, 4.5f };
	integers a = { 1, 2, 3, 4 };

	for (int i = 0; i < 500; i++) {
		x = x * 0.999f + 0.5f;
		a = (a + i) ^ (a << 1);
		/* Otherwise a compiler could compute the sum without the loop. */
		__asm__ volatile("" : "+m"(x), "+m"(a));
	}
	stimulus->real += (double)x[0];
	stimulus->result += (uint64_t)(uint32_t)a[0];
}

/* ---- system calls */

static int linux_open(void *context, const struct perf_event_attr *attributes, int leader)
{
	long descriptor = syscall(SYS_perf_event_open, attributes, 0, -1, leader,
		(unsigned long)PERF_FLAG_FD_CLOEXEC);

	(void)context;
	return descriptor < 0 ? -errno : (int)descriptor;
}

static void linux_close(void *context, int descriptor)
{
	(void)context;
	close(descriptor);
}

static bool linux_control(void *context, int descriptor, unsigned long request)
{
	(void)context;
	return ioctl(descriptor, request, 0) == 0;
}

static long linux_read(void *context, int descriptor, void *buffer, size_t size)
{
	long got = read(descriptor, buffer, size);

	(void)context;
	return got < 0 ? -errno : got;
}

static struct perf_event_mmap_page *linux_map(void *context, int descriptor)
{
	void *page =
		mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, descriptor, 0);

	(void)context;
	return page == MAP_FAILED ? NULL : page;
}

static void linux_unmap(void *context, struct perf_event_mmap_page *page)
{
	(void)context;
	munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}

static uint64_t linux_counter(void *context, uint32_t index)
{
	(void)context;
	return processor_counter(index);
}

static void linux_stimulate(void *context)
{
	/* Odd, and never the same twice: predictors would learn a repeated sequence. */
	static _Thread_local uint64_t state = 88172645463325252u;
	struct stimulus stimulus = { .state = state };

	(void)context;
	stimulus.memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stimulus.memory == MAP_FAILED)
		return;
	/* Small pages: each takes a TLB entry. */
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
	.close = linux_close,
	.control = linux_control,
	.read = linux_read,
	.map = linux_map,
	.unmap = linux_unmap,
	.counter = linux_counter,
	.stimulate = linux_stimulate,
};
