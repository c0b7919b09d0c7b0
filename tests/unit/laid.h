/* Kernels laid out in memory of the test's own, as the engine does it. laid_begin() and laid_end()
 * stand round a group of tests. */
#pragma once

#include "check.h"

#include "engine/memory/code_buffer.h"
#include "kernels/kernel.h"

enum { MEMORY = 4 << 20, LAID_SEED = 7 };

static unsigned char *memory;
static struct code_buffer laid_room;
static const atomic_bool never;

static inline int laid_begin(void **state)
{
	(void)state;
	memory = aligned_alloc(2 << 20, MEMORY);
	return memory ? 0 : -1;
}

static inline int laid_end(void **state)
{
	(void)state;
	free(memory);
	code_buffer_free(&laid_room);
	return 0;
}

static inline void laid_initial(const struct kernel *kernel, int64_t *v)
{
	memset(v, 0, KNOBS_MAX * sizeof(*v));
	for (int i = 0; i < kernel->knob_count; i++)
		v[i] = kernel->knobs[i].initial;
}

/* A run at that setting, of which nothing is laid out yet. */
static inline struct kernel_run laid_run(const struct kernel *kernel, const int64_t *v)
{
	struct kernel_run run = {
		.kernel = kernel, .memory = memory, .seed = LAID_SEED, .work.cancel = &never
	};

	memcpy(run.v, v, sizeof(run.v));
	assert_true(kernel_footprint(kernel, v) <= MEMORY);
	check_ok(kernel_check(kernel, v));
	return run;
}

static inline struct status laid_prepare(struct kernel_run *run)
{
	return code_buffer_prepare(&laid_room, run);
}

/* check() refuses the setting, and names this value ("acc=4"). */
static inline void laid_refuses(const struct kernel *kernel, const int64_t *v, const char *value)
{
	struct status status = kernel_check(kernel, v);

	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, value);
}

/* Laid out again. */
static inline void laid_at(const struct kernel *kernel, const int64_t *v, struct kernel_run *run)
{
	*run = laid_run(kernel, v);
	check_ok(laid_prepare(run));
}
