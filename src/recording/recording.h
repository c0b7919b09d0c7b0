/* Writes measurements to a file, so that another machine can show the same screens (replay.h).
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

/* The machine, core and events of a recording. All pointers are borrowed. */
struct recording_place {
	const struct machine *machine; /* known */
	uint64_t seed;
	const struct core *core;	 /* whose limits are recorded; NULL: none */
	enum uarch_match match;		 /* how the running core was recognised */
	bool foreign, nearest;		 /* as in struct view */
	const char *note;		 /* core NULL: why; may be NULL */
	const struct event_plan *events; /* the counted events; NULL: none */
};

struct recording;

/* Opens a file and writes the place. An existing file must be a recording of the same machine, core
 * and seed: new lines are then appended, and `goes_on` is true. STATUS_USAGE when it is anything
 * else, or another program writes to it; STATUS_FAILED when it cannot be written. */
struct status recording_open(const char *path, const struct recording_place *place,
	struct recording **recording, bool *goes_on);
void recording_close(struct recording *recording); /* NULL: nothing */

/* A measured setting. */
struct recording_entry {
	const struct setting *setting;
	const struct trials *trials;
	const struct run_facts *facts;
	const struct event_plan *events; /* the counted events; NULL: none */
	const struct counts *counts;	 /* NULL */
};

/* Whether the sample would add information: the recording has none of the setting, only a contended
 * one, or fewer counts. Own loops are never wanted: the reader of a recording does not have their
 * code. */
bool recording_wants(const struct recording *recording, const struct setting *setting,
	const struct sample *sample, const struct counts *counts);

/* Adds it, with as many of its newest trials as there is room for: of each setting TRIALS_MAX are
 * kept in all. Returns whether it was. */
bool recording_add(struct recording *recording, const struct recording_entry *entry);

/* Adds the limits of a setting that was added, unless the recording has as many already. modelled:
 * of each event of the plan. The explanation must be of the place's core. */
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
