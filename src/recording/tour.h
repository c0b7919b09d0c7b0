/* The settings of a tour: each kernel at its default setting, and along each of its knobs. */
#pragma once

#include "experiment/setting/cells.h"

/* Adds a kernel's settings. last_cache: in bytes, 0: unknown. Settings that this processor cannot
 * run are omitted. */
void tour_add(struct setting_index *settings, const struct kernel *kernel, uint64_t last_cache,
	struct memory_limits memory_limits);
