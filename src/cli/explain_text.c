/* An explanation as text for people: what binds, every limit, the ports, the code. */
#include "cli/explain_text.h"
#include "cli/misses_text.h"
#include "cli/published.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "experiment/advice/advice.h"
#include "experiment/advice/gap.h"
#include "experiment/sweep/blocks.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

/* "4", but "2.667". */
static void count_word(double count, char *buffer, size_t size)
{
	if (fabs(count - rint(count)) < 1e-6)
		snprintf(buffer, size, "%.0f", count);
	else
		units_figure(count, buffer, size);
}

/* Which core, and how it was chosen; one that is not the running one is named in those words
 * already. */
static void print_core(FILE *out, const struct report *report, const struct limits *limits)
{
	const char *title = uarch_title(limits->uarch);

	if (strstr(report->core->how, title))
		fprintf(out, "core      %s\n", report->core->how);
	else
		fprintf(out, "core      %s: %s\n", title, report->core->how);
}

static void print_head(FILE *out, const struct report *report, const struct setting *setting,
	const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;
	const struct loop *loop = &explanation->loop;
	struct text line = { 0 };
	char figure[32];

	setting_format(setting, &line);
	fprintf(out, "%s\n", text_string(&line));
	text_free(&line);
	print_core(out, report, limits);
	count_word(limits->elements / limits->turns, figure, sizeof(figure));
	if (loop->stepped) {
		char each[32];

		units_figure(loop->insns_per_element, each, sizeof(each));
		fprintf(out,
			"loop      stepped over %d turns of %s element%s: %s instructions an "
			"element (S)\n",
			loop->turns, figure, limits->elements == limits->turns ? "" : "s", each);
	} else {
		fprintf(out,
			"loop      %d instructions, %g micro-ops after fusion, %s element%s an "
			"iteration\n",
			loop->path_count, limits->slots, figure, limits->elements == 1 ? "" : "s");
	}
	if (loop->forks)
		fprintf(out, "          %d branch%s inside it %s taken to fall through\n",
			loop->forks, loop->forks == 1 ? "" : "es", loop->forks == 1 ? "is" : "are");
	if (limits->unknown)
		fprintf(out,
			"unknown   %d instruction%s that the core model does not know, left out of "
			"everything: %s\n",
			limits->unknown, limits->unknown == 1 ? "" : "s", limits->unknown_names);
	if (limits->binding < 0) {
		fprintf(out, "limit     unknown\n");
		return;
	}
	units_figure(limits->bound, figure, sizeof(figure));
	fprintf(out, "limit     %s cycles per %s: %s\n", figure, setting->kernel->element,
		limit_title(limits->limit[limits->binding].kind));
	fprintf(out, "          %s\n", limits->limit[limits->binding].cause);
	units_figure(limits->predicted, figure, sizeof(figure));
	fprintf(out, "predicted %s", figure);
	if (limits->predicted_by >= 0 && limits->predicted_by != limits->binding)
		fprintf(out, ", by %s", limit_title(limits->limit[limits->predicted_by].kind));
	/* Against what stands highest, as the explorer has it. */
	fprintf(out, "   (source: model)\nremedy    %s\n",
		advice_sentence(
			explanation, limits->limit[limits->predicted_by >= 0 ? limits->predicted_by
									     : limits->binding]
					     .kind));
}

static void print_limits(FILE *out, const struct limits *limits)
{
	fputs("\nlimits, cycles per element and per iteration\n", out);
	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		char element[32] = "?", turn[32] = "?";

		if (limit->known) {
			units_figure(limit->cpe, element, sizeof(element));
			units_figure(limit->cycles / limits->turns, turn, sizeof(turn));
		}
		fprintf(out, "%9s %8s  %-20s %s%s\n", element, turn, limit_name(limit->kind),
			i == limits->binding ? "binds: "
			: limit->hard	     ? ""
					     : "soft: ",
			limit->cause);
	}
}

/* What others measured of the same loop on the core asked about. */
static void print_published(FILE *out, const struct published *published)
{
	fprintf(out, "published %g cycles an iteration (%s)\n", published->cycles,
		published->source);
}

static void print_ports(FILE *out, const struct limits *limits, const struct published *published)
{
	bool units = false;

	if (limits->port_count == 0)
		return;
	fprintf(out, "\nports, micro-ops an iteration, best spread (split evenly by hand)%s\n",
		published && published->ports[0] ? ", as published" : "");
	for (int i = 0; i < limits->port_count; i++) {
		if (uarch_port_is_unit(limits->uarch, i)) {
			units = true;
			continue;
		}
		fprintf(out, "  %-6s %6.2f  (%.2f)", uarch_port(limits->uarch, i),
			limits->pressure[i], limits->naive[i]);
		if (published && published_port(published, uarch_port(limits->uarch, i)) >= 0)
			fprintf(out, "  %.2f",
				published_port(published, uarch_port(limits->uarch, i)));
		fputs(limits->bottleneck >> i & 1 ? "  fullest\n" : "\n", out);
	}
	for (int i = 0; units && i < limits->port_count; i++)
		if (uarch_port_is_unit(limits->uarch, i) && limits->pressure[i] > 0)
			fprintf(out, "  %-6s %6.2f  cycles occupied\n",
				uarch_port(limits->uarch, i), limits->pressure[i]);
}

static void print_code(FILE *out, const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;
	const struct loop *loop = &explanation->loop;
	struct text text = { 0 };

	fputs("\ncode: c on the slowest carried chain, + fused with the one above, 0 done at "
	      "rename, ? unknown\n"
	      "  offset   slots latency  ports             instruction\n",
		out);
	for (int i = 0; i < loop->insn_count && i < limits->insn_count; i++) {
		const struct limit_insn *facts = &limits->insn[i];
		const struct insn *insn = &loop->insn[i];
		char latency[16] = "-", turns[24] = "";

		if (uarch_known(facts->latency))
			snprintf(latency, sizeof(latency), "%g", facts->latency);
		if (loop->stepped && fabs(facts->count - loop->turns) > 0.5)
			snprintf(turns, sizeof(turns), "   (%.0f of %d turns)", facts->count,
				loop->turns);
		loop_insn_text(loop, insn, &text);
		fprintf(out, "%c%c%6llx  %6g %7s  %-16s  %s%s\n", facts->carried ? 'c' : ' ',
			!facts->known	    ? '?'
			: facts->fused	    ? '+'
			: facts->eliminated ? '0'
					    : ' ',
			(unsigned long long)(insn->address - loop->insn[0].address), facts->slots,
			latency, facts->ports, text_string(&text), turns);
		text_clear(&text);
	}
	text_free(&text);
}

void explain_text(
	struct report *report, const struct setting *setting, const struct explanation *explanation)
{
	struct published published;
	bool known = published_find(setting, uarch_name(explanation->limits.uarch), &published);

	print_head(report->out, report, setting, explanation);
	if (report->blocks) {
		char words[600];

		blocks_words(report->blocks, setting, NULL, words, sizeof(words));
		fprintf(report->out, "blocks    %s\n", words);
	}
	if (explanation->waits)
		fprintf(report->out, "waits     what the next load waits for: %s\n",
			explanation->waits);
	misses_text(report, setting, 10);
	if (known)
		print_published(report->out, &published);
	print_limits(report->out, &explanation->limits);
	print_ports(report->out, &explanation->limits, known ? &published : NULL);
	print_code(report->out, explanation);
	report->records++;
}

/* The lines of one sample that say what limits it. */
void explain_text_sample(struct report *report, const struct sample *sample)
{
	const struct explanation *explanation = report->explanation;
	const struct limits *limits;
	const struct limit *limit;
	char bound[32], predicted[32];
	double gap;

	if (!explanation)
		return;
	if (!status_is_ok(&explanation->status)) {
		fprintf(report->out, "limit    unknown: %s\n", explanation->status.text);
		return;
	}
	limits = &explanation->limits;
	if (limits->unknown)
		fprintf(report->out,
			"unknown  %d instruction%s that the core model does not know: %s\n",
			limits->unknown, limits->unknown == 1 ? "" : "s", limits->unknown_names);
	if (limits->binding < 0)
		return;
	if (explanation->waits)
		fprintf(report->out, "waits    what the next load waits for: %s\n",
			explanation->waits);
	limit = &limits->limit[limits->binding];
	units_figure(limits->bound, bound, sizeof(bound));
	units_figure(limits->predicted, predicted, sizeof(predicted));
	fprintf(report->out, "limit    %s, %s: %s%s%s\n", bound, limit_title(limit->kind),
		limit->cause, explanation->foreign ? "; for " : "",
		explanation->foreign ? uarch_title(limits->uarch) : "");
	fprintf(report->out, "predicted %s", predicted);
	if (limits->predicted_by >= 0 && limits->predicted_by != limits->binding)
		fprintf(report->out, ", by %s: %s",
			limit_title(limits->limit[limits->predicted_by].kind),
			limits->limit[limits->predicted_by].cause);
	gap = sample->cpe / limits->bound - 1;
	if (explanation->foreign)
		fputc('\n', report->out);
	else if (gap < -0.03)
		fprintf(report->out, "; measured %.0f%% below the limit: %s\n", -gap * 100,
			gap_suspect(limit->kind));
	else if (gap < 0.03)
		fprintf(report->out, "; measured at the limit\n");
	else
		fprintf(report->out, "; measured %.0f%% above the limit\n", gap * 100);
}
