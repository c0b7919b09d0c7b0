/* Look-ups in the registry. */
#include "kernels/kernel.h"

#include <string.h>

const struct kernel *kernel_find(const char *name)
{
	for (int i = 0; kernel_registry[i]; i++)
		if (strcmp(kernel_registry[i]->name, name) == 0)
			return kernel_registry[i];
	return NULL;
}

int kernel_knob(const struct kernel *kernel, const char *name)
{
	for (int i = 0; i < kernel->knob_count; i++)
		if (strcmp(kernel->knobs[i].name, name) == 0)
			return i;
	return -1;
}

int kernel_axis(const struct kernel *kernel, enum knob_axis axis)
{
	for (int i = 0; i < kernel->knob_count; i++)
		if (kernel->knobs[i].axis == axis)
			return i;
	return -1;
}
