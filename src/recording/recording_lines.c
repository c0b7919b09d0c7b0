#include "recording/recording_lines.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <time.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(not configured)"
#endif

#include "base/text.h"
#include "kernels/knob_rows.h"
#include "recording/records_json.h"

const char *const recording_fates[] = { "quiet", "contended", "switched", "moved", "drifted",
	"broken", NULL };
_Static_assert(sizeof(recording_fates) / sizeof(*recording_fates) == TRIAL_FATES + 1,
	"a word for each fate");
const char *const recording_matches[] = { "none", "nearest", "exact", NULL };

/* A figure, or null: in a list it cannot be left out. */
static json_t *figure(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void set_count(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(
		object, key, json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value));
}

static void set_truth(json_t *object, const char *key, bool value)
{
	json_object_set_new(object, key, json_boolean(value));
}

static void append_string(json_t *list, const char *value)
{
	struct text text = { 0 };

	text_add_clean(&text, value, RECORD_MOST);
	json_array_append_new(list, json_string(text_string(&text)));
	text_free(&text);
}

/* ---- the place ---- */

static void write_header(const struct records *records, const struct recording_place *place)
{
	const struct machine *machine = place->machine;
	json_t *object = record_new(records, "recording", 0);
	char when[32] = "";
	time_t now = time(NULL);
	struct tm parts;

	set_count(object, "format", RECORDING_VERSION);
	record_set_string(object, "program", PACKAGE_VERSION, 32);
	if (!records->host)
		record_set_string(object, "host", machine->host, sizeof(machine->host));
	if (gmtime_r(&now, &parts))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &parts);
	record_set_string(object, "time", when, sizeof(when));
	record_set_string(object, "arch", machine->arch, sizeof(machine->arch));
	record_set_string(object, "machine", machine->name, sizeof(machine->name));
	set_count(object, "seed", place->seed);
	record_write(records, object);
}

static void write_machine(const struct records *records, const struct machine *machine)
{
	const struct processor *processor = &machine->processor;
	json_t *object = record_new(records, "machine", 0), *caches = json_array();

	json_object_set_new(object, "cpu", json_integer(machine->cpu));
	json_object_set_new(object, "processors", json_integer(machine->processors));
	set_truth(object, "bound", machine->bound);
	record_set_string(object, "bind_note", machine->bind_note, sizeof(machine->bind_note));
	set_truth(object, "apart", machine->apart);
	set_truth(object, "virtualised", machine->virtualised);
	for (int i = 0; i < machine->cache_count; i++)
		json_array_append_new(caches,
			json_pack("[i,I,i]", machine->cache[i].level,
				(json_int_t)machine->cache[i].bytes, (int)machine->cache[i].line));
	json_object_set_new(object, "caches", caches);
	set_count(object, "memory_limit", machine->memory_limit);
	record_set_real(object, "tick_hz", machine->tick_hz);
	record_set_real(object, "tick_step", machine->tick_step);
	record_set_string(object, "clock", machine->clock_name, sizeof(machine->clock_name));
	set_truth(object, "watched", machine->watched);
	set_truth(object, "huge_pages", machine->huge_pages);
	record_set_string(
		object, "memory_note", machine->memory_note, sizeof(machine->memory_note));
	record_set_string(object, "huge_note", machine->huge_note, sizeof(machine->huge_note));
	record_set_string(object, "vendor", processor->vendor, sizeof(processor->vendor));
	set_count(object, "family", processor->family);
	set_count(object, "model", processor->model);
	set_count(object, "stepping", processor->stepping);
	set_count(object, "implementer", processor->implementer);
	set_count(object, "part", processor->part);
	set_count(object, "l1i", processor->l1i_bytes);
	record_set_string(object, "features", processor->features, sizeof(processor->features));
	record_write(records, object);
}

static void write_core(const struct records *records, const struct recording_place *place)
{
	const struct core *core = place->core;
	json_t *object = record_new(records, "core", 0), *ports = json_array(),
	       *units = json_array();

	json_object_set_new(object, "match", json_string(recording_matches[place->match]));
	set_truth(object, "foreign", place->foreign);
	set_truth(object, "nearest", place->nearest);
	if (core) {
		record_set_string(object, "name", core->name, sizeof(core->name));
		record_set_string(object, "title", core->title, sizeof(core->title));
	} else {
		record_set_string(object, "note", place->note ? place->note : "", 300);
	}
	for (int i = 0; core && i < core->port_count; i++) {
		append_string(ports, core->port[i]);
		if (core->unit[i])
			json_array_append_new(units, json_integer(i));
	}
	json_object_set_new(object, "ports", ports);
	json_object_set_new(object, "units", units);
	record_write(records, object);
}

static void write_event(const struct records *records, const struct event_plan *plan, int index)
{
	const struct uarch_event *meaning = &plan->meaning[index];
	json_t *object = record_new(records, "event", 0), *ports = json_array();

	json_object_set_new(object, "index", json_integer(index));
	record_set_string(object, "name", plan->counters.event[index].name, COUNTER_NAME);
	json_object_set_new(object, "role", json_string(role_name(meaning->role)));
	set_truth(object, "must", plan->counters.event[index].must);
	for (int i = 0; i < UARCH_PORTS; i++)
		if (meaning->ports >> i & 1)
			json_array_append_new(ports, json_integer(i));
	json_object_set_new(object, "ports", ports);
	record_set_string(object, "words", meaning->words, sizeof(meaning->words));
	record_set_string(object, "title", meaning->title, sizeof(meaning->title));
	record_set_string(object, "core", meaning->core, sizeof(meaning->core));
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

	json_object_set_new(object, "count", json_integer(plan->counters.count));
	json_object_set_new(object, "cycles", json_integer(plan->counters.cycles));
	set_truth(object, "generic", plan->generic);
	json_object_set_new(object, "left_out", json_integer(plan->left_out));
	record_set_string(object, "why", plan->why, sizeof(plan->why));
	record_write(records, object);
	for (int i = 0; i < plan->counters.count; i++)
		write_event(records, plan, i);
}

/* ---- a setting ---- */

static json_t *trial_list(const struct trial *trial)
{
	json_t *list = json_array();

	json_array_append_new(list, figure(trial->cpe));
	json_array_append_new(list, figure(trial->ghz));
	json_array_append_new(list, figure((double)trial->watch));
	json_array_append_new(list, figure((double)trial->turns));
	json_array_append_new(list, figure((double)trial->at));
	json_array_append_new(list, json_integer(trial->fate));
	if (isfinite(trial->check) || trial->unsettled || trial->place)
		json_array_append_new(list, figure((double)trial->check));
	if (trial->unsettled || trial->place)
		json_array_append_new(list, json_integer(2 * trial->place + trial->unsettled));
	return list;
}

void lines_trials(const struct records *records, const struct trials *trials, unsigned id)
{
	json_t *object = NULL, *list = NULL;
	size_t used = 0;

	for (unsigned i = 0; i < trials->count; i++) {
		json_t *trial = trial_list(&trials->trial[i]);
		size_t bytes = record_bytes(trial) + 1;

		if (list && used + bytes > RECORD_MOST) {
			record_write(records, object);
			list = NULL;
		}
		if (!list) {
			object = record_new(records, "trials", id);
			list = json_array();
			json_object_set_new(object, "trials", list);
			/* And the newline. */
			used = record_bytes(object) + 1;
		}
		json_array_append_new(list, trial);
		used += bytes;
	}
	if (list)
		record_write(records, object);
}

/* Where and beside whom it ran: left out where it was alone, on memory that nobody asked anything
 * of. */
static void set_place(json_t *object, const struct run_facts *facts)
{
	if (facts->asked != PAGES_AUTO)
		json_object_set_new(object, "asked", json_string(knob_pages[facts->asked]));
	if (*facts->pages_note)
		record_set_string(
			object, "pages_note", facts->pages_note, sizeof(facts->pages_note));
	if (facts->nodes > 1) {
		json_object_set_new(object, "nodes", json_integer(facts->nodes));
		json_object_set_new(object, "node", json_integer(facts->node));
	}
	if (*facts->node_note)
		record_set_string(object, "node_note", facts->node_note, sizeof(facts->node_note));
	if (facts->cores > 1 || facts->streams > 0) {
		json_object_set_new(object, "cores", json_integer(facts->cores));
		json_object_set_new(object, "streams", json_integer(facts->streams));
		json_object_set_new(object, "others_gbps", figure(facts->others_gbps));
	}
}

void lines_facts(const struct records *records, const struct run_facts *facts,
	const struct trials *trials, unsigned id)
{
	json_t *object = record_new(records, "facts", id), *forgotten = json_object();

	json_object_set_new(object, "cpu", json_integer(facts->cpu));
	set_truth(object, "bound", facts->bound);
	set_truth(object, "watched", facts->watched);
	if (facts->far)
		set_truth(object, "far", true);
	json_object_set_new(object, "cycles_from", json_string(source_name(facts->cycles_from)));
	set_count(object, "ring", facts->ring);
	set_count(object, "granule", facts->granule);
	set_count(object, "bytes", facts->bytes);
	set_count(object, "footprint", facts->footprint);
	set_count(object, "call", facts->call);
	set_count(object, "calls", facts->calls);
	record_set_string(object, "pages", facts->pages, sizeof(facts->pages));
	set_place(object, facts);
	for (int i = 0; i < TRIAL_FATES; i++)
		if (trials->forgotten[i])
			json_object_set_new(
				forgotten, recording_fates[i], json_integer(trials->forgotten[i]));
	json_object_set_new(object, "forgotten", forgotten);
	record_write(records, object);
}

/* ---- an explanation ---- */

/* One instruction, as insn records have it; where a loop needs more than that to be shown again,
 * that too. */
static json_t *insn_object(const struct records *records, const struct explanation *explanation,
	int index, unsigned id)
{
	const struct insn *insn = &explanation->loop.insn[index];
	json_t *object = record_insn(records, explanation, index, id);

	json_object_set_new(object, "bytes", json_integer(insn->length));
	if (insn->flow != FLOW_NONE)
		set_truth(object, "jumps", true);
	if (insn->write_count > 0)
		set_truth(object, "writes", true);
	if (insn_fetches(insn))
		set_truth(object, "fetches", true);
	if (!insn->known)
		set_truth(object, "no_instruction", true);
	return object;
}

/* Whether two differ in nothing but where they stand. */
static bool alike(const json_t *a, const json_t *b)
{
	json_t *same = json_copy((json_t *)(uintptr_t)a);
	bool equal;

	json_object_set(same, "offset", json_object_get(b, "offset"));
	equal = json_equal(same, b);
	json_decref(same);
	return equal;
}

/* Neighbours that are all alike, as in a row of nops, are one record and how many times. */
static void write_code(
	const struct records *records, const struct explanation *explanation, unsigned id)
{
	int count = explanation->loop.insn_count, next;

	if (count > explanation->limits.insn_count)
		count = explanation->limits.insn_count;
	for (int i = 0; i < count; i = next) {
		json_t *object = insn_object(records, explanation, i, id);

		for (next = i + 1; next < count; next++) {
			json_t *other = insn_object(records, explanation, next, id);
			bool same = alike(object, other);

			json_decref(other);
			if (!same)
				break;
		}
		if (next > i + 1)
			json_object_set_new(object, "times", json_integer(next - i));
		record_write(records, object);
	}
}

static void write_modelled(const struct records *records, const struct event_plan *events,
	const double *modelled, unsigned id)
{
	json_t *object = record_new(records, "modelled", id), *list = json_array();

	for (int i = 0; i < events->counters.count; i++)
		json_array_append_new(list, figure(modelled[i]));
	json_object_set_new(object, "events", list);
	record_write(records, object);
}

static void write_explain(const struct records *records, const struct setting *setting,
	const struct explanation *explanation, const struct core *core, unsigned id)
{
	const struct limits *limits = &explanation->limits;
	json_t *object = record_explain(records, setting, explanation, NULL, core->name, id),
	       *fullest = json_array();

	for (int i = 0; i < limits->port_count; i++)
		if (limits->bottleneck >> i & 1)
			json_array_append_new(fullest, json_integer(i));
	json_object_set_new(object, "turns", json_integer(explanation->loop.turns));
	record_set_real(object, "chain", limits->chain.cycles / limits->turns);
	if (limits->chain.through_memory)
		set_truth(object, "through_memory", true);
	json_object_set_new(object, "fullest", fullest);
	if (limits->unknown)
		record_set_string(object, "unknown_names", limits->unknown_names,
			sizeof(limits->unknown_names));
	if (explanation->function)
		record_set_string(object, "function", explanation->function, 64);
	record_write(records, object);
}

void lines_explanation(const struct records *records, const struct setting *setting,
	const struct explanation *explanation, const struct core *core,
	const struct event_plan *events, const double *modelled, unsigned id)
{
	const char *port[UARCH_PORTS];
	json_t *object;

	if (!status_is_ok(&explanation->status)) {
		object = record_new(records, "explain", id);
		json_object_set_new(object, "kernel", json_string(setting->kernel->name));
		json_object_set_new(object, "knobs", record_knobs(setting));
		record_set_string(
			object, "why", explanation->status.text, sizeof(explanation->status.text));
		record_write(records, object);
		return;
	}
	for (int i = 0; i < core->port_count; i++)
		port[i] = core->port[i];
	records_limits(records, &explanation->limits, id);
	records_ports(records, &explanation->limits, port, id);
	write_code(records, explanation, id);
	if (events && modelled)
		write_modelled(records, events, modelled, id);
	write_explain(records, setting, explanation, core, id);
}
