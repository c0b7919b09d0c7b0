/* What goes out to the engine, and what comes back: for the present setting, for cells round it,
 * for what the model lacks, for campaigns. */
#include <math.h>
#include <string.h>

#include "explorer/state.h"

/* A campaign's: the first of these, and which it is. */
enum { TAG_LIVE = 1, TAG_CELL, TAG_MEMORY, TAG_CAMPAIGN };

/* How long nothing is asked for when others took a request back, seconds. */
static const double REST = 0.1;

/* The share of a circle by which steps of it never meet. */
static const double GOLDEN = 0.6180339887;

/* Cells: short visits, so that the live setting never waits long; a larger working set needs more
 * time for as many trials. */
static const double VISIT_SMALL = 0.004, VISIT_LARGE = 0.008;
enum { VISIT_LARGE_FROM = 1 << 20, CELL_VISITS = 5 };
static const double CELL_PRECISION = 0.01;
/* Laps up to this long are walked whole before a cell's trials, and the longest that its walk to
 * steady state may take: there are hundreds. */
static const double CELL_LAP = 0.005, CELL_SETTLE = 0.06;

/* Placements in memory that live requests take turns at, of working sets for which pages make a
 * difference (engine/memory/store.h). */
enum { PLACES = 3, PIECE = 2 << 20, SHIFT_LEAST = 64 << 10, SHIFT_MOST = 16 << 20 };

void session_interrupt(struct session *session)
{
	if (session->outstanding)
		session->engine.cancel(session->engine.context);
	session->outstanding = 0;
	campaigns_lose(session);
}

/* Its generation is there already. */
static void send(struct session *session, struct request *request, unsigned tag)
{
	request->tag = tag;
	session->outstanding = request->generation;
	session->outstanding_live = tag == TAG_LIVE;
	session->engine.submit(session->engine.context, request);
}

static uint64_t shift_of(const struct setting *setting, uint64_t turn)
{
	uint64_t bytes = kernel_footprint(setting->kernel, setting->v);

	if (bytes < SHIFT_LEAST || bytes > SHIFT_MOST)
		return 0;
	return turn % PLACES * ((bytes + PIECE - 1) / PIECE * PIECE);
}

void request_setting(struct session *session, const struct setting *setting, bool live,
	const struct budget *budget)
{
	struct request request = {
		.generation = ++session->generation,
		.kernel = setting->kernel,
		.seed = session->seed,
		/* Each request elsewhere, so that a figure is not that of one place; spread evenly
		   however many there are. */
		.place = fmod((double)session->generation * GOLDEN, 1),
		/* What cannot move within a larger layout is laid out on other pages each time. */
		.shift = live && !setting->kernel->movable ? shift_of(setting, session->generation)
							   : 0,
		.budget = *budget,
		.background = !live,
	};

	memcpy(request.v, setting->v, sizeof(request.v));
	if (session->counted.plan)
		request.plan = session->counted.plan->counters;
	/* The engine lets what is out go for it. */
	campaigns_lose(session);
	if (live)
		session->live.asked_id = request.plan.id;
	send(session, &request, live ? TAG_LIVE : TAG_CELL);
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

/* What a request brought also counts for the cell of its setting. */
static void cell_apply(struct session *session, const struct setting *setting,
	const struct result *result, bool current, double now)
{
	const struct sample *live = &session->live.sample;
	size_t count = cells_count(session->cells);
	struct cell *cell;

	if (!result->final ||
		(result->status.code == STATUS_CANCELLED && result->trials.count == 0))
		return;
	cell = cells_get(session->cells, setting, true);
	if (cells_count(session->cells) != count)
		plan_attach(&session->plan, cell);
	if (!cell->settled) {
		if (result->trials.count)
			cell->at = now;
		cell_visit(cell, result, CELL_QUIET, CELL_PRECISION, CELL_VISITS);
		record_cell(session, cell);
		cell_compact(cell);
		return;
	}
	cell_count(cell, result);
	if (current && live_is_good(live)) {
		/* The live figure is the newest and has more trials than a visit. */
		cell->sample = *live;
		cell->at = now;
		cell->facts = session->live.facts;
		cell->failure = status_ok();
	} else if (cell->sample.contended || cell->sample.unsettled) {
		struct sample again;

		sample_summarise(&result->trials, &result->facts, &again);
		if (again.valid && !again.contended && !again.unsettled) {
			cell->sample = again;
			cell->at = now;
		}
		cell->visits++;
	}
}

bool request_memory(struct session *session)
{
	const struct kernel *kernel = session->setting.kernel;
	struct request request;

	if (!insight_ready(session) ||
		!memory_probe_next(&session->memory,
			session->engine.machine(session->engine.context),
			kernel_footprint(kernel, session->setting.v),
			memory_scattered(kernel, session->setting.v), session->seed, &request))
		return false;
	request.generation = ++session->generation;
	send(session, &request, TAG_MEMORY);
	return true;
}

bool request_campaign(struct session *session, bool apart, double now)
{
	struct request request;
	enum campaign_of which;

	if (!campaigns_next(session, apart, now, &request, &which))
		return false;
	send(session, &request, TAG_CAMPAIGN + which);
	return true;
}

bool request_answered(struct session *session, const struct result *result, double now)
{
	struct setting setting = { .kernel = result->kernel };
	bool current;

	if (result->generation <= session->forgotten)
		return false;
	memcpy(setting.v, result->v, sizeof(setting.v));
	current = result->generation == session->live.request;
	if (result->final && result->generation == session->outstanding) {
		session->outstanding = 0;
		/* Cancelled, and not by us: do not ask again at once. */
		if (result->status.code == STATUS_CANCELLED)
			session->rest_until = now + REST;
	}
	if (result->tag >= TAG_CAMPAIGN) {
		if (result->final)
			campaigns_take(session, (enum campaign_of)(result->tag - TAG_CAMPAIGN),
				&setting, result, now);
		return result->final;
	}
	if (result->tag == TAG_MEMORY) {
		if (result->final)
			insight_memory(session, result);
		return result->final;
	}
	/* A frozen figure stays as it is; what was cancelled by freezing still counts for its cell.
	 */
	if (current && !(session->frozen && session->live.sample.valid))
		live_apply(session, result, now);
	cell_apply(session, &setting, result, current, now);
	return true;
}
