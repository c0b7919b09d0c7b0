/* Panels, each one rectangle of the screen; their table; and a whole frame.
 *
 * To add one: write src/ui/panel_NAME.c that ends in one `const struct panel panel_NAME`, and add
 * its row to the table in panels.c. A panel that `view` brings to the front, or that arrows act on,
 * also has a row in src/explorer/commands_panes.c. Callbacks that it does not need stay NULL. */
#pragma once

#include <stddef.h>

#include "explorer/command.h"
#include "explorer/view.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/layout.h"

/* Everything that a frame is drawn from. */
struct scene {
	const struct view *view;
	const struct keys *keys;
	const bool *works; /* for each row of keys: whether its command would do anything now */
	const struct layout *layout; /* where the panels are */
};

struct panel {
	const char *name;
	/* The words in the rule above the panel; title applies if title_of is NULL. Both NULL: no
	 * rule. */
	const char *title;
	void (*title_of)(const struct scene *scene, char *buffer, size_t size);
	bool clauses; /* a title that is too long ends before a comma; the panel repeats the omitted
			 words */
	/* Draws inside `at`. */
	void (*draw)(struct canvas *canvas, struct rectangle at, const struct scene *scene);
	/* Whether there is anything to show for this view; NULL: always. Else the panel is omitted.
	 */
	bool (*wanted)(const struct view *view);
	int most_rows; /* of an overlay, frame included; 0: no limit */
	/* The last useful first line for this rectangle; NULL: the panel does not scroll. */
	int (*scroll_end)(struct canvas *canvas, struct rectangle at, const struct scene *scene);
	/* Of a pane that scrolls: its first line, and the command that takes "+N" or "-N". */
	int (*first)(const struct view *view);
	const char *scroll_command;
	/* The height, its rule included, that shows everything; NULL: any height is useful. */
	int (*best_rows)(const struct view *view);
	/* Whether it has the whole body now; NULL: never. */
	bool (*alone)(const struct view *view);
	/* The pane of the arrows that it highlights (view->focus); NULL: none. */
	const char *focus;
};

/* Draws the frame for a view. `works` has one entry for each row of keys: whether its command would
 * do anything now. */
void panels_draw(
	struct canvas *canvas, const struct view *view, const struct keys *keys, const bool *works);

/* The rectangle of a panel or overlay in the view's frame. Returns false if it has none. */
bool panels_find(const struct canvas *canvas, const struct view *view, const char *name,
	struct rectangle *at);

/* Whether an open overlay that scrolls shows its last line. */
bool panels_scrolled_out(struct canvas *canvas, const struct view *view, const struct keys *keys);
/* Lines that a page key scrolls an overlay. */
int panels_page(const struct canvas *canvas, const struct view *view);

/* The overlays, which panels_draw() draws over everything. */
extern const struct panel panel_help, panel_find, panel_text, panel_said;

/* A number with three digits: "0.752", "-" if unavailable. */
struct number {
	char text[24];
};
struct number panels_number(double value);

/* The name of a source: "R reference clock". */
const char *panels_source(enum source source);

/* Quartiles need at least this many trials. */
enum { PANELS_QUARTILES_FROM = 5 };

/* Shortens text until it needs at most `rows` rows at that width: words are removed at its end and
 * replaced by an ellipsis. */
void panels_cut(const struct canvas *canvas, int width, int rows, char *text, size_t size);

/* "combine op=mul type=f64": the knobs of a setting without those equal in `other` (NULL: all). */
void panels_setting(
	const struct setting *setting, const struct setting *other, char *buffer, size_t size);

/* " REPLAY lecture.jsonl ": the stamp of a replay, with the file's name without its folder. */
void panels_replay(const struct view *view, char *buffer, size_t size);

/* "  (× contended, ~ not settled)": the meaning of marks in a plot; empty: there are none. */
void panels_marks(bool contended, bool unsettled, char *buffer, size_t size);

/* The state of the sample: "", "provisional", "contended", "two modes". */
const char *panels_state(const struct view *view);

/* A value that takes longer than this many seconds says what it waits for. */
#define PANELS_PREPARING 0.2

/* "laying out 384 MiB: 43 %": the progress of a long measurement, and in `left` "about 2 s left" or
 * nothing. Returns false if there is no progress to show. */
bool panels_ahead(const struct view *view, char *buffer, size_t size, char left[40]);

/* The explanation that decides the room of panels: the present one, or the previous one while the
 * present one is computed. NULL: neither exists. */
const struct explanation *panels_outline(const struct view *view);

/* A core's title without the part in parentheses: "Intel Redwood Cove". */
void panels_core(const struct core *core, char *buffer, size_t size);

/* Whether the last command scrolled a pane beyond its last line. `back` is then the command that
 * scrolls it back. */
bool panels_scroll_back(struct canvas *canvas, const struct view *view, const char *command,
	char *back, size_t size);

/* Whether a name is not NULL and is the panel's. */
bool panels_named(const char *name, const char *panel);

/* Whether a panel has a place in this frame. */
bool panels_shown(const struct scene *scene, const char *name);
