/* What the commands that change the setting do (command.c holds the table). Shared by explorer/
 * alone. */
#ifndef SLX_EXPLORER_ACTIONS_H
#define SLX_EXPLORER_ACTIONS_H

#include "explorer/state.h"

/* Each pair: run does it, works tells whether it would do anything now (see struct command_row). */
struct status action_kernel(struct session *session, const char *arguments, double now);
bool action_kernel_works(const struct session *session, const char *arguments);
struct status action_kernel_by(struct session *session, int direction, double now);
bool action_kernel_by_works(const struct session *session, int direction);
struct status action_set(struct session *session, const char *arguments, double now);
bool action_set_works(const struct session *session, const char *arguments);
struct status action_knob(struct session *session, const char *arguments, double now);
bool action_knob_works(const struct session *session, const char *arguments);
struct status action_knob_by(struct session *session, int direction, double now);
bool action_knob_by_works(const struct session *session, int direction);
struct status action_digit(struct session *session, const char *arguments, double now);
bool action_digit_works(const struct session *session, const char *arguments);
/* Puts what the chosen knob may be on the notice line. */
void action_say_range(struct session *session);
struct status action_accept(struct session *session, const char *arguments, double now);

#endif
