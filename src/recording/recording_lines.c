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
#include "recording/record.h"

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
	record_write(records, object);
}

static void write_machine(const struct records *records, const struct machine *machine)
{
	const struct processor *processor = &machine->processor;
	json_t *object = record_new(records, "machine", 0), *caches = json_array();

	record_set_integer(object, "cpu", machine->cpu);
	record_set_integer(object, "processors", machine->processors);
	record_set_boolean(object, "bound", machine->bound);
	record_set_string(object, "bind_note", machine->bind_note);
	record_set_boolean(object, "apart", machine->apart);
	record_set_boolean(object, "virtualised", machine->virtualised);
	for (int i = 0; i < machine->cache_count; i++)
		json_array_append_new(caches,
			json_pack("[i,I,i]", machine->cache[i].level,
				(json_int_t)machine->cache[i].bytes, (int)machine->cache[i].line));
	json_object_set_new(object, "caches", caches);
	record_set_count(object, "memory_limit", machine->memory_limit);
	record_set_real(object, "tick_hz", machine->tick_hz);
	record_set_real(object, "tick_step", machine->tick_step);
	record_set_string(object, "clock", machine->clock_name);
	record_set_boolean(object, "watched", machine->watched);
	record_set_boolean(object, "huge_pages", machine->huge_pages);
	record_set_string(object, "memory_note", machine->memory_note);
	record_set_string(object, "huge_note", machine->huge_note);
	record_set_string(object, "vendor", processor->vendor);
	record_set_count(object, "family", processor->family);
	record_set_count(object, "model", processor->model);
	record_set_count(object, "stepping", processor->stepping);
	record_set_count(object, "implementer", processor->implementer);
	record_set_count(object, "part", processor->part);
	record_set_count(object, "l1i", processor->l1i_bytes);
	record_set_string(object, "features", processor->features);
	record_write(records, object);
}

static void write_core(const struct records *records, const struct recording_place *place)
{
	const struct core *core = place->core;
	json_t *object = record_new(records, "core", 0), *ports = json_array(),
	       *units = json_array();

	record_set_string(object, "match", recording_matches[place->match]);
	record_set_boolean(object, "foreign", place->foreign);
	record_set_boolean(object, "nearest", place->nearest);
	if (core) {
		record_set_string(object, "name", core->name);
		record_set_string(object, "title", core->title);
	} else {
		record_set_string(object, "note", place->note ? place->note : "");
	}
	for (int i = 0; core && i < core->port_count; i++) {
		record_append_string(ports, core->port[i]);
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

	record_set_integer(object, "index", index);
	record_set_string(object, "name", plan->counters.event[index].name);
	record_set_string(object, "role", role_name(meaning->role));
	record_set_boolean(object, "must", plan->counters.event[index].must);
	for (int i = 0; i < UARCH_PORTS; i++)
		if (meaning->ports >> i & 1)
			json_array_append_new(ports, json_integer(i));
	json_object_set_new(object, "ports", ports);
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

/* ---- a setting ---- */

static json_t *trial_list(const struct trial *trial)
{
	json_t *list = json_array();

	record_append_real(list, trial->cpe);
	record_append_real(list, trial->ghz);
	record_append_real(list, (double)trial->watch);
	record_append_real(list, (double)trial->turns);
	record_append_real(list, (double)trial->at);
	json_array_append_new(list, json_integer(trial->fate));
	if (isfinite(trial->check) || trial->unsettled || trial->place)
		record_append_real(list, (double)trial->check);
	if (trial->unsettled || trial->place)
		json_array_append_new(list, json_integer(2 * trial->place + trial->unsettled));
	return list;
}

void lines_trials(const struct records *records, const struct trials *trials, unsigned id)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < trials->count; i++)
		json_array_append_new(list, trial_list(&trials->trial[i]));
	record_write_list(records, record_new(records, "trials", id), "trials", list);
}

void lines_facts(const struct records *records, const struct run_facts *facts,
	const struct trials *trials, unsigned id)
{
	json_t *object = record_new(records, "facts", id), *forgotten = json_object();

	fields_write_facts(object, facts);
	for (int i = 0; i < TRIAL_FATES; i++)
		if (trials->forgotten[i])
			record_set_integer(forgotten, recording_fates[i], trials->forgotten[i]);
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

	record_set_integer(object, "bytes", insn->length);
	if (insn->flow != FLOW_NONE)
		record_set_boolean(object, "jumps", true);
	if (insn->write_count > 0)
		record_set_boolean(object, "writes", true);
	if (insn_fetches(insn))
		record_set_boolean(object, "fetches", true);
	if (!insn->known)
		record_set_boolean(object, "no_instruction", true);
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
			record_set_integer(object, "times", next - i);
		record_write(records, object);
	}
}

static void write_modelled(const struct records *records, const struct event_plan *events,
	const double *modelled, unsigned id)
{
	json_t *object = record_new(records, "modelled", id), *list = json_array();

	for (int i = 0; i < events->counters.count; i++)
		record_append_real(list, modelled[i]);
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
	record_set_integer(object, "turns", explanation->loop.turns);
	record_set_real(object, "chain", limits->chain.cycles / limits->turns);
	if (limits->chain.through_memory)
		record_set_boolean(object, "through_memory", true);
	json_object_set_new(object, "fullest", fullest);
	if (limits->unknown)
		record_set_string(object, "unknown_names", limits->unknown_names);
	if (explanation->function)
		record_set_string(object, "function", explanation->function);
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
		record_set_string(object, "kernel", setting->kernel->name);
		record_set_knobs(object, setting);
		record_set_string(object, "why", explanation->status.text);
		record_write(records, object);
		return;
	}
	for (int i = 0; i < core->port_count; i++)
		port[i] = core->port[i];
	records_limits(records, explanation, id);
	records_ports(records, &explanation->limits, port, id);
	write_code(records, explanation, id);
	if (events && modelled)
		write_modelled(records, events, modelled, id);
	write_explain(records, setting, explanation, core, id);
}
