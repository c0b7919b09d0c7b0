#include "explorer/lesson_report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "explorer/state.h"
#include "picture/chart_reports.h"
#include "picture/picture.h"

static bool ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && strcmp(path + length - tail, ending) == 0;
}

struct status report_check(const char *path)
{
	if (!ends_in(path, ".html") && !ends_in(path, ".md"))
		return status_usage("report %.200s: the name must end in .html or .md", path);
	return file_check(path);
}

/* Returns the origin of the numbers: this machine now, or the recording. */
static struct chart_origin origin_of(const struct session *session)
{
	struct chart_origin origin = { .machine = session_machine(session), .now = time(NULL) };

	if (session->insight.loaded && !insight_foreign(session))
		origin.core = session->insight.core.title;
	if (session->replay) {
		origin.when = replay_summary(session->replay).place->time;
		origin.program = replay_summary(session->replay).place->program;
	}
	return origin;
}

char *report_picture(const struct session *session)
{
	struct chart_origin origin = origin_of(session);
	struct text svg = { 0 };
	struct chart *chart;
	struct status status = picture_cairo_ready();
	char *picture = NULL;

	if (!insight_ready(session) || !status_is_ok(&status))
		return NULL;
	chart = chart_ladder(session->insight.explanation, &session->setting, &session->live.sample,
		"", &origin);
	status = picture_draw(PICTURE_SVG, chart, PICTURE_LIGHT, &svg);
	if (status_is_ok(&status))
		picture = memory_string(text_string(&svg));
	chart_free(chart);
	text_free(&svg);
	return picture;
}

/* ---- the two formats ---- */

/* A report that is being written. */
struct report {
	struct text text;
	bool html;
};

/* Adds a paragraph, or a heading of a level from 1. */
static void add(struct report *report, int heading, const char *label, const char *words)
{
	static const struct {
		const char *open, *close;
	} tags[] = { { "<p>", "</p>\n" }, { "<h1>", "</h1>\n" }, { "<h2>", "</h2>\n" } };
	struct text *text = &report->text;

	if (!words || !*words)
		return;
	if (!report->html) {
		text_addf(text, "%.*s%s", heading, "###", heading ? " " : "");
		if (*label)
			text_addf(text, "**%s:** ", label);
		text_addf(text, "%s\n\n", words);
		return;
	}
	text_add(text, tags[heading].open);
	if (*label)
		text_addf(text, "<b>%s:</b> ", label);
	text_add_xml(text, words);
	text_add(text, tags[heading].close);
}

static void add_head(struct report *report, const struct session *session)
{
	const struct lesson *lesson = session->classroom.lesson;

	if (report->html) {
		text_add(&report->text,
			"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			"<title>");
		text_add_xml(&report->text, lesson->title);
		text_add(&report->text,
			"</title>\n<style>\n@page { size: A4; margin: 18mm }\n"
			"body { font: 11pt/1.4 sans-serif; max-width: 174mm; margin: auto; "
			"color: #111; background: #fff }\n"
			"section { break-inside: avoid; border-top: 1px solid #999 }\n"
			"img { width: 100% }\np { white-space: pre-line }\n</style>\n</head>\n"
			"<body>\n");
	}
	add(report, 1, "", lesson->title);
}

/* Adds to the report of a lesson the machine's name, the core model and the date. */
static void add_origin(struct report *report, const struct session *session)
{
	struct chart_origin origin = origin_of(session);
	char when[32] = "";
	struct tm day;

	if (!session->replay && gmtime_r(&origin.now, &day))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &day);
	add(report, 0, "Machine", origin.machine ? origin.machine->name : NULL);
	add(report, 0, "Core model", origin.core);
	add(report, 0, session->replay ? "Recorded" : "Measured",
		session->replay ? origin.when : when);
}

/* Adds a step whose question was answered or skipped. */
static void add_step(struct report *report, const struct session *session, int index)
{
	const struct lesson_step *step = &session->classroom.lesson->step[index];
	const struct step_taken *taken = &session->classroom.taken[index];
	const struct sample *sample = &taken->sample;
	struct text setting = { 0 };

	if (report->html)
		text_add(&report->text, "<section>\n");
	add(report, 2, "", words_of("%d. %s", index + 1, step->title ? step->title : "").text);
	add(report, 0, "Question", taken->prompt);
	add(report, 0, "Guess", taken->guess.skipped ? "skipped" : taken->guess.text);
	add(report, 0, "Measured", taken->judgement.truth);
	add(report, 0, "Judgement", taken->judgement.words);
	add(report, 0, "Doubt", taken->judgement.doubt);
	setting_format(&taken->setting, &setting);
	add(report, 0, "Setting", text_string(&setting));
	text_free(&setting);
	if (sample->valid)
		add(report, 0, "Cycles per element",
			words_of("%s, quartiles %s to %s, from %u trials",
				units_cycles(sample->cpe).text, units_cycles(sample->cpe_lo).text,
				units_cycles(sample->cpe_hi).text, sample->trials)
				.text);
	add(report, 0, "", taken->explained);
	if (!report->html)
		return;
	if (taken->picture) {
		text_add(&report->text,
			"<img alt=\"The limits of this setting and the measured value\" "
			"src=\"data:image/svg+xml;base64,");
		text_add_base64(&report->text, taken->picture);
		text_add(&report->text, "\">\n");
	}
	text_add(&report->text, "</section>\n");
}

struct status report_save(const struct session *session)
{
	const struct classroom *classroom = &session->classroom;
	struct report report = { .html = ends_in(classroom->report, ".html") };
	int asked = 0, right = 0;
	struct status status;

	add_head(&report, session);
	add_origin(&report, session);
	for (int i = 0; i < classroom->lesson->step_count; i++) {
		asked += classroom->lesson->step[i].question.ask != ASK_NOTHING;
		right += classroom->taken[i].answered &&
			 classroom->taken[i].judgement.verdict == VERDICT_RIGHT;
	}
	add(&report, 0, "Result",
		words_of("%d of %d questions were answered right", right, asked).text);
	for (int i = 0; i < classroom->lesson->step_count; i++)
		if (classroom->taken[i].answered)
			add_step(&report, session, i);
	if (report.html)
		text_add(&report.text, "</body>\n</html>\n");
	status = file_save(classroom->report, &report.text, false);
	text_free(&report.text);
	return status;
}
