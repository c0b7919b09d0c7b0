/* slexplore probe: measures the machine's memory hierarchy in a few seconds. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/probe_at_once.h"
#include "cli/probe_units.h"
#include "cli/work.h"
#include "experiment/probe/probe_text.h"
#include "model/core/uarch.h"
#include "picture/chart_reports.h"

static void probe_text(struct report *report, const void *item)
{
	probe_print(report->out, item, report->points);
}

static void probe_data(struct report *report, const struct records *records, const void *item)
{
	records_probe(records, item, report->seed, report->records + 1);
}

const struct subject subject_probe = { "sample", "id,host,+head,+curve,setting,+value,+place", NULL,
	probe_text, probe_data, NULL };

/* Draws the results of a finished or interrupted probe. The core's name is found only if a picture
 * is drawn, because the search takes time. */
static int draw(struct cli *cli, const struct bench *bench, const struct probe_report *report,
	int exit_status)
{
	enum probe_part part = chart_probe_part(report);
	struct uarch_choice core = { 0 };
	struct chart_origin origin;
	struct status status;

	if (!drawing_wanted(cli))
		return exit_status;
	status = uarch_choose(NULL, bench->machine, &core);
	origin = drawing_origin(bench->machine, status_is_ok(&status) ? &core : NULL);
	exit_status = drawing_save(
		cli, part < PROBE_PARTS ? chart_probe(report, part, &origin) : NULL, exit_status);
	uarch_choice_free(&core);
	return exit_status;
}

/* CSV output has lines of one kind. They are pairs of processors if the probe measured nothing
 * else. */
const struct subject subject_pairs = { "pair",
	"id,host,machine,a,b,ns,ns_lo,ns_hi,least,trials,rejected,group,seed", NULL, probe_text,
	probe_data, NULL };

static const struct subject *subject_of(const struct cli *cli, const struct probe_report *report)
{
	if (report->options.parts == 1u << PROBE_TRANSFER)
		return &subject_pairs;
	if (report->transfer && cli->format == format_find("csv"))
		cli_note(cli, "CSV has no line for pairs of cores here: \"slexplore probe "
			      "core-to-core --format csv\" writes them");
	return &subject_probe;
}

static int measure(struct cli *cli, struct bench *bench, struct probe *probe)
{
	const struct campaign campaign = { &campaign_probe, probe };
	bool any = work_carry_out(cli, bench, &campaign);
	int exit_status;

	if (any)
		work_report(cli, bench, subject_of(cli, probe_report(probe)), probe_report(probe));
	exit_status = work_conclude(cli, bench, &campaign, "the results so far are printed");
	return any ? draw(cli, bench, probe_report(probe), exit_status) : exit_status;
}

/* ---- words and options ---- */

/* Reads the names of the probe's parts from the words, and sets the bit of each named part in
 * *parts. */
static struct status read_parts(const struct cli *cli, unsigned *parts)
{
	*parts = 0;
	for (int i = 0; i < cli->word_count; i++) {
		if (!probe_part_add(cli->words[i], parts))
			return status_unknown("probe has no part", cli->words[i], probe_part_names,
				PROBE_PARTS, NULL);
	}
	return status_ok();
}

/* Values of the options that only probe has. */
struct asked {
	uint64_t max_size; /* bytes of the largest working set; 0: the probe's default */
	/* Kinds of pages to probe, one bit for each enum page_kind; 0: the probe's
	 * default. */
	unsigned pages;
	enum unit_kind per; /* probe each unit of this kind in turn; UNITS_NONE: not asked for */
};

static struct status apply_max_size(struct cli *cli, const char *value)
{
	int64_t bytes;

	if (!units_parse(value, true, &bytes) || bytes < (int64_t)PROBE_LEAST ||
		bytes > INT64_C(1) << 44)
		return status_usage(
			"--max-size %.40s: expected a size from 64k to 16t, for example 64m",
			value);
	((struct asked *)cli->own)->max_size = (uint64_t)bytes;
	return status_ok();
}

static struct status apply_pages(struct cli *cli, const char *value)
{
	static const struct {
		const char *name;
		unsigned kinds;
	} words[] = {
		{ "both", 1u << PAGES_4K | 1u << PAGES_HUGE },
		{ "4k", 1u << PAGES_4K },
		{ "huge", 1u << PAGES_HUGE },
		{ "auto", 1u << PAGES_AUTO },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(value, words[i].name) == 0) {
			((struct asked *)cli->own)->pages = words[i].kinds;
			return status_ok();
		}
	return status_usage("unknown --pages %.40s: use both, 4k, huge or auto", value);
}

static struct status apply_per(struct cli *cli, const char *value)
{
	for (int kind = UNITS_NONE + 1; kind < UNIT_KINDS; kind++)
		if (strcmp(value, unit_words[kind]) == 0) {
			((struct asked *)cli->own)->per = (enum unit_kind)kind;
			return status_ok();
		}
	return status_usage("unknown --per %.40s: use numa, socket, core or l2", value);
}

/* Returns an error if an option or a part cannot be combined with --per. */
static struct status check_per(const struct cli *cli, unsigned parts)
{
	const struct asked *asked = cli->own;

	if (cli->cpu >= 0)
		return status_usage("--per probes several processors: leave out --cpu");
	if (drawing_wanted(cli))
		return status_usage("--per draws no picture: leave out --picture and --gnuplot");
	if (asked->per == UNITS_L2 && (parts || asked->max_size || asked->pages || cli->points))
		return status_usage("--per l2 measures L1d and L2 of all cores at once: leave out "
				    "%s",
			parts ? "the names of parts" : "--max-size, --pages and --points");
	if (parts >> PROBE_CORES & 1 || parts >> PROBE_TRANSFER & 1)
		return status_usage("--per probes one processor at a time: leave out %s",
			probe_part_names[parts >> PROBE_CORES & 1 ? PROBE_CORES : PROBE_TRANSFER]);
	return status_ok();
}

static int probe_run(struct cli *cli)
{
	const struct asked *asked = cli->own;
	struct probe_options options = {
		.max_size = asked->max_size, .seed = cli->seed, .seconds = cli->time_budget
	};
	struct probe *probe = NULL;
	struct bench bench = { 0 };
	struct status status = read_parts(cli, &options.parts);
	int exit_status;

	for (int kind = 0; kind < PAGE_KINDS; kind++)
		options.pages[kind] = asked->pages >> kind & 1;
	if (status_is_ok(&status) && asked->per)
		status = check_per(cli, options.parts);
	if (status_is_ok(&status) && asked->per == UNITS_L2)
		return probe_at_once(cli);
	if (status_is_ok(&status) && asked->per)
		return units_probe(cli, asked->per, &options, &subject_probe);
	if (status_is_ok(&status))
		status = bench_open(&bench, cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	probe = probe_new(bench.machine, &options, &status);
	exit_status = probe ? measure(cli, &bench, probe) : cli_fail(cli, status);
	bench_close(&bench);
	probe_free(probe);
	return exit_status;
}

static const struct cli_option own_options[] = {
	{ "max-size", "SIZE", "the largest working set (256m)", apply_max_size },
	{ "pages", "both|4k|huge|auto", "the pages of working sets (both)", apply_pages },
	{ "per", "numa|socket|core|l2",
		"probe each node, socket or core in turn, or all L2 at once", apply_per },
	{ "points", NULL, "print every point instead of a plot", OPTION_IN_CLI(points) },
	{ .name = NULL },
};

const struct cli_command command_probe = {
	.name = "probe",
	.help = "the memory hierarchy of this machine, in seconds",
	.arguments = "[latency] [tlb] [line] [bandwidth] [parallel] [cores] [core-to-core]",
	.options = own_options,
	.own_size = sizeof(struct asked),
	.common = { "format", "cpu", "seed", "time-budget", "quiet", "picture", "gnuplot",
		"theme" },
	.run = probe_run,
};
