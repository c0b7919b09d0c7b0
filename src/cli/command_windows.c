/* slexplore windows: measures the sizes of the core's buffers. A buffer's size is the number of
 * filler instructions at which two cache misses no longer overlap. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/work.h"
#include "experiment/windows/windows.h"
#include "model/core/uarch.h"
#include "picture/chart_reports.h"

/* ---- Text */

enum { FILLER = 12, TITLE = 19, KNEE = 24, KIND = 8, CYCLES = 11 };

/* Adds to `text` the knobs whose values differ from their defaults, and the knob `size`. */
static void add_knobs(struct text *text, const struct setting *setting)
{
	const struct kernel *kernel = setting->kernel;

	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];

		if (strcmp(knob->name, WINDOWS_FILLERS) == 0 ||
			strcmp(knob->name, WINDOWS_FILLER) == 0 ||
			(setting->v[i] == knob->initial && knob->axis != AXIS_SIZE))
			continue;
		text_addf(text, ", %s=%s", knob->name, setting_value(knob, setting->v[i]).text);
	}
}

static double clock_of(const struct windows_report *windows)
{
	for (int i = 0; i < windows->count; i++)
		if (isfinite(windows->row[i].ghz))
			return windows->row[i].ghz;
	return NAN;
}

static void put_head(FILE *out, const struct windows_report *windows)
{
	struct text text = { 0 };

	machine_text(windows->machine, clock_of(windows), &text);
	add_knobs(&text, &windows->options.setting);
	text_addf(&text, "; %.2f s", windows->seconds);
	text_print(out, TEXT_COLUMNS, "", 0, text_string(&text));
	text_free(&text);
	if (windows->core[0])
		fprintf(out, "core's file: %s%s\n", windows->core,
			windows->options.foreign ? ", which is not this one's" : "");
	else
		fprintf(out, "core's file: there is none of this one\n");
	if (!windows->complete)
		fprintf(out,
			"Not complete: %.0f%% was measured; the results below are from that "
			"part.\n",
			floor(windows->done * 100));
}

static void put_row(FILE *out, const struct windows_row *row)
{
	char cycles[40] = "", entries[16] = "-";

	if (isfinite(row->knee.after))
		snprintf(cycles, sizeof(cycles), "%.0f-%.0f", row->knee.before, row->knee.after);
	else if (isfinite(row->knee.before))
		snprintf(cycles, sizeof(cycles), "%.0f", row->knee.before);
	if (isfinite(row->entries))
		snprintf(entries, sizeof(entries), "%.0f", row->entries);
	fprintf(out, "%-*s%-*s%-*s%-*s%-*s%5s\n", FILLER, row->filler, TITLE,
		row->fact ? row->fact->title : "-", KNEE,
		buffers_knee(&row->knee, windows_last(row)).text, KIND,
		row->state == WINDOWS_WAITS ? "" : knee_kind_names[row->knee.kind], CYCLES, cycles,
		entries);
}

/* Prints the sources and the precision of the numbers in the table of windows. */
static void put_sources(FILE *out, const struct windows_report *windows)
{
	enum source from = SOURCE_NONE;
	double least = INFINITY, most = 0;
	struct text text = { 0 };

	for (int i = 0; i < windows->count; i++) {
		const struct windows_row *row = &windows->row[i];

		if (!isfinite(row->knee.before))
			continue;
		from = row->cycles_from;
		least = fmin(least, row->knee.noise);
		most = fmax(most, row->knee.noise);
	}
	if (from == SOURCE_NONE)
		return;
	text_addf(&text, "an iteration, before and after the knee (%s); points usually scatter by ",
		source_of_cycles(from));
	if (most - least >= 0.01)
		text_addf(&text, "%.1f to ", 100 * least);
	text_addf(&text, "%.1f %%. File: entries in the core's file.", 100 * most);
	text_print(out, TEXT_COLUMNS, "Cycles: ", 2, text_string(&text));
	text_free(&text);
}

static void put_rows(FILE *out, const struct windows_report *windows)
{
	fprintf(out, "\n%-*s%-*s%-*s%-*s%-*s%5s\n", FILLER, "filler", TITLE, "fills", KNEE,
		"fillers at the knee", KIND, "", CYCLES, "cycles", "file");
	for (int i = 0; i < windows->count; i++)
		if (windows->row[i].state != WINDOWS_FAILED)
			put_row(out, &windows->row[i]);
	put_sources(out, windows);
}

static void put_words(FILE *out, const struct windows_report *windows)
{
	const char *first = "\n";

	for (int i = 0; i < windows->count; i++) {
		const struct windows_row *row = &windows->row[i];
		char words[BUFFERS_WORDS];

		windows_difference(windows, row, words);
		if (row->state == WINDOWS_FAILED)
			snprintf(words, sizeof(words), "%s", row->why);
		if (!words[0])
			continue;
		text_print(
			out, TEXT_COLUMNS, words_of("%s%s: ", first, row->filler).text, 2, words);
		first = "";
	}
}

/* Prints the published sizes of each buffer once. */
static void put_published(FILE *out, const struct windows_report *windows)
{
	const char *first = "\n";

	for (int i = 0; i < windows->count; i++) {
		const struct window_filler *fact = windows->row[i].fact;
		char words[BUFFERS_WORDS];
		const char *source;
		bool said = false;

		for (int k = 0; k < i; k++)
			said |= fact && windows->row[k].fact &&
				strcmp(windows->row[k].fact->buffer, fact->buffer) == 0;
		if (!fact || said ||
			!literature_words(&windows->buffers.published, fact->buffer, words,
				sizeof(words), &source))
			continue;
		text_print(out, TEXT_COLUMNS, words_of("%s%s elsewhere: ", first, fact->title).text,
			2, words_of("%s (%s)", words, source).text);
		first = "";
	}
}

static void put_curve(FILE *out, const struct windows_row *row)
{
	if (row->curve.count == 0)
		return;
	fprintf(out, "\n%-*s%10s%12s  %s (%s)\n", FILLER, row->filler, WINDOWS_FILLERS, "cycles",
		"quartiles", source_of_cycles(row->cycles_from));
	for (int i = 0; i < row->curve.count; i++) {
		const struct knee_point *point = &row->curve.point[i];

		fprintf(out, "%-*s%10.0f%12.1f  %.1f to %.1f\n", FILLER, "", point->x, point->y,
			point->lo, point->hi);
	}
}

static void windows_text(struct report *report, const void *item)
{
	const struct windows_report *windows = item;
	FILE *out = report->out;

	put_head(out, windows);
	put_rows(out, windows);
	put_words(out, windows);
	put_published(out, windows);
	for (int i = 0; i < windows->count && report->points; i++)
		put_curve(out, &windows->row[i]);
	if (windows->notes.count)
		text_print(out, TEXT_COLUMNS, "\nnote: ", 6, windows->notes.note[0]);
}

static void windows_data(struct report *report, const struct records *records, const void *item)
{
	records_windows(records, item, report->points, report->seed, report->records + 1);
}

const struct subject subject_windows = { "window",
	"id,host,machine,uarch,filler,buffer,state,kind,knee,knee_lo,knee_hi,from,to,cycles_before,"
	"cycles_after,noise,entries,points,seconds,contended?,cycles_from,setting,seed",
	NULL, windows_text, windows_data, NULL };
const struct subject subject_points = { "point",
	"id,host,machine,uarch,filler,buffer,fillers,cycles,cycles_lo,cycles_hi,cycles_from,"
	"setting,"
	"seed",
	NULL, windows_text, windows_data, NULL };

/* ---- The subcommand */

static int measure(struct cli *cli, struct bench *bench, struct windows *windows,
	const struct uarch_choice *core)
{
	const struct campaign campaign = { &campaign_windows, windows };
	bool any = work_carry_out(cli, bench, &campaign);
	struct chart_origin origin = drawing_origin(bench->machine, core);
	int exit_status;

	if (any)
		work_report(cli, bench, cli->points ? &subject_points : &subject_windows,
			windows_report(windows));
	exit_status = work_conclude(cli, bench, &campaign, "the results so far are printed");
	return any && drawing_wanted(cli)
		       ? drawing_save(cli, chart_windows(windows_report(windows), NULL, &origin),
				 exit_status)
		       : exit_status;
}

/* ---- words and options ---- */

/* Reads the words FILLER ... knob=value ..., in any order. Some knobs are changed by windows
 * itself; if the user sets such a knob, the error message says what to write instead. */
static struct status read_words(const struct cli *cli, struct windows_options *options)
{
	const struct kernel *kernel = options->setting.kernel;
	const char **fillers = memory_new((size_t)cli->word_count + 1, sizeof(*fillers));
	struct status status = status_ok();
	int count = 0;

	for (int i = 0; i < cli->word_count && status_is_ok(&status); i++) {
		const char *word = cli->words[i];

		if (!strchr(word, '='))
			fillers[count++] = word;
		else if (strncmp(word, WINDOWS_FILLERS "=", sizeof(WINDOWS_FILLERS)) == 0)
			status = status_usage(
				"%.60s: slexplore windows itself varies the number of filler "
				"instructions; "
				"\"slexplore run %s\" measures one fixed number of fillers",
				word, kernel->name);
		else if (strncmp(word, WINDOWS_FILLER "=", sizeof(WINDOWS_FILLER)) == 0)
			fillers[count++] = word + sizeof(WINDOWS_FILLER);
		else
			status = setting_assign(&options->setting, word, MEMORY_LIMITS_UNKNOWN);
	}
	if (status_is_ok(&status))
		status = windows_read_fillers(kernel, fillers, count, &options->fillers);
	free(fillers);
	return status;
}

static int windows_run(struct cli *cli)
{
	struct windows_options options = { .seed = cli->seed, .seconds = cli->time_budget };
	struct uarch_choice core = { 0 };
	struct windows *windows = NULL;
	struct bench bench = { 0 };
	struct status status = setting_find_kernel(WINDOWS_KERNEL, &options.setting.kernel);
	int exit_status;

	if (status_is_ok(&status)) {
		setting_init(&options.setting, options.setting.kernel);
		status = read_words(cli, &options);
	}
	if (status_is_ok(&status))
		status = bench_open(&bench, cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	status = setting_check(&options.setting, machine_means(bench.machine));
	if (status_is_ok(&status))
		status = uarch_choose(cli->uarch, bench.machine, &core);
	options.uarch = core.uarch;
	options.foreign = core.foreign;
	if (status_is_ok(&status))
		windows = windows_new(bench.machine, &options, &status);
	exit_status = windows ? measure(cli, &bench, windows, &core) : cli_fail(cli, status);
	windows_free(windows);
	uarch_choice_free(&core);
	bench_close(&bench);
	return exit_status;
}

static const struct cli_option own_options[] = {
	{ "curve", NULL, "also print every point of the curves", OPTION_IN_CLI(points) },
	{ .name = NULL },
};

const struct cli_command command_windows = {
	.name = "windows",
	.help = "measure how far this core looks ahead: the size of each buffer",
	.arguments = "[FILLER ...] [knob=value ...]",
	.options = own_options,
	.common = { "uarch", "format", "cpu", "seed", "time-budget", "quiet", "picture", "gnuplot",
		"theme" },
	.run = windows_run,
};
