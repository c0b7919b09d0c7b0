/* Simulates chains of loads of different lengths in a reorder buffer. A chain enters the reorder
 * buffer when an earlier chain leaves it, and chains leave it in program order. A long chain
 * therefore holds up the shorter chains after it. Pure. */
#pragma once

struct retire {
	double fixed;	/* cycles of the loads that each chain has */
	double each;	/* cycles of each further load */
	double further; /* mean number of further loads; their number has a Poisson distribution */
	double chains;	/* number of chains that begin and end together, from 1 */
	double window;	/* number of such groups of chains that fit the reorder buffer */
};

/* Returns the cycles per chain. The simulation always uses the same random numbers, so equal
 * arguments give equal results. */
double retire_cycles(const struct retire *retire);
