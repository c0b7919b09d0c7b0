/* Shows canvases on the terminal and reads keys from it. Only screen.c and screen_input.c use
 * ncurses. There is one terminal. */
#pragma once

#include "base/status.h"
#include "explorer/session.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/theme.h"

/* Checks that standard input and output are a terminal for a full-screen program. STATUS_USAGE: a
 * full-screen program cannot run, and the message has the reason. Writes nothing to the terminal.
 */
struct status screen_check(void);

/* Opens the full screen. Call screen_style() before the first screen_show(). If screen_open()
 * fails, it has written nothing to the terminal. */
struct status screen_open(void);
/* Restores the terminal; does nothing if the full screen is not open. */
void screen_close(void);
/* Restores the terminal in a handler of a fatal signal: async-signal-safe, best effort. */
void screen_emergency(void);

/* Returns the present size of the terminal. After a change of the terminal's size, call
 * screen_resize() before the next screen_show(). */
void screen_size(int *width, int *height);
void screen_resize(int width, int height);

/* Chooses a theme, or the theme that fits the terminal's background now (THEME_AUTO). present:
 * presenter mode is on. Asks the
 * terminal for its background at the first call that needs it. Returns whether areas are shown as
 * solid colours: see canvas.solid. */
bool screen_style(enum theme theme, bool present);
/* Returns the terminal's background, as far as it is known now. */
struct ground screen_ground(void);
/* Returns whether the next screen_style() would change the colours, because the terminal has
 * answered the query for its background. */
bool screen_answered(void);
/* Returns the seconds during which the terminal's answer about its background is still awaited;
 * INFINITY: no answer is awaited. When the wait for the terminal's answer is over, call
 * screen_style() again. */
double screen_awaits(void);

/* Shows a canvas: sends only the cells that changed to the terminal. */
void screen_show(const struct canvas *canvas);
/* Forgets the content of the terminal, so that the next screen_show() sends all cells. */
void screen_forget(void);

/* screen_suspend() restores the terminal before the program stops. screen_resume() opens the full
 * screen again. */
void screen_suspend(void);
void screen_resume(void);

/* Begins or ends the use of the mouse. Does nothing if the terminal has no mouse. */
void screen_mouse(bool used);

/* Sends a text to the terminal's clipboard (the control sequence OSC 52). Does nothing if
 * the terminal's description has no clipboard. A terminal may ignore a text sent to its clipboard.
 */
void screen_copy(const char *text);

/* Returns the next input, or KEYCODE_NONE. After an Esc, the function waits only briefly to find
 * out whether a control sequence follows. */
struct input screen_input(void);

/* Returns whether standard input has ended: the input is readable, but has no data, or its terminal
 * no longer exists (EIO). */
bool screen_input_ended(void);

/* Returns the time (base/monotonic.h) at which screen_input() returns a pasted text whose end the
 * terminal lost, if no key arrives before; INFINITY: no pasted text is incomplete. */
double screen_input_due(void);
