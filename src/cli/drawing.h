/* What the subcommands share that draw pictures of what they found. */
#pragma once

#include "cli/cli.h"
#include "picture/chart.h"

struct uarch_choice;

/* What the options --picture FILE, --gnuplot PREFIX and --theme NAME do. */
struct status drawing_apply_picture(struct cli *cli, const char *value);
struct status drawing_apply_gnuplot(struct cli *cli, const char *value);
struct status drawing_apply_theme(struct cli *cli, const char *value);

/* Whether a picture is wanted. */
bool drawing_wanted(const struct cli *cli);

/* Before anything is measured for it: whether it can be drawn and written. */
struct status drawing_check(const struct cli *cli);

/* What stands in the corner of a picture made now. choice: the core that limits are of; NULL:
 * nobody asked. */
struct chart_origin drawing_origin(
	const struct machine *machine, const struct uarch_choice *choice);

/* Saves what was asked for; tells of a failure. Returns exit_status, or CLI_UNMEASURED in place of
 * CLI_DONE when it could not be saved. Frees the chart; NULL: there is nothing to draw, which is
 * said. */
int drawing_save(const struct cli *cli, struct chart *chart, int exit_status);
