/* Inside replay*.c: a recording in memory, and the functions that read its records. Nothing is
 * believed: every number has bounds, every string is cleaned. */
#pragma once

#include <stddef.h>

#include "experiment/setting/cells.h"
#include "recording/fields.h"
#include "recording/record.h"
#include "recording/replay.h"

/* The explanation of a setting. */
struct explained {
	char why[244]; /* why there are no limits; empty: there are */
	int turns;
	bool stepped, varies, foreign, through_memory;
	double elements, slots; /* an iteration */
	double insns_per_element, chain;
	int unknown;
	char unknown_names[96], function[64];
	uint32_t fullest;
	int limit_count, binding; /* index, -1 */
	struct limit *limit;	  /* cycles an iteration */
	int port_count;
	double pressure[UARCH_PORTS], naive[UARCH_PORTS];
	int run_count, insn_count;
	struct recorded_insn *run;
	double modelled[COUNTERS_MAX]; /* of the events of the plan; NAN: nothing */
};

/* A measured setting. */
struct played {
	unsigned id;
	unsigned in_file; /* trials that the file has of it, those of earlier samples too */
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
	int played_room;
	struct played *played; /* of each of these */
	unsigned last_id;
	uint64_t memory; /* bytes of all that */
	struct text notes;

	/* The engine. */
	int event; /* an eventfd(2), readable while there is an answer */
	struct request request;
	bool pending;
};

/* Reading: one line after the other. */
struct reading {
	struct replay *replay;
	unsigned line;
	bool begun;		 /* there was a header */
	bool over;		 /* the rest of the file is ignored */
	int event[COUNTERS_MAX]; /* index in the plan of each event of the present run; -1:
				    none */

	struct json_t *unfinished; /* a record that continues in so many lines; NULL: none */
	unsigned awaited;

	/* The setting and the explanation under way, by their ids. */
	unsigned id;
	bool has_facts;
	struct run_facts facts;
	struct trials trials;
	bool has_counts;
	struct counts counts;
	unsigned explained_id;
	struct explained explained;
	int limit_room, run_room;

	/* Ignored lines and settings: how many, and the line and reason of the first. */
	struct left_out {
		unsigned count, line;
		char why[200];
	} damaged, absent, bare, beyond;
};

/* ---- replay_store.c ---- */

/* Frees what an explanation holds, not the structure itself. NULL: nothing. */
void explained_free(struct explained *explained);

/* Counts an ignored line, setting or sample, and keeps the line and reason of the first. */
void reading_leave_out(struct reading *reading, struct left_out *left_out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Beyond these nothing was ever measured. */
#define MOST_CYCLES 1e12
#define MOST_BYTES  ((int64_t)1 << 46)
#define MOST_GBPS   1e9

/* ---- records: each returns why it cannot be used, or NULL ---- */

/* replay_samples.c. The header may also say that this recording cannot be played. */
struct status reading_header(struct reading *reading, const struct json_t *object);
void reading_machine(struct reading *reading, const struct json_t *object);
const char *reading_core(struct reading *reading, const struct json_t *object);
void reading_events(struct reading *reading, const struct json_t *object);
const char *reading_event(struct reading *reading, const struct json_t *object);
const char *reading_trials(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_facts(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_counters(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_sample(struct reading *reading, const struct json_t *object, unsigned id);
/* The setting of a record; false: this program does not have it, which is noted if `note`. */
bool reading_setting(
	struct reading *reading, const struct json_t *object, bool note, struct setting *setting);

/* replay_explained.c */
const char *reading_limit(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_ports(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_insn(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_modelled(struct reading *reading, const struct json_t *object, unsigned id);
const char *reading_explain(struct reading *reading, const struct json_t *object, unsigned id);
void reading_forget(struct reading *reading);
