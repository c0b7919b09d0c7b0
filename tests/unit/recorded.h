/* Something to record, made up, and its recording in a folder of its own, which is read back.
 *
 * The fixtures are set_up_all(), tear_down_all(), set_up() and tear_down(). */
#pragma once

#include "check.h"

#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

/* Its wide form needs what no processor has: refused here, and yet it may have been recorded
 * elsewhere. */
static const char *const wide_forms[] = { "narrow", "wide", NULL };
static const struct knob wide_knobs[] = {
	KNOB_ROW_CHOICE("form", "how wide", wide_forms),
	KNOB_ROW_BYTES("size", "bytes", 64, KNOB_MAX_MEMORY, 4096, .axis = AXIS_SIZE),
};

static inline struct status wide_check(const int64_t *v)
{
	return v[0] ? status_failed("form=wide needs what this processor lacks") : status_ok();
}

static inline uint64_t wide_footprint(const int64_t *v)
{
	return (uint64_t)v[1];
}

static const struct kernel kernel_wide = { .name = "wide",
	.title = "wide",
	.element = "element",
	.knobs = wide_knobs,
	.knob_count = 2,
	.check = wide_check,
	.footprint = wide_footprint };
#define FAKE_KERNELS &kernel_wide,
#include "fakes.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "experiment/cost/cost.h"
#include "experiment/slack/slack.h"
#include "experiment/why/why.h"
#include "recording/fields.h"
#include "recording/recording.h"
#include "recording/records.h"
#include "recording/replay.h"

/* ---- something to record ---- */

static struct machine machine;
static struct core core;
static struct event_plan plan;
static struct explanation *explanation;
static struct recording_place place;
static char directory[] = "/tmp/slexplore-test-XXXXXX", path[64];

static inline int set_up_all(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	return mkdtemp(directory) ? 0 : -1;
}

static inline int tear_down_all(void **state)
{
	return rmdir(directory);
}

static inline void add_event(
	enum event_role role, uint32_t ports, const char *words, const char *name)
{
	int at = plan.counters.count++;

	snprintf(plan.counters.event[at].name, COUNTER_NAME, "%s", name);
	plan.counters.event[at].must = event_roles[role].must;
	plan.meaning[at] = (struct uarch_event){ .role = role, .ports = ports };
	snprintf(plan.meaning[at].words, EVENT_WORDS, "%s", words);
	snprintf(plan.meaning[at].name, COUNTER_NAME, "%s", name);
	snprintf(plan.meaning[at].title, EVENT_TITLE, "the %s", name);
	set_words(plan.meaning[at].core, "odd");
}

static inline int set_up(void **state)
{
	snprintf(path, sizeof(path), "%s/one.jsonl", directory);
	unlink(path);
	memset(&machine, 0, sizeof(machine));
	atomic_store(&machine.known, true);
	set_words(machine.host, "node7");
	set_words(machine.name, "Test CPU, \"quoted\"");
	set_words(machine.arch, "aarch64");
	set_words(machine.clock_name, "add chain");
	set_words(machine.bind_note, "refused");
	set_words(machine.processor.features, " sve ");
	machine.processor.implementer = 0x41;
	machine.processor.part = 0xd0c;
	machine.processors = 4;
	machine.cpu = 3;
	machine.virtualised = machine.watched = true;
	machine.memory_limit = (uint64_t)3 << 30;
	set_words(machine.memory_note, "the control group allows 6 GiB");
	machine.cache_count = 2;
	machine.cache[0] = (struct machine_cache){ 1, 64 << 10, 64 };
	machine.cache[1] = (struct machine_cache){ 2, 1 << 20, 64 };
	machine.tick_hz = 62.5e6;
	memset(&core, 0, sizeof(core));
	set_words(core.name, "odd");
	set_words(core.title, "Odd core");
	core.port_count = 3;
	snprintf(core.port[0], 16, "B");
	snprintf(core.port[1], 16, "L");
	snprintf(core.port[2], 16, "div");
	core.unit[2] = true;
	memset(&plan, 0, sizeof(plan));
	plan.counters.id = 5;
	plan.counters.cycles = 0;
	plan.left_out = 2;
	add_event(ROLE_CYCLES, 0, "", "odd::CYCLES");
	add_event(ROLE_PORTS, 3, "", "odd::PORTS:B_L");
	add_event(ROLE_STALLED, 0, "queue full", "odd::STALL");
	add_event(ROLE_L1_MISSES, 0, "", "odd::MISS");
	place = (struct recording_place){
		.machine = &machine, .seed = 7, .core = &core, .match = UARCH_EXACT, .events = &plan
	};
	explanation = explanation_new();
	return 0;
}

static inline int tear_down(void **state)
{
	explanation_free(explanation);
	unlink(path);
	return 0;
}

/* Makes a loop of four instructions and three limits. The two instructions in the middle are equal.
 */
static inline void make_explanation(const struct setting *setting, double latency)
{
	struct loop *loop = &explanation->loop;
	struct limits *limits = &explanation->limits;

	loop_clear(loop);
	limits_clear(limits);
	explanation->status = status_ok();
	explanation->kernel = setting->kernel;
	explanation->function = "fold_loop";
	loop->insn_count = limits->insn_count = 4;
	loop->turns = 8;
	loop->stepped = true;
	loop->insns_per_element = 4.125;
	for (int i = 0; i < 4; i++) {
		loop->insn[i] = (struct insn){ .address = 0x1000 + 4 * (uint64_t)i,
			.length = 4,
			.known = true,
			.write_count = i < 3 };
		snprintf(loop->insn[i].text, sizeof(loop->insn[i].text),
			i == 0	? "ldr x1, [x2]"
			: i < 3 ? "nop"
				: "cbnz x1, 0x1000");
		limits->insn[i] = (struct limit_insn){ .known = true,
			.slots = 1,
			.latency = i ? 1 : 4,
			.count = 8,
			.carried = i == 0 };
		snprintf(limits->insn[i].ports, sizeof(limits->insn[i].ports), i ? "B" : "L");
	}
	loop->insn[0].memory_count = 1;
	loop->insn[0].memory[0].load = true;
	loop->insn[3].flow = FLOW_BRANCH;
	loop->insn[3].target = 0x1000;
	limits->turns = limits->elements = 8;
	limits->slots = 32;
	limits->port_count = 3;
	limits->pressure[0] = limits->naive[0] = 3;
	limits->pressure[1] = 1;
	limits->naive[1] = 1.5;
	limits->bottleneck = 1;
	limits->chain = (struct chain){ .cycles = 32, .through_memory = true };
	limits->limit_count = 3;
	limits->limit[0] = (struct limit){ .kind = LIMIT_LATENCY,
		.known = true,
		.hard = true,
		.cpe = latency,
		.cycles = 8 * latency,
		.cause = "a load of 4 cycles" };
	limits->limit[1] = (struct limit){
		.kind = LIMIT_SCHEDULING, .known = true, .cpe = 2, .cycles = 16, .cause = "soft"
	};
	limits->limit[2] = (struct limit){
		.kind = LIMIT_MEMORY_LINES, .hard = true, .cause = "not measured yet"
	};
	limits->binding = limits->predicted_by = 0;
	limits->bound = limits->predicted = latency;
}

static inline struct setting fold(int64_t unroll, int64_t size)
{
	struct setting setting;

	setting_init(&setting, &kernel_fold);
	setting.v[FOLD_OP] = 1;
	setting.v[FOLD_UNROLL] = unroll;
	setting.v[FOLD_SIZE] = size;
	return setting;
}

static const struct run_facts facts = { .cpu = 3,
	.bound = true,
	.cycles_from = SOURCE_COUNTER,
	.ring = 4096,
	.granule = 4,
	.bytes = 8,
	.footprint = 32768,
	.call = 4096,
	.calls = 2,
	.watched = true,
	.pages = "huge",
	.asked = PAGES_HUGE,
	.pages_note = "only 28 MiB of 32 MiB could be got",
	.nodes = 2,
	.node = 1,
	.node_note = "node 0 has too little free: on node 1",
	.cores = 3,
	.streams = 2,
	.on_cpu = 1,
	.others_gbps = 21.5 };

/* Quiet trials with a few of every other kind. */
static inline void make_trials(struct trials *trials, unsigned count, double cpe)
{
	memset(trials, 0, sizeof(*trials));
	fake_trials(trials, count, cpe, 0.01, 0.5);
	for (unsigned i = 0; i < count; i++) {
		trials->trial[i].fate = i % 10 < 7 ? TRIAL_QUIET : (uint8_t)(i % TRIAL_FATES);
		trials->trial[i].turns = i % 2 ? 1.25F : NAN;
		trials->trial[i].check = 1.001F;
	}
	trials->trial[count - 1].fate = TRIAL_BROKEN;
	trials->trial[count - 1].cpe = NAN;
	trials->forgotten[TRIAL_CONTENDED] = 9;
}

static const struct counts counted = { .id = 5,
	.count = 4,
	.groups = 2,
	.direct = true,
	.event = { { .state = COUNT_KNOWN, .value = 1.5, .lo = 1.25, .hi = 2, .share = 1 },
		{ .state = COUNT_SCALED, .value = 0.75, .lo = 0.5, .hi = 1, .share = 0.25F },
		{ .state = COUNT_REFUSED, .error = EACCES }, { .state = COUNT_SILENT } } };

static inline struct recording *open_recording(void)
{
	struct recording *recording;
	bool goes_on;

	check_ok(recording_open(path, &place, &recording, &goes_on));
	return recording;
}

/* The file cannot be recorded to. */
static inline void check_unopened(const char *file, enum status_code code, const char *words)
{
	struct recording *recording;
	bool goes_on;
	struct status status = recording_open(file, &place, &recording, &goes_on);

	assert_int_equal(status.code, code);
	check_contains(status.text, words);
}

static inline void record(
	struct recording *recording, const struct setting *setting, unsigned trials, double cpe)
{
	const double modelled[COUNTERS_MAX] = { NAN, 0.5, NAN, 0 };
	struct trials made;
	struct recording_entry entry = { setting, &made, &facts, &plan, &counted };

	make_trials(&made, trials, cpe);
	assert_true(recording_add(recording, &entry));
	make_explanation(setting, 4);
	recording_explain(recording, setting, explanation, &plan, modelled);
	check_ok(recording_state(recording).status);
}

static inline struct replay *open_replay(void)
{
	struct replay *replay;

	check_ok(replay_open(path, &replay));
	return replay;
}

/* The end of a recording, and its replay. */
static inline struct replay *play(struct recording *recording)
{
	recording_close(recording);
	return open_replay();
}

static inline void check_refused(const char *words)
{
	struct replay *replay = NULL;
	struct status status = replay_open(path, &replay);

	replay_free(replay);
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, words);
}

/* ---- text ---- */

static inline char *read_text(size_t *size)
{
	FILE *file = fopen(path, "rb");
	static char text[1 << 18];

	assert_non_null(file);
	*size = fread(text, 1, sizeof(text) - 1, file);
	assert_true(*size < sizeof(text) - 1);
	text[*size] = '\0';
	fclose(file);
	return text;
}

static inline void write_text(const char *text, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* The recording, with the first `from` in it replaced. */
static inline void replace(const char *from, const char *to)
{
	size_t size;
	char *text = read_text(&size), *at = strstr(text, from);
	struct text changed = { 0 };

	assert_non_null(at);
	text_addn(&changed, text, (size_t)(at - text));
	text_add(&changed, to);
	text_add(&changed, at + strlen(from));
	write_text(changed.bytes, changed.length);
	text_free(&changed);
}
