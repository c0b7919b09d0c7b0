/* Finds the best possible assignment of micro-ops to execution ports. */
#pragma once

#include <stdint.h>

enum { PORTS_MAX = 32 };

/* Returns the number of ports in a set. __builtin_popcount() is not used, because the compiler may
 * replace it by a call of a library function. */
static inline int ports_count(uint32_t set)
{
	set -= set >> 1 & 0x55555555u;
	set = (set & 0x33333333u) + (set >> 2 & 0x33333333u);
	return (int)(((set + (set >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

/* Work that may go to any port of a set. */
struct port_load {
	uint32_t ports; /* set of ports, one bit for each port; not 0 */
	double cycles;	/* number of micro-ops × cycles for which each micro-op holds its port */
};

/* Spreads the work of micro-ops over ports. The function makes the largest pressure of a port as
 * small as possible, then the next largest pressure, and so on. The resulting pressure of each port
 * is unique. pressure[port] is in cycles; a port without work gets 0. bottleneck (may be NULL)
 * receives the ports with the largest pressure. If several sets of ports have the largest pressure,
 * bottleneck receives the smallest set whose own work alone fills the set. Returns the largest
 * pressure of a port. No assignment has a smaller largest pressure. */
double ports_balance(const struct port_load *loads, int count, int ports, double *pressure,
	uint32_t *bottleneck);

/* Splits the work for each set of ports evenly over its ports, as in a calculation by hand. Returns
 * the largest pressure. */
double ports_naive(const struct port_load *loads, int count, int ports, double *pressure);
