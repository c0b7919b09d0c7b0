/* Prints the report about the causes of a gap as text: see why.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "experiment/why/why.h"

enum { COLUMNS = 80 };

/* Cycles that the prediction contains are printed from this share of the gap on. */
#define COUNTED_LEAST 0.01

/* The line of causes omits the unexplained share of the gap if it is smaller than this value. */
#define REST_SHOWN 0.005
/* A change whose saved cycles exceed the gap by this ratio gets a sentence. */
#define MORE 1.05

const char why_below[] = "below the limit: the core model or the clock is wrong here";

static bool is_cause(const struct why_cause *cause)
{
	return cause->kind == WHY_CAUSE;
}

static int causes_of(const struct why_report *report)
{
	int count = 0;

	for (int i = 0; i < report->count; i++)
		count += is_cause(&report->cause[i]);
	return count;
}

int why_compared(const struct why_report *report)
{
	int count = 0;

	for (int i = 0; i < report->count; i++)
		count += report->cause[i].kind != WHY_WAITS && report->cause[i].kind != WHY_FAILED;
	return count;
}

/* Whether the gap begins at the binding limit, because the prediction explains all of it. */
static bool is_predicted(const struct why_report *report)
{
	return report->known && why_begin(report) != report->moved;
}

/* Whether the loop is clearly faster than predicted, but slower than its binding limit. */
static bool is_faster(const struct why_report *report)
{
	return is_predicted(report) && report->cpe < (1 - GAP_PREDICTED) * report->predicted;
}

/* The name of the rest of a gap. */
static const char *rest_name(const struct why_report *report)
{
	return is_faster(report)      ? "below prediction"
	       : is_predicted(report) ? "as predicted"
				      : "unexplained";
}

struct words why_words(const struct why_report *report)
{
	struct words words = { "" };

	if (!status_is_ok(&report->status))
		return words_of("no pairs were measured: %s", report->status.text);
	if (!report->complete)
		return words_of("comparing pairs: %s…", report->doing);
	if (report->below)
		return words_of("none, the loop is faster than its limit");
	if (!(report->gap > 0))
		return words_of("no gap to explain");
	for (int i = 0; i < report->count && is_cause(&report->cause[i]); i++)
		words = words_of("%.400s%s %.0f %%, ", words.text, report->cause[i].name,
			100 * report->cause[i].share);
	if (!words.text[0])
		return is_faster(report) ? words_of("none, the loop is faster than predicted")
		       : report->known	 ? words_of("the prediction explains the gap")
					 : words_of("no pair explains the gap");
	if (report->rest >= REST_SHOWN * report->gap)
		words = words_of("%.500s%s %.0f %%, ", words.text, rest_name(report),
			100 * report->rest / report->gap);
	words.text[strlen(words.text) - 2] = '\0'; /* the last comma */
	return words_of("%.600s%s", words.text, report->overlap ? " (overlapping)" : "");
}

static void print_text(FILE *out, const char *label, const char *text)
{
	text_print(out, COLUMNS, label, 2, text);
}

static void print_gap(FILE *out, const struct why_report *report)
{
	fprintf(out, "measured   %s cycles per %s; quartiles %s to %s; source: %s\n",
		units_value(report->cpe).text, report->setting.kernel->element,
		units_value(report->cpe_lo).text, units_value(report->cpe_hi).text,
		source_name(report->cycles_from));
	fprintf(out, "predicted  %s by %s; binding limit %s by %s\n",
		units_value(report->predicted).text, report->predicted_by,
		units_value(report->limit).text, report->binding);
	if (report->below)
		print_text(out, "gap        ",
			words_of("none: %s (%.0f %%) %s",
				units_value(report->limit - report->cpe).text,
				100 * (1 - report->cpe / report->limit), why_below)
				.text);
	else if (!(report->gap > 0))
		fprintf(out,
			"gap        none: at most %.0f %% above the prediction, nothing to "
			"explain\n",
			100 * WHY_GAP);
	else if (why_begin(report) == report->moved)
		fprintf(out, "gap        %s above the prediction with %s: %s\n",
			units_value(report->gap).text, report->moved_with,
			units_value(report->moved).text);
	else if (is_faster(report))
		print_text(out, "gap        ",
			words_of("%s (%.0f %%) below the prediction by %s; %s above the binding "
				 "limit",
				units_value(report->predicted - report->cpe).text,
				100 * (1 - report->cpe / report->predicted), report->predicted_by,
				units_value(report->gap).text)
				.text);
	else if (report->known)
		fprintf(out, "gap        %s above the binding limit, as predicted by %s\n",
			units_value(report->gap).text, report->predicted_by);
	else
		fprintf(out, "gap        %s (%.0f %%) above the prediction\n",
			units_value(report->gap).text, 100 * report->gap / report->predicted);
}

static void print_share(FILE *out, const char *name, double share, double cycles, double low,
	double high, const char *with)
{
	struct words range = words_of("%s to %s", units_value(low).text, units_value(high).text);

	fprintf(out, "%-18s%4.0f %%%9s  %-17s%s%s\n", name, 100 * share, units_value(cycles).text,
		range.text, *with ? " " : "", with);
}

static void print_causes(FILE *out, const struct why_report *report)
{
	fprintf(out, "\n%-18s%6s%9s  %-17s %s\n", "cause", "share", "cycles", "range",
		"compared with");
	for (int i = 0; i < report->count; i++) {
		const struct why_cause *cause = &report->cause[i];

		if (is_cause(cause))
			print_share(out, cause->name, cause->share, cause->cycles, cause->cycles_lo,
				cause->cycles_hi, cause->with);
	}
	if (causes_of(report) > 1)
		print_share(out, "together", fmin(report->together / report->gap, 1),
			report->together, report->together_lo, report->together_hi, "");
	print_share(out, rest_name(report), report->rest / report->gap, report->rest,
		report->rest_lo, report->rest_hi, "");
	for (int i = 0; i < report->count; i++)
		if (is_cause(&report->cause[i]) && report->cause[i].cycles > MORE * report->gap) {
			print_text(out, "",
				words_of("With the change for %s, the loop takes fewer cycles "
					 "than the %s above: the change saves more cycles than "
					 "the gap.",
					report->cause[i].name,
					is_predicted(report) ? "binding limit" : "prediction")
					.text);
			break;
		}
	for (int i = 0; i < report->count; i++) {
		const struct why_cause *cause = &report->cause[i];
		double predicted = report->predicted - cause->model;

		if (is_cause(cause) && cause->work && predicted > COUNTED_LEAST * report->gap)
			print_text(out, words_of("%s: ", cause->name).text,
				words_of("The prediction already contains %s of these cycles. The "
					 "share counts the others.",
					units_value(predicted).text)
					.text);
	}
	if (report->overlap)
		print_text(out, "",
			"The causes overlap: each share is the part that one change removes "
			"alone.");
	fputc('\n', out);
	for (int i = 0; i < report->count; i++)
		if (is_cause(&report->cause[i])) {
			const char *name = report->cause[i].name;

			print_text(out, words_of("%s: ", name).text,
				words_of("%s %s", pairs_meaning(name), pairs_remedy(name)).text);
		}
}

/* Whether a change was not measured because the loop is no slower than predicted. */
static bool is_left_out(const struct why_report *report, const struct why_cause *cause)
{
	return cause->kind == WHY_WAITS && cause->work && report->known;
}

/* Prints one sentence with the changes of one kind of result that show no cause of the gap, such as
 * no effect. */
static void print_others(FILE *out, const struct why_report *report, enum why_kind kind,
	bool left_out, const char *label)
{
	struct text text = { 0 };

	for (int i = 0; i < report->count; i++) {
		const struct why_cause *cause = &report->cause[i];

		if (cause->kind == kind && is_left_out(report, cause) == left_out)
			text_addf(&text, "%s%s (%s%s%s)", text.length ? ", " : "", cause->name,
				cause->with, kind == WHY_FAILED ? ": " : "",
				kind == WHY_FAILED ? cause->why : "");
	}
	if (text.length)
		print_text(out, label, text_string(&text));
	text_free(&text);
}

void why_print(FILE *out, const struct why_report *report)
{
	struct text line = { 0 };

	setting_format(&report->setting, &line);
	print_text(out, "", text_string(&line));
	text_free(&line);
	if (!status_is_ok(&report->status)) {
		print_text(out, "not measured: ", report->status.text);
		return;
	}
	print_gap(out, report);
	if (causes_of(report) > 0)
		print_causes(out, report);
	else if (report->gap > 0 && report->complete)
		fprintf(out, "\n%s\n",
			report->count == 0     ? "No pair of measurements applies to this loop."
			: why_compared(report) ? "No compared pair explains a part of the gap."
					       : "No pair was compared.");
	if (report->gap > 0) {
		print_others(out, report, WHY_COUNTED, false, "in the prediction: ");
		print_others(out, report, WHY_NOTHING, false, "no effect: ");
		print_others(out, report, WHY_FAILED, false, "not compared: ");
		print_others(out, report, WHY_WAITS, true,
			"not compared, because the loop is no slower than predicted: ");
		print_others(out, report, WHY_WAITS, false, "no time to compare: ");
	}
	if (report->contended)
		fputs("CONTENDED: another thread shares this core, so values may be wrong\n", out);
	for (int i = 0; i < report->count; i++)
		if (report->cause[i].kind == WHY_DISTURBED)
			print_text(out, words_of("%s: ", report->cause[i].name).text,
				words_of("%s There, the loop takes %s cycles per %s. %s",
					pairs_meaning(report->cause[i].name),
					units_value(report->cause[i].other).text,
					report->setting.kernel->element,
					pairs_remedy(report->cause[i].name))
					.text);
	if (!report->complete)
		fputs("Not complete: the measurement was interrupted.\n", out);
}
