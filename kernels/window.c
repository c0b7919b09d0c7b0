/* The kernel window measures how many instructions a core looks ahead. Two chains of loads miss all
 * caches, with N instructions between the two misses. The misses overlap while the core's buffers
 * hold both loads. If the N instructions fill one of the core's buffers, the second miss waits
 * until the first miss retires, and an iteration takes twice as long. The knee in the curve of
 * cycles over N is the size of the buffer.
 *
 *     for (; turns; turns--) {
 *         a = a->next;      … N fillers …
 *         b = b->next;      … N fillers …
 *     }
 *
 * write_loop() generates the loop at run time and writes out each filler. */
#include "kernels/window.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "kernels/assemble.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"
#include "kernels/nodes.h"
#include "kernels/window_code.h"

enum { SIZE, FILLERS, FILLER, REMEDY, WORK, CHAINS, DISTANCE };
enum { REMEDY_NONE, REMEDY_PREFETCH, REMEDY_JAM, REMEDY_SHADOW };

/* STRIDE: bytes from one node to the next. LINE: bytes of a cache line. A node has two lines to
 * itself, so a prefetcher of the adjacent line does not fetch another node. */
enum { STRIDE = 128, LINE = 64 };

/* The value that the knob `work` gets if the user chooses remedy=shadow while work=0. */
enum { WORK_SHOWN = 100 };

enum { FILLERS_MOST = 4000 };

/* The table of fillers. The file kernels/window.fillers has the rows of this table. */
const struct window_filler window_fillers[WINDOW_KINDS] = {
#define FILLER(kind, ...) [WINDOW_##kind] = { __VA_ARGS__ },
#include "kernels/window_fillers.inc"
#undef FILLER
};

const struct window_filler window_flags = { "add", "flags", "flags' registers", 1, 2, "additions",
	"each addition takes a physical register for its result, and one for its flags, until it "
	"retires; this core has fewer of the latter. filler=mov-0 fills the others" };

int window_kind(const char *name)
{
	for (int i = 0; i < WINDOW_KINDS; i++)
		if (strcmp(window_fillers[i].name, name) == 0)
			return i;
	return -1;
}

static const char *const filler_names[WINDOW_KINDS + 1] = {
#define FILLER(kind, name, ...) [WINDOW_##kind] = (name),
#include "kernels/window_fillers.inc"
};

static const char *const remedy_names[] = { "none", "prefetch", "jam", "shadow", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_BYTES("size",
		"bytes of memory over which the nodes of all chains are scattered", 4096,
		KNOB_MAX_MEMORY, 16 << 20, .axis = AXIS_SIZE, .multiple = STRIDE, .factor = 2),
	[FILLERS] = KNOB_ROW_COUNT(
		"fillers", "N: instructions between one miss and the next", 0, FILLERS_MOST, 100),
	[FILLER] = KNOB_ROW_CHOICE(
		"filler", "the kind of filler, which selects the buffer", filler_names),
	[REMEDY] = KNOB_ROW_CHOICE("remedy", "how the code lets misses overlap again", remedy_names,
		.role = KNOB_FORM),
	[WORK] = KNOB_ROW_COUNT(
		"work", "dependent multiplications before the address of each miss", 0, 1000, 0),
	[CHAINS] =
		KNOB_ROW_COUNT("chains", "independent misses in an iteration", 2, WINDOW_CHAINS, 2),
	[DISTANCE] = KNOB_ROW_COUNT("distance",
		"fillers from a prefetch to its load; 0: all of the iteration", 0, FILLERS_MOST, 0,
		.role = KNOB_FORM),
};

/* ---- The code */

struct maker {
	struct assembly as;
	const int64_t *v;
	int callee; /* the label of the subroutine */
};

/* Writes one filler that contains a jump. */
static void write_jump(struct maker *m)
{
	int next = assemble_label(&m->as);

	switch (m->v[FILLER]) {
	case WINDOW_JUMP:
		assemble_jump(&m->as, jump_always, next);
		assemble_align(&m->as, FILLER_BYTES);
		break;
	case WINDOW_BRANCH: assemble_jump(&m->as, jump_never, next); break;
	case WINDOW_INDIRECT:
		assemble_address(&m->as, target, next);
		assemble(&m->as, through_target);
		assemble_align(&m->as, FILLER_BYTES);
		break;
	case WINDOW_CALL: assemble_jump(&m->as, jump_call, m->callee); break;
	case WINDOW_LINK:
		assemble_address(&m->as, link_into, next);
		assemble_jump(&m->as, jump_always, m->callee);
		assemble_align(&m->as, FILLER_BYTES);
		break;
	}
	assemble_bind(&m->as, next);
	assemble_forget(&m->as, next);
}

/* Writes the i-th filler instruction after the load of a chain that misses. */
static void write_line(struct maker *m, int chain, unsigned i)
{
	const struct window_lines *lines = &filler_lines[m->v[FILLER]];
	unsigned alternate = lines->line[1] ? 2 : 1, turn = i / alternate;
	char line[64];
	size_t used = 0;

	for (const char *c = lines->line[i % alternate]; *c; c++) {
		char *at = line + used;
		size_t room = sizeof(line) - used;

		if (*c != '%')
			used += (size_t)snprintf(at, room, "%c", *c);
		else if (*++c == 'g')
			used += (size_t)snprintf(at, room, "%s", general[turn]);
		else if (*c == 'm')
			used += (size_t)snprintf(at, room, "%s", chase[chain]);
		else
			used += (size_t)snprintf(at, room, "%u", *c == 'o' ? 8 * turn : turn);
	}
	assemble(&m->as, "%s", line);
}

/* Writes `count` of the N fillers after the miss of a chain, from number `first` on. */
static void write_fillers(struct maker *m, int chain, unsigned first, unsigned count)
{
	unsigned turns = (unsigned)filler_lines[m->v[FILLER]].count, done = 0;
	const unsigned char *from;

	if (m->v[FILLER] == WINDOW_WAIT_VECTOR && first == 0)
		assemble(&m->as, into_vector, chase[chain]);
	/* The alignment of the code leaves at most one taken jump in each half of a cache line.
	 * With more taken jumps, the kernel would measure the branch predictor. */
	if (m->v[FILLER] == WINDOW_JUMP || m->v[FILLER] == WINDOW_INDIRECT ||
		m->v[FILLER] == WINDOW_LINK)
		assemble_align(&m->as, count ? FILLER_BYTES : 1);
	from = m->as.at;
	/* The assembled bytes of a filler instruction are usually copied to repeat it. A filler
	 * with a call is assembled each time instead, because a copied call would have another
	 * target. */
	if (turns == 0)
		turns = m->v[FILLER] == WINDOW_CALL || m->v[FILLER] == WINDOW_LINK ? count : 1;
	for (; done < count && done < turns; done++)
		if (filler_lines[m->v[FILLER]].count)
			write_line(m, chain, (first + done) % turns);
		else
			write_jump(m);
	if (done == count)
		return;
	assemble_again(&m->as, from, count / done - 1);
	for (unsigned i = 0; i < count % done; i++)
		write_line(m, chain, (first + i) % turns);
}

/* Writes a chain of multiplications. The address of the next load that misses includes the result
 * of the multiplications, which is always 0. */
static void write_work(struct maker *m)
{
	const unsigned char *from;

	if (m->v[WORK] == 0)
		return;
	assemble(&m->as, work_begins);
	from = m->as.at;
	assemble(&m->as, work_goes_on);
	assemble_again(&m->as, from, (unsigned)m->v[WORK] - 1);
}

static void write_miss(struct maker *m, int chain)
{
	assemble(&m->as, m->v[WORK] ? miss_worked : miss_plain, chase[chain], chase[chain]);
}

/* Writes the fillers between a miss and the next miss, and among them the prefetch for the next
 * miss, `distance` fillers before it. */
static void write_between(struct maker *m, int chain)
{
	unsigned count = (unsigned)m->v[FILLERS], ahead = 0;

	if (chain + 1 < m->v[CHAINS])
		ahead = (unsigned)(m->v[DISTANCE] < m->v[FILLERS] ? m->v[DISTANCE] : m->v[FILLERS]);
	write_fillers(m, chain, 0, count - ahead);
	if (ahead == 0)
		return;
	assemble(&m->as, prefetch_line, chase[chain + 1]);
	write_fillers(m, chain, count - ahead, ahead);
}

/* Writes an iteration. remedy=prefetch requests the lines of the later misses at the start of the
 * iteration or `distance` fillers ahead, because a prefetch retires before its line arrives.
 * remedy=jam puts all misses first and all fillers after the misses. remedy=shadow puts the work
 * for an address directly after the previous miss. */
static void write_loop(struct maker *m)
{
	int chains = (int)m->v[CHAINS], top = assemble_here(&m->as);
	bool early = m->v[REMEDY] == REMEDY_PREFETCH && m->v[DISTANCE] == 0;

	for (int i = 1; i < chains && early; i++)
		assemble(&m->as, prefetch_line, chase[i]);
	for (int i = 0; i < chains; i++) {
		if (m->v[REMEDY] != REMEDY_SHADOW)
			write_work(m);
		write_miss(m, i);
		if (m->v[REMEDY] == REMEDY_SHADOW)
			write_work(m);
		if (m->v[REMEDY] != REMEDY_JAM)
			write_between(m, i);
	}
	for (int i = 0; i < chains && m->v[REMEDY] == REMEDY_JAM; i++)
		write_fillers(m, i, 0, (unsigned)m->v[FILLERS]);
	write_turn(&m->as, top);
}

static size_t window_room(const int64_t *v)
{
	return 4096 + (size_t)v[CHAINS] * (size_t)(v[FILLERS] * FILLER_BYTES +
						   v[WORK] * WORK_BYTES + MISS_BYTES);
}

static struct status make(struct kernel_run *run)
{
	struct maker m = { .v = run->v };

	assemble_begin(&m.as, run->code.buffer, run->code.buffer_bytes);
	m.callee = assemble_here(&m.as);
	assemble(&m.as, run->v[FILLER] == WINDOW_LINK ? through_link : "ret");
	assemble_align(&m.as, LINE);
	run->code.start = m.as.at;
	write_entry(&m.as);
	assemble_align(&m.as, LINE);
	run->code.entry = m.as.at;
	write_loop(&m);
	write_exit(&m.as);
	return assemble_end(&m.as);
}

/* ---- Data */

static struct nodes nodes_of(const struct kernel_run *run)
{
	return (struct nodes){ .memory = run->memory,
		.stride = STRIDE,
		.order = NODES_RANDOM,
		.cycles = (unsigned)run->v[CHAINS],
		.seed = run->seed,
		.progress = run->work.progress };
}

static uint64_t count_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / STRIDE / (uint64_t)v[CHAINS] * (uint64_t)v[CHAINS];
}

static const struct knob_rule rules[] = {
	{ { REMEDY, REMEDY_PREFETCH, REMEDY_JAM }, { WORK, 0, 0 }, 0, REMEDY_NONE,
		"with work use remedy=none, or remedy=shadow, which moves the work" },
	{ { WORK, 0, 0 }, { REMEDY, REMEDY_NONE, REMEDY_JAM }, REMEDY_NONE, WORK_SHOWN,
		"remedy=shadow needs work to move: use work=100" },
	{ { DISTANCE, 1, FILLERS_MOST }, { REMEDY, REMEDY_PREFETCH, REMEDY_PREFETCH },
		REMEDY_PREFETCH, 0,
		"a distance needs remedy=prefetch, whose prefetches it places" },
};

static uint64_t window_footprint(const int64_t *v)
{
	return count_of(v) * STRIDE;
}

/* The second load of a node misses only if no cache still holds the node. A last-level cache may be
 * larger than all nodes together, so the kernel flushes all nodes from the caches after it has
 * loaded each node. The kernel does not flush the caches if all nodes together take less than
 * EMPTIED bytes. With so few nodes, the kernel shows how far the core looks ahead during cache
 * hits. */
enum { EMPTIED = 4 << 20 };

/* Whether all data are flushed from the caches before each pass over them. */
static bool is_flushed(const int64_t *v)
{
	return window_footprint(v) >= EMPTIED;
}

/* Memory supplies the lines of flushed data, as if no cache could hold them. */
static uint64_t window_reach(const int64_t *v)
{
	return is_flushed(v) ? KERNEL_REACH_FLUSHED : window_footprint(v);
}

/* Settings with the same number of chains can share their nodes. A smaller working set uses only
 * the first nodes. */
static uint64_t window_layout(const int64_t *v)
{
	return (uint64_t)v[CHAINS];
}

static void window_describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->access = "load";
	walk->lines = (double)v[CHAINS];
	walk->scattered = true;
	walk->range = (double)count_of(v) * LINE;
	walk->chains = (double)v[CHAINS];
	walk->waits = "the next node's address is in this node";
	walk->flushed = is_flushed(v);
}

/* State that outlives a run. The state is stored after the pointer of the first node, because the
 * stride leaves these bytes free. */
struct kept {
	const void *chain[WINDOW_CHAINS]; /* the node of each chain at which the last call ended;
					     the next call starts at these nodes */
	uint64_t walked; /* number of nodes of each chain that were loaded since the last flush of
			  * the caches
			  */
};
_Static_assert(sizeof(struct node) + sizeof(struct kept) <= STRIDE, "no room after the first node");

static struct kept *kept_in(const struct kernel_run *run)
{
	return (struct kept *)(void *)(run->memory + sizeof(struct node));
}

static struct status window_prepare(struct kernel_run *run)
{
	struct nodes nodes = nodes_of(run);
	uint64_t count = count_of(run->v), have;
	struct status status = make(run);

	if (!status_is_ok(&status))
		return status;
	if (run->layout.prepared == 0)
		*kept_in(run) = (struct kept){ 0 };
	if (run->layout.prepared != window_footprint(run->v))
		kept_in(run)->walked = UINT64_MAX; /* nodes that were just written are in the
						      caches, so the caches must be flushed */
	have = nodes_lay_out(&nodes, run->layout.prepared / STRIDE, count, run->work.cancel);
	run->layout.laid_out = have * STRIDE;
	run->code.name = "write_loop";
	run->granule = 1;
	run->ring = count / nodes.cycles;
	run->bytes = sizeof(void *) * nodes.cycles;
	kernel_rewind(run);
	return have == count
		       ? status_ok()
		       : status_make(STATUS_CANCELLED, "stopped while the data were prepared");
}

/* ---- Walks */

static void walk(struct kernel_run *run, uint64_t turns, struct window_walk *walk)
{
	void (*code)(struct window_walk *);

	memcpy(&code, &run->code.start, sizeof(code));
	memcpy(walk->chain, run->chain, sizeof(walk->chain));
	walk->turns = turns;
	code(walk);
	memcpy(run->chain, walk->chain, sizeof(walk->chain));
}

static void empty_caches(const struct kernel_run *run)
{
	const unsigned char *at = run->memory, *end = at + window_footprint(run->v);

	if (end - at >= EMPTIED)
		flush_lines(at, end, STRIDE);
	kept_in(run)->walked = 0;
}

/* One call in each pass over the nodes flushes the caches. A trial with a call that flushes the
 * caches is an outlier. */
static void window_call(struct kernel_run *run, uint64_t elements)
{
	struct kept *kept = kept_in(run);
	struct window_walk state = { .turns = 0 };

	walk(run, elements, &state);
	memcpy(kept->chain, state.chain, sizeof(state.chain));
	kept->walked += elements;
	if (kept->walked >= run->ring)
		empty_caches(run);
}

static void begin_at(struct kernel_run *run, double share)
{
	struct nodes nodes = nodes_of(run);

	memset(run->chain, 0, sizeof(run->chain));
	for (unsigned i = 0; i < nodes.cycles; i++)
		run->chain[i] = nodes_start(&nodes, count_of(run->v), i, nodes.cycles, share);
}

static bool is_node(const struct kernel_run *run, const void *at)
{
	uintptr_t offset = (uintptr_t)at - (uintptr_t)run->memory;

	return at && offset < window_footprint(run->v) && offset % STRIDE == 0;
}

static void window_rewind(struct kernel_run *run)
{
	const struct kept *kept = kept_in(run);

	begin_at(run, 0);
	for (int64_t i = 0; i < run->v[CHAINS]; i++)
		if (is_node(run, kept->chain[i]))
			run->chain[i] = kept->chain[i];
	if (kept->walked > run->ring / 2)
		empty_caches(run);
}

/* ---- Checks */

enum { VERIFIED = 32 };

/* Computes what the i-th filler instruction does after the load of `node`, a node of a chain. */
static void fill_plainly(
	const struct kernel_run *run, uint64_t i, uint64_t node, struct window_walk *state)
{
	uint64_t *general_at = &state->general[i % WINDOW_GENERAL],
		 *vector_at = state->vector[i % WINDOW_VECTORS];

	switch (run->v[FILLER]) {
	case WINDOW_ADD: *general_at += 1; break;
	case WINDOW_VECTOR: *vector_at += 1; break;
	case WINDOW_BOTH:
		if (i % 2 == 0)
			state->general[i / 2 % WINDOW_GENERAL] += 1;
		else
			state->vector[i / 2 % WINDOW_GENERAL][0] += 1;
		break;
	case WINDOW_ZERO:
	case WINDOW_WAIT_LOAD: *general_at = 0; break;
	case WINDOW_CONSTANT: *general_at = CONSTANT; break;
	case WINDOW_LOAD: *general_at = state->scratch[i % WINDOW_GENERAL]; break;
	case WINDOW_STORE: state->scratch[i % WINDOW_SCRATCH] = 1; break;
	case WINDOW_WAIT: *general_at = node + 1; break;
	case WINDOW_WAIT_VECTOR: *vector_at += node; break;
	default: break;
	}
}

/* Computes the result of a call of the generated code, but in plain C. Returns false if a pointer
 * leads outside the nodes. */
static bool walk_plainly(const struct kernel_run *run, uint64_t turns, struct window_walk *state)
{
	for (uint64_t turn = 0; turn < turns; turn++) {
		for (int c = 0; c < run->v[CHAINS]; c++) {
			const struct node *node = ((const struct node *)state->chain[c])->next;

			if (!is_node(run, node) || node->zero)
				return false;
			state->chain[c] = node;
		}
		for (int c = 0; c < run->v[CHAINS]; c++)
			for (uint64_t i = 0; i < (uint64_t)run->v[FILLERS]; i++)
				fill_plainly(run, i, (uint64_t)(uintptr_t)state->chain[c], state);
	}
	return true;
}

/* Each check of the generated code begins at the same nodes. The check does not change kept->chain,
 * so trials continue at the nodes where the last trial stopped. */
static struct status window_verify(struct kernel_run *run)
{
	struct window_walk expected = { .turns = 0 }, found;
	const int64_t *v = run->v;

	for (int i = 0; i < WINDOW_GENERAL; i++)
		expected.general[i] = 100 + (uint64_t)i;
	for (int i = 0; i < WINDOW_VECTORS; i++)
		expected.vector[i][0] = 200 + (uint64_t)i;
	for (int i = 0; i < WINDOW_SCRATCH; i++)
		expected.scratch[i] = 300 + (uint64_t)i;
	begin_at(run, 0.5);
	memcpy(expected.chain, run->chain, sizeof(expected.chain));
	found = expected;
	if (!walk_plainly(run, VERIFIED, &expected))
		return status_failed("window: a pointer points outside the nodes");
	walk(run, VERIFIED, &found);
	if (memcmp(found.chain, expected.chain, sizeof(found.chain)) != 0)
		return status_failed("window: a chain ended at a wrong node");
	/* Fillers of the kinds `indirect` and `link` compute nothing, but leave their last jump
	 * target in a general register. */
	if (v[FILLER] == WINDOW_INDIRECT || v[FILLER] == WINDOW_LINK)
		memcpy(found.general, expected.general, sizeof(found.general));
	if (memcmp(found.general, expected.general, sizeof(found.general)) != 0 ||
		memcmp(found.vector, expected.vector, sizeof(found.vector)) != 0 ||
		memcmp(found.scratch, expected.scratch, sizeof(found.scratch)) != 0)
		return status_failed(
			"window: the loop computed a wrong result with filler=%s fillers=%lld",
			filler_names[v[FILLER]], (long long)v[FILLERS]);
	return status_ok();
}

static const char *window_remark(const int64_t *v)
{
	switch (v[REMEDY]) {
	case REMEDY_PREFETCH:
		if (v[DISTANCE] > 0)
			return "Each prefetch comes that many fillers before its load: the window "
			       "seems larger by the distance.";
		return "Prefetches at the start of the iteration request the later lines, and "
		       "retire before the lines arrive: the misses overlap whatever lies between "
		       "them.";
	case REMEDY_JAM:
		return "The misses come first and the fillers after them: all misses fit the "
		       "window at once.";
	case REMEDY_SHADOW:
		return "The work for the next address runs during this miss. With remedy=none it "
		       "comes after the fillers: beyond the window it begins only when the miss is "
		       "over.";
	default: return window_fillers[v[FILLER]].words;
	}
}

const struct kernel kernel_window = {
	.name = "window",
	.title = "how far the core looks ahead",
	.look_for = "Two misses with N instructions between them overlap while both are in the "
		    "core's window. Raise fillers: when they fill a buffer, an iteration takes "
		    "twice as long; that N plus the loop's own instructions is the buffer size. "
		    "filler selects the buffer; remedy makes the misses overlap again: "
		    "remedy=prefetch does once distance is large enough. With chains=6 the overlap "
		    "ends step by step.",
	.document = "Downs, Performance Speed Limits, \"Out of Order Limits\"; the method is that "
		    "of Wong, Measuring Reorder Buffer Capacity",
	.answer = "windows",
	.element = "iteration",
	.hint = "+ on fillers past the knee; then remedy",
	KERNEL_KNOBS(knobs),
	KERNEL_RULES(rules),
	.footprint = window_footprint,
	.reach = window_reach,
	.layout = window_layout,
	.seamless = true,
	.cold = true,
	.plot_cpe = true,
	.code_bytes = window_room,
	.prepare = window_prepare,
	.describe = window_describe,
	.call = window_call,
	.rewind = window_rewind,
	.verify = window_verify,
	.remark = window_remark,
};
