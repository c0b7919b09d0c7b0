/* Identifies the processor with the CPUID instruction. */
#include "engine/machine/machine.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

#include "engine/counters/pmu.h"

static void read_vendor(char vendor[13])
{
	unsigned a, b, c, d;

	memset(vendor, 0, 13);
	if (!__get_cpuid(0, &a, &b, &c, &d))
		return;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
}

/* Source of the feature bits: Intel's Software Developer's Manual, volume 2, CPUID. */
static void read_features(struct processor *processor)
{
	static const struct {
		unsigned subleaf;
		char reg;
		unsigned bit;
		const char *word;
	} bits[] = {
		{ 0, 'b', 5, "avx2" },
		{ 0, 'b', 16, "avx512f" },
		{ 0, 'd', 23, "avx512fp16" },
		{ 0, 'd', 24, "amx-tile" },
		{ 1, 'a', 4, "avx-vnni" },
		{ 1, 'a', 21, "amx-fp16" },
	};
	unsigned reg[4];

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (__get_cpuid_count(7, bits[i].subleaf, &reg[0], &reg[1], &reg[2], &reg[3]) &&
			reg[bits[i].reg - 'a'] >> bits[i].bit & 1)
			processor_add(processor, bits[i].word);
	/* In CPUID leaf 1Ah, the value 20h in EAX bits 31…24 means an Intel Atom core. */
	if (__get_cpuid_count(0x1a, 0, &reg[0], &reg[1], &reg[2], &reg[3]) && reg[0] >> 24 == 0x20)
		processor_add(processor, "hybrid-e");
}

/* Size of the L1 instruction cache in bytes. Intel's CPUID leaf 4 and AMD's CPUID leaf 8000001Dh
 * have the same layout. */
static uint64_t read_l1i(bool amd)
{
	unsigned leaf = amd ? 0x8000001d : 4, a, b, c, d;

	for (unsigned i = 0; i < 16; i++) {
		if (!__get_cpuid_count(leaf, i, &a, &b, &c, &d) || (a & 31) == 0)
			break;
		if ((a & 31) == 2 && (a >> 5 & 7) == 1)
			return (uint64_t)((b >> 22) + 1) * ((b >> 12 & 0x3ff) + 1) *
			       ((b & 0xfff) + 1) * ((uint64_t)c + 1);
	}
	return 0;
}

/* AMD states its data TLBs in two leaves: leaf 80000005h EBX bits 23…16, leaf 80000006h EBX bits
 * 27…16. If leaf 80000021h EAX bit 14 is set, the unit of the second TLB is 32 entries. Some
 * hypervisors hide this bit, so a second TLB that is hardly larger than the first is not believed.
 * Source: AMD64 Architecture Programmer's Manual, volume 3, appendix E. */
static void read_tlbs_amd(unsigned dtlb[DTLBS])
{
	enum { SECOND_LEAST = 4 };
	unsigned a, b, c, d, unit = 1;

	if (__get_cpuid(0x80000021, &a, &b, &c, &d) && a >> 14 & 1)
		unit = 32;
	if (__get_cpuid(0x80000005, &a, &b, &c, &d))
		dtlb[0] = b >> 16 & 0xff;
	if (__get_cpuid(0x80000006, &a, &b, &c, &d))
		dtlb[1] = (b >> 16 & 0xfff) * unit;
	if (dtlb[1] < SECOND_LEAST * dtlb[0])
		dtlb[1] = 0;
}

/* Intel's leaf 18h lists a translation structure in each subleaf: its type (EDX bits 4…0: data,
 * unified or loads only), its level (EDX bits 7…5), pages of 4 KiB (EBX bit 0), ways and sets.
 * Source: Intel's Software Developer's Manual, volume 2, CPUID. */
static void read_tlbs_intel(unsigned dtlb[DTLBS])
{
	enum { DATA = 1, UNIFIED = 3, LOADS = 4 };
	unsigned a, b, c, d, last = 0;

	for (unsigned i = 0; i <= last && i < 16; i++) {
		unsigned type, level;

		if (!__get_cpuid_count(0x18, i, &a, &b, &c, &d))
			break;
		if (i == 0)
			last = a;
		type = d & 31;
		level = d >> 5 & 7;
		if ((type == DATA || type == UNIFIED || type == LOADS) && level >= 1 &&
			level <= DTLBS && (b & 1))
			dtlb[level - 1] = (b >> 16) * c;
	}
}

void identify_processor(struct machine *machine)
{
	struct processor *processor = &machine->processor;
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
	*processor = (struct processor){ .family = family, .model = model, .stepping = a & 15 };
	read_vendor(processor->vendor);
	read_features(processor);
	processor->l1i_bytes = read_l1i(strcmp(processor->vendor, "AuthenticAMD") == 0);
	if (processor->l1i_bytes) {
		char word[32];

		snprintf(word, sizeof(word), "l1i-%lluk",
			(unsigned long long)(processor->l1i_bytes >> 10));
		processor_add(processor, word);
	}
	if (strcmp(processor->vendor, "AuthenticAMD") == 0)
		read_tlbs_amd(processor->dtlb);
	else
		read_tlbs_intel(processor->dtlb);
	for (unsigned i = 0; i < 3; i++) {
		unsigned regs[4];

		if (!__get_cpuid(0x80000002 + i, &regs[0], &regs[1], &regs[2], &regs[3]))
			break;
		memcpy(brand + i * 16, regs, 16);
	}
	name += strspn(name, " ");
	for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--)
		name[n - 1] = '\0';
	snprintf(machine->name, sizeof(machine->name), "%s, family %xh model %02xh",
		*name ? name : "x86-64", family, model);
}

static void ask_intel(struct pmu *pmu)
{
	unsigned a, b, c, d;

	/* CPUID leaf 0Ah gives the PMU's version, the number of counters per thread, their width,
	 * and the number of fixed counters. In a virtual machine without a PMU (performance
	 * monitoring unit), the PMU's version is 0. */
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

	/* Since Zen 4, CPUID leaf 8000_0022h gives the number of counters. Older AMD cores have six
	 * counters if they have the counter extension (8000_0001h ECX bit 23), otherwise four. */
	if (__get_cpuid(0x80000022, &a, &b, &c, &d) && (a & 1))
		pmu->counters = (int)(b & 0xf);
	else if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		pmu->counters = c >> 23 & 1 ? 6 : 4;
	pmu->width = 48;
}

void pmu_ask_processor(struct pmu *pmu)
{
	unsigned a, b, c, d;
	char vendor[13];

	if (__get_cpuid(1, &a, &b, &c, &d))
		pmu->guest = c >> 31 & 1;
	/* If the kernel has no PMU for the processor, the counters cannot be used. */
	if (pmu->name[0] == '\0')
		return;
	read_vendor(vendor);
	if (strcmp(vendor, "GenuineIntel") == 0)
		ask_intel(pmu);
	else if (strcmp(vendor, "AuthenticAMD") == 0)
		ask_amd(pmu);
}
