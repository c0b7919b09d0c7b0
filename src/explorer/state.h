/* The session's state, used only in explorer/. One file owns each part of the session's state; the
 * comment next to the part names the file. tests/owners.sh checks that no other file writes that
 * part. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "engine/engine.h"
#include "experiment/memory.h"
#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "experiment/sweep/sweep.h"
#include "explorer/answering.h"
#include "explorer/campaigns.h"
#include "explorer/classroom.h"
#include "explorer/counted.h"
#include "explorer/diagrams.h"
#include "explorer/insight.h"
#include "explorer/live.h"
#include "explorer/on_screen.h"
#include "explorer/opened_program.h"
#include "explorer/opening.h"
#include "explorer/plan.h"
#include "explorer/reopen.h"
#include "explorer/saved.h"
#include "explorer/session.h"
#include "explorer/undo.h"
#include "explorer/view.h"
#include "recording/recording.h"
#include "recording/replay.h"

/* The setting and the chosen knob that the user last had for a kernel. When the user chooses a
 * kernel again, the session restores this setting and this knob of the kernel. */
struct remembered {
	struct setting setting;
	int knob;
};

/* The open own loop. true: the setting in session.kernels[kernel_count] belongs to the newest
 * version of the own loop. */
struct own_loop {
	bool open;
	/* The watched own loop whose file was saved: the next session_advance() compiles the file;
	 * NULL: none. */
	const struct kernel *saved;
	double look; /* time at which the session next checks the files of the user's own loops, or
			a compilation */
	/* The compilation of a file; NULL: no file is compiled. The path of the file that is being
	 * compiled. go: the loop becomes the present setting, because the user has asked for it. */
	struct own_opening *opening;
	char *path;
	bool go;
};

/* The state of the session's requests to the engine. */
struct requests {
	uint64_t generation;  /* generation of the last request */
	uint64_t outstanding; /* generation (number) of the request that has no final result yet; 0:
				 none */
	bool live; /* true: the request without a final result is for the present setting */
	struct outlook outlook; /* progress of a long request */
	uint64_t forgotten; /* the session discards results of requests whose generation (number) is
			       at most this number */
	double rest_until;  /* time before which the session sends no request to the engine */
};

/* The recorded values of each knob of one kernel. */
struct playback {
	const struct kernel *kernel;
	struct view_recorded knob[KNOBS_MAX];
	char hint[160]; /* the knobs that were recorded with several values */
};

/* A recording whose samples are A: for each setting, the recorded sample of the same setting. */
struct beside {
	struct replay *replay; /* owned; NULL: no recording is A */
	struct cells *cells;   /* the samples of the recording that were read so far */
};

/* The recording that the explorer opens after this session. */
struct opened {
	bool allowed; /* the caller of the explorer can start another session after this one */
	bool asked;
	struct replay *replay; /* the recording to open next, owned; NULL: this machine is measured
				  again */
	/* Commands, one a line, with which the next session begins. They show the same screen. */
	struct text commands;
	bool swaps;   /* the two recordings are exchanged, which the next session can undo */
	bool swapped; /* the session before exchanged the two recordings */
};

/* Largest number of bytes of the arguments of the command `sweep`, including the NUL. */
enum { SWEPT_SIZE = 200 };

struct session {
	double now; /* clock time of the last call of a session function, in seconds (advance.c and
		       command.c write it) */

	/* advance.c: the environment */
	struct engine engine;
	struct replay *replay; /* the replayed recording; NULL: the engine measures */
	uint64_t seed;
	char *invocation;
	/* Path of the file to record to, opened when the machine is known; NULL: nothing is
	 * recorded. */
	char *record_path;
	bool machine_known;
	struct memory_limits memory_limits; /* the memory and processors that settings may use;
					       unknown until the machine is examined */
	/* The arguments of the last command `sweep`: its name, and values of its knobs. Empty: no
	 * sweep was begun. */
	char swept[SWEPT_SIZE];
	/* The named sweeps, with published values; empty if their file is unreadable. The function
	 * session_sweeps() reads the file when the sweeps are first needed, because reading it
	 * would take a third of the time before the first frame. */
	struct read_sweeps {
		bool done;
		struct sweeps all;
	} * sweeps;
	int kernel_count;
	double doubt_due; /* time from which the session may measure a contended setting around the
			     present one again */

	/* session.c: the user's choices (own_loop.c and opened_program.c also write `kernels`) */
	struct setting setting;
	int knob;
	/* The last settings: one entry for each kernel of kernel_registry, then an entry for the
	 * own loop, and one for the function of a program. The kernel of an unused entry is NULL.
	 */
	struct remembered *kernels;
	bool turned; /* true: the user has changed the setting at least once */
	bool frozen;
	struct pinned pinned;
	unsigned epoch; /* number of times that a kernel was chosen or every sample discarded */

	struct undo undo;		 /* undo.c */
	struct own_loop own;		 /* own_loop.c */
	struct opened_programs programs; /* opened_program.c and session.c */
	struct requests requests;	 /* requests.c */
	struct live live;		 /* live.c */
	struct cells *cells;		 /* plan.c: settings to measure around the present one;
					    campaign_windows.c adds the points of the curves */
	struct plan plan;		 /* plan.c */
	struct insight insight;		 /* insight.c */
	struct memory_probe memory;	 /* insight.c: L3 and memory latencies of this machine */
	struct counted counted;		 /* counted.c */
	struct diagrams diagrams;	 /* diagrams.c */
	struct recording *recording;	 /* recorded.c: the file being recorded; NULL: none */
	struct playback playback;	 /* recorded.c */
	struct beside beside;		 /* recorded.c */
	struct opened opened; /* recorded.c: what the explorer opens after this session */
	struct under_way campaigns[CAMPAIGNS]; /* campaigns.c */
	struct screen screen;		       /* on_screen.c */
	struct saved saved;		       /* saved.c */
	struct classroom classroom;	       /* classroom.c */
	struct answering answering;	       /* answering.c */
	struct opening opening;		       /* opening.c and reopen.c */
	bool printing; /* reopen.c: true: the command line that reopens the screen is printed when
			  the session ends */
	struct misses_whatif whatif; /* commands_panes.c: the user's question about misses in caches
					of other sizes */
	bool relief;		     /* commands_panes.c: the mountain is drawn as a relief */
	bool quit;		     /* command.c */
};

static inline const struct machine *session_machine(const struct session *of)
{
	return of->engine.machine;
}

/* Whether the limits and the code of the present setting are known. */
static inline bool insight_ready(const struct session *of)
{
	return of->insight.setting.kernel && !of->insight.reading &&
	       status_is_ok(&of->insight.explanation->status);
}

/* Whether insight.explanation has limits of the present setting to show, even if they are being
 * computed again. */
static inline bool insight_shown(const struct session *of)
{
	return insight_ready(of) || (of->insight.setting.kernel && of->insight.renewing);
}

/* ---- session.c ---- */

/* Returns the kernel's index in kernel_registry. Returns kernel_count for any version of the own
 * loop, kernel_count + 1 for any function of a program, and -1 for an unknown kernel. */
int session_kernel_index(const struct session *session, const struct kernel *kernel);
/* Returns the named sweeps, which the session owns. */
const struct sweeps *session_sweeps(const struct session *session);
void session_choose_knob(struct session *session, int knob);
/* Makes `setting` the present setting. */
void session_go(struct session *session, const struct setting *setting);
void session_freeze(struct session *session, bool frozen);
void session_forget(struct session *session);	    /* discards every sample */
void session_forget_cells(struct session *session); /* discards every measured sample except the
						       sample of the live measurement */
/* Sends the engine a request to measure the present setting. If the setting cannot be measured,
 * marks the setting as failed. */
void session_submit(struct session *session);
void session_fail(struct session *session, const char *why);
/* Whether the present setting has no sample yet because its preparation or its run takes long.
 * session_stop() cancels the measurement of the present setting until the setting changes. */
bool session_prepares(const struct session *session);
void session_stop(struct session *session);
/* Begins a campaign. Cancels the present request to the engine and ends the freeze of the screen.
 */
void session_begin_campaign(struct session *session, enum campaign_of which,
	const struct campaign_row *row, void *self);
/* Stores the present setting and its sample as A, to compare other settings with. A setting may be
 * stored as A only if its sample is valid. */
void session_pin(struct session *session);
void session_unpin(struct session *session);
/* Makes any setting A. The session measures A, the setting compared with, alternately with the
 * present setting; in a replay, the sample of A was recorded. */
void session_pin_setting(struct session *session, const struct setting *setting);
/* Marks A: its own loop's file was saved, but the new version cannot be measured. */
void session_pin_outdate(struct session *session);
/* Requests a measurement of A, the setting compared with, if A has no complete sample yet. Returns
 * whether a request for the sample of A was sent. */
bool session_pin_request(struct session *session);
/* Adds another measurement to the sample of A, as soon as the engine is free. */
void session_pin_again(struct session *session);
/* Takes the sample of A, the setting compared with, from the table of measured settings, if A has
 * no complete sample yet. */
void session_pin_take(struct session *session);
/* Takes the binding limit of A if a background thread has computed it. Returns whether it has. */
bool session_pin_limit(struct session *session);
void session_repin(
	struct session *session, const struct pinned *pinned); /* restores an earlier A */
/* Changes the knob that the advice names, or shows the advice as a message. */
void session_follow_advice(struct session *session);

/* ---- requests.c ---- */

/* The tag of a request to the engine says for which part of the session the result is. The tag of a
 * campaign's request is TAG_CAMPAIGN plus the campaign's enum campaign_of. */
enum { TAG_LIVE = 1, TAG_CELL, TAG_MEMORY, TAG_CAMPAIGN };

void requests_begin(struct session *session);
/* request_send() and request_setting() return the generation of the new request. A new request to
 * the engine replaces the session's previous request. */
uint64_t request_send(struct session *session, struct request *request, unsigned tag);
uint64_t request_setting(struct session *session, const struct setting *setting, bool live,
	const struct budget *budget);
void request_cell(struct session *session, const struct setting *setting);
void requests_cancel(struct session *session);
void requests_forget(
	struct session *session); /* discards the results of all requests to the engine so far */
/* Call requests_returned() for each result that the engine returns. requests_returned() returns
 * false if the result must be discarded. */
bool requests_returned(struct session *session, const struct result *result);
/* Whether a request for the present setting was sent to the engine and has no final result yet. */
bool requests_live(const struct session *session);
void requests_look_ahead(struct session *session);

/* ---- own_loop.c ---- */

/* Begins to compile an own loop, which session_own_advance() opens later. cflags: the compiler
 * flags that the user gave; NULL: the user gave none. */
struct status session_own_open(struct session *session, const char *path, const char *cflags);

/* Compiles the own loop on screen again with one more set of compiler flags, and chooses it. */
struct status session_own_flags(struct session *session, const char *flags);
/* Whether the file of an own loop is being compiled. */
bool session_compiles(const struct session *session);
/* Ends a running compilation. */
void session_own_stop(struct session *session);
/* Takes the own loop of the first setting, for a session that starts with an own loop. */
void session_own_adopt(struct session *session, const struct setting *setting);
/* Checks the files of the own loops on screen and of A periodically, and compiles a file after it
 * was saved. Returns whether the view changed. */
bool session_own_advance(struct session *session);
/* Returns the time at which session_own_advance() must be called next; INFINITY: never. */
double session_own_next(const struct session *session);

/* ---- recorded.c: while a recording is played ---- */

/* Returns an error if the setting cannot be measured, or, in a replay, if the setting was not
 * recorded. */
struct status playback_allows(const struct session *session, const struct setting *setting);
/* Returns the error for a command that would measure during a replay: "a replay measures nothing:
 * …". */
struct status playback_refuse(const struct session *session);
/* Whether the replayed recording contains settings of the kernel. If no recording is replayed,
 * every kernel counts as recorded: the result is true. */
bool playback_kernel(const struct session *session, const struct kernel *kernel);
/* Returns an error that lists the recorded kernels. */
struct status playback_none(const struct session *session, const struct kernel *kernel);
void playback_renew(struct session *session); /* call playback_renew() after a command that may have
						 changed the kernel */
/* Returns the chosen knob, or in a replay the next knob that was recorded with several values. */
int playback_knob(struct session *session);
/* Fills a cell (a setting on screen) with its sample from the replayed recording. The replayed
 * recording must contain the cell's setting. */
void playback_cell(const struct session *session, struct cell *cell);
/* Replaces a setting by the nearest recorded setting. `asked` has one bit for each knob that the
 * user set. If no recorded setting is near the wanted setting, returns STATUS_USAGE with the
 * recorded values. */
struct status playback_fit(const struct session *session, struct setting *setting, unsigned asked);
/* Returns the recorded values of the knob as words: "size was recorded at 4k, 8k, 16k". */
struct words playback_range(const struct session *session, int knob);
/* Reports the first knob whose recorded value differs from the value that the user asked for. */
void playback_tell(struct session *session, const struct setting *wanted, unsigned asked);

/* ---- recorded.c: a recording as A ---- */

/* Makes a recording A, or removes it if `path` is empty. Shows a message that names the recording.
 */
struct status beside_open(struct session *session, const char *path);
/* Ends this session, so that the explorer opens the recording `path`; empty: this machine. If
 * `change` is NULL, the function only checks whether the command has an effect. */
struct status open_ask(const struct session *session, struct session *change, const char *path);
/* Sets whether the session's caller can open a recording after this session. `swapped` is
 * session_swaps() of the session before. */
void open_allow(struct session *session, bool allowed, bool swapped);
void open_drop(struct session *session);
void beside_close(struct session *session);
/* Returns the sample of a setting in the recording that is A; NULL: the setting was not recorded,
 * or no recording is A. The returned sample of the recording is valid until beside_close(). */
const struct sample *beside_sample(const struct session *session, const struct setting *setting);

/* ---- recorded.c: while samples are written to a file ---- */

struct status record_open(struct session *session, const char *path);
void record_end(struct session *session);
/* Call record_begin() when the machine is known. record_begin() opens the recording's file that the
 * session's options name. record_begin() returns whether a recording has begun. */
bool record_begin(struct session *session);
/* record_present() records the sample of the present setting; record_cell() records the sample of a
 * cell (another setting) that needs no more trials. `point` is true if the recorded setting is a
 * point of a curve over filler instructions, which has few trials and no limits. */
void record_present(struct session *session);
void record_cell(struct session *session, const struct cell *cell, bool point);

/* ---- snapshot.c ---- */

/* Fills `misses` with the expected cache misses of the present setting, from the explanation.
 * If the setting has no explanation, the expected misses come from the kernel's access pattern and
 * this machine's caches. */
void view_misses(const struct session *session, struct misses *misses);
