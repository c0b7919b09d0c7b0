/* Identifies this computer. */
#include "engine/machine/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "engine/machine/environment.h"
#include "engine/machine/topology.h"

struct memory_limits machine_means(const struct machine *machine)
{
	return (struct memory_limits){ .memory = machine->memory_limit,
		.processors = machine->processors,
		.node_end = machine->node_end,
		.bound = machine->memory_bound };
}

uint64_t machine_cache(const struct machine *machine, int level)
{
	for (int i = 0; i < machine->cache_count; i++)
		if (machine->cache[i].level == level)
			return machine->cache[i].bytes;
	return 0;
}

uint64_t machine_own_caches(const struct machine *machine)
{
	const uint64_t least = 256 << 10;
	uint64_t first = machine_cache(machine, 1), second = machine_cache(machine, 2);

	return second ? second : first ? first : least;
}

uint64_t machine_last_cache(const struct machine *machine)
{
	return machine->cache_count > 0 ? machine->cache[machine->cache_count - 1].bytes : 0;
}

const char *const processor_features[] = {
	"avx2",
	"avx512f",
	"avx512fp16",
	"avx-vnni",
	"amx-tile",
	"amx-fp16",
	"hybrid-e",
	NULL,
};

bool processor_has(const struct processor *processor, const char *feature)
{
	size_t length = strlen(feature);

	for (const char *at = processor->features; length && (at = strstr(at, feature)) != NULL;
		at += length)
		if (at > processor->features && at[-1] == ' ' && at[length] == ' ')
			return true;
	return false;
}

/* Sets the memory limit to half of the available memory; other programs may need the rest. The
 * memory limit is at least 4 MiB, so that the smallest working sets can always be measured. */
static void read_memory(struct machine *machine)
{
	const uint64_t least = 4 << 20;
	struct memory_limits_memory memory = memory_limits_memory("");

	machine->memory_limit = memory.left / 2 > least ? memory.left / 2 : least;
	machine->memory_bound = memory.bound;
	memory_limits_words(&memory, machine->memory_note, sizeof(machine->memory_note));
}

static void read_huge_pages(struct machine *machine)
{
	char line[64];
	const char *why = "";

	/* PR_GET_THP_DISABLE is 1 if a service manager or a container disabled huge pages for this
	 * process. Newer kernels add flag bits to the 1 of PR_GET_THP_DISABLE if madvise() still
	 * gets huge pages. The memory of working sets (arenas) gets its huge pages by madvise(). */
	if (!system_has("", "/sys/kernel/mm/transparent_hugepage/enabled"))
		why = "this kernel was built without transparent huge pages";
	else if (!system_line(
			 "", "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line)) ||
		 strstr(line, "[never]"))
		why = "huge pages are switched off (/sys/kernel/mm/transparent_hugepage/enabled "
		      "is never)";
	else if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
		why = "huge pages are switched off for this process (PR_SET_THP_DISABLE)";
	machine->huge_pages = !*why;
	snprintf(machine->huge_note, sizeof(machine->huge_note), "%s", why);
}

void machine_identify(struct machine *machine)
{
	struct utsname system;

	if (uname(&system) == 0) {
		snprintf(machine->host, sizeof(machine->host), "%.63s", system.nodename);
		snprintf(machine->arch, sizeof(machine->arch), "%.15s", system.machine);
	}
	identify_processor(machine);
	system_value("", "/proc/cpuinfo", "microcode", machine->processor.microcode,
		sizeof(machine->processor.microcode));
	read_memory(machine);
	read_huge_pages(machine);
}

void machine_survey(struct machine *machine)
{
	struct status status;
	struct topology *topology = topology_load(&status);

	if (!topology)
		return;
	machine->processors = topology_processors(topology);
	machine->node_end = topology_node_end(topology);
	status = topology_choose(topology, -1, -1, &machine->cpu);
	if (status_is_ok(&status))
		machine->cache_count = topology_caches(topology, machine->cpu, machine->cache);
	topology_free(topology);
}

void machine_text(const struct machine *machine, double ghz, struct text *text)
{
	text_add(text, machine->name[0] ? machine->name : machine->arch);
	text_add(text, machine->virtualised ? ", virtual machine" : "");
	if (machine->cpu >= 0)
		text_addf(text, ", core %d", machine->cpu);
	if (isfinite(ghz))
		text_addf(text, " at %.2f GHz", ghz);
}

enum place_relation place_relation(const struct processor_place *a, const struct processor_place *b)
{
	if (a->core >= 0 && a->core == b->core)
		return RELATION_CORE;
	if (a->l3 >= 0 && a->l3 == b->l3)
		return RELATION_L3;
	if (a->die >= 0 && a->die == b->die)
		return RELATION_DIE;
	return a->package == b->package ? RELATION_PACKAGE : RELATION_MACHINE;
}
