#include "ui/background.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool background_stated(const char *term, const char *colorfgbg, uint32_t *rgb)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	char *end;
	long colour;

	/* The text console of Linux has a black background, and does not answer a query for the
	 * background colour. */
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

/* Reads a colour: red, green and blue as three hexadecimal numbers of 1 to 4 digits, separated by
 * slashes. Each number is relative to the largest number with as many digits: ff of two digits and
 * ffff of four are both full intensity. Returns false if the text is not such a colour; *whole is
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

void background_asked(struct background *background, double now)
{
	if (background->ground.state == GROUND_UNKNOWN)
		background->ground.state = GROUND_ASKED;
	background->asked = now;
	background->due = true;
}

double background_awaits(const struct background *background, double now)
{
	return background->ground.state == GROUND_ASKED
		       ? fmax(background->asked + BACKGROUND_DEADLINE - now, 0)
		       : INFINITY;
}

void background_expire(struct background *background, double now)
{
	if (background_awaits(background, now) > 0)
		return;
	background->ground.state = GROUND_UNKNOWN;
	background->changed = true;
}

void background_begin(struct background *background)
{
	background->answering = background->due;
	background->length = 0;
	background->text[0] = '\0';
}

static void found(struct background *background, uint32_t rgb)
{
	background->changed |=
		background->ground.state != GROUND_KNOWN || background->ground.rgb != rgb;
	background->ground = (struct ground){ GROUND_KNOWN, rgb };
	background->due = false;
}

bool background_string(struct background *background, wint_t character, bool ends)
{
	uint32_t rgb;
	bool whole, begun = background->answering && parse(background->text, &rgb, &whole);

	background->answering = false;
	if (!begun)
		return false;
	if (ends) {
		if (whole)
			found(background, rgb);
		return true;
	}
	/* A terminal may end its answer with Esc and a backslash. */
	if (character == 27) {
		background->answering = whole;
		return whole;
	}
	if (character <= ' ' || character >= 0x7f ||
		background->length + 1 >= (int)sizeof(background->text))
		return false;
	background->text[background->length++] = (char)character;
	background->text[background->length] = '\0';
	background->answering = parse(background->text, &rgb, &whole);
	return background->answering;
}
