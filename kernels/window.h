/* The fillers: instructions that the kernel `window` can put between two cache misses. A table
 * names the buffer of the core that each kind of filler fills. The search for the knee in the curve
 * of cycles over fillers uses the table to name the buffer. */
#pragma once

/* The kinds of fillers, in the order of the knob `filler`. */
enum window_kind {
	WINDOW_NOP,
	WINDOW_ADD,
	WINDOW_VECTOR,
	WINDOW_BOTH,
	WINDOW_ZERO,
	WINDOW_CONSTANT,
	WINDOW_LOAD,
	WINDOW_STORE,
	WINDOW_JUMP,
	WINDOW_BRANCH,
	WINDOW_INDIRECT,
	WINDOW_CALL,
	WINDOW_LINK,
	WINDOW_WAIT,
	WINDOW_WAIT_LOAD,
	WINDOW_WAIT_VECTOR,
	WINDOW_KINDS
};

struct window_filler {
	const char *name;   /* name of the choice of the knob `filler` */
	const char *buffer; /* Name of the buffer that the fillers fill, as in the `size` lines of a
			       core's file. If cores differ in which buffer is full first, the field
			       names the most likely buffer. */
	const char *title;  /* the buffer in words, without an article: "reorder buffer" */
	double each;	    /* number of entries of the buffer that one filler occupies */
	double own; /* Number of entries of the buffer that the loop's own instructions occupy, from
		       the first to the second miss, including both misses. The two cache misses
		       still overlap if fillers × `each` + `own` is at most the number of entries of
		       the buffer. */
	const char *counts; /* the word for what the knob `fillers` counts, such as "nops" */
	const char *words;  /* a remark on the filler, of one or two sentences */
};

extern const struct window_filler window_fillers[WINDOW_KINDS];
/* The filler ADD on cores that have fewer registers for flags than for integers: an addition takes
 * one of each. */
extern const struct window_filler window_flags;

/* Returns the kind of filler with the name `name`, or -1. */
int window_kind(const char *name);
