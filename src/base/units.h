/* Numbers as people write and read them: sizes in powers of 1,024, counts, short fixed forms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses "4096", "32k", "64m", "1g" or "2t" (either case, powers of 1,024; "1.5m" is not accepted)
 * into a non-negative number. The suffix is allowed only when with_suffix is set. Returns false for
 * anything else: empty, signs, blanks, trailing characters, overflow of int64_t. */
bool units_parse(const char *string, bool with_suffix, int64_t *value);

/* Writes bytes the way knobs are typed: the largest suffix that divides exactly: "32k", "96k",
 * "1000". */
void units_bytes(int64_t bytes, char *buffer, size_t size);

/* The same in at most six characters, for a narrow column: what would be longer is cut to one
 * decimal, "11.4g", and so never more than the true size; not meant to be typed. */
void units_bytes_short(int64_t bytes, char *buffer, size_t size);

/* The same for reading: "32 KiB", "1.5 MiB", "1000 B". */
void units_bytes_long(int64_t bytes, char *buffer, size_t size);

/* A figure with about four significant digits and no exponent up to a million: 0.752, 3.000, 12.35,
 * 163.2, 1024. A value that is not finite becomes "-". */
void units_figure(double value, char *buffer, size_t size);

/* The least multiple of unit (> 0) that is not below value. */
static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* The same four by value: units_value(cpe).text is valid to the end of the full expression. */
struct units_text {
	char text[32];
};
struct units_text units_size(int64_t bytes);	   /* units_bytes() */
struct units_text units_size_short(int64_t bytes); /* units_bytes_short() */
struct units_text units_size_long(int64_t bytes);  /* units_bytes_long() */
struct units_text units_value(double value);	   /* units_figure() */
