#include "model/limits/misses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "model/memory/recency.h"

/* Bytes of a cache line that built-in kernels assume on every machine. */
static const double kernel_line = 64;

/* The data of a loop are near the edge of a cache if the sizes of the data and of the cache differ
 * by less than the factor edge_share. With a cache of 48 KiB, loops over 51 KiB of data mostly hit,
 * and loops over 53 KiB mostly missed. */
static const double edge_share = 1.25;

/* A smaller share of the lines counts as no miss, where the places of pages decide. */
static const double missed_least = 0.01;

/* Number of cache levels in which the address alone selects the set of a line. The third-level
 * cache is not counted, because it distributes lines over its slices by a hash. */
enum { LEVELS_BY_SETS = 2 };

/* Bytes of the smallest way of a cache whose sets are selected by the address: a page. Lines that
 * are farther apart cannot use fewer sets than one. */
static const double way_least = 4096;

/* Largest denominator in texts such as "3 reads in 8". */
enum { IN_MOST = 64 };

/* Largest factor and smallest number of bytes that the user's question about other cache sizes
 * accepts. A cache size of fewer bytes is probably a factor whose "x" was forgotten. */
static const double factor_most = 1024;
static const int64_t whatif_least = 64;

double misses_crowd(double step, double line)
{
	double crowd = 1;

	for (double lines = step / line; lines >= 2 && fmod(lines, 2) == 0; lines /= 2)
		crowd *= 2;
	return fmin(crowd, fmax(way_least / line, 1));
}

double misses_walk_crowd(const struct kernel_walk *walk, double line)
{
	return misses_crowd(walk->spacing > 0 ? walk->spacing : walk->step, line);
}

bool misses_by_placing(const struct kernel_walk *walk)
{
	return walk->spacing > 0 && misses_walk_crowd(walk, kernel_line) > 1;
}

double misses_held(double working_set, double step, double line, bool sets)
{
	double lines = step / line;

	return lines <= 1 ? working_set
			  : working_set / lines * (sets ? misses_crowd(step, line) : 1);
}

static double share_of(double step, double line)
{
	return step > 0 ? fmin(1, step / line) : 1;
}

/* Returns the share of the lines that miss a cache. If a walk down columns uses few sets of L2, the
 * distance between its lines fixes the bits of the set within a page; the system's choice of pages
 * decides the other bits, as if at random. */
static double missed_of(
	const struct misses *misses, const struct cache_size *cache, int level, double held)
{
	bool placed = level == 1 && misses_by_placing(&misses->walk);
	double missed = placed ? cache_cyclic_missed(cache, held) : held > cache->bytes;

	return missed > missed_least ? missed : 0;
}

/* Whether the walk visits its lines in a random order that repeats in each pass. */
static bool is_cycle(const struct kernel_walk *walk)
{
	return walk->scattered && walk->visits > 0 && walk->reaches == 0;
}

/* Returns the share of the accesses of a random, repeated order that miss a cache, if each pass
 * visits a line more than once. The cache holds the lines that were used last: see
 * missed_repeated() in levels.c. */
static double missed_again(const struct kernel_walk *walk, double bytes, double held)
{
	return walk->visits > 1 && bytes < held ? pow(1 - bytes / held, 1 - 1 / walk->visits) : 1;
}

static struct misses_level level_find(const struct misses *misses, int index)
{
	const struct kernel_walk *walk = &misses->walk;
	const struct cache_size *cache = &misses->caches.level[index];
	double bytes = cache->bytes, missed;
	bool sets = index < LEVELS_BY_SETS;
	/* Accesses in order touch fewer lines if lines are larger than 64 bytes. */
	double lines = walk->scattered ? walk->lines
				       : walk->lines * share_of(walk->step, misses->line) /
						 share_of(walk->step, kernel_line);
	struct misses_level level = { .bytes = bytes, .each = NAN };

	if (walk->reaches > 0) {
		double age = bytes > 0 ? recency_age(walk, bytes) : 0;

		lines = 0;
		for (int k = 0; k < walk->reaches; k++) {
			level.held = fmax(level.held, walk->reach[k].range);
			lines += walk->reach[k].lines * recency_missed(walk, k, bytes, age);
		}
	} else {
		level.held =
			is_cycle(walk) && walk->range > 0
				? walk->range
				: misses_held(misses->working_set, walk->step, misses->line, false);
		level.held *= sets ? misses_walk_crowd(walk, misses->line) : 1;
	}
	if (!(bytes > 0))
		return level;
	/* If the cache holds the data that the inner loop accesses, only accesses of the outer loop
	 * miss. */
	missed = missed_of(misses, cache, index, level.held);
	if (is_cycle(walk))
		missed *= missed_again(walk, bytes, level.held);
	if (walk->reaches == 0 && missed == 0 && walk->far_lines > 0) {
		level.held = walk->far_range;
		lines = walk->far_lines;
		missed = level.held > bytes;
	}
	level.fits = walk->reaches == 0 ? missed == 0 : level.held <= bytes;
	level.edge = walk->reaches == 0 && level.held < bytes * edge_share &&
		     bytes < level.held * edge_share;
	level.each = level.fits ? 0 : walk->reaches == 0 ? lines * missed : lines;
	return level;
}

static void find_levels(struct misses *misses)
{
	for (int i = 0; misses->known && i < CACHE_LEVELS; i++)
		misses->level[i] = level_find(misses, i);
}

void misses_find(const struct kernel_walk *walk, double working_set,
	const struct cache_sizes *caches, struct misses *misses)
{
	const char *why = "";

	*misses = (struct misses){ .working_set = working_set,
		.line = caches->line > 0 ? caches->line : kernel_line,
		.caches = *caches };
	if (walk)
		misses->walk = *walk;
	if (!walk)
		why = "the addresses of its accesses are not known";
	else if (walk->scattered && walk->reaches == 0 && !is_cycle(walk))
		why = "its lines are accessed in random order: some repeat by chance";
	else if (walk->reaches == 0 && (!(walk->lines > 0) || !(working_set > 0)))
		why = "this kernel does not walk a working set in order";
	snprintf(misses->why, sizeof(misses->why), "%s", why);
	misses->known = !*why;
	find_levels(misses);
}

void misses_take(struct misses *misses, const double beyond[CACHE_LEVELS])
{
	struct misses_level *second = &misses->level[1], *third = &misses->level[2];

	if (!misses->known)
		return;
	if (second->fits && beyond[1] > missed_least * beyond[0]) {
		second->each = beyond[1];
		second->fits = false;
		second->crowded = true;
	}
	if (!third->fits && third->each > 0 && beyond[2] < 0.99 * third->each) {
		third->each = beyond[2];
		third->edge = false;
		third->walked = true;
	}
}

double misses_working_set(
	const struct kernel *kernel, const int64_t *v, const struct kernel_walk *walk)
{
	return walk->far_lines > 0 ? walk->range : (double)kernel_footprint(kernel, v);
}

void misses_of(const struct kernel *kernel, const int64_t *v, const struct cache_sizes *caches,
	struct misses *misses)
{
	struct kernel_walk walk;
	bool described = kernel_describe(kernel, v, &walk);

	misses_find(described ? &walk : NULL, described ? misses_working_set(kernel, v, &walk) : 0,
		caches, misses);
	if (!described)
		snprintf(misses->why, sizeof(misses->why),
			"the accesses of %.40s are known after its code is read", kernel->name);
}

/* ---- Misses as text */

/* Formats a size with at most three digits: "43 KiB", "1.5 MiB". */
static struct words bytes_words(double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	int unit = 0;

	for (; unit < 4 && bytes >= 1023.5; unit++)
		bytes /= 1024;
	return words_of(
		"%.*f %s", bytes < 9.95 && fabs(bytes - rint(bytes)) > 0.02, bytes, units[unit]);
}

/* The plural of an access: "reads", "copies". */
static struct words accesses_words(const char *access)
{
	size_t length = strlen(access);

	return length > 0 && access[length - 1] == 'y'
		       ? words_of("%.*sies", (int)length - 1, access)
		       : words_of("%ss", access);
}

/* Formats the misses per access: "one read in 4 is a miss", "every read is a miss". */
static struct words rate_words(double each, const char *access)
{
	for (int in = 1; each < 1 && in <= IN_MOST; in++) {
		double misses = each * in;

		if (fabs(misses - rint(misses)) <= 1e-6 && misses >= 0.5)
			return misses < 1.5 ? words_of("one %s in %d is a miss", access, in)
					    : words_of("%.0f %s in %d are misses", misses,
						      accesses_words(access).text, in);
	}
	if (each < 1)
		return words_of("%.3g misses per %s", each, access);
	if (each < 1.0001)
		return words_of("every %s is a miss", access);
	return words_of("every %s misses %.3g times", access, each);
}

struct words misses_words(const struct misses *misses, int index)
{
	const struct misses_level *level = &misses->level[index];
	const char *access = misses->walk.access ? misses->walk.access : "element";

	if (!misses->known || isnan(level->each))
		return words_of("unavailable: %s",
			misses->known ? "the size of this cache is not known" : misses->why);
	if (level->walked)
		return level->each < 5e-4
			       ? words_of("no miss: walks in this order found all lines here")
			       : words_of("about %.3g misses per %s: walks in this order found the "
					  "other lines here",
					 level->each, access);
	if (level->crowded)
		return words_of("about %.3g misses per %s: some sets get more lines than they hold",
			level->each, access);
	if (level->fits && level->held < misses->working_set)
		return words_of("no miss after the first pass: the accessed lines are %s",
			bytes_words(level->held).text);
	if (level->fits)
		return words_of(
			"no miss after the first pass: all %s stay", bytes_words(level->held).text);
	if (misses->walk.reaches > 0 || misses->walk.visits > 1)
		return words_of(
			"about %.3g misses per %s: the lines used last stay", level->each, access);
	return words_of("%s: %.3g line%s for each", rate_words(level->each, access).text,
		level->each, level->each == 1 ? "" : "s");
}

struct words misses_note(const struct misses *misses, int index)
{
	const struct misses_level *level = &misses->level[index];

	if (!misses->known || !level->edge)
		return (struct words){ "" };
	return words_of("near the edge, %s in %s: %s", bytes_words(level->held).text,
		bytes_words(level->bytes).text,
		level->fits ? "some lines may be evicted" : "some lines may stay");
}

/* ---- What-if questions about other cache sizes */

/* Parses a factor such as "2x" or "0.5x". */
static bool parse_factor(const char *text, double *factor)
{
	size_t digits = strspn(text, "0123456789.");

	if (*text < '0' || *text > '9' || strcasecmp(text + digits, "x") != 0)
		return false;
	*factor = strtod(text, NULL);
	return *factor > 0 && *factor <= factor_most;
}

struct status misses_whatif_parse(const char *text, struct misses_whatif *whatif)
{
	struct misses_whatif asked = *whatif;
	const char *value = text;
	int level = -1;
	int64_t bytes;
	double factor;

	if (strcasecmp(text, "off") == 0) {
		*whatif = (struct misses_whatif){ 0 };
		return status_ok();
	}
	if ((*text == 'L' || *text == 'l') && text[1] >= '1' && text[1] <= '0' + CACHE_LEVELS &&
		text[2] == ' ') {
		level = text[1] - '1';
		value = text + 3;
	}
	if (!asked.asked)
		for (int i = 0; i < CACHE_LEVELS; i++)
			asked.factor[i] = 1;
	asked.asked = true;
	if (parse_factor(value, &factor)) {
		for (int i = level < 0 ? 0 : level; i < (level < 0 ? CACHE_LEVELS : level + 1);
			i++) {
			asked.factor[i] = factor;
			asked.bytes[i] = 0;
		}
	} else if (units_parse(value, true, &bytes) && bytes >= whatif_least) {
		asked.bytes[level < 0 ? 0 : level] = (double)bytes;
	} else {
		return status_usage(
			"what if \"%.30s\": a factor (2x, 0.5x), a size (64k), either after L1, L2 "
			"or L3, or off",
			text);
	}
	*whatif = asked;
	return status_ok();
}

struct words misses_whatif_words(const struct misses_whatif *whatif)
{
	bool alike = true;
	struct words all = { "" };

	if (!whatif->asked)
		return all;
	for (int i = 0; i < CACHE_LEVELS; i++)
		alike &= whatif->bytes[i] <= 0 && whatif->factor[i] == whatif->factor[0];
	if (alike)
		return words_of("caches %gx as large", whatif->factor[0]);
	for (int i = 0; i < CACHE_LEVELS; i++) {
		const char *comma = *all.text ? ", " : "";

		if (whatif->bytes[i] > 0)
			all = words_of("%s%sL%d of %s", all.text, comma, i + 1,
				bytes_words(whatif->bytes[i]).text);
		else if (whatif->factor[i] != 1)
			all = words_of(
				"%s%sL%d %gx as large", all.text, comma, i + 1, whatif->factor[i]);
	}
	return all;
}

struct cache_sizes misses_whatif_caches(
	const struct misses_whatif *whatif, const struct cache_sizes *caches)
{
	struct cache_sizes changed = *caches;

	for (int i = 0; i < CACHE_LEVELS && whatif->asked; i++) {
		struct cache_size *size = &changed.level[i];

		size->bytes =
			whatif->bytes[i] > 0 ? whatif->bytes[i] : size->bytes * whatif->factor[i];
		size->source = CACHE_UNKNOWN;
	}
	return changed;
}

void misses_if(const struct misses *misses, const struct misses_whatif *whatif, struct misses *then)
{
	*then = *misses;
	then->caches = misses_whatif_caches(whatif, &misses->caches);
	find_levels(then);
}
