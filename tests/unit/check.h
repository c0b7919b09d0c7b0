/* What every unit test begins with: cmocka and what it needs before it, and a few checks of our
 * own. */
#pragma once

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

/* A fake answers without looking at all that it is asked; a set-up ignores its state. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* gcc and clang say in different ways that the thread sanitizer is there. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

/* Repetitions with other noise or other values: `few` under emulation and under a sanitizer, where
 * each takes 5 to 20 times as long. The seeds are the same. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define CHECK_REPEATS(most, few) (few)
#else
#define CHECK_REPEATS(most, few) (most)
#endif

/* False where a test of one second would take ten: under emulation and the thread sanitizer. */
#if defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define CHECK_PATIENT false
#else
#define CHECK_PATIENT true
#endif

/* A test is TEST(name_of_the_behaviour) { ... }, with `state` as cmocka gives it. TEST_WITH adds a
 * set-up and a tear-down of its own; either may be NULL. RUN_TESTS ends the file: tests run in the
 * order of the file. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                              \
	static void name(void **state);                                                 \
	static __attribute__((constructor)) void add_##name(void)                       \
	{                                                                               \
		tests_add((struct CMUnitTest){ #name, name, set_up, tear_down, NULL }); \
	}                                                                               \
	static void name(void **state)
#define RUN_TESTS(...)                                                              \
	int main(void)                                                              \
	{                                                                           \
		return tests_run((struct tests_group){ .unused = 0, __VA_ARGS__ }); \
	}

/* set_up and tear_down run once; each_set_up and each_tear_down for each test without its own. */
struct tests_group {
	int unused; /* C17 has no empty initialisers */
	CMFixtureFunction set_up, tear_down, each_set_up, each_tear_down;
};

static struct CMUnitTest tests_list[64];
static size_t tests_count;

static inline void tests_add(struct CMUnitTest test)
{
	if (tests_count == sizeof(tests_list) / sizeof(tests_list[0]))
		abort();
	tests_list[tests_count++] = test;
}

/* TESTS_ONLY in the environment: the tests whose names match that pattern of * and ?. */
static inline int tests_run(struct tests_group group)
{
	cmocka_set_test_filter(getenv("TESTS_ONLY"));
	for (size_t i = 0; i < tests_count; i++) {
		struct CMUnitTest *test = &tests_list[i];

		if (test->setup_func || test->teardown_func)
			continue;
		test->setup_func = group.each_set_up;
		test->teardown_func = group.each_tear_down;
	}
	return _cmocka_run_group_tests(
		"tests", tests_list, tests_count, group.set_up, group.tear_down);
}

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

/* Fills an array of characters. */
#define set_words(array, words) snprintf(array, sizeof(array), "%s", words)

/* Each of several parts. */
#define check_parts(string, ...) check_each_part(string, (const char *const[]){ __VA_ARGS__, NULL })
static inline void check_each_part(const char *string, const char *const *parts)
{
	for (; *parts; parts++)
		check_contains(string, *parts);
}

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
