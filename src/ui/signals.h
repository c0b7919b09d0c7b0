/* Signals as bytes on a pipe, so that the loop meets them where it waits for everything else. */
#ifndef SLX_UI_SIGNALS_H
#define SLX_UI_SIGNALS_H

#include <stdbool.h>

#include "base/status.h"

/* Catches those that end, stop, continue or resize. When a fatal one comes, rescue() is called (it
 * must be async-signal-safe) before the signal takes its course; handlers that others installed are
 * left alone. */
struct status signals_catch(void (*rescue)(void));

/* Back to what was before. */
void signals_release(void);

/* Becomes readable when a signal has come. */
int signals_descriptor(void);

/* The next signal that has come, or 0. */
int signals_take(void);

/* Stops this program as SIGTSTP would, and returns when it is continued. */
void signals_stop(void);

#endif
