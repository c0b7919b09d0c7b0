/* Explains the innermost loops of one function of a program, for the subcommand explain. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/explain_export.h"
#include "cli/explain_program.h"
#include "cli/format.h"
#include "cli/model.h"
#include "cli/work.h"
#include "model/program/program_loops.h"

/* The function, and its loop that is explained at present. */
struct function_work {
	struct cli *cli;
	const struct program_request *request;
	struct model *model;
	struct program *program;
	const struct program_place *place;
	struct text name; /* of the function */
	struct program_loops loops;
	bool *is_chosen; /* for each loop, whether to explain it */
	int chosen;	 /* number of loops to explain */
	/* The source lines of all instructions of the function; NULL: unknown. */
	uint64_t *address;
	struct source_line *line;
	size_t line_count;
	/* A loop is explained like a kernel without knobs, which has the name of the function. */
	struct kernel kernel;
	struct setting setting;
	struct report report;
	/* The explained loop: its number from 0, the calls in an iteration, its source lines. */
	int index, calls;
	struct source_line *loop_line;
	struct text source; /* "FILE:FIRST-LAST"; "": unknown */
};

const char *program_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Chooses the loops that contain addresses that the user gave; without such loops, all loops. */
static void choose_loops(struct function_work *work)
{
	const struct program_place *place = work->place;

	work->is_chosen = memory_new((size_t)work->loops.count + 1, sizeof(*work->is_chosen));
	for (size_t i = 0; i < place->address_count; i++) {
		int loop = program_loop_at(&work->loops, place->address[i]);

		if (loop >= 0 && !work->is_chosen[loop]) {
			work->is_chosen[loop] = true;
			work->chosen++;
		}
	}
	if (work->chosen > 0)
		return;
	work->chosen = work->loops.count;
	for (int i = 0; i < work->loops.count; i++)
		work->is_chosen[i] = true;
}

/* ---- Explaining */

static int by_address(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Fills work->loop_line and work->source for the explained loop. Inlined functions may bring source
 * lines of other files into the loop. The loop's last instruction is the branch that closes the
 * loop, so its source file counts as the loop's file. */
static void find_lines(struct function_work *work, const struct loop *loop)
{
	const struct source_line *own;
	int first = 0, last = 0;

	text_clear(&work->source);
	if (!work->line)
		return;
	work->loop_line =
		memory_resize(work->loop_line, (size_t)loop->insn_count, sizeof(*work->loop_line));
	for (int i = 0; i < loop->insn_count; i++) {
		const uint64_t *at = bsearch(&loop->insn[i].address, work->address,
			work->line_count, sizeof(*work->address), by_address);

		work->loop_line[i] =
			at ? work->line[at - work->address] : (struct source_line){ .file = NULL };
	}
	own = &work->loop_line[loop->insn_count - 1];
	for (int i = 0; own->file && i < loop->insn_count; i++) {
		const struct source_line *line = &work->loop_line[i];

		if (!line->file || strcmp(line->file, own->file) != 0)
			continue;
		if (first == 0 || line->line < first)
			first = line->line;
		if (line->line > last)
			last = line->line;
	}
	if (first)
		text_addf(&work->source, "%s:%d", own->file, first);
	if (last > first)
		text_addf(&work->source, "-%d", last);
}

/* Explains one loop of the function. */
static struct status explain_one(struct function_work *work, int index)
{
	const struct model *model = work->model;
	struct explanation *explanation = model->explanation;
	struct explain_question question = { .kernel = &work->kernel,
		.uarch = model->core.uarch,
		.foreign = model->core.foreign,
		.machine = model->machine };
	const struct loop *loop = &explanation->loop;
	struct status status = program_loop_fill(&work->loops, index, &explanation->loop);

	work->index = index;
	if (!status_is_ok(&status))
		return status_failed("the limits of the loop at address %#" PRIx64
				     " are not computed: %s",
			work->loops.loop[index].begin, status.text);
	explain_program_loop(&question, index + 1, explanation);
	find_lines(work, loop);
	explanation->lines = work->line ? work->loop_line : NULL;
	work->calls = 0;
	for (int i = 0; i < loop->path_count; i++)
		work->calls += loop->insn[loop->path[i].insn].flow == FLOW_CALL;
	work->report.explanation = explanation;
	return status;
}

/* ---- Text */

/* Prints the addresses, the nesting and the source lines of the loop. */
static void print_place(FILE *out, const struct function_work *work)
{
	const struct program_loop *loop = &work->loops.loop[work->index];

	fprintf(out, "loop %d of %d: %#" PRIx64 " to %#" PRIx64, work->index + 1, work->loops.count,
		loop->begin, loop->end);
	if (loop->depth > 1)
		fprintf(out, ", inside %d loop%s", loop->depth - 1, loop->depth > 2 ? "s" : "");
	fprintf(out, "%s%s\n", work->source.length ? ", " : "", text_string(&work->source));
}

static void loop_text(struct report *report, const void *item)
{
	const struct function_work *work = item;
	const struct explanation *explanation = report->explanation;
	FILE *out = report->out;

	fputc('\n', out);
	print_place(out, work);
	fprintf(out, "loop      %d instructions, %g micro-ops after fusion an iteration\n",
		explanation->loop.path_count, explanation->limits.slots);
	if (work->calls)
		fprintf(out,
			"calls     %d call%s of other functions, whose instructions are not "
			"counted\n",
			work->calls, work->calls == 1 ? "" : "s");
	explain_text_binding(out, "iteration", explanation);
	explain_text_loop(out, explanation, NULL);
}

/* Prints a line for each loop, with its prediction. Loops that cannot be explained have no line. */
static void print_table(FILE *out, struct function_work *work)
{
	const struct limits *limits = &work->model->explanation->limits;

	fprintf(out, "\n  loop        begin  inside  instructions  cycles  limit\n");
	for (int i = 0; i < work->loops.count; i++) {
		struct status status = status_ok();

		if (work->is_chosen[i])
			status = explain_one(work, i);
		if (!work->is_chosen[i] || !status_is_ok(&status) || limits->predicted_by < 0)
			continue;
		fprintf(out, "%6d  %#11" PRIx64 "  %6d  %12d  %6s  %-14s  %s\n", i + 1,
			work->loops.loop[i].begin, work->loops.loop[i].depth - 1,
			work->model->explanation->loop.path_count,
			units_value(limits->predicted).text,
			limit_rows[limits->limit[limits->predicted_by].kind].name,
			text_string(&work->source));
	}
}

static void print_head(FILE *out, struct function_work *work)
{
	const struct program_function *function = &work->place->function;
	struct status status = explain_one(work, 0);

	fprintf(out, "%s in %s: %" PRIu64 " bytes at %#" PRIx64 ", %d innermost loop%s\n",
		text_string(&work->name), program_file(work->request->path), function->size,
		function->address, work->loops.count, work->loops.count == 1 ? "" : "s");
	if (!status_is_ok(&status))
		return;
	explain_text_core(&work->report, &work->model->explanation->limits);
	if (work->loops.cut)
		fprintf(out, "jumps     a jump goes to a place that the code does not name; loops "
			     "may be missing\n");
	text_print(out, TEXT_COLUMNS, "memory    ", 10, work->model->explanation->misses.why);
	if (work->chosen > 1)
		print_table(out, work);
}

/* ---- Records */

static void set_address(struct json_t *object, const char *key, uint64_t address)
{
	record_set_string(object, key, words_of("0x%" PRIx64, address).text);
}

static void loop_data(struct report *report, const struct records *records, const void *item)
{
	const struct function_work *work = item;
	const struct explanation *explanation = report->explanation;
	const struct program_loop *loop = &work->loops.loop[work->index];
	const struct limits *limits = &explanation->limits;
	unsigned id = report->records + 1;
	struct json_t *object = record_explain(records, &work->setting, explanation,
		report->machine ? report->machine->name : NULL, limits->uarch->name, id);
	const char *port[UARCH_PORTS];

	record_set_string(object, "file", program_file(work->request->path));
	set_address(object, "begin", loop->begin);
	set_address(object, "end", loop->end);
	set_address(object, "header", loop->header);
	record_set_integer(object, "loop", work->index + 1);
	record_set_integer(object, "loops", work->loops.count);
	record_set_integer(object, "depth", loop->depth);
	record_set_integer(object, "calls", work->calls);
	record_set_words(object, "source", text_string(&work->source));
	record_set_string(object, "misses_why", explanation->misses.why);
	record_write(records, object);
	for (int i = 0; i < limits->port_count; i++)
		port[i] = limits->uarch->port[i];
	records_limits(records, explanation, id);
	records_ports(records, limits, port, id);
	records_code(records, explanation, id);
}

static const struct subject subject_loop = { "limits",
	"kernel,uarch,loop,limit=name,state,cycles_per_element=cpe,cycles_per_iteration=cycles,"
	"cause",
	NULL, loop_text, loop_data, NULL };

/* ---- Carrying out a request */

/* The message about a function without loops, which names functions that it calls and that have
 * loops. */
static struct status no_loop(const struct function_work *work)
{
	const struct program_function *called[4];
	size_t count = program_loops_called(work->program, &work->loops, called, 4);
	struct text list = { 0 };
	struct status status;

	for (size_t i = 0; i < count; i++) {
		text_add(&list, i == 0 ? "; it calls functions that have loops: " : ", ");
		program_add_name(called[i], &list);
	}
	status = status_failed("%.100s has no loop%s%.160s", text_string(&work->name),
		work->loops.cut ? " in its known code: the target of a jump is unknown" : "",
		text_string(&list));
	text_free(&list);
	return status;
}

/* Writes the explained loop in the form that the user requested. Returns the exit status. */
static int write_loop(struct function_work *work)
{
	const struct program_request *request = work->request;
	FILE *out = work->cli->out;

	if (request->export || (request->diagram && work->cli->format == formats[0])) {
		fprintf(out, "%s%s: ", request->export ? "# " : "", text_string(&work->name));
		print_place(out, work);
	}
	if (request->export)
		explain_export(out, &work->setting, work->report.explanation);
	else if (request->diagram)
		report_write(&work->report, request->diagram, &work->setting);
	else
		report_write(&work->report, &subject_loop, work);
	return request->draw(work->cli, work->model, &work->report, &work->setting);
}

static int write_loops(struct function_work *work)
{
	const struct program_request *request = work->request;
	struct report *report = &work->report;
	int exit_status = CLI_DONE;

	report_init(report, work->cli, request->diagram ? request->diagram : &subject_loop,
		work->model->machine);
	report->core = &work->model->core;
	report->setting = work->setting;
	if (!request->export)
		report_begin(report);
	if (!request->export && !request->diagram && work->cli->format == formats[0])
		print_head(work->cli->out, work);
	for (int i = 0; i < work->loops.count; i++) {
		struct status status;
		int one;

		if (!work->is_chosen[i])
			continue;
		status = explain_one(work, i);
		one = status_is_ok(&status) ? write_loop(work) : cli_fail(work->cli, status);
		exit_status = one == CLI_DONE ? exit_status : one;
	}
	if (!request->export)
		report_end(report);
	work->model->explanation->lines = NULL;
	work->model->explanation->kernel = NULL;
	return exit_status;
}

int explain_function(struct cli *cli, const struct program_request *request, struct model *model,
	struct program *program, const struct program_place *place)
{
	struct function_work work = {
		.cli = cli, .request = request, .model = model, .program = program, .place = place
	};
	int exit_status;

	program_add_name(&place->function, &work.name);
	work.kernel = (struct kernel){ .name = text_string(&work.name), .element = "iteration" };
	work.setting = (struct setting){ .kernel = &work.kernel };
	program_loops_find(program, &place->function, &work.loops);
	choose_loops(&work);
	work.address = program_loops_addresses(&work.loops, &work.line_count);
	work.line = memory_new(work.line_count + 1, sizeof(*work.line));
	if (!program_lines(program, work.address, work.line_count, false, work.line)) {
		free(work.line);
		work.line = NULL;
	}
	if (work.loops.count == 0)
		exit_status = cli_fail(cli, no_loop(&work));
	else if (drawing_wanted(cli) && work.chosen > 1)
		exit_status = cli_fail(cli,
			status_usage("a picture shows one loop, and %.100s has %d: choose one with "
				     "--function %#" PRIx64 " or another address inside it",
				text_string(&work.name), work.chosen, work.loops.loop[0].header));
	else
		exit_status = write_loops(&work);
	program_loops_free(&work.loops);
	text_free(&work.name);
	text_free(&work.source);
	free(work.is_chosen);
	free(work.address);
	free(work.line);
	free(work.loop_line);
	return exit_status;
}
