/* MIDR, as the kernel shows it. */
#include "engine/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/counters/pmu.h"
#include "engine/machine/environment.h"

/* Implementer and part numbers: Arm's "MIDR_EL1, Main ID Register" and the cores' reference
 * manuals, as libpfm4 and the kernel's cputype.h list them. */
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

/* From /proc/cpuinfo, where the kernel shows no registers: the first processor's implementer and
 * part. */
static unsigned long long read_cpuinfo(void)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	unsigned long long midr = 0, implementer = 0, value;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		const char *colon = strchr(line, ':');

		if (!colon || sscanf(colon + 1, "%llx", &value) != 1)
			continue;
		if (strncmp(line, "CPU implementer", 15) == 0 && !implementer)
			implementer = value & 0xff;
		else if (strncmp(line, "CPU part", 8) == 0 && !midr)
			midr = implementer << 24 | (value & 0xfff) << 4;
	}
	if (file)
		fclose(file);
	return midr;
}

void identify_processor(struct machine *machine)
{
	FILE *file = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re");
	unsigned long long midr = 0;
	unsigned implementer, part;

	machine->virtualised = access("/sys/hypervisor/type", F_OK) == 0 ||
			       access("/proc/device-tree/hypervisor", F_OK) == 0;
	if (file) {
		if (fscanf(file, "%llx", &midr) != 1)
			midr = 0;
		fclose(file);
	}
	if (midr == 0)
		midr = read_cpuinfo();
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
	char words[64];

	if (system_has("", "/proc/device-tree/hypervisor") ||
		system_has("", "/sys/hypervisor/type") ||
		(system_line("", "/proc/device-tree/compatible", words, sizeof(words)) &&
			strcmp(words, "linux,dummy-virt") == 0) ||
		(system_line("", "/sys/class/dmi/id/sys_vendor", words, sizeof(words)) &&
			strcmp(words, "QEMU") == 0))
		pmu->guest = 1;
}
