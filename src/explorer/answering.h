/* The file to which a session writes the student's answers to the questions of lessons. Only
 * answering.c writes a `struct answering`. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "recording/answers.h"

struct session;

struct answering {
	FILE *file;	       /* NULL: answers are not kept */
	struct answer student; /* only the fields `who` (random word of this run) and `name` (the
				  student's), which are copied into each answer */
};

/* From now on, appends each answer of the student to this file. If `change` is NULL, the file of
 * answers is not opened. STATUS_USAGE: the file of answers cannot be written. */
struct status answering_begin(struct session *change, const char *path);
void answering_end(struct session *session);

/* Sets the student's name, which each further answer states; "": answers state no name. */
void answering_name(struct session *session, const char *name);

/* Writes the answer to the present step's question. */
void answering_add(struct session *session);
