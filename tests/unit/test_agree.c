/* The command line and the explorer say the same of a setting: limits, misses and the sizes of the
 * caches, in text, CSV and JSON. All kernels, five settings of each, three sizes beyond each cache.
 * Kernels whose code is single-stepped: one setting of the largest size. */
#define REAL_KERNELS
#include "csv.h"
#include "played.h"
#include "written.h"

#include <jansson.h>
#include <time.h>

#include "base/random.h"

#include "cli/model.h"
#include "experiment/advice/explainer.h"
#include "explorer/insight.h"
#include "explorer/state.h"
#include "model/core/uarch.h"

static const char *const core_name = "skylake";

static struct model model;
static double now;

/* What was measured of a machine with 32 MiB of L3, of which this process has 3 MiB. */
static struct memory_facts facts_of(void)
{
	struct memory_facts facts = { .cache[2] = { 3 << 20, 2 << 20, 4 << 20, CACHE_MEASURED },
		.l2_lines = 0.5,
		.l3 = { .known = true, .latency = 50, .lines = 0.3 },
		.memory = { .known = true, .latency = 400, .lines = 0.1 },
		.l3_walk = 45,
		.parallel = 20 };

	for (int i = 0; i < MEMORY_POINTS; i++)
		facts.stream[i] =
			(struct memory_stream){ .bytes = 2 << 20 << i, .lines = 0.3 - 0.03 * i };
	for (int i = 0; i < MEMORY_POINTS; i++)
		facts.point[i] = (struct memory_point){ .bytes = 2 << 20 << i,
			.latency = 100 + 60 * i,
			.lo = 90 + 60 * i,
			.hi = 110 + 60 * i };
	return facts;
}

static int set_up(void **state)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	machine = fake.machine;
	machine.cache_count = 3;
	machine.cache[0] = (struct machine_cache){ 1, 32 << 10, 64 };
	machine.cache[1] = (struct machine_cache){ 2, 256 << 10, 64 };
	machine.cache[2] = (struct machine_cache){ 3, 32 << 20, 64 };
	machine_identify(&machine);
	fake.machine = machine;
	if (strcmp(machine.arch, "x86_64") != 0)
		return 0;
	model = (struct model){ .machine = &machine, .seed = 5 };
	memory_probe_init(&model.memory);
	model.memory.facts = facts_of();
	check_ok(uarch_choose(core_name, &machine, &model.core));
	model.core.foreign = false;
	model.explanation = explanation_new();
	played_begin(&engine, (struct session_options){ .seed = 5, .explainer = &explainer_model },
		kernel_registry[0]);
	/* The chosen core stands for the running core, so that the measured values apply. */
	check_ok(insight_ask(session, core_name));
	strcpy(session->insight.running, session->insight.core.name);
	session->insight.match = UARCH_EXACT;
	session->memory.facts = model.memory.facts;
	session->memory.done = ~0u;
	now = 100;
	return 0;
}

static int tear_down(void **state)
{
	played_end(state);
	model_close(&model);
	return 0;
}

/* The explorer's explanation of a setting; NULL: the explorer has none. */
static const struct explanation *explored(const struct setting *setting)
{
	session->setting = *setting;
	insight_forget(session);
	insight_renew(session);
	for (int i = 0; i < 4000 && !insight_ready(session); i++) {
		insight_advance(session);
		if (insight_thinks(session))
			nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
		session->now = now += 0.05;
	}
	return insight_ready(session) ? session->insight.explanation : NULL;
}

/* Writes a sample of the setting, as `run` does. */
static void write_run(const char *format, const struct setting *setting, const double cpe)
{
	const struct sample sample = fake_sample(cpe);
	const struct run_facts facts = {
		.cpu = 1, .bound = true, .cycles_from = SOURCE_REFERENCE, .pages = "4k"
	};

	prepare(format, &subject_run);
	report.core = &model.core;
	report.setting = *setting;
	report.explanation = model_explain(&model, setting);
	report_begin(&report);
	write_sample(setting, &sample, &facts);
	end();
}

static void agree(const struct setting *setting, const char *what, double a, double b)
{
	struct text name = { 0 };

	if ((isnan(a) && isnan(b)) || fabs(a - b) <= 1e-5 * fmax(fabs(a), fabs(b)))
		return;
	setting_format(setting, &name);
	fail_msg("%s: %s is %.9g and %.9g", text_string(&name), what, a, b);
}

static double member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static double column(const char *name)
{
	const char *cell = csv_at(written, 1, name);

	return *cell ? strtod(cell, NULL) : (double)NAN;
}

static void check_setting(const struct setting *setting)
{
	const struct explanation *mine = model_explain(&model, setting);
	const struct explanation *other;
	const struct limits *limits = &mine->limits;
	struct cache_sizes caches;
	struct misses misses;
	char line[768];
	json_t *object;

	if (!status_is_ok(&mine->status))
		return;
	other = explored(setting);
	assert_non_null(other);
	view_misses(session, &misses);
	caches = insight_caches(session);
	/* The command line's and the explorer's explanation. */
	agree(setting, "the limit", limits->bound, other->limits.bound);
	agree(setting, "the prediction", limits->predicted, other->limits.predicted);
	assert_int_equal(limits->limit_count, other->limits.limit_count);
	for (int i = 0; i < CACHE_LEVELS; i++) {
		agree(setting, "a cache of the explorer", mine->misses.caches.level[i].bytes,
			caches.level[i].bytes);
		agree(setting, "the misses of the explorer", mine->misses.level[i].each,
			misses.level[i].each);
	}
	/* Text, JSON and CSV. */
	write_run("text", setting, limits->predicted * 1.5);
	if (limits->binding >= 0) {
		snprintf(line, sizeof(line), "\nlimit    %s, ", units_cycles(limits->bound).text);
		check_contains(written, line);
		snprintf(line, sizeof(line), "\npredicted %s", limits_predicted(limits).text);
		check_contains(written, line);
	}
	for (int i = 0; mine->misses.known && i < CACHE_LEVELS; i++)
		check_contains(written, cache_words(&mine->misses.caches, i).text);
	write_run("json", setting, limits->predicted * 1.5);
	object = record_at(0);
	if (limits->binding >= 0)
		agree(setting, "the limit in JSON", limits->bound, member(object, "limit"));
	if (limits->predicted_by >= 0)
		agree(setting, "the prediction in JSON", limits->predicted,
			member(object, "predicted"));
	agree(setting, "L3 in JSON", mine->misses.caches.level[2].bytes,
		member(object, "l3_bytes"));
	for (int i = 0; mine->misses.known && i < CACHE_LEVELS; i++)
		agree(setting, "the misses in JSON", mine->misses.level[i].each,
			json_number_value(
				json_array_get(json_object_get(object, "misses"), (size_t)i)));
	json_decref(object);
	write_run("csv", setting, limits->predicted * 1.5);
	if (limits->binding >= 0)
		agree(setting, "the limit in CSV", limits->bound, column("limit"));
	agree(setting, "L3 in CSV", mine->misses.caches.level[2].bytes, column("l3_bytes"));
}

/* Gives a knob other than the size a random value. */
static void turn(struct setting *setting, struct random *random)
{
	const struct kernel *kernel = setting->kernel;
	int size = kernel_axis(kernel, AXIS_SIZE);

	for (int tries = 0; tries < 8; tries++) {
		int knob = (int)random_below(random, (uint64_t)kernel->knob_count);
		struct setting other = *setting;
		int64_t values[64];
		int count = axis_values(&kernel->knobs[knob], MEMORY_LIMITS_UNKNOWN, values, 64);

		if (knob == size || count < 1)
			continue;
		other.v[knob] = values[random_below(random, (uint64_t)count)];
		if (setting_check(&other, MEMORY_LIMITS_UNKNOWN).code == STATUS_OK) {
			*setting = other;
			return;
		}
	}
}

TEST_WITH(all_kernels_at_five_settings_beyond_each_cache, set_up, tear_down)
{
	static const int64_t sizes[] = { 64 << 10, 1 << 20, 6 << 20 };
	struct random random = { 77 };
	int checked = 0;

	if (strcmp(machine.arch, "x86_64") != 0)
		skip();
	for (int k = 0; kernel_registry[k]; k++) {
		const struct kernel *kernel = kernel_registry[k];
		int size = kernel_axis(kernel, AXIS_SIZE);
		struct setting setting;

		setting_init(&setting, kernel);
		for (int i = 0; i < (kernel->stepped ? CHECK_REPEATS(1, 0) : CHECK_REPEATS(5, 2));
			i++) {
			/* Single-stepping takes long. */
			for (int s = size < 0 || kernel->stepped ? 2 : 0; s < 3; s++) {
				struct setting at = setting;

				if (size >= 0)
					at.v[size] = sizes[s];
				if (setting_check(&at, MEMORY_LIMITS_UNKNOWN).code != STATUS_OK)
					continue;
				check_setting(&at);
				checked++;
			}
			turn(&setting, &random);
		}
	}
	assert_true(checked > CHECK_REPEATS(200, 80));
}

/* Answers requests until `until`: those for L3 and memory, and others with `cpe`. Returns the
 * number of requests for L3 and memory. */
static int memory_asked(double until, double cpe)
{
	int asked = 0;

	for (; now < until; now += 0.02) {
		session_advance(session, now);
		if (!fake.pending)
			continue;
		asked += fake.request.tag == TAG_MEMORY;
		fake_answer(&fake, 60, fake.request.tag == TAG_MEMORY ? 20 : cpe);
	}
	return asked;
}

/* What memory takes was measured at another time than the sample: if they differ, it is measured
 * again, and not again and again. */
TEST_WITH(memory_is_measured_again_before_it_is_blamed, set_up, tear_down)
{
	double predicted;
	int asked;

	if (strcmp(machine.arch, "x86_64") != 0)
		skip();
	command("kernel latency", now);
	command("set size=48m", now);
	session->insight.memory_at = now;
	assert_int_equal(memory_asked(now + 0.1, 100), 0);
	assert_true(insight_ready(session));
	predicted = session->insight.explanation->limits.predicted;
	assert_true(predicted > 100);
	session->insight.memory_at = now;
	assert_int_equal(memory_asked(now + 4, predicted), 0);
	assert_int_equal(memory_asked(now + 10, predicted * 1.1), 0);
	/* Each value at most once within RENEW_SECONDS. */
	asked = memory_asked(now + 4.5, predicted * 2);
	assert_true(asked > 4 && asked <= 25);
}

static const struct kernel *original;
static int prepared;

static struct status prepare_counted(struct kernel_run *run)
{
	prepared++;
	return original->prepare(run);
}

/* The second explanation of a loop may fail where the first succeeded. */
TEST_WITH(a_setting_is_explained_once_for_all_its_results, set_up, tear_down)
{
	const struct explanation *explanation;
	struct setting setting;
	struct kernel counted;
	struct blocks blocks;
	int once;

	if (strcmp(machine.arch, "x86_64") != 0)
		skip();
	check_ok(setting_find_kernel("combine", &original));
	counted = *original;
	counted.prepare = prepare_counted;
	setting_init(&setting, &counted);
	explanation = model_explain(&model, &setting);
	check_ok(explanation->status);
	once = prepared;
	assert_true(once > 0);
	model_blocks(&model, &setting, NULL, &blocks);
	assert_ptr_equal(model_explain(&model, &setting), explanation);
	assert_int_equal(prepared, once);
	setting.v[kernel_axis(&counted, AXIS_SIZE)] *= 2;
	check_ok(model_explain(&model, &setting)->status);
	assert_true(prepared > once);
}

RUN_TESTS()
