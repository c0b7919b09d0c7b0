/* The stages: which loops each asks for, and what takes their place. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/characterise/characterise_state.h"
#include "kernels/window.h"

/* The largest working set of the caches' stage: beyond any second cache. */
#define CACHES_SIZE (UINT64_C(16) << 20)

/* Seconds of what others measure. */
#define SECONDS_CACHES	2.5
#define SECONDS_WINDOWS 1.6

/* Nops beside what slots are asked of: so many that the width binds, whatever else does. */
#define NOPS_OVER 1.6
enum { NOPS_MOST = 360 };

void characterise_note(struct characterise *characterise, const char *format, ...)
{
	struct characterise_report *report = &characterise->report;
	va_list arguments;

	if (report->note_count == CHARACTERISE_NOTES)
		return;
	va_start(arguments, format);
	vsnprintf(report->note[report->note_count], sizeof(report->note[0]), format, arguments);
	va_end(arguments);
	for (int i = 0; i < report->note_count; i++)
		if (strcmp(report->note[i], report->note[report->note_count]) == 0)
			return;
	report->note_count++;
}

/* ---- stages */

static void add(struct characterise *characterise, enum item_kind kind, int of,
	const struct kernel *kernel, unsigned nops)
{
	struct setting setting = { .kernel = kernel };
	const struct cell *cell = kernel && characterise->again
					  ? cells_get(characterise->cells, &setting, false)
					  : NULL;

	if (kernel && characterise->again &&
		(figure_of(characterise, kernel).known || (cell && !status_is_ok(&cell->failure))))
		return;
	if (kernel && characterise->item_count < ITEMS)
		characterise->items[characterise->item_count++] =
			(struct item){ .kind = kind, .of = of, .kernel = kernel, .nops = nops };
}

static void add_loop(void *context, enum item_kind kind, int of, const struct kernel *kernel)
{
	add(context, kind, of, kernel, 0);
}

/* With nops that take half as long again as what they stand beside, alone. */
static void add_slots_of(
	struct characterise *characterise, enum item_kind kind, int of, const struct kernel *kernel)
{
	double width = characterise->report.measured.width.value;
	struct figure alone = figure_of(characterise, kernel);
	unsigned nops;

	if (!alone.known || !characterise->report.measured.width.known)
		return;
	nops = (unsigned)ceil(width * fmax(1, alone.value) * NOPS_OVER);
	if (nops <= NOPS_MOST)
		add(characterise, kind, of,
			loop_with_nops(
				kernel, characterise->recipes.width[characterise->nop], nops),
			nops);
}

static void add_slots(struct characterise *characterise)
{
	const struct recipes *recipes = &characterise->recipes;

	for (int i = 0; i < recipes->class_count; i++)
		if (*recipes->classes[i].free)
			add_slots_of(
				characterise, ITEM_SLOTS, i, loop_of_each(&recipes->classes[i]));
	for (int i = 0; i < recipes->fact_count; i++)
		if (recipes->facts[i].how == HOW_SLOTS)
			add_slots_of(characterise, ITEM_FACT_SLOTS, i,
				loop_of_fact(&recipes->facts[i], false));
}

struct probe *characterise_caches(struct characterise *characterise)
{
	const struct machine *machine = characterise->report.machine;
	struct probe_options options = { .parts = 1u << PROBE_LATENCY | 1u << PROBE_TLB |
						  1u << PROBE_BANDWIDTH,
		.max_size = CACHES_SIZE,
		.seed = characterise->options.seed,
		.seconds = SECONDS_CACHES };
	struct status status;
	struct probe *probe = probe_new(machine, &options, &status);

	if (!probe)
		characterise_note(characterise, "caches: %.160s", status.text);
	return probe;
}

/* What the fillers of these kinds fill, as `size` in a core's file has it. */
static const enum window_kind window_kinds[] = { WINDOW_NOP, WINDOW_ADD, WINDOW_VECTOR, WINDOW_LOAD,
	WINDOW_STORE, WINDOW_BRANCH, WINDOW_WAIT };

struct windows *characterise_windows(struct characterise *characterise)
{
	struct windows_options options = { .seed = characterise->options.seed,
		.seconds = SECONDS_WINDOWS };
	const struct kernel *kernel = kernel_find(WINDOWS_KERNEL);
	struct windows *windows;
	struct status status;

	if (!kernel)
		return NULL;
	setting_init(&options.setting, kernel);
	for (size_t i = 0; i < sizeof(window_kinds) / sizeof(*window_kinds); i++)
		options.fillers |= UINT64_C(1) << window_kinds[i];
	windows = windows_new(characterise->report.machine, &options, &status);
	if (!windows)
		characterise_note(characterise, "windows: %.160s", status.text);
	return windows;
}

/* Visits after which a mix that never found the core quiet is taken for one that cannot be
 * measured: what the search hears of so it asks for no more. */
enum { VISITS_MIX = 24 };

static bool come_back(const struct characterise *characterise, const struct item *item)
{
	struct setting setting = { .kernel = item->kernel };
	const struct cell *cell = cells_get(characterise->cells, &setting, false);

	return !figure_of(characterise, item->kernel).known &&
	       (!cell || (status_is_ok(&cell->failure) && cell->visits < VISITS_MIX));
}

/* What a loop showed of which earlier stages knew nothing. */
static void take_again(struct characterise *characterise, const struct item *item)
{
	bool slots = item->kind == ITEM_SLOTS || item->kind == ITEM_FACT_SLOTS;

	if (!figure_of(characterise, item->kernel).known)
		return;
	characterise->report.unmeasured -= characterise->report.unmeasured > 0;
	if (slots && characterise->all_count < ITEMS)
		characterise->all[characterise->all_count++] = *item;
}

/* A core may have been busy all through the first stages: what they left out comes once more,
 * classes and then slots, since ports follow from them. */
static bool add_left_out(struct characterise *characterise)
{
	while (characterise->left_out < 2 && characterise->item_count == 0) {
		if (characterise->left_out > 0)
			figures_fill(characterise);
		characterise->again = true;
		if (characterise->left_out++ == 0)
			recipes_each(&characterise->recipes, add_loop, characterise);
		else
			add_slots(characterise);
		characterise->again = false;
	}
	if (characterise->item_count == 0 && characterise->left_out == 2) {
		characterise->left_out++;
		figures_fill(characterise);
	}
	return characterise->item_count > 0;
}

void characterise_take_mixes(struct characterise *characterise)
{
	struct measured *measured = &characterise->report.measured;
	bool open[MIX_BATCH] = { false };

	for (int i = 0; i < characterise->item_count; i++) {
		const struct item *item = &characterise->items[i];

		if (item->kind == ITEM_MIX) {
			characterise->next[item->of].cycles = figure_of(characterise, item->kernel);
			open[item->of] = come_back(characterise, item);
		} else {
			take_again(characterise, item);
		}
	}
	for (int i = 0; i < MIX_BATCH && characterise->next[i].count > 0 &&
			measured->mix_count < MEASURED_MIXES;
		i++)
		if (!open[i])
			measured->mix[measured->mix_count++] = characterise->next[i];
	memset(characterise->next, 0, MIX_BATCH * sizeof(*characterise->next));
}

static void find_mixes(void *context)
{
	struct characterise *characterise = context;

	characterise->next_count =
		measured_next(&characterise->report.measured, characterise->next, MIX_BATCH);
}

void characterise_add_mixes(struct characterise *characterise)
{
	const struct measured *measured = &characterise->report.measured;

	do {
		characterise->next_count = 0;
		if (add_left_out(characterise) ||
			measured->mix_count + MIX_BATCH > MEASURED_MIXES ||
			!measurer_compute(
				characterise->visits.measurer, find_mixes, characterise) ||
			measurer_stopped(characterise->visits.measurer))
			break;
		for (int i = 0; i < characterise->next_count; i++)
			add(characterise, ITEM_MIX, i,
				loop_of_mix(
					&characterise->recipes, measured, &characterise->next[i]),
				0);
		/* Mixes that no loop can be made of are answered all the same. */
		if (characterise->next_count > 0 && characterise->item_count == 0)
			characterise_take_mixes(characterise);
	} while (characterise->next_count > 0 && characterise->item_count == 0);
	/* A search that was interrupted brings nothing. */
	if (characterise->item_count == 0)
		memset(characterise->next, 0, MIX_BATCH * sizeof(*characterise->next));
}

void characterise_keep_items(struct characterise *characterise)
{
	struct characterise_report *report = &characterise->report;

	for (int i = 0; i < characterise->item_count; i++) {
		struct setting setting = { .kernel = characterise->items[i].kernel };
		const struct cell *cell = cells_get(characterise->cells, &setting, false);
		struct figure figure = figure_of(characterise, setting.kernel);

		report->loops++;
		/* Why others failed, a note of their own says. */
		report->unmeasured += !figure.known && !(cell && !status_is_ok(&cell->failure));
	}
	for (int i = 0; i < characterise->item_count && characterise->all_count < ITEMS; i++)
		if (characterise->items[i].kind == ITEM_SLOTS ||
			characterise->items[i].kind == ITEM_FACT_SLOTS)
			characterise->all[characterise->all_count++] = characterise->items[i];
	characterise->item_count = characterise->item = characterise->round = 0;
}

void characterise_add_loops(struct characterise *characterise)
{
	if (characterise->stage == CHARACTERISE_CLASSES)
		recipes_each(&characterise->recipes, add_loop, characterise);
	else
		add_slots(characterise);
}
