#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Names and typing mistakes are short; beyond this nothing is called near. */
enum { LONGEST = 48, SUGGESTIONS = 3 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edit distance with swapped neighbours as one edit (optimal string alignment); both at most
 * LONGEST. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[3][LONGEST + 1];
	size_t *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *oldest = before;

		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t change = lower(a[i - 1]) != lower(b[j - 1]);

			now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + change);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]) && before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[nb];
}

static bool begins(const char *string, const char *with, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (lower(string[i]) != lower(with[i]))
			return false;
	return true;
}

/* How far a name is from what was typed, or SIZE_MAX when it is not near. */
static size_t far_off(const char *wrong, const char *name)
{
	size_t typed = strlen(wrong), length = strlen(name), edits, allowed;

	if (typed == 0 || typed > LONGEST || length == 0 || length > LONGEST)
		return SIZE_MAX;
	if (typed <= length && begins(name, wrong, typed))
		return typed == length ? 0 : 1;
	if (typed > length && length >= 3 && begins(wrong, name, length))
		return 1;
	edits = distance(wrong, typed, name, length);
	/* One slip in three letters, and never so many that the two share nothing. */
	allowed = (typed > length ? typed : length) / 3;
	if (allowed == 0)
		allowed = 1;
	return edits <= allowed && edits < length ? edits + 1 : SIZE_MAX;
}

static void append(char *buffer, size_t size, const char *string)
{
	size_t used = strlen(buffer), length = strlen(string);

	if (used + 1 >= size)
		return;
	if (length > size - used - 1)
		length = size - used - 1;
	memcpy(buffer + used, string, length);
	buffer[used + length] = '\0';
}

void nearest_names(
	const char *wrong, const char *const *names, size_t count, char *buffer, size_t size)
{
	const char *best[SUGGESTIONS];
	size_t score[SUGGESTIONS], found = 0;

	if (size == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		size_t off = far_off(wrong, names[i]), place;

		if (off == SIZE_MAX)
			continue;
		/* Kept in order of nearness; equals in the order given. */
		for (place = found; place > 0 && score[place - 1] > off; place--)
			;
		if (place == SUGGESTIONS)
			continue;
		if (found < SUGGESTIONS)
			found++;
		for (size_t j = found - 1; j > place; j--) {
			best[j] = best[j - 1];
			score[j] = score[j - 1];
		}
		best[place] = names[i];
		score[place] = off;
	}
	for (size_t i = 0; i < found; i++) {
		if (i)
			append(buffer, size, i + 1 == found ? " or " : ", ");
		append(buffer, size, best[i]);
	}
}
