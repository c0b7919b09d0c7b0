#include "cli/class.h"

#include <string.h>

#include "base/data.h"
#include "base/document.h"
#include "cli/format.h"
#include "cli/screens.h"
#include "lesson/class_report.h"
#include "lesson/lesson_class.h"
#include "picture/picture.h"

static int show_live(struct cli *cli)
{
	struct ui_class_options options = { .paths = cli->words,
		.path_count = cli->word_count,
		.theme = cli->screen_theme,
		.ascii = cli->ascii };
	struct status status = status_ok();
	int exit_status = CLI_DONE;

	for (int i = 0; i < cli->word_count && status_is_ok(&status); i++)
		if (strcmp(cli->words[i], "-") == 0)
			status = status_usage("--live follows files and folders, and the keys need "
					      "standard input: write the stream to a file");
	if (status_is_ok(&status))
		status = ui_class(&options, &exit_status);
	return status_is_ok(&status) ? exit_status : cli_fail(cli, status);
}

/* Saves a picture for each question. If there are several questions, each file's name ends with the
 * name of the lesson and the number of the step: class-chains-2.svg. */
static struct status save_pictures(
	const struct cli *cli, const struct answers *answers, const char *path)
{
	struct class_question question;
	struct status status = status_ok();
	const char *ending = strrchr(path, '.');
	bool alone = answers->count > 0 && class_question(answers, 0, &question) == answers->count;

	for (int begin = 0, end; begin < answers->count && status_is_ok(&status); begin = end) {
		struct chart *chart;
		struct words name;
		char lesson[64];

		end = class_question(answers, begin, &question);
		chart = class_chart(answers, begin, end);
		text_copy_clean(lesson, sizeof(lesson), question.first->lesson);
		for (char *c = lesson; *c; c++)
			*c = *c == '/' ? '-' : *c;
		name = alone ? words_of("%s", path)
			     : words_of("%.*s-%s-%d%s", (int)(ending - path), path, lesson,
				       question.first->step, ending);
		status = picture_save(chart, cli->theme, name.text);
		if (status_is_ok(&status) && !alone)
			cli_note(cli, "picture: %s", name.text);
		chart_free(chart);
	}
	return status;
}

static struct status check_wanted(const struct cli *cli, const struct class_wanted *wanted)
{
	struct status status = status_ok();

	if (cli->word_count == 0)
		return status_usage("missing files: slexplore lesson --class FILE|FOLDER ...");
	if (strcmp(cli->format->name, "json") == 0)
		return status_usage("the report of a class has no --format json: use text or csv");
	if (wanted->report)
		status = document_check(wanted->report);
	if (status_is_ok(&status) && wanted->picture)
		status = picture_named(wanted->picture);
	if (status_is_ok(&status) && wanted->picture && cli->screen_theme) {
		enum picture_theme theme;

		status = picture_find_theme(cli->screen_theme, &theme);
	}
	return status;
}

int class_run(struct cli *cli, const struct class_wanted *wanted)
{
	struct answers answers = { 0 };
	struct text text = { 0 };
	struct status status = check_wanted(cli, wanted);

	if (status_is_ok(&status) && wanted->live)
		return show_live(cli);
	for (int i = 0; i < cli->word_count && status_is_ok(&status); i++)
		status = answers_read(&answers, cli->words[i]);
	if (status_is_ok(&status)) {
		char **course = lessons_names();

		class_sort(&answers, course);
		data_names_free(course);
		if (strcmp(cli->format->name, "csv") == 0)
			class_csv(&answers, &text);
		else
			class_text(&answers, &text);
		fputs(text_string(&text), cli->out);
	}
	if (status_is_ok(&status) && wanted->report)
		status = class_report_save(&answers, wanted->report);
	if (status_is_ok(&status) && wanted->picture)
		status = save_pictures(cli, &answers, wanted->picture);
	text_free(&text);
	answers_free(&answers);
	return status_is_ok(&status) ? CLI_DONE : cli_fail(cli, status);
}
