/* Signals as bytes on a pipe, so that the event loop polls them like all other input. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

/* Catches signals that end, stop, continue or resize. On a fatal signal rescue() runs first (it
 * must be async-signal-safe), then the signal's default action. Handlers that other code installed
 * remain. */
struct status signals_catch(void (*rescue)(void));

/* Restores the previous handlers. */
void signals_release(void);

/* Becomes readable after a signal. */
int signals_descriptor(void);

/* The next pending signal; 0: none. */
int signals_take(void);

/* Stops this program as SIGTSTP does, and returns when it continues. */
void signals_stop(void);
