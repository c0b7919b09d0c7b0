#include "check.h"

#include <math.h>

#include "engine/worker/load_threads.h"

/* Moves 10^10 bytes a second in 75 us, on its processor all the time. */
static struct span quiet(void)
{
	return (struct span){ .bytes = 750000, .seconds = 75e-6, .at = 77e-6, .on = 76.8e-6 };
}

TEST(the_rate_is_that_of_undisturbed_spans)
{
	struct spans spans = { 0 };
	struct span span = quiet();

	spans_add(&spans, &span);
	/* Another thread had the processor for 3 ms. */
	span = (struct span){
		.bytes = 750000, .seconds = 3075e-6, .at = 3077e-6, .on = 77e-6, .switches = 1
	};
	spans_add(&spans, &span);
	/* The hypervisor ran something else: no switch that the system saw. */
	span = (struct span){ .bytes = 750000, .seconds = 275e-6, .at = 277e-6, .on = 77e-6 };
	spans_add(&spans, &span);
	check_near(spans_rate(&spans), 1e10, 1);
	assert_int_equal(spans.rejected, 2);
	assert_int_equal(spans.bytes, 750000);
}

TEST(spans_weigh_by_their_time)
{
	struct spans spans = { 0 };
	struct span span = quiet();

	spans_add(&spans, &span);
	span.seconds = span.at = span.on = 150e-6;
	spans_add(&spans, &span);
	check_near(spans_rate(&spans), 1.5e6 / 225e-6, 1);
}

TEST(a_slow_span_is_no_disturbed_one)
{
	struct span span = quiet();

	assert_false(span_is_disturbed(&span));
	span.seconds = span.at = span.on = 20e-3;
	assert_false(span_is_disturbed(&span));
	span.bytes = 0;
	assert_false(span_is_disturbed(&span));
	/* The timer interrupt is part of running. */
	span = quiet();
	span.on = span.at - 3e-6;
	assert_false(span_is_disturbed(&span));
	span.on = span.at - 8e-6;
	assert_true(span_is_disturbed(&span));
}

/* A switch that left no trace in time: the caches are another's. */
TEST(a_switch_is_enough)
{
	struct span span = quiet();

	span.switches = 1;
	assert_true(span_is_disturbed(&span));
}

/* Time of the processor that comes in steps of 10 ms, and readings out of order. */
TEST(clocks_that_say_nothing_reject_nothing)
{
	struct span span = quiet();

	span.on = 0;
	assert_false(span_is_disturbed(&span));
	span.on = 10e-3;
	assert_false(span_is_disturbed(&span));
}

TEST(without_an_undisturbed_span_the_rate_is_unknown)
{
	struct spans spans = { 0 };
	struct span span = quiet();

	assert_true(isnan(spans_rate(&spans)));
	span.switches = 2;
	spans_add(&spans, &span);
	assert_true(isnan(spans_rate(&spans)));
	assert_int_equal(spans.rejected, 1);
}

RUN_TESTS()
