#include "engine/memory/memory_limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/machine/environment.h"

/* Control groups of version 1 report "no limit" as the largest 64-bit number of whole pages. A
 * control group's limit of at least this value means "no limit". */
static const int64_t endless = INT64_MAX / 2;

/* The names of the files of one control group version (1 or 2). */
struct version {
	const char *controller;		 /* key of the control group's line in /proc/self/cgroup */
	const char *mounts[2];		 /* directories in which control groups are mounted */
	const char *limit, *used, *stat; /* names of the control group's files for the limit, the
					    memory in use and the statistics */
	const char *cached; /* key in `stat` of the file cache that the kernel frees first */
};

static const struct version versions[] = {
	{ "", { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" }, "memory.max", "memory.current",
		"memory.stat", "inactive_file" },
	{ "memory", { "/sys/fs/cgroup/memory", NULL }, "memory.limit_in_bytes",
		"memory.usage_in_bytes", "memory.stat", "total_inactive_file" },
};

static void bound(struct memory_limits_memory *memory, enum memory_limits_bound by, int64_t limit,
	int64_t left)
{
	if (left < 0)
		left = 0;
	if ((uint64_t)left < memory->left)
		*memory = (struct memory_limits_memory){ (uint64_t)left, by, (uint64_t)limit };
}

/* Returns a number in a file of a control group; -1: the number is unknown. The parameter `key` is
 * as in system_quantity(); if it is NULL, the number is in the first line. */
static int64_t group_number(const char *root, const char *group, const char *file, const char *key)
{
	char path[SYSTEM_PATH];

	if (snprintf(path, sizeof(path), "%s/%s", group, file) >= (int)sizeof(path))
		return -1;
	return key ? system_quantity(root, path, key) : system_number(root, path, -1);
}

/* Lowers the memory limit to one control group's own limit. Inactive file cache counts as free
 * memory, because the kernel frees it first if memory is short. */
static void read_group(const struct version *version, const char *root, const char *group,
	struct memory_limits_memory *memory)
{
	int64_t limit = group_number(root, group, version->limit, NULL),
		used = group_number(root, group, version->used, NULL),
		cached = group_number(root, group, version->stat, version->cached);

	if (limit < 0 || limit >= endless || used < 0)
		return;
	if (cached > 0 && cached <= used)
		used -= cached;
	bound(memory, MEMORY_LIMITS_GROUP, limit, limit - used);
}

/* Reads the control group of this process and all parent groups: any of these groups may have the
 * limit. A container mounts only a part of the tree of groups, so the group's path may not exist
 * there. In a container that lacks its group's path, the mount point itself, which is read last, is
 * the group of this process. */
static void read_groups(
	const struct version *version, const char *root, struct memory_limits_memory *memory)
{
	char group[SYSTEM_PATH], path[SYSTEM_PATH];

	if (!system_value(root, "/proc/self/cgroup", version->controller, group, sizeof(group)))
		return;
	for (;;) {
		char *slash = strrchr(group, '/');

		/* The control group "/" is the mount point itself, so no path is added. */
		for (int i = 0; i < 2 && version->mounts[i]; i++)
			if (snprintf(path, sizeof(path), "%s%s", version->mounts[i],
				    group[0] && group[1] ? group : "") < (int)sizeof(path))
				read_group(version, root, path, memory);
		if (!slash || !group[1])
			return;
		slash[slash == group ? 1 : 0] = '\0';
	}
}

/* Applies a soft limit of /proc/self/limits, minus the memory in use (/proc/self/status). */
static void read_limit(const char *root, const char *name, const char *used_key,
	enum memory_limits_bound by, struct memory_limits_memory *memory)
{
	int64_t limit = system_quantity(root, "/proc/self/limits", name),
		used = system_quantity(root, "/proc/self/status", used_key);

	if (limit >= 0 && limit < INT64_MAX)
		bound(memory, by, limit, limit - (used > 0 ? used : 0));
}

struct memory_limits_memory memory_limits_memory(const char *root)
{
	struct memory_limits_memory memory = { .left = UINT64_MAX };
	int64_t available = system_quantity(root, "/proc/meminfo", "MemAvailable");

	if (available >= 0)
		memory.left = (uint64_t)available;
	else if (!*root)
		memory.left = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
		read_groups(&versions[i], root, &memory);
	read_limit(root, "Max address space", "VmSize", MEMORY_LIMITS_ADDRESSES, &memory);
	read_limit(root, "Max data size", "VmData", MEMORY_LIMITS_DATA, &memory);
	if (memory.left == UINT64_MAX)
		memory.left = 0;
	return memory;
}

const char *memory_limits_half(enum memory_limits_bound bound)
{
	static const char *const words[] = {
		[MEMORY_LIMITS_FREE] = "half of this machine's free memory",
		[MEMORY_LIMITS_GROUP] = "half of what the control group still allows",
		[MEMORY_LIMITS_ADDRESSES] = "half of what ulimit -v still allows",
		[MEMORY_LIMITS_DATA] = "half of what ulimit -d still allows",
	};

	return words[bound];
}

void memory_limits_words(const struct memory_limits_memory *memory, char *buffer, size_t size)
{
	struct units_text limit = units_size_long((int64_t)memory->limit);
	bool addresses = memory->bound == MEMORY_LIMITS_ADDRESSES;

	buffer[0] = '\0';
	if (memory->bound == MEMORY_LIMITS_GROUP)
		snprintf(buffer, size, "the control group allows %s", limit.text);
	else if (memory->bound != MEMORY_LIMITS_FREE)
		snprintf(buffer, size, "the process' limit of %s is %s (ulimit -%c)",
			addresses ? "address space" : "data", limit.text, addresses ? 'v' : 'd');
}
