/* Functions that read parts of a line of assembly, for both encoders. Each function skips blanks at
 * *at, and moves *at past the text that it read. Each function returns false if *at does not start
 * with the expected text. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Skips blanks, then reads the character c. If c is 0, encode_take() only skips blanks. */
static inline bool encode_take(const char **at, char c)
{
	while (isspace((unsigned char)**at))
		++*at;
	if (!c || **at != c)
		return false;
	++*at;
	return true;
}

/* Reads a number with its sign, in decimal or with 0x in hexadecimal. A number beyond INT64_MAX
 * wraps, because lines may contain 64-bit masks. */
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
