/* Measures for how many cycles of an iteration a loop keeps each resource of a core busy: see
 * slack.h. */
#include "experiment/slack/slack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/changed.h"

/* One measurement of the loop with added instructions ends after QUIET quiet trials. If another
 * process disturbed the measurement, it is repeated, up to VISITS measurements. */
enum { QUIET = 25, VISITS = 4 };

/* In the first measurement of a resource, added instructions make an iteration LONGER times as
 * long, at least MORE cycles longer, and at least LEAST cycles long. With longer iterations,
 * details of the front end matter less. The second measurement of the resource has NEXT times as
 * many added instructions. */
#define LONGER 1.6
#define MORE   8.0
#define LEAST  16.0
#define NEXT   2.5

/* The added instructions must keep the measured resource busy for longer than they and the loop
 * keep any other resource busy, by this factor. */
#define BEYOND_WIDTH 1.15

/* Resources with disturbed or ambiguous values are measured up to PASSES times, within the time
 * limit, which is SECONDS if the caller gives none. */
enum { PASSES = 10 };
#define SECONDS 3.0

/* Largest number of instructions that are added to an iteration. */
enum { MOST = 4000 };

/* If the computed pressure exceeds the cycles of an iteration by this share and this many cycles,
 * added instructions and loop disturb each other in an unknown way. */
#define BEYOND 0.25

/* If the quartiles of the pressure are farther apart than WIDE cycles and this share of the
 * pressure, the pressure is not exact. */
#define WIDE	   0.6
#define WIDE_SHARE 0.15

/* If an added instruction takes the time that the core model states, within the share AGREES, it
 * uses the resource that the model states. The time of a division depends on its operands, so added
 * instructions of more than a cycle may differ by the share AGREES_LONG. If added instructions
 * change the time of an iteration by less than the share FLAT, the loop has not become slower. */
#define AGREES	    0.05
#define AGREES_LONG 0.15
#define FLAT	    0.02

const char *const slack_kinds[] = { "", "exact", "at least", "ambiguous", "unavailable", NULL };

struct slack {
	struct slack_report report;
	double limit; /* time limit for repeating measurements that other processes disturbed,
			 seconds */
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
	report->cycles = report->cycles_lo = report->cycles_hi = NAN;
	report->status = changed_allowed(setting, explanation);
	if (status_is_ok(&report->status)) {
		uarch = explanation->limits.uarch;
		snprintf(report->uarch, sizeof(report->uarch), "%s", uarch->name);
		snprintf(report->title, sizeof(report->title), "%s", uarch->title);
		report->elements = explanation->loop.elements / explanation->loop.turns;
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

/* ---- From points to values */

/* Returns the cycles for which one filler (added instruction) keeps the resource busy. The returned
 * cycles are as measured, but never slightly fewer than the core model states: a resource cannot be
 * faster, and the first measurement was a little slow. */
static double each_of(const struct slack_resource *resource)
{
	return resource->kind == SLACK_AMBIGUOUS ? resource->took
						 : fmax(resource->took, resource->each);
}

/* Sets the slack: the number of added instructions that fit in the cycles for which the loop leaves
 * the resource free. */
static void set_slack(struct slack_resource *resource, const struct slack_report *report)
{
	double each = each_of(resource);

	resource->slack = fmax(report->cycles - resource->pressure, 0) / each;
	resource->slack_lo = fmax(report->cycles_lo - resource->pressure_hi, 0) / each;
	resource->slack_hi = fmax(report->cycles_hi - resource->pressure_lo, 0) / each;
	if (resource->kind == SLACK_AT_LEAST)
		resource->slack_hi = NAN;
}

void slack_estimate(struct slack_resource *resource, const struct slack_report *report,
	const struct slack_point *point, int count)
{
	const struct slack_point *first = &point[0], *last = &point[count - 1];
	double each, pressure, low, high;

	resource->took = (last->cycles - first->cycles) / (last->fillers - first->fillers);
	/* Every added instruction takes at least a rename slot, so a large number of them must make
	 * the loop slower. */
	if (last->cycles <= report->cycles * (1 + FLAT)) {
		resource->kind = SLACK_FAILED;
		snprintf(resource->why, sizeof(resource->why),
			"the added instructions did not run: the kernel runs other code");
		return;
	}
	resource->kind = fabs(resource->took / resource->each - 1) <=
					 (resource->each > 1 ? AGREES_LONG : AGREES)
				 ? SLACK_EXACT
				 : SLACK_AMBIGUOUS;
	each = each_of(resource);
	pressure = last->cycles - last->fillers * each;
	low = last->lo - last->fillers * each;
	high = last->hi - last->fillers * each;
	if (pressure > report->cycles * (1 + BEYOND) + BEYOND ||
		high - low > fmax(WIDE, WIDE_SHARE * pressure) || resource->contended)
		resource->kind = SLACK_AMBIGUOUS;
	/* The loop cannot keep a resource busy for more cycles than an iteration has. */
	resource->pressure = fmin(fmax(pressure, 0), report->cycles);
	resource->pressure_lo = fmin(fmax(low, 0), resource->pressure);
	resource->pressure_hi = fmin(fmax(high, resource->pressure), report->cycles_hi);
	/* If the core cannot rename added instructions fast enough to fill the resource, the rename
	 * width limits the loop, too. If rename also limits the loop, the computed pressure is the
	 * largest possible one. */
	if (resource->ports && resource->kind != SLACK_AMBIGUOUS && report->width > 0 &&
		resource->each * report->width < BEYOND_WIDTH) {
		resource->kind = SLACK_AT_LEAST;
		resource->pressure_lo = 0;
	}
	/* A division keeps its divider busy for several cycles, and takes a port for one cycle.
	 * There, it may delay a chain of the loop, which looks like pressure on the divider. */
	if (resource->each > 1 && resource->kind == SLACK_EXACT &&
		slack_differs(resource, resource->model))
		resource->kind = SLACK_AMBIGUOUS;
	set_slack(resource, report);
}

/* ---- Measuring */

/* Measures the loop with a number of added instructions. A measurement that other processes
 * disturbed is repeated, and the least disturbed result counts. In the first pass over the
 * resources, nothing is measured twice, so that first values are known soon. */
static struct status measure_point(struct slack *slack, unsigned filler, unsigned count,
	struct slack_point *point, bool *contended)
{
	struct slack_report *report = &slack->report;
	const struct code_change change = fillers_change(filler, count);
	struct changed_point measured;
	struct status status = changed_measure(&slack->changed, &change, slack->visits, &measured);

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
 * `pressure` cycles. 0: the other resource sets no such number. */
static double fillers_beyond(double each, double other, double pressure)
{
	double less = each - BEYOND_WIDTH * other;

	return other > 0 && less > 0 ? BEYOND_WIDTH * pressure / less : 0;
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
	for (int i = 0; i < report->count + UARCH_TERMS; i++) {
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

static struct status measure_option(struct slack *slack, struct slack_resource *resource)
{
	struct slack_report *report = &slack->report;
	const struct slack_filler *option = &resource->option[resource->used];
	double count = fillers_wanted(report, option, resource->ports);
	struct slack_point point[2];
	struct status status = status_ok();

	if (NEXT * count > MOST)
		return status_failed(
			"an iteration is too long: it needs too many added instructions");
	for (int i = 0; i < 2 && status_is_ok(&status); i++, count = ceil(NEXT * count)) {
		snprintf(report->doing, sizeof(report->doing), "%.30s, %.0f fillers",
			resource->name, count);
		status = measure_point(
			slack, option->number, (unsigned)count, &point[i], &resource->contended);
	}
	if (status_is_ok(&status))
		slack_estimate(resource, report, point, 2);
	return status;
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
		status = measure_option(slack, &tried);
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
	return doubt(resource) > 0 || (pass == 1 && resource->kind == SLACK_EXACT &&
					      slack_differs(resource, resource->model));
}

/* Measures the pressure on a resource again, and keeps the less doubtful values. If two results are
 * equally doubtful, the result whose added instructions took a time nearer to the core model is
 * kept. */
static void measure_again(struct slack *slack, struct slack_resource *resource)
{
	struct slack_resource again = *resource;

	measure_resource(slack, &again);
	if (measurer_stopped(slack->measurer) || again.kind == SLACK_FAILED)
		return;
	if (doubt(&again) < doubt(resource) ||
		(doubt(&again) == doubt(resource) &&
			fabs(again.took - again.each) / again.each <
				fabs(resource->took - resource->each) / resource->each))
		*resource = again;
}

/* Measures the loop without fillers. Other processes only make the loop slower, so the fewest
 * cycles of all passes count, and undisturbed cycles count before disturbed ones. */
static struct status measure_base(struct slack *slack, bool *contended)
{
	struct slack_report *report = &slack->report;
	struct slack_point point;
	bool busy = false;
	struct status status;

	snprintf(report->doing, sizeof(report->doing), "the loop without fillers");
	status = measure_point(slack, report->resource[0].option[0].number, 0, &point, &busy);
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

/* The search for a wrong line of the core model takes longer than the explorer needs for a frame.
 */
static void judge(void *report)
{
	slack_judge(report);
}

static void measure_all(struct slack *slack)
{
	struct slack_report *report = &slack->report;
	bool busy = false;

	slack->visits = 1;
	if (status_is_ok(&report->status))
		report->status = measure_base(slack, &busy);
	if (!status_is_ok(&report->status))
		return;
	for (int i = 0; i < report->count && !measurer_stopped(slack->measurer); i++)
		measure_resource(slack, &report->resource[i]);
	report->complete = !measurer_stopped(slack->measurer);
	slack->visits = VISITS;
	for (int pass = 1; pass < PASSES; pass++) {
		if (busy)
			(void)measure_base(slack, &busy);
		for (int i = 0; i < report->count; i++)
			if (is_left(&report->resource[i], pass) &&
				!measurer_stopped(slack->measurer) &&
				measurer_now(slack->measurer) - slack->begin < slack->limit)
				measure_again(slack, &report->resource[i]);
	}
	report->contended = busy;
	for (int i = 0; i < report->count; i++) {
		report->contended |= report->resource[i].contended;
		/* A later pass may have measured fewer cycles of the loop without added
		 * instructions. */
		if (report->resource[i].kind != SLACK_WAITS &&
			report->resource[i].kind != SLACK_FAILED)
			set_slack(&report->resource[i], report);
	}
	if (report->complete)
		measurer_compute(slack->measurer, judge, report);
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
	state->any = done > 0;
	state->why = report->status.text;
}

CAMPAIGN_KIND(slack);
