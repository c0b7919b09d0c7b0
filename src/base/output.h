/* The streams that the program prints to. Names and texts from outside the program must not control
 * a terminal or a reader, so each stream replaces control characters, direction marks and malformed
 * UTF-8 by '?'. Newlines and tabs remain. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum output { OUTPUT_RESULTS, OUTPUT_MESSAGES }; /* standard output, standard error */

/* Returns the stream; the program's end writes what it still holds. Main thread only. */
FILE *output_stream(enum output output);

/* Writes words of the program itself to standard error. Needs neither memory nor a large stack. */
void output_plain(const char *words);

/* Returns the descriptor of any stream, also of those of output_stream(); -1: none. */
int output_descriptor(FILE *stream);

/* Erases `columns` columns of the terminal's line, and returns to its first column. */
void output_erase_line(FILE *stream, int columns);
