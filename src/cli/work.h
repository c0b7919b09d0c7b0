/* Shared by the subcommands that run a campaign: probe, windows, characterise. */
#pragma once

#include "cli/bench.h"
#include "cli/format.h"
#include "experiment/campaign.h"

/* Runs the campaign to its end or until a signal comes, with a line of progress. Returns whether
 * anything was measured. */
bool work_carry_out(struct cli *cli, struct bench *bench, const struct campaign *campaign);

/* Writes a report of one item, made on this machine. */
void work_report(const struct cli *cli, const struct bench *bench, const struct subject *subject,
	const void *item);

/* Notes an interruption, or that nothing was measured. printed: what became of the results so
 * far, "what was measured so far is printed". Returns the exit status. */
int work_conclude(struct cli *cli, const struct bench *bench, const struct campaign *campaign,
	const char *printed);
