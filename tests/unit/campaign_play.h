/* A campaign on a made-up machine, played through the turns of the explorer. The test first
 * defines PLAY, which is probe, windows or characterise, and PLAY_FIELDS, its own fields. */
#pragma once

#include "fakes.h"

#include <sched.h>

#include "explorer/turns.h"

#define PLAY_PASTE(a, b) a##b
#define PLAY_JOIN(a, b)	 PLAY_PASTE(a, b)

struct play {
	struct machine machine;
	struct PLAY_JOIN(PLAY, _options) options;
	struct PLAY *campaign;
	const struct PLAY_JOIN(PLAY, _report) * report;
	struct turns *turns;
	double now;
	double takes; /* seconds of a request besides its budget; < 0: instead of it */
	unsigned requests, stop_after; /* 0: never */
	unsigned thoughts, stop_thought;
	struct result (*answer)(const struct request *request);
	PLAY_FIELDS
};

static struct play *play; /* of the present test */

/* The test's own: the answer of a quiet core, further initial values, and checks of a request. */
static struct result quiet_answer(const struct request *request);
static void play_prepare(struct play *new);
static void play_check(const struct request *request);

static struct play *play_new(void)
{
	struct play *new = calloc(1, sizeof(*new));

	new->machine = (struct machine){ .cache_count = 3,
		.cache = { { 1, 48 << 10, 64 }, { 2, 2 << 20, 64 }, { 3, 16 << 20, 64 } },
		.memory_limit = UINT64_C(8) << 30,
		.huge_pages = true,
		.processor.dtlb = { 96, 4096 },
		.processors = 2 };
	new->answer = quiet_answer;
	new->takes = 0.0005;
	play_prepare(new);
	return new;
}

static void play_free(struct play *old)
{
	turns_free(old->turns);
	PLAY_JOIN(PLAY, _free)(old->campaign);
	free(old);
}

static int set_up(void **state)
{
	play = play_new();
	return 0;
}

static int tear_down(void **state)
{
	play_free(play);
	return 0;
}

/* Begins once more in the same test. */
static inline void play_again(void)
{
	play_free(play);
	play = play_new();
}

static inline void begin(void)
{
	struct status status;

	play->campaign = PLAY_JOIN(PLAY, _new)(&play->machine, &play->options, &status);
	check_ok(status);
	play->report = PLAY_JOIN(PLAY, _report)(play->campaign);
	play->turns = turns_new(&(struct campaign){ &PLAY_JOIN(campaign_, PLAY), play->campaign });
}

static inline void count_thought(void)
{
	if (++play->thoughts == play->stop_thought)
		turns_stop(play->turns);
}

/* Answers requests until there are no more. */
static inline void turn(void)
{
	struct request request;

	for (;;) {
		struct result result;

		if (!turns_next(play->turns, play->now, &request)) {
			if (!turns_compute(play->turns))
				break;
			count_thought();
			sched_yield();
			continue;
		}
		assert_true(play->requests++ < 20000); /* a campaign that never ends */
		assert_true(request.budget.seconds > 0);
		assert_true(play->report->doing[0]);
		play_check(&request);
		/* One at a time. */
		assert_false(turns_next(play->turns, play->now, &request));
		result = play->answer(&request);
		play->now += play->takes < 0 ? -play->takes : play->takes + request.budget.seconds;
		turns_accept(play->turns, play->now, &result);
		/* A search may be over before the loop looks again. */
		if (turns_compute(play->turns))
			count_thought();
		if (play->requests == play->stop_after)
			turns_stop(play->turns);
	}
}

static inline void run(void)
{
	begin();
	turn();
}

static inline void run_answered(struct result (*answer)(const struct request *request))
{
	play->answer = answer;
	run();
}

static inline bool noted(const char *words)
{
	for (int i = 0; i < play->report->notes.count; i++)
		if (strstr(play->report->notes.note[i], words))
			return true;
	return false;
}
