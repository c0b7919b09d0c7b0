/* Stepping an own loop (engine/own/own.h): small data, two lengths, a child that loads the code for
 * itself. */
#ifndef SLX_MODEL_CODE_STEP_OWN_H
#define SLX_MODEL_CODE_STEP_OWN_H

#include "engine/own/own.h"
#include "model/code/step.h"

/* Fills `loop` (initialised by the caller) from a run on few elements: as many as give some dozens
 * of turns. What depends on the size of the data, addresses above all, is that of the small one.
 * STATUS_FAILED as step_loop() says, and for a library that cannot be loaded. Takes some thousand
 * steps. */
struct status step_own(const struct own *own, uint64_t seed, struct loop *loop);

#endif
