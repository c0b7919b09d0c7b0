/* How far the student is in each lesson, kept in a file of the user (data_own_path()). */
#pragma once

/* Returns the number of steps that the student has done in a lesson; 0: none. */
int lesson_progress(const char *lesson);

/* Stores how many steps of a lesson the student has done, if the number is higher than the stored
 * one. Does nothing if the file cannot be written, because a lesson goes on without it. */
void lesson_progress_keep(const char *lesson, int done);
