/* The code of the kernel `window`: N fillers of each kind stand between two misses, and no other
 * number; and what the model makes of it. */
#include "check.h"

#include "engine/memory/code_buffer.h"

#include "experiment/setting/setting.h"
#include "kernels/kernel.h"
#include "kernels/window.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

static struct explanation *explanation;
static struct uarch *core;

enum { CHAINS = 2 };

static const struct kernel *window(void)
{
	const struct kernel *kernel = kernel_find("window");

	assert_non_null(kernel);
	return kernel;
}

static void ask(int64_t filler, int64_t fillers, const char *remedy)
{
	struct explain_question question = { .seed = 1, .uarch = core };
	struct setting setting;
	char words[64], *rest;

	setting_init(&setting, window());
	setting.v[kernel_knob(window(), "filler")] = filler;
	setting.v[kernel_knob(window(), "fillers")] = fillers;
	snprintf(words, sizeof(words), "%s", remedy ? remedy : "");
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		check_ok(setting_assign(&setting, word, MEMORY_LIMITS_UNKNOWN));
	question.kernel = setting.kernel;
	question.v = setting.v;
	question.measured =
		(struct memory_facts){ .cache[2] = { 1 << 20, 1 << 20, 1 << 20, CACHE_MEASURED },
			.l3 = { .known = true, .latency = 100, .lines = 0.2 },
			.memory = { .known = true, .latency = 400, .lines = 0.1 } };
	explain(&question, explanation);
	check_ok(explanation->status);
}

static bool chases(const struct insn *insn)
{
	return insn->memory_count == 1 && insn->memory[0].load && insn->write_count == 1 &&
	       insn->memory[0].base == insn->writes[0];
}

static bool is(const struct insn *insn, const char *names)
{
	char name[32], list[128];

	snprintf(name, sizeof(name), " %s ", insn->mnemonic);
	snprintf(list, sizeof(list), " %s ", names);
	return strstr(list, name) != NULL;
}

/* What a filler is, and what goes along with it. */
static bool is_filler(int filler, const struct insn *insn)
{
	switch (filler) {
	case WINDOW_NOP: return is(insn, "nop");
	case WINDOW_ADD: return is(insn, "add") && !insn->vector;
	case WINDOW_VECTOR:
	case WINDOW_WAIT_VECTOR: return is(insn, "paddq add") && insn->vector;
	case WINDOW_BOTH: return is(insn, "paddq add");
	case WINDOW_ZERO: return insn->zeroing || is(insn, "mov movz");
	case WINDOW_CONSTANT: return is(insn, "mov movz") && insn->immediate && !insn->zeroing;
	case WINDOW_LOAD:
	case WINDOW_WAIT_LOAD:
		return insn->memory_count == 1 && insn->memory[0].load && !chases(insn);
	case WINDOW_STORE: return insn->memory_count == 1 && insn->memory[0].store;
	case WINDOW_JUMP: return insn->flow == FLOW_JUMP;
	case WINDOW_BRANCH: return insn->flow == FLOW_BRANCH;
	case WINDOW_INDIRECT: return insn->flow == FLOW_INDIRECT;
	case WINDOW_CALL: return insn->flow == FLOW_CALL;
	case WINDOW_LINK: return insn->flow == FLOW_INDIRECT;
	case WINDOW_WAIT: return is(insn, "lea add");
	default: return false;
	}
}

static bool goes_along(int filler, const struct insn *insn)
{
	switch (filler) {
	case WINDOW_JUMP: return is(insn, "nop");
	case WINDOW_INDIRECT: return is(insn, "nop lea adr");
	case WINDOW_CALL: return insn->flow == FLOW_RETURN;
	case WINDOW_LINK: return is(insn, "nop lea adr") || insn->flow == FLOW_JUMP;
	case WINDOW_WAIT_VECTOR: return is(insn, "movq fmov");
	default: return false;
	}
}

/* Fillers from the n-th miss of the path to the next, or to its end; -1: something else stands
 * between. */
static int between(int filler, int miss)
{
	const struct loop *loop = &explanation->loop;
	int seen = -1, count = 0;

	for (int i = 0; i < loop->path_count; i++) {
		const struct insn *insn = &loop->insn[loop->path[i].insn];
		bool closing = miss == CHAINS - 1 && i >= loop->path_count - 2;

		if (chases(insn)) {
			seen++;
		} else if (seen == miss && !closing) {
			if (is_filler(filler, insn))
				count++;
			else if (!goes_along(filler, insn))
				return -1;
		}
	}
	return count;
}

TEST(the_fillers_are_as_many_as_asked_for)
{
	static const int64_t numbers[] = { 0, 1, 5, 6, 7, 12, 13, 100, 513 };

	for (int filler = 0; filler < WINDOW_KINDS; filler++)
		for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
			int64_t n = numbers[i];

			ask(filler, n, NULL);
			for (int miss = 0; miss < CHAINS; miss++)
				if (between(filler, miss) != n)
					fail_msg(
						"filler=%s fillers=%lld: %d of them behind miss %d",
						window_fillers[filler].name, (long long)n,
						between(filler, miss), miss);
		}
}

TEST(names_are_those_of_the_knob)
{
	const struct knob *knob = &window()->knobs[kernel_knob(window(), "filler")];

	for (int filler = 0; filler < WINDOW_KINDS; filler++) {
		assert_string_equal(knob->choices[filler], window_fillers[filler].name);
		assert_int_equal(window_kind(knob->choices[filler]), filler);
		assert_true(window_fillers[filler].each > 0 && window_fillers[filler].own >= 0);
	}
	assert_null(knob->choices[WINDOW_KINDS]);
	assert_int_equal(window_kind("mortar"), -1);
}

/* ---- Limits */

static const struct limit *find(enum limit_kind kind)
{
	for (int i = 0; i < explanation->limits.limit_count; i++)
		if (explanation->limits.limit[i].kind == kind)
			return &explanation->limits.limit[i];
	return NULL;
}

/* Cycles of an iteration as far as misses go. */
static double waits(void)
{
	const struct limit *chain = find(LIMIT_MEMORY_LATENCY), *window_full = find(LIMIT_WINDOW),
			   *misses = find(LIMIT_MISSES);
	double most = chain ? chain->cycles : 0;

	most = misses && misses->cycles > most ? misses->cycles : most;
	return window_full && window_full->cycles > most ? window_full->cycles : most;
}

enum { ENTRIES = 60, PLENTY = 600 };

/* A core that has plenty of everything but of what one filler fills. */
static void make_core(int filler)
{
	char text[8192];
	int used;

	uarch_free(core);
	core = NULL;
#if defined(__x86_64__)
	used = snprintf(text, sizeof(text), "uarch test a core\nisa x86_64\nfrom skylake\n");
#else
	used = snprintf(text, sizeof(text), "uarch test a core\nisa aarch64\nfrom neoverse-n1\n");
#endif
	for (int i = 0; i < WINDOW_KINDS; i++) {
		const char *word = window_fillers[i].buffer;
		char line[64];

		snprintf(line, sizeof(line), "size %s %d [M]\n", word,
			strcmp(word, window_fillers[filler].buffer) == 0 ? ENTRIES : PLENTY);
		if (!strstr(text, line))
			used += snprintf(text + used, sizeof(text) - (size_t)used, "%s", line);
	}
	check_ok(uarch_parse(text, "test", &core));
}

TEST(misses_overlap_until_the_buffer_is_full)
{
	for (int filler = 0; filler < WINDOW_KINDS; filler++) {
		const struct window_filler *fact = &window_fillers[filler];
		int64_t knee = (int64_t)((ENTRIES - fact->own) / fact->each);
		double before, after;

		make_core(filler);
		ask(filler, knee, NULL);
		before = waits();
		ask(filler, knee + 1, NULL);
		after = waits();
		if (!(before > 150) || fabs(after / before - 2) > 0.05)
			fail_msg("filler=%s: %g cycles with %lld, %g with one more", fact->name,
				before, (long long)knee, after);
	}
}

TEST(remedies_put_the_misses_back_into_the_window)
{
	const struct limit *full;
	double apart;

	make_core(WINDOW_STORE);
	ask(WINDOW_STORE, 200, NULL);
	apart = waits();
	full = find(LIMIT_WINDOW);
	assert_non_null(full);
	check_contains(full->cause, "1 at a time: the 60 entries of the store queue");
	assert_false(full->hard);
	ask(WINDOW_STORE, 200, "remedy=jam");
	check_near(waits() / apart, 0.5, 0.05);
	ask(WINDOW_STORE, 200, "remedy=prefetch");
	check_near(waits() / apart, 0.5, 0.05);
	/* 60 of 200 stores fit between a miss and the prefetch of the next one. */
	ask(WINDOW_STORE, 200, "remedy=prefetch distance=141");
	check_near(waits() / apart, 0.5, 0.05);
	ask(WINDOW_STORE, 200, "remedy=prefetch distance=139");
	check_near(waits() / apart, 1, 0.05);
	ask(WINDOW_STORE, 20, NULL);
	check_near(waits() / apart, 0.5, 0.05);
	assert_null(find(LIMIT_WINDOW));
}

static int begin(void **state)
{
	explanation = explanation_new();
	make_core(WINDOW_STORE);
	return 0;
}

static int end(void **state)
{
	explanation_free(explanation);
	uarch_free(core);
	return 0;
}

/* Many nodes take a while: how far that is, is told. */
TEST(laying_nodes_out_is_told)
{
	enum { MEMORY = 4 << 20 };
	static atomic_bool never;
	const struct kernel *kernel = kernel_find("window");
	struct kernel_run run = { .kernel = kernel,
		.memory = aligned_alloc(2 << 20, MEMORY),
		.seed = 1,
		.work.cancel = &never };
	atomic_uint progress = 0;
	struct code_buffer made = { 0 };

	for (int i = 0; i < kernel->knob_count; i++)
		run.v[i] = kernel->knobs[i].initial;
	run.v[kernel_axis(kernel, AXIS_SIZE)] = MEMORY;
	run.work.progress = &progress;
	check_ok(code_buffer_prepare(&made, &run));
	assert_in_range(progress, 800, 1000);
	code_buffer_free(&made);
	free(run.memory);
}

RUN_TESTS(.set_up = begin, .tear_down = end)
