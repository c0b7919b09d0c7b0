/* Cycles of measured loops become latencies, throughputs, slots and facts of a core. */
#pragma once

#include "experiment/characterise/recipes.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/windows/windows.h"

/* One loop to measure. */
struct loop_item {
	enum item_kind kind;
	int of; /* the class, fact, line of width, or mix */
	const struct kernel *kernel;
	unsigned nops; /* of a loop for slots: nops next to the instruction */
	unsigned visits;
};

struct evaluation {
	struct recipes recipes;
	struct cells *cells;	   /* trials of each loop */
	struct measured *measured; /* the values so far */
	double wide_ghz; /* the best core clock that loops of 512-bit vectors have shown */
	int nop;	 /* the line of width with the most nops a cycle; -1: not known yet */
};

/* The trials of a loop, or NULL. */
const struct cell *evaluate_cell(const struct evaluation *e, const struct kernel *kernel);
/* Cycles of one loop. */
struct figure evaluate_loop(const struct evaluation *e, const struct kernel *kernel);
bool evaluate_is_wide(const struct kernel *kernel); /* of 512-bit vectors */
/* Whether the loop needs no further visit: its value is precise, or it failed. */
bool evaluate_is_settled(const struct evaluation *e, const struct kernel *kernel);
/* Whether the loop has a possible value, or failed. */
bool evaluate_is_plausible(const struct evaluation *e, const struct loop_item *item);

/* Computes width, classes and facts from all loops; slots then need evaluate_slots(). */
void evaluate_loops(struct evaluation *e);
void evaluate_slots(struct evaluation *e, const struct loop_item *items, int count);
/* Adds the facts that the probe and the windows found. */
void evaluate_caches(struct measured *measured, const struct probe_report *probe);
void evaluate_windows(struct measured *measured, const struct windows_report *windows);
/* The instruction set, the conditions of a `match` line, and a name for the model. */
void evaluate_identity(const struct machine *machine, struct measured *measured, char name[24]);
