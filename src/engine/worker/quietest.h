/* Which of the cores that the program may choose is the least disturbed at the start. On a machine
 * with other guests, one core may be shared all the time, and the core next to it idle. */
#pragma once

#include "engine/machine/topology.h"

/* The number of processors that are compared. */
enum { QUIETEST_CORES = 4 };

/* Returns which processor to measure: `chosen`, unless its watch loops (which show a busy
 * hyper-thread) take more than a fifth longer than those of another processor of its kind. Lasts
 * about 0.2 ms for each processor. Binds the calling thread while it looks, and then lets it use
 * the processors of before. Returns `chosen` where there is no watch loop, or where threads cannot
 * be bound. */
int quietest_core(const struct topology *topology, int chosen);

/* Returns the index of the processor to measure. `turns` is the time of an iteration of the watch
 * loops on each processor, in any unit; NAN: unknown. Processor 0 is the one to choose if none is
 * quieter. Pure. */
int quietest_of(const double *turns, int count);
