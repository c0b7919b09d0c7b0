/* Libraries that crash when memory runs out, because they do not check every allocation. */
#pragma once

#include <signal.h>

enum { GUARDED = 4 };

struct guard {
	struct sigaction before[GUARDED];
};

/* Until guard_end(), a crash ends the program with status 1 and a message that names the library.
 * `what` is the subject of the message: "cairo, which draws pictures,"; it must stay valid. A
 * signal that the program already handles keeps its handler. Guards cannot be nested. */
void guard_begin(struct guard *guard, const char *what);
void guard_end(const struct guard *guard);
