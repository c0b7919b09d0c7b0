/* Sweeps, explanations and probes to draw, and the chart that the test makes of them.
 *
 * The fixture forget() follows each test. */
#pragma once

#include "fakes.h"

#include "experiment/setting/cells.h"
#include "explorer/actions.h"
#include "picture/chart_knobs.h"
#include "picture/chart_reports.h"
#include "picture/chart_sweep.h"

/* Refused as wrong usage, in words that hold these. */
#define check_refused(outcome, part)                                \
	do {                                                        \
		struct status check_outcome = (outcome);            \
		assert_int_equal(check_outcome.code, STATUS_USAGE); \
		check_contains(check_outcome.text, part);           \
	} while (0)

static const struct machine this_machine = {
	.name = "Fake(R) Core(TM) 9000",
	.host = "here",
	.cpu = 3,
	.virtualised = true,
	.cache_count = 2,
	.cache = { { 1, 48 << 10, 64 }, { 2, 2 << 20, 64 } },
	.clock_name = "imul chain, 3 cycles a link",
};
static const struct chart_origin origin = { .machine = &this_machine,
	.core = "Fake Lake (Pond and Puddle, and other waters of its kind)",
	.now = 1767225600 };

static inline struct sample sample_of(double cpe, double bytes)
{
	struct sample sample = fake_sample(cpe);

	sample.cpe_hi = 1.02 * cpe;
	if (bytes > 0) {
		sample.bytes_per_cycle = bytes / cpe;
		sample.gbps = 4 * sample.bytes_per_cycle;
	}
	return sample;
}

static inline struct sweep_axis axis_of(int knob, const int64_t *values, size_t count)
{
	return (struct sweep_axis){ .knob = knob, .count = count, .values = (int64_t *)values };
}

static const int64_t sizes[] = { 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288 },
		     strides[] = { 1, 2, 4, 8 }, accs[] = { 4, 2, 1 };
static const int64_t ops[] = { 0, 1 };

/* What a test works with; forget() frees it after each test. */
static struct setting setting;
static struct chart_sweep *gathered;
static struct chart *chart;
static struct explanation *explanation;
static struct probe_report *report;
static struct view *view;

static inline int forget(void **state)
{
	chart_free(chart);
	chart_sweep_free(gathered);
	explanation_free(explanation);
	free(report);
	free(view);
	chart = NULL;
	gathered = NULL;
	explanation = NULL;
	report = NULL;
	view = NULL;
	return 0;
}

static inline void begin(const struct kernel *kernel, const struct sweep_axis *axes, size_t count,
	const struct named_sweep *named, enum chart_look look)
{
	setting_init(&setting, kernel);
	check_ok(chart_sweep_new(&setting, axes, count, named, look, &gathered));
}

static inline void add(double cpe, double bytes)
{
	struct cell cell = { .setting = setting, .sample = sample_of(cpe, bytes) };

	chart_sweep_add(gathered, &cell, NULL);
}

static inline void make(void)
{
	chart = chart_sweep_make(gathered, &origin);
}
