/* What every unit test begins with: cmocka and what it needs before it, and a few checks of our
 * own. */
#ifndef SLX_TESTS_CHECK_H
#define SLX_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Repetitions with other noise or other values: half of them where each takes long, emulated or
 * watched by a sanitiser. What they try is the same there, by the same seeds. */
#if defined(__SANITIZE_ADDRESS__) || !defined(__x86_64__)
#define CHECK_REPEATS(most) ((most) / 2)
#else
#define CHECK_REPEATS(most) (most)
#endif

#define check_near(value, expected, tolerance)                                                 \
	do {                                                                                   \
		double check_value = (value), check_expected = (expected);                     \
		if (!(fabs(check_value - check_expected) <= (tolerance)))                      \
			fail_msg("%s is %.9g, not %.9g", #value, check_value, check_expected); \
	} while (0)

#define check_contains(string, part)                                                          \
	do {                                                                                  \
		const char *check_string = (string), *check_part = (part);                    \
		if (!strstr(check_string, check_part))                                        \
			fail_msg("\"%s\" does not contain \"%s\"", check_string, check_part); \
	} while (0)

#define check_ok(outcome)                                                    \
	do {                                                                 \
		struct status check_status = (outcome);                      \
		if (check_status.code != STATUS_OK)                          \
			fail_msg("%s: \"%s\"", #outcome, check_status.text); \
	} while (0)

#define check_usage(outcome, expected)                             \
	do {                                                       \
		struct status check_status = (outcome);            \
		assert_int_equal(check_status.code, STATUS_USAGE); \
		assert_string_equal(check_status.text, expected);  \
	} while (0)

#endif
