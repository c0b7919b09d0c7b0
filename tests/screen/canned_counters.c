/* Counts by formula: events of two cores, what they count, and what the model says of it. */
#include "canned.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define P(port) (UINT32_C(1) << (port))

struct row {
	enum event_role role;
	uint32_t ports;
	const char *words, *name;
};

static const struct row ice_rows[] = {
	{ ROLE_CYCLES, 0, "", "icx::UNHALTED_CORE_CYCLES" },
	{ ROLE_INSTRUCTIONS, 0, "", "icx::INSTRUCTION_RETIRED" },
	{ ROLE_UOPS, 0, "", "icx::UOPS_ISSUED:ANY" },
	{ ROLE_UOPS_EXECUTED, 0, "", "icx::UOPS_EXECUTED:THREAD" },
	{ ROLE_PORTS, P(0), "", "icx::UOPS_DISPATCHED:PORT_0" },
	{ ROLE_PORTS, P(1), "", "icx::UOPS_DISPATCHED:PORT_1" },
	{ ROLE_PORTS, P(2) | P(3), "", "icx::UOPS_DISPATCHED:PORT_2_3" },
	{ ROLE_PORTS, P(4) | P(9), "", "icx::UOPS_DISPATCHED:PORT_4_9" },
	{ ROLE_PORTS, P(5), "", "icx::UOPS_DISPATCHED:PORT_5" },
	{ ROLE_PORTS, P(6), "", "icx::UOPS_DISPATCHED:PORT_6" },
	{ ROLE_PORTS, P(7) | P(8), "", "icx::UOPS_DISPATCHED:PORT_7_8" },
	{ ROLE_LOADS, 0, "", "icx::MEM_INST_RETIRED:ALL_LOADS" },
	{ ROLE_STORES, 0, "", "icx::MEM_INST_RETIRED:ALL_STORES" },
	{ ROLE_BRANCHES, 0, "", "icx::BR_INST_RETIRED:ALL_BRANCHES" },
	{ ROLE_MISPREDICTIONS, 0, "", "icx::BR_MISP_RETIRED:ALL_BRANCHES" },
	{ ROLE_L1_MISSES, 0, "", "icx::L1D:REPLACEMENT" },
	{ ROLE_L2_MISSES, 0, "", "icx::L2_LINES_IN:ALL" },
	{ ROLE_L3_MISSES, 0, "", "icx::LONGEST_LAT_CACHE:MISS" },
	{ ROLE_DTLB_WALKS, 0, "", "icx::DTLB_LOAD_MISSES:WALK_COMPLETED" },
	{ ROLE_STALLED, 0, "front end", "icx::IDQ_UOPS_NOT_DELIVERED:CYCLES_0_UOPS_DELIV_CORE" },
	{ ROLE_STALLED, 0, "nothing executed", "icx::CYCLE_ACTIVITY:STALLS_TOTAL" },
	{ ROLE_STALLED, 0, "store buffer full", "icx::RESOURCE_STALLS:SB" },
	{ ROLE_COUNT, 0, NULL, NULL },
};

static const struct row zen_rows[] = {
	{ ROLE_CYCLES, 0, "", "perf::PERF_COUNT_HW_CPU_CYCLES" },
	{ ROLE_INSTRUCTIONS, 0, "", "perf::PERF_COUNT_HW_INSTRUCTIONS" },
	{ ROLE_UOPS, 0, "", "perf_raw::r07aa" },
	{ ROLE_DISPATCHED, 0, "integer", "perf_raw::r08ab" },
	{ ROLE_DISPATCHED, 0, "floating point", "perf_raw::r04ab" },
	{ ROLE_LOADS, 0, "", "perf_raw::r0529" },
	{ ROLE_STORES, 0, "", "perf_raw::r0629" },
	{ ROLE_BRANCHES, 0, "", "perf_raw::r00c2" },
	{ ROLE_MISPREDICTIONS, 0, "", "perf_raw::r00c3" },
	{ ROLE_L1_MISSES, 0, "", "perf_raw::re060" },
	{ ROLE_L2_MISSES, 0, "", "perf_raw::r10000de65" },
	{ ROLE_DTLB_WALKS, 0, "", "perf_raw::rf045" },
	{ ROLE_STALLED, 0, "front end", "perf_raw::r00a9" },
	{ ROLE_STALLED, 0, "load queue full", "perf_raw::r02ae" },
	{ ROLE_STALLED, 0, "store queue full", "perf_raw::r04ae" },
	{ ROLE_STALLED, 0, "retire queue full", "perf_raw::r20af" },
	{ ROLE_STALLED, 0, "integer scheduler full", "perf_raw::r01af" },
	{ ROLE_STALLED, 0, "floating-point queue full", "perf_raw::r40ae" },
	{ ROLE_COUNT, 0, NULL, NULL },
};

/* What can be looked for besides; three stand for how counting one can go. */
static const struct counter_offer offers[] = {
	{ "icx::UOPS_ISSUED:ANY", "Micro-ops that the rename stage sends to the schedulers" },
	{ "icx::UOPS_ISSUED:STALL_CYCLES", "Cycles in which it sends none" },
	{ "icx::UOPS_RETIRED:SLOTS", "Slots of retirement that were used" },
	{ "icx::IDQ:DSB_UOPS", "Micro-ops that come from the micro-op cache" },
	{ "icx::IDQ:MITE_UOPS", "Micro-ops that come from the decoders" },
	{ "icx::ARITH:DIVIDER_ACTIVE", "Cycles in which a divider is busy" },
	{ "icx::FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",
		"Scalar floating-point operations of double precision that were retired" },
	{ "icx::LD_BLOCKS:STORE_FORWARD",
		"Loads that waited for a store which could not be forwarded to them" },
	{ "perf::PERF_COUNT_SW_PAGE_FAULTS", "Page faults" },
};

enum { OFFERS = sizeof(offers) / sizeof(offers[0]) };

static bool is_ice(const struct canned *canned)
{
	return canned->counters == CANNED_PORTS || canned->counters == CANNED_CLOCK;
}

void canned_counters(struct canned *canned, enum canned_counters counters)
{
	canned->counters = counters;
	if (is_ice(canned))
		snprintf(canned->machine.name, sizeof(canned->machine.name),
			"Intel Xeon, family 6h model 6ah");
}

double canned_granule(const struct kernel *kernel, const int64_t *v)
{
	return strcmp(kernel->name, "combine") == 0 ? (double)canned_knob(kernel, v, "unroll", 1)
						    : 1;
}

double canned_instructions(const struct kernel *kernel, const int64_t *v)
{
	double n = canned_granule(kernel, v);

	return strcmp(kernel->name, "combine") == 0 ? (n + 3) / n : 4.0078125;
}

/* ---- what to count ---- */

static void plan_add(struct event_plan *plan, const struct canned *canned, const struct row *row,
	const char *const *ports)
{
	struct uarch_event *meaning = &plan->meaning[plan->counters.count];
	struct counter_event *event = &plan->counters.event[plan->counters.count++];

	*meaning = (struct uarch_event){ .role = row->role, .ports = row->ports };
	snprintf(meaning->words, sizeof(meaning->words), "%s", row->words);
	snprintf(meaning->core, sizeof(meaning->core), "%s",
		row->role == ROLE_EXTRA ? ""
		: is_ice(canned)	? "icelake-sp"
					: "zen5");
	snprintf(meaning->name, sizeof(meaning->name), "%s", row->name);
	snprintf(event->name, sizeof(event->name), "%s", row->name);
	event->must = event_roles[row->role].must;
	for (int i = 0; i < 10 && row->role == ROLE_PORTS; i++)
		if (row->ports >> i & 1)
			snprintf(meaning->title + strlen(meaning->title), 8, "%s%s",
				meaning->title[0] ? " " : "", ports[i]);
	if (!meaning->title[0])
		memcpy(meaning->title, events_title(meaning, NULL).text, sizeof(meaning->title));
}

void canned_events(void *context, const struct machine *machine, const char *const *extra,
	int extra_count, struct event_plan *plan)
{
	static const char *const ports[] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8",
		"p9" };
	const struct canned *canned = context;
	const struct row *rows = is_ice(canned) ? ice_rows : zen_rows;

	memset(plan, 0, sizeof(*plan));
	plan->counters.cycles = canned->counters == CANNED_CLOCK ? 0 : -1;
	for (; rows->name; rows++)
		plan_add(plan, canned, rows, ports);
	for (int i = 0; i < extra_count; i++)
		plan_add(plan, canned, &(struct row){ ROLE_EXTRA, 0, "", extra[i] }, ports);
}

size_t canned_offers(const char *words, const char *pmu, struct counter_offer *found, size_t most)
{
	size_t count = 0;
	for (int i = 0; i < OFFERS; i++) {
		if (!strcasestr(offers[i].name, words) && !strcasestr(offers[i].help, words))
			continue;
		if (count < most)
			found[count] = offers[i];
		count++;
	}
	return count;
}

struct status canned_encodes(const char *name, struct counter_code *code)
{
	const char *names[OFFERS];

	for (int i = 0; i < OFFERS; i++) {
		names[i] = offers[i].name;
		if (strcasecmp(name, names[i]) == 0)
			return status_ok();
	}
	return status_unknown("unknown event", name, names, OFFERS, NULL);
}

/* ---- counting ---- */

/* Lines from beyond the first cache, or the second, per element. */
static double misses(const struct kernel *kernel, const int64_t *v, uint64_t level)
{
	bool list = strcmp(kernel->name, "list-length") == 0;
	double bytes = list ? (double)canned_knob(kernel, v, "spacing", 16)
			    : (double)canned_knob(kernel, v, "stride", 1) *
				       (canned_knob(kernel, v, "type", 3) % 2 ? 8 : 4);

	if (kernel_footprint(kernel, v) <= level)
		return 0;
	return list && canned_knob(kernel, v, "order", 0) ? 1 : fmin(1, bytes / 64);
}

/* What each role's event counts an element; the ports do not share their work as evenly as they
 * could. */
static double value_of(const struct canned *canned, const struct request *request,
	const struct uarch_event *meaning)
{
	const struct kernel *kernel = request->kernel;
	double n = canned_granule(kernel, request->v), cpe = canned_cpe(request);
	bool real = strcmp(kernel->name, "combine") == 0 &&
		    canned_knob(kernel, request->v, "type", 3) > 1;
	double uneven[] = { real ? n / 2 + 0.3 : (n + 2) / 4 + 0.12,
		real ? n / 2 - 0.1 : (n + 2) / 4 - 0.12, n / 2, n / 2, 0, real ? 0.8 : (n + 2) / 4,
		1, 0, 0, 0 },
	       sum = 0;

	switch (meaning->role) {
	case ROLE_CYCLES: return cpe * 1.002;
	case ROLE_INSTRUCTIONS:
		return strcmp(kernel->name, "list-length") == 0
			       ? 4.25
			       : canned_instructions(kernel, request->v);
	case ROLE_UOPS: return (n + 2) / n;
	case ROLE_UOPS_EXECUTED: return (2 * n + 2) / n;
	case ROLE_PORTS:
		for (int i = 0; i < 10; i++)
			sum += meaning->ports >> i & 1 ? uneven[i] : 0;
		return sum / n;
	case ROLE_DISPATCHED:
		return strcmp(meaning->words, "integer") == 0 ? (real ? 2 : n + 2) / n
		       : real				      ? 1
							      : 0;
	case ROLE_LOADS: return 1.001;
	case ROLE_STORES: return 0;
	case ROLE_BRANCHES: return 1 / n;
	case ROLE_L1_MISSES: return misses(kernel, request->v, 48 << 10) * 1.03;
	case ROLE_L2_MISSES: return misses(kernel, request->v, 1 << 20) * 0.97;
	case ROLE_L3_MISSES: return misses(kernel, request->v, 32 << 20);
	case ROLE_STALLED:
		return strcmp(meaning->words, "front end") == 0 ? 0.01
		       : strcmp(meaning->words, "nothing executed") == 0 ||
				       strcmp(meaning->words, "floating-point queue full") == 0
			       ? fmax(cpe - 1, 0)
			       : 0;
	case ROLE_EXTRA: return strstr(meaning->name, "DSB") ? (n + 2) / n : 0.125;
	default: return canned->counters == CANNED_UNASKED ? 1 : 0;
	}
}

void canned_count(const struct canned *canned, const struct request *request, struct counts *counts)
{
	const struct counter_plan *plan = &request->plan;
	const char *names[COUNTERS_MAX];
	static struct event_plan events;
	int extra = 0;

	if (plan->id == 0)
		return;
	counts->id = plan->id;
	if (canned->counters == CANNED_REFUSED) {
		snprintf(counts->why, sizeof(counts->why),
			"this virtual machine has no performance counters: its host does not "
			"pass them on");
		return;
	}
	/* What is not of the core was asked for by name. */
	canned_events((void *)(uintptr_t)canned, NULL, NULL, 0, &events);
	for (int i = events.counters.count; i < plan->count && extra < COUNTERS_MAX; i++)
		names[extra++] = plan->event[i].name;
	canned_events((void *)(uintptr_t)canned, NULL, names, extra, &events);
	counts->count = plan->count;
	counts->groups = 6;
	counts->direct = is_ice(canned);
	for (int i = 0; i < plan->count; i++) {
		double value = value_of(canned, request, &events.meaning[i]);

		counts->event[i] = (struct count){ .state = COUNT_KNOWN,
			.value = value,
			.lo = value * 0.999,
			.hi = value * 1.002,
			.share = 1,
			.passes = 9 };
		if (events.meaning[i].role == ROLE_L3_MISSES)
			counts->event[i].state = COUNT_SCALED;
		else if (events.meaning[i].role == ROLE_DTLB_WALKS)
			counts->event[i] = (struct count){ .state = COUNT_SILENT };
		else if (strcmp(events.meaning[i].words, "store buffer full") == 0)
			counts->event[i] =
				(struct count){ .state = COUNT_REFUSED, .error = EACCES };
	}
}

/* ---- the model ---- */

double canned_modelled(
	void *context, const struct uarch_event *meaning, const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;
	double n = limits->elements / limits->turns, sum = 0;
	switch (meaning->role) {
	case ROLE_INSTRUCTIONS: return explanation->loop.insns_per_element;
	case ROLE_UOPS:
		return explanation->foreign ? (double)NAN : limits->slots / limits->elements;
	case ROLE_PORTS:
		for (int i = 0; i < limits->port_count && !explanation->foreign; i++)
			sum += meaning->ports >> i & 1 ? limits->pressure[i] : 0;
		return explanation->foreign ? (double)NAN : sum / n;
	case ROLE_LOADS: return 1;
	case ROLE_STORES: return 0;
	case ROLE_BRANCHES: return 1 / n;
	case ROLE_MISPREDICTIONS: return 0;
	case ROLE_L1_MISSES: return misses(explanation->kernel, explanation->v, 48 << 10);
	case ROLE_L2_MISSES: return misses(explanation->kernel, explanation->v, 1 << 20);
	default: return NAN;
	}
}
