/* Measurements of a core without hardware counters, and the core model derived from these
 * measurements. The functions of measured.h get measurements, and return facts and the next mixes
 * of instructions to measure. No function of measured.h reads a core file. */
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

/* A measured value with its spread. known is false if the value was not measured, or if the
 * measurement failed. */
struct figure {
	bool known;
	double value, lo, hi; /* value: the median; lo and hi: quartiles, or the range of repeated
				 measurements */
};

/* A class of instructions, represented by one measured instruction. If a class has only a name, all
 * its numbers are unknown. */
struct measured_op {
	char name[24]; /* name of the class, as in a core file: "fadd.512", "load", "vstore.256" */
	char load[24], store[24]; /* classes of the memory accesses that the instruction makes in
				     addition ("vload.256"); empty: no access. In the classes of
				     plain loads and stores, load and store are empty */
	unsigned accesses;	  /* number of memory accesses of the instruction; 0 means one */
	unsigned bits; /* width in bits of the widest vector register in the instruction; 0: no
			  vector register. 512-bit vectors may switch the core to a mode with fewer
			  ports for narrower vectors */
	struct figure latency; /* cycles from register operand to result; for a load, from address
				  to value; unknown if the instruction has no result */
	struct figure accumulate; /* for a multiply-add, the cycles from addend to result */
	struct figure each;  /* reciprocal throughput: cycles per instruction without dependences */
	struct figure slots; /* number of rename slots of the whole instruction, including its
				memory accesses */
};

/* A mix: independent instructions of several classes in alternating order. times[i] instructions of
 * each class op[i] together need `cycles`. */
struct measured_mix {
	int count;
	int op[MEASURED_PARTS]; /* indices, in measured->op, of the classes that the mix contains */
	double times[MEASURED_PARTS];
	bool check; /* true: the mix of instructions only checks predicted cycles; the search for
		       ports does not use it */
	struct figure cycles;
};

/* A measured number (fact) about the core that belongs to no instruction class. The word and the
 * unit of a fact are as in core files: "cap loads-512", "size opcache", "extra forward", "cache 2
 * bytes", "cache 1 latency", "chain fadd fadd".
 *
 * The value of a `fuse` fact is the number of rename slots of both instructions. The value of an
 * `unlaminate` fact is the number of rename slots of the whole instruction.
 *
 * - "fuse cmp e": cmp r,r and a branch on condition e. On x86, one condition also represents its
 * inverse: o b e be s p l le.
 * - "fuse cmp memory": cmp with a memory operand and a branch. The words memory-immediate, store
 * and immediate stand for other operands of cmp.
 * - "fuse add after copy", "fuse add after load": an add to the register that the copy or load
 * wrote.
 * - "unlaminate two-operand", "unlaminate three-operand", "unlaminate stores": the instruction with
 * an index in its address; the one of three operands uses vector registers. */
struct measured_fact {
	char word[40];
	struct figure figure;
	char words[80]; /* description of the measured loop, for a comment in the core file; empty:
			   no comment */
};

struct measured_buffer {
	char word[24]; /* name of the buffer, as in `size` lines of a core file: "rob", "registers"
			*/
	struct knee knee;
	double own;	/* entries of the buffer that the loop itself needs, without fillers */
	char words[80]; /* description of the filler instructions, for a comment in the core file;
			   may be empty */
};

struct measured_buffers {
	int count;
	struct measured_buffer buffer[MEASURED_BUFFERS];
};

struct measured {
	char isa[16], processor[64]; /* isa: instruction set, such as "x86_64"; processor: the name
					that the processor reports */
	char match[160]; /* conditions for the `match` line of the core file, "vendor GenuineIntel
			    family 6 model a7"; empty: the core file gets no `match` line */
	char words[160]; /* date and conditions of the measurement, for a comment in the core file;
			    may be empty */
	uint64_t l1i_bytes;  /* size of the first instruction cache; 0: unknown */
	struct figure width; /* rename width in slots per cycle */
	bool nops_share;     /* true: a nop after another instruction takes no rename slot */
	int op_count;
	struct measured_op op[MEASURED_OPS];
	int mix_count;
	struct measured_mix mix[MEASURED_MIXES];
	int fact_count;
	struct measured_fact fact[MEASURED_FACTS];
	struct measured_buffers buffers;
};

/* Writes up to `most` mixes that should be measured next to `next`, and returns the number of these
 * mixes. The caller measures each instruction mix, and appends the mix with its cycles to
 * measured->mix. If a measurement failed, cycles.known is false. The caller calls measured_next()
 * again and again, until it returns no more mixes (0). The first instruction mixes in `next` give
 * the most information, so the caller may stop early. If the cycles of an instruction mix
 * contradict other results, measured_next() may return the mix once more. Before the first call,
 * the rename width, and `each` (throughput) and `slots` of each class, must have been measured. A
 * call of measured_next() needs milliseconds. */
int measured_next(const struct measured *measured, struct measured_mix *next, int most);

/* The ports and units that explain the measurements. */
struct measured_ports {
	int ports, units; /* number of ports and of units; units have the numbers after the ports. A
			     unit, such as the divider, is held by one instruction at a time */
	bool known[MEASURED_OPS];     /* true: the micro-ops of the instruction class are known */
	int term_count[MEASURED_OPS]; /* number of kinds of micro-ops (terms) of each class; 0: the
					 class needs no port */
	struct uarch_term term[MEASURED_OPS]
			      [UARCH_TERMS]; /* micro-ops of each instruction class, without those
						of its memory accesses */
	struct measured_agreement {
		int mixes;
		double median, worst; /* relative differences between predicted and measured cycles
					 of instruction mixes */
	} fitted, checked; /* fitted: agreement for the instruction mixes that the search used;
			      checked: agreement for mixes that were only compared */
	int nested;    /* number of measured pairs of classes in which the first class has at least
			  four ports and the second class uses a subset of these ports */
	double slower; /* median time of the pairs counted in `nested`, relative to the best
			  assignment; above 1 if the core chooses ports at rename */
	char disagrees[200]; /* words for the mix with the worst prediction, if the error is more
				than 5 %; otherwise empty */
};

/* Finds the smallest number of ports, and the micro-ops of each class, that agree with the measured
 * throughputs and mixes. */
void measured_find_ports(const struct measured *measured, struct measured_ports *ports);

/* Writes the core model as the text of a .uarch file. Each number is followed by [measured] and its
 * spread. uarch_parse() can read the text. */
void measured_write(const struct measured *measured, const struct measured_ports *ports,
	const char *name, struct text *text);

/* Writes the `fuse` and `unlaminate` lines of a core file. The `fuse` and `unlaminate` lines are
 * computed from measured rename slots. */
void measured_write_rules(const struct measured *measured, struct text *text);
/* Whether the word of a measured fact belongs to a `fuse` or `unlaminate` line. */
bool measured_is_rule(const char *words);

/* Returns the measured value of the core's fact called `word`. Returns NULL if the core's fact was
 * not measured. */
const struct figure *measured_fact(const struct measured *measured, const char *word);

/* Whether the measured value of "extra binds-ports" shows that the core chooses ports at rename.
 * slower is the measured value of "extra binds-ports"; NULL: not measured. */
bool measured_early(const struct figure *slower);

/* A difference between two core models: one number, with its value in each model. */
struct model_difference {
	char what[64]; /* name of the number: "latency of fadd", "width", "size rob", "2 fadd and 3
			  vlogic" (cycles of a mix) */
	double a, b;   /* value of the number in each model; NAN: unknown */
	double a_spread, b_spread; /* spread (±) of each value; 0: not stated */
	bool agrees; /* the values differ by less than the measurement error; false if one value is
			NAN */
};

/* Lists all numbers that at least one of two core models knows, in the order of core files. If a
 * model does not state a throughput ("each fadd"), the throughput is computed from ports, width and
 * caps. Pairs of classes come last: the models agree on each class alone, but differ on both
 * classes together. For each class that differs in pairs, only the pair that differs most is
 * listed. The worst pair comes first. If model b, the second of the compared core models, has no
 * line for a class, its fallback class is used; for the first model, no fallback is used. When two
 * core models are compared, the names of ports do not matter. Returns the number of entries in the
 * list; writes at most `most` entries to `difference`. */
int model_differences(const struct uarch *a, const struct uarch *b,
	struct model_difference *difference, int most);
