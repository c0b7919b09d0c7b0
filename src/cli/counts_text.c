/* What was counted beside what the model says: a line an event, and what is odd about them. */
#include "cli/counts_text.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "model/counts/counts.h"

enum { TITLE_WIDTH = 34, FIGURE_WIDTH = 8, TITLES = 60, WORDS = 160 };

static void put_figure(FILE *out, double value, char source)
{
	char word[32];

	units_figure(value, word, sizeof(word));
	fprintf(out, " %*s %c", FIGURE_WIDTH, word, source);
}

static void put_event(
	FILE *out, const struct uarch_event *meaning, const struct count *count, double modelled)
{
	double apart = count->value - modelled;
	char title[EVENT_TITLE], words[WORDS];

	events_title(meaning, NULL, title, sizeof(title));
	fprintf(out, "  %-*s", TITLE_WIDTH, title);
	put_figure(out, count->value, SOURCE_COUNTER);
	if (isfinite(modelled)) {
		put_figure(out, modelled, SOURCE_MODEL);
		/* What three digits after the point cannot show is none. */
		if (fabs(apart) >= 0.0005) {
			units_figure(fabs(apart), words, sizeof(words));
			fprintf(out, "  %c%s", apart < 0 ? '-' : '+', words);
		}
	}
	if (count->state == COUNT_SCALED) {
		count_words(count, words, sizeof(words));
		fprintf(out, "  %s", words);
	}
	fputc('\n', out);
}

/* Why an event has no figure. Returns false when it has one. */
static bool why_unavailable(const struct count *count, char words[WORDS])
{
	if (count_known(count))
		return false;
	count_words(count, words, WORDS);
	return true;
}

/* Those events from `first` on that have no figure for this reason: by their titles, or their
 * number where those are many. */
static void put_unavailable(FILE *out, const struct event_plan *plan, const struct counts *counts,
	int first, const char *reason)
{
	struct text line = { 0 };
	int many = 0;

	for (int i = first; i < counts->count; i++) {
		char title[EVENT_TITLE], words[WORDS];

		if (!why_unavailable(&counts->event[i], words) || strcmp(words, reason) != 0)
			continue;
		events_title(&plan->meaning[i], NULL, title, sizeof(title));
		text_addf(&line, "%s%s", many++ ? ", " : "", title);
	}
	if (line.length > TITLES)
		fprintf(out, "  %d others: unavailable; %s\n", many, reason);
	else
		fprintf(out, "  %s: unavailable; %s\n", text_string(&line), reason);
	text_free(&line);
}

/* What is unavailable, by the reason. */
static void put_all_unavailable(
	FILE *out, const struct event_plan *plan, const struct counts *counts)
{
	for (int i = 0; i < counts->count; i++) {
		char words[WORDS], other[WORDS];
		bool told = false;

		if (!why_unavailable(&counts->event[i], words))
			continue;
		for (int j = 0; j < i && !told; j++)
			told = why_unavailable(&counts->event[j], other) &&
			       strcmp(other, words) == 0;
		if (!told)
			put_unavailable(out, plan, counts, i, words);
	}
}

/* What cannot both be right. */
static void put_doubts(FILE *out, const struct report *report, const struct sample *sample)
{
	const struct explanation *explanation = report->explanation;
	char a[32], b[32];

	if (counts_instructions_doubtful(report->events, report->counts, explanation)) {
		units_figure(
			counts_of(report->events, report->counts, ROLE_INSTRUCTIONS), a, sizeof(a));
		units_figure(counts_decoded(explanation), b, sizeof(b));
		fprintf(out,
			"DOUBT    %s instructions counted, %s in the code: one of the two is "
			"wrong\n",
			a, b);
	}
	if (counts_clocks_differ(sample->check))
		fprintf(out,
			"DOUBT    the reference chain tells %.1f%% %s cycles than the counter\n",
			100 * fabs(sample->check - 1), sample->check > 1 ? "more" : "fewer");
}

void counts_text_sample(const struct report *report, const struct sample *sample)
{
	const struct event_plan *plan = report->events;
	const struct counts *counts = report->counts;
	FILE *out = report->out;
	double ipc = counts_ipc(plan, counts);

	/* Where there are no counters that is said once, on standard error, if anybody asked. */
	if (!plan || !counts || counts->id != plan->counters.id || counts->count == 0)
		return;
	fprintf(out, "counters per element, C counted%s%s%s; read %s\n", *counts->pmu ? " by " : "",
		counts->pmu, report->explanation ? ", M as the model has it" : "",
		counts->direct ? "directly" : "by system calls");
	for (int i = 0; i < counts->count; i++) {
		if (!count_known(&counts->event[i]))
			continue;
		put_event(out, &plan->meaning[i], &counts->event[i],
			events_modelled(&plan->meaning[i], report->explanation));
		if (plan->meaning[i].role == ROLE_INSTRUCTIONS && isfinite(ipc)) {
			fprintf(out, "  %-*s", TITLE_WIDTH, "instructions a cycle");
			put_figure(out, ipc, SOURCE_COUNTER);
			fputc('\n', out);
		}
	}
	put_all_unavailable(out, plan, counts);
	put_doubts(out, report, sample);
}
