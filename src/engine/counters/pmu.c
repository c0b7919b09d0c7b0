#include "engine/counters/pmu.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/machine/environment.h"

static const char devices[] = "/sys/bus/event_source/devices";

/* The value of PERF_TYPE_RAW in Linux: raw events for any core PMU. */
enum { TYPE_RAW = 4 };

bool pmu_list_holds(const char *list, int number)
{
	int low, high;

	while (system_range(&list, &low, &high))
		if (number >= low && number <= high)
			return true;
	return false;
}

/* Writes the path of a PMU's file to `path` and returns it. */
static const char *of(const char *name, const char *file, char path[SYSTEM_PATH])
{
	snprintf(path, SYSTEM_PATH, "%s/%s/%s", devices, name, file);
	return path;
}

/* Finds the core PMU that lists this processor in its file `cpus`. The core PMUs of hybrid machines
 * and of all Arm machines have a file `cpus`. Uncore PMUs have a file `cpumask` instead of `cpus`.
 */
static void find_listed(struct pmu *pmu, const char *root, int cpu)
{
	char path[SYSTEM_PATH], list[sizeof(pmu->serves)];
	struct dirent **entries;
	int count;

	if (snprintf(path, sizeof(path), "%s%s", root, devices) >= (int)sizeof(path))
		return;
	count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		size_t used = strlen(pmu->others);

		if (name[0] != '.' && strlen(name) < sizeof(pmu->name) &&
			system_line(root, of(name, "cpus", path), list, sizeof(list))) {
			if (pmu->name[0] == '\0' && pmu_list_holds(list, cpu)) {
				memcpy(pmu->name, name, strlen(name) + 1);
				memcpy(pmu->serves, list, sizeof(list));
			} else {
				snprintf(pmu->others + used, sizeof(pmu->others) - used, "%s%s %s",
					used ? ", " : "", name, list);
			}
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Returns a number in which the bit is set that the file names: "config1:1" gives 2. The result is
 * 0 if the file does not exist or does not name a bit. */
static uint64_t format_bit(const char *root, const char *path)
{
	char line[32];
	int bit, used = 0;

	if (!system_line(root, path, line, sizeof(line)) ||
		sscanf(line, "config1:%d%n", &bit, &used) != 1 || line[used] != '\0' || bit < 0 ||
		bit > 63)
		return 0;
	return UINT64_C(1) << bit;
}

void pmu_find(struct pmu *pmu, const char *root, int cpu)
{
	char path[SYSTEM_PATH];

	*pmu = (struct pmu){ .type = TYPE_RAW, .rdpmc = -1, .guest = -1 };
	pmu->paranoid = (int)system_number(root, "/proc/sys/kernel/perf_event_paranoid", -9);
	pmu->nmi_watchdog = (int)system_number(root, "/proc/sys/kernel/nmi_watchdog", -1);
	pmu->user_access = (int)system_number(root, "/proc/sys/kernel/perf_user_access", -1);
	find_listed(pmu, root, cpu);
	if (pmu->name[0] == '\0' && pmu->others[0] == '\0' &&
		system_has(root, of("cpu", "type", path)))
		snprintf(pmu->name, sizeof(pmu->name), "cpu");
	if (root[0] == '\0') {
		pmu_ask_processor(pmu);
		/* On a hybrid machine, the calling thread may run on another kind of processor,
		 * whose values would be wrong. */
		if (pmu->others[0] != '\0' && !pmu_list_holds(pmu->serves, sched_getcpu()))
			pmu->counters = pmu->fixed = pmu->width = 0;
	}
	if (pmu->name[0] == '\0')
		return;
	pmu->type = (uint32_t)system_number(root, of(pmu->name, "type", path), TYPE_RAW);
	/* On Arm machines, PMUs with other names use their own event numbers, for example Apple's
	 * PMUs. */
	pmu->arm = strncmp(pmu->name, "armv", 4) == 0;
	/* With one kind of processor the kernel finds the PMU itself, except on a hybrid x86
	 * machine with only one visible kind of processor. */
	pmu->extended = pmu->others[0] != '\0' ||
			(strncmp(pmu->name, "cpu", 3) == 0 && pmu->type != TYPE_RAW);
	pmu->rdpmc = (int)system_number(root, of(pmu->name, "rdpmc", path), -1);
	if (pmu->user_access == 1)
		pmu->user_read = format_bit(root, of(pmu->name, "format/rdpmc", path));
}

void pmu_words(const struct pmu *pmu, char *buffer, size_t size)
{
	bool several = pmu->others[0] != '\0';

	buffer[0] = '\0';
	if (pmu->name[0] == '\0')
		return;
	snprintf(buffer, size, "counts on %s%s%s%s%s%s", pmu->name,
		several && pmu->serves[0] ? " (processors " : "", several ? pmu->serves : "",
		several && pmu->serves[0] ? ")" : "", several ? ", not on " : "", pmu->others);
}
