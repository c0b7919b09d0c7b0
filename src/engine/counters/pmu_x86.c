/* How many counters an x86-64 processor says that it has. */
#include "engine/counters/pmu.h"

#include <cpuid.h>
#include <string.h>

static void ask_intel(struct pmu *pmu)
{
	unsigned a, b, c, d;

	/* Leaf 0Ah: version, counters a thread, and their width; then the fixed ones. A guest
	 * without a PMU has version 0. */
	if (!__get_cpuid(0xa, &a, &b, &c, &d) || (a & 0xff) == 0)
		return;
	pmu->counters = (int)(a >> 8 & 0xff);
	pmu->width = (int)(a >> 16 & 0xff);
	if ((a & 0xff) > 1)
		pmu->fixed = (int)(d & 0x1f);
}

static void ask_amd(struct pmu *pmu)
{
	unsigned a, b, c, d;

	/* Since Zen 4 leaf 8000_0022h tells; before, six where the extension is there (8000_0001h
	 * ECX bit 23), else four. */
	if (__get_cpuid(0x80000022, &a, &b, &c, &d) && (a & 1))
		pmu->counters = (int)(b & 0xf);
	else if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		pmu->counters = c >> 23 & 1 ? 6 : 4;
	pmu->width = 48;
}

void pmu_ask_processor(struct pmu *pmu)
{
	unsigned a, b, c, d;
	char vendor[13] = "";

	if (__get_cpuid(1, &a, &b, &c, &d))
		pmu->guest = c >> 31 & 1;
	/* What the processor tells of counters that the kernel does not serve is of no use. */
	if (pmu->name[0] == '\0')
		return;
	if (!__get_cpuid(0, &a, &b, &c, &d))
		return;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	if (strcmp(vendor, "GenuineIntel") == 0)
		ask_intel(pmu);
	else if (strcmp(vendor, "AuthenticAMD") == 0)
		ask_amd(pmu);
}
