/* The explorer of the subcommands explore and replay, which may open recordings one after another.
 */
#pragma once

#include "cli/cli.h"
#include "ui/ui.h"

/* Returns the options of the explorer that come from the common options of the command line. */
struct ui_options screens_options(const struct cli *cli);
/* The explorer will run the explorer command `command` at its start, before the commands of the
 * option --do. STATUS_USAGE: the command line has too many commands for the explorer (option --do).
 * The caller keeps the string `command` valid until the explorer ends. */
struct status screens_first(struct cli *cli, struct ui_options *ui, const char *command);
/* The explorer will open a lesson at its start, at the setting of the lesson's first step. The
 * caller keeps *command, the explorer command that opens the lesson, valid until the explorer ends.
 * STATUS_USAGE: there is no such lesson, or its file has mistakes. */
struct status screens_lesson(
	struct cli *cli, struct ui_options *ui, const char *word, struct words *command);
/* The explorer will begin with the replay of the recording ui->replay, at the recorded setting
 * nearest to the setting `last`.
 */
void screens_begin_replay(struct ui_options *ui, const struct setting *last);

/* Runs the explorer with the options *first. If the user then opens a recording, or this machine
 * again, runs the explorer for that. The caller frees first->replay. Returns the status of the last
 * run of the explorer. */
struct status screens_run(const struct cli *cli, const struct ui_options *first, int *exit_status);
