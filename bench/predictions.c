/* The model against measurements of every kernel, with data in each cache and in memory.
 *
 *   bench/predictions measure FILE [WORD…]
 *   bench/predictions predict FILE [WORST]
 *   bench/predictions advise [WORD…]
 *
 * `measure` measures settings, and appends them and this machine's memory to FILE. `predict`
 * predicts the settings in FILE, and prints all errors, their median and the worst. `advise`
 * measures each setting that the model advises next to the present one.
 *
 * The words choose settings by their text, such as "gather " or "size=4m"; without words, all
 * settings. Two builds can predict the same FILE, so a change of the model is judged without the
 * noise of a second measurement.
 *
 * Each sample in FILE follows the values of L3 and memory from the same minute: struct memory_facts
 * as bytes. A later build may append fields to this struct, which are then 0 (not measured). */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/stats.h"
#include "base/text.h"
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/model.h"
#include "experiment/advice/advice.h"

/* Settings measured between two measurements of L3 and memory, seconds and quiet trials of a
 * sample. */
enum { FACTS_EVERY = 40, QUIET = 60, SETTINGS = 4000, WORDS = 400 };
#define SECONDS 0.1

static const int64_t sizes[] = { 16 << 10, 256 << 10, 4 << 20, 64 << 20 };

struct list {
	int count;
	struct setting setting[SETTINGS];
};

static struct words words_of_setting(const struct setting *setting)
{
	struct text text = { 0 };
	struct words words;

	setting_format(setting, &text);
	words = words_of("%s", text.bytes);
	text_free(&text);
	return words;
}

static bool is_chosen(const struct setting *setting, char **words, int count)
{
	struct text text = { 0 };
	bool chosen = true;

	setting_format(setting, &text);
	for (int i = 0; i < count; i++)
		chosen &= strstr(text.bytes, words[i]) != NULL;
	text_free(&text);
	return chosen;
}

static void list_add(struct list *list, const struct setting *setting, char **words, int count)
{
	if (list->count >= SETTINGS || !is_chosen(setting, words, count) ||
		kernel_check(setting->kernel, setting->v).code != STATUS_OK)
		return;
	for (int i = 0; i < list->count; i++)
		if (setting_equal(&list->setting[i], setting))
			return;
	list->setting[list->count++] = *setting;
}

/* Adds the setting with each choice of each knob, or with four values of its range, one knob at a
 * time. */
static void list_knobs(struct list *list, const struct setting *base, char **words, int word_count)
{
	for (int i = 0; i < base->kernel->knob_count; i++) {
		const struct knob *knob = &base->kernel->knobs[i];
		struct memory_limits none = { 0 };
		int64_t values[64];
		int count = knob->axis == AXIS_SIZE || knob->asks != ASKS_NOTHING
				    ? 0
				    : axis_few(knob, none, values, 64);
		int every = knob->kind == KNOB_CHOICE || count <= 4 ? 1 : (count + 2) / 3;

		for (int k = every > 1 ? every / 2 : 0; k < count; k += every) {
			struct setting setting = *base;

			setting.v[i] = values[k];
			kernel_fit(setting.kernel, setting.v, i);
			list_add(list, &setting, words, word_count);
		}
	}
}

static struct list *list_all(char **words, int count)
{
	struct list *list = memory_new(1, sizeof(*list));

	for (int k = 0; kernel_registry[k]; k++) {
		struct setting setting;
		int size = kernel_axis(kernel_registry[k], AXIS_SIZE);

		setting_init(&setting, kernel_registry[k]);
		list_add(list, &setting, words, count);
		if (size < 0)
			list_knobs(list, &setting, words, count);
		for (size_t i = 0; size >= 0 && i < sizeof(sizes) / sizeof(*sizes); i++) {
			setting.v[size] = sizes[i];
			list_add(list, &setting, words, count);
			list_knobs(list, &setting, words, count);
		}
	}
	return list;
}

/* ---- Measuring */

static bool measure(struct bench *bench, const struct cli *cli, const struct setting *setting,
	struct sample *sample)
{
	static struct result result;
	struct request request = bench_request(cli, setting, SECONDS, QUIET);

	*sample = (struct sample){ 0 };
	if (bench_measure(bench, &request, &result) && status_is_ok(&result.status))
		sample_summarise(&result.trials, &result.facts, sample);
	return sample->valid;
}

static void put_facts(FILE *file, const struct memory_facts *facts)
{
	const unsigned char *bytes = (const unsigned char *)facts;

	fputs("facts ", file);
	for (size_t i = 0; i < sizeof(*facts); i++)
		fprintf(file, "%02x", bytes[i]);
	fputc('\n', file);
}

static void renew(struct model *model, struct bench *bench)
{
	struct setting setting;

	setting_read(&setting, "latency size=256m");
	memory_probe_renew(&model->memory);
	model_measure(model, bench, &setting);
}

static int measure_all(struct model *model, struct bench *bench, const struct cli *cli,
	const char *path, char **words, int count)
{
	FILE *file = fopen(path, "a");
	struct list *list = list_all(words, count);

	for (int i = 0; file && i < list->count && !interrupt_signal(); i++) {
		struct sample sample;

		if (i % FACTS_EVERY == 0) {
			renew(model, bench);
			put_facts(file, &model->memory.facts);
		}
		if (measure(bench, cli, &list->setting[i], &sample))
			fprintf(file, "sample %.9g %.9g %.9g %d %s\n", sample.cpe, sample.cpe_lo,
				sample.cpe_hi, sample_doubt(&sample) != NULL,
				words_of_setting(&list->setting[i]).text);
		fflush(file);
	}
	free(list);
	return file && fclose(file) == 0 ? 0 : 1;
}

/* ---- Predicting */

struct row {
	char words[WORDS], by[40];
	double measured, predicted, limit;
	bool beyond; /* the loop's lines come from L2, L3 or memory */
};

static int by_error(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	double p = fabs(log(x->predicted / x->measured)), q = fabs(log(y->predicted / y->measured));

	return (p < q) - (p > q);
}

static void get_facts(const char *text, struct memory_facts *facts)
{
	unsigned char *bytes = (unsigned char *)facts;
	unsigned byte;

	memset(facts, 0, sizeof(*facts));
	for (size_t i = 0; i < sizeof(*facts) && sscanf(text + 2 * i, "%2x", &byte) == 1; i++)
		bytes[i] = (unsigned char)byte;
}

static void print_row(const struct row *row)
{
	printf("%+6.0f %% %9.3f %9.3f %9.3f  %-22s %s\n",
		100 * (row->predicted / row->measured - 1), row->measured, row->predicted,
		row->limit, row->by, row->words);
}

/* Prints the errors of the rows for data beyond the first cache, or of the others. The rows are in
 * the order of their errors, the largest first. */
static void print_group(const struct row *rows, int count, bool beyond, const char *name)
{
	double *errors = memory_new((size_t)count + 1, sizeof(*errors));
	int n = 0, within = 0, above = 0;

	for (int i = count - 1; i >= 0; i--) {
		if (rows[i].beyond != beyond)
			continue;
		errors[n] = fabs(rows[i].predicted / rows[i].measured - 1);
		within += errors[n++] <= 0.25;
		above += rows[i].limit > 1.03 * rows[i].measured;
	}
	stats_sort(errors, (size_t)n);
	if (n > 0)
		printf("%s: %d settings, median error %.1f %%, p90 %.0f %%, within 25 %%: %d; hard "
		       "limits more than 3 %% "
		       "above: %d\n",
			name, n, 100 * errors[n / 2], 100 * errors[n * 9 / 10], within, above);
	free(errors);
}

static int predict_all(struct model *model, const char *path, int worst)
{
	FILE *file = fopen(path, "r");
	static char line[65536];
	struct row *rows = memory_new(SETTINGS, sizeof(*rows));
	int count = 0, start, unknown = 0, doubtful = 0;

	while (file && fgets(line, sizeof(line), file) && count < SETTINGS) {
		struct row *row = &rows[count];
		struct setting setting;
		const struct explanation *explanation;
		int doubt;

		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "facts ", 6) == 0) {
			get_facts(line + 6, &model->memory.facts);
			model->explained.kernel = NULL;
		}
		if (sscanf(line, "sample %lf %*f %*f %d %n", &row->measured, &doubt, &start) != 2 ||
			!setting_read(&setting, line + start))
			continue;
		explanation = model_explain(model, &setting);
		if (doubt) {
			doubtful++;
			continue;
		}
		if (!status_is_ok(&explanation->status) || explanation->limits.predicted_by < 0) {
			unknown++;
			continue;
		}
		snprintf(row->words, sizeof(row->words), "%.399s", line + start);
		snprintf(row->by, sizeof(row->by), "%s",
			limit_rows[explanation->limits.limit[explanation->limits.predicted_by].kind]
				.name);
		row->predicted = explanation->limits.predicted;
		row->limit = explanation->limits.bound;
		row->beyond = !(explanation->limits.beyond[0] <= 0);
		count++;
	}
	qsort(rows, (size_t)count, sizeof(*rows), by_error);
	printf("   error  measured predicted     limit  predicted by           setting\n");
	for (int i = 0; i < count && i < worst; i++)
		print_row(&rows[i]);
	print_group(rows, count, false, "in the first cache");
	print_group(rows, count, true, "beyond the first cache");
	printf("not predicted: %d; contended or not settled, not counted: %d\n", unknown, doubtful);
	free(rows);
	return file && fclose(file) == 0 ? 0 : 1;
}

/* ---- Advice */

static int advise_all(
	struct model *model, struct bench *bench, const struct cli *cli, char **words, int count)
{
	struct explanation *present = explanation_new(), *scratch = explanation_new();
	int helps = 0, same = 0, harms = 0, tried = 0;

	renew(model, bench);
	for (int k = 0; kernel_registry[k]; k++)
		for (int s = 0; s < 3 && !interrupt_signal(); s++) {
			struct setting setting;
			struct sample before, after;
			struct advice advice;
			int size = kernel_axis(kernel_registry[k], AXIS_SIZE);
			struct explain_question ask = { .kernel = kernel_registry[k],
				.v = setting.v,
				.seed = model->seed,
				.uarch = model->core.uarch,
				.machine = model->machine,
				.measured = model->memory.facts };
			struct advice_question question = { .setting = &setting,
				.explanation = present,
				.explainer = &explainer_model,
				.ask = &ask,
				.memory_limits = { .processors = 1, .memory = 1 << 30 },
				.scratch = scratch };

			setting_init(&setting, kernel_registry[k]);
			if (s > 0 && size < 0)
				continue;
			if (s > 0)
				setting.v[size] = s == 1 ? 4 << 20 : 64 << 20;
			if (!is_chosen(&setting, words, count) ||
				kernel_check(setting.kernel, setting.v).code != STATUS_OK)
				continue;
			explain(&ask, present);
			if (!advice_find(&question, &advice) || advice.kind != ADVICE_KNOB ||
				!measure(bench, cli, &setting, &before) ||
				!measure(bench, cli, &advice.setting, &after))
				continue;
			tried++;
			helps += after.cpe < 0.97 * before.cpe;
			harms += after.cpe > 1.03 * before.cpe;
			same += fabs(after.cpe / before.cpe - 1) <= 0.03;
			printf("%-6s %8.3f to %8.3f measured, %8.3f to %8.3f predicted%s  %s: %s\n",
				after.cpe < 0.97 * before.cpe	? "helps"
				: after.cpe > 1.03 * before.cpe ? "harms"
								: "same",
				before.cpe, after.cpe, advice.from, advice.to,
				sample_doubt(&before) || sample_doubt(&after) ? " (contended)" : "",
				words_of_setting(&setting).text, advice.set);
			fflush(stdout);
		}
	printf("advice: %d of %d help, %d change less than 3 %%, %d harm\n", helps, tried, same,
		harms);
	explanation_free(present);
	explanation_free(scratch);
	return 0;
}

int main(int argc, char **argv)
{
	struct cli cli = {
		.cpu = -1, .seed = CLI_SEED, .quiet = true, .out = stdout, .err = stderr
	};
	const char *what = argc > 1 ? argv[1] : "";
	struct machine machine = { .cpu = -1 };
	static struct bench bench;
	struct model model;
	bool measures = strcmp(what, "predict") != 0;
	struct status status = status_ok();
	int result;

	if (strcmp(what, "advise") != 0 && argc < 3) {
		fprintf(stderr, "usage: predictions measure FILE [WORD...] | predict FILE [WORST] "
				"| advise [WORD...]\n");
		return 2;
	}
	if (measures)
		status = bench_open(&bench, &cli);
	machine_identify(&machine);
	machine_survey(&machine);
	if (status_is_ok(&status))
		status = model_open(&model, &cli, measures ? bench.machine : &machine);
	if (status_is_ok(&status) && !model.core.uarch)
		status = model_missing(&model);
	if (!status_is_ok(&status)) {
		fprintf(stderr, "predictions: %s\n", status.text);
		return 1;
	}
	if (!measures)
		result = predict_all(&model, argv[2], argc > 3 ? atoi(argv[3]) : SETTINGS);
	else if (strcmp(what, "advise") == 0)
		result = advise_all(&model, &bench, &cli, argv + 2, argc - 2);
	else
		result = measure_all(&model, &bench, &cli, argv[2], argv + 3, argc - 3);
	model_close(&model);
	if (measures)
		bench_close(&bench);
	return result;
}
