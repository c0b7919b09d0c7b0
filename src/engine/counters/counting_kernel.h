/* What counting asks of the kernel and of the processor, as a table, so that tests bring a kernel
 * of their own. For counting's own files. */
#ifndef SLX_ENGINE_COUNTERS_COUNTING_KERNEL_H
#define SLX_ENGINE_COUNTERS_COUNTING_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counting;
struct perf_event_attr;
struct perf_event_mmap_page;

struct counting_kernel {
	void *context;
	/* perf_event_open(2) for the calling thread, on any processor; leader -1: none. The
	 * descriptor, or -errno. */
	int (*open)(void *context, const struct perf_event_attr *attributes, int leader);
	void (*close)(void *context, int descriptor);
	/* ioctl(2) of PERF_EVENT_IOC_ENABLE or _DISABLE on a leader; false: refused. */
	bool (*control)(void *context, int descriptor, unsigned long request);
	/* read(2): bytes, 0 for a pinned event that was pushed out, or -errno. */
	long (*read)(void *context, int descriptor, void *buffer, size_t size);
	/* The event's page; NULL: refused. */
	struct perf_event_mmap_page *(*map)(void *context, int descriptor);
	void (*unmap)(void *context, struct perf_event_mmap_page *page);
	/* The processor's counter of that index, as the page tells it, less one. */
	uint64_t (*counter)(void *context, uint32_t index);
	/* Runs the stimulus. */
	void (*stimulate)(void *context);
};

/* The real one. */
extern const struct counting_kernel counting_kernel_linux;

/* As counting_new(), with that kernel, which must outlive it. */
struct counting *counting_new_with(int cpu, const char *root, const struct counting_kernel *kernel);

/* A counter of `width` bits that stands at `counter`, added to what the kernel has taken off it: a
 * counter counts up through the sign of its width, so that what overflows there is no jump. Pure.
 * width 1…64. */
uint64_t counting_extend(uint64_t offset, uint64_t counter, unsigned width);

#endif
