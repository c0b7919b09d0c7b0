#define FAKE_KERNELS
#include "fakes.h"

#include <math.h>

#include "experiment/sweep/sweep.h"

/* Add before mul as others published it, by speedups: three times as fast at 4k, twice at 8k. */
static const char sweep_text[] =
	"sweep fold-ways\ntitle ways\nkernel fold op=add,mul size=4k,8k\nx size\nlines op\ny "
	"speedup\nbaseline op=mul\n"
	"published speedup 3 op=add size=4k\npublished speedup 2 op=add size=8k\n";

static struct sweeps sweeps;

static struct sweeps_row row_of(int64_t op, int64_t size, double ns)
{
	struct sweeps_row row = { .sample = { .valid = true, .ns = ns, .cpe = 4 * ns },
		.facts = { .ring = 1000 },
		.limit = LIMIT_COUNT,
		.bound = NAN };

	setting_init(&row.setting, &kernel_fold);
	row.setting.v[FOLD_OP] = op;
	row.setting.v[FOLD_SIZE] = size;
	sample_ratios_none(&row.sample_ratios);
	return row;
}

static const char *order_of(const struct sweeps_row *rows, size_t count)
{
	static char buffer[1000];
	struct text lines = { 0 };

	sweeps_order(&sweeps.sweep[0], rows, count, &lines);
	snprintf(buffer, sizeof(buffer), "%s", text_string(&lines));
	text_free(&lines);
	return buffer;
}

static int set_up(void **state)
{
	(void)state;
	check_ok(sweeps_read(sweep_text, "test", false, &sweeps));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sweeps_free(&sweeps);
	return 0;
}

TEST(the_published_order_is_said_to_be_that)
{
	struct sweeps_row rows[] = { row_of(1, 4096, 6), row_of(1, 8192, 6), row_of(0, 4096, 2),
		row_of(0, 8192, 2) };

	assert_string_equal(order_of(rows, 4), "the order is the published one\n");
	/* Nothing to compare: other places, one way alone, no figure. */
	assert_string_equal(order_of(rows, 2), "");
	rows[2].setting.v[FOLD_SIZE] = 1 << 20;
	rows[3].sample.valid = false;
	assert_string_equal(order_of(rows, 4), "");
	assert_string_equal(order_of(rows, 0), "");
}

TEST(another_order_is_told_with_its_reasons)
{
	struct sweeps_row rows[] = { row_of(1, 4096, 2), row_of(1, 8192, 6), row_of(0, 4096, 4.2),
		row_of(0, 8192, 2) };

	assert_string_equal(order_of(rows, 4), "size=4k: published: add before mul, by 3.00 times; "
					       "here mul is 2.10 times as fast\n");
	rows[0].sample_ratios.instructions = 0.9;
	rows[2].sample_ratios.instructions = 3;
	rows[0].sample_ratios.cpi = 0.4;
	rows[2].sample_ratios.cpi = 0.41;
	rows[2].sample_ratios.share = 0.83;
	assert_string_equal(order_of(rows, 4),
		"size=4k: published: add before mul, by 3.00 times; here mul is 2.10 times as "
		"fast: it runs 0.900 "
		"instructions an element, add 3.000; add takes 83 % of what memory gives a core\n");
	rows[2].sample_ratios.instructions = 0.9;
	rows[2].sample_ratios.share = NAN;
	rows[0].limit = LIMIT_PORTS;
	rows[0].bound = 1;
	rows[2].limit = LIMIT_MEMORY_LATENCY;
	rows[2].bound = 7;
	assert_string_equal(order_of(rows, 4),
		"size=4k: published: add before mul, by 3.00 times; here mul is 2.10 times as "
		"fast: its limit is "
		"port pressure, 1.000 cycles, add's memory latency, 7.000\n");
	/* Alike is no other order. */
	rows[0].sample.ns = 4.1;
	assert_string_equal(order_of(rows, 4), "the order is the published one\n");
}

TEST(published_times_are_compared_as_times)
{
	static const char times[] = "sweep fold-times\ntitle times\nkernel fold op=add,mul\nx "
				    "size\nlines op\ny seconds\nbaseline op=mul\n"
				    "published seconds 2 op=add\npublished seconds 3 op=mul\n";
	struct sweeps_row rows[] = { row_of(0, 32768, 5), row_of(1, 32768, 2) };
	struct text lines = { 0 };
	struct sweeps other;

	check_ok(sweeps_read(times, "test", false, &other));
	sweeps_order(&other.sweep[0], rows, 2, &lines);
	assert_string_equal(text_string(&lines),
		"published: add before mul, by 1.50 times; here mul is 2.50 times as fast\n");
	text_free(&lines);
	sweeps_free(&other);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
