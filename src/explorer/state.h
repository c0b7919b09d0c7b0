/* The session's state, shared by explorer/ alone. Each part has one owner, the file that is named
 * here; tests/owners.sh checks that no other file writes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/memory.h"
#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "experiment/sweep/sweep.h"
#include "explorer/campaigns.h"
#include "explorer/counted.h"
#include "explorer/insight.h"
#include "explorer/live.h"
#include "explorer/on_screen.h"
#include "explorer/plan.h"
#include "explorer/session.h"
#include "explorer/view.h"
#include "recording/recording.h"
#include "recording/replay.h"

/* A kernel's setting and chosen knob, for the next time that it is chosen. */
struct remembered {
	struct setting setting;
	int knob;
};

/* A: the setting and sample that others are compared with. */
struct pinned {
	bool there;
	struct setting setting;
	struct sample sample;
	enum limit_kind limit; /* its binding limit; LIMIT_COUNT: unknown */
};

/* The own loop that is open: kernels[kernel_count].setting is of its newest version. */
struct own_loop {
	bool open;
	bool stale;  /* its file was saved; the next advance compiles it */
	double look; /* when to look at the file again */
};

/* What is under way at the engine. */
struct requests {
	uint64_t generation;	/* of the last request */
	uint64_t outstanding;	/* the request whose final result is awaited; 0: none */
	bool live;		/* it is for the present setting */
	struct outlook outlook; /* how far it is, where it takes long */
	uint64_t forgotten;	/* results up to this generation are discarded */
	double rest_until;	/* no request before */
};

/* What a recording has of each knob of one kernel. */
struct playback {
	const struct kernel *kernel;
	struct view_recorded knob[KNOBS_MAX];
};

struct session {
	double now; /* advance.c, command.c: of the last call, in seconds of any steady clock */

	/* advance.c: the environment */
	struct engine engine;
	struct replay *replay; /* what the engine answers from; NULL: it measures */
	uint64_t seed;
	char *invocation;
	char *record_path; /* to record to as soon as the machine is known; NULL: nothing */
	bool machine_known;
	struct memory_limits memory_limits; /* unknown at first */
	struct sweeps sweeps; /* the named ones with published values; none if unreadable */
	int kernel_count;
	double doubt_due; /* when a contended cell may be visited again */

	/* session.c: the choice (own_loop.c writes kernels, too) */
	struct setting setting;
	int knob;
	struct remembered *kernels; /* one for each of kernel_registry, and one for the own loop */
	bool turned;		    /* some setting was left for another */
	bool frozen;
	struct pinned pinned;

	struct own_loop own;	     /* own_loop.c */
	struct requests requests;    /* requests.c */
	struct live live;	     /* live.c */
	struct cells *cells;	     /* plan.c, campaign_windows.c: the curves' points */
	struct plan plan;	     /* plan.c */
	struct insight insight;	     /* insight.c */
	struct memory_probe memory;  /* insight.c: L3 and memory of this machine */
	struct counted counted;	     /* counted.c */
	struct recording *recording; /* recorded.c: samples are written to it; NULL: none */
	struct playback playback;    /* recorded.c */
	struct under_way campaigns[CAMPAIGNS]; /* campaigns.c */
	bool windows_shown; /* campaign_windows.c: they came to the front when the kernel was chosen
			     */
	struct screen screen;	     /* on_screen.c */
	struct misses_whatif whatif; /* commands_panes.c: caches to show misses for, too */
	bool relief;		     /* commands_panes.c: the mountain is shown as a relief */
	bool quit;		     /* command.c */
};

static inline const struct machine *session_machine(const struct session *of)
{
	return of->engine.machine(of->engine.context);
}

/* ---- session.c ---- */

/* The index in kernel_registry; kernel_count for an own loop, of whichever version; or -1. */
int session_kernel_index(const struct session *session, const struct kernel *kernel);
void session_choose_knob(struct session *session, int knob);
/* Goes to another setting. */
void session_go(struct session *session, const struct setting *setting);
void session_freeze(struct session *session, bool frozen);
void session_forget(struct session *session);	    /* every sample */
void session_forget_cells(struct session *session); /* all but the present sample */
/* Submits a request for the present setting, or fails where it cannot be measured. */
void session_submit(struct session *session);
void session_fail(struct session *session, const char *why);
/* The present setting takes long to prepare or to run, and has no sample yet; session_stop() ends
 * that until the setting changes. */
bool session_prepares(const struct session *session);
void session_stop(struct session *session);
/* Begins a campaign in place of the live measurement, which is neither awaited nor frozen. */
void session_begin_campaign(struct session *session, enum campaign_of which,
	const struct campaign_row *row, void *self);
/* Keeps the present setting and its sample, which must be valid, as A. */
void session_pin(struct session *session);
void session_unpin(struct session *session);
/* Turns the knob that the advice names, or reports what would help. */
void session_follow_advice(struct session *session);

/* ---- requests.c ---- */

/* What a request is for: a campaign's tag is TAG_CAMPAIGN plus its enum campaign_of. */
enum { TAG_LIVE = 1, TAG_CELL, TAG_MEMORY, TAG_CAMPAIGN };

void requests_begin(struct session *session);
/* Each returns the generation of the request, which replaces the one that is out. */
uint64_t request_send(struct session *session, struct request *request, unsigned tag);
uint64_t request_setting(struct session *session, const struct setting *setting, bool live,
	const struct budget *budget);
void request_cell(struct session *session, const struct setting *setting);
void requests_cancel(struct session *session);
void requests_forget(struct session *session); /* results of requests up to now are discarded */
/* A result came. Returns whether anybody may use it. */
bool requests_returned(struct session *session, const struct result *result);
bool requests_live(const struct session *session); /* the present setting is being measured */
void requests_look_ahead(struct session *session);

/* ---- own_loop.c ---- */

/* Opens an own loop; cflags NULL: none given. */
struct status session_own_open(struct session *session, const char *path, const char *cflags);
/* The session started with an own loop. */
void session_own_adopt(struct session *session, const struct setting *setting);
/* Looks at the file now and then, and compiles it when it was saved. Returns whether the view
 * changed. */
bool session_own_advance(struct session *session);
/* When session_own_advance() has something to do by itself; INFINITY: never. */
double session_own_next(const struct session *session);

/* ---- recorded.c: while a recording is played ---- */

/* Whether a setting can be measured, or was recorded. */
struct status playback_allows(const struct session *session, const struct setting *setting);
/* "nothing is measured in a replay: …" */
struct status playback_refuse(const struct session *session);
/* The recording has settings of the kernel; true when none is played. */
bool playback_kernel(const struct session *session, const struct kernel *kernel);
/* Which kernels there are instead. */
struct status playback_none(const struct session *session, const struct kernel *kernel);
void playback_renew(struct session *session); /* the kernel may have changed */
/* Fills a cell from the recording, which must hold its setting. */
void playback_cell(const struct session *session, struct cell *cell);
/* Replaces a setting by the nearest recorded one; asked: a bit for each knob that was asked for.
 * STATUS_USAGE, with the recorded values: none is near. */
struct status playback_fit(const struct session *session, struct setting *setting, unsigned asked);
/* "4k, 8k …": why a knob goes no further, or what it may be. */
struct status playback_end(const struct session *session, int knob);
void playback_say_range(struct session *session, int knob);
/* Reports that a knob that was asked for is not where it was asked to be. */
void playback_tell(struct session *session, const struct setting *wanted, unsigned asked);

/* ---- recorded.c: while samples are written to a file ---- */

struct status record_open(struct session *session, const char *path);
void record_end(struct session *session);
/* The machine is known: opens the file that the options named. Returns whether it did. */
bool record_begin(struct session *session);
/* Writes the samples of the present setting, of a settled cell, or of a point of a curve, which has
 * few trials and no limits. */
void record_present(struct session *session);
void record_cell(struct session *session, const struct cell *cell);
void record_point(struct session *session, const struct cell *cell);

/* ---- snapshot.c ---- */

/* What the present setting misses in the caches: as the explanation knows it, else by the kernel's
 * own description and this machine's caches. */
void view_misses(const struct session *session, struct misses *misses);
