/* The last message; while there is none, what this machine refused and every figure suffers from. */
#include <stdio.h>

#include "ui/panels.h"

static void refusals(const struct machine *machine, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	if (!machine->bound)
		used = (size_t)snprintf(buffer, size, "%s", machine->bind_note);
	if (!machine->huge_pages && used < size)
		snprintf(buffer + used, size - used, "%s%s", used ? "; " : "", machine->huge_note);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	char refused[320];

	if (view->notice[0]) {
		canvas_text(canvas, at, 1, 0, view->notice_bad ? STYLE_BAD : STYLE_TEXT, view->notice);
	} else if (view->machine && view->machine->known) {
		refusals(view->machine, refused, sizeof(refused));
		canvas_text(canvas, at, 1, 0, STYLE_DIM, refused);
	}
}

const struct panel panel_notice = { .name = "notice", .draw = draw, .focus = FOCUS_COUNT };
