/* The two kernels that a probe asks, and a machine made up: caches of 48 KiB, 2 MiB and 16 MiB with
 * sharp edges, and a TLB of 96 pages before a large one.
 *
 * Include before fakes.h, which takes them into the registry. */
#pragma once

#include "engine/engine.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

enum { CHASE_SIZE, CHASE_STRIDE, CHASE_ORDER, CHASE_CHAINS, CHASE_PAGES, CHASE_STREAMS };
enum { BAND_OP, BAND_SIZE, BAND_WIDTH, BAND_PAGES, BAND_CORES };

static const char *const chase_orders[] = { "random", "backward", "pairs", NULL };
static const char *const band_ops[] = { "rd", "frd", "fwr", "fcp", NULL };
static const char *const band_widths[] = { "8", "16", "32", "64", NULL };
static const char *const pages_kinds[] = { "auto", "4k", "huge", NULL };

static const struct knob chase_knobs[] = {
	[CHASE_SIZE] = KNOB_ROW_BYTES("size", "", 64, KNOB_MAX_MEMORY, 32768, .axis = AXIS_SIZE),
	[CHASE_STRIDE] = KNOB_ROW_COUNT("stride", "", 8, 8192, 64),
	[CHASE_ORDER] = KNOB_ROW_CHOICE("order", "", chase_orders),
	[CHASE_CHAINS] = KNOB_ROW_COUNT("chains", "", 1, 32, 1),
	[CHASE_PAGES] = KNOB_ROW_CHOICE("pages", "", pages_kinds, .asks = ASKS_PAGES),
	[CHASE_STREAMS] = KNOB_ROW_COUNT("streams", "", 0, KNOB_MAX_CORES, 0, .asks = ASKS_STREAMS),
};
static const struct knob band_knobs[] = {
	[BAND_OP] = KNOB_ROW_CHOICE("op", "", band_ops),
	[BAND_SIZE] = KNOB_ROW_BYTES("size", "", 64, KNOB_MAX_MEMORY, 32768, .axis = AXIS_SIZE),
	[BAND_WIDTH] = KNOB_ROW_CHOICE("width", "", band_widths),
	[BAND_PAGES] = KNOB_ROW_CHOICE("pages", "", pages_kinds, .asks = ASKS_PAGES),
	[BAND_CORES] = KNOB_ROW_COUNT("cores", "", 1, KNOB_MAX_CORES, 1, .asks = ASKS_CORES),
};

static uint64_t chase_footprint(const int64_t *v)
{
	return (uint64_t)v[CHASE_SIZE];
}

static uint64_t band_footprint(const int64_t *v)
{
	return (uint64_t)v[BAND_SIZE];
}

static struct status band_check(const int64_t *v)
{
	return v[BAND_WIDTH] < 3
		       ? status_ok()
		       : status_make(STATUS_FAILED, "width=64 needs what this processor lacks");
}

static const struct kernel kernel_chase = { .name = "latency",
	.element = "load",
	.knobs = chase_knobs,
	.knob_count = 6,
	.footprint = chase_footprint };
static const struct kernel kernel_band = { .name = "bandwidth",
	.element = "8 bytes",
	.knobs = band_knobs,
	.knob_count = 5,
	.footprint = band_footprint,
	.check = band_check };

#define FAKE_KERNELS &kernel_chase, &kernel_band,

/* What an access takes. */
static inline double cycles_of(const struct request *request)
{
	const int64_t *v = request->v;
	double size = (double)v[CHASE_SIZE], pages, lines;

	if (request->kernel == &kernel_band)
		return size <= 48 << 10 ? 1 : size <= 2 << 20 ? 2 : size <= 16 << 20 ? 4 : 8;
	if (v[CHASE_ORDER] == 2)
		return v[CHASE_STRIDE] < 64 ? 10.5 : 16;
	pages = v[CHASE_STRIDE] > 4096 ? size / (double)v[CHASE_STRIDE] : size / 4096;
	lines = v[CHASE_STRIDE] > 4096 ? pages * 64 : size;
	return ((lines <= 48 << 10	    ? 5
			: lines <= 2 << 20  ? 16
			: lines <= 16 << 20 ? 80
					    : 300) +
		       (pages > 96 ? 7 : 0)) /
	       (double)v[CHASE_CHAINS];
}
