/* The instructions that the kernel `window` can put between two cache misses, and the buffer of
 * the core that each kind fills. The search for the knee of cycles over fillers uses this table to
 * name the buffer. */
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
	const char *name;   /* the name in the knob */
	const char *buffer; /* the buffer that it fills, by its `size` name in a core's file. If
			       cores differ in which buffer is full first: the most likely one */
	const char *title;  /* the buffer in words, without an article: "reorder buffer" */
	double each;	    /* entries of the buffer that one of `fillers` occupies */
	double own; /* entries that the loop itself occupies in addition, from the first to the
		       second miss, including both. The misses still overlap if fillers x each + own
		       equals the size of the buffer */
	const char *counts; /* the unit of `fillers` */
	const char *words;  /* a remark of one or two sentences */
};

extern const struct window_filler window_fillers[WINDOW_KINDS];

/* The index of the kind with that name, or -1. */
int window_kind(const char *name);
