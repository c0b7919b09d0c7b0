/* Keys to commands, state to canvas. */
#include "ui/frontend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "ui/panels.h"
#include "ui/theme.h"

static void say_unknown_theme(struct session *session)
{
	const char *theme = theme_unknown();
	char text[128];

	if (!theme)
		return;
	snprintf(text, sizeof(text), "unknown SLEXPLORE_THEME=%.30s: use high-contrast", theme);
	session_say(session, text);
}

struct status frontend_init(
	struct frontend *front, struct session *session, int width, int height, bool ascii)
{
	char origin[256], *text;
	struct status status;

	memset(front, 0, sizeof(*front));
	front->session = session;
	status = data_load("keys", &text, origin);
	if (!status_is_ok(&status))
		return status;
	status = keys_parse(&front->keys, text, origin, command_rows());
	free(text);
	if (!status_is_ok(&status))
		return status;
	canvas_init(&front->canvas, width, height, ascii);
	say_unknown_theme(session);
	return status;
}

void frontend_free(struct frontend *front)
{
	canvas_free(&front->canvas);
}

void frontend_draw(struct frontend *front, double now)
{
	enum context context;

	session_view(front->session, now, &front->view);
	context = keys_context(&front->view);
	for (int i = 0; i < front->keys.count; i++) {
		const struct key_row *row = &front->keys.row[i];

		/* Only rows of the key bar need to know whether their command works. */
		front->works[i] = row->context == context && row->word[0] &&
				  (strncmp(row->command, "page ", 5) == 0 ||
					  session_command_works(front->session, row->command));
	}
	panels_draw(&front->canvas, &front->view, &front->keys, front->works);
}

/* Scrolls an overlay by lines, at most to its last line. */
static void scroll(struct frontend *front, const char *command, int lines, double now)
{
	bool down = strcmp(command, "move down") == 0;

	for (int i = 0; i < lines; i++) {
		session_view(front->session, now, &front->view);
		if (down && panels_scrolled_out(&front->canvas, &front->view, &front->keys))
			return;
		if (!down && front->view.scroll == 0)
			return;
		session_command(front->session, command, now);
	}
}

void frontend_key(struct frontend *front, int code, double now)
{
	const struct key_row *row;
	enum context context;
	char command[128], back[32];

	session_view(front->session, now, &front->view);
	context = keys_context(&front->view);
	row = keys_find(&front->keys, context, code);
	if (!row)
		return;
	keys_expand(row, code, front->view.find, command, sizeof(command));
	if (strcmp(command, "redraw") == 0)
		front->repaint = true;
	else if (strcmp(command, "page down") == 0)
		scroll(front, "move down", panels_page(&front->canvas, &front->view), now);
	else if (strcmp(command, "page up") == 0)
		scroll(front, "move up", panels_page(&front->canvas, &front->view), now);
	else if (context == CONTEXT_HELP && strncmp(command, "move ", 5) == 0)
		scroll(front, command, 1, now);
	else
		session_command(front->session, command, now);
	/* A pane stops at its last line. */
	session_view(front->session, now, &front->view);
	if (panels_scroll_back(&front->canvas, &front->view, command, back, sizeof(back)))
		session_command(front->session, back, now);
}
