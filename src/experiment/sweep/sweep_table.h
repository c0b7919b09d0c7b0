/* A named sweep as a table that fills while the sweep is measured. A sweep table is a campaign
 * (experiment/campaign.h), so it runs next to the screen. The subcommand `sweep` prints the same
 * values with the same functions (sweep.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/machine/machine.h"
#include "experiment/advice/explainer.h"
#include "experiment/campaign.h"
#include "experiment/memory.h"
#include "experiment/sweep/sweep.h"

struct sweep_table_options {
	const struct named_sweep *named; /* copied */
	uint64_t seed;
	struct memory_limits memory_limits;
	/* The core model from which the table computes instructions and limits; NULL: both are
	 * unknown. The sweep table owns `core`, and unloads it. */
	const struct explainer *explainer;
	struct core core;
	bool foreign; /* true: `core` is the model of another core than the one on which the program
			 runs */
	struct memory_probe memory;	 /* the L3 and memory values measured so far */
	const struct event_plan *events; /* events to count, copied; NULL: nothing is counted */
};

enum sweep_table_state {
	SWEEP_TABLE_WAITS,	 /* the setting was not measured yet */
	SWEEP_TABLE_PROVISIONAL, /* the setting has a first sample, which will get more trials */
	SWEEP_TABLE_DONE,
	SWEEP_TABLE_FAILED, /* the setting could not be measured */
};

/* The largest number of rows. A sweep with more settings than this number of rows is refused. */
enum { SWEEP_TABLE_ROWS = 512 };

struct sweep_table_report {
	const struct named_sweep *named;
	/* The knobs with their values; the first knob varies slowest. */
	size_t axis_count;
	const struct sweep_axis *axes;
	size_t row_count;
	struct sweeps_row *row; /* a row for each setting; row.sample.valid is false while the
				   setting has no sample */
	enum sweep_table_state *state; /* the state of each row */
	/* The quantities that the table shows: first the quantity of the sweep, then the other
	 * quantities with published values. */
	int figure_count;
	enum sweeps_figure figure[SWEEPS_FIGURES];
	/* Lines of text about the whole sweep: the order of the published values, the note and the
	 * source. */
	struct text words;
	double done;	    /* progress, from 0 to 1 */
	double remaining;   /* remaining seconds, at most */
	double seconds;	    /* seconds since the first request */
	bool complete;	    /* every setting was measured */
	char doing[64];	    /* the current measurement; empty: nothing is measured */
	struct notes notes; /* notes about excluded settings and failures, each with the reason */
};

struct sweep_table;

/* Creates the table of options->named. Returns NULL with STATUS_USAGE if no
 * setting is allowed, or if there are more than SWEEP_TABLE_ROWS settings; the options' core is
 * then unloaded. */
struct sweep_table *sweep_table_new(const struct machine *machine,
	const struct sweep_table_options *options, struct status *status);
void sweep_table_free(struct sweep_table *table);

/* Measures every row of the table, until all rows are done or the measurer stops. */
void sweep_table_measure(struct sweep_table *table, const struct measurer *measurer);

/* Returns the report of the table, which belongs to the table. */
const struct sweep_table_report *sweep_table_report(const struct sweep_table *table);
