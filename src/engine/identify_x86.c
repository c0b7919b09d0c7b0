/* CPUID. */
#include "engine/identify.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

void identify_processor(struct machine *machine)
{
	unsigned a, b, c, d, family, model;
	char brand[49] = "", *name = brand;

	if (!__get_cpuid(1, &a, &b, &c, &d))
		return;
	machine->virtualised = c >> 31 & 1;
	family = a >> 8 & 15;
	model = a >> 4 & 15;
	if (family == 6 || family == 15)
		model |= a >> 12 & 0xf0;
	if (family == 15)
		family += a >> 20 & 255;
	for (unsigned i = 0; i < 3; i++) {
		unsigned regs[4];

		if (!__get_cpuid(0x80000002 + i, &regs[0], &regs[1], &regs[2], &regs[3]))
			break;
		memcpy(brand + i * 16, regs, 16);
	}
	name += strspn(name, " ");
	for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--)
		name[n - 1] = '\0';
	snprintf(machine->name, sizeof(machine->name), "%s, family %xh model %02xh", *name ? name : "x86-64",
		family, model);
}
