/* Own loops: a file in C, C++, Rust or assembly that defines one function:
 *
 * 	long loop(long n, void *a, void *b, void *c, void *d)
 *
 * If the file also defines setup() with the same parameters, setup() runs before each call of
 * loop(), and its time is not counted. A comment in the file describes its data and its knobs
 * (own_comment.h). The system's compiler compiles the user's file. The user's loop is then a kernel
 * like the built-in kernels. The code of the user's loop never runs in this process: isolate.h
 * measures the loop in a child process.
 *
 * Some callbacks of struct kernel receive only a setting's values, which do not identify the own
 * loop. Each own loop (a user's function) therefore has a slot, and each slot has its own
 * callbacks. The kernel in a slot for own loops always stays readable. A slot for an own loop
 * receives a new loop when its turn comes again, unless own_keep() keeps its loop. Five slots for
 * own loops are enough: the three loops that the explorer watches at most, and two loops that late
 * results may still refer to. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/own/own_data.h"
#include "kernels/kernel.h"

enum { OWN_SLOTS = 5 };

struct own;

/* Whether a word is the path of an own loop, not the name of a kernel. The path of an own loop
 * begins with / ./ or ../, or ends as source files do (compiler.h). */
bool own_is_path(const char *word);

/* Reads a file, and compiles it in a thread of its own, for the initial values of its knobs. cflags
 * has sets of compiler flags, separated by commas (own_read_flags()). The first set of compiler
 * flags becomes the initial value of the knob cflags. If the source file's comment does not list
 * all given sets of compiler flags, the given sets replace the comment's sets. If cflags is NULL,
 * the compiler flags in the file's comment are used, or else -O2. On success *opening describes the
 * running compilation. STATUS_USAGE: the comment that describes the loop's data is missing or
 * wrong. STATUS_FAILED: the file cannot be read, or this program cannot load code. Call all
 * functions for one struct own_opening from one thread only. */
struct own_opening;
struct status own_open_begin(const char *path, const char *cflags, struct own_opening **opening);

/* Whether the compilation is over. Does not wait. */
bool own_open_over(const struct own_opening *opening);

/* Waits for the compiler, then frees the struct own_opening. On success *kernel is the loop's
 * kernel; a slot owns this kernel. `said` (may be NULL) receives the compiler's messages unchanged,
 * warnings included. STATUS_FAILED: see compiler_run() in compiler.h. */
struct status own_open_end(
	struct own_opening *opening, struct text *said, const struct kernel **kernel);

/* While an own loop is kept, own_open_end() does not put another loop in its place. Keep at most
 * OWN_SLOTS - 1 own loops. */
void own_keep(const struct own *own, bool kept);

/* Ends the compiler, and frees the struct own_opening. Ignores NULL. */
void own_open_stop(struct own_opening *opening);

/* Opens a file as own_open_begin() and own_open_end() do, one after the other. */
struct status own_open(
	const char *path, const char *cflags, struct text *said, const struct kernel **kernel);

const char *own_cflags(
	const struct own *own); /* the compiler flags passed to own_open(); may be NULL */

/* Compiles the source file of an own loop for these values of the kernel's knobs, unless that has
 * been done before. Returns the outcome of the compilation; the message of a failure has the
 * compiler's first error. `cancel` and `said` may be NULL; see compiler_run(). Any thread may call
 * own_build(). */
struct status own_build(
	const struct own *own, const int64_t *v, const atomic_bool *cancel, struct text *said);

/* Whether own_build() has finished for these values of the knobs. Does not wait. */
bool own_is_built(const struct own *own, const int64_t *v);
const struct own_description *own_description(const struct own *own);

/* Whether the file has changed since it was compiled. own_changed() returns false while the file
 * does not exist: some editors remove a file briefly when they save it. */
bool own_changed(const struct own *own);

/* Marks the file's current version as seen without compiling it. After own_seen(), own_changed()
 * reports only later changes of the file. */
void own_seen(const struct own *own);

/* The number of elements that one call of loop() with this n processes. */
uint64_t own_elements(const struct own *own, int64_t n);

/* ---- only in a child process ---- */

/* Sets a counter of the calls of loop() that have returned; the parent process reads this counter
 * to see progress. NULL: calls are not counted. */
void own_child_count(_Atomic uint64_t *calls);

/* Addresses in the child process. */
struct own_laid {
	uint64_t loop;		    /* address of loop() */
	uint64_t at[OWN_ARGUMENTS]; /* addresses of the arguments; 0: the argument has no data */
};

/* Context for the single-stepper, which runs the loop with two lengths: see model/code/step.c. */
struct own_steps {
	const struct own *own;
	const int64_t *v; /* the values of the kernel's knobs; v[0], the knob n, is ignored */
	uint64_t seed;
	int64_t n[2]; /* the two values of n with which loop() is called: the longer length, then
			 the shorter length */
	struct status *failure; /* reason of a failure, in memory shared with the parent process */
	struct own_laid *laid;	/* filled by own_steps_prepare(); lies in memory that parent and
				   child process share */
};

/* In the child process: loads the loop and lays out the data for the longer length.
 * own_steps_prepare() returns 0; on failure it returns 1 and sets *failure. */
int own_steps_prepare(void *steps);
/* In the child process: calls the loop with the length argument that makes it process so many
 * elements. */
void own_steps_run(void *steps, uint64_t elements);
/* In the child process: draws fresh data for the next call, and calls setup(). Returns 0. */
int own_steps_renew(void *steps);
