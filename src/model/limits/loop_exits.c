/* The limit of inner loops whose ends make the front end wait for the slower branch predictor, or
 * are mispredicted. Pure. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* Numbers of ends of inner loops in the path. */
struct loop_ends {
	double all;
	double late;  /* ends after more iterations than the fast branch predictor can remember */
	double wrong; /* ends after more iterations than any branch predictor can remember */
};

/* Counts the ends of inner loops in the path: branches backward that were taken at least twice, and
 * then are not taken. A loop whose code spans several fetch windows counts only if its end is
 * mispredicted, because the branch predictor runs ahead of the fetch, which hides the wait. */
static struct loop_ends loop_ends(const struct tally *tally)
{
	const struct loop *loop = tally->loop;
	const double *fact = tally->uarch->fact;
	double history = fact[SIZE_LOOP_EXIT_HISTORY], most = fact[SIZE_LOOP_EXIT_PREDICTED],
	       bytes = fact[EXTRA_LINE_BYTES];
	int *run = memory_new((size_t)loop->insn_count + 1, sizeof(*run));
	struct loop_ends ends = { 0 };

	/* The first of two passes over the path of instructions counts the iterations that an inner
	 * loop has made before the path starts. */
	for (int s = 0; s < 2 * loop->path_count; s++) {
		const struct loop_step *step = &loop->path[s % loop->path_count];
		const struct insn *insn = &loop->insn[step->insn];
		bool spans =
			bytes > 0 && insn->target / (uint64_t)bytes !=
					     (insn->address + insn->length - 1) / (uint64_t)bytes;

		if (insn->flow != FLOW_BRANCH || insn->target > insn->address)
			continue;
		if (!step->taken && run[step->insn] >= 2 && s >= loop->path_count) {
			bool wrong = most > 0 && run[step->insn] >= most;

			ends.all += wrong || !spans;
			ends.wrong += wrong;
			ends.late += !wrong && !spans && history > 0 && run[step->insn] >= history;
		}
		run[step->insn] = step->taken ? run[step->insn] + 1 : 0;
	}
	free(run);
	return ends;
}

void limits_loop_exits(struct tally *tally, double windows)
{
	const double *fact = tally->uarch->fact;
	double each = fmax(fact[EXTRA_LOOP_EXIT], 0),
	       longer = fmax(fact[EXTRA_LOOP_EXIT_LONG], each),
	       taken = fact[CAP_TAKEN] > 0 ? tally->taken / fact[CAP_TAKEN] : 0, cycles;
	struct loop_ends ends;

	if (!(longer > 0) || !tally->loop->stepped)
		return;
	ends = loop_ends(tally);
	cycles = fmax(windows, taken) + (ends.all - ends.late - ends.wrong) * each +
		 ends.late * longer;
	if (ends.wrong > 0 && uarch_known(fact[EXTRA_MISPREDICT]))
		limits_add(tally, LIMIT_LOOP_EXITS,
			fmax(cycles, tally->bound) + ends.wrong * fact[EXTRA_MISPREDICT],
			"%s end%s of inner loops mispredicted, after more than %s iterations",
			words_turn(tally, ends.wrong).text, words_s(tally, ends.wrong),
			words_number(fact[SIZE_LOOP_EXIT_PREDICTED]).text);
	else if (ends.all > 0 && limits_front_end_matters(tally, cycles))
		limits_add(tally, LIMIT_LOOP_EXITS, cycles,
			"%s window%s of code or taken branches, and %s end%s of inner loops, %s "
			"of them after more iterations than the fast predictor knows",
			words_turn(tally, fmax(windows, taken)).text,
			words_s(tally, fmax(windows, taken)), words_turn(tally, ends.all).text,
			words_s(tally, ends.all), words_turn(tally, ends.late).text);
}
