/* A report as a page to read and print (HTML, complete in one file, without scripts), or as
 * Markdown. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

struct report_page {
	struct text text;
	bool html;
	bool facts; /* a list of facts is open */
};

/* Checks the name of a report's file. STATUS_USAGE: it does not end in .html or .md. STATUS_FAILED:
 * the file cannot be written. */
struct status report_page_check(const char *path);

/* Begins a page; the ending of the path selects the format. End with report_page_save(). */
void report_page_begin(struct report_page *page, const char *path, const char *title);
/* Begins a section with a heading, and with a mark at the heading's end (""; none): "right". */
void report_page_section(struct report_page *page, const char *heading, const char *mark);
void report_page_end_section(struct report_page *page);
/* Adds a fact with its name, a row of a list: "Guess", "3". A fact without words is omitted. */
void report_page_fact(struct report_page *page, const char *name, const char *words);
/* Adds a paragraph; one that asks is in bold letters. */
void report_page_paragraph(struct report_page *page, bool asks, const char *words);
/* Adds a picture (SVG). Markdown has none. */
void report_page_picture(struct report_page *page, const char *words, const char *svg);

/* Ends the page, saves it, and frees its memory. */
struct status report_page_save(struct report_page *page, const char *path);
