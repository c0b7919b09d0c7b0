/* A cell is a measured setting, with its trials and a summary of the trials. A sweep has a list of
 * cells, which are measured settings. The explorer's slices (curves) and its memory mountain find
 * their measured settings in a table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "experiment/setting/setting.h"
#include "model/counts/counts.h"

/* A list of different settings with a hash index, which finds a setting fast in a list of many
 * thousands.
 *
 * Initialise the structure with zeros; free it with setting_index_free(). */
struct setting_index {
	int count;
	struct setting *setting; /* the settings, in the order in which they were added */
	int slot_count;		 /* number of slots in the hash table: a power of two, or 0 */
	int *slot; /* index of the setting in this slot of the hash table, plus 1; 0: the slot is
		      free */
};

/* Returns the position of a setting in the list, or -1. */
int setting_index_find(const struct setting_index *index, const struct setting *setting);

/* Adds the setting if the list does not contain it yet. Returns the setting's position in the
 * list. */
int setting_index_add(struct setting_index *index, const struct setting *setting);

void setting_index_free(struct setting_index *index);

struct cell {
	struct setting setting;
	struct trials *trials; /* the setting's trials, with memory for these only: do not copy the
				  struct; NULL before the first measurement, and after
				  cell_compact() */
	struct run_facts facts;
	struct sample sample;
	struct counts *counts; /* the newest counts of hardware events; NULL: nothing was counted */
	struct sample_ratios sample_ratios; /* set by the explorer for drawing; zeroed: unknown */
	double at; /* time at which the sample was last computed, by the clock of the cell's owner
		    */
	unsigned visits;
	bool settled;	       /* true if the setting of the cell needs no further measurement */
	struct status failure; /* the reason if the setting of the cell could not be measured */
};

struct cells;

struct cells *cells_new(void);
void cells_free(struct cells *cells);

/* Finds the cell (trials and sample) of a setting. If the setting has no cell, the function creates
 * a cell (make = true) or returns NULL (make = false). Pointers to cells (settings with trials)
 * stay valid until cells_free() or cells_clear(). */
struct cell *cells_get(struct cells *cells, const struct setting *setting, bool make);
size_t cells_count(const struct cells *cells);
void cells_clear(struct cells *cells);

/* Adds the trials of one measurement (visit) to the cell, computes the sample, and decides whether
 * the cell is settled. A cell is settled (needs no more trials) after `quiet_wanted` quiet trials,
 * if its relative precision is at least as good as `precision`. A cell is also settled (needs no
 * more trials) after `max_visits` measurements, two seconds of trials, or a failure. A cancelled
 * measurement adds its trials to the cell, but is not counted. Early results of a measurement are
 * ignored, because the final result also contains their trials. */
void cell_visit(struct cell *cell, const struct result *result, unsigned quiet_wanted,
	double precision, unsigned max_visits);

/* Stores the event counts of a final result, if the result has counts. */
void cell_count(struct cell *cell, const struct result *result);

/* Frees the trials of a cell that needs no more of them, but keeps the cell's sample and counts. */
void cell_compact(struct cell *cell);

/* Texts about the memory and the other cores of a run; a text is empty if there is nothing to
 * report. */
struct placed {
	char others[160]; /* about other cores: "all 4 cores 61.2 GB/s", "3 streams 30.1 GB/s" */
	char pages[160];  /* about the kind of pages: "huge asked, 4k got: none of 64 MiB could be
			     got" */
	char node[96]; /* about the memory node: "node 1"; "node 1 has too little free: on node 0"
			*/
};
struct placed placed_words(const struct run_facts *facts, const struct sample *sample);
