/* The answers of a class on a full screen that the last row can read: how many students answered, a
 * histogram of their guesses and, after the teacher reveals them, the measured values. */
#pragma once

#include "lesson/class_guesses.h"
#include "lesson/lesson_class.h"
#include "ui/canvas.h"

struct class_view {
	const struct answers *answers; /* sorted: class_sort() */
	int begin, end;	     /* the answers of the question in front; equal: there are none yet */
	bool revealed;	     /* the measured values and the right answers are shown */
	bool blank;	     /* the teacher has blanked the screen */
	const char *folder;  /* what is followed, for students who want to take part */
	const char *trouble; /* why a file cannot be read; "": all can */
};

/* Draws the whole screen. Before the teacher reveals them, it has no measured value, and does not
 * say which guess is right. */
void class_draw(struct canvas *canvas, const struct class_view *view);

/* The keys of this screen: the key's number, its name, what it does, and whether the last row of
 * the screen names it. */
enum class_act {
	CLASS_NEXT,
	CLASS_BACK,
	CLASS_FIRST,
	CLASS_LAST,
	CLASS_REVEAL,
	CLASS_BLANK,
	CLASS_REDRAW,
	CLASS_QUIT,
	CLASS_NOTHING
};
enum class_act class_act_of(int code);
