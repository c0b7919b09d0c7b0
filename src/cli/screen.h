/* What the subcommands share that open the explorer's screen. */
#ifndef SLX_CLI_SCREEN_H
#define SLX_CLI_SCREEN_H

#include "cli/cli.h"

/* What the options --ascii and --script FILE do. */
struct status screen_apply_ascii(struct cli *cli, const char *value);
struct status screen_apply_script(struct cli *cli, const char *value);

/* Rows for a table of options. */
#define SCREEN_OPTIONS                                                                            \
	{ "ascii", NULL, "draw with ASCII characters only", screen_apply_ascii },                 \
	{                                                                                         \
		"script", "FILE",                                                                 \
			"take commands from a file and need no terminal; - reads standard input", \
			screen_apply_script                                                       \
	}

/* STATUS_USAGE where there is neither a terminal nor a script. */
struct status screen_possible(const struct cli *cli);

#endif
