/* The command tables, one per group, in the order of the help screen. Used only in explorer/. */
#pragma once

#include "explorer/command.h"
#include "explorer/state.h"
#include "picture/chart.h"

/* Each table ends with a NULL name. To add a command, add its row and its function to one of these
 * files, and describe it in the manual. */
extern const struct command_row commands_setting[], commands_panes[], commands_measuring[],
	commands_campaigns[], commands_picture[];

/* The arrow keys change kernel, knob and value with these functions. Each `_works` function returns
 * whether its change would have an effect now. direction: -1 or +1. */
struct status action_kernel_by(struct session *session, int direction);
bool action_kernel_by_works(const struct session *session, int direction);
struct status action_knob_by(struct session *session, int direction);
bool action_knob_by_works(const struct session *session, int direction);
struct status action_step(struct session *session, int steps);
bool action_step_works(const struct session *session, int steps);

/* Parses "+N" or "-N"; false: other text. */
bool action_steps(const char *text, int *steps);

/* Refuses commands that measure this machine: in a replay, or before the machine is known. */
struct status machine_refusal(const struct session *session);

/* Makes the chart of the panel in front; the caller owns it. *what is a word for the file name:
 * "mountain". STATUS_USAGE, and *chart NULL: the panel has no picture, or has no measured values
 * yet. */
struct status chart_view(const struct view *view, const struct chart_origin *origin,
	struct chart **chart, const char **what);
