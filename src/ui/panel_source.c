/* The C source of the loop, from the kernel's own file: the function as far as it fits, its
 * innermost loop visible. */
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

enum { TAB = 4 };

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct listing *listing = scene->view->listing;

	if (listing->generated)
		snprintf(buffer, size, "source: %s, written by the build", listing->function);
	else
		snprintf(buffer, size, "source: %s, %s", listing->file, listing->function);
}

static bool wanted(const struct view *view)
{
	return view->listing != NULL;
}

/* The line with its tabs as blanks. */
static void widen(const char *line, char *buffer, size_t size)
{
	size_t used = 0;

	for (; *line && used + TAB < size; line++) {
		if (*line != '\t') {
			buffer[used++] = *line;
			continue;
		}
		do
			buffer[used++] = ' ';
		while (used % TAB);
	}
	buffer[used] = '\0';
}

/* The first line shown: the function's, unless its loop would then not be seen to its end. */
static int first_line(const struct listing *listing, int rows)
{
	int first = listing->first;

	if (listing->loop_last >= first + rows)
		first = listing->loop_last - rows + 1;
	if (listing->loop_first >= 0 && first > listing->loop_first)
		first = listing->loop_first;
	return first;
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct listing *listing = scene->view->listing;
	int first = first_line(listing, at.height), digits;
	char figure[16], line[400];

	if (scene->view->outline) {
		canvas_text(canvas, at, 0, 0, STYLE_DIM, scene->view->limits_note);
		return;
	}
	digits = snprintf(figure, sizeof(figure), "%d", first + at.height);
	for (int i = 0; i < at.height && first + i <= listing->last; i++) {
		int index = first + i;
		bool loop = index >= listing->loop_first && index <= listing->loop_last;

		snprintf(figure, sizeof(figure), "%d", index + 1);
		canvas_text_right(canvas, at, digits, i, STYLE_DIM, figure);
		if (loop)
			canvas_glyph(canvas, at, digits + 1, i, STYLE_WARN,
				index == listing->loop_first  ? GLYPH_TOP_LEFT
				: index == listing->loop_last ? GLYPH_BOTTOM_LEFT
							      : GLYPH_VLINE);
		widen(listing->line[index], line, sizeof(line));
		canvas_text(canvas, at, digits + 3, i, loop ? STYLE_TEXT : STYLE_DIM, line);
	}
}

static int best_rows(const struct view *view)
{
	return view->listing ? 1 + view->listing->last - view->listing->first + 1 : 5;
}

const struct panel panel_source = {
	.name = "source",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.best_rows = best_rows,
	.focus = FOCUS_COUNT,
};
