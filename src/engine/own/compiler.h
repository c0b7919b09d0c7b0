/* Runs the system's compiler for an own loop, and never waits for the compiler without an end.
 *
 * A supervisor process starts the compiler in a session of its own. The supervisor ends the
 * compiler at a deadline, on request, and when this program ends, even if SIGKILL ends it. To end
 * the compiler, the supervisor kills all its own descendants. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

/* Seconds for the compilation of one file. An emulated compiler needs about 2 s for a loop. */
#define COMPILER_SECONDS 60.0

/* A programming language of own loops. */
struct language {
	const char *endings;   /* endings of source files, separated by blanks */
	const char *variable;  /* the environment variable that names the compiler */
	const char *compiler;  /* the compiler, if the variable is not set */
	const char *options;   /* compiler options that make a shared library; the user's compiler
				  flags follow */
	const char *libraries; /* compiler options after the source file; empty: none */
	const char *flags; /* usual sets of compiler flags, separated by commas; NULL: the language
			      has no usual flags */
	const char *macro; /* format of the option for a knob, given its name and its value */
	bool capitals;	   /* the compiler option has the knob's name in capital letters */
	const char *form;  /* the function that a source file must have */
};

/* Returns the language of a source file; C for an unknown ending. */
const struct language *language_of(const char *path);

/* Whether the path ends as source files of one of the languages do. */
bool language_is_source(const char *path);

struct compilation {
	const char *path;    /* the source file */
	const char *flags;   /* flags of the compiler, separated by blanks; quotes keep blanks */
	const char *folder;  /* an empty folder for the compiler's temporary files */
	const char *library; /* name of the compiled library to write, in `folder` */
	double seconds;	     /* deadline, usually COMPILER_SECONDS */
	const atomic_bool *cancel; /* NULL: the compilation cannot be cancelled */
};

/* Compiles a file with the compiler of its language: $CC, or else cc, for C. `said` (may be NULL)
 * receives the compiler's messages unchanged. compiler_run() removes the folder unless it succeeds.
 * STATUS_FAILED: there is no compiler, the file does not compile, or the compiler exceeds a limit
 * of time, memory or output. STATUS_CANCELLED: *cancel was set. May run in any thread. */
struct status compiler_run(const struct compilation *compilation, struct text *said);
