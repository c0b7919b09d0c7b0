/* The end of the program after an error that leaves no other way: no memory, or no clock. */
#pragma once

/* Sets the function that fatal() calls before it prints the message, to restore the terminal; NULL:
 * none. After this call, child processes end silently (see fatal()). */
void fatal_rescue(void (*rescue)(void));

/* Sets a function that removes this process's temporary files. It must be async-signal-safe, and
 * must do nothing in a child process. */
void fatal_remover(void (*remover)(void));
/* Calls the function that fatal_remover() set, if any. Async-signal-safe, for handlers of crashes.
 */
void fatal_remove(void);

/* Writes a message to standard error, and ends the program with status 1. A child of the process
 * that called fatal_rescue() ends without a message and without exit handlers. Any thread may call
 * fatal(). */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
