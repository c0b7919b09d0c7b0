/* Internals of the search for ports (infer_*.c, mixes.c). The search finds the ports and micro-ops
 * that explain the measurements of a core. The search for ports uses only the measurements, and
 * each call searches from the start. */
#pragma once

#include "model/limits/ports.h"
#include "model/measured/measured.h"

enum {
	INFER_PORTS = 18, /* largest number of ports; ports and units together fill a core file */
	INFER_UNITS = UARCH_PORTS - INFER_PORTS,
	INFER_GROUPS = 40,
	INFER_QUESTIONS = 512,
};

enum infer_kind {
	INFER_UNKNOWN, /* the class has too few measurements, or the rename width hides its ports */
	INFER_NONE,    /* the class needs no port */
	INFER_SIMPLE,  /* the class has one micro-op, which can use any port of a set for one cycle
			*/
	INFER_COMPLEX, /* the class has several micro-ops, or one micro-op that holds a port or unit
			  for more than a cycle */
};

/* A group of instruction classes that have one micro-op each and use the same ports. */
struct infer_group {
	int op;	   /* index of the instruction class that represents the group in measured loops of
		      mixed instructions */
	int ports; /* number of ports that the classes of the group can use */
	bool memory;
	uint32_t set; /* the ports that the classes of the group use, one bit for each port; 0:
			 unknown */
};

struct inference {
	const struct measured *measured;
	struct measured_ports *to;
	double width; /* rename width in slots per cycle; 0: unknown */
	bool early;   /* the core chooses ports at rename: a mix that fills many ports may need a
			 third more time than with the best assignment */
	enum infer_kind kind[MEASURED_OPS];
	int group_of[MEASURED_OPS]; /* index of the group of each class; -1: the class has no group
				       yet */
	int wide[MEASURED_OPS];	 /* for a class of kind INFER_SIMPLE, the number of ports that its
				    micro-op can use */
	bool open[MEASURED_OPS]; /* for a class of kind INFER_COMPLEX: one more mix must be measured
				    to find its micro-ops */
	double stretch[MEASURED_OPS]; /* cycles for which each micro-op holds a port: 1, or more if
					 the throughput of the class is lower than its ports allow
				       */
	int group_count;
	struct infer_group group[INFER_GROUPS];
	int ports;
	int enough; /* number of instruction mixes in the list `question` at which the search stops
		     */
	int question_count, late_count;
	struct measured_mix
		question[INFER_QUESTIONS]; /* instruction mixes that should be measured first */
	struct measured_mix late[INFER_QUESTIONS]; /* instruction mixes to measure after the mixes
						      in `question` */
};

/* The results of all measurements of one mix: a loop of independent instructions of several
 * classes. */
struct mix_result {
	int asked;     /* number of measurements of the instruction mix */
	int known;     /* number of successful measurements of the instruction mix */
	double cycles; /* cycles of the instruction mix: median of the successful measurements */
	double spread; /* relative spread of a single measurement of the instruction mix */
	bool apart;    /* true: two measurements of the instruction mix contradict each other */
};

/* ---- mixes.c: functions for mixes of instructions */

bool infer_same_mix(const struct measured_mix *a, const struct measured_mix *b);
struct mix_result infer_result(const struct inference *in, const struct measured_mix *mix);
/* Adds a mix to the mixes to measure, unless the mix is listed already or was measured `times`
 * times. */
void infer_ask(struct inference *in, const struct measured_mix *mix, int times);
/* Adds an instruction mix that confirms a result to the mixes to measure last, unless the mix is
 * listed already or was measured. */
void infer_ask_late(struct inference *in, const struct measured_mix *mix);
/* Returns a mix: a loop of `ports_a` instructions of class a and `ports_b` instructions of class b.
 * The time of the mix shows how many ports both classes use together. */
struct measured_mix infer_pair(int a, int ports_a, int b, int ports_b);
/* Returns a mix of the classes that represent two groups, as infer_pair() does for two classes. */
static inline struct measured_mix infer_groups(
	const struct infer_group *a, const struct infer_group *b)
{
	return infer_pair(a->op, a->ports, b->op, b->ports);
}
/* Whether any two instruction classes of a mix may switch the core to another mode when they run
 * together. */
bool infer_mix_clashes(const struct inference *in, const struct measured_mix *mix);
/* Whether two ops may change the mode of the core when they run together. The time of a mix of two
 * such instruction classes proves nothing about their ports. An example of classes that change the
 * core's mode is a 512-bit vector together with a narrower vector that more than one port executes.
 */
bool infer_clash(const struct inference *in, int op, int other);
/* Returns the smallest number of cycles for the given work on sets of ports. The result is that of
 * ports_balance(), but the function is faster if count is small. */
double infer_bound(const struct port_load *load, int count);
/* Whether two instruction classes (ops) differ only in vector width, or in the place of the
 * operand: register or memory. For example, "blend", "blend.512" and "blend-load" probably use the
 * same ports. */
bool infer_related(const struct inference *in, int op, int other);
/* Returns the cost of predicting `predicted` cycles if `cycles` were measured, in squared errors of
 * one measurement. A core is never faster than the ports in the core model allow. A core can be
 * slower than its ports allow, mostly if `ports`, the size of the largest set of ports, is large. A
 * predicted time below the measured time therefore costs less than a predicted time above it. */
double infer_miss(
	const struct inference *in, double predicted, double cycles, double spread, int ports);
bool infer_is_memory(const char *name);
/* Returns the index of the instruction class (op) called `name`. Returns -1 if no instruction class
 * (op) has the name, or the name is empty. */
int infer_op(const struct measured *measured, const char *name);
/* Returns the rename slots of the measured instruction with its memory accesses. A number close to
 * a whole number is rounded; an unknown number counts as 1. */
double measured_slots(const struct measured_op *op);
/* Like measured_slots(), but without the slot of the instruction's store, as in a core file. */
double measured_own_slots(const struct measured_op *op);
/* Appends the work of `times` instructions of a class (op) to the array `load`, including memory
 * accesses. Returns false if a part of the instructions' work is unknown. */
bool infer_work(
	const struct inference *in, int op, double times, struct port_load *load, int *count);
/* Like infer_work(), but appends only the work of the memory accesses of the instruction class. */
bool infer_accesses(
	const struct inference *in, int op, double times, struct port_load *load, int *count);
/* Predicts the cycles of a mix of instructions from the known ports. Returns NAN if some micro-ops
 * of the mixed instructions are unknown. */
double infer_cycles(const struct inference *in, const struct measured_mix *mix);

/* ---- infer_sets.c: finds groups of simple classes, and a set of ports for each group */
void infer_sets(struct inference *in);

/* ---- infer_micro_ops.c: finds the micro-ops of complex classes */
void infer_micro_ops(struct inference *in);

/* ---- infer_units.c: finds the units that complex classes hold, from their micro-ops */
void infer_units(struct inference *in);
