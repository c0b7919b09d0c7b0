/* A probe's report for people, in 80 columns of ASCII: the levels first, then what moves between
 * them, then the rest; the curve last. */
#include "cli/texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "experiment/probe/probe.h"

enum { CELL = 40 };

/* Readings of memory agree within this. */
#define BEYOND 1.1

/* ---- words ---- */

static void cell(FILE *out, int width, double value)
{
	char word[32];

	units_figure(value, word, sizeof(word));
	fprintf(out, "%*s", width, word);
}

/* A figure of a point; NAN where it could not be measured. */
static double figure_of(const struct probe_point *point, double value)
{
	return point->sample.valid ? value : (double)NAN;
}

/* Of a level without an honest size the range: "18.9 to 26.9 MiB". */
static void found_words(const struct hierarchy_level *level, char buffer[CELL])
{
	char lo[16], hi[16];
	size_t unit;

	if (level->kind == LEVEL_MEMORY) {
		snprintf(buffer, CELL, "-");
	} else if (level->kind == LEVEL_CACHE && (level->unstable || level->number > 2)) {
		units_bytes_long((int64_t)level->bytes_lo, lo, sizeof(lo));
		units_bytes_long((int64_t)level->bytes_hi, hi, sizeof(hi));
		unit = strcspn(lo, " ");
		if (strcmp(lo, hi) == 0)
			snprintf(buffer, CELL, "about %s", lo);
		else
			snprintf(buffer, CELL, "%.*s to %s",
				strcmp(lo + unit, hi + strcspn(hi, " ")) == 0 ? (int)unit : CELL,
				lo, hi);
	} else {
		units_bytes_long((int64_t)llround(level->bytes), buffer, CELL);
	}
}

/* ---- the head ---- */

static void add(struct text *text, const char *separator, const char *words)
{
	text_addf(text, "%s%s", text->length ? separator : "", words);
}

/* The first sample that there is; NULL: there is none. */
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

static double clock_of(const struct probe_report *probe)
{
	const struct sample *sample = first_of(probe);

	return sample ? sample->ghz : NAN;
}

/* What cycles are counted by: the same all along. */
static enum source cycles_of(const struct probe_report *probe)
{
	const struct sample *sample = first_of(probe);

	return sample ? sample->cycles_from : SOURCE_NONE;
}

/* "4k pages (asked for and got)", "huge pages (got: mixed)". */
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
		add(text, separator, asked[kind]);
		separator = ", ";
		if (*got && strcmp(got, alike[kind]) != 0)
			text_addf(text, " (got: %s)", got);
	}
}

static void put_head(FILE *out, const struct probe_report *probe)
{
	const struct machine *machine = probe->machine;
	struct text text = { 0 };
	double ghz = clock_of(probe);
	char most[32];

	add(&text, "", machine->name[0] ? machine->name : machine->arch);
	if (machine->virtualised)
		add(&text, ", ", "virtual machine");
	if (machine->cpu >= 0)
		text_addf(&text, ", core %d", machine->cpu);
	if (isfinite(ghz))
		text_addf(&text, " at %.2f GHz", ghz);
	units_bytes_long((int64_t)probe->options.max_size, most, sizeof(most));
	text_addf(&text, "; up to %s", most);
	add_pages(&text, probe);
	text_addf(&text, "; %.1f s", probe->seconds);
	text_print(out, TEXT_COLUMNS, "", 0, text_string(&text));
	text_free(&text);
	if (!probe->complete)
		fprintf(out, "Not complete: %.0f%% was measured; what follows is what that says.\n",
			floor(probe->done * 100));
}

/* ---- levels ---- */

static void put_levels(FILE *out, const struct probe_report *probe)
{
	const struct hierarchy *hierarchy = &probe->hierarchy;
	bool begun = false;

	for (int i = 0; i < hierarchy->level_count; i++) {
		const struct hierarchy_level *level = &hierarchy->level[i];
		char found[CELL], stated[CELL] = "-", spread[CELL], lo[16], hi[16];

		if (level->kind == LEVEL_TLB)
			continue;
		if (!begun)
			fprintf(out, "\n%-8s%-21s%-11s%7s  %-17s%7s  %s\n", "level", "size found",
				"size stated", "cycles", "range", "ns", "sure");
		begun = true;
		found_words(level, found);
		if (level->stated)
			units_bytes_long((int64_t)level->stated, stated, sizeof(stated));
		units_figure(level->lo, lo, sizeof(lo));
		units_figure(level->hi, hi, sizeof(hi));
		snprintf(spread, sizeof(spread), "%s to %s", lo, hi);
		fprintf(out, "%-8s%-21s%-11s", level->name, found, stated);
		cell(out, 7, level->cycles);
		fprintf(out, "  %-17s", spread);
		cell(out, 7, level->ns);
		/* How sure one run can be says nothing of the next where neighbours take their
		 * share. */
		if (level->unstable || (level->kind == LEVEL_CACHE && level->number > 2))
			fprintf(out, " varies\n");
		else
			fprintf(out, "  %3.0f%%\n", floor(level->confidence * 100));
	}
	if (begun)
		fprintf(out, "(cycles: %s; ns: timed)\n", format_cycles_source(cycles_of(probe)));
}

/* How far quartiles are from the median, at most. */
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

/* Under a table: where its numbers come from, and how good they are. */
static void put_sources(FILE *out, const char *words, double spread)
{
	fprintf(out, "(%s; quartiles at most %.1f %% off)\n", words, 100 * spread);
}

/* ---- bandwidth ---- */

/* "L2: Haswell 0.5, Skylake 1": what others measured of the levels that were found. */
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
	char words[80];

	if (!probe->band_count)
		return;
	fprintf(out, "\n%-15s %20s %20s %20s\n", "", "read", "write", "copy");
	fprintf(out, "%-8s%6s ", "level", "size");
	for (int i = 0; i < PROBE_OPERATIONS; i++)
		fprintf(out, " %8s%6s%6s", "B/cycle", "lines", "GB/s");
	fputc('\n', out);
	for (int i = 0; i < probe->band_count; i++) {
		const struct probe_band *band = &probe->band[i];
		char size[16];

		units_bytes_short((int64_t)band->size, size, sizeof(size));
		fprintf(out, "%-8s%6s ", band->level, size);
		for (int k = 0; k < PROBE_OPERATIONS; k++) {
			const struct sample *sample = &band->point[k].sample;

			spread = fmax(spread, spread_of(&band->point[k]));
			if (sample->valid)
				fprintf(out, " %8.2f%6.2f%6.1f", sample->bytes_per_cycle,
					band->lines[k], sample->gbps);
			else
				fprintf(out, " %8s%6s%6s", "-", "-", "-");
		}
		fputc('\n', out);
	}
	snprintf(words, sizeof(words), "B/cycle, lines: %s; GB/s: timed",
		format_cycles_source(cycles_of(probe)));
	put_sources(out, words, spread);
	put_elsewhere(out, probe);
}

/* ---- the rest ---- */

static void put_parallel(FILE *out, const struct probe_report *probe)
{
	const struct probe_curve *curve = &probe->parallel;
	const struct setting *last;
	bool beyond = false;
	char set[24], sources[48];

	if (!curve->count)
		return;
	last = &curve->point[curve->count - 1].setting;
	units_bytes_long((int64_t)kernel_footprint(last->kernel, last->v), set, sizeof(set));
	snprintf(sources, sizeof(sources), "timed, in %s", set);
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
					curve->point[i].sample.cpe > 0
				? curve->point[0].sample.cpe / curve->point[i].sample.cpe
				: NAN);
	fputc('\n', out);
	put_sources(out, sources, spread_over(curve));
	/* So many at once hide no more than so many waits. */
	for (int i = 0; i < curve->count; i++)
		beyond = beyond || curve->point[0].sample.cpe >
					   BEYOND * curve->point[i].x * curve->point[i].sample.cpe;
	if (curve->point[0].x == 1 && beyond)
		text_print(out, TEXT_COLUMNS, "", 2,
			"N loads at once are at most N times as fast: memory was slower while one "
			"alone was timed, so these are too high.");
}

static void put_cores(FILE *out, const struct probe_report *probe)
{
	for (int i = 0; i < probe->cores.count; i++) {
		const struct probe_point *point = &probe->cores.point[i];
		double all = point->x > 1 ? point->sample.total_gbps : point->sample.gbps;

		if (i == 0)
			fprintf(out, "\n%-30s%12s%12s\n", "cores that read memory", "GB/s",
				"GB/s a core");
		fprintf(out, "%-30.0f", point->x);
		cell(out, 12, figure_of(point, all));
		cell(out, 12, figure_of(point, all / point->x));
		fputc('\n', out);
	}
	if (probe->cores.count)
		put_sources(out, "timed", spread_over(&probe->cores));
	for (int i = 0; i < probe->loaded.count; i++) {
		const struct probe_point *point = &probe->loaded.point[i];

		if (i == 0)
			fprintf(out, "\n%-30s%12s%12s\n", "others that stream meanwhile",
				"ns a load", "their GB/s");
		fprintf(out, "%-30.0f", point->x);
		cell(out, 12, figure_of(point, point->sample.ns));
		cell(out, 12, point->facts.others_gbps > 0 ? point->facts.others_gbps : NAN);
		fputc('\n', out);
	}
	if (probe->loaded.count)
		put_sources(out, "timed", spread_over(&probe->loaded));
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
	for (int i = 0; i < probe->note_count; i++)
		text_print(out, TEXT_COLUMNS, i ? "note: " : "\nnote: ", 6, probe->note[i]);
}

void probe_text(struct report *report, const struct probe_report *probe)
{
	FILE *out = report->out;

	put_head(out, probe);
	put_levels(out, probe);
	put_bands(out, probe);
	put_singles(out, probe);
	put_parallel(out, probe);
	put_cores(out, probe);
	put_findings(out, probe);
	if (report->points)
		probe_text_points(out, probe);
	else
		probe_text_plot(out, probe);
	report->records++;
}
