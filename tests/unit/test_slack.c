/* Probed pressure: what points on a made-up curve say, how a simulated core is measured, and which
 * line of a wrong core model is named. */
#include "fake_measurer.h"

#include "experiment/slack/slack.h"

/* ---- Points */

static void check_estimate(const struct slack_point *point, double each, enum slack_kind kind,
	double pressure, double slack)
{
	struct slack_report report = {
		.cycles = 4, .cycles_lo = 4, .cycles_hi = 4, .width = 6, .slots = 10
	};
	struct slack_resource resource = { .ports = 2, .each = each };
	int count = 2;

	while (count < 3 && point[count].fillers > 0)
		count++;
	slack_estimate(&resource, &report, point, count);
	assert_int_equal(resource.kind, kind);
	if (kind == SLACK_FAILED)
		return;
	check_near(resource.pressure, pressure, 0.01);
	check_near(resource.slack, slack, 0.05);
	assert_true(resource.pressure_lo <= resource.pressure &&
		    resource.pressure <= resource.pressure_hi);
}

TEST(points_beyond_the_knee_give_pressure_and_slack)
{
	/* 3 + n cycles: three of four cycles are busy, and one filler is free. */
	check_estimate(
		(struct slack_point[]){ { 16, 19, 18.9, 19.1 }, { 26, 29, 28.9, 29.1 }, { 0 } }, 1,
		SLACK_EXACT, 3, 1);
	/* 1 + n / 2 cycles: two ports. */
	check_estimate((struct slack_point[]){ { 32, 17, 17, 17 }, { 52, 27, 27, 27 }, { 0 } }, 0.5,
		SLACK_EXACT, 1, 6);
	/* Pressure on a divider that the core model does not state may be a delay elsewhere. */
	check_estimate((struct slack_point[]){ { 4, 22, 22, 22 }, { 7, 37, 37, 37 }, { 0 } }, 4.5,
		SLACK_AMBIGUOUS, 2, 0.4);
	/* A divider is a little slower than stated: its own time counts. */
	check_estimate((struct slack_point[]){ { 4, 20, 20, 20 }, { 7, 35, 35, 35 }, { 0 } }, 4.5,
		SLACK_EXACT, 0, 0.8);
	/* The fillers go to two ports and not to one. */
	check_estimate((struct slack_point[]){ { 16, 9, 9, 9 }, { 26, 14, 14, 14 }, { 0 } }, 1,
		SLACK_AMBIGUOUS, 1, 6);
	/* Fillers that cost nothing did not run. */
	check_estimate((struct slack_point[]){ { 16, 4, 4, 4 }, { 26, 4, 4, 4 }, { 0 } }, 1,
		SLACK_FAILED, 0, 0);
	/* The point with the lowest pressure counts: 1.5, not 2.5. */
	check_estimate((struct slack_point[]){ { 6, 4.5, 4.5, 4.5 }, { 20, 11.5, 11.5, 11.5 },
			       { 40, 22.5, 22.5, 22.5 } },
		0.5, SLACK_EXACT, 1.5, 5);
	/* Only the last two points have fillers that take the stated time. */
	check_estimate(
		(struct slack_point[]){ { 8, 8, 8, 8 }, { 20, 12, 12, 12 }, { 40, 22, 22, 22 } },
		0.5, SLACK_EXACT, 2, 4);
	/* Only the first and the last point agree with the stated time: the middle one is delayed.
	 */
	check_estimate((struct slack_point[]){ { 16, 8.6, 8.6, 8.6 }, { 32, 18, 18, 18 },
			       { 80, 40.2, 40.2, 40.2 } },
		0.5, SLACK_EXACT, 0.2, 7.6);
	/* Six ports and six slots a cycle: the width is full as early as the ports. */
	check_estimate((struct slack_point[]){ { 96, 18, 18, 18 }, { 156, 28, 28, 28 }, { 0 } },
		1 / 6.0, SLACK_AT_LEAST, 2, 12);
}

/* Each operation of the loop needs a part of the rate, so a lower pressure is a wrong measurement.
 */
TEST(pressure_on_a_rate_is_at_least_that_of_the_loops_operations)
{
	const struct slack_report report = {
		.cycles = 4, .cycles_lo = 4, .cycles_hi = 4, .width = 8, .slots = 11
	};
	const struct slack_point wrong[] = { { 69, 9.4, 9.4, 9.4 }, { 133, 17.4, 17.4, 17.4 } },
				 right[] = { { 69, 10, 10, 10 }, { 133, 18, 18, 18 } };
	struct slack_resource resource = { .name = "width", .each = 0.125, .count = 11 };

	slack_estimate(&resource, &report, wrong, 2);
	assert_int_equal(resource.kind, SLACK_AMBIGUOUS);
	slack_estimate(&resource, &report, right, 2);
	assert_int_equal(resource.kind, SLACK_EXACT);
}

/* ---- Resources compared with each other */

static void check_bound(double part, double whole, enum slack_kind kind, double least)
{
	struct slack_report report = { .cycles = 4,
		.cycles_lo = 4,
		.cycles_hi = 4,
		.count = 2,
		.resource = { { .ports = 15,
				      .kind = SLACK_EXACT,
				      .each = 0.25,
				      .pressure = whole,
				      .pressure_lo = whole,
				      .pressure_hi = whole },
			{ .ports = 2,
				.kind = SLACK_EXACT,
				.each = 1,
				.pressure = part,
				.pressure_lo = part,
				.pressure_hi = part } } };
	const struct slack_resource *result = &report.resource[0];

	slack_bound(&report);
	assert_int_equal(result->kind, kind);
	check_near(result->pressure_lo, least, 0.01);
	assert_int_equal(report.resource[1].kind, SLACK_EXACT);
}

TEST(pressure_on_ports_is_an_upper_bound_next_to_operations_of_some_of_the_ports)
{
	/* One cycle of one port is a quarter cycle of four ports: the rest is doubtful. */
	check_bound(1, 1.5, SLACK_AT_LEAST, 0.25);
	/* No operation needs the one port, so the four ports are busy with their own operations. */
	check_bound(0, 1.5, SLACK_EXACT, 1.5);
	/* The operations of the one port explain all pressure but a little. */
	check_bound(4, 1.2, SLACK_EXACT, 1.2);
}

/* A loop without stores, slowed by an effect that the model does not know. */
TEST(nothing_looks_busy_that_the_loop_does_not_use)
{
	for (int far = 0; far < 2; far++) {
		struct slack_report report = { .cycles = 100,
			.cycles_lo = 100,
			.cycles_hi = 100,
			.predicted = far ? 30 : 90,
			.class_count = 1,
			.class = { { .name = "jump",
				.count = 16,
				.terms = 1,
				.term = { { .ports = 4, .count = 1, .cycles = 1 } } } },
			.count = 3,
			.resource = { { .name = "stores",
					      .kind = SLACK_EXACT,
					      .each = 0.5,
					      .pressure = 100,
					      .pressure_lo = 100,
					      .pressure_hi = 100 },
				{ .ports = 3,
					.kind = SLACK_EXACT,
					.each = 0.5,
					.pressure = 60,
					.pressure_lo = 60,
					.pressure_hi = 60 },
				{ .ports = 4,
					.kind = SLACK_EXACT,
					.each = 1,
					.pressure = 16,
					.pressure_lo = 16,
					.pressure_hi = 16 } } };

		for (int i = 0; i < report.count; i++)
			report.resource[i].option[0].each = report.resource[i].each;
		slack_bound(&report);
		assert_int_equal(report.resource[0].kind == SLACK_AMBIGUOUS, far);
		assert_int_equal(report.resource[1].kind == SLACK_AMBIGUOUS, far);
		assert_int_equal(report.resource[2].kind, SLACK_EXACT);
	}
}

static void check_loads(double pressure, enum slack_kind kind)
{
	struct slack_report report = { .cycles = 1,
		.cycles_lo = 1,
		.cycles_hi = 1,
		.count = 1,
		.resource = { { .name = "loads",
			.kind = SLACK_EXACT,
			.each = 0.25,
			.count = 2,
			.pressure = pressure,
			.pressure_lo = pressure,
			.pressure_hi = pressure } } };

	slack_bound(&report);
	assert_int_equal(report.resource[0].kind, kind);
	check_near(report.resource[0].pressure_lo, kind == SLACK_EXACT ? pressure : 0.5, 0.01);
}

/* Two loads keep four slots for loads busy for half a cycle. */
TEST(pressure_on_a_rate_is_exact_only_near_that_of_the_loops_operations)
{
	check_loads(0.6, SLACK_EXACT);
	check_loads(0.7, SLACK_AT_LEAST);
	check_loads(0.74, SLACK_AT_LEAST);
}

/* The eight cycles of work on fp0 to fp3 are all on fp2 and fp3. So no work belongs to the set of
 * fp1 and fp2, although the added instructions found fp2 busy. */
TEST(work_of_one_set_of_ports_is_no_work_of_another)
{
	static const struct {
		uint32_t ports;
		double pressure;
	} rows[] = { { 15, 2 }, { 12, 4 }, { 6, 1.5 } };
	struct slack_report report = { .cycles = 4, .cycles_lo = 4, .cycles_hi = 4, .count = 3 };

	for (int i = 0; i < 3; i++)
		report.resource[i] = (struct slack_resource){ .ports = rows[i].ports,
			.kind = SLACK_EXACT,
			.each = 0.5,
			.pressure = rows[i].pressure,
			.pressure_lo = rows[i].pressure,
			.pressure_hi = rows[i].pressure };
	slack_bound(&report);
	check_near(report.resource[1].pressure, 4, 0.01);
	check_near(report.resource[2].pressure, 0, 0.05);
	assert_int_equal(report.resource[2].kind, SLACK_EXACT);
}

/* Four multiplications fill one of four ports, and a branch may use another: added operations on
 * all four ports wait behind the multiplications. That a crossing set is busy too explains nothing
 * of it.
 */
TEST(pressure_next_to_a_full_port_is_doubtful_beside_a_crossing_set_too)
{
	static const struct {
		uint32_t ports;
		double each, pressure;
	} rows[] = { { 15, 0.25, 3.3 }, { 2, 1, 4 }, { 17, 0.5, 0.5 } };
	struct slack_report report = { .cycles = 4, .cycles_lo = 4, .cycles_hi = 4, .count = 3 };

	for (int i = 0; i < 3; i++)
		report.resource[i] = (struct slack_resource){ .ports = rows[i].ports,
			.kind = SLACK_EXACT,
			.each = rows[i].each,
			.pressure = rows[i].pressure,
			.pressure_lo = rows[i].pressure,
			.pressure_hi = rows[i].pressure };
	slack_bound(&report);
	assert_int_equal(report.resource[0].kind, SLACK_AT_LEAST);
	check_near(report.resource[0].pressure_lo, 1, 0.01);
	assert_int_equal(report.resource[1].kind, SLACK_EXACT);
}

RUN_TESTS()
