#include "ui/background.h"

#include <stdlib.h>
#include <string.h>

#include "ui/theme.h"

bool background_stated(const char *term, const char *colorfgbg, uint32_t *rgb)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	char *end;
	long colour;

	/* The console of Linux is black, and answers no query. */
	if (term && strncmp(term, "linux", 5) == 0) {
		*rgb = 0;
		return true;
	}
	if (!last)
		return false;
	colour = strtol(last + 1, &end, 10);
	if (end == last + 1 || *end || colour < 0 || colour > 15)
		return false;
	*rgb = theme_rgb((int)colour);
	return true;
}

bool background_can_ask(const char *term, int colours)
{
	return colours >= 256 ||
	       (term && (strncmp(term, "xterm", 5) == 0 || strncmp(term, "rxvt", 4) == 0));
}

/* Reads three hexadecimal numbers of 1 to 4 digits, separated by slashes. Each number is a share of
 * the largest number with as many digits. Returns false if the text is not such a colour; *whole is
 * false if the text only begins like one. */
static bool parse(const char *text, uint32_t *rgb, bool *whole)
{
	static const char *const begins[] = { "11;rgb:", "11;rgba:" };
	size_t length = strlen(text);
	bool found = false;

	*whole = false;
	*rgb = 0;
	for (int i = 0; i < 2 && !found; i++) {
		size_t begin = strlen(begins[i]);

		if (strncmp(text, begins[i], length < begin ? length : begin) != 0)
			continue;
		if (length <= begin)
			return true;
		text += begin;
		found = true;
	}
	for (int part = 0; found && part < 4; part++) {
		size_t digits = strspn(text, "0123456789abcdefABCDEF");
		unsigned long most;

		if (digits > 4)
			return false;
		most = (1ul << 4 * digits) - 1;
		if (part < 3 && digits > 0)
			*rgb = *rgb << 8 |
			       (uint32_t)((strtoul(text, NULL, 16) * 255 + most / 2) / most);
		text += digits;
		*whole = part >= 2 && digits > 0;
		if (!*text)
			return true;
		if (*text++ != '/' || digits == 0)
			return false;
	}
	return false;
}

bool background_take(struct background_answer *answer, wint_t character)
{
	uint32_t rgb;
	bool whole;

	/* A terminal may end its answer with Esc and a backslash. */
	if (character == 27 && background_read(answer, &rgb))
		return true;
	if (character > ' ' && character < 0x7f && answer->length + 1 < (int)sizeof(answer->text)) {
		answer->text[answer->length++] = (char)character;
		answer->text[answer->length] = '\0';
		if (parse(answer->text, &rgb, &whole))
			return true;
	}
	*answer = (struct background_answer){ 0 };
	return false;
}

bool background_read(const struct background_answer *answer, uint32_t *rgb)
{
	bool whole;

	return answer->length > 0 && parse(answer->text, rgb, &whole) && whole;
}
