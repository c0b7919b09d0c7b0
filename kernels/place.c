/* The choices of knobs that the engine reads. */
#include "kernels/place.h"

const char *const place_pages[] = { "auto", "4k", "huge", NULL };

const char *const place_nodes[] = { "local", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14",
	"15", NULL };

int kernel_asking(const struct kernel *kernel, enum knob_asks asks)
{
	for (int i = 0; i < kernel->knob_count; i++)
		if (kernel->knobs[i].asks == asks)
			return i;
	return -1;
}

int64_t kernel_asked(const struct kernel *kernel, const int64_t *v, enum knob_asks asks)
{
	int knob = kernel_asking(kernel, asks);

	return knob < 0 ? 0 : v[knob];
}
