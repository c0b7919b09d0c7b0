/* The processors that the calling thread may use. bench_open() moves the calling thread off the
 * measured core; a subcommand that measures several times restores the processors before each time.
 */
#pragma once

#include <sched.h>
#include <stddef.h>

struct affinity {
	cpu_set_t *set; /* NULL: unknown */
	size_t bytes;
};

/* Free the result with affinity_free(). */
struct affinity affinity_get(void);
void affinity_restore(const struct affinity *affinity);
void affinity_free(struct affinity *affinity);
