/* slexplore explain: prints the code of a kernel's loop, its limits and its ports. The subcommand
 * explain does not time the kernel. If the working set exceeds the core's own caches, the
 * subcommand explain measures L3 and memory, as run does. */
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/model.h"
#include "cli/work.h"

#include <math.h>
#include <string.h>

#include "cli/explain_diagram.h"
#include "cli/explain_export.h"
#include "cli/explain_program.h"
#include "engine/machine/machine.h"
#include "experiment/published.h"
#include "experiment/sweep/blocks.h"
#include "picture/chart_reports.h"

/* Writes the records of the explanation, its limits, ports and instructions. */
static void explain_data(struct report *report, const struct records *records, const void *item)
{
	const struct setting *setting = item;
	const struct explanation *explanation = report->explanation;
	const struct limits *limits = &explanation->limits;
	unsigned id = report->records + 1;
	struct json_t *object = record_explain(records, setting, explanation,
		report->machine ? report->machine->name : NULL, limits->uarch->name, id);
	struct published published;
	struct misses misses, then;
	bool asked = report_misses(report, setting, &misses, &then);
	const struct record_sample what = { .misses = &misses,
		.whatif_misses = asked ? &then : NULL };
	const char *port[UARCH_PORTS];

	if (published_find(setting, limits->uarch->name, &published)) {
		record_set_real(object, "published_cycles", published.cycles);
		record_set_string(object, "published_core", published.core);
		record_set_string(object, "published_by", published.source);
		if (published.remark[0])
			record_set_string(object, "published_remark", published.remark);
	}
	field_json(object, "misses", &what);
	field_json(object, "whatif_misses", &what);
	field_json(object, "l3_bytes", &what);
	field_json(object, "l3_from", &what);
	if (!misses.known)
		record_set_string(object, "misses_why", misses.why);
	if (report->blocks) {
		record_set_integer(object, "block", report->blocks->advice.n);
		record_set_string(object, "block_why", report->blocks->advice.why);
	}
	if (report->whatif_blocks) {
		record_set_integer(object, "whatif_block", report->whatif_blocks->advice.n);
		record_set_string(object, "whatif_block_why", report->whatif_blocks->advice.why);
	}
	record_write(records, object);
	records_limits(records, explanation, id);
	for (int i = 0; i < limits->port_count; i++)
		port[i] = limits->uarch->port[i];
	records_ports(records, limits, port, id);
	records_code(records, explanation, id);
}

/* The CSV output has a line for each limit. Only the formats text and JSON print the code and the
 * ports. */
const struct subject subject_explain = { "limits",
	"kernel,uarch,limit=name,state,cycles_per_element=cpe,cycles_per_iteration=cycles,cause",
	NULL, explain_text, explain_data, NULL };

struct asked {
	const char *export;   /* name of the export that replaces the results; NULL: no export */
	bool timeline, graph; /* the timeline or the dependence graph replaces the results */
	const char *function; /* the function of a program; NULL: not given */
};

static const struct cli_option options[] = {
	{ "export", "mca", "write only the loop, as assembly that llvm-mca and uiCA read",
		OPTION_IN_OWN(struct asked, export) },
	{ "timeline", NULL, "show the cycles in which each instruction waits, executes and retires",
		OPTION_IN_OWN(struct asked, timeline) },
	{ "graph", NULL, "show which instructions wait for which, in two iterations",
		OPTION_IN_OWN(struct asked, graph) },
	{ "function", "NAME",
		"the function of a program whose loops to explain: its name, an address such as "
		"0x1234, or FILE:LINE",
		OPTION_IN_OWN(struct asked, function) },
	{ .name = NULL },
};

/* Draws the explanation of the report if the user requested a picture. */
static int draw(struct cli *cli, const struct model *model, const struct report *report,
	const struct setting *setting)
{
	struct chart_origin origin = drawing_origin(model->machine, &model->core);
	const struct asked *asked = cli->own;

	if (!drawing_wanted(cli))
		return CLI_DONE;
	return drawing_save(cli,
		asked->timeline || asked->graph
			? diagram_chart(report, setting, asked->timeline, &origin)
			: chart_limits(report->explanation, setting, NULL, "", &origin),
		CLI_DONE);
}

/* The kind of diagram that replaces the results; NULL: no diagram. */
static const struct subject *diagram(const struct asked *asked)
{
	return asked->timeline ? &subject_timeline : asked->graph ? &subject_graph : NULL;
}

/* The report of one setting, or of two settings A and B. */
struct compared {
	bool two;
	int printed;		/* number of settings that were printed */
	struct setting setting; /* A */
	double predicted;	/* cycles per element of A; 0: unknown */
	struct report report;
};

/* Prints the explanation of the only setting, of A, or of B with the ratio of the predictions. */
static void print_setting(struct compared *compared, const struct setting *setting)
{
	struct report *report = &compared->report;
	const struct limits *limits = &report->explanation->limits;
	bool text = report->format == formats[0];
	struct words incomparable;
	double predicted = limits->predicted_by >= 0 ? limits->predicted : 0,
	       ratio = predicted / compared->predicted;

	if (!compared->two) {
		report_whole(report, setting);
		return;
	}
	if (compared->printed == 0)
		report_begin(report);
	if (text)
		fprintf(report->out, "%s  ", compared->printed ? "\nB" : "A");
	report_write(report, report->subject, setting);
	if (compared->printed++ == 0) {
		compared->setting = *setting;
		compared->predicted = predicted;
		return;
	}
	report_end(report);
	incomparable = setting_incomparable(&compared->setting, setting);
	if (text && *incomparable.text)
		fprintf(report->out, "\nB/A       %s\n", incomparable.text);
	else if (text && predicted > 0 && compared->predicted > 0)
		fprintf(report->out, "\nB/A       %s: the prediction of B %s\n",
			units_cycles(ratio).text,
			fabs(ratio - 1) < 0.005 ? "equals that of A"
			: ratio < 1		? "is lower"
						: "is higher");
}

static int explain_setting(struct cli *cli, struct model *model, const struct setting *setting,
	struct compared *compared)
{
	const struct explanation *explanation = model_explain(model, setting);
	const struct asked *asked = cli->own;
	struct report *report = &compared->report;
	struct blocks blocks, whatif_blocks;

	if (!explanation)
		return cli_fail(cli, model_missing(model));
	if (!status_is_ok(&explanation->status))
		return cli_fail(cli, explanation->status);
	if (asked->export) {
		explain_export(cli->out, setting, explanation);
		return CLI_DONE;
	}
	if (compared->printed == 0)
		report_init(report, cli, diagram(asked) ? diagram(asked) : &subject_explain,
			model->machine);
	report->setting = *setting;
	report->core = &model->core;
	report->explanation = explanation;
	report->blocks = model_blocks(model, setting, NULL, &blocks) ? &blocks : NULL;
	if (cli->whatif.asked && model_blocks(model, setting, &cli->whatif, &whatif_blocks))
		report->whatif_blocks = &whatif_blocks;
	print_setting(compared, setting);
	return draw(cli, model, report, setting);
}

/* Measures the values of L3 and memory that the limits of the setting need. Without measured values
 * of L3 and memory, the limits of large working sets are unknown. */
static void measure_memory(struct cli *cli, struct model *model, const struct setting *setting)
{
	struct bench bench;
	struct status status;

	if (!model_measures(model, setting))
		return;
	status = bench_open(&bench, cli);
	if (!status_is_ok(&status)) {
		cli_note(cli, "the latencies of L3 and memory are not measured: %s", status.text);
		return;
	}
	model_measure(model, &bench, setting);
	bench_close(&bench);
}

/* Checks that the options of the command allow two settings. */
static struct status check_two(const struct cli *cli, const struct setting *settings)
{
	const struct asked *asked = cli->own;

	if (asked->export || diagram(asked) || drawing_wanted(cli))
		return status_usage("vs compares the limits of two settings: leave out --export, "
				    "--timeline, --graph, --picture and --gnuplot");
	if (strcmp(cli->format->name, "csv") == 0 && settings[0].kernel != settings[1].kernel)
		return status_usage("A and B have different knobs, so one CSV table cannot hold "
				    "both: use --format json");
	return status_ok();
}

static int explain_run(struct cli *cli)
{
	struct machine machine = { .cpu = -1 };
	struct setting settings[2];
	struct compared compared = { .printed = 0 };
	struct model model;
	struct status status;
	const struct asked *asked = cli->own;
	const char *export = asked->export, *program;
	int exit_status = CLI_DONE, count = 1;
	bool quiet;

	status =
		export ? explain_export_check(export)
		: asked->timeline && asked->graph
			? status_usage("--timeline and --graph exclude each other: use one of them")
			: status_ok();
	/* The file is read once, because it may change. */
	program = status_is_ok(&status) ? words_program(cli) : NULL;
	if (program && cli->word_count > 1)
		status = status_usage("unexpected word \"%.60s\" after the program %.100s: "
				      "--function NAME chooses a function",
			cli->words[1], cli->words[0]);
	if (status_is_ok(&status) && program) {
		const struct program_request request = { .path = program,
			.function = asked->function,
			.diagram = diagram(asked),
			.export = export,
			.draw = draw };

		return explain_program(cli, &request);
	}
	if (status_is_ok(&status) && asked->function)
		status = status_usage("--function names a function of a program, an ELF file: "
				      "slexplore explain ./program --function %.60s",
			asked->function);
	if (status_is_ok(&status))
		status = words_settings(cli, settings, &count);
	if (status_is_ok(&status) && count == 2)
		status = check_two(cli, settings);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	machine_identify(&machine);
	machine_survey(&machine);
	/* The output names the core, so the note about the core is not needed. */
	quiet = cli->quiet;
	cli->quiet = true;
	status = model_open(&model, cli, &machine);
	cli->quiet = quiet;
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	compared.two = count == 2;
	for (int i = 0; i < count && exit_status == CLI_DONE; i++) {
		measure_memory(cli, &model, &settings[i]);
		exit_status = explain_setting(cli, &model, &settings[i], &compared);
	}
	model_close(&model);
	return exit_status;
}

const struct cli_command command_explain = {
	.name = "explain",
	.help = "show the machine code of a kernel, or of a program's loops, and every limit on "
		"their speed; the loop itself is not timed",
	.arguments = "KERNEL|FILE|PROGRAM [knob=value ...] [vs [KERNEL|FILE] [knob=value ...]]",
	.common = { "format", "seed", "quiet", "uarch", "whatif", "picture", "gnuplot", "theme" },
	.options = options,
	.own_size = sizeof(struct asked),
	.run = explain_run,
};
