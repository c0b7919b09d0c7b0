/* The limit of inner loops whose ends make the front end wait for the slower branch predictor.
 * Pure. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* Counts the ends of inner loops in the path: branches backward that were taken at least twice, and
 * then are not taken. A loop whose code spans several fetch windows does not count, because the
 * branch predictor runs ahead of the fetch, which hides the wait. *late receives the number of
 * inner-loop ends after more iterations than the fast branch predictor can remember. */
static double loop_ends(const struct tally *tally, double *late)
{
	const struct loop *loop = tally->loop;
	const double *fact = tally->uarch->fact;
	double history = fact[SIZE_LOOP_EXIT_HISTORY], bytes = fact[EXTRA_LINE_BYTES], ends = 0;
	int *run = memory_new((size_t)loop->insn_count + 1, sizeof(*run));

	*late = 0;
	/* The first of two passes over the path of instructions counts the iterations that an inner
	 * loop has made before the path starts. */
	for (int s = 0; s < 2 * loop->path_count; s++) {
		const struct loop_step *step = &loop->path[s % loop->path_count];
		const struct insn *insn = &loop->insn[step->insn];

		if (insn->flow != FLOW_BRANCH || insn->target > insn->address ||
			(bytes > 0 && insn->target / (uint64_t)bytes !=
					      (insn->address + insn->length - 1) / (uint64_t)bytes))
			continue;
		if (!step->taken && run[step->insn] >= 2 && s >= loop->path_count) {
			ends++;
			*late += history > 0 && run[step->insn] >= history;
		}
		run[step->insn] = step->taken ? run[step->insn] + 1 : 0;
	}
	free(run);
	return ends;
}

void limits_loop_exits(struct tally *tally, double windows)
{
	const double *fact = tally->uarch->fact;
	double each = fact[EXTRA_LOOP_EXIT], longer = fact[EXTRA_LOOP_EXIT_LONG],
	       taken = fact[CAP_TAKEN] > 0 ? tally->taken / fact[CAP_TAKEN] : 0, late, ends, cycles;

	if (!(each > 0) || !tally->loop->stepped)
		return;
	ends = loop_ends(tally, &late);
	cycles = fmax(windows, taken) + (ends - late) * each + late * fmax(longer, each);
	if (ends > 0 && limits_front_end_matters(tally, cycles))
		limits_add(tally, LIMIT_LOOP_EXITS, cycles,
			"%s window%s of code or taken branches, and %s end%s of inner loops, %s "
			"of them after more iterations than the fast predictor knows",
			words_turn(tally, fmax(windows, taken)).text,
			words_s(tally, fmax(windows, taken)), words_turn(tally, ends).text,
			words_s(tally, ends), words_turn(tally, late).text);
}
