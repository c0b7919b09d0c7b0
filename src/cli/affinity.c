#include "cli/affinity.h"

enum { PROCESSORS_MOST = 8192 };

struct affinity affinity_get(void)
{
	struct affinity affinity = { .set = CPU_ALLOC(PROCESSORS_MOST),
		.bytes = CPU_ALLOC_SIZE(PROCESSORS_MOST) };

	if (affinity.set && sched_getaffinity(0, affinity.bytes, affinity.set) != 0)
		affinity_free(&affinity);
	return affinity;
}

void affinity_restore(const struct affinity *affinity)
{
	if (affinity->set)
		(void)sched_setaffinity(0, affinity->bytes, affinity->set);
}

void affinity_free(struct affinity *affinity)
{
	CPU_FREE(affinity->set);
	affinity->set = NULL;
}
