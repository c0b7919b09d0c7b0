/* The kernel that counting really asks. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/counters/counting_kernel.h"
#include "engine/counters/stimulus.h"

#if defined(__x86_64__)
#include "engine/counters/counting_x86.h"
#else
#include "engine/counters/counting_arm64.h"
#endif

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
	return counting_counter(index);
}

static void linux_stimulate(void *context)
{
	struct stimulus *stimulus = stimulus_new();

	(void)context;
	if (!stimulus)
		return;
	stimulus_run(stimulus);
	stimulus_free(stimulus);
}

const struct counting_kernel counting_kernel_linux = {
	.open = linux_open,
	.close = linux_close,
	.control = linux_control,
	.read = linux_read,
	.map = linux_map,
	.unmap = linux_unmap,
	.counter = linux_counter,
	.stimulate = linux_stimulate,
};
