/* slexplore report: one page about this machine, or about the machines of recordings. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/document.h"
#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/report_page.h"

/* The time budget of a report of this machine if --time-budget is not given, in seconds. Most steps
 * end before their share is used. */
static const double usual_seconds = 50;

/* The measurements of a report: subcommands, and the share of the time budget that each gets; 0:
 * the subcommand has no time budget. To add a measurement, add a row here, and a section in
 * report_page.c. */
static const struct step {
	const char *words;
	double share;
} steps[] = {
	{ "doctor", 0 },
	{ "probe", 0.30 },
	{ "probe core-to-core", 0.10 },
	{ "windows --curve", 0.25 },
	{ "sweep mountain size=16k..64m*2 stride=1..15:2", 0.16 },
	{ "characterise --quick", 0.18 },
};
enum { STEPS = sizeof(steps) / sizeof(*steps), WORDS = 16 };

/* ---- Measuring */

/* Writes the command line of a step, without the name of the program. */
static void step_words(const struct cli *cli, const struct step *step, struct text *text)
{
	double seconds = cli->time_budget > 0 ? cli->time_budget : usual_seconds;

	text_add(text, step->words);
	if (step->share > 0)
		text_addf(text, " --time-budget %.6g",
			fmax(seconds * step->share, CLI_SECONDS_LEAST));
	if (cli->cpu >= 0)
		text_addf(text, " --cpu %d", cli->cpu);
	if (cli->seed != CLI_SEED)
		text_addf(text, " --seed %llu", (unsigned long long)cli->seed);
}

/* Runs the subcommand in `words`, and writes its JSON records to `out`. Returns its exit status. */
static int run_step(const struct cli *cli, const char *words, FILE *out)
{
	struct cli of_step = { .out = out, .err = cli->err };
	char *argv[WORDS], *copy = memory_string(words), *rest = NULL;
	struct status status;
	int argc = 0, exit_status;

	argv[argc++] = (char[]){ "slexplore" };
	for (char *word = strtok_r(copy, " ", &rest); word && argc < WORDS - 3;
		word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[argc++] = (char[]){ "--format" };
	argv[argc++] = (char[]){ "json" };
	argv[argc] = NULL;
	status = cli_parse(&of_step, argc, argv);
	of_step.quiet = cli->quiet;
	exit_status =
		status_is_ok(&status) ? of_step.command->run(&of_step) : cli_fail(cli, status);
	free(of_step.words);
	free(of_step.gnuplot);
	free(of_step.own);
	free(copy);
	return exit_status;
}

/* Measures this machine, and writes the records to `out`. Adds the command lines to `commands`, and
 * those that cannot measure also to `missing`: only their sections are missing. Returns CLI_DONE,
 * or CLI_UNMEASURED if no step could measure; 128 + signal after an interruption; CLI_USAGE if a
 * step refuses its options.
 */
static int measure(const struct cli *cli, FILE *out, struct text *commands, struct text *missing)
{
	int failed = 0, stopped = 0;

	interrupt_catch();
	for (int i = 0; i < STEPS && !stopped; i++) {
		struct text words = { 0 };
		int exit_status;

		step_words(cli, &steps[i], &words);
		text_addf(commands, "slexplore %s\n", text_string(&words));
		cli_note(cli, "%d of %d: slexplore %s", i + 1, STEPS, text_string(&words));
		exit_status = run_step(cli, text_string(&words), out);
		if (exit_status != CLI_DONE)
			text_addf(missing, "slexplore %s\n", text_string(&words));
		text_free(&words);
		if (interrupt_signal())
			stopped = 128 + interrupt_signal();
		else if (exit_status == CLI_USAGE)
			stopped = exit_status;
		failed += exit_status != CLI_DONE;
	}
	return stopped ? stopped : failed == STEPS ? CLI_UNMEASURED : CLI_DONE;
}

/* ---- The page */

static int save(struct cli *cli, const char *path, const struct shown *shown,
	const struct comparison *comparison, const struct report_origin *origin)
{
	struct document document = { .html = document_is_html(path) };
	struct words title;
	struct status status;

	report_page(&document, shown, comparison, origin, &title);
	status = document_save(&document, words_of("%s: slexplore", title.text).text, path);
	document_free(&document);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	fprintf(cli->out, "%s\n", path);
	return CLI_DONE;
}

/* Compares the machines if there are several, and saves the page. Returns the exit status. */
static int write_page(struct cli *cli, const char *path, struct compared *compared,
	struct kept *kept, const struct report_origin *origin)
{
	int first, without, units, files, exit_status;
	struct comparison comparison = { .compared = compared };
	struct differ_pairs pairs = { 0 };
	struct differ_fleet fleet = { 0 };
	struct shown shown;

	compared_finish(compared);
	kept->by_file = compared->hosts.count < 2;
	files = compared_files(compared, &first, &without);
	units = kept->by_file ? files : compared->hosts.count;
	if (units == 2) {
		for (int i = 0; i < compared->sources.count; i++)
			compared->source[i].side = kept->by_file ? compared->source[i].file > first
								 : compared->source[i].host > 0;
		pairs = differ_pairs(compared, &comparison.left_out);
		comparison.pairs = &pairs;
	} else if (units > 2) {
		fleet = differ_fleet(compared, kept->by_file);
		comparison.fleet = &fleet;
	}
	shown = shown_all(compared, kept, fleet.order, fleet.order_count + fleet.disturbed_count);
	if (shown.count)
		exit_status = save(cli, path, &shown, units > 1 ? &comparison : NULL, origin);
	else
		exit_status =
			cli_fail(cli, status_usage("no record to report: expected lines of "
						   "slexplore --format json, or a recording"));
	differ_pairs_free(&pairs);
	if (units > 2)
		differ_fleet_free(&fleet);
	return exit_status;
}

/* ---- Words */

/* The path of the report, and the number of files to read. */
struct asked {
	const char *path; /* NULL: the command line names no .html or .md file */
	int inputs;
};

static struct asked read_words(const struct cli *cli)
{
	struct asked asked = { 0 };

	for (int i = 0; i < cli->word_count; i++) {
		size_t length = strlen(cli->words[i]);
		bool page = document_is_html(cli->words[i]) ||
			    (length > 3 && strcmp(cli->words[i] + length - 3, ".md") == 0);

		if (page && !asked.path)
			asked.path = cli->words[i];
		else
			asked.inputs++;
	}
	return asked;
}

/* Checks that the inputs exist. A word that is no input is often the misspelt name of a report. */
static struct status check_inputs(const struct cli *cli, const struct asked *asked)
{
	for (int i = 0; i < cli->word_count; i++)
		if (cli->words[i] != asked->path && strcmp(cli->words[i], "-") != 0 &&
			access(cli->words[i], F_OK) != 0 && errno == ENOENT)
			return status_usage("%s does not exist: a report is FILE.html or FILE.md; "
					    "other words are recordings to read",
				cli->words[i]);
	return status_ok();
}

/* Reads the records of the named files. */
static struct status read_files(
	const struct cli *cli, struct compared *compared, const struct asked *asked)
{
	struct status status = check_inputs(cli, asked);

	for (int i = 0; i < cli->word_count && status_is_ok(&status); i++)
		if (cli->words[i] != asked->path)
			status = compared_read(compared, cli->words[i], 0);
	return status;
}

static int from_files(struct cli *cli, const struct asked *asked, struct report_origin *origin)
{
	struct kept kept = { 0 };
	struct compared compared = { .kept = &kept };
	struct status status = read_files(cli, &compared, asked);
	struct text commands = { 0 };
	int exit_status;

	text_addf(&commands, "slexplore report %s", asked->path);
	for (int i = 0; i < cli->word_count; i++)
		if (cli->words[i] != asked->path)
			text_addf(&commands, " %s", cli->words[i]);
	origin->commands = text_string(&commands);
	exit_status = status_is_ok(&status) ? write_page(cli, asked->path, &compared, &kept, origin)
					    : cli_fail(cli, status);
	text_free(&commands);
	kept_free(&kept);
	compared_free(&compared);
	return exit_status;
}

static int from_here(struct cli *cli, const struct asked *asked, struct report_origin *origin)
{
	struct text commands = { 0 }, missing = { 0 };
	struct kept kept = { 0 };
	struct compared compared = { .kept = &kept };
	double begun = monotonic_seconds();
	char *bytes = NULL;
	size_t size = 0;
	FILE *records = open_memstream(&bytes, &size);
	struct status status = status_failed("out of memory");
	int exit_status;

	if (!records)
		return cli_fail(cli, status);
	exit_status = measure(cli, records, &commands, &missing);
	fclose(records);
	origin->seconds = monotonic_seconds() - begun;
	origin->commands = text_string(&commands);
	origin->failed = text_string(&missing);
	if (interrupt_signal()) {
		cli_note(cli, "interrupted: no report is written");
	} else if (exit_status == CLI_DONE) {
		FILE *again = fmemopen(bytes, size, "r");

		if (again) {
			status = compared_read_stream(&compared, "this machine", again, 0);
			fclose(again);
		}
		exit_status = status_is_ok(&status)
				      ? write_page(cli, asked->path, &compared, &kept, origin)
				      : cli_fail(cli, status);
	}
	free(bytes);
	text_free(&commands);
	text_free(&missing);
	kept_free(&kept);
	compared_free(&compared);
	return exit_status;
}

static int report_run(struct cli *cli)
{
	struct asked asked = read_words(cli);
	struct report_origin origin = { .commands = "", .failed = "" };
	time_t now = time(NULL);
	char made[40] = "";
	struct tm day;
	struct status status;

	if (!asked.path)
		asked.path = "slexplore-report.html";
	status = document_check(asked.path);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	if (gmtime_r(&now, &day))
		strftime(made, sizeof(made), "%Y-%m-%d %H:%M UTC", &day);
	origin.made = made;
	return asked.inputs ? from_files(cli, &asked, &origin) : from_here(cli, &asked, &origin);
}

const struct cli_command command_report = {
	.name = "report",
	.help = "one page about this machine, or a comparison of several, to print and to show",
	.arguments = "[FILE.html|FILE.md] [RECORDING...]",
	.common = { "cpu", "seed", "time-budget", "quiet" },
	.run = report_run,
};
