/* A session against an engine that answers when the test says so. */
#pragma once

#include "fakes.h"

#include "explorer/session.h"

static struct fake_engine fake;
static struct view view;
static struct session *session; /* of the present test */

/* The tear-down of each test. */
static inline int played_end(void **state)
{
	session_free(session);
	session = NULL;
	return 0;
}

/* Over what fake_init() gave: fake.machine is as the test left it. The first advance is at 100 s.
 */
static inline void played_begin(
	const struct engine *engine, struct session_options options, const struct kernel *kernel)
{
	setting_init(&options.setting, kernel);
	session = session_new(engine, &options);
	session_advance(session, 100);
}

static inline const struct view *look(double now)
{
	session_view(session, now, &view);
	return &view;
}

static inline void command(const char *line, double now)
{
	check_ok(session_command(session, line, now));
}

/* How requests are answered. */
struct playing {
	double took;	      /* seconds each */
	void (*answer)(void); /* answers fake.request */
	bool (*counts)(void); /* whether fake.request is one of: NULL: each is */
	unsigned most;	      /* so many at most; 0: all */
	double until;	      /* and none from then on; 0: never */
	unsigned answered;    /* those that count */
};

/* Lets time pass until nothing is wanted, or the pace says so; the time then. */
static inline double played(double now, struct playing *sample_ratios)
{
	unsigned turns = 0;

	while ((!sample_ratios->most || sample_ratios->answered < sample_ratios->most) &&
		(sample_ratios->until <= 0 || now < sample_ratios->until)) {
		assert_true(turns++ < 200000); /* a session that waits for nothing */
		session_advance(session, now);
		if (!fake.pending) {
			double next = session_next(session, now);

			if (session_idle(session))
				break;
			assert_true(next >= 0);
			now += next > 0 ? next : 0.0001;
			continue;
		}
		sample_ratios->answered += sample_ratios->counts ? sample_ratios->counts() : 1;
		now += sample_ratios->took;
		sample_ratios->answer();
	}
	session_advance(session, now);
	return now;
}
