/* The page of `slexplore report`: sections about one machine, or a comparison of several. */
#pragma once

#include "base/document.h"
#include "cli/shown.h"
#include "recording/compare/records_compare.h"

/* Where and when the records were made. */
struct report_origin {
	const char *commands; /* lines with the commands that repeat the measurement */
	const char *failed;   /* lines with those commands that could not measure; "": none */
	const char *made;     /* time at which the page is written: "2026-11-23 14:00 UTC" */
	double seconds;	      /* time that the measurement took; 0: the records come from files */
};

/* Adds all sections. `comparison` is NULL if one machine is shown. `title` receives the title of
 * the page. */
void report_page(struct document *document, const struct shown *shown,
	const struct comparison *comparison, const struct report_origin *origin,
	struct words *title);

/* Adds the sections of a comparison (report_compared.c). */
void report_compared(struct document *document, const struct comparison *comparison);
