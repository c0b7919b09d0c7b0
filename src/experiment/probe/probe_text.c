/* Prints a probe's report as text, in 80 columns of ASCII. The report has the cache levels, the
 * bandwidths, the other results and the curve of latency, in this order. */
#include "experiment/probe/probe_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/scale.h"
#include "base/text.h"
#include "base/units.h"
#include "experiment/cores/core_cells.h"

enum { CELL = 40 };

/* ---- words ---- */

static void cell(FILE *out, int width, double value)
{
	fprintf(out, "%*s", width, units_value(value).text);
}

/* Returns `value` if the point has a valid sample; NAN: the point could not be measured. */
static double figure_of(const struct probe_point *point, double value)
{
	return point->sample.valid ? value : (double)NAN;
}

/* Writes the size of a cache level. If the exact size is uncertain, writes the range: "18.9 to 26.9
 * MiB". */
static void found_words(const struct hierarchy_level *level, char buffer[CELL])
{
	struct units_text lo = units_size_long((int64_t)level->bytes_lo),
			  hi = units_size_long((int64_t)level->bytes_hi);
	size_t unit = strcspn(lo.text, " ");

	if (level->kind == LEVEL_MEMORY) {
		snprintf(buffer, CELL, "-");
	} else if (level->kind == LEVEL_CACHE && (level->unstable || level->number > 2)) {
		if (strcmp(lo.text, hi.text) == 0)
			snprintf(buffer, CELL, "about %s", lo.text);
		else
			snprintf(buffer, CELL, "%.*s to %s",
				strcmp(lo.text + unit, hi.text + strcspn(hi.text, " ")) == 0
					? (int)unit
					: CELL,
				lo.text, hi.text);
	} else {
		snprintf(buffer, CELL, "%s", units_size_long((int64_t)llround(level->bytes)).text);
	}
}

/* ---- the head ---- */

/* Returns the first valid sample of the probe; NULL: the probe has no valid sample. */
static const struct sample *first_of(const struct probe_report *probe)
{
	const struct probe_curve *curves[] = { &probe->lines[PAGES_HUGE], &probe->lines[PAGES_4K],
		&probe->lines[PAGES_AUTO], &probe->pages[PAGES_HUGE], &probe->pages[PAGES_4K],
		&probe->pages[PAGES_AUTO], &probe->pairs, &probe->parallel, &probe->cores };

	for (size_t i = 0; i < sizeof(curves) / sizeof(*curves); i++)
		for (int k = 0; k < curves[i]->count; k++)
			if (curves[i]->point[k].sample.valid)
				return &curves[i]->point[k].sample;
	return probe->band_count && probe->band[0].point[0].sample.valid
		       ? &probe->band[0].point[0].sample
		       : NULL;
}

/* Returns words for the source of cycles. All samples of a probe have the same source. */
static const char *cycles_of(const struct probe_report *probe)
{
	const struct sample *sample = first_of(probe);

	return source_of_cycles(sample ? sample->cycles_from : SOURCE_NONE);
}

/* Adds the kinds of pages that were requested and used: "4k pages (asked for and got)", "huge pages
 * (got: mixed)". */
static void add_pages(struct text *text, const struct probe_report *probe)
{
	const char *separator = "; ";

	static const char *const asked[PAGE_KINDS] = { "the system's own pages", "4k pages",
		"huge pages" };
	static const char *const alike[PAGE_KINDS] = { "", "4k", "huge" };

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		const struct probe_curve *curve = &probe->lines[kind];
		const char *got = curve->count ? curve->point[curve->count - 1].facts.pages : "";

		if (!curve->count)
			continue;
		text_addf(text, "%s%s", separator, asked[kind]);
		separator = ", ";
		if (*got && strcmp(got, alike[kind]) != 0)
			text_addf(text, " (got: %s)", got);
	}
}

static void put_head(FILE *out, const struct probe_report *probe)
{
	const struct sample *sample = first_of(probe);
	double ghz = probe_ghz(probe); /* the clock by which the rows give nanoseconds */
	struct text text = { 0 };

	machine_text(probe->machine, isnan(ghz) && sample ? sample->ghz : ghz, &text);
	if (probe->options.parts != 1u << PROBE_TRANSFER)
		text_addf(&text, "; up to %s",
			units_size_long((int64_t)probe->options.max_size).text);
	add_pages(&text, probe);
	text_addf(&text, "; %.1f s", probe->seconds);
	text_print(out, TEXT_COLUMNS, "", 0, text_string(&text));
	text_free(&text);
	if (!probe->complete)
		fprintf(out,
			"Not complete: %.0f%% was measured; the results below are from that "
			"part.\n",
			floor(probe->done * 100));
}

/* ---- levels ---- */

static void put_levels(FILE *out, const struct probe_report *probe)
{
	const struct hierarchy *hierarchy = &probe->hierarchy;
	bool begun = false;

	for (int i = 0; i < hierarchy->level_count; i++) {
		const struct hierarchy_level *level = &hierarchy->level[i];
		char found[CELL], spread[72];

		if (level->kind == LEVEL_TLB)
			continue;
		if (!begun)
			fprintf(out, "\n%-8s%-21s%-11s%7s  %-17s%7s  %s\n", "level", "size found",
				"size stated", "cycles", "range", "ns", "sure");
		begun = true;
		found_words(level, found);
		snprintf(spread, sizeof(spread), "%s to %s", units_value(level->lo).text,
			units_value(level->hi).text);
		fprintf(out, "%-8s%-21s%-11s", level->name, found,
			level->stated ? units_size_long((int64_t)level->stated).text : "-");
		cell(out, 7, level->cycles);
		fprintf(out, "  %-17s", spread);
		cell(out, 7, level->ns);
		/* If other processes share the cache, its size varies between runs, so the
		 * confidence of a single run is not printed. */
		if (level->unstable || (level->kind == LEVEL_CACHE && level->number > 2))
			fprintf(out, " varies\n");
		else
			fprintf(out, "  %3.0f%%\n", floor(level->confidence * 100));
	}
	if (begun)
		fprintf(out, "(cycles: %s; ns: timed)\n", cycles_of(probe));
}

/* Returns the relative distance from the median to the quartile that is farther from it. */
static double spread_of(const struct probe_point *point)
{
	const struct sample *sample = &point->sample;

	return sample->valid ? fmax(sample->cpe_hi - sample->cpe, sample->cpe - sample->cpe_lo) /
				       sample->cpe
			     : 0;
}

static double spread_over(const struct probe_curve *curve)
{
	double most = 0;

	for (int i = 0; i < curve->count; i++)
		most = fmax(most, spread_of(&curve->point[i]));
	return most;
}

/* Prints a line below a table with the sources and the precision of the table's numbers. */
static void put_sources(FILE *out, const char *words, double spread)
{
	fprintf(out, "(%s; quartiles at most %.1f %% off)\n", words, 100 * spread);
}

/* ---- bandwidth ---- */

/* Prints published values of the levels that the probe found: "L2: Haswell 0.5, Skylake 1". */
static void put_elsewhere(FILE *out, const struct probe_report *probe)
{
	struct text text = { 0 };
	char words[160];

	for (int i = 0; i < probe->band_count; i++)
		if (literature_words(
			    &probe->published, probe->band[i].level, words, sizeof(words), NULL))
			text_addf(&text, "%s%s: %s", text.length ? "; " : "", probe->band[i].level,
				words);
	if (text.length) {
		text_addf(&text, " (%s).", probe->published.row[0].source);
		text_print(out, TEXT_COLUMNS, "Lines a cycle elsewhere: ", 2, text_string(&text));
	}
	text_free(&text);
}

static void put_bands(FILE *out, const struct probe_report *probe)
{
	double spread = 0;
	bool doubtful = false;

	if (!probe->band_count)
		return;
	fprintf(out, "\n%-15s %20s %20s %20s\n", "", "read", "write", "copy");
	fprintf(out, "%-8s%6s ", "level", "size");
	for (int i = 0; i < PROBE_OPERATIONS; i++)
		fprintf(out, " %8s%6s%6s", "B/cycle", "lines", "GB/s");
	fputc('\n', out);
	for (int i = 0; i < probe->band_count; i++) {
		const struct probe_band *band = &probe->band[i];

		fprintf(out, "%-8s%6s ", band->level, units_size_short((int64_t)band->size).text);
		for (int k = 0; k < PROBE_OPERATIONS; k++) {
			const struct sample *sample = &band->point[k].sample;

			spread = fmax(spread, spread_of(&band->point[k]));
			doubtful |= sample->valid && sample_doubt(sample);
			if (sample->valid)
				fprintf(out, " %8s%6.2f%6.1f",
					words_of("%.2f%s", sample->bytes_per_cycle,
						sample_doubt(sample) ? "?" : "")
						.text,
					band->lines[k], sample->gbps);
			else
				fprintf(out, " %8s%6s%6s", "-", "-", "-");
		}
		fputc('\n', out);
	}
	put_sources(
		out, words_of("B/cycle, lines: %s; GB/s: timed", cycles_of(probe)).text, spread);
	if (doubtful)
		fputs("(?: contended or not settled, so the value may be wrong)\n", out);
	put_elsewhere(out, probe);
}

/* ---- other results ---- */

static void put_parallel(FILE *out, const struct probe_report *probe)
{
	const struct probe_curve *curve = &probe->parallel;
	const struct setting *last;
	bool beyond = false;

	if (!curve->count)
		return;
	last = &curve->point[curve->count - 1].setting;
	fprintf(out, "\n%-15s", "loads at once");
	for (int i = 0; i < curve->count; i++)
		fprintf(out, "%7.0f", curve->point[i].x);
	fprintf(out, "\n%-15s", "ns a load");
	for (int i = 0; i < curve->count; i++)
		cell(out, 7, figure_of(&curve->point[i], curve->point[i].sample.ns));
	fprintf(out, "\n%-15s", "times as fast");
	for (int i = 0; i < curve->count; i++)
		cell(out, 7,
			curve->point[0].x == 1 && curve->point[0].sample.valid &&
					curve->point[i].sample.ns > 0
				? curve->point[0].sample.ns / curve->point[i].sample.ns
				: NAN);
	fputc('\n', out);
	put_sources(out,
		words_of("timed, in %s",
			units_size_long((int64_t)kernel_footprint(last->kernel, last->v)).text)
			.text,
		spread_over(curve));
	for (int i = 0; i < curve->count; i++)
		beyond = beyond || probe_beyond(&curve->point[0], &curve->point[i]);
	if (beyond)
		text_print(out, TEXT_COLUMNS, "", 2,
			"N loads at once are at most N times as fast. Memory was slower while one "
			"load was timed alone, so these ratios are too high.");
}

/* Prints two values for each number of cores in a curve. If `loaded` is false, both values are
 * bandwidths of the cores that read memory. If `loaded` is true, the values are the load latency of
 * one core and the bandwidth of the other cores, which stream. */
static void put_cores(FILE *out, const struct probe_curve *curve, bool loaded)
{
	if (!curve->count)
		return;
	fprintf(out, "\n%-30s%12s%12s\n",
		loaded ? "cores that stream alongside" : "cores that read memory",
		loaded ? "ns a load" : "GB/s", loaded ? "their GB/s" : "GB/s a core");
	for (int i = 0; i < curve->count; i++) {
		const struct probe_point *point = &curve->point[i];
		double all = point->x > 1 ? point->sample.total_gbps : point->sample.gbps,
		       others = point->facts.others_gbps;

		fprintf(out, "%-30.0f", point->x);
		cell(out, 12, figure_of(point, loaded ? point->sample.ns : all));
		cell(out, 12,
			!loaded	     ? figure_of(point, all / point->x)
			: others > 0 ? others
				     : NAN);
		fputc('\n', out);
	}
	put_sources(out, "timed", spread_over(curve));
}

static void put_singles(FILE *out, const struct probe_report *probe)
{
	const struct hierarchy *hierarchy = &probe->hierarchy;
	bool begun = false;

	for (int i = 0; i < hierarchy->level_count; i++)
		if (hierarchy->level[i].kind == LEVEL_TLB) {
			text_print(
				out, TEXT_COLUMNS, begun ? "" : "\n", 2, hierarchy->level[i].words);
			begun = true;
		}
	if (isfinite(hierarchy->line))
		fprintf(out, "%sline: %.0f bytes\n", begun ? "" : "\n", hierarchy->line);
}

static void put_findings(FILE *out, const struct probe_report *probe)
{
	for (int i = 0; i < probe->hierarchy.finding_count; i++)
		text_print(
			out, TEXT_COLUMNS, i ? "* " : "\n* ", 2, probe->hierarchy.finding[i].text);
	for (int i = 0; i < probe->notes.count; i++)
		text_print(out, TEXT_COLUMNS, i ? "note: " : "\nnote: ", 6, probe->notes.note[i]);
}

/* ---- The plot of latency over size */

/* The size of the plot in characters. Both axes of the plot of latency over size are logarithmic.
 * The first pass of the probe measures four sizes per octave, so an octave has four columns. If the
 * plot would be too wide, an octave has two columns. */
enum { ROWS = 14, COLUMNS = 70, LEFT = 8, PER_OCTAVE = 4, LABEL_OCTAVES = 4 };

struct plot {
	char mark[ROWS][COLUMNS];
	int per_octave, width;
	struct scale y;
};

static const char marks[PAGE_KINDS] = { 'o', 'o', 'x' };

static int column_of(double bytes, int per_octave)
{
	return (int)lround(log2(bytes / (double)PROBE_SMALLEST) * per_octave);
}

static void mark(struct plot *plot, double bytes, double cycles, char with)
{
	int column = column_of(bytes, plot->per_octave);
	int row = (int)lround(scale_place(&plot->y, cycles) * (ROWS - 1));
	char *at;

	if (column < 0 || column >= COLUMNS || row < 0 || row >= ROWS)
		return;
	at = &plot->mark[row][column];
	*at = *at == ' ' || *at == with ? with : '*';
}

static bool range_of(const struct probe_report *probe, struct scale *scale)
{
	double least = INFINITY, most = 0;

	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < probe->lines[kind].count; i++) {
			const struct sample *sample = &probe->lines[kind].point[i].sample;

			if (!sample->valid)
				continue;
			least = fmin(least, sample->cpe);
			most = fmax(most, sample->modes == 2 ? fmax(sample->mode_high, sample->cpe)
							     : sample->cpe);
		}
	if (!(most > 0))
		return false;
	if (most < 2 * least)
		most = 2 * least;
	*scale = (struct scale){ .kind = SCALE_LOG, .low = least, .high = most };
	return true;
}

static void draw(const struct probe_report *probe, struct plot *plot)
{
	memset(plot->mark, ' ', sizeof(plot->mark));
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < probe->lines[kind].count; i++) {
			const struct probe_point *point = &probe->lines[kind].point[i];
			const struct sample *sample = &point->sample;

			if (!sample->valid)
				continue;
			/* If the trials of a sample have two modes (two separate groups of values),
			 * the plot marks both modes, not a value between the two. */
			if (sample->modes == 2)
				mark(plot, point->x, sample->mode_low, marks[kind]);
			mark(plot, point->x, sample->modes == 2 ? sample->mode_high : sample->cpe,
				marks[kind]);
		}
}

static void put_plot(FILE *out, const struct probe_report *probe)
{
	struct plot plot = { .per_octave = PER_OCTAVE };
	bool both = probe->lines[PAGES_4K].count && probe->lines[PAGES_HUGE].count;

	if (!range_of(probe, &plot.y))
		return;
	if (column_of((double)probe->options.max_size, plot.per_octave) >= COLUMNS)
		plot.per_octave = PER_OCTAVE / 2;
	plot.width = column_of((double)probe->options.max_size, plot.per_octave) + 1;
	if (plot.width > COLUMNS)
		plot.width = COLUMNS;
	draw(probe, &plot);
	fprintf(out, "\n%*s %s\n", LEFT - 1, "cycles",
		both ? "o 4k pages, x huge pages, * both" : "");
	for (int row = ROWS - 1; row >= 0; row--) {
		struct units_text label = { "" };
		int end = plot.width;

		if (row == ROWS - 1 || row == 0 || row == ROWS / 2)
			label = units_value(plot.y.low * pow(plot.y.high / plot.y.low,
								 (double)row / (ROWS - 1)));
		while (end > 0 && plot.mark[row][end - 1] == ' ')
			end--;
		fprintf(out, "%*s |%.*s\n", LEFT - 2, label.text, end, plot.mark[row]);
	}
	fprintf(out, "%*s +", LEFT - 2, "");
	for (int column = 0; column < plot.width; column++)
		fputc(column % (LABEL_OCTAVES * plot.per_octave) == 0 ? '+' : '-', out);
	fprintf(out, "\n%*s", LEFT, "");
	for (int column = 0; column < plot.width; column += LABEL_OCTAVES * plot.per_octave) {
		bool last = column + LABEL_OCTAVES * plot.per_octave >= plot.width;
		double bytes = (double)PROBE_SMALLEST * exp2((double)column / plot.per_octave);

		fprintf(out, "%-*s", last ? 0 : LABEL_OCTAVES * plot.per_octave,
			units_size_short((int64_t)bytes).text);
	}
	fputs("\n", out);
}

/* ---- every point ---- */

static void put_curve(FILE *out, const char *part, const struct probe_curve *curve, bool bytes)
{
	for (int i = 0; i < curve->count; i++) {
		const struct probe_point *point = &curve->point[i];
		const struct sample *sample = &point->sample;
		const double values[] = { sample->cpe, sample->cpe_lo, sample->cpe_hi, sample->ns };
		struct units_text x = units_size_short((int64_t)point->x);

		if (!bytes)
			snprintf(x.text, sizeof(x.text), "%.0f", point->x);
		fprintf(out, "%-24s%10s", part, x.text);
		for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++)
			cell(out, 9, figure_of(point, values[k]));
		fprintf(out, "%6u", sample->trials);
		if (sample->modes == 2)
			fprintf(out, "  %s or %s", units_value(sample->mode_low).text,
				units_value(sample->mode_high).text);
		fprintf(out, "%s\n", sample->contended ? "  contended" : "");
	}
}

static void put_points(FILE *out, const struct probe_report *probe)
{
	static const char *const lines[PAGE_KINDS] = { "latency", "latency, 4k pages",
		"latency, huge pages" };
	static const char *const pages[PAGE_KINDS] = { "a line a page", "a line a page, 4k pages",
		"a line a page, huge pages" };

	fprintf(out, "\n%-24s%10s%9s%9s%9s%9s%6s\n", "points", "x", "cycles", "lo", "hi", "ns",
		"used");
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		put_curve(out, lines[kind], &probe->lines[kind], true);
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		put_curve(out, pages[kind], &probe->pages[kind], true);
	put_curve(out, "pairs, bytes apart", &probe->pairs, false);
	put_curve(out, "chains at once", &probe->parallel, false);
	put_curve(out, "cores that read", &probe->cores, false);
	put_curve(out, "others that stream", &probe->loaded, false);
}

void probe_print(FILE *out, const struct probe_report *probe, bool points)
{
	put_head(out, probe);
	put_levels(out, probe);
	put_bands(out, probe);
	put_singles(out, probe);
	put_parallel(out, probe);
	put_cores(out, &probe->cores, false);
	put_cores(out, &probe->loaded, true);
	if (probe->transfer)
		core_map_print(out, probe->transfer, points);
	put_findings(out, probe);
	if (points)
		put_points(out, probe);
	else
		put_plot(out, probe);
}
