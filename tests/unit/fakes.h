/* Kernels and an engine made up for tests: every figure follows from the setting, time is a number.
 *
 * Include in one source file of a test; it brings the registry, which takes the place of the real
 * one. */
#pragma once

#include "check.h"

#include "engine/engine.h"
#include "experiment/setting/setting.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

/* ---- kernels ---- */

enum { FOLD_OP, FOLD_UNROLL, FOLD_ACC, FOLD_SIZE, FOLD_STRIDE };
enum { WALK_SIZE, WALK_SPACING, WALK_ORDER };

static const char *const fake_ops[] = { "add", "mul", NULL };
static const char *const fake_orders[] = { "sequential", "random", "reverse", NULL };

static const struct knob fold_knobs[] = {
	[FOLD_OP] = KNOB_ROW_CHOICE("op", "the operation", fake_ops),
	[FOLD_UNROLL] = KNOB_ROW_COUNT("unroll", "elements an iteration", 1, 16, 4),
	[FOLD_ACC] = KNOB_ROW_COUNT("acc", "accumulators, side by side", 1, 16, 1),
	[FOLD_SIZE] = KNOB_ROW_BYTES("size", "bytes of the array", 64, KNOB_MAX_MEMORY, 32768,
		.axis = AXIS_SIZE, .factor = 2),
	[FOLD_STRIDE] =
		KNOB_ROW_COUNT("stride", "elements between reads", 1, 64, 1, .axis = AXIS_STRIDE),
};

static struct status fold_check(const int64_t *v)
{
	if (v[FOLD_ACC] > v[FOLD_UNROLL])
		return status_make(STATUS_USAGE, "acc=%d needs unroll=%d or more", (int)v[FOLD_ACC],
			(int)v[FOLD_ACC]);
	return status_ok();
}

static void fold_fit(int64_t *v, int changed)
{
	if (v[FOLD_ACC] > v[FOLD_UNROLL])
		v[changed == FOLD_ACC ? FOLD_UNROLL : FOLD_ACC] =
			v[changed == FOLD_ACC ? FOLD_ACC : FOLD_UNROLL];
}

static uint64_t first_size(const int64_t *v)
{
	return (uint64_t)v[0];
}

static uint64_t fold_footprint(const int64_t *v)
{
	return (uint64_t)v[FOLD_SIZE];
}

static const char *fold_remark(const int64_t *v)
{
	return v[FOLD_ACC] > 12 ? "spills" : NULL;
}

static const struct kernel kernel_fold = {
	.name = "fold",
	.title = "combine an array",
	.look_for = "what to see",
	.document = "a document",
	.element = "element",
	.knobs = fold_knobs,
	.knob_count = 5,
	.check = fold_check,
	.fit = fold_fit,
	.footprint = fold_footprint,
	.remark = fold_remark,
	.hint = "what to press",
};

static const struct knob walk_knobs[] = {
	[WALK_SIZE] = KNOB_ROW_BYTES("size", "bytes of all nodes", 16, KNOB_MAX_MEMORY, 32768,
		.axis = AXIS_SIZE, .multiple = 16, .factor = 2),
	[WALK_SPACING] =
		KNOB_ROW_COUNT("spacing", "bytes between nodes", 16, 256, 16, .multiple = 16),
	[WALK_ORDER] = KNOB_ROW_CHOICE("order", "the way through memory", fake_orders),
};

static const struct kernel kernel_walk = {
	.name = "walk-list",
	.title = "follow pointers",
	.look_for = "what to see",
	.document = "a document",
	.element = "node",
	.knobs = walk_knobs,
	.knob_count = 3,
	.footprint = first_size,
};

/* Odd numbers only, and no fit(): check() alone knows. */
static const struct knob odd_knobs[] = {
	KNOB_ROW_COUNT("n", "items", 1, 9, 3),
};

static struct status odd_check(const int64_t *v)
{
	return v[0] % 2 ? status_ok() : status_make(STATUS_USAGE, "n=%d is even", (int)v[0]);
}

static const struct kernel kernel_odd = {
	.name = "odd",
	.title = "odd counts",
	.look_for = "what to see",
	.document = "a document",
	.element = "item",
	.knobs = odd_knobs,
	.knob_count = 1,
	.check = odd_check,
};

/* A test's own, each with a comma behind it. */
#ifndef FAKE_KERNELS
#define FAKE_KERNELS
#endif
#ifndef REAL_KERNELS /* a test may keep the program's kernels */
const struct kernel *const kernel_registry[] = { &kernel_fold, &kernel_walk, &kernel_odd,
	FAKE_KERNELS NULL };
#endif

/* "fold acc". NULL: there is no such knob. */
static inline const struct knob *fake_knob(const char *words)
{
	char kernel_name[32] = "", knob_name[32] = "";
	const struct kernel *kernel;
	int knob;

	sscanf(words, "%31s %31s", kernel_name, knob_name);
	kernel = kernel_find(kernel_name);
	knob = kernel ? kernel_knob(kernel, knob_name) : -1;
	return knob < 0 ? NULL : &kernel->knobs[knob];
}

/* A quiet sample, its quartiles one per cent to either side. */
static inline struct sample fake_sample(double cpe)
{
	return (struct sample){ .valid = true,
		.cpe = cpe,
		.cpe_lo = 0.99 * cpe,
		.cpe_hi = 1.01 * cpe,
		.trials = 150,
		.quiet = 1,
		.ghz = 4,
		.ns = cpe / 4,
		.gbps = NAN,
		.bytes_per_cycle = NAN,
		.cycles_from = SOURCE_REFERENCE,
		.check = NAN,
		.modes = 1 };
}

/* ---- the engine: takes requests, and answers when the test says so ---- */

enum { FAKE_RESULTS = 16 };

struct fake_engine {
	struct machine machine;
	struct request request; /* the last submitted */
	bool pending;		/* it was not answered, replaced or cancelled */
	unsigned submits, live, background, cancels;
	struct result results[FAKE_RESULTS];
	int head, count;
	struct progress_seen ahead; /* what a request under way says of itself */
};

static inline void fake_submit(void *context, const struct request *request)
{
	struct fake_engine *fake = context;

	fake->request = *request;
	fake->pending = true;
	fake->submits++;
	if (request->background)
		fake->background++;
	else
		fake->live++;
}

static inline void fake_cancel(void *context)
{
	struct fake_engine *fake = context;

	fake->pending = false;
	fake->cancels++;
}

static inline bool fake_take(void *context, struct result *result)
{
	struct fake_engine *fake = context;

	if (fake->count == 0)
		return false;
	*result = fake->results[fake->head];
	fake->head = (fake->head + 1) % FAKE_RESULTS;
	fake->count--;
	return true;
}

static inline struct progress_seen fake_progress(void *context)
{
	return ((struct fake_engine *)context)->ahead;
}

static inline struct engine fake_init(struct fake_engine *fake, uint64_t memory_limit)
{
	memset(fake, 0, sizeof(*fake));
	fake->machine.cache_count = 2;
	fake->machine.cache[0] = (struct machine_cache){ 1, 48 << 10, 64, 8 };
	fake->machine.cache[1] = (struct machine_cache){ 2, 1 << 20, 64, 8 };
	fake->machine.memory_limit = memory_limit;
	atomic_store(&fake->machine.known, memory_limit != 0);
	return (struct engine){
		.context = fake,
		.submit = fake_submit,
		.cancel = fake_cancel,
		.take = fake_take,
		.descriptor = -1,
		.machine = &fake->machine,
		.progress = fake_progress,
	};
}

/* Trials spread evenly over ±spread (relative) around a figure, evenly over `span` seconds. */
static inline void fake_trials(
	struct trials *trials, unsigned count, double cpe, double spread, double span)
{
	trials->count = count;
	for (unsigned i = 0; i < count; i++)
		trials->trial[i] = (struct trial){
			.cpe = cpe *
			       (1 + (count > 1 ? spread * (2.0 * (i * 7 % count) / (count - 1) - 1)
					       : 0)),
			.ghz = 4,
			.check = NAN,
			.watch = 1,
			.at = (float)(span * i / count),
			.fate = TRIAL_QUIET,
		};
}

/* A result for a request, as the worker would make it. */
static inline struct result fake_result(const struct request *request, unsigned count, double cpe)
{
	struct result result = {
		.generation = request->generation,
		.tag = request->tag,
		.kernel = request->kernel,
		.final = true,
		.facts = { .cycles_from = SOURCE_REFERENCE, .bytes = 8, .watched = true },
	};

	memcpy(result.v, request->v, sizeof(result.v));
	fake_trials(&result.trials, count, cpe, 0.001, 0.01);
	return result;
}

/* Disturbs all trials of a result: their fate, and the factor by which they are slower. */
static inline struct result fake_disturb(struct result result, enum trial_fate fate, double slower)
{
	for (unsigned i = 0; i < result.trials.count; i++) {
		result.trials.trial[i].fate = fate;
		result.trials.trial[i].cpe *= slower;
	}
	return result;
}

static inline void fake_push(struct fake_engine *fake, const struct result *result)
{
	assert_true(fake->count < FAKE_RESULTS);
	fake->results[(fake->head + fake->count++) % FAKE_RESULTS] = *result;
	if (result->final && result->generation == fake->request.generation)
		fake->pending = false;
}

/* Answers what is pending with so many quiet trials of that CPE. */
static inline void fake_answer(struct fake_engine *fake, unsigned count, double cpe)
{
	struct result result = fake_result(&fake->request, count, cpe);

	assert_true(fake->pending);
	fake_push(fake, &result);
}
