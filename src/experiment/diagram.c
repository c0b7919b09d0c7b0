#include "experiment/diagram.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* ---- Words */

struct words diagram_insn(const struct loop *loop, int insn)
{
	struct words words = words_of("%s", loop->insn[insn].text);
	char *at;

	if (!loop->insn[insn].known)
		return words_of("(not decoded)");
	/* Only the text of a jump depends on where the loop begins, because it shows the target's
	 * distance from there. */
	if (loop->insn[insn].target) {
		struct text text = { 0 };

		loop_insn_text(loop, &loop->insn[insn], &text);
		words = words_of("%s", text_string(&text));
		text_free(&text);
	}
	while ((at = strstr(words.text, " ptr ")) != NULL) {
		char *word = at;

		while (word > words.text && word[-1] != ' ')
			word--;
		memmove(word, at + 5, strlen(at + 5) + 1);
	}
	return words;
}

struct words diagram_iteration(double elements)
{
	if (!(elements > 0) || fabs(elements - 1) < 0.0005)
		return words_of("an iteration");
	if (elements < 1)
		return words_of("an iteration, %.4g iterations an element", 1 / elements);
	return words_of("an iteration of %.4g elements", elements);
}

struct words diagram_cause(const struct limits *limits, const struct limit *limit)
{
	struct words each = diagram_iteration(limits->elements / limits->turns);

	if (!each.text[strlen("an iteration")] ||
		(!isdigit((unsigned char)limit->cause[0]) && !strstr(limit->cause, " cycle")))
		return words_of("%s", limit->cause);
	return words_of("%s (%s)", limit->cause, each.text);
}

struct words diagram_sentence(const struct timeline *timeline)
{
	const char *name = limit_rows[timeline->by].name;
	struct words each = diagram_iteration(timeline->elements);

	if (!timeline->known)
		return words_of("%s", timeline->why);
	if (timeline->differs)
		return words_of("%s cycles %s, %s predicted by %s",
			units_value(timeline->cycles).text, each.text,
			units_value(timeline->predicted).text, name);
	return words_of("%s cycles %s, as predicted by %s", units_value(timeline->predicted).text,
		each.text, name);
}

struct words diagram_chain(const struct dataflow *dataflow)
{
	if (!dataflow->known)
		return words_of("%s", dataflow->why);
	if (dataflow->chain > 0)
		return words_of("the slowest carried chain takes %s cycles %s",
			units_value(dataflow->chain).text,
			diagram_iteration(dataflow->elements).text);
	return words_of("no chain is carried from one iteration to the next");
}

double diagram_cycles(double cycles, int columns)
{
	static const double steps[] = { 1, 2, 5 };
	double power = 1;

	if (columns < 1)
		columns = 1;
	for (;; power *= 10)
		for (int i = 0; i < 3; i++)
			if (cycles <= power * steps[i] * columns || power > 1e9)
				return power * steps[i];
}

struct words diagram_ruler(double from, double each, int columns)
{
	struct words words = { "" };
	int most = columns < (int)sizeof(words.text) - 24 ? columns : (int)sizeof(words.text) - 24;

	memset(words.text, ' ', (size_t)most);
	for (int column = 0; column < most; column++) {
		double cycle = from + column * each;
		char number[24];
		int length;

		if (fmod(rint(cycle / each), 10) != 0)
			continue;
		length = snprintf(number, sizeof(number), "%.0f", cycle);
		if (column + length <= most)
			memcpy(words.text + column, number, (size_t)length);
	}
	words.text[most] = '\0';
	return words;
}

/* Returns the number at the end of a port's name, such as 1 for "alu1"; -1: the name has no number.
 */
static int port_number(const char *name)
{
	size_t digits = strcspn(name, "0123456789");

	return name[digits] ? atoi(name + digits) : -1;
}

/* Whether a port's name follows the name of the previous port: agu0, agu1. */
static bool follows(const char *before, const char *name)
{
	size_t length = strcspn(name, "0123456789");

	return strncmp(before, name, length) == 0 && port_number(before) >= 0 &&
	       port_number(name) == port_number(before) + 1;
}

struct words diagram_ports(const struct timeline *timeline, const struct uarch *uarch)
{
	int count = uarch_port_count(uarch);
	struct text text = { 0 };
	struct words words;
	uint32_t used = 0;

	for (int i = 0; i < timeline->op_count; i++)
		used |= UINT32_C(1) << timeline->op[i].port;
	for (int port = 0, last; port < count; port = last + 1) {
		const char *name = uarch->port[port];
		char letter = timeline_port(port);

		last = port;
		if (!(used >> port & 1) || (name[0] == 'p' && name[1] == letter && !name[2]))
			continue;
		while (last + 1 < count && used >> (last + 1) & 1 &&
			follows(uarch->port[last], uarch->port[last + 1]))
			last++;
		text_addf(&text, "%s%c", text.length ? ", " : "", letter);
		if (last > port)
			text_addf(&text, "-%c %s-%d", timeline_port(last), name,
				port_number(uarch->port[last]));
		else
			text_addf(&text, " %s", name);
	}
	words = words_of("%s", text_string(&text));
	text_free(&text);
	return words;
}

struct words diagram_row_ports(const struct timeline *timeline, const struct timeline_row *row)
{
	struct words words = { "" };
	double after = -INFINITY;
	size_t length = 0;

	/* Each pass of this loop adds the micro-ops that start next, in the order of their start
	 * cycles. */
	while (length < 8) {
		double next = INFINITY;

		for (int i = 0; i < row->op_count; i++)
			if (timeline->op[row->op + i].start > after)
				next = fmin(next, timeline->op[row->op + i].start);
		if (next == INFINITY)
			break;
		for (int i = 0; i < row->op_count && length < 8; i++)
			if (timeline->op[row->op + i].start == next)
				words.text[length++] =
					timeline_port(timeline->op[row->op + i].port);
		after = next;
	}
	words.text[length] = '\0';
	return words;
}

static struct words cycles_of(double cycles)
{
	return fabs(cycles - rint(cycles)) < 0.005
		       ? words_of("%.0f cycle%s", cycles, fabs(cycles - 1) < 0.005 ? "" : "s")
		       : words_of("%.2f cycles", cycles);
}

struct words diagram_waits(const struct loop *loop, const struct uarch *uarch,
	const struct timeline *timeline, int index)
{
	const struct timeline_row *row = &timeline->row[index];
	const struct timeline_op *op = &timeline->op[row->op];
	double from = row->renamed + 1, inputs = row->ready - from;
	double port = row->op_count ? op->start - fmax(row->ready, from) : 0;
	struct words words = { "" }, cause = { "" }, where = { "" };

	switch (row->kind) {
	case TIMELINE_UNKNOWN:
		return words_of(
			"the core model does not know this instruction: the run leaves it out");
	case TIMELINE_FUSED: return words_of("fused with the instruction above into one micro-op");
	case TIMELINE_NO_PORT: return words_of("needs no port: done at rename");
	case TIMELINE_WORK: break;
	}
	if (row->cause >= 0 && inputs > 0.005)
		cause = words_of(" for %s%s",
			diagram_insn(loop, timeline->row[row->cause].insn).text,
			timeline->row[row->cause].turn == row->turn ? ""
			: timeline->row[row->cause].turn == row->turn - 1
				? " of the iteration before"
				: " of an earlier iteration");
	if (inputs > 0.005)
		words = words_of("waits %s%s", cycles_of(inputs).text, cause.text);
	for (int i = 0; i < row->op_count; i++)
		where = words_of("%s%s%s", where.text, i ? " and " : "",
			uarch->port[timeline->op[row->op + i].port]);
	if (port > 0.005)
		words = words_of("%s%s%s for %s", words.text, words.text[0] ? ", then " : "waits ",
			cycles_of(port).text, uarch->port[op->port]);
	return words_of("%s%s on %s from cycle %.4g, done in %.4g, retires in %.0f", words.text,
		words.text[0] ? "; executes" : "executes", where.text, op->start, row->done,
		row->retired);
}

struct words diagram_needs(const struct dataflow *dataflow, int index)
{
	const struct dataflow_row *row = &dataflow->row[index];
	struct words words = { "" };
	size_t length = 0;

	for (int i = 0; i < dataflow->edge_count; i++) {
		const struct dataflow_edge *edge = &dataflow->edge[i];
		const struct dataflow_row *from = &dataflow->row[edge->from];

		if (edge->to == index && length < sizeof(words.text) - 16)
			length += (size_t)snprintf(words.text + length, sizeof(words.text) - length,
				"%s%d%s", length ? " " : "", from->insn + 1,
				from->turn < row->turn ? "'" : "");
	}
	return words;
}

/* ---- The dependence graph */

static double last_cycle(const struct dataflow *dataflow)
{
	double last = 0;

	for (int i = 0; i < dataflow->row_count; i++)
		last = fmax(last, dataflow->row[i].end);
	return last;
}

double diagram_per_cycle(const struct dataflow *dataflow, int columns)
{
	double cycles = last_cycle(dataflow) + 1;

	for (int wide = 4; wide >= 2; wide--)
		if (cycles * wide <= columns)
			return wide;
	/* A dependence graph that needs only a few screens stays readable, because the user can
	 * scroll it. */
	if (cycles * 2 <= 4.0 * columns)
		return 2;
	return 1 / diagram_cycles(cycles, columns);
}

/* Returns the first column of the graph that shows a given cycle. Two cycles that differ only by a
 * rounding error are shown in the same column of the graph. */
static int column_of(double cycle, double per_cycle)
{
	return (int)floor(cycle * per_cycle + 1e-3);
}

int diagram_columns(const struct dataflow *dataflow, double per_cycle)
{
	return column_of(last_cycle(dataflow), per_cycle) + 1;
}

/* Adds bits (parts of lines) to a character cell of the graph, if the cell lies in the visible
 * part. */
static void mark(const struct diagram_window *window, uint8_t *cells, int row, int column, int bits)
{
	row -= window->row;
	column -= window->column;
	if (row >= 0 && row < window->rows && column >= 0 && column < window->columns)
		cells[row * window->columns + column] |= (uint8_t)bits;
}

/* Makes a character cell a part of a bar, which shows an executing instruction. A vertical line
 * that crosses the bar stays visible. */
static void mark_bar(
	const struct diagram_window *window, uint8_t *cells, int row, int column, int bits)
{
	uint8_t *cell = cells + (row - window->row) * window->columns + column - window->column;

	if (column < window->column || column >= window->column + window->columns)
		return;
	if (!(*cell & DIAGRAM_UP) || !(*cell & DIAGRAM_DOWN))
		*cell = (uint8_t)(DIAGRAM_BAR | bits);
}

/* Draws a dependence: from the end of the producer's bar down to the consumer's row, and right to
 * the part that needs the result. The column before a bar stays free for the lines of dependences.
 */
static void draw_edge(const struct diagram_window *window, const struct dataflow_row *from,
	const struct dataflow_edge *edge, int chosen, uint8_t *cells)
{
	int lane = column_of(edge->out, window->per_cycle) - 1,
	    to = column_of(edge->in, window->per_cycle) - 1;
	int bits = (edge->carried ? DIAGRAM_CARRIED : 0) | (edge->slack ? DIAGRAM_SLACK : 0) |
		   (edge->from == chosen || edge->to == chosen ? DIAGRAM_CHOSEN : 0);

	lane = lane < 0 ? 0 : lane;
	to = to < lane ? lane : to;
	for (int column = column_of(from->end, window->per_cycle) - 1; column < lane; column++)
		mark(window, cells, edge->from, column, DIAGRAM_LEFT | DIAGRAM_RIGHT | bits);
	mark(window, cells, edge->from, lane,
		DIAGRAM_DOWN | bits |
			(lane >= column_of(from->start, window->per_cycle) ? DIAGRAM_LEFT : 0));
	for (int row = edge->from + 1; row < edge->to; row++)
		mark(window, cells, row, lane, DIAGRAM_UP | DIAGRAM_DOWN | bits);
	mark(window, cells, edge->to, lane, DIAGRAM_UP | DIAGRAM_RIGHT | bits);
	for (int column = lane + 1; column <= to; column++)
		mark(window, cells, edge->to, column, DIAGRAM_LEFT | DIAGRAM_RIGHT | bits);
}

/* Draws a part of an instruction (a load, an operation or a store) as a bar. If the operation
 * begins later than its load ends, dots show that the instruction waits for another input. */
static void draw_part(const struct dataflow *dataflow, const struct diagram_window *window,
	int index, int chosen, uint8_t *cells)
{
	const struct dataflow_part *part = &dataflow->part[index];
	int from = column_of(part->start, window->per_cycle),
	    to = column_of(part->end, window->per_cycle) - 1;
	int bits =
		(part->carried ? DIAGRAM_CARRIED : 0) | (part->row == chosen ? DIAGRAM_CHOSEN : 0);

	if (dataflow->row[part->row].kind == TIMELINE_FUSED)
		return;
	if (index > 0 && part[-1].row == part->row)
		for (int column = column_of(part[-1].end, window->per_cycle) - 1; column < from;
			column++)
			mark(window, cells, part->row, column,
				DIAGRAM_LEFT | DIAGRAM_RIGHT | DIAGRAM_SLACK |
					(bits & DIAGRAM_CHOSEN));
	for (int column = from; column < to || column == from; column++)
		mark_bar(window, cells, part->row, column, bits);
}

void diagram_draw(const struct dataflow *dataflow, const struct diagram_window *window, int chosen,
	uint8_t *cells)
{
	int last = window->row + window->rows;

	memset(cells, 0, (size_t)(window->rows * window->columns));
	for (int i = 0; i < dataflow->edge_count; i++)
		if (dataflow->edge[i].from < last && dataflow->edge[i].to >= window->row)
			draw_edge(window, &dataflow->row[dataflow->edge[i].from],
				&dataflow->edge[i], chosen, cells);
	for (int i = 0; i < dataflow->part_count; i++)
		if (dataflow->part[i].row >= window->row && dataflow->part[i].row < last)
			draw_part(dataflow, window, i, chosen, cells);
}
