/* What loops that are made at run time take on a core made up. */
#pragma once

#include <math.h>
#include <string.h>

#include "kernels/generated.h"

#define WIDTH 6.0

/* ---- a core made up: multiplications take 3 cycles, all else 2; each waits for its own last
 * result where there is one register, and else half a cycle; nops only take slots. */

static inline double latency_of(const char *line)
{
	line += strspn(line, " ");
	return strncmp(line, "imul", 4) == 0 || strncmp(line, "mul x", 5) == 0 ? 3 : 2;
}

static inline bool is_nop(const char *line)
{
	return strncmp(line + strspn(line, " "), "nop", 3) == 0;
}

static inline double made_cycles(const struct generated_loop *loop)
{
	double chain = 0, busy = 0, slots = 0;

	for (int i = 0; i < loop->part_count; i++)
		for (const char *line = loop->part[i].lines; *line;
			line += strcspn(line, ";"), line += *line == ';') {
			unsigned times = loop->part[i].times;

			slots += times;
			if (is_nop(line))
				continue;
			busy += 0.5 * times;
			if (loop->part[i].registers == 1)
				chain += latency_of(line) * times;
		}
	return fmax(fmax(chain, busy), slots / WIDTH);
}
