/* The timeline and the dependence graph of the loop. While the arrow keys act on a diagram, it
 * fills the screen below the header. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/diagram.h"
#include "lesson/lesson.h"
#include "ui/panels.h"

/* Widths in columns: of the iteration's number, of the mark of the carried chain, of the ports, of
 * the inputs, of the shortest and the longest instruction. */
enum { TURN = 3, MARK = 2, PORTS = 4, NEEDS = 7, INSN_LEAST = 12, INSN_MOST = 34 };
/* Number of rows of the sentence about the chosen row, and numbers of rows from which the panel has
 * room for the first row of the legend, and for the second. */
enum { SENTENCE = 2, LEGEND_FROM = 9, LEGEND_WHOLE_FROM = 13 };
/* The largest number of instructions whose texts determine the width of their column. */
enum { INSNS_MEASURED = 64 };

/* The part of a diagram that a frame shows. */
struct part {
	int first, rows, chosen; /* first visible row, number of visible rows, chosen row */
	int insn, columns; /* number of columns of the instruction's text, and number of columns of
			      the diagram */
	int left;	   /* first column of the diagram, counted from the panel's left edge */
};

/* Divides the box into the list of instructions and the diagram. `word` is the width of the column
 * between them. */
static struct part divide(struct box at, const struct view *view, int count, int rows, int word)
{
	const struct loop *loop = &view->explanation->loop;
	struct part part = { .chosen = int_most(int_least(view->diagram_row, count - 1), 0),
		.rows = int_most(int_least(rows, count), 0),
		.insn = INSN_LEAST };

	part.first = panels_first(count, part.rows, part.chosen);
	for (int i = 0; i < loop->insn_count && i < INSNS_MEASURED; i++)
		part.insn = int_most(part.insn, canvas_columns(at, diagram_insn(loop, i).text) + 1);
	part.insn = int_least(part.insn, int_least(INSN_MOST, at.width / 3));
	part.left = TURN + MARK + part.insn + word + 1;
	/* The last column of the panel shows the scroll arrows. */
	part.columns = int_most(at.width - part.left - (count > part.rows), 0);
	return part;
}

/* Draws the columns to the left of the diagram: number, ports and text of the instruction. */
static void draw_left(struct box at, int y, const struct part *part, const struct view *view,
	int insn, const char *number, bool carried, bool chosen, bool known, const char *word)
{
	enum style style = chosen    ? STYLE_SELECTED
			   : !known  ? STYLE_BAD
			   : carried ? STYLE_FIGURE
				     : STYLE_TEXT;

	canvas_put_right(at, TURN, y, STYLE_DIM, number);
	if (carried)
		canvas_glyph(at, TURN, y, STYLE_WARN, GLYPH_HERE);
	canvas_put(box_part(at, TURN + MARK, y, part->insn - 1, 1), 0, 0, style,
		diagram_insn(&view->explanation->loop, insn).text);
	canvas_put(box_part(at, TURN + MARK + part->insn, y,
			   part->left - TURN - MARK - part->insn - 1, 1),
		0, 0, STYLE_DIM, word);
}

static struct words core_words(const struct view *view)
{
	struct words none = { "" };

	return view->core ? words_of(", M %s", panels_core(view->core).text) : none;
}

/* ---- the timeline ---- */

static struct words timeline_title(const struct scene *scene)
{
	const struct view *view = scene->view;

	if (!view->timeline)
		return words_of("timeline");
	/* A prediction that the timeline does not show is not cut off. */
	if (view->timeline->known && view->timeline->differs)
		return words_of("timeline: %1$s%2$s\n"
				"timeline: %3$s cycles, %4$s predicted by %5$s\n"
				"timeline: %3$s cycles, %4$s predicted",
			diagram_sentence(view->timeline).text, core_words(view).text,
			units_value(view->timeline->cycles).text,
			units_value(view->timeline->predicted).text,
			limit_rows[view->timeline->by].name);
	return words_of(
		"timeline: %s%s", diagram_sentence(view->timeline).text, core_words(view).text);
}

static bool timeline_wanted(const struct view *view)
{
	return panels_named(view->screen.front, "timeline") && panels_outline(view);
}

static enum style letter_style(const struct timeline_row *row, char letter)
{
	switch (letter) {
	case 'D': return STYLE_TITLE;
	case 'R': return STYLE_GOOD;
	case 'e': return row->carried ? STYLE_FIGURE : STYLE_BAR;
	case '=':
	case '-': return STYLE_DIM;
	default: return STYLE_FIGURE;
	}
}

/* Draws a row of letters. Neighbouring letters of one style are drawn as one text. */
static void draw_letters(struct box at, int y, const struct part *part, const struct view *view,
	const struct timeline_row *row, double from, double each)
{
	char run[256];
	int length = 0, begin = 0;
	enum style style = STYLE_TEXT;

	for (int column = 0; column <= part->columns; column++) {
		char letter = column < part->columns ? timeline_letter(view->timeline, row,
							       from + column * each, each)
						     : ' ';
		enum style next = letter_style(row, letter);

		if (length > 0 &&
			(letter == ' ' || next != style || length + 1 == (int)sizeof(run) ||
				column == part->columns)) {
			run[length] = '\0';
			canvas_put(at, part->left + begin, y, style, run);
			length = 0;
		}
		if (letter == ' ')
			continue;
		begin = length ? begin : column;
		style = next;
		run[length++] = letter;
	}
}

static void draw_timeline_row(struct box at, int y, int index, const struct part *part,
	const struct view *view, double from, double each)
{
	const struct timeline *timeline = view->timeline;
	const struct timeline_row *row = &timeline->row[index];
	bool begins = index == 0 || row->turn != row[-1].turn;

	draw_left(at, y, part, view, row->insn, begins ? words_of("%d", row->turn).text : "",
		row->carried, index == part->chosen, row->kind != TIMELINE_UNKNOWN,
		row->kind == TIMELINE_FUSED	? "+"
		: row->kind == TIMELINE_UNKNOWN ? "?"
						: diagram_row_ports(timeline, row).text);
	draw_letters(at, y, part, view, row, from, each);
}

/* Draws the legend: the meaning of the diagram's letters, in one row or two. */
static void draw_legend(struct box at, int y, int rows, const struct view *view)
{
	if (rows > 0)
		panels_fit(at, y, STYLE_DIM,
			"D dispatched  = waits  0-9 a-z begins on a port  e executes  - done  R "
			"retires\n"
			"D dispatched  = waits  0-9 a-z port  e executes  R retires\n"
			"= waits  0-9 port  e executes  R retires");
	if (rows > 1)
		canvas_put(at, 0, y + 1, STYLE_DIM,
			diagram_ports(view->timeline, view->explanation->limits.uarch).text);
}

static void draw_timeline(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct timeline *timeline = view->timeline;
	int legend = (at.height >= LEGEND_FROM) + (at.height >= LEGEND_WHOLE_FROM);
	int note = 0, rows = at.height - 1 - SENTENCE - legend;
	struct part part;
	double each, from;

	if (!timeline || !view->explanation) {
		canvas_put(at, 0, 0, STYLE_DIM, view->limits_note);
		return;
	}
	if (!timeline->known) {
		canvas_wrap(at, 0, STYLE_DIM, timeline->why);
		return;
	}
	if (timeline->note[0])
		rows -= note = canvas_rows(at, timeline->note);
	part = divide(at, view, timeline->row_count, rows, PORTS);
	/* Each character of the timeline stands for so many cycles that two iterations of the loop
	 * fit on the screen. */
	each = diagram_cycles(2 * timeline->cycles, part.columns);
	from = (floor(timeline->row[part.first].renamed / each) + view->diagram_shift) * each;
	canvas_put(at, TURN + MARK, 0, STYLE_DIM,
		each > 1 ? words_of("×%.0f cycles", each).text : "instruction");
	canvas_put(at, TURN + MARK + part.insn, 0, STYLE_DIM, "port");
	canvas_put(at, part.left, 0, STYLE_DIM, diagram_ruler(from, each, part.columns).text);
	for (int i = 0; i < part.rows; i++)
		draw_timeline_row(at, 1 + i, part.first + i, &part, view, from, each);
	panels_arrows(box_part(at, 0, 0, at.width, 1 + part.rows), 1, STYLE_FOCUS, part.first > 0,
		part.first + part.rows < timeline->row_count);
	at = box_part(at, 0, 1 + part.rows, at.width, at.height - 1 - part.rows);
	canvas_wrap(box_part(at, 0, 0, at.width, SENTENCE), 0, STYLE_TEXT,
		diagram_waits(&view->explanation->loop, view->explanation->limits.uarch, timeline,
			part.chosen)
			.text);
	if (note)
		canvas_wrap(box_part(at, 0, SENTENCE, at.width, note), 0,
			timeline->differs ? STYLE_WARN : STYLE_DIM, timeline->note);
	draw_legend(at, SENTENCE + note, legend, view);
}

static bool timeline_alone(const struct view *view)
{
	return panels_named(view->screen.focus, "timeline") &&
	       panels_named(view->screen.front, "timeline");
}

const struct panel panel_timeline = {
	.name = "timeline",
	.title_of = timeline_title,
	.clauses = true,
	.draw = draw_timeline,
	.wanted = timeline_wanted,
	.alone = timeline_alone,
	.focus = "timeline",
	.hides = HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES,
};

/* ---- the dependence graph ---- */

static struct words graph_title(const struct scene *scene)
{
	const struct view *view = scene->view;
	struct words chain;

	if (!view->dataflow)
		return words_of("graph");
	chain = diagram_chain(view->dataflow);
	return words_of("graph: %s%s", chain.text + 4 * (strncmp(chain.text, "the ", 4) == 0),
		core_words(view).text);
}

static bool graph_wanted(const struct view *view)
{
	return panels_named(view->screen.front, "graph") && panels_outline(view);
}

static enum glyph line_glyph(unsigned cell)
{
	static const enum glyph glyphs[16] = {
		[DIAGRAM_LEFT] = GLYPH_HLINE,
		[DIAGRAM_RIGHT] = GLYPH_HLINE,
		[DIAGRAM_LEFT | DIAGRAM_RIGHT] = GLYPH_HLINE,
		[DIAGRAM_UP] = GLYPH_VLINE,
		[DIAGRAM_DOWN] = GLYPH_VLINE,
		[DIAGRAM_UP | DIAGRAM_DOWN] = GLYPH_VLINE,
		[DIAGRAM_LEFT | DIAGRAM_DOWN] = GLYPH_TOP_RIGHT,
		[DIAGRAM_RIGHT | DIAGRAM_DOWN] = GLYPH_TOP_LEFT,
		[DIAGRAM_LEFT | DIAGRAM_UP] = GLYPH_BOTTOM_RIGHT,
		[DIAGRAM_RIGHT | DIAGRAM_UP] = GLYPH_BOTTOM_LEFT,
		[DIAGRAM_UP | DIAGRAM_DOWN | DIAGRAM_RIGHT] = GLYPH_TEE_RIGHT,
		[DIAGRAM_UP | DIAGRAM_DOWN | DIAGRAM_LEFT] = GLYPH_TEE_LEFT,
		[DIAGRAM_LEFT | DIAGRAM_RIGHT | DIAGRAM_DOWN] = GLYPH_TEE_DOWN,
		[DIAGRAM_LEFT | DIAGRAM_RIGHT | DIAGRAM_UP] = GLYPH_TEE_UP,
		[DIAGRAM_LEFT | DIAGRAM_RIGHT | DIAGRAM_UP | DIAGRAM_DOWN] = GLYPH_CROSS,
	};
	unsigned sides = cell & 15;

	if ((cell & DIAGRAM_SLACK) && !(cell & (DIAGRAM_UP | DIAGRAM_DOWN)))
		return GLYPH_DOT;
	return glyphs[sides];
}

static void draw_cell(struct box at, int x, int y, unsigned cell)
{
	enum style style = cell & DIAGRAM_CHOSEN    ? STYLE_FOCUS
			   : cell & DIAGRAM_CARRIED ? STYLE_WARN
			   : cell & DIAGRAM_BAR	    ? STYLE_BAR
						    : STYLE_DIM;

	if (cell & DIAGRAM_BAR)
		canvas_glyph(at, x, y, style, cell & DIAGRAM_CARRIED ? GLYPH_BAR8 : GLYPH_SHADE2);
	else if (cell)
		canvas_glyph(at, x, y, style, line_glyph(cell));
}

/* Describes the instruction in the chosen row of the graph: when it begins, which input arrives
 * last, and how many instructions use its result. */
static struct words graph_sentence(const struct view *view, int index)
{
	const struct dataflow *dataflow = view->dataflow;
	const struct dataflow_row *row = &dataflow->row[index];
	const struct dataflow_edge *last = NULL;
	struct words input = { "" };
	int used = 0;

	if (row->kind == TIMELINE_FUSED)
		return words_of("fused with the instruction above into one micro-op");
	if (row->kind == TIMELINE_UNKNOWN)
		return words_of("the core model does not know this instruction");
	for (int i = 0; i < dataflow->edge_count; i++) {
		const struct dataflow_edge *edge = &dataflow->edge[i];

		if (edge->to == index && (!last || edge->out > last->out))
			last = edge;
		used += edge->from == index;
	}
	if (last)
		input = words_of("; last input in cycle %.4g from %s", last->out,
			diagram_insn(&view->explanation->loop, dataflow->row[last->from].insn)
				.text);
	return words_of("%d begins in cycle %.4g%s; result in cycle %.4g, used by %d instruction%s",
		row->insn + 1, row->start, input.text, row->end, used, used == 1 ? "" : "s");
}

static void draw_graph(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct dataflow *dataflow = view->dataflow;
	bool legend = at.height >= LEGEND_FROM;
	uint8_t cells[1 << 15];
	struct diagram_window window;
	struct part part;

	if (!dataflow || !view->explanation) {
		canvas_put(at, 0, 0, STYLE_DIM, view->limits_note);
		return;
	}
	if (!dataflow->known) {
		canvas_wrap(at, 0, STYLE_DIM, dataflow->why);
		return;
	}
	part = divide(at, view, dataflow->row_count, at.height - 1 - SENTENCE - legend, NEEDS);
	part.rows = int_least(part.rows, (int)sizeof(cells) / int_most(part.columns, 1));
	window = (struct diagram_window){ .row = part.first,
		.rows = part.rows,
		.columns = part.columns,
		.per_cycle = diagram_per_cycle(dataflow, part.columns) };
	window.column =
		int_most(int_least(view->diagram_shift,
				 diagram_columns(dataflow, window.per_cycle) - part.columns),
			0);
	diagram_draw(dataflow, &window, part.chosen, cells);
	canvas_put(at, TURN + MARK, 0, STYLE_DIM, "instruction");
	canvas_put(at, TURN + MARK + part.insn, 0, STYLE_DIM, "needs");
	canvas_text(at, part.left, 0, STYLE_DIM,
		window.per_cycle >= 1 ? "%.4g columns are a cycle" : "a column is %.4g cycles",
		window.per_cycle >= 1 ? window.per_cycle : 1 / window.per_cycle);
	for (int i = 0; i < part.rows; i++) {
		const struct dataflow_row *row = &dataflow->row[part.first + i];

		draw_left(at, 1 + i, &part, view, row->insn, words_of("%d", row->insn + 1).text,
			row->carried, part.first + i == part.chosen, row->kind != TIMELINE_UNKNOWN,
			row->kind == TIMELINE_FUSED ? "+"
						    : diagram_needs(dataflow, part.first + i).text);
		for (int column = 0; column < part.columns; column++)
			draw_cell(at, part.left + column, 1 + i, cells[i * part.columns + column]);
	}
	panels_arrows(box_part(at, 0, 0, at.width, 1 + part.rows), 1, STYLE_FOCUS, part.first > 0,
		part.first + part.rows < dataflow->row_count);
	at = box_part(at, 0, 1 + part.rows, at.width, at.height - 1 - part.rows);
	canvas_wrap(box_part(at, 0, 0, at.width, SENTENCE), 0, STYLE_TEXT,
		graph_sentence(view, part.chosen).text);
	if (legend)
		panels_fit(at, SENTENCE, STYLE_DIM,
			"● carried chain  line: last input  dots: earlier input  ' previous "
			"iteration\n"
			"● carried chain  line: last input  ' previous iteration\n"
			"● carried chain  line: last input");
}

static bool graph_alone(const struct view *view)
{
	return panels_named(view->screen.focus, "graph") &&
	       panels_named(view->screen.front, "graph");
}

const struct panel panel_graph = {
	.name = "graph",
	.title_of = graph_title,
	.clauses = true,
	.draw = draw_graph,
	.wanted = graph_wanted,
	.alone = graph_alone,
	.focus = "graph",
	.hides = HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES,
};
