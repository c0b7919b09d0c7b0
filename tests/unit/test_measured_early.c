/* Whether ports are chosen at rename, found again on cores that are known: what the loops of
 * data/characterise.* for that would take there, by the core's own file, becomes the fact that a
 * measured core's file has. */
#include "check.h"

#include "experiment/characterise/recipes.h"
#include "model/limits/explain.h"

#if defined(__x86_64__)
#define ISA "x86_64"
enum { MISSED = 4 };
#else
#define ISA "aarch64"
enum { MISSED = 3 };
#endif

static struct recipes recipes;
static struct measured measured;
static struct measured_ports ports;

static double takes(const struct uarch *uarch, const struct kernel *kernel)
{
	static const int64_t v[KNOBS_MAX];
	struct explain_question question = { .kernel = kernel, .v = v, .seed = 1, .uarch = uarch };
	struct explanation *explanation = explanation_new();
	double cycles;

	explain(&question, explanation);
	check_ok(explanation->status);
	cycles = explain_binding(explanation) ? explanation->limits.predicted : (double)NAN;
	explanation_free(explanation);
	return cycles;
}

/* The least of those loops' ratios, as characterise takes it. */
static double slower_on(const struct uarch *uarch, int *loops)
{
	double least = INFINITY;

	*loops = 0;
	for (int i = 0; i < recipes.fact_count; i++) {
		const struct recipe *fact = &recipes.facts[i];

		if (strcmp(fact->word, "extra binds-ports") != 0)
			continue;
		assert_int_equal(fact->how, HOW_OVER);
		least = fmin(least, takes(uarch, recipe_kernel(fact, LOOP_FACT)) /
					    takes(uarch, recipe_kernel(fact, LOOP_OTHER)));
		++*loops;
	}
	return least;
}

static double inferred(double slower)
{
	struct text text = { 0 };
	struct uarch *uarch;
	double binds;

	memset(&measured, 0, sizeof(measured));
	strcpy(measured.isa, ISA);
	measured.fact_count = 1;
	measured.fact[0].figure = (struct figure){ true, slower, slower - 0.01, slower + 0.01 };
	strcpy(measured.fact[0].word, "extra binds-ports");
	measured_write(&measured, &ports, "made", &text);
	check_ok(uarch_parse(text_string(&text), "made.uarch", &uarch));
	binds = uarch->fact[EXTRA_BINDS_PORTS];
	text_free(&text);
	uarch_free(uarch);
	return binds;
}

TEST(cores_that_choose_early_are_told_from_others)
{
	int cores = 0, missed = 0;

	check_ok(recipes_load(NULL, &recipes));
	for (const char *const *name = uarch_names(ISA); *name; name++, cores++)
		for (int binds = 0; binds < 2; binds++) {
			struct uarch *uarch;
			char text[120];
			double slower;
			int loops;

			snprintf(text, sizeof(text),
				"uarch made-%d Made\nisa %s\nfrom %s\nextra binds-ports %d [M]\n",
				binds, ISA, *name, binds);
			check_ok(uarch_parse(text, "made", &uarch));
			slower = slower_on(uarch, &loops);
			print_message("%s, ports chosen %s: %.3f times as long\n", *name,
				binds ? "early" : "late", slower);
			assert_true(loops > 0);
			/* Of the loops that are free nothing waits: how long they take is what
			 * ports and width allow. */
			assert_true(slower > 0.99 && slower < 2);
			/* Of a core that chooses late it is never said; of one that chooses early
			 * it may be missed. */
			assert_true(!inferred(slower) || binds);
			missed += inferred(slower) != binds;
			uarch_free(uarch);
		}
	assert_true(cores > 0);
	/* The loops are for cores whose ports are as many as the slots of a cycle, or fewer by one
	 * or two: Zen 1 and Zen 2 rename six and have four, Sandy Bridge four and three, Cortex-A72
	 * three and two, Neoverse N1 four and three; Neoverse V2 has six ports. */
	assert_in_range(missed, 0, MISSED);
	recipes_free(&recipes);
}

/* What noise and the width leave decides nothing. */
TEST(a_little_slower_is_not_early)
{
	check_near(inferred(1.0), 0, 0);
	check_near(inferred(1.1), 0, 0);
	check_near(inferred(1.2), 1, 0);
}

RUN_TESTS()
