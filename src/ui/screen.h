/* The terminal: shows canvases, reads keys. The only part that uses ncurses. There is one terminal.
 */
#pragma once

#include "base/status.h"
#include "ui/canvas.h"
#include "ui/keys.h"

/* Whether standard input and output are a terminal for a full-screen program. STATUS_USAGE: the
 * reason. Writes nothing. */
struct status screen_check(void);

/* Opens the full screen. If it fails, nothing was written. */
struct status screen_open(void);
/* Restores the terminal. Does nothing if it is not open. */
void screen_close(void);
/* The same for a handler of a fatal signal: async-signal-safe, best effort. */
void screen_emergency(void);

/* The present size. After a change, call screen_resize() before the next screen_show(). */
void screen_size(int *width, int *height);
void screen_resize(int width, int height);

/* Shows a canvas. Sends only the changes. */
void screen_show(const struct canvas *canvas);
/* Forgets the shown content: the next screen_show() sends everything. */
void screen_forget(void);

/* Restores the terminal while the program is stopped, and opens the full screen again. */
void screen_suspend(void);
void screen_resume(void);

/* The next key, or KEYCODE_NONE. Blocks only as long as it needs to distinguish Esc from the begin
 * of a sequence. */
int screen_key(void);
