/* A column: a list of numbers as a short string of base-64 digits.
 *
 * The digits A…Z a…z 0…9 + / mean 0 to 63. Each number in a column is an integer n times
 * 10^-d.
 * The first digit of a column is d. A number that is equal to one of the 32 numbers before it is
 * one digit: 0 to 15 mean 1 to 16 numbers before, 48 to 63 mean 17 to 32. Any other number is the
 * difference of its n from the previous n, which is 0 at first. Its first digit, 16 to 47, is 16
 * plus the lowest four bits, plus 16 if further digits follow. Further digits have five bits each,
 * lowest bits first, and 32 more if another digit follows. The lowest bit of all is the sign (1:
 * negative). A point is an unknown number (NAN), which counts as one of the numbers before. */
#pragma once

#include <stdbool.h>

#include "base/text.h"

/* COLUMN_SMALLEST: the number nearest to 0 keeps six significant digits. COLUMN_LARGEST: the number
 * farthest from 0 keeps six. COLUMN_WHOLE: the numbers are integers. */
enum column_scale { COLUMN_SMALLEST, COLUMN_LARGEST, COLUMN_WHOLE };

/* Appends a column of `count` numbers. */
void column_encode(
	struct text *column, const double *number, unsigned count, enum column_scale scale);

/* Reads the numbers of a column, at most `room` of them. Returns the count of numbers; -1: the
 * string is not a column, or has more numbers. */
int column_decode(const char *column, double *number, unsigned room);
