#include "session/records.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/records_json.h"

/* What a record can do without, in the order in which it goes when a line is too long. */
static const char *const spare[] = { "mode_share_low", "mode_low", "mode_high", "pages", "seed", "choices",
	"arch", "naive", NULL };

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

static char *dump(const json_t *object)
{
	return json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
}

/* The longest string of the object but those that say what it is; NULL when all are short. */
static const char *longest_string(json_t *object)
{
	static const char *const kept[] = { "record", "kernel", "knob", "name", "state", "cycles_from",
		"uarch", "binding", NULL };
	const char *key, *longest = NULL;
	json_t *value;
	size_t length = 16;

	json_object_foreach(object, key, value) {
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

		text_add_clean(&text, value, json_string_length(json_object_get(object, key)) * 3 / 4);
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

void records_sample(const struct records *records, const struct record_sample *what)
{
	json_t *object = record_new(records, "sample", what->id);
	const struct sample *sample = what->sample;
	const struct run_facts *facts = what->facts;

	if (what->machine)
		record_set_string(object, "machine", what->machine, 96);
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
	if (sample->cycles_from != SOURCE_NONE)
		json_object_set_new(object, "cycles_from", json_string(source_name(sample->cycles_from)));
	record_set_real(object, "ghz", sample->ghz);
	record_set_real(object, "ns", sample->ns);
	record_set_real(object, "gbps", sample->gbps);
	record_set_real(object, "bytes_per_cycle", sample->bytes_per_cycle);
	if (sample->modes > 1) {
		json_object_set_new(object, "modes", json_integer(sample->modes));
		record_set_real(object, "mode_low", sample->mode_low);
		record_set_real(object, "mode_high", sample->mode_high);
		record_set_real(object, "mode_share_low", sample->mode_share_low);
	}
	if (facts->cpu >= 0)
		json_object_set_new(object, "cpu", json_integer(facts->cpu));
	if (!facts->bound)
		json_object_set_new(object, "bound", json_false());
	if (*facts->pages)
		record_set_string(object, "pages", facts->pages, sizeof(facts->pages));
	json_object_set_new(object, "seed", json_integer((json_int_t)what->seed));
	record_set_limits(object, what->uarch, what->explanation);
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

void records_ports(const struct records *records, const struct limits *limits, const char *const *port, unsigned id)
{
	json_t *object = record_new(records, "ports", id), *pressure = json_object(), *naive = json_object();

	for (int i = 0; i < limits->port_count; i++) {
		json_object_set_new(pressure, port[i], json_real(limits->pressure[i]));
		json_object_set_new(naive, port[i], json_real(limits->naive[i]));
	}
	json_object_set_new(object, "from", json_string(source_name(SOURCE_MODEL)));
	json_object_set_new(object, "pressure", pressure);
	json_object_set_new(object, "naive", naive);
	record_write(records, object);
}

void records_code(const struct records *records, const struct explanation *explanation, unsigned id)
{
	const struct limits *limits = &explanation->limits;
	struct text text = { 0 };

	for (int i = 0; i < explanation->loop.insn_count && i < limits->insn_count; i++) {
		const struct insn *insn = &explanation->loop.insn[i];
		const struct limit_insn *facts = &limits->insn[i];
		json_t *object = record_new(records, "insn", id);

		json_object_set_new(object, "offset",
			json_integer((json_int_t)(insn->address - explanation->loop.insn[0].address)));
		loop_insn_text(&explanation->loop, insn, &text);
		record_set_string(object, "text", text_string(&text), RECORD_MOST / 2);
		text_clear(&text);
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
		record_write(records, object);
	}
	text_free(&text);
}
