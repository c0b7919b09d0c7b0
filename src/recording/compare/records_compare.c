#include "recording/compare/records_compare.h"

#include <jansson.h>
#include <math.h>

#include "recording/record.h"

const char *const line_group_names[LINE_GROUPS] = {
	[LINES_OTHER] = "other",
	[LINES_CUT] = "cut",
	[LINES_UNFINISHED] = "unfinished",
	[LINES_UNKNOWN] = "unknown",
	[LINES_HOMELESS] = "homeless",
	[LINES_REPEATED] = "repeated",
	[LINES_DESCRIBING] = "describing",
	[LINES_USED] = "used",
};

const char *comparison_unit(const struct comparison *comparison, int unit)
{
	return comparison->fleet->by_file ? comparison->compared->files.string[unit]
					  : comparison->compared->hosts.string[unit];
}

/* Makes a JSON record for one compared quantity. `host` may be NULL. */
static json_t *begin(const struct records *records, const struct comparison *comparison,
	const char *name, unsigned id, const char *host, int quantity)
{
	struct records of_host = *records;
	const struct compared_quantity *what = &comparison->compared->quantity[quantity];
	json_t *object;

	of_host.host = host;
	object = record_new(&of_host, name, id);
	record_set_string(object, "subject", what->subject);
	record_set_string(object, "field", what->field);
	record_set_words(object, "unit", what->unit);
	record_set_words(object, "sources", what->sources);
	return object;
}

static void put_causes(json_t *object, unsigned causes)
{
	json_t *list;

	if (!causes)
		return;
	list = record_list(object, "causes");
	for (int i = 0; i < DIFFER_CAUSES; i++)
		if (causes >> i & 1)
			record_append_string(list, differ_cause_names[i]);
}

static void put_head(
	const struct records *records, const struct comparison *comparison, unsigned id)
{
	const struct compared *compared = comparison->compared;
	struct records of_none = *records;
	json_t *object;

	of_none.host = NULL;
	object = record_new(&of_none, "comparison", id);
	record_set_integer(object, "files", compared->files.count);
	record_set_integer(object, "hosts", compared->hosts.count);
	record_set_integer(object, "left_out", comparison->left_out);
	record_set_count(object, "lines", compared->lines);
	for (int i = 0; i < LINE_GROUPS; i++)
		record_set_count(object, line_group_names[i], compared->group[i]);
	record_set_count(object, "cut_records", compared->cut);
	record_set_count(object, "beside", compared->beside);
	record_write(records, object);
}

static void put_row(const struct records *records, const struct comparison *comparison,
	const struct differ_pair *pair, const struct differ_row *row, unsigned id)
{
	const char *host = pair->host < 0 ? NULL : comparison->compared->hosts.string[pair->host];
	const struct compared_quantity *quantity = &comparison->compared->quantity[row->quantity];
	json_t *object = begin(records, comparison, "compared", id, host, row->quantity);

	if (row->a.runs) {
		record_set_range(object, "a", row->a.value, row->a.lo, row->a.hi);
		record_set_integer(object, "a_runs", row->a.runs);
	}
	if (row->b.runs) {
		record_set_range(object, "b", row->b.value, row->b.lo, row->b.hi);
		record_set_integer(object, "b_runs", row->b.runs);
	}
	record_set_real(object, "ratio", row->ratio);
	record_set_real(object, "chance", row->chance);
	record_set_string(object, "verdict", differ_verdict_names[row->verdict]);
	if (row->verdict == DIFFER_DIFFERS)
		put_causes(object,
			differ_is_slower(quantity, row->ratio) ? pair->b_causes : pair->a_causes);
	record_write(records, object);
}

static void put_spread(const struct records *records, const struct comparison *comparison,
	const struct differ_spread *spread, unsigned id)
{
	const struct differ_fleet *fleet = comparison->fleet;
	json_t *object = begin(records, comparison, "spread", id, NULL, spread->quantity);

	record_set_string(object, "machine", fleet->usual[spread->model].model);
	record_set_integer(object, "hosts", spread->units);
	record_set_range(object, "median", spread->median, spread->lo, spread->hi);
	record_set_real(object, "least", spread->least);
	record_set_string(object, "least_host", comparison_unit(comparison, spread->least_unit));
	record_set_real(object, "most", spread->most);
	record_set_string(object, "most_host", comparison_unit(comparison, spread->most_unit));
	record_set_integer(object, "odd", spread->odd);
	record_write(records, object);
}

static void put_odd(const struct records *records, const struct comparison *comparison,
	const struct differ_odd *odd, unsigned id)
{
	const struct differ_fleet *fleet = comparison->fleet;
	json_t *object = begin(records, comparison, "odd", id,
		comparison_unit(comparison, odd->unit), odd->quantity);

	record_set_string(object, "machine", fleet->usual[odd->model].model);
	record_set_range(object, "value", odd->value.value, odd->value.lo, odd->value.hi);
	record_set_real(object, "median", odd->median);
	record_set_real(object, "ratio", odd->ratio);
	record_set_real(object, "deviations", odd->deviations);
	put_causes(object, fleet->unit[odd->unit].causes);
	record_write(records, object);
}

/* Writes a record for a unit (host or file) whose processor is rare among all units; the record
 * names no quantity. */
static void put_rare(
	const struct records *records, const struct comparison *comparison, int unit, unsigned id)
{
	const struct differ_unit *at = &comparison->fleet->unit[unit];
	struct records of_host = *records;
	json_t *object;

	of_host.host = comparison_unit(comparison, unit);
	object = record_new(&of_host, "odd", id);
	record_set_string(object, "machine", comparison->fleet->usual[at->model].model);
	put_causes(object, at->causes);
	record_write(records, object);
}

void records_comparison(
	const struct records *records, const struct comparison *comparison, unsigned id)
{
	const struct differ_fleet *fleet = comparison->fleet;

	put_head(records, comparison, id++);
	for (int i = 0; comparison->pairs && i < comparison->pairs->count; i++) {
		const struct differ_pair *pair = &comparison->pairs->pair[i];

		for (int k = 0; k < pair->count; k++)
			put_row(records, comparison, pair, &pair->row[k], id++);
	}
	for (int i = 0; fleet && i < fleet->order_count + fleet->disturbed_count; i++) {
		const struct differ_unit *unit = &fleet->unit[fleet->order[i]];

		if (unit->rare)
			put_rare(records, comparison, fleet->order[i], id++);
		for (int k = 0; k < unit->odd_count; k++)
			put_odd(records, comparison, &fleet->odd[unit->odd_first + k], id++);
	}
	for (int i = 0; fleet && i < fleet->spread_count; i++)
		put_spread(records, comparison, &fleet->spread[i], id++);
}
