/* Declares the struct of a replayed recording in memory, and the functions that read its records.
 * Only the files replay*.c include replay_records.h. The recording is untrusted input, so every
 * number has bounds, and every string is cleaned. */
#pragma once

#include <stddef.h>

#include "experiment/setting/cells.h"
#include "recording/fields.h"
#include "recording/record.h"
#include "recording/replay.h"

/* The recorded explanation of a setting. The member `run` has the recorded instructions of the
 * loop: equal instructions in a row are one entry. */
struct explained {
	unsigned users;		  /* number of settings and readers that have this explanation */
	struct explanation whole; /* the explanation without its instructions */
	char function[64]; /* name of the function, to which whole.function points; empty: the name
			      is unknown */
	int run_count, insn_count;
	struct recorded_insn *run;
	double modelled[COUNTERS_MAX]; /* the model's value of each event of the plan; NAN: the
					  model has no value */
};

struct cost_report;
struct slack_report;
struct why_report;

/* A measured setting of a recording. */
struct played {
	unsigned id;
	unsigned run;	  /* number of the run that recorded the last sample */
	unsigned in_file; /* number of the setting's trials in the recording, including those of
			     earlier samples */
	unsigned count, forgotten[TRIAL_FATES];
	struct trial *trial;
	struct run_facts facts;
	struct counts *counts; /* event counts of the setting; NULL: no counts were recorded */
	struct explained
		*explained; /* explanation of the setting; NULL: no explanation was recorded */
	struct cost_report *cost;   /* costs of instructions; NULL: none were recorded */
	struct slack_report *slack; /* probed pressure; NULL: none was recorded */
	struct why_report *why;	    /* causes of the gap; NULL: none were recorded */
};

struct replay {
	char *path;
	char name[120];
	struct replay_place place;
	struct machine machine;
	int format; /* format of the first run */
	bool has_core, has_events;
	struct core core;
	struct event_plan events;
	struct setting_index settings;
	struct played *played; /* one entry per setting */
	unsigned last_id;
	uint64_t memory; /* bytes that the recording needs in memory */
	struct text notes;

	/* The state of a replay's engine, which answers from the recording. */
	int event; /* an eventfd(2) descriptor, which is readable while an answer waits */
	struct request request;
	bool pending;
};

/* Reasons why a line or a setting is ignored. DAMAGED: the line is damaged. ABSENT: this program
 * does not have the kernel or the knob value of the recorded setting. BARE: the recorded setting
 * has no trials. BEYOND: the recording has more data than this program keeps. */
enum left_out_kind {
	LEFT_OUT_DAMAGED,
	LEFT_OUT_ABSENT,
	LEFT_OUT_BARE,
	LEFT_OUT_BEYOND,
	LEFT_OUT_KINDS
};

/* The state of the reader, which reads a recording line by line. */
struct reading {
	struct replay *replay;
	unsigned line;
	bool begun;		 /* true after the header record of a recording was read */
	bool over;		 /* true: all later lines of the recording are ignored */
	int format;		 /* format of the present run */
	unsigned run;		 /* number of the present run */
	int event[COUNTERS_MAX]; /* for each event of the present run: index of the event in the
				    plan; -1: not in the plan */

	struct json_t *unfinished; /* an incomplete record, which continues in `awaited` lines;
				      NULL: no record is incomplete */
	unsigned awaited;

	/* The shared records of the present run, by number; NULL: there is none. `explained` is the
	 * explanation that was made of the record. */
	struct reading_shared {
		struct json_t *object;
		struct explained *explained;
	} * shared;
	unsigned shared_count;
	size_t shared_bytes; /* approximate memory of the shared records */
	/* The samples of the present run, in the order of their ids. */
	struct reading_sampled {
		unsigned id;
		int index; /* index of the sample's setting */
	} * sampled;
	size_t sampled_count;

	/* The setting and the explanation that the reader is reading, with their ids. */
	unsigned id;
	bool has_facts;
	struct run_facts facts;
	struct trials trials;
	unsigned joined; /* number of trials that the recording has in an earlier sample */
	bool has_counts;
	struct counts counts;
	unsigned explained_id;
	/* The probed pressure that the reader is reading, and its id; NULL: none. */
	/* The costs of instructions that the reader is reading, and their id; NULL: none. */
	struct cost_report *cost;
	unsigned cost_id;
	struct slack_report *slack;
	unsigned slack_id;
	struct why_report *why; /* the record of a gap whose causes follow; NULL: none */
	unsigned why_id;
	struct explained explained;

	/* For each reason: the number of ignored lines and settings, and the line and message of
	 * the first one. */
	struct left_out {
		unsigned count, line;
		char why[200];
	} left_out[LEFT_OUT_KINDS];
};

/* ---- replay_shared.c: the records that other records name by their number ---- */

/* Returns whether records of this name are shared in the present run. */
bool reading_is_shared(const struct reading *reading, const char *name);
/* Keeps a shared record. Returns the reason why the record cannot be used, or NULL. */
const char *reading_share(struct reading *reading, const struct json_t *object, unsigned number);
/* Returns the shared record with a number and a name; NULL: there is none. */
const struct json_t *reading_shared(
	const struct reading *reading, const struct json_t *number, const char *name);
/* Keeps the id of a sample of the present run, and returns the setting of a sample; -1: none. */
void reading_note_id(struct reading *reading, unsigned id, int index);
int reading_find_id(const struct reading *reading, unsigned id);
/* Forgets the shared records and ids, because the next run has its own. */
void reading_end_run(struct reading *reading);

/* ---- replay_engine.c ---- */

/* Ends one use of a recorded explanation. After the last use, it is freed. `explained` may be NULL.
 */
void explained_free(struct explained *explained);

/* Counts an ignored line, setting or sample, and keeps the line number and message of the first
 * one. */
void reading_leave_out(struct reading *reading, enum left_out_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Upper bounds of measured values in a recording. */
#define MOST_CYCLES 1e12
#define MOST_BYTES  ((int64_t)1 << 46)
#define MOST_GBPS   1e9

/* ---- records: each function returns why the record cannot be used, or NULL ---- */

/* Functions of replay_samples.c. reading_header() fails if the recording cannot be played. */
struct status reading_header(struct reading *reading, const struct json_t *object);
void reading_machine(struct reading *reading, const struct json_t *object);
const char *reading_core(struct reading *reading, const struct json_t *object);
void reading_events(struct reading *reading, const struct json_t *object);
const char *reading_event(struct reading *reading, const struct json_t *object);
const char *reading_trials(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_facts(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_counters(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_sample(struct reading *reading, const struct json_t *object, unsigned id);
/* Reads the kernel setting that a record of the recording names. Returns false, with the reason, if
 * this program does not have the recorded setting. */
enum { READING_WHY = 244 };
bool reading_setting(const struct json_t *object, struct setting *setting, char why[READING_WHY]);

/* Functions of replay_explained.c. */
const char *reading_limit(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_ports(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_insn(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_modelled(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_explain(struct reading *reading, const struct json_t *object, unsigned id);
void reading_forget(struct reading *reading);

/* Functions of replay_reports.c. */
const char *reading_gap(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_cause(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_slack(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_resource(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_costs(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_cost(struct reading *reading, const struct json_t *object, unsigned id);
