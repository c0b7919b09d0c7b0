/* Computes how many cycles the front end needs to supply the micro-ops of a path (executed
 * instructions), and which part of the front end supplies them. Pure.
 *
 * The code is divided into aligned windows of `line-bytes` bytes. The micro-op cache supplies one
 * window a cycle, if it holds the window. A window of code that the micro-op cache cannot hold
 * comes from the decoders. Source: Downs, "Performance Speed Limits", Front End Effects; Abel and
 * Reineke, "Facile". */
#include "model/limits/front_end_inside.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* An unknown number of the front end is reported only for a loop that the rename width nearly
 * limits. */
static bool may_limit(const struct tally *tally)
{
	return limits_front_end_matters(tally, tally->slots / tally->uarch->width);
}

/* Whether a number of cycles from the micro-op cache or the loop buffer is a limit: it is higher
 * than that of rename. */
static bool exceeds(const struct tally *tally, double cycles)
{
	return cycles > tally->slots / tally->uarch->width + 1e-9 &&
	       limits_front_end_matters(tally, cycles);
}

/* Adds the limit of a loop whose code comes from the decoders, in part or completely. */
static void add_decoded(const struct front_end *front, struct tally *tally,
	const struct code_supply *supply, enum limit_kind kind, const char *why)
{
	double cycles = supply->decoded + supply->cached, far = front->fact[EXTRA_CODE_RATE],
	       fetch = front->fact[EXTRA_FETCH_BYTES], each = front->fact[EXTRA_DECODE];
	const char *lacks = kind == LIMIT_DECODE     ? ""
			    : fetch <= 0	     ? "; the bytes a cycle are not known"
			    : front->far && far <= 0 ? "; the rate of the second cache is not known"
						     : "";

	if (kind == LIMIT_ALIGNMENT && !limits_front_end_matters(tally, cycles))
		return;
	if (front->far && far > 0)
		fetch = fmin(fetch, far);
	if (cycles <= supply->cached && (kind != LIMIT_DECODE || may_limit(tally)))
		limits_add_unknown(
			tally, kind, "%sthe decoding rate of this core is not known", why);
	else if (cycles <= supply->cached)
		return;
	else if (supply->by == BY_BYTES)
		limits_add(tally, kind, cycles, "%s%s code bytes, %s a cycle from the decoders%s",
			why, words_turn(tally, supply->bytes).text, words_number(fetch).text,
			lacks);
	else if (supply->by == BY_ENDS)
		limits_add(tally, kind, cycles,
			"%s%s code bytes in blocks of %s, %s instructions of a block a cycle%s",
			why, words_turn(tally, supply->bytes).text, words_number(fetch).text,
			words_number(front->fact[EXTRA_PREDECODE]).text, lacks);
	else if (supply->alone > 0)
		limits_add(tally, kind, cycles,
			"%s%s instructions, %s decoded a cycle, %s of them by the first decoder "
			"alone%s",
			why, words_turn(tally, supply->decoded_insns).text, words_number(each).text,
			words_turn(tally, supply->alone).text, lacks);
	else
		limits_add(tally, kind, cycles, "%s%s instructions, %s decoded a cycle%s", why,
			words_turn(tally, supply->decoded_insns).text, words_number(each).text,
			lacks);
}

/* Returns the number of entries of the micro-op cache that a window of code takes. */
static double entries_of(const struct front_end *front, int window)
{
	return fmax(1, ceil(front->window[window].ops / front->fact[EXTRA_LINE_OPS] - 1e-9));
}

/* Returns the cycles in which the micro-op cache supplies the path, on a core that reads a limited
 * number of entries per cycle, all from one window. A window of one entry is read together with the
 * directly following window. If the target of a taken branch lies in a window with more entries
 * than one read, each further read of this window takes two cycles. Measured on Zen 5, which reads
 * two entries of 6 micro-ops per cycle:
 *
 * - one window: up to 12 micro-ops take no longer than rename, 13 to 24 take 3 cycles, 25 to 36
 *   take 5, 38 take 7
 * - 8 micro-ops, and the branch in the next window: 2 cycles
 * - 6 or 3 micro-ops, and the rest in the next window: no longer than rename
 * - 16 micro-ops, and 1 to 16 in the next window: 4 cycles
 *
 * Code without a taken branch takes at least a cycle for each `bytes` bytes, as many as a window
 * has: 16 nops of 10 to 15 bytes take 3 to 4 cycles, 64 take 11 to 16. A block that is no longer
 * than a window takes no whole cycle of its own. If `bytes` is 0, the bytes do not count. Sets
 * *paused to whether some read takes two cycles. */
static double entry_cycles(const struct front_end *front, double bytes, bool *paused)
{
	double each = front->fact[EXTRA_OPCACHE_ENTRIES], cycles = 0, before = 0, length;
	bool target = true;
	int first = 0;

	*paused = false;
	for (int w = 0; w < front->windows; w++) {
		double entries = entries_of(front, w);
		int last = front->window[w].end - 1;
		bool taken = front_end_leaves(front, last);

		/* Two short blocks of code that end in taken branches are read together. */
		if (entries <= 1 && taken)
			cycles += target ? 1 / each : 1;
		else if (target && entries > each) {
			cycles += 2 * ceil(entries / each) - 1;
			*paused = true;
		} else if (entries > 1)
			cycles += fmax(1, ceil((entries - 1) / each));
		target = taken;
		if (!taken)
			continue;
		length = (double)(front_end_insn(front, last)->address +
				  front_end_insn(front, last)->length -
				  front_end_insn(front, first)->address);
		if (bytes > 0 && length > bytes)
			cycles = fmax(cycles, before + ceil(length / bytes));
		before = cycles;
		first = last + 1;
	}
	return cycles;
}

/* Adds the limit of the entries of the micro-op cache that the core reads per cycle, and of the
 * bytes of code. */
static void add_entries(const struct front_end *front, struct tally *tally)
{
	bool paused;
	double bytes = front->fact[EXTRA_LINE_BYTES], cycles = entry_cycles(front, bytes, &paused),
	       entries = 0;

	for (int w = 0; w < front->windows; w++)
		entries += entries_of(front, w);
	if (!exceeds(tally, cycles))
		return;
	if (cycles > entry_cycles(front, 0, &paused) + 1e-9)
		limits_add(tally, LIMIT_OPCACHE, cycles,
			"%s bytes of code a cycle from the op cache, in whole cycles: %s cycle%s",
			words_number(bytes).text, words_turn(tally, cycles).text,
			words_s(tally, cycles));
	else
		limits_add(tally, LIMIT_OPCACHE, cycles,
			"%s op cache entries in %s cycle%s: a cycle reads %s of one %s-byte window "
			"of code%s",
			words_turn(tally, entries).text, words_turn(tally, cycles).text,
			words_s(tally, cycles),
			words_number(front->fact[EXTRA_OPCACHE_ENTRIES]).text,
			words_number(bytes).text,
			paused ? ", and the window that a branch jumps to only every second cycle"
			       : "");
}

/* Returns the cycles in which the micro-op cache supplies the path, if each block of code that ends
 * in a taken branch takes whole cycles. */
static double block_cycles(const struct front_end *front)
{
	double each = front->fact[EXTRA_OPCACHE_OPS], cycles = 0, ops = 0, windows = 0;

	for (int w = 0; w < front->windows; w++) {
		ops += front->window[w].ops;
		windows++;
		if (!front_end_leaves(front, front->window[w].end - 1))
			continue;
		cycles += fmax(windows, ceil(ops / each - 1e-9));
		ops = windows = 0;
	}
	return cycles;
}

/* Adds the two limits of the micro-op cache: windows of code per cycle, and micro-ops per cycle. If
 * the bytes of a window are unknown, the limit is reported as unknown only for a loop that the
 * rename width nearly limits. */
static void add_cached(
	const struct front_end *front, struct tally *tally, const struct code_supply *supply)
{
	double each = front->fact[EXTRA_OPCACHE_OPS], bytes = front->fact[EXTRA_LINE_BYTES],
	       cycles = supply->ops / each;
	bool whole = bytes > 0 && supply->cached == tally->turns;
	double restart = tally->loop->stepped ? 0 : tally->place->walk.restart / tally->elements;
	bool between = whole && restart >= 1,
	     blocks = front->fact[EXTRA_OPCACHE_BLOCKS] > 0 &&
		      (bytes > 0 || tally->taken <= tally->turns + 1e-9);

	/* The micro-op cache does not supply the end of one iteration and the start of the next in
	 * the same cycle. Golden Cove, which reads several windows of code in a cycle, supplies
	 * several short blocks that end in taken branches in one cycle too. If dependence chains
	 * end and begin again, the code between two chains, which the path lacks, takes a cycle of
	 * its own. Measured on Zen 4 with mul-chain: a product of 2, 4, 6 or 8 elements takes 3, 5,
	 * 7 or 9 cycles. */
	if (blocks)
		cycles = block_cycles(front);
	else if (whole)
		cycles = tally->turns * ceil(cycles / tally->turns - 1e-9);
	if (between)
		cycles += 1 / restart;
	if (each > 0 && exceeds(tally, cycles) && (!blocks || cycles > supply->cached + 1e-9))
		limits_add(tally, LIMIT_OPCACHE, cycles,
			"%s micro-ops, %s a cycle from the op cache%s%s",
			words_turn(tally, supply->ops).text, words_number(each).text,
			blocks	? ", in whole cycles up to each taken branch"
			: whole ? ", in whole cycles"
				: "",
			between ? ", and a cycle for the code between chains" : "");
	/* Each iteration needs at least one cycle for its window of code; a limit of one cycle is
	 * not listed next to higher limits. */
	if (bytes > 0 && exceeds(tally, supply->cached) &&
		supply->cached > fmin(tally->turns, tally->bound) + 1e-9)
		limits_add(tally, LIMIT_ALIGNMENT, supply->cached,
			"%s window%s of %s bytes of code, one a cycle from the op cache",
			words_turn(tally, supply->cached).text, words_s(tally, supply->cached),
			words_number(bytes).text);
	else if (bytes <= 0 && may_limit(tally))
		limits_add_unknown(
			tally, LIMIT_ALIGNMENT, "bytes a cycle from the op cache not known");
}

/* Returns the rename slots of the path on a core where a nop shares the slot of the previous
 * instruction only if both reach the decoders together. The decoders receive an aligned block of
 * code per cycle, and take a limited number of instructions from the blocks received so far. */
static double decoded_slots(const struct front_end *front)
{
	const struct tally *tally = front->tally;
	double block = front->fact[EXTRA_FETCH_BYTES], each = front->fact[EXTRA_DECODE], slots = 0,
	       received = 0, taken = 0;
	bool joined = false, starts = true;

	for (int s = 0; s < tally->loop->path_count; s++) {
		int number = tally->loop->path[s].insn;
		const struct insn *insn = front_end_insn(front, s);
		double end = (double)(insn->address - tally->loop->insn[0].address) + insn->length;
		bool together = true;

		if (tally->insn[number].fuses)
			continue;
		if (starts)
			received = end - insn->length - (double)(insn->address % (uint64_t)block) +
				   block;
		for (; starts || taken + 1 > each || end > received; taken = 0, starts = false) {
			received += starts ? 0 : block;
			together = false;
		}
		taken++;
		joined = insn->write_count > 0
				 ? tally->insn[number].joins
				 : together && !joined &&
					   uarch_fuses_behind(tally->uarch,
						   front_end_insn(front, s - 1), insn);
		slots += joined ? 0 : tally->facts[number].slots - tally->facts[number].unlaminated;
		starts = front_end_leaves(front, s);
	}
	return slots;
}

static void add_pairs(const struct front_end *front, struct tally *tally)
{
	double slots;

	if (!(front->fact[EXTRA_FETCH_BYTES] > 0) || !(front->fact[EXTRA_DECODE] > 0))
		return;
	slots = decoded_slots(front);
	if (exceeds(tally, slots / tally->uarch->width))
		limits_add(tally, LIMIT_DECODE, slots / tally->uarch->width,
			"%s micro-ops, %s a cycle: %s more nops alone, which the decoders received "
			"apart from the instruction before",
			words_turn(tally, slots).text, words_number(tally->uarch->width).text,
			words_turn(tally, slots - tally->slots).text);
}

/* Adds the limit of the loop buffer: the micro-op queue repeats a short loop without fetching it.
 * In the loop buffer, one iteration, or several copies of it, take a whole number of cycles. */
static void add_loop_buffer(const struct front_end *front, struct tally *tally)
{
	enum { MOST_COPIES = 8 };
	double ops = tally->slots / tally->turns, until = front->fact[EXTRA_LOOP_COPIES],
	       copies = until > 0 ? fmax(1, fmin(ceil(until / ops), MOST_COPIES)) : 1,
	       cycles = ceil(ops * copies / tally->uarch->width - 1e-9) / copies * tally->turns;

	if (exceeds(tally, cycles))
		limits_add(tally, LIMIT_LOOP_BUFFER, cycles,
			"%s micro-ops from the loop buffer: %s iteration%s in %s cycle%s",
			words_number(ops).text, words_number(copies).text, copies == 1 ? "" : "s",
			words_number(cycles / tally->turns * copies).text,
			cycles / tally->turns * copies == 1 ? "" : "s");
}

void limits_front_end(struct tally *tally)
{
	const double *fact = tally->uarch->fact;
	struct front_end front = { .tally = tally, .fact = fact };
	struct code_supply supply;
	bool cached;

	if (tally->loop->path_count == 0 || !(tally->uarch->width > 0) || !(tally->slots > 0))
		return;
	front_end_find_windows(&front);
	if (fact[SIZE_OPCACHE] > 0)
		front_end_find_decoded(&front);
	else
		for (int w = 0; w < front.windows; w++)
			front.window[w].decoded = true;
	supply = front_end_supply(&front);
	cached = !supply.decodes;
	if (cached && tally->slots / tally->turns <= fact[SIZE_LOOP_BUFFER])
		add_loop_buffer(&front, tally);
	else if (cached) {
		if (fact[EXTRA_OPCACHE_ENTRIES] > 0 && fact[EXTRA_LINE_OPS] > 0)
			add_entries(&front, tally);
		else
			add_cached(&front, tally, &supply);
		limits_loop_exits(tally, supply.cached);
		add_pairs(&front, tally);
	} else if (fact[SIZE_OPCACHE] <= 0)
		add_decoded(&front, tally, &supply, LIMIT_DECODE, "");
	else if (front.over || front.crowded)
		add_decoded(&front, tally, &supply, LIMIT_OPCACHE,
			front.over ? front.over : "too dense for the op cache: ");
	else
		add_decoded(&front, tally, &supply, LIMIT_ALIGNMENT,
			"a jump at the end of 32 bytes is not in the op cache: ");
	free(front.window);
}
