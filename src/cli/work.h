/* Shared by the subcommands that run a campaign (probe, windows, characterise) or a sweep. */
#pragma once

#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "experiment/campaign.h"
#include "experiment/setting/cells.h"
#include "picture/chart.h"

/* Runs the campaign to its end or until a signal comes, with a line of progress. Returns whether
 * anything was measured. */
bool work_carry_out(struct cli *cli, struct bench *bench, const struct campaign *campaign);

/* Writes a report of one item, made on this machine. */
void work_report(const struct cli *cli, const struct bench *bench, const struct subject *subject,
	const void *item);

/* Notes an interruption, or that nothing was measured. printed: the state of the results so far,
 * "the results so far are printed". Returns the exit status. */
int work_conclude(struct cli *cli, const struct bench *bench, const struct campaign *campaign,
	const char *printed);

struct sweep;

/* Begins a sweep within this machine's memory, and notes the combinations that are skipped. */
struct status work_begin_sweep(
	const struct cli *cli, const struct bench *bench, struct sweep *sweep);

/* Prints the failure of a setting on cli->err. */
void work_print_failure(const struct cli *cli, const struct cell *cell);

struct uarch_choice;

/* Whether a picture is wanted. */
bool drawing_wanted(const struct cli *cli);

/* Before anything is measured for it: whether it can be drawn and written. */
struct status drawing_check(const struct cli *cli);

/* The words in the corner of a picture made now. choice: the core that limits are of; NULL:
 * nobody asked. */
struct chart_origin drawing_origin(
	const struct machine *machine, const struct uarch_choice *choice);

/* Saves the requested files; reports a failure. Returns exit_status, or CLI_UNMEASURED in place of
 * CLI_DONE when it could not be saved. Frees the chart; NULL: there is nothing to draw, which is
 * said. */
int drawing_save(const struct cli *cli, struct chart *chart, int exit_status);
