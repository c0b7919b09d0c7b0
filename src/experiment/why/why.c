/* Measures a loop with and without several changes in turn, and divides the gap (distance from
 * limit to measurement) among the causes: see why.h. */
#include "experiment/why/why.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "experiment/changed.h"

/* All changes of one setting are measured within SECONDS, if the caller gives no other time. One
 * measurement ends after QUIET quiet trials or after VISIT seconds. For data beyond the second
 * cache, a measurement ends after FAR seconds. The warm-up passes over the data before a
 * measurement may last WARM seconds. */
#define SECONDS 1.6
#define VISIT	0.008
#define FAR	0.012
#define WARM	0.02
enum { QUIET = 40, PATIENCE = 80 };

/* BASES: number of measurements without a change before the pairs, which show the size of the gap.
 * TOGETHER: number of measurements with the changes of all causes together. RESERVE: share of the
 * time that is kept for the measurements with all changes. */
enum { BASES = 3, TOGETHER = 4 };
#define RESERVE 0.2

/* A change shows a cause only if it saves the share LEAST of the measured cycles. It must also save
 * LEAST_SHARE of the gap above the prediction, plus LEAST_KNOWN of the rest of the gap, which the
 * prediction explains. The range of the saved cycles must lie above half of the least value for
 * a cause. The loop with and without each change is measured at least ROUNDS_LEAST times. The
 * measurements of a change of the loop end when the range of the saved cycles is smaller than the
 * share PRECISE of the gap, or lies wholly above the gap, or is too low for a cause of the gap.
 * Disturbed measurements count only if fewer than QUIET_LEAST measurements are undisturbed. */
enum { ROUNDS_LEAST = 3, QUIET_LEAST = 3 };
#define LEAST	    0.02
#define LEAST_SHARE 0.05
#define LEAST_KNOWN 0.25
#define PRECISE	    0.04

/* SURE: number of standard deviations of a normal distribution to each side, which contain the true
 * difference with a probability of 99.9 %. */
#define SURE 3.29

/* Two predictions that differ by less than this share are equal. */
#define ROUNDING 1e-3

/* If the core model predicts this share of the difference of a pair with other data or another
 * order, even of the largest difference in its range, the prediction already counts the cause. */
#define COUNTED 0.75

/* If a change of a place in memory saves this share of the cycles that a change of data or order
 * saves, the change of the place comes first in the list of causes. */
#define PLACE_FIRST 0.75

const char *const why_kinds[] = { "", "cause", "counted", "no effect", "failed", "disturbed",
	NULL };

/* Indices of the measured variants (sides) of a setting: side 0 is the setting without changes. The
 * variant (side) with index 1 + i has the change that tests cause i. The variant (side) JOINT has
 * the changes of all causes together. */
enum { JOINT = 1 + WHY_PAIRS, SIDES };

/* Measurements in cycles per element. */
struct values {
	int count;
	double cpe[WHY_VALUES];
};

/* One measured variant of a setting. `quiet` has the measurements that no other process or
 * hyper-thread disturbed. */
struct side {
	struct why_side change;
	struct values quiet, all;
};

struct why {
	struct why_report report;
	double bytes; /* of the working set */
	double near;  /* bytes of the core's second cache */
	struct side side[SIDES];
	struct visits visits;
	double limit; /* seconds for all measurements */
	/* true: the last row of the causes, a measurement on another core, is used only if this
	 * core is busy */
	bool spare;
	/* Times of the measurer's clock at which the measurement began and must end. `longest`:
	 * seconds that the next measurement may take, from the times of earlier measurements. */
	double begin, until, longest;
	unsigned order[3 * SIDES + 1]; /* the variants to measure in the present round */
};

/* ---- Preparing */

static void name_limit(const struct limits *limits, int limit, char *name, size_t size)
{
	snprintf(name, size, "%s", limit < 0 ? "" : limit_rows[limits->limit[limit].kind].name);
}

/* Whether a change sets another value of a knob. */
static bool sets_knob(const struct why_question *question, const struct why_side *change)
{
	return memcmp(change->setting.v, question->setting->v, sizeof(change->setting.v)) != 0;
}

/* Returns the least cycles per element that the core model gives the loop with its data and code at
 * any place of memory. */
static double least_limit(const struct why_report *report)
{
	return report->moved > 0 ? report->moved : report->limit;
}

double why_begin(const struct why_report *report)
{
	/* A hard limit may itself come from a place in memory. So the gap above it begins where the
	 * limit at another place is, whether the loop takes 4 % longer than the limit or 6 %. */
	bool hard = !(report->predicted > report->limit);

	return report->known || hard ? least_limit(report) : report->predicted;
}

static void find_pairs(struct why *why, const struct why_question *question)
{
	struct why_report *report = &why->report;
	struct why_side change[WHY_PAIRS];

	report->count = pairs_find(question->setting, question->explanation, report->cause, change);
	why->spare = report->count > 0 && change[report->count - 1].elsewhere;
	for (int i = 0; i < report->count; i++) {
		struct why_cause *cause = &report->cause[i];

		why->side[1 + i].change = change[i];
		if (question->predict && (cause->work || sets_knob(question, &change[i])))
			cause->model = question->predict(question->context, &change[i].setting);
		if (!cause->work && cause->model < (1 - ROUNDING) * least_limit(report)) {
			report->moved = cause->model;
			snprintf(report->moved_with, sizeof(report->moved_with), "%s", cause->with);
		}
	}
	report->count -= why->spare;
}

struct why *why_new(const struct why_question *question)
{
	struct why *why = memory_new(1, sizeof(*why));
	struct why_report *report = &why->report;
	const struct explanation *explanation = question->explanation;
	const struct limits *limits = explanation ? &explanation->limits : NULL;

	report->setting = *question->setting;
	report->seed = question->seed;
	why->limit = question->seconds > 0 ? question->seconds : SECONDS;
	report->cpe = report->cpe_lo = report->cpe_hi = report->gap = NAN;
	report->together = report->together_lo = report->together_hi = NAN;
	report->rest = report->rest_lo = report->rest_hi = report->moved = NAN;
	why->side[0].change.setting = *question->setting;
	if (!explanation || !status_is_ok(&explanation->status)) {
		report->status = status_failed(
			"%.200s", explanation ? explanation->status.text : "no core model");
	} else if (!limits->uarch || explanation->foreign) {
		report->status = status_failed("the core model is of another core than this one");
	} else if (limits->binding < 0 || !(limits->bound > 0)) {
		report->status = status_failed("no hard limit of this loop is known");
	} else {
		snprintf(report->uarch, sizeof(report->uarch), "%s", limits->uarch->name);
		report->limit = limits->bound;
		report->predicted = limits->predicted;
		report->least = gap_least(limits);
		name_limit(limits, limits->binding, report->binding, sizeof(report->binding));
		snprintf(report->predicted_by, sizeof(report->predicted_by), "%.71s",
			limits_predicted_by(limits, 0).text);
		why->bytes =
			(double)kernel_footprint(question->setting->kernel, question->setting->v);
		why->near = explanation->misses.caches.level[1].bytes;
		find_pairs(why, question);
	}
	return why;
}

void why_free(struct why *why)
{
	free(why);
}

const struct why_report *why_report(const struct why *why)
{
	return &why->report;
}

bool why_applies(const struct setting *setting, const struct explanation *explanation)
{
	struct why_cause cause[WHY_PAIRS];
	struct why_side change[WHY_PAIRS];
	int count = pairs_find(setting, explanation, cause, change);

	/* Another core is measured only if this core is busy. */
	return count > 1 || (count == 1 && !change[0].elsewhere);
}

/* ---- From measurements to shares */

static double share_of(double cycles, double gap)
{
	return gap > 0 ? fmin(fmax(cycles / gap, 0), 1) : NAN;
}

/* Returns the smallest number of cycles per element that a change must save to show a cause. */
static double least_of(const struct why_report *report)
{
	double above = fmin(fmax(report->cpe - report->predicted, 0), report->gap);

	return fmax(LEAST * report->cpe, LEAST_SHARE * above + LEAST_KNOWN * (report->gap - above));
}

/* Finds the difference of two sets of values: the median of the differences of all their pairs, and
 * its range (Hodges and Lehmann). The median hardly depends on single values that other programs
 * disturbed. */
static void find_difference(struct why_cause *cause, const double *base, int base_count,
	const double *other, int other_count)
{
	size_t pairs = (size_t)base_count * (size_t)other_count, count = 0, rank;
	double *difference = memory_new(pairs, sizeof(*difference));
	double deviation = sqrt((double)pairs * (base_count + other_count + 1) / 12);

	for (int i = 0; i < base_count; i++)
		for (int k = 0; k < other_count; k++)
			difference[count++] = base[i] - other[k];
	stats_sort(difference, count);
	rank = (size_t)fmax((double)pairs / 2 - SURE * deviation, 0);
	cause->cycles = stats_quantile(difference, count, 0.5);
	cause->cycles_lo = difference[rank];
	cause->cycles_hi = difference[count - 1 - rank];
	free(difference);
}

void why_judge(struct why_cause *cause, const struct why_report *report, const double *base,
	int base_count, const double *other, int other_count)
{
	double sorted[WHY_VALUES], predicted = report->predicted - cause->model,
				   counted = cause->work && predicted > 0 ? predicted : 0;

	memcpy(sorted, other, (size_t)other_count * sizeof(*sorted));
	cause->other = stats_median(sorted, (size_t)other_count);
	find_difference(cause, base, base_count, other, other_count);
	cause->share = share_of(cause->cycles - counted, report->gap);
	cause->share_lo = share_of(cause->cycles_lo - counted, report->gap);
	cause->share_hi = share_of(cause->cycles_hi - counted, report->gap);
	/* A loop without a gap needs no cause. If the loop is as slow as predicted, other data or
	 * another order do not explain the gap. */
	if (!(report->gap > 0) || (cause->work && report->known))
		cause->kind = WHY_WAITS;
	else if (!(cause->cycles > least_of(report)) || !(cause->cycles_lo > least_of(report) / 2))
		cause->kind = WHY_NOTHING;
	else if (counted > COUNTED * cause->cycles_hi)
		cause->kind = WHY_COUNTED;
	else
		cause->kind = WHY_CAUSE;
}

static bool is_quiet(const struct side *side)
{
	return side->quiet.count >= QUIET_LEAST;
}

/* Sets the measured cycles and the gap. */
static void set_gap(struct why *why)
{
	struct why_report *report = &why->report;
	const struct side *side = &why->side[0];
	struct values base = is_quiet(side) ? side->quiet : side->all;
	size_t count = (size_t)base.count;
	struct status steady;

	stats_sort(base.cpe, count);
	/* A loop in the core's own caches that is slower now and then without any change shares its
	 * core or its cache. */
	steady = changed_steady(base.cpe, base.count);
	report->contended = !is_quiet(side) || (why->bytes <= why->near && !status_is_ok(&steady));
	if (!is_quiet(side) && side->all.count > BASES && why->spare) {
		why->spare = false;
		report->count++;
	}
	report->cpe = stats_quantile(base.cpe, count, 0.5);
	report->cpe_lo = stats_quantile(base.cpe, count, 0.25);
	report->cpe_hi = stats_quantile(base.cpe, count, 0.75);
	/* If a soft limit predicts the measured cycles, measurements with one change show which
	 * effect causes them. */
	report->known = report->cpe <= (1 + WHY_GAP) * report->predicted;
	report->below = !report->contended && gap_is_below(report->cpe, report->least);
	report->gap = report->cpe - why_begin(report);
	if (report->cpe <= (1 + WHY_GAP) * least_limit(report))
		report->gap = 0;
}

/* ---- Measuring */

static bool wanted(void *context, unsigned side)
{
	const struct why *why = context;

	return side == 0 || side == JOINT || why->report.cause[side - 1].kind != WHY_FAILED;
}

static bool late(void *context)
{
	const struct why *why = context;

	return measurer_now(why->visits.measurer) > why->until - why->longest;
}

static void ask(void *context, unsigned side, struct request *request)
{
	struct why *why = context;
	struct why_report *report = &why->report;

	*request = (struct request){ .seed = report->seed,
		.background = true,
		.place = visits_place(why->visits.made),
		.budget = { .seconds = why->bytes > why->near ? FAR : VISIT,
			.quiet_wanted = QUIET,
			.patience = PATIENCE,
			.warm_seconds = WARM } };
	pairs_ask(&why->side[side].change, request);
	snprintf(report->doing, sizeof(report->doing), "%.40s",
		side == 0	? "the loop as it is"
		: side == JOINT ? "all causes together"
				: report->cause[side - 1].name);
}

static void add(struct values *values, double cpe)
{
	if (values->count < WHY_VALUES)
		values->cpe[values->count++] = cpe;
}

static void accept(void *context, unsigned side, const struct result *result, double seconds)
{
	struct why *why = context;
	struct why_report *report = &why->report;
	struct sample sample;

	/* The first measurement of a variant of the setting takes longer, because it also lays out
	 * the data. */
	why->longest = fmax(why->longest / 2, seconds);
	report->seconds = measurer_now(why->visits.measurer) - why->begin;
	if (result->status.code == STATUS_CANCELLED)
		return;
	if (!status_is_ok(&result->status)) {
		if (side == 0 && why->side[0].all.count == 0) {
			report->status = result->status;
		} else if (side != 0 && side != JOINT) {
			report->cause[side - 1].kind = WHY_FAILED;
			memcpy(report->cause[side - 1].why, result->status.text,
				sizeof(report->cause->why));
		}
		return;
	}
	sample_summarise(&result->trials, &result->facts, &sample);
	if (!sample.valid)
		return;
	report->cycles_from = sample.cycles_from;
	add(&why->side[side].all, sample.cpe);
	if (!sample.contended)
		add(&why->side[side].quiet, sample.cpe);
}

/* Measures the first `count` variants of the setting in why->order. */
static void measure_order(struct why *why, int count)
{
	why->visits.order = why->order;
	why->visits.count = (unsigned)count;
	visits_round(&why->visits);
}

/* Adds the loop with and without one change to the order of a round of measurements. The loop is
 * measured without a change (A) and with it (B) in the order A B B A, so slow changes of the
 * machine's speed cancel. The last measurement without a change (A) also counts as the first A for
 * the next change. */
static int order_pair(struct why *why, int count, int side)
{
	why->order[count++] = (unsigned)side;
	why->order[count++] = (unsigned)side;
	why->order[count++] = 0;
	return count;
}

/* Whether a change of the loop needs another round of measurements. */
static bool is_left(const struct why *why, int i)
{
	const struct why_cause *cause = &why->report.cause[i];
	const struct side *side = &why->side[1 + i];

	if (cause->kind == WHY_FAILED || (cause->work && why->report.known) ||
		side->all.count == WHY_VALUES)
		return false;
	return side->all.count < 2 * ROUNDS_LEAST || !is_quiet(side) ||
	       (cause->cycles_hi > least_of(&why->report) && cause->cycles_lo < why->report.gap &&
		       cause->cycles_hi - cause->cycles_lo > PRECISE * why->report.gap);
}

static double least_value(const struct values *values)
{
	double least = INFINITY;

	for (int i = 0; i < values->count; i++)
		least = fmin(least, values->cpe[i]);
	return least;
}

static void judge(const struct why *why, int side, struct why_cause *cause)
{
	const struct side *a = &why->side[0], *b = &why->side[side];
	/* Disturbed and undisturbed measurements are never compared with each other. */
	bool quiet = is_quiet(a) && is_quiet(b);
	const struct values *base = quiet ? &a->quiet : &a->all,
			    *other = quiet ? &b->quiet : &b->all;

	if (base->count == 0 || other->count == 0 || cause->kind == WHY_FAILED)
		return;
	why_judge(cause, &why->report, base->cpe, base->count, other->cpe, other->count);
	/* Other processes only make a loop slower. If processes disturbed the loop with or without
	 * the change more, by chance, the fastest values of both differ less. */
	if (!quiet && cause->kind == WHY_CAUSE &&
		least_value(base) - least_value(other) < least_of(&why->report))
		cause->kind = WHY_NOTHING;
	if (b->change.elsewhere && cause->kind == WHY_CAUSE)
		cause->kind = WHY_DISTURBED;
}

/* Makes one round of measurements of all changes whose effect is not precise yet. Returns false if
 * no change of the loop needs another round of measurements. */
static bool measure_round(struct why *why)
{
	int count = 1;

	why->order[0] = 0;
	for (int i = 0; i < why->report.count; i++)
		if (is_left(why, i))
			count = order_pair(why, count, 1 + i);
	if (count == 1 || why->side[0].all.count == WHY_VALUES)
		return false;
	measure_order(why, count);
	set_gap(why);
	for (int i = 0; i < why->report.count; i++)
		judge(why, 1 + i, &why->report.cause[i]);
	return true;
}

/* Returns the rank of a cause in the list of causes. The effect of data or order often contains the
 * effect of a place in memory. Therefore a cause about addresses in memory (a place) comes before a
 * cause about data or order whose effect is hardly larger. */
static double rank_of(const struct why_cause *cause)
{
	return cause->work ? PLACE_FIRST * cause->share : cause->share;
}

/* Orders the measured changes for the report: causes of the gap come first, the largest cause at
 * the top. */
static int before(const void *a, const void *b)
{
	const struct why_cause *x = a, *y = b;

	if ((x->kind == WHY_CAUSE) != (y->kind == WHY_CAUSE))
		return x->kind == WHY_CAUSE ? -1 : 1;
	if (x->kind != WHY_CAUSE)
		return 0;
	if (rank_of(x) != rank_of(y))
		return rank_of(x) < rank_of(y) ? 1 : -1;
	return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

/* Measures the loop with the changes of all causes together, and computes the unexplained rest of
 * the gap. */
static void measure_joint(struct why *why)
{
	struct why_report *report = &why->report;
	struct why_side *change = &why->side[JOINT].change;
	struct why_cause joint = { .model = NAN };
	int causes = 0, last = 0;
	double sum = 0;

	*change = why->side[0].change;
	for (int i = 0; i < report->count; i++)
		if (report->cause[i].kind == WHY_CAUSE) {
			pairs_merge(&report->setting, &why->side[1 + i].change, change);
			sum += report->cause[i].cycles;
			last = 1 + i;
			causes++;
		}
	why->until = why->begin + why->limit;
	for (int round = 0; causes > 1 && round < TOGETHER; round++) {
		why->order[0] = 0;
		measure_order(why, order_pair(why, 1, JOINT));
	}
	last = causes > 1 ? JOINT : last;
	if (causes == 0 || why->side[last].all.count == 0)
		return;
	judge(why, last, &joint);
	report->together = joint.cycles;
	report->together_lo = joint.cycles_lo;
	report->together_hi = joint.cycles_hi;
	report->rest = fmax(report->gap - joint.cycles, 0);
	report->rest_lo = fmax(report->gap - joint.cycles_hi, 0);
	report->rest_hi = fmax(report->gap - joint.cycles_lo, 0);
	report->overlap = causes > 1 && sum > joint.cycles_hi + least_of(report);
}

static void measure_all(struct why *why)
{
	struct why_report *report = &why->report;
	struct visits *visits = &why->visits;

	memset(why->order, 0, sizeof(why->order));
	why->until = why->begin + why->limit * (1 - RESERVE);
	measure_order(why, BASES);
	if (!status_is_ok(&report->status) || measurer_stopped(visits->measurer))
		return;
	if (why->side[0].all.count == 0) {
		report->status = status_failed("every trial was disturbed");
		return;
	}
	set_gap(why);
	while (report->gap > 0 && !measurer_stopped(visits->measurer) && !late(why))
		if (!measure_round(why))
			break;
	measure_joint(why);
	qsort(report->cause, (size_t)report->count, sizeof(report->cause[0]), before);
	report->complete = !measurer_stopped(visits->measurer);
}

void why_measure(struct why *why, const struct measurer *measurer)
{
	why->begin = measurer_now(measurer);
	why->visits = (struct visits){ .measurer = measurer,
		.context = why,
		.wanted = wanted,
		.late = late,
		.ask = ask,
		.accept = accept };
	if (status_is_ok(&why->report.status))
		measure_all(why);
	visits_free(&why->visits);
	why->report.seconds = measurer_now(measurer) - why->begin;
	why->report.doing[0] = '\0';
}

/* ---- The measurement as a campaign */

static void why_state(const struct why *why, struct campaign_state *state)
{
	const struct why_report *report = &why->report;

	state->done = report->complete ? 1 : fmin(report->seconds / why->limit, 1);
	state->doing = report->doing;
	state->any = why->side[0].all.count > 0;
	state->why = report->status.text;
}

CAMPAIGN_KIND(why);
