/* The comparison of several machines in a report. */
#include <math.h>
#include <string.h>

#include "cli/compare_text.h"
#include "cli/report_page.h"

/* The maximum number of unusual values that the report lists for one machine. */
enum { ODD_LISTED = 8 };

static const char *name_of(const struct comparison *comparison, int quantity, struct words *words)
{
	*words = compare_name(&comparison->compared->quantity[quantity]);
	return words->text;
}

/* ---- Two sides */

static struct words side_words(
	const struct comparison *comparison, int quantity, const struct differ_value *value)
{
	return words_of("%s %s",
		compare_value(&comparison->compared->quantity[quantity], value->value).text,
		compare_spread(value).text);
}

static void add_causes(struct document *document, const char *side, unsigned causes,
	const struct differ_facts *facts, const struct differ_facts *usual)
{
	struct text text = { 0 };

	compare_causes(&text, causes, facts, usual);
	document_fact(document, side, text_string(&text));
	text_free(&text);
}

static void add_pair(struct document *document, const struct comparison *comparison,
	const struct differ_pair *pair)
{
	static const char *const columns[] = { "quantity", ">A", ">B", ">B to A", NULL };
	int differ = pair->verdicts[DIFFER_DIFFERS];
	int single = pair->verdicts[DIFFER_ONLY_A] + pair->verdicts[DIFFER_ONLY_B];

	if (comparison->pairs->count > 1)
		document_heading(document, 3, comparison->compared->hosts.string[pair->host]);
	document_paragraph(document,
		words_of(
			"%d of %d quantities differ by more than their spread; %d are equal "
			"within their spread; %d need more runs; %d %s measured in A or in B only.",
			differ, pair->count - pair->equal_conditions,
			pair->verdicts[DIFFER_EQUAL] - pair->equal_conditions,
			pair->verdicts[DIFFER_UNSURE], single, single == 1 ? "is" : "are")
			.text);
	if (differ)
		document_table(document, columns);
	for (int i = 0; i < differ; i++) {
		const struct differ_row *row = &pair->row[i];
		struct words name;

		document_row(document,
			(const char *const[]){ name_of(comparison, row->quantity, &name),
				side_words(comparison, row->quantity, &row->a).text,
				side_words(comparison, row->quantity, &row->b).text,
				compare_change(row->ratio).text, NULL },
			NULL);
	}
	if (differ)
		document_table_end(document);
	add_causes(document, "A", pair->a_causes & ~pair->b_causes, &pair->a, &pair->b);
	add_causes(document, "B", pair->b_causes, &pair->b, &pair->a);
}

static void add_sides(struct document *document, const struct comparison *comparison)
{
	const struct compared *compared = comparison->compared;

	for (int i = 0; i < compared->sources.count; i++) {
		const struct compared_source *source = &compared->source[i];

		document_fact(document, source->side ? "B" : "A",
			words_of("%s, %s, %u run%s, %s", compared->hosts.string[source->host],
				source->model < 0 ? "unknown processor"
						  : compared->models.string[source->model],
				source->runs, source->runs == 1 ? "" : "s",
				compared->files.string[source->file])
				.text);
	}
	for (int i = 0; i < comparison->pairs->count; i++)
		add_pair(document, comparison, &comparison->pairs->pair[i]);
	document_paragraph(
		document, "± is half of the distance between the quartiles of the runs or trials.");
}

/* ---- Many machines */

static void add_odd_unit(struct document *document, const struct comparison *comparison, int number)
{
	static const char *const columns[] = { "quantity", ">value", ">median", ">change", NULL };
	const struct differ_fleet *fleet = comparison->fleet;
	const struct differ_unit *unit = &fleet->unit[number];
	int listed = unit->odd_count < ODD_LISTED ? unit->odd_count : ODD_LISTED;

	document_heading(document, 3, comparison_unit(comparison, number));
	if (unit->causes)
		add_causes(document, "Probably", unit->causes, &unit->facts,
			&fleet->usual[unit->model]);
	else
		document_paragraph(document, "The records do not say why.");
	if (listed)
		document_table(document, columns);
	for (int i = 0; i < listed; i++) {
		const struct differ_odd *odd = &fleet->odd[unit->odd_first + i];
		const struct compared_quantity *quantity =
			&comparison->compared->quantity[odd->quantity];

		document_row(document,
			(const char *const[]){ compare_name(quantity).text,
				side_words(comparison, odd->quantity, &odd->value).text,
				compare_value(quantity, odd->median).text,
				compare_change(odd->ratio).text, NULL },
			NULL);
	}
	if (listed)
		document_table_end(document);
	if (unit->odd_count > listed)
		document_paragraph(document,
			words_of("%d more quantities differ.", unit->odd_count - listed).text);
}

static void add_spreads(struct document *document, const struct comparison *comparison, int model)
{
	static const char *const columns[] = { "quantity", ">lowest", ">quartile", ">median",
		">quartile", ">highest", "lowest on", "highest on", NULL };
	const struct differ_fleet *fleet = comparison->fleet;
	const char *name = fleet->usual[model].model;
	int alone = 0;

	document_heading(document, 3,
		words_of("%s: %d %s", name && *name ? name : "unknown processor",
			fleet->units_of[model],
			fleet->by_file ? (fleet->units_of[model] == 1 ? "file" : "files")
				       : (fleet->units_of[model] == 1 ? "machine" : "machines"))
			.text);
	document_table(document, columns);
	for (int i = 0; i < fleet->spread_count; i++) {
		const struct differ_spread *spread = &fleet->spread[i];
		const struct compared_quantity *quantity =
			&comparison->compared->quantity[spread->quantity];
		bool equal = !(spread->least < spread->most);

		if (spread->model != model || quantity->kind >= COMPARED_UNCERTAIN)
			continue;
		if (differ_spread_alone(fleet, spread)) {
			alone++;
			continue;
		}
		document_row(document,
			(const char *const[]){ compare_name(quantity).text,
				compare_value(quantity, spread->least).text,
				compare_value(quantity, spread->lo).text,
				compare_value(quantity, spread->median).text,
				compare_value(quantity, spread->hi).text,
				compare_value(quantity, spread->most).text,
				equal ? "all equal"
				      : comparison_unit(comparison, spread->least_unit),
				equal ? "" : comparison_unit(comparison, spread->most_unit), NULL },
			NULL);
	}
	document_table_end(document);
	if (alone)
		document_paragraph(document,
			words_of("%d quantit%s not listed: only one %s has %s.", alone,
				alone == 1 ? "y is" : "ies are",
				fleet->by_file ? "file" : "machine", alone == 1 ? "it" : "each")
				.text);
}

static void add_fleet(struct document *document, const struct comparison *comparison)
{
	const struct differ_fleet *fleet = comparison->fleet;
	const char *units = fleet->by_file ? "files" : "machines";

	document_paragraph(document,
		!fleet->order_count && !differ_fleet_judged(fleet)
			? words_of("%d %s are too few to find one that differs: %d with the same "
				   "processor are needed.",
				  fleet->measured, units, DIFFER_LEAST)
				  .text
		: fleet->order_count ? words_of("%d of %d %s differ%s from the others with %s "
						"processor:",
					       fleet->order_count, fleet->measured, units,
					       fleet->order_count == 1 ? "s" : "",
					       fleet->order_count == 1 ? "its" : "their")
					       .text
				     : words_of("None of %d %s differs from the others with its "
						"processor.",
					       fleet->measured, units)
					       .text);
	for (int i = 0; i < fleet->order_count; i++)
		add_odd_unit(document, comparison, fleet->order[i]);
	if (fleet->disturbed_count)
		document_paragraph(document,
			words_of("To measure again: %d of %d %s. Another measurement shows whether "
				 "they differ:",
				fleet->disturbed_count, fleet->measured, units)
				.text);
	for (int i = 0; i < fleet->disturbed_count; i++)
		add_odd_unit(document, comparison, fleet->order[fleet->order_count + i]);
	for (int i = 0; i < fleet->model_count; i++)
		if (fleet->units_of[i])
			add_spreads(document, comparison, i);
}

void report_compared(struct document *document, const struct comparison *comparison)
{
	if (comparison->pairs)
		add_sides(document, comparison);
	else
		add_fleet(document, comparison);
}
