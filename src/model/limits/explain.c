#include "model/limits/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/memory/arena.h"
#include "engine/memory/code_buffer.h"
#include "engine/own/own.h"
#include "model/code/decode.h"
#include "model/code/step.h"
#include "model/limits/predictor.h"

/* A kernel whose data decide the path is single-stepped twice: over STEP_SHORTER and over
 * STEP_LONGER elements. STEP_LONGER elements are enough to show how often each path is taken, and
 * both runs take a few milliseconds. If an element needs hundreds of steps, kernel->few() returns a
 * smaller number of elements. */
enum { STEP_SHORTER = 64, STEP_LONGER = 320, STEP_MOST = 40000 };

/* Time limit of a single-stepped run in seconds. Under a hypervisor that traps each single step, a
 * step needs 20 µs. */
#define STEP_SECONDS 2

/* A single-stepped run ends with a whole iteration, so the run may need up to SAMPLE_MORE elements
 * more than planned. */
enum { SAMPLE_MORE = 64 };

/* Bytes of a cache line, as built-in kernels assume. */
enum { LINE = 64 };

struct explanation *explanation_new(void)
{
	struct explanation *explanation = memory_new(1, sizeof(*explanation));

	loop_init(&explanation->loop, LOOP_INSNS, LOOP_PATH);
	limits_reserve(&explanation->limits, LOOP_INSNS);
	return explanation;
}

void explanation_free(struct explanation *explanation)
{
	if (!explanation)
		return;
	loop_free(&explanation->loop);
	limits_free(&explanation->limits);
	free(explanation);
}

/* Finds the setting of the kernel's knobs with the smallest size and the same code. Initialising
 * the data of a setting with a small size needs little time. */
static void shrink(const struct kernel *kernel, const int64_t *from, int64_t *v)
{
	int size = kernel_axis(kernel, AXIS_SIZE);

	memcpy(v, from, KNOBS_MAX * sizeof(*v));
	if (kernel->shrink)
		kernel->shrink(v);
	if (size < 0 || kernel->deep)
		return;
	for (int64_t bytes = kernel->knobs[size].min; bytes < from[size]; bytes *= 2) {
		int64_t multiple =
			kernel->knobs[size].multiple > 1 ? kernel->knobs[size].multiple : 1;
		struct status status;

		v[size] = (bytes + multiple - 1) / multiple * multiple;
		status = kernel_check(kernel, v);
		if (status_is_ok(&status))
			return;
	}
	v[size] = from[size];
}

static void step_call(void *context, uint64_t count)
{
	struct kernel_run *run = context;

	kernel_rewind(run);
	run->kernel->call(run, count);
}

/* The exact number of instructions per element includes the code between two passes over the data.
 * The code between two passes is not part of the loop: without this code, an iteration has as many
 * elements as the kernel says. If the exact number of elements per iteration and the kernel's
 * number differ by more than the factor MOST, the code between passes is not the cause. */
static void leave_out_passes(const struct kernel_run *run, struct loop *loop)
{
	static const double MOST = 1.1;
	double elements = (double)(run->iteration ? run->iteration : run->granule) * loop->turns;

	if (loop->elements < elements && loop->elements * MOST > elements)
		loop->elements = elements;
}

static struct status step(struct kernel_run *run, struct loop *loop)
{
	uint64_t granule = run->granule, unit = granule,
		 batch = run->kernel->batch ? run->kernel->batch : 1;
	unsigned few = run->kernel->few ? run->kernel->few(run->v) : 0;
	struct status status;
	struct step_plan plan = {
		.run = step_call, .context = run, .most_steps = STEP_MOST, .seconds = STEP_SECONDS
	};

	while (unit % batch != 0)
		unit *= 2;
	plan.shorter = round_up(few ? few / 3 : STEP_SHORTER, unit);
	plan.longer = round_up(few ? few : STEP_LONGER, unit);
	if (plan.longer <= plan.shorter)
		plan.longer = 2 * plan.shorter;
	if (plan.longer > run->ring) {
		plan.longer = run->ring;
		plan.shorter = run->ring / granule / 2 * granule;
	}
	if (plan.shorter == 0 || plan.shorter >= plan.longer)
		return status_failed("the setting has too few elements for single-stepping");
	status = step_loop(&plan, loop);
	if (status_is_ok(&status))
		leave_out_passes(run, loop);
	return status;
}

/* Fills `place`, which describes the loop's data and the machine's caches, for the original
 * setting. `run` is the kernel's run with little data. If the kernel describes the order of its
 * memory accesses, run->walk receives the description for the original setting. */
static void fill_place(
	const struct explain_question *question, struct kernel_run *run, struct limits_place *place)
{
	const struct kernel *kernel = question->kernel;

	kernel_describe(kernel, question->v, &run->walk);
	/* If the stride between memory accesses is larger than a cache line, the accesses touch
	 * fewer lines. */
	if (run->walk.range <= 0 && run->walk.step > LINE)
		run->walk.range =
			(double)kernel_footprint(kernel, question->v) * LINE / run->walk.step;
	*place = (struct limits_place){
		.walk = run->walk,
		.working_set = (double)kernel_footprint(kernel, question->v),
		.caches = cache_sizes(
			question->machine, question->uarch, question->foreign, &question->measured),
		.page = 4096,
	};
	/* The measured latencies of L3 and memory are in cycles of this machine's core. */
	if (!question->foreign)
		place->measured = question->measured;
}

/* If the branches of a built-in kernel come again and again, takes away the mispredictions that the
 * core's predictor learns. */
static void learn_repeated(const struct uarch *uarch, struct limits_place *place)
{
	struct kernel_walk *walk = &place->walk;
	double half = uarch->fact[SIZE_LEARNT_BRANCHES + walk->jumps];

	place->mispredicts_spread = place->learnt = place->executed = 0;
	if (!(walk->repeated > 0))
		return;
	place->executed = walk->repeated / walk->mispredicts;
	place->learnt = walk->mispredicts;
	place->mispredicts_spread =
		walk->mispredicts * predictor_forgets_spread(walk->repeated, walk->jumps, half);
	walk->mispredicts *= predictor_forgets(walk->repeated, walk->jumps, half);
	place->learnt -= walk->mispredicts;
}

/* Prepares a built-in kernel with little data and decodes its loop. If the data decide which
 * branches are taken, the loop is single-stepped. */
static struct status read_loop(struct kernel_run *run, struct explanation *explanation)
{
	const struct kernel *kernel = run->kernel;
	uint64_t bytes = round_up(kernel_footprint(kernel, run->v) + 1, ARENA_PIECE);
	struct code_buffer room = { 0 };
	struct status status;

	/* The operating system allocates only the pages that the kernel writes, so the code can be
	 * read on a machine with little memory. Without madvise(), the operating system could
	 * allocate a huge page of 2 MiB for each small piece of data that a kernel writes. */
	run->memory = arena_reserve(bytes);
	if (run->memory)
		(void)madvise(run->memory, bytes, MADV_NOHUGEPAGE);
	else
		return status_failed(
			"reading the code of %s needs %s of memory, which is not available: use a "
			"smaller size",
			kernel->name, units_size_long((int64_t)bytes).text);
	if (kernel->deep || kernel->few)
		run->layout.sample =
			(kernel->few ? kernel->few(run->v) : STEP_LONGER) + SAMPLE_MORE;
	status = code_buffer_prepare(&room, run);
	if (status_is_ok(&status)) {
		size_t made = code_buffer_left(&room, run->code.start);

		explanation->function = run->code.name;
		explanation->granule = (double)(run->iteration ? run->iteration : run->granule);
		status = run->code.unread  ? status_failed("%s", run->code.unread)
			 : kernel->stepped ? step(run, &explanation->loop)
			 : run->code.entry
				 ? follow_loop(room.memory, room.bytes, run->code.entry,
					   explanation->granule, &explanation->loop)
				 : decode_loop(run->code.start, made ? made : DECODE_FUNCTION,
					   explanation->granule, &explanation->loop);
	}
	code_buffer_free(&room);
	munmap(run->memory, bytes);
	return status;
}

const char *explain_waits(const struct kernel *kernel, const int64_t *v)
{
	struct kernel_walk walk;

	return kernel_describe(kernel, v, &walk) ? walk.waits : NULL;
}

void explain(const struct explain_question *question, struct explanation *explanation)
{
	static const atomic_bool never;
	const struct kernel *kernel = question->kernel;
	struct kernel_run run = { .kernel = kernel, .seed = question->seed, .work.cancel = &never };
	struct loop_branches branches = { 0 };
	bool walked = true;

	*explanation = (struct explanation){ .kernel = kernel,
		.foreign = question->foreign,
		.loop = explanation->loop,
		.limits = explanation->limits };
	memcpy(explanation->v, question->v, sizeof(explanation->v));
	limits_clear(&explanation->limits);
	loop_clear(&explanation->loop);
	shrink(kernel, question->v, run.v);
	explanation->status = kernel->own
				      ? step_own(kernel->own, question->v, question->seed,
						&explanation->loop, &run.walk, &walked, &branches)
				      : read_loop(&run, explanation);
	if (!status_is_ok(&explanation->status))
		return;
	if (branches.count > 0)
		predictor_count(&branches, (double)own_elements(kernel->own, question->v[0]),
			&question->uarch->fact[SIZE_LEARNT_BRANCHES], &explanation->loop);
	free(branches.branch);
	fill_place(question, &run, &explanation->place);
	learn_repeated(question->uarch, &explanation->place);
	explanation->place.fresh = kernel_asked(kernel, question->v, ASKS_FRESH);
	explanation->place.shared_line = kernel->shares_line && kernel->shares_line(question->v);
	if (kernel->own)
		explanation->place.call = (double)own_elements(kernel->own, question->v[0]);
	if (kernel_asking(kernel, ASKS_CORES) >= 0)
		explanation->place.cores = (double)question->v[kernel_asking(kernel, ASKS_CORES)];
	if (explanation->loop.fresh >= 0 && run.walk.mispredicts > 0)
		explanation->place.walk.mispredicts = explanation->place.fresh
							      ? explanation->loop.fresh
							      : explanation->loop.learnt;
	explanation->waits = run.walk.waits;
	if (!walked)
		run.walk = explanation->place.walk = (struct kernel_walk){ .mispredicts = -1 };
	misses_find(walked ? &run.walk : NULL, misses_working_set(kernel, question->v, &run.walk),
		&explanation->place.caches, &explanation->misses);
	limits_compute(
		&explanation->loop, question->uarch, &explanation->place, &explanation->limits);
	if (explanation->limits.beyond[1] > 0)
		misses_take(&explanation->misses, explanation->limits.beyond);
}

void explain_program_loop(
	const struct explain_question *question, int number, struct explanation *explanation)
{
	struct limits_place place = {
		.walk.mispredicts = -1,
		.caches = cache_sizes(
			question->machine, question->uarch, question->foreign, &question->measured),
		.page = 4096,
	};

	*explanation = (struct explanation){ .kernel = question->kernel,
		.foreign = question->foreign,
		.function = question->kernel->name,
		.in_program = number,
		.granule = 1,
		.loop = explanation->loop,
		.limits = explanation->limits };
	limits_clear(&explanation->limits);
	snprintf(explanation->misses.why, sizeof(explanation->misses.why),
		"the addresses of a program's data are unknown; the limits hold for data in the "
		"first-level cache");
	limits_compute(&explanation->loop, question->uarch, &place, &explanation->limits);
}

bool explain_learns(const struct explanation *explanation)
{
	const struct loop *loop = explanation ? &explanation->loop : NULL;
	bool loads = false, stores = false;

	if (!loop || !status_is_ok(&explanation->status) || !loop->stepped || loop->varies)
		return true;
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++) {
			loads |= insn_loads(insn, k);
			stores |= insn_stores(insn, k);
		}
	}
	return loads && stores;
}

const char *explain_binding(const struct explanation *explanation)
{
	return explanation && status_is_ok(&explanation->status) && explanation->limits.binding >= 0
		       ? limit_rows[explanation->limits.limit[explanation->limits.binding].kind]
				 .name
		       : NULL;
}
