/* The builds of an own loop: its source file, compiled with one set of compiler flags after
 * another. Each set is compiled once. */
#pragma once

#include <stdatomic.h>

#include "base/status.h"
#include "base/text.h"

/* A build (a compiled version of an own loop) does not change once it is in the list of builds.
 * Other threads and new child processes therefore read the list of builds without a lock. */
struct own_build {
	char *flags;	      /* compiler flags of the build, with the macros of the user's knobs */
	const char *folder;   /* folder of the compiled `library` and of temporary files;
				 own_builds_free() removes it */
	char *library;	      /* path of the compiled library */
	struct status status; /* the outcome of the compilation */
	struct own_build *_Atomic next;
};

struct own_builds;

struct own_builds *own_builds_new(void);
/* Frees the builds (compiled versions) of an own loop, and removes their folders. Ignores NULL. */
void own_builds_free(struct own_builds *builds);
/* Returns the build of the source file with these compiler flags, or NULL. */
const struct own_build *own_builds_find(const struct own_builds *builds, const char *flags);

/* Compiles the source file with these flags, unless that has been done before. Returns the outcome
 * of the compilation. `cancel` and `said` may be NULL; see compiler_run(). If `said` is NULL, the
 * message of a failure has the compiler's first error. Any thread may call own_builds_make(). */
struct status own_builds_make(struct own_builds *builds, const char *path, const char *flags,
	const atomic_bool *cancel, struct text *said);
