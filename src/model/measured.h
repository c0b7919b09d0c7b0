/* What was measured of a core without counters, and the core model that follows from it. Pure: figures in, facts out. Nothing in here or in what it
 * makes comes from a core's file. */
#ifndef SLX_MODEL_MEASURED_H
#define SLX_MODEL_MEASURED_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "model/knee.h"
#include "model/uarch.h"

enum { MEASURED_OPS = 128, MEASURED_PAIRS = 4096, MEASURED_BUFFERS = 16 };

/* A figure with its spread; known false: could not be measured, or is not yet. */
struct figure {
	bool known;
	double value, lo, hi;     /* median, quartiles (or the range of repeated measurements) */
};

/* A class of instructions, stood for by one instruction. */
struct measured_op {
	char name[24];            /* as in a core's file: "fadd.512" */
	struct figure latency;    /* cycles from operand to result; unknown where it has no result */
	struct figure accumulate; /* from the addend of a multiply-add */
	struct figure each;       /* cycles an instruction when nothing waits for anything: the reciprocal throughput */
	struct figure slots;      /* of the width that it takes */
};

/* Two classes run side by side: `first` instructions of a, `second` of b, in so many cycles. */
struct measured_pair {
	int a, b;                 /* indices of ops */
	double first, second;
	struct figure cycles;
};

/* Another number, by the word that a core's file has for it: "cap loads", "extra forward", "cache 1 latency". */
struct measured_fact {
	char word[40];
	struct figure figure;
	char words[80];           /* of what loop; empty: nothing is to be said */
};

struct measured_buffer {
	char word[24];            /* "rob", "registers", as `size` has them */
	struct knee knee;
	double own;               /* entries that the loop itself takes beside the fillers */
};

enum { MEASURED_FACTS = 64 };

struct measured {
	char isa[16], processor[64];      /* "x86_64", the machine's own name for it */
	char match[160];                  /* what a `match` line of it says */
	struct figure width;
	int op_count;
	struct measured_op op[MEASURED_OPS];
	int pair_count;
	struct measured_pair pair[MEASURED_PAIRS];
	int fact_count;
	struct measured_fact fact[MEASURED_FACTS];
	int buffer_count;
	struct measured_buffer buffer[MEASURED_BUFFERS];
};

/* Ports that explain what was measured: how many there are, and which of them each class may use. */
struct measured_ports {
	int count;
	uint32_t op[MEASURED_OPS];        /* bits; 0: takes none, or unknown */
	double micro_ops[MEASURED_OPS];   /* that an instruction begins on them */
	double busy[MEASURED_OPS];        /* cycles that each holds its port, where it is not pipelined; else 1 */
	double worst;                     /* the largest relative difference to a measured throughput or pair */
	char disagrees[200];              /* about what, if it is more than some percent; empty: nothing */
};

/* The simplest assignment that agrees with the throughputs and pairs. */
void measured_find_ports(const struct measured *measured, struct measured_ports *ports);

/* The core model as the text of a .uarch file, each number with [measured] and its spread; uarch_parse() takes it. */
void measured_write(const struct measured *measured, const struct measured_ports *ports, const char *name, struct text *text);

/* A number of one model beside that of another. */
struct model_difference {
	char what[64];            /* "latency of fadd", "width", "size rob" */
	double a, b;              /* NAN: the one says nothing */
	bool agrees;              /* as well as such a figure can be measured */
};

/* The numbers that both models have, or one of them alone, in the order of a core's file. Returns how many there are; at most `most` are filled. */
int model_differences(const struct uarch *a, const struct uarch *b, struct model_difference *difference, int most);

#endif
