/* How long explaining takes: of each kernel at its default setting, and of the longest loops there
 * are, the median time to lay its data out small and read its loop (or step through it, which a
 * child process does), and to find every limit.
 *
 *   bench/explain [CORE]             CORE names a core model; without it the running core's
 *
 * A model whose ports are chosen at rename (redwood-cove) also runs each loop in its pipeline. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/machine/machine.h"
#include "kernels/kernel.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

enum { ROUNDS = 15 };

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times)
{
	qsort(times, ROUNDS, sizeof(*times), ascending);
	return times[ROUNDS / 2];
}

/* The setting `knob` at its largest, the others at their defaults; NULL: all at their defaults.
 * False: not allowed. */
static bool setting(const struct kernel *kernel, const char *knob, int64_t *v)
{
	int which = knob ? kernel_knob(kernel, knob) : -1;

	memset(v, 0, KNOBS_MAX * sizeof(*v));
	for (int i = 0; i < kernel->knob_count; i++)
		v[i] = kernel->knobs[i].initial;
	if (which < 0)
		return !knob;
	v[which] = kernel->knobs[which].max;
	if (kernel->knobs[which].kind == KNOB_CHOICE)
		for (v[which] = 0; kernel->knobs[which].choices[v[which] + 1];)
			v[which]++;
	return kernel_check(kernel, v).code == STATUS_OK;
}

static void row(const struct kernel *kernel, const char *knob, const struct explain_question *base,
	struct explanation *explanation)
{
	struct explain_question question = *base;
	double whole[ROUNDS], limits[ROUNDS];
	int64_t v[KNOBS_MAX];
	char name[48];
	struct limits again = { 0 };
	struct limits_place place = { 0 };

	if (!setting(kernel, knob, v))
		return;
	question.kernel = kernel;
	question.v = v;
	for (int i = 0; i < ROUNDS; i++) {
		double begin = now_us(), end;

		explain(&question, explanation);
		end = now_us();
		whole[i] = end - begin;
		if (!status_is_ok(&explanation->status)) {
			printf("%-20s %s\n", kernel->name, explanation->status.text);
			return;
		}
		begin = now_us();
		limits_compute(&explanation->loop, base->uarch, &place, &again);
		limits[i] = now_us() - begin;
	}
	limits_free(&again);
	snprintf(name, sizeof(name), "%s%s%s", kernel->name, knob ? " longest " : "",
		knob ? knob : "");
	printf("%-24s %8d %9.0f %9.0f %9.0f  %s\n", name, explanation->loop.insn_count,
		median(whole) - median(limits), median(limits), median(whole),
		explanation->loop.stepped ? "stepped" : "read");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	struct machine machine = { .cpu = -1 };
	struct uarch_choice core;
	struct explain_question base = { .seed = 1, .machine = &machine };
	struct explanation *explanation;
	struct status status;

	machine_identify(&machine);
	machine_survey(&machine);
	status = uarch_choose(name, &machine, &core);
	if (status_is_ok(&status) && !core.uarch)
		status = uarch_choose(*core.nearest ? core.nearest : "skylake", &machine, &core);
	if (!status_is_ok(&status)) {
		fprintf(stderr, "explain: %s\n", status.text);
		return 1;
	}
	base.uarch = core.uarch;
	base.foreign = core.foreign;
	explanation = explanation_new();
	printf("explaining: microseconds, medians of %d; %s\n", ROUNDS, core.how);
	printf("%-24s %8s %9s %9s %9s\n", "kernel", "insns", "loop", "limits", "both");
	for (int k = 0; kernel_registry[k]; k++)
		row(kernel_registry[k], NULL, &base, explanation);
	row(kernel_find("combine"), "unroll", &base, explanation);
	row(kernel_find("branches"), "count", &base, explanation);
	row(kernel_find("alignment"), "count", &base, explanation);
	explanation_free(explanation);
	uarch_choice_free(&core);
	return 0;
}
