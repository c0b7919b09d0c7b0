/* The explorer of the subcommands explore and replay, which may open recordings one after another.
 */
#pragma once

#include "cli/cli.h"
#include "ui/ui.h"

/* Runs the explorer with the options *first. If the user then opens a recording, or this machine
 * again, runs the explorer for that. The caller frees first->replay. Returns the status of the last
 * run of the explorer. */
struct status screens_run(const struct cli *cli, const struct ui_options *first, int *exit_status);
