/* A branch predictor of the kind and size that current cores have, for sequences of executed
 * branches. The simulated branch predictor says how many branches of a loop such a core
 * mispredicts. Pure.
 *
 * Conditional branches: TAGE, which is a table of counters by address, and tables by address and
 * history whose histories grow geometrically. Sizes and lengths are those of the TAGE tables in
 * TAGE-SC-L of 64 KiB: 8,192 counters, 30 * 1,024 tagged entries, histories of 6 to 3,000
 * branches. Sources: Seznec and Michaud, "A case for (partially) tagged geometric history length
 * branch prediction", 2006; Seznec, "TAGE-SC-L branch predictors again", 2016. The other parts of
 * TAGE-SC-L (a statistical corrector and a predictor of loops) are left out.
 *
 * Indirect jumps: the same with targets instead of counters, by Seznec, "A 64-Kbytes ITTAGE
 * indirect branch predictor", 2011. The predictor of indirect jumps has 3,072 targets, as AMD
 * states for Zen 4 (Software Optimization Guide for the AMD Zen4 Microarchitecture, 57647). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/code/loop.h"

struct predictor;

struct predictor *predictor_new(void);
void predictor_free(struct predictor *predictor);

/* Predicts a conditional branch and learns its direction. Returns whether the prediction was wrong.
 */
bool predictor_branch(struct predictor *predictor, uint64_t address, bool taken);

/* Predicts the target of an indirect jump and learns the target. Returns whether the prediction was
 * wrong. */
bool predictor_jump(struct predictor *predictor, uint64_t address, uint64_t target);

/* Returns the share of mispredictions that remains if a core executes the same random branches or
 * indirect jumps again and again. `mispredictions` is the number of mispredictions in one
 * repetition if nothing is learnt. 0: all are learnt, 1: none is. `half` is the number of
 * mispredictions of which half remain on the core; 0 or less: unknown. The remaining shares are
 * then those of this simulated predictor (tests/unit/test_predictor.c). */
double predictor_forgets(double mispredictions, bool indirect, double half);

/* Returns the spread (±) of the share that predictor_forgets() returns: the number of
 * mispredictions that a core learns differs from loop to loop. */
double predictor_forgets_spread(double mispredictions, bool indirect, double half);

/* Counts the mispredictions of a loop with the executed branches `branches`, by simulating a branch
 * predictor. Sets loop->fresh, loop->learnt, loop->branches, and the marks of the mispredicted
 * steps of the path. `elements` is the number of elements of a call. `half` has the numbers of
 * mispredicted branches and jumps of which half remain on the core; NULL: unknown. */
void predictor_count(const struct loop_branches *branches, double elements, const double half[2],
	struct loop *loop);
