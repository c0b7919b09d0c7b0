/* Which of the kernel's PMUs serves a processor, and what hinders its counters: read
 * from /sys and /proc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu {
	char name[40]; /* as the kernel calls it: "cpu", "cpu_core", "armv8_pmuv3_0"; empty: it has
			  none for this processor */
	char serves[64]; /* the processors that it counts on, as "0-15"; empty: all, or not known */
	char others[80]; /* those that count on the machine's other kinds of processors: "cpu_atom
			    16-23"; empty: one kind */
	uint32_t type;	 /* perf_event_attr's type of raw events */
	bool extended;	 /* the kernel's generic events must name the type too, in the upper half of
			    config */
	bool arm;	 /* one that counts by the numbers that Arm's architecture gives events */
	uint64_t user_read; /* bits of config1 that ask for reading in user space; 0: none are
			       needed, or it is not allowed */
	int rdpmc; /* x86: whether user space may read counters: 0 no, 1 its own, 2 all; -1 unknown
		    */
	int user_access;  /* AArch64: kernel.perf_user_access; -1: there is no such switch */
	int nmi_watchdog; /* 1: it holds a counter; 0: it does not; -1 unknown */
	int guest;    /* 1: the processor says that it is a virtual machine's; 0: it does not; -1
			 unknown */
	int paranoid; /* kernel.perf_event_paranoid; -9 unknown */
	int counters, fixed; /* programmable ones, and those of one event each, where the processor
				tells; else 0 */
	int width;	     /* bits of a programmable counter; 0: not known */
};

/* What the files below root ("": the real ones) say of a processor. The figures of counters, fixed
 * and width, and whether this is a guest, are asked of the processor that the caller runs on, and
 * only for the real root. */
void pmu_find(struct pmu *pmu, const char *root, int cpu);

/* "counts on cpu_core (processors 0-15), not on cpu_atom 16-23", "counts on cpu". Empty without a
 * PMU. */
void pmu_words(const struct pmu *pmu, char *buffer, size_t size);

/* Whether a list as "0-7,9" holds a number. */
bool pmu_list_holds(const char *list, int number);

/* Fills counters, fixed, width and guest. machine/processor_x86.c, machine/processor_arm64.c. */
void pmu_ask_processor(struct pmu *pmu);
