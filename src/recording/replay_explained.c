/* The explanation of a setting: its records, and the explainer that uses them. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "recording/records.h"
#include "recording/replay_records.h"

enum { MOST_TURNS = 1 << 20 };
#define MOST_COUNT 1e15

void reading_forget(struct reading *reading)
{
	struct explained *explained = &reading->explained;
	struct limit *limit = explained->limit;
	struct recorded_insn *run = explained->run;

	*explained = (struct explained){ .binding = -1, .limit = limit, .run = run, .turns = 1 };
	for (int i = 0; i < COUNTERS_MAX; i++)
		explained->modelled[i] = NAN;
}

static void begin_explanation(struct reading *reading, unsigned id)
{
	if (reading->explained_id == id)
		return;
	reading->explained_id = id;
	reading_forget(reading);
}

const char *reading_limit(struct reading *reading, const json_t *object, unsigned id)
{
	struct explained *explained = &reading->explained;
	struct limit limit = { 0 };
	char name[32];

	begin_explanation(reading, id);
	record_string(object, "name", name, sizeof(name));
	limit.kind = limit_find(name);
	if (limit.kind == LIMIT_COUNT)
		return NULL; /* unknown kind, perhaps from a later slexplore */
	for (int i = 0; i < explained->limit_count; i++)
		if (explained->limit[i].kind == limit.kind)
			return "a limit that was there already";
	limit.hard = record_flag(object, "hard");
	limit.known = record_number(object, "cpe", 0, MOST_CYCLES, &limit.cpe) &&
		      record_number(object, "cycles", 0, MOST_CYCLES, &limit.cycles);
	if (!limit.known)
		limit.cpe = limit.cycles = 0;
	record_string(object, "cause", limit.cause, sizeof(limit.cause));
	if (explained->limit_count == reading->limit_room) {
		reading->limit_room = LIMIT_COUNT;
		explained->limit =
			memory_resize(explained->limit, LIMIT_COUNT, sizeof(*explained->limit));
	}
	explained->limit[explained->limit_count++] = limit;
	return NULL;
}

/* Reads the pressure on each port. A port is identified by its name. */
const char *reading_ports(struct reading *reading, const json_t *object, unsigned id)
{
	const json_t *pressure = json_object_get(object, "pressure"),
		     *naive = json_object_get(object, "naive");
	const struct core *core = &reading->replay->core;
	struct explained *explained = &reading->explained;

	begin_explanation(reading, id);
	for (int i = 0; i < core->port_count; i++) {
		if (!record_number(
			    pressure, core->port[i], 0, MOST_CYCLES, &explained->pressure[i]))
			return "a port without its pressure";
		/* The writer omits "naive" if the line would be too long. */
		if (!record_number(naive, core->port[i], 0, MOST_CYCLES, &explained->naive[i]))
			explained->naive[i] = explained->pressure[i];
	}
	explained->port_count = core->port_count;
	return NULL;
}

const char *reading_insn(struct reading *reading, const json_t *object, unsigned id)
{
	struct explained *explained = &reading->explained;
	struct recorded_insn run;
	int64_t offset;

	begin_explanation(reading, id);
	fields_read(object, insn_fields, &run);
	if (!record_integer(object, "offset", 0, 1 << 24, &offset) ||
		!json_is_string(json_object_get(object, "text")))
		return "an instruction without its place or text";
	if (run.bytes < 1)
		run.bytes = 1;
	if (run.times < 1 || run.times > LOOP_MOST)
		run.times = 1;
	if (!isfinite(run.facts.latency))
		run.facts.latency = UARCH_UNKNOWN;
	if (explained->insn_count + run.times > LOOP_MOST)
		return "more instructions than a loop has";
	/* Panels need the instructions in the order of their addresses. */
	if (explained->run_count && run.offset < explained->run[explained->run_count - 1].offset)
		return "an instruction out of turn";
	if (explained->run_count == reading->run_room) {
		reading->run_room = reading->run_room ? 2 * reading->run_room : 32;
		explained->run = memory_resize(
			explained->run, (size_t)reading->run_room, sizeof(*explained->run));
	}
	explained->run[explained->run_count++] = run;
	explained->insn_count += run.times;
	return NULL;
}

const char *reading_modelled(struct reading *reading, const json_t *object, unsigned id)
{
	const json_t *list = json_object_get(object, "events"), *value;
	size_t i;

	begin_explanation(reading, id);
	json_array_foreach(list, i, value)
	{
		double number;

		if (i >= COUNTERS_MAX)
			return "more figures than events";
		if (reading->event[i] >= 0 && record_bounded(value, 0, MOST_COUNT, &number))
			reading->explained.modelled[reading->event[i]] = number;
	}
	return NULL;
}

/* Sorts the limits: highest first, unknown limits last, equal limits in their old order. The
 * highest hard limit is the binding limit. */
static void order_limits(struct explained *explained)
{
	for (int i = 1; i < explained->limit_count; i++) {
		struct limit moved = explained->limit[i];
		int at = i;

		for (; at > 0 && moved.known &&
			(!explained->limit[at - 1].known ||
				explained->limit[at - 1].cpe < moved.cpe);
			at--)
			explained->limit[at] = explained->limit[at - 1];
		explained->limit[at] = moved;
	}
	explained->binding = -1;
	for (int i = explained->limit_count - 1; i >= 0; i--)
		if (explained->limit[i].known && explained->limit[i].hard)
			explained->binding = i;
}

/* Copies the explanation that was read to its setting. */
static void take_explanation(struct reading *reading, int index)
{
	struct replay *replay = reading->replay;
	struct played *played = &replay->played[index];
	const struct explained *from = &reading->explained;
	struct explained *to = played->explained;
	size_t limits = (size_t)from->limit_count * sizeof(*from->limit),
	       runs = (size_t)from->run_count * sizeof(*from->run);

	if (to)
		explained_free(to);
	else
		to = played->explained = memory_new(1, sizeof(*to));
	*to = *from;
	/* At least one byte: an allocation of 0 bytes may return NULL. */
	to->limit = memory_new(limits + 1, 1);
	to->run = memory_new(runs + 1, 1);
	if (limits)
		memcpy(to->limit, from->limit, limits);
	if (runs)
		memcpy(to->run, from->run, runs);
	replay->memory += sizeof(*to) + limits + runs;
}

const char *reading_explain(struct reading *reading, const json_t *object, unsigned id)
{
	struct explained *explained = &reading->explained;
	const char *from = json_string_value(json_object_get(object, "instructions_from"));
	struct setting setting;
	int64_t turns;
	int index;

	begin_explanation(reading, id);
	if (!reading_setting(reading, object, false, &setting))
		return NULL;
	index = replay_find(reading->replay, &setting);
	/* The setting may be missing because its trials could not be used. */
	if (index < 0 || reading->replay->memory > REPLAY_MEMORY)
		return NULL;
	record_string(object, "why", explained->why, sizeof(explained->why));
	if (!explained->why[0]) {
		if (!record_number(object, "elements", 1e-9, 1e9, &explained->elements) ||
			!record_integer(object, "turns", 1, MOST_TURNS, &turns))
			return "an explanation without its elements or turns";
		explained->turns = (int)turns;
		if (!record_number(object, "slots", 0, 1e9, &explained->slots))
			explained->slots = 0;
		if (!record_number(object, "instructions", 0, 1e9, &explained->insns_per_element))
			explained->insns_per_element = 0;
		if (!record_number(object, "chain", 0, MOST_CYCLES, &explained->chain))
			explained->chain = 0;
		explained->stepped = from && strcmp(from, source_name(SOURCE_STEPPED)) == 0;
		explained->varies = record_flag(object, "varies");
		explained->foreign = record_flag(object, "foreign");
		explained->through_memory = record_flag(object, "through_memory");
		explained->fullest = record_bits(object, "fullest", UARCH_PORTS);
		explained->unknown = (int)record_count(object, "unknown", LOOP_MOST);
		record_string(object, "unknown_names", explained->unknown_names,
			sizeof(explained->unknown_names));
		record_string(object, "function", explained->function, sizeof(explained->function));
	}
	order_limits(explained);
	take_explanation(reading, index);
	begin_explanation(reading, 0);
	return NULL;
}

/* ---- The explainer of a recording */

/* The address at which a loop is shown, chosen arbitrarily. */
enum { CODE_BASE = 0x400000 };

static enum uarch_match recognise(
	void *context, const struct machine *asked, char name[CORE_NAME], char why[160])
{
	const struct replay *replay = context;

	(void)asked;
	why[0] = '\0';
	name[0] = '\0';
	/* The recorded core was not the running core, so that it does not match. */
	if (!replay->has_core || replay->place.foreign)
		return UARCH_NONE;
	snprintf(name, CORE_NAME, "%s", replay->core.name);
	return replay->place.nearest ? UARCH_NEAREST : UARCH_EXACT;
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	const struct replay *replay = context;

	(void)isa;
	if (!replay->has_core || strcmp(name, replay->core.name) != 0)
		return status_usage("a recording keeps the core that it was made for: %.60s",
			replay->has_core ? replay->core.title : "none");
	*core = replay->core;
	return status_ok();
}

static void unload(void *context, struct core *core)
{
	(void)context;
	memset(core, 0, sizeof(*core));
}

/* Sets the target of a jump: as an address, and in its text. */
static void place_jump(const struct recorded_insn *from, struct insn *insn)
{
	const char *last = strrchr(from->text, ' ');
	bool back = last && last[1] == '-';
	char *end;
	unsigned long long apart;

	if (!last || strncmp(last + 1 + back, "0x", 2) != 0)
		return;
	apart = strtoull(last + 1 + back, &end, 16);
	if (*end || apart > CODE_BASE)
		return;
	insn->target = back ? CODE_BASE - apart : CODE_BASE + apart;
	snprintf(insn->text, sizeof(insn->text), "%.*s 0x%llx", (int)(last - from->text),
		from->text, (unsigned long long)insn->target);
}

static void fill_code(const struct explained *from, struct explanation *to)
{
	struct loop *loop = &to->loop;

	loop_reserve(loop, from->insn_count, 1);
	limits_reserve(&to->limits, from->insn_count);
	for (int i = 0; i < from->run_count; i++) {
		const struct recorded_insn *run = &from->run[i];

		for (int k = 0; k < run->times; k++) {
			struct insn *insn = &loop->insn[loop->insn_count];

			memset(insn, 0, sizeof(*insn));
			insn->address = CODE_BASE + run->offset + (uint64_t)k * run->bytes;
			insn->length = run->bytes;
			insn->known = !run->no_instruction;
			insn->write_count = run->writes;
			insn->memory_count = run->fetches;
			insn->memory[0].load = run->fetches;
			insn->flow = run->jumps ? FLOW_BRANCH : FLOW_NONE;
			snprintf(insn->text, sizeof(insn->text), "%s", run->text);
			if (run->jumps)
				place_jump(run, insn);
			to->limits.insn[loop->insn_count] = run->facts;
			to->limits.insn[loop->insn_count].count *= from->turns;
			loop->insn_count++;
		}
	}
	to->limits.insn_count = loop->insn_count;
}

static void fill_limits(const struct explained *from, struct limits *to)
{
	double turns = from->turns;

	to->turns = turns;
	to->elements = from->elements * turns;
	to->slots = from->slots * turns;
	to->instructions = from->insns_per_element * to->elements;
	to->limit_count = from->limit_count;
	to->binding = from->binding;
	to->predicted_by = -1;
	for (int i = 0; i < from->limit_count; i++) {
		to->limit[i] = from->limit[i];
		to->limit[i].cycles *= turns;
		if (to->limit[i].known &&
			(to->predicted_by < 0 ||
				to->limit[i].cpe > to->limit[to->predicted_by].cpe))
			to->predicted_by = i;
	}
	to->bound = to->binding >= 0 ? to->limit[to->binding].cpe : 0;
	to->predicted = to->predicted_by >= 0 ? to->limit[to->predicted_by].cpe : 0;
	to->port_count = from->port_count;
	memcpy(to->pressure, from->pressure, sizeof(to->pressure));
	memcpy(to->naive, from->naive, sizeof(to->naive));
	to->bottleneck = from->fullest;
	to->unknown = from->unknown;
	snprintf(to->unknown_names, sizeof(to->unknown_names), "%s", from->unknown_names);
	to->chain.cycles = from->chain * turns;
	to->chain.spans = from->chain > 0;
	to->chain.through_memory = from->through_memory;
}

static const struct explained *find_explained(
	const struct replay *replay, const struct kernel *kernel, const int64_t *v)
{
	struct setting setting = { .kernel = kernel };
	int index;

	memcpy(setting.v, v, sizeof(setting.v));
	index = replay_find(replay, &setting);

	return index < 0 ? NULL : replay->played[index].explained;
}

static void explain_recorded(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	const struct explained *from = find_explained(context, question->kernel, question->v);

	loop_clear(&explanation->loop);
	limits_clear(&explanation->limits);
	explanation->kernel = question->kernel;
	memcpy(explanation->v, question->v, sizeof(explanation->v));
	explanation->foreign = question->foreign;
	explanation->function = NULL;
	explanation->granule = 0;
	explanation->waits = NULL;
	explanation->limits.binding = explanation->limits.predicted_by = -1;
	if (!from) {
		explanation->status = status_failed("none were recorded of this setting");
		return;
	}
	if (from->why[0]) {
		explanation->status = status_failed("%s", from->why);
		return;
	}
	explanation->status = status_ok();
	explanation->function = from->function[0] ? from->function : NULL;
	explanation->granule = from->elements;
	explanation->waits = explain_waits(question->kernel, question->v);
	explanation->loop.stepped = from->stepped;
	explanation->loop.varies = from->varies;
	explanation->loop.turns = from->turns;
	explanation->loop.elements = from->elements * from->turns;
	explanation->loop.insns_per_element = from->insns_per_element;
	explanation->loop.unknown = from->unknown;
	fill_code(from, explanation);
	fill_limits(from, &explanation->limits);
}

static void events(void *context, const struct machine *asked, const char *const *extra,
	int extra_count, struct event_plan *plan)
{
	const struct replay *replay = context;

	(void)asked, (void)extra, (void)extra_count;
	*plan = (struct event_plan){ .counters.cycles = -1 };
	if (replay->has_events)
		*plan = replay->events;
}

static double modelled(
	void *context, const struct uarch_event *meaning, const struct explanation *explanation)
{
	const struct replay *replay = context;
	const struct explained *from =
		explanation && explanation->kernel
			? find_explained(replay, explanation->kernel, explanation->v)
			: NULL;

	for (int i = 0; from && !from->why[0] && i < replay->events.counters.count; i++)
		if (strcmp(replay->events.meaning[i].name, meaning->name) == 0)
			return from->modelled[i];
	return NAN;
}

struct explainer replay_explainer(struct replay *replay)
{
	return (struct explainer){ .context = replay,
		.recognise = recognise,
		.load = load,
		.unload = unload,
		.explain = explain_recorded,
		.events = events,
		.modelled = modelled };
}
