/* Names of events and what libpfm makes of them. Those of one instruction set are known to a libpfm
 * of that set only. */
#include "check.h"

#include <errno.h>
#include <pthread.h>

#include "base/text.h"
#include "engine/counters/counters.h"

#if defined(__x86_64__)
#define CORE	    "skl"
#define EVENT	    "skl::UOPS_DISPATCHED_PORT:PORT_0"
#define CONFIG	    0x1a1
#define WRONG_EVENT "skl::UOPS_DISPATCHED_PROT:PORT_0"
#define RIGHT_EVENT "UOPS_DISPATCHED_PORT"
#define WRONG_MASK  "skl::UOPS_DISPATCHED_PORT:PORT_00"
#define RIGHT_MASK  "PORT_0"
#define NO_MASK	    "skl::UOPS_DISPATCHED_PORT"
#else
#define CORE	    "arm_v1"
#define EVENT	    "arm_v1::STALL_BACKEND"
#define CONFIG	    0x24
#define WRONG_EVENT "arm_v1::STALL_BACKENDS"
#define RIGHT_EVENT "STALL_BACKEND"
#endif

TEST(encodes_names_of_any_processor)
{
	uint32_t type = 99;
	uint64_t config = 99;

	check_ok(counters_encode(EVENT, &type, &config));
	assert_int_equal(type, 4);
	assert_int_equal(config, CONFIG);
	check_ok(counters_encode("perf::PERF_COUNT_HW_INSTRUCTIONS", &type, &config));
	assert_int_equal(type, 0);
	assert_int_equal(config, 1);
	check_ok(counters_encode("perf_raw::r01c2", &type, &config));
	assert_int_equal(type, 4);
	assert_int_equal(config, 0x1c2);
	check_ok(counters_encode(EVENT, NULL, NULL));
}

/* libpfm asks errno whether a raw code was too large, and does not clear it before. */
TEST(an_old_error_spoils_no_raw_code)
{
	uint64_t config;

	errno = ERANGE;
	check_ok(counters_encode("perf_raw::r01c2", NULL, &config));
	assert_int_equal(config, 0x1c2);
}

TEST(refuses_with_the_nearest_name)
{
	struct status status;

	status = counters_encode(WRONG_EVENT, NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
	assert_non_null(strstr(status.text, RIGHT_EVENT));
	assert_non_null(strstr(status.text, WRONG_EVENT));
#ifdef NO_MASK
	status = counters_encode(WRONG_MASK, NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
	assert_non_null(strstr(status.text, "there is " RIGHT_MASK));
	status = counters_encode(NO_MASK, NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
	assert_non_null(strstr(status.text, "unit mask; there is PORT_0, PORT_1, …"));
#endif
	status = counters_encode("nosuch::EVENT", NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
	assert_non_null(strstr(status.text, "knows no PMU 'nosuch'"));
	status = counters_encode("nosuchevent", NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
	assert_non_null(strstr(status.text, "PMU::EVENT"));
	status = counters_encode("", NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
	status = counters_encode(CORE "::", NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
	status = counters_encode(EVENT "," EVENT, NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
}

/* The counts are of user space: what a name asks for beyond that would be shown as something that
 * it is not. */
TEST(refuses_what_is_not_user_space)
{
	struct status status;

	check_ok(counters_encode("perf::PERF_COUNT_HW_INSTRUCTIONS:u", NULL, NULL));
	status = counters_encode("perf::PERF_COUNT_HW_INSTRUCTIONS:k", NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
	assert_non_null(strstr(status.text, "only user space"));
	status = counters_encode("perf::PERF_COUNT_HW_INSTRUCTIONS:u:k", NULL, NULL);
	assert_int_equal(status.code, STATUS_USAGE);
}

TEST(search_wants_every_word)
{
	struct counter_offer offers[20];
	size_t all = counters_search("", CORE, NULL, 0),
	       some = counters_search("stall", CORE, offers, 20), both, shown;

	assert_true(all > 50);
	assert_true(some > 0 && some < all);
	for (size_t i = 0; i < some && i < 20; i++) {
		struct status status = counters_encode(offers[i].name, NULL, NULL);

		assert_true(
			strcasestr(offers[i].name, "stall") || strcasestr(offers[i].help, "stall"));
		check_ok(status);
	}
	both = counters_search("  StAlL   BACK ", CORE, offers, 20);
	assert_true(both < some);
	assert_true(counters_search("nothing-is-called-this", CORE, offers, 20) == 0);
	shown = counters_search("", CORE, offers, 2);
	assert_int_equal(shown, all);
	assert_true(strlen(offers[0].name) > 0 && strlen(offers[1].name) > 0);
	assert_int_equal(
		counters_search("", "nosuchpmu", NULL, 0), counters_search("", NULL, NULL, 0));
}

/* Whatever processor libpfm takes this one for. */
TEST(search_finds_no_other_cores_events)
{
	size_t all = counters_search("", CORE, NULL, 0), own = 0;
	struct counter_offer *offers = memory_new(all, sizeof(*offers));

	assert_int_equal(counters_search("", CORE, offers, all), all);
	for (size_t i = 0; i < all; i++) {
		own += strncmp(offers[i].name, CORE "::", strlen(CORE "::")) == 0;
		if (strncmp(offers[i].name, CORE "::", strlen(CORE "::")) != 0 &&
			strncmp(offers[i].name, "perf::", 6) != 0)
			fail_msg("%s is no event of " CORE, offers[i].name);
	}
	assert_true(own > 20);
	free(offers);
}

TEST(a_state_has_words)
{
	char words[160];
	struct count count = { .state = COUNT_KNOWN };

	count_words(&count, words, sizeof(words));
	assert_string_equal(words, "");
	for (int i = COUNT_NONE; i <= COUNT_HELD; i++) {
		count = (struct count){
			.state = (enum count_state)i, .error = EACCES, .share = 0.5f
		};
		count_words(&count, words, sizeof(words));
		assert_true((words[0] == '\0') == (i == COUNT_KNOWN));
		assert_true(count_known(&count) == (i == COUNT_KNOWN || i == COUNT_SCALED));
	}
	count = (struct count){ .state = COUNT_REFUSED, .error = ENOENT };
	count_words(&count, words, sizeof(words));
	assert_non_null(strstr(words, "does not have it"));
	/* Nobody refuses what nobody has. */
	assert_null(strstr(words, "refused"));
	count.error = ENODEV;
	count_words(&count, words, sizeof(words));
	assert_string_equal(words, "this machine has no performance counters");
	count.error = E2BIG;
	count_words(&count, words, sizeof(words));
	assert_non_null(strstr(words, "rgument list too long"));
	/* What stays at zero need not be raised by everything. */
	count = (struct count){ .state = COUNT_SILENT };
	count_words(&count, words, sizeof(words));
	assert_null(strstr(words, "must"));
}

static void *ask(void *context)
{
	struct counter_offer offers[4];
	uint64_t config;

	(void)context;
	for (int i = 0; i < 200; i++) {
		check_ok(counters_encode(EVENT, NULL, &config));
		assert_int_equal(config, CONFIG);
		assert_true(counters_search("stall", CORE, offers, 4) > 0);
		assert_int_equal(counters_encode(WRONG_EVENT, NULL, NULL).code, STATUS_USAGE);
	}
	return NULL;
}

TEST(any_thread_may_ask)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

TEST(libpfm_tells_its_version)
{
	assert_true(counters_version()[0] >= '4');
	assert_null(strchr(counters_version(), '/'));
}

RUN_TESTS()
