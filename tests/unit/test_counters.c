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

static void check_code(const char *name, uint32_t type, uint64_t config)
{
	struct counter_code code;

	check_ok(counters_encode(name, &code));
	assert_int_equal(code.type, type);
	assert_int_equal(code.config, config);
}

/* Refused with a message that contains `part`. */
static void check_refused(const char *name, const char *part)
{
	struct counter_code code;
	struct status status = counters_encode(name, &code);

	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, part);
}

TEST(encodes_names_of_any_processor)
{
	check_code(EVENT, 4, CONFIG);
	check_code("perf::PERF_COUNT_HW_INSTRUCTIONS", 0, 1);
	check_code("perf_raw::r01c2", 4, 0x1c2);
}

/* libpfm asks errno whether a raw code was too large, and does not clear it before. */
TEST(an_old_error_spoils_no_raw_code)
{
	errno = ERANGE;
	check_code("perf_raw::r01c2", 4, 0x1c2);
}

TEST(refuses_with_the_nearest_name)
{
	check_refused(WRONG_EVENT, RIGHT_EVENT);
	check_refused(WRONG_EVENT, WRONG_EVENT);
#ifdef NO_MASK
	check_refused(WRONG_MASK, "there is " RIGHT_MASK);
	check_refused(NO_MASK, "PORT_0, PORT_1, …");
#endif
	check_refused("nosuch::EVENT", "'nosuch'");
	check_refused("nosuchevent", "PMU::EVENT");
	check_refused("", "");
	check_refused(CORE "::", "");
	check_refused(EVENT "," EVENT, "");
}

/* Counts are of user space: a name that asks for more would be shown as something that it is not.
 */
TEST(refuses_what_is_not_user_space)
{
	check_code("perf::PERF_COUNT_HW_INSTRUCTIONS:u", 0, 1);
	check_refused("perf::PERF_COUNT_HW_INSTRUCTIONS:k", "only user space");
	check_refused("perf::PERF_COUNT_HW_INSTRUCTIONS:u:k", "only user space");
}

TEST(search_wants_every_word)
{
	struct counter_offer offers[20];
	size_t all = counters_search("", CORE, NULL, 0),
	       some = counters_search("stall", CORE, offers, 20), both, shown;

	assert_true(all > 50);
	assert_true(some > 0 && some < all);
	for (size_t i = 0; i < some && i < 20; i++) {
		struct counter_code code;

		check_ok(counters_encode(offers[i].name, &code));
		assert_true(
			strcasestr(offers[i].name, "stall") || strcasestr(offers[i].help, "stall"));
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
	static const struct {
		int error;
		const char *part;
	} refusals[] = { { ENOENT, "does not have this event" },
		{ ENODEV, "no performance counters" }, { E2BIG, "rgument list too long" } };
	char words[160];

	for (int i = COUNT_NONE; i <= COUNT_HELD; i++) {
		struct count count = {
			.state = (enum count_state)i, .error = EACCES, .share = 0.5f
		};

		count_words(&count, words, sizeof(words));
		assert_true((words[0] == '\0') == (i == COUNT_KNOWN));
		assert_true(count_known(&count) == (i == COUNT_KNOWN || i == COUNT_SCALED));
	}
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct count count = { .state = COUNT_REFUSED, .error = refusals[i].error };

		count_words(&count, words, sizeof(words));
		check_contains(words, refusals[i].part);
		/* Only the kernel refuses: not where there is nothing to count with. */
		assert_true(!strstr(words, "refused") == (refusals[i].error != E2BIG));
	}
}

static void *ask(void *context)
{
	struct counter_offer offers[4];

	for (int i = 0; i < 200; i++) {
		check_code(EVENT, 4, CONFIG);
		assert_true(counters_search("stall", CORE, offers, 4) > 0);
		check_refused(WRONG_EVENT, RIGHT_EVENT);
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
