/* slexplore compare: the differences between measured values of runs, files and machines. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/compare_text.h"
#include "cli/format.h"
#include "cli/shown.h"
#include "cli/work.h"
#include "config.h"
#include "recording/compare/records_compare.h"

/* Values of the options that only the subcommand `compare` has. */
struct asked {
	const char *baseline; /* path of the recording or JSON file that is side A (option
				 --baseline); NULL: not given */
	double fail_over;     /* largest difference that does not make the exit status 3 (option
				 --fail-over), as a share of the value; 0: not given */
	bool all;
	const char *show; /* name of the picture to draw; NULL: the first that the records allow */
};

static struct status apply_fail_over(struct cli *cli, const char *value)
{
	char *end;
	double share = strtod(value, &end);

	/* A bare number is a percentage too. */
	if (end == value || (*end && strcmp(end, "%") != 0) || !(share > 0 && share <= 1000))
		return status_usage(
			"--fail-over %.40s: expected a percentage up to 1000%%, for example 5%%",
			value);
	((struct asked *)cli->own)->fail_over = share / 100;
	return status_ok();
}

static void comparison_data(struct report *report, const struct records *records, const void *item)
{
	records_comparison(records, item, report->records + 1);
}

static const struct subject subject_pairs = { "compared",
	"host,subject,field,unit,a,a_lo,a_hi,a_runs,b,b_lo,b_hi,b_runs,ratio,chance,verdict", NULL,
	compare_text, comparison_data, NULL },
			    subject_fleet = { "spread",
				    "machine,subject,field,unit,hosts,median,median_lo,median_hi,"
				    "least,least_host,most,most_host,odd",
				    NULL, compare_text, comparison_data, NULL };

/* ---- Lines that were not used */

/* Words of the note on unused input lines, for each reason (enum line_group); NULL: such lines are
 * used, or not mentioned. */
static const char *const group_words[LINE_GROUPS] = {
	[LINES_OTHER] = "without a record",
	[LINES_CUT] = "cut",
	[LINES_UNFINISHED] = "of long records without their other lines",
	[LINES_UNKNOWN] = "of unknown kinds of records",
	[LINES_HOMELESS] = "without a host or a recording's first line",
	[LINES_REPEATED] = "repeated",
};

/* Reports the number of input lines, and how many contain no record that could be used. */
static void note_lines(const struct cli *cli, const struct compared *compared)
{
	struct text text = { 0 };
	int first, without, files;

	text_addf(&text,
		"%" PRIu64 " lines, %" PRIu64 " with measured values, %" PRIu64
		" that describe them",
		compared->lines, compared->group[LINES_USED], compared->group[LINES_DESCRIBING]);
	for (int i = 0; i < LINE_GROUPS; i++)
		if (group_words[i] && compared->group[i])
			text_addf(&text, "; %" PRIu64 " %s", compared->group[i], group_words[i]);
	if (compared->beside)
		text_addf(&text, "; %" PRIu64 " used lines have other text next to a record",
			compared->beside);
	if (compared->cut)
		text_addf(&text, "; %" PRIu64 " record%s cut", compared->cut,
			compared->cut == 1 ? " was" : "s were");
	if (compared->first_line)
		text_addf(&text, "; the first unused line is %s:%" PRIu64,
			compared->files.string[compared->first_file], compared->first_line);
	cli_note(cli, "%s", text_string(&text));
	files = compared->files.count - compared_files(compared, &first, &without);
	if (without >= 0)
		cli_note(cli, "%d file%s without a record%s: %s", files, files == 1 ? "" : "s",
			files == 1 ? "" : ", the first", compared->files.string[without]);
	for (int i = 0; i < compared->kinds.count; i++)
		cli_note(cli, "unknown kind of record: %s", compared->kinds.string[i]);
	text_free(&text);
}

/* ---- Files and sides */

/* Reads the recordings and JSON files that the command line names; without a name, standard input,
 * unless it is a terminal. The word "vs" separates the files of A from those of B. *sides becomes
 * true if the command line names files for A and for B. */
static struct status read_words(
	const struct cli *cli, struct compared *compared, bool *sides, int *files)
{
	const struct asked *asked = cli->own;
	struct status status = status_ok();
	int side = 0;

	*sides = asked->baseline;
	*files = 0;
	if (asked->baseline) {
		status = compared_read(compared, asked->baseline, 0);
		side = 1;
	}
	for (int i = 0; i < cli->word_count && status_is_ok(&status); i++) {
		if (strcmp(cli->words[i], "vs") == 0) {
			if (*sides)
				return status_usage(asked->baseline
							    ? "the word vs and --baseline exclude "
							      "each other: use one of them"
							    : "the word vs may stand only once, "
							      "between the files of A and of B");
			*sides = true;
			side = 1;
			continue;
		}
		++*files;
		status = compared_read(compared, cli->words[i], side);
	}
	if (status_is_ok(&status) && !*files)
		return asked->baseline || *sides || !isatty(STDIN_FILENO)
			       ? compared_read(compared, "-", side)
			       : status_usage("missing file: slexplore compare FILE FILE, or - for "
					      "standard input");
	return status;
}

/* If the command line does not say which files are A and B: makes the first of the two hosts or
 * files A, and the other one B. `first`: index of the first file with records. */
static void set_sides(struct compared *compared, bool by_file, int first)
{
	for (int i = 0; i < compared->sources.count; i++) {
		struct compared_source *source = &compared->source[i];

		source->side = by_file ? source->file > first : source->host > 0;
	}
}

/* ---- Pictures */

static struct chart *ratio(const struct shown *shown)
{
	return shown->count > 1 ? shown_mountain_ratio(shown, 0, 1) : NULL;
}

static const struct picture {
	const char *name;
	struct chart *(*draw)(const struct shown *shown);
} pictures[] = {
	{ "latency", shown_latency },
	{ "tlb", shown_tlb },
	{ "bandwidth", shown_bandwidth },
	{ "parallel", shown_parallel },
	{ "windows", shown_windows },
	{ "mountain", ratio },
};
enum { PICTURES = sizeof(pictures) / sizeof(*pictures) };

static struct status apply_show(struct cli *cli, const char *value)
{
	const char *names[PICTURES];

	for (int i = 0; i < PICTURES; i++) {
		names[i] = pictures[i].name;
		if (strcmp(value, names[i]) == 0) {
			((struct asked *)cli->own)->show = value;
			return status_ok();
		}
	}
	return status_unknown("compare draws no", value, names, PICTURES, NULL);
}

/* Draws the picture that the user asked for, or the first picture for which the files have records.
 * Machines that differ come first. Returns the exit status. */
static int draw(
	const struct cli *cli, const struct comparison *comparison, bool by_file, int exit_status)
{
	const struct asked *asked = cli->own;
	const struct differ_fleet *fleet = comparison->fleet;
	struct chart *chart = NULL;
	struct shown shown;

	if (!drawing_wanted(cli))
		return exit_status;
	comparison->compared->kept->by_file = by_file;
	shown = shown_all(comparison->compared, comparison->compared->kept,
		fleet ? fleet->order : NULL,
		fleet ? fleet->order_count + fleet->disturbed_count : 0);
	for (int i = 0; i < PICTURES && !chart && shown.count; i++)
		if (!asked->show || strcmp(asked->show, pictures[i].name) == 0)
			chart = pictures[i].draw(&shown);
	if (chart) {
		chart_print(chart->made, "slexplore compare %s", PACKAGE_VERSION);
		chart_print(chart->legend,
			chart->kind == CHART_HEAT ? "a cut corner: contended"
						  : "bands and bars: quartiles; hollow: contended");
		if (shown.left_out)
			cli_note(cli, "the picture has %d machines; %d more have no place",
				shown.count, shown.left_out);
	}
	if (!chart) {
		int failed = cli_fail(
			cli, status_failed("there is no picture: the files have no records%s%s",
				     asked->show ? " for --show " : " for one",
				     asked->show ? asked->show : ""));

		return exit_status == CLI_DONE ? failed : exit_status;
	}
	return drawing_save(cli, chart, exit_status);
}

/* ---- The comparison */

static int conclude(const struct cli *cli, double most)
{
	const struct asked *asked = cli->own;

	return asked->fail_over > 0 && most > asked->fail_over ? CLI_DIFFERS : CLI_DONE;
}

static int print(struct cli *cli, const struct comparison *comparison)
{
	const struct asked *asked = cli->own;
	struct report report;

	report_init(&report, cli, comparison->pairs ? &subject_pairs : &subject_fleet, NULL);
	report.points = asked->all;
	report_whole(&report, comparison);
	return conclude(cli, comparison->pairs ? differ_pairs_most(comparison->pairs)
					       : differ_fleet_most(comparison->fleet));
}

static int compare(struct cli *cli, struct compared *compared, bool sides)
{
	bool by_file = compared->hosts.count < 2;
	int first, without, files = compared_files(compared, &first, &without),
			    units = by_file ? files : compared->hosts.count, exit_status;
	struct comparison comparison = { .compared = compared };

	if (!sides && units > 2) {
		struct differ_fleet fleet = differ_fleet(compared, by_file);

		comparison.fleet = &fleet;
		exit_status = draw(cli, &comparison, by_file, print(cli, &comparison));
		differ_fleet_free(&fleet);
	} else {
		struct differ_pairs pairs;

		if (!sides)
			set_sides(compared, by_file, first);
		pairs = differ_pairs(compared, &comparison.left_out);
		comparison.pairs = &pairs;
		/* With sides, the picture has a curve for each file, because one host may be in
		 * several files. */
		exit_status = draw(cli, &comparison, sides || by_file, print(cli, &comparison));
		differ_pairs_free(&pairs);
	}
	return exit_status;
}

/* Returns an error if the files have no measured value, or if A or B has none. */
static struct status check(const struct compared *compared, bool sides)
{
	bool has[2] = { false };
	int first, without, files = compared_files(compared, &first, &without);

	for (size_t i = 0; i < compared->value_count; i++)
		has[compared->source[compared->value[i].source].side != 0] = true;
	if (!compared->value_count)
		return status_usage("%.100s: none of %" PRIu64
				    " lines has a measured value: expected lines of slexplore "
				    "--format json, or a recording",
			compared->files.string[0], compared->lines);
	if (sides && !(has[0] && has[1]))
		return status_usage("side %c has no measured values: expected lines of slexplore "
				    "--format json, or a recording",
			has[0] ? 'B' : 'A');
	if (!sides && compared->hosts.count < 2 && files < 2 && compared->group[LINES_REPEATED])
		return status_usage("all files have the same lines, of one host, %.64s: compare "
				    "other values with them",
			compared->hosts.string[0]);
	if (!sides && compared->hosts.count < 2 && files < 2)
		return status_usage("%.100s has values of one host, %.64s: add a second file, or "
				    "values of other hosts",
			compared->files.string[first < 0 ? 0 : first], compared->hosts.string[0]);
	return status_ok();
}

static int compare_run(struct cli *cli)
{
	struct kept kept = { 0 };
	struct compared compared = { .kept = drawing_wanted(cli) ? &kept : NULL };
	bool sides;
	int files, exit_status;
	struct status status = read_words(cli, &compared, &sides, &files);

	if (status_is_ok(&status)) {
		compared_finish(&compared);
		note_lines(cli, &compared);
		status = check(&compared, sides);
	}
	exit_status =
		status_is_ok(&status) ? compare(cli, &compared, sides) : cli_fail(cli, status);
	kept_free(&kept);
	compared_free(&compared);
	return exit_status;
}

static const struct cli_option own_options[] = {
	{ "baseline", "FILE", "compare with an older file: each host with itself",
		OPTION_IN_OWN(struct asked, baseline) },
	{ "fail-over", "PERCENT", "exit status 3 if a value differs by more, for example 5%",
		apply_fail_over },
	{ "all", NULL, "also list the quantities that do not differ, and the points of curves",
		OPTION_IN_OWN(struct asked, all) },
	{ "show", "PICTURE",
		"what --picture draws: latency, tlb, bandwidth, parallel, windows, mountain",
		apply_show },
	{ .name = NULL },
};

const struct cli_command command_compare = {
	.name = "compare",
	.help = "the differences between runs, files or machines",
	.arguments = "FILE... [vs FILE...]",
	.options = own_options,
	.own_size = sizeof(struct asked),
	.common = { "format", "quiet", "picture", "gnuplot", "theme" },
	.run = compare_run,
};
