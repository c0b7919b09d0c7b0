/* A tour is a list of settings to record: each kernel at its default setting, and with other values
 * of each knob, one knob at a time. */
#pragma once

#include "experiment/setting/cells.h"

/* Adds a kernel's settings to the tour. last_cache: bytes of the last cache; 0: unknown. The tour
 * omits settings that this processor cannot run. */
void tour_add(struct setting_index *settings, const struct kernel *kernel, uint64_t last_cache,
	struct memory_limits memory_limits);
