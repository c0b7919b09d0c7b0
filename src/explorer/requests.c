/* Sends measurement requests to the engine: for the present setting, the settings around it, the
 * memory latencies and the campaigns (long measurements). */
#include <math.h>
#include <string.h>

#include "explorer/state.h"

/* Seconds for which the session sends no request after a request of another process cancelled the
 * session's request. */
static const double REST = 0.1;

/* The golden ratio minus 1. The multiples of the golden ratio, modulo 1, never repeat and spread
 * evenly between 0 and 1. */
static const double GOLDEN = 0.6180339887;

/* Seconds that one measurement of a cell (a setting around the present setting) takes. A
 * measurement of a neighbouring setting is short, so the live measurement never waits long. A
 * working set larger than VISIT_LARGE_FROM bytes needs more time for the same number of trials. */
static const double VISIT_SMALL = 0.004, VISIT_LARGE = 0.008;
enum { VISIT_LARGE_FROM = 1 << 20 };
/* Before the trials of a neighbouring setting, the kernel accesses its whole working set once, if
 * that takes at most CELL_LAP seconds. For a cell, the run to steady state takes at most
 * CELL_SETTLE seconds, because there are hundreds of cells. */
static const double CELL_LAP = 0.005, CELL_SETTLE = 0.06;

/* Live requests alternate between PLACES positions of the data in memory if the choice of pages can
 * change the result. PIECE, SHIFT_LEAST and SHIFT_MOST are sizes in bytes;
 * engine/memory/working_sets.h explains the placements. */
enum { PLACES = 3, PIECE = 2 << 20, SHIFT_LEAST = 64 << 10, SHIFT_MOST = 16 << 20 };

void requests_begin(struct session *session)
{
	session->requests.rest_until = -INFINITY;
}

void requests_cancel(struct session *session)
{
	if (session->requests.outstanding)
		session->engine.cancel(session->engine.context);
	session->requests.outstanding = 0;
}

uint64_t request_send(struct session *session, struct request *request, unsigned tag)
{
	struct requests *requests = &session->requests;

	request->generation = ++requests->generation;
	request->tag = tag;
	requests->outstanding = request->generation;
	requests->live = tag == TAG_LIVE;
	session->engine.submit(session->engine.context, request);
	return request->generation;
}

static uint64_t shift_of(const struct setting *setting, uint64_t turn)
{
	uint64_t bytes = kernel_footprint(setting->kernel, setting->v);

	if (bytes < SHIFT_LEAST || bytes > SHIFT_MOST)
		return 0;
	return turn % PLACES * ((bytes + PIECE - 1) / PIECE * PIECE);
}

uint64_t request_setting(struct session *session, const struct setting *setting, bool live,
	const struct budget *budget)
{
	uint64_t turn = session->requests.generation + 1;
	struct request request = {
		.kernel = setting->kernel,
		.seed = session->seed,
		/* Each request uses another position in memory, and the positions spread evenly, so
		   the sample does not depend on one position. */
		.place = fmod((double)turn * GOLDEN, 1),
		/* If the kernel cannot move its data within a larger layout, each live request uses
		 * other pages. */
		.shift = live && !setting->kernel->movable ? shift_of(setting, turn) : 0,
		.budget = *budget,
		.background = !live,
	};

	memcpy(request.v, setting->v, sizeof(request.v));
	if (session->counted.plan)
		request.plan = session->counted.plan->counters;
	return request_send(session, &request, live ? TAG_LIVE : TAG_CELL);
}

void request_cell(struct session *session, const struct setting *setting)
{
	bool large = kernel_footprint(setting->kernel, setting->v) > VISIT_LARGE_FROM;
	struct budget budget = {
		.seconds = large ? VISIT_LARGE : VISIT_SMALL,
		.quiet_wanted = CELL_QUIET,
		.lap_seconds = CELL_LAP,
		.warm_seconds = CELL_SETTLE,
	};

	request_setting(session, setting, false, &budget);
}

void requests_forget(struct session *session)
{
	session->requests.forgotten = session->requests.generation;
}

bool requests_returned(struct session *session, const struct result *result)
{
	struct requests *requests = &session->requests;

	if (result->generation <= requests->forgotten)
		return false;
	if (result->final && result->generation == requests->outstanding) {
		requests->outstanding = 0;
		/* If a request of another process cancelled the session's request, the session
		 * waits before its next request. */
		if (result->status.code == STATUS_CANCELLED)
			requests->rest_until = session->now + REST;
	}
	return true;
}

bool requests_live(const struct session *session)
{
	return session->requests.outstanding && session->requests.live;
}

void requests_look_ahead(struct session *session)
{
	struct progress_seen seen = { .stage = STAGE_NONE };

	if (session->engine.progress && requests_live(session))
		seen = session->engine.progress(session->engine.context);
	outlook_note(&session->requests.outlook, &seen, session->now);
}
