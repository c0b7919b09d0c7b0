/* The help explains the letters and words on the screen, the kernel, every key and every command.
 * The help is made from the tables of kernels, keys and commands that the program itself uses. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "explorer/command.h"
#include "ui/narrow.h"
#include "ui/panels.h"

enum { KEY_COLUMN = 22, COMMAND_COLUMN = 30 };

/* The page of the help. The row of the help's first line is -N if the help is scrolled by N lines.
 */
struct page {
	struct box at;
	int line, start;
};

/* Draws a text of the help from column x on, wrapped at the box's right edge. Lines of text outside
 * the page's box are not drawn. */
static void paragraph(struct page *page, int x, enum style style, const char *text)
{
	struct box at = box_part(page->at, x, 0, page->at.width - x, page->at.height);
	int rows = canvas_rows(at, text);

	/* If the text begins above the upper edge, clipping removes the first rows of the text. */
	if (page->line + rows > 0 && page->line < at.height)
		canvas_wrap(at, page->line, style, text);
	page->line += int_most(rows, 1);
}

static void heading(struct page *page, const char *text)
{
	if (page->line > page->start)
		page->line++;
	paragraph(page, 0, STYLE_TITLE, text);
}

static void about(struct page *page, const struct kernel *kernel)
{
	heading(page, words_of("%s: %s", kernel->name, kernel->title).text);
	paragraph(page, 0, STYLE_TEXT, kernel->look_for);
	paragraph(page, 0, STYLE_DIM, kernel->document);
}

/* The sections of the help: each section is a heading and its paragraphs. */
static const char *const letters[] = {
	"CPE: cycles per element; letters: where the cycles come from",
	"C counter  R reference clock  S stepped  T wall time  M model  P probed",
	"quiet: a trial without interference; contended: another thread used the core; "
	"not: trials that are not used, by the reason",
	NULL,
};
static const char *const figures[] = {
	"Words next to the large digits",
	"element: what the loop works on, such as one number of an array or one branch; trial: one "
	"timed run of the loop; quartiles: half of the trials lie between them",
	"two modes: the trials have two usual values; provisional: few trials yet; not settled: "
	"the values still drift; clock changed: the core's clock moved during a trial",
	"instructions (read): counted in the machine code; CPI: cycles per instruction",
	NULL,
};
static const char *const limits[] = {
	"Limits, ports and code",
	"hard limit: these instructions cannot be faster on this core; the highest hard limit "
	"binds; soft: a known effect with a usual cost; predicted: the highest of all limits",
	"micro-op (uop): an operation of the core; an instruction has one or more, and two "
	"instructions may fuse into one (marked at the left); eliminated: done at register "
	"renaming, without a port",
	"cost: the cycles by which the loop becomes slower if the core does the work of an "
	"instruction twice, measured with changed code (P), and by the core model (M)",
	"carried: each iteration waits for the previous one; latency: cycles until the result is "
	"available, of loads from the address; port: starts one operation each cycle",
	"fullest: the port with the most work; split evenly: the work if each operation used all "
	"its ports alike",
	"P probed: cycles for which the loop keeps a port or other resource busy, measured with "
	"added instructions that only this resource executes; in brackets: the model, if it "
	"differs; <: at most; unclear: the added instructions took other times than the model's",
	NULL,
};
static const char *const counters[] = {
	"Counters",
	"C is the processor's count in user space, per element, read in as many passes over the "
	"same loop as its counters need; ~ an estimate: the counter was shared for part of the "
	"time; = C and M are equal",
	"If the processor counts cycles, C is the clock, and R checks it: a difference over 2 % is "
	"shown. Counted instructions are compared with the code: a difference over 1 % is shown. "
	"An event that cannot be counted is unavailable, with a reason",
	"dispatched: sent to a port; stalled: cycles in which no micro-op proceeded, with the "
	"cause. To count another event, find it with / by its name or its meaning",
	NULL,
};

static const char *const curves[] = {
	"Curves",
	"curves 42 %, in the first line: 42 % of the points of curves and mountain are measured",
	"dim bar: few trials so far; · not measured yet; × contended; ~ not settled; ━ the value "
	"of A; ┊ the end of a cache",
	"curve of fillers (windows): the shaded columns are the range in which the knee lies; the "
	"dotted line is the size in the core model",
	NULL,
};

/* style: of the first paragraph. */
static void section(struct page *page, const char *const *words, enum style style)
{
	heading(page, *words++);
	for (; *words; words++, style = STYLE_DIM)
		paragraph(page, 0, style, *words);
}

/* Returns whether two keys share a line of the help: data/keys gives both keys the same command and
 * the same note. */
static bool alike(const struct key_row *a, const struct key_row *b)
{
	return a->context == b->context && strcmp(a->command, b->command) == 0 &&
	       strcmp(a->note, b->note) == 0;
}

/* Returns whether the help has already listed this key, on the line of an earlier key with the same
 * command and note. */
static bool listed(const struct keys *keys, int index)
{
	for (int i = 0; i < index; i++)
		if (alike(&keys->row[i], &keys->row[index]))
			return true;
	return false;
}

/* Draws a line with a name in the first column and words after it. The first column is narrower on
 * a narrow screen. */
static void name_line(struct page *page, int width, const char *name, const char *words)
{
	int column = int_least(width, page->at.width / 2);
	struct box names = box_part(page->at, 0, 0, column - 1, page->at.height);

	canvas_put(names, 0, page->line, STYLE_KEY, name);
	paragraph(page, column, STYLE_TEXT, words);
}

static void key_line(struct page *page, const struct keys *keys, int index)
{
	struct text text = { 0 };

	for (int i = index; i < keys->count; i++)
		if (alike(&keys->row[i], &keys->row[index]))
			text_addf(&text, "%s%s", text.length ? "  " : "", keys->row[i].key);
	name_line(page, KEY_COLUMN, text_string(&text), keys->row[index].note);
	text_free(&text);
}

static void all_keys(struct page *page, const struct keys *keys)
{
	static const char *const headings[] = {
		[CONTEXT_MAIN] = "Keys",
		[CONTEXT_ENTRY] = "While a value is typed",
		[CONTEXT_GUESS] = "While a question of a lesson is answered",
		[CONTEXT_FIND] = "While finding",
		[CONTEXT_HELP] = "In this help",
		[CONTEXT_TEXT] = "While the command line is shown",
		[CONTEXT_PAGE] = "While the result of a probe or of characterise is shown",
		[CONTEXT_ANSWERS] = "While the answers to a lesson are shown",
	};
	_Static_assert(sizeof(headings) / sizeof(headings[0]) == CONTEXT_COUNT,
		"every context has a heading");

	for (int context = 0; context < CONTEXT_COUNT; context++) {
		heading(page, headings[context]);
		for (int i = 0; i < keys->count; i++)
			if ((int)keys->row[i].context == context && !listed(keys, i))
				key_line(page, keys, i);
	}
}

static void all_commands(struct page *page)
{
	heading(page, "Commands, for --script and the find line");
	for (const struct command_row *row = command_rows(); row->name; row++)
		name_line(page, COMMAND_COLUMN, words_of("%s %s", row->name, row->arguments).text,
			row->help);
}

/* Draws the whole page of the help; the first line of the page is at row `line`. Returns the row
 * after the page's last line. */
static int draw_page(struct box at, int line, const struct scene *scene)
{
	struct page page = { at, line, line };

	section(&page, letters, STYLE_TEXT);
	about(&page, scene->view->setting.kernel);
	section(&page, figures, STYLE_DIM);
	all_keys(&page, scene->keys);
	section(&page, limits, STYLE_DIM);
	section(&page, counters, STYLE_DIM);
	section(&page, curves, STYLE_DIM);
	all_commands(&page);
	return page.line - line;
}

/* Returns the first visible line of the help when its last line is at the bottom of the box. */
static int last_scroll(struct box at, const struct scene *scene)
{
	return int_most(draw_page(box_part(at, 0, 0, at.width, 0), 0, scene) - at.height, 0);
}

static void draw_help(struct box at, const struct scene *scene)
{
	int most = last_scroll(at, scene), first = int_least(scene->view->screen.scroll, most);

	draw_page(at, -first, scene);
	panels_arrows(at, 0, STYLE_KEY, first > 0, first < most);
}

const struct panel panel_help = {
	.name = "help", .title = "help", .draw = draw_help, .scroll_end = last_scroll
};

/* ---- find ---- */

/* Shows the text that the user types to find something, and the results. */

static void draw_find(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const char *find = view->screen.find, *marked, *why;
	struct words reason;
	bool apart; /* the reason is not part of the label */
	int rows = at.height - 2, first, length = (int)strlen(find), x, needed = 0;

	x = canvas_text(at, 0, 0, STYLE_KEY, "/ ");
	/* If the typed text is too long, show its end, because the user types there. Typed text is
	 * ASCII.
	 */
	if (length > at.width - x - 1 && at.width - x - 2 > 0) {
		canvas_glyph(at, x++, 0, STYLE_DIM, GLYPH_ELLIPSIS);
		find += length - (at.width - x - 1);
		while (((unsigned char)*find & 0xc0) == 0x80)
			find++;
	}
	canvas_text(at, x, 0, STYLE_FIGURE, "%s_", find);
	/* If the selected search result cannot be opened, the error stays below the list until the
	 * next key. */
	if (view->screen.notice_bad && rows > 3) {
		int error = int_least(
			canvas_rows(box_part(at, 0, 0, at.width - 2, 1), view->screen.notice), 3);

		rows -= error;
		canvas_wrap(box_part(at, 2, 2 + rows, at.width - 2, error), 0, STYLE_BAD,
			view->screen.notice);
	}
	if (view->screen.found_count == 0) {
		canvas_text(at, 0, 2, STYLE_WARN, "nothing found");
		return;
	}
	/* The complete text of the selected search result is also shown below the list. */
	why = view->screen.found[view->screen.found_selected].why;
	marked = view->screen.found[view->screen.found_selected].label;
	/* Only the first of several results has the reason why they cannot be opened here. */
	reason = words_of("not here: %s", why);
	apart = why[0] && !strstr(marked, " — not here: ");
	marked = apart ? reason.text : marked;
	/* The error above has the reason. */
	if (view->screen.notice_bad && why[0] && strstr(view->screen.notice, why))
		needed = 0;
	else if ((apart || !canvas_fits(at, marked,
				   at.width - (view->screen.found_count > rows ? 4 : 2))) &&
		 rows > 6)
		needed = int_least(canvas_rows(box_part(at, 0, 0, at.width - 2, 1), marked), 3);
	rows -= needed;
	canvas_wrap(box_part(at, 2, 2 + rows, at.width - 2, needed), 0, STYLE_FOCUS, marked);
	first = panels_first(view->screen.found_count, rows, view->screen.found_selected);
	if (view->screen.found_more)
		canvas_text(at, 2, 1, STYLE_DIM, "and %d more: type another word",
			view->screen.found_more);
	if (view->screen.found_count > rows) {
		/* The arrows are next to the labels. */
		panels_arrows(box_part(at, 0, 0, at.width, 2 + rows), 2, STYLE_KEY, first > 0,
			first + rows < view->screen.found_count);
		at.width -= 2;
	}
	for (int i = 0; i < rows && first + i < view->screen.found_count; i++) {
		bool chosen = first + i == view->screen.found_selected;

		if (chosen)
			canvas_glyph(at, 0, 2 + i, STYLE_FOCUS, GLYPH_POINTER);
		canvas_clicked(box_part(at, 0, 2 + i, at.width, 1), "choose %d", first + i + 1);
		canvas_put(at, 2, 2 + i,
			chosen				       ? STYLE_FOCUS
			: view->screen.found[first + i].why[0] ? STYLE_DIM
							       : STYLE_TEXT,
			view->screen.found[first + i].label);
	}
}

const struct panel panel_find = { .name = "find", .title = "find", .draw = draw_find };

/* ---- a command line ---- */

/* Shows the command line that opens the present screen again. */

static void draw_text(struct box at, const struct scene *scene)
{
	const char *line = scene->view->screen.text,
		   *about = scene->view->lesson.title
				    ? "This command line opens this setting again, without the "
				      "lesson:"
				    : "This command line opens this screen again:",
		   *more = "The clipboard has it too, if this terminal allows it. The key Y prints "
			   "it when the explorer ends.";
	int row = canvas_rows(at, about) + 1;

	/* A command line that is cut cannot be typed: the sentence gives way to it. */
	if (row + canvas_rows(at, line) <= at.height)
		canvas_wrap(at, 0, STYLE_DIM, about);
	else
		row = 0;
	row += canvas_wrap(at, row, STYLE_FIGURE, line) + 1;
	/* A sentence that does not fit is left out, not cut. */
	if (row + canvas_rows(at, more) > at.height)
		more = strstr(more, "The key Y");
	if (row + canvas_rows(at, more) <= at.height)
		canvas_wrap(at, row, STYLE_DIM, more);
}

const struct panel panel_text = {
	.name = "text",
	.title = "command line",
	.draw = draw_text,
	.most_rows = 13,
};

/* ---- another program's output ---- */

/* Shows the output of another program (a compiler), line by line. */

static void draw_said(struct box at, const struct scene *scene)
{
	int row = 0;

	for (const char *line = scene->view->screen.text; *line && row < at.height;) {
		size_t length = strcspn(line, "\n");
		struct words plain = words_of("%.*s", (int)length, line);

		for (char *c = plain.text; *c; c++)
			*c = (unsigned char)*c < ' ' ? ' ' : *c;
		row += length ? canvas_wrap(at, row, STYLE_TEXT, plain.text) : 1;
		line += length + (line[length] == '\n');
	}
}

const struct panel panel_said = {
	.name = "said",
	.draw = draw_said,
};

/* ---- the result of a long measurement ---- */

/* Draws the lines of the page, the first at row `row`. Returns the row after the last line. */
static int draw_lines(struct box at, int row, const char *text)
{
	struct page page = { at, row, row };
	struct text fitted = { 0 };

	narrow_page(text ? text : "", at.width, at.canvas->ascii, &fitted);
	for (const char *line = text_string(&fitted); *line;) {
		size_t length = strcspn(line, "\n"), indent = strspn(line, " ");
		struct words words = words_of("%.*s", (int)length, line);

		if (canvas_fits(at, words.text, at.width)) {
			canvas_put(at, 0, page.line++, STYLE_TEXT, words.text);
		} else {
			/* Further rows of a remark begin below its first word. */
			if (strncmp(line, "* ", 2) == 0)
				indent = canvas_put(at, 0, page.line, STYLE_TEXT, "* ");
			paragraph(&page, (int)indent, STYLE_TEXT, words.text + indent);
		}
		line += length + (line[length] == '\n');
	}
	text_free(&fitted);
	return page.line;
}

/* Returns the columns for the text: the scroll arrows have their own. */
static struct box page_box(struct box at, const char *text)
{
	bool scrolls = draw_lines(box_part(at, 0, 0, at.width, 0), 0, text) > at.height;

	return box_part(at, 0, 0, at.width - 2 * scrolls, at.height);
}

static int page_end(struct box at, const struct scene *scene)
{
	const char *text = scene->view->screen.page;
	struct box box = page_box(at, text);

	return int_most(draw_lines(box_part(box, 0, 0, box.width, 0), 0, text) - at.height, 0);
}

static void draw_page_text(struct box at, const struct scene *scene)
{
	int most = page_end(at, scene), first = int_least(scene->view->screen.scroll, most);

	if (!scene->view->screen.page)
		canvas_wrap(at, 0, STYLE_DIM, PANELS_HIDDEN);
	draw_lines(page_box(at, scene->view->screen.page), -first, scene->view->screen.page);
	panels_arrows(at, 0, STYLE_KEY, first > 0, first < most);
}

const struct panel panel_page = {
	.name = "page", .draw = draw_page_text, .scroll_end = page_end, .full = true
};
