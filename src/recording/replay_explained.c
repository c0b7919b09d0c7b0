/* Reads the records of a setting's explanation: its limits, ports and instructions. Also contains
 * the explainer of a replay, which answers from the recorded explanations. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/cost/cost.h"
#include "experiment/slack/slack.h"
#include "experiment/why/why.h"
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

/* ---- Probed pressure */

const char *reading_slack(struct reading *reading, const json_t *object, unsigned id)
{
	struct replay *replay = reading->replay;
	struct slack_report *slack;
	struct setting setting;
	char why[READING_WHY];
	int index;

	reading->slack = NULL;
	if (!reading_setting(object, &setting, why))
		return NULL;
	index = replay_find(replay, &setting);
	if (index < 0 || replay->memory > REPLAY_MEMORY)
		return NULL;
	if (!replay->played[index].slack) {
		replay->played[index].slack = memory_new(1, sizeof(*slack));
		replay->memory += sizeof(*slack);
	}
	slack = reading->slack = replay->played[index].slack;
	reading->slack_id = id;
	*slack = (struct slack_report){ .setting = setting, .elements = 1 };
	record_string(object, "uarch", slack->uarch, sizeof(slack->uarch));
	record_number(object, "cycles", 0, MOST_CYCLES, &slack->cycles);
	record_number(object, "cycles_lo", 0, MOST_CYCLES, &slack->cycles_lo);
	record_number(object, "cycles_hi", 0, MOST_CYCLES, &slack->cycles_hi);
	record_number(object, "seconds", 0, MOST_CYCLES, &slack->seconds);
	record_string(object, "contradiction", slack->contradiction, sizeof(slack->contradiction));
	slack->complete = record_flag(object, "complete");
	slack->contended = record_flag(object, "contended");
	return NULL;
}

const char *reading_resource(struct reading *reading, const json_t *object, unsigned id)
{
	struct slack_report *slack = reading->slack;

	if (!slack || reading->slack_id != id || slack->count == SLACK_RESOURCES)
		return NULL;
	fields_read(object, resource_fields, &slack->resource[slack->count]);
	if (slack->resource[slack->count].name[0] &&
		slack->resource[slack->count].kind != SLACK_WAITS)
		slack->count++;
	return NULL;
}

/* ---- The gap and its causes */

const char *reading_gap(struct reading *reading, const json_t *object, unsigned id)
{
	struct replay *replay = reading->replay;
	struct setting setting;
	char why[READING_WHY];
	int index;

	reading->why = NULL;
	if (!reading_setting(object, &setting, why))
		return NULL;
	index = replay_find(replay, &setting);
	if (index < 0 || replay->memory > REPLAY_MEMORY)
		return NULL;
	if (!replay->played[index].why) {
		replay->played[index].why = memory_new(1, sizeof(*reading->why));
		replay->memory += sizeof(*reading->why);
	}
	reading->why = replay->played[index].why;
	reading->why_id = id;
	*reading->why = (struct why_report){ .setting = setting };
	fields_read(object, gap_fields, reading->why);
	return NULL;
}

const char *reading_cause(struct reading *reading, const json_t *object, unsigned id)
{
	struct why_report *why = reading->why;

	if (!why || reading->why_id != id || why->count == WHY_PAIRS)
		return NULL;
	fields_read(object, cause_fields, &why->cause[why->count]);
	why->count += why->cause[why->count].name[0] != '\0';
	return NULL;
}

/* ---- Costs of instructions */

const char *reading_costs(struct reading *reading, const json_t *object, unsigned id)
{
	struct replay *replay = reading->replay;
	struct cost_report *cost;
	struct setting setting;
	char why[READING_WHY];
	int index;

	reading->cost = NULL;
	if (!reading_setting(object, &setting, why))
		return NULL;
	index = replay_find(replay, &setting);
	if (index < 0 || replay->memory > REPLAY_MEMORY)
		return NULL;
	if (!replay->played[index].cost) {
		replay->played[index].cost = memory_new(1, sizeof(*cost));
		replay->memory += sizeof(*cost);
	}
	cost = reading->cost = replay->played[index].cost;
	reading->cost_id = id;
	*cost = (struct cost_report){ .setting = setting, .model = NAN };
	record_string(object, "uarch", cost->uarch, sizeof(cost->uarch));
	record_number(object, "cpe", 0, MOST_CYCLES, &cost->cpe.value);
	record_number(object, "cpe_lo", 0, MOST_CYCLES, &cost->cpe.lo);
	record_number(object, "cpe_hi", 0, MOST_CYCLES, &cost->cpe.hi);
	record_number(object, "model", 0, MOST_CYCLES, &cost->model);
	record_number(object, "seconds", 0, MOST_CYCLES, &cost->seconds);
	cost->complete = record_flag(object, "complete");
	cost->contended = record_flag(object, "contended");
	return NULL;
}

const char *reading_cost(struct reading *reading, const json_t *object, unsigned id)
{
	struct cost_report *cost = reading->cost;

	if (!cost || reading->cost_id != id || cost->count == COST_INSNS)
		return NULL;
	fields_read(object, cost_fields, &cost->insn[cost->count++]);
	return NULL;
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

const char *reading_insn(struct reading *reading, const json_t *object, unsigned id)
{
	struct explained *explained = &reading->explained;
	struct recorded_insn run;
	int64_t offset;

	begin_explanation(reading, id);
	fields_read(object, insn_fields, &run);
	if (!record_integer(object, "offset", 0, 1 << 24, &offset) ||
		!json_is_string(json_object_get(object, "text")))
		return "an instruction without its offset or text";
	if (run.bytes < 1)
		run.bytes = 1;
	if (run.times < 1 || run.times > LOOP_MOST)
		run.times = 1;
	if (!isfinite(run.facts.latency))
		run.facts.latency = UARCH_UNKNOWN;
	if (explained->insn_count + run.times > LOOP_MOST)
		return "more instructions than the loop has";
	/* The explorer's panels need the instructions in the order of their addresses. */
	if (explained->run_count && run.offset < explained->run[explained->run_count - 1].offset)
		return "an instruction out of order";
	explained->run =
		memory_grow(explained->run, (size_t)explained->run_count, sizeof(*explained->run));
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

/* Copies the explanation (limits and instructions) that was just read to its setting. */
static void take_explanation(struct reading *reading, int index)
{
	struct replay *replay = reading->replay;
	struct played *played = &replay->played[index];
	const struct explained *from = &reading->explained;
	size_t runs = (size_t)from->run_count * sizeof(*from->run);

	explained_free(played->explained);
	played->explained = memory_new(1, sizeof(*from));
	*played->explained = *from;
	/* One more byte of memory is allocated, because an allocation of 0 bytes may return NULL.
	 */
	played->explained->run = memory_new(runs + 1, 1);
	if (runs)
		memcpy(played->explained->run, from->run, runs);
	if (from->function[0])
		played->explained->whole.function = played->explained->function;
	replay->memory += sizeof(*from) + runs;
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

const char *reading_explain(struct reading *reading, const json_t *object, unsigned id)
{
	struct explanation *whole = &reading->explained.whole;
	char text[READING_WHY];
	const char *why = NULL;
	struct setting setting;
	int index;

	begin_explanation(reading, id);
	if (!reading_setting(object, &setting, text))
		return NULL;
	index = replay_find(reading->replay, &setting);
	/* The setting of an explanation may be missing in the replay, because its trials could not
	 * be used. */
	if (index < 0 || reading->replay->memory > REPLAY_MEMORY)
		return NULL;
	record_string(object, "why", text, sizeof(text));
	if (text[0])
		whole->status = status_failed("%s", text);
	else
		why = read_whole(object, &setting, &reading->explained);
	if (why)
		return why;
	order_limits(&whole->limits);
	take_explanation(reading, index);
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
