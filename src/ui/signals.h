/* Signals as bytes in a pipe, so that an event loop can poll them like other input. */
#pragma once

#include "base/status.h"

/* Catches signals that end, stop or continue the program or resize the terminal. On a fatal signal,
 * the handler first calls rescue() to restore the terminal, then the signal's default action
 * follows. The function rescue() must be async-signal-safe. If other code already handles a fatal
 * signal, the handler of that code remains. */
struct status signals_catch(void (*rescue)(void));
/* Restores the former handlers. Without signals_catch(), does nothing. */
void signals_release(void);

/* Returns the descriptor that is readable while a signal is pending. */
int signals_descriptor(void);
/* Returns the next pending signal; 0: none. */
int signals_take(void);

/* Stops this program as SIGTSTP does by default, and returns when the program continues. */
void signals_stop(void);
