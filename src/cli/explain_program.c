#include "cli/explain_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/format.h"
#include "cli/model.h"
#include "engine/machine/machine.h"
#include "model/program/function_list.h"

static void add_source(struct text *text, const struct source_line *line)
{
	if (line->file)
		text_addf(text, "%s:%d", line->file, line->line);
}

/* What the report prints. */
struct listing {
	const char *path;
	struct function_list list;
};

static void list_text(struct report *report, const void *item)
{
	const struct listing *listing = item;
	const struct function_list *list = &listing->list;
	struct text line = { 0 };

	fprintf(report->out, "%s: %zu function%s, %zu with loops%s\n", program_file(listing->path),
		list->all, list->all == 1 ? "" : "s", list->count,
		list->count ? "; --function NAME explains the loops of one" : "");
	if (list->count)
		fprintf(report->out, "\n  loops    bytes     address  function\n");
	for (size_t i = 0; i < list->count; i++) {
		const struct listed_function *function = &list->function[i];

		add_source(&line, &function->line);
		fprintf(report->out, "%7d %8" PRIu64 " %#11" PRIx64 "  %s%s%s\n", function->loops,
			function->function.size, function->function.address, function->name,
			line.length ? "  " : "", text_string(&line));
		text_clear(&line);
	}
	text_free(&line);
}

static void list_data(struct report *report, const struct records *records, const void *item)
{
	const struct listing *listing = item;
	struct text text = { 0 };

	for (size_t i = 0; i < listing->list.count; i++) {
		const struct listed_function *function = &listing->list.function[i];
		struct json_t *object = record_new(records, "function", report->records + 1);

		record_set_string(object, "function", function->name);
		record_set_string(object, "file", program_file(listing->path));
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

static int list_functions(struct cli *cli, const char *path, struct program *program)
{
	struct listing listing = { .path = path };
	struct report report;

	function_list_find(program, &listing.list, NULL);
	report_init(&report, cli, &subject_functions, NULL);
	report_whole(&report, &listing);
	function_list_free(&listing.list);
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
