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

/* Appends the answers of this session to a file from now on. If `change` is NULL, does nothing.
 * STATUS_USAGE: the file cannot be written. */
struct status answering_begin(struct session *change, const char *path);
void answering_end(struct session *session);

/* Sets the name in the answers; "": the answers have no name. */
void answering_name(struct session *session, const char *name);

/* Writes the answer to the present step's question. */
void answering_add(struct session *session);
