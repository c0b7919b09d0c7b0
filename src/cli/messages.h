/* Messages to the user, and the exit status that belongs to each. */
#pragma once

#include "base/status.h"

struct cli;

/* Prints one message line on cli->err; returns the exit status that belongs to the status' code. */
int cli_fail(const struct cli *cli, const struct status *status);

/* Prints "note: …" on cli->err, unless --quiet. */
void cli_note(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes the results. Returns exit_status, or CLI_UNMEASURED when they could not all be written
 * and exit_status was CLI_DONE: with a message, unless the reader of a pipe left. */
int cli_finish(const struct cli *cli, int exit_status);
