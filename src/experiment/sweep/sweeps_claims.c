/* Judges the claims of a document, such as "A takes half the time of B", by the measured rows: does
 * side A have less than side B, about `factor` times the value, or more? */
#include <math.h>

#include "base/units.h"
#include "experiment/sweep/sweep.h"

/* "About": a ratio agrees with the claimed factor if their logarithms differ by at most half of the
 * factor's logarithm, within these limits. With these limits, a measured ratio of 1 refutes a claim
 * of 10 %. */
#define ABOUT_LEAST 0.05
#define ABOUT_MOST  0.14
/* The largest difference of logarithms that agrees with a claim that both sides are alike. */
#define ABOUT_ALIKE 0.10

/* The two rows of a sweep's table that a claim of the cited document compares, with their measured
 * values, and the ratio a ÷ b with its spread. */
struct place {
	const struct sweeps_row *a, *b;
	double value[2], lo[2], hi[2]; /* of a and of b */
	double ratio, least, most;
};

enum verdict { HOLDS, FAILS, UNDECIDED, VERDICTS };

static bool fits(const struct sweeps_conditions *conditions, const struct setting *setting)
{
	for (int i = 0; i < conditions->count; i++) {
		const struct sweeps_condition *condition = &conditions->condition[i];
		int64_t value = setting->v[condition->knob];

		if ((value < condition->value && condition->relation != SWEEPS_TO) ||
			(value > condition->value && condition->relation != SWEEPS_FROM))
			return false;
	}
	return true;
}

/* Computes the claimed quantity of one measured row, and its quartiles. If the row has no
 * quartiles, both quartiles are the value itself. */
static bool value_of(const struct named_sweep *sweep, const struct sweeps_claim *claim,
	const struct sweeps_row *row, const struct sweeps_row *rows, size_t count, double *value,
	double *lo, double *hi)
{
	*value = sweeps_row_value(sweep, claim->figure, row, rows, count);
	if (!sweeps_row_spread(sweep, claim->figure, row, rows, count, lo, hi))
		*lo = *hi = *value;
	return isfinite(*value) && *value > 0;
}

/* Finds the two rows that the claim compares if `row` is its side A. Returns false if the row is
 * not on side A, or one of the two rows has no settled value. */
static bool find_place(const struct named_sweep *sweep, const struct sweeps_claim *claim,
	const struct sweeps_row *row, const struct sweeps_row *rows, size_t count,
	struct place *place)
{
	struct setting other = row->setting;

	if (!fits(&claim->a, &row->setting) || !fits(&claim->at, &row->setting))
		return false;
	for (int i = 0; i < claim->b.count; i++)
		other.v[claim->b.condition[i].knob] = claim->b.condition[i].value;
	place->a = row;
	place->b = sweeps_row_find(rows, count, &other);
	if (!place->b || place->a->sample.unsettled || place->b->sample.unsettled ||
		!value_of(sweep, claim, place->a, rows, count, &place->value[0], &place->lo[0],
			&place->hi[0]) ||
		!value_of(sweep, claim, place->b, rows, count, &place->value[1], &place->lo[1],
			&place->hi[1]))
		return false;
	place->ratio = place->value[0] / place->value[1];
	place->least = place->lo[0] / place->hi[1];
	place->most = place->hi[0] / place->lo[1];
	return true;
}

/* Returns by how much a measured ratio may differ from the claimed factor, as a difference of
 * logarithms. */
static double tolerance(double factor)
{
	double effect = fabs(log(factor));

	return effect == 0 ? ABOUT_ALIKE : fmin(fmax(effect / 2, ABOUT_LEAST), ABOUT_MOST);
}

static enum verdict judge(const struct sweeps_claim *claim, const struct place *place)
{
	double far = tolerance(claim->factor);

	switch (claim->relation) {
	case SWEEPS_LESS: return place->most < 1 ? HOLDS : place->least > 1 ? FAILS : UNDECIDED;
	case SWEEPS_OVER:
		return place->least > claim->factor  ? HOLDS
		       : place->most < claim->factor ? FAILS
						     : UNDECIDED;
	case SWEEPS_ABOUT: break;
	}
	if (fabs(log(place->ratio / claim->factor)) <= far)
		return HOLDS;
	return log(place->least / claim->factor) <= far && log(place->most / claim->factor) >= -far
		       ? UNDECIDED
		       : FAILS;
}

/* Adds the knob values of one side of the claim: "lookups=16". */
static void side_words(const struct named_sweep *sweep, const struct sweeps_conditions *side,
	const struct setting *setting, struct text *words)
{
	for (int i = 0; i < side->count; i++) {
		int knob = side->condition[i].knob;

		text_addf(words, "%s%s=%s", i ? " " : "", sweep->kernel->knobs[knob].name,
			setting_value(&sweep->kernel->knobs[knob], setting->v[knob]).text);
	}
}

/* Adds the knob values that vary in the sweep and belong to no side of the claim: " at size=192k".
 */
static void place_words(const struct named_sweep *sweep, const struct sweeps_claim *claim,
	const struct setting *setting, const struct sweeps_row *rows, size_t count,
	struct text *words)
{
	bool begun = false;

	for (int k = 0; k < sweep->kernel->knob_count; k++) {
		bool varies = false;

		for (size_t i = 0; i < count; i++)
			varies |= rows[i].setting.v[k] != setting->v[k];
		for (int i = 0; i < claim->a.count; i++)
			varies &= claim->a.condition[i].knob != k;
		if (!varies)
			continue;
		text_addf(words, "%s %s=%s", begun ? "" : " at", sweep->kernel->knobs[k].name,
			setting_value(&sweep->kernel->knobs[k], setting->v[k]).text);
		begun = true;
	}
}

/* Adds the two compared values with their quartiles, and their ratio: "lookups=16 cpi 1.27 (1.25
 * to 1.29), lookups=1 2.72 (2.70 to 2.75, contended), 0.467 times". */
static void values_words(const struct named_sweep *sweep, const struct sweeps_claim *claim,
	const struct place *place, struct text *words)
{
	const struct sweeps_row *const row[2] = { place->a, place->b };
	const struct sweeps_conditions *const side[2] = { &claim->a, &claim->b };

	for (int i = 0; i < 2; i++) {
		text_add(words, i ? ", " : "");
		side_words(sweep, side[i], &row[i]->setting, words);
		text_addf(words, "%s%s %s", i ? "" : " ",
			i ? "" : sweeps_figure_names[claim->figure],
			sweeps_number(claim->figure, place->value[i]).text);
		if (place->hi[i] > place->lo[i])
			text_addf(words, " (%s to %s%s)",
				sweeps_number(claim->figure, place->lo[i]).text,
				sweeps_number(claim->figure, place->hi[i]).text,
				row[i]->sample.contended ? ", contended" : "");
	}
	text_addf(words, ", %s times", units_value(place->ratio).text);
}

/* Returns whether a quantity measures speed, such as cycles or seconds, not an amount such as
 * instructions. */
static bool is_speed(enum sweeps_figure figure)
{
	return figure != SWEEPS_INSTRUCTIONS && figure != SWEEPS_INSTRUCTIONS_TOTAL &&
	       figure != SWEEPS_CPI && figure != SWEEPS_TRAFFIC;
}

/* Adds the likely cause, if known, why one of the two compared rows is faster. */
static void cause_words(const struct named_sweep *sweep, const struct sweeps_claim *claim,
	const struct place *place, struct text *words)
{
	bool more = claim->figure == SWEEPS_GBPS || claim->figure == SWEEPS_BYTES_PER_CYCLE ||
		    claim->figure == SWEEPS_SPEEDUP,
	     a_fast = (place->ratio < 1) != more;
	struct text name = { 0 }, reason = { 0 };

	side_words(sweep, a_fast ? &claim->b : &claim->a,
		a_fast ? &place->b->setting : &place->a->setting, &name);
	sweeps_reason(a_fast ? place->a : place->b, a_fast ? place->b : place->a,
		text_string(&name), &reason);
	text_clear(&name);
	side_words(sweep, a_fast ? &claim->a : &claim->b,
		a_fast ? &place->a->setting : &place->b->setting, &name);
	if (reason.length)
		text_addf(words, "; %s is faster because %s", text_string(&name),
			text_string(&reason));
	text_free(&name);
	text_free(&reason);
}

/* The verdicts of a claim: for how many pairs of rows it holds or fails, and the pair that is
 * farthest from the claim. */
struct judgement {
	int count[VERDICTS], places;
	double least, most; /* smallest and largest ratio */
	struct place worst[VERDICTS];
};

static void add_place(
	struct judgement *judgement, const struct sweeps_claim *claim, const struct place *place)
{
	enum verdict verdict = judge(claim, place);
	double far = fabs(log(place->ratio / claim->factor)),
	       known = fabs(log(judgement->worst[verdict].ratio / claim->factor));

	if (judgement->count[verdict]++ == 0 || far > known)
		judgement->worst[verdict] = *place;
	judgement->least = judgement->places ? fmin(judgement->least, place->ratio) : place->ratio;
	judgement->most = judgement->places ? fmax(judgement->most, place->ratio) : place->ratio;
	judgement->places++;
}

static void claim_words(const struct named_sweep *sweep, const struct sweeps_claim *claim,
	const struct judgement *judgement, const struct sweeps_row *rows, size_t count,
	struct text *lines)
{
	enum verdict verdict = judgement->count[FAILS]	     ? FAILS
			       : judgement->count[UNDECIDED] ? UNDECIDED
							     : HOLDS;
	const struct place *place = &judgement->worst[verdict];

	text_addf(lines, "%s: %s",
		verdict == HOLDS   ? "claim holds here"
		: verdict == FAILS ? "claim does not hold here"
				   : "claim is within the spread here",
		claim->words);
	if (judgement->places > 1)
		text_addf(lines,
			verdict == HOLDS ? " (at %d of %d places)"
					 : " (it holds at %d of %d places)",
			judgement->count[HOLDS], judgement->places);
	text_add(lines, ":");
	if (verdict == HOLDS && judgement->places > 1) {
		text_addf(lines, " %s to %s times the %s", units_value(judgement->least).text,
			units_value(judgement->most).text, sweeps_figure_names[claim->figure]);
	} else {
		place_words(sweep, claim, &place->a->setting, rows, count, lines);
		text_add(lines, " ");
		values_words(sweep, claim, place, lines);
	}
	if (verdict == FAILS && is_speed(claim->figure))
		cause_words(sweep, claim, place, lines);
	text_add(lines, "\n");
}

void sweeps_claims(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines)
{
	for (int i = 0; i < sweep->claim_count; i++) {
		const struct sweeps_claim *claim = &sweep->claim[i];
		struct judgement judgement = { .places = 0 };

		for (size_t k = 0; k < count; k++) {
			struct place place;

			if (find_place(sweep, claim, &rows[k], rows, count, &place))
				add_place(&judgement, claim, &place);
		}
		if (judgement.places)
			claim_words(sweep, claim, &judgement, rows, count, lines);
	}
}

void sweeps_words(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines)
{
	sweeps_order(sweep, rows, count, lines);
	sweeps_claims(sweep, rows, count, lines);
	if (*sweep->note)
		text_addf(lines, "%s\n", sweep->note);
	if (*sweep->source)
		text_addf(lines, "source: %s\n", sweep->source);
}
