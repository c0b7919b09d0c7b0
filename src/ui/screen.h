/* The terminal: shows canvases and reads keys. Only this module uses ncurses. There is one
 * terminal. */
#pragma once

#include "base/status.h"
#include "ui/canvas.h"
#include "ui/keys.h"

/* Checks that standard input and output are a terminal for a full-screen program. STATUS_USAGE:
 * they are not; the message has the reason. Writes nothing to the terminal. */
struct status screen_check(void);

/* Opens the full screen. If that fails, nothing was written to the terminal. */
struct status screen_open(void);
/* Restores the terminal. Does nothing if it is not open. */
void screen_close(void);
/* Restores the terminal in a handler of a fatal signal: async-signal-safe, best effort. */
void screen_emergency(void);

/* Returns the present size. After a change of the size, call screen_resize() before the next
 * screen_show(). */
void screen_size(int *width, int *height);
void screen_resize(int width, int height);

/* Shows a canvas. Sends only the changes. */
void screen_show(const struct canvas *canvas);
/* Forgets the shown content: the next screen_show() sends everything. */
void screen_forget(void);

/* screen_suspend() restores the terminal before the program stops. screen_resume() opens the full
 * screen again. */
void screen_suspend(void);
void screen_resume(void);

/* Returns the next key, or KEYCODE_NONE. Waits only briefly after an Esc, to find out whether a
 * sequence follows. */
int screen_key(void);
