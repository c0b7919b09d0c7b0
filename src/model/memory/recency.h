/* Computes how often the accesses to parts of the data miss a cache that evicts the least recently
 * used line. Rarely used lines also take space in such a cache, so the cache holds fewer of the
 * frequently used lines than would fit. In a search tree of 64 MiB, for example, each search
 * brings its last ten nodes, which no other search needs soon.
 *
 * Source: Che, Tung and Wang, "Hierarchical Web Caching Systems: Modeling, Design and Experimental
 * Results", IEEE Journal on Selected Areas in Communications 20 (2002). A cache of n lines holds
 * the lines of the last T accesses, where T is the number of accesses that touch n different lines
 * on average. */
#pragma once

#include "kernels/kernel.h"

/* Returns the age at which a cache of `bytes` evicts a line: the number of loop elements that touch
 * `bytes` of different cache lines on average. The kernel's description of its accesses must list
 * parts of its data (walk->reaches). INFINITY: all lines fit. */
double recency_age(const struct kernel_walk *walk, double bytes);

/* Returns the share of the accesses to one part of the data that miss a cache of `bytes`. The index
 * `reach` chooses the part. `age` is the result of recency_age() for the cache. */
double recency_missed(const struct kernel_walk *walk, int reach, double bytes, double age);
