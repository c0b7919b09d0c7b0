/* The answers of a class on a full screen, legible from the last row of a lecture hall: how many
 * students answered, a histogram of their guesses and, after the teacher reveals them, the measured
 * values. */
#pragma once

#include "lesson/class_guesses.h"
#include "lesson/lesson_class.h"
#include "ui/canvas.h"

struct class_view {
	const struct answers *answers; /* sorted: class_sort() */
	int begin, end;	     /* indices of the answers to the question on the screen, without `end`;
				equal: no answers yet */
	bool revealed;	     /* the measured values and the right answers are shown */
	bool blank;	     /* the teacher has blanked the screen */
	const char *folder;  /* the first followed path, which the screen names until the first
				answer arrives */
	const char *message; /* the effect of the last key, if the key changed nothing; "": none */
	const char *trouble; /* why a file cannot be read; "": all files can be read */
};

/* Draws the whole screen. If `revealed` is false, the screen has no measured value, and marks no
 * guess as right. */
void class_draw(struct canvas *canvas, const struct class_view *view);

/* The effect of a key on this screen. */
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
/* Returns the effect of the key with this number (see keys.h). */
enum class_act class_act_of(int code);
