/* What tests/counted.sh asks of counting itself, in the machine, as root, with counters of its own:
 *
 * - probe reading: what one reading of the clock of trials costs, in user space and in the kernel
 * - probe regions KERNEL...: how many instructions of the kernel (the system's) lie inside timed
 * regions of these
 * - probe hold COUNT: takes so many counters of the processor for itself until it is killed; prints
 * "held" when it has them
 * - probe share COUNT: the same, but takes turns with others
 *
 * Prints "NAME FIGURE" lines; the scenario judges them. Exit status 77 where it cannot look. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/clock/clock.h"
#include "engine/counters/counting.h"
#include "engine/measure/measure.h"
#include "kernels/kernel.h"

#ifdef __aarch64__

enum { TRIALS = 40, READINGS = 100 };

/* A counter of instructions of this thread, in user space or in the kernel. Read by an instruction
 * where direct. */
struct meter {
	int descriptor;
	const volatile struct perf_event_mmap_page *page;
};

static struct meter meter_open(bool kernel, bool direct)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.pinned = 1,
		.exclude_user = kernel,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		.config1 = direct ? 2 : 0, /* "rdpmc" of the PMU's format */
	};
	struct meter meter = { .descriptor = (int)syscall(
				       SYS_perf_event_open, &attributes, 0, -1, -1, 0UL) };

	if (meter.descriptor < 0) {
		fprintf(stderr, "perf_event_open: %s\n", strerror(errno));
		exit(77);
	}
	if (direct) {
		meter.page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
			meter.descriptor, 0);
		if (meter.page == MAP_FAILED || !meter.page->cap_user_rdpmc ||
			meter.page->index == 0) {
			fprintf(stderr, "the kernel's instructions cannot be read directly\n");
			exit(77);
		}
	}
	return meter;
}

static void meter_close(struct meter *meter)
{
	if (meter->page)
		munmap((void *)(uintptr_t)meter->page, (size_t)sysconf(_SC_PAGESIZE));
	close(meter->descriptor);
}

static uint64_t meter_read(const struct meter *meter)
{
	uint64_t value = 0;

	if (read(meter->descriptor, &value, sizeof(value)) != sizeof(value))
		fprintf(stderr, "read: %s\n", strerror(errno));
	return value;
}

/* The lower half of the counter itself, without a system call. Only differences mean anything. */
static inline uint32_t meter_register(const struct meter *meter)
{
	uint64_t value = 0;

	__asm__ volatile("isb" ::: "memory");
	switch (meter->page->index) {
	case 1: __asm__ volatile("mrs %0, pmevcntr0_el0" : "=r"(value)); break;
	case 2: __asm__ volatile("mrs %0, pmevcntr1_el0" : "=r"(value)); break;
	case 3: __asm__ volatile("mrs %0, pmevcntr2_el0" : "=r"(value)); break;
	case 4: __asm__ volatile("mrs %0, pmevcntr3_el0" : "=r"(value)); break;
	case 5: __asm__ volatile("mrs %0, pmevcntr4_el0" : "=r"(value)); break;
	case 6: __asm__ volatile("mrs %0, pmevcntr5_el0" : "=r"(value)); break;
	default: exit(77);
	}
	return (uint32_t)value;
}

static struct counting *clock_open(void)
{
	static struct counter_plan plan = {
		.id = 1,
		.count = 2,
		.cycles = 0,
		.event = { { "arm_n1::CPU_CYCLES", true }, { "arm_n1::INST_RETIRED", true } },
	};
	struct counting *counting = counting_new(0, "", &perf_calls_linux);

	counting_use(counting, &plan);
	if (!counting_cycles(counting)) {
		fprintf(stderr, "no cycles are counted\n");
		exit(1);
	}
	return counting;
}

static uint64_t readings(struct counting *counting, const struct meter *meter, int count)
{
	uint64_t begin = meter_read(meter);

	for (int i = 0; i < count; i++)
		counting_read_cycles(counting);
	return meter_read(meter) - begin;
}

static int reading(void)
{
	struct counting *counting = clock_open();

	for (int kernel = 0; kernel < 2; kernel++) {
		struct meter meter = meter_open(kernel, false);
		double least = 1e9;

		/* The least of many: interrupts come on top. */
		for (int i = 0; i < TRIALS; i++) {
			double once = (double)readings(counting, &meter, READINGS);
			double twice = (double)readings(counting, &meter, 2 * READINGS);

			if (twice > once && (twice - once) / READINGS < least)
				least = (twice - once) / READINGS;
			else if (twice <= once)
				least = 0;
		}
		printf("%s %.3f\n", kernel ? "kernel" : "user", least);
		meter_close(&meter);
	}
	counting_free(counting);
	return 0;
}

/* The least number of the kernel's instructions between two readings, of many trials: with the
 * clock of trials read around a region, as trials do it, or without. */
static uint32_t inside(
	struct measure *measure, struct counting *counting, const struct meter *meter)
{
	uint32_t least = UINT32_MAX;

	for (int i = 0; i < TRIALS; i++) {
		uint32_t begin = meter_register(meter), count;

		if (counting)
			counting_read_cycles(counting);
		measure_region(measure, measure->time.whole);
		if (counting)
			counting_read_cycles(counting);
		count = meter_register(meter) - begin;
		if (count < least)
			least = count;
	}
	return least;
}

static int regions(char **names)
{
	struct counting *counting = clock_open();
	struct meter meter = meter_open(true, true);
	atomic_bool cancel = false;
	struct clock clock = { 0 };

	clock_calibrate(&clock);
	for (; *names; names++) {
		const struct kernel *kernel = kernel_find(*names);
		struct kernel_run run = { .kernel = kernel, .seed = 1, .work.cancel = &cancel };
		struct measure measure;
		struct status status;
		size_t bytes;

		if (!kernel) {
			fprintf(stderr, "no kernel %s\n", *names);
			return 1;
		}
		for (int i = 0; i < kernel->knob_count; i++)
			run.v[i] = kernel->knobs[i].initial;
		bytes = (kernel_footprint(kernel, run.v) + (2 << 20)) >> 21 << 21;
		run.memory = aligned_alloc(2 << 20, bytes);
		if (!run.memory)
			return 77;
		memset(run.memory, 0, bytes);
		status = kernel_prepare(&run);
		if (!status_is_ok(&status)) {
			fprintf(stderr, "%s: %s\n", *names, status.text);
			return 1;
		}
		measure_begin(&measure, &run, &clock, 32 << 10, 1 << 20, 0.1, &cancel);
		printf("%s %u\n", *names, inside(&measure, NULL, &meter));
		printf("%s+clock %u\n", *names, inside(&measure, counting, &meter));
		free(run.memory);
	}
	meter_close(&meter);
	counting_free(counting);
	return 0;
}

/* Counters of everything that runs on the processor, as a profiler of the whole system has them. */
static int take(int count, bool pinned)
{
	for (int i = 0; i < count; i++) {
		struct perf_event_attr attributes = {
			.type = PERF_TYPE_HARDWARE,
			.size = sizeof(attributes),
			.config = PERF_COUNT_HW_INSTRUCTIONS,
			.pinned = pinned,
		};

		if (syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0UL) < 0) {
			fprintf(stderr, "perf_event_open: %s\n", strerror(errno));
			return 1;
		}
	}
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc == 3 && (strcmp(argv[1], "hold") == 0 || strcmp(argv[1], "share") == 0))
		return take(atoi(argv[2]), *argv[1] == 'h');
	if (argc == 2 && strcmp(argv[1], "reading") == 0)
		return reading();
	if (argc > 2 && strcmp(argv[1], "regions") == 0)
		return regions(argv + 2);
	fprintf(stderr, "probe reading, regions KERNEL..., hold COUNT, or share COUNT\n");
	return 2;
}

#else

int main(void)
{
	return 77;
}

#endif
