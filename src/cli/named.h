/* Named sweeps for `slexplore sweep`. named.c finds a sweep by its name, and replaces knob values
 * by those on the command line. named.c also compares the rows of the sweep's table with the
 * baseline, with published values, and with the recommended block sizes. */
#pragma once

#include "cli/cli.h"
#include "cli/model.h"
#include "experiment/setting/cells.h"
#include "experiment/sweep/blocks.h"
#include "experiment/sweep/sweep.h"

struct named {
	struct sweeps all;
	/* The named sweep; sweep.kernel is NULL if the words name no sweep. */
	struct named_sweep sweep;
	size_t row_count;
	/* The rows printed so far. The rows of the table are kept to compute the speedup of later
	 * rows, and for the text under the table. */
	struct sweeps_row *row;
};

/* Finds the kernel, own loop or named sweep that the first word names. Returns STATUS_USAGE if the
 * name is unknown; the message lists the nearest names. */
struct status named_find(struct named *named, struct cli *cli, const struct kernel **kernel);
void named_free(struct named *named);

/* Replaces knob values of the named sweep by those on the command line. Returns STATUS_USAGE if a
 * word is wrong. Prints a note if the baseline is not among the new values. */
struct status named_words(struct named *named, const struct cli *cli);

/* Gives `sweep` its knob values: those of the named sweep, or, without a named sweep, those on the
 * command line. */
struct status named_assign(const struct named *named, const struct cli *cli, struct sweep *sweep);

/* Replaces the word "advised" in the named sweep by the advised block size. */
void named_advise(struct named *named, struct model *model, struct bench *bench);

/* Adds a measured row to the table of a sweep, named or not. Returns the row's speedup over the
 * baseline; NAN: the sweep has no baseline, or the baseline was not measured. */
double named_take(struct named *named, const struct cell *cell,
	const struct sample_ratios *sample_ratios, const struct explanation *explanation);

/* Returns the published value of the quantity that the sweep shows; NAN: the document gives no
 * value, or only a lower bound. */
double named_published(const struct named *named, const struct setting *setting);

/* Prints the text under the table: published values, and for a kernel with blocks the advised block
 * size next to the best measured one. */
void named_text(const struct named *named, struct model *model, FILE *out);
