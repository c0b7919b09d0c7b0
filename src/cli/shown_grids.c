/* Charts of machines that are grids: memory mountains, core-to-core latencies. See shown.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/shown.h"
#include "picture/chart_cores.h"

/* Largest number of values on an axis. */
enum { STEPS = 64 };

/* The scale of the ratio of two mountains reaches at least up to this ratio, so that noise has
 * nearly one colour. */
#define RATIO_LEAST 1.1

/* The most processors in a map of core-to-core latencies. */
enum { PROCESSORS_MOST = 2048 };

/* ---- Mountains */

struct mountain {
	int sizes, strides;
	double size[STEPS], stride[STEPS], gbps[STEPS][STEPS];
	bool doubtful[STEPS][STEPS];
};

/* Returns the index of a value in an ascending list, into which a new value is inserted; -1: the
 * list is full. */
static int place_in(double *list, int *count, double value)
{
	int at = 0;

	while (at < *count && list[at] < value)
		at++;
	if (at < *count && !(list[at] > value))
		return at;
	if (*count == STEPS)
		return -1;
	memmove(&list[at + 1], &list[at], (size_t)(*count - at) * sizeof(*list));
	list[at] = value;
	++*count;
	return at;
}

/* Returns the throughput of a sample, in GB/s. A recording states the bytes of an element once, in
 * a record "facts", and its samples have no throughput. */
static double throughput(const struct shown *shown, int index, const struct json_t *sample)
{
	double gbps = kept_number(sample, "gbps"), id = kept_number(sample, "facts"), bytes = NAN;
	const struct json_t *facts;

	if (isfinite(gbps))
		return gbps;
	for (size_t at = 0; isnan(bytes) && (facts = shown_next(shown, index, "facts", &at));)
		if (fabs(kept_number(facts, "id") - id) < 0.5)
			bytes = kept_number(facts, "bytes");
	return bytes * kept_number(sample, "ghz") / kept_number(sample, "cpe");
}

/* Reads a machine's samples of the kernel mountain twice: for the values of the axes, and for the
 * grid. */
static void read_mountain(const struct shown *shown, int index, struct mountain *mountain)
{
	const struct json_t *sample;

	*mountain = (struct mountain){ 0 };
	for (int i = 0; i < STEPS; i++)
		for (int k = 0; k < STEPS; k++)
			mountain->gbps[i][k] = NAN;
	for (int pass = 0; pass < 2; pass++)
		for (size_t at = 0; (sample = shown_next(shown, index, "sample", &at));) {
			const struct json_t *knobs = kept_object(sample, "knobs");
			int size, stride;

			if (strcmp(kept_word(sample, "kernel").text, "mountain") != 0 ||
				*kept_word(sample, "part").text)
				continue;
			size = place_in(
				mountain->size, &mountain->sizes, kept_number(knobs, "size"));
			stride = place_in(
				mountain->stride, &mountain->strides, kept_number(knobs, "stride"));
			if (!pass || size < 0 || stride < 0)
				continue;
			mountain->gbps[size][stride] = throughput(shown, index, sample);
			mountain->doubtful[size][stride] = kept_flag(sample, "contended");
		}
}

/* Makes the heat map of a mountain, or of its ratio to another mountain with the same axes. */
static struct chart *draw_mountain(const struct mountain *mountain, const struct mountain *below)
{
	struct chart *chart;
	struct words words[STEPS];
	const char *names[STEPS];
	double least = INFINITY, most = 0;

	if (mountain->sizes < 2 || mountain->strides < 2)
		return NULL;
	chart = chart_new(CHART_HEAT);
	for (int i = 0; i < mountain->strides; i++) {
		words[i] = words_of("%.0f", mountain->stride[i]);
		names[i] = words[i].text;
	}
	chart_name_axis(&chart->x, names, mountain->strides);
	for (int i = 0; i < mountain->sizes; i++) {
		words[i] = words_of("%s", units_size_long((int64_t)mountain->size[i]).text);
		names[i] = words[i].text;
	}
	chart_name_axis(&chart->y, names, mountain->sizes);
	chart_make_grid(chart);
	for (int y = 0; y < mountain->sizes; y++)
		for (int x = 0; x < mountain->strides; x++) {
			double value = mountain->gbps[y][x] / (below ? below->gbps[y][x] : 1);

			chart->grid[y * mountain->strides + x] = value;
			chart->doubtful[y * mountain->strides + x] = mountain->doubtful[y][x];
			least = fmin(least, isfinite(value) ? value : least);
			most = fmax(most, isfinite(value) ? value : most);
		}
	chart_print(chart->x.title, "stride, elements of 8 bytes");
	chart_print(chart->y.title, "working set");
	chart_print(chart->z.title, "%s", below ? "B to A" : "GB/s");
	chart_grid_scale(chart, least, most);
	if (below && least > 0) {
		/* The colour in the middle of the scale means that both are equally fast. */
		double far = fmax(fmax(most, 1 / least), RATIO_LEAST);

		chart->z.scale = (struct scale){ SCALE_LOG, 1 / far, far, false };
	}
	return chart;
}

struct chart *shown_mountain(const struct shown *shown, int index)
{
	struct mountain mountain;
	struct chart *chart;

	read_mountain(shown, index, &mountain);
	chart = draw_mountain(&mountain, NULL);
	if (chart)
		chart_print(chart->title, "Memory mountain%s%.100s", shown->count > 1 ? ": " : "",
			shown->count > 1 ? shown_name(shown, index) : "");
	return chart;
}

struct chart *shown_mountain_ratio(const struct shown *shown, int a, int b)
{
	struct mountain *both = memory_new(2, sizeof(*both));
	struct chart *chart = NULL;

	read_mountain(shown, a, &both[0]);
	read_mountain(shown, b, &both[1]);
	if (both[0].sizes == both[1].sizes && both[0].strides == both[1].strides &&
		memcmp(both[0].size, both[1].size, sizeof(both[0].size)) == 0 &&
		memcmp(both[0].stride, both[1].stride, sizeof(both[0].stride)) == 0)
		chart = draw_mountain(&both[1], &both[0]);
	if (chart)
		chart_print(chart->title, "Memory mountains: %.60s (B) divided by %.60s (A)",
			shown_name(shown, b), shown_name(shown, a));
	free(both);
	return chart;
}

/* ---- Core-to-core latencies */

/* Returns a processor's number at one level of the machine's tree; -1: the record names no level.
 */
static int part_number(const struct json_t *processor, const char *key)
{
	double number = kept_number(processor, key);

	return number >= 0 && number < 1e6 ? (int)number : -1;
}

/* Returns an empty map of the processors in a machine's records; NULL: fewer than two. */
static struct core_map *map_of(const struct shown *shown)
{
	struct processor_place *place = NULL;
	const struct json_t *record;
	struct core_map *map;
	int count = 0;

	for (size_t at = 0; (record = shown_next(shown, 0, "processor", &at));) {
		place = memory_grow(place, (size_t)count, sizeof(*place));
		place[count++] = (struct processor_place){ .cpu = part_number(record, "cpu"),
			.node = part_number(record, "node"),
			.package = part_number(record, "socket"),
			.die = part_number(record, "die"),
			.l3 = part_number(record, "l3"),
			.core = part_number(record, "core"),
			.thread = part_number(record, "thread") };
	}
	map = count < 2 || count > PROCESSORS_MOST ? NULL : core_map_new(place, count);
	free(place);
	return map;
}

/* Returns the index of a processor in the map; -1: no record names the processor. */
static int place_of(const struct core_map *map, double cpu)
{
	for (int i = 0; i < map->count; i++)
		if (fabs(map->place[i].cpu - cpu) < 0.5)
			return i;
	return -1;
}

struct chart *shown_transfer(const struct shown *shown)
{
	struct core_map *map = map_of(shown);
	const struct json_t *record;
	struct chart_source source = { 0 };
	struct chart *chart = NULL;

	for (size_t at = 0; map && (record = shown_next(shown, 0, "pair", &at));) {
		int a = place_of(map, kept_number(record, "a")),
		    b = place_of(map, kept_number(record, "b"));
		double ns = kept_number(record, "ns"), trials = kept_number(record, "trials");
		struct core_value *value =
			a < 0 || b < 0 || a == b ? NULL : core_map_value(map, a, b);

		if (!value || !(ns > 0))
			continue;
		map->measured += value->trials == 0;
		value->ns = value->lo = value->hi = value->least = ns;
		value->trials = trials >= 1 && trials < 1e9 ? (unsigned)trials : 1;
	}
	if (map && map->measured) {
		core_map_group(map);
		chart = chart_new(CHART_HEAT);
		chart_print(chart->title, "Core-to-core latency");
		chart_print(chart->x.title, "processor");
		chart_print(chart->y.title, "processor");
		chart_print(chart->z.title, "ns");
		chart_cores_fill(chart, map, &source);
	}
	core_map_free(map);
	return chart;
}
