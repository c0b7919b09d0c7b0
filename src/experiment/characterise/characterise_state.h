/* The inside of characterising, shared by characterise.c (the loop around requests),
 * characterise_read.c (the data file), characterise_loops.c (what loops are made of it) and
 * characterise_figures.c (what their cycles say). */
#ifndef SLX_EXPERIMENT_CHARACTERISE_CHARACTERISE_STATE_H
#define SLX_EXPERIMENT_CHARACTERISE_CHARACTERISE_STATE_H

#include "experiment/campaign.h"
#include "experiment/characterise/characterise.h"
#include "experiment/characterise/recipes.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/visits.h"
#include "experiment/windows/windows.h"

/* Mixes asked for at a time, among others. */
enum { ITEMS = 4096, MIX_BATCH = 48 };

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
