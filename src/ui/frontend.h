/* Shared by terminal and scripts: a session, its keys, and the canvas of a frame. Keys and commands
 * go in, frames come out. */
#pragma once

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
	bool repaint; /* the command "redraw" was given: the terminal must draw everything again */
};

/* Loads the keys (data/keys) and makes a canvas. After success frontend_free() releases it. */
struct status frontend_init(
	struct frontend *front, struct session *session, int width, int height, bool ascii);
void frontend_free(struct frontend *front);

/* Draws a frame of the present state. */
void frontend_draw(struct frontend *front, double now);

/* Runs the command of a key in the present context. A key without a command does nothing. A command
 * that fails puts its message on the screen. */
void frontend_key(struct frontend *front, int code, double now);
