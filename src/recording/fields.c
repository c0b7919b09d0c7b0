#include "recording/fields.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/sweep/sweep.h"
#include "kernels/knob_rows.h"
#include "model/counts/counts.h"
#include "recording/record.h"

/* ---- Computed values */

static void set_word(struct field_value *value, const char *word)
{
	value->known = word && *word;
	value->word = word;
}

static void set_real(struct field_value *value, double real)
{
	value->known = isfinite(real);
	value->real = real;
}

static void set_integer(struct field_value *value, bool known, int64_t integer)
{
	value->known = known;
	value->integer = integer;
}

static void get_x(const struct record_sample *what, struct field_value *value)
{
	set_integer(value, what->part != NULL && isfinite(what->x), (int64_t)what->x);
}

static void get_seconds(const struct record_sample *what, struct field_value *value)
{
	set_real(value,
		what->sweep ? sweeps_value(SWEEPS_SECONDS, what->sample, what->facts, NULL, NULL)
			    : (double)NAN);
}

static void get_speedup(const struct record_sample *what, struct field_value *value)
{
	set_real(value, what->sweep ? what->speedup : (double)NAN);
}

static void get_settled(const struct record_sample *what, struct field_value *value)
{
	set_integer(value, true, !what->sample->unsettled);
}

static void get_binding(const struct record_sample *what, struct field_value *value)
{
	set_word(value, explain_binding(what->explanation));
}

static void get_limit(const struct record_sample *what, struct field_value *value)
{
	set_real(value, explain_bound(what->explanation));
}

static void get_predicted(const struct record_sample *what, struct field_value *value)
{
	set_real(value, explain_predicted(what->explanation));
}

static bool is_explained(const struct record_sample *what)
{
	return what->explanation && status_is_ok(&what->explanation->status);
}

static void get_foreign(const struct record_sample *what, struct field_value *value)
{
	if (is_explained(what))
		set_integer(value, true, what->explanation->foreign);
}

static void get_unknown(const struct record_sample *what, struct field_value *value)
{
	if (is_explained(what))
		set_integer(value, true, what->explanation->limits.unknown);
}

static void get_misses(const struct record_sample *what, struct field_value *value)
{
	value->known = what->misses && what->misses->known;
	value->list = what->misses;
}

static void get_whatif_misses(const struct record_sample *what, struct field_value *value)
{
	value->known = what->misses && what->misses->known && what->whatif_misses &&
		       what->whatif_misses->known;
	value->list = what->whatif_misses;
}

/* Recordings contain only counted instructions. Instructions found in the code are in the records
 * of the limits. */
static void get_instructions(const struct record_sample *what, struct field_value *value)
{
	set_real(value, what->sample_ratios
				? what->sample_ratios->instructions
				: counts_of(what->events, what->counts, ROLE_INSTRUCTIONS));
}

static void get_ipc(const struct record_sample *what, struct field_value *value)
{
	set_real(value, counts_ipc(what->events, what->counts));
}

/* ---- Which fields apply */

static bool has_cpu(const struct record_sample *what)
{
	return what->facts->cpu >= 0;
}

static bool has_modes(const struct record_sample *what)
{
	return what->sample->modes > 1;
}

static bool has_placements(const struct record_sample *what)
{
	return what->sample->places > 1;
}

static bool has_nodes(const struct record_sample *what)
{
	return what->facts->nodes > 1 && what->facts->node >= 0;
}

static bool has_company(const struct record_sample *what)
{
	return what->sample->total_gbps > 0;
}

static bool has_traffic(const struct record_sample *what)
{
	return what->sample_ratios->traffic > 0;
}

static bool is_counted(const struct record_sample *what)
{
	return what->sample->cycles_from == SOURCE_COUNTER;
}

/* ---- The table */

#define ROW(member) .owner = IN_ROW, .offset = offsetof(struct record_sample, member)
#define SAMPLE(member)                                                 \
	.owner = IN_SAMPLE, .offset = offsetof(struct sample, member), \
	.size = sizeof(((struct sample *)NULL)->member)
#define FACTS(member)                                                    \
	.owner = IN_FACTS, .offset = offsetof(struct run_facts, member), \
	.size = sizeof(((struct run_facts *)NULL)->member)
#define RATIOS(member)                                                        \
	.owner = IN_RATIOS, .offset = offsetof(struct sample_ratios, member), \
	.size = sizeof(((struct sample_ratios *)NULL)->member)
#define USUAL(value) .can_be_usual = true, .usual = (value)

/* Upper bounds of measured values. */
#define MOST_BYTES (double)((int64_t)1 << 46)
#define MOST_GBPS  1e9

const struct field sample_fields[] = {
	{ "machine", NULL, "", "the processor's name", FIELDS_HEAD, FIELD_NAME, ROW(machine) },
	{ "cpu", NULL, "", "the measured core's number", FIELDS_PLACE, FIELD_INT, FACTS(cpu),
		.recorded = true, .absent = -1, .high = INT32_MAX, .applies = has_cpu },
	{ "bound", NULL, "", "whether the worker was bound to it; absent: it was", FIELDS_PLACE,
		FIELD_FLAG, FACTS(bound), .recorded = true, USUAL(true) },
	{ "part", NULL, "", "of a probe: the part whose curve this is a point of", FIELDS_CURVE,
		FIELD_NAME, ROW(part) },
	{ "level", NULL, "", "of a probe's bandwidth, CSV only: the level", FIELDS_CURVE,
		FIELD_NAME, .no_json = true, ROW(level) },
	{ "x", NULL, "",
		"of a probe: bytes of the working set (tlb: of the pages touched), bytes between a "
		"pair, chains or cores",
		FIELDS_CURVE, FIELD_INT, .get = get_x },

	{ "cpe", NULL, "cycles/element",
		"core clock cycles per element: the median of the trials used, or their mean "
		"beyond the core's own caches",
		FIELDS_VALUE, FIELD_REAL, SAMPLE(cpe) },
	{ "cpe_lo", NULL, "cycles/element", "lower quartile of the trials used", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(cpe_lo) },
	{ "cpe_hi", NULL, "cycles/element", "upper quartile of the trials used", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(cpe_hi) },
	{ "trials", NULL, "", "trials used", FIELDS_VALUE, FIELD_COUNT, SAMPLE(trials) },
	{ "dropped", NULL, "", "trials discarded", FIELDS_VALUE, FIELD_COUNT, SAMPLE(dropped) },
	{ "quiet", NULL, "", "share of quiet trials among those judged, from 0 to 1", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(quiet) },
	{ "contended", NULL, "", "whether too few trials were quiet; absent: no", FIELDS_VALUE,
		FIELD_FLAG, SAMPLE(contended), USUAL(false) },
	{ "cycles_from", NULL, "", "counter or reference", FIELDS_VALUE, FIELD_SOURCE,
		SAMPLE(cycles_from) },
	{ "ghz", NULL, "GHz", "core clock", FIELDS_VALUE, FIELD_REAL, SAMPLE(ghz) },
	{ "ns", NULL, "ns/element", "time per element", FIELDS_VALUE, FIELD_REAL, SAMPLE(ns) },
	{ "gbps", NULL, "GB/s", "data that the code itself reads and writes", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(gbps) },
	{ "bytes_per_cycle", NULL, "bytes/cycle",
		"data that the code reads and writes per core clock cycle", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(bytes_per_cycle) },
	{ "modes", NULL, "", "groups that the trials fall into; absent: 1", FIELDS_VALUE, FIELD_INT,
		SAMPLE(modes), USUAL(1) },
	{ "mode_low", NULL, "cycles/element", "median of the lower group", FIELDS_VALUE, FIELD_REAL,
		SAMPLE(mode_low), .applies = has_modes },
	{ "mode_high", NULL, "cycles/element", "median of the higher group", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(mode_high), .applies = has_modes },
	{ "mode_share_low", NULL, "", "share of the trials in the lower group", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(mode_share_low), .applies = has_modes },
	{ "settled", NULL, "",
		"false where the trials still drifted when the time was up; absent: true",
		FIELDS_VALUE, FIELD_FLAG, .get = get_settled, USUAL(true) },
	{ "placements", NULL, "", "placements in memory that the trials are of; absent: 1",
		FIELDS_VALUE, FIELD_COUNT, SAMPLE(places), USUAL(1) },
	{ "placement_lo", NULL, "cycles/element", "lowest median of one placement", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(place_lo), .applies = has_placements },
	{ "placement_hi", NULL, "cycles/element", "highest median of one placement", FIELDS_VALUE,
		FIELD_REAL, SAMPLE(place_hi), .applies = has_placements },
	{ "pages", "pages_got", "",
		"pages got: huge, 4k (or the smallest that there are), mixed, unknown",
		FIELDS_VALUE, FIELD_WORD, FACTS(pages), .recorded = true },
	{ "pages_note", NULL, "", "why they are not the pages asked for", FIELDS_VALUE, FIELD_WORD,
		FACTS(pages_note), .recorded = true },
	{ "node", "node_got", "", "memory node got, on a machine that has several", FIELDS_VALUE,
		FIELD_INT, FACTS(node), .recorded = true, .absent = -1, .high = INT32_MAX,
		.applies = has_nodes },
	{ "gbps_total", NULL, "GB/s",
		"data that all cores read and write, where others ran at the same time",
		FIELDS_VALUE, FIELD_REAL, SAMPLE(total_gbps), .applies = has_company },
	{ "seed", NULL, "", "where random layouts begin", FIELDS_VALUE, FIELD_BYTES, ROW(seed) },
	{ "uarch", NULL, "", "core model of the limits", FIELDS_VALUE, FIELD_NAME, ROW(uarch) },
	{ "binding", NULL, "", "name of the binding limit", FIELDS_VALUE, FIELD_WORD,
		.get = get_binding },
	{ "limit", NULL, "cycles/element", "the binding limit", FIELDS_VALUE, FIELD_REAL,
		.get = get_limit },
	{ "predicted", NULL, "cycles/element", "the highest of hard and soft limits", FIELDS_VALUE,
		FIELD_REAL, .get = get_predicted },
	{ "instructions", NULL, "1/element", "instructions per element", FIELDS_VALUE, FIELD_REAL,
		.get = get_instructions },
	{ "instructions_from", NULL, "",
		"counter: counted; stepped: seen; model: read in the innermost loop", FIELDS_VALUE,
		FIELD_SOURCE, RATIOS(instructions_from) },
	{ "cpi", NULL, "cycles", "cycles per instruction", FIELDS_VALUE, FIELD_REAL, RATIOS(cpi) },
	{ "traffic_gbps", NULL, "GB/s", "data of the lines that come from memory", FIELDS_VALUE,
		FIELD_REAL, RATIOS(traffic), USUAL(0) },
	{ "traffic_share", NULL, "",
		"their share of the most that one core was measured to read from memory",
		FIELDS_VALUE, FIELD_REAL, RATIOS(share), .applies = has_traffic },
	{ "traffic_from", NULL, "", "counter, or model: at least so many", FIELDS_VALUE,
		FIELD_SOURCE, RATIOS(lines_from), .applies = has_traffic },
	{ "cores", NULL, "", "cores that ran the kernel at once, this one included; absent: 1",
		FIELDS_VALUE, FIELD_INT, FACTS(cores), .recorded = true, .high = INT32_MAX,
		USUAL(1) },
	{ "streams", NULL, "", "other cores that streamed through memory; absent: 0", FIELDS_VALUE,
		FIELD_INT, FACTS(streams), .recorded = true, .high = INT32_MAX, USUAL(0) },
	{ "node_note", NULL, "", "why it is not the memory node asked for", FIELDS_VALUE,
		FIELD_WORD, FACTS(node_note), .recorded = true },
	{ "foreign", NULL, "", "whether the limits are of another core; absent: no", FIELDS_VALUE,
		FIELD_FLAG, .get = get_foreign, USUAL(false) },
	{ "unknown", NULL, "", "instructions that the core model does not know; absent: 0",
		FIELDS_VALUE, FIELD_INT, .get = get_unknown, USUAL(0) },
	{ "misses", NULL, "1/element",
		"list: expected misses of L1, L2 and L3 after the first pass; null: unknown size "
		"(see MISSES)",
		FIELDS_VALUE, FIELD_LIST, .get = get_misses },
	{ "whatif_misses", NULL, "1/element", "list: expected misses in the caches of --whatif",
		FIELDS_VALUE, FIELD_LIST, .get = get_whatif_misses },
	{ "ipc", NULL, "1/cycle", "counted instructions per cycle", FIELDS_VALUE, FIELD_REAL,
		.get = get_ipc },
	{ "check", NULL, "", "cycles by the reference chain, divided by counted cycles",
		FIELDS_VALUE, FIELD_REAL, SAMPLE(check), .applies = is_counted },
	{ "load_average", NULL, "processes",
		"processes that ran or waited on this machine, mean of the last minute",
		FIELDS_VALUE, FIELD_REAL, FACTS(load), .recorded = true, .high = 1e6 },

	{ "sweep", NULL, "", "name of the named sweep", FIELDS_SWEEP, FIELD_NAME, ROW(sweep) },
	{ "seconds", NULL, "s", "time of the whole working set, in a named sweep", FIELDS_SWEEP,
		FIELD_REAL, .get = get_seconds },
	{ "speedup", NULL, "", "speedup over the baseline of the named sweep", FIELDS_SWEEP,
		FIELD_REAL, .get = get_speedup },

	{ "watched", NULL, "", "a watch chain judged the trials", FIELDS_RECORD, FIELD_FLAG,
		FACTS(watched), .recorded = true },
	{ "far", NULL, "", "the value is a mean", FIELDS_RECORD, FIELD_FLAG, FACTS(far),
		.recorded = true },
	{ "cycles_from", NULL, "", "counter or reference", FIELDS_RECORD, FIELD_SOURCE,
		FACTS(cycles_from), .recorded = true },
	{ "ring", NULL, "elements", "elements of the working set", FIELDS_RECORD, FIELD_BYTES,
		FACTS(ring), .recorded = true, .high = MOST_BYTES },
	{ "granule", NULL, "elements", "elements of an iteration", FIELDS_RECORD, FIELD_BYTES,
		FACTS(granule), .recorded = true, .high = MOST_BYTES },
	{ "bytes", NULL, "bytes/element", "data that the code reads and writes", FIELDS_RECORD,
		FIELD_BYTES, FACTS(bytes), .recorded = true, .high = MOST_BYTES },
	{ "footprint", NULL, "bytes", "working set", FIELDS_RECORD, FIELD_BYTES, FACTS(footprint),
		.recorded = true, .high = MOST_BYTES },
	{ "call", NULL, "elements", "elements of the longer timed call", FIELDS_RECORD, FIELD_BYTES,
		FACTS(call), .recorded = true, .high = (double)INT64_MAX },
	{ "calls", NULL, "", "calls in each timed region", FIELDS_RECORD, FIELD_COUNT, FACTS(calls),
		.recorded = true, .high = INT32_MAX },
	{ "asked", NULL, "", "kind of pages asked for", FIELDS_RECORD, FIELD_PAGES, FACTS(asked),
		.recorded = true },
	{ "nodes", NULL, "", "memory nodes of the machine", FIELDS_RECORD, FIELD_INT, FACTS(nodes),
		.recorded = true, .high = INT32_MAX },
	{ "others_gbps", NULL, "GB/s", "data that the other cores read and write", FIELDS_RECORD,
		FIELD_REAL, FACTS(others_gbps), .recorded = true, USUAL(0), .high = MOST_GBPS },
	{ .name = NULL },
};

/* Members of a struct in recordings. */
#define MEMBER(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member), .recorded = true

#define MACHINE(member) MEMBER(struct machine, member), .always = true
#define COUNTED		.high = INT32_MAX
const struct field machine_fields[] = {
	{ .name = "cpu", .type = FIELD_INT, MACHINE(cpu), .absent = -1, COUNTED },
	{ .name = "processors", .type = FIELD_INT, MACHINE(processors), COUNTED },
	{ .name = "bound", .type = FIELD_FLAG, MACHINE(bound) },
	{ .name = "bind_note", .type = FIELD_WORD, MACHINE(bind_note) },
	{ .name = "apart", .type = FIELD_FLAG, MACHINE(apart) },
	{ .name = "virtualised", .type = FIELD_FLAG, MACHINE(virtualised) },
	{ .name = "memory_limit", .type = FIELD_BYTES, MACHINE(memory_limit), .high = MOST_BYTES },
	{ .name = "tick_hz", .type = FIELD_REAL, MACHINE(tick_hz), .high = 1e12 },
	{ .name = "tick_step", .type = FIELD_REAL, MACHINE(tick_step), .high = 1e12 },
	{ .name = "clock", .type = FIELD_WORD, MACHINE(clock_name) },
	{ .name = "watched", .type = FIELD_FLAG, MACHINE(watched) },
	{ .name = "huge_pages", .type = FIELD_FLAG, MACHINE(huge_pages) },
	{ .name = "memory_note", .type = FIELD_WORD, MACHINE(memory_note) },
	{ .name = "huge_note", .type = FIELD_WORD, MACHINE(huge_note) },
	{ .name = "vendor", .type = FIELD_WORD, MACHINE(processor.vendor) },
	{ .name = "family", .type = FIELD_COUNT, MACHINE(processor.family), COUNTED },
	{ .name = "model", .type = FIELD_COUNT, MACHINE(processor.model), COUNTED },
	{ .name = "stepping", .type = FIELD_COUNT, MACHINE(processor.stepping), COUNTED },
	{ .name = "implementer", .type = FIELD_COUNT, MACHINE(processor.implementer), COUNTED },
	{ .name = "part", .type = FIELD_COUNT, MACHINE(processor.part), COUNTED },
	{ .name = "l1i", .type = FIELD_BYTES, MACHINE(processor.l1i_bytes), .high = MOST_BYTES },
	{ .name = "features", .type = FIELD_WORD, MACHINE(processor.features) },
	{ .name = NULL },
};

#define INSN(member)  MEMBER(struct recorded_insn, member)
#define REPLAYED      .group = FIELDS_RECORD
#define EITHER(value) USUAL(value), .always = true
const struct field insn_fields[] = {
	{ .name = "offset", .type = FIELD_BYTES, INSN(offset), .always = true, .high = 1 << 24 },
	{ .name = "text", .type = FIELD_WORD, INSN(text), .always = true },
	{ .name = "known", .type = FIELD_FLAG, INSN(facts.known), .always = true },
	{ .name = "slots", .type = FIELD_REAL, INSN(facts.slots), EITHER(0), .high = 1e6 },
	{ .name = "latency", .type = FIELD_REAL, INSN(facts.latency), .high = 1e6 },
	{ .name = "ports", .type = FIELD_WORD, INSN(facts.ports), .always = true },
	{ .name = "fused", .type = FIELD_FLAG, INSN(facts.fused) },
	{ .name = "eliminated", .type = FIELD_FLAG, INSN(facts.eliminated) },
	{ .name = "carried", .type = FIELD_FLAG, INSN(facts.carried) },
	{ .name = "count", .type = FIELD_REAL, INSN(facts.count), EITHER(1), .high = 1e9 },
	{ .name = "bytes", .type = FIELD_COUNT, INSN(bytes), .high = 255, REPLAYED },
	{ .name = "jumps", .type = FIELD_FLAG, INSN(jumps), REPLAYED },
	{ .name = "writes", .type = FIELD_FLAG, INSN(writes), REPLAYED },
	{ .name = "fetches", .type = FIELD_FLAG, INSN(fetches), REPLAYED },
	{ .name = "no_instruction", .type = FIELD_FLAG, INSN(no_instruction), REPLAYED },
	{ .name = "times", .type = FIELD_INT, INSN(times), .absent = 1, .high = 1 << 24, REPLAYED },
	{ .name = NULL },
};

const char *field_type_name(enum field_type type)
{
	static const char *const names[] = { [FIELD_REAL] = "real",
		[FIELD_INT] = "integer",
		[FIELD_COUNT] = "integer",
		[FIELD_BYTES] = "integer",
		[FIELD_FLAG] = "flag",
		[FIELD_WORD] = "string",
		[FIELD_NAME] = "string",
		[FIELD_SOURCE] = "string",
		[FIELD_PAGES] = "string",
		[FIELD_LIST] = "list" };

	return names[type];
}

/* ---- Values */

static void read_member(const struct field *field, const char *owner, struct field_value *value)
{
	const void *member = owner + field->offset;

	switch (field->type) {
	case FIELD_REAL: set_real(value, *(const double *)member); break;
	case FIELD_INT: set_integer(value, true, *(const int *)member); break;
	case FIELD_COUNT: set_integer(value, true, *(const unsigned *)member); break;
	case FIELD_BYTES:
		set_integer(value, true,
			*(const uint64_t *)member > INT64_MAX
				? INT64_MAX
				: (int64_t) * (const uint64_t *)member);
		break;
	case FIELD_FLAG: set_integer(value, true, *(const bool *)member); break;
	case FIELD_WORD: set_word(value, member); break;
	case FIELD_NAME: set_word(value, *(const char *const *)member); break;
	case FIELD_SOURCE:
		if (*(const enum source *)member != SOURCE_NONE)
			set_word(value, source_name(*(const enum source *)member));
		break;
	case FIELD_PAGES: set_word(value, knob_pages[*(const enum page_kind *)member]); break;
	case FIELD_LIST: break;
	}
}

void field_get(
	const struct field *field, const struct record_sample *what, struct field_value *value)
{
	const void *const owners[] = { NULL, what, what->sample, what->facts, what->sample_ratios };

	*value = (struct field_value){ 0 };
	if (field->get)
		field->get(what, value);
	else if (owners[field->owner] && (!field->applies || field->applies(what)))
		read_member(field, owners[field->owner], value);
	if (value->known && field->can_be_usual && field->type != FIELD_FLAG &&
		field->type != FIELD_REAL && value->integer < field->usual)
		value->integer = field->usual;
}

struct field_value field_named(const char *name, const struct record_sample *what)
{
	const struct field *field = sample_fields;
	struct field_value value;

	while (strcmp(field->name, name) != 0)
		field++;
	field_get(field, what, &value);
	if (!value.known)
		value.real = NAN;
	return value;
}

static bool is_text(enum field_type type)
{
	return type == FIELD_WORD || type == FIELD_NAME || type == FIELD_SOURCE ||
	       type == FIELD_PAGES;
}

/* ---- JSON */

static void put_value(json_t *object, const struct field *field, const struct field_value *value)
{
	if (is_text(field->type)) {
		record_set_string(object, field->name, value->word);
	} else if (field->type == FIELD_REAL) {
		record_set_real(object, field->name, value->real);
	} else if (field->type == FIELD_FLAG) {
		record_set_boolean(object, field->name, value->integer);
	} else if (field->type == FIELD_LIST) {
		json_t *list = json_array();

		for (int i = 0; i < MISSES_LEVELS; i++)
			record_append_real(list, value->list->level[i].each);
		json_object_set_new(object, field->name, list);
	} else {
		record_set_integer(object, field->name, value->integer);
	}
}

static bool is_usual(const struct field *field, const struct field_value *value)
{
	return field->type == FIELD_REAL ? value->real == (double)field->usual
					 : value->integer == field->usual;
}

static void put_field(json_t *object, const struct field *field, const struct record_sample *what)
{
	struct field_value value;

	field_get(field, what, &value);
	if (value.known && !(field->can_be_usual && is_usual(field, &value)))
		put_value(object, field, &value);
}

void fields_json(json_t *object, enum field_group group, const struct record_sample *what)
{
	for (const struct field *field = sample_fields; field->name; field++)
		if (field->group == group && !field->no_json)
			put_field(object, field, what);
}

void field_json(json_t *object, const char *name, const struct record_sample *what)
{
	for (const struct field *field = sample_fields; field->name; field++)
		if (strcmp(field->name, name) == 0)
			put_field(object, field, what);
}

/* ---- CSV and text */

void field_csv(const struct field *field, const struct record_sample *what, struct text *cell)
{
	struct field_value value;

	field_get(field, what, &value);
	if (!value.known)
		return;
	if (is_text(field->type)) {
		text_add(cell, value.word);
	} else if (field->type == FIELD_REAL) {
		text_addf(cell, "%.6g", value.real);
	} else if (field->type == FIELD_FLAG) {
		text_add(cell, value.integer ? "true" : "false");
	} else if (field->type == FIELD_LIST) {
		for (int i = 0; i < MISSES_LEVELS; i++) {
			double each = value.list->level[i].each;

			text_add(cell, i ? " " : "");
			if (isfinite(each))
				text_addf(cell, "%.6g", each);
			else
				text_add(cell, "-");
		}
	} else {
		text_addf(cell, "%" PRId64, value.integer);
	}
}

/* ---- Recordings */

void fields_write(json_t *object, const struct field *table, const void *owner, bool all)
{
	for (const struct field *field = table; field->name; field++) {
		struct field_value value = { 0 };

		if (!field->recorded || (!all && field->group == FIELDS_RECORD))
			continue;
		read_member(field, owner, &value);
		if (field->type == FIELD_REAL) {
			/* An absent value means the default, so that an unknown value must be null.
			 */
			if (value.known &&
				(field->always || !field->can_be_usual || !is_usual(field, &value)))
				put_value(object, field, &value);
			else if (!value.known && field->can_be_usual && !field->always)
				json_object_set_new(object, field->name, json_null());
		} else if (field->always ||
			   (value.known &&
				   (is_text(field->type) || value.integer != field->absent))) {
			put_value(object, field, &value);
		}
	}
}

static enum source source_find(const char *word)
{
	static const enum source sources[] = { SOURCE_COUNTER, SOURCE_REFERENCE, SOURCE_STEPPED,
		SOURCE_TIME, SOURCE_MODEL };

	for (size_t i = 0; word && i < sizeof(sources) / sizeof(*sources); i++)
		if (strcmp(source_name(sources[i]), word) == 0)
			return sources[i];
	return SOURCE_NONE;
}

static int64_t read_integer(const struct field *field, const json_t *object, const char *name)
{
	int64_t high = field->high < (double)INT64_MAX ? (int64_t)field->high : INT64_MAX, number;

	return record_integer(object, name, 0, high, &number) ? number : field->absent;
}

static void write_member(
	const struct field *field, const json_t *object, const char *name, void *member)
{
	int word;

	switch (field->type) {
	case FIELD_REAL:
		if (!record_number(object, name, field->low, field->high, member) &&
			(field->always || (field->can_be_usual && !json_object_get(object, name))))
			*(double *)member = (double)field->usual;
		break;
	case FIELD_INT: *(int *)member = (int)read_integer(field, object, name); break;
	case FIELD_COUNT: *(unsigned *)member = (unsigned)read_integer(field, object, name); break;
	case FIELD_BYTES: *(uint64_t *)member = (uint64_t)read_integer(field, object, name); break;
	case FIELD_FLAG: *(bool *)member = record_flag(object, name); break;
	case FIELD_WORD: record_string(object, name, member, field->size); break;
	case FIELD_SOURCE:
		*(enum source *)member =
			source_find(json_string_value(json_object_get(object, name)));
		break;
	case FIELD_PAGES:
		word = record_word(object, name, knob_pages);
		*(enum page_kind *)member = word > 0 ? (enum page_kind)word : PAGES_AUTO;
		break;
	case FIELD_NAME:
	case FIELD_LIST: break;
	}
}

void fields_read(const json_t *object, const struct field *table, void *owner)
{
	for (const struct field *field = table; field->name; field++) {
		bool old = field->old && !json_object_get(object, field->name);

		if (field->recorded)
			write_member(field, object, old ? field->old : field->name,
				(char *)owner + field->offset);
	}
}
