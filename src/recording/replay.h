/* Plays a recording (recording.h): the explorer shows measurements of another machine, even with
 * another instruction set or other counters. A replay measures nothing, and needs no feature of
 * this machine.
 *
 * A recording is untrusted input. Unusable lines are skipped and counted. The notes of the summary
 * report them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/engine.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

/* The maximum size of a recording: settings, bytes in memory, bytes of the file. */
enum { REPLAY_SETTINGS = 50000 };
#define REPLAY_MEMORY ((uint64_t)256 << 20)
#define REPLAY_FILE   ((uint64_t)1 << 30)

struct replay;

/* Reads a recording. STATUS_USAGE: the file does not exist, is not a recording, comes from a newer
 * version, or has no setting that can be shown. STATUS_FAILED: a read error. */
struct status replay_open(const char *path, struct replay **replay);
/* Like replay_open(), but the recording may have no setting yet. */
struct status replay_read(const char *path, struct replay **replay);
void replay_free(struct replay *replay); /* NULL is allowed */

/* Where and when a recording was made. */
struct replay_place {
	char program[32],
		time[32]; /* `program` and `time` (UTC): version and start of the first run */
	uint64_t seed;
	enum uarch_match match;
	bool foreign, nearest; /* as in struct view, for the core of the recorded limits */
	char note[300];	       /* why there are no recorded limits */
};

/* A summary of a recording. Its pointers are valid until replay_free(). */
struct replay_summary {
	const char *name; /* cleaned file name, without its directory */
	const char *path;
	const struct replay_place *place;
	const struct machine *machine;
	const struct core *core;	 /* only its names are valid; NULL: no core */
	const struct event_plan *events; /* NULL: no counts were requested */
	const char
		*notes; /* ignored lines and settings with the reasons, one per line; empty: none */
	int count;	/* number of settings */
	unsigned last_id; /* the largest id of all records */
};
struct replay_summary replay_summary(const struct replay *replay);

/* One setting of a recording. Settings are in the order of their first samples. */
struct replay_entry {
	const struct setting *setting;
	unsigned id;	  /* id of its last sample */
	unsigned trials;  /* number of its trials in the file */
	int counted;	  /* number of its counted events */
	int limits_known; /* number of known limits of its explanation; -1: no recorded explanation
			   */
};
struct replay_entry replay_entry(const struct replay *replay, int index);
int replay_find(const struct replay *replay, const struct setting *setting); /* -1: not recorded */
void replay_sample(const struct replay *replay, int index, struct sample *sample);

/* The engine and the explainer that answer from a recording. Each has one user at a time, and is
 * valid until replay_free(). */
struct engine replay_engine(struct replay *replay);
struct explainer replay_explainer(struct replay *replay);

/* ---- moving among settings (replay_engine.c) ---- */

/* The first recorded setting of a kernel; false: the kernel was not recorded. */
bool replay_first(
	const struct replay *replay, const struct kernel *kernel, struct setting *setting);

/* The recorded values of one knob, ascending, with the other knobs at their present values. Returns
 * the number of values, at most `room`. If there are more, some are omitted, but not the present
 * value. */
int replay_values(const struct replay *replay, const struct setting *setting, int knob,
	int64_t *values, int room);

/* Moves a knob by steps (not 0) to another recorded value. The other knobs keep their values if
 * possible; else as few of them as possible change. Returns whether the setting changed. */
bool replay_step(const struct replay *replay, struct setting *setting, int knob, int steps);

/* Finds the recorded setting nearest to this setting. The knobs in `asked` (one bit each) matter
 * more than the other knobs. Returns false if no recorded setting of the kernel has the requested
 * choices. */
bool replay_nearest(const struct replay *replay, struct setting *setting, unsigned asked);

/* Writes the recorded values of a knob for messages: to `all` "4k, 8k, 16k … 64m", to `ends`
 * "4k…64m". `ends` may be NULL. */
void replay_range(const struct replay *replay, const struct setting *setting, int knob, char *all,
	size_t size, char *ends, size_t ends_size);
