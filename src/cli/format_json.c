/* JSON Lines: one object a line, the host inside each, no line beyond RECORD_MOST bytes. What
 * describes measurements is in recording/records.c. */
#include "cli/format.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "cli/finding.h"
#include "cli/published.h"
#include "engine/counters/counters.h"
#include "experiment/characterise/characterise.h"
#include "experiment/sweep/blocks.h"
#include "experiment/sweep/sweeps.h"
#include "experiment/windows/windows.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"
#include "recording/record.h"

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

static void json_sample(struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts)
{
	struct records records = records_of(report);
	struct report_row row;

	report_row(report, setting, sample, facts, &row);
	records_sample(&records, &row.what);
	if (report->counts && (report->counts->count || report->counts_wanted))
		records_counters(&records, report->events, report->counts, row.what.id);
	/* The id is the sample's number, however many records it has. */
	report->records = row.what.id;
}

static void json_kernel(struct report *report, const struct kernel *kernel)
{
	static const char *const kinds[] = {
		[KNOB_COUNT] = "count", [KNOB_BYTES] = "bytes", [KNOB_CHOICE] = "choice"
	};
	struct records records = records_of(report);
	json_t *object = record_new(&records, "kernel", report->records + 1);

	record_set_string(object, "kernel", kernel->name);
	record_set_string(object, "title", kernel->title);
	record_set_string(object, "element", kernel->element);
	record_set_string(object, "document", kernel->document);
	record_set_string(object, "look_for", kernel->look_for);
	record_write(&records, object);
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		char initial[48], range[160];

		format_knob(knob, initial, range);
		object = record_new(&records, "knob", report->records + 1);
		record_set_string(object, "kernel", kernel->name);
		record_set_string(object, "knob", knob->name);
		record_set_string(object, "kind", kinds[knob->kind]);
		record_set_string(object, "help", knob->help);
		json_object_set_new(object, "default", record_knob_value(knob, knob->initial));
		record_set_string(object, "range", range);
		if (knob->kind == KNOB_CHOICE) {
			json_t *choices = json_array();

			for (const char *const *choice = knob->choices; *choice; choice++)
				json_array_append_new(choices, json_string(*choice));
			json_object_set_new(object, "choices", choices);
		} else {
			record_set_integer(object, "min", knob->min);
			/* What the machine limits is not known without asking it. */
			json_object_set_new(object, "max",
				knob->max >= KNOB_MAX_CORES ? json_null()
							    : json_integer(knob->max));
			if (knob->multiple > 1)
				record_set_integer(object, "multiple", knob->multiple);
		}
		record_write(&records, object);
	}
}

static void json_named(struct report *report, const struct named_sweep *sweep)
{
	struct records records = records_of(report);
	json_t *object = record_new(&records, "sweep", report->records + 1), *words = json_array(),
	       *lines = json_array();

	record_set_string(object, "name", sweep->name);
	record_set_string(object, "title", sweep->title);
	record_set_string(object, "kernel", sweep->kernel->name);
	for (int i = 0; i < sweep->word_count; i++)
		json_array_append_new(words, json_string(sweep->word[i]));
	json_object_set_new(object, "words", words);
	record_set_string(object, "x", sweeps_x_title(sweep));
	for (int i = 0; i < sweep->line_count; i++)
		json_array_append_new(
			lines, json_string(sweep->kernel->knobs[sweep->line[i]].name));
	json_object_set_new(object, "lines", lines);
	record_set_string(object, "y", sweeps_figure_name(sweep->figure));
	if (*sweep->source)
		record_set_string(object, "document", sweep->source);
	record_write(&records, object);
}

static void json_check(struct report *report, const struct check *check)
{
	struct records records = records_of(report);
	json_t *object = record_new(&records, "check", report->records + 1);

	if (report->machine)
		record_set_string(object, "machine", report->machine->name);
	record_set_string(object, "name", check->name);
	record_set_string(object, "state", check_state_name(check->state));
	record_set_string(object, "finding", check->finding);
	if (*check->advice)
		record_set_string(object, "advice", check->advice);
	record_set_real(object, "value", check->value);
	if (*check->unit && isfinite(check->value))
		record_set_string(object, "unit", check->unit);
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
	bool asked = report_misses(report, setting, &misses, &then);
	const struct record_sample what = { .misses = &misses,
		.whatif_misses = asked ? &then : NULL };
	const char *port[UARCH_PORTS];

	if (published_find(setting, uarch_name(limits->uarch), &published)) {
		record_set_real(object, "published_cycles", published.cycles);
		record_set_string(object, "published_by", published.source);
	}
	field_json(object, "misses", &what);
	field_json(object, "whatif_misses", &what);
	if (!misses.known)
		record_set_string(object, "misses_why", misses.why);
	if (report->blocks) {
		record_set_integer(object, "block", report->blocks->advice.n);
		record_set_string(object, "block_why", report->blocks->advice.why);
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
		record_set_string(object, "machine", report->machine->name);
	if (report_core(report))
		record_set_string(object, "uarch", report_core(report));
	record_set_string(object, "libpfm", counters_version());
	if (*survey->pmu)
		record_set_string(object, "pmu", survey->pmu);
	if (survey->generic)
		record_set_boolean(object, "generic", true);
	if (survey->tried)
		record_set_boolean(object, "available", !*survey->why);
	if (*survey->why)
		record_set_string(object, "why", survey->why);
	if (*survey->doubt)
		record_set_string(object, "doubt", survey->doubt);
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

	if (report_core(report))
		record_set_string(object, "uarch", report_core(report));
	record_set_string(object, "name", event->name);
	if (*event->role)
		record_set_string(object, "role", event->role);
	if (*event->state)
		record_set_string(object, "state", event->state);
	if (*event->note)
		record_set_string(object, "note", event->note);
	if (*event->help)
		record_set_string(object, "help", event->help);
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

	record_set_string(object, "machine", core->measured.processor);
	record_set_string(object, "name", core->name);
	record_set_boolean(object, "complete", core->complete);
	record_set_real(object, "seconds", core->seconds);
	put_figure(object, "width", &core->measured.width);
	if (core->cycles_from != SOURCE_NONE)
		record_set_string(object, "cycles_from", source_name(core->cycles_from));
	if (core->ported) {
		record_set_integer(object, "ports", core->ports.ports);
		record_set_integer(object, "mixes", core->measured.mix_count);
		record_set_real(object, "mixes_off", core->ports.fitted_median);
		record_set_real(object, "mixes_worst", core->ports.fitted_worst);
	}
	if (characterised->shipped)
		record_set_string(object, "shipped", uarch_name(characterised->shipped));
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
		record_set_string(object, "name", op->name);
		put_figure(object, "latency", &op->latency);
		put_figure(object, "accumulate", &op->accumulate);
		put_figure(object, "each", &op->each);
		put_figure(object, "slots", &op->slots);
		if (ports.length)
			record_set_string(object, "ports", text_string(&ports));
		record_write(&records, object);
		text_free(&ports);
	}
	for (int i = 0; i < measured->fact_count; i++) {
		if (!measured->fact[i].figure.known)
			continue;
		object = record_new(&records, "fact", report->records + 1);
		record_set_string(object, "name", measured->fact[i].word);
		put_figure(object, "value", &measured->fact[i].figure);
		record_set_string(object, "loop", measured->fact[i].words);
		record_write(&records, object);
	}
	for (int i = 0; i < characterised->difference_count; i++) {
		const struct model_difference *difference = &characterised->difference[i];

		object = record_new(&records, "difference", report->records + 1);
		record_set_string(object, "what", difference->what);
		record_set_real(object, "measured", difference->a);
		record_set_real(object, "shipped", difference->b);
		record_set_boolean(object, "agrees", difference->agrees);
		record_write(&records, object);
	}
	for (int i = 0; i < core->note_count; i++) {
		object = record_new(&records, "note", report->records + 1);
		record_set_string(object, "text", core->note[i]);
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
