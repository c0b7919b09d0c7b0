/* Any text as a core model, as a table of instructions and as a list of events: refused with
 * origin, line and reason, or good for every question. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "model/core/uarch.h"
#include "model/core/uarch_inside.h"
#include "model/counts/events.h"

static const char core[] =
	"uarch x An X\nisa x86_64\nmatch vendor GenuineIntel family 6 model 4e,5e-5f stepping 0-3 "
	"with avx512f without amx-tile [P,K]\n"
	"width 4 [TD]\nports p0 p1 p2 [TD,A]\nunits div\nset alu p0 p1\nclass alu latency 1 ports "
	"alu [L]\n"
	"class fadd.512 latency 4 accumulate 2 slots 2 ports 2*p0,p1 + 0.5*p2:3 + div:10 "
	"[L]\nclass nop ports none [L]\n"
	"class load latency 5 ports p2 [L]\nclass fma latency 4 accumulate unknown ports unknown "
	"[L]\n"
	"chain alu fadd 2 [M]\nfuse cmp test with e ne b unless memory-immediate store [SO]\n"
	"unlaminate indexed unless two-operand stores [SO]\ncap loads 2 [TD]\nsize rob 224 "
	"[TD]\nextra forward 4.5 [TD]\n"
	"cache 1 bytes 32768 latency 4 [IOM]\ncache 2 bytes 262144 latency 12 lines 0.5 [WC]\n"
	"pmu skl [P]\nevent uops = UOPS_ISSUED:ANY [PE]\nevent ports p0,alu = perf_raw::r01a1 "
	"[LK]\n"
	"event stalled store buffer full = RESOURCE_STALLS:SB:c=1 [PE]\n";
static const char measured[] = "uarch m-6-a7 A, measured\nisa x86_64\nmatch vendor GenuineIntel "
			       "family 6 model a7 stepping 1 with l1i-64k [measured]\n"
			       "width 6±0.01 [measured] # 5.99\nports p0 p1 [measured]\nclass alu "
			       "latency 1±0.003 each 0.25±0.001 ports p0,p1 [measured]\n"
			       "class fma latency 4±0.01 accumulate 2±0.02 slots 1±0 ports unknown "
			       "[measured]\nchain alu alu 1±0.1 [measured]\n"
			       "cap loads 3±0.01 [measured,TD]\nsize rob 508±2 [measured]\nextra "
			       "forward 4.97±0.3 [measured]\n"
			       "cache 1 bytes 49152±512 latency 5±0.01 lines 0.5±0.1 "
			       "[measured]\nsize calls 30±± [measured]\n";
static const char child[] = "uarch y A Y # inherits\nisa x86_64\nfrom skylake\nports p0 p1 p2 p3 "
			    "p4 p5 p6 p7 p8 [L]\nset alu p0 p1 p8\n"
			    "class alu latency 1 ports alu [L]\nunknown class imul\nunknown extra "
			    "mispredict\nunknown fuse cmp\nfuse add with all [SO]\n"
			    "pmu skx [P]\nevent ports = none\nevent stalled back end = none\nevent "
			    "ports p8,alu = A:B [PE]\n";
static const char arm[] =
	"uarch z A Z\nisa aarch64\nfrom neoverse-n1\nmatch implementer 41 part d0c-d0d,d40 "
	"[P]\nwidth unknown\n"
	"class writeback latency 1 slots 0 ports alu [L]\nfuse cmp tst with eq ne hs [Ltd]\n";
static const char table[] =
	"nop * nop\nmov r,m -\n~addsd,~addps v,* fadd\nadd r,i8 alu-immediate\nadd,sub * alu\nlea "
	"r,[bisd] lea-slow\nshl r,c shift-cl\n"
	"shl *,i=1 shift\nvfmadd* * fma\ncdq - alu\nadd r,r,r<s alu\nfallback alu-immediate "
	"alu\nfallback lea-slow lea\n";
static const char events[] = "event cycles = perf::PERF_COUNT_HW_CPU_CYCLES [LK]\nevent stalled "
			     "front end = perf::STALL [LK]\nevent l1-misses = a::B [M]\n";
static const char names[] = "M measured\nL LLVM # model\nTD Travis Downs\n";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(core), FUZZ_TEXT(measured), FUZZ_TEXT(child),
	FUZZ_TEXT(arm), FUZZ_TEXT(table), FUZZ_TEXT(events), FUZZ_TEXT(names), { NULL, 0 } };
const size_t fuzz_longest = 2048;

static void demand(bool good)
{
	if (!good)
		abort();
}

static const struct insn questions[] = {
	{ .known = true,
		.mnemonic = "add",
		.shape = "r,i",
		.width = 64,
		.immediate = true,
		.value = -129 },
	{ .known = true,
		.mnemonic = "add",
		.shape = "r,m",
		.width = 64,
		.memory_count = 1,
		.memory = { { .load = true, .base = 1, .index = 2, .accesses = 1, .size = 8 } } },
	{ .known = true,
		.mnemonic = "mov",
		.shape = "m,r",
		.width = 32,
		.memory_count = 1,
		.writeback = true,
		.memory = { { .store = true, .base = 1, .accesses = 1, .size = 4, .disp = -8 } } },
	{ .known = true,
		.mnemonic = "ldp",
		.shape = "v,v,m",
		.width = 128,
		.vector = true,
		.memory_count = 1,
		.memory = { { .load = true, .base = 1, .accesses = 2, .size = 32 } } },
	{ .known = true,
		.mnemonic = "vgatherdpd",
		.shape = "v,m",
		.width = 512,
		.vector = true,
		.memory_count = 1,
		.memory = { { .load = true,
			.base = 1,
			.index = 40,
			.vector_index = true,
			.accesses = 8,
			.size = 64 } } },
	{ .known = true, .mnemonic = "jne", .shape = "t", .flow = FLOW_BRANCH, .condition = "ne" },
	{ .known = true, .mnemonic = "cmp", .shape = "r,r", .width = 64 },
	{ .known = true, .mnemonic = "xor", .shape = "r,r", .width = 32, .zeroing = true },
	{ .known = false },
};

enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

static void check_class(const struct uarch *uarch, const struct uarch_class *class)
{
	struct text text = { 0 };

	demand(strlen(class->name) > 0 && class->slots >= 0 && class->term_count <= UARCH_TERMS);
	for (int i = 0; i < class->term_count; i++) {
		demand(class->term[i].ports &&
			class->term[i].ports >> uarch_port_count(uarch) == 0);
		demand(class->term[i].count > 0 && class->term[i].cycles > 0);
	}
	/* What has a number has a source. */
	demand(class->tags || (!class->executes && !uarch_known(class->latency)));
	uarch_sources(uarch, class->tags, &text);
	text_free(&text);
}

static void check_event(const struct uarch_event *event, int ports)
{
	demand(event->role < ROLE_EXTRA && strstr(event->name, "::") && event->tags &&
		event->title[0]);
	demand((event->role == ROLE_PORTS) == (event->ports != 0) && event->ports >> ports == 0);
	demand((event->role == ROLE_DISPATCHED || event->role == ROLE_STALLED) ==
		(event->words[0] != '\0'));
	events_title(event, NULL);
}

static void check_plan(const struct uarch *uarch)
{
	static const char *const extra[] = { "skl::UOPS_ISSUED:ANY",
		"perf::PERF_COUNT_SW_PAGE_FAULTS" };
	struct event_plan *plan = malloc(sizeof(*plan));
	enum event_role lacking[ROLE_COUNT];

	if (!plan)
		return;
	events_plan(uarch, extra, 2, plan);
	demand(plan->counters.count <= COUNTERS_MAX &&
		plan->counters.cycles < plan->counters.count);
	demand(plan->generic == (uarch->event_count == 0) &&
		events_lacking(plan, lacking) < ROLE_COUNT);
	free(plan);
}

static void ask(const struct uarch *uarch)
{
	demand(uarch_port_count(uarch) > 0 && uarch_port_count(uarch) <= UARCH_PORTS);
	for (int i = 0; i < uarch_port_count(uarch); i++)
		demand(strlen(uarch->port[i]) > 0);
	for (int i = 0; i < uarch->class_count; i++)
		check_class(uarch, &uarch->class[i]);
	for (int i = 0; i < uarch->event_count; i++)
		check_event(&uarch->event[i], uarch_port_count(uarch));
	check_plan(uarch);
	for (int i = 0; i < QUESTIONS; i++) {
		struct uarch_insn facts;
		double slows;

		uarch_insn(uarch, &questions[i], &facts);
		demand(facts.known || facts.slots == 0);
		demand(!facts.known || facts.op || facts.load || facts.store);
		demand(facts.slots >= facts.unlaminated && facts.unlaminated >= 0);
		if (facts.op)
			(void)uarch_chain(uarch, facts.op, facts.op, &slows);
		for (int k = 0; k < QUESTIONS; k++)
			(void)uarch_fuses(uarch, &questions[i], &questions[k]);
	}
}

static void check_refusal(const struct status *status)
{
	demand(status->code == STATUS_FAILED && strlen(status->text) > 5 &&
		!strchr(status->text, '\n'));
	demand(strncmp(status->text, "text:", 5) == 0 ||
		strncmp(status->text, "built-in uarch/", 15) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct uarch_event event[4];
	struct uarch_ops *ops;
	struct uarch *uarch;
	struct status status;
	int count;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	status = uarch_parse(text, "text", &uarch);
	demand(status_is_ok(&status) == (uarch != NULL));
	if (uarch)
		ask(uarch);
	else
		check_refusal(&status);
	uarch_free(uarch);

	status = ops_parse(text, "text", &ops);
	demand(status_is_ok(&status) == (ops != NULL));
	for (int i = 0; ops && i < QUESTIONS; i++)
		demand(ops_find(ops, &questions[i]) < ops->class_count);
	if (!ops)
		check_refusal(&status);
	ops_free(ops);

	status = events_parse(text, "text", event, 4, &count);
	demand(count <= 4 && (status_is_ok(&status) || count == 0));
	for (int i = 0; i < count; i++)
		check_event(&event[i], 0);
	if (!status_is_ok(&status))
		check_refusal(&status);
	free(text);
	return 0;
}
