/* What kernels execute and what characterising measures: every instruction of every kernel has a class that is in the list of those, data/characterise.*. */
#include "check.h"

#include "kernels/kernel.h"
#include "model/explain.h"
#include "model/uarch.h"
#include "session/characterise_state.h"

static struct recipes recipes;
static struct uarch *uarch;      /* a core of which nothing is known but those classes */
static struct explanation *explanation;

/* Instructions whose class nobody can measure side by side with others, or that stand where it does not matter. */
static const char *const excused[] = {
	"vzeroupper",      /* once behind a loop, at times counted to it */
	"div", "idiv",     /* of 16 bits and less */
#ifdef __x86_64__
	"call", "ret",     /* of generated code; return and call have no representative of their own */
#else
	"adr",             /* of generated code: of a label, which no single line has */
	"dup", "ld1r",     /* of an element, and of memory: no line has them yet */
#endif
	NULL
};

static bool is_excused(const char *mnemonic)
{
	for (int i = 0; excused[i]; i++)
		if (strcmp(excused[i], mnemonic) == 0)
			return true;
	return false;
}

static int set_up(void **state)
{
	struct text text = { 0 };
	struct status status;

	(void)state;
#ifdef __x86_64__
	text_add(&text, "uarch listed Listed\nisa x86_64\nwidth 4 [measured]\nports p0 [measured]\n");
#else
	text_add(&text, "uarch listed Listed\nisa aarch64\nwidth 4 [measured]\nports p0 [measured]\n");
#endif
	status = recipes_load(NULL, &recipes);
	if (!status_is_ok(&status))
		return 1;
	for (int i = 0; i < recipes.class_count; i++)
		text_addf(&text, "class %s latency 1 ports p0 [measured]\n", recipes.classes[i].name);
	status = uarch_parse(text_string(&text), "listed", &uarch);
	text_free(&text);
	explanation = explanation_new();
	if (!status_is_ok(&status))
		print_error("%s\n", status.text);
	return !status_is_ok(&status);
}

static int tear_down(void **state)
{
	(void)state;
	explanation_free(explanation);
	uarch_free(uarch);
	recipes_free(&recipes);
	return 0;
}

/* What of a setting's code has no class in the list. */
static int missing(const struct kernel *kernel, const int64_t *v)
{
	struct explain_question question = { .kernel = kernel, .v = v, .seed = 1, .uarch = uarch, .foreign = true };
	int count = 0;

	explain(&question, explanation);
	if (!status_is_ok(&explanation->status))
		return 0;      /* what this machine cannot run */
	for (int i = 0; i < explanation->loop.insn_count; i++) {
		const struct insn *insn = &explanation->loop.insn[i];
		struct uarch_insn facts;

		uarch_insn(uarch, insn, &facts);
		if (facts.known || !insn->known || is_excused(insn->mnemonic))
			continue;
		print_error("%s: no class for \"%s\"\n", kernel->name, insn->text);
		count++;
	}
	return count;
}

static bool allowed(const struct kernel *kernel, const int64_t *v)
{
	struct status status = kernel->check ? kernel->check(v) : status_ok();

	return status_is_ok(&status);
}

/* Each choice of each knob, and the ends of the others, the rest as it is at first. */
static void every_kernel_is_of_classes_that_are_measured(void **state)
{
	int count = 0;

	(void)state;
	for (int k = 0; kernel_registry[k]; k++) {
		const struct kernel *kernel = kernel_registry[k];
		int64_t initial[KNOBS_MAX] = { 0 }, v[KNOBS_MAX];

		for (int i = 0; i < kernel->knob_count; i++)
			initial[i] = kernel->knobs[i].initial;
		count += missing(kernel, initial);
		for (int i = 0; i < kernel->knob_count; i++) {
			const struct knob *knob = &kernel->knobs[i];
			int choices = 0;

			if (knob->kind != KNOB_CHOICE)
				continue;
			while (knob->choices[choices])
				choices++;
			for (int c = 0; c < choices; c++) {
				memcpy(v, initial, sizeof(v));
				v[i] = c;
				if (kernel->fit && !allowed(kernel, v))
					kernel->fit(v, i);
				if (allowed(kernel, v))
					count += missing(kernel, v);
			}
		}
	}
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_is_of_classes_that_are_measured),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
