/* Suggestions for mistyped names. */
#ifndef SLX_BASE_NEAREST_H
#define SLX_BASE_NEAREST_H

#include <stddef.h>

/* Appends to buffer the up to three names nearest to wrong (edit distance, prefixes count as near),
 * as "a, b or c"; an empty string when none is near. names holds count strings. */
void nearest_names(
	const char *wrong, const char *const *names, size_t count, char *buffer, size_t size);

#endif
