/* The session owns the user's choices and the measured samples.
 *
 * The session turns commands into requests to the engine, and results into state. It does not draw.
 * It reads and compiles the files of own loops, and writes recordings. The caller gives the time,
 * in seconds of any steady clock. */
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
	struct setting setting; /* the first setting */
	uint64_t seed;
	const char *invocation; /* options that the key y must repeat ("--cpu 3"), or "" */
	const struct explainer *explainer; /* source of the limits; borrowed; NULL: no limits */
	const char *uarch;		   /* the core to predict for; NULL: the running core */
	struct replay *replay; /* the recording to replay; the given engine and explainer must be
				  the recording's; borrowed. NULL: measures this machine */
	const char *record;    /* file to record to, opened when the machine is known; NULL: no
				  recording */
	const char *const
		*events; /* libpfm names of events to count in addition to the core's own; copied */
	int event_count;
};

struct session *session_new(const struct engine *engine, const struct session_options *options);
void session_free(struct session *session);

/* Runs one line of the command language (command.h). A wrong command changes nothing; its error
 * also becomes the notice on screen. */
struct status session_command(struct session *session, const char *line, double now);

/* Shows a message that does not come from a command, for example about the program's start. */
void session_say(struct session *session, const char *text);

/* Whether the command would have an effect now. The key bar shows only such commands. */
bool session_command_works(const struct session *session, const char *line);

/* Takes finished results, and submits the next request when one is due. Returns whether the view
 * changed. */
bool session_advance(struct session *session, double now);

/* Seconds until session_advance() must be called again; negative: never (frozen, or waiting for the
 * engine). */
double session_next(const struct session *session, double now);

/* Whether every requested measurement is complete: the live sample and all cells. A script's `wait`
 * waits for this. */
bool session_idle(const struct session *session);

bool session_quit(const struct session *session); /* the user asked to end */

/* Describes the present recording: "recorded: 12 settings, 340 KiB: slexplore replay FILE"; empty:
 * no recording. */
void session_recorded(const struct session *session, char *buffer, size_t size);

/* Fills a view from the present state. */
void session_view(const struct session *session, double now, struct view *view);
