/* Measures what each instruction of a loop costs: how many cycles per element the loop takes more
 * if the core does the instruction's work twice.
 *
 * The work of an instruction has two parts. An instruction occupies parts of the core: a rename
 * slot, ports, execution units. And later instructions wait for the result of the instruction. The
 * program doubles each of the two parts of an instruction's work alone:
 *
 *   twice   the core executes a copy of the instruction, whose result nobody reads. The copy is
 *           compared with nops of its length, and the cost of the rename slots is added: the mean
 *           over many added nops, because the front end moves in steps of several instructions;
 *   later   the result comes one cycle later, and nothing else changes. The added instruction may
 *           delay the result by more than one cycle: the program divides by its delay.
 *
 * Waiting for the result costs `later` times the instruction's latency, but at most what a delay by
 * the whole latency costs. The cost of an instruction is the larger of the cost of its copy and the
 * cost of waiting for its result. So if the rename width or a port limits the loop, the costs of
 * all instructions add up to the cycles of the loop; if a chain limits it, the costs of the chain's
 * instructions do, and others cost nothing.
 *
 * Where the result reaches no address, branch or memory, the program also measures the loop without
 * the instruction. */
#pragma once

#include <stdbool.h>

#include "experiment/campaign.h"
#include "experiment/setting/setting.h"
#include "model/limits/explain.h"

/* COST_INSNS: largest number of instructions of a loop. COST_DELAYS: largest number of
 * instructions that delay a result. */
enum { COST_INSNS = 128, COST_DELAYS = 16 };

/* The changes of the loop for one instruction. */
enum cost_change {
	COST_PLAIN, /* the unchanged loop, but copied to the memory from which changed loops run */
	COST_SLOTS, /* the loop with nops in place of the copy of the instruction, and with the move
		       that prepares the copy */
	COST_TWICE, /* the loop with the copy of the instruction, and with the move that prepares
		       the copy */
	COST_HELD,  /* the loop with an added instruction that copies a free register to another one
		     */
	COST_LATER, /* the loop with an added instruction that copies the instruction's result to
		       itself */
	/* The loops with as many added instructions as delay the result by the latency of the
	 * instruction, at most COST_DELAYS: of a free register, and of the result. */
	COST_HELD_LONG,
	COST_LATER_LONG,
	COST_WITHOUT,		 /* the loop with nops in place of the instruction */
	COST_CHANGES,		 /* number of changes for one instruction */
	COST_NOPS = COST_CHANGES /* the loop with nops, spread evenly */
};

/* A difference between two loops in cycles per element. lo and hi are two standard errors below and
 * above the difference. NAN: not known. */
struct cost_value {
	double value, lo, hi;
};

struct cost_insn {
	uint64_t offset;   /* bytes from the first instruction of the listing of the loop */
	uint64_t from_top; /* bytes from the first instruction of the innermost loop */
	char text[88], mnemonic[25];
	struct cost_value cost;
	/* Cycles per element that the loop takes more with a copy of the instruction (twice), and
	 * if the result of the instruction comes one cycle later (later). */
	struct cost_value twice, later;
	/* Cycles per element that the loop takes more if the result comes later by the whole
	 * latency. The cost of a delay by the whole latency is measured only if `later` times the
	 * latency exceeds `twice`; NAN: not measured. */
	struct cost_value wait;
	struct cost_value saved; /* cycles per element that the loop takes less without the
				    instruction */
	double latency; /* cycles from the input of the instruction to its result, by the core
			   model; NAN: unknown */
	double model;	/* cost of the instruction by the core model, cycles per element; NAN:
			   unknown */
	double delay;	/* cycles by which one added instruction delays the result, by the core
			   model */
	int slots;	/* rename slots of the instruction by the core model, at least 1 */
	bool moves;	/* the copy of the instruction needs a move of an input register */
	bool contended; /* another process or hyper-thread disturbed all measurements of some loop
			   for this instruction */
	/* The reasons why the values twice, later and saved are not measured; "": the value is or
	 * will be measured. */
	char why_twice[100], why_later[100], why_saved[100];
};

struct cost_report {
	struct setting setting;
	uint64_t seed;
	char uarch[UARCH_NAME], title[64]; /* the core model; "": none */
	struct status status;		   /* why nothing can be measured */
	struct cost_value cpe;		   /* cycles per element of the loop as it is */
	enum source cycles_from;
	double model; /* cycles per element of the loop by the core model */
	/* Cycles per element of one more rename slot, the mean over many added nops; 0: the front
	 * end does not limit the loop. */
	struct cost_value slot;
	int count;
	struct cost_insn insn[COST_INSNS];
	bool complete;	/* every changed loop was measured */
	bool contended; /* other processes disturbed all measurements of some loop */
	double seconds;
	char doing[64]; /* the current measurement */
};

/* ---- Changing the loop (change.c) */

/* Fills in the reasons why an instruction is not copied, its result not delayed, or the instruction
 * not removed, as far as the instruction itself shows them. Also fills in row->moves. Pure. */
void cost_refuse(const struct insn *insn, struct cost_insn *row);

/* Returns the only register, except flags, that an instruction writes. REG_NONE: the instruction
 * writes no register. -1: it writes several registers. */
int cost_target(const struct insn *insn);

/* Returns the name, without "v", of the bitwise or that delays the result of a vector instruction:
 * "por" for integers, or "orps". On some cores, a value that passes between the two kinds of
 * operations takes a cycle each way. Static text. Pure. */
const char *cost_or(const struct insn *insn);

/* Returns how many instructions delay the result by about the whole latency: 1 to COST_DELAYS.
 * Pure.
 */
int cost_delays(const struct cost_insn *insn);

/* Returns the change of the machine code for an instruction of the loop. */
struct code_change cost_change(enum cost_change change, const struct cost_insn *insn);
/* COST_NOP: bytes of the nops that show the cost of a rename slot. Nops of fewer bytes may exceed
 * the instructions of a line of code that the front end supplies. */
enum { COST_NOP = 8 };

/* Returns the change of the machine code that adds nops of COST_NOP bytes. */
struct code_change cost_nops(int count);
/* Returns the kind of a change of the machine code. Sets *from_top to the distance in bytes of the
 * changed instruction from the innermost loop's first instruction (COST_NOPS: to the number of
 * nops), and *added to the number of nops in place of the copy, or of instructions that delay the
 * result. */
enum cost_change cost_change_of(const struct code_change *change, uint64_t *from_top, int *added);

/* ---- The model's costs (predict.c) */

/* The facts of a loop on which the cost of a rename slot depends. */
struct cost_front {
	double width;	  /* the core model's rename width; 0: unknown */
	double slots;	  /* rename slots of one iteration of the innermost loop */
	double iteration; /* elements of one iteration */
	double rest; /* the largest hard limit but the width, in cycles per element: cost_rest() */
	bool joins;  /* cost_nops_join() */
};

/* Fills in the costs of the loop's instructions by the core model: the prediction for the loop with
 * the same changes. `first` is the index of the instruction in the explanation's loop that
 * report->insn[0] describes. A long loop takes half a second. Returns false if the measurer has
 * stopped, before all costs are known. */
bool cost_predict(const struct explanation *explanation, int first, const struct cost_front *front,
	const struct measurer *measurer, struct cost_report *report);

/* The nops that show the cost of a rename slot. A loop of `slots` rename slots and FEW nops takes
 * about a cycle more, if the width limits it. BEGIN nops and END nops make the slots of an
 * iteration fill whole cycles: in other cycles, some front ends use only a part of their width. */
enum cost_padding { COST_FEW, COST_BEGIN, COST_END, COST_PADDINGS };

int cost_padding(enum cost_padding padding, double width, double slots);

/* Whether the core puts a nop into the rename slot of the instruction before, where both are short.
 * If nops show no slot, a loop with a copy is compared with the loop as it is. Pure. */
bool cost_nops_join(const struct uarch *uarch);

/* Returns the largest hard limit but the rename width, in cycles per element. Pure. */
double cost_rest(const struct limits *limits);

/* Returns the cost of a rename slot: the mean of the nops from COST_BEGIN to COST_END. `few` and
 * `many` are the cycles per element that the loop takes more with COST_FEW and COST_END nops than
 * without nops. `rise`: with COST_END nops than with COST_BEGIN nops. `cpe`: cycles per element of
 * the loop. 0: the front end does not limit the loop. Pure. */
struct cost_value cost_slot(const struct cost_front *front, struct cost_value few,
	struct cost_value many, struct cost_value rise, double cpe);

/* ---- From measurements to costs (costs.c) */

/* A cost agrees with the core model if they differ by at most this share of the loop's cycles,
 * apart from the measurement error. */
#define COST_SHARE 0.03

struct cost_value cost_scaled(struct cost_value value, double factor);

/* Fills in the cost of an instruction from `twice`, `later` and the latency. Pure. The larger of
 * two noisy values is too large on average. So the cost of waiting counts only if it exceeds
 * `twice` by more than the measurement error. Otherwise the range of the cost extends to what
 * waiting may cost. */
void cost_estimate(struct cost_insn *insn, double cpe);

/* Returns the sum of the costs of all instructions, in cycles per element; NAN: no cost is known.
 */
double cost_sum(const struct cost_report *report);

/* Whether the costs add up to more than the cycles of the loop, by more than the measurement error
 * and a small share of the cycles. Then several limits bind at once, or nearly, and doubled work
 * exceeds each of them alone: each cost is the most that the instruction costs. */
bool cost_at_most(const struct cost_report *report);

/* Whether the costs add up to less than the cycles of the loop, by more than the measurement error
 * and a small share of the cycles. Then something limits the loop that no single instruction
 * causes, such as the front end. */
bool cost_at_least(const struct cost_report *report);

/* Discards costs that cannot be: with a copy of the instruction, the loop would save more cycles
 * than it takes. Their reason is in why_twice and why_later. */
void cost_discard(struct cost_report *report);

/* Whether the cost of an instruction is below 0 by more than the measurement error and a small
 * share of the cycles: with a copy of the instruction, the loop is faster than with nops in its
 * place. For example, stores to random lines are faster in pairs that go to the same line. */
bool cost_below(const struct cost_report *report);

/* The reason why a jump has no cost. */
#define COST_JUMPS "a jump decides which instruction runs next"

/* Returns the reason why an instruction of the loop has no measured cost. Jumps never have a cost.
 * NULL: all instructions except jumps have a measured cost. If one is missing, the sum says nothing
 * about the loop. */
const char *cost_missing(const struct cost_report *report);

/* Whether the measured cost of an instruction differs from the cost by the core model by more than
 * the measurement error and a small share of the loop's cycles. */
bool cost_differs(const struct cost_report *report, const struct cost_insn *insn);

/* Returns the cost of the instruction at an offset in the listing of the loop; NULL: there is none.
 */
const struct cost_insn *cost_at(const struct cost_report *report, uint64_t offset);

/* ---- Measuring (cost.c) */

struct cost;

/* Prepares the measurement of the costs, for the setting of the explanation. The explanation is not
 * used after the call; its core model must exist until cost_free(). `seconds` is the time limit for
 * repeated measurements; 0: the default of some seconds. */
struct cost *cost_new(const struct setting *setting, const struct explanation *explanation,
	uint64_t seed, double seconds);
void cost_measure(struct cost *cost, const struct measurer *measurer);
const struct cost_report *cost_report(const struct cost *cost);
void cost_free(struct cost *cost);
