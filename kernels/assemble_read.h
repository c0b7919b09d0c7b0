/* Readers of lines of assembly, for both encoders. They skip blanks at *at, and move *at past what
 * they read. False: something else is at *at. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* The character c. 0: only skips the blanks. */
static inline bool encode_take(const char **at, char c)
{
	while (isspace((unsigned char)**at))
		++*at;
	if (!c || **at != c)
		return false;
	++*at;
	return true;
}

/* A number with its sign, decimal or 0x…. A number beyond INT64_MAX wraps, so that lines can
 * contain masks. */
static inline bool encode_number(const char **at, int64_t *value)
{
	bool negative = encode_take(at, '-');
	uint64_t magnitude;
	char *end;

	if (!negative)
		encode_take(at, '+');
	encode_take(at, 0);
	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	magnitude = strtoull(*at, &end, (*at)[0] == '0' && ((*at)[1] | 32) == 'x' ? 16 : 10);
	if (errno || isalnum((unsigned char)*end) || *end == '_' ||
		(negative && magnitude > (uint64_t)1 << 63))
		return false;
	*at = end;
	*value = (int64_t)(negative ? -magnitude : magnitude);
	return true;
}
