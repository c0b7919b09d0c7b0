/* Shared by the files report_*.c: the unfinished page, its values in words, and its sections. */
#pragma once

#include "cli/report_page.h"
#include "picture/picture_web.h"

/* The unfinished page; the pointers are borrowed. Sections about one machine show the machine with
 * index 0. */
struct page_parts {
	struct document *document;
	const struct shown *shown;
	const struct comparison *comparison;
	const struct report_origin *origin;
	struct web_colours colours; /* colours of all pictures of the page */
};

/* Returns "4.00 R (3.99 to 4.01)": a value, the letter of its source, and its quartiles; "-": the
 * value is unknown. */
struct words report_spread(double value, const char *source, double lo, double hi);
/* Returns a value of a record "band" (the bandwidth of a level) with the quartiles of its sample.
 */
struct words report_band(const struct shown *shown, const struct json_t *band, const char *key);
/* Returns such words for the member KEY of a record, with the quartiles KEY_lo and KEY_hi. */
struct words report_range(const struct json_t *object, const char *key, const char *source);
/* Returns the member KEY of a record, a size in bytes, as words: "48 KiB"; "-": unknown. */
struct words report_size(const struct json_t *object, const char *key);
/* Returns the letter for the source of a record's cycles: C counted, R by the reference clock; "":
 * unknown. */
const char *report_letter(const struct json_t *object);
/* Returns the letter for the source of the cycles in the shown machine's probe. */
const char *report_probe_letter(const struct shown *shown);

/* Adds a chart as a picture, and frees the chart. If `chart` is NULL, adds nothing. `caption` may
 * be empty. */
void report_chart(struct page_parts *page, struct chart *chart, const char *caption);

/* Sections about one machine. */
void section_memory(struct page_parts *page);
void section_bandwidth(struct page_parts *page);
void section_mountain(struct page_parts *page);
void section_cores(struct page_parts *page);
void section_windows(struct page_parts *page);
void section_core(struct page_parts *page);
void section_allows(struct page_parts *page);
