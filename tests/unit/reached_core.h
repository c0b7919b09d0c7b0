/* A kernel made up, on a core made up, whose chained loads meet small and large parts of their data
 * by turns. */
#pragma once

#include "loop_limits.h"

#include "base/random.h"
#include "model/memory/recency.h"

/* A line each, so that tests can leave lines out. */
static const char *const core[] = {
	"uarch odd A core for tests",
	"isa x86_64",
	"width 4 [M]",
	"ports a0 a1 l0 l1 [M]",
	"class move latency 0 ports none [M]",
	"class alu latency 1 ports a0,a1 [M]",
	"class branch ports a1 [M]",
	"class taken ports a1 [M]",
	"class load latency 4 ports l0,l1 [M]",
	"cap loads 2 [M]",
	"size rob 96 [M]",
	"size tlb1 16 [M]",
	"extra mispredict 20±2 [measured]",
	"extra tlb2 8 [M]",
	"extra misses 10 [M]",
	"cache 1 bytes 1024 latency 4 [M]",
	"cache 2 bytes 4096 latency 14 lines 0.5 [M]",
};
enum { CORE_LINES = sizeof(core) / sizeof(*core), CORE_NEEDED = 4 };

/* The core without so many of its lines, whichever. */
static inline struct uarch *core_without(struct random *random, int without)
{
	bool left_out[CORE_LINES] = { false };
	struct text text = { 0 };
	struct uarch *uarch;

	for (int i = 0; i < without; i++)
		left_out[CORE_NEEDED + random_below(random, CORE_LINES - CORE_NEEDED)] = true;
	for (int i = 0; i < CORE_LINES; i++)
		if (!left_out[i])
			text_addf(&text, "%s\n", core[i]);
	check_ok(uarch_parse(text_string(&text), "core", &uarch));
	text_free(&text);
	return uarch;
}

static inline int set_up(void **state)
{
	struct random random = { 1 };

	*state = core_without(&random, 0);
	return 0;
}

static inline int tear_down(void **state)
{
	uarch_free(*state);
	return 0;
}

/* Eight micro-ops an element: twelve elements in the reorder buffer. */
#define PLAIN                                                                                \
	"mov rax,[rsi]; add rbx,rax; add rbx,rcx; add rdx,rcx; add r8,rcx; add r9,rcx; add " \
	"rsi,rcx; cmp rsi,rdi; jne top"

/* Per element; -1: there is none, or it is not known. */
static inline double cpe_of(enum limit_kind kind)
{
	const struct limit *limit = find(kind);

	return limit && limit->known ? limit->cpe : -1;
}

/* Of PLAIN, per element; -1: there is none, or it is not known. */
static inline double latency_of(const struct uarch *uarch, const struct limits_place *place)
{
	limits_of_place(uarch, PLAIN, 1, place);
	return cpe_of(LIMIT_MEMORY_LATENCY);
}

/* A search tree of nodes that take a line each: level k holds 2^k of them. */
static inline struct limits_place tree(int levels)
{
	struct limits_place place = { .working_set = 64.0 * (double)(1 << levels),
		.walk.reaches = levels,
		.page = 4096,
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 16384,
		.measured.memory = { .known = true, .latency = 300, .lines = 0.1 } };

	for (int i = 0; i < levels; i++)
		place.walk.reach[i] =
			(struct kernel_reach){ .lines = 1, .range = 64.0 * ((2 << i) - 1) };
	return place;
}

/* Returns the misses per element in a cache of `bytes` that evicts the line not used for longest.
 */
static inline double missed(const struct kernel_walk *walk, double bytes)
{
	double age = recency_age(walk, bytes), sum = 0;

	for (int i = 0; i < walk->reaches; i++)
		sum += walk->reach[i].lines * recency_missed(walk, i, bytes, age);
	return sum;
}
