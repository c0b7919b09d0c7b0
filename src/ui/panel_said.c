/* What another program said, line by line as it did: a compiler. */
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	int row = 0;

	for (const char *line = scene->view->text; *line && row < at.height;) {
		size_t length = strcspn(line, "\n"), used = 0;
		char plain[512];

		for (size_t i = 0; i < length && used < sizeof(plain) - 1; i++)
			plain[used++] = (unsigned char)line[i] < ' ' ? ' ' : line[i];
		plain[used] = '\0';
		if (!used)
			row++;
		row += canvas_wrap(canvas, at, row, STYLE_TEXT, plain);
		line += length + (line[length] == '\n');
	}
}

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s", scene->view->text_title);
}

const struct panel panel_said = {
	.name = "said",
	.title_of = title_of,
	.draw = draw,
	.focus = FOCUS_COUNT,
};
