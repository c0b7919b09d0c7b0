#include "recording/columns.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* FIRST: the first digit of a difference. FIRST_BITS and BITS: bits of the difference in its first
 * digit and in the others. MORE and FURTHER: added to such a digit if another one follows.
 * SHIFT_MOST: position of the last digit's bits in the largest difference. NEAR, BEFORE: the
 * largest distance of an equal number that the digits below FIRST and all digits can name.
 * PLACES_MOST: the largest number of decimal places. */
enum { FIRST = 16, FIRST_BITS = 4, MORE = 1 << FIRST_BITS, BITS = 5, FURTHER = 1 << BITS };
enum { SHIFT_MOST = FIRST_BITS + 10 * BITS, NEAR = 16, BEFORE = 32, PLACES_MOST = 15 };
/* Integers up to this one are exact in a double. */
static const double exact_most = 9007199254740991;

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static const double powers[PLACES_MOST + 1] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };

static void add_digit(struct text *column, unsigned digit)
{
	text_addn(column, &digits[digit], 1);
}

static void add_difference(struct text *column, int64_t number)
{
	uint64_t rest = number < 0 ? (uint64_t)-number << 1 | 1 : (uint64_t)number << 1;
	unsigned low = rest & (MORE - 1);

	rest >>= FIRST_BITS;
	add_digit(column, FIRST + low + (rest ? MORE : 0));
	while (rest) {
		low = rest & (FURTHER - 1);
		rest >>= BITS;
		add_digit(column, low + (rest ? FURTHER : 0));
	}
}

/* Returns the number of decimal places that keeps the significant digits of the scale. */
static int places_of(const double *number, unsigned count, enum column_scale scale)
{
	double least = INFINITY, most = 0;
	int places;

	for (unsigned i = 0; i < count; i++) {
		double size = fabs(number[i]);

		if (isfinite(size) && size > most)
			most = size;
		if (size > 0 && size < least)
			least = size;
	}
	if (most == 0 || scale == COLUMN_WHOLE)
		return 0;
	places = scale == COLUMN_SMALLEST ? 5 - (int)floor(log10(least))
					  : 5 - (int)floor(log10(most));
	if (places > PLACES_MOST)
		places = PLACES_MOST;
	while (places > 0 && most * powers[places] > exact_most)
		places--;
	return places > 0 ? places : 0;
}

/* Returns how many numbers before `index` an equal number is; 0: none is near enough. */
static unsigned distance(const double *number, unsigned index, double factor)
{
	double whole = nearbyint(number[index] * factor);

	for (unsigned back = 1; back <= BEFORE && back <= index; back++)
		if (nearbyint(number[index - back] * factor) == whole)
			return back;
	return 0;
}

void column_encode(
	struct text *column, const double *number, unsigned count, enum column_scale scale)
{
	int places = places_of(number, count, scale);
	int64_t before = 0;

	add_digit(column, (unsigned)places);
	for (unsigned i = 0; i < count; i++) {
		double whole = nearbyint(number[i] * powers[places]);
		unsigned back = distance(number, i, powers[places]);

		if (!(fabs(whole) <= exact_most)) {
			text_addn(column, ".", 1);
			continue;
		}
		if (back)
			add_digit(column, back <= NEAR ? back - 1 : back - 1 + BEFORE);
		else
			add_difference(column, (int64_t)whole - before);
		before = (int64_t)whole;
	}
}

/* Returns the value of a base-64 digit; -1: the character is not a digit. */
static int digit_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Reads a difference. Returns the position after it; NULL: there is none, or it is too large. */
static const char *read_difference(const char *at, int64_t *number)
{
	int digit = digit_value(*at++) - FIRST;
	uint64_t rest = (uint64_t)(digit & (MORE - 1));
	bool further = digit & MORE;

	for (unsigned shift = FIRST_BITS; further; shift += BITS) {
		digit = digit_value(*at++);
		if (digit < 0 || shift > SHIFT_MOST)
			return NULL;
		rest |= (uint64_t)(digit & (FURTHER - 1)) << shift;
		further = digit & FURTHER;
	}
	*number = rest & 1 ? -(int64_t)(rest >> 1) : (int64_t)(rest >> 1);
	return at;
}

int column_decode(const char *column, double *number, unsigned room)
{
	int places = digit_value(*column);
	const char *at = column + 1;
	double whole = 0;
	unsigned count = 0;

	if (places < 0 || places > PLACES_MOST)
		return -1;
	for (; *at; count++) {
		int digit = digit_value(*at);
		int64_t apart = 0;

		if (count == room || (digit < 0 && *at != '.'))
			return -1;
		if (digit < 0) {
			number[count] = NAN;
			at++;
		} else if (digit >= FIRST && digit < FIRST + 2 * MORE) {
			at = read_difference(at, &apart);
			whole += (double)apart;
			if (!at || fabs(whole) > exact_most)
				return -1;
			number[count] = whole / powers[places];
		} else {
			unsigned back = (unsigned)(digit < FIRST ? digit + 1 : digit + 1 - BEFORE);

			if (back > count)
				return -1;
			number[count] = number[count - back];
			if (isfinite(number[count]))
				whole = nearbyint(number[count] * powers[places]);
			at++;
		}
	}
	return (int)count;
}
