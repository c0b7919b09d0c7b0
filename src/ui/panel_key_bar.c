/* The keys that do something now, from the rows of data/keys that have a word. */
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	enum context context = keys_context(scene->view);
	int x = 1;

	for (int i = 0; i < scene->keys->count; i++) {
		const struct key_row *row = &scene->keys->row[i];
		const char *slash = strchr(row->word, '/');
		char word[sizeof(row->word)];
		int columns;

		/* "freeze/go on": the second word while frozen. */
		if (slash && scene->view->frozen)
			snprintf(word, sizeof(word), "%s", slash + 1);
		else
			snprintf(word, sizeof(word), "%.*s", (int)strcspn(row->word, "/"), row->word);
		columns = canvas_columns(canvas, row->key) + 1 + canvas_columns(canvas, word);
		if (row->context != context || !row->word[0] || !scene->works[i])
			continue;
		if (x + columns > at.width)
			continue;      /* whole words only; a shorter one may still fit */
		x += canvas_text(canvas, at, x, 0, STYLE_KEY, row->key) + 1;
		x += canvas_text(canvas, at, x, 0, STYLE_TEXT, word) + 2;
	}
}

const struct panel panel_key_bar = { .name = "keys", .draw = draw, .focus = FOCUS_COUNT };
