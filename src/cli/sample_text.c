/* Prints one sample as a few lines of text, or the samples of a sweep as an aligned table. The text
 * is ASCII, which every terminal can show. Titles and other texts of kernels are printed unchanged.
 */
#include "cli/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/units.h"
#include "experiment/setting/cells.h"
#include "experiment/sweep/sweep.h"
#include "model/core/uarch.h"
#include "model/counts/counts.h"
#include "model/limits/explain.h"

/* ---- The rows of a sweep */

/* Returns the width of a swept knob's column: the width of its name or of its widest value. */
static int axis_width(const struct kernel *kernel, const struct sweep_axis *axis)
{
	const struct knob *knob = &kernel->knobs[axis->knob];
	int width = (int)strlen(knob->name);

	for (size_t i = 0; i < axis->count; i++) {
		int length = (int)strlen(setting_value(knob, axis->values[i]).text);

		width = length > width ? length : width;
	}
	return width;
}

static bool swept(const struct report *report, int knob)
{
	for (size_t i = 0; i < report->axis_count; i++)
		if (report->axes[i].knob == knob && report->axes[i].count > 1)
			return true;
	return false;
}

/* Returns the index of an event that the user requested in the list of events to count; -1: the
 * list does not contain the event. */
static int asked_event(const struct report *report, int asked)
{
	const struct event_plan *plan = report->events;

	for (int i = 0; plan && i < plan->counters.count; i++)
		if (strcasecmp(plan->counters.event[i].name, report->asked[asked]) == 0)
			return i;
	return -1;
}

/* Finds the title of an event's column, which is the event's name without the PMU's name. Returns
 * the width of the column. */
static int asked_title(const struct report *report, int asked, const char **title)
{
	const char *colons = strstr(report->asked[asked], "::");
	int width;

	*title = colons ? colons + 2 : report->asked[asked];
	width = (int)strlen(*title) + 2;
	return width < 9 ? 9 : width;
}

/* Whether a setting of the sweep uses more than one core. If a setting uses more than one core, the
 * table has a column for the throughput of all cores. */
static bool crowded(const struct report *report)
{
	const struct kernel *kernel = report->setting.kernel;
	int cores = kernel_asking(kernel, ASKS_CORES),
	    streams = kernel_asking(kernel, ASKS_STREAMS);

	return (cores >= 0 && (report->setting.v[cores] > 1 || swept(report, cores))) ||
	       (streams >= 0 && (report->setting.v[streams] > 0 || swept(report, streams)));
}

/* The columns of a sweep's table to the right of the knobs. Values have up to six characters, so a
 * line with two knobs and the flags fits in 80 columns. */
enum column_when {
	ALWAYS,
	DATA,  /* the column is omitted if the named sweep shows another quantity than throughput */
	LIMIT, /* the column is shown if there is a core model */
	IPC,   /* the column is shown if events are counted */
	CROWDED, /* the column is shown if the sweep uses other cores */
	SPEEDUP, /* the column is shown for a named sweep that has a baseline */
	SHOWN,	 /* the column is shown for a named sweep that shows the column's quantity */
	/* The column is shown for a named sweep that shows the column's quantity or has published
	 * values of that quantity. */
	ASKED,
	/* The column shows the published values of the quantity of the column before it, if the
	 * named sweep has any. */
	PUBLISHED,
};
enum column_kind { VALUE, SOURCE, COUNT, PERCENT, SECONDS };

/* The column with the published values of a quantity, next to the column with the measured ones. */
#define PUBLISHED_OF(figure)                                   \
	{                                                      \
		"published", 10, PUBLISHED, .quantity = figure \
	}

static const struct column {
	const char *title;
	int width;
	enum column_when when;
	const char *field; /* name of the field of a sample that the column shows; NULL: the column
			      shows `quantity` */
	enum sweeps_figure quantity;
	enum column_kind kind;
} columns[] = {
	{ "CPE", 7, .field = "cpe" },
	PUBLISHED_OF(SWEEPS_CPE),
	{ "lo", 7, .field = "cpe_lo" },
	{ "hi", 7, .field = "cpe_hi" },
	{ "src", 4, .field = "cycles_from", .kind = SOURCE },
	{ "trials", 7, .field = "trials", .kind = COUNT },
	{ "quiet", 6, .field = "quiet", .kind = PERCENT },
	{ "ns", 7, .field = "ns" },
	PUBLISHED_OF(SWEEPS_NS),
	{ "GHz", 6, .field = "ghz" },
	{ "GB/s", 7, DATA, .field = "gbps" },
	PUBLISHED_OF(SWEEPS_GBPS),
	{ "B/cycle", 8, DATA, .field = "bytes_per_cycle" },
	PUBLISHED_OF(SWEEPS_BYTES_PER_CYCLE),
	{ "limit", 7, LIMIT, .field = "limit" },
	{ "IPC", 6, IPC, .field = "ipc" },
	{ "all GB/s", 9, CROWDED, .field = "gbps_total" },
	{ "seconds", 10, SHOWN, .quantity = SWEEPS_SECONDS, .kind = SECONDS },
	PUBLISHED_OF(SWEEPS_SECONDS),
	{ "speedup", 8, SPEEDUP, .field = "speedup" },
	PUBLISHED_OF(SWEEPS_SPEEDUP),
	{ "instr", 8, ASKED, .quantity = SWEEPS_INSTRUCTIONS },
	PUBLISHED_OF(SWEEPS_INSTRUCTIONS),
	{ "CPI", 7, ASKED, .quantity = SWEEPS_CPI },
	PUBLISHED_OF(SWEEPS_CPI),
	{ "mem%", 6, ASKED, .quantity = SWEEPS_TRAFFIC },
	PUBLISHED_OF(SWEEPS_TRAFFIC),
	{ "Minstr", 8, ASKED, .quantity = SWEEPS_INSTRUCTIONS_TOTAL },
	PUBLISHED_OF(SWEEPS_INSTRUCTIONS_TOTAL),
};

static bool has_column(const struct report *report, const struct column *column)
{
	const struct named_sweep *named = report->named;

	switch (column->when) {
	case ALWAYS: return true;
	case DATA:
		return !named || named->figure == SWEEPS_GBPS ||
		       named->figure == SWEEPS_BYTES_PER_CYCLE;
	case LIMIT: return report_core(report);
	case IPC: return report->counted;
	case CROWDED: return report->crowded;
	case SPEEDUP: return named && named->base >= 0;
	case SHOWN: return named && named->figure == column->quantity;
	case ASKED:
		/* If a named sweep shows or compares instructions per element or CPI, the table has
		 * columns for both quantities. */
		return named && (sweeps_asks(named, column->quantity) ||
					(column->quantity == SWEEPS_INSTRUCTIONS &&
						sweeps_asks(named, SWEEPS_CPI)) ||
					(column->quantity == SWEEPS_CPI &&
						sweeps_asks(named, SWEEPS_INSTRUCTIONS)));
	case PUBLISHED:
		return named && sweeps_publishes(named, column->quantity) &&
		       has_column(report, column - 1);
	}
	return false;
}

static void sweep_begin_text(struct report *report)
{
	const struct kernel *kernel = report->setting.kernel;

	if (report->named)
		fprintf(report->out, "%s: %s\n", report->named->name, report->named->title);
	/* Knobs with a constant value are printed once, above the table. */
	fputs(kernel->name, report->out);
	for (int i = 0; i < kernel->knob_count; i++) {
		if (!swept(report, i))
			fprintf(report->out, " %s=%s", kernel->knobs[i].name,
				setting_value(&kernel->knobs[i], report->setting.v[i]).text);
	}
	fprintf(report->out, "   (CPE: cycles per %s)\n", kernel->element);
	report->crowded = crowded(report);
	report->counted = isfinite(counts_ipc(report->events, report->counts));
	for (size_t i = 0; i < report->axis_count; i++)
		if (report->axes[i].count > 1)
			fprintf(report->out, "%*s ", axis_width(kernel, &report->axes[i]),
				kernel->knobs[report->axes[i].knob].name);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (has_column(report, &columns[i]))
			fprintf(report->out, "%*s", columns[i].width, columns[i].title);
	for (int i = 0; i < report->asked_count; i++) {
		const char *title;
		int width = asked_title(report, i, &title);

		fprintf(report->out, "%*s", width, title);
	}
	fputc('\n', report->out);
}

/* Prints the published value of a setting; ">2" if the document gives only a lower bound. */
static void print_published(
	const struct report *report, const struct column *column, const struct setting *setting)
{
	const struct sweeps_published *published =
		sweeps_published_find(report->named, column->quantity, setting);
	struct text words = { 0 };

	if (published)
		text_addf(&words, "%s%s", published->over ? ">" : "",
			sweeps_number(column->quantity, published->value).text);
	fprintf(report->out, "%*s", column->width, published ? text_string(&words) : "-");
	text_free(&words);
}

static void print_column(FILE *out, const struct column *column, const struct record_sample *what)
{
	struct field_value value = { .real = NAN };
	char percent[16] = "-";

	if (column->field)
		value = field_named(column->field, what);
	else
		value.real = sweeps_value(
			column->quantity, what->sample, what->facts, what->sample_ratios, NULL);
	switch (column->kind) {
	case VALUE: fprintf(out, "%*s", column->width, units_value(value.real).text); break;
	case SOURCE:
		fprintf(out, "%*c", column->width,
			what->sample->cycles_from ? (char)what->sample->cycles_from : '-');
		break;
	case COUNT: fprintf(out, "%*" PRId64, column->width, value.integer); break;
	case PERCENT:
		if (isfinite(value.real))
			snprintf(percent, sizeof(percent), "%.0f%%", value.real * 100);
		fprintf(out, "%*s", column->width, percent);
		break;
	case SECONDS: fprintf(out, "%*.4g", column->width, value.real); break;
	}
}

static void sweep_text(struct report *report, const void *item)
{
	const struct record_sample *what = item;
	const struct setting *setting = what->setting;
	const struct sample *sample = what->sample;
	FILE *out = report->out;
	double repeated, fresh;
	bool learnt = sample_learnt(sample, what->facts, &repeated, &fresh) &&
		      !(what->facts->cpe_repeated > 0) && explain_learns(what->explanation);

	for (size_t i = 0; i < report->axis_count; i++) {
		const struct sweep_axis *axis = &report->axes[i];
		const struct knob *knob = &setting->kernel->knobs[axis->knob];

		if (axis->count > 1)
			fprintf(out, "%*s ", axis_width(setting->kernel, axis),
				setting_value(knob, setting->v[axis->knob]).text);
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (columns[i].when == PUBLISHED && has_column(report, &columns[i]))
			print_published(report, &columns[i], setting);
		else if (has_column(report, &columns[i]))
			print_column(out, &columns[i], what);
	for (int i = 0; i < report->asked_count; i++) {
		const char *title;
		int event = asked_event(report, i), width = asked_title(report, i, &title);
		const struct count *count =
			event >= 0 && report->counts && event < report->counts->count
				? &report->counts->event[event]
				: NULL;

		fprintf(out, "%*s", width,
			units_value(count && count_known(count) ? count->value : (double)NAN).text);
	}
	if (sample->contended || sample->unsettled || sample->bent || learnt || sample->varies ||
		sample->modes > 1)
		fprintf(out, " %s%s%s%s%s%s", sample->contended ? "c" : "",
			sample->unsettled ? "n" : "", sample->bent ? "l" : "", learnt ? "r" : "",
			sample->varies ? "v" : "", sample->modes > 1 ? "m" : "");
	report->contended |= sample->contended;
	report->unsettled |= sample->unsettled;
	report->bent |= sample->bent;
	report->learnt |= learnt;
	report->varies |= sample->varies;
	report->two_modes |= sample->modes > 1;
	fputc('\n', out);
}

/* Prints the meaning of the flags at the ends of the table's rows. */
static void sweep_end_text(struct report *report)
{
	if (report->contended)
		fputs("c: contended; too few quiet trials, so the value may be wrong\n",
			report->out);
	if (report->unsettled)
		fputs("n: not settled; the time of an element still drifted at the end\n",
			report->out);
	if (report->bent)
		fputs("l: not linear; the time is not proportional to n: run says what to do\n",
			report->out);
	if (report->learnt)
		fputs("r: the core's predictors have learnt the repeated data; data=fresh is "
		      "slower\n",
			report->out);
	if (report->varies)
		fputs("v: varies; the loop has no one speed: the quartiles differ by more than "
		      "10 %\n",
			report->out);
	if (report->two_modes)
		fputs("m: the trials fall into two modes; --format csv and json show both\n",
			report->out);
}

/* ---- One sample */

static void place_text(FILE *out, const struct sample *sample, const struct run_facts *facts)
{
	const struct placed placed = placed_words(facts, sample);

	if (*placed.others)
		fprintf(out, "beside   %s\n", placed.others);
	if (*placed.pages)
		fprintf(out, "pages    %s\n", placed.pages);
	if (*placed.node)
		fprintf(out, "memory   %s\n", placed.node);
}

/* Prints the instructions per element and the memory traffic of a sample. */
static void sample_ratios_text(FILE *out, const struct sample_ratios *sample_ratios)
{
	char words[160];

	if (sample_ratios->instructions > 0)
		fprintf(out, "instr    %s an element (%s), %s cycles each\n",
			units_value(sample_ratios->instructions).text,
			sample_ratios_source(sample_ratios->instructions_from),
			units_value(sample_ratios->cpi).text);
	sample_ratios_traffic_words(sample_ratios, false, words, sizeof(words));
	if (*words)
		fprintf(out, "traffic  %s (%s)\n", words,
			sample_ratios->lines_from == SOURCE_COUNTER ? "counted" : "model");
}

/* Prints the throughput of a sample. The bytes per element are constant, so the quartiles of the
 * throughput follow from the quartiles of the cycles. */
static void data_text(FILE *out, const struct sample *sample, const struct run_facts *facts)
{
	double bytes = sample->bytes_per_cycle;

	if (!isfinite(sample->gbps))
		return;
	fprintf(out, "data     %s GB/s (%.0f MB/s; timed); pages: %s\n",
		units_value(sample->gbps).text, sample->gbps * 1000, facts->pages);
	fprintf(out, "         %s bytes a cycle (%s to %s; %.3g cycles a byte; %s)\n",
		units_value(bytes).text, units_value(bytes * sample->cpe / sample->cpe_hi).text,
		units_value(bytes * sample->cpe / sample->cpe_lo).text, 1 / bytes,
		source_name(sample->cycles_from));
}

static void trials_text(FILE *out, const struct sample *sample, const struct run_facts *facts)
{
	bool others = facts->cores > 2 || facts->streams > 1;

	fprintf(out, "trials   %u used, %u dropped", sample->trials, sample->dropped);
	if (isfinite(sample->quiet))
		fprintf(out, "; %.0f%% quiet", sample->quiet * 100);
	fputc('\n', out);
	if (sample->others_away)
		fprintf(out,
			"CONTENDED: the other core%s ran this loop for %.0f%% of the time only; "
			"other threads use %s, so the result may be wrong\n",
			others ? "s" : "", 100 * facts->on_cpu, others ? "them" : "it");
	else if (sample->contended)
		fputs("CONTENDED: too few quiet trials; another thread shares this core, so the "
		      "result may be wrong\n",
			out);
	if (sample->bent)
		fprintf(out,
			"NOT LINEAR: an element takes %s cycles in shorter calls, and %s in longer "
			"calls; %s\n",
			units_cycles(sample->cpe * sample->bend).text,
			units_cycles(sample->cpe).text,
			sample_grows(sample)
				? "the work grows faster than n, or the data leave a cache: give "
				  "inner loops a length of their own, or use another n"
				: "use a larger n");
	if (sample->varies)
		fprintf(out,
			"VARIES: a quarter of the trials is below %s, and a quarter above %s: "
			"the loop has no one speed\n",
			units_cycles(sample->cpe_lo).text, units_cycles(sample->cpe_hi).text);
	if (sample->unsettled)
		fputs("NOT SETTLED: the trials still drifted at the end; a longer --time-budget "
		      "may reach a steady state\n",
			out);
	if (sample->places > 1)
		fprintf(out,
			"placing  %u placements in memory: medians from %s to %s (%.1f%% apart)\n",
			sample->places, units_value(sample->place_lo).text,
			units_value(sample->place_hi).text,
			100 * (sample->place_hi / sample->place_lo - 1));
	if (sample->modes > 1)
		fprintf(out, "modes    two: %s (%.0f%% of the trials) and %s\n",
			units_value(sample->mode_low).text, sample->mode_share_low * 100,
			units_value(sample->mode_high).text);
}

/* Prints the cycles per element on repeated and on fresh data, if the core has learnt the repeated
 * data: its predictor of branches, or that of loads which need the value of an earlier store. */
static void learnt_text(FILE *out, const struct record_sample *what)
{
	const struct run_facts *facts = what->facts;
	double repeated, fresh;

	if (sample_learnt(what->sample, facts, &repeated, &fresh) &&
		explain_learns(what->explanation))
		fprintf(out,
			"data     %s cycles on repeated data, %s on fresh data: the core's "
			"predictors %s\n",
			units_cycles(repeated).text, units_cycles(fresh).text,
			facts->cpe_repeated > 0 ? "learn repeated data"
						: "have learnt the repeated data");
}

static void run_text(struct report *report, const void *item)
{
	const struct record_sample *what = item;
	const struct setting *setting = what->setting;
	const struct sample *sample = what->sample;
	const struct run_facts *facts = what->facts;
	const struct kernel *kernel = setting->kernel;
	const char *remark = kernel->remark ? kernel->remark(setting->v) : NULL;
	FILE *out = report->out;
	struct text line = { 0 };

	setting_format(setting, &line);
	fprintf(out, "%s\n", text_string(&line));
	fprintf(out, "CPE      %s cycles per %s%s; quartiles %s to %s; source: %s\n",
		units_cycles(sample->cpe).text, kernel->element, facts->far ? " (mean)" : "",
		units_cycles(sample->cpe_lo).text, units_cycles(sample->cpe_hi).text,
		source_name(sample->cycles_from));
	learnt_text(out, what);
	fprintf(out, "time     %s ns (timed) at %s GHz (%s) on core %d%s\n",
		units_value(sample->ns).text, units_value(sample->ghz).text,
		source_name(sample->cycles_from), facts->cpu,
		facts->bound ? "" : " (not bound to it)");
	data_text(out, sample, facts);
	sample_ratios_text(out, what->sample_ratios);
	place_text(out, sample, facts);
	text_free(&line);
	if (isfinite(facts->load))
		fprintf(out, "load     %s processes\n", units_value(facts->load).text);
	trials_text(out, sample, facts);
	explain_text_sample(report, sample);
	published_text_sample(report, setting, sample);
	misses_text(report, setting, 9);
	counts_text_sample(report, sample);
	if (remark)
		fprintf(out, "remark   %s\n", remark);
	blocks_text(report, setting, 9);
}

/* ---- Data */

static void sample_data(struct report *report, const struct records *records, const void *item)
{
	const struct record_sample *what = item;

	records_sample(records, what);
	if (report->counts && (report->counts->count || report->asked_count))
		records_counters(records, report->events, report->counts, what->id);
	/* The number of samples, not of records, is counted, because a sample may have several
	 * records. */
	report->records = what->id;
}

#define COLUMNS "id,host,+head,+place,kernel,+knobs,+value,+sweep,+counters"

const struct subject subject_run = { "sample", COLUMNS, NULL, run_text, sample_data, NULL };
const struct subject subject_sweep = { "sample", COLUMNS, sweep_begin_text, sweep_text, sample_data,
	sweep_end_text };
