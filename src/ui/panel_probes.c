/* Draws two panels, each with a curve that grows during the measurement, and text next to the
 * curve. The first panel shows the memory hierarchy: levels, bandwidths, remarks. The second panel
 * shows how many instructions the core looks ahead: the knee of the present filler instruction, and
 * a table of all knees. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/cores/core_cells.h"
#include "experiment/probe/probe.h"
#include "experiment/windows/windows.h"
#include "lesson/lesson.h"
#include "ui/cores_plot.h"
#include "ui/curve_plot.h"
#include "ui/panels.h"

/* The smallest and the largest width, in columns, of the text next to the probe's curve. */
enum { BESIDE_LEAST = 26, BESIDE_MOST = 76 };

/* Widths of columns in the table of bandwidths. BYTES: a column with bytes per cycle.
 * BYTES_AND_LINES: a column with bytes and cache lines per cycle. LEVEL: the column with the name
 * of the cache level. */
enum { BYTES = 6, BYTES_AND_LINES = 14, LEVEL = 8 };

/* BEST_ROWS: number of rows, rule included, in which the panel shows everything on a usual machine.
 * ROOMY: smallest number of rows in which the remarks below the levels always fit. */
enum { BEST_ROWS = 30, ROOMY = 14 };

static struct words probe_title(const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct probe_report *report = view->probe;

	/* The legend of the plot's points is the last part of the title, which a narrow panel
	 * omits. */
	const char *legend =
		report && report->lines[PAGES_4K].count && report->lines[PAGES_HUGE].count
			? ", o 4k pages  x huge pages  * both"
			: "";

	if (report && view->probing && !view->sweeping && !view->characterising)
		return words_of("memory hierarchy: %.0f %%%s%s%s", 100 * report->done,
			report->doing[0] ? ", " : "", report->doing, legend);
	if (report && report->complete && report->options.parts == 1u << PROBE_TRANSFER)
		return words_of("core to core, one way, %.1f s", report->seconds);
	if (report && report->complete)
		return words_of(
			"memory hierarchy: cycles over size, %.1f s%s", report->seconds, legend);
	return words_of(report ? "memory hierarchy, stopped at %.0f %%%s" : "memory hierarchy",
		report ? 100 * report->done : 0, legend);
}

/* ---- text next to the curve ---- */

static enum style level_style(const struct hierarchy_level *level)
{
	return level->unstable ? STYLE_WARN : level->kind == LEVEL_TLB ? STYLE_TEXT : STYLE_FIGURE;
}

/* Adds one short row for a cache or TLB level: "L2 1 MiB 14.0 cy 3.4 ns". While the probe is not
 * `complete`, further points may change the size. */
static void put_short(struct column *column, const struct hierarchy_level *level, bool complete)
{
	bool tlb = level->kind == LEVEL_TLB, about = hierarchy_is_about(level) || !complete;
	struct words cycles =
			     words_of(tlb ? "+%.*f" : "%.*f", level->cycles < 99.95, level->cycles),
		     size, ns = { "" };

	if (tlb)
		size = words_of("%s%.0f pages", about ? "~" : "", level->entries);
	else if (level->kind == LEVEL_MEMORY)
		size = words_of(level->unstable ? "unstable" : "");
	else if (about && level->bytes >= 1048576)
		size = words_of("~%.1f MiB", level->bytes / 1048576);
	else if (about)
		size = words_of("~%.0f KiB", level->bytes / 1024);
	else
		size = words_of("%.23s", units_size_long(llround(level->bytes)).text);
	if (isfinite(level->ns) && !tlb && column->at.width >= 36)
		ns = words_of(" %6.1f ns", level->ns);
	column_put(column, level_style(level), "%-*s%10s %5s%s%s", LEVEL, level->name, size.text,
		cycles.text, column->at.width >= LEVEL + 19 ? " cy" : "", ns.text);
}

/* Adds the levels of the memory hierarchy: as sentences if the sentences need at most half of the
 * rows, else as one row for each level. */
static void put_levels(struct column *column, const struct probe_report *report)
{
	const struct hierarchy *hierarchy = &report->hierarchy;
	int rows = 0;
	bool sentences, short_of_rows = hierarchy->level_count > column->at.height;

	for (int i = 0; i < hierarchy->level_count; i++)
		rows += canvas_rows(column->at, hierarchy->level[i].words);
	sentences = rows <= column->at.height / 2;
	for (int i = 0; i < hierarchy->level_count; i++) {
		/* The memory matters more than a TLB. */
		if (short_of_rows && hierarchy->level[i].kind == LEVEL_TLB)
			column->cut = true;
		else if (sentences)
			column_add(column, level_style(&hierarchy->level[i]),
				hierarchy->level[i].words);
		else
			put_short(column, &hierarchy->level[i], report->complete);
	}
	if (hierarchy->level_count == 0 && report->options.parts != 1u << PROBE_TRANSFER)
		column_put(column, STYLE_DIM, "no level is certain yet");
	/* If the panel has few rows, the remarks at its end do not fit, so differences from the
	 * cache sizes that the system reports are shown here. */
	for (int i = 0; i < hierarchy->level_count && column->at.height < ROOMY; i++)
		if (hierarchy_disagrees(&hierarchy->level[i]))
			column_put(column, STYLE_WARN, "! %s: the system reports %s",
				hierarchy->level[i].name,
				units_size_long((int64_t)hierarchy->level[i].stated).text);
	if (hierarchy->line > 0)
		column_put(column, STYLE_TEXT, "lines of %.0f bytes", hierarchy->line);
}

/* Adds published values for comparison, "L2: Haswell 0.5, …", if they fit. */
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
	canvas_text(column->at, 0, column->row, STYLE_DIM, "B/cycle");
	for (int k = 0; k < PROBE_OPERATIONS; k++)
		canvas_right(column->at, LEVEL + (k + 1) * each, column->row, STYLE_DIM, "%s%s",
			operations[k], lines ? " (lines)" : "");
	for (int i = 0; i < report->band_count; i++) {
		const struct probe_band *band = &report->band[i];

		if (++column->row >= column->at.height) {
			column->cut = true;
			return;
		}
		canvas_put(column->at, 0, column->row, STYLE_TEXT, band->level);
		for (int k = 0; k < PROBE_OPERATIONS; k++) {
			const struct sample *sample = &band->point[k].sample;

			canvas_right(column->at, LEVEL + (k + 1) * each, column->row, STYLE_TEXT,
				!sample->valid ? "-"
				: lines	       ? "%.1f (%.2f)"
					       : "%.1f",
				sample->bytes_per_cycle, band->lines[k]);
		}
	}
	column->row++;
}

static void put_parallel(struct column *column, const struct probe_curve *curve)
{
	char words[160];

	if (probe_parallel_words(curve, words, sizeof(words)))
		column_put(column, STYLE_TEXT, "%s", words);
}

/* Adds the groups of pairs of processors, with the letters of the map. */
static void put_transfer(struct column *column, const struct core_map *map)
{
	for (int i = 0; map && i < map->group_count; i++)
		column_put(column, STYLE_TEXT, "%c %s: %s ns", core_group_letter(i),
			map->group[i].name, units_value(map->group[i].ns).text);
}

static void put_findings(struct column *column, const struct probe_report *report)
{
	const struct hierarchy *hierarchy = &report->hierarchy;

	for (int i = 0; i < hierarchy->finding_count && column->at.height >= ROOMY; i++)
		if (hierarchy->finding[i].disagreement)
			column_put(column, STYLE_WARN, "! %s", hierarchy->finding[i].text);
	for (int i = 0; i < hierarchy->finding_count; i++)
		if (!hierarchy->finding[i].disagreement)
			column_put(column, STYLE_TEXT, "- %s", hierarchy->finding[i].text);
	for (int i = 0; i < report->notes.count; i++)
		column_put(column, STYLE_TEXT, "- %s", report->notes.note[i]);
}

/* Says in the last row which key shows all of a text that is cut. */
static void draw_more(struct box at)
{
	static const char more[] = "P: more";
	int x = at.width - (int)strlen(more);
	struct box row = box_part(at, 0, at.height - 1, at.width, 1);

	if (!canvas_blank(box_part(row, x - 1, 0, at.width - x + 1, 1)))
		canvas_fill(row, STYLE_TEXT);
	canvas_put(row, x, 0, STYLE_KEY, more);
}

static void draw_beside(struct box at, const struct probe_report *report)
{
	struct column column = { at, 0, false };

	put_levels(&column, report);
	put_bands(&column, report);
	column_gap(&column);
	put_parallel(&column, &report->parallel);
	put_transfer(&column, report->transfer);
	put_findings(&column, report);
	column_gap(&column);
	put_published(&column, report);
	if (column.cut && report->complete)
		draw_more(at);
	else if (column.cut)
		canvas_right(at, at.width, at.height - 1, STYLE_DIM, "…");
}

static void probe_draw(struct box at, const struct scene *scene)
{
	const struct probe_report *report = scene->view->probe;
	struct box curve = at, beside = panels_beside(&curve, BESIDE_LEAST, BESIDE_MOST);

	if (!report)
		return;
	if (curve.width < CURVE_PLOT_COLUMNS || at.height < PROBE_PLOT_ROWS) {
		draw_beside(at, report);
		return;
	}
	draw_beside(beside, report);
	/* A probe without the part latency has no curve. */
	if (report->transfer && !(report->options.parts >> PROBE_LATENCY & 1))
		cores_plot_draw(curve, report->transfer);
	else
		probe_plot_draw(curve, report);
}

static bool probe_wanted(const struct view *view)
{
	return view->probe && panels_named(view->screen.front, "probe");
}

const struct panel panel_probe = {
	.name = "probe",
	.title_of = probe_title,
	.clauses = true,
	.draw = probe_draw,
	.wanted = probe_wanted,
	.fixed_rows = BEST_ROWS,
	.hides = HIDDEN_CPE | HIDDEN_CURVE | HIDDEN_CACHES,
};

/* ---- the windows ---- */

/* The smallest and the largest width, in columns, of the text next to the curve of fillers. */
enum { WINDOW_LEAST = 29, WINDOW_MOST = 66 };

/* Number of rows, rule included, in which the panel shows everything. */
enum { WINDOWS_BEST_ROWS = 35 };

/* Widths of the table's columns: name of the filler instruction, buffer that it fills, and its knee
 * (number at which the buffer is full). */
enum { FILLER = 12, TITLE = 20, KNEE = 24 };

static struct words windows_title(const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct windows_report *report = view->windows;
	const char *doing = report ? report->doing : "";

	if (!report || !view->window)
		return words_of("windows");
	if (view->windowing)
		return words_of("windows: %.0f %%%s%s", floor(100 * report->done),
			doing[0] ? ", " : "", doing);
	return words_of("windows: cycles%s%s over fillers between two misses, %s",
		view->window->cycles_from ? " " : "",
		(const char[]){ (char)view->window->cycles_from, '\0' }, view->window->filler);
}

static const char *counts_text(const struct windows_row *row)
{
	return row->fact && strlen(row->fact->counts) <= 24 ? row->fact->counts : "fillers";
}

static enum style knee_style(const struct knee *knee)
{
	return knee->kind == KNEE_SHARP	    ? STYLE_FIGURE
	       : knee->kind == KNEE_UNCLEAR ? STYLE_WARN
	       : knee->kind == KNEE_UNKNOWN ? STYLE_DIM
					    : STYLE_TEXT;
}

/* Adds the knee (number of fillers that fill the buffer) and its range: "495 nops (494 to 496),
 * sharp". */
static void put_knee(struct column *column, const struct windows_row *row)
{
	const struct knee *knee = &row->knee;
	const char *counts = counts_text(row);

	if (row->state == WINDOWS_FAILED)
		column_add(column, STYLE_BAD, row->why);
	else if (knee->kind == KNEE_SHARP)
		column_put(column, STYLE_FIGURE,
			knee->hi > knee->lo ? "%.0f %s (%.0f to %.0f), sharp" : "%.0f %s, sharp",
			knee->x, counts, knee->lo, knee->hi);
	else if (knee->kind == KNEE_SOFT)
		column_put(column, STYLE_TEXT, "about %.0f %s, soft", knee->x, counts);
	else if (knee->kind == KNEE_NONE)
		column_put(column, STYLE_TEXT, "no knee up to %.0f %s", windows_last(row), counts);
	else if (knee->kind == KNEE_UNCLEAR)
		column_put(column, STYLE_WARN,
			isfinite(knee->lo) ? "unclear: from %.0f to %.0f %s" : "unclear", knee->lo,
			knee->hi, counts);
	else
		column_put(column, STYLE_DIM, "no knee yet: %d points", row->curve.count);
}

static void put_beside(
	struct column *column, const struct windows_report *report, const struct windows_row *row)
{
	char words[BUFFERS_WORDS];
	bool roomy = column->at.height >= ROOMY;

	column_add(column, STYLE_TITLE, row->fact ? row->fact->title : row->filler);
	put_knee(column, row);
	windows_difference(report, row, words);
	if (words[0])
		column_add(column, row->contended ? STYLE_WARN : STYLE_TEXT, words);
	/* The difference of a known knee names the other thread. */
	if (row->contended && !isfinite(row->knee.x))
		column_put(column, STYLE_WARN, "another thread shared the core");
	if (isfinite(row->entries))
		column_put(column, STYLE_DIM, "M %.0f: %s%s", row->entries, report->core,
			report->options.foreign ? ", not this core" : "");
	if (row->fact &&
		literature_words(&report->buffers.published, row->fact->buffer, words,
			roomy ? sizeof(words) : (size_t)int_most(column->at.width * 2 - 14, 56),
			NULL))
		column_put(column, STYLE_DIM, "elsewhere: %s", words);
	if (roomy && row->fact)
		column_add(column, STYLE_TEXT, row->fact->words);
}

/* ---- the table of all fillers ---- */

/* Returns whether the table of filler instructions has room for a column with the buffer that each
 * of them fills. */
static bool has_titles(struct box at)
{
	return at.width >= 2 + FILLER + TITLE + KNEE + 6;
}

static void put_row(struct column *column, const struct windows_row *row, bool present)
{
	struct box at = column->at;
	int y = column->row++, x = 2 + FILLER;
	enum style style = present ? STYLE_HERE
			   : row->state == WINDOWS_WAITS || row->state == WINDOWS_FAILED
				   ? STYLE_DIM
				   : STYLE_TEXT;

	if (present)
		canvas_glyph(at, 0, y, style, GLYPH_POINTER);
	canvas_put(at, 2, y, style, row->filler);
	if (has_titles(at)) {
		canvas_put(at, x, y, style, row->fact ? row->fact->title : "");
		x += TITLE;
	}
	canvas_put(box_part(at, 0, 0, at.width - 6, at.height), x, y,
		present ? style : knee_style(&row->knee),
		row->state == WINDOWS_FAILED ? "not here"
					     : buffers_knee(&row->knee, windows_last(row)).text);
	/* Entries that did not limit the fillers are in parentheses. */
	if (isfinite(row->entries))
		canvas_right(at, at.width, y, STYLE_DIM, windows_exceeds(row) ? "(%.0f)" : "%.0f",
			row->entries);
}

/* Adds the table with the knee of each filler instruction: as many as fit, around the present one.
 */
static void put_table(struct column *column, const struct windows_report *report,
	const struct windows_row *present)
{
	struct box at = column->at;
	int room = at.height - column->row - 2, first, shown, x = 2 + FILLER;

	if (room < 3 || report->count < 2)
		return;
	column->row++;
	canvas_text(at, 2, column->row, STYLE_DIM, "filler");
	canvas_right(at, at.width, column->row, STYLE_DIM, "M");
	if (has_titles(at)) {
		canvas_text(at, x, column->row, STYLE_DIM, "fills");
		x += TITLE;
	}
	canvas_text(at, x, column->row++, STYLE_DIM, "knee");
	shown = int_least(report->count, room);
	first = panels_first(report->count, shown, (int)(present - report->row));
	for (int i = first; i < first + shown; i++)
		put_row(column, &report->row[i], &report->row[i] == present);
}

static void windows_draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct windows_report *report = view->windows;
	const struct windows_row *row = view->window;
	struct box curve = at, right = panels_beside(&curve, WINDOW_LEAST, WINDOW_MOST);
	bool plotted = curve.width >= CURVE_PLOT_COLUMNS && at.height >= WINDOW_PLOT_ROWS;
	struct column beside = { plotted ? right : at, 0, false };
	int fillers;

	if (!report || !row)
		return;
	if (plotted) {
		fillers = kernel_knob(view->setting.kernel, WINDOWS_FILLERS);
		window_plot_draw(curve, row, fillers < 0 ? -1 : (double)view->setting.v[fillers]);
	}
	put_beside(&beside, report, row);
	put_table(&beside, report, row);
}

static bool windows_wanted(const struct view *view)
{
	return view->windows && view->window && panels_named(view->screen.front, "windows");
}

const struct panel panel_windows = {
	.name = "windows",
	.title_of = windows_title,
	.clauses = true,
	.draw = windows_draw,
	.wanted = windows_wanted,
	.fixed_rows = WINDOWS_BEST_ROWS,
	.hides = HIDDEN_CPE | HIDDEN_CURVE,
};
