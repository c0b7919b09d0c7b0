/* What terminal and script have in common: a session, its keys, and the canvas that a frame is
 * drawn on. Keys and commands go in, frames come out; nothing here knows a terminal. */
#ifndef SLX_UI_FRONTEND_H
#define SLX_UI_FRONTEND_H

#include <stdbool.h>

#include "base/status.h"
#include "explorer/session.h"
#include "ui/canvas.h"
#include "ui/keys.h"

struct frontend {
	struct session *session; /* borrowed */
	struct keys keys;
	bool works[KEYS_MAX];
	struct canvas canvas;
	struct view view; /* of the last frame */
	bool repaint;	  /* "redraw" was asked for: the terminal should forget what it shows */
};

/* Loads the keys (data/keys) and makes a canvas. On success front_free() ends it. */
struct status frontend_init(
	struct frontend *front, struct session *session, int width, int height, bool ascii);
void frontend_free(struct frontend *front);

/* Draws a frame of the present state. */
void frontend_draw(struct frontend *front, double now);

/* Runs the command of a key where it is pressed now; one without does nothing. A command that fails
 * has put its words on the screen. */
void frontend_key(struct frontend *front, int code, double now);

#endif
