/* The tables of the explorer's commands, one per group, in the order of the help screen. Only files
 * in src/explorer include actions.h. */
#pragma once

#include "explorer/command.h"
#include "explorer/state.h"
#include "picture/chart.h"

/* In each table of commands, the last row has a NULL name. To add a command, add its row and its
 * function to the .c file of one of these tables, and describe the command in the manual. */
extern const struct command_row commands_setting[], commands_panes[], commands_fronts[],
	commands_measuring[], commands_campaigns[], commands_why[], commands_picture[],
	commands_terminal[], commands_reopen[], commands_find[], commands_lesson[];

/* The arrow keys change the kernel, the knob and its value with the action_… functions. The
 * action_… functions follow the rules of command_row.run, the function that runs a command. The
 * parameter `direction` of an action_… function is -1 (previous, smaller) or +1. */
struct status action_kernel_by(
	const struct session *session, struct session *change, int direction);
struct status action_knob_by(const struct session *session, struct session *change, int direction);
/* The key Enter outside a lesson: goes from the kernels to the knobs; elsewhere the message says
 * what to press. */
struct status action_enter(const struct session *session, struct session *change);
struct status action_step(const struct session *session, struct session *change, int steps);

/* Returns an error with the text `why`, unless the explorer's command can run. */
static inline struct status command_unless(bool can, const char *why)
{
	return can ? status_ok() : status_usage("%s", why);
}

/* Returns the result of the check whether a command would have an effect now; that check calls
 * run() with `change` NULL. If the command would have no effect now, the result has the code
 * STATUS_IDLE and the text `why`. */
static inline struct status command_effect(bool effect, const char *why)
{
	return effect ? status_ok() : status_make(STATUS_IDLE, "%s", why);
}

static inline int command_direction(const char *given)
{
	return *given == '-' ? -1 : 1;
}

/* Parses a typed "+N" or "-N" and stores the signed number in `steps`. Returns false for any text
 * other than a signed number. */
bool action_steps(const char *text, int *steps);

/* Refuses a command that measures this machine, during a replay or before the machine is known. */
struct status machine_refusal(const struct session *session);

/* Makes the chart of the panel in front, for writing to a file; the caller owns the chart. The
 * parameter *what receives a word for the name of the chart's file: "mountain". Returns
 * STATUS_USAGE and sets *chart to NULL if the panel has no picture, or no measured values yet. */
struct status chart_view(const struct view *view, const struct chart_origin *origin,
	struct chart **chart, const char **what);
