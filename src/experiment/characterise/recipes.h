/* Recipes: what data/characterise.* says to measure, and the loops that measure it. The head of the
 * data file explains its lines. */
#pragma once

#include "base/status.h"
#include "kernels/generated.h"
#include "model/measured/measured.h"

enum { TAKEN_OFF = 4, WIDTH_LINES = 6 };

/* One class: a line of the data file at one width. */
struct class_recipe {
	char name[24];
	unsigned bits;
	char chain[GENERATED_LINES], adds[GENERATED_LINES], free[GENERATED_LINES],
		setup[GENERATED_LINES];
	char minus[TAKEN_OFF][24];
	unsigned links, beside, bodies;
	enum made_values values;
	bool clean;
	char load[24], store[24];
	unsigned accesses; /* of the class that it loads or stores */
	int op;		   /* index in struct measured */
};

enum fact_how { HOW_CYCLES, HOW_RATE, HOW_SLOTS, HOW_MINUS, HOW_LESS, HOW_OVER };

struct fact_recipe {
	char word[40];
	char loop[GENERATED_LINES], other[GENERATED_LINES], setup[GENERATED_LINES];
	unsigned bits, bodies;
	enum fact_how how;
	double rate;
	char minus[TAKEN_OFF][24];
	enum made_values values;
	unsigned half; /* events that happen every other time in the loop; 0: none */
	bool clean;
};

struct recipes {
	int class_count, fact_count, width_count;
	struct class_recipe *classes;
	struct fact_recipe *facts;
	char width[WIDTH_LINES][GENERATED_LINES];
};

/* What a loop measures. */
enum item_kind {
	ITEM_WIDTH,
	ITEM_LATENCY,
	ITEM_ADDS,
	ITEM_EACH,
	ITEM_SLOTS,
	ITEM_FACT,
	ITEM_FACT_OTHER,
	ITEM_FACT_SLOTS,
	ITEM_MIX,
	ITEM_KINDS
};

/* Reads the recipes that this processor can run. classes: as in struct characterise_options. */
struct status recipes_read(
	const char *text, const char *origin, const char *const *classes, struct recipes *recipes);
struct status recipes_load(const char *const *classes, struct recipes *recipes);
void recipes_free(struct recipes *recipes);

/* ---- Loops. NULL: the recipe has none of this kind. */

const struct kernel *loop_of_width(const struct recipes *recipes, int line);
const struct kernel *loop_of_chain(const struct class_recipe *recipe, bool adds);
const struct kernel *loop_of_each(const struct class_recipe *recipe);
const struct kernel *loop_of_fact(const struct fact_recipe *recipe, bool other);
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
void recipes_words(
	const struct recipes *recipes, enum item_kind kind, int of, char *words, size_t size);
