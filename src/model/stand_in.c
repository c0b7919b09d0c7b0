/* Stands in for the parts of the model that are not there yet, so that the layers above can be built and tested. It goes away
 * with them. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/explain.h"

struct explanation *explanation_new(void)
{
	struct explanation *explanation = memory_new(1, sizeof(*explanation));

	loop_init(&explanation->loop, LOOP_INSNS, LOOP_PATH);
	return explanation;
}

void explanation_free(struct explanation *explanation)
{
	if (explanation)
		loop_free(&explanation->loop);
	free(explanation);
}

void explain(const struct explain_question *question, struct explanation *explanation)
{
	explanation->kernel = question->kernel;
	explanation->status = status_make(STATUS_FAILED, "there is no model yet");
}

enum uarch_match uarch_recognise(const struct machine *machine, char name[24], char why[160])
{
	(void)machine;
	name[0] = why[0] = '\0';
	return UARCH_NONE;
}

struct status uarch_load(const char *name, const char *isa, struct uarch **uarch)
{
	(void)isa;
	*uarch = NULL;
	return status_make(STATUS_USAGE, "unknown core \"%.20s\": there is no model yet", name);
}

void uarch_free(struct uarch *uarch)
{
	free(uarch);
}

const char *uarch_name(const struct uarch *uarch)
{
	return uarch ? "" : "none";
}

const char *uarch_title(const struct uarch *uarch)
{
	return uarch ? "" : "none";
}

int uarch_port_count(const struct uarch *uarch)
{
	return uarch ? 1 : 0;
}

const char *uarch_port(const struct uarch *uarch, int port)
{
	(void)uarch, (void)port;
	return "p";
}

bool uarch_port_is_unit(const struct uarch *uarch, int port)
{
	(void)uarch, (void)port;
	return false;
}

static const struct {
	const char *name, *title, *remedy;
} names[LIMIT_COUNT] = {
	[LIMIT_WIDTH] = { "width", "rename width", "Fewer instructions an element: unroll, vectorise, or fold loads." },
	[LIMIT_PORTS] = { "ports", "port pressure", "Use instructions that other ports can execute, or fewer of these." },
	[LIMIT_DIVIDER] = { "divider", "divider", "Multiply by a reciprocal." },
	[LIMIT_LOADS] = { "loads", "loads", "Load more with each instruction, or keep values in registers." },
	[LIMIT_VECTOR_LOADS] = { "vector-loads", "vector loads", "Use wider vectors." },
	[LIMIT_STORES] = { "stores", "stores", "Write more with each store." },
	[LIMIT_ADDRESSES] = { "addresses", "addresses", "Fewer loads and stores." },
	[LIMIT_COMPLEX] = { "complex-addressing", "complex addressing", "Use one register and a small offset." },
	[LIMIT_SPLITS] = { "split-lines", "split lines", "Align the data." },
	[LIMIT_TAKEN] = { "taken-branches", "taken branches", "Unroll." },
	[LIMIT_LATENCY] = { "latency", "loop-carried latency", "Break the chain: more accumulators." },
	[LIMIT_MEMORY_LATENCY] = { "memory-latency", "memory latency", "Make the working set smaller." },
	[LIMIT_MEMORY_LINES] = { "memory-lines", "lines from memory", "Make the working set smaller." },
	[LIMIT_MISSES] = { "misses-in-flight", "misses in flight", "Fewer instructions between loads." },
	[LIMIT_ALIGNMENT] = { "alignment", "front-end alignment", "Align the loop." },
	[LIMIT_OPCACHE] = { "op-cache", "op cache", "A smaller loop." },
	[LIMIT_DECODE] = { "decode", "decoding", "Shorter instructions." },
	[LIMIT_SATURATION] = { "alu-saturation", "ALU saturation", "Fewer integer operations." },
	[LIMIT_MISPREDICTION] = { "misprediction", "misprediction", "Branches that can be predicted, or none." },
	[LIMIT_FORWARDING] = { "forwarding", "store forwarding", "Keep the value in a register." },
	[LIMIT_PAGE_WALKS] = { "page-walks", "page walks", "Huge pages." },
	[LIMIT_ALIASING] = { "4k-aliasing", "4 KiB aliasing", "Move one of the arrays." },
	[LIMIT_UNLAMINATION] = { "un-lamination", "un-lamination", "Addresses without an index." },
};

const char *limit_name(enum limit_kind kind)
{
	return kind < LIMIT_COUNT && names[kind].name ? names[kind].name : "";
}

const char *limit_title(enum limit_kind kind)
{
	return kind < LIMIT_COUNT && names[kind].title ? names[kind].title : "";
}

enum limit_kind limit_find(const char *name)
{
	for (int i = 0; i < LIMIT_COUNT; i++)
		if (names[i].name && strcmp(names[i].name, name) == 0)
			return (enum limit_kind)i;
	return LIMIT_COUNT;
}

const char *limit_remedy(enum limit_kind kind)
{
	return kind < LIMIT_COUNT && names[kind].remedy ? names[kind].remedy : "";
}
