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

struct model;

/* Measures the pressure on each resource of the core at one setting (experiment/slack/slack.h), and
 * writes it to the report, which is begun before the first item. Returns the exit status; a failure
 * is printed. */
int slack_probe(struct cli *cli, struct bench *bench, struct model *model, struct report *report,
	const struct setting *setting);

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
