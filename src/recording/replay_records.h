/* Used only in replay*.c: a recording in memory, and the functions that read its records. The input
 * is untrusted: every number has bounds, every string is cleaned. */
#pragma once

#include <stddef.h>

#include "experiment/setting/cells.h"
#include "recording/fields.h"
#include "recording/record.h"
#include "recording/replay.h"

/* The explanation of a setting. Its instructions are in `run`: equal instructions in a row are one
 * run. */
struct explained {
	struct explanation whole; /* without instructions */
	char function[64];	  /* whole.function, unless empty */
	int run_count, insn_count;
	struct recorded_insn *run;
	double modelled[COUNTERS_MAX]; /* for each event of the plan; NAN: the model has no value */
};

/* A measured setting. */
struct played {
	unsigned id;
	unsigned in_file; /* number of its trials in the file, including earlier samples */
	unsigned count, forgotten[TRIAL_FATES];
	struct trial *trial;
	struct run_facts facts;
	struct counts *counts;	     /* NULL: none */
	struct explained *explained; /* NULL: none */
};

struct replay {
	char *path;
	char name[120];
	struct replay_place place;
	struct machine machine;
	bool has_core, has_events;
	struct core core;
	struct event_plan events;
	struct setting_index settings;
	struct played *played; /* one entry per setting */
	unsigned last_id;
	uint64_t memory; /* bytes of the recording in memory */
	struct text notes;

	/* The engine. */
	int event; /* an eventfd(2), readable while there is an answer */
	struct request request;
	bool pending;
};

/* Why a line or a setting is ignored: it is damaged, this program does not have the setting, the
 * setting has no trials, the recording is too large. */
enum left_out_kind {
	LEFT_OUT_DAMAGED,
	LEFT_OUT_ABSENT,
	LEFT_OUT_BARE,
	LEFT_OUT_BEYOND,
	LEFT_OUT_KINDS
};

/* The state while reading a recording, line by line. */
struct reading {
	struct replay *replay;
	unsigned line;
	bool begun;		 /* a header was read */
	bool over;		 /* the rest of the file is ignored */
	int event[COUNTERS_MAX]; /* for each event of the present run: its index in the plan; -1:
				    none */

	struct json_t *unfinished; /* an incomplete record, which continues in `awaited` lines;
				      NULL: none */
	unsigned awaited;

	/* The setting and the explanation that are being read, with their ids. */
	unsigned id;
	bool has_facts;
	struct run_facts facts;
	struct trials trials;
	bool has_counts;
	struct counts counts;
	unsigned explained_id;
	struct explained explained;

	/* Ignored lines and settings: their number, and the line and reason of the first one. */
	struct left_out {
		unsigned count, line;
		char why[200];
	} left_out[LEFT_OUT_KINDS];
};

/* ---- replay_engine.c ---- */

/* NULL is allowed. */
void explained_free(struct explained *explained);

/* Counts an ignored line, setting or sample, and keeps the line and reason of the first. */
void reading_leave_out(struct reading *reading, enum left_out_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Upper bounds of measured values. */
#define MOST_CYCLES 1e12
#define MOST_BYTES  ((int64_t)1 << 46)
#define MOST_GBPS   1e9

/* ---- records: each function returns why the record cannot be used, or NULL ---- */

/* replay_samples.c. reading_header() fails if the recording cannot be played. */
struct status reading_header(struct reading *reading, const struct json_t *object);
void reading_machine(struct reading *reading, const struct json_t *object);
const char *reading_core(struct reading *reading, const struct json_t *object);
void reading_events(struct reading *reading, const struct json_t *object);
const char *reading_event(struct reading *reading, const struct json_t *object);
const char *reading_trials(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_facts(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_counters(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_sample(struct reading *reading, const struct json_t *object, unsigned id);
/* Reads the setting of a record. Returns false, with the reason, if this program does not have the
 * setting. */
enum { READING_WHY = 244 };
bool reading_setting(const struct json_t *object, struct setting *setting, char why[READING_WHY]);

/* replay_explained.c */
const char *reading_limit(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_ports(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_insn(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_modelled(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_explain(struct reading *reading, const struct json_t *object, unsigned id);
void reading_forget(struct reading *reading);
