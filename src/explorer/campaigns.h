/* The campaigns (experiment/campaign.h) of a session: the core measurement, the probe, the windows.
 * Only campaigns.c writes a `struct under_way`. */
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

/* In order of priority, highest first. */
enum campaign_of { CAMPAIGN_CORE, CAMPAIGN_PROBE, CAMPAIGN_WINDOWS, CAMPAIGNS };

/* What a campaign means for the session. */
struct campaign_row {
	const struct campaign_kind *kind;
	bool apart; /* the campaign replaces the live measurement and the cells */
	bool (*wanted)(const struct session
			*session); /* whether the campaign must run now; NULL: always */
	void (*over)(
		struct session *session); /* called after the campaign has ended; NULL: no call */
	/* called for each result of the campaign's requests, even of a cancelled request; NULL: no
	 * call */
	void (*answered)(struct session *session, const struct setting *setting,
		const struct result *result);
};

/* The last campaign of its kind. */
struct under_way {
	const struct campaign_row *row; /* NULL: there was no campaign */
	struct campaign campaign;
	struct turns *turns; /* the campaign's thread */
	bool running;	     /* the campaign has not ended */
	bool halted;	     /* the campaign must end as soon as its computation is complete */
	uint64_t generation; /* generation of its request at the engine; 0: none */
	bool stands;	     /* the campaign is paused */
	double stands_since,
		paused; /* start of this pause, and length of all earlier pauses: seconds */
};

/* Whether a campaign replaces the live measurement and the cells now. */
bool session_apart(const struct session *session);
/* Cancels the present request. If it was a campaign's request, the campaign chooses its next
 * request again. */
void session_interrupt(struct session *session);

/* Whether a campaign runs next to the live measurement. */
bool campaigns_beside(const struct session *session);
bool campaign_runs(const struct session *session, enum campaign_of which);
/* Replaces the last campaign of this kind. The session owns `self` from now on. */
void campaign_begin(struct session *session, enum campaign_of which, const struct campaign_row *row,
	void *self);
/* Ends the campaign early, if it runs. */
void campaign_halt(struct session *session, enum campaign_of which);
/* Removes the campaign and its report. */
void campaign_end(struct session *session, enum campaign_of which);
void campaigns_end(struct session *session);
void campaigns_lose(
	struct session *session); /* call it after the campaigns' requests were cancelled */
/* Call it when the campaign should measure something else first. The campaign then chooses its next
 * request again, unless a request is at the engine. */
void campaign_choose_again(struct session *session, enum campaign_of which);
void campaigns_pause(struct session *session, bool pause);
/* Whether a running campaign is computing in its thread. */
bool campaigns_think(const struct session *session);
/* Ends halted campaigns whose computation is complete. Returns whether a campaign has ended. */
bool campaigns_look(struct session *session);
/* Submits the next request of a campaign. apart: of a campaign that replaces the live measurement.
 * Returns false if there is no request now, or if a campaign has just ended. */
bool campaigns_next(struct session *session, bool apart);
/* Takes a final result of the campaign's requests, even of a cancelled request. */
void campaigns_take(struct session *session, enum campaign_of which, const struct setting *setting,
	const struct result *result);

/* ---- campaign_windows.c: the curves of the kernel `window`. They replace its slice over fillers.
 * ---- */

/* Call it when the setting, the machine or the core has changed. Begins the campaign, continues
 * with another curve, or brings another panel to the front. */
void curves_renew(struct session *session);
/* Whether the present setting is on one of the curves. */
bool curves_there(const struct session *session);
void curves_view(const struct session *session, struct view *view);

extern const struct campaign_row campaign_row_probe, campaign_row_core;

const struct probe_report *session_probe(const struct session *session); /* NULL: no probe */
const struct characterise_report *session_core(
	const struct session *session); /* NULL: no core measurement runs */
