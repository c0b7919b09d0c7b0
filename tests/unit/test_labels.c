#include "check.h"

#include "base/relief.h"
#include "picture/labels.h"
#include "picture/metrics.h"

TEST(items_that_have_room_stay)
{
	struct labels_item items[] = { { 10, 8, 0 }, { 30, 8, 0 }, { 60, 8, 0 } };

	labels_spread(items, 3, 0, 100);
	for (int i = 0; i < 3; i++)
		check_near(items[i].at, items[i].wanted, 1e-9);
}

TEST(crowded_items_move_as_little_as_can_be)
{
	struct labels_item items[] = { { 48, 10, 0 }, { 50, 10, 0 }, { 52, 10, 0 } },
			   ends[] = { { 1, 10, 0 }, { 2, 10, 0 }, { 99, 10, 0 } };

	labels_spread(items, 3, 0, 100);
	check_near(items[0].at, 40, 1e-9);
	check_near(items[1].at, 50, 1e-9);
	check_near(items[2].at, 60, 1e-9);
	labels_spread(ends, 3, 0, 100);
	check_near(ends[0].at, 5, 1e-9);
	check_near(ends[1].at, 15, 1e-9);
	check_near(ends[2].at, 95, 1e-9);
}

/* For many arrangements: in order, apart, and within the bounds where they fit. */
TEST(spread_items_never_overlap)
{
	struct labels_item items[20];
	unsigned seed = 12345;

	for (int round = 0; round < 500; round++) {
		int count = 1 + round % 20;
		double wanted = 0, total = 0;

		for (int i = 0; i < count; i++) {
			seed = seed * 1103515245 + 12345;
			wanted += (seed >> 16) % 13;
			items[i] = (struct labels_item){ wanted, 3 + (seed >> 20) % 5, 0 };
			total += items[i].size;
		}
		labels_spread(items, count, 0, total + 10);
		for (int i = 0; i < count; i++) {
			assert_true(items[i].at - items[i].size / 2 >= -1e-9);
			assert_true(items[i].at + items[i].size / 2 <= total + 10 + 1e-9);
			if (i > 0)
				assert_true(items[i].at - items[i].size / 2 >=
					    items[i - 1].at + items[i - 1].size / 2 - 1e-9);
		}
	}
}

TEST(lines_are_measured_within_a_box)
{
	const struct box box = { 10, 10, 20, 10 };

	check_near(box_crossed(&box, 0, 15, 100, 15), 20, 1e-9);
	check_near(box_crossed(&box, 20, 0, 20, 12), 2, 1e-9);
	check_near(box_crossed(&box, 0, 0, 9, 100), 0, 0);
	check_near(box_crossed(&box, 0, 25, 100, 25), 0, 0);
	check_near(box_crossed(&box, 12, 12, 15, 16), 5, 1e-9);
}

TEST(words_stand_clear_of_a_line_and_of_others)
{
	struct labels_field field = { .bounds = { 0, 0, 200, 100 } };
	struct box first, second;

	labels_add_line(&field, 0, 50, 200, 50);
	assert_true(labels_beside(&field, 50, 150, 50, 40, 10, &first));
	check_near(box_crossed(&first, 0, 50, 200, 50), 0, 0);
	assert_true(first.y < 50); /* above it, where nothing is in the way */
	check_near(first.x + 20, 100, 1e-9);
	assert_true(labels_beside(&field, 50, 150, 50, 40, 10, &second));
	assert_false(box_overlaps(&first, &second));
	check_near(box_crossed(&second, 0, 50, 200, 50), 0, 0);
	labels_free(&field);
}

TEST(words_without_a_place_are_left_out)
{
	struct labels_field field = { .bounds = { 0, 0, 50, 12 } };
	const struct box all = { 0, 0, 50, 12 };
	struct box found;

	labels_add_box(&field, &all);
	assert_false(labels_beside(&field, 10, 20, 6, 20, 10, &found));
	labels_free(&field);
}

TEST(a_point_at_the_edge_has_its_words_inside)
{
	struct labels_field field = { .bounds = { 0, 0, 200, 100 } };
	struct box found;

	assert_true(labels_beside(&field, 198, 198, 50, 60, 10, &found));
	assert_true(box_within(&found, &field.bounds));
	labels_free(&field);
}

TEST(text_is_shrunk_and_then_cut)
{
	char text[64] = "a title of some length", cut[64] = "é é é é é é é é é é é é é é";
	double whole = metrics_width(&metrics_plain, text, 20, false);

	check_near(metrics_fit(&metrics_plain, text, sizeof(text), 20, 10, false, whole), 20, 0);
	assert_true(
		metrics_fit(&metrics_plain, text, sizeof(text), 20, 10, false, whole * 0.8) < 20);
	assert_string_equal(text, "a title of some length");
	check_near(metrics_fit(&metrics_plain, cut, sizeof(cut), 20, 10, false, 60), 10, 0);
	assert_true(metrics_width(&metrics_plain, cut, 10, false) <= 60);
	check_contains(cut, "é…");
}

/* ---- the landscape ---- */

TEST(a_landscape_fills_its_box)
{
	const struct box box = { 100, 50, 600, 300 };
	struct relief relief = relief_from_corner(box.x, box.y, box.width, box.height);
	struct relief_point left = relief_project(&relief, 1, 0, 0),
			    right = relief_project(&relief, 0, 1, 0);
	struct relief_point front = relief_project(&relief, 1, 1, 0),
			    back = relief_project(&relief, 0, 0, 1);

	check_near(left.x, 100, 1e-9);
	check_near(right.x, 700, 1e-9);
	check_near(front.y, 350, 1e-9);
	check_near(back.y, 50, 1e-9);
	check_near(front.x, 400, 1e-9);
	/* Height is straight up. */
	check_near(relief_project(&relief, 0.3, 0.7, 1).x, relief_project(&relief, 0.3, 0.7, 0).x,
		1e-9);
	assert_true(
		relief_project(&relief, 0.3, 0.7, 1).y < relief_project(&relief, 0.3, 0.7, 0).y);
}

TEST(facets_come_from_back_to_front)
{
	const struct box box = { 0, 0, 100, 100 };
	struct relief relief = relief_from_corner(box.x, box.y, box.width, box.height);
	double heights[12] = { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 };
	struct relief_facet facets[6];
	int count = relief_facets(&relief, heights, 4, 3, facets);

	assert_int_equal(count, 6);
	for (int i = 1; i < count; i++)
		assert_true(facets[i].column + facets[i].row >=
			    facets[i - 1].column + facets[i - 1].row);
	check_near(facets[0].z, 0.5, 1e-12);
	/* An unknown corner takes the facets around it away. */
	heights[5] = NAN;
	count = relief_facets(&relief, heights, 4, 3, facets);
	assert_int_equal(count, 2);
	assert_true(facets[0].column == 2 && facets[1].column == 2);
}

RUN_TESTS()
