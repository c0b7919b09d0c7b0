/* Simulates a queue whose entries leave it in program order: chains of loads in the reorder buffer,
 * or stores in the store queue. A chain of loads enters the queue when an earlier chain leaves the
 * queue. A slow chain of loads at the head of the queue therefore delays the faster chains after
 * it. Pure. */
#pragma once

struct retire {
	double service; /* least number of cycles from the end of a group of chains of loads to the
			   end of the next group */
	double fixed;	/* cycles of the loads that every chain has */
	double each;	/* cycles of each further load */
	double further; /* mean number of a chain's further loads; their number has a Poisson
			   distribution */
	double chains;	/* number of chains of loads that begin and end together (a group), at least
			   1 */
	double window;	/* number of groups of chains of loads that fit the simulated queue */
};

/* Returns the cycles per chain. The simulation of the queue always uses the same random numbers, so
 * equal arguments give equal results. */
double retire_cycles(const struct retire *retire);
