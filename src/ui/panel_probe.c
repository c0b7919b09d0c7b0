/* The memory hierarchy: the growing curve, and next to it the results: levels, bandwidths, remarks.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/probe/probe.h"
#include "ui/curve_plot.h"
#include "ui/panels.h"

/* Columns of the text next to the curve: the fewest, and the most that are useful. */
enum { BESIDE_LEAST = 26, BESIDE_MOST = 76, GAP = 2 };

/* Columns of each operation in the table of bandwidths: bytes alone, and with lines; and of the
 * level's name. */
enum { BYTES = 6, BYTES_AND_LINES = 14, LEVEL = 8 };

/* Rows, with the rule, that show everything on a usual machine; and rows that always show the
 * remarks. */
enum { BEST_ROWS = 30, ROOMY = 14 };

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	const struct probe_report *report = view->probe;

	if (!report)
		snprintf(buffer, size, "memory hierarchy");
	else if (view->probing)
		snprintf(buffer, size, "memory hierarchy: %.0f %%%s%s", 100 * report->done,
			report->doing[0] ? ", " : "", report->doing);
	else if (report->complete)
		snprintf(buffer, size, "memory hierarchy: cycles over size, %.1f s",
			report->seconds);
	else
		snprintf(buffer, size, "memory hierarchy, stopped at %.0f %%", 100 * report->done);
}

/* ---- what stands beside the curve ---- */

static enum style level_style(const struct hierarchy_level *level)
{
	return level->unstable ? STYLE_WARN : level->kind == LEVEL_TLB ? STYLE_TEXT : STYLE_FIGURE;
}

/* One row for each level: "L2 1 MiB 14.0 cy 3.4 ns", if its sentence does not fit. */
static void put_short(struct column *column, const struct hierarchy_level *level)
{
	char size[24], cycles[16], ns[24] = "";

	snprintf(cycles, sizeof(cycles), "%s%.*f", level->kind == LEVEL_TLB ? "+" : "",
		level->cycles < 99.95, level->cycles);
	if (level->kind == LEVEL_TLB)
		snprintf(size, sizeof(size), "%s%.0f pages", hierarchy_is_about(level) ? "~" : "",
			level->entries);
	else if (level->kind == LEVEL_MEMORY)
		snprintf(size, sizeof(size), "%s", level->unstable ? "unstable" : "");
	else if (hierarchy_is_about(level))
		snprintf(size, sizeof(size), "~%.1f MiB", level->bytes / 1048576);
	else
		units_bytes_long(llround(level->bytes), size, sizeof(size));
	if (isfinite(level->ns) && level->kind != LEVEL_TLB && column->at.width >= 36)
		snprintf(ns, sizeof(ns), " %6.1f ns", level->ns);
	column_put(column, level_style(level), "%-*s%10s %5s%s%s", LEVEL, level->name, size, cycles,
		column->at.width >= LEVEL + 19 ? " cy" : "", ns);
}

static int sentence_rows(const struct column *column, const struct hierarchy *hierarchy)
{
	int rows = 0;

	for (int i = 0; i < hierarchy->level_count; i++)
		rows += canvas_wrap_rows(
			column->canvas, column->at.width, hierarchy->level[i].words);
	return rows;
}

/* Sentences if they need at most half of the rows, else one row for each level. */
static void put_levels(struct column *column, const struct probe_report *report)
{
	const struct hierarchy *hierarchy = &report->hierarchy;
	bool sentences = sentence_rows(column, hierarchy) <= column->at.height / 2;

	for (int i = 0; i < hierarchy->level_count; i++) {
		if (sentences)
			column_put(column, level_style(&hierarchy->level[i]), "%s",
				hierarchy->level[i].words);
		else
			put_short(column, &hierarchy->level[i]);
	}
	if (hierarchy->level_count == 0)
		column_put(column, STYLE_DIM, "no level is certain yet");
	/* The remarks come last, and would not fit then. */
	for (int i = 0; i < hierarchy->level_count && column->at.height < ROOMY; i++) {
		char stated[24];

		units_bytes_long((int64_t)hierarchy->level[i].stated, stated, sizeof(stated));
		if (hierarchy_disagrees(&hierarchy->level[i]))
			column_put(column, STYLE_WARN, "! %s: the system reports %s",
				hierarchy->level[i].name, stated);
	}
	if (hierarchy->line > 0)
		column_put(column, STYLE_TEXT, "lines of %.0f bytes", hierarchy->line);
}

/* "L2: Haswell 0.5, …": published values, if they fit. */
static void put_published(struct column *column, const struct probe_report *report)
{
	char words[160];

	for (int i = 0; i < report->band_count; i++)
		if (literature_words(
			    &report->published, report->band[i].level, words, sizeof(words), NULL))
			column_put(column, STYLE_DIM, "%s elsewhere, lines a cycle: %s",
				report->band[i].level, words);
}

static void put_bands(struct column *column, const struct probe_report *report)
{
	static const char *const operations[PROBE_OPERATIONS] = { "read", "write", "copy" };
	bool lines = column->at.width >= LEVEL + PROBE_OPERATIONS * BYTES_AND_LINES;
	int each = lines ? BYTES_AND_LINES : BYTES;

	if (report->band_count == 0)
		return;
	if (column->row + 2 >= column->at.height) {
		column->cut = true;
		return;
	}
	column_gap(column);
	canvas_text(column->canvas, column->at, 0, column->row, STYLE_DIM, "B/cycle");
	for (int k = 0; k < PROBE_OPERATIONS; k++) {
		char head[24];

		snprintf(head, sizeof(head), "%s%s", operations[k], lines ? " (lines)" : "");
		canvas_text_right(column->canvas, column->at, LEVEL + (k + 1) * each, column->row,
			STYLE_DIM, head);
	}
	column->row++;
	for (int i = 0; i < report->band_count; i++, column->row++) {
		if (column->row >= column->at.height) {
			column->cut = true;
			break;
		}
		const struct probe_band *band = &report->band[i];

		canvas_text(column->canvas, column->at, 0, column->row, STYLE_TEXT, band->level);
		for (int k = 0; k < PROBE_OPERATIONS; k++) {
			const struct sample *sample = &band->point[k].sample;
			char cell[32] = "-";

			if (sample->valid && lines)
				snprintf(cell, sizeof(cell), "%.1f (%.2f)", sample->bytes_per_cycle,
					band->lines[k]);
			else if (sample->valid)
				snprintf(cell, sizeof(cell), "%.1f", sample->bytes_per_cycle);
			canvas_text_right(column->canvas, column->at, LEVEL + (k + 1) * each,
				column->row, STYLE_TEXT, cell);
		}
	}
}

/* The best speedup of parallel chains. */
static void put_parallel(struct column *column, const struct probe_curve *curve)
{
	const struct probe_point *one = NULL, *best = NULL;

	for (int i = 0; i < curve->count; i++) {
		const struct probe_point *point = &curve->point[i];

		if (!point->sample.valid)
			continue;
		if (point->x == 1)
			one = point;
		if (!best || point->sample.ns < best->sample.ns)
			best = point;
	}
	if (one && best && best != one) {
		char set[32];

		units_bytes_long((int64_t)best->facts.footprint, set, sizeof(set));
		column_put(column, STYLE_TEXT,
			"%.0f loads at once: %.1f times as fast as one (in %s)", best->x,
			one->sample.ns / best->sample.ns, set);
	}
}

static void put_findings(struct column *column, const struct probe_report *report)
{
	const struct hierarchy *hierarchy = &report->hierarchy;

	for (int pass = 1; pass >= 0; pass--)
		for (int i = 0; i < hierarchy->finding_count; i++)
			if (hierarchy->finding[i].disagreement == (pass == 1) &&
				(pass == 0 || column->at.height >= ROOMY))
				column_put(column, pass ? STYLE_WARN : STYLE_TEXT, "%s %s",
					pass ? "!" : "-", hierarchy->finding[i].text);
	for (int i = 0; i < report->note_count; i++)
		column_put(column, STYLE_TEXT, "- %s", report->note[i]);
}

static void draw_beside(
	struct canvas *canvas, struct rectangle at, const struct probe_report *report)
{
	struct column column = { canvas, at, 0, false };

	put_levels(&column, report);
	put_bands(&column, report);
	column_gap(&column);
	put_parallel(&column, &report->parallel);
	put_findings(&column, report);
	column_gap(&column);
	put_published(&column, report);
	if (column.cut)
		canvas_text_right(canvas, at, at.width, at.height - 1, STYLE_DIM, "…");
}

static void draw_legend(
	struct canvas *canvas, struct rectangle at, const struct probe_report *report)
{
	if (report->lines[PAGES_4K].count && report->lines[PAGES_HUGE].count)
		canvas_text(canvas, at, 8, 0, STYLE_DIM, "o 4k pages  x huge pages  * both");
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct probe_report *report = scene->view->probe;
	struct rectangle curve = at, beside = at;

	if (!report)
		return;
	beside.width = at.width * 2 / 5;
	beside.width = beside.width < BESIDE_LEAST  ? BESIDE_LEAST
		       : beside.width > BESIDE_MOST ? BESIDE_MOST
						    : beside.width;
	if (at.width - beside.width - GAP < CURVE_PLOT_COLUMNS || at.height < PROBE_PLOT_ROWS) {
		draw_beside(canvas, at, report);
		return;
	}
	curve.width = at.width - beside.width - GAP;
	beside.x = at.x + curve.width + GAP;
	if (curve.height >= 12) {
		draw_legend(canvas, (struct rectangle){ curve.x, curve.y, curve.width, 1 }, report);
		curve.y++;
		curve.height--;
	}
	probe_plot_draw(canvas, curve, report);
	draw_beside(canvas, beside, report);
}

static bool wanted(const struct view *view)
{
	return view->probe && panels_named(view->front, "probe");
}

static int best_rows(const struct view *view)
{
	(void)view;
	return BEST_ROWS;
}

const struct panel panel_probe = {
	.name = "probe",
	.title_of = title_of,
	.clauses = true,
	.draw = draw,
	.wanted = wanted,
	.best_rows = best_rows,
};
