/* Settings that show what there is to see: each kernel at its defaults, and along each knob that
 * tells something. Pure. */
#pragma once

#include "experiment/setting/cells.h"

/* Adds a kernel's settings. last_cache in bytes, 0 unknown. Those that this processor cannot run
 * are left out. */
void tour_add(struct setting_index *settings, const struct kernel *kernel, uint64_t last_cache,
	struct memory_limits memory_limits);
