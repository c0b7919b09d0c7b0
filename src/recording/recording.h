/* Writes what is measured to a file, so that the same screens can be seen elsewhere (replay.h).
 *
 * A recording is JSON Lines: each at most RECORD_MOST bytes, written whole and as soon as it is
 * there, so that a file that was cut off anywhere is good up to its last whole line. What the lines
 * are: records.h and recording_lines.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

/* Where and with what it is made. Everything is borrowed. */
struct recording_place {
	const struct machine *machine; /* known */
	uint64_t seed;
	const struct core *core;	 /* whose limits are recorded; NULL: none */
	enum uarch_match match;		 /* as what the running core was recognised */
	bool foreign, nearest;		 /* as in struct view */
	const char *note;		 /* core NULL: why; may be NULL */
	const struct event_plan *events; /* what is counted; NULL: nothing */
};

struct recording;

/* Opens a file for it, and writes what is known of the place. A file that is there already must be
 * a recording of the same machine, made for the same core with the same seed: then this one goes on
 * behind it, and `goes_on` says so. STATUS_USAGE when it is anything else, or another program
 * writes to it; STATUS_FAILED when it cannot be written. */
struct status recording_open(const char *path, const struct recording_place *place,
	struct recording **recording, bool *goes_on);
void recording_close(struct recording *recording); /* NULL: nothing */

/* A measured setting. */
struct recording_entry {
	const struct setting *setting;
	const struct trials *trials;
	const struct run_facts *facts;
	const struct event_plan *events; /* what the counts are of; NULL: nothing was counted */
	const struct counts *counts;	 /* NULL */
};

/* Whether adding it would tell more than what is recorded of the setting: nothing yet, or only a
 * contended figure, or fewer counts. Own loops are never wanted: who plays a recording has not
 * their code. */
bool recording_wants(const struct recording *recording, const struct setting *setting,
	const struct sample *sample, const struct counts *counts);

/* Adds it, with as many of its newest trials as there is room for: of each setting TRIALS_MAX are
 * kept in all. Returns whether it was. */
bool recording_add(struct recording *recording, const struct recording_entry *entry);

/* Adds what limits a setting that was added, unless as much is recorded of it already. modelled: of
 * each event of the plan. The explanation must be of the place's core. */
void recording_explain(struct recording *recording, const struct setting *setting,
	const struct explanation *explanation, const struct event_plan *events,
	const double *modelled);
/* Whether it would. */
bool recording_lacks_limits(const struct recording *recording, const struct setting *setting);

/* Whether it has the limits of that core. */
bool recording_is_of(const struct recording *recording, const char *core);

struct recording_state {
	struct status status; /* why nothing more can be written; lines written before stay */
	const char *path;     /* valid until recording_close() */
	int held;	      /* settings of the file when this run began */
	int settings;	      /* settings and bytes that this run has written */
	uint64_t bytes;
};
struct recording_state recording_state(const struct recording *recording);

/* "slexplore-HOST-20261121T174213.jsonl": now, in local time. */
void recording_name(const struct machine *machine, char *buffer, size_t size);
