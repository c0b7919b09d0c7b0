/* Writes measurements to a file, so that another machine can show the same screens (replay.h).
 *
 * A recording is a file of JSON Lines, each at most RECORD_MOST bytes. Each line is written
 * completely, as soon as it is available. So a truncated file is valid up to its last complete
 * line. records.h describes the lines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

/* The machine, core and events of a recording. All pointers are borrowed. */
struct recording_place {
	const struct machine *machine; /* known */
	uint64_t seed;
	const struct core *core;	 /* the core of the recorded limits; NULL: no limits */
	enum uarch_match match;		 /* how well a model fits the running core */
	bool foreign, nearest;		 /* as in struct view */
	const char *note;		 /* why `core` is NULL; may be NULL */
	const struct event_plan *events; /* the counted events; NULL: none */
};

struct recording;

/* Opens a file and writes the place. An existing file must be a recording of the same machine, core
 * and seed: new lines are appended, and *goes_on is true. STATUS_USAGE: the file is another file,
 * or another program writes to it. STATUS_FAILED: the file cannot be written. */
struct status recording_open(const char *path, const struct recording_place *place,
	struct recording **recording, bool *goes_on);
void recording_close(struct recording *recording); /* NULL is allowed */

/* A measured setting. */
struct recording_entry {
	const struct setting *setting;
	const struct trials *trials;
	const struct run_facts *facts;
	const struct event_plan *events; /* the counted events; NULL: none */
	const struct counts *counts;	 /* NULL: no counts */
};

/* Whether the sample would add information. It does if the recording has no sample of the setting,
 * only a contended sample, or fewer counts. Always false for own loops: the reader of a recording
 * does not have their code. */
bool recording_wants(const struct recording *recording, const struct setting *setting,
	const struct sample *sample, const struct counts *counts);

/* Adds an entry, with the newest trials that fit: a recording has at most TRIALS_MAX trials per
 * setting. Returns whether the entry was added. */
bool recording_add(struct recording *recording, const struct recording_entry *entry);

/* Adds the limits of a recorded setting, unless the recording already has as many limits of it.
 * modelled: the model's value of each event of the plan. The explanation must be for the core of
 * the place. */
void recording_explain(struct recording *recording, const struct setting *setting,
	const struct explanation *explanation, const struct event_plan *events,
	const double *modelled);
/* Whether the recording has the setting, and needs its explanation. */
bool recording_lacks_limits(const struct recording *recording, const struct setting *setting);

/* Whether the recorded limits are for this core. */
bool recording_is_of(const struct recording *recording, const char *core);

struct recording_state {
	struct status status; /* the write error, if any; lines written before the error stay */
	const char *path;     /* valid until recording_close() */
	int held;	      /* number of settings in the file when this run began */
	int settings;	      /* `settings` and `bytes`: written by this run */
	uint64_t bytes;
};
struct recording_state recording_state(const struct recording *recording);

/* Makes a file name "slexplore-HOST-20261121T174213.jsonl" from the local time. */
void recording_name(const struct machine *machine, char *buffer, size_t size);
