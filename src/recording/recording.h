/* Writes measurements to a file, so that another machine can show the same screens (replay.h).
 *
 * A recording is a file of JSON Lines, each at most RECORD_MOST bytes. Each line of a recording is
 * written completely, as soon as its data is available. A truncated recording is therefore valid up
 * to its last complete line. A recording whose name ends with ".gz" is compressed (base/gzip.h).
 * records.h describes the records in the lines. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

/* The place of a recording: its machine, core and counted events. All pointers in the struct for a
 * recording's place are borrowed. */
struct recording_place {
	const struct machine *machine; /* the machine, which must be known */
	uint64_t seed;
	const struct core
		*core; /* the core model of the recorded limits; NULL: no limits are recorded */
	enum uarch_match match; /* how well a core model fits the running core */
	bool foreign, nearest; /* foreign: `core` is not the running core; nearest: the running core
				  has no model, and `core` is the nearest model */
	const char *note;      /* reason why `core` is NULL; `note` may be NULL */
	const struct event_plan *events; /* the counted events; NULL: no events were counted */
	bool visited; /* the settings are recorded as a user visits them on the screen */
};

struct recording;

/* Opens a file for a recording, and writes the recording's place: machine, core and events. An
 * existing file must be a recording of the same machine, core and seed. New lines are appended to
 * an existing file, and *goes_on is true. Returns STATUS_USAGE if the file is not a recording of
 * the same machine, core and seed, or if another program writes to it. Returns STATUS_FAILED if the
 * file cannot be written. */
struct status recording_open(const char *path, const struct recording_place *place,
	struct recording **recording, bool *goes_on);
void recording_close(struct recording *recording); /* `recording` may be NULL */

/* A measured setting that is to be added to a recording. */
struct recording_entry {
	const struct setting *setting;
	const struct trials *trials;
	const struct run_facts *facts;
	const struct event_plan *events; /* the counted events; NULL: no events were counted */
	const struct counts *counts;	 /* the counts of the events; NULL: no counts */
	/* true: the trials begin with those of the setting's last entry, which are in the recording
	 * already. Only the further trials are written. */
	bool continued;
	bool first; /* true: the setting will be measured again */
};

/* Returns whether the sample would add information to the recording. A sample adds information if
 * the recording has no sample of the setting, only a contended sample, or fewer counts. For a
 * user's own loop, the result is false, because the reader of a recording does not have the loop's
 * code. */
bool recording_wants(const struct recording *recording, const struct setting *setting,
	const struct sample *sample, const struct counts *counts);

/* Adds a measured setting to the recording, with the newest trials that fit. A recording has at
 * most TRIALS_MAX trials per setting. Returns whether the setting was added to the recording; it is
 * not added without new trials. */
bool recording_add(struct recording *recording, const struct recording_entry *entry);

/* Adds the limits of a recorded setting, unless the recording already has as many limits of the
 * setting. `modelled` has the model's value of each event of the plan. The explanation (limits) of
 * the setting must be for the core model that the recording names. */
void recording_explain(struct recording *recording, const struct setting *setting,
	const struct explanation *explanation, const struct event_plan *events,
	const double *modelled);
/* Returns whether the recording has the setting, and needs an explanation of the setting. */
bool recording_lacks_limits(const struct recording *recording, const struct setting *setting);

struct cost_report;
struct slack_report;

/* Adds the probed pressure of a recorded setting, unless the recording has it already. */
void recording_slack(struct recording *recording, const struct slack_report *slack);
/* Adds the costs of a recorded setting's instructions, unless the recording has them already. */
void recording_cost(struct recording *recording, const struct cost_report *cost);

struct why_report;

/* Writes the measured causes of the gap of a setting that the recording has. A later report about
 * the setting's gap replaces an earlier report in a replay. */
void recording_why(struct recording *recording, const struct why_report *why);

/* Returns whether the recorded limits are for the core named `core`. */
bool recording_is_of(const struct recording *recording, const char *core);

struct recording_state {
	struct status status; /* the write error of the recording, if there was an error; lines
				 written before the error stay in the file */
	const char *path;     /* path of the recording's file, valid until recording_close() */
	int held; /* number of settings in the recording's file when this run of the program began
		   */
	int settings; /* numbers of settings and bytes that this run of the program has written to
			 the recording */
	uint64_t bytes;
};
struct recording_state recording_state(const struct recording *recording);

/* Whether a path ends as those of recordings do: ".jsonl", or ".jsonl.gz" if it is compressed. */
bool recording_is_name(const char *path);

/* Makes a file name "slexplore-HOST-20261121T174213.jsonl" from the local time. */
void recording_name(const struct machine *machine, char *buffer, size_t size);
