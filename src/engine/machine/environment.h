/* What the system says about this computer and this process: facts for doctor, read from /proc and
 * /sys.
 *
 * Each reader takes the root below which those lie ("" for the real ones), so that tests bring
 * their own. A fact that cannot be read is -1, NAN or an empty string: unknown, never a default. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- small files below /proc and /sys */

enum { SYSTEM_PATH = 512 };

/* The first line without its end and the blanks before that, cut to size. Returns false and an
 * empty string when there is none. */
bool system_line(const char *root, const char *path, char *buffer, size_t size);

/* A decimal number that is all of the first line. */
bool system_number(const char *root, const char *path, int64_t *value);

bool system_has(const char *root, const char *path);

/* The text after KEY, blanks and a colon, in the first such line of a file. Lines may begin with a
 * number and a colon, as those of /proc/self/cgroup. False and an empty string: there is none. */
bool system_value(const char *root, const char *path, const char *key, char *buffer, size_t size);

/* The number that begins such a text: INT64_MAX for "unlimited", -1: none. */
int64_t system_quantity(const char *root, const char *path, const char *key);

/* Reads the next range of a list as "0-7,9", and moves *list to the rest. False: at the end, where
 * *list is "", or malformed. */
bool system_range(const char **list, int *low, int *high);

/* Whether the device tree or the kernel says that this is a virtual machine: not known on x86. */
bool system_is_guest(const char *root);

/* ---- facts */

/* Time of one core since the start, in ticks of /proc/stat (10 ms on most systems). */
struct cpu_times {
	bool known;
	uint64_t busy;	/* user, nice, system, irq, softirq */
	uint64_t idle;	/* idle, iowait */
	uint64_t steal; /* wanted to run, and the hypervisor ran somebody else */
};

struct environment {
	int paranoid;	      /* kernel.perf_event_paranoid; -9: unknown */
	char clocksource[32]; /* that the kernel keeps time with: "tsc", "kvm-clock" */

	/* Of one core: environment_read_core(). */
	char governor[32]; /* empty: no cpufreq here */
	char frequency_driver[32];
	char siblings[64]; /* its hardware threads, itself included: "3,19" */

	int turbo; /* 1 allowed, 0 not, -1 unknown */
	int smt;   /* 1 active, 0 off or not there, -1 unknown */

	int hypervisor; /* 1 the processor says that it is virtual, 0 it does not, -1 unknown */
	char hypervisor_name[80]; /* "KVM", "VMware, Inc. VMware Virtual Platform"; empty: unknown
				   */
	bool container;		  /* in a container, as far as one can tell */

	char online[64];   /* lists of processors, as "0-7,9" */
	char allowed[64];  /* that the calling thread may run on */
	char isolated[64]; /* kept free of other tasks; empty: none */
	double quota; /* cores' worth of time that the control group may use; NAN: no limit known */
	double load;  /* tasks running or waiting, average of the last minute; NAN unknown */

	char thp[16];	       /* transparent huge pages: "always", "madvise", "never" */
	int64_t huge_reserved; /* huge pages reserved with sysctl vm.nr_hugepages; -1 unknown */
	int64_t huge_free;     /* of these, free */
	int64_t memory_total;  /* bytes; -1 unknown */
	int64_t memory_available;
	int64_t memory_limit; /* of the control group; -1: none known */
	int64_t locked_limit; /* bytes that may be locked, soft limit; -1 unknown, INT64_MAX
				 unlimited */
};

/* Reads everything but the facts of one core, which become unknown. To learn what is allowed to the
 * process, call it before the thread is bound anywhere. */
void environment_read(struct environment *env, const char *root);

/* Adds the facts of one core. */
void environment_read_core(struct environment *env, const char *root, int cpu);

/* Time of one core (-1: of all together). */
void environment_times(struct cpu_times *times, const char *root, int cpu);

/* Whether this process may open a counter of core cycles: 0, or the errno of perf_event_open(). */
int environment_counter_error(void);

/* How many processors a list as "0-7,9" names; 0 for an empty or malformed one. */
int environment_list_count(const char *list);
