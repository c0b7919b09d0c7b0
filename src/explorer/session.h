/* The one owner of what the user has chosen and what has been measured.
 *
 * The session turns commands into requests to the engine and results into state. It draws nothing,
 * and its only I/O is for own loops: it looks whether the file was saved again, and compiles it.
 * Time is given to it, in seconds of any steady clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/engine.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"
#include "explorer/view.h"

struct session;
struct replay;

struct session_options {
	struct setting setting; /* where to start */
	uint64_t seed;
	const char *invocation;		   /* options that y must repeat ("--cpu 3"), or "" */
	const struct explainer *explainer; /* who knows the limits; borrowed; NULL: nobody */
	const char *uarch;		   /* the core to predict for; NULL: the running one */
	struct replay *replay; /* plays this recording: its engine and explainer are those given;
				  borrowed. NULL: measures */
	const char *record; /* begins to record to this file as soon as the machine is known; NULL:
			       does not */
	const char *const *events; /* to count in addition to the core's own, by names that libpfm
				      has; copied */
	int event_count;
};

struct session *session_new(const struct engine *engine, const struct session_options *options);
void session_free(struct session *session);

/* Runs one line of the command language (command.h). A wrong command changes nothing; its text
 * becomes the notice on screen as well. */
struct status session_command(struct session *session, const char *line, double now);

/* Puts a message on screen that no command brought: something odd about how the program was
 * started. */
void session_say(struct session *session, const char *text);

/* Whether the command could do anything now; the key bar shows only those. */
bool session_command_works(const struct session *session, const char *line);

/* Takes finished results, and submits the next request when one is due. Returns whether the view
 * changed. */
bool session_advance(struct session *session, double now);

/* Seconds until session_advance() has something to do by itself; negative: never (frozen, or
 * waiting for the engine). */
double session_next(const struct session *session, double now);

/* Whether everything that was asked for is measured: a settled live sample, slices full. What
 * `wait` in a script waits for. */
bool session_idle(const struct session *session);

bool session_quit(const struct session *session); /* the user asked to end */

/* What the recording that is being made holds so far, for people: "recorded: 12 settings, 340 KiB:
 * slexplore replay FILE"; empty: none is being made. */
void session_recorded(const struct session *session, char *buffer, size_t size);

/* Fills a view from the present state. */
void session_view(const struct session *session, double now, struct view *view);
