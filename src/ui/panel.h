/* A panel: one rectangle of the screen.
 *
 * To add one: write src/ui/panel_NAME.c that ends in one `const struct panel panel_NAME`, and add
 * its row to the table in panels.c, which also says where it goes. Callbacks that it does not need
 * stay NULL. */
#ifndef SLX_UI_PANEL_H
#define SLX_UI_PANEL_H

#include <stddef.h>

#include "explorer/view.h"
#include "ui/canvas.h"
#include "ui/keys.h"

/* All that a frame is drawn from: plain data. */
struct scene {
	const struct view *view;
	const struct keys *keys;
	const bool *works;    /* for each row of keys: whether its command could do anything now */
	bool ladder_shown;    /* whether the ladder of limits has a place */
	bool by_stride_shown; /* whether the second slice has a place of its own */
};

struct panel {
	const char *name;
	/* The words in the rule above it; title is used where title_of is NULL; both NULL: no rule,
	 * and the panel has its whole rectangle. */
	const char *title;
	void (*title_of)(const struct scene *scene, char *buffer, size_t size);
	bool clauses; /* a title that has no room ends before a comma: what follows also stands in
			 the panel */
	/* Draws inside `at`. */
	void (*draw)(struct canvas *canvas, struct rectangle at, const struct scene *scene);
	/* Whether there is anything to show for this view; NULL: always. A panel without is left
	 * out. */
	bool (*wanted)(const struct view *view);
	int most_rows; /* of an overlay, frame included; 0: all there are */
	/* The last useful first line at that size: view->scroll of an overlay, of a pane its own;
	 * NULL: it does not scroll. */
	int (*scroll_end)(struct canvas *canvas, struct rectangle at, const struct scene *scene);
	/* The height, its rule included, beyond which it gains nothing; NULL: it can use any. */
	int (*best_rows)(const struct view *view);
	enum focus focus; /* which focus highlights its rule; FOCUS_COUNT: none */
};

#endif
