#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char suffixes[] = "kmgt";

bool units_parse(const char *string, bool with_suffix, int64_t *value)
{
	int64_t number = 0;
	const char *c = string;

	if (*c < '0' || *c > '9')
		return false;
	for (; *c >= '0' && *c <= '9'; c++) {
		int digit = *c - '0';

		if (number > (INT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	if (*c && with_suffix) {
		char lower = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
		const char *suffix = strchr(suffixes, lower);

		if (!suffix)
			return false;
		for (int shift = (int)(suffix - suffixes) + 1; shift > 0; shift--) {
			if (number > INT64_MAX / 1024)
				return false;
			number *= 1024;
		}
		c++;
	}
	if (*c)
		return false;
	*value = number;
	return true;
}

void units_bytes(int64_t bytes, char *buffer, size_t size)
{
	int power = 0;

	while (power < 4 && bytes != 0 && bytes % 1024 == 0) {
		bytes /= 1024;
		power++;
	}
	if (power)
		snprintf(buffer, size, "%" PRId64 "%c", bytes, suffixes[power - 1]);
	else
		snprintf(buffer, size, "%" PRId64, bytes);
}

void units_bytes_short(int64_t bytes, char *buffer, size_t size)
{
	int64_t unit = 1024;
	int power = 1;
	char exact[32];

	units_bytes(bytes, exact, sizeof(exact));
	if (strlen(exact) <= 6) {
		snprintf(buffer, size, "%s", exact);
		return;
	}
	while (power < 4 && bytes / unit >= 1024) {
		unit *= 1024;
		power++;
	}
	if (bytes / unit >= 1000)
		snprintf(buffer, size, "%" PRId64 "%c", bytes / unit, suffixes[power - 1]);
	else
		snprintf(buffer, size, "%" PRId64 ".%d%c", bytes / unit,
			(int)(bytes % unit / (unit / 10 + 1)), suffixes[power - 1]);
}

void units_bytes_long(int64_t bytes, char *buffer, size_t size)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double scaled = (double)bytes;
	int power = 0, decimals;

	/* 1023.95 and up would print as 1024: go on to the next unit. */
	while (power < 4 && fabs(scaled) >= (power ? 1023.95 : 1024)) {
		scaled /= 1024;
		power++;
	}
	decimals = power == 0 || fabs(scaled - round(scaled)) < 0.05 ? 0 : 1;
	snprintf(buffer, size, "%.*f %s", decimals, scaled, names[power]);
}

void units_figure(double value, char *buffer, size_t size)
{
	double magnitude = fabs(value);
	int decimals;

	if (!isfinite(value)) {
		snprintf(buffer, size, "-");
		return;
	}
	/* The bounds are where rounding carries into the next digit: 9.9996 is 10.00. */
	if (magnitude < 9.9995)
		decimals = 3;
	else if (magnitude < 99.995)
		decimals = 2;
	else if (magnitude < 999.95)
		decimals = 1;
	else
		decimals = 0;
	if (magnitude >= 1e6)
		snprintf(buffer, size, "%.3e", value);
	else
		snprintf(buffer, size, "%.*f", decimals, value);
}

struct units_text units_size(int64_t bytes)
{
	struct units_text words;

	units_bytes(bytes, words.text, sizeof(words.text));
	return words;
}

struct units_text units_size_short(int64_t bytes)
{
	struct units_text words;

	units_bytes_short(bytes, words.text, sizeof(words.text));
	return words;
}

struct units_text units_size_long(int64_t bytes)
{
	struct units_text words;

	units_bytes_long(bytes, words.text, sizeof(words.text));
	return words;
}

struct units_text units_value(double value)
{
	struct units_text words;

	units_figure(value, words.text, sizeof(words.text));
	return words;
}
