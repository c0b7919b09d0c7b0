/* Inside measured_write*.c: numbers with their spread, and the lines about ports and classes. */
#ifndef SLX_MODEL_MEASURED_MEASURED_WRITE_H
#define SLX_MODEL_MEASURED_MEASURED_WRITE_H

#include <stdbool.h>

#include "base/text.h"
#include "model/measured/measured.h"

/* Cycles: whole where within 0.03 cycles and 0.3 % of that. Counts a cycle fall short of the true
 * number, never exceed it by more than the clock is wrong: up to 4 % below, 1.5 % above. Sizes are
 * whole. */
enum rounding { ROUND_CYCLES, ROUND_RATE, ROUND_ENTRIES, ROUND_NEVER };

double write_rounded(double value, enum rounding how);
/* Decimals without an exponent, and no more of them than say something. */
void write_number(struct text *text, double value, int digits);
/* "3±0.004", and what it was before rounding appended to the comment. The spread is how far the
 * quartiles are from what is written. */
void write_figure(struct text *text, struct text *comment, const char *what,
	const struct figure *figure, enum rounding how);
/* The source, the comment, which is cleared, and the line's end. */
void write_end(struct text *text, struct text *comment);

bool figure_good(const struct figure *figure, double least, double most);
/* The figure of a fact that is known, or NULL. */
const struct figure *measured_fact(const struct measured *m, const char *word);

/* ---- measured_write_classes.c */

/* Whether a class has a line that says something of it. */
bool classes_say(const struct measured *m, const struct measured_ports *ports, int op);
void classes_write(const struct measured *m, const struct measured_ports *ports, struct text *text);

#endif
