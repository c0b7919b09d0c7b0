/* Libraries that the program loads only when it needs them, because most starts do not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct library_function {
	const char *name;
	void **place; /* receives the function's address */
};

enum { LIBRARY_WHY = 160 };

/* Loads a library by its file name ("libcairo.so.2"), and finds its functions. Returns false if
 * there is no such library, or if it lacks a function: `why` is then the reason. The library stays
 * loaded. */
bool library_load(const char *file, const struct library_function *functions, size_t count,
	char why[LIBRARY_WHY]);
