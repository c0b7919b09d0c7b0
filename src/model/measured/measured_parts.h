/* Inside measured*.c: the search for ports that explain what was measured of a core. */
#ifndef SLX_MODEL_MEASURED_MEASURED_PARTS_H
#define SLX_MODEL_MEASURED_MEASURED_PARTS_H

#include "model/limits/ports.h"
#include "model/measured/measured.h"

enum {
	INFER_PORTS =
		18, /* that may be found, and units: together what a core's file has room for */
	INFER_UNITS = UARCH_PORTS - INFER_PORTS,
	INFER_GROUPS = 40,
	INFER_WANTS = 512,
};

enum infer_kind {
	INFER_UNKNOWN, /* too little is measured, or the width hides its ports */
	INFER_NONE,    /* takes no port */
	INFER_SIMPLE,  /* one micro-op that any of so many ports takes, one a cycle each */
	INFER_COMPLEX, /* several, or one that holds something for longer */
};

/* Classes of one micro-op that go to the same ports. */
struct infer_group {
	int op;	   /* that stands for all of them in mixes */
	int ports; /* how many */
	bool memory;
	uint32_t set; /* which */
};

struct inference {
	const struct measured *measured;
	struct measured_ports *to;
	double width; /* slots a cycle; 0: unknown */
	bool early;   /* ports are chosen at rename: what fills many of them takes up to a third
			 longer than it could */
	enum infer_kind kind[MEASURED_OPS];
	int group_of[MEASURED_OPS];   /* -1: none yet */
	int wide[MEASURED_OPS];	      /* SIMPLE: ports that it can use */
	bool open[MEASURED_OPS];      /* COMPLEX: a mix is wanted to find its terms */
	double stretch[MEASURED_OPS]; /* cycles that each of its micro-ops holds one: 1, or as much
					 more as the throughput is short of that */
	int group_count;
	struct infer_group group[INFER_GROUPS];
	int ports;
	int enough; /* wants after which nothing more is to be found out; what is not known then is
		       not asked about either */
	int want_count, late_count;
	struct measured_mix want[INFER_WANTS],
		late[INFER_WANTS]; /* first, and when nothing else is left to ask */
};

/* What all that was measured of one mix says. */
struct infer_figure {
	int asked; /* how often */
	int known;
	double cycles; /* the median of those known */
	double spread; /* relative, of one of them */
	bool apart;    /* they contradict each other */
};

/* ---- measured.c */

bool infer_same_mix(const struct measured_mix *a, const struct measured_mix *b);
void infer_figure(const struct measured *measured, const struct measured_mix *mix,
	struct infer_figure *figure);
/* Notes a mix as wanted, once, and only if it was not asked for `times` times before;
 * infer_want_late(): as something to be made sure of. */
void infer_want(struct inference *in, const struct measured_mix *mix, int times);
void infer_want_late(struct inference *in, const struct measured_mix *mix);
/* Whether two ops side by side may run in another mode than each alone, so that what they take is
 * no evidence: vectors of 512 bits beside narrower ones that more than one port takes. */
bool infer_clash(const struct inference *in, int op, int other);
/* The least cycles that work on sets of ports takes: of any ports, the work that cannot go
 * elsewhere. */
double infer_bound(const struct port_load *load, int count);
/* Ports of a set, quicker than the compiler's where the processor is not told to have an
 * instruction for it. */
static inline int infer_count(uint32_t set)
{
	set -= set >> 1 & 0x55555555u;
	set = (set & 0x33333333u) + (set >> 2 & 0x33333333u);
	return (int)(((set + (set >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}
/* Whether two ops are of one class but for its width, or where its operand is: "blend", "blend.512"
 * and "blend-load" are likely alike. */
bool infer_related(const struct inference *in, int op, int other);
/* Relative difference as the search counts it, in units of what one measurement is sure to. Nothing
 * runs faster than it can, but where many ports
 * (`ports`: of the largest set) are to be kept busy it often runs slower: that says less. */
double infer_miss(
	const struct inference *in, double predicted, double cycles, double spread, int ports);
bool infer_is_memory(const char *name);
/* The index of an op of that name, or -1. */
int infer_op(const struct measured *measured, const char *name);
/* Slots that the whole instruction takes: a whole number where it is nearly one; 1 where they are
 * not known. Likewise accesses aside, as a core's file counts them. */
double measured_slots(const struct measured_op *op);
double measured_own_slots(const struct measured_op *op);
/* Of an op by its number. */
double infer_slots(const struct inference *in, int op);
/* Work of `times` instructions of an op with its accesses, appended to load; false: something of it
 * is not known. */
bool infer_work(
	const struct inference *in, int op, double times, struct port_load *load, int *count);
/* Cycles of a mix by what has been found up to now; NAN. */
double infer_cycles(const struct inference *in, const struct measured_mix *mix);

/* ---- measured_groups.c: which simple ops go to the same ports, and to which */

/* Two ops in the numbers that tell how many ports they have together: `a` ports of one, `b` of the
 * other. */
void infer_pair(int op_a, int ports_a, int op_b, int ports_b, struct measured_mix *mix);
void infer_groups(struct inference *in);

/* ---- measured_sets.c */
void infer_sets(struct inference *in);

/* ---- measured_terms.c: what the others execute as */
void infer_terms(struct inference *in);

/* ---- measured_units.c: who holds a unit, and the same */
void infer_units(struct inference *in);

/* ---- measured_ports.c */
void infer_all(struct inference *in);

#endif
