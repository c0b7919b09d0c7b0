#include "experiment/advice/advice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* If a knob has at most WHOLE_RANGE values, the search tries every value. If a knob has more
 * values, the search doubles and halves the present value. VALUES_MAX: largest number of values to
 * try. */
enum { WHOLE_RANGE = 16, VALUES_MAX = 48 };
/* Two predictions count as equal if their relative difference is below EQUAL. */
static const double EQUAL = 0.005;

/* A possible change: one knob has a new value, and the kernel has adjusted the other knobs. */
struct option {
	struct setting setting;
	int knob;
	double cpe, step;
	bool measured; /* `cpe` is measured, not predicted */
	double share;  /* CPE as a share of the CPE of the present setting, both measured or both
			  predicted */
};

/* Lists other values of a knob to try, beginning with the values nearest to the present value. The
 * list omits values of the knob that enlarge the working set. */
static int values_of(const struct knob *knob, int64_t present, struct memory_limits memory_limits,
	int64_t *values)
{
	int64_t multiple = setting_unit(knob), min = setting_min(knob);
	int64_t max = knob->axis == AXIS_SIZE ? present : setting_max(knob, memory_limits);
	int count = 0;

	if ((max - min) / multiple < WHOLE_RANGE) {
		for (int64_t away = multiple; away <= max - min; away += multiple) {
			if (present - away >= min)
				values[count++] = present - away;
			if (present + away <= max)
				values[count++] = present + away;
		}
		return count;
	}
	/* Halving never reaches 0, which is often the value without the effect. */
	if (knob->kind == KNOB_COUNT && min == 0 && present != 0)
		values[count++] = 0;
	for (int64_t factor = 2; count + 2 < VALUES_MAX && factor < (int64_t)1 << 40; factor *= 2) {
		int64_t less = present / factor,
			more = present <= max / factor ? present * factor : max + 1;

		if (less >= min && less > 0 && less % multiple == 0)
			values[count++] = less;
		if (more <= max && more != present)
			values[count++] = more;
	}
	return count;
}

/* Returns the distance between two values of a knob. The distance between two named values of a
 * knob (choices) is always 1. The number 0, the plainest value, comes before every other one. */
static double step_of(const struct knob *knob, double from, double to)
{
	return knob->kind == KNOB_CHOICE ? 1
	       : to == 0		 ? 0
	       : from > 0 && to > 0	 ? fabs(log2(to / from))
					 : fabs(to - from);
}

/* The limits and the progress of a search. */
struct asking {
	int asks, most; /* number of settings tried so far, and its limit; settings with cached
			   explanations count too */
	int fresh;	/* number of settings that may still be explained again; -1: no limit */
	bool unfinished;
	bool partial; /* some settings were tried that cannot be predicted */
	int unready;  /* a knob with settings that cannot be explained yet; -1: none */
};

bool advice_knows(const struct explanation *explanation)
{
	return status_is_ok(&explanation->status) && explanation->limits.binding >= 0 &&
	       explanation->limits.unknown == 0 && !explanation->limits.incomplete;
}

/* Returns the predicted CPE of a setting; NAN: unknown. */
static double predict(const struct advice_question *question, const struct setting *setting,
	struct asking *asking)
{
	struct explain_question ask = *question->ask;
	double cpe = NAN;

	if (question->explain_cache &&
		explain_cache_predicted(question->explain_cache, setting, &cpe))
		return cpe;
	if (question->later)
		*question->later = *setting;
	if (asking->fresh == 0 || question->later) {
		asking->unfinished = true;
		return NAN;
	}
	if (asking->fresh > 0)
		asking->fresh--;
	ask.kernel = setting->kernel;
	ask.v = setting->v;
	question->explainer->explain(question->explainer->context, &ask, question->scratch);
	if (advice_knows(question->scratch))
		cpe = question->scratch->limits.predicted;
	if (question->explain_cache)
		explain_cache_predict(question->explain_cache, setting, cpe);
	return cpe;
}

/* Fills CPE of a setting, and its share of the CPE of the present setting. A measured value counts
 * more than a prediction, which may be too low for one of the two settings. Other work, such as
 * fewer data, may gain for reasons that have nothing to do with the present limits: only that it
 * does not gain is taken from its measurement. */
static void judge(
	const struct advice_question *question, struct option *option, struct asking *asking)
{
	const struct setting *present = question->setting;
	bool form = present->kernel->knobs[option->knob].role == KNOB_FORM;
	double here =
		question->measured ? question->measured(question->context, present) : (double)NAN;

	option->cpe =
		here > 0 ? question->measured(question->context, &option->setting) : (double)NAN;
	option->share = option->cpe / here;
	option->measured = option->cpe > 0 && (form || option->share > 1 - ADVICE_WORTH / 2);
	if (option->measured)
		return;
	option->cpe = predict(question, &option->setting, asking);
	option->share = option->cpe / question->explanation->limits.predicted;
}

/* Returns whether the kernel, when it adjusted the setting to the turned knob, changed the work of
 * an element more than the knob says: the amount of work with a knob for the code's form, or the
 * bytes of an element, whose cycles then do not compare. */
static bool other_work(const struct setting *from, const struct setting *to, int turned)
{
	const struct kernel *kernel = from->kernel;

	for (int i = 0; i < kernel->knob_count; i++)
		if (from->v[i] != to->v[i] &&
			(kernel->knobs[i].role == KNOB_DATA ||
				(kernel->knobs[i].role == KNOB_WORK &&
					kernel->knobs[turned].role == KNOB_FORM)))
			return true;
	return false;
}

/* Returns whether the changed setting makes more short searches at once, whose ends are
 * mispredicted. The core already executes the next search while it waits for the end of a search,
 * so the model's gain from interleaved searches is not reached. Measured on Zen 5 with hash-lookup
 * size=64m: 138 cycles with one search at a time; 178, 163, 140 and 133 with 3, 12, 48 and 64. */
static bool interleaves_in_vain(const struct setting *from, const struct setting *to)
{
	struct kernel_walk before = { 0 }, after = { 0 };

	return kernel_describe(from->kernel, from->v, &before) &&
	       kernel_describe(to->kernel, to->v, &after) && after.further > 0 &&
	       after.mispredicts > 0 && after.chains > before.chains;
}

/* Makes the option of turning one knob to `value`. Returns false if that setting is not to be
 * tried. */
static bool make_option(const struct advice_question *question, int index, int64_t value,
	struct asking *asking, struct option *option)
{
	const struct setting *present = question->setting;

	*option = (struct option){ .setting = *present,
		.knob = index,
		.step = step_of(
			&present->kernel->knobs[index], (double)present->v[index], (double)value) };
	option->setting.v[index] = value;
	kernel_fit(present->kernel, option->setting.v, index);
	if (option->setting.v[index] != value || other_work(present, &option->setting, index) ||
		interleaves_in_vain(present, &option->setting))
		return false;
	if (question->allowed ? !question->allowed(question->context, &option->setting)
			      : setting_check(&option->setting, question->memory_limits).code !=
					STATUS_OK)
		return false;
	if (question->ready && !question->ready(question->context, &option->setting)) {
		asking->unready = asking->unready < 0 ? index : asking->unready;
		return false;
	}
	return true;
}

/* Explains the setting with each listed value of one knob. *best is the best change found so far.
 */
static void try_knob(const struct advice_question *question, int index, struct asking *asking,
	struct option *best)
{
	const struct setting *present = question->setting;
	const struct knob *knob = &present->kernel->knobs[index];
	int64_t values[VALUES_MAX + 1];
	int count = values_of(knob, present->v[index], question->memory_limits, values);

	/* The model cannot predict the effect of another memory node, or of other cores that run at
	 * the same time. */
	if (knob->asks == ASKS_NODE || knob->asks == ASKS_CORES || knob->asks == ASKS_STREAMS)
		return;
	if (question->also && question->also_knob == index && question->also != present->v[index])
		values[count++] = question->also;
	for (int i = 0; i < count && asking->asks < asking->most && !asking->unfinished; i++) {
		struct option option;

		if (!make_option(question, index, values[i], asking, &option))
			continue;
		asking->asks++;
		judge(question, &option, asking);
		if (!(option.cpe > 0)) {
			asking->partial = true;
			continue;
		}
		if (option.share < best->share * (1 - EQUAL) ||
			(option.share <= best->share * (1 + EQUAL) && best->knob == index &&
				option.step < best->step))
			*best = option;
	}
}

/* Finds the first change of the code's form that gives each core lines of its own. The cost of a
 * line that moves between cores is not predicted, but it is the largest. */
static void part_lines(
	const struct advice_question *question, struct asking *asking, struct option *best)
{
	const struct setting *present = question->setting;
	const struct kernel *kernel = present->kernel;

	for (int index = 0; kernel->shares_line && index < kernel->knob_count; index++) {
		const struct knob *knob = &kernel->knobs[index];
		int64_t values[VALUES_MAX];
		int count = values_of(knob, present->v[index], question->memory_limits, values);

		for (int i = 0; knob->role == KNOB_FORM && i < count; i++) {
			struct option option;

			if (!make_option(question, index, values[i], asking, &option) ||
				kernel->shares_line(option.setting.v))
				continue;
			judge(question, &option, asking);
			if (option.cpe > 0)
				*best = option;
			if (option.cpe > 0 || asking->unfinished)
				return;
		}
	}
}

/* Adds the changed knob and the knobs that the kernel adjusted to `words`: "acc=4 (and unroll=4)".
 * Writes the short forms of the change. */
static void name_change(const struct setting *from, const struct option *to, struct text *words,
	struct advice *advice)
{
	const struct knob *knobs = from->kernel->knobs;
	struct words first = words_of("%s=%s", knobs[to->knob].name,
		setting_value(&knobs[to->knob], to->setting.v[to->knob]).text);
	struct text set = { 0 };
	int more = 0;

	text_add(words, first.text);
	text_add(&set, first.text);
	for (int i = 0; i < from->kernel->knob_count; i++) {
		struct words value = setting_value(&knobs[i], to->setting.v[i]);

		if (i == to->knob || from->v[i] == to->setting.v[i])
			continue;
		text_addf(words, "%s%s=%s", more++ ? ", " : " (and ", knobs[i].name, value.text);
		text_addf(&set, " %s=%s", knobs[i].name, value.text);
	}
	if (more)
		text_add(words, ")");
	snprintf(advice->set, sizeof(advice->set), "%s", text_string(&set));
	snprintf(advice->brief, sizeof(advice->brief), "%.40s%s", first.text, more ? ", …" : "");
	text_free(&set);
}

/* Returns whether the slowest chain is pointer chasing: each load's result is the address of the
 * next load. */
static bool chases_pointers(const struct explanation *explanation)
{
	int carried = 0;

	for (int i = 0; i < explanation->loop.insn_count; i++) {
		const struct insn *insn = &explanation->loop.insn[i];

		if (!explanation->limits.insn[i].carried)
			continue;
		carried++;
		if (!insn_fetches(insn))
			return false;
	}
	return carried > 0;
}

/* Returns whether the instruction adds a constant to a register: whether it counts, or moves a
 * pointer. */
static bool counts(const struct insn *insn)
{
	static const char *const names[] = { "add", "adds", "sub", "subs", "inc", "dec", "lea" };
	uint8_t from = insn->address_only      ? insn->memory[0].base
		       : insn->read_count == 1 ? insn->reads[0]
					       : REG_NONE;
	bool named = false, same = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		named = named || strcmp(insn->mnemonic, names[i]) == 0;
	for (int i = 0; i < insn->write_count; i++)
		same = same || insn->writes[i] == from;
	return named && same && from != REG_NONE &&
	       (!insn->memory_count || (insn->address_only && insn->memory[0].index == REG_NONE));
}

/* Returns whether the slowest chain is one step of a counter or of a pointer per iteration. */
static bool only_counts(const struct explanation *explanation)
{
	const struct insn *step = NULL;

	for (int i = 0; i < explanation->loop.insn_count; i++) {
		if (!explanation->limits.insn[i].carried)
			continue;
		if (step)
			return false;
		step = &explanation->loop.insn[i];
	}
	return step && counts(step);
}

/* Returns whether the kernel is one of this program, and no knob of it adds accumulators. */
static bool has_one_chain(const struct kernel *kernel)
{
	return kernel && !kernel->isolated && !kernel->function && kernel_knob(kernel, "acc") < 0;
}

enum limit_kind advice_about(const struct limits *limits)
{
	bool above =
		limits->predicted_by >= 0 &&
		(limits->binding < 0 || limits->bound < limits->predicted * (1 - ADVICE_WORTH));

	return limits->limit[above ? limits_main(limits) : limits->binding].kind;
}

/* Adds the names of the limits that equal the binding one, "latency, ports", and returns their
 * number. *kinds receives a bit for each. */
static int name_equals(const struct limits *limits, struct text *names, uint64_t *kinds)
{
	int count = 0;

	*kinds = 0;
	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].known &&
			fabs(limits->limit[i].cpe - limits->bound) <= EQUAL * limits->bound) {
			text_addf(names, "%s%s", count++ ? ", " : "",
				limit_rows[limits->limit[i].kind].name);
			*kinds |= UINT64_C(1) << limits->limit[i].kind;
		}
	return count;
}

/* Returns the advice in a sentence, without regard to equal limits. */
static const char *sentence_of(
	const struct kernel *kernel, const struct explanation *explanation, enum limit_kind kind)
{
	/* The cost of a line that moves between cores is not known, but it is the largest. */
	if (explanation->place.shared_line)
		return limit_remedy(LIMIT_MOVING);
	if (kind == LIMIT_LATENCY && chases_pointers(explanation))
		return "Walk several lists at once, or keep the items in an array: each load waits "
		       "for the address that the load before it fetches.";
	if (kind == LIMIT_LATENCY && only_counts(explanation))
		return "Unroll: the chain only counts, and one step of the counter then serves "
		       "several elements.";
	if (kind == LIMIT_LATENCY && explanation->limits.chain.through_memory)
		return "The chain goes through memory: keep the value in a register inside the "
		       "loop, and store it once at the end.";
	if (kind == LIMIT_LATENCY && has_one_chain(kernel))
		return "No knob breaks this chain; your own code can use more accumulators.";
	return limit_remedy(kind);
}

struct words advice_sentence(
	const struct kernel *kernel, const struct explanation *explanation, enum limit_kind kind)
{
	const struct limits *limits = &explanation->limits;
	struct text names = { 0 };
	struct words words;
	uint64_t equal;

	/* Advice to break the dependence chain alone would not make the loop faster. */
	if (kind == LIMIT_LATENCY && limits->bound > 0 && !explanation->place.shared_line &&
		name_equals(limits, &names, &equal) > 1)
		words = words_of("Equal limits: %s. The loop gets faster only if all of them fall.",
			text_string(&names));
	else
		words = words_of("%s", sentence_of(kernel, explanation, kind));
	text_free(&names);
	return words;
}

/* Returns words for what a change of a knob eases. */
static const char *eases(const struct setting *from, const struct setting *to, enum limit_kind kind)
{
	struct kernel_walk before = { 0 }, after = { 0 };

	return kind == LIMIT_MEMORY_LATENCY && kernel_describe(from->kernel, from->v, &before) &&
			       kernel_describe(to->kernel, to->v, &after) &&
			       after.chains > before.chains
		       ? "overlaps its loads"
		       : limit_eases(kind);
}

static void advise_sentence(
	const struct advice_question *question, enum limit_kind kind, struct advice *advice)
{
	advice->kind = ADVICE_SENTENCE;
	snprintf(advice->words, sizeof(advice->words), "%.199s",
		advice_sentence(question->setting->kernel, question->explanation, kind).text);
}

static void advise_knob(const struct advice_question *question, const struct option *best,
	enum limit_kind kind, struct advice *advice)
{
	struct text change = { 0 };

	advice->kind = ADVICE_KNOB;
	advice->setting = best->setting;
	advice->knob = best->knob;
	advice->to = best->cpe;
	advice->measured = best->measured;
	advice->about = UINT64_C(1) << kind;
	name_change(question->setting, best, &change, advice);
	snprintf(advice->words, sizeof(advice->words), "%.119s %s: %s %s", change.bytes,
		eases(question->setting, &best->setting, kind), units_value(best->cpe).text,
		best->measured ? "measured" : "predicted");
	text_free(&change);
}

bool advice_find(const struct advice_question *question, struct advice *advice)
{
	const struct limits *limits = &question->explanation->limits;
	const struct kernel *kernel = question->setting->kernel;
	enum limit_kind kind;
	uint64_t equal;
	struct option best = { .knob = -1, .share = 1 };
	struct text names = { 0 };
	struct asking asking = { .most = explain_cache_slow(kernel) ? ADVICE_ASKS_SLOW
								    : ADVICE_ASKS,
		.fresh = question->fresh > 0 ? question->fresh : -1,
		.unready = -1 };

	*advice = (struct advice){ .unready = -1 };
	if (!status_is_ok(&question->explanation->status) || limits->predicted_by < 0)
		return true;
	kind = advice_about(limits);
	if (question->explanation->place.shared_line) {
		advice->about = UINT64_C(1) << LIMIT_MOVING;
		part_lines(question, &asking, &best);
		if (asking.unfinished)
			return false;
		if (best.knob < 0)
			advise_sentence(question, LIMIT_MOVING, advice);
		else
			advise_knob(question, &best, LIMIT_MOVING, advice);
		advice->from = best.measured ? best.cpe / best.share : (double)NAN;
		return true;
	}
	advice->about = UINT64_C(1) << kind;
	if (limits->incomplete) {
		advise_sentence(question, kind, advice);
		advice->partial = true;
		return true;
	}
	for (int role = KNOB_FORM; role >= KNOB_WORK; role--) {
		for (int i = 0; i < kernel->knob_count; i++)
			if ((int)kernel->knobs[i].role == role)
				try_knob(question, i, &asking, &best);
		if (asking.unfinished)
			return false;
		if (best.knob >= 0 && best.share <= 1 - ADVICE_WORTH)
			break;
	}
	advice->from = best.measured ? best.cpe / best.share : limits->predicted;
	advice->unready = asking.unready;
	advice->partial = asking.partial && limit_rows[kind].resource == RESOURCE_MEMORY;
	if (best.knob < 0 || best.share > 1 - ADVICE_WORTH) {
		if (kind == LIMIT_LATENCY && name_equals(limits, &names, &equal) > 1)
			advice->about = equal;
		advise_sentence(question, kind, advice);
	} else {
		/* The change of a knob eases the binding limit if CPE falls further below the limit
		 * than it was above the limit. */
		if (limits->binding >= 0 && !best.measured &&
			limits->bound - best.cpe > limits->predicted - limits->bound)
			kind = limits->limit[limits->binding].kind;
		advise_knob(question, &best, kind, advice);
	}
	text_free(&names);
	return true;
}
