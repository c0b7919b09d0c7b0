/* The limit of taken branches that lie close together in the code: the core predicts only a few of
 * each block without a wait. Pure. */
#include "model/limits/tally.h"

/* BLOCK: bytes of the aligned blocks of code. */
enum { BLOCK = 32 };

static bool is_counted(const struct tally *tally, int insn)
{
	enum insn_flow flow = tally->loop->insn[insn].flow;

	return (flow == FLOW_BRANCH || flow == FLOW_JUMP) && tally->insn[insn].taken > 0;
}

/* Returns the number of taken branches among `count` that are beyond the `fit` most frequent ones.
 * Sorts times[], their numbers of executions. */
static double beyond(double *times, int count, double fit)
{
	double late = 0;

	for (int i = 0; i < count; i++) {
		for (int k = i + 1; k < count; k++)
			if (times[k] > times[i]) {
				double swap = times[i];

				times[i] = times[k];
				times[k] = swap;
			}
		late += i >= fit ? times[i] : 0;
	}
	return late;
}

void limits_dense_branches(struct tally *tally)
{
	const struct loop *loop = tally->loop;
	const double *fact = tally->uarch->fact;
	double fit = fact[SIZE_BLOCK_BRANCHES], each = fact[EXTRA_DENSE_BRANCH], late = 0, cycles;

	if (!(fit > 0) || !(each > 0) || !(fact[CAP_TAKEN] > 0))
		return;
	/* The instructions of a loop are in the order of their addresses. */
	for (int i = 0, end; i < loop->insn_count; i = end) {
		double times[BLOCK];
		int places = 0;

		for (end = i; end < loop->insn_count &&
			      loop->insn[end].address / BLOCK == loop->insn[i].address / BLOCK;
			end++)
			if (is_counted(tally, end))
				times[places++] = tally->insn[end].taken;
		late += beyond(times, places, fit);
	}
	cycles = tally->taken / fact[CAP_TAKEN] + late * each;
	if (late > 0 && limits_front_end_matters(tally, cycles))
		limits_add(tally, LIMIT_DENSE_BRANCHES, cycles,
			"%s taken branches, %s a cycle in dense code; %s of them beyond %s in a "
			"block of %d "
			"bytes: +%s cycles each",
			words_turn(tally, tally->taken).text, words_number(fact[CAP_TAKEN]).text,
			words_turn(tally, late).text, words_number(fit).text, BLOCK,
			words_number(each).text);
}
