/* Plays a recording (recording.h). After opening a recording, the explorer shows measurements of
 * another machine, even of a machine with another instruction set or other counters. A replay
 * measures nothing, and needs no feature of this machine.
 *
 * A recording is untrusted input. Unusable lines of a recording are skipped and counted, and the
 * notes of the summary report them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/engine.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

/* Limits of a recording. REPLAY_SETTINGS: largest number of settings. REPLAY_MEMORY: most bytes in
 * memory. REPLAY_FILE: largest size in bytes of a recording's file. */
enum { REPLAY_SETTINGS = 50000 };
#define REPLAY_MEMORY ((uint64_t)256 << 20)
#define REPLAY_FILE   ((uint64_t)1 << 30)

struct replay;

/* Reads a recording. Returns STATUS_USAGE if the file does not exist, is not a recording, comes
 * from a newer version, or has no setting that can be shown. Returns STATUS_FAILED after a read
 * error. */
struct status replay_open(const char *path, struct replay **replay);
/* Reads a recording like replay_open(), but the recording may be without settings. */
struct status replay_read(const char *path, struct replay **replay);
void replay_free(struct replay *replay); /* `replay` may be NULL */

/* The machine (place) and the time at which a recording was made. */
struct replay_place {
	char program[32],
		time[32]; /* version of the program, and time (UTC) at which the first run began */
	uint64_t seed;
	enum uarch_match match;
	bool foreign,
		nearest; /* foreign: the recorded limits are for another core than the machine's
			    own; nearest: the nearest model took the place of the machine's core */
	bool visited;	 /* the settings are in the order in which a user visited them */
	char note[300];	 /* reason why there are no recorded limits */
};

/* A summary of a recording. The pointers in the summary of a recording are valid until
 * replay_free(). */
struct replay_summary {
	const char *name; /* name of the recording's file without its directory and without control
			     characters */
	const char *path;
	const struct replay_place *place;
	const struct machine *machine;
	const struct core *core; /* core model of the recorded limits, of which only the names are
				    valid; NULL: no core */
	const struct event_plan *events; /* the counted events; NULL: no counts were requested */
	const char *notes; /* ignored lines and settings with the reasons, one note per line; empty:
			      nothing was ignored */
	int count;	   /* number of settings that the replayed recording has */
	unsigned last_id;  /* the largest id of all records in the recording */
};
struct replay_summary replay_summary(const struct replay *replay);

/* One setting of a recording. The settings of the recording are in the order of their first
 * samples. */
struct replay_entry {
	const struct setting *setting;
	unsigned id;	  /* id of the record with the setting's last sample */
	unsigned trials;  /* number of the setting's trials in the recording's file */
	int counted;	  /* number of counted events of the setting */
	int limits_known; /* number of known limits in the recorded explanation of the setting; -1:
			     no explanation was recorded */
};
struct replay_entry replay_entry(const struct replay *replay, int index);
int replay_find(const struct replay *replay,
	const struct setting *setting); /* returns the index of a recorded setting; -1: the setting
					   was not recorded */
void replay_sample(const struct replay *replay, int index, struct sample *sample);

struct cost_report;
struct slack_report;

/* Returns the recorded pressure of a setting, which was probed; NULL: none was recorded. */
const struct slack_report *replay_slack(const struct replay *replay, int index);

/* Returns the recorded costs of a setting's instructions; NULL: none were recorded. */
const struct cost_report *replay_cost(const struct replay *replay, int index);

struct why_report;

/* Returns the recorded causes of the gap of a setting; NULL: none were recorded. */
const struct why_report *replay_why(const struct replay *replay, int index);

/* Return an engine (measured results) and an explainer (limits) that answer from a recording. The
 * engine and the explainer can have only one user at a time, and are valid until replay_free(). */
struct engine replay_engine(struct replay *replay);
struct explainer replay_explainer(struct replay *replay);

/* ---- moving among settings (replay_engine.c) ---- */

/* Returns the setting to begin with. If a user visited the settings: the first one with recorded
 * limits, else the first one. Otherwise: the default setting of the first recorded kernel, or else
 * its setting with the lowest values, of those with recorded limits if there are some. In a
 * recording of format 1, it is the first recorded setting. */
struct setting replay_begin(const struct replay *replay);

/* Finds the recorded default setting of a kernel, or else the kernel's first recorded setting, with
 * recorded limits if there is one.
 * Returns false if no setting of the kernel was recorded. */
bool replay_first(
	const struct replay *replay, const struct kernel *kernel, struct setting *setting);

/* Lists the recorded values of one knob in ascending order, with the other knobs at their present
 * values. Returns the number of listed values of the knob, at most `room`. If the knob has more
 * recorded values, some are omitted, but never the present value. */
int replay_values(const struct replay *replay, const struct setting *setting, int knob,
	int64_t *values, int room);

/* Moves a knob by `steps` (not 0) to another recorded value. When a knob moves in a replay, the
 * other knobs keep their values if possible; otherwise, as few knobs as possible change. Returns
 * whether the setting changed. */
bool replay_step(const struct replay *replay, struct setting *setting, int knob, int steps);

/* Replaces *setting by the nearest recorded setting. `asked` has a bit for each knob that matters
 * more than the other knobs. Returns false if no recorded setting of the kernel has the named knob
 * values (choices) that were asked for. */
bool replay_nearest(const struct replay *replay, struct setting *setting, unsigned asked);

/* Writes the recorded values of a knob for messages: a list such as "4k, 8k, 16k … 64m" to `all`,
 * and the range "4k…64m" to `ends`. `ends` may be NULL. */
void replay_range(const struct replay *replay, const struct setting *setting, int knob, char *all,
	size_t size, char *ends, size_t ends_size);
