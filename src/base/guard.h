/* Libraries that crash when memory runs out, because they do not check every allocation. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Until guard_end(), a crash of this thread ends the program with status 1 and a message that names
 * the library. `what` is the subject of the message: "cairo, which draws pictures,"; it must stay
 * valid. A signal that the program already handles keeps its handler, which must call
 * guard_report(). Guards cannot be nested. */
void guard_begin(const char *what);
void guard_end(void);

/* For handlers of crashes: ends the program with the message if this thread is guarded; otherwise
 * does nothing. Async-signal-safe. */
void guard_report(void);

/* Whether this is the action of guard_begin(), which other handlers may replace. */
bool guard_handles(const struct sigaction *action);
