/* Core-to-core latencies of synthetic machines (HWLOC_SYNTHETIC). */
#include "check.h"

#include "base/text.h"
#include "engine/machine/topology.h"
#include "experiment/cores/core_cells.h"

static struct core_map *map_of(const char *description)
{
	static struct processor_place places[1024];
	struct status status;
	struct topology *topology;
	int count;

	setenv("HWLOC_SYNTHETIC", description, 1);
	topology = topology_load(&status);
	unsetenv("HWLOC_SYNTHETIC");
	check_ok(status);
	count = topology_places(topology, places, 1024);
	topology_free(topology);
	return core_map_new(places, count);
}

/* Adds trials that scatter by 4 % around a value, and a slow one. */
static void add(struct core_map *map, int i, int j, double ns)
{
	struct pair_trials trials = { .count = 9 };

	for (unsigned k = 0; k < trials.count; k++)
		trials.ns[k] = ns * (0.98 + 0.005 * k);
	trials.ns[4] = 40 * ns;
	core_map_add(map, i, j, &trials);
}

/* Gives each pair the latency of its relation, changed by up to 5 %. */
static void fill(struct core_map *map, const double ns[RELATIONS])
{
	for (int i = 0; i < map->count; i++)
		for (int j = 0; j < i; j++)
			add(map, i, j,
				ns[place_relation(&map->place[i], &map->place[j])] *
					(0.95 + 0.1 * ((i * 7 + j * 13) % 11) / 10));
	core_map_group(map);
}

static void check_group(
	const struct core_map *map, int group, const char *name, double ns, unsigned pairs)
{
	assert_string_equal(map->group[group].name, name);
	assert_int_equal(map->group[group].pairs, pairs);
	assert_true(fabs(map->group[group].ns / ns - 1) < 0.03);
}

/* The system's numbers of processors do not follow the tree, as on many machines. */
TEST(places_follow_the_tree)
{
	struct core_map *map = map_of("package:2 die:2 l3:1 core:8 pu:2(indexes=2*2)");

	assert_int_equal(map->count, 64);
	assert_int_equal(map->pairs, 2016);
	for (int i = 0; i < 64; i++) {
		assert_int_equal(map->place[i].package, i / 32);
		assert_int_equal(map->place[i].die, i / 16);
		assert_int_equal(map->place[i].l3, i / 16);
		assert_int_equal(map->place[i].core, i / 2);
		assert_int_equal(map->place[i].thread, i % 2);
	}
	assert_int_equal(place_relation(&map->place[0], &map->place[1]), RELATION_CORE);
	assert_int_equal(place_relation(&map->place[0], &map->place[2]), RELATION_L3);
	assert_int_equal(place_relation(&map->place[0], &map->place[16]), RELATION_PACKAGE);
	assert_int_equal(place_relation(&map->place[0], &map->place[32]), RELATION_MACHINE);
	core_map_free(map);
}

TEST(groups_are_those_of_the_machine)
{
	static const double ns[RELATIONS] = { 8, 25, 60, 61, 120 };
	struct core_map *map = map_of("package:2 die:2 l3:1 core:8 pu:2");
	struct core_cells *cells = memory_new(1, sizeof(*cells));

	fill(map, ns);
	assert_int_equal(map->measured, map->pairs);
	assert_int_equal(map->group_count, 4);
	check_group(map, 0, "threads of one core", 8, 32);
	check_group(map, 1, "same L3", 25, 448);
	check_group(map, 2, "same socket, other die", 61, 512);
	check_group(map, 3, "other socket", 120, 1024);
	/* The shortest trial of each pair is 2 % below its value. */
	for (int group = 0; group < 4; group++)
		assert_true(fabs(map->group[group].least / map->group[group].ns / 0.98 - 1) < 0.02);
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < i; j++)
			assert_int_equal(core_map_value(map, j, i)->group, i / 2 == j / 2     ? 0
									   : i / 16 == j / 16 ? 1
									   : i / 32 == j / 32 ? 2
											      : 3);
	assert_true(fabs(core_map_processor(map, 5) / 120 - 1) < 0.03);
	/* Two processors share a cell, so that 64 processors have 32 rows. */
	core_cells_fill(map, 36, cells);
	assert_int_equal(cells->per, 2);
	assert_int_equal(cells->count, 32);
	for (int i = 0; i < 32; i++) {
		assert_int_equal(cells->begins[i], i == 16);
		for (int j = 0; j < 32; j++)
			assert_int_equal(cells->cell[i][j].group, i == j	     ? 0
								  : i / 8 == j / 8   ? 1
								  : i / 16 == j / 16 ? 2
										     : 3);
	}
	free(cells);
	core_map_free(map);
}

/* A virtual machine hides which processors share an L3. */
TEST(blocks_that_the_system_does_not_name_are_found)
{
	struct core_map *map = map_of("package:1 core:16 pu:1");

	for (int i = 0; i < 16; i++)
		for (int j = 0; j < i; j++)
			add(map, i, j, i / 8 == j / 8 ? 22 + (i + j) % 3 : 90 + (i + j) % 5);
	core_map_group(map);
	assert_int_equal(map->group_count, 2);
	check_group(map, 0, "other core, in blocks of 8 processors", 23, 56);
	check_group(map, 1, "other core", 92, 64);
	core_map_free(map);
}

TEST(values_that_scatter_are_one_group)
{
	struct core_map *map = map_of("package:1 l3:1 core:12 pu:1");

	/* On a mesh, the time grows with the distance. */
	for (int i = 0; i < 12; i++)
		for (int j = 0; j < i; j++)
			add(map, i, j, 50 + 3 * (abs(i % 4 - j % 4) + abs(i / 4 - j / 4)));
	/* All trials of one pair were disturbed. */
	add(map, 11, 0, 400);
	add(map, 11, 0, 400);
	core_map_group(map);
	assert_int_equal(map->group_count, 1);
	assert_string_equal(map->group[0].name, "same L3");
	assert_int_equal(map->group[0].pairs, 66);
	core_map_free(map);
}

TEST(one_pair_is_a_group)
{
	struct core_map *map = map_of("package:1 core:2 pu:1");

	add(map, 0, 1, 50);
	core_map_group(map);
	assert_int_equal(map->group_count, 1);
	check_group(map, 0, "other core", 50, 1);
	assert_true(core_map_value(map, 0, 1)->least < core_map_value(map, 0, 1)->lo);
	assert_true(core_map_value(map, 0, 1)->ns < 51);
	check_near(map->group[0].least, core_map_value(map, 0, 1)->least, 0);
	core_map_free(map);
}

TEST(a_tour_has_each_pair_once)
{
	static const int counts[] = { 2, 3, 8, 13, 64 };

	for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		bool seen[64][64] = { { false } };
		struct core_tour tour = { 0 };
		int i, j, pairs = 0;

		for (; core_tour_next(&tour, counts[k], &i, &j); pairs++) {
			assert_true(i < j && j < counts[k] && !seen[i][j]);
			seen[i][j] = true;
		}
		assert_int_equal(pairs, counts[k] * (counts[k] - 1) / 2);
	}
}

/* The first part of a tour shows every group, and all processors about equally often. */
TEST(a_part_of_a_tour_is_a_fair_sample)
{
	static const double ns[RELATIONS] = { 8, 25, 60, 61, 120 };
	struct core_map *map = map_of("package:2 l3:8 core:8 pu:2");
	struct core_tour tour = { 0 };
	int of[256] = { 0 }, i, j;

	assert_int_equal(map->count, 256);
	for (int visit = 0; visit < 2100 && core_tour_next(&tour, 256, &i, &j); visit++) {
		add(map, i, j, ns[place_relation(&map->place[i], &map->place[j])]);
		of[i]++;
		of[j]++;
	}
	core_map_group(map);
	assert_int_equal(map->measured, 2100);
	for (int k = 0; k < 256; k++)
		assert_true(of[k] >= 16 && of[k] <= 17);
	assert_int_equal(map->group_count, 4);
	check_group(map, 0, "threads of one core", 8, 128);
	assert_string_equal(map->group[1].name, "same L3");
	assert_string_equal(map->group[2].name, "same socket, other L3");
	assert_string_equal(map->group[3].name, "other socket");
	core_map_free(map);
}

/* Counts the lines of a text, empty lines too, and finds the width of the widest. */
static int lines_of(const char *text, size_t *widest)
{
	int lines = 0;

	for (*widest = 0; *text; lines++) {
		size_t width = strcspn(text, "\n");

		*widest = width > *widest ? width : *widest;
		text += width + (text[width] == '\n');
	}
	return lines;
}

/* Maps fit a terminal of 80x40, whatever the number of processors and of parts. */
TEST(many_processors_fit_a_screen)
{
	static const double ns[RELATIONS] = { 8, 25, 60, 61, 120 };
	static const struct {
		const char *machine;
		int per; /* processors of a row */
	} cases[] = {
		{ "package:1 l3:1 core:14 pu:1", 1 },
		{ "package:1 l3:1 core:15 pu:1", 1 },
		{ "package:2 l3:1 core:16 pu:1", 1 },
		{ "package:1 l3:1 core:18 pu:2", 2 },
		{ "package:1 l3:8 core:4 pu:2", 2 },
		{ "package:2 l3:8 core:8 pu:1", 4 },
		{ "package:2 l3:6 core:8 pu:2", 8 },
		{ "package:2 l3:8 core:8 pu:2", 8 },
		{ "package:1 l3:16 core:8 pu:2", 8 },
		{ "package:8 l3:1 core:16 pu:2", 8 },
		{ "package:4 die:2 l3:1 core:36 pu:1", 16 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct core_map *map = map_of(cases[i].machine);
		char *text = NULL, each[64];
		size_t size, widest;
		FILE *out = open_memstream(&text, &size);

		fill(map, ns);
		core_map_print(out, map, false);
		fclose(out);
		if (getenv("SHOW"))
			printf("%s%s\n", cases[i].machine, text);
		assert_true(lines_of(text, &widest) <= 39);
		assert_true(widest <= 80);
		snprintf(each, sizeof(each), "column: %d processors", cases[i].per);
		assert_int_equal(strstr(text, each) != NULL, cases[i].per > 1);
		for (int group = 0; group < map->group_count; group++)
			assert_non_null(strstr(text, map->group[group].name));
		assert_int_equal(strstr(text, " shortest ") != NULL, map->count <= 14);
		/* Row 128 of 256: the other socket, and the row's own L3. */
		if (strstr(cases[i].machine, "package:2 l3:8 core:8 pu:2"))
			assert_non_null(strstr(
				text, "\n   128 d d d d d d d d d d d d d d d d|b\n   136 d"));
		free(text);
		core_map_free(map);
	}
}

RUN_TESTS()
