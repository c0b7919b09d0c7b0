/* Shows the machine code of the loop: address, instruction, micro-ops, ports and latency. Marks in
 * the margin show the loop-carried chain and macro-fused pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/cost/cost.h"
#include "lesson/lesson.h"
#include "model/program/lines.h"
#include "ui/panels.h"

/* Widths in screen columns: of the margin (chain, mark, fusion, blank), and of columns of the
 * table. LINE, FILE_LINE: widths of the column of source lines, without and with the names of
 * files. TEXT_LEAST: width of the instructions' text below which the column of the model's costs is
 * left out. TEXT_SHORT: width of the instructions' text below which all columns of costs are left
 * out. PORTS_LEAST: width to which a long list of ports is cut, so that the later columns fit.
 * SLOTS, SLOTS_WIDE: the column of micro-ops, with a short and a long heading. */
enum {
	MARGIN = 4,
	SLOTS = 5,
	SLOTS_WIDE = 10,
	PORTS = 6,
	CYCLES = 7,
	COST = 8,
	MODEL = 7,
	ERROR = 7,
	LINE = 6,
	FILE_LINE = 18,
	TEXT_LEAST = 24,
	TEXT_SHORT = 16,
	PORTS_LEAST = 10
};

static const char *plural(double count)
{
	return fabs(count - 1) < 0.005 ? "" : "s";
}

/* "7", "7.25" */
static struct words number(double value)
{
	return words_of(fabs(value - round(value)) < 0.005 ? "%.0f" : "%.2f", value);
}

/* The end of "92 instructions", or of "92 instructions (16 on the path)" if the path through the
 * loop leaves out instructions: micro-ops are those of the path. */
static struct words on_path(const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;
	int all = explanation->loop.insn_count, run = 0;

	for (int i = 0; i < all && i < limits->insn_count; i++)
		run += limits->insn[i].count > 0;
	return run > 0 && run < all ? words_of("%s (%d on the path)", plural(all), run)
				    : words_of("%s", plural(all));
}

/* Returns the measured costs; NULL: there are none. */
static const struct cost_report *costs_of(const struct view *view)
{
	return view->cost && view->cost->count && status_is_ok(&view->cost->status) ? view->cost
										    : NULL;
}

static struct words title_of(const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct explanation *explanation = panels_outline(view);
	const struct limits *limits = &explanation->limits;
	const struct loop *loop = &explanation->loop;
	double turns = limits->turns > 0 ? limits->turns : 1, elements = limits->elements / turns;

	struct words core = { "" }, unknown = { "" };
	const char *element = view->setting.kernel->element;
	struct words unit = { "" }, bare = { "" };

	if (!view->explanation)
		return words_of("code");
	if (view->core && (view->foreign || view->nearest))
		core = words_of(" on %s", view->core->name);
	if (costs_of(view))
		unit = words_of(", cost in cycles per %s", element);
	if (limits->unknown)
		bare = words_of(", %d unknown", limits->unknown);
	unknown = words_of("%s%s", bare.text, unit.text);
	if (loop->stepped)
		return words_of(unit.text[0] ? "code%1$s, S: stepped %2$d turn%3$s, %4$.4g "
					       "instructions an element%5$s\n"
					       "code%1$s, S: %4$.4g instructions an element%5$s\n"
					       "code%1$s%5$s\n"
					       "code%1$s, S: %4$.4g instructions an element%6$s"
					     : "code%1$s, S: stepped %2$d turn%3$s, %4$.4g "
					       "instructions an element%5$s\n"
					       "code%1$s, S: %4$.4g instructions an element%5$s",
			core.text, loop->turns, plural(loop->turns), loop->insns_per_element,
			unknown.text, bare.text);
	return words_of(unit.text[0] ? "code%1$s: %2$d instruction%3$s, %4$s micro-op%5$s for "
				       "%6$s %7$s%8$s\n"
				       "code%1$s: %2$d instruction%3$s, %4$s micro-op%5$s for "
				       "%6$s element%9$s%8$s\n"
				       "code%1$s: %2$d instruction%3$s, %4$s micro-op%5$s%8$s\n"
				       "code%1$s%8$s\n"
				       "code%1$s: %2$d instruction%3$s, %4$s micro-op%5$s"
				     : "code%1$s: %2$d instruction%3$s, %4$s micro-op%5$s for "
				       "%6$s %7$s%8$s\n"
				       "code%1$s: %2$d instruction%3$s, %4$s micro-op%5$s for "
				       "%6$s element%9$s%8$s\n"
				       "code%1$s: %2$d instruction%3$s, %4$s micro-op%5$s%8$s",
		core.text, loop->insn_count, on_path(explanation).text,
		number(limits->slots / turns).text, plural(limits->slots / turns),
		number(elements).text,
		elements == 1 ? element : kernel_elements(view->setting.kernel).text, unknown.text,
		plural(elements));
}

static bool wanted(const struct view *view)
{
	return panels_outline(view) && panels_outline(view)->loop.insn_count > 0;
}

struct columns {
	int cost, error, model; /* widths of the columns of measured costs, of their errors and of
			    the model's costs; 0: the table has no such column */
	int digits;		/* number of decimals of costs */
	int line;		/* width of the column of source lines; 0: there is none */
	int address, text, count, slots, ports; /* widths of the table's columns; the width `count`
						   is 0 if every instruction runs once per iteration
						 */
	bool brief; /* omit the sizes of memory operands ("qword ptr"), to save columns */
	int first_carried, last_carried; /* first and last instruction of the loop-carried chain, as
					    indices; -1: no chain */
};

/* Returns the instruction's text. If `brief` is true, omits "qword ptr", because the registers
 * usually show the operand's size. */
static struct words text_of(const struct loop *loop, int index, bool brief)
{
	const struct insn *insn = &loop->insn[index];
	uint64_t first = loop->insn[0].address, last = loop->insn[loop->insn_count - 1].address;
	struct words words =
		words_of("%s", insn->known ? insn->text : "(bytes that are not an instruction)");
	char *at = strstr(words.text, "0x");

	/* Show a branch target as an offset in the list, because its address is different in each
	 * run. */
	if (at && insn->target && (insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP) &&
		strtoull(at, NULL, 16) == insn->target) {
		bool inside = insn->target >= first && insn->target <= last;

		snprintf(at, 24, inside ? "→ %llx" : "→ outside",
			(unsigned long long)(insn->target - first));
	}
	while (brief && (at = strstr(words.text, " ptr ")) != NULL) {
		char *word = at;

		while (word > words.text && word[-1] != ' ')
			word--;
		memmove(word, at + 5, strlen(at + 5) + 1);
	}
	return words;
}

/* Loops of less than SHORT cycles per element show costs with one more decimal. */
#define SHORT 1.0

/* Chooses the columns of costs that fit next to an instruction's text of `widest` columns. If
 * little room is left, the columns of the model and of the error are omitted. */
static void add_costs(const struct cost_report *cost, int widest, struct columns *columns)
{
	int room = columns->text - COST - int_least(widest + 1, TEXT_LEAST);

	if (!cost || columns->text - COST < int_least(widest + 1, TEXT_SHORT))
		return;
	columns->digits = cost->cpe.value < SHORT ? 3 : 2;
	columns->cost = COST;
	columns->model = room >= MODEL ? MODEL : 0;
	columns->error = room >= MODEL + ERROR ? ERROR : 0;
	columns->text -= columns->cost + columns->model + columns->error;
}

/* Returns whether an instruction comes from another file than the loop, as code of an inlined
 * function does. */
static bool is_other_file(const struct explanation *explanation, int index)
{
	const struct source_line *line = &explanation->lines[index],
				 *own = &explanation->lines[explanation->loop.insn_count - 1];

	return line->file && (!own->file || strcmp(line->file, own->file) != 0);
}

/* Returns the width of the column of source lines; 0: the lines are unknown. */
static int line_width(const struct explanation *explanation)
{
	int width = 0;

	for (int i = 0; explanation->lines && i < explanation->loop.insn_count; i++)
		width = is_other_file(explanation, i)	       ? FILE_LINE
			: explanation->lines[i].file && !width ? LINE
							       : width;
	return width;
}

/* Draws the source line of an instruction: its number, after the file's name if it is another one
 * than that of the loop. */
static void draw_line(struct box at, int x, int y, const struct columns *columns,
	const struct view *view, int index)
{
	const struct explanation *explanation = view->explanation;
	const struct source_line *line = explanation->lines ? &explanation->lines[index] : NULL;

	if (!columns->line || !line->file)
		return;
	if (is_other_file(explanation, index) && columns->line == LINE)
		canvas_put_right(at, x + LINE - 1, y, STYLE_DIM, "…");
	else if (is_other_file(explanation, index))
		canvas_put_right(box_part(at, x, 0, FILE_LINE - 1, at.height), FILE_LINE - 1, y,
			STYLE_DIM, words_of("%s:%d", line->file, line->line).text);
	else
		canvas_right(at, x + columns->line - 1, y, STYLE_DIM, "%d", line->line);
}

static void measure(struct box at, const struct view *view, struct columns *columns)
{
	const struct explanation *explanation = view->explanation;
	const struct loop *loop = &explanation->loop;
	const struct limits *limits = &explanation->limits;
	uint64_t span = loop->insn[loop->insn_count - 1].address - loop->insn[0].address;
	int widest = 11, room;

	*columns = (struct columns){ .address = snprintf(NULL, 0, "%llx", (unsigned long long)span),
		.slots = SLOTS,
		.ports = PORTS,
		.first_carried = -1,
		.last_carried = -1 };
	for (int i = 0; i < loop->insn_count; i++) {
		const struct limit_insn *facts = &limits->insn[i];

		widest = int_most(widest, canvas_columns(at, text_of(loop, i, false).text));
		columns->ports = int_most(columns->ports, canvas_columns(at, facts->ports));
		if (facts->eliminated)
			columns->ports = int_most(columns->ports, 10);
		if (fabs(facts->count - limits->turns) > 0.005)
			columns->count = 6;
		if (!facts->carried)
			continue;
		if (columns->first_carried < 0)
			columns->first_carried = i;
		columns->last_carried = i;
	}
	columns->line = line_width(explanation);
	room = at.width - MARGIN - columns->address - 1 - columns->count - SLOTS - 1 - CYCLES;
	/* A long list of ports is cut before the columns of costs, or of latencies, have no room.
	 */
	columns->ports =
		int_most(int_least(columns->ports, room - int_least(widest + 1, TEXT_SHORT) -
							   int_least(columns->line, LINE) -
							   (costs_of(view) ? COST : 0)),
			int_least(columns->ports, PORTS_LEAST));
	columns->text = room - columns->ports;
	add_costs(costs_of(view), widest, columns);
	if (columns->line > LINE && columns->text - columns->line < TEXT_LEAST)
		columns->line = LINE;
	columns->text -= columns->line;
	if (columns->text - (SLOTS_WIDE - SLOTS) > widest) {
		columns->slots = SLOTS_WIDE;
		columns->text -= SLOTS_WIDE - SLOTS;
	}
	columns->brief = columns->text < widest + 1;
	columns->text = int_most(int_least(columns->text, widest + 1), 12);
}

/* Draws the loop-carried chain: a vertical line from its first to its last instruction, with a mark
 * at each instruction of the chain. */
static void draw_chain(
	struct box at, int y, const struct columns *columns, const struct limits *limits, int index)
{
	int first = columns->first_carried, last = columns->last_carried;

	if (limits->insn[index].carried)
		canvas_glyph(at, 1, y, STYLE_WARN, GLYPH_HERE);
	if (first != last && index >= first && index <= last)
		canvas_glyph(at, 0, y, STYLE_WARN,
			index == first	? GLYPH_TOP_LEFT
			: index == last ? GLYPH_BOTTOM_LEFT
					: GLYPH_VLINE);
}

/* Returns a cost, but 0 for a cost that would be shown as -0.00. */
static double shown(const struct columns *columns, double cost)
{
	return fabs(cost) < 0.5 * pow(10, -columns->digits) ? 0 : cost;
}

/* Draws the measured cost of an instruction, and the model's cost. Costs of a contended core are
 * noise, so they are not shown. */
static void draw_cost(struct box at, int x, int y, const struct columns *columns,
	const struct view *view, int index)
{
	const struct loop *loop = &view->explanation->loop;
	const struct cost_insn *cost =
		cost_at(view->cost, loop->insn[index].address - loop->insn[0].address);
	bool refused = cost && cost->why_twice[0] && cost->why_later[0];

	if (!cost)
		return;
	x += columns->cost;
	/* A cost that cannot be is measured again, and discarded at the end. */
	if (refused || cost->contended || !(cost->cost.value >= -view->cost->cpe.value)) {
		canvas_right(at, x, y, STYLE_DIM, "%s",
			refused		  ? (loop->insn[index].flow == FLOW_NONE ? "-" : "jump")
			: cost->contended ? "?"
					  : "…");
	} else {
		canvas_right(at, x, y, cost_differs(view->cost, cost) ? STYLE_WARN : STYLE_TEXT,
			"%.*f", columns->digits, shown(columns, cost->cost.value));
		if (columns->error)
			canvas_right(at, x + columns->error, y, STYLE_DIM, "±%.*f", columns->digits,
				(cost->cost.hi - cost->cost.lo) / 2);
	}
	if (columns->model && isfinite(cost->model))
		canvas_right(at, x + columns->error + columns->model, y, STYLE_DIM, "%.*f",
			columns->digits, shown(columns, cost->model));
}

static void draw_insn(
	struct box at, int y, const struct columns *columns, const struct view *view, int index)
{
	const struct explanation *explanation = view->explanation;
	const struct loop *loop = &explanation->loop;
	const struct limits *limits = &explanation->limits;
	const struct insn *insn = &loop->insn[index];
	const struct limit_insn *facts = &limits->insn[index];
	bool known = insn->known && facts->known,
	     fuses = index + 1 < loop->insn_count && limits->insn[index + 1].fused;
	/* A macro-fused pair of instructions is executed as one operation. The ports of a
	 * macro-fused pair are stored at its first or its second instruction. */
	const char *ports = fuses && !facts->ports[0] ? facts[1].ports : facts->ports;
	enum style style = !known ? STYLE_BAD : facts->carried ? STYLE_FIGURE : STYLE_TEXT;
	double share = limits->turns > 0 ? facts->count / limits->turns : facts->count;
	int x = MARGIN, room;
	bool full;

	draw_chain(at, y, columns, limits, index);
	if (facts->fused || fuses)
		canvas_glyph(
			at, 2, y, STYLE_DIM, facts->fused ? GLYPH_BOTTOM_LEFT : GLYPH_TOP_LEFT);
	canvas_right(at, x + columns->address, y, STYLE_DIM, "%llx",
		(unsigned long long)(insn->address - loop->insn[0].address));
	x += columns->address + 1;
	draw_line(at, x, y, columns, view, index);
	x += columns->line;
	canvas_put(box_part(at, x, 0, columns->text - 1, at.height), 0, y, style,
		text_of(loop, index, columns->brief).text);
	x += columns->text;
	if (columns->count && fabs(share - 1) > 0.005)
		canvas_text(at, x, y, STYLE_WARN, "×%.2f", share);
	x += columns->count;
	if (!known) {
		canvas_right(at, x + columns->slots - 1, y, STYLE_BAD, "?");
		canvas_text(at, x + columns->slots + 1, y, STYLE_BAD, "unknown");
		return;
	}
	if (!facts->fused)
		canvas_put_right(
			at, x + columns->slots - 1, y, STYLE_TEXT, number(facts->slots).text);
	x += columns->slots + 1;
	/* A blank stays before a latency that takes its whole column, such as "5 + 17". */
	full = canvas_columns(at, limit_latency(facts).text) >= CYCLES - 1;
	room = columns->ports - (canvas_columns(at, ports) > columns->ports - full);
	canvas_put(box_part(at, x, 0, int_least(room, at.width - x), at.height), 0, y,
		facts->eliminated ? STYLE_DIM : STYLE_TEXT,
		facts->eliminated ? "eliminated"
		: facts->fused	  ? ""
		: ports[0]	  ? ports
				  : "-");
	x += columns->ports;
	/* A latency gives away the time of a chain, for which a lesson's question may ask. */
	if (view->hidden & (HIDDEN_CPE | HIDDEN_LIMITS))
		canvas_put_right(at, x + CYCLES - 1, y, STYLE_DIM, "?");
	else if (insn->write_count > 0 && !facts->fused && insn->flow == FLOW_NONE)
		canvas_put_right(at, x + CYCLES - 1, y, facts->carried ? STYLE_FIGURE : STYLE_TEXT,
			limit_latency(facts).text);
	if (columns->cost)
		draw_cost(at, x + CYCLES, y, columns, view, index);
}

static void draw_head(struct box at, const struct columns *columns)
{
	int x = MARGIN + columns->address + 1;

	if (columns->line)
		canvas_right(at, x + columns->line - 1, 0, STYLE_DIM, "line");
	x += columns->line;
	canvas_text(at, x, 0, STYLE_DIM, "instruction");
	x += columns->text;
	if (columns->count)
		canvas_text(at, x, 0, STYLE_DIM, "runs");
	x += columns->count;
	canvas_right(at, x + columns->slots, 0, STYLE_DIM,
		columns->slots == SLOTS_WIDE ? "micro-ops" : "uops");
	x += columns->slots + 1;
	canvas_text(at, x, 0, STYLE_DIM, "ports");
	x += columns->ports;
	x += CYCLES;
	canvas_right(at, x, 0, STYLE_DIM, "latency");
	x += columns->cost + columns->error;
	if (columns->cost)
		canvas_right(at, x, 0, STYLE_DIM, columns->error ? "cost, cycles" : "cost");
	if (columns->model)
		canvas_right(at, x + columns->model, 0, STYLE_DIM, "model");
}

/* Adds a legend of the marks in the margin, and what the latencies mean. */
static void add_legend(struct lines *lines, const struct explanation *explanation, bool carried)
{
	const struct limits *limits = &explanation->limits;
	double cycles = limits->chain.cycles / (limits->turns > 0 ? limits->turns : 1);
	const char *through = limits->chain.through_memory ? ", through memory" : "";
	struct words each = panels_iteration(explanation);

	if (!carried)
		lines_add(
			lines, 0, STYLE_DIM, "no chain is carried from one iteration to the next");
	else if (isnan(cycles))
		lines_add(lines, 0, STYLE_DIM, "the carried chain");
	else
		lines_add(lines, 0, STYLE_DIM,
			"the carried chain: %1$s cycle%2$s %4$s%3$s\n"
			"carried chain: %1$s cycle%2$s %4$s%3$s\n"
			"carried chain: %1$s cycle%2$s an iteration%3$s",
			number(cycles).text, plural(cycles), through, each.text);
	lines_put(lines, 0, STYLE_DIM, limit_sooner(limits, &explanation->loop));
	lines_add(lines, 0, STYLE_DIM,
		"latency in cycles: load + operation; loads count from the address\n"
		"latency: load + operation; loads count from the address\n"
		"latency: load (from the address) + operation");
}

/* Adds the sum of the instructions' costs and what a cost means, or the reason why no cost is
 * measured. */
static void add_costs_legend(struct lines *lines, const struct view *view)
{
	const struct cost_report *cost = view->cost;
	int waits = 0, contended = 0;

	if (!status_is_ok(&cost->status)) {
		lines_add(lines, 0, STYLE_DIM, "cost unavailable: %s", cost->status.text);
		return;
	}
	for (int i = 0; i < cost->count; i++) {
		waits += !isfinite(cost->insn[i].cost.value) &&
			 (!cost->insn[i].why_twice[0] || !cost->insn[i].why_later[0]);
		contended += cost->insn[i].contended;
	}
	/* Without the cost of an instruction, the sum says nothing about the loop. */
	if (waits == 0 && contended == 0 && !cost_missing(cost)) {
		struct words sum = words_of("sum of costs: %.2f of %.2f cycles per %s",
			cost_sum(cost), cost->cpe.value, view->setting.kernel->element);

		if (cost_at_most(cost))
			lines_add(lines, 0, STYLE_DIM,
				"%s; each cost is at most this, as several limits bind", sum.text);
		else if (cost_below(cost))
			lines_add(lines, 0, STYLE_DIM,
				"%s; below 0: the loop is faster with the copy", sum.text);
		else if (cost_at_least(cost))
			lines_add(lines, 0, STYLE_DIM,
				"%1$s; the rest: no single instruction, such as the front end\n"
				"%1$s; the rest: no single instruction\n%1$s",
				sum.text);
		else
			lines_add(lines, 0, STYLE_DIM, "%s\nsum of costs: %.2f of %.2f cycles",
				sum.text, cost_sum(cost), cost->cpe.value);
	}
	if (contended)
		lines_add(lines, 0, STYLE_WARN, "core contended: %d cost%s not shown", contended,
			contended == 1 ? "" : "s");
	if (cost_missing(cost))
		lines_add(lines, 0, STYLE_DIM, "-: %s", cost_missing(cost));
	lines_add(lines, 0, STYLE_DIM,
		"cost (P): more cycles if the core does the instruction's work twice; model (M): "
		"the cost by the core model\n"
		"cost (P): more cycles if the core does the instruction's work twice\n"
		"cost (P): cycles of doing its work twice");
}

/* Instructions begin below the headings. */
static int scroll_end(struct box at, const struct scene *scene)
{
	const struct explanation *explanation = scene->view->explanation;

	return explanation ? int_most(explanation->loop.insn_count - (at.height - 1), 0) : 0;
}

static void draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct explanation *explanation = view->explanation;
	int count, rows, first, next, end = scroll_end(at, scene);
	struct columns columns;
	struct lines legend;

	if (!explanation) {
		canvas_put(at, 0, 0, STYLE_DIM, view->limits_note);
		return;
	}
	count = explanation->loop.insn_count;
	/* If the list scrolls, the last column of the panel shows the scroll arrows. */
	measure(box_part(at, 0, 0, at.width - 2 * (end > 0), at.height), view, &columns);
	draw_head(at, &columns);
	rows = int_least(at.height - 1, count);
	first = int_least(view->code_first, end);
	for (int i = 0; i < rows; i++)
		draw_insn(at, 1 + i, &columns, view, first + i);
	panels_arrows(at, 1, STYLE_FOCUS, first > 0, first < end);
	next = 1 + count + (2 + count < at.height);
	if (next >= at.height)
		return;
	if (columns.first_carried >= 0)
		canvas_glyph(at, 1, next, STYLE_DIM, GLYPH_HERE);
	lines_begin(&legend, box_part(at, MARGIN, next, at.width - MARGIN, at.height - next));
	add_legend(&legend, explanation, columns.first_carried >= 0);
	if (view->cost)
		add_costs_legend(&legend, view);
	lines_draw(&legend, 0);
}

static int first_shown(const struct view *view)
{
	return view->code_first;
}

/* Returns the number of rows for the rule, the headings, the instructions, a blank row, and two
 * rows of legend, or four with the legend of costs. */
static int best_rows(const struct view *view)
{
	return wanted(view) ? 1 + 1 + panels_outline(view)->loop.insn_count + 3 +
				      2 * (view->cost != NULL)
			    : 5;
}

const struct panel panel_code = {
	.name = "code",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.scroll_end = scroll_end,
	.first = first_shown,
	.scroll_command = "code",
	.best_rows = best_rows,
	.focus = "code",
};
