/* Converts numbers from and to text for users: sizes in powers of 1,024, counts, short decimals. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses "4096", "32k", "64m", "1g" or "2t" into a non-negative number. Suffixes are powers of
 * 1,024, upper or lower case, and are allowed only if with_suffix is set. Returns false for every
 * text of another form: empty, "1.5m", signs, blanks, trailing characters, overflow of int64_t. */
bool units_parse(const char *string, bool with_suffix, int64_t *value);

/* A short text by value: units_size(bytes).text is valid until the end of the full expression. Like
 * words_of(), but a text of 32 bytes or more is cut. */
struct units_text {
	char text[32];
};
struct units_text units_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Bytes in the form that users type for knobs, with the largest suffix that divides exactly: "32k",
 * "96k", "1000". */
struct units_text units_size(int64_t bytes);

/* Bytes in at most six characters, for a narrow column, with at most four digits before a suffix. A
 * longer size is rounded down to one decimal: "11.4g". Do not use the shortened text as input. */
struct units_text units_size_short(int64_t bytes);

/* Bytes in the form for reading: "32 KiB", "1.5 MiB", "1000 B". */
struct units_text units_size_long(int64_t bytes);

/* A value with about four significant digits: 0.752, 3.000, 12.35, 163.2, 1024. A value of a
 * million or more has an exponent. The text is "-" for a value that is not finite. */
struct units_text units_value(double value);

/* Cycles per element: as units_value(), but with three digits below 0.1 too: 0.0143, 0.00161. */
struct units_text units_cycles(double value);

/* What the ratio of the times B/A says of B, with the digits of the ratio: "is 1.30× slower", "is
 * 158× faster"; below a tenth: "takes 0.6 % more". */
struct units_text units_versus(double ratio);

/* The smallest multiple of unit (> 0) that is at least value. */
static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}
