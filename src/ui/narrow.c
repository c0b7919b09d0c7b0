#include "ui/narrow.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A line of the page: without its line feed, and not terminated. */
struct row {
	const char *at;
	int length;
};

/* Rows of the page that belong together: a table or a curve. */
struct block {
	struct row *row;
	int count;
};

static struct row row_at(const char *line)
{
	return (struct row){ line, (int)strcspn(line, "\n") };
}

static const char *after(struct row row)
{
	return row.at + row.length + (row.at[row.length] == '\n');
}

/* Returns the character in a column of a row; ' ' after its end. */
static char character(struct row row, int column)
{
	return column < row.length ? row.at[column] : ' ';
}

static int indent_of(struct row row)
{
	int indent = 0;

	while (indent < row.length && row.at[indent] == ' ')
		indent++;
	return indent;
}

static int longest(const struct block *block)
{
	int most = 0;

	for (int i = 0; i < block->count; i++)
		most = block->row[i].length > most ? block->row[i].length : most;
	return most;
}

static void add_blanks(struct text *to, int count)
{
	for (; count > 0; count--)
		text_add(to, " ");
}

/* ---- paragraphs ---- */

/* Whether the next line continues a paragraph, which begins with `first`: its first word would not
 * have fitted into the line before. A sentence or a remark in brackets may end the paragraph; a
 * line with the indent of the first line of an indented paragraph begins another one. */
static bool continues(struct row first, struct row line, struct row next)
{
	int indent = indent_of(next), word = indent;

	while (word < next.length && next.at[word] != ' ')
		word++;
	return word > indent && next.at[indent] != '*' && line.length <= TEXT_COLUMNS &&
	       line.length + 1 + word - indent > TEXT_COLUMNS &&
	       (indent > indent_of(first) ||
		       (indent == 0 && !strchr(".)", line.at[line.length - 1])));
}

/* Adds a paragraph as one line. Returns the line after it. */
static const char *add_paragraph(const char *line, bool narrow, struct text *to)
{
	struct row first = row_at(line), row = first, next = row_at(after(row));

	text_addn(to, row.at, (size_t)row.length);
	while (narrow && row.length && *next.at && continues(first, row, next)) {
		int indent = indent_of(next);

		text_add(to, " ");
		text_addn(to, next.at + indent, (size_t)(next.length - indent));
		row = next;
		next = row_at(after(row));
	}
	text_add(to, "\n");
	return after(row);
}

/* ---- tables ---- */

/* CELLS: most columns of a table. GAP: blanks between two of them. WRAP_LEAST: smallest width to
 * which the last column is wrapped. TOGETHER: rows before the columns that do not fit next to them.
 */
enum { CELLS = 32, GAP = 2, WRAP_LEAST = 16, TOGETHER = 5 };

struct table {
	const struct block *block;
	int heads; /* rows of headings */
	int count; /* columns of the table */
	struct cell {
		int from, width;
	} cell[CELLS];
};

/* Whether a line is a row of a table: it has blanks between words. */
static bool is_table(struct row row)
{
	for (int i = indent_of(row); i + 1 < row.length; i++)
		if ((unsigned char)row.at[i] >= 0x80)
			return false;
		else if (row.at[i] == ' ' && row.at[i + 1] == ' ')
			return true;
	return false;
}

static bool is_blank(const struct block *block, int column)
{
	for (int i = 0; i < block->count; i++)
		if (character(block->row[i], column) != ' ')
			return false;
	return true;
}

/* Headings have no digits. */
static bool is_heading(struct row row)
{
	for (int i = 0; i < row.length; i++)
		if (isdigit((unsigned char)row.at[i]))
			return false;
	return true;
}

/* Finds the columns of a table: at least GAP blanks are between two of them in all rows. */
static void find_cells(const struct block *block, struct table *table)
{
	int width = longest(block), blanks = GAP;

	*table = (struct table){ .block = block };
	for (int column = 0; column < width; column++) {
		if (is_blank(block, column)) {
			blanks++;
			continue;
		}
		if (table->count == 0 || (blanks >= GAP && table->count < CELLS))
			table->cell[table->count++] = (struct cell){ .from = column };
		table->cell[table->count - 1].width =
			column + 1 - table->cell[table->count - 1].from;
		blanks = 0;
	}
	while (table->heads < block->count && is_heading(block->row[table->heads]))
		table->heads++;
	table->heads %= block->count;
}

/* Adds one cell, wrapped at `room` columns; further lines begin at column `x`. */
static void add_wrapped(struct row row, const struct cell *cell, int x, int room, struct text *to)
{
	int length = row.length > cell->from ? row.length - cell->from : 0;
	struct words words = words_of("%.*s", length < cell->width ? length : cell->width,
		length ? row.at + cell->from : "");
	struct text_wrap wrap = { .columns = room };
	const char *next = words.text + strspn(words.text, " ");

	for (bool first = true; *next; first = false) {
		const char *line = next;
		size_t bytes = text_line(&wrap, line, &next);

		if (!first) {
			text_add(to, "\n");
			add_blanks(to, x);
		}
		text_addn(to, line, bytes);
	}
}

/* Adds a row with the first cell, and the cells from `first` to `last`. */
static void add_row(const struct table *table, struct row row, int first, int last, int columns,
	struct text *to)
{
	int x = 0, used = 0;

	for (int i = 0; i <= last; i = i ? i + 1 : first) {
		const struct cell *cell = &table->cell[i];
		int end = cell->from + cell->width;

		if (i == last && x + cell->width > columns) {
			/* Next to a long first cell, there is no room. */
			if (i > 0 && columns - x < WRAP_LEAST / 2) {
				text_add(to, "\n");
				x = GAP;
				used = 0;
			}
			add_blanks(to, x - used);
			add_wrapped(row, cell, x, columns - x > 1 ? columns - x : 1, to);
			break;
		}
		while (end > cell->from && character(row, end - 1) == ' ')
			end--;
		if (end > cell->from) {
			add_blanks(to, x - used);
			for (int column = cell->from; column < end; column++)
				text_addn(to, &(char){ character(row, column) }, 1);
			used = x + end - cell->from;
		}
		x += cell->width + GAP;
	}
	text_add(to, "\n");
}

/* Whether a column has words: all its cells begin at the left. */
static bool has_words(const struct table *table, const struct cell *cell)
{
	for (int i = 0; i < table->block->count; i++)
		if (character(table->block->row[i], cell->from) == ' ' &&
			table->block->row[i].length > cell->from)
			return false;
	return true;
}

/* Returns the last cell that fits next to the first one and the cells from `first` on. Words in the
 * last column of the table fit if they can be wrapped. */
static int last_fitting(const struct table *table, int first, int columns)
{
	int x = table->cell[0].width + GAP, last = first;

	for (int i = first; i < table->count; i++) {
		bool wraps = i == table->count - 1 && columns - x >= WRAP_LEAST &&
			     has_words(table, &table->cell[i]);

		if (x + table->cell[i].width > columns && !wraps)
			break;
		last = i;
		x += table->cell[i].width + GAP;
	}
	return last;
}

/* Adds a table. Cells that do not fit follow below, a few rows at a time. */
static void add_table(const struct block *block, int columns, struct text *to)
{
	struct table table;
	int together, last;

	find_cells(block, &table);
	/* Rows without columns in common are paragraphs. */
	for (int i = 0; i < block->count && table.count == 1; i++)
		add_paragraph(block->row[i].at, false, to);
	last = last_fitting(&table, 1, columns);
	together = last < table.count - 1 ? TOGETHER : block->count;
	for (int begin = table.heads; begin < block->count; begin += together)
		for (int first = 1; first < table.count; first = last + 1) {
			last = last_fitting(&table, first, columns);
			for (int i = 0; i < table.heads; i++)
				add_row(&table, block->row[i], first, last, columns, to);
			for (int i = begin; i < block->count && i < begin + together; i++)
				add_row(&table, block->row[i], first, last, columns, to);
		}
}

/* ---- curves ---- */

static bool is_curve(struct row row)
{
	return memchr(row.at, '|', (size_t)row.length) != NULL;
}

/* Returns the mark of several columns of a curve or of its axis. */
static char merged(struct row row, int from, int count)
{
	char mark = ' ';

	for (int column = from; column < from + count; column++) {
		char other = character(row, column);

		if (mark == ' ' || other == ' ')
			mark = mark == ' ' ? other : mark;
		else if (mark != other)
			mark = strchr("+-", mark) && strchr("+-", other) ? '+' : '*';
	}
	return mark;
}

/* Adds the labels below the axis at their new places, each as a whole. */
static void add_labels(struct row row, int origin, int factor, struct text *to)
{
	int used = 0;

	for (int column = 0; column < row.length;) {
		int end = column, x = origin + (column - origin) / factor;

		while (end < row.length && row.at[end] != ' ')
			end++;
		if (end > column && x >= used) {
			add_blanks(to, x - used);
			text_addn(to, row.at + column, (size_t)(end - column));
			used = x + end - column + 1;
			text_add(to, " ");
		}
		column = end + 1;
	}
	text_add(to, "\n");
}

/* Adds a curve: rows with '|', the axis and the labels. Several of its columns become one. */
static void add_curve(const struct block *block, int columns, struct text *to)
{
	struct row first = block->row[0];
	int origin =
		    (int)((const char *)memchr(first.at, '|', (size_t)first.length) - first.at) + 1,
	    width = longest(block) - origin, factor = 1;

	while (origin + width / factor > columns && factor < width)
		factor *= 2;
	for (int i = 0; i < block->count; i++) {
		struct row row = block->row[i];
		bool axis = !is_curve(row) && memchr(row.at, '+', (size_t)row.length);

		if (!is_curve(row) && !axis) {
			add_labels(row, origin, factor, to);
			continue;
		}
		text_addn(to, row.at, (size_t)(row.length < origin ? row.length : origin));
		for (int column = origin; column < row.length; column += factor)
			text_addn(to, &(char){ merged(row, column, factor) }, 1);
		text_add(to, "\n");
	}
}

/* ---- the page ---- */

/* Takes the rows of a curve with its axis and its labels, or of a table. */
static const char *take_block(const char *line, bool curve, struct block *block)
{
	int below = 0; /* rows below the curve */

	block->count = 0;
	for (; *line; line = after(row_at(line))) {
		struct row row = row_at(line);

		below += curve && !is_curve(row);
		if (curve ? below > 2 || row.length == 0 : !is_table(row) || is_curve(row))
			break;
		block->row = memory_grow(block->row, (size_t)block->count, sizeof(*block->row));
		block->row[block->count++] = row;
	}
	return line;
}

/* One byte, which no page has, in place of "±" while a page is divided into columns. */
static const char plus_minus[] = "\1";

static void add_page_bytes(const char *page, struct text *to)
{
	static const char sign[] = "±";

	for (const char *end; (end = strstr(page, sign)); page = end + strlen(sign)) {
		text_addn(to, page, (size_t)(end - page));
		text_add(to, plus_minus);
	}
	text_add(to, page);
}

/* In ASCII, the sign has two columns. One is that of the blank between a value and its spread, so
 * that columns stay in line. */
static void add_signs(const char *bytes, bool ascii, struct text *to)
{
	for (; *bytes; bytes++) {
		bytes += ascii && bytes[0] == ' ' && bytes[1] == *plus_minus &&
			 isdigit((unsigned char)bytes[2]);
		if (*bytes == *plus_minus)
			text_add(to, ascii ? "+-" : "±");
		else
			text_addn(to, bytes, 1);
	}
}

/* Adds a page in which each character of tables and curves has one byte. */
static void add_page(const char *page, int columns, struct text *to)
{
	struct block block = { 0 };

	for (const char *line = page; *line;) {
		struct row row = row_at(line);
		bool curve = is_curve(row);

		if (!curve && !is_table(row)) {
			line = add_paragraph(line, columns < TEXT_COLUMNS, to);
			continue;
		}
		line = take_block(line, curve, &block);
		if (longest(&block) <= columns)
			text_addn(to, block.row[0].at, (size_t)(line - block.row[0].at));
		else if (curve)
			add_curve(&block, columns, to);
		else
			add_table(&block, columns, to);
	}
	free(block.row);
}

void narrow_page(const char *page, int columns, bool ascii, struct text *to)
{
	struct text bytes = { 0 }, fitted = { 0 };

	add_page_bytes(page, &bytes);
	add_page(text_string(&bytes), columns, &fitted);
	add_signs(text_string(&fitted), ascii, to);
	text_free(&bytes);
	text_free(&fitted);
}
