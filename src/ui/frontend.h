/* The part of the explorer that terminal and scripts share: it runs the commands of keys, and draws
 * the screen on a canvas. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "engine/engine.h"
#include "explorer/session.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/panels.h"
#include "ui/steady.h"
#include "ui/theme.h"

struct frontend {
	struct session *session; /* borrowed */
	struct keys keys;
	bool works[KEYS_MAX];
	struct canvas canvas;
	struct ground ground; /* the terminal's background colour, for screenshots */
	struct view view;     /* of the last frame */
	struct steady steady;
	struct pressed pressed;
	bool copied;  /* a command line was shown; the terminal's clipboard must receive it */
	bool repaint; /* the command "redraw" was given: the terminal must draw everything again */
};

/* Loads the keys (data/keys) and makes a canvas. After success, the caller must call
 * frontend_free(). */
struct status frontend_init(
	struct frontend *front, struct session *session, int width, int height, bool ascii);
void frontend_free(struct frontend *front);

/* Draws a frame that shows the present state. */
void frontend_draw(struct frontend *front, double now);

/* Runs the command that a key, a click or the wheel has in the present state of the screen. If
 * there is no such command, nothing happens; if a command fails, the screen shows its message. A
 * pasted text goes to the field that is open: the find line or a value being typed. If no field for
 * typed text is open, a message on screen says that the pasted text is ignored. */
void frontend_input(struct frontend *front, const struct input *input, double now);

/* Saves the screenshot that the last command asked for, if any. */
struct status frontend_shoot(struct frontend *front, double now);
