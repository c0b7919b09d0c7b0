/* Limits by formula, and machine code made up: a core with names like Zen 5's, and another one. */
#include "canned.h"

#include "../unit/assembly.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ALU = 0, AGU = 4, FP = 7, DIV = 9, PORTS };

/* A core that counts its ports, some of them together. */
static const char *const ice_names[] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9",
	"fdiv" };
enum { ICE_PORTS = sizeof(ice_names) / sizeof(ice_names[0]) };

static bool is_ice(const struct canned *canned)
{
	return canned->counters == CANNED_PORTS || canned->counters == CANNED_CLOCK;
}

static const char *const port_names[PORTS] = { "alu0", "alu1", "alu2", "alu3", "agu0", "agu1",
	"agu2", "fp0", "fp1", "fdiv" };

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	const struct canned *canned = context;

	snprintf(name, CORE_NAME, "%s",
		canned->match == UARCH_NONE ? ""
		: is_ice(canned)	    ? "icelake-sp"
					    : "zen5");
	snprintf(why, 160, "%s",
		canned->match == UARCH_NEAREST ? "It is the same family, and a later model." : "");
	return canned->match;
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	bool ice = strcmp(name, "icelake-sp") == 0;
	const struct canned *canned = context;

	if (strcmp(name, "zen5") != 0 && strcmp(name, "skylake") != 0 && !ice)
		return status_usage("unknown core \"%.20s\"; there are skylake, zen5", name);
	memset(core, 0, sizeof(*core));
	snprintf(core->name, sizeof(core->name), "%s", name);
	snprintf(core->title, sizeof(core->title), "%s",
		strcmp(name, "zen5") == 0 ? "AMD Zen 5" : "Intel Skylake");
	if (ice)
		snprintf(core->title, sizeof(core->title), "Intel Ice Lake-SP");
	core->port_count = ice ? ICE_PORTS : PORTS;
	core->uarch = canned->uarch;
	for (int i = 0; i < core->port_count; i++)
		snprintf(core->port[i], sizeof(core->port[i]), "%s",
			ice ? ice_names[i] : port_names[i]);
	core->unit[core->port_count - 1] = true;
	return status_ok();
}

/* The name and title that a text begins with, and ports as Zen 5's. */
static struct status read_text(void *context, const char *text, struct core *core)
{
	struct status status = load(context, "zen5", NULL, core);

	sscanf(text, "uarch %23s %63[^\n]", core->name, core->title);
	return status;
}

static void unload(void *context, struct core *core)
{
	memset(core, 0, sizeof(*core));
}

/* ---- code ---- */

static void insn(struct explanation *explanation, int length, double slots, double latency,
	const char *ports, const char *format, ...) __attribute__((format(printf, 6, 7)));

static void insn(struct explanation *explanation, int length, double slots, double latency,
	const char *ports, const char *format, ...)
{
	struct loop *loop = &explanation->loop;
	struct insn *last = loop->insn_count ? &loop->insn[loop->insn_count - 1] : NULL,
		    *new = &loop->insn[loop->insn_count];
	struct limit_insn *facts = &explanation->limits.insn[loop->insn_count];
	va_list arguments;

	*new = (struct insn){ .address = last ? last->address + last->length : 0x401000,
		.length = (uint8_t)length,
		.known = true,
		.write_count = uarch_known(latency) };
	va_start(arguments, format);
	vsnprintf(new->text, sizeof(new->text), format, arguments);
	va_end(arguments);
	*facts = (struct limit_insn){
		.known = true, .slots = slots, .latency = latency, .count = 1
	};
	snprintf(facts->ports, sizeof(facts->ports), "%s", ports);
	loop->insn_count++;
	explanation->limits.insn_count = loop->insn_count;
	explanation->limits.slots += slots;
}

static void limit(struct limits *limits, enum limit_kind kind, double cpe, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A negative CPE: unknown. */
static void limit(struct limits *limits, enum limit_kind kind, double cpe, const char *format, ...)
{
	struct limit *new = &limits->limit[limits->limit_count++];
	va_list arguments;

	*new = (struct limit){ .kind = kind,
		.known = cpe >= 0,
		.hard = limit_rows[kind].hard,
		.cpe = cpe,
		.cycles = cpe * limits->elements };
	va_start(arguments, format);
	vsnprintf(new->cause, sizeof(new->cause), format, arguments);
	va_end(arguments);
}

/* Highest first, the unknown ones last; what binds and what is predicted. */
static void settle(struct limits *limits)
{
	limits->binding = limits->predicted_by = -1;
	for (int i = 1; i < limits->limit_count; i++) {
		struct limit moved = limits->limit[i];
		int at = i;

		for (; at > 0 && (limits->limit[at - 1].known ? limits->limit[at - 1].cpe : -1) <
					 (moved.known ? moved.cpe : -1);
			at--)
			limits->limit[at] = limits->limit[at - 1];
		limits->limit[at] = moved;
	}
	for (int i = 0; i < limits->limit_count; i++) {
		if (!limits->limit[i].known)
			continue;
		if (limits->predicted_by < 0)
			limits->predicted_by = i;
		if (limits->binding < 0 && limits->limit[i].hard)
			limits->binding = i;
	}
	limits->bound = limits->binding >= 0 ? limits->limit[limits->binding].cpe : 0;
	limits->predicted = limits->predicted_by >= 0 ? limits->limit[limits->predicted_by].cpe : 0;
}

static int64_t value(const struct explain_question *question, const char *name, int64_t otherwise)
{
	int index = kernel_knob(question->kernel, name);

	return index >= 0 ? question->v[index] : otherwise;
}

/* Lines that come from beyond the first level. */
static void memory_limits(
	const struct explain_question *question, struct limits *limits, double lines)
{
	double size = (double)kernel_footprint(question->kernel, question->v);

	if (size > 1 << 20)
		limit(limits, LIMIT_MEMORY_LINES, -1,
			"what the third level delivers is not measured yet");
	else if (size > 48 << 10)
		limit(limits, LIMIT_MEMORY_LINES, 2 * lines,
			"%.3g lines an element from the second level, 0.5 a cycle", lines);
}

/* Ports of a core of Intel's: floating point on p0 and p1, loads on p2 and p3, the rest of an
 * iteration on what is left. */
static void ice_ports(struct limits *limits, double n, bool real)
{
	double work = real ? 2 : n + 2;

	limits->port_count = ICE_PORTS;
	memset(limits->pressure, 0, sizeof(limits->pressure));
	memset(limits->naive, 0, sizeof(limits->naive));
	for (int i = 0; i < 2; i++) {
		limits->pressure[i] = limits->naive[i] = real ? n / 2 : work / 4;
		limits->pressure[2 + i] = limits->naive[2 + i] = n / 2;
		limits->pressure[5 + i] = real ? 1 : work / 4;
		limits->naive[5 + i] = real ? 0.5 : work / 4;
		limits->naive[i] += real ? 0.5 : 0;
	}
	limits->bottleneck = real ? n > 2 ? 3 : 3u << 5 : 3 | 3u << 5;
}

static void explain_combine(
	const struct explain_question *question, bool ice, struct explanation *explanation)
{
	static const double latencies[2][4] = { { 1, 1, 2, 2 }, { 3, 3, 3, 3 } };
	int64_t unroll = value(question, "unroll", 1), acc = value(question, "acc", 1),
		type = value(question, "type", 3);
	int64_t stride = value(question, "stride", 1);
	bool mul = value(question, "op", 0), real = type > 1, tree = value(question, "shape", 0);
	double latency = latencies[mul][type], n = (double)unroll;
	struct limits *limits = &explanation->limits;
	const char *op = real ? mul ? "mulsd" : "addsd" : mul ? "imul" : "add";
	int bytes = type % 2 ? 8 : 4;

	for (int64_t i = 0; i < unroll; i++) {
		char target[8];

		snprintf(target, sizeof(target), real ? "xmm%d" : "r%d",
			(int)((real ? 0 : 8) + i % acc));
		insn(explanation, i ? 5 : 4, 1, latency + (real ? 7 : 4),
			real ? "fp + agu" : "alu + agu",
			i ? "%s %s, %s ptr [rdx + 0x%x]" : "%s %s, %s ptr [rdx]", op, target,
			bytes == 8 ? "qword" : "dword", (unsigned)(i * bytes * stride));
		limits->insn[i].carried = i % acc == 0;
	}
	insn(explanation, 4, 1, 1, "alu", "add rdx, 0x%x", (unsigned)(unroll * bytes * stride));
	insn(explanation, 3, 1, 1, "alu", "cmp rdx, rcx");
	insn(explanation, 2, 0, UARCH_UNKNOWN, "", "jne 0x401000");
	explanation->loop.insn[unroll + 2].flow = FLOW_BRANCH;
	explanation->loop.insn[unroll + 2].target = 0x401000;
	limits->insn[unroll + 2].fused = true;
	if (unroll == 12) {
		limits->insn[1].known = false;
		limits->unknown = 1;
	}
	limits->turns = 1;
	limits->elements = n;
	limits->chain =
		(struct chain){ .cycles = latency * n / (double)(tree ? unroll : acc), .spans = 1 };
	limits->port_count = PORTS;
	for (int i = 0; i < 4; i++) {
		limits->pressure[ALU + i] = (2 + (real ? 0 : n)) / 4;
		limits->naive[ALU + i] = limits->pressure[ALU + i] + (i == 1	      ? 0.25
									     : i == 3 ? -0.25
										      : 0);
	}
	for (int i = 0; i < 3; i++)
		limits->pressure[AGU + i] = limits->naive[AGU + i] = n / 3;
	for (int i = 0; i < 2 && real; i++)
		limits->pressure[FP + i] = limits->naive[FP + i] = n / 2;
	limits->bottleneck = real ? 3u << FP : 15u << ALU;
	if (ice)
		ice_ports(limits, n, real);
	explanation->loop.insns_per_element = canned_instructions(question->kernel, question->v);
	limit(limits, LIMIT_LATENCY, latency / (double)(tree ? unroll : acc),
		"%.0f %s%s of %.0f cycles, one after the other", n / (double)(tree ? unroll : acc),
		op, unroll > acc ? "s" : "", latency);
	limit(limits, LIMIT_PORTS, real ? 0.5 : (n + 2) / 4 / n,
		ice    ? "%.0f micro-ops for p0 and p1"
		: real ? "%.0f micro-ops for fp0 and fp1"
		       : "%.0f micro-ops for alu0 to alu3",
		real ? n : n + 2);
	limit(limits, LIMIT_LOADS, 1.0 / 3, "%.0f loads, 3 a cycle", n);
	limit(limits, LIMIT_WIDTH, (n + 2) / 8 / n, "%.0f fused micro-ops, 8 a cycle", n + 2);
	limit(limits, LIMIT_TAKEN, 1 / n, "1 taken branch, 1 a cycle");
	if (!real)
		limit(limits, LIMIT_SCHEDULING, (n + 2) / 3.8 / n,
			"%.0f integer operations on the chosen ports, 3.8 a cycle", n + 2);
	if (unroll == 14)
		limit(limits, LIMIT_ALIGNMENT, 0.52, "the loop crosses a line of 64 bytes of code");
	memory_limits(question, limits, fmin(1, (double)(stride * bytes) / 64));
	if (stride == 1 && mul && type == 3 && unroll == 8 && acc == 4)
		explanation->function = "combine_mul_f64_u8_a4_s1";
}

/* A walk along pointers, seen step by step. */
static void explain_list(
	const struct explain_question *question, bool ice, struct explanation *explanation)
{
	struct limits *limits = &explanation->limits;

	insn(explanation, 3, 1, 4, "agu", "mov rax, qword ptr [rax]");
	insn(explanation, 4, 1, 1, "alu", "add rcx, 0x1");
	insn(explanation, 3, 1, 1, "alu", "test rax, rax");
	insn(explanation, 2, 0, UARCH_UNKNOWN, "", "jne 0x401000");
	explanation->loop.insn[3].flow = FLOW_BRANCH;
	explanation->loop.insn[3].target = 0x401000;
	limits->insn[0].carried = limits->insn[3].fused = true;
	explanation->loop.stepped = true;
	explanation->loop.turns = 128;
	explanation->loop.insns_per_element = 4.0078125;
	limits->turns = limits->elements = 128;
	limits->slots *= 128;
	for (int i = 0; i < 4; i++)
		limits->insn[i].count = i == 1 ? 32 : 128;
	limits->chain = (struct chain){ .cycles = 4 * 128, .spans = 1, .loads = 128 };
	limits->port_count = PORTS;
	for (int i = 0; i < 4; i++)
		limits->pressure[ALU + i] = limits->naive[ALU + i] = 0.5;
	for (int i = 0; i < 3; i++)
		limits->pressure[AGU + i] = limits->naive[AGU + i] = 1.0 / 3;
	limits->bottleneck = 15u << ALU;
	if (ice)
		ice_ports(limits, 1, false);
	limit(limits, LIMIT_LATENCY, 4,
		"a load of 4 cycles whose address is what the one before it loaded");
	limit(limits, LIMIT_PORTS, 0.5, "2 micro-ops for alu0 to alu3");
	limit(limits, LIMIT_TAKEN, 1, "1 taken branch, 1 a cycle");
	limit(limits, LIMIT_WIDTH, 3.0 / 8, "3 fused micro-ops, 8 a cycle");
	memory_limits(question, limits, value(question, "order", 0) ? 1 : 0.25);
}

/* ---- decoded code ---- */

static const char small_core[] =
	"uarch small Small core\nisa x86_64\nwidth 4 [M]\nports p0 p1 p2 p10 [M]\n"
	"class load latency 4 ports p2,p10 [M]\nclass vload latency 5 ports p2,p10 [M]\nclass fmul "
	"latency 4 ports p0,p1 [M]\n"
	"class fadd latency 3 ports p0,p1 [M]\nclass alu latency 1 ports p0,p1 [M]\n"
	"class branch ports p0 [M]\nfuse cmp with e ne [M]\nsize rob 64 [M]\n"
	"size scheduler 32 [M]\n";

/* combine as the core knows it: one load and operation for each element, a counter and a branch. */
static void explain_decoded(const struct canned *canned, const struct explain_question *question,
	struct explanation *explanation)
{
	int64_t unroll = value(question, "unroll", 1), acc = value(question, "acc", 1);
	char source[4096], *part;
	size_t length = 0;

	for (int64_t i = 0; i < unroll; i++)
		length += (size_t)snprintf(source + length, sizeof(source) - length,
			"vmulsd xmm%d, xmm%d, [rdx+%d];", (int)(i % acc), (int)(i % acc),
			(int)(8 * i));
	snprintf(source + length, sizeof(source) - length, "add rdx, %d; cmp rdx, rcx; jne 0x1000",
		(int)(8 * unroll));
	loop_free(&explanation->loop);
	assembly_loop(source, &explanation->loop);
	part = source;
	for (int i = 0; i < explanation->loop.insn_count; i++) {
		part += strspn(part, "; ");
		snprintf(explanation->loop.insn[i].text, sizeof(explanation->loop.insn[i].text),
			"%.*s", (int)strcspn(part, ";"), part);
		part += strcspn(part, ";");
	}
	explanation->loop.elements = (double)unroll;
	limits_compute(&explanation->loop, canned->uarch, &(struct limits_place){ 0 },
		&explanation->limits);
}

void canned_decode(struct canned *canned)
{
	struct status status = uarch_parse(small_core, "small", &canned->uarch);

	canned->decoded = true;
	if (!status_is_ok(&status))
		fprintf(stderr, "%s\n", status.text);
}

static void explain_canned(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	const struct canned *canned = context;
	struct loop *loop = &explanation->loop;
	bool ice = is_ice(context) && !question->foreign;

	loop_clear(loop);
	limits_clear(&explanation->limits);
	explanation->limits.binding = explanation->limits.predicted_by = 0;
	limits_reserve(&explanation->limits, LOOP_INSNS);
	explanation->status = status_ok();
	explanation->kernel = question->kernel;
	memcpy(explanation->v, question->v,
		(size_t)question->kernel->knob_count * sizeof(question->v[0]));
	explanation->foreign = question->foreign;
	explanation->function = NULL;
	if (canned->decoded) {
		explain_decoded(canned, question, explanation);
		return;
	}
	if (strcmp(question->kernel->name, "combine") == 0)
		explain_combine(question, ice, explanation);
	else if (strcmp(question->kernel->name, "list-length") == 0)
		explain_list(question, ice, explanation);
	else
		explanation->status =
			status_failed("stepping is refused here: seccomp forbids ptrace");
	settle(&explanation->limits);
}

void canned_entries(struct canned *canned)
{
	struct status status = uarch_load("zen5", "x86_64", &canned->uarch);

	if (!status_is_ok(&status))
		fprintf(stderr, "%s\n", status.text);
}

struct explainer canned_explainer(struct canned *canned)
{
	return (struct explainer){ .context = canned,
		.recognise = recognise,
		.load = load,
		.unload = unload,
		.explain = explain_canned,
		.events = canned->counters == CANNED_UNASKED ? NULL : canned_events,
		.modelled = canned_modelled,
		.read = read_text };
}
