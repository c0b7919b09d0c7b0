/* The outcome of an operation, by value: a code and one line of text for the user.
 *
 * A status owns its text, so threads never share a message buffer. The text names the object, the
 * bad value and the expected value. The text has no newline at the end and no program name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum status_code {
	STATUS_OK = 0,
	STATUS_FAILED,	  /* the machine refused, or nothing could be measured: exit status 1 */
	STATUS_USAGE,	  /* the user's request, or a file that it names, is wrong: exit status 2
			   */
	STATUS_CANCELLED, /* stopped on request; finished results stay valid */
	STATUS_IDLE,	  /* a command of the explorer could run, but would change nothing */
};

/* Maximum bytes of a status text, including its NUL: the names of all core models of an instruction
 * set fit. */
enum { STATUS_TEXT = 308 };

struct status {
	enum status_code code;
	int reason; /* a number by which the module that failed names the reason to its callers; 0:
		       none */
	char text[STATUS_TEXT];
};

struct status status_ok(void);

/* Returns a failure with this code (not STATUS_OK) and a formatted line. A text longer than
 * STATUS_TEXT is cut. */
struct status status_make(enum status_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Shorthands for status_make() with the two most frequent codes. */
#define status_failed(...) status_make(STATUS_FAILED, __VA_ARGS__)
#define status_usage(...)  status_make(STATUS_USAGE, __VA_ARGS__)

/* Returns the usage error `WHAT "WORD"; did you mean NEAR?`. If no name is near WORD, the error is
 * `WHAT "WORD"; REMEDY`. If there is no remedy, the error lists as many of the names as fit. */
struct status status_unknown(const char *what, const char *word, const char *const *names,
	size_t count, const char *remedy);

/* Returns the failure to open a file: `PATH: REASON`. If the reason is the user's choice of the
 * file, the code is STATUS_USAGE. If the system has no more descriptors or memory, or the device
 * fails, the code is STATUS_FAILED. `error` is an errno. */
struct status status_unopened(const char *path, int error);

static inline bool status_is_ok(const struct status *status)
{
	return status->code == STATUS_OK;
}
