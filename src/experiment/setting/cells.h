/* Measured settings: for each one the trials so far and their summary. A sweep is a list of them;
 * the explorer's slices and mountain are look-ups in one table of them. */
#ifndef SLX_EXPERIMENT_SETTING_CELLS_H
#define SLX_EXPERIMENT_SETTING_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "experiment/setting/setting.h"
#include "model/counts/sample_ratios.h"

struct cell {
	struct setting setting;
	struct trials *trials; /* NULL before the first visit, and after cell_compact() */
	struct run_facts facts;
	struct sample sample;
	struct counts *counts;		    /* the newest there are; NULL: none */
	struct sample_ratios sample_ratios; /* what else whoever draws it knows; zeroed: nothing */
	double at; /* when the sample was last made anew, in the owner's time */
	unsigned visits;
	bool settled;	       /* no further visit is wanted */
	struct status failure; /* why it could not be measured, when it could not */
};

struct cells;

struct cells *cells_new(void);
void cells_free(struct cells *cells);

/* The cell of a setting; made when it does not exist and make is set, else NULL. Pointers stay
 * valid until cells_free() or cells_clear(). */
struct cell *cells_get(struct cells *cells, const struct setting *setting, bool make);
size_t cells_count(const struct cells *cells);
void cells_clear(struct cells *cells);

/* Merges a visit's trials, summarises, and decides whether the cell is settled: enough quiet trials
 * and quartiles of the median known to within `precision` (relative), or `max_visits` made, or
 * seconds of trials (long ones: whole products), or it failed. What a cancelled visit brought is
 * kept, but does not count as a visit; a result that is not final is ignored, since the final one
 * holds its trials too. */
void cell_visit(struct cell *cell, const struct result *result, unsigned quiet_wanted,
	double precision, unsigned max_visits);

/* Keeps what a final result counted, if it counted anything. */
void cell_count(struct cell *cell, const struct result *result);

/* Frees the trials of a settled cell; its sample and counts stay. For tables of thousands of cells.
 */
void cell_compact(struct cell *cell);

#endif
