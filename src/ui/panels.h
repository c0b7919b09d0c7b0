/* Panels, each one rectangle of the screen; their table; and a whole frame.
 *
 * To add one: write src/ui/panel_NAME.c that ends in one `const struct panel panel_NAME`, and add
 * its row to the table in panels.c. A panel that `view` brings to the front, or that arrows act on,
 * also has a row in src/explorer/commands_panes.c. Callbacks that it does not need stay NULL. */
#pragma once

#include <stddef.h>

#include "base/text.h"
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
	void (*title_of)(const struct scene *scene, struct text *title);
	bool clauses; /* a title that is too long ends before a comma; the panel repeats the omitted
			 words */
	void (*draw)(struct box at, const struct scene *scene);
	/* Whether there is anything to show for this view; NULL: always. Else the panel is omitted.
	 */
	bool (*wanted)(const struct view *view);
	int most_rows; /* of an overlay, frame included; 0: no limit */
	/* The last useful first line for this rectangle; NULL: the panel does not scroll. */
	int (*scroll_end)(struct box at, const struct scene *scene);
	/* Of a pane that scrolls: its first line, and the command that takes "+N" or "-N". */
	int (*first)(const struct view *view);
	const char *scroll_command;
	/* The height, its rule included, that shows everything; NULL: any height is useful. */
	int (*best_rows)(const struct view *view);
	int fixed_rows; /* the same, for every view, where best_rows is NULL */
	/* Whether it has the whole body now; NULL: never. */
	bool (*alone)(const struct view *view);
	/* The pane of the arrows that it highlights (view->screen.focus); NULL: none. */
	const char *focus;
};

/* Draws the frame for a view. `works` has one entry for each row of keys: whether its command would
 * do anything now. */
void panels_draw(
	struct canvas *canvas, const struct view *view, const struct keys *keys, const bool *works);

/* The rectangle of a panel or overlay in the view's frame. Returns false if it has none. */
bool panels_find(struct canvas *canvas, const struct view *view, const char *name, struct box *at);

/* Whether an open overlay that scrolls shows its last line. */
bool panels_scrolled_out(struct canvas *canvas, const struct view *view, const struct keys *keys);
/* Lines that a page key scrolls an overlay. */
int panels_page(struct canvas *canvas, const struct view *view);

/* The overlays, which panels_draw() draws over everything. */
extern const struct panel panel_help, panel_find, panel_text, panel_said;

struct words {
	char text[320];
};

/* The name of a source: "R reference clock". */
const char *panels_source(enum source source);

/* Quartiles need at least this many trials. */
enum { PANELS_QUARTILES_FROM = 5 };

/* ---- lines of text, one below the other, each wrapped at the width of the box ---- */

enum { LINES_MAX = 24 };

struct line {
	int rank; /* of lines that do not fit, panels remove those with the highest rank */
	int rows;
	int tag; /* for the panel's own use */
	enum style style;
	char text[640];
};

struct lines {
	struct box at;
	int count;
	struct line line[LINES_MAX];
};

/* Adds a line. The text may have alternatives, separated by line feeds: the first one that fits in
 * a row applies, else the last one. An empty text adds nothing. Never returns NULL. */
struct line *lines_add(struct lines *lines, int rank, enum style style, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int lines_rows(const struct lines *lines);
/* Shortens a line until it needs at most `rows` rows: words are removed at its end and replaced by
 * an ellipsis. */
void line_cut(const struct lines *lines, struct line *line, int rows);
/* Cuts lines to a row each, from the first one, until all need at most `rows` rows. */
void lines_cut(struct lines *lines, int rows);
/* Draws all that fit, from row y on. Returns the row after them. */
int lines_draw(const struct lines *lines, int y);

/* line_cut() for a text. */
void panels_cut(struct box at, int rows, char *text, size_t size);

/* Draws the first text, of those separated by line feeds, that fits whole; nothing if none fits. */
void panels_fit(struct box at, int y, enum style style, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The first of `count` lines shown in `rows` rows, with the chosen one near the middle. */
int panels_first(int count, int rows, int chosen);
/* Arrows in the last column: more lines above the first row `top`, and below the last row. */
void panels_arrows(struct box at, int top, enum style style, bool above, bool below);
/* The rule above a panel with its title. The focused panel has a pointer before it. */
void panels_rule(struct box at, const char *title, bool focused);
/* The right part of a box for text, two fifths wide between these limits; at keeps the rest. */
struct box panels_beside(struct box *at, int least, int most);

/* "combine op=mul type=f64": the knobs of a setting without those equal in `other` (NULL: all). */
struct words panels_setting(const struct setting *setting, const struct setting *other);

/* " REPLAY lecture.jsonl ": the stamp of a replay, with the file's name without its folder. */
struct words panels_replay(const struct view *view);

/* "  (× contended, ~ not settled)": the meaning of marks in a plot; empty: there are none. */
const char *panels_marks(bool contended, bool unsettled);

/* The state of the sample: "", "provisional", "contended", "two modes". */
const char *panels_state(const struct view *view);

/* A value that takes longer than this many seconds says what it waits for. */
#define PANELS_PREPARING 0.2

/* "laying out 384 MiB: 43 %": the progress of a long measurement, and in `left` "about 2 s left" or
 * nothing. text is empty if there is no progress to show. */
struct ahead {
	char text[100], left[40];
};
struct ahead panels_ahead(const struct view *view);

/* The explanation that decides the room of panels: the present one, or the previous one while the
 * present one is computed. NULL: neither exists. */
const struct explanation *panels_outline(const struct view *view);

/* A core's title without the part in parentheses: "Intel Redwood Cove". */
struct words panels_core(const struct core *core);

/* Whether the last command scrolled a pane beyond its last line. `back` is then the command that
 * scrolls it back. */
bool panels_scroll_back(struct canvas *canvas, const struct view *view, const char *command,
	char *back, size_t size);

/* ---- counted events ---- */

/* Whether an event is unavailable: it has no count and will get none. */
bool shown_unavailable(const struct view *view, int event);

/* "~" before an estimated count, else "". event: index in the plan. */
const char *shown_mark(const struct view *view, int event);

/* Why an event has no count: "counting…", "unavailable: stays at zero …". "" if it has one. */
struct words shown_absence(const struct view *view, int event);

/* ---- the frame ---- */

/* Whether a name is not NULL and is the panel's. */
bool panels_named(const char *name, const char *panel);

/* Whether a panel has a place in this frame. */
bool panels_shown(const struct scene *scene, const char *name);
