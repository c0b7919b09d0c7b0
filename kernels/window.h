/* What the kernel `window` can put between two cache misses, and which buffer of the core each
 * fills. Whoever looks for the knee of cycles over the number of fillers knows from here what the
 * knee is of. */
#pragma once

/* In the order of the knob `filler`. */
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
	const char *name;   /* as the knob has it */
	const char *buffer; /* what it fills, as `size` in a core's file has it; where cores differ
			       in what fills up first, the likeliest */
	const char *title;  /* the same in words, without an article: "reorder buffer" */
	double each;	    /* entries that one of `fillers` takes there */
	double own; /* entries that the loop itself takes beside them, from the first miss to the
		       second, both included: the misses still overlap where fillers x each + own is
		       what the buffer has */
	const char *counts; /* what `fillers` counts */
	const char *words;  /* what is to be known about it: a sentence or two */
};

extern const struct window_filler window_fillers[WINDOW_KINDS];

/* The kind of that name, or -1. */
int window_kind(const char *name);
