/* The end of the program after an error that leaves no other way: no memory, or no clock. */
#pragma once

/* Sets a function that fatal() calls first, to restore the terminal; NULL: none. */
void fatal_rescue(void (*rescue)(void));

/* Sets a function that removes this process's temporary files. It must be async-signal-safe, and
 * must do nothing in a child process. */
void fatal_remover(void (*remover)(void));
/* Calls that function. Async-signal-safe, for handlers of crashes. */
void fatal_remove(void);

/* Writes a message to standard error, and ends the program with status 1. A child process ends
 * without a message and without the exit handlers of its parent. Any thread may call fatal(). */
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
