/* Shared by the files report_*.c: the page while it is made, its values in words, and its sections.
 */
#pragma once

#include "cli/report_page.h"
#include "picture/picture_web.h"

/* The page while it is made. The sections about one machine show the machine number 0. */
struct page_parts {
	struct document *document;
	const struct shown *shown;
	const struct comparison *comparison;
	const struct report_origin *origin;
	struct web_colours colours; /* of all pictures of the page */
};

/* Returns "4.00 R (3.99 to 4.01)": a value, the letter of its source, and its quartiles; "-": the
 * value is unknown. */
struct words report_spread(double value, const char *source, double lo, double hi);
/* The same for the members KEY, KEY_lo and KEY_hi of a record. */
struct words report_range(const struct json_t *object, const char *key, const char *source);
/* Returns a size in bytes: "48 KiB"; "-": unknown. */
struct words report_size(const struct json_t *object, const char *key);
/* The letter of a record's cycles: C counted, R by the reference clock; "": unknown. */
const char *report_letter(const struct json_t *object);
/* The letter of the cycles of a machine's probe. */
const char *report_probe_letter(const struct shown *shown);

/* Adds a chart, which is freed, as a picture; NULL adds nothing. `caption` may be empty. */
void report_chart(struct page_parts *page, struct chart *chart, const char *caption);

/* Sections about one machine. */
void section_memory(struct page_parts *page);
void section_bandwidth(struct page_parts *page);
void section_mountain(struct page_parts *page);
void section_cores(struct page_parts *page);
void section_windows(struct page_parts *page);
void section_core(struct page_parts *page);
void section_allows(struct page_parts *page);
