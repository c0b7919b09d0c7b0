/* Draws a named sweep as a table: a row for each setting, with the measured values, their quartiles
 * and source, and the published values next to them. Text about the sweep as a whole is next to the
 * table, or below the table. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "experiment/sweep/sweep_table.h"
#include "lesson/lesson.h"
#include "ui/panels.h"

/* Widths of columns. VALUE: a measured value. PUBLISHED: a published value. WORDS_LEAST,
 * WORDS_MOST: smallest and largest width, in columns, of the text next to the table. */
enum { VALUE = 8, PUBLISHED = 10, WORDS_LEAST = 26, WORDS_MOST = 76 };

/* The columns of the table. If the table is too narrow, it omits the last of the measured
 * quantities. */
struct columns {
	int knobs[KNOBS_MAX]; /* width of each knob's column; 0: no column, because the knob has one
				 value in the whole sweep */
	int figures;	      /* number of quantities shown */
	int width;
	bool spread;			/* the quartiles are shown */
	bool published[SWEEPS_FIGURES]; /* a quantity has published values */
};

static struct columns measure(struct box at, const struct sweep_table_report *report)
{
	const struct kernel *kernel = report->named->kernel;
	struct columns columns = { .width = 2 };

	for (size_t i = 0; i < report->axis_count; i++) {
		const struct sweep_axis *axis = &report->axes[i];
		const struct knob *knob = &kernel->knobs[axis->knob];

		if (axis->count < 2)
			continue;
		columns.knobs[i] = 1 + canvas_columns(at, knob->name);
		for (size_t k = 0; k < axis->count; k++)
			columns.knobs[i] = int_most(columns.knobs[i],
				1 + canvas_columns(at, setting_shown(knob, axis->values[k]).text));
		columns.width += columns.knobs[i];
	}
	for (int i = 0; i < report->figure_count; i++) {
		bool published = sweeps_publishes(report->named, report->figure[i]);
		int width = VALUE + (i ? 0 : 2) + (published ? PUBLISHED : 0);

		if (i && columns.width + width > at.width)
			break;
		columns.published[i] = published;
		columns.width += width;
		columns.figures++;
		if (i == 0 && columns.width + 2 * VALUE <= at.width) {
			columns.spread = true;
			columns.width += 2 * VALUE;
		}
	}
	return columns;
}

/* Returns a short title of a measured quantity, for the head of its column. */
static const char *title_of_figure(enum sweeps_figure figure)
{
	switch (figure) {
	case SWEEPS_BYTES_PER_CYCLE: return "B/cycle";
	case SWEEPS_INSTRUCTIONS: return "instr";
	case SWEEPS_INSTRUCTIONS_TOTAL: return "M instr";
	case SWEEPS_TRAFFIC: return "% peak";
	case SWEEPS_CPE: return "CPE";
	case SWEEPS_CPI: return "CPI";
	case SWEEPS_GBPS: return "GB/s";
	default: return sweeps_figure_names[figure];
	}
}

static void draw_titles(
	struct box at, const struct sweep_table_report *report, const struct columns *columns)
{
	int x = 2;

	for (size_t i = 0; i < report->axis_count; i++) {
		x += columns->knobs[i];
		if (columns->knobs[i])
			canvas_put_right(at, x - 1, 0, STYLE_DIM,
				report->named->kernel->knobs[report->axes[i].knob].name);
	}
	for (int i = 0; i < columns->figures; i++) {
		x += VALUE;
		canvas_put_right(at, x, 0, STYLE_DIM, title_of_figure(report->figure[i]));
		x += i ? 0 : 2;
		if (i == 0 && columns->spread) {
			canvas_put_right(at, x + VALUE, 0, STYLE_DIM, "lo");
			canvas_put_right(at, x + 2 * VALUE, 0, STYLE_DIM, "hi");
			x += 2 * VALUE;
		}
		if (columns->published[i]) {
			x += PUBLISHED;
			canvas_put_right(at, x, 0, STYLE_DIM, "published");
		}
	}
}

/* Returns the letter of a quantity's source: time, the source of the cycles, or the source of the
 * instructions or of the traffic. */
static char source_of(enum sweeps_figure figure, const struct sweeps_row *row)
{
	enum source source = row->sample.cycles_from;

	if (figure == SWEEPS_NS || figure == SWEEPS_SECONDS || figure == SWEEPS_GBPS)
		source = SOURCE_TIME;
	else if (figure == SWEEPS_INSTRUCTIONS || figure == SWEEPS_INSTRUCTIONS_TOTAL)
		source = row->sample_ratios.instructions_from;
	else if (figure == SWEEPS_TRAFFIC)
		source = row->sample_ratios.lines_from;
	return source == SOURCE_NONE ? ' ' : (char)source;
}

/* Draws the measured value of the first quantity, with the sign of a doubt, the source and the
 * quartiles. Returns the next column. */
static int draw_first(struct box at, int x, int y, const struct sweep_table_report *report,
	const struct columns *columns, size_t index)
{
	const struct sweeps_row *row = &report->row[index];
	const enum sweeps_figure figure = report->figure[0];
	const struct sample *sample = &row->sample;
	double value = sweeps_row_value(report->named, figure, row, report->row, report->row_count),
	       lo, hi;
	bool doubt = sample->contended || sample->unsettled,
	     spread = sweeps_row_spread(
		     report->named, figure, row, report->row, report->row_count, &lo, &hi);
	enum style style = doubt				      ? STYLE_WARN
			   : report->state[index] == SWEEP_TABLE_DONE ? STYLE_FIGURE
								      : STYLE_DIM;

	x += VALUE;
	if (isfinite(value)) {
		canvas_put_right(at, x, y, style, sweeps_number(figure, value).text);
		if (doubt)
			canvas_glyph(at, x, y, STYLE_WARN,
				sample->contended ? GLYPH_TIMES : GLYPH_DRIFT);
		canvas_text(at, x + 1, y, STYLE_DIM, "%c", source_of(figure, row));
	} else {
		canvas_put_right(at, x, y, STYLE_DIM,
			report->state[index] == SWEEP_TABLE_FAILED ? "failed"
			: sample->valid				   ? "unknown"
								   : "…");
	}
	x += 2;
	if (columns->spread && spread) {
		canvas_put_right(at, x + VALUE, y, STYLE_DIM, sweeps_number(figure, lo).text);
		canvas_put_right(at, x + 2 * VALUE, y, STYLE_DIM, sweeps_number(figure, hi).text);
	}
	return x + (columns->spread ? 2 * VALUE : 0);
}

static void draw_row(struct box at, int y, const struct sweep_table_report *report,
	const struct columns *columns, size_t index, bool here)
{
	const struct sweeps_row *row = &report->row[index];
	int x = 2;

	if (here)
		canvas_glyph(at, 0, y, STYLE_FOCUS, GLYPH_POINTER);
	for (size_t i = 0; i < report->axis_count; i++) {
		int knob = report->axes[i].knob;

		x += columns->knobs[i];
		if (columns->knobs[i])
			canvas_put_right(at, x - 1, y, here ? STYLE_FOCUS : STYLE_TEXT,
				setting_shown(
					&report->named->kernel->knobs[knob], row->setting.v[knob])
					.text);
	}
	for (int i = 0; i < columns->figures; i++) {
		const struct sweeps_published *published =
			sweeps_published_find(report->named, report->figure[i], &row->setting);

		if (i == 0) {
			x = draw_first(at, x, y, report, columns, index);
		} else {
			double value = sweeps_row_value(report->named, report->figure[i], row,
				report->row, report->row_count);

			x += VALUE;
			canvas_put_right(at, x, y, STYLE_TEXT,
				isfinite(value) ? sweeps_number(report->figure[i], value).text
						: "-");
		}
		if (!columns->published[i])
			continue;
		x += PUBLISHED;
		if (published)
			canvas_right(at, x, y, STYLE_TEXT, "%s%s", published->over ? ">" : "",
				sweeps_number(report->figure[i], published->value).text);
	}
}

/* Draws the text about the sweep as a whole, and the notes. */
static void draw_words(struct box at, const struct sweep_table_report *report)
{
	struct column column = { at, 0, false };

	for (const char *line = text_string(&report->words); *line;) {
		size_t length = strcspn(line, "\n");

		column_put(&column, strncmp(line, "source: ", 8) == 0 ? STYLE_DIM : STYLE_TEXT,
			"%.*s", (int)length, line);
		line += length + (line[length] == '\n');
	}
	for (int i = 0; i < report->notes.count; i++)
		column_put(&column, STYLE_DIM, "%s", report->notes.note[i]);
}

static struct words sweep_title(const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct sweep_table_report *report = view->sweep;
	struct words left = { "" };

	if (!report)
		return words_of("sweep");
	if (view->sweeping && report->remaining >= 1)
		left = words_of(", at most %.0f s left", ceil(report->remaining));
	return words_of("%s%s%s: %s", report->named->name,
		view->sweeping	   ? words_of(", %.0f %%", floor(100 * report->done)).text
		: report->complete ? ""
				   : ", stopped",
		left.text, report->named->title);
}

static void sweep_draw(struct box at, const struct scene *scene)
{
	const struct sweep_table_report *report = scene->view->sweep;
	struct columns columns = measure(at, report);
	const struct sweeps_row *here =
		sweeps_row_find(report->row, report->row_count, &scene->view->setting);
	int count = (int)report->row_count, rows = at.height - 1,
	    chosen = here ? (int)(here - report->row) : 0, shown = int_least(count, rows),
	    first = panels_first(count, shown, chosen), beside = at.width - columns.width - 2;
	struct box table = box_part(at, 0, 0, columns.width + 2, at.height);

	draw_titles(at, report, &columns);
	for (int i = 0; i < shown; i++)
		draw_row(at, 1 + i, report, &columns, (size_t)(first + i),
			here && first + i == chosen);
	if (shown < count)
		panels_arrows(table, 1, STYLE_KEY, first > 0, first + shown < count);
	if (beside >= WORDS_LEAST)
		draw_words(box_part(at, columns.width + 2, 0, int_least(beside, WORDS_MOST),
				   at.height),
			report);
	else if (rows - shown > 1)
		draw_words(box_part(at, 0, shown + 2, at.width, rows - shown - 1), report);
}

static bool sweep_wanted(const struct view *view)
{
	return view->sweep && panels_named(view->screen.front, "sweep");
}

/* Returns the number of rows for the rule, the titles, the settings and a few lines of words. */
static int sweep_rows(const struct view *view)
{
	return view->sweep ? (int)view->sweep->row_count + 8 : 0;
}

const struct panel panel_sweep = {
	.name = "sweep",
	.title_of = sweep_title,
	.draw = sweep_draw,
	.wanted = sweep_wanted,
	.best_rows = sweep_rows,
	.focus = "sweep",
	.hides = HIDDEN_CPE | HIDDEN_CURVE | HIDDEN_LIMITS,
};
