/* Who this computer is. */
#include "engine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/identify.h"
#include "engine/topology.h"

struct means machine_means(const struct machine *machine)
{
	return (struct means){ .memory = machine->memory_limit, .processors = machine->processors };
}

uint64_t machine_cache(const struct machine *machine, int level)
{
	for (int i = 0; i < machine->cache_count; i++)
		if (machine->cache[i].level == level)
			return machine->cache[i].bytes;
	return 0;
}

uint64_t machine_last_cache(const struct machine *machine)
{
	return machine->cache_count > 0 ? machine->cache[machine->cache_count - 1].bytes : 0;
}

const char *const processor_features[] = {
	"avx2", "avx512f", "avx512fp16", "avx-vnni", "amx-tile", "amx-fp16", "hybrid-e", NULL,
};

void processor_add(struct processor *processor, const char *feature)
{
	size_t used = strlen(processor->features);

	if (used + strlen(feature) + 3 <= sizeof(processor->features))
		snprintf(processor->features + used, sizeof(processor->features) - used, "%s%s ", used ? "" : " ", feature);
}

bool processor_has(const struct processor *processor, const char *feature)
{
	size_t length = strlen(feature);

	for (const char *at = processor->features; length && (at = strstr(at, feature)) != NULL; at += length)
		if (at > processor->features && at[-1] == ' ' && at[length] == ' ')
			return true;
	return false;
}

/* A number behind a key in a file of lines "key: number"; -1 when there is none. */
static long long read_number(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	char line[256];
	long long value = -1;

	if (!file)
		return -1;
	while (value < 0 && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		if (sscanf(line + strlen(key), "%lld", &value) != 1)
			value = -1;
	}
	fclose(file);
	return value;
}

/* The control group's remaining allowance in bytes; INT64_MAX when there is no limit. Walks up from our own group, as
 * any of its parents may hold the limit. */
static int64_t group_allowance(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[512], path[700];
	int64_t least = INT64_MAX;
	char *group = NULL, *slash;

	if (!file)
		return least;
	while (!group && fgets(line, sizeof(line), file))
		if (strncmp(line, "0::", 3) == 0)
			group = line + 3;
	fclose(file);
	if (!group)
		return least;
	group[strcspn(group, "\n")] = '\0';
	for (;;) {
		long long limit, used;

		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
		limit = read_number(path, "");
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.current", group);
		used = read_number(path, "");
		if (limit >= 0 && used >= 0 && limit - used < least)
			least = limit > used ? limit - used : 0;
		slash = strrchr(group, '/');
		if (!slash || group[0] == '\0')
			break;
		*slash = '\0';
	}
	return least;
}

static uint64_t memory_limit(void)
{
	long long available = read_number("/proc/meminfo", "MemAvailable:");
	int64_t group = group_allowance();
	int64_t bytes = available < 0 ? (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE) :
		(int64_t)available * 1024;

	if (group < bytes)
		bytes = group;
	return (uint64_t)bytes / 2;
}

/* Whether somebody who started this process took huge pages from it: a service manager, a container. 1 is the whole
 * answer; newer kernels add flags for "except where asked for", which is what arenas do (PR_SET_THP_DISABLE(2const)). */
static bool huge_pages_disabled(void)
{
	return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
}

static void read_huge_pages(struct machine *machine)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	char line[64] = "";

	machine->huge_pages = false;
	if (!file) {
		snprintf(machine->huge_note, sizeof(machine->huge_note),
			"this kernel has no transparent huge pages");
		return;
	}
	if (!fgets(line, sizeof(line), file) || strstr(line, "[never]"))
		snprintf(machine->huge_note, sizeof(machine->huge_note),
			"transparent huge pages are switched off (\"never\")");
	else if (huge_pages_disabled())
		snprintf(machine->huge_note, sizeof(machine->huge_note),
			"transparent huge pages are disabled for this process");
	else
		machine->huge_pages = true;
	fclose(file);
}

void machine_identify(struct machine *machine)
{
	struct utsname system;

	if (uname(&system) == 0) {
		snprintf(machine->host, sizeof(machine->host), "%.63s", system.nodename);
		snprintf(machine->arch, sizeof(machine->arch), "%.15s", system.machine);
	}
	identify_processor(machine);
	machine->memory_limit = memory_limit();
	read_huge_pages(machine);
}

void machine_survey(struct machine *machine)
{
	struct status status;
	struct topology *topology = topology_load(&status);

	if (!topology)
		return;
	machine->processors = topology_processors(topology);
	status = topology_choose(topology, -1, -1, &machine->cpu);
	if (status_is_ok(&status))
		machine->cache_count = topology_caches(topology, machine->cpu, machine->cache);
	topology_free(topology);
}
