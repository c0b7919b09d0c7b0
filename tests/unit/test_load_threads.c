#include "check.h"

#include <math.h>

#include "engine/worker/load_threads.h"

/* Moves 10^10 bytes a second in 75 us, on its processor all the time. */
static struct span quiet(void)
{
	return (struct span){ .bytes = 750000, .seconds = 75e-6, .at = 77e-6, .on = 76.8e-6 };
}

/* Quiet for all but the fields that differ. */
static struct span with(double seconds, double at, double on, long switches)
{
	return (struct span){
		.bytes = 750000, .seconds = seconds, .at = at, .on = on, .switches = switches
	};
}

TEST(disturbed_spans_are_rejected)
{
	const struct {
		struct span span;
		bool rejected;
	} rows[] = {
		{ quiet(), false },
		/* Another thread had the processor for 3 ms. */
		{ with(3075e-6, 3077e-6, 77e-6, 1), true },
		/* The hypervisor ran something else: no switch that the system saw. */
		{ with(275e-6, 277e-6, 77e-6, 0), true },
		{ with(75e-6, 77e-6, 69e-6, 0), true },
		/* A switch that left no trace in time: the caches are another's. */
		{ with(75e-6, 77e-6, 76.8e-6, 1), true },
		/* A slow span. */
		{ with(20e-3, 20e-3, 20e-3, 0), false },
		/* The timer interrupt is part of running. */
		{ with(75e-6, 77e-6, 74e-6, 0), false },
		/* Time of the processor that comes in steps of 10 ms, and readings out of order. */
		{ with(75e-6, 77e-6, 0, 0), false },
		{ with(75e-6, 77e-6, 10e-3, 0), false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spans spans = { 0 };

		assert_true(isnan(spans_rate(&spans)));
		spans_add(&spans, &rows[i].span);
		assert_int_equal(spans.rejected, rows[i].rejected);
		assert_int_equal(spans.bytes, rows[i].rejected ? 0 : 750000);
		assert_int_equal(isnan(spans_rate(&spans)) != 0, rows[i].rejected);
	}
}

/* A core that takes part is away while another thread has its processor. */
TEST(a_load_thread_that_is_switched_out_is_away)
{
	struct spans spans = { 0 };
	struct span ran = quiet(), away = with(3075e-6, 3080e-6, 77e-6, 1),
		    coarse = with(75e-6, 77e-6, 0, 0);

	check_near(spans_on(&spans), 0, 0);
	spans_add(&spans, &coarse);
	assert_true(isnan(spans_on(&spans)));
	spans_add(&spans, &ran);
	assert_true(spans_on(&spans) > 0.99);
	spans_add(&spans, &away);
	check_near(spans_on(&spans), 153.8 / 3157, 1e-3);
}

TEST(spans_weigh_by_their_time)
{
	struct spans spans = { 0 };
	struct span span = quiet(), slow = with(150e-6, 150e-6, 150e-6, 0),
		    disturbed = with(275e-6, 277e-6, 77e-6, 0);

	spans_add(&spans, &span);
	spans_add(&spans, &disturbed);
	check_near(spans_rate(&spans), 1e10, 1);
	spans_add(&spans, &slow);
	check_near(spans_rate(&spans), 1.5e6 / 225e-6, 1);
}

RUN_TESTS()
