/* Identifies the processor by the register MIDR, which the kernel exports. */
#include "engine/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/counters/pmu.h"
#include "engine/machine/environment.h"

/* Implementer and part numbers. Sources of the numbers: Arm's "MIDR_EL1, Main ID Register", the
 * cores' reference manuals, libpfm4, and the kernel's cputype.h. */
static const struct {
	unsigned implementer, part;
	const char *name;
} cores[] = {
	{ 0x41, 0xd03, "Cortex-A53" },
	{ 0x41, 0xd07, "Cortex-A57" },
	{ 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse N1" },
	{ 0x41, 0xd40, "Neoverse V1" },
	{ 0x41, 0xd49, "Neoverse N2" },
	{ 0x41, 0xd4f, "Neoverse V2" },
	{ 0x46, 0x001, "A64FX" },
};

/* Reads a hexadecimal number of the first processor in /proc/cpuinfo: the number with the given
 * key. */
static unsigned long long read_cpuinfo(const char *key)
{
	char value[32];

	return system_value("", "/proc/cpuinfo", key, value, sizeof(value))
		       ? strtoull(value, NULL, 16)
		       : 0;
}

void identify_processor(struct machine *machine)
{
	char line[32];
	unsigned long long midr = 0;
	unsigned implementer, part;

	machine->virtualised = system_has("", "/sys/hypervisor/type") ||
			       system_has("", "/proc/device-tree/hypervisor");
	if (system_line("", "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", line,
		    sizeof(line)))
		midr = strtoull(line, NULL, 16);
	/* /proc/cpuinfo is used if the kernel does not export the register MIDR. */
	if (midr == 0)
		midr = (read_cpuinfo("CPU implementer") & 0xff) << 24 |
		       (read_cpuinfo("CPU part") & 0xfff) << 4;
	if (midr == 0) {
		snprintf(machine->name, sizeof(machine->name),
			"AArch64 core (MIDR not shown by this kernel)");
		return;
	}
	machine->processor.implementer = implementer = midr >> 24 & 0xff;
	machine->processor.part = part = midr >> 4 & 0xfff;
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (cores[i].implementer == implementer && cores[i].part == part)
			snprintf(machine->name, sizeof(machine->name), "%s, MIDR %08llxh",
				cores[i].name, midr);
	if (machine->name[0] == '\0')
		snprintf(machine->name, sizeof(machine->name), "AArch64 core, MIDR %08llxh", midr);
}

void pmu_ask_processor(struct pmu *pmu)
{
	char vendor[64];

	if (system_is_guest("") ||
		(system_line("", "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor)) &&
			strcmp(vendor, "QEMU") == 0))
		pmu->guest = 1;
}
