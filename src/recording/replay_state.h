/* Inside replay*.c: a recording in memory, and one on its way there. */
#ifndef SLX_RECORDING_REPLAY_STATE_H
#define SLX_RECORDING_REPLAY_STATE_H

#include <stddef.h>

#include "experiment/setting/setting_index.h"
#include "recording/replay.h"

/* Instructions that are all alike, one behind the other; most often one. */
struct played_insn {
	int times;
	uint64_t offset; /* of the first, in bytes from the loop's beginning */
	uint8_t bytes;	 /* of each */
	bool jumps, writes, fetches, no_instruction;
	char text[88]; /* a jump's target as its distance from the loop's beginning */
	struct limit_insn facts;
};

/* What limits a setting. */
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
	struct played_insn *run;
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
	bool over;		 /* nothing behind this is taken */
	int event[COUNTERS_MAX]; /* of the present run: where its events stand in the plan; -1:
				    nowhere */

	struct json_t *unfinished; /* a record that continues in so many lines; NULL: none */
	unsigned awaited;

	/* What has come of the setting and the explanation under way, by their ids. */
	unsigned id;
	bool has_facts;
	struct run_facts facts;
	struct trials trials;
	bool has_counts;
	struct counts counts;
	unsigned explained_id;
	struct explained explained;
	int limit_room, run_room;

	/* What was left out: how many, and of the first the line and the reason. */
	struct left_out {
		unsigned count, line;
		char why[200];
	} damaged, absent, bare, beyond;
};

void reading_init(struct reading *reading, struct replay *replay);
void reading_free(struct reading *reading);

/* One line, without its newline. Not OK: this is no recording that can be played (the text has no
 * place in it). */
struct status reading_line(struct reading *reading, const char *line, size_t length);

/* A line that is too long to be one. */
void reading_damaged(struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void explained_free(struct explained *explained);

#endif
