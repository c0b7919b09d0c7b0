/* Writes the JSON records of a probe (memory hierarchy), of the windows (buffer sizes), and of
 * probed pressure. */
#include <jansson.h>
#include <math.h>

#include "base/text.h"
#include "experiment/cost/cost.h"
#include "experiment/probe/probe.h"
#include "experiment/slack/slack.h"
#include "experiment/why/why.h"
#include "experiment/windows/windows.h"
#include "recording/record.h"
#include "recording/records.h"

static const char *const kinds[] = {
	[LEVEL_CACHE] = "cache", [LEVEL_TLB] = "tlb", [LEVEL_MEMORY] = "memory"
};
static const char *const pages_names[PAGE_KINDS] = { "auto", "4k", "huge" };
static const char *const operations[PROBE_OPERATIONS] = { "read", "write", "copy" };

/* The values, such as the seed, that every record of one report contains. */
struct writing {
	const struct records *records;
	const struct probe_report *probe;
	uint64_t seed;
	unsigned id; /* id of the next record */
};

static json_t *begin(struct writing *writing, const char *name)
{
	return record_new(writing->records, name, writing->id++);
}

/* Writes a number of bytes as an integer, because a real is written with only six digits. */
static void put_bytes(json_t *object, const char *key, double bytes)
{
	if (isfinite(bytes))
		record_set_integer(object, key, (int64_t)llround(bytes));
}

static void put_head(struct writing *writing)
{
	const struct records *records = writing->records;
	const struct probe_report *probe = writing->probe;
	json_t *object = record_new(records, "probe", writing->id++), *list;

	record_set_string(object, "machine", probe->machine->name);
	record_set_words(object, "microcode", probe->machine->processor.microcode);
	record_set_boolean(object, "complete", probe->complete);
	record_set_real(object, "done", probe->done);
	record_set_real(object, "seconds", probe->seconds);
	record_set_integer(object, "max_size", (int64_t)probe->options.max_size);
	record_set_integer(object, "asked_size", (int64_t)probe->asked_size);
	list = record_list(object, "parts");
	for (int part = 0; part < PROBE_PARTS; part++)
		if (probe->options.parts >> part & 1)
			record_append_string(list, probe_part_names[part]);
	list = record_list(object, "pages");
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		if (probe->options.pages[kind])
			record_append_string(list, pages_names[kind]);
	record_set_flag(object, "huge_refused", probe->huge_refused);
	record_set_real(object, "line", probe->hierarchy.line);
	record_set_integer(object, "seed", (int64_t)writing->seed);
	record_write(records, object);
}

static void put_point(struct writing *writing, const char *part, const char *level,
	const struct probe_point *point)
{
	struct record_sample what = {
		.machine = writing->probe->machine->name,
		.setting = &point->setting,
		.sample = &point->sample,
		.facts = &point->facts,
		.seed = writing->seed,
		.part = part,
		.level = level,
		.x = (uint64_t)point->x,
	};

	if (!point->sample.valid)
		return;
	what.id = writing->id++;
	records_sample(writing->records, &what);
}

static void put_curve(struct writing *writing, const char *part, const struct probe_curve *curve)
{
	for (int i = 0; i < curve->count; i++)
		put_point(writing, part, NULL, &curve->point[i]);
}

static void put_level(struct writing *writing, const struct hierarchy_level *level)
{
	json_t *object = begin(writing, "level");

	record_set_string(object, "name", level->name);
	record_set_string(object, "kind", kinds[level->kind]);
	record_set_integer(object, "number", level->number);
	record_set_range(object, "cycles", level->cycles, level->lo, level->hi);
	record_set_real(object, "ns", level->ns);
	put_bytes(object, "bytes", level->bytes);
	put_bytes(object, "bytes_lo", level->bytes_lo);
	put_bytes(object, "bytes_hi", level->bytes_hi);
	record_set_range(object, "entries", level->entries, level->entries_lo, level->entries_hi);
	record_set_real(object, "confidence", level->confidence);
	record_set_flag(object, "unstable", level->unstable);
	if (level->stated)
		record_set_integer(object, "stated", (int64_t)level->stated);
	record_set_string(object, "words", level->words);
	record_write(writing->records, object);
}

static void put_plateaus(
	struct writing *writing, const char *curve, int pages, const struct plateaus *plateaus)
{
	json_t *object;

	for (int i = 0; i < plateaus->count; i++) {
		const struct plateau *plateau = &plateaus->plateau[i];
		const struct plateau_knee *knee = &plateaus->knee[i];

		object = begin(writing, "plateau");
		record_set_string(object, "curve", curve);
		record_set_string(object, "pages", pages_names[pages]);
		put_bytes(object, "from", plateau->from);
		put_bytes(object, "to", plateau->to);
		record_set_range(object, "cycles", plateau->cycles, plateau->lo, plateau->hi);
		record_set_real(object, "confidence", plateau->confidence);
		record_set_flag(object, "unstable", plateau->unstable);
		record_write(writing->records, object);
		if (i + 1 == plateaus->count)
			break;
		object = begin(writing, "knee");
		record_set_string(object, "curve", curve);
		record_set_string(object, "pages", pages_names[pages]);
		put_bytes(object, "bytes", knee->bytes);
		put_bytes(object, "bytes_lo", knee->lo);
		put_bytes(object, "bytes_hi", knee->hi);
		put_bytes(object, "corner", knee->corner);
		put_bytes(object, "third", knee->third);
		record_set_real(object, "confidence", knee->confidence);
		record_set_flag(object, "gradual", knee->gradual);
		record_write(writing->records, object);
	}
}

static void put_band(struct writing *writing, const struct probe_band *band)
{
	for (int i = 0; i < PROBE_OPERATIONS; i++) {
		const struct sample *sample = &band->point[i].sample;
		json_t *object;
		unsigned id;

		if (!sample->valid)
			continue;
		id = writing->id;
		put_point(writing, probe_part_names[PROBE_BANDWIDTH], band->level, &band->point[i]);
		object = begin(writing, "band");
		record_set_string(object, "level", band->level);
		record_set_string(object, "op", operations[i]);
		record_set_integer(object, "size", (int64_t)band->size);
		record_set_real(object, "bytes_per_cycle", sample->bytes_per_cycle);
		record_set_real(object, "lines_per_cycle", band->lines[i]);
		record_set_real(object, "gbps", sample->gbps);
		record_set_integer(object, "sample", (int64_t)id);
		record_write(writing->records, object);
	}
}

void records_probe(
	const struct records *records, const struct probe_report *probe, uint64_t seed, unsigned id)
{
	struct writing writing = { records, probe, seed, id };
	const struct hierarchy *hierarchy = &probe->hierarchy;
	json_t *object;

	put_head(&writing);
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		put_curve(&writing, "latency", &probe->lines[kind]);
		put_plateaus(&writing, "latency", kind, &hierarchy->lines[kind]);
	}
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		put_curve(&writing, "tlb", &probe->pages[kind]);
		put_plateaus(&writing, "tlb", kind, &hierarchy->pages[kind]);
	}
	put_curve(&writing, "line", &probe->pairs);
	put_curve(&writing, "parallel", &probe->parallel);
	put_curve(&writing, "cores", &probe->cores);
	put_curve(&writing, "loaded", &probe->loaded);
	if (probe->transfer)
		writing.id = records_cores(
			records, probe->transfer, probe->machine->name, seed, writing.id);
	for (int i = 0; i < probe->band_count; i++)
		put_band(&writing, &probe->band[i]);
	for (int i = 0; i < hierarchy->level_count; i++)
		put_level(&writing, &hierarchy->level[i]);
	for (int i = 0; i < hierarchy->finding_count; i++) {
		object = begin(&writing, "finding");
		record_set_flag(object, "disagreement", hierarchy->finding[i].disagreement);
		record_set_string(object, "text", hierarchy->finding[i].text);
		record_write(records, object);
	}
	for (int i = 0; i < probe->notes.count; i++) {
		object = begin(&writing, "note");
		record_set_string(object, "text", probe->notes.note[i]);
		record_write(records, object);
	}
}

/* ---- Windows */

static const char *const states[] = { "waiting", "incomplete", "done", "failed" };

/* Sets the fields that only tables of the windows report (buffer sizes) and of its points have. */
static void put_cells(const struct records *records, json_t *object,
	const struct windows_report *windows, const struct windows_row *row,
	const struct setting *setting, uint64_t seed)
{
	struct text words = { 0 };

	if (!records->row)
		return;
	setting_format(setting, &words);
	record_set_string(object, "machine", windows->machine->name);
	record_set_string(object, "uarch", windows->uarch);
	record_set_string(object, "buffer", row->fact ? row->fact->buffer : NULL);
	record_set_string(object, "setting", text_string(&words));
	record_set_count(object, "seed", seed);
	text_free(&words);
}

static void put_window(const struct records *records, const struct windows_report *windows,
	const struct windows_row *row, uint64_t seed, unsigned id)
{
	const struct knee *knee = &row->knee;
	json_t *object = record_new(records, "window", id);
	char words[BUFFERS_WORDS];

	record_set_string(object, "filler", row->filler);
	if (row->fact) {
		record_set_string(object, "buffer", row->fact->buffer);
		record_set_string(object, "title", row->fact->title);
		record_set_real(object, "each", row->fact->each);
		record_set_real(object, "own", row->fact->own);
	}
	record_set_string(object, "state", states[row->state]);
	record_set_string(object, "kind", knee_kind_names[knee->kind]);
	record_set_range(object, "knee", knee->x, knee->lo, knee->hi);
	record_set_real(object, "from", knee->from);
	record_set_real(object, "to", knee->to);
	record_set_real(object, "cycles_before", knee->before);
	record_set_real(object, "cycles_after", knee->after);
	record_set_source(object, "cycles_from", row->cycles_from);
	record_set_real(object, "noise", knee->noise);
	record_set_real(object, "again", knee->again);
	record_set_real(object, "entries", row->entries);
	record_set_real(object, "most", row->most);
	record_set_integer(object, "points", row->curve.count);
	record_set_real(object, "seconds", row->seconds);
	record_set_flag(object, "contended", row->contended);
	windows_difference(windows, row, words);
	record_set_words(object, "words", row->state == WINDOWS_FAILED ? row->why : words);
	if (row->fact && literature_words(&windows->buffers.published, row->fact->buffer, words,
				 sizeof(words), NULL))
		record_set_string(object, "published", words);
	record_set_knobs(object, &row->setting);
	put_cells(records, object, windows, row, &row->setting, seed);
	record_write(records, object);
}

static void put_window_point(const struct records *records, const struct windows_report *windows,
	const struct windows_row *row, const struct knee_point *point, uint64_t seed, unsigned id)
{
	json_t *object = record_new(records, "point", id);
	struct setting setting = row->setting;

	setting.v[kernel_knob(setting.kernel, WINDOWS_FILLERS)] = (int64_t)point->x;
	record_set_string(object, "filler", row->filler);
	record_set_integer(object, "fillers", (int64_t)point->x);
	record_set_range(object, "cycles", point->y, point->lo, point->hi);
	record_set_source(object, "cycles_from", row->cycles_from);
	put_cells(records, object, windows, row, &setting, seed);
	record_write(records, object);
}

void records_windows(const struct records *records, const struct windows_report *windows,
	bool points, uint64_t seed, unsigned id)
{
	json_t *object = record_new(records, "windows", id++);

	record_set_string(object, "machine", windows->machine->name);
	record_set_words(object, "uarch", windows->uarch);
	record_set_boolean(object, "complete", windows->complete);
	record_set_real(object, "done", windows->done);
	record_set_real(object, "seconds", windows->seconds);
	record_set_words(object, "note", windows->notes.note[0]);
	record_set_integer(object, "seed", (int64_t)seed);
	record_write(records, object);
	for (int i = 0; i < windows->count; i++) {
		const struct windows_row *row = &windows->row[i];

		put_window(records, windows, row, seed, id++);
		for (int k = 0; points && k < row->curve.count; k++)
			put_window_point(records, windows, row, &row->curve.point[k], seed, id++);
	}
}

/* ---- Probed pressure */

static void put_resource(const struct records *records, const struct slack_report *slack,
	const struct slack_resource *resource, unsigned id)
{
	json_t *object = record_new(records, "resource", id);
	struct text setting = { 0 };

	setting_format(&slack->setting, &setting);
	record_set_cell(records, object, "setting", text_string(&setting));
	text_free(&setting);
	if (records->row) {
		record_set_string(object, "kernel", slack->setting.kernel->name);
		record_set_words(object, "uarch", slack->uarch);
		record_set_real(object, "cycles", slack->cycles);
	}
	fields_write(object, resource_fields, resource, false);
	record_write(records, object);
}

void records_slack(const struct records *records, const struct slack_report *slack,
	const char *machine, unsigned id)
{
	json_t *object = record_new(records, "slack", id);

	record_set_string(object, "machine", machine);
	record_set_string(object, "kernel", slack->setting.kernel->name);
	record_set_knobs(object, &slack->setting);
	record_set_words(object, "uarch", slack->uarch);
	record_set_range(object, "cycles", slack->cycles, slack->cycles_lo, slack->cycles_hi);
	record_set_source(object, "cycles_from", slack->cycles_from);
	record_set_real(object, "elements", slack->elements);
	record_set_boolean(object, "complete", slack->complete);
	record_set_flag(object, "contended", slack->contended);
	record_set_real(object, "seconds", slack->seconds);
	record_set_words(object, "contradiction", slack->contradiction);
	record_set_words(object, "why", slack->status.text);
	record_set_integer(object, "seed", (int64_t)slack->seed);
	record_write(records, object);
	for (int i = 0; i < slack->count; i++)
		if (slack->resource[i].kind != SLACK_WAITS)
			put_resource(records, slack, &slack->resource[i], id);
}

static void put_cause(const struct records *records, const struct why_report *why,
	const struct why_cause *cause, unsigned id)
{
	json_t *object = record_new(records, "cause", id);
	struct text setting = { 0 };

	setting_format(&why->setting, &setting);
	record_set_cell(records, object, "setting", text_string(&setting));
	text_free(&setting);
	if (records->row) {
		record_set_string(object, "kernel", why->setting.kernel->name);
		record_set_words(object, "uarch", why->uarch);
		record_set_real(object, "cpe", why->cpe);
		record_set_real(object, "gap", why->gap);
	}
	fields_write(object, cause_fields, cause, false);
	record_write(records, object);
}

void records_why(const struct records *records, const struct why_report *why, const char *machine,
	unsigned id)
{
	json_t *object = record_new(records, "gap", id);

	record_set_string(object, "machine", machine);
	record_set_string(object, "kernel", why->setting.kernel->name);
	record_set_knobs(object, &why->setting);
	fields_write(object, gap_fields, why, false);
	record_set_words(object, "why", why->status.text);
	record_set_integer(object, "seed", (int64_t)why->seed);
	record_write(records, object);
	for (int i = 0; i < why->count; i++)
		if (why->cause[i].kind != WHY_WAITS)
			put_cause(records, why, &why->cause[i], id);
}

/* ---- Costs of instructions */

static void put_insn(const struct records *records, const struct cost_report *cost,
	const struct cost_insn *insn, unsigned id)
{
	json_t *object = record_new(records, "cost", id);
	struct text setting = { 0 };

	setting_format(&cost->setting, &setting);
	record_set_cell(records, object, "setting", text_string(&setting));
	text_free(&setting);
	if (records->row) {
		record_set_string(object, "kernel", cost->setting.kernel->name);
		record_set_words(object, "uarch", cost->uarch);
		record_set_real(object, "cpe", cost->cpe.value);
	}
	fields_write(object, cost_fields, insn, false);
	record_set_flag(object, "at_most", cost_at_most(cost) && isfinite(insn->cost.value));
	record_write(records, object);
}

void records_cost(const struct records *records, const struct cost_report *cost,
	const char *machine, unsigned id)
{
	json_t *object = record_new(records, "costs", id);

	record_set_string(object, "machine", machine);
	record_set_string(object, "kernel", cost->setting.kernel->name);
	record_set_knobs(object, &cost->setting);
	record_set_words(object, "uarch", cost->uarch);
	record_set_range(object, "cpe", cost->cpe.value, cost->cpe.lo, cost->cpe.hi);
	record_set_source(object, "cycles_from", cost->cycles_from);
	record_set_real(object, "model", cost->model);
	record_set_real(object, "sum", cost_sum(cost));
	record_set_range(object, "slot", cost->slot.value, cost->slot.lo, cost->slot.hi);
	record_set_boolean(object, "complete", cost->complete);
	record_set_flag(object, "contended", cost->contended);
	record_set_real(object, "seconds", cost->seconds);
	record_set_words(object, "why", cost->status.text);
	record_set_integer(object, "seed", (int64_t)cost->seed);
	record_write(records, object);
	for (int i = 0; i < cost->count; i++)
		put_insn(records, cost, &cost->insn[i], id);
}
