/* Shows the C source of the loop, from the source file of the kernel. If the function does not fit,
 * the panel shows a part that contains the innermost loop. */
#include <stdio.h>

#include "ui/panels.h"

enum { TAB = 4 };

static struct words title_of(const struct scene *scene)
{
	const struct listing *listing = scene->view->listing;

	if (listing->generated)
		return words_of("source: %s, written by the build", listing->function);
	return words_of("source: %s, %s", listing->file, listing->function);
}

static bool wanted(const struct view *view)
{
	return view->listing != NULL;
}

/* Replaces tabs by blanks. */
static struct words widen(const char *line)
{
	struct words words = { "" };

	for (size_t used = 0; *line && used + TAB < sizeof(words.text); line++)
		do
			words.text[used++] = *line == '\t' ? ' ' : *line;
		while (*line == '\t' && used % TAB);
	return words;
}

/* Returns the first line of the source to show. If the loop ends below the panel's last row, the
 * function returns a later line than the function's first line. */
static int first_line(const struct listing *listing, int rows)
{
	int first = int_most(listing->first, listing->loop_last - rows + 1);

	return listing->loop_first >= 0 ? int_least(first, listing->loop_first) : first;
}

static void draw(struct box at, const struct scene *scene)
{
	const struct listing *listing = scene->view->listing;
	int first = first_line(listing, at.height), digits;

	if (scene->view->outline) {
		canvas_put(at, 0, 0, STYLE_DIM, scene->view->limits_note);
		return;
	}
	digits = snprintf(NULL, 0, "%d", first + at.height);
	for (int i = 0; i < at.height && first + i <= listing->last; i++) {
		int index = first + i;
		bool loop = index >= listing->loop_first && index <= listing->loop_last;

		canvas_right(at, digits, i, STYLE_DIM, "%d", index + 1);
		if (loop)
			canvas_glyph(at, digits + 1, i, STYLE_WARN,
				index == listing->loop_first  ? GLYPH_TOP_LEFT
				: index == listing->loop_last ? GLYPH_BOTTOM_LEFT
							      : GLYPH_VLINE);
		canvas_put(at, digits + 3, i, loop ? STYLE_TEXT : STYLE_DIM,
			widen(listing->line[index]).text);
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
};
