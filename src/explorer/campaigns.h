/* Campaigns (experiment/campaign.h) of a session: the probe, the core that measures itself, the
 * windows. Only campaigns.c writes a `struct under_way`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/campaign.h"
#include "experiment/characterise/characterise.h"
#include "experiment/setting/setting.h"
#include "explorer/turns.h"
#include "explorer/view.h"

struct session;

/* The one that comes first at the top. */
enum campaign_of { CAMPAIGN_CORE, CAMPAIGN_PROBE, CAMPAIGN_WINDOWS, CAMPAIGNS };

/* What a campaign means for the session. */
struct campaign_row {
	const struct campaign_kind *kind;
	bool apart; /* the live setting and cells are not measured meanwhile */
	bool (*wanted)(
		const struct session *session); /* now, while something is missing; NULL: always */
	void (*over)(struct session *session); /* called when it has ended; NULL: nothing follows */
	/* A result of its requests, taken back or not; NULL: nobody else uses it */
	void (*answered)(struct session *session, const struct setting *setting,
		const struct result *result);
};

/* The last one of its kind. */
struct under_way {
	const struct campaign_row *row; /* NULL: there was none */
	struct campaign campaign;
	struct turns *turns;	     /* its thread */
	bool running;		     /* it has not come to its end */
	bool halted;		     /* it must end, as soon as it has computed */
	uint64_t generation;	     /* of its request that is out; 0: none */
	bool stands;		     /* it is paused */
	double stands_since, paused; /* since when, and how long it was before: seconds */
};

/* Whether live setting and cells rest, because a campaign is measured in their place. */
bool session_apart(const struct session *session);
/* Cancels the present request; a campaign whose request it was chooses again. */
void session_interrupt(struct session *session);

/* Whether a campaign runs next to them. */
bool campaigns_beside(const struct session *session);
bool campaign_runs(const struct session *session, enum campaign_of which);
/* Replaces the last one of its kind; the session owns `self` from now on. */
void campaign_begin(struct session *session, enum campaign_of which, const struct campaign_row *row,
	void *self);
/* Ends it early, if it runs. */
void campaign_halt(struct session *session, enum campaign_of which);
/* Removes it with its report. */
void campaign_end(struct session *session, enum campaign_of which);
void campaigns_end(struct session *session);
void campaigns_lose(struct session *session); /* requests that are out were taken back */
/* What it prefers to measure has changed: a request that is not out yet is chosen again. */
void campaign_choose_again(struct session *session, enum campaign_of which);
void campaigns_pause(struct session *session, bool pause);
/* Whether a running campaign computes in its thread. */
bool campaigns_think(const struct session *session);
/* Ends halted campaigns that have computed. Returns whether one has ended. */
bool campaigns_look(struct session *session);
/* Submits the next request of the campaigns that run apart, or beside. Returns false when nothing
 * is left, or one has just ended. */
bool campaigns_next(struct session *session, bool apart);
/* A final result of its requests, also of one that was taken back. */
void campaigns_take(struct session *session, enum campaign_of which, const struct setting *setting,
	const struct result *result);

/* ---- campaign_windows.c: the curves of the kernel `window`, in place of its slice over fillers
 * ---- */

/* The setting, machine or core has changed: begins, continues with another curve, or brings another
 * panel to the front. */
void curves_renew(struct session *session);
/* The present setting is on one of its curves. */
bool curves_there(const struct session *session);
void curves_view(const struct session *session, struct view *view);

extern const struct campaign_row campaign_row_probe, campaign_row_core;

const struct probe_report *session_probe(
	const struct session *session); /* NULL: nothing was probed */
const struct characterise_report *session_core(
	const struct session *session); /* NULL: the core does not measure itself */
