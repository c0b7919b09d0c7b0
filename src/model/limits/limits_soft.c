/* Computes the soft limits: known effects of the front end (front_end.c), port assignment,
 * page walks, mispredictions (limits_branches.c) and store forwarding. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/graph/forwards.h"
#include "model/limits/pipeline.h"
#include "model/limits/rename.h"

/* The simulation of dependence chains that begin again is skipped if a chain has more than
 * OVERLAP_MOST times as many micro-ops as the reorder buffer has entries. Such long chains overlap
 * little. */
#define OVERLAP_MOST 4

/* A loop is simulated if it needs at least the share NEED_LEAST of a buffer of the core. The limit
 * of the full buffers is added if the simulation is slower than the other limits by the factor
 * FULL_LEAST. */
#define NEED_LEAST 0.5
#define FULL_LEAST 1.02

/* Integer operations compete for ports if they need more than the share COMPETE_LEAST of the ports.
 * Measured on Zen 5, which has six ports: loops of four operations a cycle, in chains, take 1.00 to
 * 1.02 cycles, and loops of five take 1.09 to 1.26. Vector operations compete if they need more
 * than the share COMPETE_VECTORS. The competition is a limit if it makes the loop slower by the
 * factor COMPETE_COST. */
#define COMPETE_LEAST	0.68
#define COMPETE_VECTORS 0.5
#define COMPETE_COST	1.005
/* An even split of operations over ports is worth a word if it takes longer by this factor. */
#define EVEN_COST 1.1

/* Slots that stay empty are worth a word if they make the loop slower by this factor. */
#define EMPTY_LEAST 1.02

/* ---- Limits of rename */

/* Returns the rule that leaves slots of a cycle empty: which instructions of a cycle may split. */
static struct words split_places(const struct uarch *uarch)
{
	double first = uarch->fact[SIZE_SPLIT_SLOTS], most = uarch->fact[CAP_SPLITS];
	struct words words = words_of("; slots stay empty, as a cycle splits");

	if (uarch_known(most))
		words = words_of("%s at most %s", words.text, words_number(most).text);
	if (uarch_known(first))
		words = words_of("%s%s in its first %s slots", words.text,
			uarch_known(most) ? "," : " only", words_number(first).text);
	return words;
}

/* Adds the limit of indexed memory operands that rename splits in two. For a single instruction it
 * is not known whether its operand splits, so the limit is soft. Returns its cycles per path; 0:
 * the loop has no such operand. */
static double add_unlamination(struct tally *tally)
{
	const struct uarch *uarch = tally->uarch;
	double slots = tally->slots + tally->unlaminated;
	bool places =
		uarch_known(uarch->fact[SIZE_SPLIT_SLOTS]) || uarch_known(uarch->fact[CAP_SPLITS]);
	double cycles;

	if (!(tally->unlaminated > 0) || !(uarch->width > 0))
		return 0;
	cycles = places ? rename_cycles(tally) : slots / uarch->width;
	limits_add(tally, LIMIT_UNLAMINATION, cycles,
		"%s micro-ops, %s of them split off for indexed addresses, %s a cycle%s",
		words_turn(tally, slots).text, words_turn(tally, tally->unlaminated).text,
		words_number(uarch->width).text,
		cycles > EMPTY_LEAST * slots / uarch->width ? split_places(uarch).text : "");
	return cycles;
}

/* ---- Limits of execution */

/* Returns the cycles that the front end needs to supply a path. */
static double supply_cycles(const struct tally *tally)
{
	double cycles = 0;

	for (int i = 0; i < tally->limits->limit_count; i++) {
		const struct limit *limit = &tally->limits->limit[i];

		if (limit->kind == LIMIT_OPCACHE || limit->kind == LIMIT_ALIGNMENT ||
			limit->kind == LIMIT_DECODE || limit->kind == LIMIT_WIDTH)
			cycles = fmax(cycles, limit->cycles);
	}
	return cycles;
}

/* Returns the share of the ports of the class `name` that a path needs if it takes `cycles` cycles.
 */
static double port_share(const struct tally *tally, double cycles, const char *name)
{
	const struct uarch_class *alu = uarch_find(tally->uarch, name, 0);
	double work = 0;
	int ports = 0;

	for (int p = 0; p < tally->limits->port_count && alu && alu->term_count > 0; p++)
		if (alu->term[0].ports >> p & 1) {
			ports++;
			work += tally->limits->pressure[p] * tally->turns;
		}
	return ports > 0 && cycles > 0 ? work / ports / cycles : 0;
}

/* Returns the cycles for which the ports of store data are busy, with the third sources of vector
 * operations. */
static double third_cycles(const struct tally *tally)
{
	uint32_t ports = pipeline_third_ports(tally->uarch);
	double work = 0;

	if (!ports)
		return 0;
	for (int i = 0; i < tally->loop->insn_count; i++)
		if (pipeline_reads_third(&tally->loop->insn[i]) && !tally->facts[i].eliminated)
			work += tally->insn[i].times;
	for (int p = 0; p < tally->limits->port_count; p++)
		if (ports >> p & 1)
			work += tally->limits->pressure[p] * tally->turns;
	return work / __builtin_popcount(ports);
}

/* Returns the cycles that the vector unit needs to rename a path: a vector load takes more than the
 * slot that the hard limit counts. An iteration whose operations fit one cycle takes one cycle. */
static double vector_rename_cycles(const struct tally *tally)
{
	double width = tally->uarch->fact[CAP_VECTORS], loads = tally->loads[ACCESS_VECTOR],
	       more = tally->uarch->fact[EXTRA_VECTOR_LOAD_SLOTS] * loads,
	       operations = limits_vector_operations(tally);

	return width > 0 && more > 0
		       ? (operations + fmin(more, fmax(operations - width * tally->turns, 0))) /
				 width
		       : 0;
}

/* Adds the limit of vector loads at rename. */
static void add_vector_rename(struct tally *tally)
{
	double cycles = vector_rename_cycles(tally);

	if (cycles > tally->bound * COMPETE_COST)
		limits_add(tally, LIMIT_SCHEDULING, cycles,
			"%s vector operations, %s a cycle; each vector load takes up to %s slots: "
			"%s cycles",
			words_turn(tally, limits_vector_operations(tally)).text,
			words_number(tally->uarch->fact[CAP_VECTORS]).text,
			words_number(1 + tally->uarch->fact[EXTRA_VECTOR_LOAD_SLOTS]).text,
			words_turn(tally, cycles).text);
}

/* Adds the limit of loads and stores that compete for ports: a loop with both rarely fills all
 * ports. */
static void add_mixed_accesses(struct tally *tally)
{
	double all = limits_addresses(tally), loads = tally->loads[ACCESS_GENERAL],
	       vectors = tally->loads[ACCESS_VECTOR] + tally->stores[ACCESS_VECTOR];
	bool general = loads > vectors;
	double each = tally->uarch->fact[general ? EXTRA_MIXED_MEMORY : EXTRA_MIXED_VECTORS];

	if (each > 0 && (general || vectors >= all) && tally_all(tally->loads) > 0 &&
		tally_all(tally->stores) > 0 && all / each > tally->bound * COMPETE_COST)
		limits_add(tally, LIMIT_SCHEDULING, all / each,
			"%s loads and stores%s, which compete for ports: %s cycles",
			words_turn(tally, all).text, general ? "" : " of vectors",
			words_turn(tally, all / each).text);
}

/* Whether chains of loads start again between the iterations of a loop that was read, not stepped:
 * its path lacks the work between two chains. */
static bool hides_work(const struct tally *tally)
{
	return tally->place->walk.restart > 0 && !tally->loop->stepped;
}

/* Adds the limit of a core whose scheduler has parts: integer operations are selected before their
 * producers have started, and vector operations are bound to a port at rename. Few operations
 * rarely compete for ports, and are not simulated. */
static void add_parts(struct tally *tally)
{
	double cycles, most = fmax(tally->bound, supply_cycles(tally)),
		       integer = port_share(tally, most, "alu"),
		       vector = port_share(tally, most, "vlogic"), third = third_cycles(tally);

	if (!(tally->uarch->fact[EXTRA_SCHEDULER_PARTS] > 0) || hides_work(tally))
		return;
	if (integer < COMPETE_LEAST &&
		(vector < COMPETE_VECTORS || !(tally->uarch->fact[EXTRA_BINDS_VECTORS] > 0)) &&
		third < COMPETE_VECTORS * most)
		return;
	cycles = pipeline_run_supplied(tally, supply_cycles(tally));
	if (cycles > most * COMPETE_COST)
		limits_add(tally, LIMIT_SCHEDULING, cycles,
			third > 0.9 * cycles
				? "stores and the third sources of vector operations use the same "
				  "ports: %s cycles"
			: integer >= vector
				? "%s cycles: integer operations leave ports idle, because they "
				  "are selected before their inputs are ready"
				: "ports of vector operations chosen at rename, before the "
				  "operations are ready: %s cycles",
			words_turn(tally, cycles).text);
}

/* Returns the cycles of the fullest integer port if operations are split evenly over their ports.
 */
static double evenly(const struct tally *tally)
{
	const struct uarch_class *alu = uarch_find(tally->uarch, "alu", 0);
	double most = 0;

	for (int p = 0; alu && alu->term_count > 0 && p < tally->limits->port_count; p++)
		if (alu->term[0].ports >> p & 1)
			most = fmax(most, tally->limits->naive[p] * tally->turns);
	return most;
}

/* Adds the limit of a core that chooses ports at rename, computed by the pipeline model. Measured
 * on Zen 4: if the simulated loop loses nothing, operations may still be split evenly over their
 * ports, however full these are. 8 multiplications and 12 other operations take 11.0 cycles, and so
 * do loops whose dispatch comes into step. Which loops do is not known. `split`: the cycles of the
 * limit of split instructions, which the simulated loop contains. */
static void add_scheduling(struct tally *tally, double split)
{
	const double even = evenly(tally);
	double cycles;

	if (!(tally->uarch->fact[EXTRA_BINDS_PORTS] > 0) || hides_work(tally))
		return;
	cycles = pipeline_run(tally, tally->place->walk.restart / tally->elements, false);
	if (cycles > fmax(tally->bound, split) * 1.005)
		limits_add(tally, LIMIT_SCHEDULING, cycles,
			"ports chosen at rename, before operations are ready: %s cycles",
			words_turn(tally, cycles).text);
	else if (tally->uarch->fact[EXTRA_BINDS_PORTS] == BINDS_KNOWING &&
		 even > tally->bound * EVEN_COST) {
		limits_add_unknown(tally, LIMIT_SCHEDULING,
			"ports chosen at rename; split evenly, operations take %s cycles",
			words_turn(tally, even).text);
		limits_set_most(tally, LIMIT_SCHEDULING, even - tally->bound);
	}
}

/* Returns how many cycles later than with data in L1 the first load of a dependence chain has its
 * value, on average. The first load of a chain reads a cache line that no earlier load has brought.
 */
static double first_line_delay(const struct tally *tally)
{
	const double *beyond = tally->limits->beyond;
	const struct memory_facts *measured = &tally->place->measured;
	const struct uarch_cache *first = uarch_cache(tally->uarch, 1),
				 *second = uarch_cache(tally->uarch, 2);
	const double latency[] = { second ? second->latency : 0, measured->l3.latency,
		measured->memory.latency };
	double cycles = 0;

	for (int i = 0; i < 3 && first && beyond[0] > 0; i++)
		cycles += (beyond[i] - (i < 2 ? beyond[i + 1] : 0)) / beyond[0] *
			  fmax(latency[i] - first->latency, 0);
	return isnan(cycles) ? 0 : cycles;
}

/* Returns the cycles that the code between two dependence chains adds to each chain. `cycles` is
 * the time of the loop's path. Its instructions take rename slots. The next dependence chain begins
 * later, because its first address and its first cache line arrive late. If n chains overlap, only
 * a part of the delay between two chains counts: a delay of one cycle per chain makes the loop 1/n
 * cycles slower. Measured on Zen 4 with dot products of 16 to 56 elements: 6 to 13 cycles, computed
 * 6 to 13. */
static double between_chains(const struct tally *tally, double cycles)
{
	const struct kernel_walk *walk = &tally->place->walk;
	const struct uarch_cache *first = uarch_cache(tally->uarch, 1);
	double load = first ? first->latency : 0,
	       overlap = fmin(cycles / tally->limits->chain.cycles, 1);

	if (!(walk->between.instructions > 0) || !(tally->uarch->width > 0))
		return 0;
	return walk->between.instructions / tally->uarch->width +
	       (walk->between.steps + load + first_line_delay(tally)) * overlap;
}

/* Adds the limit of loop-carried dependence chains that begin again after some elements, as a sum
 * does for each matrix row. The latency limit assumes that the end of a dependence chain overlaps
 * with the next chain as far as the reorder buffer allows. In the simulated pipeline, elements of a
 * new chain enter the reorder buffer only after older elements retire. */
static void add_overlap(struct tally *tally)
{
	double restart = tally->place->walk.restart / tally->elements,
	       rob = tally->uarch->fact[SIZE_ROB], cycles, between,
	       wrong = tally->uarch->fact[EXTRA_MISPREDICT];

	if (tally->loop->stepped || !(restart >= 1) || tally->limits->chain.cycles <= 0 ||
		!uarch_known(rob) || restart * tally->slots > OVERLAP_MOST * rob)
		return;
	cycles = pipeline_run(tally, restart, true);
	between = between_chains(tally, cycles);
	cycles += between / restart;
	if (cycles > tally->bound * 1.005)
		limits_add(tally, LIMIT_OVERLAP, cycles,
			between > 0 ? "chains of %s iteration%s overlap in part: %s cycle%s in a "
				      "simulated pipeline, with %s cycles between chains"
				    : "chains of %s iteration%s overlap in part: %s cycle%s in a "
				      "simulated pipeline",
			words_number(restart).text, restart > 1 ? "s" : "",
			words_turn(tally, cycles).text, words_s(tally, cycles),
			words_number(between).text);
	if (!(tally->place->walk.mispredicts > 0) && uarch_known(wrong))
		limits_add_unknown(tally, LIMIT_MISPREDICTION,
			"+%s cycles if the last branch of each chain of %s iteration%s is "
			"mispredicted",
			words_turn(tally, wrong / restart).text, words_number(restart).text,
			restart > 1 ? "s" : "");
}

/* Adds the limit of chains that are not carried from one iteration to the next, but fill a
 * scheduler or the reorder buffer: only a few iterations then overlap. The limits of ports, width
 * and carried chains assume that the buffers are large enough. */
static void add_full_buffers(struct tally *tally)
{
	struct pipeline_need need;
	double cycles;

	if (hides_work(tally))
		return;
	need = pipeline_needs(tally, tally->bound);
	if (need.scheduler < NEED_LEAST && need.rob < NEED_LEAST)
		return;
	cycles = pipeline_run(tally, 0, true);
	if (cycles > tally->bound * FULL_LEAST)
		limits_add(tally, LIMIT_OVERLAP, cycles,
			"iterations overlap in part, because their operations fill %s: %s cycle%s "
			"in a simulated pipeline",
			need.scheduler > need.rob ? "a scheduler" : "the reorder buffer",
			words_turn(tally, cycles).text, words_s(tally, cycles));
}

/* Returns the cycles of the loop-carried chain if the core renames fewer loads to the stored
 * register. Returns 0 if fewer renamed loads do not make the chain slower. */
static double chain_with(const struct tally *tally, enum deps_renaming renaming)
{
	struct chain chain;

	deps_chain(tally->loop, tally->uarch, tally->facts, renaming, 0, &chain);
	return chain.through_memory && chain.cycles > tally->limits->chain.cycles + 1e-9
		       ? chain.cycles
		       : 0;
}

/* Adds the limit of a core that has not learnt which load reads which store. If forwarding from a
 * store to a load is probably slow, the limit has a number of cycles. For all other pairs of a
 * store and a load, the limit has a text for the cause but no number of cycles. If several cores
 * run the loop, such a text is not added: a loop that is too slow then probably waits for lines
 * that other cores write to. */
static void add_forwarding(struct tally *tally)
{
	double likely, worst;

	if (!uarch_known(tally->uarch->fact[EXTRA_FORWARD_RENAMED]))
		return;
	worst = chain_with(tally, RENAMES_NONE);
	likely = worst > 0 ? chain_with(tally, RENAMES_PLAIN) : 0;
	if (likely > 0)
		limits_add(tally, LIMIT_FORWARDING, likely,
			"store to load through the store queue: %s cycles",
			words_turn(tally, likely).text);
	else if (worst > 0 && tally->place->cores <= 1)
		limits_add_unknown(tally, LIMIT_FORWARDING,
			"%s cycles whenever the core does not link a load to its store",
			words_turn(tally, worst).text);
}

/* The most cycles that a load takes longer because it seems to depend on a store: it waits for that
 * store, as if the store's value were forwarded to it. */
#define ALIAS_MOST 20

/* Adds the limit of loads that seem to depend on a store: some cores first compare only the low 12
 * bits of addresses. */
static void add_aliasing(struct tally *tally)
{
	double queue = tally->uarch->fact[SIZE_STORE_QUEUE];
	double aliases =
		fmax(forwards_aliases(tally->loop, queue > 0 && queue < 64 ? (int)queue : 64),
			tally->place->walk.aliases * tally->elements);

	if (aliases > 0) {
		limits_add_unknown(tally, LIMIT_ALIASING,
			"%s load%s a multiple of 4 KiB from a recent store; cost not known",
			words_turn(tally, aliases).text, words_s(tally, aliases));
		limits_set_most(tally, LIMIT_ALIASING, aliases * ALIAS_MOST);
	}
}

/* ---- Costs that add to the binding limit, because no useful work overlaps with these costs */

/* Adds the measured cycles of loads in random order, each of which lies on another page. Returns
 * whether they are measured. */
static bool add_paged(struct tally *tally, double loads)
{
	const struct limits_place *place = tally->place;
	const struct kernel_walk *walk = &place->walk;
	double pages = walk->range / LINE, lines = walk->lines * tally->elements,
	       chained = memory_page_cycles(&place->measured, pages, true),
	       independent = memory_page_cycles(&place->measured, pages, false);

	if (!walk->scattered || walk->reaches > 0 || !(place->page > 0) ||
		walk->spacing < place->page || !(chained > 0) || !(independent > 0))
		return false;
	limits_add(tally, LIMIT_PAGE_WALKS, fmax(loads * chained, lines * independent),
		"loads from %.0f pages with their page walks: %s cycles, or %s if many overlap",
		pages, words_number(chained).text, words_number(independent).text);
	return true;
}

/* Adds the page walks of chained loads that miss the first-level TLB. Page walks of independent
 * loads overlap, and add no cycles to the limit. Returns the cycles of the page walks per path
 * through the loop. */
static double page_walks(struct tally *tally)
{
	const struct limits_place *place = tally->place;
	const struct kernel_walk *walk = &place->walk;
	double entries = tally->uarch->fact[SIZE_TLB1], cost = tally->uarch->fact[EXTRA_TLB2];
	/* Of more pages than it has entries, used one by one in the same order again and again, a
	 * TLB keeps none until its next use. */
	bool kept = walk->visits != 1 || walk->spacing < place->page;
	double reach = entries * place->page, share = 1 - kept * reach / place->working_set,
	       cycles = 0, loads = limits_chained_misses(tally, &tally->limits->chain);
	bool reaches = walk->reaches > 0 && uarch_known(cost);

	if (add_paged(tally, loads) || entries <= 0 || place->page <= 0)
		return 0;
	if (reaches)
		cycles = limits_reach_walks(tally, reach, cost, &share);
	else if ((!walk->scattered && !walk->apart) || place->working_set <= reach)
		return 0;
	else if (loads <= 0 || !walk->scattered)
		limits_add_unknown(tally, LIMIT_PAGE_WALKS,
			"more pages than the %s entries of the first TLB; the overlap of page "
			"walks is not known",
			words_number(entries).text);
	else if (!uarch_known(cost))
		limits_add_unknown(tally, LIMIT_PAGE_WALKS,
			"%.0f %% of chained loads miss the first TLB; cost not known", share * 100);
	else
		cycles = loads * share * cost;
	tally->adds = true;
	if (reaches ? share > 0.005 : cycles > 0)
		limits_add(tally, LIMIT_PAGE_WALKS, tally->bound + cycles,
			"the other limits, and %s %% of %sloads miss the first TLB: +%s cycles an "
			"iteration",
			words_number(round(share * 100)).text, reaches ? "chained " : "",
			words_turn(tally, cycles).text);
	tally->adds = false;
	return cycles;
}

void limits_soft(struct tally *tally, bool memory_only)
{
	if (!memory_only) {
		limits_front_end(tally);
		limits_dense_branches(tally);
		add_scheduling(tally, add_unlamination(tally));
		add_vector_rename(tally);
		add_mixed_accesses(tally);
		add_parts(tally);
		limits_late_results(tally);
		if (!hides_work(tally))
			limits_intake(tally);
		add_full_buffers(tally);
		add_forwarding(tally);
		limits_order(tally);
		add_aliasing(tally);
	}
	add_overlap(tally);
	limits_mispredictions(tally, page_walks(tally));
}
