/* The data that a loop moves through, from its code alone: how many bytes its addresses move on
 * from one iteration to the next. With it, the cycles of an iteration become cycles a byte. The
 * functions do no input or output and keep no state. */
#pragma once

#include "base/text.h"
#include "model/code/loop.h"

/* Memory operands that move together through one piece of data. */
struct stream {
	bool load, store;
	int64_t step; /* bytes from an address to that of the next iteration; below 0: backwards */
	int64_t touched; /* of so many bytes, those that an iteration reads or writes: the size of
			    `step` if no byte is left out */
};

enum { STREAMS_MOST = 16 };

struct streams {
	struct stream stream[STREAMS_MOST];
	int count;
	int elsewhere; /* memory operands whose addresses do not move on by a constant, such as
			  those of a table or a list */
};

/* Finds the streams of a loop. Operands that stay at one address, such as those of the stack, are
 * no stream. */
void streams_find(const struct loop *loop, struct streams *streams);

/* The bytes that an iteration reads or writes of its longest stream without gaps; 0: no stream is
 * without gaps. *which: whose bytes these are if it reads or writes several such streams, " of
 * each" or " of the longest"; otherwise empty. */
double streams_bytes(const struct streams *streams, const char **which);

/* Adds what an iteration does: "reads 8 + 8 and writes 8 bytes in order", "reads 8 of every 64
 * bytes; 1 access elsewhere". Adds nothing for a loop that accesses no data. */
void streams_describe(const struct streams *streams, struct text *text);
