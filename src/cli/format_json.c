/* JSON Lines: one object a line, the host inside each, no line beyond RECORD_MOST bytes. What
 * describes measurements is in recording/records.c. */
#include "cli/format.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "cli/characterise_text.h"
#include "cli/check.h"
#include "cli/event.h"
#include "cli/misses_text.h"
#include "cli/published.h"
#include "engine/counters/counters.h"
#include "experiment/sweep/blocks.h"
#include "experiment/sweep/sweeps.h"
#include "model/core/choice.h"
#include "model/limits/explain.h"
#include "recording/records_json.h"

static void put(void *context, const char *line, size_t length)
{
	struct report *report = context;

	fwrite(line, 1, length, report->out);
	report->records++;
}

static struct records records_of(struct report *report)
{
	return (struct records){ .context = report, .line = put, .host = report->host };
}

static const char *core_name(const struct report *report)
{
	return report->core && report->core->uarch ? uarch_name(report->core->uarch) : NULL;
}

static void json_sample(struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts)
{
	struct records records = records_of(report);
	struct misses misses, then;
	struct sample_ratios sample_ratios;
	struct record_sample what = {
		.id = report->records + 1,
		.machine = report->machine ? report->machine->name : NULL,
		.setting = setting,
		.sample = sample,
		.facts = facts,
		.seed = report->seed,
		.uarch = core_name(report),
		.explanation = report->explanation,
		.events = report->events,
		.counts = report->counts,
		.sweep = report->named ? report->named->name : NULL,
		.speedup = report->named ? report->speedup : (double)NAN,
	};

	report_pace(report, sample, &sample_ratios);
	what.sample_ratios = &sample_ratios;
	what.then = misses_report(report, setting, &misses, &then) ? &then : NULL;
	what.misses = &misses;
	records_sample(&records, &what);
	if (report->counts && (report->counts->count || report->counts_wanted))
		records_counters(&records, report->events, report->counts, what.id);
	/* The id is the sample's number, whatever comes beside it. */
	report->records = what.id;
}

static void json_kernel(struct report *report, const struct kernel *kernel)
{
	static const char *const kinds[] = {
		[KNOB_COUNT] = "count", [KNOB_BYTES] = "bytes", [KNOB_CHOICE] = "choice"
	};
	struct records records = records_of(report);
	json_t *object = record_new(&records, "kernel", report->records + 1);

	json_object_set_new(object, "kernel", json_string(kernel->name));
	record_set_string(object, "title", kernel->title, 200);
	record_set_string(object, "element", kernel->element, 200);
	record_set_string(object, "document", kernel->document, 300);
	record_set_string(object, "look_for", kernel->look_for, 800);
	record_write(&records, object);
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		char initial[48], range[160];

		format_knob(knob, initial, range);
		object = record_new(&records, "knob", report->records + 1);
		json_object_set_new(object, "kernel", json_string(kernel->name));
		json_object_set_new(object, "knob", json_string(knob->name));
		json_object_set_new(object, "kind", json_string(kinds[knob->kind]));
		record_set_string(object, "help", knob->help, 300);
		json_object_set_new(object, "default", record_knob_value(knob, knob->initial));
		record_set_string(object, "range", range, 300);
		if (knob->kind == KNOB_CHOICE) {
			json_t *choices = json_array();

			for (const char *const *choice = knob->choices; *choice; choice++)
				json_array_append_new(choices, json_string(*choice));
			json_object_set_new(object, "choices", choices);
		} else {
			json_object_set_new(object, "min", json_integer(knob->min));
			/* What the machine limits is not known without asking it. */
			json_object_set_new(object, "max",
				knob->max >= KNOB_MAX_CORES ? json_null()
							    : json_integer(knob->max));
			if (knob->multiple > 1)
				json_object_set_new(
					object, "multiple", json_integer(knob->multiple));
		}
		record_write(&records, object);
	}
}

static void json_named(struct report *report, const struct named_sweep *sweep)
{
	struct records records = records_of(report);
	json_t *object = record_new(&records, "sweep", report->records + 1), *words = json_array(),
	       *lines = json_array();

	json_object_set_new(object, "name", json_string(sweep->name));
	record_set_string(object, "title", sweep->title, sizeof(sweep->title));
	json_object_set_new(object, "kernel", json_string(sweep->kernel->name));
	for (int i = 0; i < sweep->word_count; i++)
		json_array_append_new(words, json_string(sweep->word[i]));
	json_object_set_new(object, "words", words);
	json_object_set_new(object, "x", json_string(sweeps_x_title(sweep)));
	for (int i = 0; i < sweep->line_count; i++)
		json_array_append_new(
			lines, json_string(sweep->kernel->knobs[sweep->line[i]].name));
	json_object_set_new(object, "lines", lines);
	json_object_set_new(object, "y", json_string(sweeps_figure_name(sweep->figure)));
	if (*sweep->source)
		record_set_string(object, "document", sweep->source, sizeof(sweep->source));
	record_write(&records, object);
}

static void json_check(struct report *report, const struct check *check)
{
	struct records records = records_of(report);
	json_t *object = record_new(&records, "check", report->records + 1);

	if (report->machine)
		record_set_string(
			object, "machine", report->machine->name, sizeof(report->machine->name));
	json_object_set_new(object, "name", json_string(check->name));
	json_object_set_new(object, "state", json_string(check_state_name(check->state)));
	record_set_string(object, "finding", check->finding, sizeof(check->finding));
	if (*check->advice)
		record_set_string(object, "advice", check->advice, sizeof(check->advice));
	record_set_real(object, "value", check->value);
	if (*check->unit && isfinite(check->value))
		record_set_string(object, "unit", check->unit, sizeof(check->unit));
	record_write(&records, object);
}

static void json_explain(
	struct report *report, const struct setting *setting, const struct explanation *explanation)
{
	struct records records = records_of(report);
	const struct limits *limits = &explanation->limits;
	unsigned id = report->records + 1;
	json_t *object = record_explain(&records, setting, explanation,
		report->machine ? report->machine->name : NULL, uarch_name(limits->uarch), id);
	struct published published;
	struct misses misses, then;
	bool asked = misses_report(report, setting, &misses, &then);
	const char *port[UARCH_PORTS];

	if (published_find(setting, uarch_name(limits->uarch), &published)) {
		record_set_real(object, "published_cycles", published.cycles);
		record_set_string(
			object, "published_by", published.source, sizeof(published.source));
	}
	record_set_misses(object, &misses, asked ? &then : NULL);
	if (!misses.known)
		record_set_string(object, "misses_why", misses.why, sizeof(misses.why));
	if (report->blocks) {
		json_object_set_new(object, "block", json_integer(report->blocks->advice.n));
		record_set_string(object, "block_why", report->blocks->advice.why,
			sizeof(report->blocks->advice.why));
	}
	record_write(&records, object);
	records_limits(&records, limits, id);
	for (int i = 0; i < limits->port_count; i++)
		port[i] = uarch_port(limits->uarch, i);
	records_ports(&records, limits, port, id);
	records_code(&records, explanation, id);
}

/* What the events that follow are of. A search has none. */
static void json_survey(struct report *report)
{
	struct records records = records_of(report);
	const struct event_survey *survey = report->survey;
	json_t *object = record_new(&records, "events", report->records + 1),
	       *lacking = json_array();

	if (report->machine)
		record_set_string(
			object, "machine", report->machine->name, sizeof(report->machine->name));
	if (core_name(report))
		record_set_string(object, "uarch", core_name(report), 32);
	record_set_string(object, "libpfm", counters_version(), 32);
	if (*survey->pmu)
		record_set_string(object, "pmu", survey->pmu, 64);
	if (survey->generic)
		json_object_set_new(object, "generic", json_true());
	if (survey->tried)
		json_object_set_new(object, "available", json_boolean(!*survey->why));
	if (*survey->why)
		record_set_string(object, "why", survey->why, 200);
	if (*survey->doubt)
		record_set_string(object, "doubt", survey->doubt, 250);
	for (int i = 0; i < survey->lacking_count; i++)
		json_array_append_new(lacking, json_string(role_name(survey->lacking[i])));
	json_object_set_new(object, "lacking", lacking);
	record_write(&records, object);
}

static void json_begin(struct report *report)
{
	if (report->kind == REPORT_EVENTS && !report->survey->words)
		json_survey(report);
}

static void json_event(struct report *report, const struct event_line *event)
{
	struct records records = records_of(report);
	json_t *object = record_new(&records, "event", report->records + 1);

	if (core_name(report))
		record_set_string(object, "uarch", core_name(report), 32);
	record_set_string(object, "name", event->name, COUNTER_NAME);
	if (*event->role)
		record_set_string(object, "role", event->role, 64);
	if (*event->state)
		record_set_string(object, "state", event->state, 32);
	if (*event->note)
		record_set_string(object, "note", event->note, 200);
	if (*event->help)
		record_set_string(object, "help", event->help, 200);
	record_write(&records, object);
}

static void json_probe(struct report *report, const struct probe_report *probe)
{
	struct records records = records_of(report);

	records_probe(&records, probe, report->seed, report->records + 1);
}

static void json_windows(struct report *report, const struct windows_report *windows)
{
	struct records records = records_of(report);

	records_windows(&records, windows, report->points, report->seed, report->records + 1);
}

/* "latency", "latency_lo", "latency_hi". */
static void put_figure(json_t *object, const char *key, const struct figure *figure)
{
	char name[40];

	if (!figure->known)
		return;
	record_set_real(object, key, figure->value);
	snprintf(name, sizeof(name), "%s_lo", key);
	record_set_real(object, name, figure->lo);
	snprintf(name, sizeof(name), "%s_hi", key);
	record_set_real(object, name, figure->hi);
}

static void put_core(struct report *report, const struct records *records,
	const struct characterised *characterised)
{
	const struct characterise_report *core = characterised->report;
	json_t *object = record_new(records, "core", report->records + 1);

	record_set_string(object, "machine", core->measured.processor, 96);
	record_set_string(object, "name", core->name, sizeof(core->name));
	json_object_set_new(object, "complete", json_boolean(core->complete));
	record_set_real(object, "seconds", core->seconds);
	put_figure(object, "width", &core->measured.width);
	if (core->cycles_from != SOURCE_NONE)
		json_object_set_new(
			object, "cycles_from", json_string(source_name(core->cycles_from)));
	if (core->ported) {
		json_object_set_new(object, "ports", json_integer(core->ports.ports));
		json_object_set_new(object, "mixes", json_integer(core->measured.mix_count));
		record_set_real(object, "mixes_off", core->ports.fitted_median);
		record_set_real(object, "mixes_worst", core->ports.fitted_worst);
	}
	if (characterised->shipped)
		record_set_string(object, "shipped", uarch_name(characterised->shipped), 24);
	record_write(records, object);
}

static void json_core(struct report *report, const struct characterised *characterised)
{
	struct records records = records_of(report);
	const struct characterise_report *core = characterised->report;
	const struct measured *measured = &core->measured;
	json_t *object;

	put_core(report, &records, characterised);
	for (int i = 0; i < measured->op_count; i++) {
		const struct measured_op *op = &measured->op[i];
		struct text ports = { 0 };

		if (core->ported)
			characterise_ports(&core->ports, i, &ports);
		object = record_new(&records, "class", report->records + 1);
		record_set_string(object, "name", op->name, sizeof(op->name));
		put_figure(object, "latency", &op->latency);
		put_figure(object, "accumulate", &op->accumulate);
		put_figure(object, "each", &op->each);
		put_figure(object, "slots", &op->slots);
		if (ports.length)
			record_set_string(object, "ports", text_string(&ports), 200);
		record_write(&records, object);
		text_free(&ports);
	}
	for (int i = 0; i < measured->fact_count; i++) {
		if (!measured->fact[i].figure.known)
			continue;
		object = record_new(&records, "fact", report->records + 1);
		record_set_string(object, "name", measured->fact[i].word, 40);
		put_figure(object, "value", &measured->fact[i].figure);
		record_set_string(object, "loop", measured->fact[i].words, 80);
		record_write(&records, object);
	}
	for (int i = 0; i < characterised->difference_count; i++) {
		const struct model_difference *difference = &characterised->difference[i];

		object = record_new(&records, "difference", report->records + 1);
		record_set_string(object, "what", difference->what, sizeof(difference->what));
		record_set_real(object, "measured", difference->a);
		record_set_real(object, "shipped", difference->b);
		json_object_set_new(object, "agrees", json_boolean(difference->agrees));
		record_write(&records, object);
	}
	for (int i = 0; i < core->note_count; i++) {
		object = record_new(&records, "note", report->records + 1);
		record_set_string(object, "text", core->note[i], sizeof(core->note[i]));
		record_write(&records, object);
	}
}

const struct format format_json = {
	.name = "json",
	.begin = json_begin,
	.sample = json_sample,
	.kernel = json_kernel,
	.named = json_named,
	.check = json_check,
	.explain = json_explain,
	.event = json_event,
	.probe = json_probe,
	.windows = json_windows,
	.core = json_core,
};
