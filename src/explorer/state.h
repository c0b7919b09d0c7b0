/* The session's inside, shared by explorer/ alone: session.c (what goes on when), requests.c,
 * live.c, campaigns.c, plan.c (which cells are wanted), actions.c (what commands do to the
 * setting), counted.c (what is counted), command.c (the language), find.c, session_view.c. */
#ifndef SLX_EXPLORER_STATE_H
#define SLX_EXPLORER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/campaign.h"
#include "experiment/memory.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "experiment/sweep/sweeps.h"
#include "experiment/windows/windows.h"
#include "explorer/session.h"
#include "explorer/turns.h"
#include "explorer/view.h"
#include "recording/recording.h"
#include "recording/replay.h"

enum { PLANNED_MAX = 2 * VIEW_SLICE + VIEW_GRID_X * VIEW_GRID_Y };

/* A wanted measurement; cell is NULL until its first visit. */
struct planned {
	struct setting setting;
	struct cell *cell;
};

/* Values along one knob; planned is an index into the plan, -1 where the kernel refuses the
 * combination. */
struct plan_slice {
	int knob, count, here;
	int64_t value[VIEW_SLICE];
	int planned[VIEW_SLICE];
};

struct plan_grid {
	bool present;
	int size_knob, stride_knob;
	int nx, ny, here_x, here_y;
	int64_t x[VIEW_GRID_X], y[VIEW_GRID_Y];
	int planned[VIEW_GRID_Y][VIEW_GRID_X];
};

/* What is wanted around the present setting; planned[] is in the order of visits, each setting
 * once. */
struct plan {
	struct plan_slice by_size, by_stride;
	struct plan_grid grid;
	int count;
	struct planned planned[PLANNED_MAX];
};

/* A trial of the strip, and when it was made. */
struct tick {
	double cpe, at;
	uint8_t fate;
};

/* How the trials of one live request ended, those it forgot itself included. */
struct tally {
	float at; /* of its last trial, seconds from changed_at */
	unsigned fate[TRIAL_FATES];
};

enum { TALLIES = 64 };

/* The present setting and what is known of it. */
struct live {
	uint64_t request;  /* generation of the last request for it; 0: none since it is present */
	double changed_at; /* when it became the present setting */
	double asked_at;   /* when the last request for it went out */
	double due;	   /* when the next may */
	int step;	   /* of the period: 0 is ten a second, more is slower */
	struct sample steady; /* the figure at the first step, to compare the next ones with */
	double steady_since;  /* when the step began */
	bool made_up;	      /* the last request was contended: the next one comes soon */
	bool answered;	      /* a final result has come */
	bool failed;
	char failure[244];
	struct trials pool; /* of the last POOL_SECONDS; trial.at counts from changed_at */
	int tally_count;
	struct tally tallies[TALLIES]; /* of the requests in that time, oldest first */
	unsigned ticked; /* trials of the request under way that are on the strip already */
	struct sample sample;
	struct sample quiet; /* the last one that was neither contended nor provisional */
	double quiet_at;     /* when it was made, before this setting became present perhaps */
	struct run_facts facts;
	uint32_t asked_id;	    /* of the plan that the last request carried */
	uint32_t answered_id;	    /* of the plan that its last answer was to */
	struct counts counts;	    /* the newest, or the cell's */
	int tick_count, tick_first; /* a ring */
	struct tick ticks[VIEW_STRIP];
};

/* A setting whose code is read in a thread of its own. */
struct background_explain {
	struct job *job; /* NULL: none is */
	bool stale;	 /* another core, other memory: what comes of it holds no more */
	const struct explainer *explainer;
	struct setting setting;
	struct explain_question question; /* of that setting */
	struct explanation *explanation;  /* owned; NULL: there was none yet */
};

/* What is known of the present setting's limits. */
struct insight {
	const struct explainer *explainer; /* NULL: there is none */
	bool looked;			   /* the running core has been looked for */
	enum uarch_match match;		   /* as what it was recognised */
	char running[CORE_NAME], why[160];
	char wanted[256]; /* the core asked about by name, or by the path of its file; empty: the
			     running one */
	bool nearest;	  /* the nearest one is taken for the running one */
	char *adopted; /* the text of a model that was measured here: the running core's; NULL: none
			  was */
	char adopted_name[CORE_NAME];
	bool loaded;
	struct core core;
	char note[300];		/* why there is no explanation */
	struct setting setting; /* what the explanation is of; kernel NULL: none */
	struct explanation
		*explanation; /* one that is kept, or own; while reading, the one before */
	struct explanation *own, *scratch;
	struct explain_cache *explain_cache; /* of kernels that are stepped through */
	struct explain_cache *quick;	     /* of others: predictions alone */
	struct background_explain background_explain;
	bool reading; /* `setting` is to be explained as soon as it has stayed for a moment */
	struct listing *listing;
	const char *function; /* whose source that is, and of which kernel */
	const struct kernel *source_of;
	bool advised;
	double advice_due;  /* when to go on looking for it; -INFINITY: once the setting has stayed
			     */
	bool remedy_wanted; /* it is to be followed once it is found */
	struct advice advice;
	int code_first;
};

/* The most events that can be asked for by name. */
enum { EXTRA_EVENTS = COUNTERS_MAX };

/* Events that the text in the find line finds: looked for once, since it takes a millisecond. */
struct found_events {
	size_t count, all; /* here, and in all */
	struct counter_offer offer[VIEW_FOUND];
};

/* What is counted besides time: the events of this machine's core, and those asked for by name. */
struct counted {
	struct event_plan *plan; /* NULL: nothing is asked for; its id is never 0, and a new one
				    with each change */
	int extra_count;
	char *extra[EXTRA_EVENTS]; /* owned */
	char why[200]; /* why the newest result of this plan counted nothing; empty: it did, or none
			  has come */
	double modelled[COUNTERS_MAX]; /* per element, of the present explanation; NAN: nothing */
	int first; /* the first event that the panel shows, if there are more than fit */
	const struct front *before; /* in front before the counters; NULL: the slices */
	struct found_events found;
};

/* The campaigns of a session (campaigns.c), the one that goes first at the top. */
enum campaign_of { CAMPAIGN_CORE, CAMPAIGN_PROBE, CAMPAIGN_WINDOWS, CAMPAIGNS };

/* The one of its kind that was asked for last. */
struct under_way {
	struct campaign campaign;    /* its parts NULL: none was */
	struct turns *turns;	     /* its thread */
	bool running;		     /* it has not come to its end */
	bool halted;		     /* it must end, as soon as it has computed */
	uint64_t generation;	     /* of its request that is out; 0: none */
	bool stands;		     /* it is paused */
	double stands_since, paused; /* since when, and how long it was before: seconds */
};

struct remembered {
	struct setting setting;
	int knob;
};

struct session {
	struct engine engine;
	struct replay *replay; /* what the engine answers from; NULL: it measures */
	struct view_recorded recorded[KNOBS_MAX]; /* of recorded_of's knobs */
	const struct kernel *recorded_of;
	struct recording *recording; /* what is measured is written to it; NULL: to none */
	char *record_path;	     /* to begin one as soon as the machine is known; NULL: none */
	const struct painter *painter; /* NULL: nobody draws */
	uint64_t seed;
	char *invocation;
	bool machine_known;
	struct memory_limits memory_limits; /* nothing known at first */

	struct setting setting;
	int knob;
	const struct pane *focus;  /* what the arrows act on */
	const struct front *front; /* the panel in front */
	bool relief;		   /* the mountain is shown so */
	struct misses_whatif whatif;
	char entry[24];
	bool entry_refused; /* it was not taken: the next character begins a new one */
	int kernel_count;
	struct remembered *kernels; /* one for each of kernel_registry, and one for the own loop */
	bool own_open;	 /* there is one: kernels[kernel_count].setting is of its newest version */
	bool own_stale;	 /* its file was saved; the next advance compiles it */
	double own_look; /* when to look at the file again */
	bool frozen, quit;
	bool turned; /* some setting was left for another */
	double ghz;  /* core clock last seen, NAN: none yet, and where its cycles come from */
	enum source ghz_from;
	double doubt_due; /* when a contended cell may be looked at again */

	bool pinned;
	struct setting a_setting;
	struct sample a;
	enum limit_kind a_limit; /* what bound it, LIMIT_COUNT: unknown */

	enum overlay overlay;
	int scroll;
	char find[FIND_SIZE];
	int found_selected;
	char text[VIEW_TEXT], text_title[80]; /* see struct view */
	char notice[244];
	bool notice_bad;
	double notice_until; /* when it goes away by itself; INFINITY: it stays */

	uint64_t generation;  /* of the last request */
	uint64_t outstanding; /* the one whose final result is awaited; 0: none */
	bool outstanding_live;
	struct outlook outlook; /* how far the live request under way is, where it takes long */
	uint64_t forgotten;	/* results up to this generation count for nothing */
	double rest_until;	/* no background request before */
	struct live live;
	struct cells *cells;
	struct plan plan;
	struct insight insight;
	struct counted counted;
	struct sweeps sweeps; /* the named ones, with what others published; none where the file
				 cannot be read */
	struct memory_probe memory; /* L3 and memory of this machine, as far as measured */
	struct under_way campaigns[CAMPAIGNS];
	bool windows_shown; /* they came to the front when the kernel was chosen; what the user
			       brings there since then stays */
};

/* session.c */
/* Keeps the present setting and its figure, which must be valid, as A. */
void session_pin(struct session *session);
void session_go(
	struct session *session, const struct setting *setting, double now); /* another setting */
void session_restart(struct session *session, double now); /* measure the present one anew */
void session_freeze(struct session *session, bool frozen, double now);
void session_forget(struct session *session, double now); /* every measurement */
void session_interrupt(struct session *session); /* what is being measured is not waited for */
/* The present setting takes long to prepare, or to run completely, and has no figure yet; ends
 * that: it is not asked for again before it changes. */
bool session_prepares(const struct session *session);
void session_stop(struct session *session);
void session_forget_cells(struct session *session); /* all but the present figure */
void session_notice(struct session *session, bool bad, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The index in kernel_registry; kernel_count for an own loop, of whichever version; or -1. */
int session_kernel_index(const struct session *session, const struct kernel *kernel);

/* live.c: the figure of the present setting. */
void live_submit(struct session *session, double now);
void live_apply(struct session *session, const struct result *result,
	double now); /* what its request brought, early or final */
void live_fail(struct session *session, const char *why);
void live_wake(struct live *live, double now);		   /* a command came: ten a second again */
double live_period(const struct live *live);		   /* seconds between short requests */
void live_look_ahead(struct session *session, double now); /* how far its request is */
bool live_is_good(const struct sample *sample); /* it may stand for its setting later on */

/* requests.c: what goes out to the engine, and comes back. Those that return bool return whether
 * something was asked for. */
enum { CELL_QUIET = 40 }; /* quiet trials that a visit of a cell asks for */
void request_setting(struct session *session, const struct setting *setting, bool live,
	const struct budget *budget);
void request_cell(struct session *session, const struct setting *setting);
/* What the model lacks of this machine to judge the present working set. */
bool request_memory(struct session *session);
bool request_campaign(struct session *session, bool apart, double now);
/* Returns whether the view changed. */
bool request_answered(struct session *session, const struct result *result, double now);

/* own.c: an own loop's path, and flags for its compiler (NULL: none given), from the command
 * language. */
struct status session_own_open(
	struct session *session, const char *path, const char *cflags, double now);
/* Tells the session of an own loop that is open already: it started with it. */
void session_own_adopt(struct session *session, const struct setting *setting);
/* Looks at the file now and then, and compiles it when it was saved. Returns whether the view
 * changed. */
bool session_own_advance(struct session *session, double now);
/* When session_own_advance() has something to do by itself; INFINITY: never. */
double session_own_next(const struct session *session);

/* Whether a setting can be measured, or was recorded. */
struct status session_allows(const struct session *session, const struct setting *setting);

/* recorded.c: while a recording is played. */
struct status recorded_refuse(
	const struct session *session); /* "nothing is measured in a replay: …" */
bool recorded_kernel(const struct session *session,
	const struct kernel *kernel); /* it has settings of it; true when none is played */
struct status recorded_none(
	const struct session *session, const struct kernel *kernel); /* which there are instead */
void recorded_renew(struct session *session); /* the present kernel may be another one */
void recorded_cell(struct session *session,
	struct cell *cell); /* what it holds of the cell's setting, which it must hold */
/* The setting nearest to the one asked for (a bit for each knob that was), in its place;
 * STATUS_USAGE with what there is: none is near. */
struct status recorded_fit(const struct session *session, struct setting *setting, unsigned asked);
/* "4k, 8k …": as a message of why a knob goes no further, or what it may be. */
struct status recorded_end(const struct session *session, int knob);
void recorded_say_range(struct session *session, int knob);
/* Tells that a knob that was asked for is not where it was asked to be. */
void recorded_tell(struct session *session, const struct setting *wanted, unsigned asked);

/* record.c: while what is measured is written to a file. */
struct status action_record(struct session *session, const char *arguments, double now);
struct status action_record_to(struct session *session, const char *arguments, double now);
bool action_record_works(const struct session *session, const char *arguments);
void record_begin(
	struct session *session); /* what the options asked for: the machine is known now */
/* Writes what has come of the present setting, and of a cell that has settled. */
void record_present(struct session *session);
void record_cell(struct session *session, const struct cell *cell);
/* A point of a curve: its few trials, and no limits, which would take longer than it took. */
void record_point(struct session *session, const struct cell *cell);

/* paint.c: a picture of what is in front. */
struct status action_picture(struct session *session, const char *arguments, double now);
bool action_picture_works(const struct session *session, const char *arguments);

/* plan.c */
void plan_build(struct session *session);
/* Lets the plan know of a cell that was just made. */
void plan_attach(struct plan *plan, struct cell *cell);
/* Index in planned[] of the cell to visit next, or -1 when every one is settled. */
int plan_next(const struct plan *plan);
int plan_doubtful(const struct plan *plan);
void plan_progress(const struct plan *plan, unsigned *wanted, unsigned *settled);
/* The present setting moved to the next possible point of a slice; false when there is none. */
/* Likewise the next one on the mountain: to the right (+1) or left (-1), or down or up. */
bool plan_walk(const struct session *session, int dx, int dy, struct setting *setting);
bool plan_neighbour(const struct session *session, const struct plan_slice *slice, int direction,
	struct setting *setting);

/* aside.c: code that is read in a thread of its own. */
bool background_explain_possible(const struct insight *insight, const struct kernel *kernel);
/* Where none is under way. The question's knobs are replaced by the setting's. */
void background_explain_begin(struct insight *insight, const struct explain_question *question,
	const struct setting *setting);
bool background_explain_runs(const struct insight *insight);
/* Whether one is over that still holds: insight->aside has its setting and explanation. */
bool background_explain_take(struct insight *insight);
void background_explain_forget(struct insight *insight); /* what is under way holds no more */
void background_explain_wait(struct insight *insight);	 /* … and what it reads is to go away */
void background_explain_end(struct insight *insight);

/* advising.c */
/* Goes on looking for the advice; it takes several times, that keys may come between. Returns
 * whether it is found. */
bool advise_on(struct session *session, double now);
/* Turns the knob that was found, or says what would help. */
void advise_follow(struct session *session, double now);

/* insight.c */
/* Whether explaining the present setting takes long enough to be noticed: what was recorded is
 * there at once. */
bool insight_slow(const struct session *session);
struct explain_question insight_question(
	const struct session *session); /* what the explainer is asked of it */
/* Some code is being read in another thread: session_advance() is to look again in a moment. */
bool insight_thinks(const struct session *session);
void insight_start(struct session *session, const struct explainer *explainer, const char *uarch);
void insight_end(struct session *session);
/* The machine is known now: which core is it? */
void insight_look(struct session *session);
/* Explains the present setting, unless that is done. */
void insight_renew(struct session *session);
/* What was found of kernels and their code holds no more: an own loop has changed. */
void insight_forget(struct session *session);
/* When session_advance() has code to read or advice to find; INFINITY: never. */
double insight_due(const struct session *session);
/* Does it if its time has come; returns whether the view changed. */
bool insight_advance(struct session *session, double now);
/* What limits another setting than the present one; NULL: not known, or not without stepping
 * through it. Valid until the next question. */
const struct explanation *insight_of(struct session *session, const struct setting *setting);
/* A result that memory_probe_next() asked for. */
void insight_memory(struct session *session, const struct result *result);
bool insight_ready(const struct session *session); /* an explanation is there */
bool insight_foreign(
	const struct session *session); /* it is of a core that is not the running one */
/* The binding limit of the present setting; LIMIT_COUNT: none is known. */
enum limit_kind insight_binding(const struct session *session);
void insight_view(const struct session *session, struct view *view);
struct status action_uarch(struct session *session, const char *arguments, double now);
bool action_uarch_works(const struct session *session, const char *arguments);
struct status action_uarch_nearest(struct session *session, const char *arguments, double now);
bool action_uarch_nearest_works(const struct session *session, const char *arguments);
struct status action_remedy(struct session *session, const char *arguments, double now);
bool action_remedy_works(const struct session *session, const char *arguments);
/* ordered.c: whether the present setting's order among others is the published one. */
void ordered_view(const struct session *session, struct view *view);

/* walk.c: the mountain under the cursor, and what its walk misses. */
void walk_view(const struct session *session, struct view *view);
struct status action_whatif(struct session *session, const char *arguments, double now);
bool action_whatif_works(const struct session *session, const char *arguments);
struct status action_relief(struct session *session, const char *arguments, double now);
bool action_relief_works(const struct session *session, const char *arguments);
struct status action_mountain(struct session *session, const char *arguments, double now);
bool action_mountain_works(const struct session *session, const char *arguments);

/* counted.c */
struct session_options;
void counted_start(struct session *session, const struct session_options *options);
void counted_end(struct session *session);
/* Another plan: for this machine, with the events asked for by name. */
void counted_plan(struct session *session);
/* The place of an event in a plan (which may be NULL), in any case; -1: it is not in it. */
int counted_index(const struct event_plan *plan, const char *name);
/* The machine is known now: which events does it have? */
void counted_look(struct session *session);
/* Another explanation of the present setting is there: what does it say of each event? */
void counted_renew(struct session *session);
/* A final result of the present setting. */
void counted_take(struct session *session, const struct result *result);
/* What the cell of the present setting knows from before. */
void counted_recall(struct session *session, const struct cell *cell);
void counted_forget(struct session *session);
void counted_view(const struct session *session, struct view *view);
/* Options for the command line that ask for the same events. */
void counted_format(const struct session *session, struct text *text);
/* The present plan has no answer yet at the present setting. */
bool counted_awaited(const struct session *session);
bool counted_there(
	const struct session *session); /* something is asked for: the panel has something to say */

/* counted_events.c */
/* Looks for events of these words, for find. */
void counted_find(struct session *session, const char *words);
struct status action_event(struct session *session, const char *arguments, double now);
bool action_event_works(const struct session *session, const char *arguments);
struct status action_event_drop(struct session *session, const char *arguments, double now);
bool action_event_drop_works(const struct session *session, const char *arguments);

/* campaigns.c: what asks for many requests. */
/* Whether live figures and cells rest, since something else is measured in their place. */
bool session_apart(const struct session *session);
/* Whether something is to be measured beside them. */
bool campaigns_beside(const struct session *session);
bool campaign_runs(const struct session *session, enum campaign_of which);
/* In place of the one of its kind that there was; the session owns it from now on. */
void campaign_begin(struct session *session, enum campaign_of which,
	const struct campaign_kind *kind, void *self);
/* Likewise, at once: what is being measured is not waited for, and nothing is frozen any more. */
void campaign_begin_now(struct session *session, enum campaign_of which,
	const struct campaign_kind *kind, void *self, double now);
void campaign_halt(
	struct session *session, enum campaign_of which, double now); /* early, if it runs */
void campaign_end(struct session *session, enum campaign_of which);   /* there is none any more */
void campaigns_end(struct session *session);
void campaigns_lose(struct session *session); /* requests that are out were taken back */
/* What it prefers to measure has changed: a request that is not out yet is chosen again. */
void campaign_choose_again(struct session *session, enum campaign_of which);
void campaigns_pause(struct session *session, bool pause, double now);
/* Whether a running campaign computes in its thread. */
bool campaigns_think(const struct session *session);
/* Ends halted campaigns that have computed. Returns whether one has ended. */
bool campaigns_look(struct session *session, double now);
/* The next request of those that run apart, or beside, generation included, and whose it is. False:
 * nothing is left, or one has just ended. */
bool campaigns_next(struct session *session, bool apart, double now, struct request *request,
	enum campaign_of *which);
/* A final result of its requests, also of one that was taken back. */
void campaigns_take(struct session *session, enum campaign_of which, const struct setting *setting,
	const struct result *result, double now);

/* characterising.c: the core that measures itself. */
void characterising_over(struct session *session);
const struct characterise_report *characterising_view(
	const struct session *session); /* NULL: it does not */

/* insight.c: takes a model's text for the running core's. */
struct status insight_adopt(struct session *session, const char *text, const char *name);

/* windowing.c: the curves of the kernel `window`, in place of its slice over fillers. */
/* Another setting, machine or core: begins, goes on elsewhere, or brings something else to the
 * front. */
void windowing_renew(struct session *session);
bool windowing_wanted(const struct session *session); /* the present setting is of its kernel, and
							 something of it is left to measure */
bool windowing_there(
	const struct session *session); /* the present setting is on one of its curves */
void windowing_answered(struct session *session, const struct setting *setting,
	const struct result *result, double now);
void windowing_view(const struct session *session, struct view *view);

/* probing.c: the probe. */
void probing_over(struct session *session);
const struct probe_report *probing_report(
	const struct session *session); /* NULL: nothing was probed */
void probing_view(const struct session *session, struct view *view);
struct status action_probe(struct session *session, const char *arguments, double now);
bool action_probe_works(const struct session *session, const char *arguments);
struct status action_probe_only(struct session *session, const char *arguments, double now);
struct status action_characterise(struct session *session, const char *arguments, double now);
bool action_characterise_works(const struct session *session, const char *arguments);
struct status action_characterise_stop(struct session *session, const char *arguments, double now);
bool action_characterise_stop_works(const struct session *session, const char *arguments);
struct status action_characterise_save(struct session *session, const char *arguments, double now);
bool action_characterise_save_works(const struct session *session, const char *arguments);
struct status action_probe_stop(struct session *session, const char *arguments, double now);
bool action_probe_stop_works(const struct session *session, const char *arguments);

/* find.c: what the find overlay offers. Returns how many; more (may be NULL): events that found no
 * place. */
int session_found(const struct session *session, struct view_found found[VIEW_FOUND], int *more);

#endif
