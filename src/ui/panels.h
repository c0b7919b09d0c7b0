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

/* The last key that the user pressed. */
struct pressed {
	char key[16];	/* name of the last key pressed: "+", "F1"; empty: no key yet */
	char note[160]; /* what the key does, in the words of data/keys */
};

/* The input of a frame. */
struct scene {
	const struct view *view;
	const struct keys *keys;
	/* For each key in `keys`: whether the key's command would do anything now. */
	const bool *works;
	const struct pressed *pressed; /* NULL: unknown */
	const struct layout *layout;   /* where the panels are */
};

struct panel {
	const char *name;
	/* The title in the rule (horizontal line) above the panel. `title` is used if title_of is
	 * NULL. If `title` and title_of are both NULL, the panel has no rule. */
	const char *title;
	struct words (*title_of)(const struct scene *scene);
	bool clauses; /* whether a title that is too long is cut before a comma; the panel then also
			 shows the omitted words */
	void (*draw)(struct box at, const struct scene *scene);
	/* Returns whether the panel has something to show for this view; if not, the frame omits
	 * the panel. NULL: the panel always has something to show. */
	bool (*wanted)(const struct view *view);
	bool full;     /* an overlay that fills the screen, without a frame */
	int most_rows; /* maximum number of rows of an overlay, border included; 0: no limit */
	/* Returns the index of the first visible line when the panel is scrolled to its end in the
	 * rectangle `at`. NULL: the panel does not scroll. */
	int (*scroll_end)(struct box at, const struct scene *scene);
	/* For a pane that scrolls, `first` returns the index of the first visible line. The command
	 * scroll_command scrolls the pane by "+N" or "-N" lines.
	 */
	int (*first)(const struct view *view);
	const char *scroll_command;
	/* Returns the number of rows that the panel needs to show everything, rule included. NULL:
	 * fixed_rows is used. */
	int (*best_rows)(const struct view *view);
	/* Returns the number of rows with which a panel shows everything if its text is wrapped at
	 * `width` columns. */
	int (*rows_at)(const struct canvas *canvas, const struct view *view, int width);
	int fixed_rows; /* number of rows that the panel needs to show everything, if best_rows is
			   NULL; 0: any number is useful */
	/* Returns whether the panel now fills the whole body of the frame. NULL: the panel never
	 * does. */
	bool (*alone)(const struct view *view);
	/* Groups of numbers (enum lesson_hidden): while a lesson's question hides one of them, the
	 * panel shows only PANELS_HIDDEN. */
	unsigned hides;
	/* Name of a pane: the panel is highlighted while the arrow keys act on this pane
	 * (view->screen.focus). NULL: the panel is never highlighted. */
	const char *focus;
};

/* Draws the frame for a view. Parameter `works`: for each key in `keys`, whether the key's command
 * would do anything now. Parameter `pressed`: the last key; NULL: unknown. */
void panels_draw(struct canvas *canvas, const struct view *view, const struct keys *keys,
	const bool *works, const struct pressed *pressed);

/* Returns the word for what a key does now: a row of data/keys may have several, as "freeze/go on".
 */
struct words panels_key_word(const struct key_row *row, const struct view *view);

/* Finds the rectangle of a panel or overlay in the view's frame. Returns false if the panel or
 * overlay is not in the frame. */
bool panels_find(struct canvas *canvas, const struct view *view, const char *name, struct box *at);

/* Returns whether the pane of the arrow keys is on screen. On a small screen, most panels are not.
 */
bool panels_focus_shown(struct canvas *canvas, const struct view *view);

/* Returns whether an overlay that can scroll is open and shows its last line. */
bool panels_scrolled_out(struct canvas *canvas, const struct view *view, const struct keys *keys);
/* Returns how many lines a key scrolls the text of the open lesson; 0: no lesson is on screen, or
 * its text is on screen as a whole. */
int panels_lesson_page(struct canvas *canvas, const struct view *view);
/* Returns how many lines a page key scrolls an overlay. */
int panels_page(struct canvas *canvas, const struct view *view);

/* The overlays, which panels_draw() draws over all panels. */
extern const struct panel panel_help, panel_find, panel_text, panel_said, panel_page;

/* Returns the name of a source of cycles: "R reference clock". */
const char *panels_source(enum source source);

/* The smallest number of trials for which panels show quartiles. */
enum { PANELS_QUARTILES_FROM = 5 };

/* ---- lines of text, one below another, each wrapped at the width of the box ---- */

enum { LINES_MAX = 24 };

struct line {
	int rank; /* if not all lines fit, panels first remove the lines with the highest rank */
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

/* Begins without a line. The texts of the lines are not initialised, because a panel uses few of
 * them. */
static inline void lines_begin(struct lines *lines, struct box at)
{
	lines->at = at;
	lines->count = 0;
}

/* Adds a line. The text may consist of several wordings (alternatives), separated by line feeds.
 * The line shows the first wording that fits in a row, else the last one. An empty text adds
 * nothing. Never returns NULL.
 */
struct line *lines_put(struct lines *lines, int rank, enum style style, struct words words);
#define lines_add(lines, rank, style, ...) lines_put(lines, rank, style, words_of(__VA_ARGS__))
int lines_rows(const struct lines *lines);
/* Shortens a line of a panel's text until it needs at most `rows` rows. An ellipsis replaces the
 * words removed from the line's end. */
void line_cut(const struct lines *lines, struct line *line, int rows);
/* Cuts the first line to `first` rows and the others to one row each, in their order, until all
 * lines need at most `rows` rows. */
void lines_cut(struct lines *lines, int rows, int first);
/* Draws as many lines of a panel's text as fit, from row y on. Returns the row after the last line
 * drawn. */
int lines_draw(const struct lines *lines, int y);

/* Like line_cut(), for a text. */
void panels_cut(struct box at, int rows, char *text, size_t size);
/* Shortens a text to a number of rows. The shortened text keeps as many whole clauses as fit, and
 * then ends like a complete statement. If no long clause of a text fits, an ellipsis replaces the
 * last words. */
void panels_cut_clauses(struct box at, int rows, char *text, size_t size);

/* A text may contain several wordings (alternatives), separated by line feeds. Draws the first
 * wording that fits without being cut, or nothing if none fits. */
void panels_fit_words(struct box at, int y, enum style style, struct words words);
#define panels_fit(at, y, style, ...) panels_fit_words(at, y, style, words_of(__VA_ARGS__))

/* Returns the index of the first visible line if only `rows` of `count` lines are visible. The line
 * `chosen` is near the middle of the visible lines. */
int panels_first(int count, int rows, int chosen);
/* Draws scroll arrows in the last column of the box. If `above` is true, an arrow in row `top`
 * points up. If `below` is true, an arrow in the last row points down. */
void panels_arrows(struct box at, int top, enum style style, bool above, bool below);
/* Draws the rule (horizontal line) above a panel, with the panel's title. The title of a panel may
 * have several wordings, separated by line feeds; the first wording that fits is drawn, else the
 * last one. If the panel is focused, a pointer is drawn before the title. */
void panels_rule(struct box at, const char *title, bool focused);
/* Splits a box of the screen in two and returns the right part, which is for text. The right part
 * is two fifths of the box wide, but at least `least` and at most `most` columns. The box `at`
 * becomes the left part of the split box. */
struct box panels_beside(struct box *at, int least, int most);

/* Returns a setting as text: "combine op=mul type=f64". Knobs that have the same value in the
 * setting `other` are omitted; if `other` is NULL, no knob is omitted. */
struct words panels_setting(const struct setting *setting, const struct setting *other);
/* Returns the name of A: the knobs that differ from the present setting, "this setting", or the
 * file name of a recording. */
struct words panels_a(const struct view *view);

/* Returns the stamp of a replay: " REPLAY lecture.jsonl ". The stamp shows the file's name without
 * its folder. */
struct words panels_replay(const struct view *view);

/* Returns a legend of the marks in a plot: "  (× contended, ~ not settled)"; "" if the plot has no
 * marks. */
const char *panels_marks(bool contended, bool unsettled);
/* Like panels_marks(), in fewer columns. */
const char *panels_marks_short(bool contended, bool unsettled);

/* Returns the limit nearest to the measured value, with the gap: "limit 3.000 M latency, at it"; ""
 * while the limits are not known. */
struct words panels_limit(const struct view *view);
/* Like panels_limit(), without the spread of a prediction. */
struct words panels_limit_short(const struct view *view);
/* Returns how far a long measurement is: "probing 43 %"; "": none is under way. */
struct words panels_progress(const struct view *view);
/* Returns the line in which the student types the answer to a question: "Your answer, a letter:
 * b_".
 */
struct words panels_prompt(const struct view *view);

/* Returns the ratio of the present value (B) to the value of A, with several wordings separated by
 * line feeds. Call this function only while there is a setting A to compare with. */
struct words panels_ratio(const struct view *view);

/* Draws the chosen knob in one row: its name, its value or the value that the user is typing, and
 * its allowed values. */
void panels_knob(struct box at, const struct view *view);
/* Returns how many columns panels_knob() needs for the knob's name and value. */
int panels_knob_width(struct box at, const struct view *view);

/* Returns whether the panel of knobs, in the rectangle `at` below its rule, has too few rows for
 * the kernel's remark on the setting. */
bool panels_remark_cut(struct box at, const struct view *view);

/* The row of keys that have an effect now. */
extern const struct panel panel_key_bar;

/* Returns the state of the sample: "", "provisional", "contended", "two modes". */
const char *panels_state(const struct view *view);

/* The text in a panel while the question of a lesson hides the panel's numbers. */
#define PANELS_HIDDEN "Hidden until the question of the lesson is answered."

/* Names the key that shows a lesson whose text other panels cover. */
#define PANELS_LESSON_KEY "L shows the lesson"

/* If a value is not available after this number of seconds, the screen shows the reason for the
 * delay. */
#define PANELS_PREPARING 0.2

/* Texts about the progress of a long measurement, for example of a probe. Field `text`: "laying out
 * 384 MiB: 43 %", or empty if there is no progress to show. Field `left`: the remaining time,
 * "about 2 s left", or empty. */
struct ahead {
	char text[100], left[40];
};
struct ahead panels_ahead(const struct view *view);

/* Returns the explanation (code, limits and ports of the loop) that determines the sizes of panels.
 * Until the explanation of the present setting is computed, the function returns the previous
 * explanation. NULL: there is no explanation yet. */
const struct explanation *panels_outline(const struct view *view);

/* Returns "an iteration" or "an iteration of 4 elements", the unit of causes, ports and chains next
 * to values in cycles per element. */
struct words panels_iteration(const struct explanation *explanation);

/* Returns the text `before` and the cause of a limit, for a screen whose values are cycles per
 * element: with the number of elements of an iteration, for which the cause counts. The text has
 * shorter wordings, separated by line feeds. Without a text before it (NULL), the shortest wording
 * has no number of elements, which the title of the panel then names. */
struct words panels_cause(
	const struct explanation *explanation, const char *before, const struct limit *limit);

/* Returns a core's title without the part in parentheses: "Intel Redwood Cove". */
struct words panels_core(const struct core *core);

/* Returns the panel whose text `command` scrolls; NULL: the command scrolls no text. */
const struct panel *panels_scrolled(const struct screen *screen, const char *command);

/* Returns whether a panel's text is scrolled beyond its last line. If the text is scrolled too far,
 * writes to `back` the command that scrolls the text back to its end. */
bool panels_scroll_back(struct canvas *canvas, const struct view *view, const struct panel *panel,
	char *back, size_t size);

/* ---- counted events ---- */

/* Returns whether an event is unavailable: the event has no count and will never have a count. */
bool shown_unavailable(const struct view *view, int event);

/* Returns "~" if the event's count is estimated, else "". event: index of the event in the plan. */
const char *shown_mark(const struct view *view, int event);

/* Returns why an event has no count: "counting…", "unavailable: stays at zero …"; "" if the event
 * has a count. */
/* panel_trials.c: draws the course of the latest trials as a row of small bars. */
void course_draw(struct box at, const struct view *view);

/* panel_probed.c: the row of probed pressure. probed_rows() returns the number of rows that it
 * needs at a width; 0: there is none. probed_draw() draws it, with the contradicted line of the
 * core model if there is room, and returns the number of rows used. */
int probed_rows(const struct view *view, int width);
int probed_draw(struct box at, const struct view *view);

struct words shown_absence(const struct view *view, int event);

/* ---- the frame ---- */

/* Returns whether `name` is not NULL and equals the panel's name. */
bool panels_named(const char *name, const char *panel);

/* Returns whether the panel with this name has a place in the frame. */
bool panels_shown(const struct scene *scene, const char *name);
