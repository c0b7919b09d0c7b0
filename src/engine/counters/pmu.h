/* The kernel's performance monitoring unit (PMU) for a processor, and the settings that can block
 * its counters. Read from /sys and /proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu {
	char name[40];	 /* the kernel's name of the PMU: "cpu", "cpu_core", "armv8_pmuv3_0"; empty:
			    the kernel has no PMU for this processor */
	char serves[64]; /* the processors on which the PMU counts: "0-15"; empty: all processors,
			    or unknown */
	char others[80]; /* PMUs (performance monitoring units) of the machine's other kinds of
			    processors: "cpu_atom 16-23"; empty: the machine has one kind of
			    processor */
	uint32_t type;	 /* perf_event_attr's type of raw events */
	bool extended;	 /* true: the code of a generic event must also give the PMU type, in the
			    upper half of config */
	bool arm;	 /* true: the PMU uses the event numbers of the Arm architecture */
	uint64_t user_read; /* bits of config1 that request user-space reads; 0: no bits are needed,
			       or user-space reads are not allowed */
	int rdpmc;	  /* x86: the counters that user space may read. 0: no counters, 1: its own
			     counters, 2: all counters, -1: unknown */
	int user_access;  /* AArch64: the setting kernel.perf_user_access; -1: this kernel lacks the
			     setting */
	int nmi_watchdog; /* 1: the NMI watchdog uses a counter; 0: the watchdog uses no counter;
			     -1: unknown */
	int guest; /* 1: the processor reports a virtual machine; 0: the processor reports none; -1:
		      unknown */
	int paranoid;	     /* the setting kernel.perf_event_paranoid; -9: unknown */
	int counters, fixed; /* number of programmable hardware counters, and of counters with a
				fixed event; 0: unknown */
	int width;	     /* width in bits of a programmable hardware counter; 0: unknown */
};

/* Fills *pmu for processor `cpu` from the files below root ("": the real files). If root is "",
 * pmu_find() also calls pmu_ask_processor(), which asks the processor on which the caller runs. */
void pmu_find(struct pmu *pmu, const char *root, int cpu);

/* The PMU in words: "counts on cpu_core (processors 0-15), not on cpu_atom 16-23", or "counts on
 * cpu". The description of the PMU is empty if the processor has no PMU. */
void pmu_words(const struct pmu *pmu, char *buffer, size_t size);

/* Whether a list such as "0-7,9" contains a number. */
bool pmu_list_holds(const char *list, int number);

/* Fills the fields counters, fixed, width and guest. pmu_ask_processor() is defined in
 * machine/processor_x86.c and machine/processor_arm64.c. */
void pmu_ask_processor(struct pmu *pmu);
