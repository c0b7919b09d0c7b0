/* The table of subcommands. */
#include "cli/cli.h"

#include <stddef.h>

extern const struct cli_command command_explore, command_list, command_run, command_sweep,
	command_explain, command_probe, command_windows, command_characterise, command_record,
	command_replay, command_events, command_doctor;

const struct cli_command *const cli_commands[] = {
	&command_explore,
	&command_list,
	&command_run,
	&command_sweep,
	&command_explain,
	&command_probe,
	&command_windows,
	&command_characterise,
	&command_record,
	&command_replay,
	&command_events,
	&command_doctor,
	NULL,
};
