#include "ui/sequence.h"

enum { BELL = 7, ESCAPE = 27 };

static bool between(wint_t character, wint_t from, wint_t to)
{
	return character >= from && character <= to;
}

static bool is_digit(wint_t character)
{
	return between(character, '0', '9');
}

static bool is_letter(wint_t character)
{
	return between(character, 'A', 'Z') || between(character, 'a', 'z');
}

enum sequence sequence_after_escape(const wint_t *after, size_t count)
{
	if (count < 1)
		return SEQUENCE_NONE;
	if (after[0] == '[')
		return SEQUENCE_CONTROL;
	/* The others begin with letters that are keys as well, pressed right after Esc. */
	if (count < 2)
		return SEQUENCE_NONE;
	if (after[0] == 'O' && is_letter(after[1]))
		return SEQUENCE_SHORT;
	if (after[0] == ']' && is_digit(after[1]))
		return SEQUENCE_STRING;
	if (after[0] == 'P' && (is_digit(after[1]) || after[1] == '>' || after[1] == '!'))
		return SEQUENCE_STRING;
	return SEQUENCE_NONE;
}

bool sequence_ends(enum sequence sequence, wint_t before, wint_t character)
{
	switch (sequence) {
	case SEQUENCE_CONTROL:
		/* The Linux console's function keys: Esc [ [ A. */
		if (before == 0 && character == '[')
			return false;
		/* Parameters, and what stands between them and the end. */
		return !between(character, 0x20, 0x3f);
	case SEQUENCE_STRING:
		return character == BELL || (before == ESCAPE && character == '\\');
	default:
		return true;
	}
}
