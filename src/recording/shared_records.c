#include "recording/shared_records.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "model/core/uarch.h"
#include "recording/record.h"
#include "recording/trial_records.h"

void shared_free(struct shared_records *shared)
{
	intern_free(&shared->written);
}

/* Writes a record unless an equal record was written before. Returns the number of the record.
 * Frees `object`, whose id must be 0. */
static unsigned share(struct shared_records *shared, const struct records *records, json_t *object)
{
	int before = shared->written.count;
	char *line = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
	unsigned number = (unsigned)intern_add(&shared->written, line ? line : "") + 1;

	free(line);
	if (shared->written.count > before) {
		record_set_integer(object, "id", number);
		record_write(records, object);
	} else {
		json_decref(object);
	}
	return number;
}

/* ---- Samples */

/* The facts that differ between samples of equal facts. The record "sample" has them. */
static const char *const own_facts[] = { "calls", "bend", "cpe_repeated", "cpe_fresh",
	"others_gbps", "load_average", "on_cpu", "runnable" };

/* The fields of a sample that follow from its facts, its other fields, or the first record of the
 * run. */
static const char *const implied[] = { "seed", "cpu", "cycles_from", "gbps", "bytes_per_cycle" };

/* The fields that a sample does not need if a later sample replaces it. */
static const char *const later[] = { "cpe_lo", "cpe_hi", "trials", "dropped", "quiet", "ns",
	"pages" };

/* Moves the sample's own facts to its record. */
static void move_facts(json_t *facts, json_t *sample)
{
	for (size_t i = 0; i < sizeof(own_facts) / sizeof(*own_facts); i++) {
		json_t *value = json_object_get(facts, own_facts[i]);

		if (value)
			json_object_set(sample, own_facts[i], value);
		json_object_del(facts, own_facts[i]);
	}
}

static void set_forgotten(json_t *sample, const struct trials *trials)
{
	json_t *forgotten = NULL;

	for (int i = 0; i < TRIAL_FATES; i++) {
		if (!trials->forgotten[i])
			continue;
		if (!forgotten)
			forgotten = record_object(sample, "forgotten");
		record_set_integer(forgotten, recording_fates[i], trials->forgotten[i]);
	}
}

/* Returns a count as [INDEX, VALUE, LO, HI, STATE, …]: the event's index in the plan, its value,
 * and its state unless it is known. */
static json_t *count_list(int index, const struct count *count)
{
	bool known = count_known(count);
	json_t *list = json_array();

	record_append_integer(list, index);
	record_append_real(list, known ? count->value : (double)NAN);
	record_append_real(list, known ? count->lo : (double)NAN);
	record_append_real(list, known ? count->hi : (double)NAN);
	if (count->state != COUNT_KNOWN)
		record_append_string(list, counts_state(count->state));
	if (count->state == COUNT_SCALED)
		record_append_real(list, (double)count->share);
	if (count->state == COUNT_REFUSED)
		record_append_integer(list, count->error);
	return list;
}

static unsigned share_counters(struct shared_records *shared, const struct records *records,
	const struct event_plan *plan, const struct counts *counts)
{
	json_t *object = record_counters(records, counts, 0), *list;

	if (counts->count) {
		list = record_list(object, "events");
		for (int i = 0; i < counts->count && i < plan->counters.count; i++)
			json_array_append_new(list, count_list(i, &counts->event[i]));
	}
	return share(shared, records, object);
}

void shared_sample(struct shared_records *shared, const struct records *records,
	const struct record_sample *what, const struct trials *trials, unsigned replaces,
	bool first)
{
	json_t *facts, *sample;

	if (trials->count) {
		json_t *object = record_new(records, "trials", what->id);

		trials_set(object, trials);
		record_write(records, object);
	}
	sample = record_sample(records, what);
	facts = record_new(records, "facts", 0);
	fields_write(facts, sample_fields, what->facts, true);
	move_facts(facts, sample);
	for (size_t i = 0; i < sizeof(implied) / sizeof(*implied); i++)
		json_object_del(sample, implied[i]);
	for (size_t i = 0; first && i < sizeof(later) / sizeof(*later); i++)
		json_object_del(sample, later[i]);
	set_forgotten(sample, trials);
	record_set_integer(sample, "facts", share(shared, records, facts));
	if (what->counts)
		record_set_integer(sample, "counters",
			share_counters(shared, records, what->events, what->counts));
	if (replaces)
		record_set_integer(sample, "replaces", replaces);
	record_write(records, sample);
}

/* ---- Explanations */

/* Returns the number of instructions from `first` on that are equal and contiguous. */
static int run_of(const struct records *records, const struct explanation *explanation, int first,
	int count, const json_t *insn)
{
	const struct insn *all = explanation->loop.insn;
	int next = first + 1;
	bool equal = true;

	for (; next < count && equal; next += equal) {
		json_t *other;

		equal = all[next].address == all[next - 1].address + all[next - 1].length;
		if (!equal)
			break;
		other = record_insn(records, explanation, next, true, 0);
		json_object_del(other, "offset");
		equal = json_equal(insn, other);
		json_decref(other);
	}
	return next - first;
}

/* Writes an instruction, with the record of its kind. Returns the number of the record. */
static unsigned share_insn(
	struct shared_records *shared, const struct records *records, json_t *insn)
{
	json_t *object = record_new(records, "insn", 0);

	json_object_set(object, "text", json_object_get(insn, "text"));
	json_object_del(insn, "text");
	json_object_set_new(insn, "record", json_string("kind"));
	record_set_integer(object, "kind", share(shared, records, insn));
	return share(shared, records, object);
}

/* Appends the code of the loop: the number of each instruction's record. Equal instructions in a
 * row are [NUMBER, TIMES]. Instructions that do not follow the previous ones in memory are [NUMBER,
 * TIMES, OFFSET]. */
static void append_code(struct shared_records *shared, const struct records *records,
	const struct explanation *explanation, json_t *code)
{
	const struct insn *all = explanation->loop.insn;
	int count = explanation->loop.insn_count, times;
	uint64_t expected = 0;

	if (count > explanation->limits.insn_count)
		count = explanation->limits.insn_count;
	for (int i = 0; i < count; i += times) {
		json_t *insn = record_insn(records, explanation, i, true, 0), *run;
		uint64_t offset = all[i].address - all[0].address;
		unsigned number;

		json_object_del(insn, "offset");
		times = run_of(records, explanation, i, count, insn);
		number = share_insn(shared, records, insn);
		if (times > 1 || offset != expected) {
			run = json_array();
			record_append_integer(run, number);
			record_append_integer(run, times);
			if (offset != expected)
				record_append_integer(run, (int64_t)offset);
			json_array_append_new(code, run);
		} else {
			record_append_integer(code, number);
		}
		expected = offset + (uint64_t)times * all[i].length;
	}
}

static unsigned share_modelled(struct shared_records *shared, const struct records *records,
	const struct event_plan *events, const double *modelled)
{
	json_t *object = record_new(records, "modelled", 0), *list;

	/* The values belong to the events of one plan. */
	record_set_count(object, "plan", events->counters.id);
	list = record_list(object, "events");
	for (int i = 0; i < events->counters.count; i++)
		record_append_real(list, modelled[i]);
	return share(shared, records, object);
}

/* Makes the record of an explanation, and writes the shared records that it names. */
static json_t *explanation_of(struct shared_records *shared, const struct records *records,
	const struct explanation *explanation, const struct core *core,
	const struct event_plan *events, const double *modelled)
{
	const struct limits *limits = &explanation->limits;
	const char *port[UARCH_PORTS];
	json_t *object, *list;

	if (!status_is_ok(&explanation->status)) {
		object = record_new(records, "explanation", 0);
		record_set_string(object, "why", explanation->status.text);
		return object;
	}
	for (int i = 0; i < core->port_count; i++)
		port[i] = core->port[i];
	object = record_explain(records, NULL, explanation, NULL, core->name, 0);
	json_object_set_new(object, "record", json_string("explanation"));
	record_set_integer(object, "turns", explanation->loop.turns);
	record_set_real(object, "chain", limits->chain.cycles / limits->turns);
	record_set_flag(object, "through_memory", limits->chain.through_memory);
	record_append_bits(record_list(object, "fullest"), limits->bottleneck);
	if (limits->unknown)
		record_set_string(object, "unknown_names", limits->unknown_names);
	record_set_string(object, "function", explanation->function);
	list = record_list(object, "limits");
	for (int i = 0; i < limits->limit_count; i++)
		record_append_integer(
			list, share(shared, records, record_limit(records, limits, i, 0)));
	record_set_integer(
		object, "ports", share(shared, records, record_ports(records, limits, port, 0)));
	if (events && modelled)
		record_set_integer(
			object, "modelled", share_modelled(shared, records, events, modelled));
	append_code(shared, records, explanation, record_list(object, "code"));
	return object;
}

void shared_explanation(struct shared_records *shared, const struct records *records,
	const struct explanation *explanation, const struct core *core,
	const struct event_plan *events, const double *modelled, unsigned id)
{
	unsigned number = share(shared, records,
		explanation_of(shared, records, explanation, core, events, modelled));
	json_t *object = record_new(records, "explain", id);

	record_set_integer(object, "explanation", number);
	record_write(records, object);
}
