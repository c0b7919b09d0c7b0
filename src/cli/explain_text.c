/* Prints an explanation as text: the limits, the ports and the code. Also prints those lines of a
 * sample that show its limits, its expected misses and its event counts. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/format.h"
#include "experiment/advice/advice.h"
#include "experiment/advice/gap.h"
#include "experiment/diagram.h"
#include "experiment/published.h"
#include "experiment/sweep/blocks.h"
#include "model/core/uarch.h"
#include "model/counts/counts.h"
#include "model/limits/explain.h"
#include "model/limits/misses.h"
#include "model/program/lines.h"

/* Writes an integer without decimals, "4", and any other number with decimals, "2.667". */
static struct units_text count_word(double count)
{
	struct units_text word = units_value(count);

	if (fabs(count - rint(count)) < 1e-6)
		snprintf(word.text, sizeof(word.text), "%.0f", count);
	return word;
}

/* Prints the core for which the limits are computed, and how the core was chosen. The text `how`
 * (how the core was chosen) may already contain the core's name. */
void explain_text_core(const struct report *report, const struct limits *limits)
{
	const char *title = limits->uarch->title;
	FILE *out = report->out;

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
	struct units_text elements = count_word(limits->elements / limits->turns);
	struct text line = { 0 };

	setting_format(setting, &line);
	fprintf(out, "%s\n", text_string(&line));
	text_free(&line);
	explain_text_core(report, limits);
	if (loop->stepped)
		fprintf(out,
			"loop      single-stepped over %d turn%s of %s element%s: %s instructions "
			"an element (S)\n",
			loop->turns, loop->turns == 1 ? "" : "s", elements.text,
			limits->elements == limits->turns ? "" : "s",
			units_value(loop->insns_per_element).text);
	else
		fprintf(out,
			"loop      %d instructions, %g micro-ops after fusion, %s element%s an "
			"iteration\n",
			loop->path_count, limits->slots, elements.text,
			limits->elements == 1 ? "" : "s");
	explain_text_binding(out, setting->kernel, explanation);
}

void explain_text_binding(
	FILE *out, const struct kernel *kernel, const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;
	const struct loop *loop = &explanation->loop;
	enum limit_kind kind;
	const char *bound;

	if (loop->forks)
		fprintf(out, "          %d branch%s inside it %s assumed not taken\n", loop->forks,
			loop->forks == 1 ? "" : "es", loop->forks == 1 ? "is" : "are");
	if (limits->unknown)
		fprintf(out,
			"unknown   %d instruction%s that the core model does not know; all results "
			"leave them out: %s\n",
			limits->unknown, limits->unknown == 1 ? "" : "s", limits->unknown_names);
	if (limits->binding < 0) {
		fprintf(out, "limit     unknown\n");
		return;
	}
	kind = limits->limit[limits->binding].kind;
	bound = limit_bound(kind);
	fprintf(out, "limit     %s cycles per %s: %s%s%s%s\n", units_cycles(limits->bound).text,
		kernel ? kernel->element : "iteration", limit_rows[kind].name, *bound ? " (" : "",
		bound, *bound ? ")" : "");
	fprintf(out, "          %s\n", limits->limit[limits->binding].cause);
	fprintf(out, "predicted %s", limits_predicted(limits).text);
	if (limits->predicted_by >= 0 && limits->predicted_by != limits->binding)
		fprintf(out, ", by %s", limits_predicted_by(limits, 0).text);
	fprintf(out, "   (source: model)\nremedy    %s\n",
		advice_sentence(kernel, explanation, advice_about(limits)).text);
}

/* An element of a program's loop is an iteration, so one column has both numbers. */
static void print_limits(FILE *out, const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;

	fprintf(out, "\nlimits, cycles per %siteration\n",
		explanation->in_program ? "" : "element and per ");
	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];

		if (!explanation->in_program)
			fprintf(out, "%9s", limit->known ? units_cycles(limit->cpe).text : "?");
		fprintf(out, " %8s  %-20s %s%s\n",
			limit->known ? units_value(limit->cycles / limits->turns).text : "?",
			limit_rows[limit->kind].name,
			i == limits->binding ? "binds: "
			: limit->hard	     ? ""
					     : "soft: ",
			limit->cause);
	}
}

static void print_ports(FILE *out, const struct limits *limits, const struct published *published)
{
	bool units = false;

	if (limits->port_count == 0)
		return;
	fprintf(out,
		"\n"
		"ports, micro-ops an iteration, spread as well as possible%s\n",
		published && published->ports[0] ? ", as published" : "");
	for (int i = 0; i < limits->port_count; i++) {
		if (i >= limits->uarch->port_count) {
			units = true;
			continue;
		}
		fprintf(out, "  %-6s %6.2f  (%.2f)", limits->uarch->port[i], limits->pressure[i],
			limits->naive[i]);
		if (published && published_port(published, limits->uarch->port[i]) >= 0)
			fprintf(out, "  %.2f", published_port(published, limits->uarch->port[i]));
		fputs(limits->bottleneck >> i & 1 ? "  fullest\n" : "\n", out);
	}
	for (int i = 0; units && i < limits->port_count; i++)
		if (i >= limits->uarch->port_count && limits->pressure[i] > 0)
			fprintf(out, "  %-6s %6.2f  cycles occupied\n", limits->uarch->port[i],
				limits->pressure[i]);
}

/* Prints where an instruction is: its offset in a kernel's loop; or its address in a program, and
 * its source line. A source file is named on a line of its own, where it differs from that of the
 * instruction before. */
static void print_insn_place(FILE *out, const struct explanation *explanation, int insn,
	const char *marks, const char **file)
{
	const struct insn *first = explanation->loop.insn;
	const struct source_line *line = explanation->lines ? &explanation->lines[insn] : NULL;
	unsigned long long address = first[insn].address;
	char number[16] = "-";

	if (line && line->file && (!*file || strcmp(line->file, *file) != 0)) {
		*file = line->file;
		fprintf(out, "%18s\n", line->file);
	}
	if (line && line->file)
		snprintf(number, sizeof(number), "%d", line->line);
	if (!explanation->in_program)
		fprintf(out, "%s%6llx", marks, address - first->address);
	else if (line)
		fprintf(out, "%s%8llx %6s", marks, address, number);
	else
		fprintf(out, "%s%8llx", marks, address);
}

static void print_code(FILE *out, const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;
	const struct loop *loop = &explanation->loop;
	struct text text = { 0 };
	const char *file = NULL;

	fprintf(out,
		"\ncode: c on the slowest carried chain, + fused with the one above, 0 done at "
		"rename, ? unknown\n"
		"%s%s   slots latency  ports             instruction\n",
		explanation->in_program ? "   address" : "  offset",
		explanation->lines ? "   line" : "");
	for (int i = 0; i < loop->insn_count && i < limits->insn_count; i++) {
		const struct limit_insn *facts = &limits->insn[i];
		const struct insn *insn = &loop->insn[i];
		struct words latency = limit_latency(facts);
		char turns[24] = "", marks[4];

		if (loop->stepped && fabs(facts->count - loop->turns) > 0.5)
			snprintf(turns, sizeof(turns), "   (%.0f of %d turns)", facts->count,
				loop->turns);
		else if (explanation->in_program && facts->count < 0.5)
			snprintf(turns, sizeof(turns), "   (not on the path)");
		if (explanation->in_program)
			text_add(&text, insn->known ? insn->text : "(unknown)");
		else
			loop_insn_text(loop, insn, &text);
		snprintf(marks, sizeof(marks), "%c%c", facts->carried ? 'c' : ' ',
			!facts->known	    ? '?'
			: facts->fused	    ? '+'
			: facts->eliminated ? '0'
					    : ' ');
		print_insn_place(out, explanation, i, marks, &file);
		fprintf(out, "  %6g %7s  %-16s  %s%s\n", facts->slots,
			*latency.text ? latency.text : "-", facts->ports, text_string(&text),
			turns);
		text_clear(&text);
	}
	text_free(&text);
	if (*limit_sooner(limits, loop).text)
		fprintf(out, "latency: %s\n", limit_sooner(limits, loop).text);
}

/* Prints the published cycles of a setting, and the remark about them. */
static void published_text(FILE *out, const struct setting *setting,
	const struct published *published, double elements)
{
	struct text words = { 0 };

	if (!published)
		return;
	published_words(published, setting, elements, &words);
	fprintf(out, "published %s\n", text_string(&words));
	if (published->remark[0])
		fprintf(out, "          %s\n", published->remark);
	text_free(&words);
}

void explain_text(struct report *report, const void *item)
{
	const struct setting *setting = item;
	const struct explanation *explanation = report->explanation;
	struct published published;
	bool known = published_find(setting, explanation->limits.uarch->name, &published);

	print_head(report->out, report, setting, explanation);
	blocks_text(report, setting, 10);
	if (explanation->waits)
		fprintf(report->out, "waits     the next load waits for: %s\n", explanation->waits);
	misses_text(report, setting, 10);
	published_text(report->out, setting, known ? &published : NULL,
		explanation->limits.elements / explanation->limits.turns);
	explain_text_loop(report->out, explanation, known ? &published : NULL);
}

void explain_text_loop(
	FILE *out, const struct explanation *explanation, const struct published *published)
{
	print_limits(out, explanation);
	print_ports(out, &explanation->limits, published);
	print_code(out, explanation);
}

void blocks_text(const struct report *report, const struct setting *setting, int indent)
{
	if (!report->blocks)
		return;
	fprintf(report->out, "%-*s%s\n", indent, "blocks",
		blocks_words(report->blocks, setting, NULL).text);
	if (report->whatif_blocks)
		fprintf(report->out, "%*swhat if %s: %s\n", indent, "",
			misses_whatif_words(report->whatif).text,
			blocks_words(report->whatif_blocks, setting, NULL).text);
}

/* Fills the counts per iteration of the ports of the explained core; NAN: not counted, or the
 * explained core is not the running core. */
static void find_ports(const struct report *report, double elements, double *counted)
{
	const struct limits *limits = &report->explanation->limits;
	const struct event_plan *plan = report->events;
	const struct counts *counts = report->counts;

	for (int i = 0; i < limits->uarch->port_count; i++) {
		counted[i] = NAN;
		for (int k = 0; !report->explanation->foreign && plan && counts &&
				k < counts->count && k < plan->counters.count;
			k++)
			if (plan->meaning[k].role == ROLE_PORTS &&
				plan->meaning[k].ports == (uint32_t)1 << i &&
				count_known(&counts->event[k]))
				counted[i] = counts->event[k].value * elements;
	}
}

/* Prints which of the published and the modelled values is right, if they contradict each other and
 * the running core can tell. */
static void verdict_text(const struct report *report, const struct setting *setting,
	const struct published *published, const struct sample *sample, double elements)
{
	const struct explain_question question = { .kernel = setting->kernel,
		.v = setting->v,
		.seed = report->seed,
		.machine = report->machine };
	struct published_limits limits;
	struct text words = { 0 };
	double counted[UARCH_PORTS];
	char running[24] = "", why[160];

	if (!published->doubt || !report->machine)
		return;
	if (uarch_recognise(report->machine, running, why) != UARCH_EXACT)
		running[0] = '\0';
	published_limits(published, &explainer_model, &question, running, &limits);
	published_verdict(published, &limits, elements, sample, &words);
	if (words.length)
		fprintf(report->out, "          %s\n", text_string(&words));
	text_clear(&words);
	find_ports(report, elements, counted);
	published_ports_verdict(published, &report->explanation->limits, counted, &words);
	if (words.length)
		fprintf(report->out, "          %s\n", text_string(&words));
	text_free(&words);
}

void published_text_sample(
	const struct report *report, const struct setting *setting, const struct sample *sample)
{
	const struct explanation *explanation = report->explanation;
	bool explained = explanation && status_is_ok(&explanation->status);
	double elements = explained ? explanation->limits.elements / explanation->limits.turns : 0;
	const struct uarch *uarch = explained ? explanation->limits.uarch : NULL;
	struct published published;

	if (!published_find(setting, uarch ? uarch->name : NULL, &published))
		return;
	published_text(report->out, setting, &published, elements);
	if (explained)
		verdict_text(report, setting, &published, sample, elements);
}

/* Prints the limits of one sample. */
void explain_text_sample(struct report *report, const struct sample *sample)
{
	const struct explanation *explanation = report->explanation;
	const struct limits *limits;
	const struct limit *limit;
	const char *bound;
	struct gap gap;

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
		fprintf(report->out, "waits    the next load waits for: %s\n", explanation->waits);
	limit = &limits->limit[limits->binding];
	bound = limit_bound(limit->kind);
	fprintf(report->out, "limit    %s, %s%s%s%s: %s%s%s\n", units_cycles(limits->bound).text,
		limit_rows[limit->kind].name, *bound ? " (" : "", bound, *bound ? ")" : "",
		diagram_cause(limits, limit).text, explanation->foreign ? "; for " : "",
		explanation->foreign ? limits->uarch->title : "");
	fprintf(report->out, "predicted %s", limits_predicted(limits).text);
	if (limits->predicted_by >= 0 && limits->predicted_by != limits->binding)
		fprintf(report->out, ", by %s: %s", limits_predicted_by(limits, 0).text,
			diagram_cause(limits, &limits->limit[limits_main(limits)]).text);
	gap_find(sample, limits, NULL, false, &gap);
	fprintf(report->out, "%s%s\n",
		explanation->foreign   ? ""
		: gap.kind == GAP_NONE ? "; "
				       : "; measured ",
		explanation->foreign ? "" : gap.words);
}

/* ---- Expected misses of each cache level, and in caches of another size */

/* Prints the expected misses of one cache level: "L1 48 KiB: every read is a miss: 1 line for
 * each". `before` has the words about this level without --whatif. If the words are equal to
 * `before`, prints "the same" in their place. */
static void put_level(FILE *out, const struct misses *misses, int level, const char *before)
{
	struct words words = misses_words(misses, level), note = misses_note(misses, level);

	fprintf(out, "%s: %s%s%s\n", cache_words(&misses->caches, level).text,
		strcmp(words.text, before) == 0 ? "the same" : words.text, *note.text ? "; " : "",
		note.text);
}

void misses_text(const struct report *report, const struct setting *setting, int indent)
{
	const char *title = "misses";
	FILE *out = report->out;
	struct misses misses, then;
	bool asked = report_misses(report, setting, &misses, &then);

	if (!misses.known) {
		fprintf(out, "%-*sunavailable: %s\n", indent, title, misses.why);
		return;
	}
	for (int i = 0; i < CACHE_LEVELS; i++) {
		if (!(misses.level[i].bytes > 0))
			continue;
		fprintf(out, "%-*s", indent, title);
		title = "";
		put_level(out, &misses, i, "");
		if (!asked || then.level[i].bytes == misses.level[i].bytes)
			continue;
		fprintf(out, "%-*s  what if ", indent, "");
		put_level(out, &then, i, misses_words(&misses, i).text);
	}
	if (*title)
		fprintf(out, "%-*sunavailable: the sizes of this machine's caches are not known\n",
			indent, title);
}

/* ---- Counters: each count next to the model's value, and contradictions between them */

enum { TITLE_WIDTH = 34, FIGURE_WIDTH = 8, TITLES = 60, WORDS = 160 };

static void put_figure(FILE *out, double value, char source)
{
	fprintf(out, " %*s %c", FIGURE_WIDTH, units_value(value).text, source);
}

static void put_event(
	FILE *out, const struct uarch_event *meaning, const struct count *count, double modelled)
{
	double apart = count->value - modelled;
	char words[WORDS];

	fprintf(out, "  %-*s", TITLE_WIDTH, events_title(meaning, NULL).text);
	put_figure(out, count->value, SOURCE_COUNTER);
	if (isfinite(modelled)) {
		put_figure(out, modelled, SOURCE_MODEL);
		/* A difference of less than 0.0005 between count and model is not printed, because
		 * three decimals would show it as zero. */
		if (fabs(apart) >= 0.0005)
			fprintf(out, "  %c%s", apart < 0 ? '-' : '+',
				units_value(fabs(apart)).text);
	}
	if (count->state == COUNT_SCALED) {
		count_words(count, words, sizeof(words));
		fprintf(out, "  %s", words);
	}
	fputc('\n', out);
}

/* Prints the events without a value, in groups that have the same reason. A line has the titles of
 * the events, or only their number if there are many. */
static void put_unavailable(FILE *out, const struct event_plan *plan, const struct counts *counts)
{
	char why[COUNTERS_MAX][WORDS] = { "" };

	for (int i = 0; i < counts->count; i++)
		if (!count_known(&counts->event[i]))
			count_words(&counts->event[i], why[i], WORDS);
	for (int i = 0; i < counts->count; i++) {
		struct text titles = { 0 };
		int many = 0;

		for (int k = i; *why[i] && k < counts->count; k++) {
			if (strcmp(why[k], why[i]) != 0)
				continue;
			text_addf(&titles, "%s%s", many++ ? ", " : "",
				events_title(&plan->meaning[k], NULL).text);
			if (k > i)
				*why[k] = '\0';
		}
		if (titles.length > TITLES)
			fprintf(out, "  %d others: unavailable; %s\n", many, why[i]);
		else if (many)
			fprintf(out, "  %s: unavailable; %s\n", text_string(&titles), why[i]);
		text_free(&titles);
	}
}

/* Prints contradictions between the event counts and the core model. */
static void put_doubts(FILE *out, const struct report *report, const struct sample *sample)
{
	const struct explanation *explanation = report->explanation;

	if (counts_instructions_doubtful(report->events, report->counts, explanation))
		fprintf(out,
			"DOUBT    %s instructions counted, %s in the code: one of the two is "
			"wrong\n",
			units_value(counts_of(report->events, report->counts, ROLE_INSTRUCTIONS))
				.text,
			units_value(counts_decoded(explanation)).text);
	if (counts_clocks_differ(sample->check))
		fprintf(out,
			"DOUBT    the reference chain gives %.1f%% %s cycles than the counter\n",
			100 * fabs(sample->check - 1), sample->check > 1 ? "more" : "fewer");
}

void counts_text_sample(const struct report *report, const struct sample *sample)
{
	const struct event_plan *plan = report->events;
	const struct counts *counts = report->counts;
	FILE *out = report->out;
	double ipc = counts_ipc(plan, counts);

	/* If no events were counted, the text has no lines with event counts. If the user requested
	 * events, a note on standard error gives the reason once. */
	if (!plan || !counts || counts->id != plan->counters.id || counts->count == 0)
		return;
	fprintf(out, "counters per element, C counted%s%s%s; read %s\n", *counts->pmu ? " by " : "",
		counts->pmu, report->explanation ? ", M predicted by the core model" : "",
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
	put_unavailable(out, plan, counts);
	put_doubts(out, report, sample);
}
