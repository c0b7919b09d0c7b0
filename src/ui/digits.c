/* Large digits from block elements; the ASCII twin is the seven-segment figure of underscores and
 * bars. */
#include "ui/digits.h"

#include <string.h>

/* Three rows of three cells: '#' full, '^' upper half, ' ' none. A full stop has one column. */
static const char *const blocks[] = {
	"#^## #^^^",
	"^# "
	" # "
	"^^^",
	"^^##^^^^^",
	"^^# ^#^^^",
	"# #^^#  ^",
	"#^^^^#^^^",
	"#^^#^#^^^",
	"^^#  #  ^",
	"#^##^#^^^",
	"#^#^^#^^^",
};
static const char *const segments[] = {
	" _ | ||_|",
	"     |  |",
	" _  _||_ ",
	" _  _| _|",
	"   |_|  |",
	" _ |_  _|",
	" _ |_ |_|",
	" _   |  |",
	" _ |_||_|",
	" _ |_| _|",
};

int digits_width(const char *figure)
{
	int width = 0;

	for (; *figure; figure++) {
		if (*figure >= '0' && *figure <= '9')
			width += 4;
		else if (*figure == '.')
			width += 2;
		else
			return 0;
	}
	return width > 0 ? width - 1 : 0;
}

static void draw_cell(
	struct canvas *canvas, struct rectangle clip, int x, int y, enum style style, char cell)
{
	char string[2] = { cell, '\0' };

	if (canvas->ascii) {
		if (cell != ' ')
			canvas_text(canvas, clip, x, y, style, string);
	} else if (cell != ' ') {
		canvas_glyph(
			canvas, clip, x, y, style, cell == '#' ? GLYPH_BAR8 : GLYPH_UPPER_HALF);
	}
}

void digits_draw(struct canvas *canvas, struct rectangle clip, int x, int y, enum style style,
	const char *figure)
{
	for (; *figure; figure++) {
		if (*figure == '.') {
			draw_cell(canvas, clip, x, y + 2, style, canvas->ascii ? '.' : '^');
			x += 2;
		} else if (*figure >= '0' && *figure <= '9') {
			const char *shape = (canvas->ascii ? segments : blocks)[*figure - '0'];

			for (int i = 0; i < 9; i++)
				draw_cell(canvas, clip, x + i % 3, y + i / 3, style, shape[i]);
			x += 4;
		}
	}
}
