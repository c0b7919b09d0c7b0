/* Single-steps the user's own loops: with few elements for the loop and its instructions per
 * element, with the user's n for the order of accesses, and call by call on fresh data for the
 * branches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/monotonic.h"
#include "base/text.h"
#include "engine/own/own.h"
#include "model/code/step_inside.h"
#include "model/code/step_path.h"
#include "model/code/step_walk.h"

/* The number of data elements n grows until the recorded path has TURNS_ENOUGH iterations or
 * PATH_ENOUGH steps. One iteration of a vectorised loop can process dozens of elements. If the
 * numbers of elements are powers of two, neither run executes the remainder loop after a vectorised
 * loop. SAMPLE_STEPS: number of instructions that are single-stepped in a call with the user's n;
 * fewer than SAMPLE_LEAST show too little. BRANCH_STEPS: number of instructions that are
 * single-stepped to record the directions of branches. */
enum {
	N_FIRST = 128,
	N_LONG = 16,
	N_TIMES = 8,
	N_MOST = 8192,
	TURNS_ENOUGH = 24,
	PATH_ENOUGH = 400,
	STEPS_MOST = 60000,
	SAMPLE_STEPS = 8192,
	SAMPLE_LEAST = 512,
	BRANCH_STEPS = 12288
};

/* If the data exceed SAMPLE_FROM bytes, or the loop has inner loops, a part of a call with the
 * user's n is single-stepped. If
 * the data exceed SAMPLE_BYTES, the loop is single-stepped with a smaller n, because laying out
 * larger data takes too long. */
static const uint64_t sample_from = 32 << 10, sample_bytes = 128 << 20;
/* The most bytes of data for which a call with the user's n is tried, to see whether it comes to
 * the hot loop. */
static const uint64_t reach_bytes = 1 << 20;

/* Time limit in seconds for single-stepping an own loop, which is a function of the user's library.
 * One single step of the child process needs 3 µs, or 20 µs under a hypervisor. */
static const double OWN_SECONDS = 2.0;

/* Time limit in seconds for all single-stepped runs of an own loop together, on a busy machine. */
static const double OWN_LATEST = 6.0;

/* Memory that parent and child share. */
struct own_shared {
	struct status failure;
	struct own_laid laid;
};

/* The user's own loop while it is single-stepped. */
struct own_stepping {
	const struct own *own;
	const int64_t *v; /* values of the loop's knobs at the setting; the first is n */
	int64_t n;	  /* the length n of the single-stepped run */
	struct own_shared *shared;
	struct own_steps steps;
	struct words called;
	struct step_plan plan;
	double latest;	     /* time at which all single-stepping of the loop ends */
	uint64_t mark, head; /* addresses, relative to loop(), of the instruction that counts
				elements, and of the first instruction of the hot loop */
	double each; /* number of elements from one execution of the counting instruction to the
			next; 0: there is no such instruction */
};

static void plan_steps(
	struct own_stepping *stepping, uint64_t seed, int64_t n, int64_t shorter, int most)
{
	stepping->n = n;
	stepping->steps = (struct own_steps){ .own = stepping->own,
		.v = stepping->v,
		.seed = seed,
		.n = { n, shorter },
		.failure = &stepping->shared->failure,
		.laid = &stepping->shared->laid };
	stepping->called = own_call_words(own_description(stepping->own));
	stepping->plan = (struct step_plan){ .run = own_steps_run,
		.context = &stepping->steps,
		.longer = own_elements(stepping->own, n),
		.shorter = own_elements(stepping->own, shorter ? shorter : n),
		.most_steps = most,
		.seconds = OWN_SECONDS,
		.latest = stepping->latest,
		.prepare = own_steps_prepare,
		.kept = shorter > 0,
		.cold = shorter == 0,
		.called = stepping->called.text,
		.failure = &stepping->shared->failure };
}

/* The trace (executed instructions) of the longer run, or of a part of a call with large data. */
static struct step_trace trace_of(const struct tracer *tracer)
{
	return (struct step_trace){ tracer->insn, tracer->insn_count, tracer->seen + tracer->split,
		tracer->seen_count - tracer->split, NULL };
}

/* Finds an instruction that runs a fixed number of times per element, and the first instruction of
 * the hot loop. */
static void find_mark(
	struct own_stepping *stepping, const struct tracer *tracer, const struct loop *loop)
{
	int *count[2] = { step_counts(tracer, 0, tracer->split),
		step_counts(tracer, tracer->split, tracer->seen_count) },
	    *inside[2] = { step_counts(tracer, 0, 0), step_counts(tracer, 0, 0) }, mark;
	const uint64_t from[2] = { stepping->plan.shorter, stepping->plan.longer };

	/* Only the hot loop is single-stepped with large data, so the instruction that counts
	 * elements should be in the hot loop. */
	for (int i = 0; i < tracer->insn_count; i++)
		for (int k = 0; k < loop->insn_count; k++)
			if (loop->insn[k].address == tracer->insn[i].address) {
				inside[0][i] = count[0][i];
				inside[1][i] = count[1][i];
			}
	mark = walk_mark(inside[0], inside[1], tracer->insn_count, from, &stepping->each);
	if (mark < 0)
		mark = walk_mark(count[0], count[1], tracer->insn_count, from, &stepping->each);
	if (mark >= 0)
		stepping->mark = tracer->insn[mark].address - stepping->shared->laid.loop;
	stepping->head = loop->insn[loop->path[0].insn].address - stepping->shared->laid.loop;
	for (int i = 0; i < 2; i++) {
		free(count[i]);
		free(inside[i]);
	}
}

/* Derives the order of memory accesses (walk) from a trace. `n` is the loop length that the user
 * chose. */
static bool find_walk(const struct own_stepping *stepping, const struct tracer *tracer, int64_t n,
	struct kernel_walk *walk)
{
	const struct own_description *description = own_description(stepping->own);
	struct walk_array array[OWN_ARGUMENTS];
	struct walk_question question = { .trace = trace_of(tracer),
		.array = array,
		.mark = -1,
		.each = stepping->each,
		.elements = (double)own_elements(stepping->own, n) };
	bool found;

	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (stepping->shared->laid.at[i])
			array[question.arrays++] = (struct walk_array){
				.at = stepping->shared->laid.at[i],
				.bytes = own_argument_bytes(&description->argument[i], stepping->n),
				.whole = (double)own_argument_bytes(&description->argument[i], n)
			};
	for (int i = 0; i < tracer->insn_count; i++)
		if (tracer->insn[i].address == stepping->shared->laid.loop + stepping->mark)
			question.mark = i;
	question.misses = memory_new((size_t)question.trace.seen_count + 1, sizeof(bool));
	found = stepping->each > 0 && question.mark >= 0 && walk_find(&question, walk);
	for (int i = 0; i < question.trace.seen_count && found; i++)
		tracer->seen[tracer->split + i].misses = question.misses[i];
	free(question.misses);
	return found;
}

/* Runs the child until it comes to its hot loop. */
static struct status reach(struct tracer *tracer, struct loop *loop)
{
	const struct own_steps *steps = tracer->plan->context;
	struct status status = step_start(tracer);

	(void)loop;
	return status_is_ok(&status) ? step_run_to(tracer, steps->laid->loop + tracer->head)
				     : status;
}

/* Steps the child from the first iteration of its hot loop on. */
static struct status sample(struct tracer *tracer, struct loop *loop)
{
	struct status status = reach(tracer, loop);
	int taken = 0;

	tracer->sampling = true;
	if (status_is_ok(&status))
		status = step_to_mark(tracer, true, &taken);
	return taken >= SAMPLE_LEAST ? status_ok() : status;
}

/* Returns the largest length n, up to the user's, whose data are not too large to be laid out. */
static int64_t sampled_n(const struct own *own, int64_t n)
{
	const struct own_description *description = own_description(own);
	int64_t multiple = description->multiple * 2;

	while (own_bytes(description, n) > sample_bytes && n > N_MOST)
		n = (n / 2 + multiple - 1) / multiple * multiple;
	return n;
}

/* Takes the path of executed instructions from a part of a call with large data, because larger
 * data may lead to other paths, as in a search. Keeps the path of the small run if the part of the
 * large call shows too few instructions of the loop. */
static void take_loop(struct own_stepping *stepping, const struct tracer *tracer, struct loop *loop)
{
	struct step_trace trace = trace_of(tracer);
	uint64_t mark = stepping->shared->laid.loop + stepping->mark;
	struct loop sampled;
	struct status status;
	int first = -1, last = -1, rounds = -1;

	for (int i = 0; i < trace.seen_count; i++)
		if (trace.insn[trace.seen[i].insn].address == mark) {
			first = first < 0 ? i : first;
			last = i;
			rounds++;
		}
	if (rounds < 2)
		return;
	loop_init(&sampled, loop->insn_room, loop->path_room);
	status = step_path(&trace, (last - first) / (rounds * stepping->each), &sampled);
	if (status_is_ok(&status) &&
		(sampled.turns >= TURNS_ENOUGH || sampled.path_count >= PATH_ENOUGH)) {
		struct loop small = *loop;

		*loop = sampled;
		sampled = small;
		/* The path of the large call may begin at another instruction. */
		stepping->head =
			loop->insn[loop->path[0].insn].address - stepping->shared->laid.loop;
	}
	loop_free(&sampled);
}

/* Single-steps the loop with the user's n, and derives the order of its memory accesses (walk). */
static void step_sample(struct own_stepping *stepping, int64_t n, struct loop *loop,
	struct kernel_walk *walk, bool *walked)
{
	struct tracer tracer;
	struct status status;

	plan_steps(stepping, stepping->steps.seed, sampled_n(stepping->own, n), 0, SAMPLE_STEPS);
	tracer = step_tracer(&stepping->plan);
	tracer.head = stepping->head;
	status = step_on_one_processor(sample, &tracer, loop);
	if (status_is_ok(&status) && find_walk(stepping, &tracer, n, walk)) {
		*walked = true;
		take_loop(stepping, &tracer, loop);
	}
	step_forget(&tracer);
}

/* Whether a call with n does not come to the hot loop of the single-stepped calls. */
static bool misses_loop(struct own_stepping *stepping, int64_t n)
{
	int64_t stepped = stepping->n;
	struct tracer tracer;
	struct status status;

	plan_steps(stepping, stepping->steps.seed, n, 0, SAMPLE_STEPS);
	tracer = step_tracer(&stepping->plan);
	tracer.head = stepping->head;
	status = step_on_one_processor(reach, &tracer, NULL);
	step_forget(&tracer);
	plan_steps(stepping, stepping->steps.seed, stepped, stepped / 2, STEPS_MOST);
	/* On a busy machine, the time may end before the loop begins. */
	return status.code == STATUS_FAILED && status.reason != STEP_TOO_LONG;
}

/* Whether the single-stepped calls took another path than a call with the user's n: compilers add a
 * second version of a loop for few elements. The shorter call may have taken the version for few
 * elements, and the longer one the other version. Data that take long to lay out are not tried. */
static bool takes_other_path(struct own_stepping *stepping, int64_t n)
{
	if (n <= stepping->n || own_bytes(own_description(stepping->own), n) > reach_bytes)
		return false;
	return misses_loop(stepping, n) || misses_loop(stepping, stepping->n / 2);
}

/* Whether an instruction is a jump or a call to an address in a register or in memory. */
static bool is_indirect(const struct insn *insn)
{
	return insn->flow == FLOW_INDIRECT || (insn->flow == FLOW_CALL && insn->target == 0);
}

/* Whether a predictor must learn the loop's branches: a branch goes both ways, or a jump or call
 * may have several targets. */
static bool needs_branches(const struct loop *loop)
{
	if (loop->varies)
		return true;
	for (int i = 0; i < loop->insn_count; i++)
		if (is_indirect(&loop->insn[i]))
			return true;
	return false;
}

/* Records the executed branches of a trace whose calls of the loop end at end[0], end[1] and so on.
 * Of the recorded calls, `complete` calls came to their end; the last call may not have. */
static void find_branches(const struct own_stepping *stepping, const struct tracer *tracer,
	const struct loop *loop, const int *end, int calls, int complete,
	struct loop_branches *branches)
{
	double whole = (double)own_elements(stepping->own, stepping->n);
	/* The library may lie at another address than in the process that showed the loop. */
	uint64_t moved = loop->insn[loop->path[0].insn].address -
			 (stepping->shared->laid.loop + stepping->head);

	branches->branch = memory_new((size_t)tracer->seen_count + 1, sizeof(*branches->branch));
	branches->elements = complete * whole;
	for (int c = 0, i = 0; c < calls; c++) {
		if (c >= complete)
			branches->elements += (end[c] - i) / loop->insns_per_element;
		for (; i + 1 < end[c]; i++) {
			const struct insn *insn = &tracer->insn[tracer->seen[i].insn],
					  *next = &tracer->insn[tracer->seen[i + 1].insn];

			if (is_indirect(insn) || insn->flow == FLOW_BRANCH)
				branches->branch[branches->count++] = (struct loop_branch){
					.address = insn->address + moved,
					.target = next->address + moved,
					.taken = next->address != insn->address + insn->length,
					.indirect = is_indirect(insn)
				};
		}
		i = end[c];
		if (c == 0 && complete > 0)
			branches->first = branches->count;
	}
}

/* Single-steps calls of the loop with the user's n, each on fresh data, for the directions of its
 * branches. */
static void step_branches(struct own_stepping *stepping, int64_t n, const struct loop *loop,
	struct loop_branches *branches)
{
	struct tracer tracer;
	struct status status;
	int last;

	plan_steps(stepping, stepping->steps.seed, sampled_n(stepping->own, n), 0, BRANCH_STEPS);
	stepping->plan.renew = own_steps_renew;
	stepping->plan.cold = false;
	tracer = step_tracer(&stepping->plan);
	status = step_on_one_processor(step_calls, &tracer, NULL);
	/* On a slow machine, the time may end within a call. The steps until then show enough. */
	last = tracer.calls > 0 ? tracer.end[tracer.calls - 1] : 0;
	if (!status_is_ok(&status) && tracer.calls < STEP_CALLS &&
		tracer.seen_count - last >= SAMPLE_LEAST)
		tracer.end[tracer.calls++] = tracer.seen_count;
	if (tracer.calls > 0)
		find_branches(stepping, &tracer, loop, tracer.end, tracer.calls, tracer.complete,
			branches);
	step_forget(&tracer);
}

struct status step_own(const struct own *own, const int64_t *v, uint64_t seed, struct loop *loop,
	struct kernel_walk *walk, bool *walked, struct loop_branches *branches)
{
	int64_t n = v[0];
	int64_t multiple = own_description(own)->multiple * 2;
	struct own_stepping stepping = { .own = own, .v = v };
	struct tracer tracer = { 0 };
	struct status status;

	*walked = false;
	*branches = (struct loop_branches){ 0 };
	stepping.shared = mmap(NULL, sizeof(*stepping.shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stepping.shared == MAP_FAILED)
		return status_failed("no memory for single-stepping: %s", strerror(errno));
	status = own_build(own, v, NULL, NULL);
	if (!status_is_ok(&status)) {
		munmap(stepping.shared, sizeof(*stepping.shared));
		return status;
	}
	stepping.latest = monotonic_seconds() + OWN_LATEST;
	/* With more elements than the user's n, an inner loop up to n would have more iterations
	 * than in the measured calls. */
	for (int64_t few = n > N_LONG && n < N_FIRST ? n : N_FIRST;; few *= N_TIMES) {
		int64_t longer = (few + multiple - 1) / multiple * multiple;

		step_forget(&tracer);
		plan_steps(&stepping, seed, longer, longer / 2, STEPS_MOST);
		tracer = step_tracer(&stepping.plan);
		loop_clear(loop);
		status = step_on_one_processor(step_both, &tracer, loop);
		if (status_is_ok(&status))
			find_mark(&stepping, &tracer, loop);
		if (few >= N_MOST)
			break;
		if (status_is_ok(&status) &&
			(loop->turns >= TURNS_ENOUGH || loop->path_count >= PATH_ENOUGH)) {
			if (!takes_other_path(&stepping, n))
				break;
			continue;
		}
		/* If elements are long, such as blocks of a cipher, a smaller n suffices. On a slow
		 * machine, the time ends before the number of instructions shows this. */
		if (few > N_LONG && few <= N_FIRST && multiple < N_FIRST &&
			(status.reason == STEP_NOT_ENDED || status.reason == STEP_TOO_LONG)) {
			few = N_LONG / N_TIMES;
			continue;
		}
		if (few <= N_LONG)
			break;
		/* A larger number of data elements n helps only if the run did not reach the loop
		 * because it had too few elements. */
		if (!status_is_ok(&status) && status.reason != STEP_NO_REPEAT &&
			status.reason != STEP_SAME_WORK)
			break;
	}
	if (status.reason == STEP_NOT_ENDED)
		status = status_failed("%d instructions are not enough for the %llu elements of "
				       "n=%lld: %s the work of an element",
			STEPS_MOST, (unsigned long long)stepping.plan.longer, (long long)stepping.n,
			stepping.n > N_LONG ? "let n be as small as 16, and shorten"
					    : "shorten the loops inside, or");
	if (status_is_ok(&status)) {
		*walked = find_walk(&stepping, &tracer, n, walk);
		/* The rows of a matrix, and so its lines and conflicts, depend on n. */
		if (stepping.each > 0 && n > stepping.n &&
			(loop->varies || own_bytes(own_description(own), n) > sample_from))
			step_sample(&stepping, n, loop, walk, walked);
		if (needs_branches(loop)) {
			step_branches(&stepping, n, loop, branches);
			loop->branches = branches->count > 0 ? 0 : -1;
		}
	} else {
		loop_clear(loop);
	}
	step_forget(&tracer);
	munmap(stepping.shared, sizeof(*stepping.shared));
	return status;
}
