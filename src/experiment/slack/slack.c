/* Measures for how many cycles of an iteration a loop keeps each resource of a core busy: see
 * slack.h. */
#include "experiment/slack/slack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "experiment/changed.h"

/* One measurement of the loop with added instructions ends after QUIET quiet trials. If another
 * process disturbed the measurement, it is repeated, up to VISITS measurements. */
enum { QUIET = 25, VISITS = 4 };

/* In the first measurement of a resource, added instructions make an iteration LONGER times as
 * long, at least MORE cycles longer, and at least LEAST cycles long. In the second measurement of
 * the resource, an iteration has enough further added instructions for NEXT more cycles. Many more
 * added instructions would fill the core's queues, and then also delay instructions for other
 * ports. */
#define LONGER 1.3
#define MORE   4.0
#define LEAST  8.0
#define NEXT   8.0

/* If the added instructions took another time than the core model states, or show another pressure,
 * one more measurement adds FAR times as many instructions. The more of them, the more evenly does
 * the core distribute the operations of the loop around them. */
#define FAR 2.5

/* If the first measurements of a resource show pressure, later measurements have fewer added
 * instructions: just enough to make the loop KNEE cycles slower. Up to KNEES such measurements with
 * fewer added instructions follow, as long as each shows a lower pressure than the measurements
 * before it. */
#define KNEE 0.7
enum { KNEES = 3, MORE_POINTS = 8, POINTS = 3 + KNEES + MORE_POINTS };

/* Resources with disturbed values are measured up to PASSES times, within the time limit, which is
 * SECONDS if the caller gives none. An undisturbed value that is ambiguous SAME times stays
 * ambiguous. */
enum { PASSES = 10, SAME = 3, BASES = PASSES - 1 };
#define SECONDS 3.0

/* Largest number of instructions that are added to an iteration. */
enum { MOST = 4000 };

const char *const slack_kinds[] = { "", "exact", "at least", "ambiguous", "unavailable", NULL };

struct slack {
	struct slack_report report;
	double limit; /* time limit for repeating measurements that other processes disturbed,
			 seconds */
	bool bounded; /* the limit is also that of the first pass over the resources */
	bool busy;    /* other processes disturbed all measurements of the loop without fillers */
	/* the undisturbed measurements of the loop without fillers, cycles per element in ascending
	 * order */
	double base[BASES];
	int bases;
	/* The members below are valid only while slack_measure() runs. */
	const struct measurer *measurer;
	double begin;
	struct changed changed;
	int visits; /* largest number of measurements in this pass with one number of added
		       instructions, if other processes disturb them */
};

struct slack *slack_new(const struct setting *setting, const struct explanation *explanation,
	uint64_t seed, double seconds)
{
	struct slack *slack = memory_new(1, sizeof(*slack));
	struct slack_report *report = &slack->report;
	const struct uarch *uarch;
	struct limits_work *work = memory_new(1, sizeof(*work));

	report->setting = *setting;
	report->seed = seed;
	slack->limit = seconds > 0 ? seconds : SECONDS;
	slack->bounded = seconds > 0;
	report->cycles = report->cycles_lo = report->cycles_hi = NAN;
	report->status = changed_allowed(setting, explanation);
	if (status_is_ok(&report->status)) {
		uarch = explanation->limits.uarch;
		snprintf(report->uarch, sizeof(report->uarch), "%s", uarch->name);
		snprintf(report->title, sizeof(report->title), "%s", uarch->title);
		report->elements = explanation->loop.elements / explanation->loop.turns;
		report->predicted = explanation->limits.predicted * report->elements;
		limits_work(&explanation->loop, uarch, work);
		fillers_find(report, uarch, work);
	}
	free(work);
	return slack;
}

void slack_free(struct slack *slack)
{
	free(slack);
}

const struct slack_report *slack_report(const struct slack *slack)
{
	return &slack->report;
}

/* ---- Measuring */

static bool is_late(const struct slack *slack)
{
	return measurer_now(slack->measurer) - slack->begin >= slack->limit;
}

/* Returns whether no further resource or pair of fillers may be measured. */
static bool is_over(const struct slack *slack)
{
	return measurer_stopped(slack->measurer) || (slack->bounded && is_late(slack));
}

/* Measures the loop with a number of added instructions. A measurement that other processes
 * disturbed is repeated, and the least disturbed result counts. In the first pass over the
 * resources, nothing is measured twice, so that first values are known soon. */
static struct status measure_point(struct slack *slack, unsigned filler, unsigned count,
	struct slack_point *point, bool *contended)
{
	struct slack_report *report = &slack->report;
	const struct code_change change = fillers_change(filler, count);
	struct changed_point measured;
	struct status status = changed_measure(
		&slack->changed, &change, is_late(slack) ? 1 : slack->visits, &measured);

	if (!status_is_ok(&status))
		return status;
	report->seconds = measurer_now(slack->measurer) - slack->begin;
	*contended |= measured.contended;
	report->cycles_from = measured.from;
	*point = (struct slack_point){ count, measured.cpe * report->elements,
		measured.lo * report->elements, measured.hi * report->elements };
	return status_ok();
}

/* Returns the number of added instructions from which on the measured resource, not another
 * resource, limits the loop. Each added instruction keeps the measured resource busy for `each`
 * cycles, and the other resource for `other` cycles. The loop keeps the other resource busy for
 * `pressure` cycles. 0: the other resource requires no added instructions, or limits the loop with
 * any number of them. */
static double fillers_beyond(double each, double other, double pressure)
{
	double less = each - SLACK_BEYOND * other;

	return other > 0 && less > 0 ? SLACK_BEYOND * pressure / less : 0;
}

/* Returns a number of added instructions with which the measured resource certainly limits the
 * loop. An added instruction also needs rename slots, other ports of its class, and all larger sets
 * that contain its ports. */
static double fillers_wanted(
	const struct slack_report *report, const struct slack_filler *option, uint32_t ports)
{
	double target = fmax(fmax(LONGER * report->cycles, report->cycles + MORE), LEAST);
	double count = target / option->each, slot = report->width > 0 ? 1 / report->width : 0;

	count = fmax(count, fillers_beyond(option->each, slot, report->slots * slot));
	for (int i = 0; i < report->count + 2 * UARCH_TERMS; i++) {
		uint32_t other = i < report->count
					 ? report->resource[i].ports
					 : fillers_term(report, option, i - report->count);

		if (other && other != ports)
			count = fmax(count,
				fillers_beyond(option->each, fillers_each(report, option, other),
					fillers_model(report, other)));
	}
	return ceil(count);
}

/* Rounds a number of added instructions up, so that the operations of an iteration fill whole
 * cycles. A taken branch ends a cycle of the front end, and leaves the rest of this cycle unused:
 * on a core that renames 8 micro-ops per cycle, 17 to 24 micro-ops and a jump back take 3 cycles.
 */
static double in_whole_cycles(const struct slack_resource *resource, double fillers)
{
	double per_cycle = round(1 / resource->each), used = round(resource->count);

	if (resource->ports || per_cycle < 2)
		return ceil(fillers);
	return ceil((used + fillers) / per_cycle) * per_cycle - used;
}

/* Measures the loop with a number of added instructions for a resource, and inserts the point
 * among the points, which are in ascending order of the number of added instructions. */
static struct status add_point(struct slack *slack, struct slack_resource *resource,
	const struct slack_filler *option, double fillers, struct slack_point *point, int *count)
{
	struct slack_report *report = &slack->report;
	struct slack_point new;
	struct status status;
	int at = *count;

	snprintf(report->doing, sizeof(report->doing), "%.30s, %.0f fillers", resource->name,
		fillers);
	status =
		measure_point(slack, option->number, (unsigned)fillers, &new, &resource->contended);
	if (!status_is_ok(&status))
		return status;
	for (; at > 0 && point[at - 1].fillers > fillers; at--)
		point[at] = point[at - 1];
	point[at] = new;
	++*count;
	return status;
}

/* Measures the loop with fewer added instructions, down to the fewest that make the loop slower, as
 * long as the computed pressure on the resource becomes lower. */
static struct status measure_knee(struct slack *slack, struct slack_resource *resource,
	const struct slack_filler *option, struct slack_point *point, int *count)
{
	struct slack_report *report = &slack->report;
	double before = INFINITY;
	struct status status = status_ok();

	while (status_is_ok(&status) && resource->kind == SLACK_EXACT &&
		resource->pressure >= SLACK_NONE && resource->pressure <= before - SLACK_NONE &&
		*count < 3 + KNEES) {
		double fillers = in_whole_cycles(
			resource, (report->cycles + KNEE - resource->pressure) / resource->each);

		if (fillers < 1 || fillers >= point[0].fillers)
			break;
		before = resource->pressure;
		status = add_point(slack, resource, option, fillers, point, count);
		if (status_is_ok(&status))
			slack_estimate(resource, report, point, *count);
	}
	return status;
}

/* Measures a rate, such as that of loads or jumps, with the fewest added instructions that must
 * make the loop slower. With some numbers, the ends of cycles and of code lines waste more of the
 * rate, and a core may predict the same jumps in pairs or one by one. So several numbers are
 * measured, each of them twice. The measurements end when the pressure is only what the loop's own
 * operations need. */
static struct status measure_more(struct slack *slack, struct slack_resource *resource,
	const struct slack_filler *option, struct slack_point *point, int *count)
{
	const struct slack_report *report = &slack->report;
	double certain = resource->count * resource->each,
	       fewest = fmax(report->cycles + KNEE - certain, resource->each);
	struct status status = status_ok();

	for (int i = 0;
		i < MORE_POINTS && status_is_ok(&status) && !resource->ports &&
		resource->kind != SLACK_FAILED && resource->pressure > certain + 2 * SLACK_NONE;
		i++) {
		double fillers = in_whole_cycles(
			resource, (fewest + i % (MORE_POINTS / 2)) / resource->each);

		status = add_point(slack, resource, option, fillers, point, count);
		if (status_is_ok(&status))
			slack_estimate(resource, report, point, *count);
	}
	return status;
}

/* Whether a measurement with many more added instructions may change the value of a resource. */
static bool is_unclear(const struct slack_resource *resource)
{
	return resource->kind == SLACK_AMBIGUOUS ||
	       (resource->kind == SLACK_EXACT && resource->ports && resource->each <= 1 &&
		       slack_differs(resource, resource->model));
}

static struct status measure_option(
	struct slack *slack, struct slack_resource *resource, const struct slack_filler *option)
{
	struct slack_report *report = &slack->report;
	double wanted = in_whole_cycles(resource, fillers_wanted(report, option, resource->ports)),
	       next = in_whole_cycles(resource, wanted + NEXT / option->each);
	const double fillers[] = { wanted, next, in_whole_cycles(resource, FAR * next) };
	struct slack_point point[POINTS];
	int count = 0;
	struct status status = status_ok();

	if (fillers[1] > MOST)
		return status_failed(
			"an iteration is too long: it needs too many added instructions");
	while (status_is_ok(&status) &&
		(count < 2 || (count == 2 && is_unclear(resource) && fillers[2] <= MOST))) {
		status = add_point(slack, resource, option, fillers[count], point, &count);
		if (status_is_ok(&status) && count >= 2)
			slack_estimate(resource, report, point, count);
	}
	if (status_is_ok(&status))
		status = measure_knee(slack, resource, option, point, &count);
	return status_is_ok(&status) ? measure_more(slack, resource, option, point, &count)
				     : status;
}

/* Measures a resource with a mixture of added instructions, and keeps the lower pressure: each
 * measurement gives an upper bound on the pressure. */
static void measure_mixture(struct slack *slack, struct slack_resource *resource)
{
	struct slack_resource mixed = *resource;
	struct status status;

	mixed.each = resource->mixture.each;
	status = measure_option(slack, &mixed, &mixed.mixture);
	if (!status_is_ok(&status) || measurer_stopped(slack->measurer) ||
		mixed.kind != SLACK_EXACT || mixed.pressure >= resource->pressure - SLACK_NONE / 2)
		return;
	memcpy(mixed.line, mixed.mixture.line, sizeof(mixed.line));
	*resource = mixed;
}

/* Measures a resource with one kind of added instruction after another, until one takes the time
 * that the core model states. If no kind of added instruction takes this time, the values of the
 * first kind stay. */
static void measure_resource(struct slack *slack, struct slack_resource *resource)
{
	struct slack_resource first = *resource;

	for (int i = 0; i < resource->option_count; i++) {
		struct slack_resource tried = *resource;
		struct status status;

		tried.used = i;
		tried.contended = false;
		tried.each = tried.option[i].each;
		memcpy(tried.line, tried.option[i].line, sizeof(tried.line));
		status = measure_option(slack, &tried, &tried.option[i]);
		if (measurer_stopped(slack->measurer))
			return;
		if (!status_is_ok(&status)) {
			tried.kind = SLACK_FAILED;
			memcpy(tried.why, status.text, sizeof(tried.why));
		}
		if (i == 0 || first.kind == SLACK_FAILED || tried.kind == SLACK_EXACT)
			first = tried;
		if (first.kind == SLACK_EXACT || first.kind == SLACK_AT_LEAST)
			break;
	}
	*resource = first;
	if (first.kind == SLACK_EXACT && first.mixture.share > 0 && first.pressure >= SLACK_NONE)
		measure_mixture(slack, resource);
}

/* Returns how doubtful the measured values of a resource are; 0: they are not doubtful. */
static int doubt(const struct slack_resource *resource)
{
	return 2 * resource->contended + (resource->kind == SLACK_AMBIGUOUS);
}

/* Whether a later pass over the resources measures this resource again. A pressure that differs
 * from the core model is measured twice. */
static bool is_left(const struct slack_resource *resource, int pass)
{
	if (doubt(resource) > 0)
		return resource->contended || pass < SAME;
	return pass == 1 && resource->kind == SLACK_EXACT &&
	       slack_differs(resource, resource->model);
}

/* Measures the pressure on a resource again, and keeps the less doubtful values. Of two results
 * that are equally doubtful, the lower pressure is kept, because each result is an upper bound. Of
 * two ambiguous results, the result whose added instructions took a time nearer to the core model
 * is kept. */
static void measure_again(struct slack *slack, struct slack_resource *resource)
{
	struct slack_resource again = *resource;
	bool better;

	measure_resource(slack, &again);
	if (measurer_stopped(slack->measurer) || again.kind == SLACK_FAILED)
		return;
	if (doubt(&again) != doubt(resource))
		better = doubt(&again) < doubt(resource);
	else if (doubt(resource) == 0)
		better = again.pressure < resource->pressure;
	else
		better = fabs(again.took - again.each) / again.each <
			 fabs(resource->took - resource->each) / resource->each;
	if (better)
		*resource = again;
}

/* Measures the loop without fillers, once in each pass. Other processes only make the loop slower,
 * so the fewest cycles of all passes count, and undisturbed cycles count before disturbed ones. */
static struct status measure_base(struct slack *slack, bool *contended)
{
	struct slack_report *report = &slack->report;
	struct slack_point point;
	bool busy = false;
	struct status status;

	snprintf(report->doing, sizeof(report->doing), "the loop without fillers");
	status = measure_point(slack, report->resource[0].option[0].number, 0, &point, &busy);
	if (status_is_ok(&status) && !busy && slack->bases < BASES) {
		slack->base[slack->bases++] = point.cycles / report->elements;
		stats_sort(slack->base, (size_t)slack->bases);
	}
	if (!status_is_ok(&status) ||
		(isfinite(report->cycles) &&
			(busy > *contended ||
				(busy == *contended && point.cycles >= report->cycles))))
		return status;
	report->cycles = point.cycles;
	report->cycles_lo = point.lo;
	report->cycles_hi = point.hi;
	*contended = busy;
	return status;
}

/* ---- The search for a wrong line of the core model */

/* In the first measurement of two fillers together, an iteration takes PAIR times as long as
 * without fillers, plus PAIR_MORE cycles, so that only the fillers limit the loop. */
#define PAIR	  1.5
#define PAIR_MORE 8.0

/* If the time of two fillers differs from the core model by this share, it is measured again. */
#define PAIR_DIFFERS 0.1

/* The search for a wrong line, as work for measurer_compute(): it takes longer than a frame of the
 * explorer. */
struct judgement {
	struct slack_report *report;
	struct slack_pair pair;
	bool wanted; /* true: a measurement of `pair` helps to decide */
};

static void judge(void *self)
{
	struct judgement *judgement = self;

	slack_judge(judgement->report);
	judgement->wanted = slack_find_pair(judgement->report, &judgement->pair);
}

/* Measures the loop with a number of added instructions twice. Other processes only make the loop
 * slower, so the smaller number of cycles counts. INFINITY: both measurements were disturbed. */
static struct status measure_twice(
	struct slack *slack, unsigned filler, unsigned count, double *cycles)
{
	struct slack_point point = { .cycles = NAN };
	struct status status = status_ok();

	*cycles = INFINITY;
	for (int i = 0; i < 2 && status_is_ok(&status); i++) {
		bool contended = false;

		status = measure_point(slack, filler, count, &point, &contended);
		if (status_is_ok(&status) && !contended)
			*cycles = fmin(*cycles, point.cycles);
	}
	return status;
}

/* Measures the cycles that one filler takes in a mixture of two fillers. */
static struct status measure_mixed(struct slack *slack, struct slack_pair *pair)
{
	const struct slack_report *report = &slack->report;
	const struct slack_filler mixture = fillers_mixture(&pair->filler[0], &pair->filler[1], 4);
	double fastest = fmin(pair->filler[0].each, pair->filler[1].each) / 2;
	unsigned from = (unsigned)ceil((PAIR * report->cycles + PAIR_MORE) / fastest),
		 to = from + (unsigned)ceil(NEXT / fastest);
	double shorter, longer;
	struct status status;

	if (to > MOST)
		return status_failed("an iteration is too long");
	status = measure_twice(slack, mixture.number, from, &shorter);
	if (status_is_ok(&status))
		status = measure_twice(slack, mixture.number, to, &longer);
	if (status_is_ok(&status) && isfinite(shorter) && isfinite(longer))
		pair->took = (longer - shorter) / (to - from);
	return status;
}

/* Measures the cycles that one filler takes in a mixture of two fillers, and stores them in
 * pair->took. Cycles that contradict the core model are measured twice, and the cycles that are
 * nearer to the model count. A measurement that other processes disturbed shows nothing, and leaves
 * pair->took unknown: it must not make a line look wrong. */
static struct status measure_pair(struct slack *slack, struct slack_pair *pair)
{
	struct slack_pair again = *pair;
	struct status status = measure_mixed(slack, pair);

	if (!status_is_ok(&status) || !(fabs(pair->took / pair->each - 1) > PAIR_DIFFERS))
		return status;
	status = measure_mixed(slack, &again);
	if (!status_is_ok(&status) ||
		!(fabs(again.took - pair->each) >= fabs(pair->took - pair->each)))
		pair->took = again.took;
	return status;
}

/* Finds the line of the core model that the measurements contradict. If several lines may be wrong,
 * measures pairs of fillers that decide. */
static void judge_all(struct slack *slack)
{
	struct slack_report *report = &slack->report;
	struct judgement judgement = { .report = report };
	struct status status = status_ok();

	snprintf(report->doing, sizeof(report->doing), "comparing with the core model");
	measurer_compute(slack->measurer, judge, &judgement);
	while (judgement.wanted && status_is_ok(&status) && !is_over(slack)) {
		status = measure_pair(slack, &judgement.pair);
		if (!status_is_ok(&status))
			break;
		report->pair[report->pair_count++] = judgement.pair;
		measurer_compute(slack->measurer, judge, &judgement);
	}
}

/* ---- All measurements */

/* Measures each resource once. */
static void measure_first(struct slack *slack)
{
	struct slack_report *report = &slack->report;

	slack->visits = 1;
	if (status_is_ok(&report->status)) {
		const struct code_change copy =
			fillers_change(report->resource[0].option[0].number, 0);

		snprintf(report->doing, sizeof(report->doing), "the loop and its copy");
		report->status = changed_same(&slack->changed, &copy);
	}
	if (status_is_ok(&report->status))
		report->status = measure_base(slack, &slack->busy);
	if (!status_is_ok(&report->status))
		return;
	for (int i = 0; i < report->count; i++) {
		if (i == 0 && is_over(slack))
			report->status = status_failed("the time was over before a value was "
						       "measured: use a longer time budget");
		if (is_over(slack))
			return;
		measure_resource(slack, &report->resource[i]);
	}
	report->complete = !measurer_stopped(slack->measurer);
}

static void measure_all(struct slack *slack)
{
	struct slack_report *report = &slack->report;
	struct status steady;

	if (!report->complete)
		measure_first(slack);
	if (!status_is_ok(&report->status))
		return;
	slack->visits = VISITS;
	for (int pass = 1; pass < PASSES; pass++) {
		if (slack->busy || (slack->bases < BASES && !is_over(slack) && !is_late(slack)))
			(void)measure_base(slack, &slack->busy);
		for (int i = 0; i < report->count; i++)
			if (is_left(&report->resource[i], pass) &&
				!measurer_stopped(slack->measurer) && !is_late(slack))
				measure_again(slack, &report->resource[i]);
	}
	steady = changed_steady(slack->base, slack->bases);
	/* A loop that is slower now and then without any change shares its core or its cache. */
	report->contended = slack->busy || !status_is_ok(&steady);
	for (int i = 0; i < report->count; i++) {
		report->contended |= report->resource[i].contended;
		/* A later pass may have measured fewer cycles of the loop without added
		 * instructions. */
		if (report->resource[i].kind != SLACK_WAITS &&
			report->resource[i].kind != SLACK_FAILED)
			slack_set(&report->resource[i], report);
	}
	slack_bound(report);
	if (report->complete)
		judge_all(slack);
}

void slack_measure(struct slack *slack, const struct measurer *measurer)
{
	slack->measurer = measurer;
	slack->begin = measurer_now(measurer);
	slack->changed = (struct changed){ .measurer = measurer,
		.setting = &slack->report.setting,
		.seed = slack->report.seed,
		.quiet = QUIET };
	measure_all(slack);
	changed_free(&slack->changed);
	slack->report.seconds = measurer_now(measurer) - slack->begin;
	slack->report.doing[0] = '\0';
}

/* ---- The measurement as a campaign */

static void slack_state(const struct slack *slack, struct campaign_state *state)
{
	const struct slack_report *report = &slack->report;
	int done = 0;

	for (int i = 0; i < report->count; i++)
		done += report->resource[i].kind != SLACK_WAITS;
	state->done = report->count ? (double)done / report->count : 1;
	state->doing = report->doing;
	state->any = done > 0 && status_is_ok(&report->status);
	state->why = report->status.text;
}

CAMPAIGN_KIND(slack);
