/* Computes soft limits that depend on the order of the loop's instructions: loads that wait until
 * stores are committed, or for the addresses of stores, and operations of different classes in turn
 * on one unit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/graph/forwards.h"
#include "model/limits/tally.h"

/* ---- Loads that wait until stores are committed
 *
 * A load that reads bytes of several stores, or more bytes than a store wrote, cannot get its value
 * from the store queue. It waits until the stores have retired and are written to the cache. The
 * stores of the next iteration retire after the load, so these waits never overlap: an iteration
 * takes the wait, and the time in which the core retires the instructions from the load to the next
 * store.
 *
 * Measured on Zen 5: two stores of 8 bytes, a load of 16 bytes and n nops take 16 + n/8 cycles for
 * n from 0 to 320; two stores of 4 bytes and a load of 8 bytes take 14 + n/8. Instructions between
 * the stores and the load add no cycles. Measured on Golden Cove: two stores of a byte, a load of
 * two and n nops take 15.9 + n/8 for n from 0 to 240. */

/* A load that waits for a store. `store` and `load` count the rename slots of the path up to the
 * end of each; a store of the previous path has a negative number or 0. */
struct wait {
	double store, load, cycles;
};

static struct wait *list_waits(const struct tally *tally, int *count)
{
	const struct loop *loop = tally->loop;
	const double *fact = tally->uarch->fact;
	double vector = fmax(fact[EXTRA_FORWARD_VECTOR] - fmax(fact[EXTRA_FORWARD], 0), 0),
	       cycles = fact[uarch_known(fact[EXTRA_FORWARD_WAIT]) ? EXTRA_FORWARD_WAIT
								   : EXTRA_FORWARD_FAILS];
	size_t operands = (size_t)loop->path_count * INSN_MEMORY + 1;
	struct forward *forwards = memory_new(operands, sizeof(*forwards)), *next = forwards;
	struct wait *wait = memory_new(operands, sizeof(*wait));
	double *slots = memory_new((size_t)loop->path_count + 1, sizeof(*slots));

	*count = 0;
	forwards_find(loop, uarch_stack_register(tally->uarch), forwards);
	for (int s = 0; s < loop->path_count; s++) {
		int i = loop->path[s].insn;
		bool none = tally->insn[i].second > 0 || tally->insn[i].joins;

		slots[s + 1] = slots[s] + (none ? 0 : tally->facts[i].slots);
	}
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++) {
			const struct forward *store = next;

			if (!insn_loads(insn, k))
				continue;
			next++;
			if (store->step >= 0 && !store->inside && store->distance <= 1)
				wait[(*count)++] = (struct wait){
					slots[store->step + 1] -
						store->distance * slots[loop->path_count],
					slots[s + 1], cycles + (insn->vector ? vector : 0)
				};
		}
	}
	free(forwards);
	free(slots);
	return wait;
}

/* Adds the limit of loads that wait for stores. Counts waits one after the other: each store comes
 * after the previous load. */
static void add_waits(struct tally *tally)
{
	double rate = tally->uarch->fact[CAP_RETIRE], cycles, last = -INFINITY, first = 0;
	int count, waits = 0;
	struct wait *wait;

	if (!(rate > 0) || !(tally->uarch->fact[EXTRA_FORWARD_FAILS] > 0))
		return;
	wait = list_waits(tally, &count);
	cycles = tally->slots / rate;
	for (int i = 0; i < count; i++) {
		double gain = wait[i].cycles - (wait[i].load - wait[i].store) / rate;

		if (wait[i].store < last || gain <= 0 ||
			(waits > 0 && wait[i].load > first + tally->slots))
			continue;
		first = waits++ ? first : wait[i].store;
		last = wait[i].load;
		cycles += gain;
	}
	if (waits > 0)
		limits_add(tally, LIMIT_FORWARDING, cycles,
			"%s load%s of more bytes than one store wrote: each waits until the stores "
			"are in the cache, and instructions retire after it",
			words_turn(tally, waits).text, words_s(tally, waits));
	free(wait);
}

/* ---- Loads that wait for the addresses of stores
 *
 * A core begins a load before it knows the addresses of all earlier stores. If such a store then
 * writes what the load has read, the core executes the load again, and may later let it wait for
 * these addresses. If an address comes from the load of the iteration before, as in a sort by
 * digits, each iteration waits for the one before.
 *
 * Measured on Zen 3: a counter of 2 to 128 random places, whose value is the index of another
 * store, takes 9 to 10 cycles: 4 for the load, 1 for the index, 5 from the address to the next
 * load. Of 176 places and more, it takes 2.4, in between the one or the other. With 24 nops beside,
 * it waits only if there are 8 places or fewer. So the limit is possible, but its cycles are not
 * sure. */

/* LATE_STORES: number of earlier stores among which a load finds its own address. LATE_SHARE: the
 * least share of the loads that do so. */
enum { LATE_STORES = 40 };
#define LATE_SHARE 0.12

/* Returns the share of the executions of the load k of instruction i that read what one of the last
 * stores wrote. */
static double meets(const struct tally *tally, int i, int k)
{
	const struct loop *loop = tally->loop;
	double places = tally->place->walk.places;
	uint64_t stored[LATE_STORES];
	int stores = 0, loads = 0, found = 0;

	if (!loop->stepped)
		return places > 1 ? 1 - pow(1 - 1 / places, LATE_STORES / 2) : 0;
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];
		const uint64_t *address = loop->path[s].address;
		bool met = false;

		if (loop->path[s].insn == i) {
			for (int n = 0; n < LATE_STORES && n < stores; n++)
				met |= stored[n] == address[k];
			loads++;
			found += met;
		}
		for (int m = 0; m < INSN_MEMORY; m++)
			if (insn_stores(insn, m))
				stored[stores++ % LATE_STORES] = address[m];
	}
	return loads ? (double)found / loads : 0;
}

/* Whether two memory operands have the same registers and constant. */
static bool same_operand(const struct insn *a, int k, const struct insn *b, int m)
{
	return a->memory[k].base == b->memory[m].base && a->memory[k].index == b->memory[m].index &&
	       a->memory[k].scale == b->memory[m].scale && a->memory[k].disp == b->memory[m].disp;
}

/* What depends on a loaded value, as far as a store writes to the place that was loaded: cycles
 * from the load to the last address of a store, and from the loaded value to the value stored to
 * that place; 0: none. */
struct followed {
	double address, value;
};

/* Returns the cycles after which a store has the value that it writes; 0: the value does not depend
 * on the load. */
static double stored_value(const double ready[UINT8_MAX + 1], const struct insn *insn, int m)
{
	double value = 0;

	for (int r = 0; r < insn->read_count; r++)
		if (insn->reads[r] != insn->memory[m].base &&
			insn->reads[r] != insn->memory[m].index)
			value = fmax(value, ready[insn->reads[r]]);
	return value;
}

/* Follows the value that the load k of step s returns, through one iteration. */
static struct followed follow(const struct tally *tally, int s, int k)
{
	const struct loop *loop = tally->loop;
	const struct insn *load = &loop->insn[loop->path[s].insn];
	const struct uarch_class *own = tally->facts[loop->path[s].insn].op;
	double ready[UINT8_MAX + 1] = { 0 }, late = 0,
				 latency = tally->facts[loop->path[s].insn].load->latency,
				 value_at =
					 insn_stores(load, k) && own ? latency + own->latency : 0;
	bool stores = false;

	for (int w = 0; w < load->write_count; w++)
		ready[load->writes[w]] = latency;
	for (int t = s + 1; t < s + loop->path_count; t++) {
		int i = loop->path[t % loop->path_count].insn;
		const struct insn *insn = &loop->insn[i];
		const struct uarch_class *op = tally->facts[i].op;
		double value = 0;

		if (i == loop->path[s].insn)
			break;
		for (int m = 0; m < INSN_MEMORY; m++) {
			if (!insn_stores(insn, m))
				continue;
			if (same_operand(load, k, insn, m)) {
				stores = true;
				value_at = fmax(value_at, stored_value(ready, insn, m));
			}
			late = fmax(late,
				fmax(ready[insn->memory[m].base], ready[insn->memory[m].index]));
		}
		for (int r = 0; r < insn->read_count; r++)
			value = fmax(value, ready[insn->reads[r]]);
		for (int w = 0; w < insn->write_count; w++)
			ready[insn->writes[w]] =
				value > 0 ? value + (op && !tally->facts[i].eliminated ? op->latency
										       : 0)
					  : 0;
	}
	return (struct followed){ stores ? late : 0, fmax(value_at - latency, 0) };
}

/* Whether a step is the first execution of its instruction. */
static bool is_first(const struct loop *loop, int s)
{
	for (int t = 0; t < s; t++)
		if (loop->path[t].insn == loop->path[s].insn)
			return false;
	return true;
}

/* Adds the limit of loads that wait for the addresses of stores that depend on the load before. */
static void add_late(struct tally *tally)
{
	const struct loop *loop = tally->loop;
	double extra = tally->uarch->fact[EXTRA_LATE_STORE], most = 0;

	if (!(extra > 0))
		return;
	for (int s = 0; s < loop->path_count; s++) {
		int i = loop->path[s].insn;

		for (int k = 0; is_first(loop, s) && k < INSN_MEMORY; k++) {
			double late = insn_loads(&loop->insn[i], k) && tally->facts[i].load
					      ? follow(tally, s, k).address
					      : 0;

			if (late > 0 && meets(tally, i, k) >= LATE_SHARE)
				most = fmax(most, (late + extra) * tally->insn[i].times);
		}
	}
	if (!(most > 0))
		return;
	limits_add_unknown(tally, LIMIT_FORWARDING,
		"%s cycles if each load waits for the addresses of earlier stores, which depend on "
		"the load before",
		words_turn(tally, most).text);
	limits_set_most(tally, LIMIT_FORWARDING, most);
}

/* ---- Places that the loop changes in random order
 *
 * A histogram loads a counter and stores it, again and again. If there are few counters, each load
 * waits for the store to the same counter just before, so all changes of one counter are a chain.
 * The counter with the most changes limits the loop.
 *
 * Measured on Zen 3: a histogram of 4 counters takes 1.91 cycles; a quarter of the changes, of 6
 * cycles for the store and 1 for the addition each, takes 1.75. */

struct change {
	uint64_t address;
	int number; /* of the execution of the load */
};

static int by_address(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Returns how often the load k of instruction i comes to the place to which it comes most often, in
 * the long run: in a short path, that place has about a standard deviation more by chance. Returns
 * 0 if all places come again after the same number of loads: the core learns that. */
static double hottest_place(const struct loop *loop, int i, int k)
{
	struct change *change = memory_new((size_t)loop->path_count, sizeof(*change));
	int count = 0, from = 0, apart = 0;
	double most = 0;
	bool regular = true;

	for (int s = 0; s < loop->path_count; s++)
		if (loop->path[s].insn == i)
			change[count] = (struct change){ loop->path[s].address[k], count }, count++;
	qsort(change, (size_t)count, sizeof(*change), by_address);
	for (int n = 0; n < count; n++) {
		if (change[n].address != change[from].address)
			from = n;
		if (n > from) {
			int now = change[n].number - change[n - 1].number;

			regular &= apart == 0 || apart == now;
			apart = now;
		}
		most = fmax(most, n - from + 1);
	}
	free(change);
	return regular ? 0 : most - sqrt(most * (1 - most / count));
}

/* Adds the limit of loads that wait for the last store to the same place. */
static void add_changes(struct tally *tally)
{
	const struct loop *loop = tally->loop;

	for (int s = 0; s < loop->path_count && loop->stepped; s++) {
		int i = loop->path[s].insn;
		const struct insn *insn = &loop->insn[i];
		double forward =
			tally->uarch->fact[insn->vector ? EXTRA_FORWARD_VECTOR : EXTRA_FORWARD];

		for (int k = 0; is_first(loop, s) && k < INSN_MEMORY; k++) {
			double value = insn_loads(insn, k) && tally->facts[i].load && forward > 0
					       ? follow(tally, s, k).value
					       : 0,
			       times = value > 0 ? hottest_place(loop, i, k) : 0,
			       cycles = times * (forward + value);

			if (cycles > tally->bound)
				limits_add(tally, LIMIT_FORWARDING, cycles,
					"loads wait for the last store to the same place: %s %% of "
					"them come to one place, %s cycles each",
					words_number(round(100 * times / tally->insn[i].times))
						.text,
					words_number(forward + value).text);
		}
	}
}

/* ---- Units */

/* Returns the cycles that the micro-ops of a class occupy the unit `unit`; 0: the class does not
 * use the unit. */
static double unit_cycles(const struct uarch_class *class, int unit)
{
	for (int t = 0; class && class->executes && t < class->term_count; t++)
		if (class->term[t].ports == UINT32_C(1) << unit)
			return (double)class->term[t].count * (double)class->term[t].cycles;
	return 0;
}

/* Returns the cycles of a path on a unit that executes the operations in order, and whose runs of
 * operations of one class take whole cycles. Returns 0 if all operations are of one class. */
static double cycles_of_runs(const struct tally *tally, int unit)
{
	const struct loop *loop = tally->loop;
	const struct uarch_class *last = NULL;
	double cycles = 0, run = 0;
	int start = -1;

	/* The path is a circle: counting begins and ends at a change of the class. */
	for (int s = 0; s < 2 * loop->path_count; s++) {
		const struct uarch_class *class =
			tally->facts[loop->path[s % loop->path_count].insn].op;
		double each = unit_cycles(class, unit);

		if (each <= 0)
			continue;
		if (last && class != last) {
			if (start >= 0)
				cycles += ceil(run - 1e-6);
			if (start >= 0 && s >= start + loop->path_count)
				return cycles;
			start = start < 0 ? s : start;
			run = 0;
		}
		last = class;
		run += each;
	}
	return 0;
}

/* Adds the limit of a unit, such as the divider, that changes between classes of operations.
 * Measured on Zen 5: a square root and a division in turn, of 4.5 and 2.5 cycles, take 8 to 9
 * cycles; two square roots and two divisions in turn take 14. */
static void add_runs(struct tally *tally)
{
	const struct uarch *uarch = tally->uarch;

	for (int unit = uarch->port_count; unit < uarch_port_count(uarch); unit++) {
		double cycles = uarch->fact[EXTRA_UNIT_RUNS] > 0 ? cycles_of_runs(tally, unit) : 0;

		if (cycles > 0)
			limits_add(tally, LIMIT_SCHEDULING, cycles,
				"operations of several classes in turn on %s, which take whole "
				"cycles: "
				"%s cycles",
				words_ports(uarch, UINT32_C(1) << unit).text,
				words_turn(tally, cycles).text);
	}
}

void limits_order(struct tally *tally)
{
	add_waits(tally);
	add_late(tally);
	add_changes(tally);
	add_runs(tally);
}
