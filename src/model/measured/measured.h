/* What was measured of a core without counters, and the core model that follows from it. Pure:
 * figures in, the next thing to measure and facts out. Nothing in here or in what it makes comes
 * from a core's file. */
#ifndef SLX_MODEL_MEASURED_MEASURED_H
#define SLX_MODEL_MEASURED_MEASURED_H

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

/* A figure with its spread; known false: could not be measured, or is not yet. */
struct figure {
	bool known;
	double value, lo, hi; /* median, quartiles (or the range of repeated measurements) */
};

/* A class of instructions, stood for by one instruction. Zeroed but for its name it is one of which
 * nothing is known. */
struct measured_op {
	char name[24];		  /* as in a core's file: "fadd.512", "load", "vstore.256" */
	char load[24], store[24]; /* the classes of the accesses that this instruction makes besides
				     ("vload.256"); empty: none. Of the plain loads and stores that
				     stand for classes "load", "vstore" … both are empty */
	unsigned accesses;	  /* so many of them; 0: one */
	unsigned bits; /* of the widest vector register that its instruction names; 0: none. Of 512
			  bits beside narrower ones may run in another mode, in which the narrower
			  find fewer ports */
	struct figure latency; /* cycles from register operand to result; of a load from address to
				  value; unknown where it has no result */
	struct figure accumulate; /* of a multiply-add, from addend to result */
	struct figure each; /* cycles an instruction when nothing waits for anything: the reciprocal
			       throughput */
	struct figure slots; /* of the width that the whole instruction takes, accesses with it */
};

/* Classes run side by side, waiting for nothing: `times` instructions of each, well mixed, in so
 * many cycles. */
struct measured_mix {
	int count;
	int op[MEASURED_PARTS]; /* indices of ops */
	double times[MEASURED_PARTS];
	bool check; /* nothing is to follow from it: it is there to be compared with what the ports
		       say */
	struct figure cycles;
};

/* Another number, by the words that a core's file has for it, and in its unit: "cap loads-512",
 * "size opcache", "extra forward", "cache 2 bytes", "cache 1 latency", "chain fadd fadd". What a
 * core's file says by rules is measured as slots, of both instructions or of the whole one:
 *
 * - fuse cmp e: cmp r,r and a branch on condition e (on x86 one of a pair stands for both: o b e be
 * s p l le)
 * - fuse cmp memory: likewise with a memory operand; also memory-immediate, store, immediate (the
 * exceptions of a `fuse` line)
 * - fuse add after copy: a copy and an add of what it wrote; likewise after load
 *     unlaminate two-operand, unlaminate three-operand, unlaminate stores
 *         an operation of two operands (of three), and a store, whose address has an index */
struct measured_fact {
	char word[40];
	struct figure figure;
	char words[80]; /* of what loop; empty: nothing is to be said */
};

struct measured_buffer {
	char word[24]; /* "rob", "registers", as `size` has them */
	struct knee knee;
	double own;	/* entries that the loop itself takes beside the fillers */
	char words[80]; /* of what fillers, for a comment; may be empty */
};

struct measured {
	char isa[16], processor[64]; /* "x86_64", the machine's own name for it */
	char match[160]; /* what a `match` line of it says, "vendor GenuineIntel family 6 model a7";
			    empty: none */
	char words[160]; /* when and under what circumstances, for a comment; may be empty */
	struct figure width; /* slots renamed a cycle */
	int op_count;
	struct measured_op op[MEASURED_OPS];
	int mix_count;
	struct measured_mix mix[MEASURED_MIXES];
	int fact_count;
	struct measured_fact fact[MEASURED_FACTS];
	int buffer_count;
	struct measured_buffer buffer[MEASURED_BUFFERS];
};

/* The mixes to measure next: put each into `mix`, with its cycles (unknown where it could not be
 * measured), and ask again, until it returns 0: no mix would tell more. Each call takes
 * milliseconds; what comes first tells most, so that whoever runs out of time may stop. The same
 * mix may be asked for again, when its figure contradicts the others. Needs the width, and `each`
 * and `slots` of the ops. Returns how many of at most `most` it has put into `next`, their cycles
 * unknown. */
int measured_next(const struct measured *measured, struct measured_mix *next, int most);

/* Ports and units that explain what was measured. */
struct measured_ports {
	int ports, units; /* units stand behind the ports: held by one instruction at a time, and no
			     ports */
	bool known[MEASURED_OPS];			   /* what the class executes as is known */
	int term_count[MEASURED_OPS];			   /* 0: takes no port */
	struct uarch_term term[MEASURED_OPS][UARCH_TERMS]; /* its accesses not among them */
	int fitted, checked; /* mixes that it follows from; others that it was only compared with */
	double fitted_median, fitted_worst, checked_median,
		checked_worst; /* relative differences to what was measured */
	int nested; /* pairs of classes of which one has four ports and more, and those of the other
		       among them */
	double slower; /* how many times longer than it could such a pair takes, in the median: more
			  than 1 where a micro-op's port is chosen before it can be known which is
			  free */
	char disagrees[200]; /* about what, if it is more than some percent; empty: nothing */
};

/* The simplest assignment of classes to ports that agrees with the throughputs and mixes. */
void measured_find_ports(const struct measured *measured, struct measured_ports *ports);

/* Cycles that a mix takes by that assignment; NAN where it has an op whose ports are not known. */
double measured_cycles(const struct measured *measured, const struct measured_ports *ports,
	const struct measured_mix *mix);

/* The core model as the text of a .uarch file, each number with [measured] and its spread;
 * uarch_parse() takes it. */
void measured_write(const struct measured *measured, const struct measured_ports *ports,
	const char *name, struct text *text);

/* Writes the `fuse` and `unlaminate` lines that follow from measured slots. */
void measured_write_rules(const struct measured *measured, struct text *text);
/* Whether a fact's words belong to a `fuse` or `unlaminate` line. */
bool measured_is_rule(const char *words);

/* What a `match` line says of a processor, as closely as it can, so that of several files for it
 * this is the one: vendor, family, model, stepping and the features that it has. */
void measured_match(const struct processor *processor, char match[160]);

/* Whether "extra binds-ports", as it was measured, says that ports are chosen at rename. */
bool measured_early(const struct figure *slower);

/* A number of one model beside that of another. */
struct model_difference {
	char what[64]; /* "latency of fadd", "width", "size rob", "2 fadd and 3 vlogic" (side by
			  side, in cycles) */
	double a, b;   /* NAN: the one says nothing */
	double a_spread, b_spread; /* ±; 0: not said */
	bool agrees;		   /* as well as such a figure can be measured; of NAN false */
};

/* The numbers that one model or both have, in the order of a core's file: throughputs ("each fadd")
 * as the ports, the width and caps have them, where no measured one stands in the file; and, last,
 * pairs of classes side by side that take otherwise by the ports of the one than by those of the
 * other though each alone agrees, one for each class that differs so, the worst first. For a class
 * that b has no line of, what stands in for it there counts; not so for a. Names of ports do not
 * matter. Returns how many there are; at most `most` are filled. */
int model_differences(const struct uarch *a, const struct uarch *b,
	struct model_difference *difference, int most);

/* Of all pairs of classes that both models know, how many they let run within 5 % of the same time.
 */
struct model_pairs {
	int pairs, agree;
};
void model_compare_pairs(const struct uarch *a, const struct uarch *b, struct model_pairs *pairs);

#endif
