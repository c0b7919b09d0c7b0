/* The answers of a class to one question as a chart, and all questions as a page. */
#pragma once

#include "base/status.h"
#include "picture/chart.h"
#include "recording/answers.h"

/* Makes the chart of the question whose answers are those from `begin` to `end`
 * (class_question()): the guesses as a histogram, and the measured values of the machines. The
 * caller frees it. */
struct chart *class_chart(const struct answers *answers, int begin, int end);

/* Writes the page of all questions to a file *.html or *.md. A page *.html has the charts of the
 * questions if cairo is installed. The answers must be sorted. */
struct status class_report_save(const struct answers *answers, const char *path);
