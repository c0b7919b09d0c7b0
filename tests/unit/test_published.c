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
	set(&setting, "k-loads", "k=3");
	assert_true(published_find(&setting, "haswell", &published));
	check_near(published.cycles, 8 * 1.5, 1e-9);
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
	text_free(&words);
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
