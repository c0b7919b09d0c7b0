/* The machine code of the loop: address, instruction, micro-ops, ports and latency. The margin
 * marks the loop-carried chain and macro-fused pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/panels.h"

/* Columns of the margin (chain, mark, fusion, blank) and of the other columns. */
enum { MARGIN = 4, SLOTS = 5, PORTS = 6, CYCLES = 7 };

static const char *plural(double count)
{
	return fabs(count - 1) < 0.005 ? "" : "s";
}

/* "7", "7.25" */
static void number(double value, char *buffer, size_t size)
{
	snprintf(buffer, size, fabs(value - round(value)) < 0.005 ? "%.0f" : "%.2f", value);
}

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct explanation *explanation = panels_outline(scene->view);
	const struct limits *limits = &explanation->limits;
	const struct loop *loop = &explanation->loop;
	double turns = limits->turns > 0 ? limits->turns : 1, elements = limits->elements / turns;
	char slots[24], each[24], unknown[40] = "", on[40] = "";

	if (!scene->view->explanation) {
		snprintf(buffer, size, "code");
		return;
	}
	number(limits->slots / turns, slots, sizeof(slots));
	number(elements, each, sizeof(each));
	if (limits->unknown)
		snprintf(unknown, sizeof(unknown), ", %d unknown", limits->unknown);
	if (scene->view->core && (scene->view->foreign || scene->view->nearest))
		snprintf(on, sizeof(on), " on %s", scene->view->core->name);
	if (loop->stepped) {
		snprintf(buffer, size,
			"code%s, S: stepped %d turn%s, %.4g instructions an element%s", on,
			loop->turns, plural(loop->turns), loop->insns_per_element, unknown);
		return;
	}
	snprintf(buffer, size, "code%s: %d instruction%s, %s micro-op%s for %s element%s%s", on,
		loop->insn_count, plural(loop->insn_count), slots, plural(limits->slots / turns),
		each, plural(elements), unknown);
}

static bool wanted(const struct view *view)
{
	return panels_outline(view) && panels_outline(view)->loop.insn_count > 0;
}

struct columns {
	int address, text, count,
		ports; /* widths; count is 0 if every instruction runs once an iteration */
	bool brief;    /* omit the operands' sizes, there is no room */
	int first_carried, last_carried; /* instructions, -1: none */
};

/* The instruction's text. brief: without "qword ptr", since the registers usually show the size. */
static void text_of(const struct loop *loop, int index, bool brief, char *buffer, size_t size)
{
	const struct insn *insn = &loop->insn[index];
	uint64_t first = loop->insn[0].address, last = loop->insn[loop->insn_count - 1].address;
	char *at;

	snprintf(buffer, size, "%s", insn->known ? insn->text : "(bytes that are no instruction)");
	/* A branch target is an offset in the list, not an address of this run. */
	at = strstr(buffer, "0x");
	if (at && insn->target && (insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP) &&
		strtoull(at, NULL, 16) == insn->target) {
		if (insn->target >= first && insn->target <= last)
			snprintf(at, size - (size_t)(at - buffer), "→ %llx",
				(unsigned long long)(insn->target - first));
		else
			snprintf(at, size - (size_t)(at - buffer), "→ outside");
	}
	while (brief && (at = strstr(buffer, " ptr ")) != NULL) {
		char *word = at;

		while (word > buffer && word[-1] != ' ')
			word--;
		memmove(word, at + 5, strlen(at + 5) + 1);
	}
}

static void measure(const struct canvas *canvas, const struct explanation *explanation, int width,
	struct columns *columns)
{
	const struct loop *loop = &explanation->loop;
	const struct limits *limits = &explanation->limits;
	uint64_t span = loop->insn[loop->insn_count - 1].address - loop->insn[0].address;
	char address[24], words[sizeof(loop->insn[0].text) + 24];
	int widest = 11;

	*columns = (struct columns){ .ports = PORTS, .first_carried = -1, .last_carried = -1 };
	columns->address = snprintf(address, sizeof(address), "%llx", (unsigned long long)span);
	for (int i = 0; i < loop->insn_count; i++) {
		const struct limit_insn *facts = &limits->insn[i];
		int text, ports = canvas_columns(canvas, facts->ports);

		text_of(loop, i, false, words, sizeof(words));
		text = canvas_columns(canvas, words);
		widest = text > widest ? text : widest;
		columns->ports = ports > columns->ports ? ports : columns->ports;
		if (facts->eliminated && columns->ports < 10)
			columns->ports = 10;
		if (fabs(facts->count - limits->turns) > 0.005)
			columns->count = 6;
		if (!facts->carried)
			continue;
		if (columns->first_carried < 0)
			columns->first_carried = i;
		columns->last_carried = i;
	}
	columns->text = width - MARGIN - columns->address - 1 - columns->count - SLOTS - 1 -
			columns->ports - CYCLES;
	columns->brief = columns->text < widest + 1;
	if (columns->text > widest + 1)
		columns->text = widest + 1;
	if (columns->text < 12)
		columns->text = 12;
}

/* The chain: a line from its first instruction to its last one, and a mark at each of its
 * instructions. */
static void draw_chain(struct canvas *canvas, struct rectangle at, int y,
	const struct columns *columns, const struct limits *limits, int index)
{
	bool carried = limits->insn[index].carried;
	int first = columns->first_carried, last = columns->last_carried;

	if (carried)
		canvas_glyph(canvas, at, 1, y, STYLE_WARN, GLYPH_HERE);
	if (first == last || index < first || index > last)
		return;
	canvas_glyph(canvas, at, 0, y, STYLE_WARN,
		index == first	? GLYPH_TOP_LEFT
		: index == last ? GLYPH_BOTTOM_LEFT
				: GLYPH_VLINE);
}

static void draw_insn(struct canvas *canvas, struct rectangle at, int y,
	const struct columns *columns, const struct explanation *explanation, int index)
{
	const struct loop *loop = &explanation->loop;
	const struct limits *limits = &explanation->limits;
	const struct insn *insn = &loop->insn[index];
	const struct limit_insn *facts = &limits->insn[index];
	bool known = insn->known && facts->known,
	     fuses = index + 1 < loop->insn_count && limits->insn[index + 1].fused;
	const char *ports = facts->ports;
	enum style style = !known ? STYLE_BAD : facts->carried ? STYLE_FIGURE : STYLE_TEXT;
	struct rectangle text_at;
	int x = MARGIN;
	char figure[32], text[sizeof(insn->text) + 24];

	draw_chain(canvas, at, y, columns, limits, index);
	if (facts->fused || fuses)
		canvas_glyph(canvas, at, 2, y, STYLE_DIM,
			facts->fused ? GLYPH_BOTTOM_LEFT : GLYPH_TOP_LEFT);
	snprintf(figure, sizeof(figure), "%llx",
		(unsigned long long)(insn->address - loop->insn[0].address));
	canvas_text_right(canvas, at, x + columns->address, y, STYLE_DIM, figure);
	x += columns->address + 1;
	text_at = (struct rectangle){ at.x + x, at.y, columns->text - 1, at.height };
	text_of(loop, index, columns->brief, text, sizeof(text));
	canvas_text(canvas, text_at, 0, y, style, text);
	x += columns->text;
	if (columns->count) {
		double share = limits->turns > 0 ? facts->count / limits->turns : facts->count;

		if (fabs(share - 1) > 0.005) {
			snprintf(figure, sizeof(figure), "×%.2f", share);
			canvas_text(canvas, at, x, y, STYLE_WARN, figure);
		}
		x += columns->count;
	}
	if (!known) {
		canvas_text_right(canvas, at, x + SLOTS - 1, y, STYLE_BAD, "?");
		canvas_text(canvas, at, x + SLOTS + 1, y, STYLE_BAD, "unknown");
		return;
	}
	number(facts->slots, figure, sizeof(figure));
	if (!facts->fused)
		canvas_text_right(canvas, at, x + SLOTS - 1, y, STYLE_TEXT, figure);
	x += SLOTS + 1;
	/* A fused pair is one operation; either half may hold its ports. */
	if (fuses && !ports[0])
		ports = limits->insn[index + 1].ports;
	canvas_text(canvas, (struct rectangle){ at.x + x, at.y, columns->ports, at.height }, 0, y,
		facts->eliminated ? STYLE_DIM : STYLE_TEXT,
		facts->eliminated ? "eliminated"
		: facts->fused	  ? ""
		: ports[0]	  ? ports
				  : "-");
	x += columns->ports;
	number(facts->latency, figure, sizeof(figure));
	if (uarch_known(facts->latency) && insn->write_count > 0 && !facts->fused &&
		insn->flow == FLOW_NONE)
		canvas_text_right(canvas, at, x + CYCLES - 1, y,
			facts->carried ? STYLE_FIGURE : STYLE_TEXT, figure);
}

static void draw_head(struct canvas *canvas, struct rectangle at, const struct columns *columns)
{
	int x = MARGIN + columns->address + 1;

	canvas_text(canvas, at, x, 0, STYLE_DIM, "instruction");
	x += columns->text;
	if (columns->count)
		canvas_text(canvas, at, x, 0, STYLE_DIM, "runs");
	x += columns->count;
	canvas_text_right(canvas, at, x + SLOTS, 0, STYLE_DIM, "uops");
	x += SLOTS + 1;
	canvas_text(canvas, at, x, 0, STYLE_DIM, "ports");
	x += columns->ports;
	canvas_text_right(canvas, at, x + CYCLES, 0, STYLE_DIM, "latency");
}

/* What the marks mean. */
static void draw_legend(struct canvas *canvas, struct rectangle at, int y,
	const struct columns *columns, const struct limits *limits)
{
	char cycles[24], words[120];

	if (columns->first_carried < 0) {
		canvas_text(canvas, at, MARGIN, y, STYLE_DIM,
			"no chain is carried from one iteration to the next");
		return;
	}
	number(limits->chain.cycles / (limits->turns > 0 ? limits->turns : 1), cycles,
		sizeof(cycles));
	snprintf(words, sizeof(words), "● the carried chain: %s cycle%s an iteration%s", cycles,
		strcmp(cycles, "1") == 0 ? "" : "s",
		limits->chain.through_memory ? ", through memory" : "");
	canvas_text(canvas, at, 1, y, STYLE_DIM, words);
}

/* Below the headings. */
static int scroll_end(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	int beyond = scene->view->explanation
			     ? scene->view->explanation->loop.insn_count - (at.height - 1)
			     : 0;

	(void)canvas;
	return beyond > 0 ? beyond : 0;
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct explanation *explanation = view->explanation;
	int count, rows, first = 0;
	struct columns columns;

	if (!explanation) {
		canvas_text(canvas, at, 0, 0, STYLE_DIM, view->limits_note);
		return;
	}
	count = explanation->loop.insn_count;
	/* If it scrolls, the last column shows the arrows. */
	measure(canvas, explanation, at.width - 2 * (at.height - 1 < count), &columns);
	draw_head(canvas, at, &columns);
	rows = at.height - 1 < count ? at.height - 1 : count;
	if (count > rows)
		first = view->code_first > count - rows ? count - rows : view->code_first;
	for (int i = 0; i < rows && first + i < count; i++)
		draw_insn(canvas, at, 1 + i, &columns, explanation, first + i);
	if (first > 0)
		canvas_glyph(canvas, at, at.width - 1, 1, STYLE_FOCUS, GLYPH_UP);
	if (first + rows < count)
		canvas_glyph(canvas, at, at.width - 1, at.height - 1, STYLE_FOCUS, GLYPH_DOWN);
	if (1 + count < at.height)
		draw_legend(canvas, at, 1 + count + (2 + count < at.height), &columns,
			&explanation->limits);
	if (3 + count < at.height)
		canvas_text(canvas, at, MARGIN, 3 + count, STYLE_DIM,
			"latency of loads: from the address to the result");
}

static int first_shown(const struct view *view)
{
	return view->code_first;
}

/* Rule, headings, instructions, a blank row, two rows of legend. */
static int best_rows(const struct view *view)
{
	return wanted(view) ? 1 + 1 + panels_outline(view)->loop.insn_count + 3 : 5;
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

/* ---- its C source ---- */

/* The C source of the loop, from the kernel's own file: as much of the function as fits, with its
 * innermost loop. */

enum { TAB = 4 };

static void source_title(const struct scene *scene, char *buffer, size_t size)
{
	const struct listing *listing = scene->view->listing;

	if (listing->generated)
		snprintf(buffer, size, "source: %s, written by the build", listing->function);
	else
		snprintf(buffer, size, "source: %s, %s", listing->file, listing->function);
}

static bool source_wanted(const struct view *view)
{
	return view->listing != NULL;
}

/* Replaces tabs by blanks. */
static void widen(const char *line, char *buffer, size_t size)
{
	size_t used = 0;

	for (; *line && used + TAB < size; line++) {
		if (*line != '\t') {
			buffer[used++] = *line;
			continue;
		}
		do
			buffer[used++] = ' ';
		while (used % TAB);
	}
	buffer[used] = '\0';
}

/* The first line shown: the function's, or a later one so that the whole loop is visible. */
static int first_line(const struct listing *listing, int rows)
{
	int first = listing->first;

	if (listing->loop_last >= first + rows)
		first = listing->loop_last - rows + 1;
	if (listing->loop_first >= 0 && first > listing->loop_first)
		first = listing->loop_first;
	return first;
}

static void draw_source(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct listing *listing = scene->view->listing;
	int first = first_line(listing, at.height), digits;
	char figure[16], line[400];

	if (scene->view->outline) {
		canvas_text(canvas, at, 0, 0, STYLE_DIM, scene->view->limits_note);
		return;
	}
	digits = snprintf(figure, sizeof(figure), "%d", first + at.height);
	for (int i = 0; i < at.height && first + i <= listing->last; i++) {
		int index = first + i;
		bool loop = index >= listing->loop_first && index <= listing->loop_last;

		snprintf(figure, sizeof(figure), "%d", index + 1);
		canvas_text_right(canvas, at, digits, i, STYLE_DIM, figure);
		if (loop)
			canvas_glyph(canvas, at, digits + 1, i, STYLE_WARN,
				index == listing->loop_first  ? GLYPH_TOP_LEFT
				: index == listing->loop_last ? GLYPH_BOTTOM_LEFT
							      : GLYPH_VLINE);
		widen(listing->line[index], line, sizeof(line));
		canvas_text(canvas, at, digits + 3, i, loop ? STYLE_TEXT : STYLE_DIM, line);
	}
}

static int source_best_rows(const struct view *view)
{
	return view->listing ? 1 + view->listing->last - view->listing->first + 1 : 5;
}

const struct panel panel_source = {
	.name = "source",
	.title_of = source_title,
	.draw = draw_source,
	.wanted = source_wanted,
	.best_rows = source_best_rows,
};
