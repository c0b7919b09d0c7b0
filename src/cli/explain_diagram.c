/* Prints the timeline and the dependence graph of a loop. */
#include "cli/explain_diagram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/diagram.h"
#include "picture/chart_diagrams.h"

/* Widths of the columns to the left of the diagram: number of the instruction, instruction, and
 * ports or inputs. ROWS: number of instructions in a short timeline. CYCLES_MOST: columns of the
 * widest diagram. */
enum { NUMBER = 4, INSN = 30, WORD = 8, ROWS = 24, CYCLES_MOST = 120, COLUMNS_MOST = 480 };

static void put_head(const struct report *report, const struct setting *setting)
{
	const struct limits *limits = &report->explanation->limits;
	struct text line = { 0 };

	setting_format(setting, &line);
	fprintf(report->out, "%s\ncore      %s\n", text_string(&line), limits->uarch->title);
	text_free(&line);
	if (limits->unknown)
		fprintf(report->out,
			"unknown   %d instruction%s that the core model does not know; the diagram "
			"leaves them out: %s\n",
			limits->unknown, limits->unknown == 1 ? "" : "s", limits->unknown_names);
	if (report->explanation->loop.forks)
		fprintf(report->out, "branches  %d inside the loop assumed not taken\n",
			report->explanation->loop.forks);
}

/* Prints a line without its trailing blanks. */
static void put_line(FILE *out, char *line)
{
	size_t length = strlen(line);

	while (length > 0 && line[length - 1] == ' ')
		length--;
	line[length] = '\0';
	fprintf(out, "%s\n", line);
}

/* Prints a row: the columns before the diagram, and the diagram without trailing blanks. */
static void put_row(FILE *out, const struct loop *loop, int insn, bool carried, const char *word,
	const char *diagram)
{
	struct words text = diagram_insn(loop, insn);
	struct words line = words_of("%*d%c %-*.*s %-*s %s", NUMBER - 1, insn + 1,
		carried ? 'c' : ' ', INSN, INSN, text.text, WORD, word, diagram);

	put_line(out, line.text);
}

/* ---- The timeline */

/* Returns the number of rows to print: whole iterations, at least two, as far as they fit. */
static int rows_to_print(const struct timeline *timeline)
{
	int rows = 0;

	for (int i = 1; i <= timeline->row_count; i++)
		if (i == timeline->row_count || timeline->row[i].turn != timeline->row[i - 1].turn)
			if (rows == 0 || timeline->row[i - 1].turn < 2 || i <= ROWS)
				rows = i;
	return rows;
}

static void put_timeline(const struct report *report, const struct timeline *timeline)
{
	const struct explanation *explanation = report->explanation;
	const struct uarch *uarch = explanation->limits.uarch;
	struct words ports = diagram_ports(timeline, uarch);
	FILE *out = report->out;
	int rows = rows_to_print(timeline), columns;
	double last = timeline->row[rows - 1].retired + 1, each;
	char line[CYCLES_MOST + 1];

	text_print(out, TEXT_COLUMNS, "timeline  ", 10, diagram_sentence(timeline).text);
	if (timeline->note[0])
		text_print(out, TEXT_COLUMNS, "          ", 10, timeline->note);
	each = diagram_cycles(last, CYCLES_MOST);
	columns = (int)ceil(last / each);
	columns = columns < CYCLES_MOST ? columns : CYCLES_MOST;
	fputs("letters   D enters the scheduler, = waits, 0-9 a-z begins on that port, e "
	      "executes,\n"
	      "          - done, waits to retire, R retires; c on the slowest carried chain\n",
		out);
	if (ports.text[0])
		text_print(out, TEXT_COLUMNS, "ports     ", 10, ports.text);
	if (each > 1)
		fprintf(out, "scale     a column is %.0f cycles\n", each);
	fprintf(out, "\n%*s%-*s%-*s %s\n", NUMBER + 1, "", INSN + 1, "instruction", WORD, "ports",
		diagram_ruler(0, each, columns).text);
	for (int i = 0; i < rows; i++) {
		const struct timeline_row *row = &timeline->row[i];

		if (i > 0 && row->turn != timeline->row[i - 1].turn)
			fputc('\n', out);
		for (int column = 0; column < columns; column++)
			line[column] = timeline_letter(timeline, row, column * each, each);
		line[columns] = '\0';
		put_row(out, &explanation->loop, row->insn, row->carried,
			row->kind == TIMELINE_FUSED	? "fused"
			: row->kind == TIMELINE_UNKNOWN ? "unknown"
			: row->kind == TIMELINE_NO_PORT ? "none"
							: diagram_row_ports(timeline, row).text,
			line);
	}
}

static void timeline_text(struct report *report, const void *item)
{
	struct timeline timeline = { .known = false };

	timeline_make(report->explanation, &timeline);
	put_head(report, item);
	if (timeline.known)
		put_timeline(report, &timeline);
	else
		fprintf(report->out, "timeline  unknown: %s\n", timeline.why);
	timeline_free(&timeline);
}

static void timeline_data(struct report *report, const struct records *records, const void *item)
{
	const struct explanation *explanation = report->explanation;
	const struct setting *setting = item;
	struct timeline timeline = { .known = false };
	unsigned id = report->records + 1;

	timeline_make(explanation, &timeline);
	for (int i = 0; timeline.known && i < rows_to_print(&timeline); i++) {
		const struct timeline_row *row = &timeline.row[i];
		struct json_t *object = record_new(records, "timeline", id);
		struct text ports = { 0 };

		for (int k = 0; k < row->op_count; k++)
			text_addf(&ports, "%s%s", k ? " " : "",
				explanation->limits.uarch->port[timeline.op[row->op + k].port]);
		record_set_string(object, "kernel", setting->kernel->name);
		record_set_string(object, "uarch", explanation->limits.uarch->name);
		record_set_real(object, "cycles_per_iteration", timeline.cycles);
		record_set_real(object, "predicted_cycles", timeline.predicted);
		record_set_integer(object, "iteration", row->turn);
		record_set_integer(object, "insn", row->insn);
		record_set_string(object, "text", diagram_insn(&explanation->loop, row->insn).text);
		if (row->kind == TIMELINE_WORK || row->kind == TIMELINE_NO_PORT) {
			record_set_real(object, "dispatched", row->renamed);
			record_set_real(object, "ready", row->ready);
			if (row->op_count)
				record_set_real(object, "started", timeline.op[row->op].start);
			record_set_real(object, "done", row->done);
			record_set_real(object, "retired", row->retired);
			record_set_string(object, "ports", text_string(&ports));
		}
		record_set_flag(object, "fused", row->kind == TIMELINE_FUSED);
		record_set_flag(object, "carried", row->carried);
		record_write(records, object);
		text_free(&ports);
	}
	timeline_free(&timeline);
}

const struct subject subject_timeline = { "timeline",
	"kernel,uarch,iteration,insn,text,dispatched,ready,started,done,retired,ports,fused?,"
	"carried?",
	NULL, timeline_text, timeline_data, NULL };

/* ---- The dependence graph */

/* Returns the character that shows one cell of the dependence graph: part of a bar or of a line. */
static char cell_character(unsigned cell)
{
	bool across = cell & (DIAGRAM_LEFT | DIAGRAM_RIGHT), up = cell & DIAGRAM_UP,
	     down = cell & DIAGRAM_DOWN;

	if (cell & DIAGRAM_BAR)
		return cell & DIAGRAM_CARRIED ? '#' : '=';
	if (across && (up || down))
		return '+';
	return up || down ? '|' : !across ? ' ' : cell & DIAGRAM_SLACK ? '.' : '-';
}

static void put_graph(const struct report *report, const struct dataflow *dataflow)
{
	const struct loop *loop = &report->explanation->loop;
	FILE *out = report->out;
	double per_cycle = diagram_per_cycle(dataflow, CYCLES_MOST);
	int columns = diagram_columns(dataflow, per_cycle);
	struct diagram_window window = { .rows = dataflow->row_count,
		.columns = columns < COLUMNS_MOST ? columns : COLUMNS_MOST,
		.per_cycle = per_cycle };
	uint8_t *cells = memory_new((size_t)(window.rows * window.columns), sizeof(*cells));
	char line[COLUMNS_MOST + 1];

	fprintf(out, "graph     %s\n", diagram_chain(dataflow).text);
	fputs("          each instruction begins when its inputs are available; two iterations\n"
	      "letters   # executes, on the slowest carried chain; = executes; - waits for this "
	      "input;"
	      "\n          . waits for a later one; needs: the inputs, ' of the iteration before\n",
		out);
	fprintf(out,
		per_cycle >= 1 ? "scale     %g columns are a cycle\n"
			       : "scale     a column is %g cycles\n",
		per_cycle >= 1 ? per_cycle : 1 / per_cycle);
	fprintf(out, "\n%*s%-*s%-*s\n", NUMBER + 1, "", INSN + 1, "instruction", WORD, "needs");
	diagram_draw(dataflow, &window, -1, cells);
	for (int i = 0; i < dataflow->row_count; i++) {
		const struct dataflow_row *row = &dataflow->row[i];

		for (int column = 0; column < window.columns; column++)
			line[column] = cell_character(cells[i * window.columns + column]);
		line[window.columns] = '\0';
		put_row(out, loop, row->insn, row->carried, diagram_needs(dataflow, i).text, line);
	}
	free(cells);
}

static void graph_text(struct report *report, const void *item)
{
	struct dataflow dataflow = { .known = false };

	dataflow_make(report->explanation, &dataflow);
	put_head(report, item);
	if (dataflow.known)
		put_graph(report, &dataflow);
	else
		fprintf(report->out, "graph     unknown: %s\n", dataflow.why);
	dataflow_free(&dataflow);
}

static void graph_data(struct report *report, const struct records *records, const void *item)
{
	const struct explanation *explanation = report->explanation;
	const struct setting *setting = item;
	struct dataflow dataflow = { .known = false };
	unsigned id = report->records + 1;

	dataflow_make(explanation, &dataflow);
	for (int i = 0; dataflow.known && i < dataflow.edge_count; i++) {
		const struct dataflow_edge *edge = &dataflow.edge[i];
		const struct dataflow_row *from = &dataflow.row[edge->from],
					  *to = &dataflow.row[edge->to];
		struct json_t *object = record_new(records, "dependence", id);

		record_set_string(object, "kernel", setting->kernel->name);
		record_set_string(object, "uarch", explanation->limits.uarch->name);
		record_set_integer(object, "from_iteration", from->turn);
		record_set_integer(object, "from_insn", from->insn);
		record_set_integer(object, "to_iteration", to->turn);
		record_set_integer(object, "to_insn", to->insn);
		record_set_real(object, "available", edge->out);
		record_set_real(object, "begins", edge->in);
		record_set_flag(object, "carried", edge->carried);
		record_set_flag(object, "memory", edge->memory);
		record_write(records, object);
	}
	dataflow_free(&dataflow);
}

const struct subject subject_graph = { "dependence",
	"kernel,uarch,from_iteration,from_insn,to_iteration,to_insn,available,begins,carried?,"
	"memory?",
	NULL, graph_text, graph_data, NULL };

/* ---- Pictures */

struct chart *diagram_chart(const struct report *report, const struct setting *setting,
	bool wants_timeline, const struct chart_origin *origin)
{
	struct timeline timeline = { .known = false };
	struct dataflow dataflow = { .known = false };
	struct chart *chart;

	if (wants_timeline)
		timeline_make(report->explanation, &timeline);
	else
		dataflow_make(report->explanation, &dataflow);
	chart = wants_timeline ? chart_timeline(report->explanation, setting, &timeline, origin)
			       : chart_graph(report->explanation, setting, &dataflow, origin);
	timeline_free(&timeline);
	dataflow_free(&dataflow);
	return chart;
}
