/* The processor's name. identify_x86.c and identify_arm64.c. */
#ifndef SLX_ENGINE_MACHINE_IDENTIFY_H
#define SLX_ENGINE_MACHINE_IDENTIFY_H

#include "engine/machine/machine.h"

/* Fills name, processor and virtualised. Features are those of the core that it runs on, which on
 * hybrid processors should be the measured one. */
void identify_processor(struct machine *machine);

#endif
