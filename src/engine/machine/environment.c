#include "engine/machine/environment.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static FILE *open_file(const char *root, const char *path)
{
	char whole[SYSTEM_PATH];

	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >= (int)sizeof(whole))
		return NULL;
	return fopen(whole, "re");
}

/* Removes the newline at the end of a line and the blanks before the newline: some firmware pads
 * its strings. */
static void trim(char *line)
{
	size_t length = strcspn(line, "\n");

	while (length > 0 && line[length - 1] == ' ')
		length--;
	line[length] = '\0';
}

bool system_line(const char *root, const char *path, char *buffer, size_t size)
{
	FILE *file = open_file(root, path);
	char line[256] = "";

	if (file && !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	trim(line);
	snprintf(buffer, size, "%.*s", (int)size - 1, line);
	return line[0] != '\0';
}

int64_t system_number(const char *root, const char *path, int64_t otherwise)
{
	char line[32], *end;
	int64_t value;

	if (!system_line(root, path, line, sizeof(line)))
		return otherwise;
	errno = 0;
	value = strtoll(line, &end, 10);
	return end != line && *end == '\0' && errno == 0 ? value : otherwise;
}

bool system_has(const char *root, const char *path)
{
	char whole[SYSTEM_PATH];

	return snprintf(whole, sizeof(whole), "%s%s", root, path) < (int)sizeof(whole) &&
	       access(whole, F_OK) == 0;
}

bool system_value(const char *root, const char *path, const char *key, char *buffer, size_t size)
{
	FILE *file = open_file(root, path);
	char *line = NULL;
	size_t capacity = 0, length = strlen(key);
	bool found = false;

	buffer[0] = '\0';
	while (file && !found && getline(&line, &capacity, file) > 0) {
		size_t digits = strspn(line, "0123456789");
		const char *value = line + (digits > 0 && line[digits] == ':' ? digits + 1 : 0);

		if (strncmp(value, key, length) != 0 || !strchr(" \t:", value[length]))
			continue;
		trim(line);
		value += length;
		value += strspn(value, " \t");
		value += *value == ':';
		snprintf(buffer, size, "%s", value + strspn(value, " \t"));
		found = true;
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

int64_t system_quantity(const char *root, const char *path, const char *key)
{
	char value[80], *end;
	int64_t number;

	if (!system_value(root, path, key, value, sizeof(value)))
		return -1;
	number = strtoll(value, &end, 10);
	if (end == value)
		return strncmp(value, "unlimited", 9) == 0 ? INT64_MAX : -1;
	return strcmp(end, " kB") == 0 ? number * 1024 : number;
}

bool system_range(const char **list, int *low, int *high)
{
	int used = 0, count = sscanf(*list, "%d%n-%d%n", low, &used, high, &used);
	const char *end = *list + used;

	if (count == 1)
		*high = *low;
	if (count < 1 || *low < 0 || *high < *low || (*end && *end != ','))
		return false;
	*list = end + (*end == ',');
	return true;
}

bool system_is_guest(const char *root)
{
	char words[64];

	return system_has(root, "/proc/device-tree/hypervisor") ||
	       system_has(root, "/sys/hypervisor/type") ||
	       (system_line(root, "/proc/device-tree/compatible", words, sizeof(words)) &&
		       strcmp(words, "linux,dummy-virt") == 0);
}

void environment_read_core(struct environment *env, const char *root, int cpu)
{
	const struct {
		const char *file;
		char *to;
		size_t size;
	} rows[] = {
		{ "cpufreq/scaling_governor", env->governor, sizeof(env->governor) },
		{ "cpufreq/scaling_driver", env->frequency_driver, sizeof(env->frequency_driver) },
		{ "topology/thread_siblings_list", env->siblings, sizeof(env->siblings) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char path[96];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, rows[i].file);
		system_line(root, path, rows[i].to, rows[i].size);
	}
}

static void read_switches(struct environment *env, const char *root)
{
	int64_t off = system_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", -1),
		on = system_number(root, "/sys/devices/system/cpu/cpufreq/boost", -1),
		smt = system_number(root, "/sys/devices/system/cpu/smt/active", -1);

	env->turbo = off >= 0 ? off == 0 : on >= 0 ? on != 0 : -1;
	env->smt = smt >= 0 ? smt != 0 : -1;
}

static void read_hypervisor(struct environment *env, const char *root)
{
	/* Vendor names in the firmware, and the usual names of their hypervisors. `always` is false
	 * for vendors that also sell real machines; for these vendors, the processor's flag
	 * decides. */
	static const struct {
		const char *vendor, *name;
		bool always;
	} makers[] = {
		{ "QEMU", "KVM or QEMU", true },
		{ "KVM", "KVM", true },
		{ "VMware, Inc.", "VMware", true },
		{ "innotek GmbH", "VirtualBox", true },
		{ "Xen", "Xen", true },
		{ "Parallels", "Parallels", true },
		{ "OpenStack", "KVM (OpenStack)", true },
		{ "Amazon EC2", "KVM (Amazon EC2)", false },
		{ "Google", "KVM (Google Compute Engine)", false },
		{ "Microsoft Corporation", "Hyper-V", false },
	};
	char flags[4096], vendor[80], clock[64], *name = env->hypervisor_name;
	const size_t size = sizeof(env->hypervisor_name);

	/* On x86 a CPU flag shows a hypervisor; on other systems the device tree shows it. */
	if (system_value(root, "/proc/cpuinfo", "flags", flags, sizeof(flags)))
		env->hypervisor = strstr(flags, " hypervisor") != NULL;
	else if (system_is_guest(root))
		env->hypervisor = 1;
	if (env->hypervisor == 0)
		return;
	system_line(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		if (strncmp(vendor, makers[i].vendor, strlen(makers[i].vendor)) != 0)
			continue;
		if (makers[i].always)
			env->hypervisor = 1;
		if (env->hypervisor == 1)
			snprintf(name, size, "%s", makers[i].name);
		return;
	}
	if (env->hypervisor != 1 || system_line(root, "/sys/hypervisor/type", name, 41))
		return;
	system_line(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
		clock, sizeof(clock));
	snprintf(name, size, "%s",
		strstr(clock, "kvm-clock") ? "KVM"
		: strstr(clock, "hyperv")  ? "Hyper-V"
					   : "");
}

/* Reads the limits of this process's control group, version 2 (the line "0::/…"), below
 * /sys/fs/cgroup. Inside a container, the path of the control group is often "/". */
static void read_group(struct environment *env, const char *root)
{
	char path[SYSTEM_PATH], group[256], value[64];
	long long quota, period;

	system_value(root, "/proc/self/cgroup", "", group, sizeof(group));
	if (strcmp(group, "/") == 0)
		group[0] = '\0';
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group);
	if (system_line(root, path, value, sizeof(value)) &&
		sscanf(value, "%lld %lld", &quota, &period) == 2 && period > 0)
		env->quota = (double)quota / (double)period;
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
	env->memory_limit = system_number(root, path, -1);
	env->container = system_has(root, "/.dockerenv") || system_has(root, "/run/.containerenv");
}

void environment_read(struct environment *env, const char *root)
{
	static const char meminfo[] = "/proc/meminfo";
	char line[128], *open;

	*env = (struct environment){ .hypervisor = -1, .quota = NAN, .load = NAN };
	env->paranoid = (int)system_number(root, "/proc/sys/kernel/perf_event_paranoid", -9);
	system_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		env->clocksource, sizeof(env->clocksource));
	read_switches(env, root);
	read_hypervisor(env, root);
	system_line(root, "/sys/devices/system/cpu/online", env->online, sizeof(env->online));
	system_line(root, "/sys/devices/system/cpu/isolated", env->isolated, sizeof(env->isolated));
	system_value(
		root, "/proc/self/status", "Cpus_allowed_list", env->allowed, sizeof(env->allowed));
	read_group(env, root);
	if (system_line(root, "/proc/loadavg", line, sizeof(line)))
		sscanf(line, "%lf", &env->load);
	/* The word in brackets, for example in "always [madvise] never". */
	if (system_line(root, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line)) &&
		(open = strchr(line, '[')))
		snprintf(env->thp, sizeof(env->thp), "%.*s", (int)strcspn(open + 1, "]"), open + 1);
	env->huge_reserved = system_quantity(root, meminfo, "HugePages_Total");
	env->huge_free = system_quantity(root, meminfo, "HugePages_Free");
	env->memory_total = system_quantity(root, meminfo, "MemTotal");
	env->memory_available = system_quantity(root, meminfo, "MemAvailable");
	env->locked_limit = system_quantity(root, "/proc/self/limits", "Max locked memory");
}

void environment_times(struct cpu_times *times, const char *root, int cpu)
{
	char key[16] = "cpu", line[256], *at = line, *end;
	uint64_t t[8];

	*times = (struct cpu_times){ 0 };
	if (cpu >= 0)
		snprintf(key, sizeof(key), "cpu%d", cpu);
	system_value(root, "/proc/stat", key, line, sizeof(line));
	/* Fields of /proc/stat by proc(5): user nice system idle iowait irq softirq steal … */
	for (int i = 0; i < 8; i++, at = end) {
		t[i] = strtoull(at, &end, 10);
		if (end == at)
			return;
	}
	*times = (struct cpu_times){ .known = true,
		.busy = t[0] + t[1] + t[2] + t[5] + t[6],
		.idle = t[3] + t[4],
		.steal = t[7] };
}

double environment_runnable(const char *root)
{
	char line[80];
	double threads;

	/* By proc(5): three load averages, runnable/all threads, and the last process id. */
	return system_line(root, "/proc/loadavg", line, sizeof(line)) &&
			       sscanf(line, "%*f %*f %*f %lf/", &threads) == 1 && threads >= 1
		       ? threads
		       : (double)NAN;
}

int environment_counter_error(void)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0ul);

	if (descriptor < 0)
		return errno;
	close((int)descriptor);
	return 0;
}

int environment_list_count(const char *list)
{
	int count = 0, low, high;

	while (system_range(&list, &low, &high))
		count += high - low + 1;
	return *list ? 0 : count;
}
