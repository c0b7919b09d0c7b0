/* The inside of the simulated pipeline: pipeline_work.c prepares each instruction's work,
 * pipeline_buffers.c has the schedulers, pipeline_ports.c has the ports, pipeline.c runs the
 * simulation, timeline.c reads its times. Private to these files. */
#pragma once

#include <stdint.h>

#include "model/graph/deps.h"
#include "model/limits/tally.h"

enum {
	PIPELINE_QUEUE = 512,
	PIPELINE_TERMS = 2 * UARCH_TERMS,
	PIPELINE_GATES = 8,
	PIPELINE_RESULTS = 8
};

/* Two times in the simulation count as equal if they differ by less than PIPELINE_SAME cycles. A
 * port does not count as free in a cycle if it becomes free less than PIPELINE_SLIVER cycles before
 * the end of the cycle. */
#define PIPELINE_SAME	1e-3
#define PIPELINE_SLIVER 1e-6

/* sooner() and later() are like fmin() and fmax() without handling of NAN. The compiler can inline
 * sooner() and later(). */
static inline double sooner(double a, double b)
{
	return a < b ? a : b;
}

static inline double later(double a, double b)
{
	return a > b ? a : b;
}

struct pipeline;

/* The rules of a run. If all rules are zero, the core chooses ports at rename, and only its ports,
 * its rename width and its buffers limit it. */
struct pipeline_rules {
	bool ideal; /* true: ports have equal shares of the work, as in the port limit. With ideal
		       ports, times may be fractions of a cycle. An instruction retires when its
		       results are available. */
	bool keep;  /* the simulation keeps the times of each executed instruction in `times` */
	double restart; /* number of rounds (passes over the path) after which loop-carried chains
			   begin again; 0: never */
	const struct limits *limits; /* limits that contain the loop-carried chain that begins
					again; NULL if restart is 0 */
	double slots;		     /* rename slots per cycle; 0: the width of the core */
	bool parts;    /* the integer scheduler has parts, which select operations early: see
			  pipeline_parts.c */
	double refill; /* cycles from the execution of a mispredicted branch to the rename of the
			  next instruction, for the branches that loop->path marks; 0: all
			  branches are predicted */
	double most;   /* the simulation ends without a result after this many additional cycles */
	/* A gate models a rate that is not the rate of a port, such as loads per cycle: it lets one
	 * micro-op pass every `cycles` cycles. After an idle time, a gate lets as many additional
	 * micro-ops pass as in `slack` cycles. */
	int gate_count;
	struct {
		double cycles, slack;
	} gate[PIPELINE_GATES];
	/* Changes the work of nodes and the dependence graph before the simulation, for example to
	 * set the gates. May be NULL. */
	void (*adjust)(struct pipeline *pipeline);
	const void *context; /* for adjust() */
};

/* The work of one node of the dependence graph: its micro-ops, and the possible ports of each
 * micro-op. */
struct work {
	int count;
	int first_out; /* index of the first edge from the node; -1: the node has no edge */
	int apart;     /* number of the first micro-ops that wait for no instruction, and that no
			  instruction waits for */
	bool early;  /* the node is a store: its value can be forwarded before the store is executed
		      */
	bool linked; /* the node is a load that has the value of a store as soon as the store has
			it, even if the load is executed late */
	bool urgent; /* with ideal ports, the node executes before older nodes */
	int pool;    /* the scheduler in which the micro-ops of the node (an instruction) wait */
	uint8_t result; /* cycles until the result of the node (an integer operation), which
			   competes with other results of its port; 0: it does not compete */
	uint8_t gates;	/* the gates (limited rates) that the node's first micro-op must pass, one
			   bit for each gate */
	double serial;	/* cycles from the first to the last micro-op on free ports: micro-ops of
			   one node wait for each other if they share ports. The class's latency
			   contains them */
	struct {
		uint32_t ports;
		float cycles;
		bool load;
	} op[PIPELINE_TERMS];
};

/* The state of one node in one round of the simulation. */
struct instance {
	uint8_t port[PIPELINE_TERMS]; /* port to which each micro-op of the node is bound */
	float begun[PIPELINE_TERMS];  /* cycles from renamed_at to the start of each micro-op */
	int waits;     /* number of producers of the node's inputs that have not started */
	int stores;    /* number of producers in `waits` that are stores and supply the value of a
			  load; the load may be executed before these stores */
	double stored; /* cycle from which the load can have its value from a store */
	int left;      /* number of the node's micro-ops that have not started */
	double ready, start;
	double arrived; /* time from which the inputs are available, if the node has micro-ops */
	double latest;	/* start of the last micro-op that has started */
	int cause; /* the instance (a node in one round) whose result arrives last and determines
		      `ready`; -1: none */
	bool renamed;
	double renamed_at;
};

/* A micro-op that waits in the queue of a port. */
struct waiting {
	int instance;
	float cycles;
	int number; /* position of the micro-op among all micro-ops of its scheduler */
	uint8_t op, gates, pool;
	bool apart, urgent;
};

/* The schedulers. Cores without a separate scheduler for vector operations have only one scheduler,
 * the first. */
enum { POOL_ALL, POOL_VECTOR, POOLS, POOL_HOLD = 8 };

/* A scheduler, whose micro-ops wait for their inputs and for a port, and the queue in front of the
 * scheduler. Micro-ops enter the scheduler from the queue in program order. */
struct pool {
	int entries, queue; /* numbers of entries of the scheduler and of the queue in front of the
			       scheduler */
	int waiting;	    /* number of micro-ops in the scheduler and in the queue */
	int given, freed;   /* number of micro-ops that have entered the queue, and of those whose
			       entry in the scheduler is free again */
	int leaving[POOL_HOLD]; /* number of micro-ops whose entry will be free in each of the next
				   cycles; the cycle modulo POOL_HOLD is the index */
};

/* Values of the fact `extra binds-ports`: rename chooses the ports; it knows the choices of the
 * same cycle; the slots of a cycle take the ports in turn, from the best to the worst. */
enum binds { BINDS = 1, BINDS_KNOWING = 2, BINDS_IN_TURN = 3 };

struct pipeline {
	const struct tally *tally;
	const struct loop *loop;
	struct pipeline_rules *rules;
	struct deps_graph graph;
	struct work *work; /* work of each node of the dependence graph */
	int *next_out;	   /* for each edge of the dependence graph: index of the next edge from the
			      same node; -1: no further edge */
	bool *ends; /* for each edge of the dependence graph: whether it is part of a chain that
		       begins again */
	struct step {
		int first;    /* index of the first graph node of this step of the path */
		double slots; /* rename slots of this step of the path; 0 for the second half of a
				 macro-fused pair */
		double split; /* how many of them un-lamination adds */
	} * step; /* one entry for each step of the path, and one more entry at the end */
	struct instance *instance;
	struct step_times {
		double renamed, retired;
	} * times; /* the times of each step in each round (pass over the path); NULL: rules->keep
		      is false */
	int rounds, warm, until; /* number of simulated rounds (passes over the path); the steady
				    state is after `warm` rounds and before round `until` */
	double now, width, rob;
	double free_at[UARCH_PORTS];
	int result_at[UARCH_PORTS][PIPELINE_RESULTS]; /* cycles in which late results leave each
							 port; the cycle modulo PIPELINE_RESULTS is
							 the index */
	uint32_t random; /* state of the generator of the disturbances before the steady state */
	bool settled;	 /* the simulation has reached the rounds from which cycles are counted */
	double given[UARCH_PORTS];	/* cycles of work given to each port so far */
	double gate_at[PIPELINE_GATES]; /* cycle from which each gate (a rate such as loads per
					   cycle) lets the next micro-op pass */
	double look_at[UARCH_PORTS]; /* cycle before which no micro-op in the queue of the port is
					ready */
	uint32_t awake; /* set of ports whose look_at is not INFINITY, one bit for each port */
	int count[UARCH_PORTS]; /* number of micro-ops in the queue of each port */
	int known[UARCH_PORTS]; /* number of micro-ops in the queue of each port whose inputs have
				   known times */
	struct waiting queue[UARCH_PORTS][PIPELINE_QUEUE]; /* micro-ops that wait for each port,
							      oldest first */
	struct pool pool[POOLS];
	enum binds binds; /* how rename chooses ports; 0: it does not */
	int of_port; /* entries of the scheduler of one port; INT_MAX: ports have no schedulers of
			their own */
	int alone[UARCH_PORTS]; /* for each port, the number of waiting integer micro-ops that can
				   go to no other port */
	int hold;      /* cycles from the start of a micro-op's execution to the cycle in which its
			  scheduler entry is free again; less than POOL_HOLD */
	double cycles; /* cycles per path in the steady state; 0: the loop cannot be simulated */
};

/* Simulates the loop whose work the tally has counted. The tally and the rules must stay valid
 * until pipeline_close(). */
void pipeline_open(
	struct pipeline *pipeline, const struct tally *tally, struct pipeline_rules *rules);
void pipeline_close(struct pipeline *pipeline);

/* Whether a chain begins again between the producer of an edge and its consumer in a round: the
 * consumer then waits for nothing. */
bool pipeline_begins_anew(const struct pipeline *pipeline, int edge, int round);

/* Whether a step of the path is a link of the slowest loop-carried chain. */
bool pipeline_links(const struct limits *limits, int step);

/* Prepares the nodes, the edges from each node, and each node's instance in each round. The memory
 * of these arrays is allocated. */
void pipeline_prepare(struct pipeline *pipeline);

/* Returns the ports by which vector operations read a third source; 0: they need no further port.
 */
uint32_t pipeline_third_ports(const struct uarch *uarch);

/* Whether an operation needs one of these ports for its third vector source: an operation of 512
 * bits does. */
bool pipeline_reads_third(const struct insn *insn);

/* Simulates a prepared loop with an integer scheduler in parts (pipeline_parts.c). Returns the
 * cycles per path; 0: the loop cannot be simulated. */
double pipeline_run_parts(struct pipeline *pipeline);

/* ---- The ports (pipeline_ports.c) */

/* Binds the micro-ops of a node to ports. `counts` and `loads` are the micro-ops and the loads that
 * wait for each port; `slot` is the number of rename slots before the node in this cycle. Returns
 * false if the scheduler has too few free entries. */
bool pipeline_bind(struct pipeline *pipeline, int number, int *counts, int *loads, int slot);
/* Runs the micro-ops of one cycle on each port. A port runs one micro-op per cycle, or several
 * micro-ops if each needs less than a cycle. */
void pipeline_execute(struct pipeline *pipeline);

/* ---- The schedulers (pipeline_buffers.c) */

void pipeline_open_pools(struct pipeline *pipeline);
/* Whether the schedulers have free entries for all micro-ops of a node (an instruction). */
bool pipeline_has_entries(const struct pipeline *pipeline, const struct work *work);
/* Puts a micro-op of the node (an instruction) into its scheduler at rename. */
void pipeline_enter(struct pipeline *pipeline, const struct work *work, int op);
/* Begins to execute a micro-op, which leaves its scheduler now or after pipeline->hold cycles. */
void pipeline_leave(struct pipeline *pipeline, const struct waiting *op);
/* Frees the entries of the schedulers whose micro-ops began pipeline->hold cycles ago or earlier.
 * `last` is the cycle that was simulated before this cycle. Returns whether further entries of the
 * schedulers will become free later. */
bool pipeline_free_entries(struct pipeline *pipeline, double last);
