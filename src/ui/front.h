/* What terminal and script have in common: a session, its keys, and the canvas that a frame is
 * drawn on. Keys and commands go in, frames come out; nothing here knows a terminal. */
#ifndef SLX_UI_FRONT_H
#define SLX_UI_FRONT_H

#include <stdbool.h>

#include "base/status.h"
#include "explorer/session.h"
#include "ui/canvas.h"
#include "ui/keys.h"

struct front {
	struct session *session; /* borrowed */
	struct keys keys;
	bool works[KEYS_MAX];
	struct canvas canvas;
	struct view view; /* of the last frame */
	bool repaint;	  /* "redraw" was asked for: the terminal should forget what it shows */
};

/* Loads the keys (data/keys) and makes a canvas. On success front_free() ends it. */
struct status front_init(
	struct front *front, struct session *session, int width, int height, bool ascii);
void front_free(struct front *front);

/* Draws a frame of the present state. */
void front_draw(struct front *front, double now);

/* Runs the command of a key where it is pressed now; one without does nothing. A command that fails
 * has put its words on the screen. */
void front_key(struct front *front, int code, double now);

#endif
