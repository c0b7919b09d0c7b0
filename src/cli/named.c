#include "cli/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "engine/own/own.h"
#include "experiment/sweep/sweep.h"

enum { NAMES_MAX = 512 };

/* ---- Finding the sweep */

/* Fills `names` with the names of all kernels and all named sweeps. Returns the number of names. */
static size_t all_names(const struct sweeps *sweeps, const char **names)
{
	size_t count = 0;

	for (int i = 0; kernel_registry[i] && count < NAMES_MAX; i++)
		names[count++] = kernel_registry[i]->name;
	for (int i = 0; i < sweeps->count && count < NAMES_MAX; i++)
		names[count++] = sweeps->sweep[i].name;
	return count;
}

static struct status no_word(const struct sweeps *sweeps)
{
	struct text names = { 0 };
	struct status status;

	for (int i = 0; i < sweeps->count; i++)
		text_addf(&names, "%s%s", i ? ", " : "", sweeps->sweep[i].name);
	status = status_usage(
		"missing kernel name: slexplore sweep KERNEL knob=values (slexplore list shows "
		"the kernels), or a named sweep: %s",
		text_string(&names));
	text_free(&names);
	return status;
}

static struct status unknown_word(const struct sweeps *sweeps, const char *word)
{
	const char *names[NAMES_MAX];

	return status_unknown("no kernel or named sweep", word, names, all_names(sweeps, names),
		"slexplore list shows all");
}

struct status named_find(struct named *named, struct cli *cli, const struct kernel **kernel)
{
	bool own = cli->word_count && own_is_path(cli->words[0]);
	const struct named_sweep *found;
	struct status status;

	*named = (struct named){ 0 };
	if (own)
		return words_kernel(cli, kernel);
	*kernel = cli->word_count ? kernel_find(cli->words[0]) : NULL;
	status = sweeps_load(&named->all);
	/* A mistake in the user's file of sweeps is no error if the first word names a kernel. */
	if (!status_is_ok(&status))
		return *kernel ? status_ok() : status;
	if (cli->word_count == 0)
		return no_word(&named->all);
	found = *kernel ? sweeps_usual(&named->all, *kernel, cli->words + 1, cli->word_count - 1)
			: sweeps_find(&named->all, cli->words[0]);
	if (!found)
		return *kernel ? status_ok() : unknown_word(&named->all, cli->words[0]);
	sweeps_copy(found, &named->sweep);
	*kernel = found->kernel;
	return status_ok();
}

void named_free(struct named *named)
{
	sweeps_clear(&named->sweep);
	sweeps_free(&named->all);
	free(named->row);
}

struct status named_words(struct named *named, const struct cli *cli)
{
	unsigned given = 0;

	if (!named->sweep.kernel)
		return status_ok();
	for (int i = 1; i < cli->word_count; i++) {
		struct status status = sweeps_override(&named->sweep, cli->words[i], &given);

		if (!status_is_ok(&status))
			return status;
	}
	if (!sweeps_settle(&named->sweep)) {
		const struct knob *knob = &named->sweep.kernel->knobs[named->sweep.base];

		cli_note(cli,
			"no speedups: their baseline %s=%s is not among the values of the sweep",
			knob->name, setting_value(knob, named->sweep.base_value).text);
	}
	return status_ok();
}

struct status named_assign(const struct named *named, const struct cli *cli, struct sweep *sweep)
{
	struct status status = status_ok();

	if (named->sweep.kernel)
		return sweeps_assign(&named->sweep, sweep);
	for (int i = 1; i < cli->word_count && status_is_ok(&status); i++)
		status = sweep_assign(sweep, cli->words[i]);
	return status;
}

/* ---- Blocks */

/* Returns the setting with the last value of each knob. Lists of values are in ascending order, so
 * this setting has the largest matrices. */
static struct setting last_of(const struct named *named)
{
	const struct sweep_options options = { 0 };
	struct sweep *sweep = sweep_new(named->sweep.kernel, &options);
	struct setting last;
	const struct sweep_report *report = sweep_report(sweep);

	setting_init(&last, named->sweep.kernel);
	sweeps_assign(&named->sweep, sweep);
	for (size_t i = 0; i < report->axis_count; i++)
		last.v[report->axes[i].knob] = report->axes[i].values[report->axes[i].count - 1];
	sweep_free(sweep);
	return last;
}

void named_advise(struct named *named, struct model *model, struct bench *bench)
{
	struct setting last;
	struct blocks blocks;

	if (!sweeps_advises(&named->sweep))
		return;
	last = last_of(named);
	model_measure(model, bench, &last);
	sweeps_advise(
		&named->sweep, model_blocks(model, &last, NULL, &blocks) ? blocks.advice.n : 0);
}

/* ---- Rows */

double named_take(struct named *named, const struct cell *cell,
	const struct sample_ratios *sample_ratios, const struct explanation *explanation)
{
	if (!named->sweep.kernel && !cell->setting.kernel->block)
		return NAN;
	named->row = memory_grow(named->row, (size_t)named->row_count, sizeof(*named->row));
	named->row[named->row_count] = (struct sweeps_row){ .setting = cell->setting,
		.sample = cell->sample,
		.facts = cell->facts,
		.sample_ratios = *sample_ratios };
	sweeps_row_limit(&named->row[named->row_count++], explanation);
	return named->sweep.kernel
		       ? sweeps_row_value(&named->sweep, SWEEPS_SPEEDUP,
				 &named->row[named->row_count - 1], named->row, named->row_count)
		       : (double)NAN;
}

double named_published(const struct named *named, const struct setting *setting)
{
	const struct named_sweep *sweep = &named->sweep;
	const struct sweeps_published *published =
		sweep->kernel ? sweeps_published_find(sweep, sweep->figure, setting) : NULL;

	return published && !published->over ? published->value : (double)NAN;
}

/* ---- Under the table */

/* Whether two settings differ only in the block size. */
static bool same_line(const struct setting *a, const struct setting *b, int knob)
{
	struct setting other = *b;

	other.v[knob] = a->v[knob];
	return setting_equal(a, &other);
}

static void print_blocks(const struct named *named, struct model *model, FILE *out)
{
	char why[sizeof(((struct block_advice *)NULL)->why)] = "";

	for (size_t i = 0; i < named->row_count; i++) {
		const struct setting *setting = &named->row[i].setting;
		struct blocks_measured measured = { 0 };
		struct text line = { 0 };
		struct blocks blocks;
		bool first = true, again;

		if (!model_blocks(model, setting, NULL, &blocks))
			continue;
		for (size_t k = 0; k < i && first; k++)
			first = !same_line(&named->row[k].setting, setting, blocks.block.knob);
		for (size_t k = i; k < named->row_count && first; k++)
			if (same_line(&named->row[k].setting, setting, blocks.block.knob) &&
				named->row[k].sample.valid)
				blocks_note(&blocks, named->row[k].setting.v[blocks.block.knob],
					named->row[k].sample.cpe, &measured);
		if (!first || measured.count < 2)
			continue;
		if (named->sweep.kernel)
			sweeps_line(&named->sweep, setting, &line);
		/* The reason for the recommended block size is not printed if it is equal to the
		 * reason on the previous line. */
		again = strcmp(why, blocks.advice.why) == 0;
		memcpy(why, blocks.advice.why, sizeof(why));
		fprintf(out, "%s%s%s%s%s\n", text_string(&line), line.length ? ": " : "",
			blocks_finding(&blocks, setting, &measured).text, again ? "" : ": ",
			again ? "" : why);
		text_free(&line);
	}
}

void named_text(const struct named *named, struct model *model, FILE *out)
{
	struct text lines = { 0 };

	if (named->sweep.kernel)
		sweeps_compared(&named->sweep, named->row, named->row_count, &lines);
	fputs(text_string(&lines), out);
	text_clear(&lines);
	if (named->row_count && named->row[0].setting.kernel->block)
		print_blocks(named, model, out);
	if (named->sweep.kernel)
		sweeps_words(&named->sweep, named->row, named->row_count, &lines);
	fputs(text_string(&lines), out);
	text_free(&lines);
}
