#include "engine/machine/topology.h"

#include <errno.h>
#include <hwloc.h>
#include <hwloc/linux.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/text.h"

struct topology {
	hwloc_topology_t hwloc;
};

/* hwloc accesses address 0 if some of its allocations fail, so the calls that allocate are guarded.
 */
static const char reading[] = "hwloc, which reads this machine's topology,";
static const char binding[] = "hwloc, which binds threads and memory,";

/* Ends a guard. Returns the result of the guarded call, whose errno stays. */
static int unguarded(int result)
{
	int error = errno;

	fatal_guard(NULL);
	errno = error;
	return result;
}

static hwloc_bitmap_t new_set(void)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	if (!set)
		fatal("out of memory: hwloc has none for a set of processors");
	return set;
}

static struct topology *load(struct status *status)
{
	struct topology *topology = memory_new(1, sizeof(*topology));

	*status = status_ok();
	if (hwloc_topology_init(&topology->hwloc) != 0) {
		*status = status_failed("hwloc cannot be started: %s", strerror(errno));
		free(topology);
		return NULL;
	}
	if (hwloc_topology_load(topology->hwloc) != 0) {
		*status = status_failed(
			"hwloc cannot read this machine's topology: %s", strerror(errno));
		topology_free(topology);
		return NULL;
	}
	return topology;
}

struct topology *topology_load(struct status *status)
{
	struct topology *topology;

	fatal_guard(reading);
	topology = load(status);
	fatal_guard(NULL);
	return topology;
}

void topology_free(struct topology *topology)
{
	if (!topology)
		return;
	hwloc_topology_destroy(topology->hwloc);
	free(topology);
}

static hwloc_bitmap_t set_of(int id)
{
	hwloc_bitmap_t set = new_set();

	hwloc_bitmap_only(set, (unsigned)id);
	return set;
}

/* The processors that this process may use. hwloc knows the cpuset of the process; the affinity
 * mask may allow fewer processors. */
static hwloc_bitmap_t allowed_set(const struct topology *topology)
{
	hwloc_bitmap_t set = new_set();
	hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology->hwloc);

	fatal_guard(binding);
	if (unguarded(hwloc_get_cpubind(topology->hwloc, set, HWLOC_CPUBIND_PROCESS)) != 0 ||
		hwloc_bitmap_iszero(set))
		hwloc_bitmap_copy(set, allowed);
	hwloc_bitmap_and(set, set, allowed);
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

/* On a hybrid machine, keeps only processors of the fastest kind by hwloc's ranking. */
static void keep_fastest(const struct topology *topology, hwloc_bitmap_t set)
{
	int kinds = hwloc_cpukinds_get_nr(topology->hwloc, 0);
	hwloc_bitmap_t kind;

	if (kinds < 2)
		return;
	kind = new_set();
	for (int i = kinds - 1; i >= 0; i--) {
		if (hwloc_cpukinds_get_info(
			    topology->hwloc, (unsigned)i, kind, NULL, NULL, NULL, 0) == 0 &&
			hwloc_bitmap_intersects(set, kind)) {
			hwloc_bitmap_and(set, set, kind);
			break;
		}
	}
	hwloc_bitmap_free(kind);
}

/* Returns the core of a processor, with all hardware threads of the core; NULL if hwloc does not
 * know cores. */
static hwloc_obj_t core_of(const struct topology *topology, int cpu)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)cpu);

	return pu ? hwloc_get_ancestor_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, pu) : NULL;
}

/* Removes all hardware threads of a processor's core from a set. If a set of processors would then
 * be empty, only the processor itself is removed. */
static void remove_core(const struct topology *topology, hwloc_bitmap_t set, int cpu)
{
	hwloc_obj_t core = core_of(topology, cpu);

	if (core && !hwloc_bitmap_isincluded(set, core->cpuset))
		hwloc_bitmap_andnot(set, set, core->cpuset);
	else
		hwloc_bitmap_clr(set, (unsigned)cpu);
}

static struct status not_allowed(int wanted, hwloc_const_bitmap_t set)
{
	char list[160];

	hwloc_bitmap_list_snprintf(list, sizeof(list), set);
	return status_usage("--cpu %d: this process may use only processors %s", wanted, list);
}

struct status topology_check(int wanted)
{
	struct status status = status_ok();
	hwloc_bitmap_t set;
	cpu_set_t mask;

	/* sched_getaffinity() fails on machines with more processors than the mask holds. On
	 * machines with so many processors, only topology_choose() checks the wanted processor. */
	if (wanted < 0 || sched_getaffinity(0, sizeof(mask), &mask) != 0)
		return status;
	set = new_set();
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
	/* Processor 0 handles most interrupts. When a core is chosen, it is more important to avoid
	 * processor 0 than the user interface's processor, because the user interface can move. */
	if (hwloc_bitmap_weight(set) > 1)
		hwloc_bitmap_clr(set, 0);
	if (avoid >= 0 && hwloc_bitmap_weight(set) > 1)
		remove_core(topology, set, avoid);
	*cpu = hwloc_bitmap_last(set);
	/* Of a core's hardware threads, choose the first allowed one: most people number a core by
	 * its first thread. */
	core = core_of(topology, *cpu);
	if (core) {
		hwloc_bitmap_and(set, set, core->cpuset);
		*cpu = hwloc_bitmap_first(set);
	}
	hwloc_bitmap_free(set);
	return status;
}

struct status topology_bind(const struct topology *topology, int cpu)
{
	hwloc_bitmap_t set = set_of(cpu);
	int result;

	fatal_guard(binding);
	result = unguarded(hwloc_set_cpubind(topology->hwloc, set, HWLOC_CPUBIND_THREAD));
	hwloc_bitmap_free(set);
	/* hwloc reports success for a simulated machine (HWLOC_SYNTHETIC), and binds nothing. */
	if (!hwloc_topology_is_thissystem(topology->hwloc))
		return status_failed("not bound to processor %d: the machine is simulated", cpu);
	return result == 0 ? status_ok()
			   : status_failed("not bound to processor %d: %s", cpu, strerror(errno));
}

bool topology_keep_off(const struct topology *topology, int thread, int cpu)
{
	hwloc_bitmap_t set = allowed_set(topology);
	bool done;

	remove_core(topology, set, cpu);
	fatal_guard(binding);
	done = !hwloc_bitmap_iszero(set) &&
	       hwloc_linux_set_tid_cpubind(topology->hwloc, thread, set) == 0;
	fatal_guard(NULL);
	hwloc_bitmap_free(set);
	return done;
}

static int by_cost(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int kind_of(const struct topology *topology, int cpu)
{
	hwloc_bitmap_t set = set_of(cpu);
	int kind = hwloc_cpukinds_get_by_cpuset(topology->hwloc, set, 0);

	hwloc_bitmap_free(set);
	return kind;
}

bool topology_same_kind(const struct topology *topology, int a, int b)
{
	return kind_of(topology, a) == kind_of(topology, b);
}

/* The number of hardware threads of the same core that come before `cpu`. The measured thread comes
 * first. */
static int thread_of(
	const struct topology *topology, hwloc_const_bitmap_t allowed, int measured, int cpu)
{
	hwloc_obj_t core = core_of(topology, cpu);
	int thread = 0;

	for (int id = core ? hwloc_bitmap_first(core->cpuset) : -1; id >= 0;
		id = hwloc_bitmap_next(core->cpuset, id))
		thread += hwloc_bitmap_isset(allowed, (unsigned)id) && id != cpu &&
			  (id < cpu || id == measured);
	return thread;
}

int topology_others(const struct topology *topology, int cpu, int *others, int most)
{
	hwloc_bitmap_t set = allowed_set(topology);
	int room = hwloc_bitmap_weight(set), count = 0, kind = kind_of(topology, cpu),
	    node = topology_node_of(topology, cpu);
	/* Costs of choosing each processor other than `cpu`: a processor with a lower cost gets a
	 * load thread (extra memory traffic) sooner. The low 36 bits of a processor's cost are the
	 * processor's number. */
	uint64_t *cost = memory_new((size_t)room, sizeof(*cost));

	for (int id = hwloc_bitmap_first(set); id >= 0 && count < room;
		id = hwloc_bitmap_next(set, id)) {
		uint64_t other_kind = kind_of(topology, id) != kind,
			 thread = (uint64_t)thread_of(topology, set, cpu, id),
			 other_node = topology_node_of(topology, id) != node;

		if (id != cpu)
			cost[count++] =
				other_kind << 60 | thread << 40 | other_node << 36 | (uint64_t)id;
	}
	hwloc_bitmap_free(set);
	qsort(cost, (size_t)count, sizeof(*cost), by_cost);
	count = count < most ? count : most;
	for (int i = 0; i < count; i++)
		others[i] = (int)(cost[i] & UINT32_MAX);
	free(cost);
	return count;
}

int topology_nodes(const struct topology *topology)
{
	return hwloc_bitmap_weight(hwloc_topology_get_allowed_nodeset(topology->hwloc));
}

int topology_node_end(const struct topology *topology)
{
	return hwloc_bitmap_last(hwloc_topology_get_allowed_nodeset(topology->hwloc)) + 1;
}

static bool one_node(const struct topology *topology)
{
	return hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE) < 2;
}

struct status topology_check_node(const struct topology *topology, int node)
{
	hwloc_const_bitmap_t set = hwloc_topology_get_allowed_nodeset(topology->hwloc);
	char list[120];

	if (hwloc_bitmap_isset(set, (unsigned)node))
		return status_ok();
	hwloc_bitmap_list_snprintf(list, sizeof(list), set);
	return status_failed("node=%d: this process may use only memory node%s %s", node,
		hwloc_bitmap_weight(set) == 1 ? "" : "s", list);
}

int topology_node_of(const struct topology *topology, int cpu)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)cpu);

	return pu && !one_node(topology) ? hwloc_bitmap_first(pu->nodeset) : -1;
}

struct status topology_bind_memory(
	const struct topology *topology, int node, void *memory, size_t bytes)
{
	hwloc_bitmap_t set;
	int result;

	if (node < 0 || one_node(topology))
		return status_ok();
	set = set_of(node);
	/* Binding memory to a node is not strict: with a strict binding, the kernel kills a process
	 * if the node has no memory left. */
	fatal_guard(binding);
	result = unguarded(hwloc_set_area_membind(
		topology->hwloc, memory, bytes, set, HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET));
	hwloc_bitmap_free(set);
	return result == 0 ? status_ok()
			   : status_failed("not bound to node %d: %s", node, strerror(errno));
}

int topology_memory_node(const struct topology *topology, const void *memory, size_t bytes)
{
	enum { LOOKS = 8 };
	hwloc_bitmap_t set;
	int node = -1;

	if (bytes == 0 || one_node(topology))
		return -1;
	set = new_set();
	for (size_t i = 0; i < LOOKS && node != NODE_SEVERAL; i++) {
		const unsigned char *at = (const unsigned char *)memory + (bytes - 1) / LOOKS * i;

		fatal_guard(binding);
		if (unguarded(hwloc_get_area_memlocation(
			    topology->hwloc, at, 1, set, HWLOC_MEMBIND_BYNODESET)) != 0 ||
			hwloc_bitmap_weight(set) != 1) {
			node = -1;
			break;
		}
		node = node == -1 || node == hwloc_bitmap_first(set) ? hwloc_bitmap_first(set)
								     : NODE_SEVERAL;
	}
	hwloc_bitmap_free(set);
	return node;
}

int topology_caches(
	const struct topology *topology, int cpu, struct machine_cache cache[MACHINE_CACHES])
{
	hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology->hwloc, (unsigned)cpu);
	int count = 0;

	for (; object && count < MACHINE_CACHES; object = object->parent)
		if (hwloc_obj_type_is_dcache(object->type))
			cache[count++] = (struct machine_cache){
				.level = (int)object->attr->cache.depth,
				.bytes = object->attr->cache.size,
				.line = object->attr->cache.linesize,
				.ways = object->attr->cache.associativity,
			};
	return count;
}

static int ancestor_number(const struct topology *topology, hwloc_obj_t pu, hwloc_obj_type_t type)
{
	hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(topology->hwloc, type, pu);

	return ancestor ? (int)ancestor->logical_index : -1;
}

int topology_places(const struct topology *topology, struct processor_place *places, int most)
{
	hwloc_bitmap_t set = allowed_set(topology);
	hwloc_obj_t pu = NULL;
	int count = 0;

	/* hwloc lists the processors in the order of the tree. */
	while (count < most &&
		(pu = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_PU, pu))) {
		struct processor_place *place = &places[count];

		if (!hwloc_bitmap_isset(set, pu->os_index))
			continue;
		*place = (struct processor_place){ .cpu = (int)pu->os_index,
			.node = topology_node_of(topology, (int)pu->os_index),
			.package = ancestor_number(topology, pu, HWLOC_OBJ_PACKAGE),
			.die = ancestor_number(topology, pu, HWLOC_OBJ_DIE),
			.l3 = ancestor_number(topology, pu, HWLOC_OBJ_L3CACHE),
			.l2 = ancestor_number(topology, pu, HWLOC_OBJ_L2CACHE),
			.core = ancestor_number(topology, pu, HWLOC_OBJ_CORE) };
		for (int i = 0; i < count; i++)
			place->thread += place->core >= 0 && places[i].core == place->core;
		count++;
	}
	hwloc_bitmap_free(set);
	return count;
}
