/* Cache lines a cycle that others measured between a level and the core: data/bandwidths. */
#ifndef SLX_MODEL_MEMORY_BANDWIDTHS_H
#define SLX_MODEL_MEMORY_BANDWIDTHS_H

#include <stdbool.h>
#include <stddef.h>

enum { BANDWIDTHS_MOST = 32 };

struct published_lines {
	char level[16]; /* "L2" */
	char core[32];	/* "Skylake" */
	char lines[16]; /* a cycle, as published: "1", "0.2-0.3", "about 0.1" */
	char source[64];
};

struct bandwidths {
	int count;
	struct published_lines row[BANDWIDTHS_MOST];
};

/* Rows that make no sense are passed over: a test of the shipped file finds them. */
void bandwidths_load(struct bandwidths *bandwidths);

/* "Cannon Lake 0.75, Skylake 1" of a level. False, and an empty text: nobody published anything. */
bool bandwidths_words(
	const struct bandwidths *bandwidths, const char *level, char *buffer, size_t size);

#endif
