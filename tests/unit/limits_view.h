/* Views for the tests of panels: one quiet sample, and one with limits and code. */
#pragma once

#include "drawn.h"
#include "fakes.h"

#include <locale.h>

/* A view of one quiet sample. */
static inline void begin(void)
{
	view_begin(&kernel_fold);
	view.sample.dropped = 1509;
	view.sample.quiet = 0.12;
}

static struct explanation *explanation;
static struct core core;

/* Two hard limits, a soft effect, one that is not known; three instructions, the first two a chain.
 */
static inline void begin_limits(void)
{
	static const char *const texts[] = { "imul rax, rbx", "add rax, rcx", "bogus" };
	struct limits *limits;

	begin();
	if (!explanation)
		explanation = explanation_new();
	limits = &explanation->limits;
	limits_clear(limits);
	limits->binding = limits->predicted_by = 0;
	limits_reserve(limits, 3);
	core = (struct core){ .name = "own",
		.title = "Own Core",
		.port_count = 3,
		.port = { "p0", "p1", "div" },
		.unit = { false, false, true } };
	limits->limit_count = 4;
	limits->limit[0] =
		(struct limit){ LIMIT_SCHEDULING, true, false, false, 4.5, 4.5, "the soft cause" };
	limits->limit[1] =
		(struct limit){ LIMIT_LATENCY, true, true, false, 4, 4, "the hard cause" };
	limits->limit[2] =
		(struct limit){ LIMIT_WIDTH, true, true, false, 1, 1, "the width's cause" };
	limits->limit[3] = (struct limit){ LIMIT_MEMORY_LINES, false, true, false, 0, 0,
		"the missing number" };
	limits->binding = 1;
	limits->bound = 4;
	limits->predicted = 4.5;
	limits->turns = limits->elements = 1;
	limits->slots = 2;
	limits->unknown = 1;
	limits->port_count = 3;
	limits->pressure[0] = 1.5;
	limits->pressure[1] = 0.5;
	limits->naive[0] = limits->naive[1] = 1;
	limits->bottleneck = 1;
	limits->chain.cycles = 4;
	loop_clear(&explanation->loop);
	explanation->loop.insn_count = 3;
	for (int i = 0; i < 3; i++) {
		struct insn *insn = &explanation->loop.insn[i];

		*insn = (struct insn){ .address = 0x400000 + (uint64_t)i * 4,
			.length = 4,
			.known = true,
			.write_count = 1 };
		snprintf(insn->text, sizeof(insn->text), "%s", texts[i]);
		limits->insn[i] = (struct limit_insn){
			.known = i < 2, .carried = i < 2, .slots = 1, .latency = 3, .count = 1
		};
		snprintf(limits->insn[i].ports, sizeof(limits->insn[i].ports), "p%d", i);
	}
	view.sample.cpe = 4.4;
	view.explanation = explanation;
	view.core = &core;
	view.gap = (struct gap){ .kind = GAP_SOFT, .words = "the gap's words", .brief = "+0.400" };
	view.advice = (struct advice){ .kind = ADVICE_KNOB,
		.to = 2,
		.words = "acc=2 shortens the chain: 2.000 predicted",
		.set = "acc=2",
		.brief = "acc=2" };
}

/* explanation outlives the tests that share it. */
static inline int free_explanation(void **state)
{
	explanation_free(explanation);
	return 0;
}

static inline int set_up(void **state)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	return 0;
}
