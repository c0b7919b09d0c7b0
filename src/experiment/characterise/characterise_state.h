/* The inside of characterising, shared by characterise.c (the loop around requests),
 * characterise_read.c (the data file), characterise_loops.c (what loops are made of it) and
 * characterise_figures.c (what their cycles say). */
#ifndef SLX_EXPERIMENT_CHARACTERISE_CHARACTERISE_STATE_H
#define SLX_EXPERIMENT_CHARACTERISE_CHARACTERISE_STATE_H

#include "experiment/campaign.h"
#include "experiment/characterise/characterise.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/visits.h"
#include "experiment/windows/windows.h"
#include "kernels/generated.h"

/* Mixes asked for at a time, among others. */
enum { TAKEN_OFF = 4, WIDTH_LINES = 6, ITEMS = 4096, MIX_BATCH = 48 };

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
	unsigned accesses; /* of these */
	int op;		   /* of struct measured */
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
	unsigned half; /* places in it where something happens every other time; 0: it is not about
			  such */
	bool clean;
};

struct recipes {
	int class_count, fact_count, width_count;
	struct class_recipe *classes;
	struct fact_recipe *facts;
	char width[WIDTH_LINES][GENERATED_LINES];
};

/* One loop that is to be measured, and for what. */
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

struct item {
	enum item_kind kind;
	int of; /* the class, fact, line of width, or mix */
	const struct kernel *kernel;
	unsigned nops; /* beside it, of those whose slots are measured */
	unsigned visits;
};

struct characterise {
	struct characterise_report report;
	struct characterise_options options;
	struct recipes recipes;
	struct cells *cells;
	enum characterise_stage stage;
	int round;
	int item_count, item;
	struct item *items; /* of this stage */
	int all_count;
	struct item *all; /* of earlier ones */
	double wide_ghz;  /* the best core clock that loops of 512-bit vectors have shown */
	int nop;	  /* the line of width that is quickest; -1: not known yet */
	int left_out; /* how far it is with what earlier stages left out: 1 classes, 2 slots, 3 done
		       */
	bool again;   /* only loops of which nothing is known are to be added */
	double begin;
	struct visits visits;		   /* of items */
	const struct campaign *inner;	   /* the probe or the windows, while they measure */
	double inner_done;		   /* of it, 0…1 */
	const struct result *inner_result; /* of its request under way */
	struct measured_mix *next;	   /* mixes under way */
	int next_count;			   /* that the last search found: the mixes to ask for */
};

/* ---- characterise_stages.c ---- */

/* Adds the items of the stage of classes, or of slots. */
void characterise_add_loops(struct characterise *characterise);
/* What measures the caches, and the windows; the caller frees it. NULL: it cannot be measured here,
 * and a note says why. */
struct probe *characterise_caches(struct characterise *characterise);
struct windows *characterise_windows(struct characterise *characterise);
/* Of a finished stage: what later ones need. */
void characterise_keep_items(struct characterise *characterise);
/* Answers what the last batch of mixes asked; and asks for the next. */
void characterise_take_mixes(struct characterise *characterise);
void characterise_add_mixes(struct characterise *characterise);
/* Adds a note to the report, unless it is there. */
void characterise_note(struct characterise *characterise, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- characterise_read.c ---- */

/* What of the data file can run here. classes: as in the options. */
struct status recipes_read(
	const char *text, const char *origin, const char *const *classes, struct recipes *recipes);
struct status recipes_load(const char *const *classes, struct recipes *recipes);
void recipes_free(struct recipes *recipes);

/* ---- characterise_loops.c ---- */

const struct kernel *loop_of_width(const struct recipes *recipes, int line);
const struct kernel *loop_of_chain(const struct class_recipe *recipe, bool adds);
const struct kernel *loop_of_each(const struct class_recipe *recipe);
const struct kernel *loop_of_fact(const struct fact_recipe *recipe, bool other);
/* Lines with so many nops beside them. */
const struct kernel *loop_with_nops(const struct kernel *kernel, const char *nop, unsigned nops);
/* NULL: its classes do not go together in a loop. */
const struct kernel *loop_of_mix(const struct recipes *recipes, const struct measured *measured,
	const struct measured_mix *mix);

/* Every loop that is measured first, NULL where a class or fact has none of its kind; and what one
 * is measured for: "latency of fadd.512". */
void recipes_each(const struct recipes *recipes,
	void (*each)(void *context, enum item_kind kind, int of, const struct kernel *kernel),
	void *context);
void recipes_words(
	const struct recipes *recipes, enum item_kind kind, int of, char *words, size_t size);

/* ---- characterise_figures.c ---- */

/* Fills what the cells say of everything but mixes. */
void figures_fill(struct characterise *characterise);
/* What was measured of a kernel; and whether it need not be looked at again. */
struct figure figure_of(const struct characterise *characterise, const struct kernel *kernel);
bool figure_wide(const struct kernel *kernel); /* of 512-bit vectors */
/* Whether there is a figure, and one that can be; or there will be none. */
bool figure_likely(const struct characterise *characterise, const struct item *item);
bool figure_settled(const struct characterise *characterise, const struct kernel *kernel);
/* What the probe found, and the windows. */
void figures_windows(struct characterise *characterise, const struct windows_report *windows);
void figures_caches(struct characterise *characterise, const struct probe_report *probe);
/* "vendor GenuineIntel family 6 model a7 with l1i-64k", and the model's name. */
void figures_identity(struct characterise_report *report);

#endif
