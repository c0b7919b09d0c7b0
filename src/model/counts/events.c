#include "model/counts/events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/data.h"
#include "base/text.h"

/* ---- Plans */

static int plan_find(const struct event_plan *plan, const char *name)
{
	for (int i = 0; i < plan->counters.count; i++)
		if (strcasecmp(plan->counters.event[i].name, name) == 0)
			return i;
	return -1;
}

static void plan_add(struct event_plan *plan, const struct uarch_event *event, int most)
{
	struct counter_plan *counters = &plan->counters;
	struct counter_event *to = &counters->event[counters->count];

	if (plan_find(plan, event->name) >= 0)
		return;
	if (counters->count >= most) {
		plan->left_out++;
		return;
	}
	memcpy(to->name, event->name, sizeof(to->name));
	to->must = event_roles[event->role].must;
	if (event->role == ROLE_CYCLES)
		counters->cycles = counters->count;
	plan->meaning[counters->count++] = *event;
}

/* Reads the generic events from data/events. If the file data/events has a mistake, reads the copy
 * that is built into the program. */
static int generic_events(struct uarch_event *event, int most, char *why, size_t size)
{
	char origin[256], *text;
	const char *built_in = data_built_in("events");
	struct status status = data_load("events", &text, origin);
	int count = 0;

	if (status_is_ok(&status))
		status = events_parse(text, origin, event, most, &count);
	free(text);
	if (!status_is_ok(&status)) {
		snprintf(why, size, "%s", status.text);
		if (built_in)
			events_parse(built_in, "built-in events", event, most, &count);
	}
	return count;
}

/* Counts the names in `extra` that are not names of the core's events. */
static int count_extra(
	const struct uarch_event *event, int count, const char *const *extra, int extra_count)
{
	int others = 0;

	for (int i = 0; i < extra_count; i++) {
		int k = 0;

		while (k < count && strcasecmp(event[k].name, extra[i]) != 0)
			k++;
		others += k == count;
	}
	return others;
}

void events_plan(const struct uarch *uarch, const char *const *extra, int extra_count,
	struct event_plan *plan)
{
	struct uarch_event generic[COUNTERS_MAX];
	const struct uarch_event *event = generic;
	int count, others, most;

	*plan = (struct event_plan){ .counters.cycles = -1 };
	plan->generic = !uarch || uarch->event_count == 0;
	if (!plan->generic)
		event = uarch->event;
	count = plan->generic ? generic_events(generic, COUNTERS_MAX, plan->why, sizeof(plan->why))
			      : uarch->event_count;
	others = count_extra(event, count, extra, extra_count);
	most = COUNTERS_MAX - (others < COUNTERS_MAX / 2 ? others : COUNTERS_MAX / 2);
	for (int role = 0; role < ROLE_COUNT; role++)
		for (int i = 0; i < count; i++)
			if ((int)event[i].role == role)
				plan_add(plan, &event[i], most);
	for (int i = 0; i < extra_count; i++) {
		struct uarch_event one = { .role = ROLE_EXTRA };

		if (strlen(extra[i]) >= sizeof(one.name)) {
			plan->left_out++;
			continue;
		}
		snprintf(one.name, sizeof(one.name), "%s", extra[i]);
		snprintf(one.title, sizeof(one.title), "%s", extra[i]);
		plan_add(plan, &one, COUNTERS_MAX);
	}
}

void events_plan_here(const struct machine *machine, const char *const *extra, int extra_count,
	struct event_plan *plan)
{
	struct uarch_choice core;
	struct status status = uarch_choose(NULL, machine, &core);

	events_plan(core.uarch, extra, extra_count, plan);
	if (!status_is_ok(&status))
		snprintf(plan->why, sizeof(plan->why), "%s", status.text);
	uarch_choice_free(&core);
}

int events_lacking(const struct event_plan *plan, enum event_role roles[ROLE_COUNT])
{
	bool has[ROLE_COUNT] = { false };
	int count = 0;

	for (int i = 0; i < plan->counters.count; i++)
		has[plan->meaning[i].role] = true;
	has[ROLE_PORTS] |= has[ROLE_DISPATCHED];
	has[ROLE_DISPATCHED] = has[ROLE_STALLED] = has[ROLE_EXTRA] = true;
	for (int role = 0; role < ROLE_COUNT; role++)
		if (!has[role])
			roles[count++] = (enum event_role)role;
	return count;
}

/* ---- Predicted counts */

/* Whether some ports of a class are unknown, or its micro-ops come from microcode. */
static bool hides_ports(const struct uarch *uarch, const struct uarch_class *class)
{
	if (!class)
		return false;
	if (!class->executes)
		return true;
	for (int t = 0; t < class->term_count; t++)
		for (int i = uarch->port_count; i < uarch_port_count(uarch); i++)
			if ((class->term[t].ports >> i & 1) &&
				strcmp(uarch->port[i], "microcode") == 0)
				return true;
	return false;
}

static bool ports_known(const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;

	for (int i = 0; i < explanation->loop.insn_count && i < limits->insn_count; i++) {
		struct uarch_insn facts;

		if (limits->insn[i].count <= 0)
			continue;
		uarch_insn(limits->uarch, &explanation->loop.insn[i], &facts);
		if (hides_ports(limits->uarch, facts.op) ||
			hides_ports(limits->uarch, facts.load) ||
			hides_ports(limits->uarch, facts.store))
			return false;
	}
	return true;
}

/* Micro-ops per data element that execute on the ports in the set `ports`. Port pressure is in
 * cycles per iteration, and a micro-op needs one cycle on its port. */
static double pressure_on(const struct explanation *explanation, uint32_t ports)
{
	const struct limits *limits = &explanation->limits;
	double sum = 0;

	if (limits->unknown || !ports_known(explanation))
		return NAN;
	for (int i = 0; i < limits->port_count && i < limits->uarch->port_count; i++)
		sum += ports >> i & 1 ? limits->pressure[i] : 0;
	return sum * limits->turns / limits->elements;
}

/* Instructions per element that load, store or branch, depending on the role. NAN: one instruction
 * makes several accesses, and cores differ: some count one instruction, others count each access.
 */
static double instructions_of(const struct loop *loop, enum event_role role)
{
	double count = 0;

	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		if (!insn->known)
			return NAN;
		if (role == ROLE_BRANCHES)
			count += insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER;
		for (int k = 0; k < INSN_MEMORY && role != ROLE_BRANCHES; k++) {
			bool counts =
				role == ROLE_STORES ? insn_stores(insn, k) : insn_loads(insn, k);

			if (counts && insn->memory[k].accesses > 1)
				return NAN;
			count += counts;
		}
	}
	return count / loop->elements;
}

double events_modelled(const struct uarch_event *meaning, const struct explanation *explanation)
{
	const struct limits *limits = explanation ? &explanation->limits : NULL;
	const struct loop *loop = explanation ? &explanation->loop : NULL;
	enum event_role role = meaning->role;

	if (!explanation || !status_is_ok(&explanation->status) || loop->path_count == 0 ||
		!(loop->elements > 0))
		return NAN;
	/* The predicted counts of instructions, loads, stores and branches need no core model;
	 * predicted mispredictions are valid for any core model. */
	if (role == ROLE_INSTRUCTIONS)
		return loop->insns_per_element;
	if (role == ROLE_LOADS || role == ROLE_STORES || role == ROLE_BRANCHES)
		return instructions_of(loop, role);
	if (role == ROLE_MISPREDICTIONS && limits->uarch)
		return limits->mispredicts;
	if (!limits->uarch || !(limits->elements > 0) ||
		(meaning->core[0] && strcmp(meaning->core, limits->uarch->name) != 0))
		return NAN;
	/* On AArch64, micro-ops are not predicted: Arm states the width in macro-operations, and
	 * does not document the unit of its micro-op counts. */
	if ((role == ROLE_UOPS || role == ROLE_UOPS_RETIRED) && !limits->unknown &&
		strcmp(limits->uarch->isa, "aarch64") != 0)
		return (limits->slots + limits->unlaminated) / limits->elements;
	if (role == ROLE_UOPS_EXECUTED || role == ROLE_PORTS)
		return pressure_on(explanation, role == ROLE_PORTS ? meaning->ports : ~UINT32_C(0));
	if (role == ROLE_L1_MISSES || role == ROLE_L2_MISSES)
		return limits->beyond[role == ROLE_L2_MISSES];
	return NAN; /* the model predicts no count for events with other roles */
}
