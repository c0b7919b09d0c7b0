#include "engine/machine/environment.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

FILE *system_open(const char *root, const char *path)
{
	char whole[SYSTEM_PATH];

	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >= (int)sizeof(whole))
		return NULL;
	return fopen(whole, "re");
}

bool system_line(const char *root, const char *path, char *buffer, size_t size)
{
	FILE *file = system_open(root, path);
	char line[256] = "";

	buffer[0] = '\0';
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	/* Some firmware pads its strings. */
	for (size_t length = strlen(line); length && line[length - 1] == ' ';)
		line[--length] = '\0';
	snprintf(buffer, size, "%.*s", (int)size - 1, line);
	return line[0] != '\0';
}

bool system_number(const char *root, const char *path, int64_t *value)
{
	char line[32], *end;

	if (!system_line(root, path, line, sizeof(line)))
		return false;
	errno = 0;
	*value = strtoll(line, &end, 10);
	return end != line && *end == '\0' && errno == 0;
}

bool system_has(const char *root, const char *path)
{
	char whole[SYSTEM_PATH];

	return snprintf(whole, sizeof(whole), "%s%s", root, path) < (int)sizeof(whole) &&
	       access(whole, F_OK) == 0;
}

/* What follows "KEY:" in a file of such lines, without blanks around. */
static bool read_field(
	const char *root, const char *path, const char *key, char *buffer, size_t size)
{
	FILE *file = system_open(root, path);
	char *line = NULL;
	size_t capacity = 0, length = strlen(key);
	bool found = false;

	buffer[0] = '\0';
	if (!file)
		return false;
	while (!found && getline(&line, &capacity, file) > 0) {
		const char *value = line + length;

		if (strncmp(line, key, length) != 0)
			continue;
		value += strspn(value, " \t");
		if (*value++ != ':')
			continue;
		value += strspn(value, " \t");
		snprintf(buffer, size, "%.*s", (int)strcspn(value, "\n"), value);
		found = true;
	}
	free(line);
	fclose(file);
	return found;
}

/* "MemTotal:  123 kB" in bytes, or -1. */
static int64_t read_memory(const char *root, const char *key, int64_t unit)
{
	char value[32];

	if (!read_field(root, "/proc/meminfo", key, value, sizeof(value)))
		return -1;
	return strtoll(value, NULL, 10) * unit;
}

/* The word in brackets of "always [madvise] never". */
static void read_choice(const char *root, const char *path, char *buffer, size_t size)
{
	char line[128], *open;

	buffer[0] = '\0';
	if (!system_line(root, path, line, sizeof(line)))
		return;
	open = strchr(line, '[');
	if (open)
		snprintf(buffer, size, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
}

void environment_read_core(struct environment *env, const char *root, int cpu)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
	system_line(root, path, env->governor, sizeof(env->governor));
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_driver", cpu);
	system_line(root, path, env->frequency_driver, sizeof(env->frequency_driver));
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		cpu);
	system_line(root, path, env->siblings, sizeof(env->siblings));
}

static void read_switches(struct environment *env, const char *root)
{
	int64_t value;

	if (system_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", &value))
		env->turbo = value == 0;
	else if (system_number(root, "/sys/devices/system/cpu/cpufreq/boost", &value))
		env->turbo = value != 0;
	if (system_number(root, "/sys/devices/system/cpu/smt/active", &value))
		env->smt = value != 0;
}

static void read_hypervisor(struct environment *env, const char *root)
{
	/* What firmware says, and how people call it. The makers of real machines too are told by
	 * the processor's flag only. */
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
	char flags[4096], vendor[80], clock[64];

	/* x86 tells by a flag; elsewhere the device tree does, where there is one. */
	if (read_field(root, "/proc/cpuinfo", "flags", flags, sizeof(flags)))
		env->hypervisor = strstr(flags, " hypervisor") != NULL;
	else if (system_has(root, "/proc/device-tree/hypervisor") ||
		 system_has(root, "/sys/hypervisor/type") ||
		 (system_line(root, "/proc/device-tree/compatible", vendor, sizeof(vendor)) &&
			 strcmp(vendor, "linux,dummy-virt") == 0))
		env->hypervisor = 1;
	system_line(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	system_line(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
		clock, sizeof(clock));
	if (env->hypervisor == 0)
		return;
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		if (strncmp(vendor, makers[i].vendor, strlen(makers[i].vendor)) != 0)
			continue;
		if (makers[i].always)
			env->hypervisor = 1;
		if (env->hypervisor == 1)
			snprintf(env->hypervisor_name, sizeof(env->hypervisor_name), "%s",
				makers[i].name);
		return;
	}
	if (env->hypervisor == 1 &&
		system_line(root, "/sys/hypervisor/type", vendor, sizeof(vendor)))
		snprintf(env->hypervisor_name, sizeof(env->hypervisor_name), "%.40s", vendor);
	else if (env->hypervisor == 1 && strstr(clock, "kvm-clock"))
		snprintf(env->hypervisor_name, sizeof(env->hypervisor_name), "KVM");
	else if (env->hypervisor == 1 && strstr(clock, "hyperv"))
		snprintf(env->hypervisor_name, sizeof(env->hypervisor_name), "Hyper-V");
}

/* The directory of this process' control group below /sys/fs/cgroup, version 2 ("0::/…"). Inside a
 * container it is often "/". */
static void read_group(struct environment *env, const char *root)
{
	FILE *file = system_open(root, "/proc/self/cgroup");
	char line[256], path[SYSTEM_PATH], group[256] = "", value[64];
	long long quota, period;

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) == 0)
			snprintf(group, sizeof(group), "%s", line + 3);
	}
	if (file)
		fclose(file);
	if (strcmp(group, "/") == 0)
		group[0] = '\0';
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group);
	if (system_line(root, path, value, sizeof(value)) &&
		sscanf(value, "%lld %lld", &quota, &period) == 2 && period > 0)
		env->quota = (double)quota / (double)period;
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
	if (!system_number(root, path, &env->memory_limit))
		env->memory_limit = -1;
	env->container = system_has(root, "/.dockerenv") || system_has(root, "/run/.containerenv");
}

static int64_t read_locked_limit(const char *root)
{
	static const char key[] = "Max locked memory";
	FILE *file = system_open(root, "/proc/self/limits");
	char line[256];
	int64_t limit = -1;

	while (file && fgets(line, sizeof(line), file)) {
		const char *value = line + strlen(key);

		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		value += strspn(value, " ");
		limit = strncmp(value, "unlimited", 9) == 0 ? INT64_MAX : strtoll(value, NULL, 10);
	}
	if (file)
		fclose(file);
	return limit;
}

void environment_read(struct environment *env, const char *root)
{
	char line[64];
	int64_t value;

	*env = (struct environment){
		.paranoid = -9, .turbo = -1, .smt = -1, .hypervisor = -1, .quota = NAN, .load = NAN
	};
	if (system_number(root, "/proc/sys/kernel/perf_event_paranoid", &value))
		env->paranoid = (int)value;
	system_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		env->clocksource, sizeof(env->clocksource));
	read_switches(env, root);
	read_hypervisor(env, root);
	system_line(root, "/sys/devices/system/cpu/online", env->online, sizeof(env->online));
	system_line(root, "/sys/devices/system/cpu/isolated", env->isolated, sizeof(env->isolated));
	read_field(
		root, "/proc/self/status", "Cpus_allowed_list", env->allowed, sizeof(env->allowed));
	read_group(env, root);
	if (system_line(root, "/proc/loadavg", line, sizeof(line))) {
		char *end;
		double load = strtod(line, &end);

		if (end != line)
			env->load = load;
	}
	read_choice(
		root, "/sys/kernel/mm/transparent_hugepage/enabled", env->thp, sizeof(env->thp));
	env->huge_reserved = read_memory(root, "HugePages_Total", 1);
	env->huge_free = read_memory(root, "HugePages_Free", 1);
	env->memory_total = read_memory(root, "MemTotal", 1024);
	env->memory_available = read_memory(root, "MemAvailable", 1024);
	env->locked_limit = read_locked_limit(root);
}

void environment_times(struct cpu_times *times, const char *root, int cpu)
{
	FILE *file = system_open(root, "/proc/stat");
	char key[16] = "cpu", name[16], *line = NULL;
	size_t capacity = 0;

	*times = (struct cpu_times){ 0 };
	if (!file)
		return;
	if (cpu >= 0)
		snprintf(key, sizeof(key), "cpu%d", cpu);
	/* proc(5): user nice system idle iowait irq softirq steal … */
	while (!times->known && getline(&line, &capacity, file) > 0) {
		uint64_t t[8];

		if (sscanf(line,
			    "%15s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			    " %" SCNu64 " %" SCNu64 " %" SCNu64,
			    name, &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 9 ||
			strcmp(name, key) != 0)
			continue;
		times->known = true;
		times->busy = t[0] + t[1] + t[2] + t[5] + t[6];
		times->idle = t[3] + t[4];
		times->steal = t[7];
	}
	free(line);
	fclose(file);
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
	int count = 0;

	while (*list) {
		int low, high, used = 0;

		if (sscanf(list, "%d-%d%n", &low, &high, &used) == 2 && used) {
			if (low < 0 || high < low)
				return 0;
			count += high - low + 1;
		} else if (sscanf(list, "%d%n", &low, &used) == 1 && low >= 0) {
			count++;
		} else {
			return 0;
		}
		list += used;
		if (*list == ',')
			list++;
		else if (*list)
			return 0;
	}
	return count;
}
