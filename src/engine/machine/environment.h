/* Facts about this computer and this process for the subcommand `doctor`, read from /proc and /sys.
 *
 * Each reader takes a root directory that contains /proc and /sys: "" for the real system, a test
 * directory in tests. A fact that cannot be read is unknown: its value is -1, NAN or an empty
 * string. Facts have no default values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- small files below /proc and /sys */

enum { SYSTEM_PATH = 512 };

/* Reads the first line of a file without its newline and trailing blanks, cut to `size`. Returns
 * false and an empty string if the line is empty or the file is missing. */
bool system_line(const char *root, const char *path, char *buffer, size_t size);

/* Reads a number from a file whose first line is one decimal number. Returns `otherwise` if the
 * line is not a decimal number. */
int64_t system_number(const char *root, const char *path, int64_t otherwise);

bool system_has(const char *root, const char *path);

/* Reads the text after KEY, blanks and a colon, from the first line of the file that has this form.
 * Lines with the searched KEY may begin with a number and a colon, as in /proc/self/cgroup. Returns
 * false and an empty string if no line of the file has the form KEY: text. */
bool system_value(const char *root, const char *path, const char *key, char *buffer, size_t size);

/* Returns the number at the start of the text that system_value() reads. A number with the unit kB
 * is converted to bytes. Returns INT64_MAX for "unlimited", and -1 if the text has no number. */
int64_t system_quantity(const char *root, const char *path, const char *key);

/* Reads the next range of a list such as "0-7,9", and moves *list past it. Returns false at the end
 * of the list of ranges, where *list is "", and for a malformed list. */
bool system_range(const char **list, int *low, int *high);

/* Whether the device tree or the kernel reports a virtual machine. Not reliable on x86. */
bool system_is_guest(const char *root);

/* ---- facts */

/* Time of one processor since the system start, in ticks of /proc/stat (10 ms on most systems). */
struct cpu_times {
	bool known;
	uint64_t busy;	/* time in user, nice, system, irq, softirq */
	uint64_t idle;	/* time in idle and iowait */
	uint64_t steal; /* time in which a program was ready to run, but the hypervisor ran another
			   guest */
};

struct environment {
	int paranoid;	      /* the setting kernel.perf_event_paranoid; -9: unknown */
	char clocksource[32]; /* the kernel's clock source: "tsc", "kvm-clock" */

	/* Facts of one core, read by environment_read_core(). */
	char governor[32]; /* frequency governor; empty: this machine has no cpufreq */
	char frequency_driver[32];
	char siblings[64]; /* list of all hardware threads of the core: "3,19" */

	int turbo; /* turbo frequencies: 1: allowed, 0: not allowed, -1: unknown */
	int smt;   /* hyper-threading (SMT): 1: active, 0: off or not present, -1: unknown */

	int hypervisor; /* 1: the processor reports a hypervisor, 0: the processor reports none, -1:
			   unknown */
	char hypervisor_name[80]; /* "KVM", "VMware, Inc. VMware Virtual Platform"; empty: unknown
				   */
	bool container; /* true: this process runs in a container, which was detected by its marker
			   files */

	char online[64];   /* processors that are online: "0-7,9" */
	char allowed[64];  /* processors that the calling thread may use */
	char isolated[64]; /* processors that the scheduler keeps free of tasks; empty: no
			      processors */
	double quota;	   /* processor time that the control group may use, in cores; NAN: no known
			      limit */
	double load; /* number of tasks running or waiting, mean of the last minute; NAN: unknown */

	char thp[16];	       /* transparent huge pages: "always", "madvise", "never" */
	int64_t huge_reserved; /* number of huge pages reserved with sysctl vm.nr_hugepages; -1:
				  unknown */
	int64_t huge_free;     /* number of reserved huge pages that are free; -1: unknown */
	int64_t memory_total;  /* bytes of memory; -1: unknown */
	int64_t memory_available;
	int64_t memory_limit; /* memory limit of the control group, bytes; -1: no known limit */
	int64_t locked_limit; /* bytes that this process may lock (soft limit); -1: unknown,
				 INT64_MAX: unlimited */
};

/* Reads all facts except the facts of one core, which become unknown. Call environment_read()
 * before the thread is bound to a core; otherwise the field `allowed` (usable processors) shows
 * only that core. */
void environment_read(struct environment *env, const char *root);

/* Reads the facts of one core. */
void environment_read_core(struct environment *env, const char *root, int cpu);

/* Reads the time of processor `cpu`, or of all processors together if cpu is -1. */
void environment_times(struct cpu_times *times, const char *root, int cpu);

/* Returns the number of threads on this machine that run or are ready to run; NAN: unknown. */
double environment_runnable(const char *root);

/* Tries to open a counter of core cycles. Returns 0 if a counter could be opened, otherwise the
 * errno of perf_event_open(). */
int environment_counter_error(void);

/* The number of processors in a list such as "0-7,9"; 0 for an empty or malformed list. */
int environment_list_count(const char *list);
