/* The choices of knobs that the engine reads. */
#include "kernels/place.h"

const char *const place_pages[] = { "auto", "4k", "huge", NULL };

const char *const place_nodes[] = { "local", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
	"11", "12", "13", "14", "15", NULL };

static int count_of(int64_t value, int least)
{
	return value < least ? least : value > INT32_MAX / 4 ? INT32_MAX / 4 : (int)value;
}

struct need place_need(const struct kernel *kernel, const int64_t *v)
{
	uint64_t set = kernel_footprint(kernel, v);
	struct need need = {
		.cores = count_of(kernel_asked(kernel, v, ASKS_CORES), 1),
		.streams = count_of(kernel_asked(kernel, v, ASKS_STREAMS), 0),
	};

	need.processors = need.cores + need.streams;
	if (__builtin_mul_overflow(set, (uint64_t)need.cores, &need.memory) ||
		__builtin_add_overflow(
			need.memory, (uint64_t)need.streams * STREAM_BYTES, &need.memory))
		need.memory = UINT64_MAX;
	return need;
}
