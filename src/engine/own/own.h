/* Own loops: a file with one function `long loop(long n, void *a, void *b, void *c, void *d)` in C
 * or assembly, described by a comment (own_data.h), compiled by the system's compiler, and from
 * then on a kernel like those that are built in, except that its code never runs in this process:
 * isolate.h measures it in a child.
 *
 * The callbacks of struct kernel that are given a setting's values alone cannot tell one own loop
 * from another, so each has one of a few slots with callbacks of its own. A slot's kernel
 * stays readable for ever; it is made into another loop when OWN_SLOTS further ones have been
 * opened: the present one, the one before it, which the explorer compares it with, and two that
 * results under way may still speak of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/own/own_data.h"
#include "kernels/kernel.h"

enum { OWN_SLOTS = 4 };

struct own;

/* Whether a word is to be read as the path of an own loop, not as the name of a kernel: it begins
 * with / ./ or ../, or ends with .c or .S. */
bool own_is_path(const char *word);

/* Reads and compiles a file. cflags: instead of those of its comment, which replace -O2;
 * NULL: not given. On success *kernel is the loop's, owned by its slot. What the compiler said goes
 * to `said` as it is (NULL: nobody wants it), also when it was only a warning. STATUS_USAGE for a
 * comment that is missing or wrong; STATUS_FAILED when the file cannot be read or does not compile,
 * there is no compiler, or this program cannot load code. Takes as long as the compiler does. One
 * thread only. */
struct status own_open(
	const char *path, const char *cflags, struct text *said, const struct kernel **kernel);

const char *own_path(const struct own *own);   /* as it was given */
const char *own_cflags(const struct own *own); /* as it was given; NULL: not */
const struct own_description *own_description(const struct own *own);

/* Whether the file is another than the one that was compiled: saved again since. False while it is
 * not there, as editors leave it for a moment. */
bool own_changed(const struct own *own);

/* The file on disk is now taken as known, although it was not opened: own_changed() waits for the
 * next one. */
void own_seen(const struct own *own);

/* Elements of a call with n. */
uint64_t own_elements(const struct own *own, int64_t n);

/* ---- in a child process alone ---- */

/* The function itself. */
typedef long own_loop(long n, void *a, void *b, void *c, void *d);

/* In a child process alone: loads the library and finds its loop(). */
struct status own_load(const struct own *own, own_loop **loop);

/* Makes this process, just forked, fit for code that is not ours: signals as at a program's start,
 * no core file, standard streams that lead nowhere, and an end when its parent ends. */
void own_child_begin(void);

/* run->memory: own_data_bytes() of zeroed memory. Loads the library and lays out the data. */
struct status own_child_prepare(struct kernel_run *run);
void own_child_call(struct kernel_run *run, uint64_t elements);
void own_child_rewind(struct kernel_run *run);

/* Counts calls of loop() that came back, so that who waits can see that it still does. NULL: nobody
 * counts. */
void own_child_count(_Atomic uint64_t *calls);

/* For a stepper, which knows two lengths: see model/code/step.c. */
struct own_steps {
	const struct own *own;
	uint64_t seed;
	int64_t n[2]; /* the longer one, the shorter one */
	void *memory; /* NULL before own_steps_prepare() */
	own_loop *loop;
	struct own_data data;
	struct status *failure; /* in memory that is shared with the parent */
};

/* In the child: loads and lays out for the longer count. Returns 0, or 1 with the failure filled
 * in. */
int own_steps_prepare(void *steps);
/* In the child: calls the loop with the n of that many elements, which is one of the two lengths.
 */
void own_steps_run(void *steps, uint64_t elements);
