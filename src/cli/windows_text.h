/* A report of windows for people. */
#ifndef SLX_CLI_WINDOWS_TEXT_H
#define SLX_CLI_WINDOWS_TEXT_H

#include "cli/format.h"
#include "experiment/windows/windows.h"

/* With report->points every point of the curves besides. */
void windows_text(struct report *report, const struct windows_report *windows);

#endif
