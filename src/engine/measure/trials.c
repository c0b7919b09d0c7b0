#include "engine/measure/trials.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "engine/clock/clock.h"
#include "engine/measure/line.h"

const char *source_name(enum source source)
{
	static const char *const names[] = {
		[SOURCE_COUNTER] = "counter",
		[SOURCE_REFERENCE] = "reference",
		[SOURCE_STEPPED] = "stepped",
		[SOURCE_TIME] = "time",
		[SOURCE_MODEL] = "model",
	};

	return source > SOURCE_NONE && source <= SOURCE_TIME && names[source] ? names[source]
									      : "none";
}

const char *source_of_cycles(enum source source)
{
	return source == SOURCE_COUNTER	    ? "counted"
	       : source == SOURCE_REFERENCE ? "reference clock"
					    : "no clock";
}

void trial_uncount(struct trial *trial)
{
	if (!(trial->check > 0))
		return;
	trial->cpe *= (double)trial->check;
	trial->ghz *= (double)trial->check;
	trial->check = NAN;
}

/* ---- quiet or contended */

/* Trials whose times of the watch chain or of the watch loops are above these limits are contended.
 * On Zen 5, a busy hyper-thread sibling slows the watch chain down by 2.5 to 3.5 %; noise after
 * smoothing is 0.5 %. On Zen 3, a busy sibling rarely slows the watch chain down. Next to a busy
 * sibling on Zen 3, the small watch loop takes 1.65 to 2.5 cycles per turn instead of 1.00 to 1.14.
 * None of 120,000 readings on Zen 3 lay between 1.14 and 1.65 cycles. On Redwood Cove, a busy
 * sibling makes the wide watch loop take twice as long. On Zen 3 and Redwood Cove, a busy sibling
 * makes the two watch loops together more than a third slower. */
static const double watch_slow = 1.015, turns_slow = 1.2;

/* On Redwood Cove, the reference chain is sometimes up to three times slower than the watch chain
 * (which shows a busy hyper-thread). On Redwood Cove, the reference chain of dependent instructions
 * stays slow for milliseconds. If the reference chain of dependent instructions is three times
 * slower, it gives only a third of the true number of cycles. One timing of the reference chain of
 * dependent instructions has an error of about 1 %. */
static const double chain_slow = 0.95;

float trial_watch(const struct clock *clock, double ticks, double cycle)
{
	double told = (ticks - clock->overhead) / cycle / TRIAL_WATCH_LINKS;

	if (!clock->watched)
		return NAN;
	return (float)(clock->link_sure && told > 0 && told < chain_slow ? 1 / told : told);
}

void trials_classify(struct trials *trials)
{
	for (unsigned i = 0; i < trials->count; i++) {
		struct trial *trial = &trials->trial[i];
		double links[5], turns[5];
		unsigned last = trials->count < 5 ? 0 : trials->count - 5, from = i < 2 ? 0 : i - 2,
			 count = 0;

		if (trial->fate > TRIAL_CONTENDED)
			continue;
		from = from > last ? last : from;
		for (unsigned k = from; k < trials->count && count < 5; k++) {
			if (isnan(trials->trial[k].watch) || isnan(trials->trial[k].turns))
				continue;
			links[count] = (double)trials->trial[k].watch;
			turns[count++] = (double)trials->trial[k].turns;
		}
		trial->fate = count > 0 && (stats_median(links, count) > watch_slow ||
						   stats_median(turns, count) > turns_slow ||
						   (double)trial->turns > turns_slow)
				      ? TRIAL_CONTENDED
				      : TRIAL_QUIET;
	}
}

static double chain_ghz(const struct trial *trial)
{
	return trial->check > 0 ? trial->ghz * (double)trial->check : trial->ghz;
}

/* Whether the trial has a time of the watch chain and is quiet or contended. */
static bool is_watched(const struct trial *trial)
{
	return !isnan(trial->turns) && trial->fate <= TRIAL_CONTENDED;
}

double trials_best_turns(const struct trials *trials, double *ghz)
{
	double turns[TRIALS_MAX], clocks[TRIALS_MAX];
	size_t count = 0, full = 0;

	/* Use the core clock by the reference chain of dependent instructions, even if cycles are
	 * counted. */
	for (unsigned i = 0; i < trials->count; i++)
		if (is_watched(&trials->trial[i]))
			clocks[count++] = chain_ghz(&trials->trial[i]);
	stats_sort(clocks, count);
	*ghz = count < 10 ? NAN : stats_quantile(clocks, count, 0.9);
	/* Use only trials in which the reference chain of dependent instructions itself ran at full
	 * speed. */
	for (unsigned i = 0; i < trials->count; i++)
		if (is_watched(&trials->trial[i]) && chain_ghz(&trials->trial[i]) >= 0.99 * *ghz)
			turns[full++] = (double)trials->trial[i].turns;
	stats_sort(turns, full);
	return full < 10 ? NAN : stats_quantile(turns, full, 0.1);
}

/* ---- samples */

/* The trials that sample_summarise() uses. */
struct picked {
	double cpe[TRIALS_MAX], ghz[TRIALS_MAX];
	uint8_t place[TRIALS_MAX];
	unsigned count;
	double check;
};

/* Picks trials whose fate (quiet, or a reason to discard) is in `fates`, with one bit for each
 * fate. If `steady` is true, only trials with caches in steady state are picked. The cycle counter
 * may come or go between requests, so only some trials may have counted cycles. If the cycle
 * counter is the source of cycles, pick() uses only trials with counted cycles, if there are any.
 * If the reference chain of dependent instructions is the source of cycles, pick() converts counted
 * trials to the reference chain. */
static void pick(const struct trials *trials, unsigned fates, bool steady, enum source source,
	struct picked *picked)
{
	double check[TRIALS_MAX];
	unsigned checked = 0;

	picked->count = 0;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < trials->count; i++) {
			struct trial trial = trials->trial[i];

			if (!(fates >> trial.fate & 1) || (steady && trial.unsettled))
				continue;
			if (pass == 0) {
				if (trial.check > 0)
					check[checked++] = (double)trial.check;
				continue;
			}
			if (source == SOURCE_COUNTER && checked > 0 && !(trial.check > 0))
				continue;
			if (source == SOURCE_REFERENCE)
				trial_uncount(&trial);
			picked->cpe[picked->count] = trial.cpe;
			picked->ghz[picked->count] = trial.ghz;
			picked->place[picked->count] = trial.place;
			picked->count++;
		}
	picked->check = source == SOURCE_COUNTER ? stats_median(check, checked) : NAN;
}

/* The mean of the trials omits this share of the trials at each end, because an interruption may
 * double a trial's time. */
#define MEAN_TRIM 0.02

/* A position of the working set in memory needs at least this many trials for a median. */
enum { PLACE_TRIALS = 8 };

/* The sample is contended if a thread on another core that took part ran for less than this share
 * of the trials' time. */
#define OTHERS_ON_CPU 0.9

/* Compares the values measured with the working set at different positions in memory. */
static void compare_places(const struct picked *picked, bool far, struct sample *sample)
{
	bool seen[UINT8_MAX + 1] = { false };
	double cpe[TRIALS_MAX];

	for (unsigned i = 0; i < picked->count; i++) {
		unsigned count = 0;
		double median;

		if (seen[picked->place[i]])
			continue;
		seen[picked->place[i]] = true;
		for (unsigned k = i; k < picked->count; k++)
			if (picked->place[k] == picked->place[i])
				cpe[count++] = picked->cpe[k];
		if (count < PLACE_TRIALS)
			continue;
		stats_sort(cpe, count);
		median = far ? stats_trimmed_mean(cpe, count, MEAN_TRIM)
			     : stats_quantile(cpe, count, 0.5);
		sample->place_lo = sample->places > 0 ? fmin(sample->place_lo, median) : median;
		sample->place_hi = sample->places > 0 ? fmax(sample->place_hi, median) : median;
		sample->places++;
	}
}

/* Raises the core clock of each trial that is below the 0.9 quantile of all trials to that
 * quantile, and adjusts its cycles per element. A busy sibling sometimes delays the reference chain
 * of dependent instructions, but never speeds it up. Within the trials of a sample the core clock
 * hardly changes. The 0.9 quantile of the core clocks is therefore closer to the true clock than a
 * slow trial's own value. */
static void trust_the_fastest_clock(double *cpe, double *ghz, unsigned count)
{
	double sorted[TRIALS_MAX], fast;

	memcpy(sorted, ghz, count * sizeof(*ghz));
	stats_sort(sorted, count);
	fast = stats_quantile(sorted, count, 0.9);
	for (unsigned i = 0; i < count; i++) {
		if (ghz[i] >= fast)
			continue;
		cpe[i] *= fast / ghz[i];
		ghz[i] = fast;
	}
}

/* If fewer than this share of the trials seem quiet, and the middle half of these differ by more
 * than this share, they are not quiet either: the watch loops run in the short pauses of the other
 * thread, and the loop next to it. Measured on Golden Cove beside a busy hyper-thread, 379 values
 * of 128 own loops: of 26 values that were too high by 4 to 300 %, 15 are such, and 14 of the
 * others. */
#define QUIET_FEW   0.3
#define QUIET_APART 0.02

void sample_summarise(
	const struct trials *trials, const struct run_facts *facts, struct sample *sample)
{
	struct picked picked;
	double *cpe = picked.cpe, *ghz = picked.ghz;
	unsigned fate[TRIAL_FATES], judged, made = trials->count, steady = 0, kept = 0;
	bool usable;
	struct stats_modes modes;

	*sample = (struct sample){ .quiet = NAN, .gbps = NAN, .bytes_per_cycle = NAN, .modes = 1 };
	sample->total_gbps = sample->check = NAN;
	for (unsigned i = 0; i < TRIAL_FATES; i++)
		made += fate[i] = trials->forgotten[i];
	for (unsigned i = 0; i < trials->count; i++) {
		bool judges = trials->trial[i].fate <= TRIAL_CONTENDED;

		fate[trials->trial[i].fate]++;
		kept += judges;
		steady += judges && !trials->trial[i].unsettled;
	}
	judged = fate[TRIAL_QUIET] + fate[TRIAL_CONTENDED];
	if (judged == 0)
		return;

	/* If only few trials are in steady state, use all trials and mark the sample as unsettled.
	 */
	usable = steady >= QUIET_USABLE;
	sample->unsettled = !usable && 2 * steady < kept;
	pick(trials, 1u << TRIAL_QUIET, usable, facts->cycles_from, &picked);
	sample->trials = picked.count;
	/* If there are too few quiet trials, mark the sample as contended. A short series of trials
	 * needs a larger share of quiet trials: a few trials between contended trials are rarely
	 * quiet. If very few trials are quiet, use contended trials too. */
	if (sample->trials < QUIET_ENOUGH &&
		sample->trials * (judged < 2 * QUIET_ENOUGH ? 2 : 5) < (usable ? steady : judged)) {
		sample->contended = true;
		if (sample->trials < QUIET_USABLE) {
			sample->mixed = true;
			pick(trials, 1u << TRIAL_QUIET | 1u << TRIAL_CONTENDED, usable,
				facts->cycles_from, &picked);
			sample->trials = picked.count;
			if (facts->cycles_from != SOURCE_COUNTER)
				trust_the_fastest_clock(cpe, ghz, sample->trials);
		}
	}
	if (sample->trials == 0)
		return;
	/* Cores that wait for each other, and cores that share a cache, make a loop slower or
	 * faster if another thread takes the processor of one of them. */
	sample->others_away =
		(facts->cores > 1 || facts->streams > 0) && facts->on_cpu < OTHERS_ON_CPU;
	sample->contended |= sample->others_away;
	sample->valid = true;
	sample->dropped = made - sample->trials - trials->forgotten[TRIAL_QUIET];
	sample->off_contended = sample->mixed ? 0 : fate[TRIAL_CONTENDED];
	sample->off_clock = fate[TRIAL_DRIFTED];
	sample->off_interrupted = fate[TRIAL_SWITCHED] + fate[TRIAL_MOVED] + fate[TRIAL_BROKEN];
	if (facts->watched)
		sample->quiet = (double)fate[TRIAL_QUIET] / judged;

	compare_places(&picked, facts->far, sample);
	stats_sort(cpe, sample->trials);
	sample->cpe = facts->far ? stats_trimmed_mean(cpe, sample->trials, MEAN_TRIM)
				 : stats_quantile(cpe, sample->trials, 0.5);
	/* A few slow trials may raise the mean above the upper quartile. Extend the range between
	 * the quartiles, so that the range always contains the sample's value. */
	sample->cpe_lo = fmin(stats_quantile(cpe, sample->trials, 0.25), sample->cpe);
	sample->cpe_hi = fmax(stats_quantile(cpe, sample->trials, 0.75), sample->cpe);
	sample->contended |= facts->watched && !facts->far && sample->quiet < QUIET_FEW &&
			     sample->cpe_hi - sample->cpe_lo > QUIET_APART * sample->cpe;
	sample->varies = !facts->far && !sample->contended && !sample->unsettled &&
			 sample->cpe_hi - sample->cpe_lo > SAMPLE_VARIES * sample->cpe;
	sample->ghz = stats_median(ghz, sample->trials);
	sample->ns = sample->cpe / sample->ghz;
	sample->seconds = sample->ns * 1e-9 * (double)facts->call * facts->calls * sample->trials;
	sample->provisional =
		sample->trials < TRIALS_SETTLED && !(sample->seconds >= SECONDS_SETTLED);
	sample->cycles_from = facts->cycles_from;
	sample->check = picked.check;
	sample->bend = facts->bend;
	sample->bent = facts->bend > 0 && fabs(facts->bend - 1) > LINE_BENT;
	if (facts->bytes > 0) {
		sample->bytes_per_cycle = (double)facts->bytes / sample->cpe;
		sample->gbps = (double)facts->bytes / sample->ns;
		if (facts->others_gbps > 0)
			sample->total_gbps = sample->gbps + facts->others_gbps;
	}
	if (stats_two_modes(cpe, sample->trials, &modes)) {
		sample->modes = 2;
		sample->mode_low = modes.low;
		sample->mode_high = modes.high;
		sample->mode_share_low = modes.share_low;
	}
}

bool sample_learnt(
	const struct sample *sample, const struct run_facts *facts, double *repeated, double *fresh)
{
	*repeated = facts->cpe_repeated > 0 ? facts->cpe_repeated : sample->cpe;
	*fresh = facts->cpe_fresh > 0 ? facts->cpe_fresh : sample->cpe;
	return sample->valid &&
	       *fresh > *repeated * (1 + (sample->contended ? SAMPLE_SHARED : SAMPLE_LEARNT));
}

const char *sample_doubt(const struct sample *sample)
{
	return sample->contended     ? "contended"
	       : sample->unsettled   ? "not settled"
	       : sample->bent	     ? "not linear"
	       : sample->varies	     ? "varies"
	       : sample->provisional ? "provisional"
				     : NULL;
}

bool sample_grows(const struct sample *sample)
{
	/* The work of two nested loops over n has 0.5; of a sort, about 0.9. */
	static const double most = 0.7;

	return sample->bent && sample->bend < most;
}

bool sample_overlap(const struct sample *a, const struct sample *b)
{
	return a->cpe_lo <= b->cpe_hi && b->cpe_lo <= a->cpe_hi;
}

double sample_precision(const struct sample *sample)
{
	return 0.627 * (sample->cpe_hi - sample->cpe_lo) / sqrt(sample->trials) / sample->cpe;
}

/* Returns the lower of two measurements, because disturbances only make calls slower: beside a busy
 * hyper-thread, a loop without branches seemed to take 7 to 68 % longer on fresh data. A
 * measurement in which the value is unknown has 0 or less. */
static double renew(double before, double now)
{
	return !(before > 0) ? now : now > 0 ? fmin(before, now) : before;
}

void facts_renew(struct run_facts *facts, const struct run_facts *newer, unsigned visits)
{
	double before = facts->others_gbps, now = newer->others_gbps,
	       fresh = renew(visits ? facts->cpe_fresh : 0, newer->cpe_fresh),
	       repeated = renew(visits ? facts->cpe_repeated : 0, newer->cpe_repeated);

	*facts = *newer;
	facts->cpe_fresh = fresh;
	facts->cpe_repeated = repeated;
	if (visits > 0 && before > 0 && now != 0)
		facts->others_gbps = isnan(now) ? before : before + (now - before) / (visits + 1);
}

void trials_append(struct trials *into, const struct trials *from)
{
	unsigned spill;

	if (into->count + from->count > TRIALS_MAX)
		trials_make_room(into);
	spill = into->count + from->count > TRIALS_MAX ? into->count + from->count - TRIALS_MAX : 0;
	if (spill > into->count)
		spill = into->count;
	for (unsigned i = 0; i < spill; i++)
		into->forgotten[into->trial[i].fate]++;
	for (unsigned i = 0; i < TRIAL_FATES; i++)
		into->forgotten[i] += from->forgotten[i];
	memmove(into->trial, into->trial + spill, (into->count - spill) * sizeof(into->trial[0]));
	into->count -= spill;
	memcpy(into->trial + into->count, from->trial, from->count * sizeof(from->trial[0]));
	into->count += from->count;
}

unsigned trials_quiet(const struct trials *trials)
{
	unsigned quiet = 0;

	for (unsigned i = 0; i < trials->count; i++)
		quiet += trials->trial[i].fate == TRIAL_QUIET && !trials->trial[i].unsettled;
	return quiet;
}

void trials_make_room(struct trials *trials)
{
	unsigned kept = 0, quiet = 0, skip;

	/* Quiet trials are kept even if they are not settled, so all of them count. */
	for (unsigned i = 0; i < trials->count; i++)
		quiet += trials->trial[i].fate == TRIAL_QUIET;
	skip = quiet > trials->count / 2 ? trials->count / 2 : 0;
	for (unsigned i = 0; i < trials->count; i++) {
		if ((trials->trial[i].fate == TRIAL_QUIET && i >= skip) ||
			i >= trials->count - trials->count / 4)
			trials->trial[kept++] = trials->trial[i];
		else
			trials->forgotten[trials->trial[i].fate]++;
	}
	trials->count = kept;
}
