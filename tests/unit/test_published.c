/* Figures that others published stand beside the model's, and the shipped file says something
 * sensible in every line. */
#include "check.h"

#include "base/data.h"
#include "experiment/published.h"
#include "model/core/uarch.h"

static void set(struct setting *setting, const char *kernel, const char *knob)
{
	check_ok(setting_find_kernel(kernel, &setting->kernel));
	setting_init(setting, setting->kernel);
	if (knob)
		check_ok(setting_assign(setting, knob, MEMORY_LIMITS_UNKNOWN));
}

TEST(a_setting_finds_its_figure)
{
	struct published published;
	struct setting setting;

	set(&setting, "mul-by", NULL);
	assert_true(published_find(&setting, "skylake", &published));
	check_near(published.cycles, 4.01, 1e-9);
	assert_false(published.limit);
	check_near(published_port(&published, "p1"), 4, 1e-9);
	check_near(published_port(&published, "p6"), 1.81, 1e-9);
	check_near(published_port(&published, "p9"), -1, 0);
	assert_string_equal(published.core, "skylake");
	assert_string_not_equal(published.remark, "");
	/* On another core: the same figure, said to be of its core, and nothing about its model. */
	assert_true(published_find(&setting, "zen3", &published));
	assert_string_equal(published.core, "skylake");
	assert_string_equal(published.ports, "");
	assert_string_equal(published.remark, "");
	assert_true(published_find(&setting, NULL, &published));
	/* Another form. */
	set(&setting, "mul-by", "form=squares");
	assert_false(published_find(&setting, "skylake", &published));
	set(&setting, "indirect", "form=wide-lean");
	assert_true(published_find(&setting, "skylake", &published));
	check_near(published.cycles, 1.67, 1e-9);
	assert_string_equal(published.ports, "");
	assert_string_equal(published.remark, "");
	set(&setting, "sum-halves", "form=vector256");
	check_ok(setting_assign(&setting, "unroll=1", MEMORY_LIMITS_UNKNOWN));
	assert_true(published_find(&setting, "skylake", &published));
	check_near(published.cycles, 8 * 0.38, 1e-9);
	set(&setting, "indirect", "form=gather");
	assert_true(published_find(&setting, "skylake", &published));
	check_near(published.cycles, 8 / 2 * 1.25, 1e-9);
	/* A published result may be below the limit, because its loop was not the same. */
	set(&setting, "mul-chain", NULL);
	assert_true(published_find(&setting, "skylake", &published));
	assert_non_null(strstr(published.remark, "restart=4096"));
	set(&setting, "k-loads", "k=3");
	assert_true(published_find(&setting, "haswell", &published));
	check_near(published.cycles, 8 * 1.5, 1e-9);
	assert_true(published.limit);
	/* A text that contradicts itself has a remark. */
	set(&setting, "indirect", "form=four");
	assert_true(published_find(&setting, "skylake", &published));
	check_near(published.cycles, 4, 0);
	assert_non_null(strstr(published.remark, "they take 2"));
}

TEST(words_name_cycles_core_and_source)
{
	struct published published;
	struct setting setting;
	struct text words = { 0 };

	set(&setting, "mul-by", NULL);
	assert_true(published_find(&setting, "skylake", &published));
	published_words(&published, &setting, 1, &words);
	assert_string_equal(text_string(&words),
		"4.01 cycles an iteration on skylake (Downs, Performance Speed Limits)");
	text_clear(&words);
	published_words(&published, &setting, 2, &words);
	check_contains(
		text_string(&words), "4.01 cycles an iteration, 2.005 per number on skylake");
	text_clear(&words);
	published.cycles = 1;
	published_words(&published, &setting, 1, &words);
	check_contains(text_string(&words), "1 cycle an iteration on");
	text_free(&words);
}

/* ---- which is right ---- */

static const struct published doubtful = { .core = "skylake",
	.cycles = 4,
	.ports = "p0=1.06 p6=1.81",
	.source = "Somebody",
	.doubt = true };

/* The verdict where their limit is 2 cycles and ours 3, and so many cycles were measured. */
static void check_verdict(double cycles, double spread, enum limit_kind ours, const char *part)
{
	const struct published_limits limits = {
		.known = true, .theirs = { 2, LIMIT_LOADS }, .ours = { 3, ours }
	};
	/* Two elements an iteration. */
	const struct sample sample = { .valid = true,
		.cpe = cycles / 2,
		.cpe_lo = (cycles - spread) / 2,
		.cpe_hi = (cycles + spread) / 2 };
	struct text words = { 0 };

	published_verdict(&doubtful, &limits, 2, &sample, &words);
	check_contains(text_string(&words), part);
	check_contains(text_string(&words),
		"4 cycles an iteration are published for skylake: 2.000 times its limit of 2.000 "
		"(loads).");
	text_free(&words);
}

TEST(a_measurement_says_which_figure_is_right)
{
	const struct published_limits agree = {
		.known = true, .theirs = { 3.9, LIMIT_LOADS }, .ours = { 3, LIMIT_LOADS }
	};
	const struct sample sample = { .valid = true, .cpe = 3, .cpe_lo = 3, .cpe_hi = 3 };
	struct text words = { 0 };

	check_verdict(3.2, 0.1, LIMIT_LOADS,
		"The published value for skylake looks wrong, and the computed limit right. ");
	check_verdict(3.2, 0.1, LIMIT_LOADS, "1.067 times its own limit of 3.000 (loads).");
	check_verdict(5.9, 0.1, LIMIT_LOADS,
		"The computed limit of skylake looks wrong, and the published value right, unless "
		"another program");
	check_verdict(4.2, 0.5, LIMIT_LOADS, "too noisy");
	check_verdict(3.2, 0.1, LIMIT_WIDTH, "it cannot tell if the value published for");
	/* What agrees needs no judge; nor does what nobody measured. */
	published_verdict(&doubtful, &agree, 1, &sample, &words);
	published_verdict(
		&doubtful, &(struct published_limits){ .known = false }, 1, &sample, &words);
	assert_string_equal(text_string(&words), "");
}

TEST(counted_ports_say_which_figure_is_right)
{
	struct uarch *uarch;
	struct limits *limits = calloc(1, sizeof(*limits));
	double counted[UARCH_PORTS] = { 0 };
	struct text words = { 0 };

	check_ok(uarch_load("skylake", NULL, &uarch));
	limits->uarch = uarch;
	for (int i = 0; i < uarch->port_count; i++) {
		limits->pressure[i] = 1;
		counted[i] = NAN;
	}
	published_ports_verdict(&doubtful, limits, counted, &words);
	assert_string_equal(text_string(&words),
		"p6: published 1.81, model 1.00; this core has no count of that port, so it cannot "
		"tell.");
	for (int i = 0; i < uarch->port_count; i++)
		counted[i] = 1.7;
	text_clear(&words);
	published_ports_verdict(&doubtful, limits, counted, &words);
	check_contains(text_string(&words), "counted here 1.70: the published value is right");
	assert_null(strstr(text_string(&words), "p0"));
	for (int i = 0; i < uarch->port_count; i++)
		counted[i] = 1.1;
	text_clear(&words);
	published_ports_verdict(&doubtful, limits, counted, &words);
	check_contains(text_string(&words), "the model is right");
	text_free(&words);
	uarch_free(uarch);
	free(limits);
}

/* The shipped model: 4 loads at 2 a cycle take 2 cycles. */
TEST(limits_of_both_cores_are_computed)
{
#if defined(__x86_64__)
	struct machine machine = { .cpu = 0 };
	struct explain_question question = { .machine = &machine };
	struct published_limits limits;
	struct published published;
	struct setting setting;

	snprintf(machine.arch, sizeof(machine.arch), "x86_64");
	set(&setting, "indirect", "form=four");
	assert_true(published_find(&setting, "skylake", &published));
	assert_true(published.doubt);
	question.kernel = setting.kernel;
	question.v = setting.v;
	published_limits(&published, &explainer_model, &question, "zen4", &limits);
	assert_true(limits.known);
	check_near(limits.theirs.cycles, 2, 1e-9);
	check_near(limits.ours.cycles, 4 / 3.0, 1e-9);
	assert_int_equal(limits.ours.kind, LIMIT_LOADS);
	published_limits(&published, &explainer_model, &question, "", &limits);
	assert_false(limits.known);
	/* The value was published for data in the first cache. */
	check_ok(setting_assign(&setting, "size=64k", MEMORY_LIMITS_UNKNOWN));
	machine.cache[0] =
		(struct machine_cache){ .level = 1, .bytes = 32 << 10, .line = 64, .ways = 8 };
	machine.cache[1] =
		(struct machine_cache){ .level = 2, .bytes = 1 << 20, .line = 64, .ways = 8 };
	machine.cache_count = 2;
	published_limits(&published, &explainer_model, &question, "zen4", &limits);
	assert_false(limits.known);
	set(&setting, "mul-chain", "acc=1");
	assert_true(published_find(&setting, "skylake", &published));
	published_limits(&published, &explainer_model, &question, "zen4", &limits);
	assert_false(limits.known);
#endif
}

/* Each line but comments: a kernel, knobs that it has, a core model, a number, ports of that core,
 * a source. */
TEST(every_line_of_the_file_is_found)
{
	char *text, *rest;
	int lines = 0;

	check_ok(data_load("published", &text, NULL));
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char words[128] = "", core[32] = "", *more, *word;
		struct published published;
		struct setting setting;
		struct uarch *uarch;

		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%127[^|]| %31[^ |]", words, core), 2);
		word = strtok_r(words, " ", &more);
		set(&setting, word, NULL);
		while ((word = strtok_r(NULL, " ", &more)))
			check_ok(setting_assign(&setting, word, MEMORY_LIMITS_UNKNOWN));
		if (!published_find(&setting, core, &published))
			fail_msg("not found: %s", line);
		assert_true(published.cycles > 0 && strlen(published.source) > 8);
		check_ok(uarch_load(core, NULL, &uarch));
		for (char *port = strtok_r(published.ports, " ", &more); port;
			port = strtok_r(NULL, " ", &more)) {
			bool has = false;

			port[strcspn(port, "=")] = '\0';
			for (int i = 0; i < uarch_port_count(uarch); i++)
				has = has || strcmp(uarch->port[i], port) == 0;
			assert_true(has);
		}
		uarch_free(uarch);
		lines++;
	}
	assert_true(lines > 3);
	free(text);
}

RUN_TESTS()
