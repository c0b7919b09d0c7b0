/* The report of `slexplore run --cost`: what each instruction of a loop costs, measured with
 * changed code (experiment/cost/cost.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/format.h"
#include "cli/work.h"
#include "experiment/cost/cost.h"
#include "picture/chart_reports.h"

enum { TEXT_WIDTH = 26 };

/* Cycles that belong to no instruction are printed if they are more than the part REST of all. */
#define REST 0.05

/* Loops of less than SHORT cycles per element are printed with one more digit. */
#define SHORT 1.0

/* "0.98", "0.00" for -0.001, "-" if the value is not known. */
static struct words number(double value, int digits)
{
	if (!isfinite(value))
		return words_of("-");
	return words_of("%.*f", digits, fabs(value) < 0.5 * pow(10, -digits) ? 0 : value);
}

/* Returns the text of an instruction in at most TEXT_WIDTH - 1 characters. A long text first loses
 * the size of its memory operand ("qword ptr"). */
static struct words short_text(const struct cost_insn *insn)
{
	struct words text = words_of("%s", insn->text);
	char *size = strstr(text.text, " ptr "), *word = size;

	if (strlen(text.text) <= TEXT_WIDTH - 1)
		return text;
	while (size && word > text.text && word[-1] != ' ')
		word--;
	if (size)
		memmove(word, size + strlen(" ptr "), strlen(size + strlen(" ptr ")) + 1);
	if (strlen(text.text) > TEXT_WIDTH - 1)
		strcpy(text.text + TEXT_WIDTH - 3, "..");
	return text;
}

static void put_insn(FILE *out, const struct cost_insn *insn, int row, int digits)
{
	struct words text = short_text(insn), range = { "" };

	if (isfinite(insn->cost.value))
		range = words_of("%s to %s", number(insn->cost.lo, digits).text,
			number(insn->cost.hi, digits).text);
	fprintf(out, "%3d %-*s%6s%s %-15s%7s%7s%7s%7s\n", row, TEXT_WIDTH - 1, text.text,
		number(insn->cost.value, digits).text, insn->contended ? "?" : " ", range.text,
		number(insn->model, digits).text, number(insn->twice.value, digits).text,
		number(insn->later.value, digits).text, number(insn->saved.value, digits).text);
}

/* The changes of an instruction that may be impossible: all changes, or one of copy, delay and
 * removal. */
enum { ALL, TWICE, LATER, SAVED, WAYS };

/* Returns the reason why an instruction is not copied, delayed or removed; "": there is no reason.
 */
static const char *reason(const struct cost_insn *insn, int way)
{
	const char *const why[] = {
		[TWICE] = insn->why_twice, [LATER] = insn->why_later, [SAVED] = insn->why_saved
	};
	bool same = strcmp(insn->why_twice, insn->why_later) == 0 &&
		    strcmp(insn->why_twice, insn->why_saved) == 0;

	return way == ALL ? (same ? insn->why_twice : "") : same ? "" : why[way];
}

/* Adds the rows of the instructions with a reason to a text: "rows 1 to 4, 7". */
static void add_rows(const struct cost_report *cost, int way, const char *why, struct text *text)
{
	int count = 0, last;

	for (int i = 0; i < cost->count; i = last + 1) {
		last = i;
		if (strcmp(reason(&cost->insn[i], way), why) != 0)
			continue;
		while (last + 1 < cost->count &&
			strcmp(reason(&cost->insn[last + 1], way), why) == 0)
			last++;
		text_addf(text, "%s%d", count ? ", " : "", i + 1);
		if (last > i)
			text_addf(text, last > i + 1 ? " to %d" : ", %d", last + 1);
		count += last - i + 1;
	}
}

/* Prints each reason once, with the rows of the instructions to which it applies. */
static void put_reasons(FILE *out, const struct cost_report *cost)
{
	static const char *const what[] = { [ALL] = "not changed: ",
		[TWICE] = "not copied: ",
		[LATER] = "not delayed: ",
		[SAVED] = "not removed: " };

	for (int way = 0; way < WAYS; way++)
		for (int i = 0; i < cost->count; i++) {
			const char *why = reason(&cost->insn[i], way);
			struct text rows = { 0 };
			int first = 0;

			while (strcmp(reason(&cost->insn[first], way), why) != 0)
				first++;
			if (!why[0] || first < i)
				continue;
			add_rows(cost, way, why, &rows);
			text_print(out, TEXT_COLUMNS, what[way], 2,
				words_of("%s (row%s %s)", why,
					strpbrk(text_string(&rows), ", ") ? "s" : "",
					text_string(&rows))
					.text);
			text_free(&rows);
		}
}

/* Prints what a rename slot costs, and how many cycles belong to no instruction. */
static void put_slot(FILE *out, const struct cost_report *cost, int digits)
{
	double rest = cost->cpe.value - cost_sum(cost);
	struct words words;

	if (!(cost->slot.value > 0))
		return;
	words = words_of(
		"%s cycles per element, the mean over many added nops. The front end moves "
		"in steps of several instructions, so one more instruction may cost "
		"nothing, or a whole step.",
		number(cost->slot.value, digits + 1).text);
	if (rest > REST * cost->cpe.value && !cost_missing(cost))
		words = words_of(
			"%.400s %s cycles belong to no instruction: the front end supplies "
			"less than it could.",
			words.text, number(rest, digits).text);
	text_print(out, TEXT_COLUMNS, "a rename slot costs: ", 2, words.text);
}

/* The number of instructions without a cost that are jumps: if no other cost is missing, all of
 * them. */
static int jumps_of(const struct cost_report *cost)
{
	int jumps = 0;

	for (int i = 0; i < cost->count; i++)
		jumps += !isfinite(cost->insn[i].cost.value);
	return jumps;
}

static void cost_text(struct report *report, const void *item)
{
	const struct cost_report *cost = item;
	int digits = cost->cpe.value < SHORT ? 3 : 2;
	FILE *out = report->out;
	struct text line = { 0 };

	setting_format(&cost->setting, &line);
	fprintf(out, "%s%s\n", report->records ? "\n" : "", text_string(&line));
	text_free(&line);
	fprintf(out, "CPE      %s cycles per %s; range %s to %s; source: %s\n",
		units_value(cost->cpe.value).text, cost->setting.kernel->element,
		units_value(cost->cpe.lo).text, units_value(cost->cpe.hi).text,
		source_name(cost->cycles_from));
	fprintf(out, "\n    %-*s%6s  %-15s%7s%7s%7s%7s\n", TEXT_WIDTH - 1, "instruction", "cost",
		"range", "model", "twice", "later", "saved");
	for (int i = 0; i < cost->count; i++)
		put_insn(out, &cost->insn[i], i + 1, digits);
	fprintf(out, "    %-*s%6s\n", TEXT_WIDTH - 1,
		cost_missing(cost) ? "sum of known costs" : "sum",
		number(cost_sum(cost), digits).text);
	if (cost_at_most(cost))
		text_print(out, TEXT_COLUMNS, "at most: ", 2,
			"the costs add up to more than the cycles of the loop. Several limits bind "
			"at once, or nearly, so each cost is the most that the instruction costs.");
	if (cost_at_least(cost) && cost_missing(cost))
		text_print(out, TEXT_COLUMNS, "less: ", 2,
			"the known costs add up to less than the cycles of the loop, because not "
			"all costs are measured: see the reasons below.");
	else if (cost_at_least(cost) && !(cost->slot.value > 0) && jumps_of(cost) > 1)
		text_print(out, TEXT_COLUMNS, "less: ", 2,
			"the costs add up to less than the cycles of the loop, because the costs "
			"of its jumps are not measured.");
	else if (cost_at_least(cost) && !(cost->slot.value > 0))
		text_print(out, TEXT_COLUMNS, "less: ", 2,
			"the costs add up to less than the cycles of the loop. Something limits "
			"the loop that no single instruction causes, such as the front end.");
	if (cost_below(cost))
		text_print(out, TEXT_COLUMNS, "below 0: ", 2,
			"with a copy of the instruction, the loop is faster than with nops in its "
			"place, for example because the copy's store goes to the same line.");
	put_slot(out, cost, digits);
	put_reasons(out, cost);
	if (cost->contended)
		fputs("?: CONTENDED: another thread shared this core, so the value may be wrong\n",
			out);
	if (!cost->complete)
		fputs("Not complete: the measurement was interrupted.\n", out);
}

static void cost_end(struct report *report)
{
	fputs("\ncost: cycles per element more if the core does the instruction's work twice;\n"
	      "  the larger of `twice`, and of `later` times the instruction's latency, which\n"
	      "  counts at most as much as a delay by the whole latency costs\n"
	      "twice: more cycles if the core also executes a copy, whose result nobody reads:\n"
	      "  its rename slots, and what it takes longer than nops in its place\n"
	      "later: more cycles if the result of the instruction comes one cycle later\n"
	      "saved: fewer cycles if a nop replaces the instruction; below 0: more cycles,\n"
	      "  because other instructions then use, or wait for, another value\n"
	      "range: two standard errors of the cost to each side; it includes what waiting\n"
	      "  for the result may cost\n",
		report->out);
}

static void cost_data(struct report *report, const struct records *records, const void *item)
{
	records_cost(
		records, item, report->machine ? report->machine->name : NULL, report->records + 1);
}

const struct subject subject_cost = { "cost",
	"id,host,kernel,setting,uarch,cpe,offset,text,cost,cost_lo,cost_hi,model,twice,twice_lo,"
	"twice_hi,later,later_lo,later_hi,latency,saved,saved_lo,saved_hi,contended?,at_most?,why_"
	"twice,"
	"why_later,why_saved",
	NULL, cost_text, cost_data, cost_end };

/* ---- Measuring */

static struct campaign prepare(const struct setting *setting, const struct explanation *explanation,
	uint64_t seed, double seconds)
{
	return (struct campaign){ &campaign_cost, cost_new(setting, explanation, seed, seconds) };
}

static const void *item_of(const void *self)
{
	return cost_report(self);
}

static struct chart *chart_of(const void *item, const struct chart_origin *origin)
{
	return chart_costs(item, origin);
}

const struct loop_experiment cost_experiment = { .subject = &subject_cost,
	.patience = 8,
	.prepare = prepare,
	.item = item_of,
	.item_bytes = sizeof(struct cost_report),
	.chart = chart_of };
