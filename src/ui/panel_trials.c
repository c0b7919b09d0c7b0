/* Shows the latest trials in order of time: a panel with a mark at the CPE of each, and a row of
 * small bars for the panel of the measured value. */
#include <math.h>

#include "base/stats.h"
#include "base/units.h"
#include "lesson/lesson.h"
#include "ui/panels.h"

/* Collects the CPE (cycles per element) of trials. Disturbed trials are used only if every trial is
 * disturbed. */
static size_t collect(const struct view *view, int from, int to, double *cpe)
{
	size_t count = 0;

	for (int pass = 0; pass < 2 && count == 0; pass++)
		for (int i = from; i < to; i++)
			if ((pass || view->strip[i].fate == TRIAL_QUIET) &&
				isfinite(view->strip[i].cpe))
				cpe[count++] = view->strip[i].cpe;
	return count;
}

/* ---- a row of small bars ---- */

/* Draws the course of the latest trials. Each column of the chart of the latest trials is a bar for
 * the median of several trials. The lowest bar is the lowest median, and the highest bar is the
 * highest median. */
void course_draw(struct box at, const struct view *view)
{
	double cpe[VIEW_STRIP], column[VIEW_STRIP], low = INFINITY, high = -INFINITY;
	int columns = int_least(at.width, view->strip_count);

	for (int i = 0; i < columns; i++) {
		size_t count = collect(view, i * view->strip_count / columns,
			(i + 1) * view->strip_count / columns, cpe);

		column[i] = stats_median(cpe, count);
		low = fmin(low, column[i]);
		high = fmax(high, column[i]);
	}
	for (int i = 0; i < columns; i++) {
		double share = high > low ? (column[i] - low) / (high - low) : 0;

		if (isfinite(column[i]))
			canvas_glyph(
				at, i, 0, STYLE_WARN, GLYPH_BAR1 + (enum glyph)lround(7 * share));
	}
}

/* ---- a mark at the CPE of each trial ---- */

enum { MARGIN = 8 };

/* Returns the last clause of the title: what the mark of contended trials means, if there is one.
 */
static const char *contention(const struct view *view)
{
	for (int i = 0; i < view->strip_count; i++)
		if (view->strip[i].fate == TRIAL_CONTENDED)
			return "; × contended: another thread used the core";
	return "";
}

static struct words strip_title(const struct scene *scene)
{
	const struct view *view = scene->view;
	struct words title =
		view->replay ? words_of("CPE of the recorded trials, older … newer")
		: view->strip_span >= 0.01
			? words_of("CPE of the last %.1f s, older … now", view->strip_span)
			: words_of("CPE of the latest trials, older … now");

	return words_of("%1$s%2$s\n%1$s", title.text, contention(view));
}

/* Finds the range of CPE (cycles per element) to show, so that a few disturbed trials do not
 * flatten the picture. The range is the middle 90 % of the quiet trials, widened on each side by
 * half of its width. Trials outside the shown range of cycles are drawn as arrows at the edge. */
static void find_range(const struct view *view, double *low, double *high)
{
	double values[VIEW_STRIP], span;
	size_t count = collect(view, 0, view->strip_count, values);

	*low = 0;
	*high = 1;
	if (count == 0)
		return;
	stats_sort(values, count);
	*low = stats_quantile(values, count, 0.05);
	*high = stats_quantile(values, count, 0.95);
	/* The range of the trials' axis spans at least 2 % of the median, because smaller
	 * differences are within the clock's resolution. */
	span = fmax(*high - *low, 0.02 * fabs(stats_quantile(values, count, 0.5)));
	*low = fmax(*low - span / 2, 0);
	*high += span / 2;
}

/* Draws a legend of the marks in the chart. Entries of the legend that do not fit in the row are
 * omitted. */
static void draw_legend(struct box at)
{
	static const struct {
		enum style style;
		int marks;
		enum glyph mark[2];
		const char *words;
	} entries[] = {
		{ STYLE_GOOD, 1, { GLYPH_BULLET }, "quiet" },
		{ STYLE_WARN, 1, { GLYPH_TIMES }, "contended" },
		{ STYLE_DIM, 2, { GLYPH_UP, GLYPH_DOWN }, "off the scale" },
		{ STYLE_DIM, 1, { GLYPH_DOT }, "other interference" },
	};
	int x = MARGIN;

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (x + entries[i].marks + 1 + canvas_columns(at, entries[i].words) > at.width)
			continue;
		for (int k = 0; k < entries[i].marks; k++)
			canvas_glyph(at, x++, 0, entries[i].style, entries[i].mark[k]);
		x += 1 + canvas_put(at, x + 1, 0, STYLE_DIM, entries[i].words) + 3;
	}
}

static void draw_strip(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	int columns = at.width - MARGIN, rows = at.height - 1, first;
	double low, high;

	if (columns < 4 || rows < 2)
		return;
	find_range(view, &low, &high);
	if (view->strip_count > 0) {
		canvas_put_right(at, MARGIN - 2, 0, STYLE_DIM, units_value(high).text);
		canvas_put_right(at, MARGIN - 2, rows - 1, STYLE_DIM, units_value(low).text);
	}
	first = int_most(view->strip_count - columns, 0);
	for (int i = first; i < view->strip_count; i++) {
		const struct view_tick *tick = &view->strip[i];
		int row = (int)lround((high - tick->cpe) / (high - low) * (rows - 1));
		bool quiet = tick->fate == TRIAL_QUIET, contended = tick->fate == TRIAL_CONTENDED;
		enum style style = quiet ? STYLE_GOOD : contended ? STYLE_WARN : STYLE_DIM;
		enum glyph glyph = quiet ? GLYPH_BULLET : contended ? GLYPH_TIMES : GLYPH_DOT;

		if (!isfinite(tick->cpe))
			continue;
		if (tick->cpe > high || tick->cpe < low) {
			glyph = tick->cpe > high ? GLYPH_UP : GLYPH_DOWN;
			row = tick->cpe > high ? 0 : rows - 1;
		}
		canvas_glyph(at, MARGIN + i - first, row, style, glyph);
	}
	draw_legend(box_part(at, 0, rows, at.width, 1));
}

const struct panel panel_trials = {
	.name = "trials",
	.title_of = strip_title,
	.draw = draw_strip,
	.hides = HIDDEN_CPE,
};
