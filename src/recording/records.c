#include "recording/records.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/core/uarch.h"
#include "model/counts/counts.h"
#include "recording/record.h"

const struct record_kind record_kinds[] = {
	{ "sample", "kernel knobs" },
	{ "more", "of" }, /* and what it continues */
	{ "counters", "from pmu passes direct events why" },
	{ "explain", "machine kernel knobs uarch binding limit predicted foreign unknown elements "
		     "slots instructions instructions_from waits varies published_cycles "
		     "published_by misses whatif_misses misses_why block block_why" },
	{ "limits", "name hard cpe cycles binding cause" },
	{ "ports", "from pressure naive" },
	{ "insn", "offset text known slots latency ports fused eliminated carried count" },
	{ "probe", "machine complete done seconds max_size asked_size parts pages line seed" },
	{ "level", "name kind number cycles cycles_lo cycles_hi ns bytes bytes_lo bytes_hi entries "
		   "entries_lo entries_hi confidence unstable stated words" },
	{ "plateau", "curve pages from to cycles cycles_lo cycles_hi confidence unstable" },
	{ "knee", "curve pages bytes bytes_lo bytes_hi corner third confidence gradual" },
	{ "band", "level op size bytes_per_cycle lines_per_cycle gbps sample" },
	{ "finding", "text disagreement" },
	{ "note", "text" },
	{ "windows", "machine uarch complete done seconds note seed" },
	{ "window", "filler buffer title each own state kind knee knee_lo knee_hi from to "
		    "cycles_before cycles_after cycles_from noise again entries most points "
		    "seconds contended words published knobs" },
	{ "point", "filler fillers cycles cycles_lo cycles_hi cycles_from" },
	{ "kernel", "kernel title element document look_for" },
	{ "knob", "kernel knob kind help default range choices min max multiple" },
	{ "sweep", "name title kernel words x lines y document" },
	{ "check", "machine name state finding advice value unit" },
	{ "events", "machine uarch libpfm pmu generic available why doubt lacking" },
	{ "event", "uarch name role state note help" },
	{ "core", "machine name complete seconds width width_lo width_hi cycles_from ports mixes "
		  "mixes_off mixes_worst shipped" },
	{ "class", "name latency latency_lo latency_hi accumulate accumulate_lo accumulate_hi each "
		   "each_lo each_hi slots slots_lo slots_hi ports" },
	{ "fact", "name value value_lo value_hi loop" },
	{ "difference", "what measured shipped agrees" },
	{ "recording", NULL },
	{ "machine", NULL },
	{ "core", NULL },
	{ "events", NULL },
	{ "event", NULL },
	{ "trials", NULL },
	{ "facts", NULL },
	{ "modelled", NULL },
	{ NULL, NULL },
};

/* Whether a word is one of a list with blanks between. */
static bool is_listed(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

static bool is_sample_field(const char *name)
{
	for (const struct field *field = sample_fields; field->name; field++)
		if (strcmp(field->name, name) == 0 && field->group != FIELDS_RECORD &&
			!field->no_json)
			return true;
	return false;
}

const char *record_unlisted(const json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "record")), *key;
	const struct record_kind *kind = record_kinds;
	json_t *value;

	while (kind->name && strcmp(kind->name, name) != 0)
		kind++;
	if (!kind->name)
		return name;
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		bool listed = is_listed("v record id host more", key) || !kind->fields ||
			      strcmp(name, "more") == 0 || is_listed(kind->fields, key) ||
			      (strcmp(name, "sample") == 0 && is_sample_field(key));

		if (!listed)
			return key;
	}
	return NULL;
}

void record_set_knob(json_t *object, const char *key, const struct knob *knob, int64_t value)
{
	char word[48];

	if (knob->kind != KNOB_CHOICE) {
		record_set_integer(object, key, value);
		return;
	}
	setting_format_value(knob, value, word, sizeof(word));
	record_set_string(object, key, word);
}

void record_set_knobs(json_t *object, const struct setting *setting)
{
	json_t *knobs = record_object(object, "knobs");

	for (int i = 0; i < setting->kernel->knob_count; i++)
		record_set_knob(knobs, setting->kernel->knobs[i].name, &setting->kernel->knobs[i],
			setting->v[i]);
}

void records_sample(const struct records *records, const struct record_sample *what)
{
	json_t *object;

	if (records->sample) {
		records->sample(records->context, what);
		return;
	}
	object = record_new(records, "sample", what->id);
	fields_json(object, FIELDS_HEAD, what);
	fields_json(object, FIELDS_CURVE, what);
	fields_json(object, FIELDS_SWEEP, what);
	record_set_string(object, "kernel", what->setting->kernel->name);
	record_set_knobs(object, what->setting);
	fields_json(object, FIELDS_VALUE, what);
	fields_json(object, FIELDS_PLACE, what);
	record_write(records, object);
}

static json_t *event_list(const struct counter_event *event, const struct uarch_event *meaning,
	const struct count *count)
{
	bool known = count_known(count);
	json_t *list = json_array();
	char words[COUNTER_NAME];

	record_append_string(list, event->name);
	counts_role(meaning, words, sizeof(words));
	record_append_string(list, words);
	record_append_real(list, known ? count->value : (double)NAN);
	record_append_real(list, known ? count->lo : (double)NAN);
	record_append_real(list, known ? count->hi : (double)NAN);
	record_append_string(list, counts_state(count->state));
	if (count->state == COUNT_SCALED)
		record_append_real(list, (double)count->share);
	if (known)
		return list;
	count_words(count, words, sizeof(words));
	record_append_string(list, words);
	if (count->state == COUNT_REFUSED)
		record_append_integer(list, count->error);
	return list;
}

void records_counters(const struct records *records, const struct event_plan *plan,
	const struct counts *counts, unsigned id)
{
	json_t *object = record_new(records, "counters", id), *list;

	if (counts->count == 0) {
		record_set_words(object, "why", counts->why);
		record_write(records, object);
		return;
	}
	record_set_string(object, "from", source_name(SOURCE_COUNTER));
	record_set_words(object, "pmu", counts->pmu);
	record_set_integer(object, "passes", counts->groups);
	record_set_boolean(object, "direct", counts->direct);
	list = json_array();
	for (int i = 0; i < counts->count && i < plan->counters.count; i++)
		json_array_append_new(list,
			event_list(&plan->counters.event[i], &plan->meaning[i], &counts->event[i]));
	record_write_list(records, object, "events", list);
}

/* What only tables have of a limit. */
static void set_limit_cells(const struct records *records, json_t *object,
	const struct explanation *explanation, const struct limit *limit, bool binds)
{
	record_set_cell(records, object, "kernel", explanation->kernel->name);
	record_set_cell(records, object, "uarch", uarch_name(explanation->limits.uarch));
	record_set_cell(records, object, "state",
		!limit->known ? "unknown"
		: binds	      ? "binding"
		: limit->hard ? "hard"
			      : "soft");
}

void records_limits(
	const struct records *records, const struct explanation *explanation, unsigned id)
{
	const struct limits *limits = &explanation->limits;

	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		json_t *object = record_new(records, "limits", id);

		record_set_string(object, "name", limit_rows[limit->kind].name);
		record_set_boolean(object, "hard", limit->hard);
		if (limit->known) {
			record_set_real(object, "cpe", limit->cpe);
			record_set_real(object, "cycles", limit->cycles / limits->turns);
		}
		record_set_flag(object, "binding", i == limits->binding);
		record_set_string(object, "cause", limit->cause);
		if (records->row)
			set_limit_cells(records, object, explanation, limit, i == limits->binding);
		record_write(records, object);
	}
}

void records_ports(const struct records *records, const struct limits *limits,
	const char *const *port, unsigned id)
{
	json_t *object = record_new(records, "ports", id), *pressure, *naive;

	record_set_string(object, "from", source_name(SOURCE_MODEL));
	pressure = record_object(object, "pressure");
	naive = record_object(object, "naive");
	for (int i = 0; i < limits->port_count; i++) {
		record_set_real(pressure, port[i], limits->pressure[i]);
		record_set_real(naive, port[i], limits->naive[i]);
	}
	record_write(records, object);
}

struct json_t *record_insn(const struct records *records, const struct explanation *explanation,
	int index, unsigned id)
{
	const struct limits *limits = &explanation->limits;
	const struct insn *insn = &explanation->loop.insn[index];
	const struct limit_insn *facts = &limits->insn[index];
	json_t *object = record_new(records, "insn", id);
	struct text text = { 0 };

	record_set_integer(
		object, "offset", (int64_t)(insn->address - explanation->loop.insn[0].address));
	loop_insn_text(&explanation->loop, insn, &text);
	record_set_string(object, "text", text_string(&text));
	text_free(&text);
	record_set_boolean(object, "known", facts->known);
	record_set_real(object, "slots", facts->slots);
	if (uarch_known(facts->latency))
		record_set_real(object, "latency", facts->latency);
	record_set_string(object, "ports", facts->ports);
	record_set_flag(object, "fused", facts->fused);
	record_set_flag(object, "eliminated", facts->eliminated);
	record_set_flag(object, "carried", facts->carried);
	record_set_real(object, "count", facts->count / limits->turns);
	return object;
}

void records_code(const struct records *records, const struct explanation *explanation, unsigned id)
{
	for (int i = 0; i < explanation->loop.insn_count && i < explanation->limits.insn_count; i++)
		record_write(records, record_insn(records, explanation, i, id));
}

struct json_t *record_explain(const struct records *records, const struct setting *setting,
	const struct explanation *explanation, const char *machine, const char *uarch, unsigned id)
{
	static const char *const shared[] = { "uarch", "binding", "limit", "predicted", "foreign",
		"unknown" };
	const struct record_sample what = { .uarch = uarch, .explanation = explanation };
	const struct limits *limits = &explanation->limits;
	json_t *object = record_new(records, "explain", id);

	record_set_string(object, "machine", machine);
	record_set_string(object, "kernel", setting->kernel->name);
	record_set_knobs(object, setting);
	for (size_t i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		field_json(object, shared[i], &what);
	record_set_real(object, "elements", limits->elements / limits->turns);
	record_set_real(object, "slots", limits->slots / limits->turns);
	record_set_real(object, "instructions", explanation->loop.insns_per_element);
	record_set_string(object, "instructions_from",
		source_name(explanation->loop.stepped ? SOURCE_STEPPED : SOURCE_MODEL));
	record_set_string(object, "waits", explanation->waits);
	record_set_flag(object, "varies", explanation->loop.varies);
	return object;
}
