/* Curves that a probe measured, as tests/data/curves/ keeps them:
 *
 *     ghz 3.59
 * - curve lines|pages|pairs 4k|huge|auto GOT: then its points, a line each, ascending:
 *     BYTES CYCLES LO HI [contended] [modes LOW HIGH SHARE]
 *
 * Each file's first lines say of what machine, and what is known of it: expect NAME VALUE. */
#pragma once

#include "check.h"

#include "model/memory/hierarchy.h"

enum { RECORDED_MOST = 300 };

struct recorded {
	struct machine machine;
	struct hierarchy_input input;
	struct curve_point point[2 * PAGE_KINDS + 1][RECORDED_MOST];
	char got[PAGE_KINDS][16];
	/* What has to come out; 0: whatever does. */
	double l1, l2, line, entries;
	double l1_cycles, l2_cycles;
};

static inline void recorded_point(char *words, struct curve_point *point)
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

static inline struct hierarchy_curve *recorded_curve(struct recorded *recorded, char *words)
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

static inline void recorded_fact(struct recorded *recorded, const char *words)
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
static inline struct recorded *recorded_read(const char *path)
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
