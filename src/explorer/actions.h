/* The commands, by groups: each group is a table, in the order of the help screen. Shared by
 * explorer/ alone. */
#pragma once

#include "explorer/command.h"
#include "explorer/state.h"
#include "picture/chart.h"

/* Ended by a NULL name. To add a command: its row and its function in one of these files, and its
 * words in the manual. */
extern const struct command_row commands_setting[], commands_panes[], commands_measuring[],
	commands_campaigns[], commands_picture[];

/* Kernel, knob and value, as the arrows change them. Each pair: a function that changes it, and
 * one that reports whether the change would do anything now. direction: -1 or +1. */
struct status action_kernel_by(struct session *session, int direction);
bool action_kernel_by_works(const struct session *session, int direction);
struct status action_knob_by(struct session *session, int direction);
bool action_knob_by_works(const struct session *session, int direction);
struct status action_step(struct session *session, int steps);
bool action_step_works(const struct session *session, int steps);

/* "+N" or "-N"; false: neither. */
bool action_steps(const char *text, int *steps);

/* The refusal of commands that measure this machine: in a replay, or before the machine is known.
 */
struct status machine_refusal(const struct session *session);

/* The chart, the caller's, and a word for its file's name: "mountain". STATUS_USAGE, and *chart
 * NULL: the panel in front has no picture, or nothing of it is measured yet. */
struct status chart_view(const struct view *view, const struct chart_origin *origin,
	struct chart **chart, const char **what);
