/* The campaigns (experiment/campaign.h) of a session: the core measurement, the probe, a named
 * sweep, the windows.
 * Only campaigns.c writes a `struct under_way`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/campaign.h"
#include "experiment/characterise/characterise.h"
#include "experiment/setting/setting.h"
#include "experiment/sweep/sweep_table.h"
#include "explorer/turns.h"
#include "explorer/view.h"

struct session;

/* The kinds of campaigns (long measurements) of a session, highest priority first. */
enum campaign_of {
	CAMPAIGN_CORE,
	CAMPAIGN_PROBE,
	CAMPAIGN_SWEEP,
	CAMPAIGN_WINDOWS,
	CAMPAIGN_WHY,
	CAMPAIGN_SLACK,
	CAMPAIGN_COST,
	CAMPAIGNS
};

/* How the session runs one kind of campaign (long measurement). */
struct campaign_row {
	const struct campaign_kind *kind;
	bool apart; /* true: the campaign (long measurement) replaces the live measurement and the
		       cells (settings around the present one) */
	/* Returns whether the campaign (long measurement) must run now; NULL: it must always run.
	 */
	bool (*wanted)(const struct session *session);
	/* The session calls over() after the campaign (long measurement) has ended; NULL: no call.
	 */
	void (*over)(struct session *session);
	/* The session calls answered() for each result of the campaign's requests, even of a
	 * cancelled request; NULL: no call. */
	void (*answered)(struct session *session, const struct setting *setting,
		const struct result *result);
};

/* The last campaign (long measurement) of one kind (enum campaign_of). */
struct under_way {
	const struct campaign_row *row; /* how the session runs this kind of campaign; NULL: there
					   was no campaign of this kind */
	struct campaign campaign;
	struct turns *turns; /* the campaign's thread */
	bool running;	     /* the campaign has not ended */
	bool halted; /* true: the long measurement was asked to end, and ends as soon as its present
			computation is complete */
	double ended;	     /* time at which the campaign ended, while it does not run */
	uint64_t generation; /* generation (number) of the campaign's request that the engine has
				not answered; 0: no such request */
	bool stands;	     /* the campaign is paused */
	/* Time at which the campaign's present pause began (stands_since), and length of all its
	 * earlier pauses (paused), in seconds. */
	double stands_since, paused;
};

/* Whether a long measurement, such as the probe, now runs instead of the live measurement and of
 * the settings around the present one. */
bool session_apart(const struct session *session);
/* Cancels the present request. If the lost request belonged to a campaign (long measurement), the
 * campaign chooses its next request again. */
void session_interrupt(struct session *session);

/* Whether a campaign (long measurement) runs next to the live measurement of the present setting.
 */
bool campaigns_beside(const struct session *session);
bool campaign_runs(const struct session *session, enum campaign_of which);
/* Begins a campaign (long measurement), in place of the last campaign of the kind `which`. The
 * session owns the campaign `self` after this call. */
void campaign_begin(struct session *session, enum campaign_of which, const struct campaign_row *row,
	void *self);
/* Runs a campaign that has ended once more: its measure() repeats what is doubtful. */
void campaign_again(struct session *session, enum campaign_of which);
/* Returns the seconds since the end of the last campaign of the kind `which`; 0: it runs, or there
 * was none. */
double campaign_rests(const struct session *session, enum campaign_of which);
/* Ends the campaign (long measurement) early if it is running. */
void campaign_halt(struct session *session, enum campaign_of which);
/* Removes the campaign (long measurement) and its report. */
void campaign_end(struct session *session, enum campaign_of which);
void campaigns_end(struct session *session);
/* Call campaigns_lose() after the campaigns' requests were cancelled. After campaigns_lose(), each
 * long measurement (campaign) chooses its next request again. */
void campaigns_lose(struct session *session);
/* Call campaign_choose_again() when the campaign should measure another setting first. The campaign
 * (long measurement) then chooses its next request again, unless its request is already at the
 * engine. */
void campaign_choose_again(struct session *session, enum campaign_of which);
void campaigns_pause(struct session *session, bool pause);
/* Whether a running campaign (long measurement) is computing in its thread. */
bool campaigns_think(const struct session *session);
/* Ends each long measurement that was asked to end and whose computation is complete. Returns
 * whether a campaign (long measurement) has ended. */
bool campaigns_look(struct session *session);
/* Submits the next request of a campaign. `apart` selects the campaigns that replace the live
 * measurement, such as the probe. Returns false if no campaign (long measurement) has a request
 * now, or if a campaign has just ended. */
bool campaigns_next(struct session *session, bool apart);
/* Gives the campaign a final result of one of its requests, even of a cancelled request. */
void campaigns_take(struct session *session, enum campaign_of which, const struct setting *setting,
	const struct result *result);

/* ---- campaign_windows.c: the curves of the kernel `window`. The curves replace the kernel's slice
 * over fillers. ---- */

/* Call curves_renew() when the setting, the machine or the core has changed. curves_renew() begins
 * the windows campaign (buffer sizes), continues with another curve, or brings another panel to the
 * front. */
void curves_renew(struct session *session);
/* Whether the present setting is a point on a curve of the buffer-size measurement (windows
 * campaign). */
bool windows_there(const struct session *session);
void curves_view(const struct session *session, struct view *view);

/* ---- campaign_changed.c: experiments that change the code of the loop on screen ---- */

/* Begins to measure the pressure (use) of each port and the cost of each instruction, once the
 * present setting has stayed for a moment. */
void changed_advance(struct session *session);
void changed_view(const struct session *session, struct view *view);

/* ---- campaign_why.c: why the loop on screen is slower than its limit ---- */

/* Ends the measurement of the causes of a gap if the setting on screen has changed. */
void why_advance(struct session *session);
void why_view(const struct session *session, struct view *view);

extern const struct campaign_row campaign_row_probe, campaign_row_core, campaign_row_sweep;

/* The report of the session's probe; NULL: there was no probe. */
const struct probe_report *session_probe(const struct session *session);
/* The table of the session's last named sweep; NULL: there was no sweep. */
const struct sweep_table_report *session_sweep(const struct session *session);
/* The report of the running core measurement; NULL: no core measurement is running. */
const struct characterise_report *session_core(const struct session *session);
