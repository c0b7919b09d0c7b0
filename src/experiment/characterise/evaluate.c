#include "experiment/characterise/recipes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

/* A measured latency below DONE_AT_RENAME cycles means that rename computes the result, because
 * execution takes at least one cycle. */
#define DONE_AT_RENAME 0.6

static const struct figure unknown = { .known = false };

/* Sorts the measured values, and returns their median with its 95 % range. For any distribution,
 * the bounds of the 95 % range lie 0.98 × √count positions before and after the median in sorted
 * order. */
static struct figure median_of(double *values, size_t count)
{
	double reach = 0.98 * sqrt((double)count) / (double)count;

	stats_sort(values, count);
	return (struct figure){ true, stats_quantile(values, count, 0.5),
		stats_quantile(values, count, fmax(0, 0.5 - reach)),
		stats_quantile(values, count, fmin(1, 0.5 + reach)) };
}

/* Number of trials without interference (quiet trials) that a measured value needs. Trials that are
 * not quiet may take twice the time, because of a busy hyper-thread. */
enum { QUIET_LEAST = 5 };

/* A measured value counts as unknown if its relative range is wider than WIDEST. */
#define WIDEST 0.3

/* After 512-bit code, the reference chain of dependent instructions that measures the clock
 * sometimes runs too slowly for a while (by 1.57 on Redwood Cove). A trial is rejected if its clock
 * is below CLOCK_LEAST times the best clock of loops with 512-bit vectors. */
#define CLOCK_LEAST 0.72

bool evaluate_is_wide(const struct kernel *kernel)
{
	const struct generated_loop *loop = generated_loop_of(kernel);

	for (int i = 0; loop && i < loop->part_count; i++)
		if (loop->part[i].bits > 256)
			return true;
	return false;
}

/* Returns the median of the quiet trials (trials without interference); *count is their number. */
static struct figure quiet_figure(
	const struct evaluation *e, const struct cell *cell, size_t *count)
{
	double values[TRIALS_MAX], least = cell && evaluate_is_wide(cell->setting.kernel)
						   ? CLOCK_LEAST * e->wide_ghz
						   : 0;
	struct figure figure;

	*count = 0;
	for (unsigned i = 0; cell && cell->trials && i < cell->trials->count; i++)
		if (cell->trials->trial[i].fate == TRIAL_QUIET &&
			cell->trials->trial[i].ghz >= least)
			values[(*count)++] = cell->trials->trial[i].cpe;
	if (*count < QUIET_LEAST)
		return unknown;
	figure = median_of(values, *count);
	return figure.hi - figure.lo <= WIDEST * figure.value ? figure : unknown;
}

const struct cell *evaluate_cell(const struct evaluation *e, const struct kernel *kernel)
{
	struct setting setting = { .kernel = kernel };

	return kernel ? cells_get(e->cells, &setting, false) : NULL;
}

bool evaluate_has_failed(const struct evaluation *e, const struct kernel *kernel)
{
	const struct cell *cell = evaluate_cell(e, kernel);

	return cell && !status_is_ok(&cell->failure);
}

struct figure evaluate_loop(const struct evaluation *e, const struct kernel *kernel)
{
	size_t count;

	return quiet_figure(e, evaluate_cell(e, kernel), &count);
}

/* An instruction takes at least one rename slot, so a value below SLOTS_LEAST shows that the
 * measured clock was wrong. */
#define SLOTS_LEAST 0.5

/* A measured value is settled (precise enough) after QUIET_SETTLED quiet trials with the relative
 * precision PRECISION, or after QUIET_PLENTY quiet trials. */
enum { QUIET_SETTLED = 20, QUIET_PLENTY = 150 };
#define PRECISION 0.006

bool evaluate_is_settled(const struct evaluation *e, const struct kernel *kernel)
{
	size_t count;
	struct figure figure = quiet_figure(e, evaluate_cell(e, kernel), &count);

	return evaluate_has_failed(e, kernel) || count >= QUIET_PLENTY ||
	       (figure.known && count >= QUIET_SETTLED &&
		       figure.hi - figure.lo <= PRECISION * figure.value);
}

bool evaluate_is_plausible(const struct evaluation *e, const struct loop_item *item)
{
	struct figure figure = evaluate_loop(e, item->kernel), width = e->measured->width;

	if (evaluate_has_failed(e, item->kernel))
		return true;
	if (item->kind == ITEM_SLOTS && width.known)
		return figure.known && figure.value * width.value - item->nops > SLOTS_LEAST;
	return figure.known;
}

static struct figure less(struct figure a, struct figure b)
{
	if (!a.known || !b.known)
		return unknown;
	return (struct figure){ true, a.value - b.value, a.lo - b.hi, a.hi - b.lo };
}

static struct figure times(struct figure a, double factor)
{
	return (struct figure){ a.known, a.value * factor, a.lo * factor, a.hi * factor };
}

static struct figure ratio(struct figure a, struct figure b)
{
	if (!a.known || !b.known || b.lo <= 0)
		return unknown;
	return (struct figure){ true, a.value / b.value, a.lo / b.hi, a.hi / b.lo };
}

static struct figure exactly(double value)
{
	return (struct figure){ true, value, value, value };
}

static struct figure at_least(struct figure a, double least)
{
	return (struct figure){ a.known, fmax(a.value, least), fmax(a.lo, least),
		fmax(a.hi, least) };
}

static struct figure at_rename(struct figure a)
{
	return a.known && a.value < DONE_AT_RENAME ? (struct figure){ true, 0, 0, fmax(a.hi, 0) }
						   : a;
}

/* ---- classes */

/* If the cycles of a chain are closer to a whole number than WHOLE, they are one. */
#define WHOLE 0.15

/* Returns the part of a chain's cycles that a recipe's class has. A chain of two classes shows only
 * their sum, so how they share it is a convention. */
static struct figure part_of(struct figure chain, const struct recipe *recipe)
{
	struct figure part = times(chain, 1.0 / recipe->links);
	double whole = round(chain.value), moved = fmod(whole, 2) / 2;

	if (!part.known || recipe->part == PART_EVEN || fabs(chain.value - whole) > WHOLE)
		return part;
	moved *= recipe->part == PART_LOW ? -1 : 1;
	part.value += moved;
	part.lo += moved;
	part.hi += moved;
	return part;
}

/* Returns the measured latency of an instruction class. The chain of dependent instructions that
 * measures a class may contain other classes, whose latencies are subtracted. The parameter `depth`
 * limits the recursion, because the latency of one class may need that of another. */
static struct figure latency_of(const struct evaluation *e, const struct recipe *recipe, int depth)
{
	struct figure figure = part_of(evaluate_loop(e, recipe_kernel(recipe, LOOP_CHAIN)), recipe);

	for (int i = 0; i < TAKEN_OFF && *recipe->minus[i]; i++) {
		const struct recipe *other = recipes_class(&e->recipes, recipe->minus[i]);

		figure = other && depth > 0 ? less(figure, latency_of(e, other, depth - 1))
					    : unknown;
	}
	return figure;
}

static struct figure latency(const struct evaluation *e, const struct recipe *recipe)
{
	return at_rename(latency_of(e, recipe, 4));
}

/* A measured number of rename slots counts as unknown if its range is wider than SLOTS_WIDEST. */
#define SLOTS_WIDEST 1.0

/* Returns the rename slots of the measured instruction: all slots of the loop minus its nops. */
static struct figure slots(const struct evaluation *e, const struct loop_item *item)
{
	struct figure figure = evaluate_loop(e, item->kernel), width = e->measured->width;

	if (!figure.known || !width.known)
		return unknown;
	figure = less(times(figure, width.value), exactly(item->nops));
	return figure.hi - figure.lo <= SLOTS_WIDEST ? figure : unknown;
}

/* Two lengths of nops count as equally fast up to the relative difference AS_QUICK. Loops are
 * filled with the longest of the fastest nops, because 64 bytes of short nops hold more micro-ops
 * than one line of the op cache. If a loop is filled with short nops, its code comes from the
 * decoders, and measured slots are wrong (Redwood Cove: 2 instead of 1). */
#define AS_QUICK 0.02

/* Name of the measured fact (cycles of nops of 8 bytes ÷ cycles of nops of 7 bytes) that shows
 * whether two nops share a slot. */
#define NOPS_FACT "fuse nop after any"

/* Two nops that share a slot have at most 15 bytes on the only core that is known to do this (Zen
 * 4). Nops of 8 bytes then take more than NOPS_SHARE times as long as nops of 7 bytes. A core that
 * only fetches a limited number of bytes needs 8/7 times as long. */
#define NOPS_SHARE 1.35

static struct figure fact_figure(const struct evaluation *e, const struct recipe *fact);

static bool nops_share(const struct evaluation *e)
{
	for (int i = 0; i < e->recipes.fact_count; i++) {
		const struct recipe *fact = &e->recipes.facts[i];

		if (strcmp(fact->word, NOPS_FACT) == 0) {
			struct figure figure = fact_figure(e, fact);

			return figure.known && figure.value > NOPS_SHARE;
		}
	}
	return false;
}

/* Computes the rename width. If two nops can share a rename slot, only loops without nops show the
 * width. */
static void fill_width(struct evaluation *e)
{
	struct measured *measured = e->measured;

	measured->nops_share = nops_share(e);
	for (int i = 0; i < e->recipes.width_count; i++) {
		bool nop = strncmp(e->recipes.width[i], "nop", 3) == 0;
		struct figure figure =
			ratio(exactly(1), evaluate_loop(e, loop_of_width(&e->recipes, i)));

		if (!figure.known || nop == measured->nops_share)
			continue;
		/* The data file with the measured loops lists nops from short to long, so a later
		 * line has a longer nop. */
		if (!measured->width.known || figure.value > (1 - AS_QUICK) * measured->width.value)
			e->nop = i;
		if (!measured->width.known || figure.value > measured->width.value)
			measured->width = figure;
	}
}

/* ---- facts */

/* A long loop fits the cache or buffer that the loop tests if it takes less than FITS_MOST times as
 * long per instruction as a short loop. */
#define FITS_MOST 1.15

/* A loop counts as much slower than another loop if it takes more than STEPS_LEAST times as long.
 * One more byte per instruction alone makes a loop slower by a factor of at most 9/8. */
#define STEPS_LEAST 1.3

static struct figure fact_figure(const struct evaluation *e, const struct recipe *fact)
{
	struct figure figure = evaluate_loop(e, recipe_kernel(fact, LOOP_FACT));

	switch (fact->how) {
	case HOW_CYCLES: figure = at_rename(figure); break;
	case HOW_RATE: return ratio(exactly(fact->rate), figure);
	case HOW_SLOTS: return unknown;
	case HOW_MINUS:
		for (int i = 0; i < TAKEN_OFF && *fact->minus[i]; i++) {
			const struct recipe *recipe = recipes_class(&e->recipes, fact->minus[i]);

			figure = recipe ? less(figure, latency(e, recipe)) : unknown;
		}
		figure = at_rename(at_least(figure, 0));
		break;
	case HOW_LESS:
		figure = at_least(
			less(figure, evaluate_loop(e, recipe_kernel(fact, LOOP_OTHER))), 0);
		break;
	case HOW_FITS:
		figure = ratio(figure, evaluate_loop(e, recipe_kernel(fact, LOOP_OTHER)));
		return figure.known && figure.value < FITS_MOST ? exactly(fact->rate) : unknown;
	case HOW_STEPS:
		figure = ratio(figure, evaluate_loop(e, recipe_kernel(fact, LOOP_OTHER)));
		return figure.known && figure.value > STEPS_LEAST ? exactly(fact->rate) : unknown;
	case HOW_OVER: return ratio(figure, evaluate_loop(e, recipe_kernel(fact, LOOP_OTHER)));
	}
	return fact->half ? times(figure, 2.0 / fact->half) : figure;
}

static struct measured_fact *fact_named(struct measured *measured, const char *word)
{
	for (int i = 0; i < measured->fact_count; i++)
		if (strcmp(measured->fact[i].word, word) == 0)
			return &measured->fact[i];
	return NULL;
}

/* Adds a fact. If a fact about the core has a measured value already, the better of both values is
 * kept. */
static void put_fact(struct measured *measured, const char *word, struct figure figure, bool most,
	const char *words)
{
	struct measured_fact *fact = fact_named(measured, word);

	/* If macro-fusion of a pair of instructions (a `fuse` fact) could not be measured, the pair
	 * counts as fused. */
	if (!figure.known && (fact || strncmp(word, "fuse ", 5) != 0))
		return;
	if (!fact) {
		if (measured->fact_count == MEASURED_FACTS)
			return;
		fact = &measured->fact[measured->fact_count++];
		snprintf(fact->word, sizeof(fact->word), "%s", word);
	} else if (fact->figure.known && (most ? fact->figure.value >= figure.value
					       : fact->figure.value <= figure.value)) {
		return;
	}
	fact->figure = figure;
	snprintf(fact->words, sizeof(fact->words), "%s", words);
}

/* The limit of all accesses per cycle is reported only if it is at most TOGETHER_LESS times the sum
 * of the limits of loads and stores. */
#define TOGETHER_LESS 0.9

static void drop_sum(struct measured *measured)
{
	struct measured_fact *memory = fact_named(measured, "cap memory"),
			     *loads = fact_named(measured, "cap loads"),
			     *stores = fact_named(measured, "cap stores");

	if (memory && loads && stores &&
		memory->figure.value > TOGETHER_LESS * (loads->figure.value + stores->figure.value))
		*memory = measured->fact[--measured->fact_count];
}

static void drop_fact(struct measured *measured, const char *word)
{
	struct measured_fact *fact = fact_named(measured, word);

	if (fact)
		*fact = measured->fact[--measured->fact_count];
}

/* Facts of the front end are known only if the front end limits their loops: if the loops are
 * slower than rename. WIDE: a loop counts as slower than rename if it reaches at most this share of
 * the rename width. */
#define WIDE 0.97

/* Bytes of each nop in the loops that measure the facts `fetch-bytes` and `line-bytes`. */
enum { FETCH_NOP = 8, LINE_NOP = 15 };

/* Bytes of the loop that measures `fetch-bytes`: more than the first instruction cache of most
 * cores holds. The loop then shows how fast code comes from the second cache. */
enum { FETCH_BYTES = 57600 };

static bool limits_loop(const struct measured *measured, const struct measured_fact *fact, int each)
{
	return fact && measured->width.known &&
	       fact->figure.value < WIDE * measured->width.value * each;
}

static void check_front_end(struct measured *measured)
{
	struct measured_fact *line = fact_named(measured, "extra line-bytes");
	bool decode = limits_loop(measured, fact_named(measured, "extra decode"), 1),
	     fetch = limits_loop(measured, fact_named(measured, "extra fetch-bytes"), FETCH_NOP);
	double windows = line ? log2(line->figure.value) : 0;

	/* The micro-op cache holds code in windows whose bytes are a power of two; each iteration
	 * wastes a part of one window. */
	if (!limits_loop(measured, line, LINE_NOP) || fabs(windows - round(windows)) > 0.05)
		drop_fact(measured, "extra line-bytes");
	else
		line->figure = exactly(exp2(round(windows)));
	if (!decode) {
		drop_fact(measured, "extra decode");
		drop_fact(measured, "extra decode-long");
	}
	drop_fact(measured, "extra code-rate");
	if (!fetch)
		drop_fact(measured, "extra fetch-bytes");
	else if (measured->l1i_bytes > 0 && measured->l1i_bytes < FETCH_BYTES)
		strcpy(fact_named(measured, "extra fetch-bytes")->word, "extra code-rate");
	/* If no loop outside the micro-op cache was slower, the core may have no micro-op cache. */
	if (!decode && !fetch)
		drop_fact(measured, "size opcache");
}

void evaluate_slots(struct evaluation *e, const struct loop_item *items, int count)
{
	for (const struct loop_item *item = items; item < items + count; item++) {
		if (item->kind == ITEM_SLOTS) {
			const struct recipe *recipe = &e->recipes.classes[item->of];

			e->measured->op[item->of].slots =
				at_least(less(slots(e, item), exactly(recipe->beside)), 0);
			/* The measured nop shared the rename slot of another instruction; alone, a
			 * nop takes a slot. */
			if (e->measured->nops_share && strcmp(recipe->word, "nop") == 0)
				e->measured->op[item->of].slots = exactly(1);
		} else if (item->kind == ITEM_FACT_SLOTS) {
			const struct recipe *fact = &e->recipes.facts[item->of];

			put_fact(e->measured, fact->word, at_least(slots(e, item), 0), false,
				fact->lines[LOOP_FACT]);
		}
	}
}

void evaluate_loops(struct evaluation *e)
{
	struct measured *measured = e->measured;
	int kept = 0;

	/* Removes the facts about the core that come from measured loops, and keeps the facts from
	 * the measurements of caches and buffer sizes. */
	for (int i = 0; i < measured->fact_count; i++) {
		int k = 0;

		while (k < e->recipes.fact_count &&
			strcmp(e->recipes.facts[k].word, measured->fact[i].word) != 0)
			k++;
		if (k == e->recipes.fact_count)
			measured->fact[kept++] = measured->fact[i];
	}
	measured->fact_count = kept;
	measured->width = unknown;
	fill_width(e);
	for (int i = 0; i < e->recipes.class_count; i++) {
		const struct recipe *recipe = &e->recipes.classes[i];
		struct measured_op *op = &measured->op[i];

		op->latency = latency(e, recipe);
		op->accumulate = evaluate_loop(e, recipe_kernel(recipe, LOOP_ADDS));
		op->each = evaluate_loop(e, recipe_kernel(recipe, LOOP_FREE));
	}
	for (int i = 0; i < e->recipes.fact_count; i++) {
		const struct recipe *fact = &e->recipes.facts[i];

		if (strcmp(fact->word, NOPS_FACT) == 0)
			continue;
		put_fact(measured, fact->word, fact_figure(e, fact),
			fact->how == HOW_RATE || fact->how == HOW_FITS, fact->lines[LOOP_FACT]);
	}
	drop_sum(measured);
	check_front_end(measured);
}

/* ---- caches */

static void put_around(struct measured *measured, const char *word, double value, double lo,
	double hi, const char *words)
{
	put_fact(measured, word,
		(struct figure){ isfinite(value) && value > 0, value,
			isfinite(lo) ? fmin(lo, value) : value,
			isfinite(hi) ? fmax(hi, value) : value },
		false, words);
}

void evaluate_caches(struct measured *measured, const struct probe_report *probe)
{
	static const char list[] = "a list in random order", page[] = "a line a page";
	const struct hierarchy *hierarchy = &probe->hierarchy;
	const struct hierarchy_level *tlb = hierarchy_level(hierarchy, LEVEL_TLB, 1),
				     *second = hierarchy_level(hierarchy, LEVEL_TLB, 2);

	for (int i = 1; i <= 2; i++) {
		const struct hierarchy_level *cache = hierarchy_level(hierarchy, LEVEL_CACHE, i);

		if (!cache || cache->unstable)
			continue;
		put_around(measured, i == 1 ? "cache 1 bytes" : "cache 2 bytes", cache->bytes,
			cache->bytes_lo, cache->bytes_hi, list);
		put_around(measured, i == 1 ? "cache 1 latency" : "cache 2 latency", cache->cycles,
			cache->lo, cache->hi, list);
	}
	for (int i = 0; i < probe->band_count; i++) {
		const struct sample *sample = &probe->band[i].point[PROBE_READ].sample;
		double lines = probe->band[i].lines[PROBE_READ];

		if (strcmp(probe->band[i].level, "L2") == 0)
			put_around(measured, "cache 2 lines", lines,
				lines * sample->cpe / sample->cpe_hi,
				lines * sample->cpe / sample->cpe_lo,
				"every line read, several at a time");
	}
	if (tlb && !tlb->unstable) {
		put_around(measured, "size tlb1", tlb->entries, tlb->entries_lo, tlb->entries_hi,
			page);
		put_around(measured, "extra tlb2", tlb->cycles, tlb->lo, tlb->hi, page);
	}
	if (second && !second->unstable)
		put_around(measured, "size tlb2", second->entries, second->entries_lo,
			second->entries_hi, page);
}

/* ---- the machine */

void evaluate_identity(const struct machine *machine, struct measured *measured, char name[24])
{
	const struct processor *processor = &machine->processor;
	size_t used;

	snprintf(measured->isa, sizeof(measured->isa), "%s", machine->arch);
	snprintf(measured->processor, sizeof(measured->processor), "%.63s", machine->name);
	if (processor->vendor[0]) {
		used = (size_t)snprintf(measured->match, sizeof(measured->match),
			"vendor %s family %x model %x", processor->vendor, processor->family,
			processor->model);
		measured->l1i_bytes = processor->l1i_bytes;
		if (processor->l1i_bytes)
			snprintf(measured->match + used, sizeof(measured->match) - used,
				" with l1i-%lluk",
				(unsigned long long)(processor->l1i_bytes >> 10));
		snprintf(name, 24, "measured-%x-%x", processor->family, processor->model);
	} else {
		if (processor->implementer)
			snprintf(measured->match, sizeof(measured->match), "implementer %x part %x",
				processor->implementer, processor->part);
		snprintf(name, 24, "measured-%x-%x", processor->implementer, processor->part);
	}
}
