/* The engine and the explainer of a recording. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/replay_state.h"

/* Where a loop is shown to stand: any address would do. */
enum { CODE_BASE = 0x400000 };

/* ---- engine ---- */

static struct setting setting_of(const struct kernel *kernel, const int64_t *v)
{
	struct setting setting = { .kernel = kernel };

	memcpy(setting.v, v, sizeof(setting.v));
	return setting;
}

static void submit(void *context, const struct request *request)
{
	struct replay *replay = context;

	replay->request = *request;
	replay->pending = true;
	/* Readable from now on; full it is already. */
	(void)!write(replay->event, &(uint64_t){ 1 }, sizeof(uint64_t));
}

static void drain(struct replay *replay)
{
	uint64_t count;

	replay->pending = false;
	(void)!read(replay->event, &count, sizeof(count));
}

static void cancel(void *context)
{
	drain(context);
}

/* Counts of the recorded plan, for a request with that plan or one that its user made of it. */
static void fill_counts(
	const struct played *played, const struct request *request, struct counts *counts)
{
	if (request->plan.id == 0 || !played->counts)
		return;
	*counts = *played->counts;
	counts->id = request->plan.id;
	if (counts->count > request->plan.count)
		counts->count = request->plan.count;
}

static bool take(void *context, struct result *result)
{
	struct replay *replay = context;
	const struct request *request = &replay->request;
	struct setting setting;
	int index;

	if (!replay->pending)
		return false;
	drain(replay);
	setting = setting_of(request->kernel, request->v);
	index = replay_find(replay, &setting);
	memset(result, 0, sizeof(*result));
	result->generation = request->generation;
	result->tag = request->tag;
	result->kernel = request->kernel;
	memcpy(result->v, request->v, sizeof(result->v));
	result->final = true;
	if (index < 0) {
		result->status = status_make(STATUS_FAILED, "this setting was not recorded");
	} else {
		const struct played *played = &replay->played[index];

		result->trials.count = played->count;
		memcpy(result->trials.forgotten, played->forgotten, sizeof(played->forgotten));
		memcpy(result->trials.trial, played->trial,
			played->count * sizeof(played->trial[0]));
		result->facts = played->facts;
		fill_counts(played, request, &result->counts);
	}
	return true;
}

static int descriptor(void *context)
{
	return ((struct replay *)context)->event;
}

static const struct machine *machine(void *context)
{
	return &((struct replay *)context)->machine;
}

static bool holds(void *context, const struct kernel *kernel, const int64_t *v)
{
	struct setting setting = setting_of(kernel, v);

	return replay_find(context, &setting) >= 0;
}

struct engine replay_engine(struct replay *replay)
{
	return (struct engine){ .context = replay,
		.submit = submit,
		.cancel = cancel,
		.take = take,
		.descriptor = descriptor,
		.machine = machine,
		.holds = holds };
}

/* ---- explainer ---- */

static enum uarch_match recognise(
	void *context, const struct machine *asked, char name[CORE_NAME], char why[160])
{
	const struct replay *replay = context;

	(void)asked;
	why[0] = '\0';
	name[0] = '\0';
	/* Another core than the running one was asked about: then it is no match of it. */
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
		return status_make(STATUS_USAGE,
			"a recording keeps the core that it was made for: %.60s",
			replay->has_core ? replay->core.title : "none");
	*core = replay->core;
	return status_ok();
}

static void unload(void *context, struct core *core)
{
	(void)context;
	memset(core, 0, sizeof(*core));
}

/* The text of a jump with its target where the loop now stands. */
static void place_jump(const struct played_insn *from, struct insn *insn)
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
		const struct played_insn *run = &from->run[i];

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
	struct setting setting = setting_of(kernel, v);
	int index = replay_find(replay, &setting);

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
		explanation->status =
			status_make(STATUS_FAILED, "none were recorded of this setting");
		return;
	}
	if (from->why[0]) {
		explanation->status = status_make(STATUS_FAILED, "%s", from->why);
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
