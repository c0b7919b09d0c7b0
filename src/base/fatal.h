/* The end of the program after an error that leaves no other way: no memory, or no clock. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Sets the function that fatal() calls before it prints the message, to restore the terminal; NULL:
 * none. The function runs in the thread that calls fatal_rescue() and alone uses the terminal, even
 * if another thread fails: that thread first interrupts this one. After this call, child processes
 * end silently (see fatal()). */
void fatal_rescue(void (*rescue)(void));

/* Adds a function that removes this process's temporary files, or ends its child processes. The
 * function must be async-signal-safe, and must do nothing in a child process. At most four. */
void fatal_remover(void (*remover)(void));
/* Calls the functions of fatal_remover(). Async-signal-safe, for handlers of crashes. */
void fatal_remove(void);
/* Calls the function of fatal_rescue() in the process and the thread that set it. Another thread of
 * this process stops that thread, so the caller must end the program. Async-signal-safe. */
void fatal_restore(void);

/* Call once, before other threads start. From now on, fatal signals whose action is the default
 * action first restore the terminal and remove what fatal_remover() names, and so does exit(). */
void fatal_catch(void);
/* Ends the program by a signal as fatal_catch() says. Async-signal-safe. */
void fatal_signal(int number);
/* Whether this is the action of fatal_catch(), which other handlers may replace. */
bool fatal_handles(const struct sigaction *action);

/* Until fatal_guard(NULL), a crash of this thread, or fatal_guard_seconds of processor time (tests
 * set less), end the program with status 1 and a message that names a library that does not check
 * every allocation. The time counts only after fatal_catch(). `what` is the subject of the message:
 * "cairo, which draws pictures,"; it must stay valid. Guards cannot be nested. */
void fatal_guard(const char *what);
extern double fatal_guard_seconds;
/* Like fatal_guard(), with another limit of processor time. */
void fatal_guard_for(const char *what, double seconds);

/* The messages of this file go to this descriptor, while standard error is another file. */
void fatal_messages(int descriptor);

/* For handlers of signals: if the signal is a crash and this thread is guarded, ends the program
 * with this message; otherwise does nothing. Async-signal-safe. */
void fatal_report(int number);

/* Writes a message to standard error, and ends the program with status 1. A child of the process
 * that called fatal_rescue() ends without a message and without exit handlers. Any thread may call
 * fatal(). */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
