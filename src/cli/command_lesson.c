/* slexplore lesson: lists the lessons, checks them, and opens them in the explorer. */
#include "cli/bench.h"
#include "cli/class.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/model.h"
#include "cli/screens.h"
#include "lesson/lesson_check.h"
#include "lesson/lesson_progress.h"
#include "recording/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"

/* CHECK_SECONDS: time limit of a measurement. CHECK_REPEATS: how often the check of a lesson
 * measures at most until one answer is right. */
#define CHECK_SECONDS 0.15
enum { CHECK_QUIET = 150, CHECK_FEWEST = 3, CHECK_REPEATS = 3 };

/* Values of the options that only the subcommand `lesson` has. */
struct asked {
	bool check, class, live;
	const char *record,
		*name;	     /* the file for the answers, and the student's name; NULL: none */
	const char *replay;  /* path of the recording whose samples replace measurements; NULL: this
				machine is measured */
	const char *picture; /* path of the picture of a class; NULL: none */
	const char *report;  /* path of the report to write, an HTML or Markdown page with the
				student's answers; NULL: none */
};

static struct status not_printed(const char *format)
{
	return status_usage("lesson prints text, and csv with --class; not %s", format);
}

static struct status apply_format(struct cli *cli, const char *value)
{
	cli->format = format_find(value);
	return strcmp(value, "text") == 0 || strcmp(value, "csv") == 0 ? status_ok()
								       : not_printed(value);
}

static const struct cli_option options[] = {
	{ "format", "text|csv", "format of the answers; csv needs --class", apply_format },
	{ "check", NULL, "measure every step without a screen, and print each mistake",
		OPTION_IN_OWN(struct asked, check) },
	{ "replay", "FILE", "use a recording in place of this machine",
		OPTION_IN_OWN(struct asked, replay) },
	{ "record", "FILE", "append the answers to a file", OPTION_IN_OWN(struct asked, record) },
	{ "name", "NAME", "put this name into the recorded answers",
		OPTION_IN_OWN(struct asked, name) },
	{ "class", NULL, "report the answers of a class, from files or folders of them",
		OPTION_IN_OWN(struct asked, class) },
	{ "live", NULL, "with --class: follow the files, on the whole screen",
		OPTION_IN_OWN(struct asked, live) },
	{ "picture", "FILE",
		"with --class: draw guesses and measured values to FILE.svg, .png or .pdf",
		OPTION_IN_OWN(struct asked, picture) },
	{ "report", "FILE", "report the answers to FILE.html, a page to print, or to FILE.md",
		OPTION_IN_OWN(struct asked, report) },
	{ .name = NULL },
};

/* ---- the list ---- */

static int list_lessons(const struct cli *cli)
{
	int count;
	struct lesson **lessons = lessons_all(&count);

	for (int i = 0; i < count; i++) {
		int done = lesson_progress(lessons[i]->name), steps = lessons[i]->step_count;

		fprintf(cli->out, "%-9s %2d min  %-6s  %s\n", lessons[i]->name,
			lessons[i]->minutes > 0 ? lessons[i]->minutes : 0,
			done == 0      ? ""
			: done < steps ? words_of("%d of %d", done, steps).text
				       : "done",
			lessons[i]->title ? lessons[i]->title : "");
		lesson_free(lessons[i]);
	}
	free(lessons);
	fprintf(cli->out, "\nslexplore lesson NAME opens a lesson.\n");
	return CLI_DONE;
}

/* ---- this machine as the source of a check ---- */

struct here {
	struct cli *cli;
	struct bench bench;
	struct model model;
	struct result *result;
};

static struct status measure_here(void *context, const struct setting *setting,
	struct sample *sample, const struct limits **limits)
{
	struct here *here = context;
	struct request request = bench_request(here->cli, setting, CHECK_SECONDS, CHECK_QUIET);
	const struct explanation *explanation;

	request.budget.fewest = CHECK_FEWEST;
	*sample = (struct sample){ 0 };
	if (!bench_measure(&here->bench, &request, here->result))
		return status_make(STATUS_CANCELLED, "interrupted");
	if (!status_is_ok(&here->result->status))
		return here->result->status;
	sample_summarise(&here->result->trials, &here->result->facts, sample);
	if (!sample->valid)
		return status_failed(
			"none of %u trials went undisturbed", here->result->trials.count);
	model_measure(&here->model, &here->bench, setting);
	explanation = model_explain(&here->model, setting);
	*limits = explanation && status_is_ok(&explanation->status) ? &explanation->limits : NULL;
	return status_ok();
}

static struct cache_sizes caches_here(void *context)
{
	struct here *here = context;

	return model_caches(&here->model);
}

static bool stopped_here(void *context)
{
	(void)context;
	return interrupt_signal() != 0;
}

/* ---- a recording as the source of a check ---- */

struct recorded {
	struct replay *replay;
	struct explainer explainer;
	struct explanation *explanation;
};

static struct status measure_recorded(void *context, const struct setting *setting,
	struct sample *sample, const struct limits **limits)
{
	struct recorded *recorded = context;
	struct explain_question question = { .kernel = setting->kernel, .v = setting->v };
	int index = replay_find(recorded->replay, setting);

	*sample = (struct sample){ 0 };
	if (index < 0)
		return status_failed("the recording has no sample of this setting");
	replay_sample(recorded->replay, index, sample);
	if (!sample->valid)
		return status_failed("the recording's sample of this setting has no usable trial");
	recorded->explainer.explain(recorded->explainer.context, &question, recorded->explanation);
	*limits = status_is_ok(&recorded->explanation->status) ? &recorded->explanation->limits
							       : NULL;
	return status_ok();
}

static struct cache_sizes caches_recorded(void *context)
{
	struct recorded *recorded = context;
	struct replay_summary summary = replay_summary(recorded->replay);

	return cache_sizes(summary.machine, NULL, false, NULL);
}

/* ---- checking ---- */

static void print_mistakes(
	const struct cli *cli, const struct lesson *lesson, const struct lesson_mistakes *mistakes)
{
	for (int i = 0; i < mistakes->count; i++)
		fprintf(cli->out, "%s:%d:%d: %s\n", lesson->origin, mistakes->mistake[i].line,
			mistakes->mistake[i].column, mistakes->mistake[i].words);
}

/* Checks one lesson; prints its mistakes, or the numbers of its steps and questions. Returns the
 * exit status. */
static int check_lesson(const struct cli *cli, const struct lesson_source *source, const char *word)
{
	struct lesson_mistakes mistakes = { 0 };
	struct lesson_checked checked;
	struct lesson *lesson;
	struct status status = lesson_open(word, &lesson, &mistakes);
	bool good;

	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	checked = lesson_check(lesson, source, &mistakes);
	good = mistakes.count == 0;
	print_mistakes(cli, lesson, &mistakes);
	fprintf(cli->out, "%s: %s; steps: %d, questions: %d%s%s\n", lesson->origin,
		good ? "good"
		     : words_of("%d mistake%s", mistakes.count, mistakes.count == 1 ? "" : "s")
				.text,
		checked.steps, checked.questions,
		checked.elsewhere ? words_of("; steps that show nothing on this machine: %d",
					    checked.elsewhere)
					    .text
				  : "",
		checked.doubtful
			? words_of("; questions decided by contended or unsettled samples: %d",
				  checked.doubtful)
				  .text
			: "");
	lesson_mistakes_free(&mistakes);
	lesson_free(lesson);
	return good ? CLI_DONE : CLI_UNMEASURED;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Checks the lessons that the command line names, or all lessons. */
static int check_words(struct cli *cli, const struct lesson_source *source)
{
	int worst = CLI_DONE, count = 0;
	struct lesson **lessons = cli->word_count ? NULL : lessons_all(&count);

	for (int i = 0; i < cli->word_count && !interrupt_signal(); i++)
		worst = larger(worst, check_lesson(cli, source, cli->words[i]));
	for (int i = 0; i < count && !interrupt_signal(); i++)
		worst = larger(worst, check_lesson(cli, source, lessons[i]->name));
	for (int i = 0; i < count; i++)
		lesson_free(lessons[i]);
	free(lessons);
	return interrupt_exit(worst);
}

static int check_here(struct cli *cli)
{
	struct here here = { .cli = cli };
	struct lesson_source source = { .context = &here,
		.measure = measure_here,
		.caches = caches_here,
		.stopped = stopped_here,
		.repeats = CHECK_REPEATS };
	struct status status = bench_open(&here.bench, cli);
	int exit_status;

	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	status = model_open(&here.model, cli, here.bench.machine);
	source.machine = here.bench.machine;
	source.no_core = !here.model.core.uarch;
	here.result = memory_new(1, sizeof(*here.result));
	exit_status = status_is_ok(&status) ? check_words(cli, &source) : cli_fail(cli, status);
	free(here.result);
	model_close(&here.model);
	bench_close(&here.bench);
	return exit_status;
}

static int check_recorded(struct cli *cli, const char *path)
{
	struct recorded recorded = { 0 };
	struct lesson_source source = { .context = &recorded,
		.measure = measure_recorded,
		.caches = caches_recorded,
		.repeats = 1 };
	struct status status = replay_open(path, &recorded.replay);
	int exit_status;

	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	recorded.explainer = replay_explainer(recorded.replay);
	recorded.explanation = explanation_new();
	source.machine = replay_summary(recorded.replay).machine;
	source.no_core = !replay_summary(recorded.replay).core;
	exit_status = check_words(cli, &source);
	explanation_free(recorded.explanation);
	replay_free(recorded.replay);
	return exit_status;
}

/* ---- in the explorer ---- */

static int open_lesson(struct cli *cli)
{
	const struct asked *asked = cli->own;
	struct words command,
		record = words_of("lesson record %s", asked->record ? asked->record : ""),
		name = words_of("lesson name %s", asked->name ? asked->name : ""),
		report = words_of("lesson report %s", asked->report ? asked->report : "");
	struct ui_options ui = screens_options(cli);
	int exit_status = CLI_DONE;
	struct status status = status_ok();

	if (cli->word_count > 1)
		status = status_usage("%.100s: slexplore lesson opens one lesson", cli->words[1]);
	/* On the screen, the message of a command that fails at the start is easily missed. */
	if (status_is_ok(&status) && asked->record)
		status = file_check(asked->record);
	if (status_is_ok(&status) && asked->report)
		status = file_check(asked->report);
	if (status_is_ok(&status) && asked->report)
		status = screens_first(cli, &ui, report.text);
	if (status_is_ok(&status))
		status = screens_lesson(cli, &ui, cli->words[0], &command);
	if (status_is_ok(&status) && asked->record)
		status = screens_first(cli, &ui, record.text);
	if (status_is_ok(&status) && asked->name)
		status = screens_first(cli, &ui, name.text);
	if (status_is_ok(&status))
		status = cli_screen(cli);
	if (status_is_ok(&status) && asked->replay)
		status = replay_open(asked->replay, &ui.replay);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	if (ui.replay)
		screens_begin_replay(&ui, &ui.setting);
	status = screens_run(cli, &ui, &exit_status);
	replay_free(ui.replay);
	return status_is_ok(&status) ? exit_status : cli_fail(cli, status);
}

static int lesson_run(struct cli *cli)
{
	const struct asked *asked = cli->own;

	if (cli->format != formats[0] && !asked->class)
		return cli_fail(cli, not_printed(cli->format->name));
	if (asked->check)
		return asked->replay ? check_recorded(cli, asked->replay) : check_here(cli);
	if (asked->class)
		return class_run(
			cli, &(struct class_wanted){ asked->live, asked->report, asked->picture });
	if (asked->live || asked->picture)
		return cli_fail(cli, status_usage("--live and --picture need --class"));
	if (cli->word_count == 0)
		return list_lessons(cli);
	return open_lesson(cli);
}

const struct cli_command command_lesson = {
	.name = "lesson",
	.help = "list lessons, open one in the explorer, check them, or report answers",
	.arguments = "[LESSON|FILE.lesson ...]",
	.options = options,
	.own_size = sizeof(struct asked),
	.common = { "cpu", "seed", "quiet", "uarch", "time-budget", "ascii", "script", "theme",
		"do", "mouse", "no-settings" },
	.run = lesson_run,
};
