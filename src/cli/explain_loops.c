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
#include "model/program/function_loops.h"

/* The function, and its loop that is explained at present. */
struct function_work {
	struct cli *cli;
	const struct program_request *request;
	struct model *model;
	struct program *program;
	const struct program_place *place;
	struct function_loops *found;
	const struct program_loops *loops; /* of `found` */
	bool *is_chosen;		   /* for each loop, whether to explain it */
	int chosen;			   /* number of loops to explain */
	/* A loop is explained like a kernel without knobs, which has the name of the function. */
	struct kernel kernel;
	struct setting setting;
	struct report report;
	/* The explained loop: its number from 0, and the calls in an iteration. */
	int index, calls;
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

	work->is_chosen = memory_new((size_t)work->loops->count + 1, sizeof(*work->is_chosen));
	for (size_t i = 0; i < place->address_count; i++) {
		int loop = program_loop_at(work->loops, place->address[i]);

		if (loop >= 0 && !work->is_chosen[loop]) {
			work->is_chosen[loop] = true;
			work->chosen++;
		}
	}
	if (work->chosen > 0)
		return;
	work->chosen = work->loops->count;
	for (int i = 0; i < work->loops->count; i++)
		work->is_chosen[i] = true;
}

/* ---- Explaining */

/* Explains one loop of the function. */
static struct status explain_one(struct function_work *work, int index)
{
	const struct model *model = work->model;
	struct explain_question question = { .kernel = &work->kernel,
		.uarch = model->core.uarch,
		.foreign = model->core.foreign,
		.machine = model->machine };

	work->index = index;
	function_loops_explain(work->found, index, &question, model->explanation);
	if (!status_is_ok(&model->explanation->status))
		return model->explanation->status;
	work->calls = function_loops_calls(&model->explanation->loop);
	work->report.explanation = model->explanation;
	return status_ok();
}

/* ---- Text */

/* Prints the addresses, the nesting and the source lines of the loop. */
static void print_place(FILE *out, const struct function_work *work)
{
	fprintf(out, "loop %d of %d: %s\n", work->index + 1, work->loops->count,
		text_string(&work->found->each[work->index].place));
}

/* Prints what an iteration does with data. Of data that it goes through in order, the prediction is
 * also given in cycles a byte. */
static void print_data(FILE *out, const struct function_loop *each, const struct limits *limits)
{
	struct text text = { 0 };

	if (!each->data.length)
		return;
	text_addf(&text, "an iteration %s", text_string(&each->data));
	text_print(out, TEXT_COLUMNS, "data      ", 10, text_string(&text));
	if (each->bytes > 0 && limits->predicted_by >= 0)
		fprintf(out, "          predicted: %s cycles a byte%s, %s bytes a cycle\n",
			units_cycles(limits->predicted / each->bytes).text, each->bytes_of,
			units_value(each->bytes / limits->predicted).text);
	text_free(&text);
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
	print_data(out, &work->found->each[work->index], &explanation->limits);
	explain_text_binding(out, NULL, explanation);
	explain_text_loop(out, explanation, NULL);
}

/* Prints a line for each loop, with its prediction. Loops that cannot be explained have no line. */
static void print_table(FILE *out, struct function_work *work)
{
	const struct limits *limits = &work->model->explanation->limits;

	fprintf(out, "\n  loop        begin  inside  instructions  cycles  limit\n");
	for (int i = 0; i < work->loops->count; i++) {
		struct status status = status_ok();

		if (work->is_chosen[i])
			status = explain_one(work, i);
		if (!work->is_chosen[i] || !status_is_ok(&status) || limits->predicted_by < 0)
			continue;
		fprintf(out, "%6d  %#11" PRIx64 "  %6d  %12d  %6s  %-14s  %s\n", i + 1,
			work->loops->loop[i].begin, work->loops->loop[i].depth - 1,
			work->model->explanation->loop.path_count,
			units_value(limits->predicted).text,
			words_of("%s%s", limits_predicted_by(limits, 0).text,
				*limits_at_least(limits) ? " (at least)" : "")
				.text,
			text_string(&work->found->each[work->index].source));
	}
}

static void print_head(FILE *out, struct function_work *work)
{
	const struct program_function *function = &work->place->function;
	struct status status = explain_one(work, 0);

	fprintf(out, "%s in %s: %" PRIu64 " bytes at %#" PRIx64 ", %d innermost loop%s\n",
		text_string(&work->found->name), program_file(work->request->path), function->size,
		function->address, work->loops->count, work->loops->count == 1 ? "" : "s");
	if (!status_is_ok(&status))
		return;
	explain_text_core(&work->report, &work->model->explanation->limits);
	if (work->loops->cut)
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
	const struct program_loop *loop = &work->loops->loop[work->index];
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
	record_set_integer(object, "loops", work->loops->count);
	record_set_integer(object, "depth", loop->depth);
	record_set_integer(object, "calls", work->calls);
	record_set_words(object, "data", text_string(&work->found->each[work->index].data));
	if (work->found->each[work->index].bytes > 0)
		record_set_real(object, "bytes", work->found->each[work->index].bytes);
	record_set_words(object, "source", text_string(&work->found->each[work->index].source));
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

/* Writes the explained loop in the form that the user requested. Returns the exit status. */
static int write_loop(struct function_work *work)
{
	const struct program_request *request = work->request;
	FILE *out = work->cli->out;

	if (request->export || (request->diagram && work->cli->format == formats[0])) {
		fprintf(out, "%s%s: ", request->export ? "# " : "",
			text_string(&work->found->name));
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
	for (int i = 0; i < work->loops->count; i++) {
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
	struct status status;
	int exit_status;

	status = function_loops_open(
		program, &place->function, program_file(request->path), &work.found);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	work.loops = &work.found->loops;
	work.kernel =
		(struct kernel){ .name = text_string(&work.found->name), .element = "iteration" };
	work.setting = (struct setting){ .kernel = &work.kernel };
	choose_loops(&work);
	if (drawing_wanted(cli) && work.chosen > 1)
		exit_status = cli_fail(cli,
			status_usage("a picture shows one loop, and %.100s has %d: choose one with "
				     "--function %#" PRIx64 " or another address inside it",
				text_string(&work.found->name), work.chosen,
				work.loops->loop[0].header));
	else
		exit_status = write_loops(&work);
	function_loops_free(work.found);
	free(work.is_chosen);
	return exit_status;
}
