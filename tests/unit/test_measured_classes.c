/* What kernels execute and what characterising measures: every instruction of every kernel has a
 * class that is in the list of those, data/characterise.*. */
#include "check.h"

#include "experiment/characterise/recipes.h"
#include "kernels/kernel.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

static struct recipes recipes;
static struct uarch *uarch; /* a core of which nothing is known but those classes */
static struct explanation *explanation;

/* Instructions that no line of the list stands for: in which kernel, and what else of them is in
 * their text. */
static const struct excuse {
	const char *kernel, *mnemonic, *part;
} excused[] = {
#ifdef __x86_64__
	{ NULL, "vzeroupper", "" }, /* once behind a loop, at times counted to it */
	{ NULL, "lock xadd", "" },  /* locked instructions are not measured */
	{ NULL, "lock cmpxchg", "" },
	{ NULL, "xchg", "[" },
#else
	{ "window", "adr", "" }, /* of a label, which no single line has */
	{ "simd", "dup", "[" },	 /* of an element: the assembler has no such form */
	{ "simd", "ld1r", "" },	 /* nor this */
#endif
};

static int looked; /* instructions of which the class is in the list */

static bool is_excused(const struct kernel *kernel, const struct insn *insn)
{
	for (size_t i = 0; i < sizeof(excused) / sizeof(*excused); i++)
		if ((!excused[i].kernel || strcmp(excused[i].kernel, kernel->name) == 0) &&
			strcmp(excused[i].mnemonic, insn->mnemonic) == 0 &&
			strstr(insn->text, excused[i].part))
			return true;
	return false;
}

static int set_up(void **state)
{
	struct text text = { 0 };
	struct status status;

#ifdef __x86_64__
	text_add(&text,
		"uarch listed Listed\nisa x86_64\nwidth 4 [measured]\nports p0 [measured]\n");
#else
	text_add(&text,
		"uarch listed Listed\nisa aarch64\nwidth 4 [measured]\nports p0 [measured]\n");
#endif
	status = recipes_load(NULL, &recipes);
	if (!status_is_ok(&status))
		return 1;
	for (int i = 0; i < recipes.class_count; i++)
		text_addf(
			&text, "class %s latency 1 ports p0 [measured]\n", recipes.classes[i].word);
	status = uarch_parse(text_string(&text), "listed", &uarch);
	text_free(&text);
	explanation = explanation_new();
	if (!status_is_ok(&status))
		print_error("%s\n", status.text);
	return !status_is_ok(&status);
}

static int tear_down(void **state)
{
	explanation_free(explanation);
	uarch_free(uarch);
	recipes_free(&recipes);
	return 0;
}

/* What of a setting's code has no class in the list. */
static int missing(const struct kernel *kernel, const int64_t *v)
{
	struct explain_question question = {
		.kernel = kernel, .v = v, .seed = 1, .uarch = uarch, .foreign = true
	};
	int count = 0;

	explain(&question, explanation);
	if (!status_is_ok(&explanation->status))
		return 0; /* what this machine cannot run */
	for (int i = 0; i < explanation->loop.insn_count; i++) {
		const struct insn *insn = &explanation->loop.insn[i];
		struct uarch_insn facts;

		uarch_insn(uarch, insn, &facts);
		looked += facts.known;
		if (facts.known || !insn->known || is_excused(kernel, insn))
			continue;
		print_error("%s: no class for \"%s\"\n", kernel->name, insn->text);
		count++;
	}
	return count;
}

static bool allowed(const struct kernel *kernel, const int64_t *v)
{
	struct status status = kernel_check(kernel, v);

	return status_is_ok(&status);
}

/* Each choice of each knob, the rest as it is at first. Knobs that say where a kernel runs change
 * no code. */
TEST(every_kernel_is_of_classes_that_are_measured)
{
	int count = 0;

	for (int k = 0; kernel_registry[k]; k++) {
		const struct kernel *kernel = kernel_registry[k];
		int64_t initial[KNOBS_MAX] = { 0 }, v[KNOBS_MAX];

		for (int i = 0; i < kernel->knob_count; i++)
			initial[i] = kernel->knobs[i].initial;
		count += missing(kernel, initial);
		if (CHECK_REPEATS(false, true))
			continue;
		for (int i = 0; i < kernel->knob_count; i++) {
			const struct knob *knob = &kernel->knobs[i];
			int choices = 0;

			if (knob->kind != KNOB_CHOICE || knob->asks != ASKS_NOTHING)
				continue;
			while (knob->choices[choices])
				choices++;
			for (int c = 0; c < choices; c++) {
				memcpy(v, initial, sizeof(v));
				v[i] = c;
				if (c == initial[i])
					continue;
				if (!allowed(kernel, v))
					kernel_fit(kernel, v, i);
				if (allowed(kernel, v))
					count += missing(kernel, v);
			}
		}
	}
	assert_int_equal(count, 0);
	/* Where nothing can be stepped, either. */
	print_message("%d instructions\n", looked);
	assert_true(looked > CHECK_REPEATS(1000, 200));
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
