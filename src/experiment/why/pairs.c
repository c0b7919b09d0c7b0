/* The table of pairs of measurements: the loop with and without one change. Each row has one cause
 * that may make a loop slower than its limit, and the change that shows this cause. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/own/own.h"
#include "experiment/why/why.h"
#include "kernels/knob_rows.h"
#include "model/code/decode.h"
#include "model/code/rewrite.h"

enum { LINE = 64, PAGE = 4096 };

/* If cache lines use only one set of a cache in CROWDED sets, other distances between the lines are
 * measured. */
#define CROWDED 4

/* A load at most ALIAS_NEAR bytes from an earlier store, modulo the page size, may wait for the
 * store. The search for such loads reads the first ALIAS_STEPS instructions of the loop's path. */
enum { ALIAS_NEAR = 64, ALIAS_STEPS = 400 };

/* Loops over more bytes of data wait for caches and memory. For a loop over more data than
 * CODE_MATTERS, the position of its code within cache lines is not tested as a cause. */
#define CODE_MATTERS (256 << 10)

/* Fewer mispredictions per element explain nothing. */
#define MISPREDICTED 0.01

struct pair {
	const char *name;
	const char *kernel; /* the change is only for this kernel; NULL: for every kernel with the
			       knob */
	const char *knob;   /* the knob that the pair changes; NULL: no knob makes the change */
	/* Adds the change that a row of the table describes to *side. Returns false if the change
	 * does not apply to the setting. The parameter `knob` is the index of the knob that the
	 * change sets; -1: no knob.
	 */
	bool (*change)(
		const struct explanation *explanation, int knob, struct why_side *side, char *with);
	bool work; /* as in struct why_cause */
	const char *means, *remedy;
};

static const struct own_description *data_of(const struct why_side *side)
{
	return side->setting.kernel->own ? own_description(side->setting.kernel->own) : NULL;
}

static void say(char *with, const char *words)
{
	snprintf(with, sizeof(((struct why_cause *)NULL)->with), "%s", words);
}

/* Sets a knob. Returns false if the kernel does not allow the value, or if another knob would have
 * to change, too. */
static bool set(struct why_side *side, int knob, int64_t value, char *with)
{
	struct setting changed = side->setting;
	const struct knob *row = &changed.kernel->knobs[knob];
	struct status status;

	if (row->kind != KNOB_CHOICE && (value < row->min || value > row->max))
		return false;
	changed.v[knob] = value;
	status = kernel_check(changed.kernel, changed.v);
	if (changed.v[knob] == side->setting.v[knob] || !status_is_ok(&status))
		return false;
	snprintf(with, sizeof(((struct why_cause *)NULL)->with), "%s=%.20s", row->name,
		setting_value(row, value).text);
	side->setting = changed;
	return true;
}

static bool set_zero(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)explanation;
	return set(side, knob, 0, with);
}

static bool other_core(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)explanation;
	(void)knob;
	side->elsewhere = kernel_need(side->setting.kernel, side->setting.v).processors == 1;
	say(with, "on another core");
	return side->elsewhere;
}

static bool set_one(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)explanation;
	return set(side, knob, 1, with);
}

static int choice_named(const struct knob *knob, const char *name)
{
	for (int i = 0; knob->choices && knob->choices[i]; i++)
		if (strcmp(knob->choices[i], name) == 0)
			return i;
	return -1;
}

/* ---- Other cores */

static bool shares_line(const struct setting *setting)
{
	const struct kernel *kernel = setting->kernel;

	return kernel->shares_line && kernel->shares_line(setting->v);
}

static bool own_line(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	const struct knob *row = &side->setting.kernel->knobs[knob];

	(void)explanation;
	return shares_line(&side->setting) &&
	       set(side, knob, row->choices ? choice_named(row, "own") : LINE, with);
}

/* If the cores share a line, a pair with lines of their own shows it, and the number of cores stays
 * the same. */
static bool alone(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	return !shares_line(&side->setting) && set_one(explanation, knob, side, with);
}

/* ---- Pages and sets */

static bool huge_pages(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)explanation;
	return side->setting.v[knob] == PAGES_4K && set(side, knob, PAGES_HUGE, with);
}

/* Returns how crowded the sets of a cache are: n if the lines use one set in n; 1 if unknown. */
static double crowd_of(const struct setting *setting)
{
	struct kernel_walk walk = { 0 };

	return kernel_describe(setting->kernel, setting->v, &walk) ? misses_walk_crowd(&walk, LINE)
								   : 1;
}

/* Moves the rows of a matrix or the nodes of a list apart, so that their lines use more sets of a
 * cache. */
static bool spread(struct why_side *side, int knob, int64_t more, char *with)
{
	int64_t value = side->setting.v[knob];
	struct why_side changed = *side;

	if (crowd_of(&side->setting) < CROWDED ||
		!(set(&changed, knob, value + more, with) ||
			set(&changed, knob, value - more, with)) ||
		crowd_of(&changed.setting) >= crowd_of(&side->setting))
		return false;
	*side = changed;
	return true;
}

static bool pad_rows(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)explanation;
	return spread(side, knob, 8, with);
}

static bool spread_nodes(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)explanation;
	return spread(
		side, knob, setting_unit(&side->setting.kernel->knobs[knob]) > 1 ? LINE : 1, with);
}

static bool spread_list(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	const struct own_description *data = data_of(side);

	(void)explanation;
	(void)knob;
	for (int i = 0; data && i < OWN_ARGUMENTS; i++)
		if (data->argument[i].content == OWN_LIST &&
			misses_crowd((double)data->argument[i].spacing, LINE) >= CROWDED) {
			side->own.spacing = LINE;
			say(with, "list nodes 64 bytes farther apart");
			return true;
		}
	return false;
}

/* ---- The place of data */

static bool other_alias(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)explanation;
	return side->setting.v[knob] > 0 &&
	       set(side, knob, (side->setting.v[knob] + PAGE / 2) % PAGE, with);
}

/* Whether a load of the stepped path has nearly the address of a store, modulo a page, but lies in
 * another page. */
static bool aliases(const struct loop *loop)
{
	const int steps = loop->path_count < ALIAS_STEPS ? loop->path_count : ALIAS_STEPS;

	for (int s = 0; s < steps; s++)
		for (int l = 0; l < steps; l++) {
			uint64_t store = loop->path[s].address[0], load = loop->path[l].address[0];

			if (store && load && loop->insn[loop->path[s].insn].memory[0].store &&
				loop->insn[loop->path[l].insn].memory[0].load &&
				store / PAGE != load / PAGE &&
				((load - store) % PAGE < ALIAS_NEAR ||
					(store - load) % PAGE < ALIAS_NEAR))
				return true;
		}
	return false;
}

static bool arrays_apart(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)knob;
	if (!data_of(side) || data_of(side)->argument[1].content == OWN_NOTHING ||
		!aliases(&explanation->loop))
		return false;
	side->own.apart = 8;
	say(with, "arrays 512 bytes farther apart");
	return true;
}

/* Returns the number of accesses of the stepped path that cross a cache line if all data begin
 * `shift` bytes later. */
static int splits(const struct loop *loop, unsigned shift)
{
	int count = 0;

	for (int s = 0; s < loop->path_count; s++)
		for (int k = 0; k < INSN_MEMORY; k++) {
			const struct insn_memory *memory =
				&loop->insn[loop->path[s].insn].memory[k];
			uint64_t address = loop->path[s].address[k];

			count += address && memory->accesses <= 1 &&
				 (address + shift) % LINE + memory->size > LINE;
		}
	return count;
}

static bool align_arrays(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	int least = splits(&explanation->loop, 0);

	(void)knob;
	if (!data_of(side))
		return false;
	for (unsigned shift = 1; shift < LINE; shift++) {
		int count = splits(&explanation->loop, shift);

		if (count < least)
			side->own.shift = shift;
		least = count < least ? count : least;
	}
	if (!side->own.shift)
		return false;
	snprintf(with, sizeof(((struct why_cause *)NULL)->with), "arrays %u bytes later",
		side->own.shift);
	return true;
}

/* ---- The place of code */

/* Writes a copy of the loop's function at another offset in its lines of code. The engine checks
 * that the copied function computes the same result. */
static struct status write_shifted(
	const struct code_change *change, const struct code_place *place, const void **start)
{
	const struct rewrite rewrite = { .shift = change->what };
	struct decoded_function function;
	struct status status = decode_function(place->code,
		place->size < DECODE_FUNCTION ? place->size : DECODE_FUNCTION, &function);

	if (status_is_ok(&status))
		status = rewrite_function(&function, &rewrite, place->to, place->bytes, start);
	decode_function_free(&function);
	return status;
}

/* Moves the loop to the start of a line of code, or from there to the middle of the line: the front
 * end of some cores supplies code at the start of a line more slowly. */
static bool other_offset(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)explanation;
	return set(side, knob, side->setting.v[knob] ? 0 : LINE / 2, with);
}

static bool align_code(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	uint64_t begin = explanation->loop.insn_count ? explanation->loop.insn[0].address : 0;

	(void)knob;
	/* The offset of generated code in its cache line is set by a knob of its kernel, or cannot
	 * be changed. */
	if (!begin || side->setting.kernel->code_bytes ||
		kernel_footprint(side->setting.kernel, side->setting.v) > CODE_MATTERS)
		return false;
	side->code_shift = begin % LINE ? LINE - (unsigned)(begin % LINE) : LINE / 2;
	snprintf(with, sizeof(((struct why_cause *)NULL)->with), "code %u bytes later",
		side->code_shift);
	return true;
}

/* ---- Order and values */

static bool in_order(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	const struct knob *row = &side->setting.kernel->knobs[knob];
	int choice = choice_named(row, "sequential");

	(void)explanation;
	if (choice < 0)
		choice = choice_named(row, "backward");
	return choice >= 0 && side->setting.v[knob] == choice_named(row, "random") &&
	       set(side, knob, choice, with);
}

/* If the loops of kernel matmul go down columns, chooses the loop order that goes along rows. */
static bool along_rows(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	struct kernel_walk walk = { 0 };

	(void)explanation;
	return kernel_describe(side->setting.kernel, side->setting.v, &walk) && walk.apart &&
	       set(side, knob, choice_named(&side->setting.kernel->knobs[knob], "ikj"), with);
}

static bool is_random(const struct own_argument *argument)
{
	return argument->content == OWN_RANDOM || argument->content == OWN_PERMUTATION ||
	       (argument->content == OWN_LIST && !argument->sequential);
}

static bool ordered(struct why_side *side, char *with)
{
	const struct own_description *data = data_of(side);

	for (int i = 0; data && i < OWN_ARGUMENTS; i++)
		side->own.ordered |= is_random(&data->argument[i]);
	say(with, "data in ascending order");
	return side->own.ordered;
}

/* What the loop does with random data, and so what the same data in order change. */
enum random_effect { BRANCHES, JUMPS, STORES, LINES, NUMBERS };

static enum random_effect random_effect(const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;

	if (explanation->loop.varies)
		return BRANCHES;
	/* No branch goes both ways, so the mispredictions are those of jumps and calls. */
	if (explanation->loop.fresh >= MISPREDICTED)
		return JUMPS;
	/* NAN: unknown whether the loop misses lines. */
	if (!(limits->beyond[0] <= 0))
		return LINES;
	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].kind == LIMIT_FORWARDING)
			return STORES;
	return NUMBERS;
}

static bool ordered_lines(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)knob;
	return random_effect(explanation) == LINES && ordered(side, with);
}

static bool ordered_stores(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)knob;
	return random_effect(explanation) == STORES && ordered(side, with);
}

static bool ordered_numbers(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)knob;
	return random_effect(explanation) == NUMBERS && ordered(side, with);
}

static bool is_fresh(const struct why_side *side)
{
	return kernel_asked(side->setting.kernel, side->setting.v, ASKS_FRESH);
}

static bool ordered_branches(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)knob;
	return random_effect(explanation) == BRANCHES && !is_fresh(side) && ordered(side, with);
}

static bool ordered_jumps(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	(void)knob;
	return random_effect(explanation) == JUMPS && !is_fresh(side) && ordered(side, with);
}

static bool all_ones(
	const struct explanation *explanation, int knob, struct why_side *side, char *with)
{
	const struct own_description *data = data_of(side);

	(void)explanation;
	(void)knob;
	for (int i = 0; data && i < OWN_ARGUMENTS; i++) {
		const struct own_argument *argument = &data->argument[i];
		bool numbers = argument->content != OWN_NOTHING && argument->content != OWN_LIST &&
			       (argument->type == OWN_F32 || argument->type == OWN_F64);

		side->own.ones |=
			numbers && !(argument->content == OWN_NUMBER && argument->first.real == 1);
	}
	say(with, "all floating-point numbers 1.0");
	return side->own.ones;
}

/* ---- The table of pairs. Rows of the table that change only places in memory come first. The row
 * that measures the loop on another core is the last, because it is used only if this core is busy
 * (why.c). */

static const struct pair pairs[] = {
	{ "page size", NULL, "pages", huge_pages, false,
		"With pages of 4 KiB, the TLB holds the addresses of too few pages, so page walks "
		"cost time.",
		"Use huge pages: madvise(MADV_HUGEPAGE), or hugetlbfs." },
	{ "cache sets", NULL, "pad", pad_rows, false,
		"Rows or nodes a power of two apart compete for a few sets of the caches.",
		"Move each row or node a cache line farther from the one before." },
	{ "cache sets", "latency", "stride", spread_nodes, false, NULL, NULL },
	{ "cache sets", "mountain", "stride", spread_nodes, false, NULL, NULL },
	{ "cache sets", NULL, NULL, spread_list, false, NULL, NULL },
	{ "4 KiB aliasing", NULL, "alias", other_alias, false,
		"Loads wait for stores to addresses a multiple of 4 KiB away, because the core "
		"first compares the low 12 bits.",
		"Let the arrays begin at other offsets in their pages." },
	{ "4 KiB aliasing", NULL, NULL, arrays_apart, false, NULL, NULL },
	{ "data alignment", "stores", "offset", set_zero, false,
		"Accesses that cross the end of a cache line count twice, or more.",
		"Align the data to the size of an access." },
	{ "data alignment", "split-loads", "offset", set_zero, false, NULL, NULL },
	{ "data alignment", NULL, NULL, align_arrays, false, NULL, NULL },
	{ "code alignment", "alignment", "offset", other_offset, false,
		"The front end fetches code by lines, and at another offset in its lines the loop "
		"is "
		"faster.",
		"Begin the loop at that offset of a line: in assembly, .p2align 6 and as many "
		"bytes of nops." },
	{ "code alignment", NULL, NULL, align_code, false, NULL, NULL },
	{ "shared line", "sharing", "padding", own_line, false,
		"The cores write to one cache line, which moves from core to core.",
		"Give each core's data a cache line of its own." },
	{ "shared line", "atomic", "lines", own_line, false, NULL, NULL },
	{ "other cores", NULL, "cores", alone, false,
		"Other cores that measure at the same time use the same caches and memory.",
		"Use fewer cores, or data that fit the cores' own caches." },
	{ "other cores", NULL, "streams", set_zero, false, NULL, NULL },
	{ "memory node", NULL, "node", set_zero, false,
		"The data lie in the memory of another node, which takes longer to reach.",
		"Place the data on the node of the core: numactl --localalloc." },
	{ "order of access", NULL, "order", in_order, true,
		"No prefetcher follows this order, or each access needs another cache line, so the "
		"loop waits for caches and memory.",
		"Access the data in the order of their addresses." },
	{ "order of access", "list-lookup", "misplaced", set_zero, true, NULL, NULL },
	{ "order of access", "matmul", "order", along_rows, true, NULL, NULL },
	{ "order of access", NULL, NULL, ordered_lines, true, NULL, NULL },
	{ "store forwarding", NULL, NULL, ordered_stores, true,
		"Loads wait for a store just before to the same place, and random data decide how "
		"often. No line is missed.",
		"Use several tables in turn, and add them up at the end." },
	{ "order of values", NULL, NULL, ordered_numbers, true,
		"The order of the numbers decides the speed, for example by the time of a "
		"division. No line is missed, and no branch goes both ways.",
		"Sort the data, or handle equal values together." },
	{ "unlearnt branches", "mispredict", "random", set_zero, true,
		"The branches depend on data whose order the branch predictor has not learnt.",
		"Sort the data, or replace the branch by a conditional move." },
	{ "unlearnt branches", "stores", "changed", set_zero, true, NULL, NULL },
	{ "unlearnt branches", NULL, "data", set_zero, true, NULL, NULL },
	{ "unlearnt branches", NULL, NULL, ordered_branches, true, NULL, NULL },
	{ "unlearnt jumps", NULL, NULL, ordered_jumps, true,
		"Indirect jumps or calls have targets that depend on data whose order the branch "
		"predictor has not learnt.",
		"Sort the data by target, or replace the call by code without jumps." },
	{ "values of data", NULL, NULL, all_ones, true,
		"The speed depends on the numbers: denormal numbers, for example, are slow.",
		"Avoid denormal numbers: compile with -ffast-math, or set FTZ and DAZ." },
	{ "busy core", NULL, NULL, other_core, false,
		"Another program or hyper-thread uses this core, and another core is less busy.",
		"Use the other core (--cpu), or end the other program." },
};

enum { ROWS = sizeof(pairs) / sizeof(pairs[0]) };

static bool apply(const struct pair *pair, const struct explanation *explanation,
	struct why_side *side, char *with)
{
	const struct kernel *kernel = side->setting.kernel;
	int knob = pair->knob ? kernel_knob(kernel, pair->knob) : -1;

	if ((pair->knob && knob < 0) || (pair->kernel && strcmp(pair->kernel, kernel->name) != 0))
		return false;
	return pair->change(explanation, knob, side, with);
}

int pairs_find(const struct setting *setting, const struct explanation *explanation,
	struct why_cause *cause, struct why_side *side)
{
	int count = 0;

	for (int i = 0; i < ROWS && count < WHY_PAIRS; i++) {
		side[count] = (struct why_side){ .setting = *setting };
		cause[count] = (struct why_cause){ .work = pairs[i].work, .model = NAN };
		if (!apply(&pairs[i], explanation, &side[count], cause[count].with))
			continue;
		snprintf(cause[count].name, sizeof(cause[count].name), "%s", pairs[i].name);
		count++;
	}
	return count;
}

void pairs_merge(const struct setting *setting, const struct why_side *from, struct why_side *side)
{
	const struct own_change *own = &from->own;

	for (int i = 0; i < KNOBS_MAX; i++)
		if (from->setting.v[i] != setting->v[i])
			side->setting.v[i] = from->setting.v[i];
	side->own.ones |= own->ones;
	side->own.ordered |= own->ordered;
	side->own.shift += own->shift;
	side->own.apart += own->apart;
	side->own.spacing += own->spacing;
	side->code_shift += from->code_shift;
	side->elsewhere |= from->elsewhere;
}

static const struct pair *named(const char *name)
{
	for (int i = 0; i < ROWS; i++)
		if (strcmp(pairs[i].name, name) == 0)
			return &pairs[i];
	return NULL;
}

const char *pairs_meaning(const char *name)
{
	const struct pair *pair = named(name);

	return pair ? pair->means : "";
}

const char *pairs_remedy(const char *name)
{
	const struct pair *pair = named(name);

	return pair ? pair->remedy : "";
}

void pairs_ask(const struct why_side *side, struct request *request)
{
	request->kernel = side->setting.kernel;
	memcpy(request->v, side->setting.v, sizeof(request->v));
	request->own_change = side->own;
	request->elsewhere = side->elsewhere;
	if (side->code_shift)
		request->change = (struct code_change){
			.bytes = 64 << 10, .write = write_shifted, .what = side->code_shift
		};
}
