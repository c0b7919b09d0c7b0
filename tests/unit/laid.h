/* Kernels laid out in memory of the test's own, as the engine does it. laid_begin() and laid_end()
 * stand round a group of tests. */
#pragma once

#include "check.h"

#include "engine/memory/code_buffer.h"
#include "experiment/setting/setting.h"
#include "kernels/kernel.h"

enum { MEMORY = 4 << 20, LAID_SEED = 7 };

static unsigned char *memory;
static struct code_buffer laid_room;
static const atomic_bool never;

static inline int laid_begin(void **state)
{
	memory = aligned_alloc(2 << 20, MEMORY);
	return memory ? 0 : -1;
}

static inline int laid_end(void **state)
{
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

/* Laid out from nothing. */
/* Prepares a run at the setting v over `prepared` bytes that are laid out, and checks what every
 * kernel states of it. */
static inline void laid_at(const struct kernel *kernel, const int64_t *v, struct kernel_run *run)
{
	*run = laid_run(kernel, v);
	check_ok(laid_prepare(run));
}

/* The setting "KERNEL knob=value …", whose values need not go together. */
static inline struct setting laid_setting(const char *words)
{
	char copy[128], *rest;
	struct setting setting;

	snprintf(copy, sizeof(copy), "%s", words);
	setting_init(&setting, kernel_find(strtok_r(copy, " ", &rest)));
	for (char *word; (word = strtok_r(NULL, " ", &rest));)
		check_ok(setting_assign(&setting, word, MEMORY_LIMITS_UNKNOWN));
	return setting;
}

/* A run at "KERNEL knob=value …", laid out. */
static inline struct kernel_run laid(const char *words)
{
	struct setting setting = laid_setting(words);
	struct kernel_run run;

	laid_at(setting.kernel, setting.v, &run);
	return run;
}

/* check() refuses "KERNEL knob=value …", and names all these values: "acc=4 not 7". */
static inline void laid_refuses(const char *words, const char *values)
{
	struct setting setting = laid_setting(words);
	struct status status = kernel_check(setting.kernel, setting.v);
	char copy[128], *rest;

	assert_int_equal(status.code, STATUS_USAGE);
	snprintf(copy, sizeof(copy), "%s", values);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		check_contains(status.text, word);
}

/* The setting after the user changed `knob`: fit() makes it allowed. */
static inline struct setting laid_fitted(const char *words, const char *knob)
{
	struct setting setting = laid_setting(words);

	kernel_fit(setting.kernel, setting.v, kernel_knob(setting.kernel, knob));
	check_ok(kernel_check(setting.kernel, setting.v));
	return setting;
}

/* Prepares a run at the setting v over `prepared` bytes that are laid out, and checks what every
 * kernel states of it. */
static inline void laid_over(
	const struct kernel *kernel, const int64_t *v, uint64_t prepared, struct kernel_run *run)
{
	*run = laid_run(kernel, v);
	run->layout.prepared = prepared;
	check_ok(laid_prepare(run));
	assert_true(run->ring > 0);
	assert_true(run->granule > 0);
	assert_int_equal(run->ring % run->granule, 0);
	assert_non_null(run->code.start);
	assert_true(run->layout.laid_out <= MEMORY);
}
