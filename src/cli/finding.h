/* One check as doctor prints it, and the functions that fill it. */
#pragma once

enum check_state {
	CHECK_OK,   /* as one would wish */
	CHECK_NOTE, /* worth knowing; figures stay true */
	CHECK_BAD,  /* costs accuracy or a feature */
};

struct check {
	const char *name; /* a word, stable: scripts look for it */
	enum check_state state;
	char finding[300];
	char advice[300]; /* what to do about it; empty: nothing */
	double value;	  /* the finding as a figure; NAN: none */
	char unit[16];
};

const char *check_state_name(enum check_state state); /* "ok", "note", "bad" */

/* For functions that make one: what was found, more of that, what to do about it, and a figure of
 * it. */
void check_found(struct check *check, enum check_state state, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_add(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
void check_advise(struct check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void check_figure(struct check *check, double value, const char *unit);
