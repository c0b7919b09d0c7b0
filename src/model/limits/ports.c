#include "model/limits/ports.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The work that can use one set of ports, and its current assignment to these ports. */
struct share {
	uint32_t ports;
	double cycles; /* cycles of work; 0 after the pressure of the ports in `ports` is final */
	double rest;   /* cycles of work that are not assigned to a port yet */
	double on[PORTS_MAX]; /* cycles of the work that are assigned to each port */
};

struct balance {
	struct share *share;
	int count;
	double filled[PORTS_MAX]; /* cycles of work assigned to each port so far */
	double tiny; /* if a number of cycles is smaller than `tiny`, it is a rounding error */
};

static bool usable(const struct port_load *load, int ports)
{
	uint32_t all = ports >= PORTS_MAX ? UINT32_MAX : (UINT32_C(1) << ports) - 1;

	return isfinite(load->cycles) && load->cycles > 0 && (load->ports & all) == load->ports &&
	       load->ports;
}

/* Merges entries of work that can use the same set of ports. Even the micro-ops of a long loop have
 * few different sets of ports. */
static double gather(struct balance *balance, const struct port_load *loads, int count, int ports)
{
	double total = 0;

	for (int i = 0; i < count; i++) {
		int k = 0;

		if (!usable(&loads[i], ports))
			continue;
		while (k < balance->count && balance->share[k].ports != loads[i].ports)
			k++;
		if (k == balance->count)
			balance->share[balance->count++].ports = loads[i].ports;
		balance->share[k].cycles += loads[i].cycles;
		total += loads[i].cycles;
	}
	return total;
}

/* Returns the cycles of work that can only go to ports of the set. */
static double work_inside(const struct balance *balance, uint32_t ports)
{
	double work = 0;

	for (int i = 0; i < balance->count; i++)
		if (!(balance->share[i].ports & ~ports))
			work += balance->share[i].cycles;
	return work;
}

static uint32_t live_ports(const struct balance *balance)
{
	uint32_t ports = 0;

	for (int i = 0; i < balance->count; i++)
		if (balance->share[i].cycles > 0)
			ports |= balance->share[i].ports;
	return ports;
}

/* Assigns the remaining work of one set of ports to ports that hold less than `limit` cycles, and
 * moves other work if needed. The algorithm is a maximum flow along one shortest path at a time. If
 * some work finds no port with free cycles, *reached receives the ports that the search reached.
 * All ports in *reached hold `limit` cycles, and their work cannot move to another port. */
static void place(struct balance *balance, int which, double limit, uint32_t *reached)
{
	while (balance->share[which].rest > balance->tiny) {
		int queue[PORTS_MAX], head = 0, tail = 0, end = -1;
		int from[PORTS_MAX],
			via[PORTS_MAX]; /* for each port: the previous port on the search path, and
					   the work (share) to move from that port to this one */
		uint32_t seen = balance->share[which].ports;
		double step = balance->share[which].rest;

		for (uint32_t ports = seen; ports; ports &= ports - 1) {
			int port = __builtin_ctz(ports);

			from[port] = -1;
			via[port] = which;
			queue[tail++] = port;
		}
		while (head < tail && end < 0) {
			int port = queue[head++];

			if (limit - balance->filled[port] > balance->tiny) {
				end = port;
				break;
			}
			for (int i = 0; i < balance->count; i++) {
				uint32_t fresh = balance->share[i].ports & ~seen;

				if (balance->share[i].cycles <= 0 || !fresh ||
					balance->share[i].on[port] <= balance->tiny)
					continue;
				seen |= fresh;
				for (; fresh; fresh &= fresh - 1) {
					int next = __builtin_ctz(fresh);

					from[next] = port;
					via[next] = i;
					queue[tail++] = next;
				}
			}
		}
		if (end < 0) {
			*reached |= seen;
			return;
		}
		step = fmin(step, limit - balance->filled[end]);
		for (int port = end; from[port] >= 0; port = from[port])
			step = fmin(step, balance->share[via[port]].on[from[port]]);
		balance->filled[end] += step;
		for (int port = end; port >= 0; port = from[port]) {
			balance->share[via[port]].on[port] += step;
			if (from[port] >= 0)
				balance->share[via[port]].on[from[port]] -= step;
		}
		balance->share[which].rest -= step;
	}
	balance->share[which].rest = 0;
}

/* Returns the largest pressure that the remaining work forces on a set of ports, and stores the set
 * in *ports. The set of ports that was found has the most work per port that no other port can do.
 * The search for the set with the most work per port starts with all ports. If some work finds no
 * port, the ports that the search for a port reached are a set with more work per port. The search
 * for the set ends when all work fits on the ports of the set. */
static double densest(struct balance *balance, uint32_t *ports)
{
	double limit, denser;

	*ports = live_ports(balance);
	limit = work_inside(balance, *ports) / ports_count(*ports);
	memset(balance->filled, 0, sizeof(balance->filled));
	for (int i = 0; i < balance->count; i++) {
		memset(balance->share[i].on, 0, sizeof(balance->share[i].on));
		balance->share[i].rest = balance->share[i].cycles;
	}
	for (;;) {
		uint32_t reached = 0;

		for (int i = 0; i < balance->count; i++)
			place(balance, i, limit, &reached);
		if (!reached)
			return limit;
		denser = work_inside(balance, reached) / ports_count(reached);
		if (denser <=
			limit) /* the set has more work per port only because of a rounding error */
			return limit;
		limit = denser;
		*ports = reached;
	}
}

/* Returns the smallest subset of `ports` that is filled by work that no port outside the subset can
 * do. The search for the smallest subset starts with each single port, and adds all ports to which
 * the work of the set could move. */
static uint32_t smallest_full(const struct balance *balance, uint32_t ports)
{
	uint32_t best = ports;

	for (uint32_t rest = ports; rest; rest &= rest - 1) {
		uint32_t set = rest & -rest, before = 0;

		while (set != before) {
			before = set;
			for (int i = 0; i < balance->count; i++)
				for (uint32_t p = set & balance->share[i].ports; p; p &= p - 1)
					if (balance->share[i].cycles > 0 &&
						balance->share[i].on[__builtin_ctz(p)] >
							balance->tiny)
						set |= balance->share[i].ports;
		}
		if (ports_count(set) < ports_count(best))
			best = set;
	}
	return best;
}

double ports_balance(
	const struct port_load *loads, int count, int ports, double *pressure, uint32_t *bottleneck)
{
	struct balance balance = { .share = memory_new((size_t)(count > 0 ? count : 1),
					   sizeof(*balance.share)) };
	double total = gather(&balance, loads, count, ports), largest = 0;

	balance.tiny = fmax(total * 1e-12, 1e-300);
	memset(pressure, 0, (size_t)ports * sizeof(*pressure));
	if (bottleneck)
		*bottleneck = 0;
	/* Each port of the set with the most work per port gets the largest pressure: the work of
	 * the set fills its ports, and all other work uses other ports. The loop then finds the set
	 * with the most work per port among the remaining ports. */
	while (live_ports(&balance)) {
		uint32_t set;
		double each = densest(&balance, &set);

		if (largest == 0) {
			largest = each;
			if (bottleneck)
				*bottleneck = smallest_full(&balance, set);
		}
		for (uint32_t p = set; p; p &= p - 1)
			pressure[__builtin_ctz(p)] = each;
		for (int i = 0; i < balance.count; i++) {
			if (!(balance.share[i].ports & ~set))
				balance.share[i].cycles = 0;
			balance.share[i].ports &= ~set;
		}
	}
	free(balance.share);
	return largest;
}

double ports_naive(const struct port_load *loads, int count, int ports, double *pressure)
{
	double largest = 0;

	memset(pressure, 0, (size_t)ports * sizeof(*pressure));
	for (int i = 0; i < count; i++) {
		if (!usable(&loads[i], ports))
			continue;
		for (uint32_t p = loads[i].ports; p; p &= p - 1)
			pressure[__builtin_ctz(p)] += loads[i].cycles / ports_count(loads[i].ports);
	}
	for (int port = 0; port < ports; port++)
		largest = fmax(largest, pressure[port]);
	return largest;
}
