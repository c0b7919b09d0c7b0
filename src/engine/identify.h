/* The processor's name. identify_x86.c and identify_arm64.c. */
#ifndef SLX_ENGINE_IDENTIFY_H
#define SLX_ENGINE_IDENTIFY_H

#include "engine/machine.h"

/* Fills name and virtualised. */
void identify_processor(struct machine *machine);

#endif
