/* Writes the JSON records of the core-to-core latencies. */
#include <jansson.h>
#include <math.h>

#include "experiment/cores/core_map.h"
#include "recording/record.h"
#include "recording/records.h"

/* Adds a processor's number at one level of the machine's tree, such as the L3. If the system does
 * not name this level, adds nothing. */
static void put_number(json_t *object, const char *key, int number)
{
	if (number >= 0)
		record_set_integer(object, key, number);
}

static void put_processor(
	const struct records *records, const struct core_map *map, int i, unsigned id)
{
	const struct processor_place *place = &map->place[i];
	json_t *object = record_new(records, "processor", id);

	record_set_integer(object, "cpu", place->cpu);
	put_number(object, "node", place->node);
	put_number(object, "socket", place->package);
	put_number(object, "die", place->die);
	put_number(object, "l3", place->l3);
	put_number(object, "core", place->core);
	record_set_integer(object, "thread", place->thread);
	record_set_real(object, "ns", core_map_processor(map, i));
	record_write(records, object);
}

static void put_pair(const struct records *records, const struct core_map *map, int i, int j,
	const char *machine, uint64_t seed, unsigned id)
{
	const struct core_value *value = core_map_value(map, i, j);
	json_t *object = record_new(records, "pair", id);

	record_set_integer(object, "a", map->place[i].cpu);
	record_set_integer(object, "b", map->place[j].cpu);
	record_set_range(object, "ns", value->ns, value->lo, value->hi);
	record_set_real(object, "least", value->least);
	record_set_integer(object, "trials", value->trials);
	record_set_integer(object, "rejected", value->rejected);
	record_set_string(object, "group", value->group < 0 ? NULL : map->group[value->group].name);
	if (records->row) {
		record_set_string(object, "machine", machine);
		record_set_count(object, "seed", seed);
	}
	record_write(records, object);
}

unsigned records_cores(const struct records *records, const struct core_map *map,
	const char *machine, uint64_t seed, unsigned id)
{
	for (int i = 0; i < map->count; i++)
		put_processor(records, map, i, id++);
	for (int i = 0; i < map->group_count; i++) {
		const struct core_group *group = &map->group[i];
		json_t *object = record_new(records, "cores", id++);

		record_set_string(object, "name", group->name);
		record_set_range(object, "ns", group->ns, group->lo, group->hi);
		record_set_real(object, "least", group->least);
		record_set_integer(object, "pairs", group->pairs);
		record_write(records, object);
	}
	for (int j = 0; j < map->count; j++)
		for (int i = 0; i < j; i++)
			if (core_map_value(map, i, j)->trials)
				put_pair(records, map, i, j, machine, seed, id++);
	return id;
}
