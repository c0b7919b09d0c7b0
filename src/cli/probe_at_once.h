/* Measures all L2 domains of the machine at the same time: the cores that share an L2 form a
 * domain, and one processor of each domain is measured. L1, L2 and the clock belong to the domain,
 * so the domains do not disturb each other. One process measures each domain. */
#pragma once

#include "cli/cli.h"

/* Measures all L2 domains for one second, or for --time-budget. Text names the domains that differ
 * from the others; JSON and CSV have the samples of each domain. Returns the exit status. */
int probe_at_once(struct cli *cli);
