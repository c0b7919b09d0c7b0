/* A panel: one rectangle of the screen.
 *
 * To add one: write src/ui/panel_NAME.c that ends in one `const struct panel panel_NAME`, and add its row to
 * the table in panels.c, which also says where it goes. Callbacks that it does not need stay NULL. */
#ifndef SLX_UI_PANEL_H
#define SLX_UI_PANEL_H

#include "session/view.h"
#include "ui/canvas.h"

struct panel {
	const char *name;
	const char *title;           /* in its frame */
	/* Draws inside `at` (the frame is already there). */
	void (*draw)(struct canvas *canvas, struct rectangle at, const struct view *view);
	/* Whether there is anything to show for this view; NULL: always. A panel without is left out. */
	bool (*wanted)(const struct view *view);
	enum focus focus;            /* which focus highlights its frame; FOCUS_COUNT: none */
};

#endif
