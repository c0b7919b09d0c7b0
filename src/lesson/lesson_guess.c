/* Reads a guess as a student types it: see lesson_judge.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "lesson/lesson_judge.h"

/* Removes what people add to a size: "32 KiB" and "32kb" become "32k". */
static size_t plain_size(char *number)
{
	size_t length = 0;

	for (const char *c = number; *c; c++)
		if (*c != ' ')
			number[length++] = *c;
	if (length > 2 && number[length - 1] == 'b' &&
		(number[length - 2] == 'i' || strchr("kmg", number[length - 2])))
		length--;
	if (length > 2 && number[length - 1] == 'i' && strchr("kmg", number[length - 2]))
		length--;
	number[length] = '\0';
	return length;
}

/* Reads a number with or without a suffix: "3", "0.75", "48k", "48 KiB". A guess such as "0,75" is
 * read as 0.75, because many students write a decimal comma; ".75" is 0.75 too. */
static bool read_number(const char *typed, double *number)
{
	char copy[32];
	size_t length = strlen(typed);
	const char *suffix;
	double factor = 1;

	if (length == 0 || length + 1 >= sizeof(copy))
		return false;
	snprintf(copy, sizeof(copy), "%s%s", strchr(".,", *typed) ? "0" : "", typed);
	for (char *c = copy; *c; c++)
		*c = *c == ',' ? '.' : (char)tolower((unsigned char)*c);
	length = plain_size(copy);
	suffix = length > 0 ? strchr("kmg", copy[length - 1]) : NULL;
	if (suffix && *suffix) {
		factor = *suffix == 'k' ? 1 << 10 : *suffix == 'm' ? 1 << 20 : 1 << 30;
		length--;
	}
	if (!rows_decimal(copy, length, number))
		return false;
	*number *= factor;
	return true;
}

static struct status read_choice(const struct lesson_step *step, const struct lesson_values *values,
	const char *typed, struct lesson_guess *guess)
{
	struct lesson_answer answer[LESSON_OPTIONS];
	int count = lesson_answers(step, values, answer), chosen = -1;
	char first = (char)tolower((unsigned char)typed[0]);

	if (count == 0)
		return status_failed("the limits of this loop are not known yet");
	for (int i = 0; i < count; i++)
		if (strcmp(answer[i].words, typed) == 0)
			chosen = i;
	if (chosen < 0 && typed[0] && !typed[1])
		chosen = first >= 'a' ? first - 'a' : first - '1';
	if (chosen < 0 || chosen >= count)
		return status_usage("%s%.40s%stype a letter from a to %c, or a digit from 1 to %d",
			*typed ? "\"" : "", typed, *typed ? "\" is not an answer: " : "",
			'a' + count - 1, count);
	guess->choice = chosen;
	text_copy_clean(guess->text, sizeof(guess->text), answer[chosen].words);
	return status_ok();
}

struct status lesson_guess_read(const struct lesson_step *step, const struct lesson_values *values,
	const char *typed, struct lesson_guess *guess)
{
	*guess = (struct lesson_guess){ .choice = -1, .number = NAN };
	while (isspace((unsigned char)*typed))
		typed++;
	switch (step->question.ask) {
	case ASK_NOTHING: return status_usage("this step asks nothing");
	case ASK_NUMBER:
	case ASK_KNEE:
		if (!read_number(typed, &guess->number) || !(guess->number > 0))
			return status_usage("%s%.40s%stype a number above 0, such as %s",
				*typed ? "\"" : "", typed, *typed ? "\" is not an answer: " : "",
				step->question.ask == ASK_KNEE ? "100k" : "0.75 or 3");
		break;
	case ASK_TEXT:
		if (!*typed)
			return status_usage("type a few words");
		break;
	default: return read_choice(step, values, typed, guess);
	}
	text_copy_clean(guess->text, sizeof(guess->text), typed);
	return status_ok();
}
