/* See means.h. */
#include "engine/memory/memory_limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/machine/environment.h"

/* A number behind a key in a file of lines "key number" or "key: number"; -1 when there is none. */
static int64_t read_key(const char *root, const char *path, const char *key)
{
	FILE *file = system_open(root, path);
	size_t length = strlen(key);
	long long value = -1;
	char line[256];

	while (file && value < 0 && fgets(line, sizeof(line), file))
		if (strncmp(line, key, length) == 0 && strchr(": \t", line[length]) &&
			sscanf(line + length + strspn(line + length, ": \t"), "%lld", &value) != 1)
			value = -1;
	if (file)
		fclose(file);
	return value;
}

/* Version 1 says "no limit" by the largest number of whole pages. */
static const int64_t endless = INT64_MAX / 2;

/* The files of one version of control groups. */
struct version {
	const char *prefix;    /* of the group's line in /proc/self/cgroup, behind its number */
	const char *mounts[2]; /* where groups lie */
	const char *limit, *used, *stat; /* files of a group */
	const char *cached; /* the key in `stat` of what is given back when memory runs short */
};

static const struct version versions[] = {
	{ "::", { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" }, "memory.max", "memory.current",
		"memory.stat", "inactive_file" },
	{ ":memory:", { "/sys/fs/cgroup/memory", NULL }, "memory.limit_in_bytes",
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

static bool group_path(const char *group, const char *file, char path[SYSTEM_PATH])
{
	return snprintf(path, SYSTEM_PATH, "%s/%s", group, file) < SYSTEM_PATH;
}

/* One group's own limit. What it uses counts files that were read once and wait to be read again:
 * they go first. */
static void read_group(const struct version *version, const char *root, const char *group,
	struct memory_limits_memory *memory)
{
	char path[SYSTEM_PATH];
	int64_t limit, used, cached;

	if (!group_path(group, version->limit, path) || !system_number(root, path, &limit) ||
		limit >= endless)
		return;
	if (!group_path(group, version->used, path) || !system_number(root, path, &used))
		return;
	cached =
		group_path(group, version->stat, path) ? read_key(root, path, version->cached) : -1;
	if (cached > 0 && cached <= used)
		used -= cached;
	bound(memory, MEMORY_LIMITS_GROUP, limit, limit - used);
}

/* Walks up from our own group, as any of its parents may hold the limit. Where only a part of the
 * tree is mounted, as in a container, our own path leads nowhere, and the last step up is the group
 * we are in. */
static void read_groups(
	const struct version *version, const char *root, struct memory_limits_memory *memory)
{
	FILE *file = system_open(root, "/proc/self/cgroup");
	char line[SYSTEM_PATH], path[SYSTEM_PATH], *group = NULL;

	while (file && !group && fgets(line, sizeof(line), file)) {
		char *mark = line + strspn(line, "0123456789");

		if (strncmp(mark, version->prefix, strlen(version->prefix)) == 0)
			group = mark + strlen(version->prefix);
	}
	if (file)
		fclose(file);
	if (!group)
		return;
	group[strcspn(group, "\n")] = '\0';
	for (;;) {
		char *slash = strrchr(group, '/');

		/* "/" itself is the mount, without a slash. */
		for (int i = 0; i < 2 && version->mounts[i]; i++)
			if (snprintf(path, sizeof(path), "%s%s", version->mounts[i],
				    group[0] && group[1] ? group : "") < (int)sizeof(path))
				read_group(version, root, path, memory);
		if (!slash || !group[1])
			return;
		slash[slash == group ? 1 : 0] = '\0';
	}
}

/* A soft limit of /proc/self/limits, against what is used of it already (KiB in /proc/self/status).
 */
static void read_limit(const char *root, const char *name, const char *used_key,
	enum memory_limits_bound by, struct memory_limits_memory *memory)
{
	FILE *file = system_open(root, "/proc/self/limits");
	int64_t used = read_key(root, "/proc/self/status", used_key);
	long long limit = -1;
	char line[256];

	while (file && limit < 0 && fgets(line, sizeof(line), file))
		if (strncmp(line, name, strlen(name)) == 0 &&
			sscanf(line + strlen(name), " %lld", &limit) != 1)
			limit = -1;
	if (file)
		fclose(file);
	if (limit >= 0)
		bound(memory, by, limit, limit - (used > 0 ? used * 1024 : 0));
}

struct memory_limits_memory memory_limits_memory(const char *root)
{
	struct memory_limits_memory memory = { .left = UINT64_MAX };
	int64_t available = read_key(root, "/proc/meminfo", "MemAvailable");

	if (available >= 0)
		memory.left = (uint64_t)available * 1024;
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
	switch (bound) {
	case MEMORY_LIMITS_GROUP: return "half of what the control group still allows";
	case MEMORY_LIMITS_ADDRESSES: return "half of what ulimit -v still allows";
	case MEMORY_LIMITS_DATA: return "half of what ulimit -d still allows";
	default: return "half of this machine's free memory";
	}
}

void memory_limits_words(const struct memory_limits_memory *memory, char *buffer, size_t size)
{
	char limit[32];

	buffer[0] = '\0';
	units_bytes_long((int64_t)memory->limit, limit, sizeof(limit));
	if (memory->bound == MEMORY_LIMITS_GROUP)
		snprintf(buffer, size, "the control group allows %s", limit);
	else if (memory->bound != MEMORY_LIMITS_FREE)
		snprintf(buffer, size, "the process' limit of %s is %s (ulimit -%c)",
			memory->bound == MEMORY_LIMITS_ADDRESSES ? "address space" : "data", limit,
			memory->bound == MEMORY_LIMITS_ADDRESSES ? 'v' : 'd');
}
