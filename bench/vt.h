/* A terminal's screen in memory, as far as ncurses needs one for TERM=xterm-256color: characters in
 * cells, moved, erased, repeated and scrolled. Colours are read and dropped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VT_ARGUMENTS = 16, VT_WIDTH_MAX = 400 };

struct vt {
	int width, height;
	uint32_t *cells; /* height rows of width code points */
	int x, y;	 /* the cursor, from 0 */
	int saved_x, saved_y;
	int top, bottom; /* rows that scroll, both inclusive */
	bool wrap;	 /* the last column was written: the next character goes to the next row */
	uint32_t last;	 /* the last character, for REP */
	unsigned long unknown; /* sequences not understood: not 0 means the cells may be wrong */

	int state;
	char private; /* '?', '>' or '!' of a sequence under way, or 0 */
	int argument[VT_ARGUMENTS], arguments;
	uint32_t character; /* of UTF-8 under way, and how many bytes it still lacks */
	int lacks;
};

void vt_init(struct vt *vt, int width, int height);
void vt_free(struct vt *vt);
void vt_write(struct vt *vt, const char *bytes, size_t count);

uint32_t vt_cell(const struct vt *vt, int x, int y); /* ' ' outside the screen */
/* A row from column x on as a string of a byte a column; '\1' stands for what is beyond ASCII. */
const char *vt_row(const struct vt *vt, int x, int y, char buffer[VT_WIDTH_MAX + 1]);
