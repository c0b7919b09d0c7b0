/* Panels, their table, and the drawing of a whole frame. Each panel is a rectangle of the screen.
 *
 * To add a panel: write src/ui/panel_NAME.c that ends in one `const struct panel panel_NAME`, and
 * add its row to the table in panels.c. If the command `view` can bring the panel to the front, or
 * arrow keys act on it, also add a row in src/explorer/commands_panes.c. Unused callbacks are NULL.
 */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "explorer/command.h"
#include "explorer/view.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/layout.h"

/* The input of a frame. */
struct scene {
	const struct view *view;
	const struct keys *keys;
	const bool *works; /* for each row of keys: whether its command would do anything now */
	const struct layout *layout; /* where the panels are */
};

struct panel {
	const char *name;
	/* The title in the rule above the panel. `title` is used if title_of is NULL. Both NULL: no
	 * rule. */
	const char *title;
	struct words (*title_of)(const struct scene *scene);
	bool clauses; /* a title that is too long is cut before a comma; the panel also shows the
			 omitted words */
	void (*draw)(struct box at, const struct scene *scene);
	/* Whether the panel has something to show for this view; if not, it is omitted. NULL:
	 * always. */
	bool (*wanted)(const struct view *view);
	int most_rows; /* of an overlay, frame included; 0: no limit */
	/* Returns the first line if the panel is scrolled to its end in this rectangle; NULL: the
	 * panel does not scroll. */
	int (*scroll_end)(struct box at, const struct scene *scene);
	/* For a pane that scrolls: its first line, and the command that scrolls it by "+N" or "-N".
	 */
	int (*first)(const struct view *view);
	const char *scroll_command;
	/* Returns the height that shows everything, rule included; NULL: any height is useful. */
	int (*best_rows)(const struct view *view);
	int fixed_rows; /* this height if it is constant: used if best_rows is NULL */
	/* Whether the panel now has the whole body; NULL: never. */
	bool (*alone)(const struct view *view);
	/* The panel is highlighted while the arrow keys act on the pane of this name
	 * (view->screen.focus); NULL: never. */
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
/* Returns how many lines a page key scrolls an overlay. */
int panels_page(struct canvas *canvas, const struct view *view);

/* The overlays. panels_draw() draws them over all panels. */
extern const struct panel panel_help, panel_find, panel_text, panel_said;

/* Returns the name of a source: "R reference clock". */
const char *panels_source(enum source source);

/* Quartiles are shown from this number of trials on. */
enum { PANELS_QUARTILES_FROM = 5 };

/* ---- lines of text, one below another, each wrapped at the width of the box ---- */

enum { LINES_MAX = 24 };

struct line {
	int rank; /* if not all lines fit, panels first remove lines with the highest rank */
	int rows;
	int tag; /* for the panel's own use */
	enum style style;
	struct words words;
};

struct lines {
	struct box at;
	int count;
	struct line line[LINES_MAX];
};

/* Adds a line. The text may have alternatives, separated by line feeds. The first alternative that
 * fits in a row is used, else the last alternative. An empty text adds nothing. Never returns NULL.
 */
struct line *lines_put(struct lines *lines, int rank, enum style style, struct words words);
#define lines_add(lines, rank, style, ...) lines_put(lines, rank, style, words_of(__VA_ARGS__))
int lines_rows(const struct lines *lines);
/* Shortens a line until it needs at most `rows` rows. An ellipsis replaces words at its end. */
void line_cut(const struct lines *lines, struct line *line, int rows);
/* Cuts lines to one row each, beginning with the first line, until all lines need at most `rows`
 * rows. */
void lines_cut(struct lines *lines, int rows);
/* Draws the lines that fit, from row y on. Returns the row after them. */
int lines_draw(const struct lines *lines, int y);

/* Like line_cut(), for a text. */
void panels_cut(struct box at, int rows, char *text, size_t size);

/* Draws the first alternative that fits whole. Alternatives are separated by line feeds. Draws
 * nothing if no alternative fits. */
void panels_fit_words(struct box at, int y, enum style style, struct words words);
#define panels_fit(at, y, style, ...) panels_fit_words(at, y, style, words_of(__VA_ARGS__))

/* Returns the first visible line if `rows` rows show a part of `count` lines. The chosen line is
 * near the middle. */
int panels_first(int count, int rows, int chosen);
/* Draws arrows in the last column: `above` in row `top` if more lines are above, `below` in the
 * last row if more lines are below. */
void panels_arrows(struct box at, int top, enum style style, bool above, bool below);
/* Draws the rule above a panel, with its title. If the panel is focused, a pointer is before the
 * title. */
void panels_rule(struct box at, const char *title, bool focused);
/* Cuts the right part of a box off, for text. Its width is two fifths of the box, between `least`
 * and `most`. The box `at` becomes the rest. */
struct box panels_beside(struct box *at, int least, int most);

/* Returns "combine op=mul type=f64": a setting without the knobs that have equal values in `other`
 * (NULL: all knobs). */
struct words panels_setting(const struct setting *setting, const struct setting *other);

/* Returns the stamp of a replay: " REPLAY lecture.jsonl ". The file's name has no folder. */
struct words panels_replay(const struct view *view);

/* Returns the meaning of marks in a plot: "  (× contended, ~ not settled)"; empty: no marks. */
const char *panels_marks(bool contended, bool unsettled);

/* Returns the state of the sample: "", "provisional", "contended", "two modes". */
const char *panels_state(const struct view *view);

/* If a value is not available after this number of seconds, the screen shows the reason for the
 * delay. */
#define PANELS_PREPARING 0.2

/* The progress of a long measurement: "laying out 384 MiB: 43 %". `left` is "about 2 s left" or
 * empty. `text` is empty if there is no progress to show. */
struct ahead {
	char text[100], left[40];
};
struct ahead panels_ahead(const struct view *view);

/* Returns the explanation that determines the sizes of panels: the present explanation, or the
 * previous one until the present one is computed. NULL: neither exists. */
const struct explanation *panels_outline(const struct view *view);

/* Returns a core's title without the part in parentheses: "Intel Redwood Cove". */
struct words panels_core(const struct core *core);

/* Whether the last command scrolled a pane beyond its last line. If so, `back` is the command that
 * scrolls it back. */
bool panels_scroll_back(struct canvas *canvas, const struct view *view, const char *command,
	char *back, size_t size);

/* ---- counted events ---- */

/* Whether an event is unavailable: it has no count and will never have one. */
bool shown_unavailable(const struct view *view, int event);

/* Returns "~" for an estimated count, else "". event: index in the plan. */
const char *shown_mark(const struct view *view, int event);

/* Returns why an event has no count: "counting…", "unavailable: stays at zero …"; "" if it has a
 * count. */
struct words shown_absence(const struct view *view, int event);

/* ---- the frame ---- */

/* Whether `name` is not NULL and equals the panel's name. */
bool panels_named(const char *name, const char *panel);

/* Whether a panel has a place in this frame. */
bool panels_shown(const struct scene *scene, const char *name);
