/* Curves as they were measured: what is known of those machines has to come out of every one. */
#include "check.h"

#include "model/memory/hierarchy.h"

enum { RECORDED_MOST = 300 };

struct recorded {
	struct machine machine;
	struct hierarchy_input input;
	struct curve_point point[2 * PAGE_KINDS + 1][RECORDED_MOST];
	char got[PAGE_KINDS][16];
	/* The expected values; 0: any value. */
	double l1, l2, line, entries;
	double l1_cycles, l2_cycles;
};

static void recorded_point(char *words, struct curve_point *point)
{
	char *rest, *word = strtok_r(words, " \n", &rest);
	double *places[] = { &point->bytes, &point->cycles, &point->lo, &point->hi };

	memset(point, 0, sizeof(*point));
	for (int i = 0; word; word = strtok_r(NULL, " \n", &rest), i++) {
		if (i < 4) {
			*places[i] = strtod(word, NULL);
		} else if (strcmp(word, "contended") == 0) {
			point->doubtful = true;
		} else {
			assert_string_equal(word, "modes");
			point->two_modes = true;
			point->mode_low = strtod(strtok_r(NULL, " \n", &rest), NULL);
			point->mode_high = strtod(strtok_r(NULL, " \n", &rest), NULL);
			point->share_low = strtod(strtok_r(NULL, " \n", &rest), NULL);
		}
	}
}

static struct hierarchy_curve *recorded_curve(struct recorded *recorded, char *words)
{
	static const char *const kinds[PAGE_KINDS] = { "auto", "4k", "huge" };
	char what[16], pages[16], got[16];
	struct hierarchy_curve *curve = NULL;
	int kind = 0, place;

	assert_int_equal(sscanf(words, "curve %15s %15s %15s", what, pages, got), 3);
	while (kind < PAGE_KINDS && strcmp(kinds[kind], pages) != 0)
		kind++;
	assert_true(kind < PAGE_KINDS);
	if (strcmp(what, "lines") == 0)
		curve = &recorded->input.lines[kind], place = kind;
	else if (strcmp(what, "pages") == 0)
		curve = &recorded->input.pages[kind], place = PAGE_KINDS + kind;
	else
		curve = &recorded->input.pairs, place = 2 * PAGE_KINDS;
	memcpy(recorded->got[kind], got, sizeof(got));
	recorded->input.got[kind] = recorded->got[kind];
	*curve = (struct hierarchy_curve){ recorded->point[place], 0 };
	return curve;
}

static void recorded_fact(struct recorded *recorded, const char *words)
{
	struct machine_cache *cache = &recorded->machine.cache[recorded->machine.cache_count];
	char name[32];
	double value;
	unsigned long long bytes;

	if (sscanf(words, "ghz %lf", &value) == 1) {
		recorded->input.ghz = value;
	} else if (sscanf(words, "cache %d %llu %u", &cache->level, &bytes, &cache->line) == 3) {
		cache->bytes = bytes;
		recorded->machine.cache_count++;
	} else if (strncmp(words, "virtual", 7) == 0) {
		recorded->machine.virtualised = true;
	} else {
		static const char *const names[] = { "l1", "l2", "line", "entries", "l1_cycles",
			"l2_cycles" };
		double *places[] = { &recorded->l1, &recorded->l2, &recorded->line,
			&recorded->entries, &recorded->l1_cycles, &recorded->l2_cycles };
		size_t i = 0;

		assert_int_equal(sscanf(words, "expect %31s %lf", name, &value), 2);
		while (i < 6 && strcmp(names[i], name) != 0)
			i++;
		assert_true(i < 6);
		*places[i] = value;
	}
}

/* The caller frees it. */
static struct recorded *recorded_read(const char *path)
{
	struct recorded *recorded = calloc(1, sizeof(*recorded));
	struct hierarchy_curve *curve = NULL;
	FILE *file = fopen(path, "r");
	char words[256];

	assert_non_null(recorded);
	if (!file)
		fail_msg("%s cannot be opened", path);
	recorded->input.machine = &recorded->machine;
	recorded->input.ghz = NAN;
	while (fgets(words, sizeof(words), file)) {
		if (words[0] == '#' || words[0] == '\n')
			continue;
		if (strncmp(words, "curve ", 6) == 0) {
			curve = recorded_curve(recorded, words);
		} else if (words[0] >= '0' && words[0] <= '9') {
			assert_non_null(curve);
			assert_true(curve->count < RECORDED_MOST);
			recorded_point(words, (struct curve_point *)&curve->points[curve->count++]);
		} else {
			recorded_fact(recorded, words);
		}
	}
	fclose(file);
	return recorded;
}

static bool reaches(const struct hierarchy_curve *curve, double bytes)
{
	return curve->count > 0 && curve->points[curve->count - 1].bytes >= bytes;
}

static void check_curves(const char *name)
{
	const char *tree = getenv("top_srcdir");
	char path[300];
	struct recorded *recorded;
	struct hierarchy *hierarchy = calloc(1, sizeof(*hierarchy));
	const struct hierarchy_level *first, *second, *tlb;

	assert_non_null(hierarchy);
	snprintf(path, sizeof(path), "%s/tests/data/curves/%s", tree ? tree : ".", name);
	recorded = recorded_read(path);
	recorded->input.tlb_stated[0] = recorded->entries;
	hierarchy_find(&recorded->input, hierarchy);
	hierarchy_say(&recorded->input, hierarchy);
	first = hierarchy_level(hierarchy, LEVEL_CACHE, 1);
	second = hierarchy_level(hierarchy, LEVEL_CACHE, 2);
	tlb = hierarchy_level(hierarchy, LEVEL_TLB, 1);
	if (recorded->l1) {
		assert_non_null(first);
		check_near(first->bytes, recorded->l1, 0);
		check_near(first->cycles, recorded->l1_cycles, 0.02 * recorded->l1_cycles);
		assert_non_null(second);
		check_near(second->bytes, recorded->l2, 0);
		check_near(second->cycles, recorded->l2_cycles, 0.02 * recorded->l2_cycles);
		if (reaches(&recorded->input.lines[PAGES_HUGE], 64 << 20) ||
			reaches(&recorded->input.lines[PAGES_AUTO], 64 << 20))
			assert_non_null(hierarchy_level(hierarchy, LEVEL_MEMORY, 0));
		/* What is shown of a size holds it. */
		assert_true(first->bytes_lo * 0.97 <= recorded->l1 &&
			    recorded->l1 <= first->bytes_hi * 1.04);
		assert_true(second->bytes_lo * 0.97 <= recorded->l2 &&
			    recorded->l2 <= second->bytes_hi * 1.04);
	} else {
		assert_int_equal(hierarchy->level_count, 0);
	}
	if (recorded->line)
		check_near(hierarchy->line, recorded->line, 0);
	if (recorded->entries) {
		assert_non_null(tlb);
		check_near(tlb->entries, recorded->entries, 2);
	}
	free(recorded);
	free(hierarchy);
}

TEST(quiet_and_busy_machines_are_the_same_machine)
{
	static const char *const names[] = { "granite-rapids-1", "granite-rapids-2",
		"granite-rapids-3", "granite-rapids-4", "granite-rapids-5", "granite-rapids-6",
		"granite-rapids-7", "granite-rapids-8" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_curves(names[i]);
}

TEST(four_points_an_octave_are_enough)
{
	check_curves("prototype-1");
	check_curves("prototype-2");
}

TEST(four_points_in_all_are_not)
{
	check_curves("zen5-coarse");
}

RUN_TESTS()
