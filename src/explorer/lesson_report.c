#include "explorer/lesson_report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/document.h"
#include "base/text.h"
#include "base/units.h"
#include "explorer/state.h"
#include "picture/chart_reports.h"
#include "picture/picture.h"

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
	chart = chart_limits(session->insight.explanation, &session->setting, &session->live.sample,
		"", &origin);
	status = picture_draw(PICTURE_SVG, chart, PICTURE_LIGHT, &svg);
	if (status_is_ok(&status))
		picture = memory_string(text_string(&svg));
	chart_free(chart);
	text_free(&svg);
	return picture;
}

/* ---- the page ---- */

/* Adds the number of right answers, the machine, the core model and the date. */
static void add_origin(struct document *page, const struct session *session)
{
	const struct classroom *classroom = &session->classroom;
	struct chart_origin origin = origin_of(session);
	int asked = 0, right = 0;
	char when[32] = "";
	struct tm day;

	for (int i = 0; i < classroom->lesson->step_count; i++) {
		enum lesson_ask ask = classroom->lesson->step[i].question.ask;

		/* A sentence is kept, and not judged. */
		asked += ask != ASK_NOTHING && ask != ASK_TEXT;
		right += classroom->taken[i].answered &&
			 classroom->taken[i].judgement.verdict == VERDICT_RIGHT;
	}
	if (!session->replay && gmtime_r(&origin.now, &day))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &day);
	document_fact(page, "Result",
		words_of("%d of %d question%s right", right, asked, asked == 1 ? "" : "s").text);
	document_fact(page, "Student",
		session->answering.student.name[0] ? session->answering.student.name : NULL);
	document_fact(page, "Machine", origin.machine ? origin.machine->name : NULL);
	document_fact(page, "Core model", origin.core);
	document_fact(page, session->replay ? "Recorded" : "Measured",
		session->replay ? origin.when : when);
}

/* Adds a step whose question was answered or skipped. */
static void add_step(struct document *page, const struct session *session, int index)
{
	const struct lesson_step *step = &session->classroom.lesson->step[index];
	const struct step_taken *taken = &session->classroom.taken[index];
	const struct sample *sample = &taken->sample;
	struct text setting = { 0 };

	document_section_marked(page,
		words_of("%d. %s", index + 1, step->title ? step->title : "").text,
		lesson_verdict_names[taken->judgement.verdict]);
	document_question(page, taken->prompt && *taken->prompt
					? taken->prompt
					: lesson_usual_prompt(step->question.ask));
	document_fact(page, "Guess",
		taken->guess.revealed  ? "none, answer shown"
		: taken->guess.skipped ? "skipped"
				       : taken->guess.text);
	document_fact(page, "Measured", taken->judgement.truth);
	document_fact(page, "Doubt", taken->judgement.doubt);
	if (sample->valid)
		document_fact(page, "Cycles per element",
			words_of("%s (quartiles %s to %s, %u trials)",
				units_cycles(sample->cpe).text, units_cycles(sample->cpe_lo).text,
				units_cycles(sample->cpe_hi).text, sample->trials)
				.text);
	setting_format(&taken->setting, &setting);
	document_fact(page, "Setting", text_string(&setting));
	text_free(&setting);
	document_paragraph(page, taken->explained);
	document_image(page, "The limits of this setting and the measured value", taken->picture);
	document_section_end(page);
}

struct status report_save(const struct session *session)
{
	const struct classroom *classroom = &session->classroom;
	struct document page = { .html = document_is_html(classroom->report) };
	struct status status;

	document_heading(&page, 1, classroom->lesson->title);
	add_origin(&page, session);
	for (int i = 0; i < classroom->lesson->step_count; i++)
		if (classroom->taken[i].answered)
			add_step(&page, session, i);
	status = document_save(&page, classroom->lesson->title, classroom->report);
	document_free(&page);
	return status;
}
