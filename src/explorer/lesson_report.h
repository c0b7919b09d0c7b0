/* The report of a lesson's answers: a page to print (HTML), or Markdown. */
#pragma once

#include "base/status.h"

struct session;

/* Draws the limits of the present setting (SVG), which the caller frees; NULL: there are no limits,
 * or no library that draws. */
char *report_picture(const struct session *session);
/* Writes the report of the open lesson to its file (classroom.report). */
struct status report_save(const struct session *session);
