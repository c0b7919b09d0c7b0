#include "recording/compare/compared_records.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "recording/record.h"
#include "recording/trial_records.h"

/* The largest number of trials that are stored, over all recordings that are compared. */
enum { TRIALS_KEPT = 8 << 20 };

/* A larger working set, in bytes, does not fit the core's own caches on every machine. */
static const double own_bytes = 512 << 10;

/* Page walks over more bytes than this miss the core's own TLBs. The page tables that they read may
 * be in L3 or memory. */
static const double walk_bytes = 8 << 20;

/* If more than this share of a run's samples is contended, all values of the run count as
 * contended. On a machine with a busy hyper-thread, probed sizes of caches and TLBs became wrong
 * when 0.2 of the samples were contended. */
static const double contended_least = 0.15;

/* One value of a record. A record with several values has several rows in this table. Column
 * `name`: the record's field that completes the quantity's name, as "L2" does in "level L2". */
static const struct row {
	const char *record, *name, *field, *unit;
	enum { ANY, OWN, SHARED } where; /* OWN: core's own caches; SHARED: L3, memory */
	enum compared_kind kind;
} rows[] = {
	{ "level", "name", "cycles", "cycles", OWN },
	{ "level", "name", "ns", "ns", SHARED },
	{ "level", "name", "bytes", "bytes", ANY },
	{ "level", "name", "entries", "entries", ANY },
	{ "band", "level", "bytes_per_cycle", "bytes/cycle", OWN },
	{ "band", "level", "gbps", "GB/s", SHARED },
	{ "cores", "name", "ns", "ns", ANY },
	{ "window", "filler", "knee", "fillers", ANY },
	{ "class", "name", "latency", "cycles", ANY, COMPARED_ONCE },
	{ "class", "name", "accumulate", "cycles", ANY, COMPARED_ONCE },
	{ "class", "name", "each", "cycles", ANY, COMPARED_ONCE },
	{ "class", "name", "slots", "slots", ANY, COMPARED_ONCE },
	{ "fact", "name", "value", "", ANY, COMPARED_ONCE },
	{ "core", NULL, "width", "slots/cycle", ANY, COMPARED_ONCE },
	{ "slack", NULL, "cycles", "cycles/iteration", ANY, COMPARED_ONCE },
	{ "resource", "resource", "pressure", "cycles/iteration", ANY, COMPARED_ONCE },
};

/* Kinds of JSON records that have no value that can be compared. Other kinds that the program knows
 * are those in `rows` and "sample". */
static const char *const describing[] = { "recording", "machine", "events", "event", "facts",
	"modelled", "counters", "explain", "explanation", "kind", "function", "limits", "ports",
	"insn", "probe", "plateau", "knee", "processor", "pair", "finding", "note", "windows",
	"point", "costs", "cost", "gap", "cause", "kernel", "knob", "sweep", "check", "difference",
	"trials", "compared", "spread", "odd", "comparison" };

bool compared_knows(const char *kind)
{
	/* Most lines are samples. */
	if (strcmp(kind, "sample") == 0)
		return true;
	for (size_t i = 0; i < sizeof(describing) / sizeof(*describing); i++)
		if (strcmp(describing[i], kind) == 0)
			return true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].record, kind) == 0)
			return true;
	return strcmp(kind, "more") == 0;
}

static double number_of(const json_t *object, const char *key)
{
	double number;

	record_number(object, key, -1e18, 1e18, &number);
	return number;
}

static double number_with(const json_t *object, const char *key, const char *ending)
{
	char name[48];

	snprintf(name, sizeof(name), "%s%s", key, ending);
	return number_of(object, name);
}

const char *compared_word(const json_t *object, const char *key)
{
	const char *word = json_string_value(json_object_get(object, key));

	return word ? word : "";
}

/* Adds a value to a quantity. The quantity's name is text from the record, which is untrusted. */
static void add_value(struct compared *compared, int source, const char *subject, const char *field,
	const char *unit, bool shared, enum compared_kind kind, const struct compared_value *value)
{
	struct compared_quantity quantity = {
		.field = field, .unit = unit, .shared = shared, .kind = kind
	};
	char clean[200];

	text_copy_clean(clean, sizeof(clean), subject);
	quantity.subject = clean;
	compared_add(compared, source, compared_quantity(compared, &quantity), value);
}

double compared_busy(double on_cpu, double runnable)
{
	return fmax(1, 1 + runnable - 1 / on_cpu);
}

/* Ends a run: adds the mean core clock, and the conditions of its samples (share of quiet trials,
 * time on the processor, busy processors, huge pages), as compared values. */
static void end_run(struct compared *compared, int source)
{
	struct compared_source *from = &compared->source[source];
	double ghz = from->ghz / from->clocks;

	if (from->clocks) {
		add_value(compared, source, "core clock", "ghz", "GHz", true, COMPARED_CERTAIN,
			&(struct compared_value){ .value = ghz, .lo = NAN, .hi = NAN });
		from = &compared->source[source];
	}
	if (from->run_watched) {
		double quiet = from->run_quiet / from->run_watched;

		/* The share of quiet trials must be above 0, because ratios use it. */
		add_value(compared, source, "quiet trials", "quiet", "share", true,
			COMPARED_UNCERTAIN,
			&(struct compared_value){
				.value = fmax(quiet, COMPARED_SHARE_LEAST), .lo = NAN, .hi = NAN });
		from = &compared->source[source];
	}
	if (from->run_shares) {
		double on_cpu = from->run_shares / from->run_off_cpu,
		       busy = compared_busy(on_cpu, from->run_runnable / from->run_shares);

		add_value(compared, source, "time on the processor", "on_cpu", "share", true,
			COMPARED_UNCERTAIN,
			&(struct compared_value){ .value = on_cpu, .lo = NAN, .hi = NAN });
		add_value(compared, source, "busy processors", "busy", "processors", true,
			COMPARED_UNCERTAIN,
			&(struct compared_value){ .value = busy, .lo = NAN, .hi = NAN });
		from = &compared->source[source];
	}
	if (from->run_wanted) {
		double huge = from->run_huge / from->run_wanted;

		add_value(compared, source, "huge pages", "huge", "share", true, COMPARED_CERTAIN,
			&(struct compared_value){
				.value = fmax(huge, COMPARED_SHARE_LEAST), .lo = NAN, .hi = NAN });
		from = &compared->source[source];
	}
	from->ghz = from->run_quiet = from->run_huge = from->run_off_cpu = from->run_runnable = 0;
	from->clocks = from->run_contended = from->run_wanted = from->run_shares = 0;
	from->run_watched = 0;
}

static void begin_run(struct compared *compared, int source)
{
	end_run(compared, source);
	compared->source[source].runs++;
	compared->source[source].run_values = compared->value_count;
	compared->source[source].id = -1;
}

/* ---- Samples */

/* Returns whether a knob has its kernel's initial value. Such knobs are not named. */
static bool is_initial(const struct kernel *kernel, const char *key, const json_t *value)
{
	const struct knob *knob;
	int index = kernel ? kernel_knob(kernel, key) : -1;

	if (index < 0)
		return false;
	knob = &kernel->knobs[index];
	if (knob->kind == KNOB_CHOICE) {
		const char *word = json_string_value(value);

		return word && strcmp(word, knob->choices[knob->initial]) == 0;
	}
	return json_is_integer(value) && json_integer_value(value) == knob->initial;
}

/* Adds the kernel's name and all knobs whose values are not the initial ones: "combine acc=2
 * size=64k". */
static void add_setting(struct text *text, const json_t *object)
{
	const char *name = compared_word(object, "kernel"), *key;
	const struct kernel *kernel = kernel_find(name);
	json_t *knobs = json_object_get(object, "knobs"), *value;

	text_add(text, name);
	json_object_foreach(knobs, key, value)
	{
		int index = kernel ? kernel_knob(kernel, key) : -1;

		if (is_initial(kernel, key, value))
			continue;
		if (json_is_string(value))
			text_addf(text, " %s=%s", key, json_string_value(value));
		else if (index >= 0 && kernel->knobs[index].kind == KNOB_BYTES)
			text_addf(text, " %s=%s", key, units_size(json_integer_value(value)).text);
		else
			text_addf(text, " %s=%" PRId64, key, (int64_t)json_integer_value(value));
	}
}

static void add_facts(struct compared_source *source, const json_t *object)
{
	const char *asked = compared_word(json_object_get(object, "knobs"), "pages"),
		   *got = compared_word(object, "pages");
	double quiet = number_of(object, "quiet"), load = number_of(object, "load_average"),
	       ghz = number_of(object, "ghz"), on_cpu = number_of(object, "on_cpu"),
	       runnable = number_of(object, "runnable");

	source->cycles_from = record_source(object, "cycles_from");
	source->samples++;
	source->contended += record_flag(object, "contended");
	if (quiet >= 0 && quiet <= 1) {
		source->quiet += quiet;
		source->watched++;
		source->run_quiet += quiet;
		source->run_watched++;
	}
	if (load > source->load)
		source->load = load;
	if (on_cpu >= 0 && on_cpu <= 1 && runnable >= 1) {
		source->off_cpu += 1 / fmax(on_cpu, COMPARED_SHARE_LEAST);
		source->run_off_cpu += 1 / fmax(on_cpu, COMPARED_SHARE_LEAST);
		source->runnable += runnable;
		source->run_runnable += runnable;
		source->shares++;
		source->run_shares++;
	}
	if (*got && strcmp(asked, "4k") != 0) {
		source->huge++;
		source->small += strcmp(got, "huge") != 0;
		source->run_wanted++;
		source->run_huge += strcmp(got, "huge") == 0	? 1
				    : strcmp(got, "mixed") == 0 ? 0.5
								: 0;
	}
	if (ghz > 0) {
		source->ghz += ghz;
		source->clocks++;
		source->run_contended += record_flag(object, "contended");
	}
}

/* Compares the latency of a working set that does not fit the core's own caches with the latency of
 * the smaller working sets of the same curve, whose points come in ascending order. */
static void take_drop(struct compared_source *from, const char *pages, double bytes,
	const struct compared_value *value)
{
	if (!(bytes > from->curve_bytes) || strcmp(pages, from->curve_pages) != 0) {
		snprintf(from->curve_pages, sizeof(from->curve_pages), "%.7s", pages);
		from->curve_most = 0;
	}
	from->curve_bytes = bytes;
	if (value->contended || !(value->lo > 0 && value->hi >= value->lo))
		return;
	from->drop = fmax(from->drop, from->curve_most / value->hi);
	from->curve_most = fmax(from->curve_most, value->lo);
}

/* Adds a sample that a probe measured as one point of a curve. Points of a probe's bandwidth are
 * not added here, because their values are in records "band". */
static void take_point(struct compared *compared, int source, const json_t *object,
	const char *part, struct compared_value *value)
{
	struct compared_source *from = &compared->source[source];
	const json_t *knobs = json_object_get(object, "knobs");
	double x = number_of(object, "x"), bytes = number_of(knobs, "size"),
	       ns = number_of(object, "ns") / value->value;
	bool is_tlb = strcmp(part, "tlb") == 0, shared;
	bool in_bytes = is_tlb || strcmp(part, "latency") == 0 || strcmp(part, "line") == 0;
	struct text subject = { 0 };

	json_int_t id = json_integer_value(json_object_get(object, "id"));

	from->point = id;
	from->point_contended = value->contended;
	from->point_lo = value->value / value->hi;
	from->point_hi = value->value / value->lo;
	if (strcmp(part, "bandwidth") == 0)
		return;
	/* The TLB probe reads one cache line of 64 bytes in each page of 4 KiB: its cache footprint
	 * is 1/64 of its size. */
	shared = !((is_tlb ? bytes / 64 : bytes) <= own_bytes) || (is_tlb && bytes > walk_bytes);
	text_addf(&subject, "%s ", part);
	if (in_bytes)
		text_add(&subject, units_size_long((int64_t)x).text);
	else
		text_addf(&subject, "%.0f", x);
	if (in_bytes && strcmp(compared_word(knobs, "pages"), "auto") != 0)
		text_addf(&subject, ", pages %s", compared_word(knobs, "pages"));
	if (shared) {
		value->value *= ns;
		value->lo *= ns;
		value->hi *= ns;
	}
	if (shared && strcmp(part, "latency") == 0)
		take_drop(from, compared_word(knobs, "pages"), bytes, value);
	add_value(compared, source, text_string(&subject), shared ? "ns" : "cpe",
		shared ? "ns/element" : "cycles/element", shared, COMPARED_POINT, value);
	text_free(&subject);
}

static void take_sample(struct compared *compared, int source, const json_t *object)
{
	struct compared_source *from = &compared->source[source];
	struct compared_value value = { .value = number_of(object, "cpe"),
		.lo = number_of(object, "cpe_lo"),
		.hi = number_of(object, "cpe_hi"),
		.contended = record_flag(object, "contended"),
		.replaces = json_object_get(object, "replaces") };
	const char *part = compared_word(object, "part");
	int64_t id = json_integer_value(json_object_get(object, "id"));
	struct text subject = { 0 };
	bool shared;
	double bytes = number_of(json_object_get(object, "knobs"), "size"), all;

	if (!*part && id <= from->id)
		begin_run(compared, source);
	from = &compared->source[source];
	from->id = *part ? from->id : id;
	add_facts(from, object);
	if (strcmp(compared_word(object, "l3_from"), "stated") == 0)
		from->l3_bytes = (uint64_t)fmax(0, number_of(object, "l3_bytes"));
	if (*part) {
		take_point(compared, source, object, part, &value);
		return;
	}
	if (from->trials_id == id && id >= 0) {
		value.trials_first = from->trials_first;
		value.trials_count = from->trials_count;
	}
	from->trials_id = -1;
	add_setting(&subject, object);
	shared = bytes > own_bytes;
	add_value(compared, source, text_string(&subject), "cpe", "cycles/element", shared,
		COMPARED_CERTAIN, &value);
	all = number_of(object, "gbps_total");
	if (all > 0) {
		value = (struct compared_value){
			.value = all, .lo = NAN, .hi = NAN, .replaces = value.replaces
		};
		add_value(compared, source, text_string(&subject), "gbps_total", "GB/s", true,
			COMPARED_CERTAIN, &value);
	}
	text_free(&subject);
}

/* Stores the cycles of a setting's quiet trials until the setting's sample is read, which comes
 * later in the recording. */
static void take_trials(struct compared *compared, int source, const json_t *object)
{
	struct compared_source *from = &compared->source[source];
	int64_t id = json_integer_value(json_object_get(object, "id"));
	struct trials trials = { .count = 0 };

	/* Trials of other hosts may have been read between two records with trials of this host. In
	 * that case, only this host's later trials are kept, because its trials must be contiguous
	 * in the array. */
	if (from->trials_id != id ||
		from->trials_first + from->trials_count != compared->trial_count) {
		from->trials_id = id;
		from->trials_first = compared->trial_count;
		from->trials_count = 0;
	}
	/* The trials before a damaged one are used. */
	trials_get(object, &trials);
	for (unsigned i = 0; i < trials.count; i++) {
		if (trials.trial[i].fate != TRIAL_QUIET || compared->trial_count >= TRIALS_KEPT)
			continue;
		compared->trials = memory_grow(
			compared->trials, compared->trial_count, sizeof(*compared->trials));
		compared->trials[compared->trial_count++] = (float)trials.trial[i].cpe;
		from->trials_count++;
	}
}

/* ---- Other records */

/* Adds all values of one record that the table `rows` lists for its kind. Returns whether the
 * record has a compared value. */
static bool take_rows(struct compared *compared, int source, const json_t *object, const char *kind)
{
	struct compared_source *from = &compared->source[source];
	size_t before = compared->value_count;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		const char *name = row->name ? compared_word(object, row->name) : "";
		bool shared = strcmp(name, "L3") == 0 || strcmp(name, "memory") == 0 ||
			      record_flag(object, "unstable");
		struct compared_value value;
		struct text subject = { 0 };

		if (strcmp(row->record, kind) != 0 || (row->where == OWN && shared) ||
			(row->where == SHARED && !shared))
			continue;
		value = (struct compared_value){ .value = number_of(object, row->field),
			.lo = number_with(object, row->field, "_lo"),
			.hi = number_with(object, row->field, "_hi"),
			.contended = record_flag(object, "contended") ||
				     from->run_contended > contended_least * from->clocks };
		if (strcmp(kind, "band") == 0) {
			text_addf(&subject, "bandwidth %s %s", name, compared_word(object, "op"));
			if (number_of(object, "sample") == (double)from->point) {
				value.contended = from->point_contended;
				value.lo = value.value * from->point_lo;
				value.hi = value.value * from->point_hi;
			}
		} else if (strcmp(kind, "slack") == 0) {
			text_addf(&subject, "slack %s", from->setting);
		} else if (strcmp(kind, "resource") == 0) {
			text_addf(&subject, "%s: %s", from->setting, name);
		} else {
			text_addf(&subject, "%s%s%s", kind, *name ? " " : "", name);
		}
		/* Records state the quartiles of the latency of L3 and memory in cycles, so they
		 * are converted to ns. */
		if (strcmp(row->field, "ns") == 0 && row->where == SHARED) {
			double cycles = number_of(object, "cycles");

			value.lo = value.value * number_of(object, "cycles_lo") / cycles;
			value.hi = value.value * number_of(object, "cycles_hi") / cycles;
		}
		add_value(compared, source, text_string(&subject), row->field, row->unit, shared,
			row->kind, &value);
		text_free(&subject);
	}
	return compared->value_count > before;
}

/* Stores the names of the processor, its core model and its microcode, if the record states them.
 */
static void take_identity(struct compared *compared, int source, const json_t *object)
{
	struct compared_source *from = &compared->source[source];
	const char *machine = compared_word(object, "machine");
	char clean[120];

	if (*machine && from->model < 0) {
		text_copy_clean(clean, sizeof(clean), machine);
		from->model = intern_add(&compared->models, clean);
	}
	if (!*from->uarch)
		text_copy_clean(from->uarch, sizeof(from->uarch), compared_word(object, "uarch"));
	if (!*from->microcode)
		text_copy_clean(from->microcode, sizeof(from->microcode),
			compared_word(object, "microcode"));
}

bool compared_begins(const json_t *object, const char *kind)
{
	if (strcmp(kind, "core") == 0)
		return json_object_get(object, "seconds");
	return strcmp(kind, "probe") == 0 || strcmp(kind, "windows") == 0 ||
	       strcmp(kind, "recording") == 0;
}

enum line_group compared_take(
	struct compared *compared, int source, const json_t *object, const char *kind)
{
	struct compared_source *from;

	if (compared_begins(object, kind))
		begin_run(compared, source);
	take_identity(compared, source, object);
	from = &compared->source[source];
	from->probes += strcmp(kind, "probe") == 0;
	/* If the system refuses huge pages, no sample of a probe asks for them. So the refusal
	 * counts as one sample that got smaller pages. */
	if (record_flag(object, "huge_refused") && strcmp(kind, "probe") == 0) {
		from->huge++;
		from->small++;
		from->run_wanted++;
	}
	if (strcmp(kind, "level") == 0 && strcmp(compared_word(object, "name"), "L3") == 0)
		from->l3_bytes = (uint64_t)fmax(0, number_of(object, "stated"));
	if (strcmp(kind, "slack") == 0) {
		struct text setting = { 0 };

		add_setting(&setting, object);
		text_copy_clean(from->setting, sizeof(from->setting), text_string(&setting));
		text_free(&setting);
	}
	if (strcmp(kind, "sample") == 0) {
		take_sample(compared, source, object);
		return LINES_USED;
	}
	if (strcmp(kind, "trials") == 0) {
		take_trials(compared, source, object);
		return LINES_USED;
	}
	/* A probe that found no knee for a buffer (record "window") knows no size of the buffer. */
	if (strcmp(kind, "window") == 0 && strcmp(compared_word(object, "state"), "done") != 0)
		return LINES_DESCRIBING;
	/* A step of the curve of pages that no known TLB explains has no name to compare by. */
	if (strcmp(kind, "level") == 0 && strcmp(compared_word(object, "kind"), "tlb") == 0 &&
		number_of(object, "number") == 0)
		return LINES_DESCRIBING;
	return take_rows(compared, source, object, kind) ? LINES_USED : LINES_DESCRIBING;
}

/* ---- The end */

void compared_finish(struct compared *compared)
{
	for (int i = 0; i < compared->sources.count; i++)
		end_run(compared, i);
}
