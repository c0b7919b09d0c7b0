/* The best possible assignment of micro-ops to ports. Pure. */
#pragma once

#include <stdint.h>

enum { PORTS_MAX = 32 };

/* Ports in a set. __builtin_popcount() calls a library where the compiler may not use the
 * instruction. */
static inline int ports_count(uint32_t set)
{
	set -= set >> 1 & 0x55555555u;
	set = (set & 0x33333333u) + (set >> 2 & 0x33333333u);
	return (int)(((set + (set >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

/* Work that may go to any port of a set. */
struct port_load {
	uint32_t ports; /* a bit each; not 0 */
	double cycles;	/* micro-ops × cycles that each holds its port */
};

/* Spreads loads over ports so that the largest pressure is as small as can be, and below it the
 * next largest, and so on: the one most even spread (it is unique, per port). pressure[port] in
 * cycles; ports nothing may go to get 0. bottleneck (may be NULL) receives the set of ports that
 * make the largest pressure: the smallest of these sets that its own work fills. Returns the
 * largest pressure, which no assignment can beat. */
double ports_balance(const struct port_load *loads, int count, int ports, double *pressure,
	uint32_t *bottleneck);

/* Splits each load evenly over its own set, as one would by hand. Returns the largest pressure. */
double ports_naive(const struct port_load *loads, int count, int ports, double *pressure);
