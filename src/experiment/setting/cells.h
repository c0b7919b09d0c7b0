/* Measured settings: the trials of each so far and their summary. A sweep has a list of them; the
 * explorer's slices and mountain look them up in a table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "experiment/setting/setting.h"
#include "model/counts/counts.h"

/* A list of different settings, each found by its values: for tables of many thousands.
 *
Zero-initialise to start; setting_index_free() to end. */
struct setting_index {
	int count, room;
	struct setting *setting; /* in the order in which they were added */
	int slot_count;		 /* a power of two, or 0 */
	int *slot;		 /* index + 1; 0: free */
};

/* The number of a setting, or -1. */
int setting_index_find(const struct setting_index *index, const struct setting *setting);

/* The number that it has or is given. */
int setting_index_add(struct setting_index *index, const struct setting *setting);

void setting_index_free(struct setting_index *index);

struct cell {
	struct setting setting;
	struct trials *trials; /* NULL before the first visit, and after cell_compact() */
	struct run_facts facts;
	struct sample sample;
	struct counts *counts;		    /* the newest; NULL: none */
	struct sample_ratios sample_ratios; /* known to the explorer for drawing; zeroed: nothing */
	double at; /* when the sample was last computed, by the owner's clock */
	unsigned visits;
	bool settled;	       /* no further visit is wanted */
	struct status failure; /* why it could not be measured, when it could not */
};

struct cells;

struct cells *cells_new(void);
void cells_free(struct cells *cells);

/* The cell of a setting; when it does not exist, a new one if make is set, else NULL. Pointers
 * stay valid until cells_free() or cells_clear(). */
struct cell *cells_get(struct cells *cells, const struct setting *setting, bool make);
size_t cells_count(const struct cells *cells);
void cells_clear(struct cells *cells);

/* Merges a visit's trials, summarises, and decides whether the cell is settled: enough quiet
 * trials with a median known to within `precision` (relative), `max_visits` visits, seconds of
 * trials (complete products), or a failure. A cancelled visit adds its trials, but is not
 * counted. An early result is ignored: the final one holds its trials too. */
void cell_visit(struct cell *cell, const struct result *result, unsigned quiet_wanted,
	double precision, unsigned max_visits);

/* Keeps the counts of a final result, if it has any. */
void cell_count(struct cell *cell, const struct result *result);

/* Frees the trials of a settled cell; its sample and counts stay. For tables of thousands of cells.
 */
void cell_compact(struct cell *cell);

/* Words about the memory and the other cores of a run; empty: nothing to report. */
struct placed {
	char others[160]; /* "all 4 cores 61.2 GB/s", "3 streams 30.1 GB/s" */
	char pages[160];  /* "huge asked, 4k got: none of 64 MiB could be got" */
	char node[96];	  /* "node 1"; "node 1 has too little free: on node 0" */
};
struct placed placed_words(const struct run_facts *facts, const struct sample *sample);
