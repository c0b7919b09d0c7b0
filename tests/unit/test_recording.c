/* What is written to a recording is read back; cut, damaged and foreign ones are told. */
#include "check.h"
#include "table.h"

#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

/* Its wide form needs what no processor has: refused here, and yet it may have been recorded
 * elsewhere. */
static const char *const wide_forms[] = { "narrow", "wide", NULL };
static const struct knob wide_knobs[] = {
	KNOB_ROW_CHOICE("form", "how wide", wide_forms),
	KNOB_ROW_BYTES("size", "bytes", 64, KNOB_MAX_MEMORY, 4096, .axis = AXIS_SIZE),
};

static struct status wide_check(const int64_t *v)
{
	return v[0] ? status_failed("form=wide needs what this processor lacks") : status_ok();
}

static uint64_t wide_footprint(const int64_t *v)
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

static int set_up_all(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down_all(void **state)
{
	return rmdir(directory);
}

static void add_event(enum event_role role, uint32_t ports, const char *words, const char *name)
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

static int set_up(void **state)
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

static int tear_down(void **state)
{
	explanation_free(explanation);
	unlink(path);
	return 0;
}

/* A loop of four instructions, of which the middle two are alike, and three limits. */
static void make_explanation(const struct setting *setting, double latency)
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

static struct setting fold(int64_t unroll, int64_t size)
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
	.others_gbps = 21.5 };

/* Quiet trials with a few of every other kind. */
static void make_trials(struct trials *trials, unsigned count, double cpe)
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

static struct recording *open_recording(void)
{
	struct recording *recording;
	bool goes_on;

	check_ok(recording_open(path, &place, &recording, &goes_on));
	return recording;
}

/* The file cannot be recorded to. */
static void check_unopened(const char *file, enum status_code code, const char *words)
{
	struct recording *recording;
	bool goes_on;
	struct status status = recording_open(file, &place, &recording, &goes_on);

	assert_int_equal(status.code, code);
	check_contains(status.text, words);
}

static void record(
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

static struct replay *open_replay(void)
{
	struct replay *replay;

	check_ok(replay_open(path, &replay));
	return replay;
}

/* The end of a recording, and its replay. */
static struct replay *play(struct recording *recording)
{
	recording_close(recording);
	return open_replay();
}

static void check_refused(const char *words)
{
	struct replay *replay = NULL;
	struct status status = replay_open(path, &replay);

	replay_free(replay);
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, words);
}

/* ---- text ---- */

static char *read_text(size_t *size)
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

static void write_text(const char *text, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* The recording, with the first `from` in it replaced. */
static void replace(const char *from, const char *to)
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

/* ---- tests ---- */

/* Every member that recordings have is read as it was written. */
static void check_fields(const struct field *table, const void *read, const void *expected)
{
	json_t *a = json_object(), *b = json_object();

	fields_write(a, table, read, true);
	fields_write(b, table, expected, true);
	assert_true(json_object_size(a) > 15);
	assert_true(json_equal(a, b));
	json_decref(a);
	json_decref(b);
}

TEST(test_what_is_written_is_read)
{
	struct setting setting = fold(4, 32768);
	struct recording *recording = open_recording();
	struct engine engine;
	struct explainer explainer;
	struct sample expected, sample;
	struct trials made;
	struct replay *replay;
	struct event_plan read;
	struct result *result = memory_new(1, sizeof(*result));
	struct request request = { .generation = 9, .tag = 3, .kernel = setting.kernel };
	struct explain_question question = { .kernel = setting.kernel, .v = setting.v };
	char words[160];

	record(recording, &setting, 200, 3);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 1);
	assert_int_equal(replay_find(replay, &setting), 0);
	check_fields(machine_fields, replay_summary(replay).machine, &machine);
	assert_string_equal(replay_summary(replay).machine->name, machine.name);
	assert_string_equal(replay_summary(replay).machine->arch, "aarch64");
	assert_int_equal(machine_cache(replay_summary(replay).machine, 2), 1 << 20);
	assert_int_equal(replay_summary(replay).place->seed, 7);

	make_trials(&made, 200, 3);
	sample_summarise(&made, &facts, &expected);
	replay_sample(replay, 0, &sample);
	assert_true(sample.valid);
	check_near(sample.cpe, expected.cpe, 1e-4);
	check_near(sample.cpe_lo, expected.cpe_lo, 1e-4);
	check_near(sample.check, expected.check, 1e-5);
	assert_int_equal(sample.trials, expected.trials);
	assert_int_equal(sample.dropped, expected.dropped);
	assert_int_equal(sample.cycles_from, SOURCE_COUNTER);

	explainer = replay_explainer(replay);
	explainer.events(explainer.context, &machine, NULL, 0, &read);
	assert_int_equal(read.counters.count, 4);
	assert_int_equal(read.counters.cycles, 0);
	assert_int_equal(read.left_out, 2);
	assert_true(read.counters.event[0].must);
	assert_int_equal(read.meaning[1].role, ROLE_PORTS);
	assert_int_equal(read.meaning[1].ports, 3);
	assert_string_equal(read.meaning[1].title, "the odd::PORTS:B_L");
	assert_string_equal(read.meaning[1].core, "odd");
	assert_string_equal(read.meaning[2].words, "queue full");

	engine = replay_engine(replay);
	assert_true(engine.holds(engine.context, setting.kernel, setting.v));
	memcpy(request.v, setting.v, sizeof(request.v));
	request.plan = read.counters;
	request.plan.id = 77;
	assert_false(engine.take(engine.context, result));
	engine.submit(engine.context, &request);
	assert_true(engine.take(engine.context, result));
	assert_false(engine.take(engine.context, result));
	assert_true(result->final);
	assert_int_equal(result->generation, 9);
	assert_int_equal(result->tag, 3);
	assert_int_equal(result->trials.count, 200);
	assert_int_equal(result->trials.forgotten[TRIAL_CONTENDED], 9);
	for (unsigned i = 0; i < 200; i++) {
		assert_int_equal(result->trials.trial[i].fate, made.trial[i].fate);
		if (made.trial[i].fate != TRIAL_BROKEN)
			check_near(result->trials.trial[i].cpe, made.trial[i].cpe, 1e-4);
		assert_true(isnan(result->trials.trial[i].turns) == isnan(made.trial[i].turns));
		check_near(result->trials.trial[i].at, made.trial[i].at, 1e-5);
	}
	check_fields(sample_fields, &result->facts, &facts);
	assert_int_equal(result->counts.id, 77);
	assert_int_equal(result->counts.count, 4);
	assert_int_equal(result->counts.groups, 2);
	assert_true(result->counts.direct);
	for (int i = 0; i < 4; i++)
		assert_int_equal(result->counts.event[i].state, counted.event[i].state);
	check_near(result->counts.event[0].value, 1.5, 1e-9);
	check_near(result->counts.event[0].hi, 2, 1e-9);
	check_near(result->counts.event[1].share, 0.25, 1e-9);
	assert_int_equal(result->counts.event[2].error, EACCES);

	explainer.explain(explainer.context, &question, explanation);
	check_ok(explanation->status);
	assert_string_equal(explanation->function, "fold_loop");
	assert_true(explanation->loop.stepped);
	assert_int_equal(explanation->loop.turns, 8);
	check_near(explanation->loop.insns_per_element, 4.125, 1e-9);
	assert_int_equal(explanation->loop.insn_count, 4);
	assert_int_equal(explanation->loop.insn[2].address - explanation->loop.insn[0].address, 8);
	assert_string_equal(explanation->loop.insn[2].text, "nop");
	/* Advice asks whether a chain goes from pointer to pointer. */
	assert_true(insn_fetches(&explanation->loop.insn[0]));
	assert_false(insn_fetches(&explanation->loop.insn[1]));
	assert_string_equal(explanation->limits.insn[0].ports, "L");
	assert_true(explanation->limits.insn[0].carried);
	check_near(explanation->limits.insn[0].latency, 4, 0);
	check_near(explanation->limits.insn[0].count, 8, 0);
	assert_int_equal(explanation->loop.insn[3].target, explanation->loop.insn[0].address);
	snprintf(words, sizeof(words), "cbnz x1, 0x%llx",
		(unsigned long long)explanation->loop.insn[0].address);
	assert_string_equal(explanation->loop.insn[3].text, words);
	assert_int_equal(explanation->limits.limit_count, 3);
	assert_int_equal(explanation->limits.binding, 0);
	assert_int_equal(explanation->limits.limit[0].kind, LIMIT_LATENCY);
	check_near(explanation->limits.bound, 4, 0);
	check_near(explanation->limits.limit[0].cycles, 32, 0);
	assert_string_equal(explanation->limits.limit[0].cause, "a load of 4 cycles");
	assert_false(explanation->limits.limit[2].known);
	assert_false(explanation->limits.limit[1].hard);
	check_near(explanation->limits.pressure[0], 3, 0);
	check_near(explanation->limits.naive[1], 1.5, 0);
	assert_int_equal(explanation->limits.bottleneck, 1);
	check_near(explanation->limits.chain.cycles, 32, 0);
	assert_true(explanation->limits.chain.through_memory);
	check_near(explainer.modelled(explainer.context, &read.meaning[1], explanation), 0.5, 0);
	assert_true(isnan(explainer.modelled(explainer.context, &read.meaning[0], explanation)));
	check_near(explainer.modelled(explainer.context, &read.meaning[3], explanation), 0, 0);
	replay_free(replay);
	free(result);
}

TEST(test_lines_are_short_and_whole)
{
	struct recording *recording = open_recording();
	size_t size, length;
	char *text;

	for (int i = 1; i <= 3; i++) {
		struct setting setting = fold(i, 32768);

		record(recording, &setting, 600, 3);
	}
	recording_close(recording);
	text = read_text(&size);
	assert_true(text[size - 1] == '\n');
	for (; *text; text += length + 1) {
		length = strcspn(text, "\n");
		assert_true(length + 1 <= RECORD_MOST);
		assert_true(text[0] == '{' && text[length - 1] == '}');
	}
}

TEST(test_long_records_are_whole)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording;
	struct replay *replay;
	const struct machine *read;
	size_t size;

	memset(machine.bind_note, '"', sizeof(machine.bind_note) - 1);
	memset(machine.memory_note, '\\', sizeof(machine.memory_note) - 1);
	memset(machine.huge_note, '"', sizeof(machine.huge_note) - 1);
	memset(machine.processor.features, '\\', sizeof(machine.processor.features) - 1);
	recording = open_recording();
	record(recording, &setting, 40, 3);
	recording_close(recording);
	check_contains(read_text(&size), "\"record\":\"more\",\"id\":0,\"of\":\"machine\"");
	replay = open_replay();
	read = replay_summary(replay).machine;
	assert_string_equal(replay_summary(replay).notes, "");
	assert_string_equal(read->bind_note, machine.bind_note);
	assert_string_equal(read->memory_note, machine.memory_note);
	assert_string_equal(read->huge_note, machine.huge_note);
	assert_string_equal(read->processor.features, machine.processor.features);
	assert_int_equal(read->cpu, machine.cpu);
	replay_free(replay);
	/* Without one of its lines the record is damaged. */
	replace("\"record\":\"more\"", "\"record\":\"less\"");
	replay = open_replay();
	check_contains(replay_summary(replay).notes, "one.jsonl:3: ");
	assert_int_equal(replay_summary(replay).count, 1);
	replay_free(replay);
}

/* Cut off anywhere: what is there of it can be read, each setting wholly or not at all. */
static bool near_an_end(const char *text, size_t size, size_t at)
{
	size_t from = at < 3 ? 0 : at - 3, to = at + 16 < size ? at + 16 : size;

	return memchr(text + from, '\n', to - from) != NULL;
}

TEST(test_cut_anywhere)
{
	struct setting first = fold(1, 32768), second = fold(2, 65536);
	struct recording *recording = open_recording();
	char *text, *whole;
	size_t size, second_at, first_at;
	int before = -1;

	record(recording, &first, 40, 3);
	record(recording, &second, 40, 2);
	recording_close(recording);
	text = read_text(&size);
	whole = memory_string(text);
	first_at = (size_t)(strstr(whole, "\"record\":\"sample\"") - whole);
	second_at = (size_t)(strstr(whole + first_at + 1, "\"record\":\"sample\"") - whole);
	first_at += strcspn(whole + first_at, "\n");
	second_at += strcspn(whole + second_at, "\n");
	/* Everywhere about the ends of lines, and all over the lines between. */
	for (size_t cut = 0; cut < size;
		cut += near_an_end(whole, size, cut) ? 1 : CHECK_REPEATS(13, 67)) {
		int expected = (cut >= first_at) + (cut >= second_at);
		struct replay *replay = NULL;
		struct status status;

		write_text(whole, cut);
		status = replay_open(path, &replay);
		assert_true(status_is_ok(&status) == (expected > 0));
		if (replay) {
			assert_int_equal(replay_summary(replay).count, expected);
			assert_int_equal(replay_entry(replay, 0).trials, 40);
			assert_true(replay_find(replay, &first) == 0);
		} else {
			assert_int_equal(status.code, STATUS_USAGE);
		}
		assert_true(expected >= before);
		before = expected;
		replay_free(replay);
	}
	free(whole);
}

TEST(test_goes_on)
{
	struct setting first = fold(1, 32768), second = fold(2, 65536);
	struct recording *recording = open_recording();
	struct event_plan wider = plan;
	struct replay *replay;
	struct trials made;
	struct sample sample;
	bool goes_on;
	FILE *file;

	record(recording, &first, 40, 3);
	/* One writer at a time. */
	check_unopened(path, STATUS_USAGE, "another slexplore is recording");
	recording_close(recording);

	/* What was cut off goes; what is whole stays. */
	file = fopen(path, "a");
	fputs("{\"v\":1,\"record\":\"tri", file);
	fclose(file);
	add_event(ROLE_EXTRA, 0, "", "odd::NEW");
	check_ok(recording_open(path, &place, &recording, &goes_on));
	assert_true(goes_on);
	make_trials(&made, 40, 3);
	sample_summarise(&made, &facts, &sample);
	assert_false(recording_wants(recording, &first, &sample, &counted));
	assert_true(recording_wants(recording, &second, &sample, &counted));
	assert_false(recording_lacks_limits(recording, &first));
	record(recording, &second, 40, 2);
	assert_int_equal(recording_state(recording).settings, 1);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 2);
	assert_int_equal(replay_entry(replay, 1).id, 2);
	assert_int_equal(replay_summary(replay).events->counters.count, 5);
	replay_free(replay);
	plan = wider;

	/* Another machine, seed or core. */
	place.seed = 8;
	check_unopened(path, STATUS_USAGE, "--seed 7");
	place.seed = 7;
	place.core = NULL;
	check_unopened(path, STATUS_USAGE, "has limits for core model odd, not for none");
	set_words(machine.host, "node8");
	check_unopened(path, STATUS_USAGE, "not of this machine");

	/* Any other file stays as it is. */
	write_text("a letter\n", 9);
	check_unopened(path, STATUS_USAGE, "does not overwrite this file with a recording");
	assert_string_equal(read_text(&(size_t){ 0 }), "a letter\n");
}

TEST(test_what_is_worth_adding)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, NULL, NULL };
	struct sample good = { .valid = true }, contended = { .valid = true, .contended = true },
		      none = { 0 };
	struct replay *replay;
	size_t before;

	make_trials(&made, 400, 3);
	assert_false(recording_wants(recording, &setting, &none, NULL));
	assert_true(recording_wants(recording, &setting, &contended, NULL));
	for (unsigned i = 0; i + 1 < made.count; i++)
		made.trial[i].fate = TRIAL_CONTENDED;
	assert_true(recording_add(recording, &entry));
	/* A contended figure gives way to one that is not; then only counts are missing. */
	assert_false(recording_wants(recording, &setting, &contended, NULL));
	assert_true(recording_wants(recording, &setting, &good, NULL));
	make_trials(&made, 400, 2);
	assert_true(recording_add(recording, &entry));
	assert_false(recording_wants(recording, &setting, &good, NULL));
	/* 600 trials are in it: there is no room for more, whatever they say. */
	assert_false(recording_wants(recording, &setting, &good, &counted));
	assert_false(recording_add(recording, &entry));
	/* An explanation is there once, unless more is known. */
	make_explanation(&setting, 4);
	assert_true(recording_lacks_limits(recording, &setting));
	recording_explain(recording, &setting, explanation, NULL, NULL);
	assert_false(recording_lacks_limits(recording, &setting));
	before = recording_state(recording).bytes;
	recording_explain(recording, &setting, explanation, NULL, NULL);
	assert_int_equal(recording_state(recording).bytes, before);
	explanation->limits.limit[2].known = true;
	explanation->limits.limit[2].cpe = 9;
	explanation->limits.limit[2].cycles = 72;
	recording_explain(recording, &setting, explanation, NULL, NULL);
	assert_true(recording_state(recording).bytes > before);
	replay = play(recording);
	replay_sample(replay, 0, &good);
	assert_false(good.contended);
	check_near(good.cpe, 2, 0.01);
	assert_int_equal(replay_entry(replay, 0).trials, 600);
	assert_int_equal(replay_entry(replay, 0).limits_known, 3);
	replay_free(replay);
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	for (; (text = strstr(text, word)); text++)
		count++;
	return count;
}

/* What settings have in common is in the file once; each of them is explained all the same. */
TEST(equal_records_are_written_once)
{
	struct setting setting[] = { fold(1, 32768), fold(1, 65536), fold(1, 4096) };
	struct recording *recording = open_recording();
	struct explainer explainer;
	struct replay *replay;
	const char *text;

	for (int i = 0; i < 3; i++)
		record(recording, &setting[i], 40, 3);
	recording_close(recording);
	text = read_text(&(size_t){ 0 });
	assert_int_equal(count_of(text, "\"record\":\"sample\""), 3);
	assert_int_equal(count_of(text, "\"record\":\"explain\""), 3);
	assert_int_equal(count_of(text, "\"record\":\"explanation\""), 1);
	assert_int_equal(count_of(text, "\"record\":\"limits\""), 3);
	assert_int_equal(count_of(text, "\"record\":\"insn\""), 3);
	assert_int_equal(count_of(text, "\"record\":\"counters\""), 1);
	assert_int_equal(count_of(text, "\"record\":\"facts\""), 1);
	replay = open_replay();
	explainer = replay_explainer(replay);
	for (int i = 0; i < 3; i++) {
		struct explain_question question = { .kernel = setting[i].kernel,
			.v = setting[i].v };

		explainer.explain(explainer.context, &question, explanation);
		check_ok(explanation->status);
		assert_int_equal(explanation->loop.insn_count, 4);
		assert_int_equal(explanation->limits.limit_count, 3);
		assert_int_equal(replay_entry(replay, i).counted, 2);
	}
	replay_free(replay);
	/* The file can be continued; the new run has its own numbers. */
	recording = open_recording();
	setting[0] = fold(2, 32768);
	record(recording, &setting[0], 40, 3);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 4);
	assert_int_equal(replay_entry(replay, 3).limits_known, 2);
	replay_free(replay);
}

/* A setting is written after its first measurement. Further trials are added to those. */
TEST(a_setting_continues)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, NULL, NULL, .continued = true };
	struct sample sample;
	struct replay *replay;
	size_t bytes;

	memset(&made, 0, sizeof(made));
	fake_trials(&made, 100, 3, 0.01, 0.5);
	made.count = 10;
	entry.first = true;
	assert_true(recording_add(recording, &entry));
	bytes = recording_state(recording).bytes;
	assert_false(recording_add(recording, &entry));
	assert_int_equal(recording_state(recording).bytes, bytes);
	made.count = 60;
	assert_true(recording_add(recording, &entry));
	made.count = 100;
	assert_true(recording_add(recording, &entry));
	/* Without further trials, the last sample is written with all its fields. */
	entry.first = false;
	assert_true(recording_add(recording, &entry));
	assert_false(recording_add(recording, &entry));
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 1);
	assert_int_equal(replay_entry(replay, 0).trials, 100);
	replay_sample(replay, 0, &sample);
	assert_int_equal(sample.trials, 100);
	replay_free(replay);
	/* A good sample of an earlier run stays as it is. */
	recording = open_recording();
	assert_false(recording_add(recording, &entry));
	recording_close(recording);
}

/* Events that were asked for later, of a setting that is recorded: they are counted too. Counts of
 * another plan are none. */
TEST(test_events_that_come_later)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct counts more = counted, other = counted;
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, &plan, &counted };
	struct sample good = { .valid = true };
	struct replay *replay;

	make_trials(&made, 40, 3);
	other.id = 4;
	entry.counts = &other;
	assert_true(recording_add(recording, &entry));
	assert_true(recording_wants(recording, &setting, &good, &counted));
	entry.counts = &counted;
	assert_true(recording_add(recording, &entry));
	assert_false(recording_wants(recording, &setting, &good, &counted));
	add_event(ROLE_EXTRA, 0, "", "odd::NEW");
	more.id = plan.counters.id = 6;
	more.event[more.count++] = (struct count){ .state = COUNT_NONE };
	assert_false(recording_wants(recording, &setting, &good, &more));
	more.event[4] =
		(struct count){ .state = COUNT_KNOWN, .value = 7, .lo = 7, .hi = 7, .share = 1 };
	assert_true(recording_wants(recording, &setting, &good, &more));
	entry.counts = &more;
	assert_true(recording_add(recording, &entry));
	assert_false(recording_wants(recording, &setting, &good, &more));
	recording_close(recording);
	replay = open_replay();
	assert_int_equal(replay_entry(replay, 0).counted, 3);
	replay_free(replay);
	/* And who goes on with it knows. */
	recording = open_recording();
	assert_false(recording_wants(recording, &setting, &good, &more));
	recording_close(recording);
}

TEST(test_what_cannot_be_written)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording;
	bool goes_on;
	int ends[2];

	check_unopened(
		"/nowhere/at/all.jsonl", STATUS_FAILED, "/nowhere/at/all.jsonl: No such file");
	check_unopened(directory, STATUS_FAILED, "");
	check_unopened("/dev/full", STATUS_FAILED, "No space left on device");
	/* A pipe that nobody reads does not stop the program. */
	assert_int_equal(mkfifo(path, 0600), 0);
	recording_open(path, &place, &recording, &goes_on);
	recording_close(recording);
	/* Its reader leaves. */
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	recording = open_recording();
	close(ends[0]);
	{
		struct trials made;
		struct recording_entry entry = { &setting, &made, &facts, NULL, NULL };

		make_trials(&made, 100, 3);
		assert_false(recording_add(recording, &entry));
		assert_int_equal(recording_state(recording).status.code, STATUS_FAILED);
		check_contains(recording_state(recording).status.text,
			"Broken pipe; nothing was recorded");
		assert_false(recording_wants(
			recording, &setting, &(struct sample){ .valid = true }, NULL));
		recording_explain(recording, &setting, explanation, NULL, NULL);
	}
	recording_close(recording);
	close(ends[1]);
	snprintf(path, sizeof(path), "%s/one.jsonl", directory);
}

TEST(test_what_is_no_recording)
{
	struct recording *recording;
	static const char zeros[5000];

	check_refused("No such file");
	write_text("", 0);
	check_refused("is empty");
	write_text("hello\n", 6);
	check_refused("not a recording of slexplore");
	write_text(zeros, sizeof(zeros));
	check_refused("not a recording of slexplore");
	write_text("{\"v\":1,\"record\":\"sample\",\"id\":1}\n", 34);
	check_refused("not a recording of slexplore");
	write_text("[1,2]\n", 6);
	check_refused("not a recording of slexplore");
	unlink(path);
	recording = open_recording();
	recording_close(recording);
	check_refused("one.jsonl: none of the recorded settings can be shown");
	replace("\"format\":2,\"program\":\"", "\"format\":3,\"program\":\"9.");
	check_refused("made by slexplore 9.");
	check_refused("format 3: this slexplore reads formats up to 2");
}

/* A recording of two settings of which one line is changed, as it is read. */
static struct replay *changed(
	const struct setting *first, const struct setting *second, const char *from, const char *to)
{
	struct recording *recording;

	unlink(path);
	recording = open_recording();
	record(recording, first, 12, 3);
	record(recording, second, 12, 2);
	recording_close(recording);
	replace(from, to);
	return open_replay();
}

/* One line of a good recording changed: the rest of it is used, and the line is named. */
TEST(test_damaged_lines)
{
	struct setting first = fold(1, 32768), second = fold(2, 65536);
	struct table table;

	table_open(&table, "recording", "damaged lines");
	while (table_next(&table, 3)) {
		struct replay *replay =
			changed(&first, &second, table.field[0], table_unescape(table.field[1]));

		check_contains(replay_summary(replay).notes, "; this damaged line is left out");
		check_contains(replay_summary(replay).notes, table.field[2]);
		assert_true(replay_find(replay, &second) >= 0);
		replay_free(replay);
	}
}

TEST(test_long_lines)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct text filler = { 0 };
	struct replay *replay;

	record(recording, &setting, 40, 3);
	recording_close(recording);
	text_add(&filler, "\"record\":\"machine\",\"x\":\"");
	for (int i = 0; i < 100000; i++)
		text_add(&filler, "yyyyyyyyyyyyyyyyyyyy");
	text_add(&filler, "\"");
	replace("\"record\":\"machine\"", text_string(&filler));
	text_free(&filler);
	replay = open_replay();
	assert_string_equal(replay_summary(replay).notes,
		"one.jsonl:2: longer than 1000 bytes; this damaged line is left out\n");
	assert_int_equal(replay_summary(replay).count, 1);
	replay_free(replay);
}

TEST(test_settings_that_are_not_here)
{
	static const struct {
		const char *from, *to, *words;
	} cases[] = {
		{ "\"kernel\":\"fold\"", "\"kernel\":\"\\u001b[31mgone\"",
			"there is no kernel \"?[31mgone\"" },
		{ "\"op\":\"mul\"", "\"op\":\"xor\"", "fold has no such op=xor" },
		{ "\"unroll\":2", "\"unroll\":99", "fold: unroll=99: a whole number from 1 to 16" },
		{ "\"unroll\":2", "\"unroll\":1e3", "fold has no such unroll" },
		{ "\"unroll\":2", "\"unroll\":2,\"wings\":2",
			"the recorded fold has a knob that this slexplore's does not" },
		{ "\"unroll\":2,", "", "fold has no such unroll" },
		{ "\"acc\":1", "\"acc\":5", "fold: acc=5 needs unroll=5 or more" },
	};
	struct setting first = fold(1, 32768), second = fold(2, 65536);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct replay *replay = changed(&second, &first, cases[i].from, cases[i].to);

		check_contains(replay_summary(replay).notes, "; this setting is left out");
		check_contains(replay_summary(replay).notes, cases[i].words);
		assert_int_equal(replay_summary(replay).count, 1);
		assert_int_equal(replay_find(replay, &first), 0);
		replay_free(replay);
	}
}

/* What this processor lacks, or the memory of this machine, is no obstacle. */
TEST(test_what_cannot_run_here)
{
	struct recording *recording = open_recording();
	struct setting setting = { .kernel = &kernel_wide, .v = { 1, (int64_t)1 << 45 } };
	struct replay *replay;
	struct engine engine;

	record(recording, &setting, 40, 3);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	engine = replay_engine(replay);
	assert_true(engine.holds(engine.context, setting.kernel, setting.v));
	replay_free(replay);
}

/* ---- moves ---- */

static void add_plain(
	struct recording *recording, int64_t unroll, int64_t acc, int64_t size, int64_t stride)
{
	struct setting setting = fold(unroll, size);
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, NULL, NULL };

	setting.v[FOLD_ACC] = acc;
	setting.v[FOLD_STRIDE] = stride;
	make_trials(&made, 40, 3);
	assert_true(recording_add(recording, &entry));
}

TEST(test_moves)
{
	struct recording *recording = open_recording();
	struct setting setting, expected;
	struct replay *replay;
	int64_t values[8];
	char range[64], ends[32];

	for (int64_t size = 4096; size <= 65536; size *= 2)
		add_plain(recording, 1, 1, size, 1);
	add_plain(recording, 2, 2, 32768, 1);
	add_plain(recording, 4, 4, 32768, 1);
	add_plain(recording, 4, 2, 4096, 1);
	replay = play(recording);

	/* Along what is there; the end is the end. */
	setting = fold(1, 16384);
	assert_true(replay_step(replay, &setting, FOLD_SIZE, 1));
	assert_int_equal(setting.v[FOLD_SIZE], 32768);
	assert_true(replay_step(replay, &setting, FOLD_SIZE, -9));
	assert_int_equal(setting.v[FOLD_SIZE], 4096);
	assert_false(replay_step(replay, &setting, FOLD_SIZE, -1));
	assert_false(replay_step(replay, &setting, FOLD_OP, 1));
	/* Another knob has to follow: as few as can be. */
	setting = fold(1, 32768);
	assert_true(replay_step(replay, &setting, FOLD_ACC, 1));
	expected = fold(2, 32768);
	expected.v[FOLD_ACC] = 2;
	assert_true(setting_equal(&setting, &expected));
	assert_true(replay_step(replay, &setting, FOLD_ACC, 1));
	expected = fold(4, 32768);
	expected.v[FOLD_ACC] = 4;
	assert_true(setting_equal(&setting, &expected));

	setting = fold(1, 16384);
	assert_int_equal(replay_values(replay, &setting, FOLD_SIZE, values, 8), 5);
	assert_int_equal(values[0], 4096);
	assert_int_equal(values[4], 65536);
	assert_int_equal(replay_values(replay, &setting, FOLD_SIZE, values, 3), 3);
	assert_int_equal(values[0], 4096);
	assert_int_equal(values[1], 16384);
	assert_int_equal(values[2], 65536);
	setting.v[FOLD_SIZE] = 32768;
	assert_int_equal(replay_values(replay, &setting, FOLD_SIZE, values, 3), 3);
	assert_true(values[0] == 32768 || values[1] == 32768 || values[2] == 32768);
	assert_int_equal(replay_values(replay, &setting, FOLD_STRIDE, values, 8), 1);

	setting = fold(1, 40000);
	assert_true(replay_nearest(replay, &setting, 1u << FOLD_SIZE));
	assert_int_equal(setting.v[FOLD_SIZE], 32768);
	assert_int_equal(setting.v[FOLD_UNROLL], 1);
	setting = fold(1, 32768);
	setting.v[FOLD_OP] = 0;
	assert_false(replay_nearest(replay, &setting, 1u << FOLD_OP));
	setting_init(&setting, &kernel_walk);
	assert_false(replay_nearest(replay, &setting, 0));
	assert_false(replay_first(replay, &kernel_walk, &setting));
	assert_true(replay_first(replay, &kernel_fold, &setting));
	replay_range(replay, &setting, FOLD_SIZE, range, sizeof(range), ends, sizeof(ends));
	assert_string_equal(range, "4k, 8k, 16k, 32k, 64k");
	assert_string_equal(ends, "4k…64k");
	replay_range(replay, &setting, FOLD_OP, range, sizeof(range), ends, sizeof(ends));
	assert_string_equal(range, "mul");
	assert_string_equal(ends, "mul");
	replay_free(replay);
}

TEST(test_nothing_to_explain)
{
	struct setting setting = fold(1, 32768), other = fold(2, 32768);
	struct recording *recording = open_recording();
	struct explain_question question = { .kernel = setting.kernel, .v = setting.v };
	struct explainer explainer;
	struct replay *replay;

	record(recording, &setting, 40, 3);
	add_plain(recording, 2, 1, 32768, 1);
	make_explanation(&other, 3);
	explanation->status = status_failed("ptrace is forbidden here");
	recording_explain(recording, &other, explanation, NULL, NULL);
	replay = play(recording);
	explainer = replay_explainer(replay);
	question.v = other.v;
	explainer.explain(explainer.context, &question, explanation);
	assert_string_equal(explanation->status.text, "ptrace is forbidden here");
	other = fold(3, 32768);
	question.v = other.v;
	explainer.explain(explainer.context, &question, explanation);
	assert_string_equal(explanation->status.text, "no limits were recorded for this setting");
	replay_free(replay);
}

TEST(test_names)
{
	char name[96];

	set_words(machine.host, "../ode 7");
	recording_name(&machine, name, sizeof(name));
	assert_memory_equal(name, "slexplore-..-ode-7-", 19);
	assert_string_equal(name + strlen(name) - 6, ".jsonl");
}

/* Probed pressure comes back as it was written, once; unknown values stay unknown. */
TEST(probed_pressure_is_read_as_it_was_written)
{
	struct setting setting = fold(4, 32768), other = fold(2, 32768);
	struct recording *recording = open_recording();
	struct slack_report *made = memory_new(1, sizeof(*made));
	const struct slack_report *read;
	struct replay *replay;

	*made = (struct slack_report){ .setting = setting,
		.uarch = "zen4",
		.cycles = 4,
		.cycles_lo = 3.9,
		.cycles_hi = 4.1,
		.complete = true,
		.contradiction = "zen4.uarch:7: class imul",
		.count = 3 };
	made->resource[0] = (struct slack_resource){ .name = "alu1",
		.kind = SLACK_EXACT,
		.line = "imul %r, %p, 3",
		.each = 1,
		.model = 3,
		.took = 1.01,
		.pressure = 2.5,
		.pressure_lo = 2.4,
		.pressure_hi = 2.6,
		.slack = 1.5,
		.slack_lo = 1.4,
		.slack_hi = 1.6 };
	made->resource[1] = made->resource[0];
	made->resource[1].kind = SLACK_AT_LEAST;
	made->resource[1].slack_hi = NAN;
	made->resource[2] = (struct slack_resource){ .name = "fdiv",
		.kind = SLACK_FAILED,
		.why = "no register",
		.pressure = NAN,
		.took = NAN };
	record(recording, &setting, 200, 3);
	recording_slack(recording, made);
	made->resource[0].pressure = 9;
	recording_slack(recording, made);
	made->setting = other;
	recording_slack(recording, made);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_null(replay_slack(replay, -1));
	read = replay_slack(replay, replay_find(replay, &setting));
	assert_non_null(read);
	assert_true(read->complete && !read->contended);
	assert_string_equal(read->contradiction, "zen4.uarch:7: class imul");
	check_near(read->cycles, 4, 1e-6);
	assert_int_equal(read->count, 3);
	made->resource[0].pressure = 2.5;
	for (int i = 0; i < read->count; i++) {
		json_t *a = json_object(), *b = json_object();

		fields_write(a, resource_fields, &read->resource[i], true);
		fields_write(b, resource_fields, &made->resource[i], true);
		assert_true(json_equal(a, b));
		json_decref(a);
		json_decref(b);
	}
	assert_true(isnan(read->resource[1].slack_hi));
	free(made);
	replay_free(replay);
}

/* The causes of a gap come back as they were written; the last report counts. */
TEST(causes_of_a_gap_are_read_as_they_were_written)
{
	struct setting setting = fold(4, 32768), other = fold(2, 32768);
	struct recording *recording = open_recording();
	struct why_report *made = memory_new(1, sizeof(*made));
	const struct why_report *read;
	struct replay *replay;

	*made = (struct why_report){ .setting = setting,
		.uarch = "zen4",
		.limit = 4,
		.predicted = 5,
		.binding = "latency",
		.predicted_by = "page-walks",
		.cpe = 9,
		.gap = 4,
		.rest = 1,
		.together = NAN,
		.overlap = true,
		.complete = true,
		.count = 2 };
	made->cause[0] = (struct why_cause){ .name = "page size",
		.with = "pages=huge",
		.kind = WHY_CAUSE,
		.cycles = 3,
		.cycles_lo = 2,
		.cycles_hi = 4,
		.share = 0.75 };
	made->cause[1] = (struct why_cause){
		.name = "cache sets", .kind = WHY_NOTHING, .cycles = -0.5, .share = 0
	};
	record(recording, &setting, 200, 3);
	made->cpe = 90;
	recording_why(recording, made);
	made->cpe = 9;
	recording_why(recording, made);
	made->setting = other;
	recording_why(recording, made);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_null(replay_why(replay, -1));
	read = replay_why(replay, replay_find(replay, &setting));
	assert_non_null(read);
	check_near(read->cpe, 9, 1e-6);
	assert_true(read->complete && read->overlap && !read->known);
	assert_string_equal(read->predicted_by, "page-walks");
	assert_int_equal(read->count, 2);
	assert_string_equal(read->cause[0].name, "page size");
	assert_string_equal(read->cause[0].with, "pages=huge");
	check_near(read->cause[0].share, 0.75, 1e-6);
	assert_int_equal(read->cause[1].kind, WHY_NOTHING);
	check_near(read->cause[1].cycles, -0.5, 1e-6);
	free(made);
	replay_free(replay);
}

/* Costs come back as they were written, once; unknown costs stay unknown. */
TEST(costs_are_read_as_they_were_written)
{
	struct setting setting = fold(4, 32768);
	struct recording *recording = open_recording();
	struct cost_report *made = memory_new(1, sizeof(*made));
	const struct cost_report *read;
	struct replay *replay;

	*made = (struct cost_report){ .setting = setting,
		.uarch = "zen4",
		.cpe = { 4, 3.9, 4.1 },
		.model = 4,
		.complete = true,
		.count = 2 };
	made->insn[0] = (struct cost_insn){ .text = "imul ebx, edx",
		.cost = { 1, 0.99, 1.01 },
		.twice = { 1, 0.99, 1.01 },
		.later = { -0.01, -0.02, 0.01 },
		.saved = { NAN, NAN, NAN },
		.latency = 3,
		.model = 1,
		.why_saved = "a divisor could become 0" };
	made->insn[1] = made->insn[0];
	made->insn[1].offset = 4;
	made->insn[1].contended = true;
	record(recording, &setting, 200, 3);
	recording_cost(recording, made);
	made->insn[0].latency = 9;
	recording_cost(recording, made);
	made->insn[0].latency = 3;
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_null(replay_cost(replay, -1));
	read = replay_cost(replay, replay_find(replay, &setting));
	assert_non_null(read);
	assert_true(read->complete && !read->contended);
	check_near(read->cpe.hi, 4.1, 1e-6);
	assert_int_equal(read->count, 2);
	for (int i = 0; i < read->count; i++) {
		json_t *a = json_object(), *b = json_object();

		fields_write(a, cost_fields, &read->insn[i], true);
		fields_write(b, cost_fields, &made->insn[i], true);
		assert_true(json_equal(a, b));
		json_decref(a);
		json_decref(b);
	}
	free(made);
	replay_free(replay);
}

RUN_TESTS(.set_up = set_up_all, .tear_down = tear_down_all, .each_set_up = set_up,
	.each_tear_down = tear_down)
