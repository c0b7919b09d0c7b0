/* Recipes: the classes and facts that data/characterise.* lists, and the loops that measure them.
 * The head of the data file explains its lines. */
#pragma once

#include "base/status.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/windows/windows.h"
#include "kernels/generated.h"
#include "model/measured/measured.h"

enum { TAKEN_OFF = 4, WIDTH_LINES = 6 };

/* How the loop's cycles become the value of a fact. */
enum fact_how { HOW_CYCLES, HOW_RATE, HOW_SLOTS, HOW_MINUS, HOW_LESS, HOW_OVER };

/* The loops of a recipe. A class has the first three, a fact the last two. */
enum recipe_loop { LOOP_CHAIN, LOOP_ADDS, LOOP_FREE, LOOP_FACT, LOOP_OTHER, RECIPE_LOOPS };

/* One class at one width, or one fact. */
struct recipe {
	char word[40]; /* "fadd.512", "cap loads" */
	char lines[RECIPE_LOOPS][GENERATED_LINES], setup[GENERATED_LINES];
	char minus[TAKEN_OFF][24], load[24], store[24];
	unsigned bits, bodies;
	unsigned accesses; /* number of accesses of the class that it loads or stores */
	unsigned links, beside;
	unsigned half; /* events that happen every other time in the loop; 0: none */
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

/* The purpose of a loop; the first kinds match enum recipe_loop. */
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

/* Reads the recipes that this processor can run. classes: as in struct characterise_options. */
struct status recipes_read(
	const char *text, const char *origin, const char *const *classes, struct recipes *recipes);
struct status recipes_load(const char *const *classes, struct recipes *recipes);
void recipes_free(struct recipes *recipes);

/* The class of that name, or NULL. */
const struct recipe *recipes_class(const struct recipes *recipes, const char *name);

/* ---- Loops. NULL: the recipe has none of this kind. */

const struct kernel *loop_of_width(const struct recipes *recipes, int line);
const struct kernel *recipe_kernel(const struct recipe *recipe, enum recipe_loop loop);
/* The loop with so many nops added. */
const struct kernel *loop_with_nops(const struct kernel *kernel, const char *nop, unsigned nops);
/* NULL: its classes do not fit together in one loop. */
const struct kernel *loop_of_mix(const struct recipes *recipes, const struct measured *measured,
	const struct measured_mix *mix);

/* Calls `each` for every loop of the first stage (NULL: the class or fact has none).
 * recipes_words() names what a loop measures: "latency of fadd.512". */
void recipes_each(const struct recipes *recipes,
	void (*each)(void *context, enum item_kind kind, int of, const struct kernel *kernel),
	void *context);

struct item_words {
	char text[64];
};
struct item_words recipes_words(const struct recipes *recipes, enum item_kind kind, int of);

/* Cycles of measured loops become latencies, throughputs, slots and facts of a core. */

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
