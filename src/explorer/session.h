/* The session owns the user's choices and the measured samples.
 *
 * The session turns the user's commands into requests to the engine, and measured results into what
 * the screen shows. The session does not draw. The session also reads and compiles the files of own
 * loops, and writes recordings. The caller of the session's functions passes the time to each
 * function, in seconds of any steady clock. */
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
struct text;

struct session_options {
	struct setting setting;		/* the setting at the start of the session */
	const struct setting *compared; /* setting A, with which the first setting is compared;
					   copied; NULL: no setting */
	uint64_t seed;
	const char *invocation; /* command-line options that the command line of key y repeats:
				   "--cpu 3"; "": none */
	const struct explainer *explainer; /* functions that compute the limits; borrowed; NULL: no
					      limits are shown */
	const char *uarch; /* the core for which limits are predicted; NULL: the running core */
	/* The recording to replay, borrowed; the engine and the explainer must then belong to that
	 * recording. If `replay` is NULL, the session measures this machine. */
	struct replay *replay;
	/* Path of the file to record to, opened when the machine is known; NULL: nothing is
	 * recorded. */
	const char *record;
	/* libpfm names of the events to count in addition to the core's own events.
	 * session_new() copies the names. */
	const char *const *events;
	int event_count;
	/* Commands to run at the start, each as soon as it can have an effect; copied. */
	const char *const *commands;
	int command_count;
	bool offer;   /* offer to open the last setting of the session before */
	bool saved;   /* read and write the file of saved settings (explorer/saved.h) */
	bool opens;   /* the caller starts another session when the command `open` ends this one */
	bool swapped; /* session_swaps() of the session before */
};

struct session *session_new(const struct engine *engine, const struct session_options *options);
void session_free(struct session *session);

/* Runs one line of the command language (command.h). If a command is wrong, it changes nothing, and
 * its error message is also shown on screen. */
struct status session_command(struct session *session, const char *line, double now);

/* Runs the command that data/keys gives to a key. If the command would change nothing now, a notice
 * (message on screen) says so. */
void session_press(struct session *session, const char *line, double now);

/* Shows a message that no command caused, for example a message about the program's start. */
void session_say(struct session *session, const char *text);

/* Returns a usage error if no command has the words at the beginning of the line. */
struct status session_command_exists(const char *line);

/* Returns an error with the reason if the command cannot run, and STATUS_IDLE if it would change
 * nothing now. */
struct status session_command_check(const struct session *session, const char *line);
/* Whether the command would have an effect now. The key bar shows only commands that would have an
 * effect now. */
bool session_command_works(const struct session *session, const char *line);

/* Takes finished results from the engine, and submits the next request when a request is due.
 * Returns whether the view changed. */
bool session_advance(struct session *session, double now);

/* Returns the seconds until session_advance() must be called again. If session_next() returns a
 * negative value, no call is needed: the session is frozen or waits for the engine. */
double session_next(const struct session *session, double now);

/* Whether every requested measurement is complete: the live sample, all cells (settings on screen)
 * and all campaigns. The command `wait` of a script waits until session_idle() returns true. */
bool session_idle(const struct session *session);

/* Whether the file of an own loop is being compiled, or a program is being read. */
bool session_reads(const struct session *session);

/* Returns the value of a saved setting, for example "on" for "mouse"; "": the setting has no value.
 */
const char *session_saved(const struct session *session, const char *name);

/* Changes a saved setting for this session only, for example because of a command-line option. */
void session_choose(struct session *session, const char *name, const char *value);

/* The themes of the screen, which have the colours of text and pictures. THEME_AUTO is dark or
 * light, as the background of the terminal. THEME_PRESENTER is for projectors in bright rooms. */
enum theme { THEME_AUTO, THEME_DARK, THEME_LIGHT, THEME_PRESENTER, THEME_CONTRAST, THEME_COUNT };

/* The values of the saved setting "theme": "auto", "dark" …; ended by NULL. */
extern const char *const theme_names[THEME_COUNT + 1];

/* Finds the theme of this name. STATUS_USAGE: the name is unknown, and the message lists the
 * names. */
struct status theme_find(const char *name, enum theme *theme);
/* Returns the theme that the user chose, or THEME_AUTO. */
enum theme session_theme(const struct session *session);

/* Returns whether the last command asked for a screenshot, and copies the name of its file, which
 * is empty for a new name. The next call returns false. */
bool session_shot(struct session *session, char *name, size_t size);

/* At the end of the session, writes the present setting and all changed choices to the file of
 * saved settings. */
void session_remember(struct session *session);

/* Adds the command line that opens the present screen again. Returns false, and adds nothing, if
 * the user did not ask to print it. */
bool session_printed(const struct session *session, struct text *line);

bool session_quit(const struct session *session); /* whether the user asked to end the session */
/* Returns whether the command `open` ended this session. *replay then receives the recording to
 * open, which the caller must free; NULL: measure this machine. *setting receives the present
 * setting; its kernel is NULL for an own loop. */
bool session_opened(struct session *session, struct replay **replay, struct setting *setting);

/* After session_opened() returned true: returns the commands for the start of the next session, one
 * a line. The caller frees the text. */
struct text session_opening(struct session *session);
/* Whether the next session has the two recordings of this one, exchanged by the command `pin swap`.
 */
bool session_swaps(const struct session *session);

/* Records the sample on screen, and writes a description of the present recording: "recorded: 12
 * settings, 340 KiB: slexplore replay FILE". The description is empty if there is no recording. */
void session_recorded(struct session *session, char *buffer, size_t size);

/* Returns the present state of the screen, which changes with the next command. */
const struct screen *session_screen(const struct session *session);
/* Fills a view, the data of one screen frame, from the session's present state. */
void session_view(const struct session *session, double now, struct view *view);
