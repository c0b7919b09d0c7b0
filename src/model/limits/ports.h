/* The best possible assignment of micro-ops to ports. Pure. */
#pragma once

#include <stdint.h>

enum { PORTS_MAX = 32 };

/* Number of ports in a set. __builtin_popcount() calls a library if the compiler may not use the
 * instruction. */
static inline int ports_count(uint32_t set)
{
	set -= set >> 1 & 0x55555555u;
	set = (set & 0x33333333u) + (set >> 2 & 0x33333333u);
	return (int)(((set + (set >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

/* Work that may go to any port of a set. */
struct port_load {
	uint32_t ports; /* one bit for each port; not 0 */
	double cycles;	/* micro-ops × cycles for which each micro-op holds its port */
};

/* Spreads loads over ports. It makes the largest pressure as small as possible, then the next
 * largest, and so on. This most even pressure of each port is unique. pressure[port] is in cycles;
 * a port without work gets 0. bottleneck (may be NULL) receives the ports with the largest
 * pressure. If several sets qualify, it is the smallest set that its own work fills. Returns the
 * largest pressure: no assignment has a lower one. */
double ports_balance(const struct port_load *loads, int count, int ports, double *pressure,
	uint32_t *bottleneck);

/* Splits each load evenly over its own set, as in a calculation by hand. Returns the largest
 * pressure. */
double ports_naive(const struct port_load *loads, int count, int ports, double *pressure);
