/* The state of the screen that is not a measurement: the front panel, the focused pane, a value
 * being typed, the overlay and the notice. Only on_screen.c writes a `struct screen`. */
#pragma once

#include <stdbool.h>

#include "explorer/view.h"

struct session;

void screen_begin(struct session *session);
void screen_end(struct session *session);

/* Brings a panel of the screen to the front. If the panel hides the focused pane, arrow keys no
 * longer act on that pane. */
void screen_bring(struct session *session, const char *front);
/* Notes that the panel in front comes back after the mountain or a diagram. */
void screen_cover(struct session *session);
/* Notes that the user, not the program, chose the panel in front. */
void screen_chosen(struct session *session, const char *front);
/* Notes that the panel in front stays there when the user chooses another kernel. */
void screen_keep(struct session *session);
/* Sets the preset (set of panels) on screen. An empty name and NULL panels: no preset. */
void screen_order(struct session *session, const char *preset, const char *const *panels);
/* Notes that the panel that best explains the kernel came to the front by itself, without a command
 * of the user. */
void screen_answer(struct session *session, const struct kernel *kernel);
bool screen_in_front(const struct session *session, const char *front);
/* Begins or ends presenter mode: large digits, one panel and the last key. */
void screen_present(struct session *session, bool present);
void screen_focus(struct session *session, const char *pane);
bool screen_focused(const struct session *session, const char *pane);

void entry_add(struct session *session, char character);
void entry_erase(struct session *session); /* erases the last character of the typed value */
void entry_drop(struct session *session);
void entry_refuse(struct session *session);

/* The line in which the student types a guess. guess_open() opens it with a text; guess_drop()
 * closes and empties it. */
void guess_open(struct session *session, const char *text);
/* guess_add() adds a character in UTF-8, if the answer has room for it. */
void guess_add(struct session *session, const char *character);
void guess_erase(struct session *session);
void guess_drop(struct session *session);

/* Moves the presenter's mark, arrows at both ends of one screen row, by a number of rows; 0:
 * removes the mark. `rows` is the number of rows of the screen that can be marked. */
void screen_mark(struct session *session, int by, int rows);
void screen_blank(struct session *session, bool blank);

/* Opens an overlay. OVERLAY_NONE closes the open overlay. */
void overlay_open(struct session *session, enum overlay overlay);
/* Scrolls the overlay (text in front of the panels), or selects another entry of the find overlay.
 */
void overlay_move(struct session *session, int lines);
/* Shows a text in an overlay, in front of the panels. An overlay without a title shows the command
 * line that opens the present screen again. */
void overlay_text(struct session *session, const char *title, const char *text);

/* Shows the result of a long measurement, for example a probe, on the whole screen until the user
 * closes it. `command` is the command that measured. The text `page` belongs to the screen, which
 * frees it. */
void overlay_page(struct session *session, const char *command, const char *title, char *page);
/* Whether the whole screen shows the result of this command, such as "probe". */
bool overlay_shows_page(const struct session *session, const char *command);

/* Asks the user interface for a screenshot, or says that it is saved. An empty name: a new file. */
void screen_want_shot(struct session *session, bool wanted, const char *name);

/* Opens the find overlay with `count` entries. `more` is the number of results that did not fit in
 * the list. */
void find_open(struct session *session, const char *text, const struct view_found *found, int count,
	int more);
/* Returns the command of the selected entry of the find overlay; an empty string if there is no
 * entry. */
const char *find_command(const struct session *session);

/* Shows a notice. A notice (message on screen) stays until a command changes it, or until
 * notice_limit() sets an end time. */
void session_notice(struct session *session, bool bad, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void notice_clear(struct session *session);
/* notice_limit() removes the notice after the time that a user needs to read it; notice_limit_to()
 * removes the notice after `seconds`. */
void notice_limit(struct session *session);
void notice_limit_to(struct session *session, double seconds);
/* Removes the notice, a message on screen, after its end time. Returns whether the view changed. */
bool notice_expire(struct session *session);
