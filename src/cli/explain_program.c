#include "cli/explain_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/explain_export.h"
#include "cli/format.h"
#include "cli/model.h"
#include "cli/work.h"
#include "model/program/program_loops.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void add_source(struct text *text, const struct source_line *line)
{
	if (line->file)
		text_addf(text, "%s:%d", line->file, line->line);
}

/* ---- The list of functions */

struct listed_function {
	struct program_function function;
	int loops;
	struct source_line line;
};

struct function_list {
	const char *path;
	size_t all; /* number of functions of the program */
	struct listed_function *function;
	size_t count;
};

static void list_text(struct report *report, const void *item)
{
	const struct function_list *list = item;
	struct text text = { 0 };

	fprintf(report->out, "%s: %zu function%s, %zu with loops%s\n", base_name(list->path),
		list->all, list->all == 1 ? "" : "s", list->count,
		list->count ? "; --function NAME explains the loops of one" : "");
	if (list->count)
		fprintf(report->out, "\n  loops    bytes     address  function\n");
	for (size_t i = 0; i < list->count; i++) {
		const struct listed_function *function = &list->function[i];

		program_add_name(&function->function, &text);
		if (function->line.file) {
			text_add(&text, "  ");
			add_source(&text, &function->line);
		}
		fprintf(report->out, "%7d %8" PRIu64 " %#11" PRIx64 "  %s\n", function->loops,
			function->function.size, function->function.address, text_string(&text));
		text_clear(&text);
	}
	text_free(&text);
}

static void list_data(struct report *report, const struct records *records, const void *item)
{
	const struct function_list *list = item;
	struct text text = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		const struct listed_function *function = &list->function[i];
		struct json_t *object = record_new(records, "function", report->records + 1);

		program_add_name(&function->function, &text);
		record_set_string(object, "function", text_string(&text));
		text_clear(&text);
		record_set_string(object, "file", base_name(list->path));
		text_addf(&text, "0x%" PRIx64, function->function.address);
		record_set_string(object, "address", text_string(&text));
		text_clear(&text);
		record_set_count(object, "bytes", function->function.size);
		record_set_integer(object, "loops", function->loops);
		add_source(&text, &function->line);
		record_set_words(object, "source", text_string(&text));
		text_clear(&text);
		record_write(records, object);
	}
	text_free(&text);
}

static const struct subject subject_functions = { "function",
	"function,file,address,bytes,loops,source", NULL, list_text, list_data, NULL };

/* Finds the source line at which each listed function begins. */
static void find_lines(struct program *program, struct function_list *list)
{
	uint64_t *addresses = memory_new(list->count + 1, sizeof(*addresses));
	struct source_line *lines = memory_new(list->count + 1, sizeof(*lines));

	for (size_t i = 0; i < list->count; i++)
		addresses[i] = list->function[i].function.address;
	program_lines(program, addresses, list->count, true, lines);
	for (size_t i = 0; i < list->count; i++)
		list->function[i].line = lines[i];
	free(addresses);
	free(lines);
}

static int list_functions(struct cli *cli, const char *path, struct program *program)
{
	struct function_list list = { .path = path };
	const struct program_function *function = program_functions(program, &list.all);
	struct report report;

	list.function = memory_new(list.all + 1, sizeof(*list.function));
	for (size_t i = 0; i < list.all; i++) {
		int loops = program_loops_count(program, &function[i]);

		if (loops > 0)
			list.function[list.count++] =
				(struct listed_function){ .function = function[i], .loops = loops };
	}
	find_lines(program, &list);
	report_init(&report, cli, &subject_functions, NULL);
	report_whole(&report, &list);
	free(list.function);
	return CLI_DONE;
}

/* ---- The loops of one function */

/* One explained loop of a function. */
struct shown_loop {
	const char *path, *name;
	const struct program_function *function;
	const struct program_loops *loops;
	int index, calls;
	const struct setting *setting;
	struct text source; /* "FILE:FIRST-LAST", the source lines of the loop; "": unknown */
};

/* Prints the addresses, the nesting and the source lines of a loop. */
static void print_place(FILE *out, const struct shown_loop *shown)
{
	const struct program_loop *loop = &shown->loops->loop[shown->index];

	fprintf(out, "loop %d of %d: %#" PRIx64 " to %#" PRIx64, shown->index + 1,
		shown->loops->count, loop->begin, loop->end);
	if (loop->depth > 1)
		fprintf(out, ", inside %d loop%s", loop->depth - 1, loop->depth > 2 ? "s" : "");
	fprintf(out, "%s%s\n", shown->source.length ? ", " : "", text_string(&shown->source));
}

static void loop_text(struct report *report, const void *item)
{
	const struct shown_loop *shown = item;
	const struct explanation *explanation = report->explanation;
	FILE *out = report->out;

	if (report->records == 0) {
		fprintf(out, "%s in %s: %" PRIu64 " bytes at %#" PRIx64 ", %d innermost loop%s\n",
			shown->name, base_name(shown->path), shown->function->size,
			shown->function->address, shown->loops->count,
			shown->loops->count == 1 ? "" : "s");
		explain_text_core(report, &explanation->limits);
		if (shown->loops->cut)
			fprintf(out,
				"jumps     a jump of the function goes to a place that its code "
				"does not name; loops may be missing\n");
		text_print(out, TEXT_COLUMNS, "memory    ", 10, explanation->misses.why);
	}
	fputc('\n', out);
	print_place(out, shown);
	fprintf(out, "loop      %d instructions, %g micro-ops after fusion an iteration\n",
		explanation->loop.path_count, explanation->limits.slots);
	if (shown->calls)
		fprintf(out,
			"calls     %d call%s of other functions, whose instructions are not "
			"counted\n",
			shown->calls, shown->calls == 1 ? "" : "s");
	explain_text_binding(out, "iteration", explanation);
	explain_text_loop(out, explanation, NULL);
}

static void set_address(struct json_t *object, const char *key, uint64_t address)
{
	record_set_string(object, key, words_of("0x%" PRIx64, address).text);
}

static void loop_data(struct report *report, const struct records *records, const void *item)
{
	const struct shown_loop *shown = item;
	const struct explanation *explanation = report->explanation;
	const struct program_loop *loop = &shown->loops->loop[shown->index];
	const struct limits *limits = &explanation->limits;
	unsigned id = report->records + 1;
	struct json_t *object = record_explain(records, shown->setting, explanation,
		report->machine ? report->machine->name : NULL, limits->uarch->name, id);
	const char *port[UARCH_PORTS];

	record_set_string(object, "file", base_name(shown->path));
	set_address(object, "begin", loop->begin);
	set_address(object, "end", loop->end);
	set_address(object, "header", loop->header);
	record_set_integer(object, "loop", shown->index + 1);
	record_set_integer(object, "loops", shown->loops->count);
	record_set_integer(object, "depth", loop->depth);
	record_set_integer(object, "calls", shown->calls);
	record_set_words(object, "source", text_string(&shown->source));
	record_set_string(object, "misses_why", explanation->misses.why);
	record_write(records, object);
	for (int i = 0; i < limits->port_count; i++)
		port[i] = limits->uarch->port[i];
	records_limits(records, explanation, id);
	records_ports(records, limits, port, id);
	records_code(records, explanation, false, id);
}

static const struct subject subject_loop = { "limits",
	"kernel,uarch,loop,limit=name,state,cycles_per_element=cpe,cycles_per_iteration=cycles,"
	"cause",
	NULL, loop_text, loop_data, NULL };

/* Finds the source line of each instruction of the explained loop. The caller frees the lines;
 * NULL: there are no line tables. */
static struct source_line *loop_lines(
	struct program *program, const struct loop *loop, struct text *source)
{
	size_t count = (size_t)loop->insn_count;
	uint64_t *addresses = memory_new(count + 1, sizeof(*addresses));
	struct source_line *lines = memory_new(count + 1, sizeof(*lines));
	int first = 0, last = 0;
	bool any;

	for (size_t i = 0; i < count; i++)
		addresses[i] = loop->insn[i].address;
	any = program_lines(program, addresses, count, false, lines);
	free(addresses);
	if (!any) {
		free(lines);
		return NULL;
	}
	/* Inlined functions may bring lines of other files: the last instruction is the loop's own
	 * branch, and names the file. */
	for (size_t i = 0; i < count; i++) {
		if (!lines[i].file || !lines[count - 1].file ||
			strcmp(lines[i].file, lines[count - 1].file) != 0)
			continue;
		if (first == 0 || lines[i].line < first)
			first = lines[i].line;
		if (lines[i].line > last)
			last = lines[i].line;
	}
	if (first)
		text_addf(source, "%s:%d", lines[count - 1].file, first);
	if (last > first)
		text_addf(source, "-%d", last);
	return lines;
}

static int count_calls(const struct loop *loop)
{
	int calls = 0;

	for (int i = 0; i < loop->path_count; i++)
		calls += loop->insn[loop->path[i].insn].flow == FLOW_CALL;
	return calls;
}

/* Writes the explained loop in the form that the user requested. */
static int write_loop(struct cli *cli, const struct program_request *request,
	const struct model *model, const struct shown_loop *shown, struct report *report)
{
	if (request->export || (request->diagram && cli->format == formats[0])) {
		fprintf(cli->out, "%s%s: ", request->export ? "# " : "", shown->name);
		print_place(cli->out, shown);
	}
	if (request->export)
		explain_export(cli->out, shown->setting, report->explanation);
	else if (request->diagram)
		report_write(report, request->diagram, shown->setting);
	else
		report_write(report, &subject_loop, shown);
	return request->draw(cli, model, report, shown->setting);
}

/* Explains one loop and writes it. Returns the exit status. */
static int show_loop(struct cli *cli, const struct program_request *request, struct model *model,
	struct program *program, struct shown_loop *shown, struct report *report)
{
	struct kernel kernel = { .name = shown->name, .element = "iteration" };
	struct explain_question question = { .kernel = &kernel,
		.uarch = model->core.uarch,
		.foreign = model->core.foreign,
		.machine = model->machine };
	struct explanation *explanation = model->explanation;
	struct setting setting = { .kernel = &kernel };
	struct status status = program_loop_fill(shown->loops, shown->index, &explanation->loop);
	struct source_line *lines;
	int exit_status;

	if (!status_is_ok(&status))
		return cli_fail(cli, status_failed("the loop at %#" PRIx64 " is not explained: %s",
					     shown->loops->loop[shown->index].begin, status.text));
	explain_program_loop(&question, shown->index + 1, explanation);
	lines = loop_lines(program, &explanation->loop, &shown->source);
	explanation->lines = lines;
	shown->calls = count_calls(&explanation->loop);
	shown->setting = &setting;
	report->explanation = explanation;
	report->core = &model->core;
	report->setting = setting;
	exit_status = write_loop(cli, request, model, shown, report);
	explanation->lines = NULL;
	explanation->kernel = NULL;
	free(lines);
	text_free(&shown->source);
	return exit_status;
}

/* Whether the user's addresses choose this loop: no loop contains one of them, or this loop does.
 */
static bool is_chosen(
	const struct program_place *place, const struct program_loops *loops, int index)
{
	bool any = false;

	for (int i = 0; i < loops->count; i++)
		for (size_t k = 0; k < place->address_count; k++)
			if (program_loop_contains(loops, i, place->address[k])) {
				any = true;
				if (i == index)
					return true;
			}
	return !any;
}

/* The message about a function without loops, which names functions that it calls and that have
 * loops. */
static struct status no_loop(
	struct program *program, const struct program_loops *loops, const char *name)
{
	const struct program_function *called[4];
	size_t count = program_loops_called(program, loops, called, 4);
	struct text list = { 0 };
	struct status status;

	for (size_t i = 0; i < count; i++) {
		text_add(&list, i == 0 ? "; functions with loops that it calls: " : ", ");
		program_add_name(called[i], &list);
	}
	status = status_failed("%.100s has no loop%s%.160s", name,
		loops->cut ? " that its code shows: a jump goes to an unknown place" : "",
		text_string(&list));
	text_free(&list);
	return status;
}

static struct status check_chosen(const struct cli *cli, struct program *program,
	const struct program_loops *loops, const char *name, int chosen)
{
	if (loops->count == 0)
		return no_loop(program, loops, name);
	if (drawing_wanted(cli) && chosen > 1)
		return status_usage("a picture shows one loop, and %.100s has %d: choose one with "
				    "--function %#" PRIx64 " or another address inside it",
			name, chosen, loops->loop[0].header);
	return status_ok();
}

static int explain_loops(struct cli *cli, const struct program_request *request,
	struct model *model, struct program *program, const struct program_place *place)
{
	struct program_loops loops;
	struct shown_loop shown = {
		.path = request->path, .function = &place->function, .loops = &loops
	};
	struct text name = { 0 };
	struct report report;
	struct status status;
	int exit_status = CLI_DONE, chosen = 0;

	program_add_name(&place->function, &name);
	shown.name = text_string(&name);
	program_loops_find(program, &place->function, &loops);
	for (int i = 0; i < loops.count; i++)
		chosen += is_chosen(place, &loops, i);
	status = check_chosen(cli, program, &loops, shown.name, chosen);
	if (status_is_ok(&status)) {
		report_init(&report, cli, request->diagram ? request->diagram : &subject_loop,
			model->machine);
		if (!request->export)
			report_begin(&report);
		for (; shown.index < loops.count; shown.index++) {
			int one = is_chosen(place, &loops, shown.index)
					  ? show_loop(cli, request, model, program, &shown, &report)
					  : CLI_DONE;

			exit_status = one == CLI_DONE ? exit_status : one;
		}
		if (!request->export)
			report_end(&report);
	} else {
		exit_status = cli_fail(cli, status);
	}
	program_loops_free(&loops);
	text_free(&name);
	return exit_status;
}

static int explain_function(
	struct cli *cli, const struct program_request *request, struct program *program)
{
	struct machine machine = { .cpu = -1 };
	struct program_place place;
	struct model model;
	struct status status = program_find(program, request->function, &place);
	bool quiet = cli->quiet;
	int exit_status;

	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	machine_identify(&machine);
	cli->quiet = true; /* the output names the core */
	status = model_open(&model, cli, &machine);
	cli->quiet = quiet;
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	exit_status = model.core.uarch ? explain_loops(cli, request, &model, program, &place)
				       : cli_fail(cli, model_missing(&model));
	model_close(&model);
	return exit_status;
}

int explain_program(struct cli *cli, const struct program_request *request)
{
	struct program *program;
	struct status status = program_open(request->path, &program);
	int exit_status;

	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	exit_status = request->function ? explain_function(cli, request, program)
					: list_functions(cli, request->path, program);
	program_close(program);
	return exit_status;
}
