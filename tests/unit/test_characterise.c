/* Characterising as a machine of states, on a core made up: what is asked for, what comes of the
 * answers, what is looked at again, and when it ends. */
#include <ctype.h>

#include "probe_fakes.h"

#include "fakes.h"
#include "made_loops.h"

#include "experiment/characterise/characterise.h"
#include "experiment/characterise/characterised.h"
#include "experiment/characterise/recipes.h"
#include "experiment/windows/windows.h"
#include "fake_measurer.h"
#include "kernels/features.h"

#if defined(__x86_64__)
#define MULTIPLY  "imul"
#define ADDS	  "fma"
#define BETWEEN	  "to-general"
#define NOT_THERE "imull"
#else
#define MULTIPLY  "mul.64"
#define ADDS	  "fma"
#define BETWEEN	  "from-vector"
#define NOT_THERE "mul.65"
#endif

#define PLAY characterise
#define PLAY_FIELDS                                                               \
	unsigned of_probe;                                                        \
	const struct kernel *refused; /* the first made one that was asked for */ \
	unsigned again;		      /* requests for it */
#include "campaign_play.h"

static const char *const multiply_alone[] = { MULTIPLY, NULL };

static struct result quiet_answer(const struct request *request)
{
	const struct generated_loop *loop = generated_loop_of(request->kernel);

	return fake_result(request, 30, loop ? made_cycles(loop) : cycles_of(request));
}

static void play_prepare(struct play *new)
{
	snprintf(new->machine.name, sizeof(new->machine.name), "a core");
#if defined(__x86_64__)
	snprintf(new->machine.arch, sizeof(new->machine.arch), "x86_64");
#else
	snprintf(new->machine.arch, sizeof(new->machine.arch), "aarch64");
#endif
	new->machine.processor = (struct processor){ .vendor = "Nobody",
		.family = 6,
		.model = 0xa7,
		.l1i_bytes = 64 << 10,
		.dtlb = { 96, 4096 } };
}

static void play_check(const struct request *request)
{
	assert_true(play->report->done < 1 || play->report->stage == CHARACTERISE_PORTS);
	play->of_probe += !generated_loop_of(request->kernel);
}

static struct result answer_directly(void *context, const struct request *request)
{
	play->requests++;
	play->now += play->takes + request->budget.seconds;
	return play->answer(request);
}

static void run_directly(void)
{
	struct fake_measurer fake = {
		.answer = answer_directly, .context = NULL, .now = &play->now
	};
	const struct measurer measurer = fake_measurer(&fake, 1);
	struct status status;

	play->campaign = characterise_new(&play->machine, &play->options, &status);
	check_ok(status);
	play->report = characterise_report(play->campaign);
	characterise_measure(play->campaign, &measurer);
}

static const struct measured_op *op_named(const char *name)
{
	for (int i = 0; i < play->report->measured.op_count; i++)
		if (strcmp(play->report->measured.op[i].name, name) == 0)
			return &play->report->measured.op[i];
	fail_msg("no class %s", name);
	return NULL;
}

static const struct figure *fact_named(const char *word)
{
	for (int i = 0; i < play->report->measured.fact_count; i++)
		if (strcmp(play->report->measured.fact[i].word, word) == 0)
			return &play->report->measured.fact[i].figure;
	return NULL;
}

TEST(figures_follow_from_the_cycles)
{
	const struct measured_op *op;

	play->options.quick = true;
	run();
	assert_true(play->report->complete);
	assert_true(play->report->done == 1);
	assert_int_equal(play->report->notes.count, 0);
	check_near(play->report->measured.width.value, WIDTH, 0.02);
	op = op_named(MULTIPLY);
	assert_true(op->latency.known && op->each.known && op->slots.known);
	check_near(op->latency.value, 3, 0.01);
	check_near(op->each.value, 0.5, 0.005);
	check_near(op->slots.value, 1, 0.1);
	assert_true(op->latency.lo <= op->latency.value && op->latency.value <= op->latency.hi);
	/* The way there and back, shared in whole cycles. */
	check_near(op_named(BETWEEN)->latency.value, 2, 0.01);
	check_near(op_named(ADDS)->accumulate.value, 2, 0.01);
	check_near(fact_named("cap loads")->value, 2, 0.02);
	check_near(fact_named("cache 1 latency")->value, 5, 0.1);
	check_near(fact_named("cache 2 bytes")->value, 2 << 20, 1);
	assert_null(fact_named("nonsense"));
	assert_true(play->of_probe > 20);
	assert_false(play->report->ported);
}

#if defined(__x86_64__)
/* Like Zen 4: two nops of at most 15 bytes take one slot, a copy takes a slot and no port, the
 * cache of micro-ops supplies 64 bytes a cycle, and holds less than 3,000 long nops. */
static struct result zen4_answer(const struct request *request)
{
	const struct generated_loop *loop = generated_loop_of(request->kernel);
	const char *line = loop ? loop->part[0].lines : "";
	double length = strncmp(line, "nop ", 4) == 0 && isdigit((unsigned char)line[4])
				? strtod(line + 4, NULL)
				: 1,
	       cycles;

	if (!loop || loop->part_count > 1 || strchr(line, ';') ||
		(strncmp(line, "nop", 3) != 0 && strcmp(line, "mov %r, rcx") != 0))
		return quiet_answer(request);
	cycles = (*line == 'n' && length < 8 ? 0.5 : 1) / WIDTH;
	cycles = fmax(cycles, length / 64);
	if (loop->bodies > 3000)
		cycles = length > 10 ? 1 : fmax(0.25, length / 16);
	return fake_result(request, 30, cycles);
}

TEST(nops_that_share_slots_do_not_widen_the_core)
{
	struct text model = { 0 };
	struct uarch *uarch = NULL;

	run_answered(zen4_answer);
	check_near(play->report->measured.width.value, WIDTH, 0.02);
	check_near(op_named("nop")->slots.value, 1, 0);
	check_near(fact_named("extra decode")->value, 4, 0.01);
	check_near(fact_named("extra fetch-bytes")->value, 16, 0.1);
	check_near(fact_named("extra decode-long")->value, 10, 0);
	check_near(fact_named("extra line-bytes")->value, 64, 0);
	check_near(fact_named("size opcache")->value, 2880, 0);
	check_ok(characterise_model(play->report, &model, &uarch));
	check_contains(text_string(&model), "fuse nop after any [measured]");
	check_near(uarch->fact[EXTRA_LINE_BYTES], 64, 0);
	uarch_free(uarch);
	text_free(&model);
}

/* The loop of long nops is larger than a first instruction cache of 32 KiB. */
TEST(code_beyond_the_first_cache_shows_the_rate_of_the_second)
{
	play->machine.processor.l1i_bytes = 32 << 10;
	run_answered(zen4_answer);
	check_near(fact_named("extra code-rate")->value, 16, 0.1);
	assert_null(fact_named("extra fetch-bytes"));
}

/* Like Zen 3: the loads of a few pairs of a store and a load are renamed, one store begins a cycle,
 * and a loop of many pairs forwards each value. */
static struct result few_renamed_answer(const struct request *request)
{
	const struct generated_loop *loop = generated_loop_of(request->kernel);
	const char *line = loop ? loop->part[0].lines : "";
	bool few = loop && loop->bodies > 0 && loop->bodies <= 8;

	if (strncmp(line, "mov [r12], rax; mov rax, [r12]", 30) != 0)
		return quiet_answer(request);
	return fake_result(
		request, 30, fmax(1, (few ? 0 : 6) + (strstr(line, "; imul rax") ? 3 : 0)));
}

TEST(a_loop_of_few_pairs_shows_renamed_loads)
{
	play->options.quick = true;
	run_answered(few_renamed_answer);
	check_near(fact_named("extra forward-renamed")->value, 0, 0.01);
}

/* A front end that keeps up with rename shows nothing of itself. */
TEST(a_front_end_that_is_never_the_limit_stays_unknown)
{
	play->options.quick = true;
	run();
	assert_false(play->report->measured.nops_share);
	assert_null(fact_named("extra decode"));
	assert_null(fact_named("extra decode-long"));
	assert_null(fact_named("extra fetch-bytes"));
	assert_null(fact_named("extra line-bytes"));
	assert_null(fact_named("size opcache"));
}
#endif

TEST(all_of_it_is_there_in_time)
{
	struct text model = { 0 };
	struct uarch *uarch = NULL;

	run();
	assert_true(play->report->complete);
	assert_true(play->now < 20);
	assert_true(play->report->ported);
	assert_true(play->report->measured.mix_count > 0);
	check_ok(characterise_model(play->report, &model, &uarch));
	check_near(uarch->width, WIDTH, 0.01);
#if defined(__x86_64__)
	assert_string_equal(uarch->name, "measured-6-a7");
	check_contains(text_string(&model),
		"match vendor Nobody family 6 model a7 with l1i-64k [measured]");
#endif
	uarch_free(uarch);
	text_free(&model);
}

TEST(classes_alone_take_less)
{
	play->options.classes = multiply_alone;
	run();
	assert_true(play->report->complete);
	assert_true(play->requests < 30);
	assert_int_equal(play->of_probe, 0);
	assert_int_equal(play->report->measured.op_count, 1);
	assert_int_equal(play->report->measured.fact_count, 0);
	check_near(op_named(MULTIPLY)->latency.value, 3, 0.01);
}

TEST(a_name_that_there_is_not_gets_its_neighbours)
{
	static const char *const names[] = { NOT_THERE, NULL };
	struct status status;

	play->options.classes = names;
	assert_null(characterise_new(&play->machine, &play->options, &status));
	assert_int_equal(status.code, STATUS_USAGE);
	check_parts(status.text, NOT_THERE, "did you mean");
}

TEST(a_fact_is_not_mistaken_for_a_class)
{
	static const char *const names[] = { "forward-vector", NULL };
	struct status status;

	play->options.classes = names;
	assert_null(characterise_new(&play->machine, &play->options, &status));
	assert_int_equal(status.code, STATUS_USAGE);
	assert_string_equal(status.text,
		"\"forward-vector\" is no class of instructions, but a fact about the core: "
		"\"slexplore characterise\" without a class measures it");
}

static struct result contended_answer(const struct request *request)
{
	struct result result = quiet_answer(request);

	return generated_loop_of(request->kernel) ? fake_disturb(result, TRIAL_CONTENDED, 1.6)
						  : result;
}

TEST(what_was_never_quiet_is_not_told)
{
	run_answered(contended_answer);
	assert_true(play->report->complete);
	assert_true(play->now < 20);
	assert_false(play->report->measured.width.known);
	assert_false(op_named(MULTIPLY)->latency.known);
	assert_true(noted("was never quiet"));
	assert_false(noted("never ran on a quiet core"));
}

/* In one loop alone. */
static struct result busy_in_one_answer(const struct request *request)
{
	if (!play->refused && generated_loop_of(request->kernel))
		play->refused = request->kernel;
	return request->kernel == play->refused ? contended_answer(request) : quiet_answer(request);
}

/* The engine ends each generated loop after two seconds. */
static struct result endless_answer(const struct request *request)
{
	struct result result = quiet_answer(request);

	if (!generated_loop_of(request->kernel))
		return result;
	play->now += 2;
	result.status = status_failed("its code did not return within 2 s");
	result.trials.count = 0;
	return result;
}

TEST(endless_loops_take_no_more_than_the_time)
{
	play->options.quick = true;
	run_answered(endless_answer);
	assert_true(play->report->complete);
	assert_true(play->now < 20);
	assert_true(noted("code that does not return"));
}

TEST(what_was_quiet_for_some_is_told_of_them)
{
	play->options.quick = true;
	run_answered(busy_in_one_answer);
	assert_true(noted("never ran on a quiet core"));
	assert_false(noted("was never quiet"));
}

TEST(a_measurement_goes_on_with_the_values_of_the_last_one)
{
	struct fake_measurer fake = { .answer = answer_directly, .now = &play->now };
	const struct measurer measurer = fake_measurer(&fake, 1);
	struct characterise *before;
	unsigned requests;

	play->options.quick = true;
	play->answer = busy_in_one_answer;
	run_directly();
	assert_true(play->report->unmeasured > 0);
	before = play->campaign;
	play->campaign = characterise_go_on(before);
	characterise_free(before);
	play->report = characterise_report(play->campaign);
	play->answer = quiet_answer;
	requests = play->requests;
	play->requests = 0;
	characterise_measure(play->campaign, &measurer);
	assert_true(play->report->complete);
	assert_int_equal(play->report->unmeasured, 0);
	check_near(op_named(MULTIPLY)->latency.value, 3, 0.01);
	/* Loops with a value are not measured again. */
	assert_true(play->requests < requests);
}

/* Busy for as long as the first stage has when there is something to do after it. */
static struct result at_last_quiet_answer(const struct request *request)
{
	return play->now < 15 ? contended_answer(request) : quiet_answer(request);
}

TEST(classes_alone_wait_for_the_core_as_long_as_there_is_time)
{
	if (!CHECK_PATIENT)
		skip();
	play->options.classes = multiply_alone;
	run_answered(at_last_quiet_answer);
	check_near(op_named(MULTIPLY)->latency.value, 3, 0.01);
	assert_true(play->now < 18);
}

/* Two visits of three in a contended spell. */
static struct result spells_answer(const struct request *request)
{
	return play->requests % 3 ? contended_answer(request) : quiet_answer(request);
}

TEST(a_spell_is_waited_out)
{
	play->options.classes = multiply_alone;
	run_answered(spells_answer);
	check_near(op_named(MULTIPLY)->latency.value, 3, 0.01);
	check_near(play->report->measured.width.value, WIDTH, 0.02);
	assert_int_equal(play->report->notes.count, 0);
}

/* Loops of 512 bits are throttled at first, and give up too soon. */
static struct result throttled_answer(const struct request *request)
{
	const struct generated_loop *loop = generated_loop_of(request->kernel);

	return loop && loop->part[0].bits > 256 && request->budget.patience < 50
		       ? contended_answer(request)
		       : quiet_answer(request);
}

TEST(what_is_throttled_at_first_is_waited_for)
{
	if (!features_have(FEATURE_AVX512)) {
		skip();
	}
	run_answered(throttled_answer);
	assert_true(op_named("fadd.512")->each.known);
	assert_true(op_named("fadd.512")->slots.known);
	assert_true(play->now < 20);
}

#if defined(__x86_64__)
/* The shortest nops are a little quicker than others. */
static struct result short_nops_answer(const struct request *request)
{
	const struct generated_loop *loop = generated_loop_of(request->kernel);
	struct result result = quiet_answer(request);

	if (loop && loop->part_count == 1 && strcmp(loop->part[0].lines, "nop") == 0)
		result = fake_disturb(result, TRIAL_QUIET, 0.995);
	if (loop && loop->part_count == 2 && strncmp(loop->part[1].lines, "nop", 3) == 0) {
		assert_string_equal(loop->part[1].lines, "nop 6");
		play->again++;
	}
	return result;
}

/* 64 bytes of the shortest are more than the op cache holds of a line. */
TEST(slots_are_asked_beside_long_nops)
{
	play->options.classes = multiply_alone;
	run_answered(short_nops_answer);
	assert_true(play->again > 0);
	check_near(play->report->measured.width.value, WIDTH / 0.995, 0.01);
}
#endif

/* Nops beside multiplications, quicker than the width lets them: the first two visits. */
static struct result quick_answer(const struct request *request)
{
	const struct generated_loop *loop = generated_loop_of(request->kernel);
	struct result result = quiet_answer(request);

	if (loop && loop->part_count == 2 &&
		(strncmp(loop->part[0].lines, "imul", 4) == 0 ||
			strncmp(loop->part[0].lines, "mul x", 5) == 0) &&
		loop->part[1].lines[0] == 'n' && play->again++ < 2)
		return fake_disturb(result, TRIAL_QUIET, 0.9);
	return result;
}

TEST(slots_that_cannot_be_are_looked_at_again)
{
	play->options.classes = multiply_alone;
	run_answered(quick_answer);
	check_near(op_named(MULTIPLY)->slots.value, 1, 0.1);
}

/* A spell that lasts over the first mixes. */
static struct result spell_answer(const struct request *request)
{
	return play->report->stage == CHARACTERISE_PORTS && play->again++ < 150
		       ? contended_answer(request)
		       : quiet_answer(request);
}

/* Mixes that gave no figure: some cannot be made into a loop. */
static int unknown_mixes(struct result (*answer)(const struct request *request))
{
	int unknown = 0;

	play_again();
	run_answered(answer);
	assert_true(play->report->measured.mix_count > 100);
	for (int i = 0; i < play->report->measured.mix_count; i++)
		unknown += !play->report->measured.mix[i].cycles.known;
	return unknown;
}

TEST(mixes_wait_a_spell_out_too)
{
	assert_int_equal(unknown_mixes(spell_answer), unknown_mixes(quiet_answer));
}

/* The core is busy until caches are measured. */
static struct result late_answer(const struct request *request)
{
	return play->report->stage < CHARACTERISE_CACHES ? contended_answer(request)
							 : quiet_answer(request);
}

TEST(what_early_stages_left_out_comes_once_more)
{
	run_answered(late_answer);
	check_near(play->report->measured.width.value, WIDTH, 0.02);
	check_near(op_named(MULTIPLY)->latency.value, 3, 0.01);
	check_near(op_named(MULTIPLY)->slots.value, 1, 0.1);
	assert_true(play->report->measured.mix_count > 0);
	assert_false(noted("never ran on a quiet core"));
	assert_true(play->now < 20);
}

/* What fuses was asked for and never seen: that is told, as limits take it for fused. */
static struct result never_slots_answer(const struct request *request)
{
	return play->report->stage >= CHARACTERISE_SLOTS ? contended_answer(request)
							 : quiet_answer(request);
}

TEST(what_fuses_and_was_not_measured_is_kept_as_that)
{
	const struct measured *measured;
	int unknown = 0;

	run_answered(never_slots_answer);
	measured = &play->report->measured;
	for (int i = 0; i < measured->fact_count; i++)
		unknown += strncmp(measured->fact[i].word, "fuse ", 5) == 0 &&
			   !measured->fact[i].figure.known;
	assert_true(unknown > 0);
}

static struct result refusing_answer(const struct request *request)
{
	struct result result = quiet_answer(request);

	if (!play->refused && generated_loop_of(request->kernel))
		play->refused = request->kernel;
	if (play->refused == request->kernel) {
		result.status = status_failed("no memory to execute code that is made at run time");
		result.trials.count = 0;
		play->again++;
	}
	return result;
}

TEST(what_is_refused_is_noted_and_the_rest_goes_on)
{
	play->options.quick = true;
	run_answered(refusing_answer);
	assert_true(noted("no memory to execute"));
	/* That says it: the core was quiet. */
	assert_false(noted("never ran on a quiet core"));
	/* The loop of nops is asked for by several stages, but not again and again. */
	assert_true(play->again <= 8);
	check_near(op_named(MULTIPLY)->latency.value, 3, 0.01);
}

static struct result cancelling_answer(const struct request *request)
{
	struct result result = quiet_answer(request);

	if (play->requests % 5 == 0) {
		result.status = status_make(STATUS_CANCELLED, "stopped");
		result.trials.count = 0;
	}
	return result;
}

TEST(what_was_taken_back_is_asked_for_again)
{
	struct request request, again;

	play->options.quick = true;
	run_answered(cancelling_answer);
	assert_true(play->report->complete);
	check_near(op_named(MULTIPLY)->latency.value, 3, 0.01);
	assert_int_equal(play->report->notes.count, 0);
	turns_free(play->turns);
	characterise_free(play->campaign);
	begin();
	assert_true(turns_next(play->turns, 0, &request));
	turns_lose(play->turns);
	assert_true(turns_next(play->turns, 0, &again));
	assert_ptr_equal(request.kernel, again.kernel);
}

TEST(stopped_it_tells_what_there_is)
{
	play->stop_after = 40;
	run();
	assert_int_equal(play->requests, 40);
	assert_false(play->report->complete);
	assert_true(play->report->measured.width.known);
	assert_false(play->report->doing[0]);
}

/* In a thread of its own or not: the requests are the same, and the report is. */
TEST(a_thread_changes_nothing)
{
	struct play *other = play;

	run_directly();
	play = play_new();
	run();
	assert_true(play->thoughts > 0);
	assert_int_equal(other->requests, play->requests);
	assert_true(other->report->complete && other->report->ported);
	assert_true(play->report->measured.mix_count > 0);
	assert_int_equal(other->report->measured.mix_count, play->report->measured.mix_count);
	for (int i = 0; i < play->report->measured.mix_count; i++) {
		const struct measured_mix *a = &play->report->measured.mix[i],
					  *b = &other->report->measured.mix[i];

		assert_int_equal(b->count, a->count);
		for (int k = 0; k < a->count; k++) {
			assert_int_equal(b->op[k], a->op[k]);
			check_near(b->times[k], a->times[k], 0);
		}
		check_near(b->cycles.value, a->cycles.value, 0);
	}
	assert_int_equal(other->report->ports.ports, play->report->ports.ports);
	for (int i = 0; i < play->report->measured.op_count; i++) {
		assert_int_equal(
			other->report->ports.term_count[i], play->report->ports.term_count[i]);
		for (int k = 0; k < play->report->ports.term_count[i]; k++)
			assert_int_equal(other->report->ports.term[i][k].ports,
				play->report->ports.term[i][k].ports);
	}
	play_free(other);
}

/* A job under way reads what was measured: nothing is written there before it is over. */
TEST(stopped_while_it_thinks_it_ends_when_it_has)
{
	play->stop_thought = 1;
	run();
	assert_false(play->report->complete);
	assert_true(play->report->measured.width.known);
	assert_int_equal(play->report->measured.mix_count, 0);
	assert_false(turns_compute(play->turns));
	/* Let go at once, too. */
	play_again();
	play->stop_after = 1;
	run();
}

TEST(time_that_was_given_is_kept_to)
{
	play->options.seconds = 6;
	play->takes = 0.004;
	run();
	assert_true(play->report->complete);
	assert_true(play->now < 12);
}

/* Two cores agree on each class alone, but one of them executes both classes on the same ports. */
TEST(ports_that_are_a_guess_say_nothing_of_mixes)
{
	static const char *const texts[] = { "p2,p3", "p0,p1" };
	struct characterise_report *report = memory_new(1, sizeof(*report));
	struct uarch *cores[2];

	for (int i = 0; i < 2; i++) {
		struct text text = { 0 };

		text_addf(&text,
			"uarch core-%d A core\nisa x86_64\nwidth 6 [measured]\n"
			"ports p0 p1 p2 p3 [measured]\n"
			"class alu latency 1 ports p0,p1 [measured]\n"
			"class imul latency 3 ports %s [measured]\n",
			i, texts[i]);
		check_ok(uarch_parse(text_string(&text), "core", &cores[i]));
		text_free(&text);
	}
	for (int all = 0; all < 2; all++) {
		struct characterised characterised = {
			.report = report, .measured = cores[0], .shipped = cores[1]
		};
		char *words = NULL;
		size_t size;
		FILE *out = open_memstream(&words, &size);

		report->all_mixes = all;
		characterised_compare(&characterised);
		characterised_print(out, &characterised);
		fclose(out);
		if (all)
			check_parts(words, "2 alu and 2 imul: by the inferred ports 1, core-1 2\n",
				"±: distance to the farther quartile");
		else
			assert_null(strstr(words, "2 alu and 2 imul"));
		free(words);
		free(characterised.difference);
	}
	uarch_free(cores[0]);
	uarch_free(cores[1]);
	free(report);
}

RUN_TESTS(.each_set_up = set_up, .each_tear_down = tear_down)
