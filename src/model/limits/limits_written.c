/* The lines that a loop writes, and what they cost on cores where a line that comes from the
 * second-level cache and goes back takes longer than one that is only read. Pure. */
#include "model/limits/tally.h"

#include <math.h>

#include "model/limits/levels.h"

/* Finds the registers that the loop's path changes. */
static void find_changed(const struct loop *loop, bool changed[REG_COUNT])
{
	for (int i = 0; i < loop->path_count; i++) {
		const struct insn *insn = &loop->insn[loop->path[i].insn];

		for (int k = 0; k < insn->write_count; k++)
			if (insn->writes[k] < REG_COUNT)
				changed[insn->writes[k]] = true;
	}
}

/* Whether a memory operand has another address in each pass through the path. */
static bool moves(const struct insn_memory *memory, const bool changed[REG_COUNT])
{
	return memory->vector_index || (memory->base < REG_COUNT && changed[memory->base]) ||
	       (memory->index < REG_COUNT && changed[memory->index]);
}

/* Returns the lines per element that the loop writes, through the caches: at most `most`, all lines
 * that it touches. A store that is `step` bytes from the next one touches a new line at that rate;
 * each store of a loop without order touches another line. */
static double written_lines(const struct tally *tally, double most)
{
	const struct loop *loop = tally->loop;
	const struct kernel_walk *walk = &tally->place->walk;
	bool changed[REG_COUNT] = { false };
	double lines = 0;

	find_changed(loop, changed);
	for (int i = 0; i < walk->reaches; i++)
		lines += walk->reach[i].written ? walk->reach[i].lines : 0;
	if (walk->reaches > 0)
		return lines;
	for (int i = 0; i < loop->path_count; i++) {
		const struct insn *insn = &loop->insn[loop->path[i].insn];

		for (int k = 0; k < INSN_MEMORY; k++)
			if (insn_stores(insn, k) && !insn_stores_past(insn, k) &&
				moves(&insn->memory[k], changed))
				lines += walk->scattered
						 ? fmax(insn->memory[k].accesses, 1)
						 : fmin(fmax(insn->memory[k].size, walk->step),
							   LINE) /
							   LINE;
	}
	return fmin(lines / tally->elements, most);
}

double limits_second_cycles(const struct tally *tally, double rate)
{
	double lines = levels_lines(tally, WAYS_ALL), each = rate > 0 ? 1 / rate : 0,
	       written = tally->uarch->fact[EXTRA_WRITTEN_LINE];

	return written > each && each > 0 && lines > 0
		       ? each + (written - each) * written_lines(tally, lines) / lines
		       : each;
}
