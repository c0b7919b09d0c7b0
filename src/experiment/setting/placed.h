/* Words about the memory and the other cores of a run, for text and screen. Pure. */
#pragma once

#include <stddef.h>

#include "engine/measure/trials.h"

/* "huge asked, 4k got: none of 64 MiB could be got"; empty if the kernel got the pages that were
 * asked for, or none were. */
void placed_pages(const struct run_facts *facts, char *buffer, size_t size);

/* "node 1 has too little free: on node 0", else "node 1" on a machine with several nodes; else
 * empty. */
void placed_node(const struct run_facts *facts, char *buffer, size_t size);

/* "all 4 cores 61.2 GB/s", "3 streams 30.1 GB/s"; empty if the kernel ran alone. */
void placed_others(
	const struct run_facts *facts, const struct sample *sample, char *buffer, size_t size);
