/* Inside the search for ports (infer_*.c, mixes.c): it finds the ports and micro-ops that explain
 * what was measured of a core. Everything follows from the measurements alone, and each call
 * searches from the start. */
#pragma once

#include "model/limits/ports.h"
#include "model/measured/measured.h"

enum {
	INFER_PORTS = 18, /* at most; with the units they fill what a core file has room for */
	INFER_UNITS = UARCH_PORTS - INFER_PORTS,
	INFER_GROUPS = 40,
	INFER_QUESTIONS = 512,
};

enum infer_kind {
	INFER_UNKNOWN, /* too little is measured, or the rename width hides its ports */
	INFER_NONE,    /* needs no port */
	INFER_SIMPLE,  /* one micro-op that any of a set of ports executes, one a cycle each */
	INFER_COMPLEX, /* several micro-ops, or one that holds a port or unit for longer */
};

/* Classes of one micro-op that go to the same ports. */
struct infer_group {
	int op;	   /* the class that represents the group in mixes */
	int ports; /* how many */
	bool memory;
	uint32_t set; /* which */
};

struct inference {
	const struct measured *measured;
	struct measured_ports *to;
	double width; /* slots a cycle; 0: unknown */
	bool early;   /* ports are chosen at rename: a mix that fills many ports takes up to a third
			 longer than the best assignment */
	enum infer_kind kind[MEASURED_OPS];
	int group_of[MEASURED_OPS];   /* -1: none yet */
	int wide[MEASURED_OPS];	      /* SIMPLE: how many ports it can use */
	bool open[MEASURED_OPS];      /* COMPLEX: its micro-ops need one more mix */
	double stretch[MEASURED_OPS]; /* cycles that each of its micro-ops holds a port: 1, or more
					 where its throughput is lower than its ports allow */
	int group_count;
	struct infer_group group[INFER_GROUPS];
	int ports;
	int enough; /* stop the search after so many questions; what is unknown then gets no
		       question of its own */
	int question_count, late_count;
	struct measured_mix question[INFER_QUESTIONS]; /* mixes to measure first */
	struct measured_mix late[INFER_QUESTIONS]; /* mixes to measure when no question is left */
};

/* All measurements of one mix together. */
struct mix_result {
	int asked;     /* how often it was measured */
	int known;     /* how often with success */
	double cycles; /* the median of the successful ones */
	double spread; /* relative, of one of them */
	bool apart;    /* they contradict each other */
};

/* ---- mixes.c */

bool infer_same_mix(const struct measured_mix *a, const struct measured_mix *b);
struct mix_result infer_result(const struct inference *in, const struct measured_mix *mix);
/* Adds a mix to the questions, once, unless it was measured `times` times before. */
void infer_ask(struct inference *in, const struct measured_mix *mix, int times);
/* Adds a mix that confirms something: once, unless it was measured before. */
void infer_ask_late(struct inference *in, const struct measured_mix *mix);
/* Two classes in the numbers that show how many ports they have together: `ports_a` of one,
 * `ports_b` of the other. */
struct measured_mix infer_pair(int a, int ports_a, int b, int ports_b);
/* The same for two groups. */
static inline struct measured_mix infer_groups(
	const struct infer_group *a, const struct infer_group *b)
{
	return infer_pair(a->op, a->ports, b->op, b->ports);
}
/* Whether two ops of a mix may run in another mode than each alone: infer_clash(). */
bool infer_mix_clashes(const struct inference *in, const struct measured_mix *mix);
/* Whether two ops next to each other may run in another mode than each alone, so that their time
 * proves nothing: vectors of 512 bits and narrower ones that more than one port executes. */
bool infer_clash(const struct inference *in, int op, int other);
/* The least cycles that loads on sets of ports take: ports_balance(), faster for few loads. */
double infer_bound(const struct port_load *load, int count);
/* Whether two ops differ only in width, or in where the operand is: "blend", "blend.512" and
 * "blend-load" probably execute alike. */
bool infer_related(const struct inference *in, int op, int other);
/* The cost of predicting `predicted` cycles where `cycles` were measured, in squared errors of one
 * measurement. A core can be slower than its ports allow, mostly where `ports` (of the largest set)
 * are many, but never faster: so a prediction that is too low costs less. */
double infer_miss(
	const struct inference *in, double predicted, double cycles, double spread, int ports);
bool infer_is_memory(const char *name);
/* Slots of the whole instruction: rounded where that is nearly whole; 1 where unknown. */
double measured_slots(const struct measured_op *op);
/* The same without the slot of its store, as a core file counts them. */
double measured_own_slots(const struct measured_op *op);
/* Appends the work of `times` instructions of an op, accesses included, to load; false: some of it
 * is unknown. */
bool infer_work(
	const struct inference *in, int op, double times, struct port_load *load, int *count);
/* The same without the work of the op itself. */
bool infer_accesses(
	const struct inference *in, int op, double times, struct port_load *load, int *count);
/* Cycles of a mix by the ports found so far; NAN: unknown. */
double infer_cycles(const struct inference *in, const struct measured_mix *mix);

/* ---- infer_sets.c: groups of simple classes, and a set of ports for each group */
void infer_sets(struct inference *in);

/* ---- infer_micro_ops.c: the micro-ops of complex classes, and the units that they hold */
void infer_micro_ops(struct inference *in);
void infer_units(struct inference *in);
