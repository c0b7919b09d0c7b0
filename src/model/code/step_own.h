/* Stepping an own loop (engine/own/own.h): small data, two lengths, a child that loads the code for
 * itself. */
#pragma once

#include "engine/own/own.h"
#include "model/code/step.h"

/* Fills `loop` (initialised by the caller) from a run on few elements, enough for some dozens of
 * turns. Facts that depend on the size of the data, above all addresses, are those of the small
 * run. STATUS_FAILED as step_loop(), and for a library that cannot be loaded. Takes some thousand
 * steps. */
struct status step_own(const struct own *own, uint64_t seed, struct loop *loop);
