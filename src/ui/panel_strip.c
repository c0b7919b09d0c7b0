/* The latest trials in order of time: a mark at the CPE of each. The shape of the mark shows
 * whether the trial was used. */
#include <math.h>
#include <stdio.h>

#include "base/stats.h"
#include "base/units.h"
#include "ui/panels.h"

enum { MARGIN = 8 };

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	if (scene->view->replay)
		snprintf(buffer, size, "CPE of the recorded trials, older … newer");
	else if (scene->view->strip_span >= 0.01)
		snprintf(buffer, size, "CPE of the last %.1f s, older … now",
			scene->view->strip_span);
	else
		snprintf(buffer, size, "CPE of the latest trials, older … now");
}

/* The range of CPE shown: the middle nine tenths of the quiet trials and half as much again on
 * either side, so that a few disturbed trials do not flatten the rest. Trials outside are arrows at
 * the edge. */
static void find_range(const struct view *view, double *low, double *high)
{
	double values[VIEW_STRIP], span, middle;
	size_t count = 0;

	for (int pass = 0; pass < 2 && count == 0; pass++)
		for (int i = 0; i < view->strip_count; i++)
			if ((pass || view->strip[i].fate == TRIAL_QUIET) &&
				isfinite(view->strip[i].cpe))
				values[count++] = view->strip[i].cpe;
	*low = 0;
	*high = 1;
	if (count == 0)
		return;
	stats_sort(values, count);
	*low = stats_quantile(values, count, 0.05);
	*high = stats_quantile(values, count, 0.95);
	span = *high - *low;
	middle = stats_quantile(values, count, 0.5);
	/* At least two per cent: smaller differences are the resolution of the clock. */
	if (span < 0.02 * fabs(middle))
		span = 0.02 * fabs(middle);
	*low = fmax(*low - span / 2, 0);
	*high += span / 2;
}

static enum glyph mark_of(uint8_t fate)
{
	return fate == TRIAL_QUIET	 ? GLYPH_BULLET
	       : fate == TRIAL_CONTENDED ? GLYPH_TIMES
					 : GLYPH_DOT;
}

/* The meaning of the marks; entries that do not fit are omitted. */
static void draw_legend(struct canvas *canvas, struct rectangle at, int y)
{
	static const struct {
		enum style style;
		enum glyph mark[2]; /* two equal marks: draw one */
		const char *words;
	} entries[] = {
		{ STYLE_GOOD, { GLYPH_BULLET, GLYPH_BULLET }, "quiet" },
		{ STYLE_WARN, { GLYPH_TIMES, GLYPH_TIMES }, "contended" },
		{ STYLE_DIM, { GLYPH_UP, GLYPH_DOWN }, "off the scale" },
		{ STYLE_DIM, { GLYPH_DOT, GLYPH_DOT }, "other interference" },
	};
	int x = MARGIN;

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		int mark = entries[i].mark[0] == entries[i].mark[1] ? 1 : 2;

		if (x + mark + 1 + canvas_columns(canvas, entries[i].words) > at.width)
			continue;
		for (int k = 0; k < mark; k++)
			canvas_glyph(canvas, at, x + k, y, entries[i].style, entries[i].mark[k]);
		x += mark + 1;
		x += canvas_text(canvas, at, x, y, STYLE_DIM, entries[i].words) + 3;
	}
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	int columns = at.width - MARGIN, rows = at.height - 1, first;
	double low, high;
	char label[24];

	if (columns < 4 || rows < 2)
		return;
	find_range(view, &low, &high);
	if (view->strip_count > 0) {
		units_figure(high, label, sizeof(label));
		canvas_text_right(canvas, at, MARGIN - 2, 0, STYLE_DIM, label);
		units_figure(low, label, sizeof(label));
		canvas_text_right(canvas, at, MARGIN - 2, rows - 1, STYLE_DIM, label);
	}
	first = view->strip_count > columns ? view->strip_count - columns : 0;
	for (int i = first; i < view->strip_count; i++) {
		const struct view_tick *tick = &view->strip[i];
		int row = (int)lround((high - tick->cpe) / (high - low) * (rows - 1));
		enum style style = tick->fate == TRIAL_QUIET	   ? STYLE_GOOD
				   : tick->fate == TRIAL_CONTENDED ? STYLE_WARN
								   : STYLE_DIM;
		enum glyph glyph = mark_of(tick->fate);

		if (!isfinite(tick->cpe))
			continue;
		if (tick->cpe > high || tick->cpe < low) {
			glyph = tick->cpe > high ? GLYPH_UP : GLYPH_DOWN;
			row = tick->cpe > high ? 0 : rows - 1;
		}
		canvas_glyph(canvas, at, MARGIN + i - first, row, style, glyph);
	}
	draw_legend(canvas, at, rows);
}

const struct panel panel_strip = {
	.name = "strip",
	.title_of = title_of,
	.draw = draw,
};
