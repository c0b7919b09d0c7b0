/* Simulates a queue whose entries leave it in program order: chains of loads in the reorder buffer,
 * or stores in the store queue. A chain enters the queue when an earlier chain leaves it. A slow
 * chain therefore holds up the faster chains after it. Pure. */
#pragma once

struct retire {
	double service; /* least number of cycles from the end of a group of chains to the next */
	double fixed;	/* cycles of the loads that each chain has */
	double each;	/* cycles of each further load */
	double further; /* mean number of further loads; their number has a Poisson distribution */
	double chains;	/* number of chains that begin and end together, from 1 */
	double window;	/* number of such groups of chains that fit the queue */
};

/* Returns the cycles per chain. The simulation always uses the same random numbers, so equal
 * arguments give equal results. */
double retire_cycles(const struct retire *retire);
