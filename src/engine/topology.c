/* See topology.h. */
#include "engine/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <hwloc/linux.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct topology {
	hwloc_topology_t hwloc;
};

struct topology *topology_load(struct status *status)
{
	struct topology *topology = calloc(1, sizeof(*topology));

	if (!topology || hwloc_topology_init(&topology->hwloc) != 0) {
		free(topology);
		*status = status_make(STATUS_FAILED, "hwloc cannot be started: %s", strerror(errno));
		return NULL;
	}
	if (hwloc_topology_load(topology->hwloc) != 0) {
		*status = status_make(STATUS_FAILED, "hwloc cannot read this machine's topology: %s", strerror(errno));
		topology_free(topology);
		return NULL;
	}
	*status = status_ok();
	return topology;
}

void topology_free(struct topology *topology)
{
	if (!topology)
		return;
	hwloc_topology_destroy(topology->hwloc);
	free(topology);
}

/* What the process may run on: hwloc knows the cpuset; the affinity mask it was started with is narrower at times. */
static hwloc_bitmap_t allowed_set(const struct topology *topology)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	if (hwloc_get_cpubind(topology->hwloc, set, HWLOC_CPUBIND_PROCESS) != 0 || hwloc_bitmap_iszero(set))
		hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(topology->hwloc));
	else
		hwloc_bitmap_and(set, set, hwloc_topology_get_allowed_cpuset(topology->hwloc));
	if (hwloc_bitmap_iszero(set))
		hwloc_bitmap_copy(set, hwloc_topology_get_topology_cpuset(topology->hwloc));
	return set;
}

int topology_processors(const struct topology *topology)
{
	hwloc_bitmap_t set = allowed_set(topology);
	int count = hwloc_bitmap_weight(set);

	hwloc_bitmap_free(set);
	return count;
}

/* On a hybrid machine, leaves only processors of the kind that hwloc ranks fastest. */
static void keep_fastest(const struct topology *topology, hwloc_bitmap_t set)
{
	int kinds = hwloc_cpukinds_get_nr(topology->hwloc, 0);
	hwloc_bitmap_t kind;

	if (kinds < 2)
		return;
	kind = hwloc_bitmap_alloc();
	for (int i = kinds - 1; i >= 0; i--) {
		if (hwloc_cpukinds_get_info(topology->hwloc, (unsigned)i, kind, NULL, NULL, NULL, 0) != 0)
			continue;
		if (hwloc_bitmap_intersects(set, kind)) {
			hwloc_bitmap_and(set, set, kind);
			break;
		}
	}
	hwloc_bitmap_free(kind);
}

/* The core (with all its hardware threads) that holds a processor; NULL when hwloc does not know cores. */
static hwloc_obj_t core_of(const struct topology *topology, int cpu)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)cpu);

	return pu ? hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, pu) : NULL;
}

static struct status not_allowed(int wanted, hwloc_const_bitmap_t set)
{
	char list[160];

	hwloc_bitmap_list_snprintf(list, sizeof(list), set);
	return status_make(STATUS_USAGE, "--cpu %d: this process may use processors %s", wanted, list);
}

struct status topology_check(int wanted)
{
	struct status status = status_ok();
	hwloc_bitmap_t set;
	cpu_set_t mask;

	/* Refused on machines of more processors than the mask holds: topology_choose() will tell. */
	if (wanted < 0 || sched_getaffinity(0, sizeof(mask), &mask) != 0)
		return status;
	set = hwloc_bitmap_alloc();
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &mask))
			hwloc_bitmap_set(set, cpu);
	if (!hwloc_bitmap_isset(set, (unsigned)wanted))
		status = not_allowed(wanted, set);
	hwloc_bitmap_free(set);
	return status;
}

struct status topology_choose(const struct topology *topology, int wanted, int avoid, int *cpu)
{
	hwloc_bitmap_t set = allowed_set(topology);
	struct status status = status_ok();
	hwloc_obj_t core;

	if (wanted >= 0) {
		if (hwloc_bitmap_isset(set, (unsigned)wanted))
			*cpu = wanted;
		else
			status = not_allowed(wanted, set);
		hwloc_bitmap_free(set);
		return status;
	}
	keep_fastest(topology, set);
	/* Processor 0 takes most interrupts. The user interface can be moved; a processor cannot. */
	if (hwloc_bitmap_weight(set) > 1)
		hwloc_bitmap_clr(set, 0);
	if (avoid >= 0 && hwloc_bitmap_weight(set) > 1) {
		core = core_of(topology, avoid);
		if (core && !hwloc_bitmap_isincluded(set, core->cpuset))
			hwloc_bitmap_andnot(set, set, core->cpuset);
		else
			hwloc_bitmap_clr(set, (unsigned)avoid);
	}
	*cpu = hwloc_bitmap_last(set);
	/* Of a core's hardware threads take the first: its number is the core's in most people's minds. */
	core = core_of(topology, *cpu);
	if (core) {
		hwloc_bitmap_t threads = hwloc_bitmap_alloc();

		hwloc_bitmap_and(threads, core->cpuset, set);
		if (!hwloc_bitmap_iszero(threads))
			*cpu = hwloc_bitmap_first(threads);
		hwloc_bitmap_free(threads);
	}
	hwloc_bitmap_free(set);
	return status;
}

struct status topology_bind(const struct topology *topology, int cpu)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int result;

	hwloc_bitmap_only(set, (unsigned)cpu);
	result = hwloc_set_cpubind(topology->hwloc, set, HWLOC_CPUBIND_THREAD);
	hwloc_bitmap_free(set);
	if (result != 0)
		return status_make(STATUS_FAILED, "not bound to processor %d: %s", cpu, strerror(errno));
	return status_ok();
}

bool topology_keep_off(const struct topology *topology, int thread, int cpu)
{
	hwloc_bitmap_t set = allowed_set(topology);
	hwloc_obj_t core = core_of(topology, cpu);
	bool done = false;

	if (core && !hwloc_bitmap_isincluded(set, core->cpuset))
		hwloc_bitmap_andnot(set, set, core->cpuset);
	else
		hwloc_bitmap_clr(set, (unsigned)cpu);
	if (!hwloc_bitmap_iszero(set))
		done = hwloc_linux_set_tid_cpubind(topology->hwloc, thread, set) == 0;
	hwloc_bitmap_free(set);
	return done;
}

void topology_bind_memory(const struct topology *topology, int cpu, void *memory, size_t bytes)
{
	hwloc_obj_t pu;

	if (hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE) < 2)
		return;
	pu = hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)cpu);
	if (pu)
		(void)hwloc_set_area_membind(topology->hwloc, memory, bytes, pu->nodeset, HWLOC_MEMBIND_BIND,
			HWLOC_MEMBIND_BYNODESET);
}

int topology_caches(const struct topology *topology, int cpu, struct machine_cache cache[MACHINE_CACHES])
{
	hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)cpu);
	int count = 0;

	for (; object && count < MACHINE_CACHES; object = object->parent) {
		if (!hwloc_obj_type_is_dcache(object->type))
			continue;
		cache[count].level = (int)object->attr->cache.depth;
		cache[count].bytes = object->attr->cache.size;
		cache[count].line = object->attr->cache.linesize;
		count++;
	}
	return count;
}
