#include "cli/compare_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/format.h"
#include "recording/compare/records_compare.h"

/* Limits of the comparison's text: columns of a quantity's name, values listed for a host, and
 * quantities named in one sentence. */
enum { NAME_COLUMNS = 46, ODD_LISTED = 5, NAMED_MOST = 6 };

/* A smaller change, as a share of the value, prints as 0.0 %. */
#define CHANGE_LEAST 0.0005

struct units_text compare_value(const struct compared_quantity *quantity, double value)
{
	/* The records have no smaller share (compared_records.c), so that ratios exist. */
	if (strcmp(quantity->unit, "share") == 0 && value <= COMPARED_SHARE_LEAST)
		return units_text("<%.2f", COMPARED_SHARE_LEAST);
	if (strcmp(quantity->field, "bytes") == 0)
		return units_size_long((int64_t)llround(value));
	return units_value(value);
}

struct words compare_name(const struct compared_quantity *quantity)
{
	/* A class of instructions and a core have several quantities. */
	bool several = (strncmp(quantity->subject, "class ", 6) == 0 ||
			       strcmp(quantity->subject, "core") == 0) &&
		       strcmp(quantity->field, quantity->unit) != 0;
	bool has_unit = *quantity->unit && strcmp(quantity->field, "bytes") != 0 &&
			strcmp(quantity->field, "entries") != 0;

	return words_of("%s%s%s%s%s%s%s", quantity->subject, several ? " " : "",
		several ? quantity->field : "", has_unit ? ", " : "",
		has_unit				  ? quantity->unit
		: strcmp(quantity->field, "bytes") == 0	  ? ", size"
		: strcmp(quantity->field, "entries") == 0 ? ", entries"
							  : "",
		*quantity->sources ? " " : "", quantity->sources);
}

struct units_text compare_spread(const struct differ_value *value)
{
	double half = (value->hi - value->lo) / 2 / value->value;

	return units_text(half < 0.0995 ? "±%.1f%%" : "±%.0f%%", 100 * half);
}

struct units_text compare_change(double ratio)
{
	return ratio < 9.995 ? units_text("%+.1f%%", 100 * (ratio - 1))
			     : units_text("×%.0f", ratio);
}

/* ---- Causes */

/* The shares and the load average that show another program on the core, as far as the records
 * state them. */
static struct words neighbour_text(
	const struct differ_facts *facts, const struct differ_facts *usual)
{
	struct text text = { 0 };
	struct words words;

	if (facts->contended > usual->contended + 0.01)
		text_addf(&text, ", %.0f %% of the samples contended (usual %.0f %%)",
			100 * facts->contended, 100 * usual->contended);
	if (facts->quiet < usual->quiet - 0.01)
		text_addf(&text, ", %.0f %% of the trials quiet (usual %.0f %%)",
			100 * facts->quiet, 100 * usual->quiet);
	if (facts->load > usual->load)
		text_addf(&text, ", load average %.1f (usual %.1f)", facts->load, usual->load);
	words = words_of("another program or hyper-thread uses the core: %s",
		text.length ? text_string(&text) + 2 : "fewer trials are quiet");
	text_free(&text);
	return words;
}

/* How the records show that other programs disturbed a measurement. */
static struct words disturbance_text(
	const struct differ_facts *facts, const struct differ_facts *usual)
{
	struct text text = { 0 };
	struct words words;

	if (facts->contended > usual->contended + 0.01 || facts->quiet < usual->quiet - 0.01)
		text_addf(&text,
			"another program or hyper-thread used the core (%.0f %% of the samples "
			"contended, usual %.0f %%; %.0f %% of the trials quiet, usual %.0f %%)",
			100 * facts->contended, 100 * usual->contended, 100 * facts->quiet,
			100 * usual->quiet);
	if (facts->drop > 1.1)
		text_addf(&text,
			"%sother programs used L3 or memory (a larger working set was faster by a "
			"factor of %.1f)",
			text.length ? ", and " : "", facts->drop);
	words = words_of("disturbed while measured: %s", text_string(&text));
	text_free(&text);
	return words;
}

static struct words cause_text(
	int cause, const struct differ_facts *facts, const struct differ_facts *usual)
{
	switch (cause) {
	case CAUSE_CLOCK: return words_of("the core clock is lower");
	case CAUSE_PAGES:
		return words_of(
			"huge pages are off: %.0f %% of the samples that could use them got "
			"small pages",
			100 * facts->small);
	case CAUSE_NEIGHBOUR: return neighbour_text(facts, usual);
	case CAUSE_PREEMPTED:
		return words_of("a busy process on the same processor: the program ran %.0f %% of "
				"the time (usual %.0f %%)",
			100 * facts->on_cpu, 100 * usual->on_cpu);
	case CAUSE_BUSY:
		return words_of("a busy neighbour: %.1f threads ran or waited on other processors "
				"(usual %.1f), which share L3 or memory",
			facts->busy - 1, usual->busy - 1);
	case CAUSE_L3:
		return facts->l3_bytes > 0 && facts->l3_bytes < usual->l3_bytes
			       ? words_of("a smaller L3: %s, usual %s",
					 units_size_long((int64_t)facts->l3_bytes).text,
					 units_size_long((int64_t)usual->l3_bytes).text)
			       : words_of("a smaller share of L3, which other cores use too");
	case CAUSE_MICROCODE:
		return words_of(
			"another microcode: %s, usual %s", facts->microcode, usual->microcode);
	case CAUSE_PROCESSOR:
		if (facts->model && usual->model && strcmp(facts->model, usual->model) != 0)
			return words_of("another processor: %s", facts->model);
		if (facts->uarch && usual->uarch && strcmp(facts->uarch, usual->uarch) != 0)
			return words_of("another core: %s, usual %s", facts->uarch, usual->uarch);
		return words_of("another processor: a buffer, a TLB or a cache of the core has "
				"another size");
	case CAUSE_DISTURBED: return disturbance_text(facts, usual);
	case CAUSE_ONCE:
		return words_of("measured once: of many values of instructions, some are wrong by "
				"chance");
	default:
		return words_of("a busy neighbour or a smaller share of L3: only values beyond the "
				"core's own caches differ");
	}
}

void compare_causes(struct text *text, unsigned causes, const struct differ_facts *facts,
	const struct differ_facts *usual)
{
	bool any = false;

	for (int i = 0; i < DIFFER_CAUSES; i++)
		if (causes >> i & 1) {
			text_addf(text, "%s%s", any ? "; " : "", cause_text(i, facts, usual).text);
			any = true;
		}
}

static void print_causes(FILE *out, const char *first, unsigned causes,
	const struct differ_facts *facts, const struct differ_facts *usual)
{
	struct text text = { 0 };

	compare_causes(&text, causes, facts, usual);
	if (text.length)
		text_print(out, TEXT_COLUMNS, first, 3, text_string(&text));
	text_free(&text);
}

/* ---- Two sides */

static void print_side(
	const struct comparison *comparison, FILE *out, int side, const struct differ_facts *facts)
{
	const struct compared *compared = comparison->compared;
	struct text hosts = { 0 }, line = { 0 };
	int count = 0, files = 0, file = -1;
	char first[8];

	for (int i = 0; i < compared->sources.count; i++) {
		const struct compared_source *source = &compared->source[i];

		if (source->side != side)
			continue;
		files += source->file != file;
		file = source->file;
		if (count++ == 0)
			text_addf(&hosts, "%s", compared->hosts.string[source->host]);
	}
	if (files == 1)
		text_addf(&line, "%s: ", compared->files.string[file]);
	else
		text_addf(&line, "%d files: ", files);
	if (count > files)
		text_addf(&line, "%d hosts", count);
	else
		text_add(&line, text_string(&hosts));
	text_addf(&line, ", %s, %u run%s", facts->model ? facts->model : "unknown processor",
		facts->runs, facts->runs == 1 ? "" : "s");
	snprintf(first, sizeof(first), "%c  ", 'A' + side);
	text_print(out, TEXT_COLUMNS, first, 3, text_string(&line));
	text_free(&hosts);
	text_free(&line);
}

static void print_row(
	const struct comparison *comparison, FILE *out, const struct differ_row *row, int columns)
{
	const struct compared_quantity *quantity = &comparison->compared->quantity[row->quantity];

	/* The characters ± and × fill one column on screen, but have two bytes, which printf
	 * counts. */
	fprintf(out, "%-*.*s %8s %7s %8s %7s %8s\n", columns, columns, compare_name(quantity).text,
		compare_value(quantity, row->a.value).text, compare_spread(&row->a).text,
		compare_value(quantity, row->b.value).text, compare_spread(&row->b).text,
		compare_change(row->ratio).text);
}

/* Whether a row states a circumstance: a condition of the measurement, such as the share of quiet
 * trials, that does not explain a difference. */
static bool is_circumstance(const struct comparison *comparison, const struct differ_row *row)
{
	return (row->verdict == DIFFER_EQUAL || row->verdict == DIFFER_UNSURE) &&
	       differ_condition(&comparison->compared->quantity[row->quantity], 1) > 0;
}

/* Lists the circumstances without spreads: they say how busy the machine was in each run. */
static void print_circumstances(const struct comparison *comparison, FILE *out,
	const struct differ_pair *pair, int listed, int columns)
{
	bool any = false;

	for (int i = 0; i < listed; i++) {
		const struct differ_row *row = &pair->row[i];
		const struct compared_quantity *quantity =
			&comparison->compared->quantity[row->quantity];

		if (!is_circumstance(comparison, row))
			continue;
		if (!any)
			fprintf(out, "\n%-*s %8s %6s %8s\n", columns, "circumstances", "A", "",
				"B");
		any = true;
		fprintf(out, "%-*.*s %8s %6s %8s\n", columns, columns, compare_name(quantity).text,
			compare_value(quantity, row->a.value).text, "",
			compare_value(quantity, row->b.value).text);
	}
	if (any)
		fputs("Circumstances say how busy the machine was. They do not count as "
		      "quantities.\n\n",
			out);
}

static int name_columns(
	const struct comparison *comparison, const struct differ_pair *pair, int count)
{
	size_t columns = 8;

	for (int i = 0; i < count; i++) {
		size_t length = strlen(
			compare_name(&comparison->compared->quantity[pair->row[i].quantity]).text);

		columns = length > columns ? length : columns;
	}
	return columns > NAME_COLUMNS ? NAME_COLUMNS : (int)columns;
}

/* Adds a sentence that names all compared quantities with one verdict, such as "only a". */
static void print_named(const struct comparison *comparison, FILE *out,
	const struct differ_pair *pair, enum differ_verdict verdict, const char *words)
{
	int count = pair->verdicts[verdict], named = 0;
	struct text text = { 0 };

	for (int i = 0; i < pair->count && count; i++) {
		const struct compared_quantity *quantity =
			&comparison->compared->quantity[pair->row[i].quantity];

		if (pair->row[i].verdict != verdict || quantity->kind == COMPARED_POINT)
			continue;
		if (named == NAMED_MOST)
			break;
		text_addf(&text, "%s%s", named++ ? "; " : "", compare_name(quantity).text);
	}
	if (count) {
		struct words first = words_of(
			"%d %s %s: ", count, count == 1 ? "quantity is" : "quantities are", words);

		if (count > named)
			text_addf(&text, "%s%d%s", named ? "; and " : "", count - named,
				named	     ? " more"
				: count == 1 ? " point of the probe's curves"
					     : " points of the probe's curves");
		text_print(out, TEXT_COLUMNS, first.text, 2, text_string(&text));
	}
	text_free(&text);
}

static void print_equal(
	const struct comparison *comparison, FILE *out, const struct differ_pair *pair)
{
	const struct differ_row *largest = NULL;
	int count = pair->verdicts[DIFFER_EQUAL] - pair->equal_conditions;
	struct words change = { "" };

	for (int i = 0; i < pair->count; i++) {
		const struct differ_row *row = &pair->row[i];
		enum compared_kind kind = comparison->compared->quantity[row->quantity].kind;

		/* Only few runs may have measured a point of a curve. */
		if (row->verdict == DIFFER_EQUAL && kind < COMPARED_UNCERTAIN &&
			(!largest || fabs(log(row->ratio)) > fabs(log(largest->ratio))))
			largest = row;
	}
	if (!count)
		return;
	if (largest && fabs(largest->ratio - 1) >= CHANGE_LEAST)
		change = words_of(
			". The largest change is %s (%s): runs of this quantity differ by up to "
			"%.*f%% without a cause",
			compare_change(largest->ratio).text,
			compare_name(&comparison->compared->quantity[largest->quantity]).text,
			largest->room < 0.0995 ? 1 : 0, 100 * largest->room);
	text_print(out, TEXT_COLUMNS, "", 2,
		words_of("%d %s not differ by more than %s spread%s", count,
			count == 1 ? "quantity does" : "quantities do",
			count == 1 ? "its" : "their", change.text)
			.text);
}

static void print_pair(
	struct report *report, const struct comparison *comparison, const struct differ_pair *pair)
{
	int listed = report->points
			     ? pair->verdicts[DIFFER_DIFFERS] + pair->verdicts[DIFFER_EQUAL] +
				       pair->verdicts[DIFFER_UNSURE]
			     : pair->verdicts[DIFFER_DIFFERS],
	    columns = name_columns(comparison, pair, listed);
	FILE *out = report->out;

	if (comparison->pairs->count > 1)
		fprintf(out, "\n%s\n", comparison->compared->hosts.string[pair->host]);
	if (!pair->verdicts[DIFFER_DIFFERS])
		fputs("No quantity differs by more than its spread.\n", out);
	if (listed)
		fprintf(out, "%-*s %8s %6s %8s %6s %8s\n", columns, "quantity", "A", "", "B", "",
			"B to A");
	for (int i = 0; i < listed; i++)
		if (!is_circumstance(comparison, &pair->row[i]))
			print_row(comparison, out, &pair->row[i], columns);
	print_circumstances(comparison, out, pair, listed, columns);
	print_causes(out, "A: ", pair->a_causes & ~pair->b_causes, &pair->a, &pair->b);
	print_causes(out, "B: ", pair->b_causes, &pair->b, &pair->a);
	print_equal(comparison, out, pair);
	print_named(comparison, out, pair, DIFFER_UNSURE,
		"apart, but more runs are needed to exclude chance");
	print_named(comparison, out, pair, DIFFER_ONLY_A, "only in A");
	print_named(comparison, out, pair, DIFFER_ONLY_B, "only in B");
}

static void print_pairs(struct report *report, const struct comparison *comparison)
{
	const struct differ_pairs *pairs = comparison->pairs;
	struct differ_facts a = { 0 }, b = { 0 };
	int equal = 0, any = 0;

	for (int i = 0; i < comparison->compared->sources.count; i++)
		differ_facts_add(
			comparison->compared->source[i].side ? &b : &a, comparison->compared, i);
	print_side(comparison, report->out, 0, &a);
	print_side(comparison, report->out, 1, &b);
	fputc('\n', report->out);
	for (int i = 0; i < pairs->count; i++) {
		bool same = !pairs->pair[i].verdicts[DIFFER_DIFFERS];

		equal += same;
		any |= !same;
		if (!same || pairs->count == 1 || report->points)
			print_pair(report, comparison, &pairs->pair[i]);
	}
	if (pairs->count > 1)
		fprintf(report->out,
			"%s%d of %d hosts: no quantity differs by more than its spread\n",
			any ? "\n" : "", equal, pairs->count);
	if (comparison->left_out)
		fprintf(report->out, "%d host%s only one side has: not compared\n",
			comparison->left_out, comparison->left_out == 1 ? "" : "s");
	fputs("± is half of the distance between the quartiles of the runs or trials.\n",
		report->out);
}

/* ---- Many hosts */

static void print_odd_unit(struct report *report, const struct comparison *comparison, int number)
{
	const struct differ_fleet *fleet = comparison->fleet;
	const struct differ_unit *unit = &fleet->unit[number];
	int listed = unit->odd_count > ODD_LISTED && !report->points ? ODD_LISTED : unit->odd_count;
	const struct differ_facts *usual = &fleet->usual[unit->model];
	struct text first = { 0 }, words = { 0 };

	text_addf(&first, "%s: ", comparison_unit(comparison, number));
	if (unit->rare)
		text_addf(&words, "another processor: %s, on %d of %d %s",
			usual->model ? usual->model : "unknown", fleet->units_of[unit->model],
			fleet->measured, fleet->by_file ? "files" : "hosts");
	else if (unit->causes)
		compare_causes(&words, unit->causes, &unit->facts, usual);
	else
		text_add(&words, "the records do not say why");
	text_print(report->out, TEXT_COLUMNS, text_string(&first), 2, text_string(&words));
	for (int i = 0; i < listed; i++) {
		const struct differ_odd *odd = &fleet->odd[unit->odd_first + i];
		const struct compared_quantity *quantity =
			&comparison->compared->quantity[odd->quantity];

		fprintf(report->out, "  %-*.*s %8s, median %8s: %s\n", NAME_COLUMNS, NAME_COLUMNS,
			compare_name(quantity).text, compare_value(quantity, odd->value.value).text,
			compare_value(quantity, odd->median).text, compare_change(odd->ratio).text);
	}
	if (unit->odd_count > listed)
		fprintf(report->out, "  and %d more quantities\n", unit->odd_count - listed);
	text_free(&first);
	text_free(&words);
}

/* Prints the spreads of a processor model. *at: the first spread that was not printed yet. */
static void print_spreads(struct report *report, const struct comparison *comparison, int model,
	const char *units, int *at)
{
	const struct differ_fleet *fleet = comparison->fleet;
	const char *name = fleet->usual[model].model;
	FILE *out = report->out;
	int alone = 0;

	fprintf(out, "\n%s: %d %.*s%s\n", name && *name ? name : "unknown processor",
		fleet->units_of[model], (int)strlen(units) - (fleet->units_of[model] == 1), units,
		fleet->units_of[model] < DIFFER_LEAST ? ", too few to find one that differs" : "");
	fprintf(out, "%-*s %8s %8s %8s %8s %8s  lowest, highest\n", NAME_COLUMNS, "quantity",
		"lowest", "quartile", "median", "quartile", "highest");
	for (; *at < fleet->spread_count && fleet->spread[*at].model <= model; (*at)++) {
		const struct differ_spread *spread = &fleet->spread[*at];
		const struct compared_quantity *quantity =
			&comparison->compared->quantity[spread->quantity];
		bool equal = !(spread->least < spread->most);

		if (spread->model != model ||
			(quantity->kind >= COMPARED_UNCERTAIN && !report->points))
			continue;
		if (differ_spread_alone(fleet, spread) && !report->points) {
			alone++;
			continue;
		}
		fprintf(out, "%-*.*s %8s %8s %8s %8s %8s  %s%s%s\n", NAME_COLUMNS, NAME_COLUMNS,
			compare_name(quantity).text, compare_value(quantity, spread->least).text,
			compare_value(quantity, spread->lo).text,
			compare_value(quantity, spread->median).text,
			compare_value(quantity, spread->hi).text,
			compare_value(quantity, spread->most).text,
			equal ? "all equal" : comparison_unit(comparison, spread->least_unit),
			equal ? "" : ", ",
			equal ? "" : comparison_unit(comparison, spread->most_unit));
	}
	if (alone)
		fprintf(out, "%d quantit%s not listed: only one of the %s has %s\n", alone,
			alone == 1 ? "y is" : "ies are", units, alone == 1 ? "it" : "each");
}

static void print_fleet(struct report *report, const struct comparison *comparison)
{
	const struct differ_fleet *fleet = comparison->fleet;
	const char *units = fleet->by_file ? "files" : "hosts";
	int models = 0, at = 0;

	for (int i = 0; i < fleet->model_count; i++)
		models += fleet->units_of[i] > 0;
	fprintf(report->out, "%d %s, %d processor model%s: ", fleet->measured, units, models,
		models == 1 ? "" : "s");
	if (fleet->order_count)
		fprintf(report->out, "%d differ%s", fleet->order_count,
			fleet->order_count == 1 ? "s" : "");
	else if (differ_fleet_judged(fleet))
		fputs("none differs from its model", report->out);
	else
		fprintf(report->out, "too few to find one that differs, which needs %d of a model",
			DIFFER_LEAST);
	if (fleet->disturbed_count)
		fprintf(report->out, "; %d to measure again", fleet->disturbed_count);
	fputs(fleet->order_count ? "\n\n" : "\n", report->out);
	for (int i = 0; i < fleet->order_count; i++)
		print_odd_unit(report, comparison, fleet->order[i]);
	if (fleet->disturbed_count)
		fputs("\nTo measure again, to see whether they differ:\n\n", report->out);
	for (int i = 0; i < fleet->disturbed_count; i++)
		print_odd_unit(report, comparison, fleet->order[fleet->order_count + i]);
	for (int i = 0; i < fleet->model_count; i++)
		if (fleet->units_of[i])
			print_spreads(report, comparison, i, units, &at);
}

void compare_text(struct report *report, const void *item)
{
	const struct comparison *comparison = item;

	if (comparison->pairs)
		print_pairs(report, comparison);
	else
		print_fleet(report, comparison);
}
