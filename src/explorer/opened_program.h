/* Programs that the user opened: executables, shared libraries and objects. Background threads read
 * the program and its functions. A function becomes the present setting like a kernel, with
 * predicted values in place of measured ones. Only opened_program.c writes a struct
 * opened_programs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/program/function_list.h"
#include "model/program/function_loops.h"

struct session;

/* An opened file. Functions that were shown stay in memory until the session ends, because undo may
 * show them again. */
struct opened_program {
	char *path;
	struct program *program;
	struct function_list list;
	struct function_loops **shown;
	size_t shown_count;
	struct opened_program *older; /* the file that was open before; NULL: none */
};

/* What a background thread reads. */
struct program_reading {
	struct job *job; /* NULL: no thread reads */
	struct function_list_progress progress;
	struct opened_program *file; /* the file to open; or the open file with the function */
	char *function; /* the function that the user means; NULL: the file is opened */
	struct status status;
	/* The function that was found, and its loop that the user means, from 1; 0: the first one.
	 */
	struct function_loops *found;
	int loop;
	double look; /* time at which the session next checks the thread */
};

struct opened_programs {
	struct opened_program *file; /* the file opened last; NULL: none */
	struct program_reading reading;
	char *next; /* the function to read after the present one; NULL: none */
	bool offer; /* a program was read: the user can now choose one of its functions */
	/* The kernel that was shown before the first function, as an index into session.kernels:
	 * the key O returns to it; -1: none. */
	int from;
};

/* Begins to read a program, whose functions `/` finds later. STATUS_USAGE: another program is being
 * read. STATUS_FAILED: the file is no program. */
struct status program_ask(struct session *session, const char *path);
/* Begins to read a function, which then becomes the present setting. `given` is a name, an address
 * or FILE:LINE. */
struct status function_ask(struct session *session, const char *given);
/* Cancels the reading of a program. */
void program_stop(struct session *session);
void programs_end(struct session *session);

/* Whether a background thread reads a program or a function. */
bool program_reads(const struct session *session);
/* Takes what a background thread has read. Returns whether the view changed. */
bool program_advance(struct session *session);
/* Returns the time at which program_advance() must be called next; INFINITY: never. */
double program_next(const struct session *session);
/* Whether a program was read since the last call. */
bool program_offers(struct session *session);

/* Returns the open program; NULL: none. */
const struct opened_program *program_opened(const struct session *session);
/* Returns the index, in the list of the open program, of the function that is shown or being read;
 * -1: none. */
int program_present(const struct session *session);
/* Returns the path of the program that contains a function that was shown. */
const char *program_path_of(const struct session *session, const struct function_loops *found);
/* Adds the words by which the command line reopens a function: its name, or its address if the name
 * is not unique. */
void program_add_function(
	const struct session *session, const struct function_loops *found, struct text *text);
