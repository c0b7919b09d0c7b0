/* Named sweeps for `slexplore sweep`. Finds a sweep by name and applies more words to it. Compares
 * its rows with the baseline, with published values, and with the advised block sizes. */
#pragma once

#include "cli/cli.h"
#include "cli/model.h"
#include "experiment/setting/cells.h"
#include "experiment/sweep/blocks.h"
#include "experiment/sweep/sweep.h"

struct named {
	struct sweeps all;
	struct named_sweep sweep; /* kernel NULL: the words name no sweep */
	size_t row_count;
	struct sweeps_row
		*row; /* rows printed so far; later rows and the text under the table need them */
};

/* Finds the kernel, own loop or named sweep of the first word. STATUS_USAGE: the name is unknown;
 * the message has the nearest names. */
struct status named_find(struct named *named, struct cli *cli, const struct kernel **kernel);
void named_free(struct named *named);

/* Replaces words of the sweep by the other words of the command line. STATUS_USAGE: a word is
 * wrong. Prints a note if the baseline is not among the new values. */
struct status named_words(struct named *named, const struct cli *cli);

/* Assigns all words to a sweep: the words of the named sweep, else of the command line. */
struct status named_assign(const struct named *named, const struct cli *cli, struct sweep *sweep);

/* Puts the advised block size into the sweep. */
void named_advise(struct named *named, struct model *model, struct bench *bench);

/* Adds a row of any sweep. Returns its speedup over the baseline; NAN: there is no baseline, or it
 * was not measured. */
double named_take(struct named *named, const struct cell *cell,
	const struct sample_ratios *sample_ratios, const struct explanation *explanation);

/* Prints the text under the table: published values, and for a kernel with blocks the advised block
 * size next to the best measured one. */
void named_text(const struct named *named, struct model *model, FILE *out);
