/* Measurements of a core without counters, and the core model derived from them. Pure: the input is
 * measurements; the output is the next mixes to measure, and facts. It reads no core file. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "model/core/uarch.h"
#include "model/windows/knee.h"

enum {
	MEASURED_OPS = 320,
	MEASURED_MIXES = 2048,
	MEASURED_PARTS = 4,
	MEASURED_FACTS = 256,
	MEASURED_BUFFERS = 16
};

/* A measured value with its spread. known is false if it was not measured, or if the measurement
 * failed. */
struct figure {
	bool known;
	double value, lo, hi; /* median and quartiles (or the range of repeated measurements) */
};

/* A class of instructions, represented by one instruction. If a class has only a name, everything
 * about it is unknown. */
struct measured_op {
	char name[24];		  /* as in a core file: "fadd.512", "load", "vstore.256" */
	char load[24], store[24]; /* classes of the memory accesses that this instruction also makes
				     ("vload.256"); empty: none. Both are empty for plain loads and
				     stores */
	unsigned accesses;	  /* number of accesses; 0: one */
	unsigned bits; /* width of the widest vector register in the instruction; 0: none. 512-bit
			  vectors may switch the core to a mode with fewer ports for narrower
			  vectors */
	struct figure latency; /* cycles from register operand to result; for a load, from address
				  to value; unknown: no result */
	struct figure accumulate; /* for a multiply-add: cycles from addend to result */
	struct figure each;  /* reciprocal throughput: cycles per instruction without dependences */
	struct figure slots; /* rename slots of the whole instruction, including accesses */
};

/* Independent instructions of several classes, well mixed. A group of `times` instructions of each
 * class needs `cycles`. */
struct measured_mix {
	int count;
	int op[MEASURED_PARTS]; /* indices of ops */
	double times[MEASURED_PARTS];
	bool check; /* only for comparison with the predicted cycles; the search does not use it */
	struct figure cycles;
};

/* Another measured number. Its word and unit are those of core files: "cap loads-512", "size
 * opcache", "extra forward", "cache 2 bytes", "cache 1 latency", "chain fadd fadd".
 *
 * Facts about `fuse` and `unlaminate` lines are measured in slots, of both instructions or of the
 * whole instruction:
 *
 * - "fuse cmp e": cmp r,r and a branch on condition e. On x86, one condition also represents its
 * inverse: o b e be s p l le.
 * - "fuse cmp memory": cmp with a memory operand. Likewise memory-immediate, store, immediate.
 * - "fuse add after copy", "fuse add after load": an add to the register that the copy or load
 * wrote.
 * - "unlaminate two-operand", "unlaminate three-operand", "unlaminate stores": the instruction with
 * an index in its address. */
struct measured_fact {
	char word[40];
	struct figure figure;
	char words[80]; /* the measured loop, for a comment; empty: no comment */
};

struct measured_buffer {
	char word[24]; /* "rob", "registers", as in `size` lines */
	struct knee knee;
	double own;	/* entries that the loop itself needs, without fillers */
	char words[80]; /* the filler instructions, for a comment; may be empty */
};

struct measured {
	char isa[16], processor[64]; /* isa: "x86_64"; processor: its own name */
	char match[160]; /* conditions of a `match` line, "vendor GenuineIntel family 6 model a7";
			    empty: none */
	char words[160]; /* date and conditions of the measurement, for a comment; may be empty */
	struct figure width; /* rename slots a cycle */
	int op_count;
	struct measured_op op[MEASURED_OPS];
	int mix_count;
	struct measured_mix mix[MEASURED_MIXES];
	int fact_count;
	struct measured_fact fact[MEASURED_FACTS];
	int buffer_count;
	struct measured_buffer buffer[MEASURED_BUFFERS];
};

/* Writes the mixes to measure next, at most `most`, to `next`. Returns their number. The caller
 * measures each mix, and appends it to measured->mix with its cycles (known false: the measurement
 * failed). It calls this function again until the result is 0. The first mixes have the most
 * information, so the caller may stop early. A mix may come again if its result contradicts other
 * results. The function needs the width, and `each` and `slots` of the ops. A call needs
 * milliseconds. */
int measured_next(const struct measured *measured, struct measured_mix *next, int most);

/* The ports and units that explain the measurements. */
struct measured_ports {
	int ports, units; /* units follow after the ports; one instruction at a time holds a unit */
	bool known[MEASURED_OPS];     /* the micro-ops of the class are known */
	int term_count[MEASURED_OPS]; /* 0: needs no port */
	struct uarch_term term[MEASURED_OPS][UARCH_TERMS]; /* without memory accesses */
	struct measured_agreement {
		int mixes;
		double median, worst; /* relative differences between prediction and measurement */
	} fitted, checked; /* fitted: mixes that the search used; checked: mixes that were only
			      compared */
	int nested; /* number of pairs of a class with at least four ports and a class on a subset
		       of these ports */
	double slower; /* median time of these pairs, relative to the best assignment; above 1 if
			  ports are chosen at rename */
	char disagrees[200]; /* the worst mix, if it differs by more than 5 %; otherwise empty */
};

/* Finds the fewest ports, and the micro-ops of each class, that agree with the throughputs and
 * mixes. */
void measured_find_ports(const struct measured *measured, struct measured_ports *ports);

/* Writes the core model as the text of a .uarch file. Each number has [measured] and a spread.
 * uarch_parse() can read the text. */
void measured_write(const struct measured *measured, const struct measured_ports *ports,
	const char *name, struct text *text);

/* Writes the `fuse` and `unlaminate` lines. They follow from measured slots. */
void measured_write_rules(const struct measured *measured, struct text *text);
/* Whether the word of a fact belongs to a `fuse` or `unlaminate` line. */
bool measured_is_rule(const char *words);

/* The measured value of a fact. NULL: it was not measured. */
const struct figure *measured_fact(const struct measured *measured, const char *word);

/* Whether the measured "extra binds-ports" shows that the core chooses ports at rename. slower may
 * be NULL. */
bool measured_early(const struct figure *slower);

/* A number that both models may have. */
struct model_difference {
	char what[64]; /* "latency of fadd", "width", "size rob", "2 fadd and 3 vlogic" (cycles of
			  this mix) */
	double a, b;   /* the value in each model; NAN: unknown */
	double a_spread, b_spread; /* ±; 0: not stated */
	bool agrees; /* they differ by less than the measurement error; false if one value is NAN */
};

/* Lists the numbers that at least one model knows, in the order of core files. If a throughput
 * ("each fadd") was not measured, it follows from ports, width and caps. Pairs of classes come
 * last: each class alone agrees, but both together differ. There is one pair for each class, the
 * worst first. If model b has no line for a class, its fallback class is used; model a has no
 * fallback. Names of ports do not matter. Returns the number of differences; writes at most `most`.
 */
int model_differences(const struct uarch *a, const struct uarch *b,
	struct model_difference *difference, int most);
