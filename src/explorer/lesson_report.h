/* The report of a lesson's answers: a page to print (HTML), or Markdown. */
#pragma once

#include "base/status.h"

struct session;

/* Checks the name of a report's file. STATUS_USAGE: the name of the report's file does not end in
 * .html or .md. STATUS_FAILED: the report's file cannot be written. */
struct status report_check(const char *path);
/* Draws the limits of the present setting (SVG), which the caller frees; NULL: there are no limits,
 * or no library that draws. */
char *report_picture(const struct session *session);
/* Writes the report of the open lesson to its file (classroom.report). */
struct status report_save(const struct session *session);
