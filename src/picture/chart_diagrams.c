#include "picture/chart_diagrams.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "experiment/diagram.h"
#include "picture/chart_knobs.h"

/* Largest number of rows of a page. */
enum { ROWS_MOST = 24 };

/* Names the rows by their instructions. A name is cut if it is too long. */
static void name_rows(struct chart *chart, const struct loop *loop, const int *insns, int rows)
{
	const char *names[ROWS_MOST];
	char text[ROWS_MOST][CHART_NAME];

	for (int i = 0; i < rows; i++) {
		text_copy_clean(text[i], CHART_NAME, diagram_insn(loop, insns[i]).text);
		names[i] = text[i];
	}
	chart_name_axis(&chart->y, names, rows);
}

/* Copies words into a text of the chart; longer words are cut. */
static void put(char text[CHART_TEXT], struct words words)
{
	text_copy_clean(text, CHART_TEXT, words.text);
}

static void finish(struct chart *chart, const struct explanation *explanation,
	const struct setting *setting, const struct chart_origin *origin, const char *what,
	double last)
{
	struct chart_source source = { .source = SOURCE_MODEL };

	chart->x.scale = scale_fit(SCALE_LINEAR, 0, last);
	chart->x.scale.whole = true;
	chart_print(chart->x.title, "cycles");
	knob_heading(chart, setting, 0);
	chart_print(chart->title, "%s: %s on %s", setting->kernel->name, what,
		explanation->limits.uarch->title);
	chart_cite(chart, origin, &source);
	chart_print(chart->source, "nothing was measured");
}

static void add_span(struct chart *chart, int row, enum chart_span_kind kind, double from,
	double to, char letter)
{
	struct chart_span span = { .row = row, .kind = kind, .from = from, .to = to };

	if (letter)
		span.text[0] = letter;
	if (to > from)
		chart_add_span(chart, &span);
}

static void add_timeline_row(struct chart *chart, const struct timeline *timeline, int index)
{
	const struct timeline_row *row = &timeline->row[index];
	double at = row->renamed;

	if (row->kind == TIMELINE_FUSED || row->kind == TIMELINE_UNKNOWN)
		return;
	for (int i = 0; i < row->op_count; i++) {
		const struct timeline_op *op = &timeline->op[row->op + i];

		add_span(chart, index, SPAN_WAITS, at, op->start, '\0');
		add_span(chart, index, row->carried ? SPAN_CHAIN : SPAN_WORKS, op->start, op->end,
			timeline_port(op->port));
		at = fmax(at, op->end);
	}
	add_span(chart, index, row->op_count ? SPAN_FINISHED : SPAN_WAITS, at, row->retired, '\0');
}

struct chart *chart_timeline(const struct explanation *explanation, const struct setting *setting,
	const struct timeline *timeline, const struct chart_origin *origin)
{
	int rows = timeline->row_count < ROWS_MOST ? timeline->row_count : ROWS_MOST;
	int insns[ROWS_MOST];
	struct words ports = diagram_ports(timeline, explanation->limits.uarch);
	struct chart *chart;
	double last = 1;

	if (!timeline->known)
		return NULL;
	/* The page ends with a whole iteration, if one fits. */
	for (int i = rows; i > 0 && rows < timeline->row_count; i--)
		if (timeline->row[i].turn != timeline->row[i - 1].turn) {
			rows = i;
			break;
		}
	chart = chart_new(CHART_SPANS);
	for (int i = 0; i < rows; i++) {
		insns[i] = timeline->row[i].insn;
		last = fmax(last, timeline->row[i].retired + 1);
		add_timeline_row(chart, timeline, i);
	}
	name_rows(chart, &explanation->loop, insns, rows);
	finish(chart, explanation, setting, origin, "timeline", last);
	put(chart->remark, words_of("%s%s%s", diagram_sentence(timeline).text,
				   timeline->note[0] ? ". " : "", timeline->note));
	put(chart->legend,
		words_of("bar: a micro-op executes on the port of its letter%s%s%s; orange: "
			 "carried chain",
			ports.text[0] ? " (" : "", ports.text, ports.text[0] ? ")" : ""));
	return chart;
}

struct chart *chart_graph(const struct explanation *explanation, const struct setting *setting,
	const struct dataflow *dataflow, const struct chart_origin *origin)
{
	int rows = dataflow->row_count < ROWS_MOST ? dataflow->row_count : ROWS_MOST;
	int insns[ROWS_MOST];
	struct chart *chart;
	double last = 1;

	if (!dataflow->known)
		return NULL;
	chart = chart_new(CHART_SPANS);
	for (int i = 0; i < rows; i++) {
		const struct dataflow_row *row = &dataflow->row[i];

		insns[i] = row->insn;
		last = fmax(last, row->end);
	}
	for (int i = 0; i < dataflow->part_count && dataflow->part[i].row < rows; i++) {
		const struct dataflow_part *part = &dataflow->part[i];

		if (dataflow->row[part->row].kind == TIMELINE_FUSED)
			continue;
		if (i > 0 && part[-1].row == part->row)
			add_span(chart, part->row, SPAN_WAITS, part[-1].end, part->start, '\0');
		/* A part of an instruction without latency is drawn as a thin bar, so that it is
		 * visible. */
		add_span(chart, part->row, part->carried ? SPAN_CHAIN : SPAN_WORKS, part->start,
			fmax(part->end, part->start + 0.12), '\0');
	}
	for (int i = 0; i < dataflow->edge_count; i++) {
		const struct dataflow_edge *edge = &dataflow->edge[i];

		if (edge->to < rows)
			chart_add_link(chart, &(struct chart_link){ edge->from, edge->to, edge->out,
						      edge->in, edge->carried, edge->slack });
	}
	name_rows(chart, &explanation->loop, insns, rows);
	finish(chart, explanation, setting, origin, "dependence graph of two iterations", last);
	put(chart->remark, diagram_chain(dataflow));
	chart_print(chart->legend,
		"orange: carried chain; dashed: the instruction waits for a later input");
	return chart;
}
