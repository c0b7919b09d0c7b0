/* Sweeps that have a name, as `slexplore sweep` runs them: found by it, turned by further words,
 * their rows compared with the baseline, with published values, and with the advised block sizes.
 */
#pragma once

#include "cli/cli.h"
#include "cli/model.h"
#include "experiment/setting/cells.h"
#include "experiment/sweep/blocks.h"
#include "experiment/sweep/sweep.h"

struct named {
	struct sweeps all;
	struct named_sweep sweep; /* its kernel is NULL: the words name none */
	size_t row_count, row_room;
	struct sweeps_row *row; /* of the output, as far as later rows and the end need it */
};

/* The kernel, own loop or named sweep of the first word. STATUS_USAGE with the nearest of all
 * names. */
struct status named_find(struct named *named, struct cli *cli, const struct kernel **kernel);
void named_free(struct named *named);

/* The further words in place of the sweep's own. STATUS_USAGE for what is wrong with them; a note
 * where they leave out the baseline. */
struct status named_words(struct named *named, const struct cli *cli);

/* Assigns all words to a sweep: those of the name, or the command line's. */
struct status named_assign(const struct named *named, const struct cli *cli, struct sweep *sweep);

/* Puts the advised block size into the sweep. */
void named_advise(struct named *named, struct model *model, struct bench *bench);

/* Accepts a row of any sweep. Returns its speedup over the baseline; NAN: there is none, or it was
 * not measured. */
double named_take(struct named *named, const struct cell *cell,
	const struct sample_ratios *sample_ratios, const struct explanation *explanation);

/* The text under the table: published values, and for each line of a kernel with blocks the advised
 * size next to the best one. */
void named_text(const struct named *named, struct model *model, FILE *out);
