#include "recording/records.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/counts/counts.h"
#include "recording/records_json.h"

/* What a record can do without, in the order in which it goes when a line is too long. */
static const char *const spare[] = { "mode_share_low", "mode_low", "mode_high", "pages", "seed",
	"whatif_misses", "misses", "choices", "arch", "naive", NULL };

void record_set_string(json_t *object, const char *key, const char *value, size_t most)
{
	struct text text = { 0 };

	text_add_clean(&text, value, most);
	json_object_set_new(object, key, json_string(text_string(&text)));
	text_free(&text);
}

void record_set_real(json_t *object, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(object, key, json_real(value));
}

struct json_t *record_new(const struct records *records, const char *name, unsigned id)
{
	json_t *object = json_object();

	json_object_set_new(object, "v", json_integer(1));
	json_object_set_new(object, "record", json_string(name));
	json_object_set_new(object, "id", json_integer((json_int_t)id));
	if (records->host)
		record_set_string(object, "host", records->host, 64);
	return object;
}

#define RECORD_FORM (JSON_COMPACT | JSON_REAL_PRECISION(6))

static char *dump(const json_t *object)
{
	return json_dumps(object, RECORD_FORM);
}

size_t record_bytes(const json_t *value)
{
	return json_dumpb(value, NULL, 0, RECORD_FORM | JSON_ENCODE_ANY);
}

/* The longest string of the object but those that say what it is; NULL when all are short. */
static const char *longest_string(json_t *object)
{
	static const char *const kept[] = { "record", "kernel", "knob", "name", "state",
		"cycles_from", "uarch", "binding", NULL };
	const char *key, *longest = NULL;
	json_t *value;
	size_t length = 16;

	json_object_foreach(object, key, value)
	{
		bool keep = !json_is_string(value);

		for (const char *const *k = kept; *k && !keep; k++)
			keep = strcmp(*k, key) == 0;
		if (!keep && json_string_length(value) > length) {
			longest = key;
			length = json_string_length(value);
		}
	}
	return longest;
}

/* Makes the object a little smaller; false when there is nothing left to give. */
static bool shrink(json_t *object)
{
	const char *key = longest_string(object);

	if (key) {
		struct text text = { 0 };
		const char *value = json_string_value(json_object_get(object, key));

		text_add_clean(
			&text, value, json_string_length(json_object_get(object, key)) * 3 / 4);
		json_object_set_new(object, key, json_string(text_string(&text)));
		text_free(&text);
		return true;
	}
	for (const char *const *name = spare; *name; name++)
		if (json_object_del(object, *name) == 0)
			return true;
	return false;
}

void record_write(const struct records *records, json_t *object)
{
	char *line = dump(object);
	size_t length;

	while (line && strlen(line) + 1 > RECORD_MOST && shrink(object)) {
		free(line);
		line = dump(object);
	}
	if (line) {
		/* The newline in place of the NUL. */
		length = strlen(line);
		line[length] = '\n';
		records->line(records->context, line, length + 1);
	}
	free(line);
	json_decref(object);
}

json_t *record_knob_value(const struct knob *knob, int64_t value)
{
	if (knob->kind == KNOB_CHOICE) {
		char word[48];

		setting_format_value(knob, value, word, sizeof(word));
		return json_string(word);
	}
	return json_integer(value);
}

json_t *record_knobs(const struct setting *setting)
{
	json_t *knobs = json_object();

	for (int i = 0; i < setting->kernel->knob_count; i++)
		json_object_set_new(knobs, setting->kernel->knobs[i].name,
			record_knob_value(&setting->kernel->knobs[i], setting->v[i]));
	return knobs;
}

void record_set_limits(json_t *object, const char *uarch, const struct explanation *explanation)
{
	if (!explanation || !status_is_ok(&explanation->status))
		return;
	if (explain_binding(explanation))
		record_set_string(object, "binding", explain_binding(explanation), 32);
	record_set_real(object, "limit", explain_bound(explanation));
	record_set_real(object, "predicted", explain_predicted(explanation));
	if (uarch)
		record_set_string(object, "uarch", uarch, 32);
	if (explanation->foreign)
		json_object_set_new(object, "foreign", json_true());
	if (explanation->limits.unknown)
		json_object_set_new(object, "unknown", json_integer(explanation->limits.unknown));
}

/* Where and beside whom it ran, as far as that was more than one core with what memory the system
 * gave. */
static void set_place(json_t *object, const struct sample *sample, const struct run_facts *facts)
{
	if (sample->total_gbps > 0)
		record_set_real(object, "gbps_total", sample->total_gbps);
	if (facts->cores > 1)
		json_object_set_new(object, "cores", json_integer(facts->cores));
	if (facts->streams > 0)
		json_object_set_new(object, "streams", json_integer(facts->streams));
	if (*facts->pages)
		record_set_string(object, "pages", facts->pages, sizeof(facts->pages));
	if (*facts->pages_note)
		record_set_string(
			object, "pages_note", facts->pages_note, sizeof(facts->pages_note));
	if (facts->nodes > 1 && facts->node >= 0)
		json_object_set_new(object, "node", json_integer(facts->node));
	if (*facts->node_note)
		record_set_string(object, "node_note", facts->node_note, sizeof(facts->node_note));
}

/* A figure, or null: in a list it cannot be left out. */
static json_t *figure(bool known, double value)
{
	return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *each_level(const struct misses *misses)
{
	json_t *list = json_array();

	for (int i = 0; i < MISSES_LEVELS; i++)
		json_array_append_new(list, figure(true, misses->level[i].each));
	return list;
}

void record_set_misses(
	struct json_t *object, const struct misses *misses, const struct misses *then)
{
	if (!misses || !misses->known)
		return;
	json_object_set_new(object, "misses", each_level(misses));
	if (then && then->known)
		json_object_set_new(object, "whatif_misses", each_level(then));
}

/* What was counted stands alone in recordings: the rest follows from the limits beside it. */
static void set_pace(json_t *object, const struct record_sample *what)
{
	const struct sample_ratios *sample_ratios = what->sample_ratios;

	record_set_real(object, "instructions",
		sample_ratios ? sample_ratios->instructions
			      : counts_of(what->events, what->counts, ROLE_INSTRUCTIONS));
	if (!sample_ratios)
		return;
	if (sample_ratios->instructions_from != SOURCE_NONE)
		json_object_set_new(object, "instructions_from",
			json_string(source_name(sample_ratios->instructions_from)));
	record_set_real(object, "cpi", sample_ratios->cpi);
	if (!(sample_ratios->traffic > 0))
		return;
	record_set_real(object, "traffic_gbps", sample_ratios->traffic);
	record_set_real(object, "traffic_share", sample_ratios->share);
	json_object_set_new(
		object, "traffic_from", json_string(source_name(sample_ratios->lines_from)));
}

void records_sample(const struct records *records, const struct record_sample *what)
{
	json_t *object = record_new(records, "sample", what->id);
	const struct sample *sample = what->sample;
	const struct run_facts *facts = what->facts;

	if (what->machine)
		record_set_string(object, "machine", what->machine, 96);
	if (what->part) {
		json_object_set_new(object, "part", json_string(what->part));
		json_object_set_new(object, "x", json_integer((json_int_t)what->x));
	}
	if (what->sweep)
		json_object_set_new(object, "sweep", json_string(what->sweep));
	json_object_set_new(object, "kernel", json_string(what->setting->kernel->name));
	json_object_set_new(object, "knobs", record_knobs(what->setting));
	record_set_real(object, "cpe", sample->cpe);
	record_set_real(object, "cpe_lo", sample->cpe_lo);
	record_set_real(object, "cpe_hi", sample->cpe_hi);
	json_object_set_new(object, "trials", json_integer(sample->trials));
	json_object_set_new(object, "dropped", json_integer(sample->dropped));
	record_set_real(object, "quiet", sample->quiet);
	if (sample->contended)
		json_object_set_new(object, "contended", json_true());
	if (sample->unsettled)
		json_object_set_new(object, "settled", json_false());
	if (sample->cycles_from != SOURCE_NONE)
		json_object_set_new(
			object, "cycles_from", json_string(source_name(sample->cycles_from)));
	record_set_real(object, "ghz", sample->ghz);
	record_set_real(object, "ns", sample->ns);
	record_set_real(object, "gbps", sample->gbps);
	record_set_real(object, "bytes_per_cycle", sample->bytes_per_cycle);
	if (what->sweep)
		record_set_real(object, "speedup", what->speedup);
	set_place(object, sample, facts);
	if (sample->modes > 1) {
		json_object_set_new(object, "modes", json_integer(sample->modes));
		record_set_real(object, "mode_low", sample->mode_low);
		record_set_real(object, "mode_high", sample->mode_high);
		record_set_real(object, "mode_share_low", sample->mode_share_low);
	}
	if (sample->places > 1) {
		json_object_set_new(object, "placements", json_integer(sample->places));
		record_set_real(object, "placement_lo", sample->place_lo);
		record_set_real(object, "placement_hi", sample->place_hi);
	}
	if (facts->cpu >= 0)
		json_object_set_new(object, "cpu", json_integer(facts->cpu));
	if (!facts->bound)
		json_object_set_new(object, "bound", json_false());
	json_object_set_new(object, "seed", json_integer((json_int_t)what->seed));
	record_set_limits(object, what->uarch, what->explanation);
	record_set_misses(object, what->misses, what->then);
	set_pace(object, what);
	record_set_real(object, "ipc", counts_ipc(what->events, what->counts));
	if (sample->cycles_from == SOURCE_COUNTER)
		record_set_real(object, "check", sample->check);
	record_write(records, object);
}

static void append_clean(json_t *list, const char *string)
{
	struct text text = { 0 };

	text_add_clean(&text, string, COUNTER_NAME);
	json_array_append_new(list, json_string(text_string(&text)));
	text_free(&text);
}

static json_t *record_event(const struct counter_event *event, const struct uarch_event *meaning,
	const struct count *count)
{
	bool known = count_known(count);
	json_t *list = json_array();
	char words[COUNTER_NAME];

	append_clean(list, event->name);
	counts_role(meaning, words, sizeof(words));
	append_clean(list, words);
	json_array_append_new(list, figure(known, count->value));
	json_array_append_new(list, figure(known, count->lo));
	json_array_append_new(list, figure(known, count->hi));
	append_clean(list, counts_state(count->state));
	if (count->state == COUNT_SCALED)
		json_array_append_new(list, json_real(count->share));
	if (known)
		return list;
	count_words(count, words, sizeof(words));
	append_clean(list, words);
	if (count->state == COUNT_REFUSED)
		json_array_append_new(list, json_integer(count->error));
	return list;
}

static json_t *record_counters(
	const struct records *records, const struct counts *counts, unsigned id)
{
	json_t *object = record_new(records, "counters", id);

	json_object_set_new(object, "from", json_string(source_name(SOURCE_COUNTER)));
	if (*counts->pmu)
		record_set_string(object, "pmu", counts->pmu, sizeof(counts->pmu));
	json_object_set_new(object, "passes", json_integer(counts->groups));
	json_object_set_new(object, "direct", json_boolean(counts->direct));
	return object;
}

void records_counters(const struct records *records, const struct event_plan *plan,
	const struct counts *counts, unsigned id)
{
	json_t *object = NULL, *list = NULL;
	size_t length = 0, room = 0;

	if (counts->count == 0) {
		object = record_new(records, "counters", id);
		if (*counts->why)
			record_set_string(object, "why", counts->why, sizeof(counts->why));
		record_write(records, object);
		return;
	}
	for (int i = 0; i < counts->count && i < plan->counters.count; i++) {
		json_t *event = record_event(
			&plan->counters.event[i], &plan->meaning[i], &counts->event[i]);
		size_t bytes = record_bytes(event) + 1;

		if (list && length + bytes > room) {
			record_write(records, object);
			list = NULL;
		}
		if (!list) {
			object = record_counters(records, counts, id);
			list = json_array();
			json_object_set_new(object, "events", list);
			/* What stands around the list, and the newline. */
			room = RECORD_MOST - record_bytes(object) - 1;
			length = 0;
		}
		json_array_append_new(list, event);
		length += bytes;
	}
	if (list)
		record_write(records, object);
}

void records_limits(const struct records *records, const struct limits *limits, unsigned id)
{
	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		json_t *object = record_new(records, "limits", id);

		record_set_string(object, "name", limit_name(limit->kind), 32);
		json_object_set_new(object, "hard", json_boolean(limit->hard));
		if (limit->known) {
			record_set_real(object, "cpe", limit->cpe);
			record_set_real(object, "cycles", limit->cycles / limits->turns);
		}
		if (i == limits->binding)
			json_object_set_new(object, "binding", json_true());
		record_set_string(object, "cause", limit->cause, sizeof(limit->cause));
		record_write(records, object);
	}
}

void records_ports(const struct records *records, const struct limits *limits,
	const char *const *port, unsigned id)
{
	json_t *object = record_new(records, "ports", id), *pressure = json_object(),
	       *naive = json_object();

	for (int i = 0; i < limits->port_count; i++) {
		json_object_set_new(pressure, port[i], json_real(limits->pressure[i]));
		json_object_set_new(naive, port[i], json_real(limits->naive[i]));
	}
	json_object_set_new(object, "from", json_string(source_name(SOURCE_MODEL)));
	json_object_set_new(object, "pressure", pressure);
	json_object_set_new(object, "naive", naive);
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

	json_object_set_new(object, "offset",
		json_integer((json_int_t)(insn->address - explanation->loop.insn[0].address)));
	loop_insn_text(&explanation->loop, insn, &text);
	record_set_string(object, "text", text_string(&text), RECORD_MOST / 2);
	text_free(&text);
	json_object_set_new(object, "known", json_boolean(facts->known));
	record_set_real(object, "slots", facts->slots);
	if (uarch_known(facts->latency))
		record_set_real(object, "latency", facts->latency);
	record_set_string(object, "ports", facts->ports, sizeof(facts->ports));
	if (facts->fused)
		json_object_set_new(object, "fused", json_true());
	if (facts->eliminated)
		json_object_set_new(object, "eliminated", json_true());
	if (facts->carried)
		json_object_set_new(object, "carried", json_true());
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
	const struct limits *limits = &explanation->limits;
	json_t *object = record_new(records, "explain", id);

	if (machine)
		record_set_string(object, "machine", machine, 96);
	json_object_set_new(object, "kernel", json_string(setting->kernel->name));
	json_object_set_new(object, "knobs", record_knobs(setting));
	if (uarch)
		record_set_string(object, "uarch", uarch, 32);
	record_set_limits(object, uarch, explanation);
	record_set_real(object, "elements", limits->elements / limits->turns);
	record_set_real(object, "slots", limits->slots / limits->turns);
	record_set_real(object, "instructions", explanation->loop.insns_per_element);
	json_object_set_new(object, "instructions_from",
		json_string(
			source_name(explanation->loop.stepped ? SOURCE_STEPPED : SOURCE_MODEL)));
	if (explanation->waits)
		record_set_string(object, "waits", explanation->waits, 160);
	if (explanation->loop.varies)
		json_object_set_new(object, "varies", json_true());
	return object;
}
