/* Functions for the subcommands probe, windows and characterise, whose measurement is called a
 * campaign, and for sweep. */
#pragma once

#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "experiment/campaign.h"
#include "experiment/setting/cells.h"
#include "picture/chart.h"

/* Runs the campaign (a probe, for example) to its end or until a signal arrives, and shows a
 * progress line. Returns whether anything was measured. */
bool work_carry_out(struct cli *cli, struct bench *bench, const struct campaign *campaign);

/* Writes a report with one item, which was measured on this machine. */
void work_report(const struct cli *cli, const struct bench *bench, const struct subject *subject,
	const void *item);

/* Prints a note if the campaign was interrupted or nothing was measured. `printed` is the part of
 * the note about the results: "the results so far are printed". Returns the exit status. */
int work_conclude(struct cli *cli, const struct bench *bench, const struct campaign *campaign,
	const char *printed);

struct explanation;
struct model;

/* An experiment on a loop with changed code: a function that prepares the experiment at a setting,
 * and the report that it prints. Without --time-budget, measurements that other programs disturbed
 * are repeated for `patience` seconds. */
struct loop_experiment {
	const struct subject *subject;
	double patience;
	struct campaign (*prepare)(const struct setting *setting,
		const struct explanation *explanation, uint64_t seed, double seconds);
	const void *(*item)(const void *self);
	/* Makes a chart of one measured item of the experiment; the caller frees the chart. NULL:
	 * the experiment has no chart. */
	struct chart *(*chart)(const void *item, const struct chart_origin *origin);
	/* Makes a chart of the items of several settings, over one knob. The caller frees the
	 * chart. NULL: the experiment has no chart. */
	struct chart *(*chart_over)(
		const void *const *items, int count, int knob, const struct chart_origin *origin);
	size_t item_bytes; /* size of an item, in bytes */
};
extern const struct loop_experiment slack_experiment, cost_experiment;

/* Returns the experiment that an option such as --cost asks for; NULL: the options ask for none. */
const struct loop_experiment *work_experiment(const struct cli *cli);

/* Runs the experiment on changed code at each of the settings, and writes its report. `knob`: the
 * knob in which the settings differ, for a picture; -1: there is only one setting. Returns the exit
 * status; a failure is printed. */
int work_experiment_on(struct cli *cli, struct bench *bench, struct model *model,
	const struct loop_experiment *experiment, const struct setting *settings, size_t count,
	int knob);

/* Returns the error if the options ask for several experiments, or for a picture that the
 * experiment does not have. */
struct status work_experiment_allowed(const struct cli *cli);

struct sweep;

/* Begins a sweep of those combinations of knob values whose data fit in this machine's memory.
 * Prints a note about the other combinations, which the sweep skips. */
struct status work_begin_sweep(
	const struct cli *cli, const struct bench *bench, struct sweep *sweep);

/* Prints the failure of a setting on cli->err. */
void work_print_failure(const struct cli *cli, const struct cell *cell);

struct uarch_choice;

/* Whether the user requested a picture. */
bool drawing_wanted(const struct cli *cli);

/* Returns the words for the corner of a new picture. `choice` is the core for which limits are
 * computed; NULL: the corner names no core. */
struct chart_origin drawing_origin(
	const struct machine *machine, const struct uarch_choice *choice);

/* Saves the chart to the files that the user requested, and frees the chart. If `chart` is NULL,
 * prints that there is nothing to draw. Returns exit_status; if a file cannot be saved, prints a
 * message and returns CLI_UNMEASURED in place of CLI_DONE. */
int drawing_save(const struct cli *cli, struct chart *chart, int exit_status);
