/* A recipe says which loops measure a class or a fact. data/characterise.* lists the recipes, and
 * explains its lines at the top. */
#pragma once

#include "base/status.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/windows/windows.h"
#include "kernels/generated.h"
#include "model/measured/measured.h"

enum { TAKEN_OFF = 4, WIDTH_LINES = 6 };

/* How the value of a fact is computed from its loop's cycles. */
enum fact_how { HOW_CYCLES, HOW_RATE, HOW_SLOTS, HOW_MINUS, HOW_LESS, HOW_OVER };

/* The loops of a recipe. A class has the first three loops, a fact the last two. */
enum recipe_loop { LOOP_CHAIN, LOOP_ADDS, LOOP_FREE, LOOP_FACT, LOOP_OTHER, RECIPE_LOOPS };

/* The recipe of one class at one width, or of one fact. */
struct recipe {
	char word[40]; /* "fadd.512", "cap loads" */
	char lines[RECIPE_LOOPS][GENERATED_LINES], setup[GENERATED_LINES];
	char minus[TAKEN_OFF][24], load[24], store[24];
	unsigned bits, bodies;
	unsigned accesses; /* number of loads or stores of the class `load` or `store` per
			      instruction */
	unsigned links, beside;
	unsigned half; /* number of places in the loop with an event in every second iteration; 0:
			  none */
	enum made_values values;
	bool clean;
	enum fact_how how;
	double rate;
};

struct recipes {
	int class_count, fact_count, width_count;
	struct recipe *classes, *facts;
	char width[WIDTH_LINES][GENERATED_LINES];
};

/* The purpose of a loop. The first five kinds match enum recipe_loop. */
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

/* Reads the recipes that this processor can run. classes: see struct characterise_options. */
struct status recipes_read(
	const char *text, const char *origin, const char *const *classes, struct recipes *recipes);
struct status recipes_load(const char *const *classes, struct recipes *recipes);
void recipes_free(struct recipes *recipes);

/* Finds a class by its name, or returns NULL. */
const struct recipe *recipes_class(const struct recipes *recipes, const char *name);

/* ---- Loops. NULL: the recipe has no loop of this kind. */

const struct kernel *loop_of_width(const struct recipes *recipes, int line);
const struct kernel *recipe_kernel(const struct recipe *recipe, enum recipe_loop loop);
/* Adds `nops` nops to the loop. */
const struct kernel *loop_with_nops(const struct kernel *kernel, const char *nop, unsigned nops);
/* The loop of a mix. NULL: one loop cannot contain all its classes. */
const struct kernel *loop_of_mix(const struct recipes *recipes, const struct measured *measured,
	const struct measured_mix *mix);

/* recipes_each() calls `each` for every loop of the first stage; kernel is NULL if the class or
 * fact has no such loop. recipes_words() names the measured quantity of a loop: "latency of
 * fadd.512". */
void recipes_each(const struct recipes *recipes,
	void (*each)(void *context, enum item_kind kind, int of, const struct kernel *kernel),
	void *context);

struct item_words {
	char text[64];
};
struct item_words recipes_words(const struct recipes *recipes, enum item_kind kind, int of);

/* Evaluation: computes a core's latencies, throughputs, slots and facts from the cycles of measured
 * loops. */

/* One loop to measure. */
struct loop_item {
	enum item_kind kind;
	int of; /* index of the class, fact, `width` line, or mix */
	const struct kernel *kernel;
	unsigned nops; /* number of nops in a loop for slots */
	unsigned visits;
};

struct evaluation {
	struct recipes recipes;
	struct cells *cells;	   /* the trials of each loop */
	struct measured *measured; /* the values measured so far */
	double wide_ghz;	   /* the highest core clock of loops with 512-bit vectors */
	int nop; /* the `width` line with the most nops per cycle; -1: unknown so far */
};

/* The cell with the trials of a loop, or NULL. */
const struct cell *evaluate_cell(const struct evaluation *e, const struct kernel *kernel);
/* Cycles of one loop. */
struct figure evaluate_loop(const struct evaluation *e, const struct kernel *kernel);
/* Whether the loop could not run. A separate note gives the reason. */
bool evaluate_has_failed(const struct evaluation *e, const struct kernel *kernel);
bool evaluate_is_wide(const struct kernel *kernel); /* whether the loop uses 512-bit vectors */
/* Whether the loop needs no further visit, because its value is precise or the loop failed. */
bool evaluate_is_settled(const struct evaluation *e, const struct kernel *kernel);
/* Whether the loop has a plausible value, or failed. */
bool evaluate_is_plausible(const struct evaluation *e, const struct loop_item *item);

/* Computes width, classes and facts from all loops. Call evaluate_slots() afterwards for the slots.
 */
void evaluate_loops(struct evaluation *e);
void evaluate_slots(struct evaluation *e, const struct loop_item *items, int count);
/* Adds the facts that the probe and the windows found. */
void evaluate_caches(struct measured *measured, const struct probe_report *probe);
void evaluate_windows(struct measured *measured, const struct windows_report *windows);
/* Sets the instruction set, the conditions of the `match` line, and a name for the model. */
void evaluate_identity(const struct machine *machine, struct measured *measured, char name[24]);
