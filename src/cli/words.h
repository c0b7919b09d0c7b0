/* The words after a subcommand: a kernel and settings of its knobs. */
#pragma once

#include "base/status.h"
#include "cli/cli.h"
#include "experiment/setting/setting.h"

/* The kernel that the first word names, or the own loop that it is the path of: then compiled here,
 * with the word cflags=… if there is one, which is taken out; what the compiler said is printed on
 * cli->err. STATUS_USAGE with the kernels' names when there is no word. */
struct status words_kernel(struct cli *cli, const struct kernel **kernel);

/* setting->kernel at its defaults, then as the further words say. STATUS_USAGE also for a
 * combination that the kernel excludes and a knob given twice; memory is not looked at. */
struct status words_setting(const struct cli *cli, struct setting *setting);
