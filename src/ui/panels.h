/* Panels, each one rectangle of the screen; their table; and a whole frame.
 *
 * To add one: write src/ui/panel_NAME.c that ends in one `const struct panel panel_NAME`, and add
 * its row to the table in panels.c, which also says where it goes. Callbacks that it does not need
 * stay NULL. */
#ifndef SLX_UI_PANELS_H
#define SLX_UI_PANELS_H

#include <stddef.h>

#include "explorer/command.h"
#include "explorer/view.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/layout.h"

/* All that a frame is drawn from: plain data. */
struct scene {
	const struct view *view;
	const struct keys *keys;
	const bool *works; /* for each row of keys: whether its command could do anything now */
	const struct layout *layout; /* where the panels are */
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
	/* The last useful first line at that size; NULL: it does not scroll. */
	int (*scroll_end)(struct canvas *canvas, struct rectangle at, const struct scene *scene);
	/* Of a pane that scrolls: its first line, and the command that takes "+N" or "-N". */
	int (*first)(const struct view *view);
	const char *scroll_command;
	/* The height, its rule included, beyond which it gains nothing; NULL: it can use any. */
	int (*best_rows)(const struct view *view);
	/* Whether it has the whole body to itself now; NULL: never. */
	bool (*alone)(const struct view *view);
	/* The pane that it is for the arrows (view->focus); NULL: they never act on it. */
	const char *focus;
};

/* Draws the frame for a view. works holds for each row of keys whether its command could do
 * anything now. */
void panels_draw(
	struct canvas *canvas, const struct view *view, const struct keys *keys, const bool *works);

/* Where a panel or the overlay of that name is in the view's frame. Returns false where it has no
 * place. */
bool panels_find(const struct canvas *canvas, const struct view *view, const char *name,
	struct rectangle *at);

/* Whether the overlay, if there is one that scrolls, shows its last line already. */
bool panels_scrolled_out(struct canvas *canvas, const struct view *view, const struct keys *keys);
/* Lines that a page of an overlay moves by. */
int panels_page(const struct canvas *canvas, const struct view *view);

/* The overlays, drawn over everything by panels_draw(). */
extern const struct panel panel_help, panel_find, panel_text, panel_said;

/* Shared words: a figure as panels write it ("0.752", "-" when unavailable), and what stands for a
 * source
 * ("R reference clock"). */
void panels_figure(double value, char *buffer, size_t size);
const char *panels_source(enum source source);

/* Fewer trials than this have no quartiles worth the name. */
enum { PANELS_QUARTILES_FROM = 5 };

/* Shortens text until it takes at most so many rows when wrapped at that width: whole words go from
 * its end, and an ellipsis takes their place. */
void panels_cut(const struct canvas *canvas, int width, int rows, char *text, size_t size);

/* "combine op=mul type=f64": a setting's values, leaving out those that `other` has as well (NULL:
 * none). */
void panels_setting(
	const struct setting *setting, const struct setting *other, char *buffer, size_t size);

/* " REPLAY lecture.jsonl ": the stamp on what was recorded, of a file without its folder. */
void panels_replay(const struct view *view, char *buffer, size_t size);

/* "  (× contended, ~ not settled)": what marks on points of a plot mean; empty where there are
 * none. */
void panels_marks(bool contended, bool unsettled, char *buffer, size_t size);

/* What the session says of a sample beside its figure: "", "provisional", "contended", "two modes".
 */
const char *panels_state(const struct view *view);

/* From so many seconds on a figure that is not there says what it waits for. */
#define PANELS_PREPARING 0.2

/* "laying out 384 MiB: 43 %": how far a figure is that takes long, and in `left` "some 2 s left",
 * or nothing. False: there is nothing to say. */
bool panels_ahead(const struct view *view, char *buffer, size_t size, char left[40]);

/* The explanation whose room panels take: the present one, or while that is being read the one
 * before; NULL: neither. */
const struct explanation *panels_outline(const struct view *view);

/* A core's title without what stands in parentheses: "Intel Redwood Cove". */
void panels_core(const struct core *core, char *buffer, size_t size);

/* Whether the command just run scrolled a pane further than its last lines need to be seen: `back`
 * is then the command that scrolls it back. */
bool panels_scroll_back(struct canvas *canvas, const struct view *view, const char *command,
	char *back, size_t size);

/* Whether a name is there and is the panel's. */
bool panels_named(const char *name, const char *panel);

/* Whether a panel has a place in this frame. */
bool panels_shown(const struct scene *scene, const char *name);

#endif
