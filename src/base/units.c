#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char suffixes[] = "kmgt";

bool units_parse(const char *string, bool with_suffix, int64_t *value)
{
	int64_t number;
	char *end;

	errno = 0;
	number = strtoll(string, &end, 10);
	if (!isdigit((unsigned char)string[0]) || errno == ERANGE)
		return false;
	if (*end && with_suffix) {
		const char *suffix = strchr(suffixes, tolower((unsigned char)*end));

		if (!suffix || __builtin_mul_overflow(
				       number, INT64_C(1024) << 10 * (suffix - suffixes), &number))
			return false;
		end++;
	}
	if (*end)
		return false;
	*value = number;
	return true;
}

struct units_text units_text(const char *format, ...)
{
	struct units_text words;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words.text, sizeof(words.text), format, arguments);
	va_end(arguments);
	return words;
}

/* Returns a number and its suffix ('\0': none). The labels of a frame are dozens of sizes, so this
 * is faster than printf. */
static struct units_text number_text(int64_t number, char suffix)
{
	struct units_text words;
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[24], *at = digits + sizeof(digits);

	*--at = '\0';
	if (suffix)
		*--at = suffix;
	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	if (number < 0)
		*--at = '-';
	memcpy(words.text, at, (size_t)(digits + sizeof(digits) - at));
	return words;
}

struct units_text units_size(int64_t bytes)
{
	int power = 0;

	while (power < 4 && bytes != 0 && bytes % 1024 == 0) {
		bytes /= 1024;
		power++;
	}
	return number_text(bytes, power ? suffixes[power - 1] : '\0');
}

struct units_text units_size_short(int64_t bytes)
{
	struct units_text exact = units_size(bytes);
	int64_t unit = 1024;
	int power = 1;

	/* Five digits before a suffix, as in "11242m", are harder to read than "10.9g". */
	if (strlen(exact.text) <= (bytes % 1024 == 0 ? 5 : 6))
		return exact;
	while (power < 4 && bytes / unit >= 1024) {
		unit *= 1024;
		power++;
	}
	if (bytes / unit >= 1000)
		return units_text("%" PRId64 "%c", bytes / unit, suffixes[power - 1]);
	return units_text("%" PRId64 ".%d%c", bytes / unit, (int)(bytes % unit / (unit / 10 + 1)),
		suffixes[power - 1]);
}

struct units_text units_size_long(int64_t bytes)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double scaled = (double)bytes;
	int power = 0;

	/* A number of 1023.95 or more would print as 1024: use the next larger unit. */
	while (power < 4 && fabs(scaled) >= (power ? 1023.95 : 1024)) {
		scaled /= 1024;
		power++;
	}
	return units_text(
		"%.*f %s", power > 0 && fabs(scaled - round(scaled)) >= 0.05, scaled, names[power]);
}

struct units_text units_value(double value)
{
	/* A value at or above one of these bounds gets a digit more by rounding: 9.9996 prints
	 * as 10.00. */
	static const double bounds[] = { 999.95, 99.995, 9.9995 };
	int decimals = 0;

	if (!isfinite(value))
		return units_text("-");
	if (fabs(value) >= 1e6)
		return units_text("%.3e", value);
	while (decimals < 3 && fabs(value) < bounds[decimals])
		decimals++;
	return units_text("%.*f", decimals, value);
}

struct units_text units_cycles(double value)
{
	/* Below these numbers of cycles, three or four decimals would show two digits or fewer. */
	return value > 0 && value < 0.009995  ? units_text("%.5f", value)
	       : value > 0 && value < 0.09995 ? units_text("%.4f", value)
					      : units_value(value);
}

struct units_text units_versus(double ratio)
{
	double times = ratio < 1 ? 1 / ratio : ratio, percent = 100 * fabs(ratio - 1);
	const char *which = ratio < 1 ? "faster" : "slower";

	if (percent < 9.95)
		return units_text("takes %.1f %% %s", percent, ratio < 1 ? "less" : "more");
	return units_text(times < 9.995	  ? "is %.2f× %s"
			  : times < 99.95 ? "is %.1f× %s"
					  : "is %.0f× %s",
		times, which);
}
