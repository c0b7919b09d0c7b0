#include "cli/explain_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/format.h"
#include "cli/model.h"
#include "engine/machine/machine.h"
#include "model/program/program_loops.h"

static void add_source(struct text *text, const struct source_line *line)
{
	if (line->file)
		text_addf(text, "%s:%d", line->file, line->line);
}

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

	fprintf(report->out, "%s: %zu function%s, %zu with loops%s\n", program_file(list->path),
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
		record_set_string(object, "file", program_file(list->path));
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

static int explain_found(
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
	exit_status = model.core.uarch ? explain_function(cli, request, &model, program, &place)
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
	exit_status = request->function ? explain_found(cli, request, program)
					: list_functions(cli, request->path, program);
	program_close(program);
	return exit_status;
}
