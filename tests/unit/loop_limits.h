/* The limits of a loop of assembly, for tests. */
#pragma once

#include "check.h"

#include "assembly.h"
#include "model/limits/limits.h"

static struct limits limits; /* of the last loop */

/* Caches without a size get the size in the core's file. */
static inline void caches_of_core(const struct uarch *uarch, struct limits_place *place)
{
	struct cache_sizes documented = cache_sizes(NULL, uarch, true, NULL);

	for (int i = 0; i < CACHE_LEVELS; i++)
		if (place->caches.level[i].bytes <= 0)
			place->caches.level[i] = documented.level[i];
}

static inline void limits_of_place(const struct uarch *uarch, const char *source, double elements,
	const struct limits_place *place)
{
	struct limits_place with = *place;
	struct loop loop;

	caches_of_core(uarch, &with);
	assembly_loop(source, &loop);
	loop.elements = elements;
	limits_compute(&loop, uarch, &with, &limits);
	loop_free(&loop);
}

static inline void limits_of(const struct uarch *uarch, const char *source, double elements)
{
	limits_of_place(uarch, source, elements, &(struct limits_place){ 0 });
}

static inline const struct limit *find(enum limit_kind kind)
{
	for (int i = 0; i < limits.limit_count; i++)
		if (limits.limit[i].kind == kind)
			return &limits.limit[i];
	return NULL;
}

/* -1: there is none, or it is unknown. */
static inline double cycles_of(enum limit_kind kind)
{
	const struct limit *limit = find(kind);

	if (!limit || !limit->known)
		return -1;
	check_near(limit->cpe, limit->cycles / limits.elements, 1e-12);
	assert_true(limit_rows[kind].hard || !limit->hard);
	return limit->cycles;
}

static inline const char *cause_of(enum limit_kind kind)
{
	const struct limit *limit = find(kind);

	if (!limit)
		fail_msg("there is no limit %s", limit_rows[kind].name);
	return limit ? limit->cause : "";
}
