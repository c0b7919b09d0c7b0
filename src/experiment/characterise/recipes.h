/* A recipe lists the loops that measure an instruction class or a fact about the core. The files
 * data/characterise.* list the recipes; the top of each file explains its lines. */
#pragma once

#include "base/status.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/windows/windows.h"
#include "kernels/generated.h"
#include "model/measured/measured.h"

enum { TAKEN_OFF = 4, WIDTH_LINES = 6 };

/* The formula that computes the value of a fact from the cycles of its loop. */
enum fact_how {
	HOW_CYCLES,
	HOW_RATE,
	HOW_SLOTS,
	HOW_MINUS,
	HOW_LESS,
	HOW_OVER,
	HOW_FITS,
	HOW_STEPS
};

/* The loops of a recipe. The recipe of an instruction class has the loops LOOP_CHAIN to LOOP_FREE;
 * the recipe of a fact about the core has LOOP_FACT and LOOP_OTHER. */
enum recipe_loop { LOOP_CHAIN, LOOP_ADDS, LOOP_FREE, LOOP_FACT, LOOP_OTHER, RECIPE_LOOPS };

/* The part of a chain's cycles that the class of a recipe has. PART_LOW, PART_HIGH: the smaller or
 * the greater part, in whole cycles. */
enum recipe_part { PART_EVEN, PART_LOW, PART_HIGH };

/* The recipe of one instruction class with one vector width, or of one fact. */
struct recipe {
	char word[40]; /* name of the instruction class or fact that the recipe measures, such as
			  "fadd.512" or "cap loads" */
	char lines[RECIPE_LOOPS][GENERATED_LINES], setup[GENERATED_LINES];
	char minus[TAKEN_OFF][24], load[24], store[24];
	unsigned bits, bodies;
	unsigned accesses; /* number of loads or stores per instruction; the members `load` and
			      `store` name their classes */
	unsigned links, beside;
	enum recipe_part part;
	unsigned half; /* number of positions in the measured loop at which an event happens in
			  every second iteration; 0: none */
	enum made_values values;
	bool clean;
	bool own; /* the recipe is from a file of the user, so its loops may crash or never end */
	enum fact_how how;
	double rate;
};

struct recipes {
	int class_count, fact_count, width_count;
	struct recipe *classes, *facts;
	char width[WIDTH_LINES][GENERATED_LINES];
	bool own; /* the recipes are from a file of the user */
};

/* The purpose of a loop. The first five kinds of loops have the same order as the constants of enum
 * recipe_loop. */
enum item_kind {
	ITEM_LATENCY,
	ITEM_ADDS,
	ITEM_EACH,
	ITEM_FACT,
	ITEM_FACT_OTHER,
	ITEM_WIDTH,
	ITEM_SLOTS,
	ITEM_FACT_SLOTS,
	ITEM_MIX
};

/* Reads the recipes that this processor can run. struct characterise_options describes the
 * parameter `classes`. */
struct status recipes_read(
	const char *text, const char *origin, const char *const *classes, struct recipes *recipes);
struct status recipes_load(const char *const *classes, struct recipes *recipes);
void recipes_free(struct recipes *recipes);

/* Finds the recipe of an instruction class by the name of the class, or returns NULL. */
const struct recipe *recipes_class(const struct recipes *recipes, const char *name);

/* ---- Loops. The functions that make a loop return NULL if a recipe has no loop of the requested
 * kind. */

const struct kernel *loop_of_width(const struct recipes *recipes, int line);
const struct kernel *recipe_kernel(const struct recipe *recipe, enum recipe_loop loop);
/* Adds to the loop as many nop instructions as `nops` says. */
const struct kernel *loop_with_nops(const struct kernel *kernel, const char *nop, unsigned nops);
/* Returns a loop that mixes instruction classes, or NULL if one loop cannot contain all of them. */
const struct kernel *loop_of_mix(const struct recipes *recipes, const struct measured *measured,
	const struct measured_mix *mix);

/* recipes_each() calls `each` for every loop of the first stage; the parameter `kernel` of each()
 * is NULL if the class or fact has no such loop. recipes_words() returns the name of the quantity
 * that a loop measures: "latency of fadd.512". */
void recipes_each(const struct recipes *recipes,
	void (*each)(void *context, enum item_kind kind, int of, const struct kernel *kernel),
	void *context);

struct item_words {
	char text[64];
};
struct item_words recipes_words(const struct recipes *recipes, enum item_kind kind, int of);

/* The evaluation computes a core's latencies, throughputs, rename slots and facts from the cycles
 * of measured loops. */

/* A loop to measure, and the value of the core for which it is measured. */
struct loop_item {
	enum item_kind kind;
	int of; /* what the loop measures, by `kind`: index of an instruction class, of a mix of
		   classes, or of a line of the core model ("width", or another number of the core)
		 */
	const struct kernel *kernel;
	unsigned nops; /* number of nops in a loop that measures rename slots */
	unsigned visits;
};

struct evaluation {
	struct recipes recipes;
	struct cells
		*cells; /* the cells of the measured loops; a cell holds the trials of one loop */
	struct measured *measured; /* the values of the core measured so far */
	double wide_ghz;	   /* the highest core clock of loops with 512-bit vectors */
	int nop; /* index of the `width` line with the most nops per cycle; -1: not yet known */
};

/* Returns the cell of a loop, which contains the loop's trials, or NULL. */
const struct cell *evaluate_cell(const struct evaluation *e, const struct kernel *kernel);
/* Returns the measured cycles of one loop. */
struct figure evaluate_loop(const struct evaluation *e, const struct kernel *kernel);
/* Returns whether the loop could not run. A note in the report of the measurement gives the reason
 * why the loop could not run. */
bool evaluate_has_failed(const struct evaluation *e, const struct kernel *kernel);
bool evaluate_is_wide(
	const struct kernel *kernel); /* returns whether the measured loop uses 512-bit vectors */
/* Returns whether the loop needs no further measurement, because its value is precise or the loop
 * failed. */
bool evaluate_is_settled(const struct evaluation *e, const struct kernel *kernel);
/* Returns whether the loop has a plausible measured value, or failed. */
bool evaluate_is_plausible(const struct evaluation *e, const struct loop_item *item);

/* Computes the rename width, the values of the classes, and the facts from all loops.
 * evaluate_slots() computes the rename slots, and must be called after evaluate_loops(). */
void evaluate_loops(struct evaluation *e);
void evaluate_slots(struct evaluation *e, const struct loop_item *items, int count);
/* Adds the facts about the core that the probe (caches) and the windows (buffer sizes) measured. */
void evaluate_caches(struct measured *measured, const struct probe_report *probe);
void evaluate_windows(struct measured_buffers *measured, const struct windows_report *windows);
/* Joins independent passes of windows: a buffer has a size if two passes agree. Returns whether
 * each buffer has a size. */
bool evaluate_passes(const struct measured_buffers *passes, int count, struct measured_buffers *to);
/* Sets the instruction set of the core model, the conditions of its `match` line, and its name. */
void evaluate_identity(const struct machine *machine, struct measured *measured, char name[24]);
