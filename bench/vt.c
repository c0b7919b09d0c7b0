#include "bench/vt.h"

#include <stdlib.h>
#include <string.h>

enum { GROUND, ESCAPE, SEQUENCE, STRING, STRING_ESCAPE, CHARSET };

static uint32_t *cell_at(struct vt *vt, int x, int y)
{
	return &vt->cells[(size_t)y * (size_t)vt->width + (size_t)x];
}

static void erase(struct vt *vt, int y, int from, int to)
{
	for (int x = from; x < to && x < vt->width; x++)
		*cell_at(vt, x, y) = ' ';
}

static void erase_rows(struct vt *vt, int from, int to)
{
	for (int y = from; y < to; y++)
		erase(vt, y, 0, vt->width);
}

static int clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static void move(struct vt *vt, int x, int y)
{
	vt->x = clamp(x, 0, vt->width - 1);
	vt->y = clamp(y, 0, vt->height - 1);
	vt->wrap = false;
}

/* Moves the rows from..bottom up by count; down when it is negative. */
static void scroll(struct vt *vt, int from, int count)
{
	int rows = vt->bottom + 1 - from, by = clamp(abs(count), 0, rows);
	size_t bytes = (size_t)(rows - by) * (size_t)vt->width * sizeof(*vt->cells);

	if (count > 0) {
		memmove(cell_at(vt, 0, from), cell_at(vt, 0, from + by), bytes);
		erase_rows(vt, vt->bottom + 1 - by, vt->bottom + 1);
	} else {
		memmove(cell_at(vt, 0, from + by), cell_at(vt, 0, from), bytes);
		erase_rows(vt, from, from + by);
	}
}

/* Moves what is right of the cursor right by count columns; left when it is negative. */
static void shift(struct vt *vt, int count)
{
	int room = vt->width - vt->x, by = clamp(abs(count), 0, room);
	uint32_t *here = cell_at(vt, vt->x, vt->y);
	size_t bytes = (size_t)(room - by) * sizeof(*here);

	if (count > 0) {
		memmove(here + by, here, bytes);
		erase(vt, vt->y, vt->x, vt->x + by);
	} else {
		memmove(here, here + by, bytes);
		erase(vt, vt->y, vt->width - by, vt->width);
	}
}

static void line_feed(struct vt *vt)
{
	if (vt->y == vt->bottom)
		scroll(vt, vt->top, 1);
	else
		move(vt, vt->x, vt->y + 1);
	vt->wrap = false;
}

static void put(struct vt *vt, uint32_t character)
{
	if (vt->wrap) {
		vt->x = 0;
		line_feed(vt);
	}
	*cell_at(vt, vt->x, vt->y) = vt->last = character;
	vt->wrap = vt->x == vt->width - 1;
	vt->x += !vt->wrap;
}

static void control(struct vt *vt, unsigned char byte)
{
	switch (byte) {
	case '\a':
	case 0: break;
	case '\b': move(vt, vt->x - 1, vt->y); break;
	case '\t': move(vt, (vt->x / 8 + 1) * 8, vt->y); break;
	case '\n': line_feed(vt); break;
	case '\r': move(vt, 0, vt->y); break;
	case 27: vt->state = ESCAPE; break;
	default: vt->unknown++; break;
	}
}

static void escape(struct vt *vt, char byte)
{
	vt->state = GROUND;
	switch (byte) {
	case '[':
		vt->state = SEQUENCE;
		vt->private = 0;
		vt->arguments = 1;
		memset(vt->argument, 0, sizeof(vt->argument));
		break;
	case ']': vt->state = STRING; break;
	case '(':
	case ')': vt->state = CHARSET; break;
	case '=':
	case '>': break;
	case '7':
		vt->saved_x = vt->x;
		vt->saved_y = vt->y;
		break;
	case '8': move(vt, vt->saved_x, vt->saved_y); break;
	case 'M':
		if (vt->y == vt->top)
			scroll(vt, vt->top, -1);
		else
			move(vt, vt->x, vt->y - 1);
		break;
	default: vt->unknown++; break;
	}
}

static void erase_display(struct vt *vt)
{
	switch (vt->argument[0]) {
	case 0:
		erase(vt, vt->y, vt->x, vt->width);
		erase_rows(vt, vt->y + 1, vt->height);
		break;
	case 1:
		erase_rows(vt, 0, vt->y);
		erase(vt, vt->y, 0, vt->x + 1);
		break;
	default: erase_rows(vt, 0, vt->height); break;
	}
}

static void sequence_end(struct vt *vt, char byte)
{
	int first = vt->argument[0], count = first > 0 ? first : 1;

	vt->state = GROUND;
	if (vt->private) {
		/* Modes: cursor, keypad, full screen. Entering the full screen finds it empty. */
		if ((byte != 'h' && byte != 'l') || vt->private != '?')
			vt->unknown++;
		else if (first == 1049)
			erase_rows(vt, 0, vt->height);
		return;
	}
	switch (byte) {
	case '@': shift(vt, count); break;
	case 'A': move(vt, vt->x, vt->y - count); break;
	case 'B': move(vt, vt->x, vt->y + count); break;
	case 'C': move(vt, vt->x + count, vt->y); break;
	case 'D': move(vt, vt->x - count, vt->y); break;
	case 'G': move(vt, count - 1, vt->y); break;
	case 'H': move(vt, (vt->argument[1] > 0 ? vt->argument[1] : 1) - 1, count - 1); break;
	case 'J': erase_display(vt); break;
	case 'K':
		erase(vt, vt->y, first == 0 ? vt->x : 0, first == 1 ? vt->x + 1 : vt->width);
		break;
	case 'L': scroll(vt, vt->y, -count); break;
	case 'M': scroll(vt, vt->y, count); break;
	case 'P': shift(vt, -count); break;
	case 'S': scroll(vt, vt->top, count); break;
	case 'T': scroll(vt, vt->top, -count); break;
	case 'X': erase(vt, vt->y, vt->x, vt->x + count); break;
	case 'b':
		while (count-- > 0)
			put(vt, vt->last);
		break;
	case 'd': move(vt, vt->x, count - 1); break;
	case 'm':
	case 't': break;			    /* colours, the window's title */
	case 'l': vt->unknown += first != 4; break; /* no insert mode: there was none */
	case 'r':
		vt->bottom =
			clamp(vt->argument[1] > 0 ? vt->argument[1] : vt->height, 1, vt->height) -
			1;
		vt->top = clamp(count - 1, 0, vt->bottom);
		move(vt, 0, 0);
		break;
	default: vt->unknown++; break;
	}
}

static void sequence(struct vt *vt, char byte)
{
	if (byte >= '0' && byte <= '9')
		vt->argument[vt->arguments - 1] = vt->argument[vt->arguments - 1] * 10 + byte - '0';
	else if (byte == ';' && vt->arguments < VT_ARGUMENTS)
		vt->arguments++;
	else if (byte == '?' || byte == '>' || byte == '!')
		vt->private = byte;
	else if (byte >= '@' && byte <= '~')
		sequence_end(vt, byte);
	else
		vt->unknown++;
}

static void text(struct vt *vt, unsigned char byte)
{
	if (vt->lacks > 0 && (byte & 0xc0) == 0x80) {
		vt->character = vt->character << 6 | (byte & 0x3f);
		if (--vt->lacks == 0)
			put(vt, vt->character);
	} else if (byte >= 0xc0) {
		vt->lacks = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
		vt->character = byte & (0x3f >> vt->lacks);
	} else if (byte < ' ') {
		control(vt, byte);
	} else {
		put(vt, byte);
	}
}

void vt_write(struct vt *vt, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char byte = bytes[i];

		switch (vt->state) {
		case GROUND: text(vt, (unsigned char)byte); break;
		case ESCAPE: escape(vt, byte); break;
		case SEQUENCE: sequence(vt, byte); break;
		case STRING:
			vt->state = byte == '\a' ? GROUND : byte == 27 ? STRING_ESCAPE : STRING;
			break;
		case STRING_ESCAPE: vt->state = GROUND; break;
		default: /* only the plain character set is drawn */
			vt->unknown += byte != 'B';
			vt->state = GROUND;
			break;
		}
	}
}

void vt_init(struct vt *vt, int width, int height)
{
	*vt = (struct vt){ .width = width, .height = height, .bottom = height - 1, .last = ' ' };
	vt->cells = malloc((size_t)width * (size_t)height * sizeof(*vt->cells));
	if (!vt->cells || width > VT_WIDTH_MAX)
		abort();
	erase_rows(vt, 0, height);
}

void vt_free(struct vt *vt)
{
	free(vt->cells);
	vt->cells = NULL;
}

uint32_t vt_cell(const struct vt *vt, int x, int y)
{
	if (x < 0 || y < 0 || x >= vt->width || y >= vt->height)
		return ' ';
	return vt->cells[(size_t)y * (size_t)vt->width + (size_t)x];
}

const char *vt_row(const struct vt *vt, int x, int y, char buffer[VT_WIDTH_MAX + 1])
{
	int count = 0;

	for (; x < vt->width; x++) {
		uint32_t cell = vt_cell(vt, x, y);

		buffer[count++] = cell < 128 ? (char)cell : '\1';
	}
	buffer[count] = '\0';
	return buffer;
}
