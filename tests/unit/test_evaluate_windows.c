/* From the knees of windows to the sizes of a core's buffers. */
#include "check.h"

#include "experiment/characterise/characterise_inside.h"
#include "kernels/window.h"

TEST(a_buffer_behind_a_full_reorder_buffer_has_no_size)
{
	static const struct window_filler fact[] = { { .buffer = "rob", .each = 1, .own = 2 },
		{ .buffer = "load-queue", .each = 1, .own = 2 },
		{ .buffer = "registers", .each = 1, .own = 2 } };
	static struct windows_report windows;
	static struct measured_buffers measured;

	for (int i = 0; i < 3; i++)
		windows.row[windows.count++] = (struct windows_row){ .filler = "filler",
			.fact = &fact[i],
			.knee = { .kind = KNEE_SHARP, .x = i == 2 ? 201 : 441 } };
	evaluate_windows(&measured, &windows);
	assert_int_equal(measured.count, 2);
	assert_string_equal(measured.buffer[0].word, "rob");
	assert_string_equal(measured.buffer[1].word, "registers");
}

/* Constants and additions take integer registers, but only additions take registers for flags. */
TEST(fewer_additions_than_constants_are_the_flags_registers)
{
	for (int apart = 0; apart < 2; apart++) {
		static const int kinds[] = { WINDOW_ADD, WINDOW_CONSTANT };
		struct windows_report windows = { .count = 0 };
		struct measured_buffers measured;

		for (int i = 0; i < 2; i++)
			windows.row[windows.count++] = (struct windows_row){
				.filler = window_fillers[kinds[i]].name,
				.fact = &window_fillers[kinds[i]],
				.knee = { .kind = KNEE_SHARP, .x = apart && i == 0 ? 120 : 155 }
			};
		evaluate_windows(&measured, &windows);
		assert_int_equal(measured.count, 1 + apart);
		assert_string_equal(measured.buffer[0].word, apart ? "flags" : "registers");
		assert_string_equal(measured.buffer[apart].word, "registers");
	}
}

/* On a busy machine, a knee may not be sharp. A core file states each size once all the same. */
TEST(a_buffer_that_two_fillers_show_has_one_size)
{
	static const int kinds[] = { WINDOW_ADD, WINDOW_CONSTANT };

	for (int sharp = 0; sharp < 2; sharp++) {
		struct windows_report windows = { .count = 0 };
		struct measured_buffers measured;

		for (int i = 0; i < 2; i++)
			windows.row[windows.count++] =
				(struct windows_row){ .filler = window_fillers[kinds[i]].name,
					.fact = &window_fillers[kinds[i]],
					.knee = { .kind = i == sharp ? KNEE_SHARP : KNEE_SOFT,
						.x = 150 + i } };
		evaluate_windows(&measured, &windows);
		assert_int_equal(measured.count, 1);
		assert_string_equal(measured.buffer[0].word, "registers");
		assert_int_equal(measured.buffer[0].knee.kind, KNEE_SHARP);
		check_near(measured.buffer[0].knee.x, 150 + sharp, 0);
	}
}

static void add_size(struct measured_buffers *pass, const char *word, double x)
{
	struct measured_buffer *buffer = &pass->buffer[pass->count++];

	*buffer = (struct measured_buffer){
		.knee = { .kind = KNEE_SHARP, .x = x, .lo = x - 1, .hi = x + 1 }
	};
	snprintf(buffer->word, sizeof(buffer->word), "%s", word);
}

/* A program on the other hyper-thread took half of the reorder buffer during the first pass. */
TEST(a_buffer_has_a_size_if_two_passes_agree)
{
	struct measured_buffers passes[3] = { { 0 } }, to;

	add_size(&passes[0], "rob", 127);
	add_size(&passes[0], "load-queue", 114);
	assert_false(evaluate_passes(passes, 1, &to));
	add_size(&passes[1], "rob", 252);
	add_size(&passes[1], "load-queue", 116);
	assert_false(evaluate_passes(passes, 2, &to));
	assert_int_equal(to.count, 2);
	assert_int_equal(to.buffer[0].knee.kind, KNEE_UNCLEAR);
	check_near(to.buffer[0].knee.lo, 126, 0);
	check_near(to.buffer[0].knee.hi, 253, 0);
	check_near(to.buffer[1].knee.x, 116, 0);
	check_near(to.buffer[1].knee.lo, 113, 0);
	check_near(to.buffer[1].knee.hi, 117, 0);
	add_size(&passes[2], "rob", 251);
	assert_true(evaluate_passes(passes, 3, &to));
	assert_int_equal(to.buffer[0].knee.kind, KNEE_SHARP);
	check_near(to.buffer[0].knee.x, 252, 0);
}

/* Each measurement of a point was disturbed. */
TEST(a_contended_knee_is_no_size)
{
	struct windows_report windows = { .count = 1,
		.row = { { .filler = "nop",
			.fact = &window_fillers[WINDOW_NOP],
			.contended = true,
			.knee = { .kind = KNEE_SHARP, .x = 127 } } } };
	struct measured_buffers measured;

	evaluate_windows(&measured, &windows);
	assert_int_equal(measured.count, 0);
}

RUN_TESTS()
