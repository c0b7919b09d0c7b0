/* Reads the records of a setting's explanation: its limits, ports and instructions. Also contains
 * the explainer of a replay, which answers from the recorded explanations. */
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

	*explained = (struct explained){ .run = explained->run };
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

/* ---- Explanations */

const char *reading_limit(struct reading *reading, const json_t *object, unsigned id)
{
	struct limits *limits = &reading->explained.whole.limits;
	struct limit limit = { 0 };
	char name[32];

	begin_explanation(reading, id);
	record_string(object, "name", name, sizeof(name));
	limit.kind = limit_find(name);
	if (limit.kind == LIMIT_COUNT)
		return NULL; /* the kind of the recorded limit is unknown; perhaps a later slexplore
				wrote the record */
	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].kind == limit.kind)
			return "the limit occurs twice";
	limit.hard = record_flag(object, "hard");
	limit.known = record_number(object, "cpe", 0, MOST_CYCLES, &limit.cpe) &&
		      record_number(object, "cycles", 0, MOST_CYCLES, &limit.cycles);
	record_number(object, "spread", 0, MOST_CYCLES, &limit.spread);
	record_number(object, "early", 0, MOST_CYCLES, &limit.early);
	record_number(object, "most", 0, MOST_CYCLES, &limit.most);
	if (!limit.known)
		limit.cpe = limit.cycles = 0;
	record_string(object, "cause", limit.cause, sizeof(limit.cause));
	limits->limit[limits->limit_count++] = limit;
	return NULL;
}

/* Reads the recorded pressure (cycles of work) on each port. The record of port pressures
 * identifies a port by its name. */
const char *reading_ports(struct reading *reading, const json_t *object, unsigned id)
{
	const json_t *pressure = json_object_get(object, "pressure"),
		     *naive = json_object_get(object, "naive");
	const struct core *core = &reading->replay->core;
	struct limits *limits = &reading->explained.whole.limits;

	begin_explanation(reading, id);
	for (int i = 0; i < core->port_count; i++) {
		if (!record_number(pressure, core->port[i], 0, MOST_CYCLES, &limits->pressure[i]))
			return "a port without its pressure";
		/* A record of ports omits the member "naive" (work split evenly over ports) if the
		 * line would be too long. */
		if (!record_number(naive, core->port[i], 0, MOST_CYCLES, &limits->naive[i]))
			limits->naive[i] = limits->pressure[i];
	}
	limits->port_count = core->port_count;
	return NULL;
}

/* Adds equal instructions in a row to the code of the explanation. */
static const char *add_run(struct explained *explained, struct recorded_insn *run)
{
	if (run->bytes < 1)
		run->bytes = 1;
	if (run->times < 1 || run->times > LOOP_MOST)
		run->times = 1;
	if (!isfinite(run->facts.latency))
		run->facts.latency = UARCH_UNKNOWN;
	if (explained->insn_count + run->times > LOOP_MOST)
		return "more instructions than the loop has";
	/* The explorer's panels need the instructions in the order of their addresses. */
	if (explained->run_count && run->offset < explained->run[explained->run_count - 1].offset)
		return "an instruction out of order";
	explained->run =
		memory_grow(explained->run, (size_t)explained->run_count, sizeof(*explained->run));
	explained->run[explained->run_count++] = *run;
	explained->insn_count += run->times;
	return NULL;
}

const char *reading_insn(struct reading *reading, const json_t *object, unsigned id)
{
	struct recorded_insn run;
	int64_t offset;

	begin_explanation(reading, id);
	fields_read(object, insn_fields, &run);
	if (!record_integer(object, "offset", 0, 1 << 24, &offset) ||
		!json_is_string(json_object_get(object, "text")))
		return "an instruction without its offset or text";
	return add_run(&reading->explained, &run);
}

/* Reads the code of an explanation of format 2: the numbers of its instructions, or [NUMBER, TIMES,
 * OFFSET]. Without an offset, an instruction follows the previous one in memory. */
static const char *read_code(struct reading *reading, const json_t *code)
{
	uint64_t expected = 0;
	const json_t *entry;
	size_t i;

	json_array_foreach(code, i, entry)
	{
		const json_t *number = json_is_array(entry) ? json_array_get(entry, 0) : entry;
		const json_t *insn = reading_shared(reading, number, "insn");
		const json_t *kind = reading_shared(reading, json_object_get(insn, "kind"), "kind");
		double times, offset;
		struct recorded_insn run;
		const char *why;

		if (!kind)
			return "the code names an instruction that is missing";
		fields_read(kind, insn_fields, &run);
		record_string(insn, "text", run.text, sizeof(run.text));
		run.times = record_bounded(json_array_get(entry, 1), 1, LOOP_MOST, &times)
				    ? (int)times
				    : 1;
		run.offset = record_bounded(json_array_get(entry, 2), 0, 1 << 24, &offset)
				     ? (uint64_t)offset
				     : expected;
		why = add_run(&reading->explained, &run);
		if (why)
			return why;
		expected = run.offset + (uint64_t)run.times * run.bytes;
	}
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

/* Sorts the limits: the highest limit first, unknown limits last, equal limits in their old order.
 * The highest hard limit is the binding limit, and the highest limit of all is the prediction.
 * Recorded cycles are per iteration, and are converted to cycles of all iterations of the loop. */
static void order_limits(struct limits *limits)
{
	limits->binding = limits->predicted_by = -1;
	for (int i = 0; i < limits->limit_count; i++) {
		struct limit moved = limits->limit[i];
		int at = i;

		for (; at > 0 && moved.known &&
			(!limits->limit[at - 1].known || limits->limit[at - 1].cpe < moved.cpe);
			at--)
			limits->limit[at] = limits->limit[at - 1];
		moved.cycles *= limits->turns;
		limits->limit[at] = moved;
	}
	for (int i = limits->limit_count - 1; i >= 0; i--) {
		if (!limits->limit[i].known)
			continue;
		limits->predicted_by = i;
		if (limits->limit[i].hard)
			limits->binding = i;
	}
	if (limits->predicted_by >= 0)
		limits->predicted = limits->limit[limits->predicted_by].cpe;
	if (limits->binding >= 0)
		limits->bound = limits->limit[limits->binding].cpe;
}

/* Returns a copy of the explanation (limits and instructions) that was just read. */
static struct explained *copy_explanation(struct reading *reading)
{
	const struct explained *from = &reading->explained;
	size_t runs = (size_t)from->run_count * sizeof(*from->run);
	struct explained *copy = memory_new(1, sizeof(*from));

	*copy = *from;
	copy->users = 1;
	/* One more byte of memory is allocated, because an allocation of 0 bytes may return NULL.
	 */
	copy->run = memory_new(runs + 1, 1);
	if (runs)
		memcpy(copy->run, from->run, runs);
	if (from->function[0])
		copy->whole.function = copy->function;
	reading->replay->memory += sizeof(*from) + runs;
	return copy;
}

/* Reads a number of a JSON record; a missing number reads as 0. */
static double number_or_0(const json_t *object, const char *key, double high)
{
	double number;

	return record_number(object, key, 0, high, &number) ? number : 0;
}

/* Reads the values that describe a loop, and the limits of the loop. */
static const char *read_whole(
	const json_t *object, const struct setting *setting, struct explained *explained)
{
	const char *from = json_string_value(json_object_get(object, "instructions_from"));
	struct explanation *whole = &explained->whole;
	struct loop *loop = &whole->loop;
	struct limits *limits = &whole->limits;
	int64_t turns;

	if (!record_number(object, "elements", 1e-9, 1e9, &whole->granule) ||
		!record_integer(object, "turns", 1, MOST_TURNS, &turns))
		return "an explanation without its elements or turns";
	record_string(object, "function", explained->function, sizeof(explained->function));
	whole->waits = explain_waits(setting->kernel, setting->v);
	loop->turns = (int)turns;
	loop->elements = whole->granule * loop->turns;
	loop->insns_per_element = number_or_0(object, "instructions", 1e9);
	loop->stepped = from && strcmp(from, source_name(SOURCE_STEPPED)) == 0;
	loop->varies = record_flag(object, "varies");
	loop->unknown = limits->unknown = (int)record_count(object, "unknown", LOOP_MOST);
	record_string(
		object, "unknown_names", limits->unknown_names, sizeof(limits->unknown_names));
	limits->turns = loop->turns;
	limits->elements = loop->elements;
	limits->slots = number_or_0(object, "slots", 1e9) * limits->turns;
	limits->instructions = loop->insns_per_element * limits->elements;
	limits->bottleneck = record_bits(object, "fullest", UARCH_PORTS);
	limits->chain.cycles = number_or_0(object, "chain", MOST_CYCLES) * limits->turns;
	limits->chain.spans = limits->chain.cycles > 0;
	limits->chain.through_memory = record_flag(object, "through_memory");
	return NULL;
}

/* Reads the record of an explanation, after its limits, ports and instructions. */
static const char *read_explanation(
	struct reading *reading, const json_t *object, const struct setting *setting)
{
	struct explanation *whole = &reading->explained.whole;
	char text[READING_WHY];

	record_string(object, "why", text, sizeof(text));
	if (text[0]) {
		whole->status = status_failed("%s", text);
	} else {
		const char *why = read_whole(object, setting, &reading->explained);

		if (why)
			return why;
	}
	order_limits(&whole->limits);
	return NULL;
}

/* Reads the records that an explanation of format 2 names. */
static const char *read_parts(struct reading *reading, const json_t *explanation, unsigned id)
{
	const json_t *limits = json_object_get(explanation, "limits"), *number,
		     *modelled = json_object_get(explanation, "modelled"), *part;
	const char *why = NULL;
	size_t i;

	json_array_foreach(limits, i, number)
	{
		part = reading_shared(reading, number, "limits");
		why = part ? reading_limit(reading, part, id) : "a limit of the loop is missing";
		if (why)
			return why;
	}
	part = reading_shared(reading, json_object_get(explanation, "ports"), "ports");
	if (part)
		why = reading_ports(reading, part, id);
	else if (!json_object_get(explanation, "why"))
		why = "the ports of the loop are missing";
	if (!why && modelled) {
		part = reading_shared(reading, modelled, "modelled");
		why = part ? reading_modelled(reading, part, id)
			   : "the events of the loop are missing";
	}
	return why ? why : read_code(reading, json_object_get(explanation, "code"));
}

/* Returns the explanation that a shared record has; NULL: *why is the reason. The explanation is
 * made at the first use of the record. */
static struct explained *shared_explained(struct reading *reading, const json_t *number,
	const struct setting *setting, unsigned id, const char **why)
{
	const json_t *object = reading_shared(reading, number, "explanation");
	struct reading_shared *shared;

	*why = "the explanation is missing";
	if (!object)
		return NULL;
	shared = &reading->shared[json_integer_value(number)];
	if (!shared->explained) {
		begin_explanation(reading, 0);
		begin_explanation(reading, id);
		*why = read_parts(reading, object, id);
		if (!*why)
			*why = read_explanation(reading, object, setting);
		if (!*why)
			shared->explained = copy_explanation(reading);
		begin_explanation(reading, 0);
	}
	return shared->explained;
}

/* Reads the record "explain" of format 2, which names a shared explanation. */
static const char *read_named(struct reading *reading, const json_t *number, unsigned id)
{
	struct replay *replay = reading->replay;
	int index = reading_find_id(reading, id);
	struct explained *explained;
	const char *why;

	/* The setting of an explanation may be missing in the replay, because its trials could not
	 * be used. */
	if (index < 0 || replay->memory > REPLAY_MEMORY)
		return NULL;
	explained = shared_explained(reading, number, &replay->settings.setting[index], id, &why);
	if (!explained)
		return why;
	explained->users++;
	explained_free(replay->played[index].explained);
	replay->played[index].explained = explained;
	return NULL;
}

const char *reading_explain(struct reading *reading, const json_t *object, unsigned id)
{
	const json_t *number = json_object_get(object, "explanation");
	char text[READING_WHY];
	const char *why = NULL;
	struct setting setting;
	int index;

	if (number)
		return read_named(reading, number, id);
	begin_explanation(reading, id);
	if (!reading_setting(object, &setting, text))
		return NULL;
	index = replay_find(reading->replay, &setting);
	if (index < 0 || reading->replay->memory > REPLAY_MEMORY)
		return NULL;
	why = read_explanation(reading, object, &setting);
	if (why)
		return why;
	explained_free(reading->replay->played[index].explained);
	reading->replay->played[index].explained = copy_explanation(reading);
	begin_explanation(reading, 0);
	return NULL;
}

/* ---- The explainer of a recording */

/* Address at which the explorer shows a recorded loop, chosen arbitrarily. */
enum { CODE_BASE = 0x400000 };

static enum uarch_match recognise(
	void *context, const struct machine *asked, char name[CORE_NAME], char why[160])
{
	const struct replay *replay = context;

	(void)asked;
	why[0] = '\0';
	name[0] = '\0';
	/* If the recorded limits are for another core than the machine's own core, no core is
	 * recognised. */
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
		return status_usage("a recording has the limits of one core only: %.60s",
			replay->has_core ? replay->core.title : "none");
	*core = replay->core;
	return status_ok();
}

static void unload(void *context, struct core *core)
{
	(void)context;
	memset(core, 0, sizeof(*core));
}

/* Sets the target of a jump: its address, and the address in the text of the jump. */
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
			to->limits.insn[loop->insn_count].count *= loop->turns;
			loop->insn_count++;
		}
	}
	to->limits.insn_count = loop->insn_count;
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
	static const struct explained none = {
		.whole = { .loop = { .turns = 1, .elements = 1 },
			.limits = { .binding = -1, .predicted_by = -1 } }
	};
	const struct explained *from = find_explained(context, question->kernel, question->v);
	struct loop loop = explanation->loop;
	struct limits limits = explanation->limits;

	*explanation = (from ? from : &none)->whole;
	explanation->kernel = question->kernel;
	memcpy(explanation->v, question->v, sizeof(explanation->v));
	explanation->foreign = question->foreign;
	/* When a replay fills in an explanation, its buffers are kept, and only their contents
	 * change. */
	explanation->loop.insn = loop.insn;
	explanation->loop.insn_room = loop.insn_room;
	explanation->loop.path = loop.path;
	explanation->loop.path_room = loop.path_room;
	explanation->limits.insn = limits.insn;
	explanation->limits.insn_room = limits.insn_room;
	if (!from)
		explanation->status = status_failed("no limits were recorded for this setting");
	else if (status_is_ok(&from->whole.status))
		fill_code(from, explanation);
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

	for (int i = 0;
		from && status_is_ok(&from->whole.status) && i < replay->events.counters.count; i++)
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
