/* A document that is built from headings, paragraphs and tables, and saved as one HTML page or as
 * Markdown. The HTML page needs no other file and no script, has light and dark colours, and can be
 * printed. All words are escaped. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

/* Start with a zeroed struct document with `html` set; end with document_free(). */
struct document {
	bool html;
	struct text body;
	bool facts;		 /* a list of facts is open */
	unsigned right;		 /* bit i: column i of the open table is right-aligned */
	struct text light, dark; /* HTML: rules added to the style, for light and dark screens */
};

/* Checks the name of a document's file. STATUS_USAGE: the name does not end in .html or .md.
 * STATUS_FAILED: the file cannot be written. Leaves no file. */
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

/* Begins a section. `id` is its name in links of HTML. document_section_end() ends both kinds of
 * sections. */
void document_section(struct document *document, const char *id, const char *title);
/* Begins a section that stays on one sheet of paper, with a mark at the heading's end, such as
 * "right" or "wrong"; "": no mark. */
void document_section_marked(struct document *document, const char *title, const char *mark);
void document_section_end(struct document *document);

/* Key numbers at the head of the page. A card has a label, a value and a detail: "L2", "1 MiB", "14
 * cycles"; `detail` may be empty. */
void document_cards(struct document *document);
void document_card(
	struct document *document, const char *label, const char *value, const char *detail);
void document_cards_end(struct document *document);

/* Adds a table with named columns, ended by NULL. A name that begins with '>' makes a right-aligned
 * column of numbers; the '>' is not shown. */
void document_table(struct document *document, const char *const *columns);
/* Adds a row with as many cells as the table has columns, ended by NULL. `look` is NULL, or a word
 * for the style of the first cell: "ok", "note", "bad". */
void document_row(struct document *document, const char *const *cells, const char *look);
void document_table_end(struct document *document);

/* HTML only: adds a picture (an element svg or img, which is not escaped) with a caption. The first
 * line of the caption is its title; "": no caption. */
void document_picture(struct document *document, const char *element, const char *caption);
/* HTML only: adds a picture in SVG as an image. `words` describe it for readers who cannot see it.
 * If `svg` is NULL, adds nothing. */
void document_image(struct document *document, const char *words, const char *svg);
/* HTML only: pictures between the next two calls are side by side on a wide screen. */
void document_pictures(struct document *document);
void document_pictures_end(struct document *document);

/* Saves the document completely or not at all. `title` is the title of an HTML page; Markdown has
 * no title. */
struct status document_save(struct document *document, const char *title, const char *path);
void document_free(struct document *document);
