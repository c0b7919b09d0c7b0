/* Pictures as crowded as can be: words never overlap, never leave the page, and what matters is
 * there. */
#include "check.h"

#include "base/text.h"
#include "picture/chart_knobs.h"
#include "picture/page.h"

/* Words may touch by so little: a box is as high as the highest letter, which most have not. */
static const double SLACK = 1.5;

static void check_page(const char *what, const struct chart *chart)
{
	struct layout *layout = layout_new(chart, &metrics_plain);
	const struct box page = { 4, 4, LAYOUT_WIDTH - 8, LAYOUT_HEIGHT - 8 };

	for (int i = 0; i < layout->text_count; i++) {
		struct box one = layout->text[i].box;

		if (!box_within(&one, &page))
			fail_msg("%s: \"%s\" leaves the page: %g %g, %g wide", what,
				layout->text[i].text, one.x, one.y, one.width);
		one = (struct box){ one.x + SLACK, one.y + SLACK, one.width - 2 * SLACK,
			one.height - 2 * SLACK };
		for (int k = 0; k < i; k++)
			if (box_overlaps(&one, &layout->text[k].box))
				fail_msg("%s: \"%s\" and \"%s\" overlap", what,
					layout->text[i].text, layout->text[k].text);
	}
	assert_true(box_within(&layout->plot, &page));
	assert_true(layout->plot.width > 250 && layout->plot.height > 150);
	layout_free(layout);
}

static int count_role(const struct chart *chart, enum layout_role role)
{
	struct layout *layout = layout_new(chart, &metrics_plain);
	int count = 0;

	for (int i = 0; i < layout->text_count; i++)
		count += layout->text[i].role == role;
	layout_free(layout);
	return count;
}

static void sign(struct chart *chart)
{
	static const struct machine machine = {
		.name = "Intel(R) Xeon(R) Platinum 8592+ with a long name, family 6h model cfh",
		.host = "node0123",
		.cpu = 63,
		.virtualised = true,
		.clock_name = "imul chain, 3 cycles a link"
	};
	const struct chart_origin origin = {
		.machine = &machine, .core = "Intel Raptor Cove (Emerald Rapids)", .now = 1767225600
	};
	const struct chart_source source = { SOURCE_REFERENCE, 12, 549 };

	chart_cite(chart, &origin, &source);
}

/* Latency over size with steps, `series` lines of it, each a little higher. */
static struct chart *curves(int series, int points, bool apart)
{
	struct chart *chart = chart_new(CHART_LINES);

	chart->joined = true;
	chart_print(chart->title,
		"latency: walk in random order, so that no prefetcher knows what comes next, and "
		"everybody waits");
	chart_print(chart->subtitle, "spacing=64  order=random  pages=huge  node=local  chains=1");
	chart_print(chart->x.title, "size (bytes of all nodes with their spacing)");
	chart_print(chart->y.title, "cycles per load");
	for (int i = 0; i < series; i++) {
		struct chart_series *line;
		char name[CHART_NAME];

		chart_print(name, "spacing %d, huge pages", 16 << i % 8);
		line = chart_add_series(chart, series > 1 ? name : "");
		for (int k = 0; k < points; k++) {
			double x = 4096 * pow(2, 16.0 * k / points),
			       y = (x < 49152		 ? 5
					   : x < 2 << 20 ? 16
							 : 200) *
				   (1 + (apart ? 0.1 * i : 0));
			struct chart_point point = { x, k % 7 == 3 ? y * 1.2 : y, y * 0.97, y * 1.3,
				k == 9 ? y : NAN, k == 9 ? 2 * y : NAN, k == 11 };

			chart_add_point(line, &point);
		}
	}
	chart_fit(chart, SCALE_BYTES, SCALE_LOG);
	sign(chart);
	return chart;
}

static void add_marks(struct chart *chart, int count, double first, double factor)
{
	double at = first;

	for (int i = 0; i < count; i++, at *= factor) {
		struct chart_mark mark = {
			.at = at, .lo = at * 0.9, .hi = at * 1.1, .stated = i % 2 == 0
		};

		chart_print(mark.text, i % 2 ? "L%d DTLB %d entries" : "L%d %d KiB", i / 2 + 1,
			48 << i);
		chart_add_mark(chart, &mark);
	}
}

TEST(lines_have_room_for_all_their_words)
{
	for (int series = 1; series <= CHART_SERIES; series += CHECK_REPEATS(1, 3)) {
		struct chart *chart = curves(series, 60, series % 2);

		add_marks(chart, 6, 49152, 4);
		chart_add_flat(chart, 4096, 32768, 5, "5.0 cycles");
		chart_add_flat(chart, 65536, 1 << 20, 16, "16.1 cycles");
		chart_add_flat(chart, 4 << 20, 128 << 20, 200, "about 200 cycles");
		chart_add_call(chart, -1, 4096, 5, "here: 5.00");
		chart_add_call(chart, -1, 200 << 20, 200, "here: 200");
		check_page("lines", chart);
		if (series > 1)
			assert_int_equal(count_role(chart, ROLE_SERIES), series);
		assert_int_equal(count_role(chart, ROLE_MARK), 6);
		chart_free(chart);
	}
}

TEST(knees_side_by_side_keep_clear)
{
	for (int marks = 1; marks <= CHART_MARKS; marks++) {
		for (int spread = 0; spread < 2; spread++) {
			struct chart *chart = curves(2, 80, true);

			add_marks(chart, marks, spread ? 8192 : 1 << 20, spread ? 1.9 : 1.02);
			check_page("knees", chart);
			assert_true(count_role(chart, ROLE_MARK) >= (marks < 5 ? marks : 5));
			chart_free(chart);
		}
	}
}

/* As the windows of a core: a curve, a name at its knee and a buffer of the model for each filler.
 */
TEST(windows_keep_clear)
{
	for (int count = 1; count <= CHART_MARKS; count++) {
		struct chart *chart = curves(count, 20, true);

		add_marks(chart, count, 8192, 1.5);
		for (int i = 0; i < count; i++) {
			char text[CHART_NAME];

			chart_print(text, "wait-vector-%d", i);
			chart_add_call(chart, i, 8192 * pow(1.5, i) * 0.97, 16, text);
		}
		check_page("windows", chart);
		if (count > 1)
			assert_int_equal(count_role(chart, ROLE_SERIES), count);
		chart_free(chart);
	}
}

TEST(plateaus_are_labelled)
{
	struct chart *chart = curves(1, 60, false);

	chart_add_flat(chart, 4096, 32768, 5, "5.0 cycles");
	chart_add_flat(chart, 65536, 1 << 20, 16, "16.1 cycles");
	assert_int_equal(count_role(chart, ROLE_FLAT), 2);
	chart_free(chart);
}

/* Names too wide for one row are in two or three rows. */
static void check_choices(int count)
{
	const char *names[64];
	struct chart *chart = chart_new(CHART_LINES);
	struct chart_series *series = chart_add_series(chart, "");
	struct layout *layout;
	int found = 0;

	for (int i = 0; i < count; i++) {
		struct chart_point point = { i, 1 + i % 3, 0.9, 1.2 + i % 3, NAN, NAN, false };

		names[i] = "wait-load";
		chart_add_point(series, &point);
	}
	chart_name_axis(&chart->x, names, count);
	chart_fit(chart, SCALE_STEPS, SCALE_LINEAR);
	chart_print(chart->x.title, "filler");
	sign(chart);
	check_page("names in rows", chart);
	layout = layout_new(chart, &metrics_plain);
	for (int i = 0; i < layout->text_count; i++)
		found += strcmp(layout->text[i].text, names[0]) == 0;
	assert_int_equal(found, count);
	layout_free(layout);
	chart_free(chart);
}

TEST(each_of_many_choices_has_its_name)
{
	check_choices(16);
	check_choices(36);
}

TEST(choices_have_names)
{
	static const char *const names[] = { "naive", "reordered with temporary", "transposed",
		"blocked", "ijk", "ikj", "jik", "jki", "kij", "kji", "vector128", "vector256",
		"vector512" };

	for (int count = 1; count <= 13; count++) {
		struct chart *chart = chart_new(CHART_LINES);
		struct chart_series *series = chart_add_series(chart, "");

		chart_name_axis(&chart->x, names, count);
		for (int i = 0; i < count; i++) {
			struct chart_point point = { i, 1 + i % 3, 0.9, 1.2 + i % 3, NAN, NAN,
				false };
			char figure[16];

			chart_add_point(series, &point);
			chart_print(figure, "%.2f", point.y);
			chart_add_call(chart, -1, i, point.y, figure);
		}
		chart_fit(chart, SCALE_STEPS, SCALE_LINEAR);
		sign(chart);
		check_page("choices", chart);
		assert_int_equal(count_role(chart, ROLE_CALL), count);
		chart_free(chart);
	}
}

static struct chart *grid(enum chart_kind kind, int columns, int rows, int marks)
{
	struct chart *chart = chart_new(kind);
	char(*words)[CHART_NAME] =
		memory_new((size_t)(columns > rows ? columns : rows), sizeof(*words));
	const char **names = memory_new((size_t)(columns > rows ? columns : rows), sizeof(*names));

	for (int i = 0; i < columns || i < rows; i++)
		names[i] = words[i];
	for (int i = 0; i < columns; i++)
		chart_print(words[i], "%d", i + 1);
	chart_name_axis(&chart->x, names, columns);
	for (int i = 0; i < rows; i++)
		chart_print(words[i], "%d KiB", (1 << i % 10) * (1 + i / 10));
	chart_name_axis(&chart->y, names, rows);
	free(words);
	free(names);
	chart_make_grid(chart);
	for (int i = 0; i < columns * rows; i++)
		chart->grid[i] = i == 5 ? NAN : 1 + 120.0 / (1 + i / columns) / (1 + i % columns);
	chart_print(chart->title, "mountain: read with a stride");
	chart_print(chart->x.title, "stride (elements of 8 bytes from one read to the next)");
	chart_print(chart->y.title,
		"size (bytes of the array, or of both when one is copied to the other)");
	chart_print(chart->z.title, "GB/s");
	for (int i = 0; i < marks; i++) {
		struct chart_mark mark = { .at = i == 3 ? rows : 0.5 + 0.7 * i, .stated = true };

		chart_print(mark.text, "L%d %d MiB", i + 1, 2 << i);
		chart_add_mark(chart, &mark);
	}
	if (columns > 2)
		chart_add_mark(chart, &(struct chart_mark){ .at = columns / 2 - 0.5,
					      .across = true,
					      .text = "a cache line each from here" });
	chart_grid_scale(chart, 1, 121);
	sign(chart);
	return chart;
}

TEST(grids_have_room_for_all_their_words)
{
	static const int sides[] = { 2, 3, 7, 15, 16, 30, 64 };
	const int count = sizeof(sides) / sizeof(sides[0]);

	for (int i = 0; i < count; i++) {
		for (int k = 0; k < count; k++) {
			struct chart *heat = grid(CHART_HEAT, sides[i], sides[k], 4),
				     *relief = grid(CHART_RELIEF, sides[i], sides[k], 3);

			check_page("heat", heat);
			check_page("relief", relief);
			chart_free(heat);
			chart_free(relief);
		}
	}
}

TEST(cells_have_their_figures_where_they_fit)
{
	struct chart *small = grid(CHART_HEAT, 15, 14, 2), *large = grid(CHART_HEAT, 64, 64, 2);

	assert_int_equal(count_role(small, ROLE_CELL), 15 * 14 - 1);
	assert_int_equal(count_role(large, ROLE_CELL), 0);
	chart_free(small);
	chart_free(large);
}

TEST(bars_have_room_for_all_their_words)
{
	for (int bars = 1; bars <= 10; bars++) {
		struct chart *chart = chart_new(CHART_BARS);

		for (int i = 0; i < bars; i++) {
			struct chart_bar *bar = &chart->bar[chart->bar_count++];

			*bar = (struct chart_bar){ .kind = (enum chart_bar_kind)(i % 5),
				.value = i % 5 == BAR_UNKNOWN ? NAN : 6.0 / (1 + i),
				.lo = NAN,
				.hi = i % 2 ? 7.0 / (1 + i) : NAN };
			chart_print(bar->name, i % 2 ? "misses-in-flight (soft)"
						     : "misses in flight at once, of all");
			chart_print(bar->cause,
				"14 fused micro-ops, 4 a cycle: a cause that has very much to say "
				"about what it is that binds this loop on this core");
			chart_print(bar->value_words, "163.2 predicted");
		}
		chart->x.scale = scale_fit(SCALE_LINEAR, 0, 6);
		chart_print(chart->x.title, "cycles per array element read");
		chart_print(chart->title, "combine: what limits it");
		chart_print(chart->subtitle, "op=mul  type=f64");
		chart_print(chart->remark, "Measured: 0.250 (50 %%) above: scheduling explains it");
		sign(chart);
		check_page("bars", chart);
		chart_free(chart);
	}
}

/* Up to a page full of instructions: each has its name next to its row, and a port has its letter
 * where the letter fits. */
TEST(spans_have_room_for_all_their_words)
{
	for (int rows = 1; rows <= 24; rows++) {
		struct chart *chart = chart_new(CHART_SPANS);
		const char *names[24];
		struct layout *layout;
		int letters = 0;

		for (int i = 0; i < rows; i++) {
			names[i] = i % 3 ? "add rdx, 8"
					 : "vfmadd231pd zmm10, zmm11, [r10+r11*8+0x12345678]";
			for (int k = 0; k < 12; k++)
				chart_add_span(chart,
					&(struct chart_span){ i, (enum chart_span_kind)(k % 4),
						i + 4 * k, i + 4 * k + (k % 2 ? 4 : 0.1), "7" });
			if (i > 0)
				chart_add_link(chart, &(struct chart_link){ i - 1, i, i + 3, i + 5,
							      i % 2, i % 3 });
		}
		chart_name_axis(&chart->y, names, rows);
		chart->x.scale = scale_fit(SCALE_LINEAR, 0, 80);
		chart_print(chart->x.title, "cycles");
		chart_print(chart->title, "combine: timeline on Intel Redwood Cove");
		chart_print(chart->subtitle, "op=mul  type=f64");
		chart_print(chart->remark, "12.00 cycles an iteration, as predicted by latency");
		sign(chart);
		check_page("spans", chart);
		layout = layout_new(chart, &metrics_plain);
		assert_int_equal(layout->area_count, 12 * rows);
		for (int i = 0; i < layout->text_count; i++)
			letters += layout->text[i].role == ROLE_CALL;
		assert_int_equal(letters, 6 * rows);
		layout_free(layout);
		chart_free(chart);
	}
}

TEST(an_empty_chart_is_laid_out_all_the_same)
{
	struct chart *chart = chart_new(CHART_LINES);

	chart_add_series(chart, "nothing");
	chart_fit(chart, SCALE_BYTES, SCALE_LOG);
	check_page("empty", chart);
	chart_free(chart);
}

RUN_TESTS()
