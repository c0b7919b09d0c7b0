/* The kernel `window`, and a core made up: a buffer for each filler, some sharp, one soft, one that
 * nothing fills.
 *
 * Include before fakes.h, which adds the kernel to the registry. */
#pragma once

#include "engine/engine.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

enum { WINDOW_FILLERS, WINDOW_FILLER, WINDOW_SIZE, WINDOW_REMEDY };
enum { FILL_NOP, FILL_ADD, FILL_LOAD, FILL_STORE, FILL_WAIT, FILL_VECTOR, FILL_OTHER, FILL_KINDS };

static const char *const fake_fillers[] = { "nop", "add", "load", "store", "wait", "vector",
	"other", NULL };
static const char *const window_remedies[] = { "none", "prefetch", NULL };

static const struct knob window_knobs[] = {
	[WINDOW_FILLERS] =
		KNOB_ROW_COUNT("fillers", "instructions between two misses", 0, 1024, 64),
	[WINDOW_FILLER] = KNOB_ROW_CHOICE("filler", "the instruction", fake_fillers),
	[WINDOW_SIZE] = KNOB_ROW_SIZE("bytes that misses range over", 64 << 20),
	[WINDOW_REMEDY] = KNOB_ROW_CHOICE("remedy", "against it", window_remedies),
};

/* This processor lacks the wide vectors. */
static struct status window_check(const int64_t *v)
{
	return v[WINDOW_FILLER] == FILL_VECTOR
		       ? status_make(STATUS_FAILED, "filler=vector needs what this processor lacks")
		       : status_ok();
}

static uint64_t window_footprint(const int64_t *v)
{
	return (uint64_t)v[WINDOW_SIZE];
}

static const struct kernel kernel_window = { .name = "window",
	.title = "fillers between two misses",
	.answer = "windows",
	.look_for = "where the time rises",
	.document = "a document",
	.element = "iteration",
	.knobs = window_knobs,
	.knob_count = 4,
	.check = window_check,
	.footprint = window_footprint };

#ifndef FAKE_KERNELS
#define FAKE_KERNELS &kernel_window,
#endif

static const double window_knees[FILL_KINDS] = { 506, 230, 190, 110, 97, 0, 0 };

/* Cycles of an iteration: the misses overlap up to the knee. Registers give out by and by. */
static inline double window_cycles(const int64_t *v)
{
	double fillers = (double)v[WINDOW_FILLERS], knee = window_knees[v[WINDOW_FILLER]],
	       share = fillers > knee;

	if (v[WINDOW_FILLER] == FILL_ADD)
		share = fillers <= knee - 30   ? 0
			: fillers >= knee + 30 ? 1
					       : (fillers - knee + 30) / 60;
	if (knee == 0 || v[WINDOW_REMEDY] == 1)
		share = 0;
	return 600 * (1 + share) + fillers / 6;
}

#include "fakes.h"

#include "experiment/windows/windows.h"
#include "explorer/turns.h"

/* Of so many requests at most, beside that core model of x86-64 (NULL: none). The caller frees
 * them. */
static inline struct windows *windows_played(const struct machine *machine,
	struct windows_options options, const char *core, unsigned most)
{
	struct uarch *uarch = NULL;
	struct windows *windows;
	struct turns *turns;
	struct request request;
	struct status status;
	double now = 0;

	if (core)
		check_ok(uarch_load(core, "x86_64", &uarch));
	options.uarch = uarch;
	windows = windows_new(machine, &options, &status);
	check_ok(status);
	turns = turns_new(&(struct campaign){ &campaign_windows, windows });
	for (unsigned i = 0; i < most && turns_next(turns, now, &request); i++) {
		struct result result = fake_result(&request, 9, window_cycles(request.v));

		now += 0.002;
		turns_accept(turns, now, &result);
	}
	turns_free(turns);
	uarch_free(uarch);
	return windows;
}
