/* The command tables, one per group, in the order of the help screen. Used only in explorer/. */
#pragma once

#include "explorer/command.h"
#include "explorer/state.h"
#include "picture/chart.h"

/* Each table ends with a NULL name. To add a command, add its row and its function to one of these
 * files, and describe it in the manual. */
extern const struct command_row commands_setting[], commands_panes[], commands_measuring[],
	commands_campaigns[], commands_picture[];

/* The arrow keys change kernel, knob and value with these functions. They follow the rules of
 * command_row.run. direction: -1 or +1. */
struct status action_kernel_by(
	const struct session *session, struct session *change, int direction);
struct status action_knob_by(const struct session *session, struct session *change, int direction);
struct status action_step(const struct session *session, struct session *change, int steps);

/* Why a command cannot run, unless it can. */
static inline struct status command_unless(bool can, const char *why)
{
	return can ? status_ok() : status_usage("%s", why);
}

/* The result of a check (`change` NULL): not ok if the command would have no effect now. */
static inline struct status command_effect(bool effect)
{
	return command_unless(effect, "this command would change nothing now");
}

static inline int command_direction(const char *given)
{
	return *given == '-' ? -1 : 1;
}

/* Parses "+N" or "-N"; false: other text. */
bool action_steps(const char *text, int *steps);

/* Refuses commands that measure this machine: in a replay, or before the machine is known. */
struct status machine_refusal(const struct session *session);

/* Makes the chart of the panel in front; the caller owns it. *what is a word for the file name:
 * "mountain". STATUS_USAGE, and *chart NULL: the panel has no picture, or has no measured values
 * yet. */
struct status chart_view(const struct view *view, const struct chart_origin *origin,
	struct chart **chart, const char **what);
