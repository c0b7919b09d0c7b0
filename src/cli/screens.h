/* The explorer of the subcommands explore and replay, which may open recordings one after another.
 */
#pragma once

#include "cli/cli.h"
#include "ui/ui.h"

/* Returns the options of the explorer that come from the common options of the command line. */
struct ui_options screens_options(const struct cli *cli);
/* Lets the explorer run `command` before the commands of the option --do. STATUS_USAGE: there are
 * too many commands. The string is borrowed until the explorer ends. */
struct status screens_first(struct cli *cli, struct ui_options *ui, const char *command);
/* Lets the explorer begin with the recording ui->replay, at the recorded setting nearest to `last`.
 */
void screens_begin_replay(struct ui_options *ui, const struct setting *last);

/* Runs the explorer with the options *first. If the user then opens a recording, or this machine
 * again, runs the explorer for that. The caller frees first->replay. Returns the status of the last
 * run of the explorer. */
struct status screens_run(const struct cli *cli, const struct ui_options *first, int *exit_status);
