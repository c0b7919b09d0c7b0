/* What a child process with the user's code hands back. */
#include "check.h"

#include <math.h>

#include "base/random.h"
#include "base/text.h"
#include "engine/worker/handed.h"

static struct result result, before;
static struct request request;

static void check_text(const char *words, size_t size)
{
	size_t length = strnlen(words, size);

	assert_true(length < size);
	for (size_t i = 0, bytes; i < length; i += bytes)
		assert_true((bytes = text_character(words + i)) > 0);
}

static unsigned char byte_of(const bool *flag)
{
	unsigned char byte;

	memcpy(&byte, flag, 1);
	return byte;
}

TEST(a_good_result_stays_as_it_is)
{
	request.plan = (struct counter_plan){ .id = 3, .count = 2 };
	result = (struct result){ .status = status_failed("loop() ended"),
		.trials = { .count = 1,
			.trial = { { .cpe = 2, .ghz = 3, .watch = NAN, .unsettled = true } } },
		.facts = { .cpu = 1,
			.bound = true,
			.pages = "4k",
			.cycles_from = SOURCE_REFERENCE },
		.counts = { .id = 3, .count = 2, .pmu = "cpu", .event[0].state = COUNT_KNOWN } };
	before = result;
	handed_check(&result, &request);
	assert_memory_equal(&result.trials, &before.trials, sizeof(before.trials));
	assert_string_equal(result.status.text, "loop() ended");
	assert_string_equal(result.facts.pages, "4k");
	assert_int_equal(result.facts.cycles_from, SOURCE_REFERENCE);
	assert_true(result.facts.bound);
	assert_int_equal(result.counts.count, 2);
	assert_string_equal(result.counts.pmu, "cpu");
}

/* Any bytes. The sanitizers see a value that is invalid for its type. */
TEST(any_bytes_become_a_valid_result)
{
	struct random random = { 21 };
	unsigned char *bytes = (unsigned char *)&result;
	struct sample sample;

	for (int round = 0; round < CHECK_REPEATS(200, 20); round++) {
		for (size_t i = 0; i < sizeof(result); i++)
			bytes[i] = (unsigned char)random_next(&random);
		if (round & 1)
			result.trials.count = (unsigned)random_below(&random, TRIALS_MAX + 1);
		if (round & 2) {
			result.counts.id = request.plan.id = 7;
			result.counts.count = request.plan.count = COUNTERS_MAX;
		}
		handed_check(&result, &request);
		assert_true((unsigned)result.status.code <= STATUS_IDLE);
		check_text(result.status.text, sizeof(result.status.text));
		check_text(result.facts.pages, sizeof(result.facts.pages));
		check_text(result.facts.pages_note, sizeof(result.facts.pages_note));
		check_text(result.facts.node_note, sizeof(result.facts.node_note));
		check_text(result.counts.why, sizeof(result.counts.why));
		check_text(result.counts.pmu, sizeof(result.counts.pmu));
		assert_true(byte_of(&result.facts.bound) <= 1);
		assert_true(byte_of(&result.facts.watched) <= 1);
		assert_true(byte_of(&result.facts.far) <= 1);
		assert_true(byte_of(&result.counts.direct) <= 1);
		assert_true(result.trials.count <= TRIALS_MAX);
		assert_true(result.counts.count >= 0 && result.counts.count <= request.plan.count);
		for (unsigned i = 0; i < result.trials.count; i++) {
			const struct trial *trial = &result.trials.trial[i];

			assert_true(byte_of(&trial->unsettled) <= 1);
			assert_true(trial->fate < TRIAL_FATES);
			assert_true(trial->fate == TRIAL_BROKEN || isfinite(trial->cpe));
		}
		sample_summarise(&result.trials, &result.facts, &sample);
	}
}

RUN_TESTS()
