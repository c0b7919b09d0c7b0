/* Measured settings, with their trials and a summary of them. A sweep has a list of cells. The
 * explorer's slices and mountain find cells in a table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "experiment/setting/setting.h"
#include "model/counts/counts.h"

/* A list of different settings with a hash index. It suits tables of many thousands of settings.
 *
 * Initialise it with zeros; free it with setting_index_free(). */
struct setting_index {
	int count;
	struct setting *setting; /* in the order of addition */
	int slot_count;		 /* a power of two, or 0 */
	int *slot;		 /* index + 1; 0: free */
};

/* The position of a setting in the list, or -1. */
int setting_index_find(const struct setting_index *index, const struct setting *setting);

/* Adds the setting if the list lacks it. Returns its position. */
int setting_index_add(struct setting_index *index, const struct setting *setting);

void setting_index_free(struct setting_index *index);

struct cell {
	struct setting setting;
	struct trials *trials; /* NULL before the first visit, and after cell_compact() */
	struct run_facts facts;
	struct sample sample;
	struct counts *counts; /* the newest counts; NULL: none */
	struct sample_ratios
		sample_ratios; /* the explorer sets them for drawing; zeroed: unknown */
	double at; /* time at which the sample was last computed, by the owner's clock */
	unsigned visits;
	bool settled;	       /* needs no further visit */
	struct status failure; /* the reason if the cell could not be measured */
};

struct cells;

struct cells *cells_new(void);
void cells_free(struct cells *cells);

/* Finds the cell of a setting. If there is no cell: make creates it; otherwise returns NULL.
 * Pointers stay valid until cells_free() or cells_clear(). */
struct cell *cells_get(struct cells *cells, const struct setting *setting, bool make);
size_t cells_count(const struct cells *cells);
void cells_clear(struct cells *cells);

/* Adds a visit's trials, computes the sample, and decides whether the cell is settled. A cell is
 * settled when it has `quiet_wanted` quiet trials and the relative precision `precision`. It is
 * also settled after `max_visits` visits, two seconds of trials, or a failure. A cancelled visit
 * adds its trials, but does not count. Early results are ignored, because the final result also has
 * their trials. */
void cell_visit(struct cell *cell, const struct result *result, unsigned quiet_wanted,
	double precision, unsigned max_visits);

/* Stores the counts of a final result, if it has counts. */
void cell_count(struct cell *cell, const struct result *result);

/* Frees the trials of a settled cell, but keeps its sample and counts. This saves memory in large
 * tables. */
void cell_compact(struct cell *cell);

/* Text about the memory and the other cores of a run; empty: nothing to report. */
struct placed {
	char others[160]; /* "all 4 cores 61.2 GB/s", "3 streams 30.1 GB/s" */
	char pages[160];  /* "huge asked, 4k got: none of 64 MiB could be got" */
	char node[96];	  /* "node 1"; "node 1 has too little free: on node 0" */
};
struct placed placed_words(const struct run_facts *facts, const struct sample *sample);
