/* Numbers as people write and read them: sizes in powers of 1,024, counts, short fixed forms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses "4096", "32k", "64m", "1g" or "2t" (either case, powers of 1,024; "1.5m" is not accepted)
 * into a non-negative number. The suffix is allowed only when with_suffix is set. Returns false for
 * anything else: empty, signs, blanks, trailing characters, overflow of int64_t. */
bool units_parse(const char *string, bool with_suffix, int64_t *value);

/* Values by value: units_size(bytes).text is valid to the end of the full expression. */
struct units_text {
	char text[32];
};

/* Bytes as knobs are typed: the largest suffix that divides exactly: "32k", "96k", "1000". */
struct units_text units_size(int64_t bytes);

/* The same in at most six characters, for a narrow column: a longer one is cut to one decimal,
 * "11.4g", and so never more than the true size; not meant to be typed. */
struct units_text units_size_short(int64_t bytes);

/* The same for reading: "32 KiB", "1.5 MiB", "1000 B". */
struct units_text units_size_long(int64_t bytes);

/* About four significant digits and no exponent up to a million: 0.752, 3.000, 12.35, 163.2, 1024.
 * "-" for a value that is not finite. */
struct units_text units_value(double value);

/* The least multiple of unit (> 0) that is not below value. */
static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}
