/* The inside of an own loop, for own.c, own_versions.c and own_call.c. */
#pragma once

#include <sys/stat.h>

#include "engine/own/compiler.h"
#include "engine/own/own.h"
#include "engine/own/own_builds.h"

struct own {
	char *path, *cflags;
	struct own_description description;
	int64_t flags_first; /* index of the set of compiler flags that is chosen first */
	struct own_builds *builds;
	struct stat file; /* metadata of the user's source file when the file was read */
};

/* Returns the value at this index in a list of values. */
const char *own_value_of(const struct own_knob *knob, int64_t index);

/* The name of a knob for the compiler: UNROLL for the knob unroll of a C file. */
struct own_macro {
	char name[OWN_NAME];
};

struct own_macro own_macro_of(const struct own *own, const struct own_knob *knob);

/* Returns the build for the values of the kernel's knobs, or NULL. */
const struct own_build *own_build_of(const struct own *own, const int64_t *v);

/* The callbacks prepare() and call() of the kernel that runs the user's loop; both run only in a
 * child process (own_call.c). own_call_prepare() loads the library and lays out the data;
 * run->memory must have own_data_bytes() zeroed bytes. */
struct status own_call_prepare(struct kernel_run *run);
void own_call(struct kernel_run *run, uint64_t elements);
