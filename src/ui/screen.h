/* The terminal: shows canvases, reads keys. The only part that knows ncurses. One at a time. */
#ifndef SLX_UI_SCREEN_H
#define SLX_UI_SCREEN_H

#include "base/status.h"
#include "ui/canvas.h"
#include "ui/keys.h"

/* Whether standard input and output are a terminal that a full-screen program can use. STATUS_USAGE
 * says why not; nothing is written. */
struct status screen_check(void);

/* Takes the terminal over. On failure nothing was written to it. */
struct status screen_open(void);
/* Gives it back as it was. Harmless when it is not open. */
void screen_close(void);
/* The same from a handler of a fatal signal: async-signal-safe, best effort. */
void screen_emergency(void);

/* The present size; after a change of it, screen_resize() before the next screen_show(). */
void screen_size(int *width, int *height);
void screen_resize(int width, int height);

/* Shows a canvas; only what changed is sent. */
void screen_show(const struct canvas *canvas);
/* Forgets what the terminal shows: the next screen_show() sends everything. */
void screen_forget(void);

/* Gives the terminal back while the program is stopped, and takes it again. */
void screen_suspend(void);
void screen_resume(void);

/* The next key that has come, or KEYCODE_NONE. Never blocks, but for the time that tells Esc from
 * the beginning of a longer sequence. */
int screen_key(void);

#endif
