/* A page of text on a narrower screen: paragraphs, tables and curves. Pure. */
#pragma once

#include <stdbool.h>

struct text;

/* Adds a page, which was made for TEXT_COLUMNS columns, to `to` for a screen of `columns` columns.
 * A paragraph becomes one line, which the screen wraps. A table that is too wide loses blanks
 * between its columns; if it is still too wide, its last column is wrapped, or the columns that do
 * not fit follow below, with the first column again. A curve that is too wide gets fewer columns.
 * `ascii`: "+-" replaces "±". */
void narrow_page(const char *page, int columns, bool ascii, struct text *to);
