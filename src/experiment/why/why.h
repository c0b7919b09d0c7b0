/* Explains by measurement why a loop is slower than its limit. The distance from the limit to the
 * measured cycles is the gap.
 *
 * The program makes pairs of measurements: one of the loop as it is, and one with a single change,
 * such as another page size. The loop's code and its amount of work do not change. The difference
 * of a pair of measurements (with and without one change) is the part of the gap that one cause
 * explains. If noise can explain the difference of a pair of measurements, no cause is named.
 *
 * To add a pair of measurements, add a row to the table in pairs.c. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "experiment/advice/gap.h"
#include "experiment/campaign.h"
#include "experiment/setting/setting.h"
#include "model/limits/explain.h"

/* WHY_PAIRS: largest number of pairs for one setting. WHY_VALUES: largest number of measurements of
 * one side of a pair. */
enum { WHY_PAIRS = 16, WHY_VALUES = 40 };

/* A gap is worth an explanation if the loop takes longer than its limit or prediction by more than
 * this share. */
#define WHY_GAP GAP_PREDICTED

/* The result of one pair. */
enum why_kind {
	WHY_WAITS,     /* the pair (the loop with and without a change) is not measured yet */
	WHY_CAUSE,     /* the changed thing explains a part of the gap */
	WHY_COUNTED,   /* the changed thing costs cycles, but the core model already counts them */
	WHY_NOTHING,   /* the change makes no difference, or noise can explain the difference */
	WHY_FAILED,    /* the loop cannot be measured with the change (the field `why` gives the
			  reason) */
	WHY_DISTURBED, /* another core runs the loop faster, because this core is busy: no cause in
			  the loop itself */
};
extern const char *const why_kinds[]; /* the last word is NULL */

struct why_cause {
	char name[24]; /* the cause: "cache sets" */
	char with[40]; /* the change of the loop's setting in a pair of measurements: "pad=8" */
	enum why_kind kind;
	bool work;    /* the change concerns the values of the data or the order of access, not only
			 places in memory */
	double other; /* cycles per element with the change, median */
	double model; /* cycles per element that the core model predicts with the change; NAN:
			 not predicted */
	/* Cycles per element that the change saves, and their range, which is right with a
	 * probability of 99.9 %. */
	double cycles, cycles_lo, cycles_hi;
	/* Cycles that the change saves and their range, as shares of the gap, 0…1. For other data
	 * or another order: without the cycles that the core model predicts to be saved. */
	double share, share_lo, share_hi;
	char why[STATUS_TEXT];
};

struct why_report {
	struct setting setting;
	uint64_t seed;
	char uarch[UARCH_NAME];	 /* the core model; "": none */
	struct status status;	 /* why nothing can be measured */
	double limit, predicted; /* the loop's binding limit and the core model's prediction, cycles
				    per element */
	char binding[32], predicted_by[72]; /* names of the binding limit, and of those that cause
					       the prediction */
	/* The least that the core model predicts with a change of a place in memory, if it is less
	 * than the binding limit, and the change; NAN and "": the binding limit is the least. */
	double moved;
	char moved_with[40];
	bool known;   /* the prediction explains the measurement */
	double least; /* cycles per element below which no measurement can be: gap_least() */
	bool below;   /* the measurement is below `least`, so the core model or the clock is wrong
		       */
	double cpe, cpe_lo, cpe_hi; /* measured cycles per element: median and quartiles */
	enum source cycles_from;
	double gap; /* measured cycles per element above why_begin(); 0: no gap worth an
		       explanation */
	int count;
	struct why_cause cause[WHY_PAIRS]; /* possible causes of the gap; after the measurement,
					      confirmed causes come first: the largest first, but a
					      place in memory before other data or another order */
	/* Cycles per element that the changes of all named causes save together, and the rest of
	 * the gap; NAN: not measured. */
	double together, together_lo, together_hi;
	double rest, rest_lo, rest_hi;
	bool overlap; /* the changes of all causes together save less than the sum of what each
			 change saves */
	bool complete, contended;
	double seconds;
	char doing[64]; /* the current measurement */
};

/* ---- Pairs (pairs.c) */

/* One side of two compared measurements: a setting, and changes that no knob makes. */
struct why_side {
	struct setting setting;
	struct own_change own; /* a change of the data of the user's own loop */
	bool elsewhere;	       /* true: another core runs the loop */
	unsigned code_shift;   /* bytes by which the loop's code moves within its cache line */
};

/* Finds the pairs of measurements (with and without a change) that apply to a setting, with the
 * names of the causes. The parameter `explanation` has the limits of the loop at the setting.
 * Returns the number of pairs. Pure. */
int pairs_find(const struct setting *setting, const struct explanation *explanation,
	struct why_cause *cause, struct why_side *side);

/* Adds the changes of the measurement `from` to those of the measurement *side. The parameter
 * `setting` is the setting without changes. */
void pairs_merge(const struct setting *setting, const struct why_side *from, struct why_side *side);

/* Returns two sentences: what a cause of a gap means, and what helps against it. The returned text
 * about a cause is static; "": the name of the cause is unknown.
 */
const char *pairs_meaning(const char *name);
const char *pairs_remedy(const char *name);

/* Fills the members of a request for a measurement that differ between the loop with and without a
 * change. */
void pairs_ask(const struct why_side *side, struct request *request);

/* ---- Measuring (why.c) */

struct why;

/* The question why a setting is slower than its limit. */
struct why_question {
	const struct setting *setting;
	const struct explanation *explanation; /* of the setting; NULL: no core model */
	uint64_t seed;
	double seconds; /* time limit; 0: the default of less than two seconds */
	/* Returns the predicted cycles per element of another setting of the kernel; NAN: unknown.
	 * If the function is NULL, the cycles of other settings are not predicted. */
	double (*predict)(void *context, const struct setting *setting);
	void *context;
};

/* Whether any change of the loop shows a cause of its gap, so that a measurement makes sense.
 * Pure. */
bool why_applies(const struct setting *setting, const struct explanation *explanation);

/* Prepares the pairs. The question, and the limits (explanation) in it, are not used after the
 * call. */
struct why *why_new(const struct why_question *question);
void why_measure(struct why *why, const struct measurer *measurer);
const struct why_report *why_report(const struct why *why);
void why_free(struct why *why);

/* Returns the cycles per element at which the gap begins. If a soft limit predicts too few cycles,
 * the gap begins at the prediction, else at the binding limit, or at `moved`. Pure. */
double why_begin(const struct why_report *report);

/* Computes the difference between the loop without and with a change, and decides whether the
 * change shows a cause. `base` and `other` have the measured cycles per element without and with
 * the change. Pure. */
void why_judge(struct why_cause *cause, const struct why_report *report, const double *base,
	int base_count, const double *other, int other_count);

/* ---- Words (why_text.c) */

/* Returns the number of compared pairs. */
int why_compared(const struct why_report *report);

/* What report->below means. */
extern const char why_below[];

/* Returns the causes of a gap in one line: "cache sets 66 %, unexplained 34 %". */
struct words why_words(const struct why_report *report);

/* Prints the report about the causes of a gap in 80 columns, for command line and explorer. */
void why_print(FILE *out, const struct why_report *report);
