/* Curves of a probe as text. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/probe_text.h"

/* A plot of latency over size, both logarithmic: four columns an octave are what the first pass measures. */
enum { ROWS = 14, COLUMNS = 70, LEFT = 8, PER_OCTAVE = 4 };

static const char marks[PAGE_KINDS] = { 'o', 'o', 'x' };

static int column_of(double bytes)
{
	return (int)lround(log2(bytes / (double)PROBE_SMALLEST) * PER_OCTAVE);
}

static int row_of(double cycles, double least, double most)
{
	return (int)lround(log(cycles / least) / log(most / least) * (ROWS - 1));
}

static void mark(char plot[ROWS][COLUMNS + 1], double bytes, double cycles, double least, double most, char with)
{
	int column = column_of(bytes), row = row_of(cycles, least, most);
	char *at;

	if (column < 0 || column >= COLUMNS || row < 0 || row >= ROWS)
		return;
	at = &plot[row][column];
	*at = *at == ' ' || *at == with ? with : '*';
}

static bool range_of(const struct probe_report *probe, double *least, double *most)
{
	*least = INFINITY;
	*most = 0;
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < probe->lines[kind].count; i++) {
			const struct sample *sample = &probe->lines[kind].point[i].sample;

			if (!sample->valid)
				continue;
			*least = fmin(*least, sample->cpe);
			*most = fmax(*most, sample->modes == 2 ? fmax(sample->mode_high, sample->cpe) : sample->cpe);
		}
	if (!(*most > 0))
		return false;
	if (*most < 2 * *least)
		*most = 2 * *least;
	return true;
}

static void draw(const struct probe_report *probe, double least, double most, char plot[ROWS][COLUMNS + 1])
{
	for (int row = 0; row < ROWS; row++) {
		memset(plot[row], ' ', COLUMNS);
		plot[row][COLUMNS] = '\0';
	}
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < probe->lines[kind].count; i++) {
			const struct probe_point *point = &probe->lines[kind].point[i];
			const struct sample *sample = &point->sample;

			if (!sample->valid)
				continue;
			/* Of two modes both, and not what lies between them. */
			if (sample->modes == 2)
				mark(plot, point->x, sample->mode_low, least, most, marks[kind]);
			mark(plot, point->x, sample->modes == 2 ? sample->mode_high : sample->cpe, least, most, marks[kind]);
		}
}

void probe_text_plot(FILE *out, const struct probe_report *probe)
{
	char plot[ROWS][COLUMNS + 1];
	double least, most;
	int width;
	bool both = probe->lines[PAGES_4K].count && probe->lines[PAGES_HUGE].count;

	if (!range_of(probe, &least, &most))
		return;
	draw(probe, least, most, plot);
	width = column_of((double)probe->options.max_size) + 1;
	if (width > COLUMNS)
		width = COLUMNS;
	fprintf(out, "\n%*s %s\n", LEFT - 1, "cycles", both ? "o 4k pages, x huge pages, * both" : "");
	for (int row = ROWS - 1; row >= 0; row--) {
		char label[16] = "";
		int end = width;

		if (row == ROWS - 1 || row == 0 || row == ROWS / 2)
			units_figure(least * pow(most / least, (double)row / (ROWS - 1)), label, sizeof(label));
		while (end > 0 && plot[row][end - 1] == ' ')
			end--;
		fprintf(out, "%*s |%.*s\n", LEFT - 2, label, end, plot[row]);
	}
	fprintf(out, "%*s +", LEFT - 2, "");
	for (int column = 0; column < width; column++)
		fputc(column % (4 * PER_OCTAVE) == 0 ? '+' : '-', out);
	fprintf(out, "\n%*s", LEFT, "");
	for (int column = 0; column < width;) {
		char size[16];

		units_bytes_short((int64_t)((double)PROBE_SMALLEST * exp2((double)column / PER_OCTAVE)), size, sizeof(size));
		fprintf(out, "%-*s", column + 4 * PER_OCTAVE < width ? 4 * PER_OCTAVE : 0, size);
		column += 4 * PER_OCTAVE;
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

	fprintf(out, "\n%-24s%10s%9s%9s%9s%9s%6s\n", "points", "x", "cycles", "lo", "hi", "ns", "used");
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
