/* A document that is built from headings, paragraphs and tables, and saved as one HTML page or as
 * Markdown. The HTML page needs no other file and no script, has light and dark colours, and can be
 * printed. All words are escaped. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

/* Begins zeroed, except `html`; ends with document_free(). */
struct document {
	bool html;
	struct text body;
	bool facts;		 /* a list of facts is open */
	unsigned right;		 /* the columns of numbers of the present table, one bit each */
	struct text light, dark; /* HTML: style rules for light and for dark screens */
};

/* Checks the name of a document's file. STATUS_USAGE: the name does not end in .html or .md.
 * STATUS_FAILED: the file cannot be written. */
struct status document_check(const char *path);
/* Returns whether the name ends in .html. */
bool document_is_html(const char *path);

/* Adds a heading of a level from 1 to 3. Empty words add nothing. */
void document_heading(struct document *document, int level, const char *words);
/* Adds a paragraph. Empty words (or NULL) add nothing. */
void document_paragraph(struct document *document, const char *words);
/* Adds a paragraph that asks the reader, in bold letters. */
void document_question(struct document *document, const char *words);
/* Adds a fact with its name, a row of a list: "Guess", "3". A fact without words is omitted. */
void document_fact(struct document *document, const char *name, const char *words);
/* Adds an item of a list of short remarks. */
void document_remark(struct document *document, const char *words);
/* Adds lines of a terminal. */
void document_commands(struct document *document, const char *lines);

/* Begins a section. `id` is its name in links. */
void document_section(struct document *document, const char *id, const char *title);
/* Begins a section that stays on one sheet of paper, with a mark at the heading's end: "right"; "":
 * no mark. */
void document_section_marked(struct document *document, const char *title, const char *mark);
void document_section_end(struct document *document);

/* A key number of the page's head: "L2", "1 MiB", "14 cycles". */
void document_cards(struct document *document);
void document_card(
	struct document *document, const char *label, const char *value, const char *detail);
void document_cards_end(struct document *document);

/* Adds a table with named columns, ended by NULL. A name that begins with '>' is a column of
 * numbers, which stand on the right. */
void document_table(struct document *document, const char *const *columns);
/* Adds a row with as many cells as the table has columns. `look` is NULL, or a word for the style
 * of the first cell: "ok", "note", "bad". */
void document_row(struct document *document, const char *const *cells, const char *look);
void document_table_end(struct document *document);

/* HTML only: adds a picture (an element svg or img) with a caption. */
void document_picture(struct document *document, const char *element, const char *caption);
/* HTML only: adds a picture (SVG) as an image with a description in words; NULL adds nothing. */
void document_image(struct document *document, const char *words, const char *svg);
/* HTML only: pictures between these two calls are next to each other on a wide screen. */
void document_pictures(struct document *document);
void document_pictures_end(struct document *document);

/* Saves the document whole or not at all. */
struct status document_save(struct document *document, const char *title, const char *path);
void document_free(struct document *document);
