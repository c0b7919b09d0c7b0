/* Colours of pictures, measured: contrast as WCAG 2.1 defines it, differences in CIE 1976 L*a*b*
 * (D65), eyes without red or green cones after Machado, Oliveira and Fernandes, "A
 * Physiologically-based Model for Simulation of Color Vision Deficiency", 2009. */
#include "check.h"

#include "picture/page.h"
#include "picture/palette.h"

struct linear {
	double c[3];
};

enum { EYES = 3 };
static const double eyes[EYES][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 },
		{ -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 },
		{ -0.011820, 0.042940, 0.968881 } },
};

static double to_linear(double c)
{
	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct linear linear_of(struct colour colour)
{
	return (struct linear){ { to_linear(colour.red), to_linear(colour.green),
		to_linear(colour.blue) } };
}

static double luminance(struct colour colour)
{
	struct linear l = linear_of(colour);

	return 0.2126 * l.c[0] + 0.7152 * l.c[1] + 0.0722 * l.c[2];
}

static double contrast(struct colour a, struct colour b)
{
	double one = luminance(a), other = luminance(b);

	return (fmax(one, other) + 0.05) / (fmin(one, other) + 0.05);
}

static double cube(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : 841.0 / 108 * t + 4.0 / 29;
}

/* As these eyes see it. */
static void lab_of(struct colour colour, int eye, double lab[3])
{
	struct linear l = linear_of(colour), seen;
	double x, y, z;

	for (int i = 0; i < 3; i++) {
		seen.c[i] = eyes[eye][i][0] * l.c[0] + eyes[eye][i][1] * l.c[1] +
			    eyes[eye][i][2] * l.c[2];
		seen.c[i] = fmin(fmax(seen.c[i], 0), 1);
	}
	x = cube((0.4124 * seen.c[0] + 0.3576 * seen.c[1] + 0.1805 * seen.c[2]) / 0.9505);
	y = cube(0.2126 * seen.c[0] + 0.7152 * seen.c[1] + 0.0722 * seen.c[2]);
	z = cube((0.0193 * seen.c[0] + 0.1192 * seen.c[1] + 0.9505 * seen.c[2]) / 1.089);
	lab[0] = 116 * y - 16;
	lab[1] = 500 * (x - y);
	lab[2] = 200 * (y - z);
}

static double difference(struct colour a, struct colour b, int eye)
{
	double one[3], other[3];

	lab_of(a, eye, one);
	lab_of(b, eye, other);
	return sqrt(
		pow(one[0] - other[0], 2) + pow(one[1] - other[1], 2) + pow(one[2] - other[2], 2));
}

TEST(words_are_legible)
{
	static const int inks[] = { INK_TEXT, INK_DIM, INK_STATED, INK_FOUND };

	for (int theme = 0; theme < PICTURE_THEMES; theme++) {
		struct colour page = palette_ink((enum picture_theme)theme, INK_PAGE);

		for (size_t i = 0; i < sizeof(inks) / sizeof(inks[0]); i++)
			assert_true(contrast(palette_ink((enum picture_theme)theme, inks[i]),
					    page) >= 4.5);
		/* Large and bold. */
		assert_true(
			contrast(palette_ink((enum picture_theme)theme, INK_BINDING), page) >= 3);
	}
}

TEST(series_stand_out_and_differ)
{
	for (int theme = 0; theme < PICTURE_THEMES; theme++) {
		for (int i = 0; i < PALETTE_SERIES; i++) {
			struct colour one = palette_ink((enum picture_theme)theme, INK_SERIES + i);

			assert_true(contrast(one,
					    palette_ink((enum picture_theme)theme, INK_PAGE)) >= 3);
			for (int k = 0; k < i; k++) {
				for (int eye = 0; eye < EYES; eye++) {
					double far = difference(one,
						palette_ink(
							(enum picture_theme)theme, INK_SERIES + k),
						eye);

					if (far < 17)
						fail_msg("theme %d: series %d and %d differ by "
							 "%.1f for eyes %d",
							theme, k, i, far, eye);
				}
			}
		}
	}
}

/* No two series share colour, dashes and mark. */
TEST(series_differ_without_colour)
{
	struct chart *chart = chart_new(CHART_LINES);

	for (int i = 0; i < CHART_SERIES; i++) {
		chart_add_series(chart, "one");
		for (int k = 0; k < i; k++)
			assert_false(i % PALETTE_SERIES == k % PALETTE_SERIES &&
				     layout_dash(i) == layout_dash(k) &&
				     layout_mark(chart, i) == layout_mark(chart, k));
	}
	/* Nor does anything measured look like what somebody else published. */
	chart->series[0].loose = true;
	for (int i = 1; i < CHART_SERIES; i++)
		assert_int_not_equal(layout_mark(chart, i), layout_mark(chart, 0));
	chart_free(chart);
}

TEST(the_ramp_rises_for_all_eyes)
{
	for (int eye = 0; eye < EYES; eye++) {
		double before = -1;

		for (int i = 0; i <= 20; i++) {
			double lab[3];

			lab_of(palette_ramp(i / 20.0), eye, lab);
			assert_true(lab[0] > before);
			before = lab[0];
		}
	}
	check_near(palette_ramp(-1).red, palette_ramp(0).red, 0);
	check_near(palette_ramp(2).green, palette_ramp(1).green, 0);
}

TEST(figures_on_the_ramp_are_legible)
{
	for (int i = 0; i <= 100; i++) {
		double shade = i / 100.0;
		struct colour ink = palette_ink(
			PICTURE_LIGHT, shade > LAYOUT_LIGHT ? INK_ON_LIGHT : INK_ON_DARK);

		if (contrast(ink, palette_ramp(shade)) < 4.2)
			fail_msg("a contrast of %.2f at %.2f", contrast(ink, palette_ramp(shade)),
				shade);
	}
}

TEST(ordered_series_stand_out)
{
	for (int theme = 0; theme < PICTURE_THEMES; theme++)
		for (int i = 0; i < 16; i++)
			assert_true(
				contrast(palette_ordered((enum picture_theme)theme, i, 16),
					palette_ink((enum picture_theme)theme, INK_PAGE)) >= 2.2);
}

RUN_TESTS()
