/* The limits of a loop of assembly, for tests. */
#pragma once

#include "check.h"

#include "assembly.h"
#include "model/limits/limits.h"

static struct limits limits; /* of the last loop */

static inline void limits_of_place(const struct uarch *uarch, const char *source, double elements,
	const struct limits_place *place)
{
	struct loop loop;

	assembly_loop(source, &loop);
	loop.elements = elements;
	limits_compute(&loop, uarch, place, &limits);
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
	assert_int_equal(limit->hard, limit_rows[kind].hard);
	return limit->cycles;
}

static inline const char *cause_of(enum limit_kind kind)
{
	const struct limit *limit = find(kind);

	if (!limit)
		fail_msg("there is no limit %s", limit_rows[kind].name);
	return limit ? limit->cause : "";
}
