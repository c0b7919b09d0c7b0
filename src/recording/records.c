#include "recording/records.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "config.h"
#include "model/core/uarch.h"
#include "model/counts/counts.h"
#include "model/program/lines.h"
#include "recording/record.h"

void record_set_knob(json_t *object, const char *key, const struct knob *knob, int64_t value)
{
	if (knob->kind == KNOB_CHOICE)
		record_set_string(object, key, setting_value(knob, value).text);
	else
		record_set_integer(object, key, value);
}

void record_set_knobs(json_t *object, const struct setting *setting)
{
	json_t *knobs = record_object(object, "knobs");

	for (int i = 0; i < setting->kernel->knob_count; i++)
		record_set_knob(knobs, setting->kernel->knobs[i].name, &setting->kernel->knobs[i],
			setting->v[i]);
}

json_t *record_sample(const struct records *records, const struct record_sample *what)
{
	json_t *object = record_new(records, "sample", what->id);

	fields_json(object, FIELDS_HEAD, what);
	fields_json(object, FIELDS_CURVE, what);
	fields_json(object, FIELDS_SWEEP, what);
	record_set_string(object, "kernel", what->setting->kernel->name);
	record_set_knobs(object, what->setting);
	fields_json(object, FIELDS_VALUE, what);
	fields_json(object, FIELDS_PLACE, what);
	return object;
}

void records_sample(const struct records *records, const struct record_sample *what)
{
	if (records->sample)
		records->sample(records->context, what);
	else
		record_write(records, record_sample(records, what));
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

json_t *record_counters(const struct records *records, const struct counts *counts, unsigned id)
{
	json_t *object = record_new(records, "counters", id);

	if (counts->count == 0) {
		record_set_words(object, "why", counts->why);
		return object;
	}
	record_set_string(object, "from", source_name(SOURCE_COUNTER));
	record_set_words(object, "pmu", counts->pmu);
	record_set_integer(object, "passes", counts->groups);
	record_set_boolean(object, "direct", counts->direct);
	return object;
}

void records_counters(const struct records *records, const struct event_plan *plan,
	const struct counts *counts, unsigned id)
{
	json_t *object = record_counters(records, counts, id), *list;

	if (counts->count == 0) {
		record_write(records, object);
		return;
	}
	list = json_array();
	for (int i = 0; i < counts->count && i < plan->counters.count; i++)
		json_array_append_new(list,
			event_list(&plan->counters.event[i], &plan->meaning[i], &counts->event[i]));
	record_write_list(records, object, "events", list);
}

json_t *record_limit(
	const struct records *records, const struct limits *limits, int index, unsigned id)
{
	const struct limit *limit = &limits->limit[index];
	json_t *object = record_new(records, "limits", id);

	record_set_string(object, "name", limit_rows[limit->kind].name);
	record_set_boolean(object, "hard", limit->hard);
	if (limit->known) {
		record_set_real(object, "cpe", limit->cpe);
		record_set_real(object, "cycles", limit->cycles / limits->turns);
		if (limit->spread > 0)
			record_set_real(object, "spread", limit->spread);
		if (limit->early > 0)
			record_set_real(object, "early", limit->early);
	} else if (limit->most > 0) {
		record_set_real(object, "most", limit->most);
	}
	record_set_flag(object, "binding", index == limits->binding);
	record_set_string(object, "cause", limit->cause);
	return object;
}

void records_limits(
	const struct records *records, const struct explanation *explanation, unsigned id)
{
	const struct limits *limits = &explanation->limits;

	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		json_t *object = record_limit(records, limits, i, id);

		record_set_cell(records, object, "kernel", explanation->kernel->name);
		if (explanation->in_program)
			record_set_cell(records, object, "loop",
				words_of("%d", explanation->in_program).text);
		record_set_cell(
			records, object, "uarch", limits->uarch ? limits->uarch->name : NULL);
		record_set_cell(records, object, "state",
			!limit->known	       ? "unknown"
			: i == limits->binding ? "binding"
			: limit->hard	       ? "hard"
					       : "soft");
		record_write(records, object);
	}
}

json_t *record_ports(const struct records *records, const struct limits *limits,
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
	return object;
}

void records_ports(const struct records *records, const struct limits *limits,
	const char *const *port, unsigned id)
{
	record_write(records, record_ports(records, limits, port, id));
}

json_t *record_insn(const struct records *records, const struct explanation *explanation, int index,
	bool all, unsigned id)
{
	json_t *object = record_new(records, "insn", id);
	const struct limits *limits = &explanation->limits;
	const struct insn *insn = &explanation->loop.insn[index];
	struct recorded_insn to = { .offset = insn->address - explanation->loop.insn[0].address,
		.times = 1,
		.bytes = insn->length,
		.jumps = insn->flow != FLOW_NONE,
		.writes = insn->write_count > 0,
		.fetches = insn_fetches(insn),
		.no_instruction = !insn->known,
		.facts = limits->insn[index] };
	struct text text = { 0 };

	if (explanation->lines && explanation->lines[index].file)
		snprintf(to.source, sizeof(to.source), "%s:%d", explanation->lines[index].file,
			explanation->lines[index].line);
	loop_insn_text(&explanation->loop, insn, &text);
	snprintf(to.text, sizeof(to.text), "%s", text_string(&text));
	text_free(&text);
	to.facts.count /= limits->turns;
	if (!uarch_known(to.facts.latency))
		to.facts.latency = NAN;
	fields_write(object, insn_fields, &to, all);
	return object;
}

void records_code(const struct records *records, const struct explanation *explanation, unsigned id)
{
	int count = explanation->loop.insn_count;

	if (count > explanation->limits.insn_count)
		count = explanation->limits.insn_count;
	for (int i = 0; i < count; i++)
		record_write(records, record_insn(records, explanation, i, false, id));
}

struct json_t *record_explain(const struct records *records, const struct setting *setting,
	const struct explanation *explanation, const char *machine, const char *uarch, unsigned id)
{
	static const char *const shared[] = { "uarch", "binding", "limit", "predicted",
		"predicted_spread", "predicted_by", "foreign", "unknown" };
	const struct record_sample what = { .uarch = uarch, .explanation = explanation };
	const struct limits *limits = &explanation->limits;
	json_t *object = record_new(records, "explain", id);

	record_set_string(object, "machine", machine);
	if (setting) {
		record_set_string(object, "kernel", setting->kernel->name);
		record_set_knobs(object, setting);
	}
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

/* ---- Records that only recordings contain */

const char *const recording_fates[] = { "quiet", "contended", "switched", "moved", "drifted",
	"broken", NULL };
_Static_assert(sizeof(recording_fates) / sizeof(*recording_fates) == TRIAL_FATES + 1,
	"a word for each fate");
const char *const recording_matches[] = { "none", "nearest", "exact", NULL };

/* ---- the place ---- */

static void write_header(const struct records *records, const struct recording_place *place)
{
	const struct machine *machine = place->machine;
	json_t *object = record_new(records, "recording", 0);
	char when[32] = "";
	time_t now = time(NULL);
	struct tm parts;

	record_set_count(object, "format", RECORDING_VERSION);
	record_set_string(object, "program", PACKAGE_VERSION);
	if (!records->host)
		record_set_string(object, "host", machine->host);
	if (gmtime_r(&now, &parts))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &parts);
	record_set_string(object, "time", when);
	record_set_string(object, "arch", machine->arch);
	record_set_string(object, "machine", machine->name);
	record_set_count(object, "seed", place->seed);
	record_set_flag(object, "visited", place->visited);
	record_write(records, object);
}

static void write_machine(const struct records *records, const struct machine *machine)
{
	json_t *object = record_new(records, "machine", 0), *caches;

	fields_write(object, machine_fields, machine, true);
	caches = record_list(object, "caches");
	for (int i = 0; i < machine->cache_count; i++)
		json_array_append_new(caches,
			json_pack("[i,I,i]", machine->cache[i].level,
				(json_int_t)machine->cache[i].bytes, (int)machine->cache[i].line));
	record_write(records, object);
}

static void write_core(const struct records *records, const struct recording_place *place)
{
	const struct core *core = place->core;
	json_t *object = record_new(records, "core", 0), *ports;
	uint32_t units = 0;

	record_set_string(object, "match", recording_matches[place->match]);
	record_set_boolean(object, "foreign", place->foreign);
	record_set_boolean(object, "nearest", place->nearest);
	if (core) {
		record_set_string(object, "name", core->name);
		record_set_string(object, "title", core->title);
	} else {
		record_set_string(object, "note", place->note ? place->note : "");
	}
	ports = record_list(object, "ports");
	for (int i = 0; core && i < core->port_count; i++) {
		record_append_string(ports, core->port[i]);
		units |= (uint32_t)core->unit[i] << i;
	}
	record_append_bits(record_list(object, "units"), units);
	record_write(records, object);
}

static void write_event(const struct records *records, const struct event_plan *plan, int index)
{
	const struct uarch_event *meaning = &plan->meaning[index];
	json_t *object = record_new(records, "event", 0);

	record_set_integer(object, "index", index);
	record_set_string(object, "name", plan->counters.event[index].name);
	record_set_string(object, "role", event_roles[meaning->role].name);
	record_set_boolean(object, "must", plan->counters.event[index].must);
	record_append_bits(record_list(object, "ports"), meaning->ports);
	record_set_string(object, "words", meaning->words);
	record_set_string(object, "title", meaning->title);
	record_set_string(object, "core", meaning->core);
	record_write(records, object);
}

void lines_place(const struct records *records, const struct recording_place *place)
{
	write_header(records, place);
	write_machine(records, place->machine);
	write_core(records, place);
}

void lines_events(const struct records *records, const struct event_plan *plan)
{
	json_t *object = record_new(records, "events", 0);

	record_set_integer(object, "count", plan->counters.count);
	record_set_integer(object, "cycles", plan->counters.cycles);
	record_set_boolean(object, "generic", plan->generic);
	record_set_integer(object, "left_out", plan->left_out);
	record_set_string(object, "why", plan->why);
	record_write(records, object);
	for (int i = 0; i < plan->counters.count; i++)
		write_event(records, plan, i);
}
