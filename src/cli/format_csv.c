/* CSV (RFC 4180, lines end in a newline alone): a header, then a line a record. What is unavailable
 * is an empty field. */
#include "cli/format.h"

#include <inttypes.h>
#include <math.h>

#include "cli/finding.h"
#include "experiment/characterise/characterise.h"
#include "experiment/probe/probe.h"
#include "experiment/sweep/sweeps.h"
#include "experiment/windows/windows.h"
#include "model/core/uarch.h"
#include "model/counts/counts.h"
#include "model/limits/explain.h"

/* One line under construction. */
struct line {
	struct text text;
	bool begun;
};

static void add(struct line *line, const char *string)
{
	if (line->begun)
		text_add(&line->text, ",");
	line->begun = true;
	format_csv_field(&line->text, string);
}

static void add_real(struct line *line, double value)
{
	char figure[32] = "";

	if (isfinite(value))
		snprintf(figure, sizeof(figure), "%.6g", value);
	add(line, figure);
}

static void add_integer(struct line *line, int64_t value)
{
	char figure[32];

	snprintf(figure, sizeof(figure), "%" PRId64, value);
	add(line, figure);
}

static void line_write(struct report *report, struct line *line)
{
	fprintf(report->out, "%s\n", text_string(&line->text));
	text_free(&line->text);
}

/* "c_l1_misses", "c_p2_p3", "c_stalled_back_end"; of an event asked for by name that name. */
static void add_counter_name(struct line *line, const struct uarch_event *meaning)
{
	char name[COUNTER_NAME + 2] = "c_";

	if (meaning->role == ROLE_EXTRA) {
		snprintf(name + 2, sizeof(name) - 2, "%s", meaning->name);
	} else if (meaning->role == ROLE_PORTS) {
		events_title(meaning, NULL, name + 2, sizeof(name) - 2);
	} else {
		counts_role(meaning, name + 2, sizeof(name) - 2);
	}
	for (char *c = name; meaning->role != ROLE_EXTRA && *c; c++)
		if (*c == ' ' || *c == '-')
			*c = '_';
	add(line, name);
}

/* A column for each event that could be counted, as far as is known when the first line is written.
 */
static void add_counter_names(struct report *report, struct line *line)
{
	report->counted = 0;
	for (int i = 0; counts_any(report->events, report->counts) && i < report->counts->count;
		i++) {
		if (!count_known(&report->counts->event[i]))
			continue;
		report->counted |= UINT64_C(1) << i;
		add_counter_name(line, &report->events->meaning[i]);
	}
}

static void add_counters(const struct report *report, struct line *line)
{
	for (int i = 0; i < COUNTERS_MAX; i++) {
		bool known = counts_any(report->events, report->counts) &&
			     i < report->counts->count && count_known(&report->counts->event[i]);

		if (report->counted >> i & 1)
			add_real(line, known ? report->counts->event[i].value : NAN);
	}
}

/* A field of a sample has the name of the table; where the kernel has a knob of that name too, the
 * column of what the sample got ends in _got. */
static void add_field_names(const struct kernel *kernel, enum field_group group, struct line *line)
{
	for (const struct field *field = sample_fields; field->name; field++) {
		char name[48];

		if (field->group != group)
			continue;
		snprintf(name, sizeof(name), "%s%s", field->name,
			kernel && kernel_knob(kernel, field->name) >= 0 ? "_got" : "");
		add(line, name);
	}
}

static void add_fields(enum field_group group, const struct record_sample *what, struct line *line)
{
	for (const struct field *field = sample_fields; field->name; field++) {
		struct text cell = { 0 };

		if (field->group != group)
			continue;
		field_csv(field, what, &cell);
		add(line, text_string(&cell));
		text_free(&cell);
	}
}

static void csv_begin(struct report *report)
{
	struct line line = { 0 };
	const struct kernel *kernel = report->setting.kernel;

	switch (report->kind) {
	case REPORT_RUN:
	case REPORT_SWEEP:
		add(&line, "id");
		add(&line, "host");
		add_field_names(NULL, FIELDS_HEAD, &line);
		add_field_names(NULL, FIELDS_PLACE, &line);
		add(&line, "kernel");
		for (int i = 0; i < kernel->knob_count; i++)
			add(&line, kernel->knobs[i].name);
		add_field_names(kernel, FIELDS_VALUE, &line);
		if (report->named)
			add_field_names(kernel, FIELDS_SWEEP, &line);
		add_counter_names(report, &line);
		break;
	case REPORT_KERNELS:
		text_add(&line.text, "kernel,element,document,knob,kind,default,range,help");
		break;
	case REPORT_CHECKS:
		text_add(&line.text, "host,name,state,finding,advice,value,unit");
		break;
	case REPORT_EXPLAIN:
		text_add(&line.text,
			"kernel,uarch,limit,state,cycles_per_element,cycles_per_iteration,cause");
		break;
	case REPORT_PROBE:
		add(&line, "id");
		add(&line, "host");
		add_field_names(NULL, FIELDS_HEAD, &line);
		add_field_names(NULL, FIELDS_CURVE, &line);
		add(&line, "setting");
		add_field_names(NULL, FIELDS_VALUE, &line);
		add_field_names(NULL, FIELDS_PLACE, &line);
		break;
	case REPORT_WINDOWS:
		text_add(&line.text,
			report->points
				? "id,host,machine,uarch,filler,buffer,fillers,cycles,cycles_lo,"
				  "cycles_hi,cycles_from,setting,seed"
				: "id,host,machine,uarch,filler,buffer,state,kind,knee,knee_lo,"
				  "knee_hi,from,to,cycles_before,cycles_after,noise,entries,points,"
				  "seconds,contended,cycles_from,setting,seed");
		break;
	case REPORT_CORE:
		text_add(&line.text, "host,machine,kind,name,figure,value,lo,hi,words");
		break;
	case REPORT_EVENTS: text_add(&line.text, "uarch,role,name,state,note,help"); break;
	}
	line_write(report, &line);
}

static void csv_sample(struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts)
{
	const struct kernel *kernel = setting->kernel;
	struct line line = { 0 };
	struct report_row row;

	report_row(report, setting, sample, facts, &row);
	add_integer(&line, row.what.id);
	add(&line, report->host);
	add_fields(FIELDS_HEAD, &row.what, &line);
	add_fields(FIELDS_PLACE, &row.what, &line);
	add(&line, kernel->name);
	for (int i = 0; i < kernel->knob_count; i++) {
		char word[48];

		if (kernel->knobs[i].kind == KNOB_CHOICE) {
			setting_format_value(&kernel->knobs[i], setting->v[i], word, sizeof(word));
			add(&line, word);
		} else {
			add_integer(&line, setting->v[i]);
		}
	}
	add_fields(FIELDS_VALUE, &row.what, &line);
	if (report->named)
		add_fields(FIELDS_SWEEP, &row.what, &line);
	add_counters(report, &line);
	line_write(report, &line);
	report->records++;
}

static void csv_kernel(struct report *report, const struct kernel *kernel)
{
	static const char *const kinds[] = {
		[KNOB_COUNT] = "count", [KNOB_BYTES] = "bytes", [KNOB_CHOICE] = "choice"
	};

	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		struct line line = { 0 };
		char initial[48], range[160];

		format_knob(knob, initial, range);
		add(&line, kernel->name);
		add(&line, kernel->element);
		add(&line, kernel->document);
		add(&line, knob->name);
		add(&line, kinds[knob->kind]);
		add(&line, initial);
		add(&line, range);
		add(&line, knob->help);
		line_write(report, &line);
	}
	report->records++;
}

static void csv_check(struct report *report, const struct check *check)
{
	struct line line = { 0 };

	add(&line, report->host);
	add(&line, check->name);
	add(&line, check_state_name(check->state));
	add(&line, check->finding);
	add(&line, check->advice);
	add_real(&line, check->value);
	add(&line, isfinite(check->value) ? check->unit : "");
	line_write(report, &line);
	report->records++;
}

/* A line a limit; code and ports are for reading, and stand in the other formats. */
static void csv_explain(
	struct report *report, const struct setting *setting, const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;

	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		struct line line = { 0 };

		add(&line, setting->kernel->name);
		add(&line, uarch_name(limits->uarch));
		add(&line, limit_rows[limit->kind].name);
		add(&line, !limit->known	  ? "unknown"
			   : i == limits->binding ? "binding"
			   : limit->hard	  ? "hard"
						  : "soft");
		add_real(&line, limit->known ? limit->cpe : NAN);
		add_real(&line, limit->known ? limit->cycles / limits->turns : NAN);
		add(&line, limit->cause);
		line_write(report, &line);
	}
	report->records++;
}

/* The beginning of a row of windows. */
static void begin_window(struct report *report, const struct windows_report *windows,
	const struct windows_row *row, struct line *line)
{
	add_integer(line, (int64_t)report->records + 1);
	add(line, report->host);
	add(line, report->machine ? report->machine->name : "");
	add(line, windows->uarch);
	add(line, row->filler);
	add(line, row->fact ? row->fact->buffer : "");
}

static void end_window(struct report *report, const struct windows_row *row,
	const struct setting *at, struct line *line)
{
	struct text setting = { 0 };

	add(line, row->cycles_from != SOURCE_NONE ? source_name(row->cycles_from) : "");
	setting_format(at, &setting);
	add(line, text_string(&setting));
	add_integer(line, (int64_t)report->seed);
	line_write(report, line);
	text_free(&setting);
	report->records++;
}

static void csv_window(
	struct report *report, const struct windows_report *windows, const struct windows_row *row)
{
	static const char *const states[] = { "waiting", "incomplete", "done", "failed" };
	const struct knee *knee = &row->knee;
	const double reals[] = { knee->x, knee->lo, knee->hi, knee->from, knee->to, knee->before,
		knee->after, knee->noise, row->entries };
	struct line line = { 0 };

	begin_window(report, windows, row, &line);
	add(&line, states[row->state]);
	add(&line, knee_kind_names[knee->kind]);
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++)
		add_real(&line, reals[i]);
	add_integer(&line, row->curve.count);
	add_real(&line, row->seconds);
	add(&line, row->contended ? "true" : "false");
	end_window(report, row, &row->setting, &line);
}

static void csv_windows(struct report *report, const struct windows_report *windows)
{
	for (int i = 0; i < windows->count; i++) {
		const struct windows_row *row = &windows->row[i];

		if (!report->points)
			csv_window(report, windows, row);
		for (int k = 0; report->points && k < row->curve.count; k++) {
			const struct knee_point *point = &row->curve.point[k];
			struct setting setting = row->setting;
			struct line line = { 0 };

			setting.v[kernel_knob(setting.kernel, WINDOWS_FILLERS)] = (int64_t)point->x;
			begin_window(report, windows, row, &line);
			add_real(&line, point->x);
			add_real(&line, point->y);
			add_real(&line, point->lo);
			add_real(&line, point->hi);
			end_window(report, row, &setting, &line);
		}
	}
}

/* A point of a probe: which curve it is of, where on it, and the setting as one types it, since
 * kernels differ. */
static void csv_point(
	struct report *report, const char *part, const char *level, const struct probe_point *point)
{
	struct line line = { 0 };
	struct text setting = { 0 };
	struct report_row row;

	if (!point->sample.valid)
		return;
	report_row(report, &point->setting, &point->sample, &point->facts, &row);
	row.what.part = part;
	row.what.level = level;
	row.what.x = point->x;
	setting_format(&point->setting, &setting);
	add_integer(&line, row.what.id);
	add(&line, report->host);
	add_fields(FIELDS_HEAD, &row.what, &line);
	add_fields(FIELDS_CURVE, &row.what, &line);
	add(&line, text_string(&setting));
	add_fields(FIELDS_VALUE, &row.what, &line);
	add_fields(FIELDS_PLACE, &row.what, &line);
	line_write(report, &line);
	text_free(&setting);
	report->records++;
}

static void csv_probe(struct report *report, const struct probe_report *probe)
{
	const struct {
		const char *part;
		const struct probe_curve *curve;
	} curves[] = {
		{ "latency", &probe->lines[PAGES_AUTO] },
		{ "latency", &probe->lines[PAGES_4K] },
		{ "latency", &probe->lines[PAGES_HUGE] },
		{ "tlb", &probe->pages[PAGES_AUTO] },
		{ "tlb", &probe->pages[PAGES_4K] },
		{ "tlb", &probe->pages[PAGES_HUGE] },
		{ "line", &probe->pairs },
		{ "parallel", &probe->parallel },
		{ "cores", &probe->cores },
		{ "loaded", &probe->loaded },
	};

	for (size_t i = 0; i < sizeof(curves) / sizeof(*curves); i++)
		for (int k = 0; k < curves[i].curve->count; k++)
			csv_point(report, curves[i].part, "", &curves[i].curve->point[k]);
	for (int i = 0; i < probe->band_count; i++)
		for (int k = 0; k < PROBE_OPERATIONS; k++)
			csv_point(report, "bandwidth", probe->band[i].level,
				&probe->band[i].point[k]);
}

static void csv_event(struct report *report, const struct event_line *event)
{
	struct line line = { 0 };

	add(&line, report_core(report) ? report_core(report) : "");
	add(&line, event->role);
	add(&line, event->name);
	add(&line, event->state);
	add(&line, event->note);
	add(&line, event->help);
	line_write(report, &line);
	report->records++;
}

static void csv_figure(struct report *report, const char *kind, const char *name, const char *what,
	const struct figure *figure, const char *words)
{
	struct line line = { 0 };

	if (!figure->known)
		return;
	add(&line, report->host);
	add(&line, report->machine ? report->machine->name : "");
	add(&line, kind);
	add(&line, name);
	add(&line, what);
	add_real(&line, figure->value);
	add_real(&line, figure->lo);
	add_real(&line, figure->hi);
	add(&line, words);
	line_write(report, &line);
	report->records++;
}

static void csv_core(struct report *report, const struct characterised *characterised)
{
	const struct characterise_report *core = characterised->report;
	const struct measured *measured = &core->measured;

	csv_figure(report, "width", "", "slots", &measured->width, "");
	for (int i = 0; i < measured->op_count; i++) {
		const struct measured_op *op = &measured->op[i];
		struct text ports = { 0 };

		if (core->ported)
			characterise_ports(&core->ports, i, &ports);
		csv_figure(report, "class", op->name, "latency", &op->latency, "");
		csv_figure(report, "class", op->name, "accumulate", &op->accumulate, "");
		csv_figure(report, "class", op->name, "each", &op->each, text_string(&ports));
		csv_figure(report, "class", op->name, "slots", &op->slots, "");
		text_free(&ports);
	}
	for (int i = 0; i < measured->fact_count; i++)
		if (measured->fact[i].figure.known)
			csv_figure(report, "fact", measured->fact[i].word, "",
				&measured->fact[i].figure, measured->fact[i].words);
}

const struct format format_csv = {
	.name = "csv",
	.begin = csv_begin,
	.sample = csv_sample,
	.kernel = csv_kernel,
	.check = csv_check,
	.explain = csv_explain,
	.event = csv_event,
	.probe = csv_probe,
	.windows = csv_windows,
	.core = csv_core,
};
