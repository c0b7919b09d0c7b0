/* Measurements of a core without counters, and the core model that follows from them. Pure:
 * measurements in; the next mixes to measure, and facts, out. No core file is read. */
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

/* A measured value with its spread; known false: not measured, or the measurement failed. */
struct figure {
	bool known;
	double value, lo, hi; /* median, quartiles (or range of repeated measurements) */
};

/* A class of instructions, represented by one instruction. A class with only a name is one about
 * which nothing is known. */
struct measured_op {
	char name[24];		  /* as in a core file: "fadd.512", "load", "vstore.256" */
	char load[24], store[24]; /* the classes of the memory accesses that this instruction also
				     makes ("vload.256"); empty: none. Both are empty for plain
				     loads and stores */
	unsigned accesses;	  /* how many accesses; 0: one */
	unsigned
		bits; /* of the widest vector register in the instruction; 0: none. Vectors of 512
			 bits may switch the core to a mode with fewer ports for narrower vectors */
	struct figure latency; /* cycles from register operand to result, of a load from address to
				  value; unknown: no result */
	struct figure accumulate; /* of a multiply-add, from addend to result */
	struct figure each;  /* reciprocal throughput: cycles an instruction without dependences */
	struct figure slots; /* rename slots of the whole instruction, accesses included */
};

/* Independent instructions of several classes, well mixed: `times` of each in so many cycles. */
struct measured_mix {
	int count;
	int op[MEASURED_PARTS]; /* indices of ops */
	double times[MEASURED_PARTS];
	bool check; /* only compared with what the ports predict; the search does not use it */
	struct figure cycles;
};

/* Another number, with the words and unit of core files: "cap loads-512", "size opcache", "extra
 * forward", "cache 2 bytes", "cache 1 latency", "chain fadd fadd". Facts about `fuse` and
 * `unlaminate` lines are measured as slots, of both instructions or of the whole one: "fuse cmp e":
 * cmp r,r and a branch on condition e (on x86 one condition represents its inverse too: o b e be s
 * p l le); "fuse cmp memory": cmp with a memory operand (likewise memory-immediate, store,
 * immediate); "fuse add after copy", "fuse add after load": an add of the register that the copy or
 * load wrote; "unlaminate two-operand", "unlaminate three-operand", "unlaminate stores": the
 * instruction with an index in its address. */
struct measured_fact {
	char word[40];
	struct figure figure;
	char words[80]; /* the measured loop, for a comment; empty: none */
};

struct measured_buffer {
	char word[24]; /* "rob", "registers", as in `size` lines */
	struct knee knee;
	double own;	/* entries of the loop itself, without the fillers */
	char words[80]; /* the fillers, for a comment; may be empty */
};

struct measured {
	char isa[16], processor[64]; /* "x86_64"; the processor's own name */
	char match[160]; /* the conditions of a `match` line, "vendor GenuineIntel family 6 model
			    a7"; empty: none */
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

/* Writes the mixes to measure next, at most `most`, to `next`, and returns their number. Append
 * each to measured->mix with its cycles (unknown: it could not be measured), and call again, until
 * the result is 0. The first mixes say most, so the caller may stop early. A mix may come again
 * when its result contradicts others. Needs the width, and `each` and `slots` of the ops. A call
 * takes milliseconds. */
int measured_next(const struct measured *measured, struct measured_mix *next, int most);

/* The ports and units that explain the measurements. */
struct measured_ports {
	int ports, units; /* units follow after the ports: one instruction at a time holds a unit */
	bool known[MEASURED_OPS];     /* the micro-ops of the class are known */
	int term_count[MEASURED_OPS]; /* 0: needs no port */
	struct uarch_term term[MEASURED_OPS][UARCH_TERMS]; /* without its accesses */
	struct measured_agreement {
		int mixes;
		double median, worst; /* relative differences between prediction and measurement */
	} fitted, checked; /* mixes that the search used; mixes that were only compared */
	int nested; /* pairs of a class with at least four ports, and a class on a subset of these
		       ports */
	double slower; /* median time of these pairs, relative to the best assignment: above 1 where
			  ports are chosen at rename */
	char disagrees[200]; /* the worst mix, if it differs by more than 5 %; else empty */
};

/* Finds the fewest ports, and the micro-ops of each class, that agree with the throughputs and
 * mixes. */
void measured_find_ports(const struct measured *measured, struct measured_ports *ports);

/* Writes the core model as the text of a .uarch file, with [measured] and a spread for each number.
 * uarch_parse() reads it. */
void measured_write(const struct measured *measured, const struct measured_ports *ports,
	const char *name, struct text *text);

/* Writes the `fuse` and `unlaminate` lines that follow from measured slots. */
void measured_write_rules(const struct measured *measured, struct text *text);
/* Whether a fact's words belong to a `fuse` or `unlaminate` line. */
bool measured_is_rule(const char *words);

/* Whether the measured "extra binds-ports" shows that the core chooses ports at rename. */
bool measured_early(const struct figure *slower);

/* A number in two models. */
struct model_difference {
	char what[64]; /* "latency of fadd", "width", "size rob", "2 fadd and 3 vlogic" (cycles of
			  this mix) */
	double a, b;   /* NAN: this model does not know */
	double a_spread, b_spread; /* ±; 0: not said */
	bool agrees;		   /* within the error of the measurement; false if one is NAN */
};

/* Lists the numbers that one model or both know, in the order of core files. A throughput ("each
 * fadd") without a measured value follows from ports, width and caps. Pairs of classes that agree
 * alone but differ together come last, one for each class, the worst first. Model b uses its
 * stand-in for a class without a line; model a does not. Names of ports do not matter. Returns how
 * many differences there are; at most `most` are written. */
int model_differences(const struct uarch *a, const struct uarch *b,
	struct model_difference *difference, int most);
