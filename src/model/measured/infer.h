/* Internals of the search for ports (infer_*.c, mixes.c). The search finds the ports and micro-ops
 * that explain the measurements of a core. It uses only the measurements, and each call searches
 * from the start. */
#pragma once

#include "model/limits/ports.h"
#include "model/measured/measured.h"

enum {
	INFER_PORTS = 18, /* largest number; with the units, they fill a core file */
	INFER_UNITS = UARCH_PORTS - INFER_PORTS,
	INFER_GROUPS = 40,
	INFER_QUESTIONS = 512,
};

enum infer_kind {
	INFER_UNKNOWN, /* too few measurements, or the rename width hides its ports */
	INFER_NONE,    /* needs no port */
	INFER_SIMPLE,  /* one micro-op, which can use any port of a set for one cycle */
	INFER_COMPLEX, /* several micro-ops, or one that holds a port or unit for more than a cycle
			*/
};

/* Classes of one micro-op that use the same ports. */
struct infer_group {
	int op;	   /* the class that represents the group in mixes */
	int ports; /* number of ports */
	bool memory;
	uint32_t set; /* these ports; 0: unknown */
};

struct inference {
	const struct measured *measured;
	struct measured_ports *to;
	double width; /* slots a cycle; 0: unknown */
	bool early; /* ports are chosen at rename: a mix that fills many ports may need a third more
		       time than the best assignment */
	enum infer_kind kind[MEASURED_OPS];
	int group_of[MEASURED_OPS];   /* -1: no group yet */
	int wide[MEASURED_OPS];	      /* SIMPLE: number of ports it can use */
	bool open[MEASURED_OPS];      /* COMPLEX: its micro-ops need one more mix */
	double stretch[MEASURED_OPS]; /* cycles for which each micro-op holds a port: 1, or more if
					 its throughput is lower than its ports allow */
	int group_count;
	struct infer_group group[INFER_GROUPS];
	int ports;
	int enough; /* stop the search after this many questions; what is still unknown then gets no
		       question */
	int question_count, late_count;
	struct measured_mix question[INFER_QUESTIONS]; /* mixes to measure first */
	struct measured_mix late[INFER_QUESTIONS];     /* mixes to measure after these questions */
};

/* The results of all measurements of one mix. */
struct mix_result {
	int asked;     /* number of measurements */
	int known;     /* number of successful measurements */
	double cycles; /* median of the successful measurements */
	double spread; /* relative spread of one measurement */
	bool apart;    /* the results contradict each other */
};

/* ---- mixes.c */

bool infer_same_mix(const struct measured_mix *a, const struct measured_mix *b);
struct mix_result infer_result(const struct inference *in, const struct measured_mix *mix);
/* Adds a mix to the questions, unless it is a question already or was measured `times` times. */
void infer_ask(struct inference *in, const struct measured_mix *mix, int times);
/* Adds a mix that confirms a result, unless it is a question already or was measured. */
void infer_ask_late(struct inference *in, const struct measured_mix *mix);
/* A mix of `ports_a` instructions of class a and `ports_b` instructions of class b. Its time shows
 * how many ports they use together. */
struct measured_mix infer_pair(int a, int ports_a, int b, int ports_b);
/* A mix of two groups, as in infer_pair(). */
static inline struct measured_mix infer_groups(
	const struct infer_group *a, const struct infer_group *b)
{
	return infer_pair(a->op, a->ports, b->op, b->ports);
}
/* Whether infer_clash() holds for any two ops of a mix. */
bool infer_mix_clashes(const struct inference *in, const struct measured_mix *mix);
/* Whether two ops may change the mode of the core when they run together. Their time then proves
 * nothing. This concerns 512-bit vectors together with narrower vectors that more than one port
 * executes. */
bool infer_clash(const struct inference *in, int op, int other);
/* The smallest number of cycles for loads on sets of ports. Like ports_balance(), but faster for
 * few loads. */
double infer_bound(const struct port_load *load, int count);
/* Whether two ops differ only in width, or in the place of the operand. "blend", "blend.512" and
 * "blend-load" probably use the same ports. */
bool infer_related(const struct inference *in, int op, int other);
/* The cost of a prediction, in squared errors of one measurement. The prediction is `predicted`
 * cycles, the measured value `cycles`. A core is never faster than its ports allow, but it can be
 * slower. It is often slower if `ports`, the size of the largest set, is large. A low prediction
 * therefore costs less than a high one. */
double infer_miss(
	const struct inference *in, double predicted, double cycles, double spread, int ports);
bool infer_is_memory(const char *name);
/* The op with this name; -1: none. An empty name is no op. */
int infer_op(const struct measured *measured, const char *name);
/* Slots of the whole instruction: rounded if nearly whole; 1 if unknown. */
double measured_slots(const struct measured_op *op);
/* Like measured_slots(), but without the slot of its store, as in a core file. */
double measured_own_slots(const struct measured_op *op);
/* Appends the work of `times` instructions of an op to load, including memory accesses. Returns
 * false if a part of the work is unknown. */
bool infer_work(
	const struct inference *in, int op, double times, struct port_load *load, int *count);
/* Like infer_work(), but only the memory accesses of the op. */
bool infer_accesses(
	const struct inference *in, int op, double times, struct port_load *load, int *count);
/* Cycles of a mix, predicted from the known ports; NAN: unknown. */
double infer_cycles(const struct inference *in, const struct measured_mix *mix);

/* ---- infer_sets.c: groups of simple classes, and a set of ports for each group */
void infer_sets(struct inference *in);

/* ---- infer_micro_ops.c: the micro-ops of complex classes, and the units that they hold */
void infer_micro_ops(struct inference *in);
void infer_units(struct inference *in);
