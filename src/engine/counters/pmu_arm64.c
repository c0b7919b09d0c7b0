/* An Arm processor tells the kernel alone how many counters it has (PMCR_EL0.N). Whether it is
 * virtual, firmware tells. */
#include "engine/counters/pmu.h"

#include <string.h>

#include "engine/machine/environment.h"

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
