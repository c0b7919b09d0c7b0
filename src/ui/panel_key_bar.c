/* The keys that do something now, from the rows of data/keys that have a word. */
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

/* The word of a row as it stands now, "" when it has none here or would do nothing. */
static void word_of(const struct scene *scene, int index, char *word, size_t size)
{
	const struct key_row *row = &scene->keys->row[index];
	const char *slash = strchr(row->word, '/');

	word[0] = '\0';
	if (row->context != keys_context(scene->view) || !scene->works[index])
		return;
	/* "freeze/go on": the second word while frozen. */
	if (slash && scene->view->frozen)
		snprintf(word, size, "%s", slash + 1);
	else
		snprintf(word, size, "%.*s", (int)strcspn(row->word, "/"), row->word);
}

/* Draws as many words as fit whole and returns where the next would begin; with only_measure draws
 * nothing and takes them all. */
static int draw_words(
	struct canvas *canvas, struct rectangle at, const struct scene *scene, bool only_measure)
{
	int x = 1;

	for (int i = 0; i < scene->keys->count; i++) {
		const struct key_row *row = &scene->keys->row[i];
		char word[sizeof(row->word)];
		int columns;

		word_of(scene, i, word, sizeof(word));
		if (!word[0])
			continue;
		columns = canvas_columns(canvas, row->key) + 1 + canvas_columns(canvas, word);
		if (!only_measure) {
			if (x + columns > at.width)
				return x;
			canvas_text(canvas, at, x, 0, STYLE_KEY, row->key);
			canvas_text(canvas, at, x + canvas_columns(canvas, row->key) + 1, 0,
				STYLE_TEXT, word);
		}
		x += columns + 2;
	}
	return x;
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	/* Where not all fit, the end says that there are more, and in the panels which key shows
	 * them. */
	const char *more = keys_context(scene->view) == CONTEXT_MAIN ? "?…" : "…";
	struct rectangle words = at;
	int x;

	if (draw_words(canvas, at, scene, true) - 2 <= at.width) {
		draw_words(canvas, at, scene, false);
		return;
	}
	words.width -= canvas_columns(canvas, more) + 2;
	x = draw_words(canvas, words, scene, false);
	canvas_text(canvas, at, x, 0, STYLE_KEY, more);
}

const struct panel panel_key_bar = { .name = "keys", .draw = draw, .focus = FOCUS_COUNT };
