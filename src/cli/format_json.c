/* JSON Lines: one object a line, the host inside each, no line beyond FORMAT_LINE_MAX bytes. */
#include "cli/format.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check.h"
#include "cli/published.h"
#include "model/choice.h"
#include "model/explain.h"

/* What a record can do without, in the order in which it goes when a line is too long. */
static const char *const spare[] = { "mode_share_low", "mode_low", "mode_high", "pages", "seed", "choices",
	"arch", "naive", NULL };

static void set_string(json_t *object, const char *key, const char *value, size_t most)
{
	struct text text = { 0 };

	format_clean(value, most, &text);
	json_object_set_new(object, key, json_string(text_string(&text)));
	text_free(&text);
}

/* An unavailable figure is left out. */
static void set_real(json_t *object, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(object, key, json_real(value));
}

/* A record that belongs to another one, whose id it carries. */
static json_t *record_of(const struct report *report, const char *name, unsigned id)
{
	json_t *object = json_object();

	json_object_set_new(object, "v", json_integer(1));
	json_object_set_new(object, "record", json_string(name));
	json_object_set_new(object, "id", json_integer((json_int_t)id));
	set_string(object, "host", report->host, sizeof(report->host));
	return object;
}

static json_t *record_new(const struct report *report, const char *name)
{
	return record_of(report, name, report->records + 1);
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

		format_clean(value, json_string_length(json_object_get(object, key)) * 3 / 4, &text);
		json_object_set_new(object, key, json_string(text_string(&text)));
		text_free(&text);
		return true;
	}
	for (const char *const *name = spare; *name; name++)
		if (json_object_del(object, *name) == 0)
			return true;
	return false;
}

static void record_write(struct report *report, json_t *object)
{
	char *line = dump(object);

	while (line && strlen(line) + 1 > FORMAT_LINE_MAX && shrink(object)) {
		free(line);
		line = dump(object);
	}
	if (line)
		fprintf(report->out, "%s\n", line);
	free(line);
	json_decref(object);
	report->records++;
}

static json_t *knob_value(const struct knob *knob, int64_t value)
{
	if (knob->kind == KNOB_CHOICE) {
		char word[48];

		setting_format_value(knob, value, word, sizeof(word));
		return json_string(word);
	}
	return json_integer(value);
}

static json_t *json_knobs(const struct setting *setting)
{
	json_t *knobs = json_object();

	for (int i = 0; i < setting->kernel->knob_count; i++)
		json_object_set_new(knobs, setting->kernel->knobs[i].name,
			knob_value(&setting->kernel->knobs[i], setting->v[i]));
	return knobs;
}

/* What binds, for whom, and what is predicted: left out where it is unknown. */
static void set_limits(json_t *object, const struct uarch_choice *core, const struct explanation *explanation)
{
	if (!explanation || !status_is_ok(&explanation->status))
		return;
	if (explain_binding(explanation))
		set_string(object, "binding", explain_binding(explanation), 32);
	set_real(object, "limit", explain_bound(explanation));
	set_real(object, "predicted", explain_predicted(explanation));
	if (core && core->uarch)
		set_string(object, "uarch", uarch_name(core->uarch), 32);
	if (explanation->foreign)
		json_object_set_new(object, "foreign", json_true());
	if (explanation->limits.unknown)
		json_object_set_new(object, "unknown", json_integer(explanation->limits.unknown));
}

static void json_sample(struct report *report, const struct setting *setting, const struct sample *sample,
	const struct run_facts *facts)
{
	json_t *object = record_new(report, "sample");
	const struct kernel *kernel = setting->kernel;

	if (report->machine)
		set_string(object, "machine", report->machine->name, sizeof(report->machine->name));
	json_object_set_new(object, "kernel", json_string(kernel->name));
	json_object_set_new(object, "knobs", json_knobs(setting));
	set_real(object, "cpe", sample->cpe);
	set_real(object, "cpe_lo", sample->cpe_lo);
	set_real(object, "cpe_hi", sample->cpe_hi);
	json_object_set_new(object, "trials", json_integer(sample->trials));
	json_object_set_new(object, "dropped", json_integer(sample->dropped));
	set_real(object, "quiet", sample->quiet);
	if (sample->contended)
		json_object_set_new(object, "contended", json_true());
	if (sample->cycles_from != SOURCE_NONE)
		json_object_set_new(object, "cycles_from", json_string(source_name(sample->cycles_from)));
	set_real(object, "ghz", sample->ghz);
	set_real(object, "ns", sample->ns);
	set_real(object, "gbps", sample->gbps);
	set_real(object, "bytes_per_cycle", sample->bytes_per_cycle);
	if (sample->modes > 1) {
		json_object_set_new(object, "modes", json_integer(sample->modes));
		set_real(object, "mode_low", sample->mode_low);
		set_real(object, "mode_high", sample->mode_high);
		set_real(object, "mode_share_low", sample->mode_share_low);
	}
	if (facts->cpu >= 0)
		json_object_set_new(object, "cpu", json_integer(facts->cpu));
	if (!facts->bound)
		json_object_set_new(object, "bound", json_false());
	if (*facts->pages)
		set_string(object, "pages", facts->pages, sizeof(facts->pages));
	json_object_set_new(object, "seed", json_integer((json_int_t)report->seed));
	set_limits(object, report->core, report->explanation);
	record_write(report, object);
}

static void json_kernel(struct report *report, const struct kernel *kernel)
{
	static const char *const kinds[] = { [KNOB_COUNT] = "count", [KNOB_BYTES] = "bytes",
		[KNOB_CHOICE] = "choice" };
	json_t *object = record_new(report, "kernel");

	json_object_set_new(object, "kernel", json_string(kernel->name));
	set_string(object, "title", kernel->title, 200);
	set_string(object, "element", kernel->element, 200);
	set_string(object, "document", kernel->document, 300);
	set_string(object, "look_for", kernel->look_for, 800);
	record_write(report, object);
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		char initial[48], range[160];

		format_knob(knob, initial, range);
		object = record_new(report, "knob");
		json_object_set_new(object, "kernel", json_string(kernel->name));
		json_object_set_new(object, "knob", json_string(knob->name));
		json_object_set_new(object, "kind", json_string(kinds[knob->kind]));
		set_string(object, "help", knob->help, 300);
		json_object_set_new(object, "default", knob_value(knob, knob->initial));
		set_string(object, "range", range, 300);
		if (knob->kind == KNOB_CHOICE) {
			json_t *choices = json_array();

			for (const char *const *choice = knob->choices; *choice; choice++)
				json_array_append_new(choices, json_string(*choice));
			json_object_set_new(object, "choices", choices);
		} else {
			json_object_set_new(object, "min", json_integer(knob->min));
			/* What the machine limits is not known without asking it. */
			json_object_set_new(object, "max",
				knob->max == KNOB_MAX_MEMORY ? json_null() : json_integer(knob->max));
			if (knob->multiple > 1)
				json_object_set_new(object, "multiple", json_integer(knob->multiple));
		}
		record_write(report, object);
	}
}

static void json_check(struct report *report, const struct check *check)
{
	json_t *object = record_new(report, "check");

	if (report->machine)
		set_string(object, "machine", report->machine->name, sizeof(report->machine->name));
	json_object_set_new(object, "name", json_string(check->name));
	json_object_set_new(object, "state", json_string(check_state_name(check->state)));
	set_string(object, "finding", check->finding, sizeof(check->finding));
	if (*check->advice)
		set_string(object, "advice", check->advice, sizeof(check->advice));
	set_real(object, "value", check->value);
	if (*check->unit && isfinite(check->value))
		set_string(object, "unit", check->unit, sizeof(check->unit));
	record_write(report, object);
}

static void json_limits(struct report *report, const struct limits *limits, unsigned id)
{
	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		json_t *object = record_of(report, "limits", id);

		set_string(object, "name", limit_name(limit->kind), 32);
		json_object_set_new(object, "hard", json_boolean(limit->hard));
		if (limit->known) {
			set_real(object, "cpe", limit->cpe);
			set_real(object, "cycles", limit->cycles / limits->turns);
		}
		if (i == limits->binding)
			json_object_set_new(object, "binding", json_true());
		set_string(object, "cause", limit->cause, sizeof(limit->cause));
		record_write(report, object);
	}
}

static void json_ports(struct report *report, const struct limits *limits, unsigned id)
{
	json_t *object = record_of(report, "ports", id), *pressure = json_object(), *naive = json_object();

	for (int i = 0; i < limits->port_count; i++) {
		json_object_set_new(pressure, uarch_port(limits->uarch, i), json_real(limits->pressure[i]));
		json_object_set_new(naive, uarch_port(limits->uarch, i), json_real(limits->naive[i]));
	}
	json_object_set_new(object, "from", json_string(source_name(SOURCE_MODEL)));
	json_object_set_new(object, "pressure", pressure);
	json_object_set_new(object, "naive", naive);
	record_write(report, object);
}

static void json_code(struct report *report, const struct explanation *explanation, unsigned id)
{
	const struct limits *limits = &explanation->limits;
	struct text text = { 0 };

	for (int i = 0; i < explanation->loop.insn_count && i < limits->insn_count; i++) {
		const struct insn *insn = &explanation->loop.insn[i];
		const struct limit_insn *facts = &limits->insn[i];
		json_t *object = record_of(report, "insn", id);

		json_object_set_new(object, "offset",
			json_integer((json_int_t)(insn->address - explanation->loop.insn[0].address)));
		format_insn(&explanation->loop, insn, &text);
		set_string(object, "text", text_string(&text), FORMAT_LINE_MAX / 2);
		text_clear(&text);
		json_object_set_new(object, "known", json_boolean(facts->known));
		set_real(object, "slots", facts->slots);
		if (uarch_known(facts->latency))
			set_real(object, "latency", facts->latency);
		set_string(object, "ports", facts->ports, sizeof(facts->ports));
		if (facts->fused)
			json_object_set_new(object, "fused", json_true());
		if (facts->eliminated)
			json_object_set_new(object, "eliminated", json_true());
		if (facts->carried)
			json_object_set_new(object, "carried", json_true());
		set_real(object, "count", facts->count / limits->turns);
		record_write(report, object);
	}
	text_free(&text);
}

static void json_explain(struct report *report, const struct setting *setting, const struct explanation *explanation)
{
	json_t *object = record_new(report, "explain");
	const struct limits *limits = &explanation->limits;
	unsigned id = report->records + 1;
	struct published published;

	if (report->machine)
		set_string(object, "machine", report->machine->name, sizeof(report->machine->name));
	json_object_set_new(object, "kernel", json_string(setting->kernel->name));
	json_object_set_new(object, "knobs", json_knobs(setting));
	set_string(object, "uarch", uarch_name(limits->uarch), 32);
	set_limits(object, report->core, explanation);
	set_real(object, "elements", limits->elements / limits->turns);
	set_real(object, "slots", limits->slots / limits->turns);
	set_real(object, "instructions", explanation->loop.insns_per_element);
	json_object_set_new(object, "instructions_from",
		json_string(source_name(explanation->loop.stepped ? SOURCE_STEPPED : SOURCE_MODEL)));
	if (published_find(setting, uarch_name(limits->uarch), &published)) {
		set_real(object, "published_cycles", published.cycles);
		set_string(object, "published_by", published.source, sizeof(published.source));
	}
	record_write(report, object);
	json_limits(report, limits, id);
	json_ports(report, limits, id);
	json_code(report, explanation, id);
}

const struct format format_json = {
	.name = "json",
	.sample = json_sample,
	.kernel = json_kernel,
	.check = json_check,
	.explain = json_explain,
};
