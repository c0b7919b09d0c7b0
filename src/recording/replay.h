/* Plays a recording (recording.h): the explorer shows measurements of another machine, which may
 * have another instruction set or counters. Nothing is measured, and no feature of this machine is
 * needed.
 *
 * A recording may hold anything. Lines that cannot be used are skipped and counted; the notes of
 * the summary report them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/engine.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

/* Limits of a recording: settings, bytes in memory, bytes of the file. */
enum { REPLAY_SETTINGS = 50000 };
#define REPLAY_MEMORY ((uint64_t)256 << 20)
#define REPLAY_FILE   ((uint64_t)1 << 30)

struct replay;

/* Reads a recording. STATUS_USAGE when the file does not exist, is no recording, comes from a newer
 * version, or has no setting that can be shown; STATUS_FAILED when reading fails. */
struct status replay_open(const char *path, struct replay **replay);
/* The same; the recording may have no setting yet. */
struct status replay_read(const char *path, struct replay **replay);
void replay_free(struct replay *replay); /* NULL: nothing */

/* Where it was made. */
struct replay_place {
	char host[64], program[32],
		time[32]; /* of the first run: the version that wrote it, and when, in UTC */
	uint64_t seed;
	enum uarch_match match;
	bool foreign, nearest; /* the core whose limits it has: as in struct view */
	char note[300];	       /* why it has none */
};

/* What a recording holds. Pointers are valid until replay_free(). */
struct replay_summary {
	const char *name; /* of the file, without its directory, cleaned */
	const char *path;
	const struct replay_place *place;
	const struct machine *machine;
	const struct core *core;	 /* names alone; NULL: none */
	const struct event_plan *events; /* NULL: nothing was to be counted */
	const char
		*notes; /* ignored lines and settings with the reasons, a line each; empty: none */
	int count;	/* settings */
	unsigned last_id; /* the largest of all */
};
struct replay_summary replay_summary(const struct replay *replay);

/* One of its settings. They have the order in which they were first recorded. */
struct replay_entry {
	const struct setting *setting;
	unsigned id;	  /* of its last sample */
	unsigned trials;  /* that the file has of it */
	int counted;	  /* events that were counted */
	int limits_known; /* known limits of its explanation; -1: none was recorded */
};
struct replay_entry replay_entry(const struct replay *replay, int index);
int replay_find(const struct replay *replay, const struct setting *setting); /* -1: not recorded */
void replay_sample(const struct replay *replay, int index, struct sample *sample);

/* The engine and the explainer that answer from it: one user at a time, no longer than it. */
struct engine replay_engine(struct replay *replay);
struct explainer replay_explainer(struct replay *replay);

/* ---- moving among settings (replay_engine.c) ---- */

/* The first setting of a kernel; false: it was not recorded. */
bool replay_first(
	const struct replay *replay, const struct kernel *kernel, struct setting *setting);

/* The recorded values of one knob with the other knobs at their present values, ascending. Returns
 * their number, at most `room`: some are then omitted, but never the present one. */
int replay_values(const struct replay *replay, const struct setting *setting, int knob,
	int64_t *values, int room);

/* Moves a knob by steps (not 0) to the next recorded value: with the other knobs at their present
 * values if possible, else with the fewest of them moved. Returns whether anything changed. */
bool replay_step(const struct replay *replay, struct setting *setting, int knob, int steps);

/* The recorded setting that is nearest to this one: first by the knobs of `asked` (a bit each),
 * then by the other knobs. False when the kernel has no setting with the requested choices. */
bool replay_nearest(const struct replay *replay, struct setting *setting, unsigned asked);

/* "4k, 8k, 16k … 64m": all recorded values of a knob, for messages; and "4k…64m" (NULL: not
 * wanted). */
void replay_range(const struct replay *replay, const struct setting *setting, int knob, char *all,
	size_t size, char *ends, size_t ends_size);
