/* Curves of a probe as text. */
#include <math.h>
#include <string.h>

#include "base/scale.h"
#include "base/units.h"
#include "cli/texts.h"
#include "experiment/probe/probe.h"

/* A plot of latency over size, both logarithmic: four columns an octave are what the first pass
 * measures; where more octaves are to fit, two. */
enum { ROWS = 14, COLUMNS = 70, LEFT = 8, PER_OCTAVE = 4, LABEL_OCTAVES = 4 };

struct plot {
	char mark[ROWS][COLUMNS + 1];
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
	for (int row = 0; row < ROWS; row++) {
		memset(plot->mark[row], ' ', COLUMNS);
		plot->mark[row][COLUMNS] = '\0';
	}
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < probe->lines[kind].count; i++) {
			const struct probe_point *point = &probe->lines[kind].point[i];
			const struct sample *sample = &point->sample;

			if (!sample->valid)
				continue;
			/* Of two modes both, and not what lies between them. */
			if (sample->modes == 2)
				mark(plot, point->x, sample->mode_low, marks[kind]);
			mark(plot, point->x, sample->modes == 2 ? sample->mode_high : sample->cpe,
				marks[kind]);
		}
}

void probe_text_plot(FILE *out, const struct probe_report *probe)
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
		char label[16] = "";
		int end = plot.width;

		if (row == ROWS - 1 || row == 0 || row == ROWS / 2)
			units_figure(plot.y.low * pow(plot.y.high / plot.y.low,
							  (double)row / (ROWS - 1)),
				label, sizeof(label));
		while (end > 0 && plot.mark[row][end - 1] == ' ')
			end--;
		fprintf(out, "%*s |%.*s\n", LEFT - 2, label, end, plot.mark[row]);
	}
	fprintf(out, "%*s +", LEFT - 2, "");
	for (int column = 0; column < plot.width; column++)
		fputc(column % (LABEL_OCTAVES * plot.per_octave) == 0 ? '+' : '-', out);
	fprintf(out, "\n%*s", LEFT, "");
	for (int column = 0; column < plot.width; column += LABEL_OCTAVES * plot.per_octave) {
		bool last = column + LABEL_OCTAVES * plot.per_octave >= plot.width;
		char size[16];

		units_bytes_short(
			(int64_t)((double)PROBE_SMALLEST * exp2((double)column / plot.per_octave)),
			size, sizeof(size));
		fprintf(out, "%-*s", last ? 0 : LABEL_OCTAVES * plot.per_octave, size);
	}
	fputs("\n", out);
}

/* ---- every point ---- */

static void put_point(FILE *out, const char *part, const char *x, const struct probe_point *point)
{
	const struct sample *sample = &point->sample;
	char cycles[16], lo[16], hi[16], ns[16];

	units_figure(sample->valid ? sample->cpe : NAN, cycles, sizeof(cycles));
	units_figure(sample->valid ? sample->cpe_lo : NAN, lo, sizeof(lo));
	units_figure(sample->valid ? sample->cpe_hi : NAN, hi, sizeof(hi));
	units_figure(sample->valid ? sample->ns : NAN, ns, sizeof(ns));
	fprintf(out, "%-24s%10s%9s%9s%9s%9s%6u", part, x, cycles, lo, hi, ns, sample->trials);
	if (sample->modes == 2) {
		units_figure(sample->mode_low, lo, sizeof(lo));
		units_figure(sample->mode_high, hi, sizeof(hi));
		fprintf(out, "  %s or %s", lo, hi);
	}
	fprintf(out, "%s\n", sample->contended ? "  contended" : "");
}

static void put_curve(FILE *out, const char *part, const struct probe_curve *curve, bool bytes)
{
	for (int i = 0; i < curve->count; i++) {
		char x[32];

		if (bytes)
			units_bytes_short((int64_t)curve->point[i].x, x, sizeof(x));
		else
			snprintf(x, sizeof(x), "%.0f", curve->point[i].x);
		put_point(out, part, x, &curve->point[i]);
	}
}

void probe_text_points(FILE *out, const struct probe_report *probe)
{
	static const char *const pages[PAGE_KINDS] = { "", ", 4k pages", ", huge pages" };
	char part[48];

	fprintf(out, "\n%-24s%10s%9s%9s%9s%9s%6s\n", "points", "x", "cycles", "lo", "hi", "ns",
		"used");
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		snprintf(part, sizeof(part), "latency%s", pages[kind]);
		put_curve(out, part, &probe->lines[kind], true);
	}
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		snprintf(part, sizeof(part), "a line a page%s", pages[kind]);
		put_curve(out, part, &probe->pages[kind], true);
	}
	put_curve(out, "pairs, bytes apart", &probe->pairs, false);
	put_curve(out, "chains at once", &probe->parallel, false);
	put_curve(out, "cores that read", &probe->cores, false);
	put_curve(out, "others that stream", &probe->loaded, false);
}
