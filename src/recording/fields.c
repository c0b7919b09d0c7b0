#include "recording/fields.h"

#include "experiment/cost/cost.h"
#include "experiment/slack/slack.h"
#include "experiment/sweep/sweep.h"
#include "experiment/why/why.h"
#include "model/counts/counts.h"

/* ---- Computed values */

static void get_seconds(const struct record_sample *what, struct field_value *value)
{
	if (what->sweep)
		field_set_real(
			value, sweeps_value(SWEEPS_SECONDS, what->sample, what->facts, NULL, NULL));
}

static void get_settled(const struct record_sample *what, struct field_value *value)
{
	field_set_integer(value, true, !what->sample->unsettled);
}

static void get_binding(const struct record_sample *what, struct field_value *value)
{
	field_set_word(value, explain_binding(what->explanation));
}

static void get_predicted_by(const struct record_sample *what, struct field_value *value)
{
	const struct limits *limits = what->explanation ? &what->explanation->limits : NULL;

	if (limits && limits->predicted_by >= 0)
		field_set_word(value, limit_rows[limits->limit[limits_main(limits)].kind].name);
}

static void get_predicted_spread(const struct record_sample *what, struct field_value *value)
{
	const struct limits *limits = what->explanation ? &what->explanation->limits : NULL;

	if (limits && limits->predicted_by >= 0)
		field_set_real(value, limits->limit[limits->predicted_by].spread);
}

/* A sample in a recording contains only a counted number of instructions. A number of instructions
 * that was found in the code is recorded with the limits. */
static void get_instructions(const struct record_sample *what, struct field_value *value)
{
	field_set_real(value, what->sample_ratios
				      ? what->sample_ratios->instructions
				      : counts_of(what->events, what->counts, ROLE_INSTRUCTIONS));
}

static void get_ipc(const struct record_sample *what, struct field_value *value)
{
	field_set_real(value, counts_ipc(what->events, what->counts));
}

static const struct cache_size *l3_of(const struct record_sample *what)
{
	static const struct cache_size none;

	return what->misses ? &what->misses->caches.level[2] : &none;
}

static void get_l3_bytes(const struct record_sample *what, struct field_value *value)
{
	field_set_integer(value, l3_of(what)->bytes > 0, (int64_t)l3_of(what)->bytes);
}

static void get_l3_from(const struct record_sample *what, struct field_value *value)
{
	field_set_word(value, cache_source_name(l3_of(what)->source));
}

/* ---- Which fields apply */

static bool is_explained(const struct record_sample *what)
{
	return status_is_ok(&what->explanation->status);
}

static bool has_bound(const struct record_sample *what)
{
	return explain_binding(what->explanation);
}

static bool has_part(const struct record_sample *what)
{
	return what->part;
}

static bool has_sweep(const struct record_sample *what)
{
	return what->sweep;
}

static bool has_misses(const struct record_sample *what)
{
	return what->misses && what->misses->known;
}

static bool has_cpu(const struct record_sample *what)
{
	return what->facts->cpu >= 0;
}

static bool has_bend(const struct record_sample *what)
{
	return what->facts->bend > 0;
}

static bool has_repeated(const struct record_sample *what)
{
	return what->facts->cpe_repeated > 0;
}

static bool has_fresh(const struct record_sample *what)
{
	return what->facts->cpe_fresh > 0;
}

static bool has_modes(const struct record_sample *what)
{
	return what->sample->modes > 1;
}

static bool has_placements(const struct record_sample *what)
{
	return what->sample->places > 1;
}

static bool has_nodes(const struct record_sample *what)
{
	return what->facts->nodes > 1 && what->facts->node >= 0;
}

static bool has_company(const struct record_sample *what)
{
	return what->sample->total_gbps > 0;
}

static bool has_traffic(const struct record_sample *what)
{
	return what->sample_ratios->traffic > 0;
}

static bool is_counted(const struct record_sample *what)
{
	return what->sample->cycles_from == SOURCE_COUNTER;
}

/* ---- The table */

#define MEMBER(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member), .recorded = true
#define ROW(member)	  .owner = IN_ROW, .offset = offsetof(struct record_sample, member)
#define SAMPLE(member)	  .owner = IN_SAMPLE, .offset = offsetof(struct sample, member)
#define RATIOS(member)	  .owner = IN_RATIOS, .offset = offsetof(struct sample_ratios, member)
#define EXPLAINED(member) .owner = IN_EXPLANATION, .offset = offsetof(struct explanation, member)
#define FACTS(member)	  .owner = IN_FACTS, MEMBER(struct run_facts, member)
#define USUAL(value)	  .can_be_usual = true, .usual = (value)

/* Upper bounds of measured values. */
#define MOST_BYTES  (double)((int64_t)1 << 46)
#define MOST_GBPS   1e9
#define MOST_PROBED 1e9

const struct field sample_fields[] = {
	{ "machine", FIELDS_HEAD, FIELD_NAME, ROW(machine) },
	{ "cpu", FIELDS_PLACE, FIELD_INT, FACTS(cpu), .absent = -1, .high = INT32_MAX,
		.applies = has_cpu },
	{ "bound", FIELDS_PLACE, FIELD_FLAG, FACTS(bound), USUAL(true) },
	{ "part", FIELDS_CURVE, FIELD_NAME, ROW(part) },
	{ "level", FIELDS_CURVE, FIELD_NAME, .no_json = true, ROW(level) },
	{ "x", FIELDS_CURVE, FIELD_BYTES, ROW(x), .applies = has_part },

	{ "cpe", FIELDS_VALUE, FIELD_REAL, SAMPLE(cpe) },
	{ "cpe_lo", FIELDS_VALUE, FIELD_REAL, SAMPLE(cpe_lo) },
	{ "cpe_hi", FIELDS_VALUE, FIELD_REAL, SAMPLE(cpe_hi) },
	{ "trials", FIELDS_VALUE, FIELD_COUNT, SAMPLE(trials) },
	{ "dropped", FIELDS_VALUE, FIELD_COUNT, SAMPLE(dropped) },
	{ "quiet", FIELDS_VALUE, FIELD_REAL, SAMPLE(quiet) },
	{ "contended", FIELDS_VALUE, FIELD_FLAG, SAMPLE(contended), USUAL(false) },
	{ "cycles_from", FIELDS_VALUE, FIELD_SOURCE, SAMPLE(cycles_from) },
	{ "ghz", FIELDS_VALUE, FIELD_REAL, SAMPLE(ghz) },
	{ "ns", FIELDS_VALUE, FIELD_REAL, SAMPLE(ns) },
	{ "gbps", FIELDS_VALUE, FIELD_REAL, SAMPLE(gbps) },
	{ "bytes_per_cycle", FIELDS_VALUE, FIELD_REAL, SAMPLE(bytes_per_cycle) },
	{ "modes", FIELDS_VALUE, FIELD_INT, SAMPLE(modes), USUAL(1) },
	{ "mode_low", FIELDS_VALUE, FIELD_REAL, SAMPLE(mode_low), .applies = has_modes },
	{ "mode_high", FIELDS_VALUE, FIELD_REAL, SAMPLE(mode_high), .applies = has_modes },
	{ "mode_share_low", FIELDS_VALUE, FIELD_REAL, SAMPLE(mode_share_low),
		.applies = has_modes },
	{ "settled", FIELDS_VALUE, FIELD_FLAG, .get = get_settled, USUAL(true) },
	{ "varies", FIELDS_VALUE, FIELD_FLAG, SAMPLE(varies), USUAL(false) },
	{ "bend", FIELDS_VALUE, FIELD_REAL, FACTS(bend), USUAL(0), .applies = has_bend },
	{ "cpe_repeated", FIELDS_VALUE, FIELD_REAL, FACTS(cpe_repeated), USUAL(0),
		.applies = has_repeated },
	{ "cpe_fresh", FIELDS_VALUE, FIELD_REAL, FACTS(cpe_fresh), USUAL(0), .applies = has_fresh },
	{ "placements", FIELDS_VALUE, FIELD_COUNT, SAMPLE(places), USUAL(1) },
	{ "placement_lo", FIELDS_VALUE, FIELD_REAL, SAMPLE(place_lo), .applies = has_placements },
	{ "placement_hi", FIELDS_VALUE, FIELD_REAL, SAMPLE(place_hi), .applies = has_placements },
	{ "pages", FIELDS_VALUE, FIELD_WORD, .old = "pages_got", FACTS(pages) },
	{ "pages_note", FIELDS_VALUE, FIELD_WORD, FACTS(pages_note) },
	{ "node", FIELDS_VALUE, FIELD_INT, .old = "node_got", FACTS(node), .absent = -1,
		.high = INT32_MAX, .applies = has_nodes },
	{ "gbps_total", FIELDS_VALUE, FIELD_REAL, SAMPLE(total_gbps), .applies = has_company },
	{ "seed", FIELDS_VALUE, FIELD_BYTES, ROW(seed) },
	{ "uarch", FIELDS_VALUE, FIELD_NAME, ROW(uarch) },
	{ "binding", FIELDS_VALUE, FIELD_WORD, .get = get_binding },
	{ "limit", FIELDS_VALUE, FIELD_REAL, EXPLAINED(limits.bound), .applies = has_bound },
	{ "predicted", FIELDS_VALUE, FIELD_REAL, EXPLAINED(limits.predicted),
		.applies = has_bound },
	{ "predicted_spread", FIELDS_VALUE, FIELD_REAL, .get = get_predicted_spread, USUAL(0),
		.applies = has_bound },
	{ "predicted_by", FIELDS_VALUE, FIELD_WORD, .get = get_predicted_by, .applies = has_bound },
	{ "instructions", FIELDS_VALUE, FIELD_REAL, .get = get_instructions },
	{ "instructions_from", FIELDS_VALUE, FIELD_SOURCE, RATIOS(instructions_from) },
	{ "cpi", FIELDS_VALUE, FIELD_REAL, RATIOS(cpi) },
	{ "traffic_gbps", FIELDS_VALUE, FIELD_REAL, RATIOS(traffic), USUAL(0) },
	{ "traffic_share", FIELDS_VALUE, FIELD_REAL, RATIOS(share), .applies = has_traffic },
	{ "traffic_from", FIELDS_VALUE, FIELD_SOURCE, RATIOS(lines_from), .applies = has_traffic },
	{ "cores", FIELDS_VALUE, FIELD_INT, FACTS(cores), .high = INT32_MAX, USUAL(1) },
	{ "streams", FIELDS_VALUE, FIELD_INT, FACTS(streams), .high = INT32_MAX, USUAL(0) },
	{ "node_note", FIELDS_VALUE, FIELD_WORD, FACTS(node_note) },
	{ "foreign", FIELDS_VALUE, FIELD_FLAG, EXPLAINED(foreign), USUAL(false),
		.applies = is_explained },
	{ "unknown", FIELDS_VALUE, FIELD_INT, EXPLAINED(limits.unknown), USUAL(0),
		.applies = is_explained },
	{ "misses", FIELDS_VALUE, FIELD_LIST, ROW(misses) },
	{ "whatif_misses", FIELDS_VALUE, FIELD_LIST, ROW(whatif_misses), .applies = has_misses },
	{ "ipc", FIELDS_VALUE, FIELD_REAL, .get = get_ipc },
	{ "check", FIELDS_VALUE, FIELD_REAL, SAMPLE(check), .applies = is_counted },
	{ "l3_bytes", FIELDS_VALUE, FIELD_INT, .get = get_l3_bytes },
	{ "l3_from", FIELDS_VALUE, FIELD_WORD, .get = get_l3_from },
	{ "load_average", FIELDS_VALUE, FIELD_REAL, FACTS(load), .high = 1e6 },
	{ "on_cpu", FIELDS_VALUE, FIELD_REAL, FACTS(on_cpu), .high = 1 },
	{ "runnable", FIELDS_VALUE, FIELD_REAL, FACTS(runnable), .high = 1e6 },

	{ "sweep", FIELDS_SWEEP, FIELD_NAME, ROW(sweep) },
	{ "seconds", FIELDS_SWEEP, FIELD_REAL, .get = get_seconds },
	{ "speedup", FIELDS_SWEEP, FIELD_REAL, ROW(speedup), .applies = has_sweep },
	{ "published", FIELDS_SWEEP, FIELD_REAL, ROW(published), .applies = has_sweep },

	/* Whether a watch chain (a second chain of instructions) detected contention of the trials.
	 */
	{ "watched", FIELDS_RECORD, FIELD_FLAG, FACTS(watched) },
	/* Whether the measured value is a mean of the trials, not their median. */
	{ "far", FIELDS_RECORD, FIELD_FLAG, FACTS(far) },
	/* Source of the cycles: a hardware counter or the reference clock. */
	{ "cycles_from", FIELDS_RECORD, FIELD_SOURCE, FACTS(cycles_from) },
	/* Number of elements of the working set. */
	{ "ring", FIELDS_RECORD, FIELD_BYTES, FACTS(ring), .high = MOST_BYTES },
	/* Number of elements that one iteration of the loop processes. */
	{ "granule", FIELDS_RECORD, FIELD_BYTES, FACTS(granule), .high = MOST_BYTES },
	/* Bytes per element that the code reads and writes. */
	{ "bytes", FIELDS_RECORD, FIELD_BYTES, FACTS(bytes), .high = MOST_BYTES },
	/* Bytes of the working set. */
	{ "footprint", FIELDS_RECORD, FIELD_BYTES, FACTS(footprint), .high = MOST_BYTES },
	/* Number of elements in the longer of the two timed calls of the kernel. */
	{ "call", FIELDS_RECORD, FIELD_BYTES, FACTS(call), .high = (double)INT64_MAX },
	/* Number of kernel calls in each of the two timed regions. */
	{ "calls", FIELDS_RECORD, FIELD_COUNT, FACTS(calls), .high = INT32_MAX },
	/* Requested kind of pages. */
	{ "asked", FIELDS_RECORD, FIELD_PAGES, FACTS(asked) },
	/* Number of memory nodes of the machine. */
	{ "nodes", FIELDS_RECORD, FIELD_INT, FACTS(nodes), .high = INT32_MAX },
	/* Data that the other cores read and write as load, in GB/s. */
	{ "others_gbps", FIELDS_RECORD, FIELD_REAL, FACTS(others_gbps), USUAL(0),
		.high = MOST_GBPS },
	{ .name = NULL },
};

#define MACHINE(member) MEMBER(struct machine, member), .always = true
#define COUNTED		.high = INT32_MAX
const struct field machine_fields[] = {
	{ .name = "cpu", .type = FIELD_INT, MACHINE(cpu), .absent = -1, COUNTED },
	{ .name = "processors", .type = FIELD_INT, MACHINE(processors), COUNTED },
	{ .name = "bound", .type = FIELD_FLAG, MACHINE(bound) },
	{ .name = "bind_note", .type = FIELD_WORD, MACHINE(bind_note) },
	{ .name = "apart", .type = FIELD_FLAG, MACHINE(apart) },
	{ .name = "virtualised", .type = FIELD_FLAG, MACHINE(virtualised) },
	{ .name = "memory_limit", .type = FIELD_BYTES, MACHINE(memory_limit), .high = MOST_BYTES },
	{ .name = "tick_hz", .type = FIELD_REAL, MACHINE(tick_hz), .high = 1e12 },
	{ .name = "tick_step", .type = FIELD_REAL, MACHINE(tick_step), .high = 1e12 },
	{ .name = "clock", .type = FIELD_WORD, MACHINE(clock_name) },
	{ .name = "watched", .type = FIELD_FLAG, MACHINE(watched) },
	{ .name = "huge_pages", .type = FIELD_FLAG, MACHINE(huge_pages) },
	{ .name = "memory_note", .type = FIELD_WORD, MACHINE(memory_note) },
	{ .name = "huge_note", .type = FIELD_WORD, MACHINE(huge_note) },
	{ .name = "vendor", .type = FIELD_WORD, MACHINE(processor.vendor) },
	{ .name = "family", .type = FIELD_COUNT, MACHINE(processor.family), COUNTED },
	{ .name = "model", .type = FIELD_COUNT, MACHINE(processor.model), COUNTED },
	{ .name = "stepping", .type = FIELD_COUNT, MACHINE(processor.stepping), COUNTED },
	{ .name = "implementer", .type = FIELD_COUNT, MACHINE(processor.implementer), COUNTED },
	{ .name = "part", .type = FIELD_COUNT, MACHINE(processor.part), COUNTED },
	{ .name = "l1i", .type = FIELD_BYTES, MACHINE(processor.l1i_bytes), .high = MOST_BYTES },
	{ .name = "features", .type = FIELD_WORD, MACHINE(processor.features) },
	{ .name = "microcode", .type = FIELD_WORD, MEMBER(struct machine, processor.microcode) },
	{ .name = NULL },
};

#define RESOURCE(member) MEMBER(struct slack_resource, member)
const struct field resource_fields[] = {
	{ .name = "resource", .type = FIELD_WORD, RESOURCE(name), .always = true },
	{ .name = "kind",
		.type = FIELD_KIND,
		RESOURCE(kind),
		.always = true,
		.kinds = slack_kinds },
	{ .name = "pressure", .type = FIELD_REAL, RESOURCE(pressure), .high = MOST_PROBED },
	{ .name = "pressure_lo", .type = FIELD_REAL, RESOURCE(pressure_lo), .high = MOST_PROBED },
	{ .name = "pressure_hi", .type = FIELD_REAL, RESOURCE(pressure_hi), .high = MOST_PROBED },
	{ .name = "slack", .type = FIELD_REAL, RESOURCE(slack), .high = MOST_PROBED },
	{ .name = "slack_lo", .type = FIELD_REAL, RESOURCE(slack_lo), .high = MOST_PROBED },
	{ .name = "slack_hi", .type = FIELD_REAL, RESOURCE(slack_hi), .high = MOST_PROBED },
	{ .name = "model", .type = FIELD_REAL, RESOURCE(model), .high = MOST_PROBED },
	{ .name = "filler", .type = FIELD_WORD, RESOURCE(line) },
	{ .name = "each", .type = FIELD_REAL, RESOURCE(each), .high = MOST_PROBED },
	{ .name = "took", .type = FIELD_REAL, RESOURCE(took), .high = MOST_PROBED },
	{ .name = "contended", .type = FIELD_FLAG, RESOURCE(contended) },
	{ .name = "why", .type = FIELD_WORD, RESOURCE(why) },
	{ .name = NULL },
};

#define GAP(member)	 MEMBER(struct why_report, member)
#define REAL_GAP(member) .type = FIELD_REAL, GAP(member), .high = MOST_PROBED
const struct field gap_fields[] = {
	{ .name = "uarch", .type = FIELD_WORD, GAP(uarch) },
	{ .name = "cpe", REAL_GAP(cpe) },
	{ .name = "cpe_lo", REAL_GAP(cpe_lo) },
	{ .name = "cpe_hi", REAL_GAP(cpe_hi) },
	{ .name = "cycles_from", .type = FIELD_SOURCE, GAP(cycles_from) },
	{ .name = "binding", .type = FIELD_WORD, GAP(binding) },
	{ .name = "limit", REAL_GAP(limit) },
	{ .name = "predicted", REAL_GAP(predicted) },
	{ .name = "predicted_by", .type = FIELD_WORD, GAP(predicted_by) },
	{ .name = "moved", REAL_GAP(moved) },
	{ .name = "moved_with", .type = FIELD_WORD, GAP(moved_with) },
	{ .name = "as_predicted", .type = FIELD_FLAG, GAP(known) },
	{ .name = "below_limit", .type = FIELD_FLAG, GAP(below) },
	{ .name = "gap", REAL_GAP(gap) },
	{ .name = "together", REAL_GAP(together) },
	{ .name = "together_lo", REAL_GAP(together_lo) },
	{ .name = "together_hi", REAL_GAP(together_hi) },
	{ .name = "unexplained", REAL_GAP(rest) },
	{ .name = "unexplained_lo", REAL_GAP(rest_lo) },
	{ .name = "unexplained_hi", REAL_GAP(rest_hi) },
	{ .name = "overlap", .type = FIELD_FLAG, GAP(overlap) },
	{ .name = "complete", .type = FIELD_FLAG, GAP(complete), .always = true },
	{ .name = "contended", .type = FIELD_FLAG, GAP(contended) },
	{ .name = "seconds", REAL_GAP(seconds) },
	{ .name = NULL },
};

#define CAUSE(member) MEMBER(struct why_cause, member)
const struct field cause_fields[] = {
	{ .name = "cause", .type = FIELD_WORD, CAUSE(name), .always = true },
	{ .name = "kind", .type = FIELD_KIND, CAUSE(kind), .always = true, .kinds = why_kinds },
	{ .name = "with", .type = FIELD_WORD, CAUSE(with) },
	{ .name = "share", .type = FIELD_REAL, CAUSE(share), .high = 1 },
	{ .name = "share_lo", .type = FIELD_REAL, CAUSE(share_lo), .high = 1 },
	{ .name = "share_hi", .type = FIELD_REAL, CAUSE(share_hi), .high = 1 },
	{ .name = "saved",
		.type = FIELD_REAL,
		CAUSE(cycles),
		.low = -MOST_PROBED,
		.high = MOST_PROBED },
	{ .name = "saved_lo",
		.type = FIELD_REAL,
		CAUSE(cycles_lo),
		.low = -MOST_PROBED,
		.high = MOST_PROBED },
	{ .name = "saved_hi",
		.type = FIELD_REAL,
		CAUSE(cycles_hi),
		.low = -MOST_PROBED,
		.high = MOST_PROBED },
	{ .name = "changed_cpe", .type = FIELD_REAL, CAUSE(other), .high = MOST_PROBED },
	{ .name = "changed_predicted", .type = FIELD_REAL, CAUSE(model), .high = MOST_PROBED },
	{ .name = "why", .type = FIELD_WORD, CAUSE(why) },
	{ .name = NULL },
};

#define COST(member) MEMBER(struct cost_insn, member)
#define COST_VALUE(name_, member)                                                              \
	{ .name = name_,                                                                       \
		.type = FIELD_REAL,                                                            \
		COST(member.value),                                                            \
		.low = -MOST_PROBED,                                                           \
		.high = MOST_PROBED },                                                         \
		{ .name = name_ "_lo",                                                         \
			.type = FIELD_REAL,                                                    \
			COST(member.lo),                                                       \
			.low = -MOST_PROBED,                                                   \
			.high = MOST_PROBED },                                                 \
	{                                                                                      \
		.name = name_ "_hi", .type = FIELD_REAL, COST(member.hi), .low = -MOST_PROBED, \
		.high = MOST_PROBED                                                            \
	}
const struct field cost_fields[] = {
	{ .name = "offset", .type = FIELD_BYTES, COST(offset), .always = true, .high = 1 << 24 },
	{ .name = "text", .type = FIELD_WORD, COST(text), .always = true },
	COST_VALUE("cost", cost),
	{ .name = "model",
		.type = FIELD_REAL,
		COST(model),
		.low = -MOST_PROBED,
		.high = MOST_PROBED },
	COST_VALUE("twice", twice),
	COST_VALUE("later", later),
	{ .name = "latency", .type = FIELD_REAL, COST(latency), .high = MOST_PROBED },
	COST_VALUE("saved", saved),
	{ .name = "contended", .type = FIELD_FLAG, COST(contended) },
	{ .name = "why_twice", .type = FIELD_WORD, COST(why_twice) },
	{ .name = "why_later", .type = FIELD_WORD, COST(why_later) },
	{ .name = "why_saved", .type = FIELD_WORD, COST(why_saved) },
	{ .name = NULL },
};

#define INSN(member)  MEMBER(struct recorded_insn, member)
#define REPLAYED      .group = FIELDS_RECORD
#define EITHER(value) USUAL(value), .always = true
const struct field insn_fields[] = {
	{ .name = "offset", .type = FIELD_BYTES, INSN(offset), .always = true, .high = 1 << 24 },
	{ .name = "text", .type = FIELD_WORD, INSN(text), .always = true },
	{ .name = "source", .type = FIELD_WORD, INSN(source) },
	{ .name = "known", .type = FIELD_FLAG, INSN(facts.known), .always = true },
	{ .name = "slots", .type = FIELD_REAL, INSN(facts.slots), EITHER(0), .high = 1e6 },
	{ .name = "latency", .type = FIELD_REAL, INSN(facts.latency), .high = 1e6 },
	{ .name = "load_latency", .type = FIELD_REAL, INSN(facts.loading), USUAL(0), .high = 1e6 },
	{ .name = "ports", .type = FIELD_WORD, INSN(facts.ports), .always = true },
	{ .name = "fused", .type = FIELD_FLAG, INSN(facts.fused) },
	{ .name = "eliminated", .type = FIELD_FLAG, INSN(facts.eliminated) },
	{ .name = "carried", .type = FIELD_FLAG, INSN(facts.carried) },
	{ .name = "count", .type = FIELD_REAL, INSN(facts.count), EITHER(1), .high = 1e9 },
	{ .name = "bytes", .type = FIELD_COUNT, INSN(bytes), .high = 255, REPLAYED },
	{ .name = "jumps", .type = FIELD_FLAG, INSN(jumps), REPLAYED },
	{ .name = "writes", .type = FIELD_FLAG, INSN(writes), REPLAYED },
	{ .name = "fetches", .type = FIELD_FLAG, INSN(fetches), REPLAYED },
	{ .name = "no_instruction", .type = FIELD_FLAG, INSN(no_instruction), REPLAYED },
	{ .name = "times", .type = FIELD_INT, INSN(times), .absent = 1, .high = 1 << 24, REPLAYED },
	{ .name = NULL },
};
