#include "lesson/lesson_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/rows.h"
#include "base/text.h"

static const char file_name[] = "lessons/progress";

/* Reads the file of the student's progress: each line has a lesson's name and the number of steps
 * done. Returns the number of steps done in one lesson. Adds the lines about other lessons to
 * `others`, which may be NULL. Lines of the progress file in any other form are ignored. */
static int read_progress(const char *lesson, struct text *others)
{
	struct text path = { 0 };
	struct rows rows;
	char *text;
	double number;
	int done = 0;

	data_own_read(file_name, &text, &path);
	rows_begin(&rows, text ? text : "", "progress");
	rows.lenient = true;
	while (rows_next(&rows)) {
		char *name = rows_word(&rows), *steps = rows_word(&rows);

		if (!rows_decimal(steps, strlen(steps), &number) || number > 1000)
			continue;
		if (strcmp(name, lesson) == 0)
			done = (int)number;
		else if (others)
			text_addf(others, "%s %d\n", name, (int)number);
	}
	rows_end(&rows);
	free(text);
	text_free(&path);
	return done;
}

int lesson_progress(const char *lesson)
{
	return read_progress(lesson, NULL);
}

void lesson_progress_keep(const char *lesson, int done)
{
	struct text lines = { 0 }, path = { 0 };

	if (done > read_progress(lesson, &lines) && !strpbrk(lesson, " \t#")) {
		text_addf(&lines, "%s %d\n", lesson, done);
		data_own_save(file_name, text_string(&lines), &path, NULL);
	}
	text_free(&lines);
	text_free(&path);
}
