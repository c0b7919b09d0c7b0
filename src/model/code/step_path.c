/* Chooses the hot loop and its path from a trace of single-stepped instructions. */
#include "model/code/step_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The backward jumps to one instruction, which may be the head of a loop. */
struct head {
	int count;     /* number of backward jumps to this instruction */
	uint64_t last; /* highest address of a backward jump to this instruction */
};

struct search {
	const struct step_trace *trace;
	struct head *heads; /* one entry for each instruction of the trace */
	bool calls;	    /* backward calls count as backward jumps, so that recursion is found */
};

static const struct insn *insn_at(const struct step_trace *trace, int step)
{
	return &trace->insn[trace->seen[step].insn];
}

/* Whether execution jumps back to a lower address after this step. A backward jump closes a loop.
 */
static bool jumps_back(const struct search *search, int step)
{
	const struct insn *insn = insn_at(search->trace, step),
			  *next = insn_at(search->trace, step + 1);

	if (next->address > insn->address)
		return false;
	return insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP ||
	       insn->flow == FLOW_INDIRECT || (search->calls && insn->flow == FLOW_CALL);
}

/* The change of the depth of calls by a step. */
static int deeper(const struct insn *insn)
{
	return (insn->flow == FLOW_CALL) - (insn->flow == FLOW_RETURN);
}

/* Counts the backward jumps to each instruction. A function that ends in a jump to another function
 * closes no loop, although that function may lie at a lower address: when it is entered again, a
 * return has left the call in which it ran before. */
static void count_heads(struct search *search)
{
	const struct step_trace *trace = search->trace;
	/* For each depth of calls, relative to the first step: the last step that returned to a
	 * smaller depth. For each instruction: the step at which it ran last, and the depth then.
	 */
	int *left = memory_new(2 * (size_t)trace->seen_count + 1, sizeof(*left));
	int *ran = memory_new((size_t)trace->insn_count + 1, sizeof(*ran));
	int *at_depth = memory_new((size_t)trace->insn_count + 1, sizeof(*at_depth));
	int depth = trace->seen_count;

	memset(search->heads, 0, (size_t)trace->insn_count * sizeof(*search->heads));
	for (int i = 0; i + 1 < trace->seen_count; i++) {
		int insn = trace->seen[i].insn, next = trace->seen[i + 1].insn;
		struct head *head = &search->heads[next];
		uint64_t from = insn_at(trace, i)->address;

		ran[insn] = i + 1;
		at_depth[insn] = depth;
		if (deeper(insn_at(trace, i)) < 0)
			left[depth] = i + 1;
		depth += deeper(insn_at(trace, i));
		if (!jumps_back(search, i))
			continue;
		if (!search->calls && ran[next] && left[at_depth[next]] > ran[next])
			continue;
		head->count++;
		if (from > head->last)
			head->last = from;
	}
	free(at_depth);
	free(ran);
	free(left);
}

/* Returns how many more times a loop jumps back in the longer run than in the run over half as many
 * elements. */
static int growth(const struct search *search, int head)
{
	int before = search->trace->before ? search->trace->before[head] : 0;

	return search->heads[head].count - before;
}

/* Returns the bytes of code from a loop's head to its last backward jump. */
static uint64_t code_bytes(const struct search *search, int head)
{
	return search->heads[head].last - search->trace->insn[head].address;
}

/* Whether the loop `head` runs more often than `best`. If two loops have equally many iterations,
 * as two passes over the same elements do, the loop with more code counts as hotter. */
static bool is_hotter(const struct search *search, int head, int best)
{
	int more = growth(search, head) - growth(search, best);

	return more > 0 || (more == 0 && code_bytes(search, head) > code_bytes(search, best));
}

static int hottest(const struct search *search)
{
	int best = -1;

	for (int i = 0; i < search->trace->insn_count; i++)
		if (search->heads[i].count > 0 && (best < 0 || is_hotter(search, i, best)))
			best = i;
	return best;
}

/* The average number of iterations of a loop, each time execution enters it. Functions that the
 * loop calls belong to the loop. */
static double turns_a_visit(const struct search *search, int head)
{
	const struct step_trace *trace = search->trace;
	uint64_t first = trace->insn[head].address, last = search->heads[head].last;
	uint64_t back = 0; /* return address of the function that the loop has called; 0: the loop
			      has called no function */
	int turns = 0, visits = 0;
	bool inside = false;

	for (int i = 0; i < trace->seen_count; i++) {
		const struct insn *insn = insn_at(trace, i);
		bool in = insn->address >= first && insn->address <= last;

		turns += trace->seen[i].insn == head;
		if (back && insn->address != back)
			continue;
		visits += in && !inside;
		inside = in;
		back = in && insn->flow == FLOW_CALL ? insn->address + insn->length : 0;
	}
	return visits ? (double)turns / visits : 0;
}

/* The most frequent loop that encloses the loop `inner`. At least half of the iterations of an
 * enclosing loop run `inner`. -1: no loop encloses `inner`. */
static int enclosing(const struct search *search, int inner)
{
	const struct step_trace *trace = search->trace;
	int best = -1;

	for (int i = 0; i < trace->insn_count; i++) {
		int gaps = 0, holding = 0;
		bool begun = false, held = false;

		if (i == inner || search->heads[i].count < 2 ||
			search->heads[i].count > search->heads[inner].count ||
			(best >= 0 && search->heads[i].count <= search->heads[best].count))
			continue;
		for (int k = 0; k < trace->seen_count; k++) {
			if (trace->seen[k].insn == inner)
				held = true;
			if (trace->seen[k].insn != i)
				continue;
			gaps += begun;
			holding += begun && held;
			begun = true;
			held = false;
		}
		/* One loop can have two heads, because a compiler may create several backward
		 * jumps. The two heads of one loop run about equally often, and neither is the head
		 * of an enclosing loop. */
		if (gaps > 0 && 2 * holding >= gaps &&
			search->heads[i].count * 4 <= search->heads[inner].count * 3)
			best = i;
	}
	return best;
}

/* Whole iterations of a loop: from one step at the loop head up to, but without, a later step at
 * the loop head. */
struct window {
	int from, to; /* indices, in the trace, of the first step and of the step after the last */
	int turns;
};

/* The number of different instructions in the steps from `from` to `to` - 1. `used` is a buffer for
 * the count. */
static int different(const struct step_trace *trace, int from, int to, bool *used)
{
	int count = 0;

	memset(used, 0, (size_t)trace->insn_count * sizeof(*used));
	for (int i = from; i < to; i++) {
		count += !used[trace->seen[i].insn];
		used[trace->seen[i].insn] = true;
	}
	return count;
}

/* Whether the trace has at least two steps at the instruction `insn`. */
static bool repeats(const struct step_trace *trace, int insn)
{
	int count = 0;

	for (int i = 0; i < trace->seen_count && count < 2; i++)
		count += trace->seen[i].insn == insn;
	return count >= 2;
}

/* Cuts the iterations of an inner loop to whole executions of the loop, from one entry of the loop
 * to the next. The path then has branches and other code around the loop in the right proportion.
 * `at` has the `count` steps at the loop head. The chosen iterations stay as they are if they
 * contain no whole execution of the inner loop. */
static void cut_to_visits(
	const struct search *search, int around, const int *at, int count, int *first, int *turns)
{
	int begin = -1, end = -1;

	for (int i = *first > 0 ? *first : 1; i <= *first + *turns && i < count; i++) {
		bool enters = false;

		for (int step = at[i - 1]; step < at[i] && !enters; step++)
			enters = search->trace->seen[step].insn == around;
		if (enters && begin < 0)
			begin = i;
		else if (enters)
			end = i;
	}
	if (end > begin && begin >= 0) {
		*first = begin;
		*turns = end - begin;
	}
}

/* Chooses the iterations of a loop that its path will show. The result has 0 iterations if the loop
 * `room` has no room for even one iteration. `around` is the head of the enclosing loop; -1: no
 * loop encloses the loop. */
static struct window choose_window(
	const struct search *search, int head, int around, const struct loop *room)
{
	const struct step_trace *trace = search->trace;
	bool *used = memory_new((size_t)trace->insn_count + 1, sizeof(*used));
	int *at = memory_new((size_t)trace->seen_count + 1, sizeof(*at));
	int count = 0, turns;
	struct window window = { 0 };

	for (int i = 0; i < trace->seen_count; i++)
		if (trace->seen[i].insn == head)
			at[count++] = i;
	turns = count - 1 < STEP_TURNS_MOST ? count - 1 : STEP_TURNS_MOST;
	for (; turns > 0; turns--) {
		int first = (count - 1 - turns) / 2;
		int steps = at[first + turns] - at[first];

		if (steps > room->path_room || (turns > STEP_TURNS_WANTED && steps > STEP_PATH) ||
			different(trace, at[first], at[first + turns], used) > room->insn_room)
			continue;
		if (around >= 0)
			cut_to_visits(search, around, at, count, &first, &turns);
		window = (struct window){ at[first], at[first + turns], turns };
		break;
	}
	free(at);
	free(used);
	return window;
}

/* Whether a branch of the path was taken in one iteration and not in another. */
static bool goes_both_ways(const struct loop *loop)
{
	uint8_t *ways = memory_new((size_t)loop->insn_count,
		sizeof(*ways)); /* for each instruction: bit 0 is set if the branch was not taken in
				   some step, bit 1 if it was taken in some step */
	bool both = false;

	for (int i = 0; i < loop->path_count && !both; i++) {
		const struct loop_step *step = &loop->path[i];

		ways[step->insn] |= step->taken ? 2 : 1;
		both = loop->insn[step->insn].flow == FLOW_BRANCH && ways[step->insn] == 3;
	}
	free(ways);
	return both;
}

static void fill(const struct step_trace *trace, const struct window *window, struct loop *loop)
{
	loop_fill(loop, trace->insn, trace->insn_count, trace->seen + window->from,
		window->to - window->from);
	for (int i = 0; i < loop->path_count; i++) {
		const struct insn *insn = insn_at(trace, window->from + i);

		loop->path[i].taken =
			insn->flow != FLOW_NONE && insn_at(trace, window->from + i + 1)->address !=
							   insn->address + insn->length;
	}
	loop->turns = window->turns;
	loop->stepped = true;
	loop->varies = goes_both_ways(loop);
}

struct status step_path(const struct step_trace *trace, double insns_per_element, struct loop *loop)
{
	struct search search = { .trace = trace };
	struct status status = status_ok();
	struct window window = { 0 };
	int head;

	loop_clear(loop);
	search.heads = memory_new((size_t)trace->insn_count + 1, sizeof(*search.heads));
	count_heads(&search);
	head = hottest(&search);
	if (head < 0) {
		search.calls = true;
		count_heads(&search);
		head = hottest(&search);
	}
	/* Each loop that is tried as the hot loop encloses the loop tried before, so the search
	 * ends. */
	for (int around; head >= 0;) {
		around = enclosing(&search, head);
		window = choose_window(&search, head, around, loop);
		if (window.turns > 0 && turns_a_visit(&search, head) >= STEP_TURNS_FEW)
			break;
		if (around < 0 || choose_window(&search, around, -1, loop).turns == 0)
			break;
		head = around;
	}
	/* The only jump back can be a jump to a function, if the loop itself makes one iteration.
	 */
	if (head < 0 || (window.turns == 0 && !repeats(trace, head))) {
		status = status_failed(
			"no instruction repeats in %d steps: there is no loop", trace->seen_count);
		status.reason = STEP_NO_REPEAT;
	} else if (window.turns == 0) {
		status = status_failed(
			"one iteration of the loop takes more than %d steps or %d instructions: "
			"unroll less, or count smaller elements by an inner loop",
			loop->path_room, loop->insn_room);
	} else {
		fill(trace, &window, loop);
		loop->insns_per_element = insns_per_element;
		loop->elements = loop->path_count / insns_per_element;
	}
	free(search.heads);
	return status;
}
